// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files as gzip, xz, zstd, bzip2 and tar write them, in bytes.
use std::io::{Cursor, Read, Write};

use super::*;

/// `[    1.000000] a` and a line feed.
const LOG: &[u8] = b"[    1.000000] a\n";

/// The same, as `zstd` writes it: one raw block.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x20\x11\x89\0\0[    1.000000] a\n";

/// The same, as `bzip2` and `xz` write it.
const BZIP2: &[u8] = b"\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x3c\xff\xee\x50\x00\x00\x07\x5b\x00\x50\x10\x40\x01\x60\x00\x00\x0a\x20\x00\x20\x00\x31\x00\x30\x20\x1a\x1e\xa5\x22\x5f\x81\x39\xa1\xde\x2e\xe4\x8a\x70\xa1\x20\x79\xff\xdc\xa0";
const XZ: &[u8] = b"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x10\x5b\x20\x20\x20\x20\x31\x2e\x30\x30\x30\x30\x30\x30\x5d\x20\x61\x0a\x00\x00\x00\x00\x23\xb6\xd3\x27\x4a\xf1\x27\xc6\x00\x01\x29\x11\x32\x0a\x70\x0e\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in members {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        archive.extend_from_slice(&header);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

fn utf16(bytes: &[u8], mark: bool) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    mark.then_some(0xfeff).into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// The members' names and contents; an error ends them.
fn unpack(bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let mut unpacker = Unpacker::new(Box::new(Cursor::new(bytes))).expect("it is readable");
    let mut found = Vec::new();
    while let Ok(Some(mut member)) = unpacker.next_member() {
        let mut contents = Vec::new();
        if member.reader.read_to_end(&mut contents).is_err() {
            contents.extend_from_slice(b"!");
        }
        found.push((member.name.unwrap_or_default(), contents));
    }
    found
}

fn check(bytes: Vec<u8>, expected: &[(&str, &[u8])]) {
    let found = unpack(bytes);
    let found: Vec<(&str, &[u8])> = found.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    assert_eq!(found, expected);
}

#[test]
fn plain_text_stays() {
    check(LOG.to_vec(), &[("", LOG)]);
    check(Vec::new(), &[("", b"")]);
}

#[test]
fn compressed() {
    check(gzip(LOG), &[("", LOG)]);
    check(gzip(&gzip(LOG)), &[("", LOG)]);
    // Two members, as `cat a.gz b.gz` makes them.
    check([gzip(LOG), gzip(LOG)].concat(), &[("", &[LOG, LOG].concat())]);
    check(ZSTD.to_vec(), &[("", LOG)]);
    check(XZ.to_vec(), &[("", LOG)]);
    check(BZIP2.to_vec(), &[("", LOG)]);
    check([XZ, XZ].concat(), &[("", &[LOG, LOG].concat())]);
    check(BZIP2.repeat(3), &[("", &LOG.repeat(3))]);
    // An xz stream whose parts come in short reads.
    check(gzip(XZ), &[("", LOG)]);
    check(tar(&[("a", XZ), ("b", BZIP2), ("c", ZSTD)]), &[("a", LOG), ("b", LOG), ("c", LOG)]);
    let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
    check([ZSTD, skippable, ZSTD].concat(), &[("", &[LOG, LOG].concat())]);
}

#[test]
fn archives() {
    let members: &[(&str, &[u8])] = &[("a.log", LOG), ("b.gz", &gzip(LOG)), ("empty", b""), ("c.txt", b"other")];
    let expected: &[(&str, &[u8])] = &[("a.log", LOG), ("b.gz", LOG), ("c.txt", b"other")];
    check(tar(members), expected);
    check(gzip(&tar(members)), expected);
}

#[test]
fn a_member_that_is_not_read_is_passed() {
    let mut unpacker = Unpacker::new(Box::new(Cursor::new(tar(&[("a", LOG), ("b", LOG)])))).unwrap();
    assert!(unpacker.is_archive());
    let first = unpacker.next_member().unwrap().unwrap();
    let mut second = unpacker.next_member().unwrap().unwrap();
    let mut text = Vec::new();
    second.reader.read_to_end(&mut text).unwrap();
    assert_eq!((first.name.as_deref(), second.name.as_deref(), text.as_slice()), (Some("a"), Some("b"), LOG));
    drop(first);
}

#[test]
fn mails_and_strings() {
    let mail = b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n\n[    1.000000] root=3D=\na\n";
    let plain = b"Subject: a\nContent-Transfer-Encoding: quoted-printable\n\n[    1.000000] root=a\n";
    check(mail.to_vec(), &[("", plain)]);
    let json = br#"{"Output": "a\n[    1.000000] a\n[    2.000000] b\n[    3.000000] c\n"}"#;
    let plain_json = b"{\"Output\": \"a\n[    1.000000] a\n[    2.000000] b\n[    3.000000] c\n\"}";
    check(json.to_vec(), &[("", plain_json)]);
    check(gzip(json), &[("", plain_json)]);
    check(utf16(json, true), &[("", plain_json)]);
}

#[test]
fn utf_16() {
    let text = "[    1.000000] grün 😀 and more\n".as_bytes();
    check(utf16(text, true), &[("", text)]);
    check(utf16("[    1.000000] without a mark\n".as_bytes(), false), &[("", b"[    1.000000] without a mark\n")]);
    check(gzip(&utf16(text, true)), &[("", text)]);
}

#[test]
fn what_is_cut_off_or_damaged_is_an_error_after_what_was_there() {
    let long = LOG.repeat(10_000);
    let whole = gzip(&long);
    let found = unpack(whole[..whole.len() - 12].to_vec());
    assert!(found[0].1.starts_with(LOG) && found[0].1.ends_with(b"!"));
    // One that ends within its first bytes.
    let short = gzip(LOG);
    let found = unpack(short[..short.len() - 8].to_vec());
    assert_eq!(found, [(String::new(), [LOG, b"!"].concat())]);
    let archive = tar(&[("a", &long)]);
    let found = unpack(archive[..5_000].to_vec());
    assert!(found[0].1.starts_with(LOG) && found[0].1.ends_with(b"!"));
}

#[test]
fn other_forms_are_named() {
    let kind = |bytes: &[u8]| match Unpacker::new(Box::new(Cursor::new(bytes.to_vec()))) {
        Err(UnpackError::Unreadable(kind)) => Some(kind),
        _ => None,
    };
    assert_eq!(kind(b"PK\x03\x04rest"), Some(UnreadableKind::Zip));
    assert_eq!(kind(b"LPKSHHRHrest"), Some(UnreadableKind::Journal));
    assert_eq!(kind(&gzip(b"\x7fELF\x02")), Some(UnreadableKind::Elf));
    assert_eq!(kind(LOG), None);
}

#[test]
fn an_xz_stream_may_not_ask_for_gigabytes() {
    let mut start = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01".to_vec();
    start.extend_from_slice(&[40, 0, 0, 0, 0, 0, 0]);
    assert!(Unpacker::new(Box::new(Cursor::new(start))).is_err());
}

/// `zstd --long=31` writes such a frame, also as the only one: its window would be filled as it is read.
#[test]
fn a_zstd_frame_may_not_ask_for_gigabytes() {
    let frame = |window: u8| [b"\x28\xb5\x2f\xfd\0".as_slice(), &[window], b"\x01\0\0"].concat();
    let refusal = |bytes: Vec<u8>| match Unpacker::new(Box::new(Cursor::new(bytes))) {
        Err(UnpackError::Read(e)) => e.to_string(),
        _ => String::new(),
    };
    // The exponent, from 10, in the upper five bits: 64 MiB, and 2 GiB.
    assert_eq!(refusal(frame(16 << 3)), "");
    assert_eq!(refusal(frame(21 << 3)), "a zstd frame with a window of more than 100 MiB");
}

#[test]
fn an_end_to_what_expands() {
    let mut limited = super::limit::Limited::new(Box::new(std::io::repeat(b'x')), 10_000);
    let mut text = Vec::new();
    assert!(limited.read_to_end(&mut text).is_err());
    assert!(text.len() <= 10_000);
}
