// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments that come with bootline can be read, say what they ask, and have a short form. Nothing is booted.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bootline_images::systems::System;
use bootline_lab::experiment::{Arm, Comparison, Experiment, ExperimentPlan, Image, Metric, RunSelection};
use bootline_lab::storage::StoragePreset;

fn all() -> Vec<Experiment> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.iter().map(|f| Experiment::read(f).unwrap_or_else(|e| panic!("{e}"))).collect()
}

#[test]
fn every_experiment_asks_something_and_has_a_short_form() {
    let experiments = all();
    let seeds: BTreeSet<u8> = experiments.iter().filter_map(|e| e.seed).collect();
    assert_eq!(seeds, BTreeSet::from([1, 2, 3, 4, 5]));
    for experiment in &experiments {
        let name = &experiment.name;
        assert!(experiment.about.ends_with(['?', '.']), "{name}");
        let plan = |quick| ExperimentPlan::of(experiment, &RunSelection { quick, ..RunSelection::default() }).unwrap();
        let (short, whole) = (plan(true), plan(false));
        let runs = |plan: &ExperimentPlan| plan.runs_per_arm as usize * plan.arms.len();
        assert!(runs(&short) < runs(&whole), "{name}");
        // What is asked is answered by claims, or by predictions.
        let predicted = |arm: &&Arm| arm.predict_from.is_some() && arm.predict.as_ref().is_none_or(|p| !p.is_empty());
        assert!(!experiment.claims.is_empty() || experiment.arms.iter().any(|a| predicted(&a)), "{name}");
        // A kernel that is built from source comes with the command that builds it.
        let can_be_had = |a: &Arm| match &a.image {
            Image::Stock(_) => true,
            Image::Built { name, .. } => experiment.source.contains(&format!("bootline kernels build {name}")),
            Image::File(_) => false,
        };
        assert!(experiment.arms.iter().all(can_be_had), "{name}: it can be had by anybody");
    }
}

#[test]
fn claims_can_be_held_and_refuted() {
    for experiment in all() {
        for claim in &experiment.claims {
            let what = format!("{}: {}", experiment.name, claim.text);
            let (low, high) = (claim.at_least.unwrap_or(0.0), claim.at_most.unwrap_or(f64::INFINITY));
            assert!(low < high && (low >= 0.0 || matches!(claim.to, Comparison::DifferenceFrom(_))), "{what}");
            assert_ne!(Some(claim.arm.as_str()), claim.to.arm(), "{what}");
            for name in std::iter::once(claim.arm.as_str()).chain(claim.to.arm()) {
                let arm = experiment.arm(name).unwrap();
                assert_eq!(arm.trace_registers, claim.metric == Metric::RegisterReadsPerByte, "{what}");
                assert!(claim.metric != Metric::PrintkLines || arm.lines.is_some(), "{what}");
                assert_eq!(arm.icount, claim.metric == Metric::GuestTime, "{what}");
                // Every boot on a line has its end.
                let is_of_any = claim.metric == Metric::LogSinceStart;
                assert!(is_of_any || arm.system.is_some() == claim.metric.is_of_system(), "{what}");
                // No time to init without a character before it.
                let silent = arm.append.contains("quiet") || arm.append.contains("loglevel=0");
                assert!(!silent || claim.metric != Metric::TimeToInit, "{what}");
            }
        }
    }
}

#[test]
fn three_systems_are_booted_from_a_fast_and_from_a_slow_storage() {
    let whole = all().into_iter().find(|e| e.name == "whole-systems").unwrap();
    let booted = |a: &Arm| a.system.as_ref().map(|s| (s.root.system(), s.storage));
    let plain: Vec<_> = whole.arms.iter().filter(|a| a.append.is_empty()).filter_map(booted).collect();
    for system in [System::Busybox, System::DebianMinimal, System::DebianSystemd] {
        for storage in [StoragePreset::Emmc, StoragePreset::Nand] {
            assert_eq!(
                plain.iter().filter(|b| **b == (Some(system), Some(storage))).count(),
                1,
                "{system} on {storage}"
            );
        }
    }
    assert_eq!((plain.len(), whole.arms.len()), (6, 7));
    // The boot of a system is not predicted, and the report need not say so of each arm.
    assert!(whole.arms.iter().all(|a| a.predict.as_ref().is_some_and(|p| p.is_empty())));
    let quick = ExperimentPlan::of(&whole, &RunSelection { quick: true, ..RunSelection::default() }).unwrap();
    assert_eq!(quick.runs_per_arm, 1);
}

#[test]
fn accuracy_predicts_all_but_its_sources() {
    let accuracy = all().into_iter().find(|e| e.name == "accuracy").unwrap();
    let sources: BTreeSet<&str> = accuracy.arms.iter().filter_map(|a| a.predict_from.as_deref()).collect();
    let unpredicted = accuracy.arms.iter().filter(|a| a.predict_from.is_none()).map(|a| a.name.as_str());
    let unpredicted: BTreeSet<&str> = unpredicted.collect();
    assert!(unpredicted.is_subset(&sources) && unpredicted.len() == 10, "{unpredicted:?}");
    assert_eq!(accuracy.arms.len(), 4 * 12 + 3 * 12 + 3 * 3 + 3 * 2);
}
