// SPDX-License-Identifier: MIT OR Apache-2.0
//! Archives of `bootline collect`.
use bootline_boot::{Boot, BootOptions, BootRecords};
use bootline_input::collection::Collection;
use bootline_input::unusable::BootNeeds;
use bootline_input::{BootReader, LogFile, OpenInput, TarEmitter, WholeBoot};
use bootline_report::Emitter;

/// Members of a collection, in the order in which the parts of the data become them.
const MEMBERS: [&str; 10] = [
    "kmsg.txt",
    "systemctl-show-manager.txt",
    "systemctl-show.txt",
    "journal.export",
    "firmware-times.txt",
    "console.cap",
    "bootstage.txt",
    "uptime.txt",
    "bootchart.tgz",
    "trace.txt",
];

/// Members that are kept for people.
const UNREAD: [&str; 1] = ["uptime.txt"];

/// Reads `data` as an archive; and packs its parts between bytes of 0xff into one, cuts that where the data's length says, and reads both.
///
/// # Panics
/// When a whole archive loses a member, or a cut one loses something and does not say so.
pub fn collection(data: &[u8]) {
    explain(data.to_vec());
    let mut collection = Collection::default();
    let parts = data.split(|b| *b == 0xff).zip(MEMBERS);
    for (bytes, name) in parts {
        collection.add(name, name, if bytes.is_empty() { Err("no such file".to_owned()) } else { Ok(bytes.to_vec()) });
    }
    let mut archive = Vec::new();
    TarEmitter(&collection).emit(&mut archive).expect("memory");
    let read = Collection::open(&LogFile::held("<archive>", archive.clone())).expect("a collection");
    assert_eq!(read.damage, None);
    let expected: Vec<_> = collection.items.iter().filter(|item| !UNREAD.contains(&item.name.as_str())).collect();
    assert!(read.items.iter().eq(expected.iter().copied()), "{read:?}");
    assert_eq!(read.missing, collection.missing);
    // Any byte of it.
    let cut =
        data.iter().fold(data.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte))) % archive.len();
    if let Some(part) = Collection::open(&LogFile::held("<archive>", archive[..cut].to_vec())) {
        assert!(part.damage.is_some() || part.items == read.items, "{cut} of {} bytes", archive.len());
    }
    explain(archive);
}

/// Analyses what is in the archive, with the sources in it.
fn explain(archive: Vec<u8>) {
    let input = OpenInput::new(&LogFile::held("<archive>", archive));
    let reader = BootReader {
        options: BootOptions::default(),
        format: None,
        kernel_log: None,
        whole: WholeBoot::default(),
        needs: BootNeeds::Times,
    };
    let Some(log) = &input.log else {
        let boot = Boot::analyse(BootRecords::default(), &reader.options).with_sources(&input.sources, None);
        check(&boot);
        return;
    };
    let Ok(mut boots) = reader.boots(log).map(|boots| boots.with_sources(&input.sources)) else { return };
    while let Some(Ok(found)) = boots.next() {
        check(&found.boot);
        if let Some(why) = found.unusable {
            boots.refuse(found.label, why);
        }
    }
    boots.finish();
}

fn check(boot: &Boot) {
    let stages = &boot.whole.stages;
    assert!(stages.windows(2).all(|pair| pair[0].end == pair[1].start), "{stages:?}");
}
