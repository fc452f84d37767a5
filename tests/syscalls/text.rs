//! What is UTF-8: many byte strings, against the standard library.

use crate::{
    call::{agree, check},
    log::logged,
};

/// The first and the last byte of each class there is in UTF-8.
const ENDS: [u8; 24] = [
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
    0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
];

#[test]
fn every_byte_alone_and_after_others() {
    for byte in 0..=255u8 {
        agree(&logged(&[byte]));
        check(&logged(&[b'a', b'b', b'c', b'd', b'e', b'f', b'g', byte]));
        check(&logged(&[b'a', b'b', b'c', b'd', b'e', b'f', b'g', b'h', byte]));
    }
}

#[test]
fn sequences() {
    for a in ENDS {
        for b in ENDS {
            check(&logged(&[a, b]));
            for c in ENDS {
                // Only a first byte that can have three behind it needs a look at all of those.
                if a >= 0xc2 || c < 0x90 {
                    check(&logged(&[a, b, c]));
                }
                if a >= 0xf0 {
                    for d in [0x7f, 0x80, 0xbf, 0xc0] {
                        check(&logged(&[a, b, c, d]));
                    }
                }
            }
        }
    }
}

/// Characters of every length at every place among the eight bytes that are read at once, whole and cut.
#[test]
fn across_words() {
    for character in ["é", "世", "🦀", "\u{7ff}", "\u{800}", "\u{d7ff}", "\u{e000}", "\u{ffff}", "\u{10ffff}"]
    {
        for before in 0..=9 {
            let text = format!("{}{character}{character}.", "x".repeat(before));
            agree(&logged(text.as_bytes()));
            for end in before..text.len() {
                check(&logged(&text.as_bytes()[..end]));
            }
        }
    }
}
