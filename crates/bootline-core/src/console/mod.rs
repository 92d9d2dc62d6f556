// SPDX-License-Identifier: MIT OR Apache-2.0
//! (to be filled)
