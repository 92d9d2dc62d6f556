// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checksums and the like as text.

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}
