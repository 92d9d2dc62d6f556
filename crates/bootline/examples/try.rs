use bootline_core::{boot::*, records::*, rules};
fn main() {
    for f in std::env::args().skip(1) {
        let bytes = std::fs::read(&f).unwrap();
        let mut boots = Vec::new();
        let mut s = Splitter::new(|b| boots.push(b));
        let mut d = Decoder::new(None);
        for c in bytes.chunks(65536) {
            d.push(c, &mut s);
        }
        d.finish(&mut s);
        s.finish();
        for b in boots {
            let b = Boot::analyse(b, &Options::default());
            println!("== {f} {:?} {:?} records {}", b.kernel.release, b.kernel.series, b.records.len());
            println!("line {:#?}", b.line);
            println!("end {:?}", b.end);
            println!(
                "zero {} lost {} first {:?} async {:?} clock {:?}",
                b.timeline.zero,
                b.timeline.kernel_clock_lost,
                b.timeline.first_byte,
                b.timeline.async_from,
                b.timeline.clock
            );
            for p in &b.phases {
                println!("{:?} {} .. {} console {} k {:?}", p.name, p.start, p.end, p.console, p.kernel);
            }
            for p in b.problems.iter() {
                println!("problem {p:?}");
            }
            for g in b.gaps.iter().take(5) {
                println!("gap {:?} {}", g, b.records.by_id(g.after).unwrap().text);
            }
            let mut w = b.waits.clone();
            w.sort_by_key(|w| std::cmp::Reverse(w.time.best()));
            for w in w.iter().take(8) {
                println!(
                    "wait {} {:?} {} {} {}",
                    w.from,
                    w.cause,
                    w.time.best(),
                    w.time.high(),
                    b.records.get(w.index).unwrap().text
                );
            }
            let mut sp = b.spans.clone();
            sp.sort_by_key(|s| std::cmp::Reverse(s.net()));
            for s in sp.iter().take(8) {
                println!(
                    "span {:?} {} gross {} console {} reported {:?} depth {}",
                    s.kind,
                    s.name,
                    s.gross(),
                    s.console,
                    s.reported,
                    s.depth
                );
            }
            for f in rules::findings(&b) {
                println!("{} {} [{} {}] {}", f.rule, f.title, f.cost.low(), f.cost.high(), f.why);
            }
        }
    }
}
