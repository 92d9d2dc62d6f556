// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages in a real browser: they open, zoom, search, show the right record; what a log says is never obeyed.
mod compare;
#[path = "../made_up_boot/mod.rs"]
mod made_up_boot;
mod opened;
mod plot;
mod webdriver;
