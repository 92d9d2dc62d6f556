// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's own evidence of the application: its picture on the virtual screen, and an answer from its socket.
use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::monitor::Monitor;
use super::run_event::RunEvent;
use crate::line::RunClock;

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(200);
/// How long the picture and the answer are looked for.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the application answers begins so.
const ANSWER: &[u8] = b"bootline-app ";
/// The bars of the application's picture, from left to right, as red, green, blue.
const BARS: [[u8; 3]; 8] =
    [[255, 255, 255], [255, 255, 0], [0, 255, 255], [0, 255, 0], [255, 0, 255], [255, 0, 0], [0, 0, 255], [0, 0, 0]];

/// Looks at the screen through QEMU's monitor until it shows the picture, then sends the time. The screen stays in `file`.
pub(super) fn watch_screen(mut monitor: Monitor, file: PathBuf, clock: RunClock, sender: Sender<RunEvent>) {
    thread::spawn(move || {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if monitor.screendump(&file) {
                let at = clock.now();
                if fs::read(&file).is_ok_and(|image| shows_bars(&image)) {
                    let _ = sender.send(RunEvent::PictureSeen(at));
                    return;
                }
            }
            thread::sleep(PAUSE);
        }
    });
}

/// Connects to the application until it answers, then sends the time.
pub(super) fn ask_socket(port: u16, clock: RunClock, sender: Sender<RunEvent>) {
    thread::spawn(move || {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if answers(port) {
                let _ = sender.send(RunEvent::SocketAnswered(clock.now()));
                return;
            }
            thread::sleep(PAUSE);
        }
    });
}

/// QEMU itself accepts the connection; only an answer shows that the guest did.
fn answers(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let Ok(mut stream) = TcpStream::connect_timeout(&address, Duration::from_secs(1)) else { return false };
    let mut answer = [0; ANSWER.len()];
    let set = stream.set_read_timeout(Some(Duration::from_secs(1)));
    set.is_ok() && stream.read_exact(&mut answer).is_ok() && answer == ANSWER
}

/// Whether a PPM image shows the bars, by the middle of each in the middle row.
fn shows_bars(image: &[u8]) -> bool {
    let mut head = image.splitn(4, |b| b.is_ascii_whitespace());
    let (Some(b"P6"), Some(width), Some(height), Some(rest)) = (head.next(), head.next(), head.next(), head.next())
    else {
        return false;
    };
    let number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|t| t.parse::<usize>().ok());
    let (Some(width), Some(height)) = (number(width), number(height)) else { return false };
    let Some(pixels) = rest.strip_prefix(b"255\n") else { return false };
    BARS.iter().enumerate().all(|(n, bar)| {
        let place = (height / 2 * width + (2 * n + 1) * width / (2 * BARS.len())) * 3;
        pixels.get(place..place + 3) == Some(bar)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: usize, height: usize) -> Vec<u8> {
        let row: Vec<u8> = (0..width).flat_map(|x| BARS[x * BARS.len() / width]).collect();
        [format!("P6\n{width} {height}\n255\n").into_bytes(), row.repeat(height)].concat()
    }

    #[test]
    fn the_bars_are_seen_and_nothing_else_is() {
        for (width, height) in [(1280, 800), (640, 480), (8, 1)] {
            assert!(shows_bars(&picture(width, height)), "{width}x{height}");
        }
        let mut black = picture(640, 480);
        let pixels = black.len() - 640 * 480 * 3;
        black[pixels..].fill(0);
        assert!(!shows_bars(&black));
        let half = picture(640, 480);
        for damaged in [&half[..half.len() / 2], b"P6\n640 480\n255\n", b"P6\n9 ", b""] {
            assert!(!shows_bars(damaged));
        }
    }
}
