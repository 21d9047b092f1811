//! Leaves out the signs that say how a table is sorted.
//!
//! `Name ▲` over a column says by what the rows are sorted, and in which direction. Their order says so, too, but if there is
//! one row, or none, that sign is the only difference. It is part of a word (`Name▲`), or a word by itself. So arrows that
//! point up or down do not count, unless there are more of them than such a table has: then they say something about each
//! row.

use std::borrow::Cow;

use memchr::memchr2_iter;

/// What the arrows begin with, in UTF-8.
const FIRST: [u8; 2] = [0xE2, 0xF0];

/// Whether it is an arrow or a triangle that points up, down or both ways (Unicode: Arrows, Miscellaneous Technical, Geometric
/// Shapes, Miscellaneous Symbols and Arrows, Miscellaneous Symbols and Pictographs).
const fn is_arrow(sign: char) -> bool {
    matches!(
        sign,
        '↑' | '↓' | '↕' | '⇅' | '⇑' | '⇓' | '⇕' | '⇧' | '⇩' | '⇳' | '⇵'
            | '⏶' | '⏷'
            | '▲'..='▵' | '▼'..='▿'
            | '⬆' | '⬇' | '⬍' | '⮝' | '⮟'
            | '🔼' | '🔽'
    )
}

/// Whether it asks for one of two looks of the sign before it.
const fn is_look(sign: char) -> bool {
    matches!(sign, '\u{FE0E}' | '\u{FE0F}')
}

/// Arrows that a text may have by what it is sorted by: one column, or two, the second where the first is equal.
const MOST: usize = 2;

/// The text without arrows that point up or down, if they are few.
pub(super) fn without_arrows(text: &str) -> Cow<'_, str> {
    let (mut left, mut found) = (String::new(), 0);
    let mut from = 0;
    for at in memchr2_iter(FIRST[0], FIRST[1], text.as_bytes()) {
        let mut signs = text[at..].chars();
        if !signs.next().is_some_and(is_arrow) {
            continue;
        }
        found += 1;
        if found > MOST {
            return text.into();
        }
        left.push_str(&text[from..at]);
        let behind = signs.as_str();
        from = text.len() - behind.trim_start_matches(is_look).len();
    }
    if from == 0 {
        return text.into();
    }
    left.push_str(&text[from..]);
    left.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_arrow_is_left_out_within_a_word_and_by_itself() {
        assert_eq!(without_arrows("id▼ name since"), "id name since");
        assert_eq!(without_arrows("▲\nname ⬆\u{FE0F}!"), "\nname !");
        assert_eq!(without_arrows("🔼"), "");
        let others = "“quoted” — 3 € → 5 ◀ ⌘ 😀 größer ラ\u{FE0F}";
        assert!(matches!(without_arrows(others), Cow::Borrowed(text) if text == others));
    }

    #[test]
    fn what_each_row_says_by_an_arrow_stays() {
        let trends = "gold ▲\nsilver ▼\ncopper ▲";
        assert_eq!(without_arrows(trends), trends);
    }

    proptest! {
        #[test]
        fn all_other_signs_stay(text in "[a”😀 ü\u{FE0F}]{0,9}[▲▼↓🔽]?[a”😀 ü\u{FE0F}]{0,9}[▲▼↓🔽]?") {
            let mut after = false;
            let left: String = text.chars().filter(|sign| {
                after = is_arrow(*sign) || after && is_look(*sign);
                !after
            }).collect();
            prop_assert_eq!(without_arrows(&text), left);
        }
    }
}
