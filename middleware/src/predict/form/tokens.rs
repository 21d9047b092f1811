//! A URL without the tokens in it.

use super::{Form, hash_of, join, nameless::is_token};

/// Octets of a token, at least: sessions are long.
const LEAST: usize = 8;

/// Whether a text is a token that is made anew for who asks, as a session is: letters and digits in turn. A number is none: it may say what the page is.
fn is_of_visit(text: &str) -> bool {
    text.len() >= LEAST && text.bytes().any(|octet| octet.is_ascii_alphabetic()) && is_token(text)
}

/// A name for a URL without what may be the visitor's: two with one name may be one page.
pub(crate) fn name_without_tokens(url: &str) -> u64 {
    const TOKEN: u64 = 0;
    let form = Form::parse(url);
    let path = form
        .segments
        .iter()
        .fold(form.origin.hash(), |path, segment| {
            let is_other = is_of_visit(segment);
            join(path, if is_other { TOKEN } else { segment.hash() })
        });
    let kept = form.params.iter().filter(|(_, value)| !is_of_visit(value));
    kept.fold(join(path, hash_of(93, "")), |name, (key, value)| {
        join(join(name, key.hash()), value.hash())
    })
}

#[cfg(test)]
mod tests {
    use super::name_without_tokens;

    fn name(path: &str) -> u64 {
        name_without_tokens(&format!("http://e.org/{path}"))
    }

    #[test]
    fn tokens_make_no_other_page_and_numbers_and_words_do() {
        for (one, other) in [
            ("?sid=3f9a5d1c9b7e", "?sid=77ab20c4d9e1"),
            ("?sid=3f9a5d1c9b7e", ""),
            ("a;jsessionid=A4F9C0B7D1E2?x=1", "a?x=1"),
            ("s/3f9a5d1c9b7e/a", "s/77ab20c4d9e1/a"),
        ] {
            assert_eq!(name(one), name(other), "{one}");
        }
        for (one, other) in [
            ("?id=20417365", "?id=20417366"),
            ("?id=20417365", ""),
            ("?q=lampshade", "?q=bookshelf"),
            ("a?sid=3f9a5d1c9b7e", "b?sid=3f9a5d1c9b7e"),
            ("?v=1.17", "?v=1.18"),
        ] {
            assert_ne!(name(one), name(other), "{one}");
        }
    }
}
