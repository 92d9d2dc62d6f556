// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of Perfetto's published definitions: fields message by message, and values of enums.
pub mod trace {
    pub const PACKET: u32 = 1;
}
pub mod packet {
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const DEFAULTS: u32 = 59;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    pub const FIRST_ON_SEQUENCE: u32 = 87;
}
pub mod defaults {
    pub const CLOCK_ID: u32 = 58;
}
pub mod snapshot {
    pub const CLOCKS: u32 = 1;
    pub const PRIMARY: u32 = 2;
    pub const CLOCK_ID: u32 = 1;
    pub const TIMESTAMP: u32 = 2;
}
pub mod track {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const CHILD_ORDERING: u32 = 11;
    pub const ORDER_RANK: u32 = 12;
    pub const DESCRIPTION: u32 = 14;
    pub const MERGE: u32 = 15;
    pub const MERGE_KEY: u32 = 16;
}
pub mod counter {
    pub const UNIT_NAME: u32 = 6;
    pub const SHARED_AXIS: u32 = 7;
}
pub mod event {
    pub const CATEGORY_IIDS: u32 = 3;
    pub const ANNOTATIONS: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const NAME: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const COUNTER_DOUBLE: u32 = 44;
    pub const FLOW_IDS: u32 = 47;
    pub const TERMINATING_FLOW_IDS: u32 = 48;
}
pub mod annotation {
    pub const NAME_IID: u32 = 1;
    pub const BOOL: u32 = 2;
    pub const INT: u32 = 4;
    pub const TEXT: u32 = 6;
}
pub mod interned {
    pub const CATEGORIES: u32 = 1;
    pub const EVENT_NAMES: u32 = 2;
    pub const ANNOTATION_NAMES: u32 = 3;
    pub const IID: u32 = 1;
    pub const NAME: u32 = 2;
}

/// Values of enums.
pub mod value {
    /// BuiltinClock: what the trace processor takes as the trace's own time, and the time of day.
    pub const CLOCK_BOOTTIME: u64 = 6;
    pub const CLOCK_REALTIME: u64 = 1;
    /// TracePacket.SequenceFlags.
    pub const STATE_CLEARED: u64 = 1;
    pub const NEEDS_STATE: u64 = 2;
    /// TrackEvent.Type.
    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
    /// TrackDescriptor.ChildTracksOrdering and .SiblingMergeBehavior.
    pub const ORDER_EXPLICIT: u64 = 3;
    pub const MERGE_NONE: u64 = 2;
    pub const MERGE_BY_KEY: u64 = 3;
}
