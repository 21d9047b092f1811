//! Whether a parameter has a name.

/// Stands for the name of what has none, and cannot be one: `?363073689` has a value.
pub(in crate::predict) const NAMELESS: &str = "#";
/// The same in a path, where the sign before the name is part of it.
pub(in crate::predict) const NAMELESS_IN_PATH: &str = ";#";

/// Name and value of a parameter without `=`: a word is a name without a value, anything with a digit a value without a name, and so is a
/// path (`?org/example/Shapes.html` of a frameset).
pub(super) fn without_name(text: &str) -> (&str, &str) {
    if is_value(text) {
        nameless(text)
    } else {
        (text, "")
    }
}

/// Whether what stands without `=` is a value, and no name.
pub(in crate::predict) fn is_value(text: &str) -> bool {
    (text.bytes()).any(|octet| octet.is_ascii_digit() || octet == b'/')
}

/// Name and value of what has no name.
pub(super) fn nameless(text: &str) -> (&str, &str) {
    match text.strip_prefix(';') {
        Some(value) => (NAMELESS_IN_PATH, value),
        None => (NAMELESS, text),
    }
}

/// Octets of a name from which on it may be a token; numbers are short before that.
const LEAST_TOKEN: usize = 6;

/// Whether the name of a parameter is none, but a token that the site makes anew (`?7f3a09=1`): hexadecimal, but for a sign or a
/// letter before it, or digits and letters in turn. A letter and a number are a name (`f1000001`).
pub(in crate::predict) fn is_token(name: &str) -> bool {
    let name = name.strip_prefix(';').unwrap_or(name).as_bytes();
    // Most names have no digit.
    if name.len() < LEAST_TOKEN || !name.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let is_numbered = name[0].is_ascii_alphabetic() && name[1..].iter().all(u8::is_ascii_digit);
    if is_numbered {
        return false;
    }
    let is_hex = |octets: &[u8]| octets.iter().all(u8::is_ascii_hexdigit);
    let changes = |octets: &[u8]| {
        let differ = |two: &&[u8]| two[0].is_ascii_digit() != two[1].is_ascii_digit();
        octets.windows(2).filter(differ).count()
    };
    is_hex(name)
        || (name.len() > LEAST_TOKEN && is_hex(&name[1..]))
        || (name.iter().all(u8::is_ascii_alphanumeric) && changes(name) >= 3)
}
