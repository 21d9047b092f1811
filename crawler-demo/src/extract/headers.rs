//! What the response headers say about links.

use nodust_frontier::CanonicalUrl;

use super::{may_be_http, refresh::refresh};

/// Hints from the headers of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// `Link: <…>; rel=canonical` (RFC 6596), as sent; relative [to the page only](Self::resolve_links).
    pub canonical: Option<String>,
    /// `Link: <…>; rel=next` and `rel=prev`, the same.
    pub links: Vec<String>,
    /// `X-Robots-Tag: nofollow`.
    pub nofollow: bool,
    /// `X-Robots-Tag: noindex`.
    pub noindex: bool,
    /// Where `Refresh: 0; url=…` leads, and after how many seconds; it works like `<meta http-equiv=refresh>`.
    pub refresh: Option<(f64, String)>,
}

impl Hints {
    /// Makes the targets of `Link` fields absolute. They are relative to the URL of the page, not to a `<base href>` in its markup (RFC
    /// 8288, section 3.1). What is not a URL stays as it was sent.
    pub fn resolve_links(&mut self, page: &CanonicalUrl) {
        for link in self.canonical.iter_mut().chain(&mut self.links) {
            if let Ok(target) = CanonicalUrl::resolve(link, Some(page.as_url())) {
                target.as_str().clone_into(link);
            }
        }
    }
}

/// Reads the `Link` (RFC 8288, section 3), `X-Robots-Tag` and `Refresh` fields of a response, for the crawler with this product token.
pub fn hints<'h>(
    agent: &str,
    link: impl IntoIterator<Item = &'h str>,
    robots_tag: impl IntoIterator<Item = &'h str>,
    refreshes: Option<&'h str>,
) -> Hints {
    let mut hints = Hints {
        refresh: refreshes
            .and_then(refresh)
            .filter(|(_, target)| may_be_http(target))
            .map(|(seconds, target)| (seconds, target.to_owned())),
        ..Hints::default()
    };
    for field in link {
        each_link(field, |target, rels| {
            if !may_be_http(target) {
                return;
            }
            for rel in rels.split_ascii_whitespace() {
                if rel.eq_ignore_ascii_case("canonical") {
                    hints.canonical.get_or_insert_with(|| target.to_owned());
                } else if rel.eq_ignore_ascii_case("next") || rel.eq_ignore_ascii_case("prev") {
                    hints.links.push(target.to_owned());
                }
            }
        });
    }
    for field in robots_tag {
        // What follows a crawler's name is for that one, up to the next name.
        let mut is_for_us = true;
        for word in field.split(',').map(str::trim) {
            let mut word = word;
            if let Some((name, rest)) = word.split_once(':') {
                if is_directive(name.trim()) || !is_token(name.trim()) {
                    continue;
                }
                is_for_us = name.trim().eq_ignore_ascii_case(agent);
                word = rest.trim();
            }
            if !is_for_us {
                continue;
            }
            let (nofollow, noindex) = robots_words(word);
            hints.nofollow |= nofollow;
            hints.noindex |= noindex;
        }
    }
    hints
}

/// Whether it may be a crawler's name, and is no piece of a date.
fn is_token(name: &str) -> bool {
    name.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && !name.contains(|sign: char| sign.is_ascii_whitespace())
}

/// Whether a name before a colon is that of a directive with a value, and no crawler's.
fn is_directive(name: &str) -> bool {
    [
        "unavailable_after",
        "max-snippet",
        "max-image-preview",
        "max-video-preview",
    ]
    .iter()
    .any(|directive| name.eq_ignore_ascii_case(directive))
}

/// Whether a list of robots directives says nofollow and noindex.
pub(super) fn robots_words(content: &str) -> (bool, bool) {
    let (mut nofollow, mut noindex) = (false, false);
    for word in content.split(',').map(str::trim) {
        let none = word.eq_ignore_ascii_case("none");
        nofollow |= none || word.eq_ignore_ascii_case("nofollow");
        noindex |= none || word.eq_ignore_ascii_case("noindex");
    }
    (nofollow, noindex)
}

/// Calls `each` with target and `rel` of every link of a field.
fn each_link<'f>(field: &'f str, mut each: impl FnMut(&'f str, &'f str)) {
    let mut rest = field;
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        let Some(close) = rest.find('>') else {
            return;
        };
        let target = rest[..close].trim();
        rest = &rest[close + 1..];
        // Parameters go on to the next comma outside quotes.
        let mut quoted = false;
        let end = rest
            .find(|c| {
                quoted ^= c == '"';
                c == ',' && !quoted
            })
            .unwrap_or(rest.len());
        let rel = rest[..end].split(';').find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("rel")
                .then(|| value.trim().trim_matches('"'))
        });
        each(target, rel.unwrap_or_default());
        rest = &rest[end..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crawler_has_words_of_its_own_up_to_the_next_name() {
        for (field, nofollow, noindex) in [
            ("otherbot: noindex, nodust: nofollow", true, false),
            ("nodust: nofollow, otherbot: noindex", true, false),
            ("nofollow, otherbot: noindex", true, false),
            (
                "unavailable_after: Mon, 25 Jun 2030 15:00:00 GMT, noindex",
                false,
                true,
            ),
        ] {
            let found = hints("nodust", [], [field], None);
            assert_eq!(
                (found.nofollow, found.noindex),
                (nofollow, noindex),
                "{field}"
            );
        }
    }

    #[test]
    fn the_first_canonical_counts_and_quotes_may_hold_commas() {
        let hints = hints(
            "nodust",
            [
                "</a,b>; title=\"x, <y>\"; rel=\"canonical\", </n>; rel=next, <mailto:x>; rel=canonical",
            ],
            ["noindex", "otherbot: nofollow"],
            Some("0; url=/m"),
        );
        assert_eq!(hints.canonical.as_deref(), Some("/a,b"));
        assert_eq!(hints.links, ["/n"]);
        assert!(hints.noindex && !hints.nofollow);
        assert_eq!(hints.refresh, Some((0.0, "/m".to_owned())));
    }

    #[test]
    fn what_a_header_names_is_relative_to_the_page_and_what_is_no_url_stays() {
        let fields = [
            "<x>; rel=canonical",
            "<?page=2>; rel=next, <http://[/>; rel=prev",
        ];
        let mut hints = hints("nodust", fields, [], None);
        hints.resolve_links(&"http://h.example/dir/page".parse().unwrap());
        assert_eq!(hints.canonical.as_deref(), Some("http://h.example/dir/x"));
        assert_eq!(hints.links[0], "http://h.example/dir/page?page=2");
        assert_eq!(hints.links[1], "http://[/");
    }

    #[test]
    fn words_after_the_name_of_another_crawler_are_not_for_us() {
        let said = |field| {
            let hints = hints("nodust", [], [field], None);
            (hints.nofollow, hints.noindex)
        };
        assert_eq!(said("otherbot: noindex, nofollow"), (false, false));
        assert_eq!(said("noindex, otherbot: nofollow"), (false, true));
        assert_eq!(said("NoDust: noindex, nofollow"), (true, true));
        assert_eq!(said("max-snippet: 20, nofollow"), (true, false));
        assert!(hints("mybot", [], ["MyBot: nofollow"], None).nofollow);
        assert!(!hints("mybot", [], ["nodust: nofollow"], None).nofollow);
    }

    #[test]
    fn broken_fields_are_passed_over() {
        for field in [
            "",
            "<",
            "<a",
            "<a>",
            ">",
            "<a>; rel",
            "<a>; rel=\"canonical",
            ";;;,,,<>",
        ] {
            let _ = hints("nodust", [field], [field], Some(field));
        }
    }
}
