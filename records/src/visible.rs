//! Untrusted text for a terminal or a journal.

use std::borrow::Cow;

/// Replaces the control characters of `text`, except line breaks and tabs, and those that turn its direction by visible
/// signs: a terminal would execute them, and a page would show another text than the one that is there.
///
/// ```
/// assert_eq!(ikeru_records::visible("a\u{1b}[2Jb\n"), "a␛[2Jb\n");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    // The last two ranges turn the direction of the text behind them.
    let is_plain = |c: char| match c {
        '\n' | '\t' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !c.is_control(),
    };
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || text.chars().all(is_plain) {
        return text.into();
    }
    let sign = |c: char| match c {
        _ if is_plain(c) => c,
        // Unicode has a visible sign for each ASCII control character.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ => '\u{fffd}',
    };
    text.chars().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let all: String = (0..0x100).filter_map(char::from_u32).collect();
        let shown = visible(&all);
        assert!(
            shown
                .chars()
                .all(|c| !c.is_control() || matches!(c, '\n' | '\t')),
            "{shown:?}"
        );
        assert_eq!(
            visible("\u{1b}]0;pwn\u{7}\u{9b}2J\u{7f}"),
            "␛]0;pwn␇\u{fffd}2J␡"
        );
        assert_eq!(visible("a\u{202e}b\u{2066}"), "a\u{fffd}b\u{fffd}");
        assert!(matches!(visible("plain, ü, 行ける\n"), Cow::Borrowed(_)));
    }
}
