// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-port: records a boot from a serial device, a socket, a pseudo-terminal, a command or standard input, live.
//!
//! ```text
//! Source ──open──▶ Connection ──reader thread──▶ Sight ──recording──▶ Recorder (the file)
//!                  (serial, terminal)  (stamp)                    └─▶ Watch (the screen)
//! ```
//! Edges of modem control inputs and of GPIO lines come from threads of their own: [`MarkRequest`].
//! The reader thread does nothing but read and stamp. How good a stamp is, and why: [`stamp`].
mod background_writer;
mod clock;
mod connection;
mod control_filter;
mod edge_tracker;
mod error;
mod fault;
mod gpio_chip;
mod gpio_error;
mod gpio_ioctl;
mod gpio_line;
mod gpio_lines;
mod gpio_marks;
mod gpio_watch;
pub mod inventory;
mod live;
mod mark_request;
mod modem_watch;
mod owner;
mod power_command;
mod priority;
mod reader;
mod reader_event;
pub mod recorder;
mod recording;
mod serial;
mod source;
pub mod stamp;
mod stop;
mod summary;
mod terminal;
mod tty_ioctl;
mod until;

pub use background_writer::BackgroundWriter;
pub use clock::HostClock;
pub use control_filter::ControlFilter;
pub use error::{FileKind, PortError};
pub use fault::CaptureFault;
pub use gpio_error::GpioError;
pub use gpio_line::{GpioLine, GpioLineId};
pub use live::LiveText;
pub use mark_request::{MarkInput, MarkRequest, MarkRequestError, ModemInput};
pub use owner::Holder;
pub use recording::{CaptureNotice, CaptureObserver, CapturePlan, POWER_WAIT, Recording};
pub use serial::LineSettings;
pub use source::{CaptureSource, CaptureSourceError};
pub use stop::StopRequest;
pub use summary::{CaptureEnd, CaptureSummary, MarkSummary};
pub use tty_ioctl::LineErrors;

#[cfg(test)]
mod tests;
