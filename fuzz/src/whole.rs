// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is made of whole boots: the chain to the application, and predictions of changes to their units.
use bootline_analysis::boot_chain::BootChain;
use bootline_analysis::critical_path::CriticalPath;
use bootline_analysis::predictions::{Predictions, predict_whole};
use bootline_analysis::rules::findings;
use bootline_analysis::user_space::UnitChain;
use bootline_analysis::whole_change::{AnySetting, WholeChange, WholeSetting};
use bootline_boot::Boot;
use bootline_capture::units::{Dur, Interval};

/// Units, and findings, whose changes are predicted: all of them would take long.
const TRIED: usize = 8;

/// Checks that the chain tiles and that changes save no more than there is.
///
/// # Panics
/// When they don't.
pub fn check(boot: &Boot) {
    let (path, units) = (CriticalPath::of(boot), UnitChain::of(boot));
    if let Some(chain) = BootChain::of(boot, path.as_ref(), units.as_ref()) {
        assert!(chain.links.windows(2).all(|pair| pair[0].end == pair[1].start), "{chain:?}");
        let ends = chain.links.first().map(|l| l.start).zip(chain.links.last().map(|l| l.end));
        assert!(ends.is_none_or(|(start, end)| (start, end) == (chain.start, chain.end)), "{chain:?}");
    }
    let predicted = Predictions::of(boot, &WholeChange::default());
    if let Some(Ok(all)) = &predicted.whole {
        assert_eq!(all[0].saved, Interval::exact(Dur::ZERO));
        assert!(all.iter().all(|p| p.length.low() >= Dur::ZERO), "{all:?}");
    }
    let of_units = boot.whole.units.iter().take(TRIED).flat_map(|unit| {
        [WholeSetting::Mask, WholeSetting::NoWait, WholeSetting::AfterApplication].map(|of| of(unit.name.clone()))
    });
    let of_findings = findings(boot).into_iter().map(|finding| WholeSetting::Without(finding.rule)).take(TRIED);
    for setting in of_units.chain(of_findings) {
        let change = WholeChange::of([AnySetting::Whole(setting)]).expect("one setting contradicts no other");
        let Ok(prediction) = predict_whole(boot, &change) else { continue };
        assert!(prediction.saved.low() >= Dur::ZERO, "{prediction:?}");
    }
}
