// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of `bootline export`.
use bootline_boot::{Boot, Clock};
use bootline_report::{
    BootEmitter, Chrome, Csv, Dmesg, ExportJson, Grabserial, JunitBoots, Lava, MarkdownSummary, Perfetto,
};
use clap::ValueEnum;

/// What `--format` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Perfetto,
    Chrome,
    Csv,
    Markdown,
    Junit,
    Lava,
    Grabserial,
    Dmesg,
    Text,
    Json,
}

impl ExportFormat {
    /// What writes it.
    ///
    /// # Panics
    /// The text of a console is no boot's: its bytes are copied.
    pub fn emitter(self) -> Box<dyn BootEmitter> {
        match self {
            ExportFormat::Perfetto => Box::new(Perfetto::new()),
            ExportFormat::Chrome => Box::new(Chrome::new()),
            ExportFormat::Csv => Box::<Csv>::default(),
            ExportFormat::Markdown => Box::<MarkdownSummary>::default(),
            ExportFormat::Junit => Box::<JunitBoots>::default(),
            ExportFormat::Lava => Box::new(Lava),
            ExportFormat::Grabserial => Box::<Grabserial>::default(),
            ExportFormat::Dmesg => Box::new(Dmesg),
            ExportFormat::Json => Box::<ExportJson>::default(),
            ExportFormat::Text => unreachable!("the bytes of a console are copied"),
        }
    }

    /// Whether it shows findings, which take a while to compute.
    pub fn shows_findings(self) -> bool {
        !self.is_of_log()
    }

    /// Whether it shows nothing but the log.
    pub fn is_of_log(self) -> bool {
        matches!(self, ExportFormat::Grabserial | ExportFormat::Dmesg | ExportFormat::Text)
    }

    /// Whether it can't do with this boot's times: grabserial's are arrivals, unless stamps were asked for.
    pub fn refuses(self, boot: &Boot, asked: Option<Clock>) -> bool {
        self == ExportFormat::Grabserial && asked != Some(Clock::Kernel) && boot.timeline.clock == Clock::Kernel
    }
}
