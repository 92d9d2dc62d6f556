// SPDX-License-Identifier: MIT OR Apache-2.0
//! As much of the protobuf encoding as Perfetto's traces need (protobuf.dev/programming-guides/encoding): varints and
//! what carries its length in front. Why it is written here: `docs/decisions/0010-own-perfetto-encoder.md`.

/// A message's bytes while its fields are added.
#[derive(Debug, Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

/// The wire types that are used; the others (groups, fixed32) aren't.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LEN: u64 = 2;

impl Message {
    /// The encoded fields.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// A field of type uint32, uint64, bool or an enum.
    pub fn uint(&mut self, field: u32, value: u64) -> &mut Self {
        self.raw_varint(u64::from(field) << 3 | VARINT);
        self.raw_varint(value);
        self
    }

    /// A field of type int32 or int64: a negative number takes ten bytes.
    pub fn int(&mut self, field: u32, value: i64) -> &mut Self {
        self.uint(field, value as u64)
    }

    /// A field of type fixed64.
    pub fn fixed64(&mut self, field: u32, value: u64) -> &mut Self {
        self.raw_varint(u64::from(field) << 3 | FIXED64);
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// A field of type double.
    pub fn double(&mut self, field: u32, value: f64) -> &mut Self {
        self.fixed64(field, value.to_bits())
    }

    /// A field of type string or bytes, or an encoded message.
    pub fn bytes_field(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.raw_varint(u64::from(field) << 3 | LEN);
        self.raw_varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    /// A field of type string.
    pub fn text(&mut self, field: u32, value: &str) -> &mut Self {
        self.bytes_field(field, value.as_bytes())
    }

    /// A message inside.
    pub fn message(&mut self, field: u32, fill: impl FnOnce(&mut Message)) -> &mut Self {
        let mut inner = Message::default();
        fill(&mut inner);
        self.bytes_field(field, &inner.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_encoding_guide_has_it() {
        let encoded = |fill: &dyn Fn(&mut Message)| {
            let mut m = Message::default();
            fill(&mut m);
            m.bytes().to_vec()
        };
        // The guide's own examples: Test1 { a = 150 }, Test2 { b = "testing" }, Test3 { c = Test1 }, -2 as int64.
        assert_eq!(encoded(&|m| _ = m.uint(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(encoded(&|m| _ = m.text(2, "testing")), [0x12, 7, b't', b'e', b's', b't', b'i', b'n', b'g']);
        assert_eq!(encoded(&|m| _ = m.message(3, |m| _ = m.uint(1, 150))), [0x1a, 3, 0x08, 0x96, 0x01]);
        let minus_two = [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(encoded(&|m| _ = m.int(1, -2)), minus_two);
        assert_eq!(encoded(&|m| _ = m.uint(60, 0)), [0xe0, 0x03, 0]);
    }
}
