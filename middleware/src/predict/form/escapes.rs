//! How the signs of a URL are escaped.
//!
//! A comma in a value may be written as such or as `%2C`. By RFC 3986 (section 2.2) these are two URLs, but for most servers one, since
//! they decode values as a form's (WHATWG URL, section 5.1), where a space may also be `+`. Applications that pass on what they were asked
//! for may write it in another way.

use super::{
    Form,
    part::{Kind, Part},
};

/// Whether a sign that stands for itself is escaped by who escapes all that he may. Those that part a URL into what a form is made of are
/// not, nor are those that stand for what does not matter.
const fn is_open(octet: u8) -> bool {
    matches!(
        octet,
        b'!' | b'$'
            | b'\''
            | b'('
            | b')'
            | b','
            | b':'
            | b'='
            | b'@'
            | b'/'
            | b'?'
            | b'['
            | b']'
            | b'|'
            | b'^'
            | b'+'
            | b'{'
            | b'}'
    )
}

fn is_unescaped(text: &str) -> bool {
    text.bytes().any(is_open)
}

/// All parts of a form that may have escapes.
fn parts<'f, 'u>(form: &'f Form<'u>) -> impl Iterator<Item = &'f Part<'u>> {
    let of_params = form.params.iter().flat_map(|(name, value)| [name, value]);
    form.segments.iter().chain(of_params)
}

/// Whether a form has a sign that could be escaped.
pub(super) fn has_unescaped(form: &Form<'_>) -> bool {
    parts(form).any(|part| is_unescaped(part))
}

/// Escapes all signs of a form that can be; whether there was one.
pub(super) fn escape(form: &mut Form<'_>) -> bool {
    let mut is_changed = false;
    let segments = (form.segments.iter_mut()).map(|segment| (segment, Kind::Segment));
    let params = (form.params.iter_mut())
        .flat_map(|(name, value)| [(name, Kind::Name), (value, Kind::Value)]);
    for (part, kind) in segments.chain(params) {
        if is_unescaped(part) {
            *part = Part::new(kind, escaped(part, kind));
            is_changed = true;
        }
    }
    form.arrange();
    is_changed
}

/// Parts of a form with all signs escaped, each with the part as it stands.
fn escaped_parts(form: &Form<'_>) -> Vec<((Kind, String), String)> {
    let segments = form.segments.iter().map(|segment| (segment, Kind::Segment));
    let params =
        (form.params.iter()).flat_map(|(name, value)| [(name, Kind::Name), (value, Kind::Value)]);
    let both = |(part, kind): (&Part<'_>, Kind)| ((kind, escaped(part, kind)), part.to_string());
    segments.chain(params).map(both).collect()
}

/// Whether two forms have a part in common that is escaped in two ways.
pub(in crate::predict) fn differ_in_escapes(one: &Form<'_>, other: &Form<'_>) -> bool {
    let others = escaped_parts(other);
    escaped_parts(one).iter().any(|(escaped, part)| {
        let mut same = others
            .iter()
            .filter(|(known, _)| known == escaped)
            .peekable();
        same.peek().is_some() && same.all(|(_, known)| known != part)
    })
}

/// Whether the parameters that two forms have in common, but for escapes, stand in two orders.
pub(in crate::predict) fn differ_in_order(one: &Form<'_>, other: &Form<'_>) -> bool {
    let params = |form: &Form<'_>| -> Vec<(String, String)> {
        let param = |(name, value): &(Part<'_>, Part<'_>)| {
            (escaped(name, Kind::Name), escaped(value, Kind::Value))
        };
        let mut params: Vec<_> = Vec::with_capacity(form.params.len());
        for param in form.params.iter().map(param) {
            // Repeated, it stands where it stood first.
            if !params.contains(&param) {
                params.push(param);
            }
        }
        params
    };
    let (one, other) = (params(one), params(other));
    let of_one = one.iter().filter(|param| other.contains(param));
    let of_other = other.iter().filter(|param| one.contains(param));
    !of_one.eq(of_other)
}

fn escaped(text: &str, kind: Kind) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for sign in text.chars() {
        match u8::try_from(sign) {
            Ok(b'+') if kind != Kind::Segment => out.push_str("%20"),
            Ok(octet) if is_open(octet) => {
                out.push_str(percent_encoding::percent_encode_byte(octet));
            }
            _ => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Edit;

    fn key(url: &str) -> u64 {
        let url = format!("http://e.org/{url}");
        Edit::Escapes.key_after(&Form::parse(&url))
    }

    #[test]
    fn signs_that_are_escaped_and_signs_that_are_not_are_one() {
        for (one, other) in [
            ("?sort=a,-b", "?sort=a%2C-b"),
            ("?q=red+lamps", "?q=red%20lamps"),
            ("?f[]=1", "?f%5B%5D=1"),
            ("?next=/a/b%3Fc=1", "?next=%2Fa%2Fb%3Fc%3D1"),
            ("Talk:Lamps", "Talk%3ALamps"),
            ("a;v=(1)?x", "a;v=%281%29?x"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
    }

    #[test]
    fn pages_differ_in_what_they_have_in_common() {
        let of = |query: &str| format!("http://e.org/?{query}");
        let one = of("sort=a,b&p=2&sid=7");
        for (other, in_escapes, in_order) in [
            ("sort=a%2Cb&p=2&sid=9", true, false),
            ("p=2&sort=a%2Cb", true, true),
            ("p=2&sort=a,b&sid=9", false, true),
            ("sort=a,b&p=2&sid=8", false, false),
            ("sort=a%2Cc&p=2", false, false),
        ] {
            let other = of(other);
            let (one, other) = (Form::parse(&one), Form::parse(&other));
            let differ = (
                differ_in_escapes(&one, &other),
                differ_in_order(&one, &other),
            );
            assert_eq!(differ, (in_escapes, in_order), "{other:?}");
        }
    }

    #[test]
    fn other_signs_are_other_pages() {
        for (one, other) in [
            ("?sort=a,b", "?sort=ab"),
            ("?q=a%2Bb", "?q=a+b"),
            ("a+b", "a%20b"),
            ("a/b", "a%2Fb"),
            ("?a=1%26b=2", "?a=1&b=2"),
            ("?q=%252C", "?q=%2C"),
        ] {
            assert_ne!(key(one), key(other), "{one}");
        }
    }
}
