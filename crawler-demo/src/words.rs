//! How does a number read in a sentence?

/// So many of something: `1 link`, `2 links`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
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
    }
}
