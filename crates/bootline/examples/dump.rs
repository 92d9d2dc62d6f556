use bootline_core::records::*;
fn main() {
    let f = std::env::args().nth(1).unwrap();
    let d = decode(&std::fs::read(&f).unwrap());
    let mut prev = None;
    for r in d.records.iter() {
        let (Some(k), Some(a)) = (r.stamp, r.arrival) else { continue };
        let (k, f, l) =
            (k.since_origin().as_secs_f64(), a.first.since_origin().as_secs_f64(), a.last.since_origin().as_secs_f64());
        println!(
            "{:5} k {:10.6} a {:10.4} lag {:9.4} pause {:7.4} {}",
            r.id,
            k,
            f,
            f - k,
            prev.map_or(0.0, |p| f - p),
            &r.text.chars().take(70).collect::<String>()
        );
        prev = Some(l);
    }
}
