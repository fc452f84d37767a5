//! Values as they look in JSON: numbers as `"0x..."` or plain, bytes as hex.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use svmllm::host::{Effect, Frame};

/// A 64-bit number: written as `"0x..."`, read from that, from decimal digits or from a JSON number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl Visitor<'_> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a 64-bit number, or one in a string, 0x for hexadecimal")
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                let value = match text.strip_prefix("0x") {
                    // `from_str_radix` would take a sign too.
                    Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16).ok(),
                    Some(_) => None,
                    None => text.parse().ok(),
                };
                value.map(Number).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(NumberVisitor)
    }
}

/// Bytes, as hex digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(&text).map(Self).map_err(|error| D::Error::custom(format_args!("hex: {error}")))
    }
}

/// What a step changes, apart from program counter and meter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Register and value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<(String, Number)>,
    /// Address, number of bytes, value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<(Number, u8, Number)>,
    /// `push` or `pop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<&'static str>,
}

impl From<&Effect> for Change {
    fn from(effect: &Effect) -> Self {
        Self {
            register: effect.register.map(|(number, value)| (format!("r{number}"), Number(value))),
            memory: effect.memory.map(|store| (Number(store.address), store.size, Number(store.value))),
            frame: effect.frame.map(|frame| match frame {
                Frame::Push => "push",
                Frame::Pop => "pop",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (json, value) in [
            ("7", Some(7)),
            ("\"7\"", Some(7)),
            ("\"0xff\"", Some(255)),
            ("18446744073709551615", Some(u64::MAX)),
            ("\"0xffffffffffffffff\"", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("\"0x10000000000000000\"", None),
            ("\"0x\"", None),
            ("\"0x+1\"", None),
            ("\"\"", None),
            ("-1", None),
            ("1.5", None),
            ("null", None),
        ] {
            let read = serde_json::from_str::<Number>(json).ok();
            assert_eq!(read, value.map(Number), "{json}");
        }
        assert_eq!(serde_json::to_string(&Number(255)).unwrap(), "\"0xff\"");
    }

    #[test]
    fn bytes() {
        assert_eq!(serde_json::from_str::<Hex>("\"00fF\"").unwrap(), Hex(vec![0, 255]));
        assert!(serde_json::from_str::<Hex>("\"0\"").is_err());
        assert!(serde_json::from_str::<Hex>("\"zz\"").is_err());
        assert_eq!(serde_json::to_string(&Hex(vec![1, 0xab])).unwrap(), "\"01ab\"");
    }
}
