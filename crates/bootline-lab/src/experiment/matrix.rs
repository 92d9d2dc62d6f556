// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[matrix]]`: stands for every kernel at every speed with every command line.
use toml::Spanned;

use super::raw::{RawArm, RawMatrix};

impl RawMatrix {
    /// Its arms, named `KERNEL-BAUD-LABEL`, followed by `-Ncpu` where `smp` is given.
    ///
    /// `{kernel}`, `{baud}`, `{smp}` and `{append}` in `predict_from` are filled in. An arm that would be predicted
    /// from itself is not predicted; it is the source of the others' predictions.
    pub fn arms(&self) -> Vec<RawArm> {
        let mut arms = Vec::new();
        // An arm without `smp` has one CPU.
        let counts: Vec<Option<&Spanned<u32>>> =
            if self.smp.is_empty() { vec![None] } else { self.smp.iter().map(Some).collect() };
        for kernel in &self.kernel {
            for smp in &counts {
                for baud in &self.baud {
                    arms.extend(self.append.iter().map(|(label, words)| self.arm(kernel, *smp, baud, label, words)));
                }
            }
        }
        arms
    }

    fn arm(
        &self,
        kernel: &Spanned<String>,
        smp: Option<&Spanned<u32>>,
        baud: &Spanned<u32>,
        label: &str,
        words: &str,
    ) -> RawArm {
        // An architecture's colon can't be part of a folder's name everywhere.
        let kernel_name = kernel.as_ref().replace(':', "-");
        let (baud_name, smp_name) = (baud.as_ref().to_string(), smp.map_or(1, |n| *n.as_ref()).to_string());
        let mut name = format!("{kernel_name}-{baud_name}-{label}");
        if !self.smp.is_empty() {
            name += &format!("-{smp_name}cpu");
        }
        let filled = self.predict_from.as_ref().map(|template| {
            let text = template.as_ref().replace("{kernel}", &kernel_name).replace("{baud}", &baud_name);
            Spanned::new(template.span(), text.replace("{smp}", &smp_name).replace("{append}", label))
        });
        let by_itself = filled.as_ref().is_some_and(|from| *from.as_ref() == name);
        RawArm {
            name: Some(Spanned::new(kernel.span(), name)),
            kernel: Some(kernel.clone()),
            nearest: self.nearest,
            baud: Some(baud.clone()),
            append: Some(words.to_owned()),
            smp: smp.cloned(),
            memory_mib: self.memory_mib.clone(),
            metric: self.metric,
            predict: by_itself.then(Vec::new),
            predict_from: filled.filter(|_| !by_itself),
            ..RawArm::default()
        }
    }
}
