// SPDX-License-Identifier: MIT OR Apache-2.0
//! Disks over real connections, with a client that speaks NBD as QEMU does: content, and that no disk is faster than its storage.
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use super::*;
use crate::line::RunClock;
use crate::storage::{StorageLimits, StoragePreset};

struct Client {
    connection: UnixStream,
    next: u64,
}

/// The error that NBD numbers 22: an operation beyond the disk's end.
const INVALID: u32 = 22;

impl Client {
    /// A client of an image with this content. Gives the size that the server says.
    fn of(server: &DiskServer, content: &[u8]) -> (Client, u64) {
        let mut image = tempfile::NamedTempFile::new().unwrap();
        image.write_all(content).unwrap();
        let mut client = Client { connection: UnixStream::from(server.attach(image.path()).unwrap()), next: 7 };
        assert_eq!(client.get(18), *b"NBDMAGICIHAVEOPT\0\x03");
        client.put(&[0, 0, 0, 3]);
        // Structured replies first: they are declined.
        assert_eq!(client.option(8, &[]), [(0x8000_0001, Vec::new())]);
        let answers = client.option(7, &[0, 0, 0, 0, 0, 0]);
        let [(3, export), (1, _)] = &answers[..] else { panic!("{answers:?}") };
        assert_eq!((&export[..2], &export[10..]), (&[0, 0][..], &[0, 13][..]));
        (client, u64::from_be_bytes(export[2..10].try_into().unwrap()))
    }

    fn get(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.connection.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn number(&mut self) -> u32 {
        u32::from_be_bytes(self.get(4).try_into().unwrap())
    }

    fn put(&mut self, bytes: &[u8]) {
        self.connection.write_all(bytes).unwrap();
    }

    fn option(&mut self, option: u32, data: &[u8]) -> Vec<(u32, Vec<u8>)> {
        self.put(b"IHAVEOPT");
        self.put(&option.to_be_bytes());
        self.put(&(data.len() as u32).to_be_bytes());
        self.put(data);
        let mut answers = Vec::new();
        while answers.last().is_none_or(|(kind, _)| *kind == 3) {
            assert_eq!(self.get(8), 0x0003_e889_0455_65a9_u64.to_be_bytes());
            assert_eq!(self.number(), option);
            let (kind, length) = (self.number(), self.number());
            answers.push((kind, self.get(length as usize)));
        }
        answers
    }

    fn ask(&mut self, kind: u16, offset: u64, length: u32, data: &[u8]) {
        self.put(&0x2560_9513_u32.to_be_bytes());
        self.put(&[0, 0]);
        self.put(&kind.to_be_bytes());
        self.put(&self.next.to_be_bytes());
        self.next += 1;
        self.put(&offset.to_be_bytes());
        self.put(&length.to_be_bytes());
        self.put(data);
    }

    fn answer(&mut self, cookie: u64, length: usize) -> Result<Vec<u8>, u32> {
        assert_eq!(self.number(), 0x6744_6698);
        let error = self.number();
        assert_eq!(self.get(8), cookie.to_be_bytes());
        if error == 0 { Ok(self.get(length)) } else { Err(error) }
    }

    fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, u32> {
        self.ask(0, offset, length, &[]);
        self.answer(self.next - 1, length as usize)
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), u32> {
        self.ask(1, offset, data.len() as u32, data);
        self.answer(self.next - 1, 0).map(|_| ())
    }
}

fn storage(limits: StorageLimits) -> (DiskServer, RunClock) {
    let clock = RunClock::start();
    (DiskServer::new(limits, StorageClock { clock, real_time: false }), clock)
}

#[test]
fn a_disk_is_read_written_and_flushed() {
    let (server, _) = storage(StoragePreset::Nvme.limits());
    let (mut client, size) = Client::of(&server, &[1; 5000]);
    assert_eq!(size, 5120);
    client.write(4990, &[2; 20]).unwrap();
    let expected = [&[1; 10][..], &[2; 20], &[0; 2]].concat();
    assert_eq!(client.read(4980, 32).unwrap(), expected);
    client.ask(3, 0, 0, &[]);
    client.answer(client.next - 1, 0).unwrap();
    assert_eq!(client.read(5100, 21), Err(INVALID));
    assert_eq!(client.write(u64::MAX, &[1; 2]), Err(INVALID));
    assert_eq!(client.read(5110, 10).unwrap(), [0; 10]);
    drop(client);
    let used = server.usage();
    assert_eq!((used.reads, used.bytes_read, used.writes, used.bytes_written, used.flushes), (3, 63, 2, 22, 1));
    assert_eq!(used.lateness.wakes, 6);
    assert!(server.take_error().is_none());
}

#[test]
fn operations_take_their_time_alone_and_in_a_queue() {
    let limits = StoragePreset::Sd.limits();
    let (mut server, clock) = storage(limits);
    let ((mut one, _), (mut other, _)) = (Client::of(&server, &[3; 4096]), Client::of(&server, &[4; 4096]));
    const EACH: u64 = 20;
    let begun = clock.now();
    for _ in 0..EACH {
        one.ask(0, 0, 512, &[]);
    }
    for _ in 0..EACH {
        assert_eq!(other.read(512, 512).unwrap(), [4; 512]);
    }
    for cookie in one.next - EACH..one.next {
        assert_eq!(one.answer(cookie, 512).unwrap(), [3; 512]);
    }
    let took = (clock.now() - begun).as_secs_f64();
    // One medium: both disks share its operations.
    let least = 2.0 * EACH as f64 / limits.operations_per_s as f64;
    assert!(took >= 0.99 * least, "{took} s is less than {least} s");
    server.booted();
    one.read(0, 512).unwrap();
    let used = server.usage();
    assert_eq!(used.reads, 2 * EACH, "what comes after the boot is not counted");
    assert!((used.busy_ns.as_secs_f64() / least - 1.0).abs() < 1e-6);
}

#[test]
fn a_disk_that_was_idle_takes_its_time_for_one_operation() {
    let limits = StorageLimits { bytes_per_s: 1_000_000, operations_per_s: 50 };
    let (server, clock) = storage(limits);
    let (mut client, _) = Client::of(&server, &[1; 512]);
    for _ in 0..3 {
        std::thread::sleep(std::time::Duration::from_millis(30));
        let begun = clock.now();
        client.read(0, 512).unwrap();
        let took = (clock.now() - begun).as_secs_f64();
        assert!(took >= 0.99 / 50.0, "{took} s: what it did not do before is not made up");
    }
}

#[test]
fn flushes_take_time_only_after_writes() {
    let (server, _) = storage(StoragePreset::Nvme.limits());
    let (mut client, _) = Client::of(&server, &[1; 512]);
    let flush = |client: &mut Client| {
        client.ask(3, 0, 0, &[]);
        client.answer(client.next - 1, 0).unwrap();
        server.usage().flushes
    };
    assert_eq!(flush(&mut client), 0);
    client.write(0, &[2]).unwrap();
    assert_eq!([flush(&mut client), flush(&mut client)], [1, 1]);
}

#[test]
fn large_reads_come_whole() {
    let content: Vec<u8> = (0..3_000_000u32).map(|n| (n % 249) as u8).collect();
    let (server, _) = storage(StoragePreset::Nvme.limits());
    let (mut client, _) = Client::of(&server, &content);
    for (offset, length) in [(0, 3_000_000), (512, 16 << 10), (512, (16 << 10) + 1), (5, (16 << 10) - 16)] {
        let got = client.read(offset, length).unwrap();
        assert!(got == content[offset as usize..][..length as usize], "{length} bytes at {offset}");
    }
}

#[test]
fn older_clients_name_an_export_and_some_leave_at_once() {
    let (server, _) = storage(StoragePreset::Nvme.limits());
    let image = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(image.path(), [0; 1024]).unwrap();
    for (flags, told) in [(1, 134), (3, 10)] {
        let mut client = Client { connection: UnixStream::from(server.attach(image.path()).unwrap()), next: 7 };
        client.get(18);
        client.put(&[0, 0, 0, flags]);
        client.put(b"IHAVEOPT\0\0\0\x01\0\0\0\x01x");
        assert_eq!(client.get(told)[..10], [0, 0, 0, 0, 0, 0, 4, 0, 0, 13]);
        assert_eq!(client.read(0, 2).unwrap(), [0; 2]);
        // It disconnects.
        client.ask(2, 0, 0, &[]);
        assert_eq!(client.connection.read(&mut [0]).unwrap(), 0);
    }
    let mut client = Client { connection: UnixStream::from(server.attach(image.path()).unwrap()), next: 7 };
    client.get(18);
    client.put(&[0, 0, 0, 3]);
    assert_eq!(client.option(2, &[]), [(1, Vec::new())]);
    assert_eq!(client.connection.read(&mut [0]).unwrap(), 0);
    // And one is killed in the middle of a write.
    let (mut client, _) = Client::of(&server, &[0; 512]);
    client.ask(1, 0, 512, &[1]);
    client.connection.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(client.connection.read(&mut [0]).unwrap(), 0);
    assert!(server.take_error().is_none());
}

/// The first error, for which a test waits as long as a thread may take on a busy host.
fn error_of(server: &DiskServer) -> String {
    for _ in 0..1000 {
        if let Some((_, error)) = server.take_error() {
            return error.to_string();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no error within ten seconds");
}

#[test]
fn a_client_that_does_not_speak_nbd_ends_its_disk_with_an_error() {
    let said = "QEMU's NBD client sent something other than";
    for (bytes, wanted) in [
        (&[0; 28][..], "a request"),
        // What was not offered, trimming, and an operation of 4 GiB.
        (
            &[0x25, 0x60, 0x95, 0x13, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            "a read, a write or a flush",
        ),
        (
            &[0x25, 0x60, 0x95, 0x13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255],
            "a shorter operation",
        ),
    ] {
        let (server, _) = storage(StoragePreset::Nvme.limits());
        let (mut client, _) = Client::of(&server, &[0; 512]);
        client.put(bytes);
        assert_eq!(client.connection.read(&mut [0]).unwrap(), 0, "the connection is closed");
        assert_eq!(error_of(&server), format!("{said} {wanted}"));
    }
}

#[test]
fn an_image_that_shrinks_is_read_as_zeros_and_one_that_is_not_there_is_refused() {
    let (server, _) = storage(StoragePreset::Nvme.limits());
    let image = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(image.path(), [9; 1024]).unwrap();
    let mut client = Client { connection: UnixStream::from(server.attach(image.path()).unwrap()), next: 7 };
    client.get(18);
    client.put(&[0, 0, 0, 3]);
    client.option(7, &[0; 6]);
    image.as_file().set_len(100).unwrap();
    assert_eq!(client.read(0, 102).unwrap(), [&[9; 100][..], &[0; 2]].concat());
    assert!(server.attach(std::path::Path::new("/nowhere")).is_err());
}
