// SPDX-License-Identifier: MIT OR Apache-2.0
//! What rows of real boots take on disk: the corpus, multiplied into a fleet whose figures all differ.
use std::path::{Path, PathBuf};

use bootline_boot::BootOptions;
use bootline_input::unusable::BootNeeds;
use bootline_input::{BootReader, WholeBoot};
use bootline_store::metadata::Metadata;
use bootline_store::tables::{BootRow, SpanRow};
use bootline_store::{BootRows, FoundInput, InputReader, InputRows, Table, write_part};

/// Rows of a part, about as many as `bootline ingest` writes.
const ROWS: usize = 256 * 1024;

fn corpus() -> Vec<BootRows> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut captures: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path().join("boot.cap")).collect();
    captures.retain(|path| path.exists());
    captures.sort();
    let mut rows = Vec::new();
    for path in captures {
        let kernel = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        let given = Metadata {
            board: Some(kernel.split('-').next().unwrap().into()),
            build: Some(kernel.as_str().into()),
            device: None,
            lab: Some("lab-a".into()),
            ..Metadata::default()
        };
        let boots = BootReader {
            options: BootOptions::default(),
            format: None,
            kernel_log: None,
            whole: WholeBoot::default(),
            needs: BootNeeds::End,
        };
        let reader = InputReader { boots, given, pattern: None };
        let take = |given| {
            if let InputRows::Boot(boot) = given {
                rows.push(*boot);
            }
            Ok::<(), std::convert::Infallible>(())
        };
        reader.read(&FoundInput::new(&path), take).unwrap();
    }
    rows
}

/// xorshift64: the same fleet in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A time of another boot of the same system: within 5 %.
    fn vary(&mut self, us: i64) -> i64 {
        let share = (self.next() % 100_001) as i64 - 50_000;
        us + us / 1_000 * share / 1_000 + us % 1_000 * share / 1_000_000
    }
}

fn another(rows: &BootRows, noise: &mut Noise) -> (BootRow, Vec<SpanRow>) {
    let mut boot = rows.boot.clone();
    boot.boot_id = noise.next() as i64;
    boot.file_id = noise.next() as i64;
    boot.start_time = boot.start_time.map(|us| us + (noise.next() % 86_400_000_000) as i64);
    boot.job = Some(format!("{}", noise.next() % 10_000_000).into());
    for field in
        [&mut boot.dur_us, &mut boot.dur_low_us, &mut boot.dur_high_us, &mut boot.kernel_dur_us, &mut boot.console_us]
    {
        *field = field.map(|us| noise.vary(us));
    }
    boot.console_bytes = boot.console_bytes.map(|bytes| noise.vary(bytes));
    let mut spans = rows.spans.clone();
    for span in &mut spans {
        span.boot_id = boot.boot_id;
        span.ts_us = span.ts_us.map(|us| noise.vary(us));
        span.dur_us = span.dur_us.map(|us| noise.vary(us));
        span.reported_us = span.reported_us.map(|us| noise.vary(us));
        span.console_us = noise.vary(span.console_us);
        span.children_us = noise.vary(span.children_us);
    }
    (boot, spans)
}

fn bytes_per_row<T: Table>(rows: &mut [T]) -> f64 {
    write_part(rows, Vec::new()).unwrap().len() as f64 / rows.len() as f64
}

#[test]
fn a_span_takes_15_bytes_and_a_boot_400_at_most() {
    let corpus = corpus();
    assert!(corpus.len() > 20, "{} boots", corpus.len());
    // A fleet of all systems, one of those with initcall_debug, and one of one system.
    let with_initcalls: Vec<&BootRows> = corpus.iter().filter(|rows| rows.spans.len() > 200).collect();
    assert!(!with_initcalls.is_empty());
    let check = |name: &str, of: &[&BootRows]| {
        let mut noise = Noise(0x2545_f491_4f6c_dd1d);
        let (mut boots, mut spans) = (Vec::new(), Vec::new());
        for rows in of.iter().cycle() {
            let (boot, more) = another(rows, &mut noise);
            boots.push(boot);
            spans.extend(more);
            if boots.len() + spans.len() > ROWS {
                break;
            }
        }
        let (boot, span) = (bytes_per_row(&mut boots), bytes_per_row(&mut spans));
        println!("{name}: {} boots of {boot:.1} bytes, {} spans of {span:.2} bytes", boots.len(), spans.len());
        assert!(boot <= 400.0 && span <= 15.0, "{name}: {boot} bytes a boot, {span} bytes a span");
    };
    check("all", &corpus.iter().collect::<Vec<_>>());
    check("with initcalls", &with_initcalls);
    check("one system", &with_initcalls[..1]);
}
