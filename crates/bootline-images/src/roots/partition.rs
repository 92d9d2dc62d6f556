// SPDX-License-Identifier: MIT OR Apache-2.0
//! The partitions of a disk image: a GPT, or the four primary ones of an MBR.
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::file_system::has;

const SECTOR: u64 = 512;
/// More is no table of a real disk.
const MAX_ENTRIES: u32 = 128;
const ENTRY_SIZES: std::ops::RangeInclusive<u32> = 128..=4096;
/// Of an MBR in front of a GPT.
const PROTECTIVE: u8 = 0xee;

/// A partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partition {
    /// As Linux counts it, from 1.
    pub number: u32,
    /// Where it begins, in bytes.
    pub offset: u64,
}

/// The partitions of a disk with sectors of 512 bytes; `None` if it has no table. Logical partitions are not looked for.
pub(super) fn partitions(file: &File) -> io::Result<Option<Vec<Partition>>> {
    if !has(file, 510, &[0x55, 0xaa])? {
        return Ok(None);
    }
    let mut mbr = [0; SECTOR as usize];
    file.read_exact_at(&mut mbr, 0)?;
    // A FAT's first sector ends like an MBR.
    if &mbr[54..57] == b"FAT" || &mbr[82..85] == b"FAT" {
        return Ok(None);
    }
    let entries: Vec<&[u8]> = mbr[446..510].chunks_exact(16).collect();
    if entries.iter().any(|entry| entry[4] == PROTECTIVE) {
        return gpt(file);
    }
    let partition = |(n, entry): (usize, &&[u8])| {
        let sector = u32::from_le_bytes(entry[8..12].try_into().expect("four bytes"));
        // Type 0 is an unused entry.
        (entry[4] != 0 && sector > 0).then(|| Partition { number: n as u32 + 1, offset: u64::from(sector) * SECTOR })
    };
    Ok(Some(entries.iter().enumerate().filter_map(partition).collect()))
}

/// The partitions of a GPT (UEFI specification, 5.3).
fn gpt(file: &File) -> io::Result<Option<Vec<Partition>>> {
    if !has(file, SECTOR, b"EFI PART")? {
        return Ok(None);
    }
    let mut header = [0; 92];
    if let Err(error) = file.read_exact_at(&mut header, SECTOR) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let (table, count, size) = (long(72).saturating_mul(SECTOR), word(80).min(MAX_ENTRIES), word(84));
    if !ENTRY_SIZES.contains(&size) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for n in 0..count {
        let mut entry = [0; 40];
        match file.read_exact_at(&mut entry, table.saturating_add(u64::from(n) * u64::from(size))) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
        let first = u64::from_le_bytes(entry[32..40].try_into().expect("eight bytes"));
        // An unused entry has no type.
        if entry[..16].iter().any(|b| *b != 0) {
            found.push(Partition { number: n + 1, offset: first.saturating_mul(SECTOR) });
        }
    }
    Ok(Some(found))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A disk whose MBR has partitions of these types at these sectors.
    pub fn mbr(entries: &[(u8, u32)]) -> File {
        let file = tempfile::tempfile().unwrap();
        let mut sector = [0; 512];
        for (n, (kind, first)) in entries.iter().enumerate() {
            let at = 446 + n * 16;
            sector[at + 4] = *kind;
            sector[at + 8..at + 12].copy_from_slice(&first.to_le_bytes());
        }
        sector[510..].copy_from_slice(&[0x55, 0xaa]);
        file.write_all_at(&sector, 0).unwrap();
        file
    }

    fn found(file: &File) -> Option<Vec<(u32, u64)>> {
        partitions(file).unwrap().map(|list| list.iter().map(|p| (p.number, p.offset)).collect())
    }

    #[test]
    fn an_mbr_has_four_entries_of_which_some_are_used() {
        let disk = mbr(&[(0x0c, 2048), (0, 0), (0x83, 10_240)]);
        assert_eq!(found(&disk), Some(vec![(1, 2048 * 512), (3, 10_240 * 512)]));
        assert_eq!(found(&mbr(&[])), Some(Vec::new()));
    }

    #[test]
    fn a_gpt_is_read_by_its_own_sizes() {
        let disk = mbr(&[(PROTECTIVE, 1)]);
        assert_eq!(found(&disk), None, "no header");
        let mut header = [0; 92];
        header[..8].copy_from_slice(b"EFI PART");
        header[72..80].copy_from_slice(&2_u64.to_le_bytes());
        header[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        header[84..88].copy_from_slice(&256_u32.to_le_bytes());
        disk.write_all_at(&header, 512).unwrap();
        for (n, first) in [(0, 2048_u64), (2, 1 << 60)] {
            let at = 1024 + n * 256;
            disk.write_all_at(&[7; 16], at).unwrap();
            disk.write_all_at(&first.to_le_bytes(), at + 32).unwrap();
        }
        assert_eq!(found(&disk), Some(vec![(1, 2048 * 512), (3, u64::MAX)]));
        header[84..88].copy_from_slice(&0_u32.to_le_bytes());
        disk.write_all_at(&header, 512).unwrap();
        assert_eq!(found(&disk), None, "entries of no size");
    }

    #[test]
    fn what_ends_like_an_mbr_need_not_be_one() {
        let fat = mbr(&[(0x83, 77)]);
        fat.write_all_at(b"FAT32", 82).unwrap();
        assert_eq!(found(&fat), None);
        assert_eq!(found(&tempfile::tempfile().unwrap()), None);
    }
}
