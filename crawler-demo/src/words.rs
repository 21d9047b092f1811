//! Numbers in sentences.

/// So many of something: `1 link`, `2 links`, `3 entries`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    match (number, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        _ => format!("{number} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_plural() {
        let told = [0, 1, 2].map(|n| counted(n, "link"));
        assert_eq!(told, ["0 links", "1 link", "2 links"]);
        assert_eq!(counted(3, "entry"), "3 entries");
    }
}
