// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table is whole: each row can be read, says where it is from, and no version is answered twice.
use super::*;

/// All versions that there have been.
fn all_versions() -> Vec<KernelVersion> {
    let majors = [(3u16, 0..=19u16), (4, 0..=20), (5, 0..=19), (6, 0..=19), (7, 0..=3)];
    let numbered =
        majors.into_iter().flat_map(|(major, minors)| minors.map(move |minor| KernelVersion::new(major, minor)));
    // The stable releases between which behaviour changed.
    let stable = [12, 13].map(|stable| KernelVersion::new(7, 2).with_stable(stable));
    let oldest = [KernelVersion::new(2, 6), KernelVersion::new(2, 6).with_stable(32)];
    oldest.into_iter().chain(numbered).chain(stable).collect()
}

fn table() -> Table {
    Table::parse(TEXT).unwrap_or_else(|e| panic!("behaviour.tsv: {e}"))
}

#[test]
fn each_framework_has_one_row_a_version() {
    let table = table();
    for version in all_versions() {
        for (rt, framework) in
            [false, true].into_iter().flat_map(|rt| [(rt, Framework::Legacy), (rt, Framework::Nbcon)])
        {
            let rows = table.printk.iter().filter(|r| r.framework == framework && r.range.holds(version));
            let count = rows.filter(|r| r.rt.is_none_or(|v| v == rt)).count();
            let wanted = usize::from(framework == Framework::Legacy || version >= KernelVersion::new(6, 12));
            assert_eq!(count, wanted, "{framework:?} {version} rt={rt}");
        }
    }
}

#[test]
fn each_driver_has_one_row_a_version() {
    let table = table();
    for driver in [Driver::Uart8250, Driver::Pl011, Driver::Imx, Driver::Sifive, Driver::QcomGeni, Driver::Other] {
        for (version, rt) in all_versions().into_iter().flat_map(|s| [(s, false), (s, true)]) {
            let count = |debian: bool| {
                let rows = table.drivers.iter().filter(|r| r.driver == driver && r.range.holds(version));
                rows.filter(|r| r.rt.is_none_or(|v| v == rt) && r.debian == debian).count()
            };
            assert_eq!(count(false), 1, "{driver:?} {version} rt={rt}");
            assert!(count(true) <= 1, "{driver:?} {version} rt={rt}");
            let row = table.driver(driver, version, rt, true).unwrap();
            assert!(table.printk(row.framework, version, rt).is_some(), "{driver:?} {version} rt={rt}");
        }
    }
}

#[test]
fn each_row_says_where_it_was_read() {
    let table = table();
    let printk = table.printk.iter().map(|r| (r.range, &r.source));
    let drivers = table.drivers.iter().map(|r| (r.range, &r.source));
    for (range, source) in printk.chain(drivers) {
        assert!(range.from <= range.to, "{source}");
        // A release that was read: 7.2.13.
        let read = |w: &str| w.split('.').count() == 3 && w.split('.').all(|n| n.parse::<u16>().is_ok());
        let releases = source.split(['(', ')', ',', ':', ' ']).filter(|w| read(w) || *w == "4.9");
        assert!(releases.count() > 0, "{source}");
    }
}

#[test]
fn a_range_ends_with_the_last_stable_release() {
    let check = |from: &str, to: &str, version: &str, holds| {
        let range = Range { from: from.parse().unwrap(), to: to.parse().unwrap() };
        assert_eq!(range.holds(version.parse().unwrap()), holds, "{version} in {from}..{to}");
    };
    check("6.17", "7.2.12", "6.17.0", true);
    check("6.17", "7.2.12", "7.2.12", true);
    check("6.17", "7.2.12", "7.2.13", false);
    check("6.17", "7.2.12", "7.2", false);
    check("7.2.13", "7.3", "7.2", true);
    check("7.2.13", "7.3", "7.2.0", false);
    check("7.2.13", "7.3", "7.3.4", true);
    check("7.2.13", "7.3", "7.4", false);
}

#[test]
fn what_is_no_table_is_refused() {
    let check = |text: &str, want: TableError| assert_eq!(Table::parse(text), Err(want), "{text}");
    check("legacy\t1", TableError::Section { line: 1 });
    check("[printk]\nnames\nlegacy\t6.1", TableError::Columns { line: 3, found: 2, wanted: 9 });
    let row = |printing: &str, from: &str| {
        format!("[printk]\n\nlegacy\t{from}\t6.2\tno\t{printing}\tnever\tby-thread\tspins\tx")
    };
    let word = |word: &str, column| TableError::Word { line: 3, word: word.to_owned(), column };
    check(&row("sometimes", "6.1"), word("sometimes", "printing"));
    check(&row("nbcon", "6"), word("6", "version"));
    assert!(Table::parse(&row("nbcon", "6.1")).is_ok());
}

#[test]
fn a_vendors_row_goes_first() {
    let table = table();
    let version = KernelVersion::new(6, 12);
    let framework = |debian| table.driver(Driver::Uart8250, version, true, debian).map(|r| r.framework);
    assert_eq!((framework(true), framework(false)), (Some(Framework::Nbcon), Some(Framework::Legacy)));
}
