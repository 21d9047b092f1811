//! Where `<meta http-equiv=refresh>` leads, and when.

/// Whole seconds and target of a refresh (WHATWG HTML, section 4.2.5.3, "shared declarative refresh steps"),
/// `None` when it reloads the page itself, or is none.
pub(super) fn refresh(content: &str) -> Option<(f64, &str)> {
    let content = content.trim_ascii_start();
    let behind = content.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let digits = &content[..content.len() - behind.len()];
    if digits.is_empty() && !behind.starts_with('.') {
        return None;
    }
    let seconds = digits.parse().unwrap_or(0.0);
    let rest = behind.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    if !rest.starts_with(|sign: char| sign.is_ascii_whitespace() || matches!(sign, ';' | ',')) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest);
    let rest = rest.trim_ascii_start();
    let target = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => rest[3..]
            .trim_ascii_start()
            .strip_prefix('=')
            .unwrap_or(rest),
        _ => rest,
    };
    let target = target.trim();
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target[1..].split(quote).next().unwrap_or_default(),
        _ => target,
    };
    (!target.is_empty()).then_some((seconds, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_refresh_leads_nowhere() {
        for none in [
            "none",
            "-1; url=/x",
            "5s;url=/x",
            "",
            "7",
            "; /x",
            "3;",
            "url=/x",
        ] {
            assert_eq!(refresh(none), None, "{none}");
        }
        for (content, wanted) in [
            ("0;url=/x", (0.0, "/x")),
            (" 12 , URL = '/x y' z", (12.0, "/x y")),
            (".5;/x", (0.0, "/x")),
            ("5.9 /x", (5.0, "/x")),
            ("1;;/x", (1.0, ";/x")),
            ("1; urls", (1.0, "urls")),
        ] {
            assert_eq!(refresh(content), Some(wanted), "{content}");
        }
    }
}
