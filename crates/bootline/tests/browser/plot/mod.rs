// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of `bootline plot`.
mod appearance;
mod content;
mod controls;
mod several_boots;
