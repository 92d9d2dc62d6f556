// SPDX-License-Identifier: MIT OR Apache-2.0
//! bootline-store: many boots as a folder of Parquet files, `bootline-store/1`. `docs/store.md` is the contract.
//!
//! [`boot_rows`] turns an analysed boot into rows, [`Batch`] collects them, and [`Store`] takes a batch in one step.
mod batch;
mod boot_rows;
mod column;
mod content;
mod date;
mod error;
mod foreign_batch;
mod input;
mod known_files;
pub mod metadata;
mod part;
mod range_locks;
mod rollups;
pub mod sketch;
mod start_time;
mod store;
pub mod tables;
mod words;
mod writer_folder;

pub use batch::{Batch, BootRows, Committed};
pub use boot_rows::{BootOrigin, boot_rows};
pub use column::{Column, Get, Table};
pub use content::ContentId;
pub use date::{Date, micros};
pub use error::StoreError;
pub use foreign_batch::ForeignBatch;
pub use input::{FoundInput, HeldInput, InputReader, InputRows};
pub use part::{CONTRACT, write_part};
pub use rollups::Rollups;
pub use store::{Claim, Claimed, Store};
