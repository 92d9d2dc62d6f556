// SPDX-License-Identifier: MIT OR Apache-2.0
//! A kernel's log of a stated size, made of a few known records and filler.
use bootline_analysis::predict::{Prediction, predict};
use bootline_boot::{Boot, BootOptions, BootRecords};

/// Bytes that a record takes in addition to its text: `[ 0.000000] `, CR, LF.
const AROUND: usize = 17;
/// Filler is about as long as kernel records are.
const FILLER: usize = 75;

/// A log as `dmesg` shows it.
#[derive(Default)]
pub struct Log {
    lines: Vec<(i64, String)>,
    /// Bytes on a console so far.
    chars: usize,
}

impl Log {
    /// A record, stamped in microseconds.
    pub fn say(mut self, at_us: i64, text: &str) -> Log {
        self.chars += text.len() + AROUND;
        self.lines.push((at_us, text.to_owned()));
        self
    }

    /// Filler until the log has this many bytes: records spaced evenly between `from` and `to`.
    pub fn fill(mut self, chars: usize, from_us: i64, to_us: i64) -> Log {
        let missing = chars.checked_sub(self.chars).expect("the known records are too long already");
        let count = (missing / (FILLER + AROUND)).max(1);
        for n in 0..count {
            let length = missing * (n + 1) / count - missing * n / count - AROUND;
            let at = from_us + (to_us - from_us) * (n as i64 + 1) / (count as i64 + 1);
            self = self.say(at, &"x".repeat(length));
        }
        self
    }

    /// Filler until the log has `chars` bytes, by writers that wait for a line of `rate` bytes per second: it comes in
    /// bursts, with the boot's own work between them.
    pub fn fill_waiting(mut self, chars: usize, from_us: i64, to_us: i64, rate: i64) -> Log {
        const BURST: usize = 8;
        let missing = chars.checked_sub(self.chars).expect("the known records are too long already");
        let count = missing / (FILLER + AROUND);
        let work = to_us - from_us - missing as i64 * 1_000_000 / rate;
        let mut at = from_us;
        for n in 0..count {
            if n % BURST == 0 {
                at += work / count.div_ceil(BURST) as i64;
            }
            let length = missing * (n + 1) / count - missing * n / count;
            self = self.say(at, &"x".repeat(length - AROUND));
            at += length as i64 * 1_000_000 / rate;
        }
        self
    }

    /// As a boot that ends with the record that contains `marker`, or with init.
    pub fn boot(&self, marker: Option<&str>) -> Boot {
        let line = |(at, text): &(i64, String)| format!("[{:5}.{:06}] {text}\n", at / 1_000_000, at % 1_000_000);
        let text: String = self.lines.iter().map(line).collect();
        let options = BootOptions { marker: marker.map(str::to_owned), ..BootOptions::default() };
        BootRecords::all(text.as_bytes()).into_iter().map(|records| Boot::analyse(records, &options)).next().unwrap()
    }
}

/// The boot with settings as `--set` takes them.
pub fn with(boot: &Boot, settings: &[&str]) -> Prediction {
    predict(boot, &settings.join(" ").parse().unwrap()).unwrap()
}
