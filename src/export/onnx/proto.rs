//! The few messages of ONNX that a graph needs, in protobuf's wire format.

/// A message as its bytes.
#[derive(Default)]
pub struct Message(Vec<u8>);

/// Wire types.
const VARINT: u64 = 0;
const BYTES: u64 = 2;

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field that is a number. Negative ones are the two's complement, as protobuf has them.
    pub fn number(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value as u64);
        self
    }

    /// A field that is bytes.
    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// A field that is a text.
    pub fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// A field that is a message.
    pub fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// The same field once for each message.
    pub fn messages(self, field: u64, messages: impl IntoIterator<Item = Self>) -> Self {
        messages.into_iter().fold(self, |whole, message| whole.message(field, message))
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of protobuf's own description of the format.
    #[test]
    fn known_encodings() {
        assert_eq!(Message::default().number(1, 150).finish(), [0x08, 0x96, 0x01]);
        let text = Message::default().text(2, "testing").finish();
        assert_eq!(text, [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        let inner = Message::default().message(3, Message::default().number(1, 150)).finish();
        assert_eq!(inner, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let minus_two = Message::default().number(1, -2).finish();
        assert_eq!(minus_two, [8, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    }
}
