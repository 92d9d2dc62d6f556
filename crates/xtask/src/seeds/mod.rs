// SPDX-License-Identifier: MIT OR Apache-2.0
//! What others published of slow consoles, beside what the model makes of their inputs. Each case is a log or a port made
//! from published figures alone; what they leave open is inferred, and the table says from what.
mod boards;
mod log;
mod ports;
mod row;

use std::fmt::Write as _;

use crate::document::Document;
use row::Row;

const HEAD: &str = "\
# Published figures against the model

What bootline's console model says where others measured. The inputs are those that were published; what they leave open was
inferred, and the last column says from what. Where that is the row's own figure, the row shows only that the model gives back
what was put in. This page is written by `cargo xtask docs`; how close predictions come to boots of our own is in accuracy.md.

1. \"The Impact of Non-Blocking Consoles (nbcon) on Linux Boot Time\": a Raspberry Pi 3 B+, Linux 6.12.8, 14518 characters
   before the console registers.
2. \"We made Linux v6.19+ boot quicker for everyone!\": a PocketBeagle 2, PREEMPT_RT, 9600 baud, about 171 000 characters of
   initcall_debug.
3. \"Improving the Kernel TTY throughput\": an 8250 of a server at 115200 baud that carries 2500 characters a second.
5. \"Reducing boot time in Linux devices\" (2010): an i.MX51, Linux 2.6.31, 38400 baud.

| post | figure | published [s] | predicted [s] | off | inferred |
| --: | --- | --: | --: | --: | --- |
";

const TAIL: &str = "
What does not fit:

- Post 1 at 2400 baud: 14518 characters take 60.5 s there, and the published gap is 75.9 s. The 9600 and 115200 rows agree with
  the characters to 1 %, so more than these was printed at 2400 baud, or that line was slower than its name. With the rate that the
  gap itself shows the total is predicted, in the row below it.
- Post 1, nbcon: printk itself takes the 423 us; the model counts what writers wait for, and that is nothing.
- Post 2's boots differ in more than the thread: the faster one opened /dev/console at 4.57 s instead of 6.25 s and then took 1.48 s
  to mount its root instead of 0.11 s. The prediction keeps the slower boot's own work.
- Post 3: 3.142 s for 11500 characters are not the doing of slow register reads; something behind the port fills up. Without
  it the model says what the port would take.
- Post 1's 120 s under initcall_debug, and the 23 s by which post 2's log came late: the characters were not published.
";

fn seconds(s: f64) -> String {
    if s < 0.001 { format!("{s:.6}") } else { format!("{s:.3}") }
}

fn table(rows: &[Row]) -> String {
    let mut table = String::new();
    for r in rows {
        let [low, best, high] = [r.predicted.low(), r.predicted.best(), r.predicted.high()].map(|d| d.as_secs_f64());
        let bounds = if high - low > best.abs() * 0.001 {
            format!(" ({}..{})", seconds(low), seconds(high))
        } else {
            String::new()
        };
        let off = if best > 0.0 { format!("{:+.1} %", (best / r.published - 1.0) * 100.0) } else { String::new() };
        let published = seconds(r.published);
        writeln!(
            table,
            "| {} | {} | {published} | {}{bounds} | {off} | {} |",
            r.seed,
            r.what,
            seconds(best),
            r.inferred
        )
        .unwrap();
    }
    table
}

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = boards::rows().into_iter().chain(ports::rows()).collect();
    rows.sort_by_key(|r| r.seed);
    rows
}

/// docs/seeds.md.
pub fn document() -> Document {
    Document { path: "docs/seeds.md", text: format!("{HEAD}{}{TAIL}", table(&rows())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_gives_what_was_published() {
        for r in rows() {
            let off = r.predicted.best().as_secs_f64() / r.published - 1.0;
            assert!(r.within.is_none_or(|w| off.abs() <= w), "post {}, {}: {:+.1} %", r.seed, r.what, off * 100.0);
        }
    }
}
