//! Decides whether a host name could be that of a site that publishes pages.
//!
//! The check that people run over lists of host names, with courlan's meaning: it refuses what is neither a name nor an
//! address, and names that are more likely a file (`0.gravatar.html`). Whole countries look like files to it (`.pl`,
//! `.do`), so only the strict profile uses it; see [`looks_like_a_page_file`].
//!
//! ```
//! use nodust_middleware::filter::hostname::domain_filter;
//!
//! assert!(domain_filter("kräuter.de"));
//! assert!(!domain_filter("-100x100.webp"));
//! ```

use std::net::IpAddr;

use super::extension::{PAGE_EXTENSIONS, lower_case_extension, names_a_file_type};

/// Longest host name, in characters (RFC 1035 section 2.3.4, without the length octets).
const MAX_NAME: usize = 253;
/// Longest label (RFC 1035 section 2.3.4).
const MAX_LABEL: usize = 63;

/// Whether a host, with or without its port, could publish pages.
pub fn domain_filter(host: &str) -> bool {
    if host.bytes().all(is_address_byte) {
        if host.parse::<IpAddr>().is_ok() {
            return true;
        }
        if !host.bytes().any(|b| b.is_ascii_alphabetic()) || host.contains(':') {
            return false;
        }
    }
    let is_name = is_name_with_port(host) || {
        let (name, port) = host.split_once(':').unwrap_or((host, ""));
        !name.is_ascii()
            && url::Host::parse(name).is_ok_and(|parsed| {
                let ascii = parsed.to_string();
                is_name_with_port(&if port.is_empty() {
                    ascii
                } else {
                    format!("{ascii}:{port}")
                })
            })
    };
    is_name
        && !host
            .split('.')
            .next()
            .is_some_and(|label| label.bytes().all(|b| b.is_ascii_digit()))
        && !names_a_file_type(host)
        && !looks_like_a_page_file(host)
}

/// Whether the last label of a host is an extension that pages have, as `.pl` and `.do` are.
pub fn looks_like_a_page_file(host: &str) -> bool {
    lower_case_extension(host).is_some_and(|extension| PAGE_EXTENSIONS.contains(&extension))
}

/// Whether a name has only hexadecimal letters, so that courlan 1.4.0 takes it for a broken address (`abc.de`).
pub fn is_hexadecimal_name(host: &str) -> bool {
    host.bytes().all(is_address_byte)
        && !host.contains(':')
        && host.bytes().any(|b| b.is_ascii_alphabetic())
}

const fn is_address_byte(b: u8) -> bool {
    matches!(b, b'.' | b':' | b'0'..=b'9' | b'a'..=b'f')
}

fn is_name_with_port(host: &str) -> bool {
    let (name, port) = match host.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    let Some((labels, top)) = name.rsplit_once('.') else {
        return false;
    };
    name.len() <= MAX_NAME
        && port.is_none_or(is_port)
        && labels.split('.').all(is_label)
        && is_top_label(top)
}

fn is_port(text: &str) -> bool {
    !text.starts_with('0')
        && text.bytes().all(|b| b.is_ascii_digit())
        && text.parse::<u16>().is_ok()
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(first), Some(last))
        if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric())
        && bytes.len() <= MAX_LABEL
        && bytes.iter().all(|&b| is_name_byte(b))
}

fn is_top_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    (2..=MAX_LABEL).contains(&bytes.len())
        && bytes[0].is_ascii_alphanumeric()
        && bytes[bytes.len() - 1].is_ascii_alphabetic()
        && bytes.iter().all(|&b| is_name_byte(b))
}

const fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_pass() {
        for host in [
            "exa-mple.co.uk",
            "kräuter.de",
            "xn--h1aagokeh.xn--p1ai",
            "::1",
            "127.0.0.1",
            "example.com:80",
            "abc.de",
        ] {
            assert!(domain_filter(host), "{host}");
        }
    }

    #[test]
    fn broken_names_and_files_do_not() {
        for host in [
            "",
            "example.",
            "_example.com",
            "example.com:",
            "a......b.com",
            "900.200.100.75",
            "0127.0.0.1",
            "1:2:3:4:5:6:7:8:9",
            "00x200.jpg,",
            "example.html",
            "0.gravata.html",
        ] {
            assert!(!domain_filter(host), "{host}");
        }
        assert!(!domain_filter(&format!("{}.org", "g".repeat(64))));
    }
}
