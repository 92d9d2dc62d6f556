// SPDX-License-Identifier: MIT OR Apache-2.0
//! A disk image whose writes go to a temporary file, so that each boot begins with the same image.
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

/// Unit of copying, in bytes: a page, the usual block of file systems.
const BLOCK: u64 = 4096;
/// A disk has whole sectors; what an image lacks for its last one is zeros.
const SECTOR: u64 = 512;

/// An image, and what was written over it.
#[derive(Debug)]
pub(crate) struct CopyOnWrite {
    image: File,
    size: u64,
    written: File,
    /// Whether a block is in `written`, one bit each.
    in_written: Vec<u64>,
}

impl CopyOnWrite {
    /// A disk with the content of `image`, which is a file or a block device and stays as it is.
    pub fn new(mut image: File) -> io::Result<CopyOnWrite> {
        let size = image.seek(SeekFrom::End(0))?.next_multiple_of(SECTOR);
        let blocks = size.div_ceil(BLOCK);
        let written = temporary()?;
        let in_written = vec![0; blocks.div_ceil(64) as usize];
        Ok(CopyOnWrite { image, size, written, in_written })
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads what is at `offset`, all of it within the disk.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            let at = offset + done as u64;
            let source = self.is_written(at / BLOCK);
            let mut end = (at / BLOCK + 1) * BLOCK;
            let wanted = offset + buffer.len() as u64;
            while end < wanted && self.is_written(end / BLOCK) == source {
                end += BLOCK;
            }
            let part = &mut buffer[done..(end.min(wanted) - offset) as usize];
            read_or_zeros(if source { &self.written } else { &self.image }, part, at)?;
            done += part.len();
        }
        Ok(())
    }

    /// Writes over what is at `offset`, all of it within the disk.
    pub fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let end = offset + data.len() as u64;
        let (first, last) = (offset / BLOCK, (end - 1) / BLOCK);
        for block in [first, last] {
            let is_partial = block * BLOCK < offset || (block + 1) * BLOCK > end;
            if is_partial && !self.is_written(block) {
                let mut old = [0; BLOCK as usize];
                read_or_zeros(&self.image, &mut old, block * BLOCK)?;
                self.written.write_all_at(&old, block * BLOCK)?;
                self.mark(block);
            }
        }
        self.written.write_all_at(data, offset)?;
        for block in first..=last {
            self.mark(block);
        }
        Ok(())
    }

    fn is_written(&self, block: u64) -> bool {
        self.in_written.get((block / 64) as usize).is_some_and(|word| word >> (block % 64) & 1 == 1)
    }

    fn mark(&mut self, block: u64) {
        self.in_written[(block / 64) as usize] |= 1 << (block % 64);
    }
}

/// A file for what a guest writes, which may be much: not on a RAM disk, as /tmp often is, unless that is what the user wants.
fn temporary() -> io::Result<File> {
    match std::env::var_os("TMPDIR") {
        Some(folder) => tempfile::tempfile_in(folder),
        None => tempfile::tempfile_in("/var/tmp").or_else(|_| tempfile::tempfile()),
    }
}

/// Beyond the end of the file there are zeros.
fn read_or_zeros(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match file.read_at(buffer, offset) {
            Ok(0) => {
                buffer.fill(0);
                return Ok(());
            }
            Ok(n) => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn disk(content: &[u8]) -> CopyOnWrite {
        let mut image = tempfile::tempfile().unwrap();
        image.write_all(content).unwrap();
        CopyOnWrite::new(image).unwrap()
    }

    #[test]
    fn an_odd_image_is_filled_up_to_a_sector() {
        let disk = disk(&[7; 600]);
        assert_eq!(disk.size(), 1024);
        let mut all = [1; 1024];
        disk.read_at(&mut all, 0).unwrap();
        assert_eq!((&all[..600], &all[600..]), (&[7; 600][..], &[0; 424][..]));
    }

    proptest! {
        /// It reads back like memory that received the same writes, and the image stays as it was.
        #[test]
        fn it_is_a_disk(
            size in 1usize..40_000,
            steps in prop::collection::vec((any::<u8>(), 0.0..1.0f64, 0.0..1.0f64), 1..30),
        ) {
            let content: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
            let mut disk = disk(&content);
            let mut memory = content.clone();
            memory.resize(disk.size() as usize, 0);
            for (byte, from, share) in steps {
                let offset = (from * memory.len() as f64) as usize;
                let length = (share * (memory.len() - offset) as f64) as usize;
                disk.write_at(&vec![byte; length], offset as u64).unwrap();
                memory[offset..offset + length].fill(byte);
                let mut all = vec![0; memory.len()];
                disk.read_at(&mut all, 0).unwrap();
                prop_assert!(all == memory);
                let mut part = vec![0; length];
                disk.read_at(&mut part, offset as u64).unwrap();
                prop_assert!(part == memory[offset..offset + length]);
            }
            let mut image = vec![0; size];
            disk.image.read_exact_at(&mut image, 0).unwrap();
            prop_assert!(image == content);
        }
    }
}
