// SPDX-License-Identifier: MIT OR Apache-2.0
//! Zstandard frames one after the other, as `zstd -d` reads them: skippable ones are left out.
use std::io::{self, Read};

use ruzstd::frame::ReadFrameHeaderError;
use ruzstd::frame_decoder::{BlockDecodingStrategy, FrameDecoder, FrameDecoderError};

use super::peek::Peeked;

/// An empty frame: ruzstd compares a frame's window with its limit only where the decoder has had a frame before.
const EMPTY_FRAME: [u8; 9] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0];

/// Reads what the frames hold. A window of more than 100 MiB is refused.
pub(super) struct ZstdFrames {
    state: FrameState,
}

enum FrameState {
    /// Between two frames.
    Between(Peeked),
    Inside(Peeked, Box<FrameDecoder>),
    Ended,
}

impl ZstdFrames {
    pub fn new(from: Peeked) -> ZstdFrames {
        ZstdFrames { state: FrameState::Between(from) }
    }
}

impl Read for ZstdFrames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, FrameState::Ended) {
                FrameState::Ended => return Ok(0),
                FrameState::Between(mut from) => {
                    if from.is_at_end()? {
                        return Ok(0);
                    }
                    let mut decoder = FrameDecoder::new();
                    match decoder.init(EMPTY_FRAME.as_slice()).and_then(|()| decoder.reset(&mut from)) {
                        Ok(()) => self.state = FrameState::Inside(from, Box::new(decoder)),
                        Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                            length,
                            ..
                        })) => {
                            io::copy(&mut from.by_ref().take(u64::from(length)), &mut io::sink())?;
                            self.state = FrameState::Between(from);
                        }
                        Err(FrameDecoderError::WindowSizeTooBig { .. }) => {
                            let what = "a zstd frame with a window of more than 100 MiB";
                            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                        }
                        Err(e) => return Err(io::Error::new(io::ErrorKind::InvalidData, e.to_string())),
                    }
                }
                FrameState::Inside(mut from, mut decoder) => {
                    if decoder.can_collect() == 0 && decoder.is_finished() {
                        self.state = FrameState::Between(from);
                        continue;
                    }
                    let damaged = |e: FrameDecoderError| io::Error::new(io::ErrorKind::InvalidData, e.to_string());
                    if decoder.can_collect() == 0 {
                        let amount = BlockDecodingStrategy::UptoBytes(into.len().max(1));
                        decoder.decode_blocks(&mut from, amount).map_err(damaged)?;
                    }
                    let n = decoder.read(into)?;
                    self.state = FrameState::Inside(from, decoder);
                    if n > 0 || into.is_empty() {
                        return Ok(n);
                    }
                }
            }
        }
    }
}
