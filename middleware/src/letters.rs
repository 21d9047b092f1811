//! Tells the letters and digits of a URL from those of escapes.
//!
//! The hexadecimal digits of an escape are not letters or digits of the URL: they spell another sign, always in upper case
//! (RFC 3986, section 6.2.2.1).

/// The signs of a text, each with whether it stands for itself, and is no digit of an escape.
fn signs(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut digits = 0_u8;
    text.chars().map(move |sign| {
        let is_digit = digits > 0;
        digits = match sign {
            '%' => 2,
            _ => digits.saturating_sub(1),
        };
        (sign, !is_digit)
    })
}

/// Whether a text has an upper-case letter.
pub(crate) fn has_upper(text: &str) -> bool {
    // Few texts have any, and fewer have escapes.
    text.bytes().any(|octet| octet.is_ascii_uppercase())
        && (!text.contains('%')
            || signs(text).any(|(sign, is_itself)| is_itself && sign.is_ascii_uppercase()))
}

/// Whether a text has a digit.
pub(crate) fn has_digit(text: &str) -> bool {
    signs(text).any(|(sign, is_itself)| is_itself && sign.is_ascii_digit())
}

/// The text in lower case.
pub(crate) fn lower(text: &str) -> String {
    if !text.contains('%') {
        return text.to_ascii_lowercase();
    }
    let small = |(sign, is_itself): (char, bool)| {
        if is_itself {
            sign.to_ascii_lowercase()
        } else {
            sign
        }
    };
    signs(text).map(small).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_of_escapes_are_no_digits() {
        for (text, has) in [
            ("gr%C3%B6%C3%9Fe", false),
            ("a%201", true),
            ("7", true),
            ("%2", false),
            ("", false),
        ] {
            assert_eq!(has_digit(text), has, "{text}");
        }
    }

    #[test]
    fn the_digits_of_escapes_are_no_letters() {
        for (text, small) in [
            ("Docs%2CGuide", "docs%2Cguide"),
            ("a%2Cb", "a%2Cb"),
            ("%25ABC", "%25abc"),
            ("ÄB", "Äb"),
        ] {
            assert_eq!(lower(text), small);
            assert_eq!(has_upper(text), small != text, "{text}");
        }
    }
}
