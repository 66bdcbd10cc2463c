//! Bytes as text and back: an instance that is no UTF-8 goes through the same channels as one that is.
//!
//! Text stays as it is. Each other byte becomes one character of a private range, as does each byte of a character of
//! that range, so that every sequence of bytes has one text, and comes back from it.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// The characters of the bytes 0 to 255, at the end of Unicode's last private range.
const RANGE: RangeInclusive<u32> = 0x10_ff00..=0x10_ffff;

fn is_of_range(character: char) -> bool {
    RANGE.contains(&u32::from(character))
}

/// The text of `bytes`.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(is_of_range) => text.into(),
        _ => escaped(bytes).into(),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let escape = |byte: &u8| char::from_u32(RANGE.start() + u32::from(*byte));
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_of_range(character) {
                let mut bytes = [0; 4];
                character.encode_utf8(&mut bytes);
                text.extend(bytes.iter().filter_map(escape));
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().filter_map(escape));
    }
    text
}

/// The bytes of a text that [`text_of`] made.
pub fn bytes_of(text: &str) -> Vec<u8> {
    if !text.contains(is_of_range) {
        return text.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character).checked_sub(*RANGE.start()) {
            Some(byte) => bytes.extend(u8::try_from(byte)),
            None => bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sequence_of_bytes_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let private = "\u{10ff00}\u{10ffff}\u{10fe00}".as_bytes();
        // The beginning of a character, and a text that is cut within one.
        let cut = &"行ける".as_bytes()[..8];
        for bytes in [&all[..], private, cut, b"", b"7 5\r\n", b"\xef\xbb\xbf1"] {
            assert_eq!(bytes_of(&text_of(bytes)), bytes);
        }
        assert_eq!(
            text_of("行ける\n".as_bytes()),
            "行ける\n",
            "text stays as it is"
        );
        assert_ne!(text_of(b"\xff"), text_of("\u{10ffff}".as_bytes()));
    }
}
