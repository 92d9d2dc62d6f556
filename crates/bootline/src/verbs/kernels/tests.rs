// SPDX-License-Identifier: MIT OR Apache-2.0
#[path = "../../../../bootline-report/tests/schema/mod.rs"]
mod schema;

use bootline_images::kernels::Package;

use super::*;

fn row(series: &str, cached: Option<&str>) -> Row {
    Row { arch: Arch::Amd64, series: series.parse().unwrap(), offered: None, cached: cached.map(str::to_owned) }
}

#[test]
fn the_table_marks_what_is_cached_and_what_is_gone() {
    let rows = vec![row("6.12-rt", Some("6.12.9-1")), row("6.18", None)];
    let listing = Listing { rows, age: Some(Duration::ZERO), stale: None };
    let expected = "\
series         version  suite  download  in cache  serial console
amd64:6.12-rt  gone     -      -         6.12.9-1  nbcon console, synchronous flush at registration
amd64:6.18     gone     -      -         -         legacy console
";
    assert_eq!(table(&[listing], &[]), expected);
}

#[test]
fn the_list_is_what_its_schema_describes() {
    let offered = Package {
        name: "linux-image-6.18.15+deb13-rt-amd64".to_owned(),
        version: "6.18.15-1~bpo13+1".to_owned(),
        release: "6.18.15+deb13-rt-amd64".to_owned(),
        series: "6.18-rt".parse().unwrap(),
        suite: "trixie-backports".to_owned(),
        size: 1_000_000,
        config_package: None,
        signed: true,
    };
    let rows = vec![Row { offered: Some(offered), ..row("6.18-rt", None) }, row("6.1", Some("6.1.176-1"))];
    let list = listing_json(&[Listing { rows, age: None, stale: None }], &[]);
    schema::check("kernels", &serde_json::to_value(list).unwrap());
}
