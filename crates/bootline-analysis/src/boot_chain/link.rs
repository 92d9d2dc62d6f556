// SPDX-License-Identifier: MIT OR Apache-2.0
//! The links of the chain through a whole boot.
use bootline_boot::{StageEvidence, StageName};
use bootline_capture::units::Dur;
use bootline_records::RecordId;

/// A link of the chain through a whole boot.
#[derive(Clone, Debug, PartialEq)]
pub struct BootLink {
    /// What the boot was doing.
    pub kind: LinkKind,
    /// The part of the boot that it belongs to.
    pub part: ChainPart,
    /// Start on the boot's axis.
    pub start: Dur,
    /// End on the boot's axis.
    pub end: Dur,
    /// Waits for the console within it; none where they are not known: outside of the kernel's critical path.
    pub console: Option<Dur>,
    /// Processor time that its own processes used in it, at most; none where it is not counted.
    pub processor: Option<Dur>,
    /// How much sooner the boot would end without it, at most (its waits for the console remain); none where nothing shows that.
    pub max_saving: Option<Dur>,
    /// What shows its start, where that is not a record of its own.
    pub start_by: Option<StageEvidence>,
    /// The first record in it.
    pub first: Option<RecordId>,
    /// The last record in it.
    pub last: Option<RecordId>,
    /// Of user space that is not divided, the positions of the units that came up in it, by their start.
    pub units: Vec<usize>,
}

/// What the boot was doing in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// A stage, or the part of one that nothing divides.
    Stage(StageName),
    /// A segment of the kernel's critical path.
    Segment {
        /// Its position in [`crate::critical_path::CriticalPath::segments`].
        segment: usize,
    },
    /// systemd is read from storage and dynamically linked, until its first own stamp.
    ManagerLoad,
    /// systemd's own start, where nothing divides it.
    ManagerStart,
    /// systemd's set-up, from its start to its generators.
    ManagerSetUp,
    /// systemd's generators.
    Generators,
    /// systemd loads its units and queues the first transaction.
    UnitsLoad,
    /// The time before a unit's start that is no unit's own.
    Queue {
        /// Position of the link in [`crate::user_space::UnitChain::links`].
        link: usize,
    },
    /// A unit's activation.
    Unit {
        /// Position of the link in [`crate::user_space::UnitChain::links`].
        link: usize,
    },
    /// The application's own start.
    Application {
        /// Position of its unit's link in [`crate::user_space::UnitChain::links`]; none for one that is no unit.
        link: Option<usize>,
    },
    /// From when the application's unit was up until its program was executed.
    ApplicationExecution,
    /// From then, or from when its unit was up, until the application was reached.
    ApplicationProgram,
    /// From when the chain's last unit was up to the boot's end.
    AfterUnits,
}

/// A part of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChainPart {
    /// Firmware, boot loader, decompression.
    BeforeKernel,
    /// The kernel, with its dark phase.
    Kernel,
    /// User space in the initramfs.
    Initramfs,
    /// systemd's own start.
    ManagerStart,
    /// Units' own time.
    Units,
    /// Time before units' starts that is no unit's own.
    Queue,
    /// User space that nothing divides.
    UserSpace,
    /// The application's own start.
    Application,
}

impl ChainPart {
    /// All of them, in order.
    pub const ALL: [ChainPart; 8] = [
        ChainPart::BeforeKernel,
        ChainPart::Kernel,
        ChainPart::Initramfs,
        ChainPart::ManagerStart,
        ChainPart::Units,
        ChainPart::Queue,
        ChainPart::UserSpace,
        ChainPart::Application,
    ];

    /// The part that a stage as a whole belongs to.
    pub(super) fn of_stage(stage: StageName) -> ChainPart {
        match stage {
            StageName::Firmware | StageName::Loader | StageName::Decompression => ChainPart::BeforeKernel,
            StageName::Dark | StageName::Kernel => ChainPart::Kernel,
            StageName::Initramfs => ChainPart::Initramfs,
            StageName::UserSpace => ChainPart::UserSpace,
            StageName::Application => ChainPart::Application,
        }
    }
}

impl BootLink {
    /// A link of which only its kind and its times are known.
    pub(super) fn plain(kind: LinkKind, part: ChainPart, start: Dur, end: Dur) -> BootLink {
        BootLink {
            kind,
            part,
            start,
            end,
            console: None,
            processor: None,
            max_saving: None,
            start_by: None,
            first: None,
            last: None,
            units: Vec::new(),
        }
    }

    /// Length, from start to end.
    pub fn length(&self) -> Dur {
        self.end - self.start
    }

    /// Length without the waits for the console, as far as they are known.
    pub fn net(&self) -> Dur {
        (self.length() - self.console.unwrap_or_default()).max_zero()
    }

    /// Whether it is a segment of the kernel's critical path.
    pub fn is_segment(&self) -> bool {
        matches!(self.kind, LinkKind::Segment { .. })
    }

    /// Whether it is of the chain of units.
    pub fn is_of_units(&self) -> bool {
        matches!(self.kind, LinkKind::Queue { .. } | LinkKind::Unit { .. } | LinkKind::Application { link: Some(_) })
    }
}
