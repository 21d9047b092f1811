//! Whether a host belongs to a site.
//!
//! ```
//! use nodust_middleware::filter::hosts::{is_within, site_of};
//!
//! assert!(is_within("news.example.org", "example.org"));
//! assert_eq!(site_of("www.bbc.co.uk"), "bbc.co.uk");
//! assert_eq!(site_of("127.0.0.1"), "127.0.0.1");
//! ```

/// Whether `host` is `domain` or is below it.
pub fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The registrable domain of a host by the public suffix list: the site that one owner runs. A host that has none (an
/// address, `localhost`, a public suffix) is its own site. `host` must not include the port.
pub fn site_of(host: &str) -> &str {
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_address = name.starts_with('[')
        || name
            .rsplit('.')
            .next()
            .is_some_and(|label| label.bytes().all(|b| b.is_ascii_digit()));
    if is_address {
        return name;
    }
    psl::domain_str(name).unwrap_or(name)
}

/// A host and its parent domains, longest first, down to the top-level domain; addresses have none.
pub(super) fn parents(host: &str) -> impl Iterator<Item = &str> {
    let name = host.strip_suffix('.').unwrap_or(host);
    std::iter::successors(Some(name), |rest| {
        rest.split_once('.').map(|(_, parent)| parent)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_what_one_owner_runs() {
        assert_eq!(site_of("a.b.example.co.uk"), "example.co.uk");
        assert_eq!(site_of("me.github.io"), "me.github.io");
        assert_eq!(site_of("github.io"), "github.io");
        assert_eq!(site_of("example.org."), "example.org");
        assert_eq!(site_of("localhost"), "localhost");
        assert_eq!(site_of("[::1]"), "[::1]");
        assert_eq!(site_of("10.0.0.1"), "10.0.0.1");
    }

    #[test]
    fn parents_end_at_the_top() {
        let all: Vec<_> = parents("a.e.org").collect();
        assert_eq!(all, ["a.e.org", "e.org", "org"]);
    }
}
