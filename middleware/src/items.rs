//! Items of a segment or a value that may stand in any order.
//!
//! A filter by several tags is often one value (`tags=red,round`), and each link adds its own at the end, or in whatever order a set has them.
//! Prediction and rewrite rules put them in the same order.

use crate::cut::without_extension;

/// What may stand between items: the signs between pieces, and those that part words in a query.
pub(crate) const SIGNS: [&str; 15] = [
    ",", "%2C", "|", "%7C", "%3B", "+", "%20", ":", "%3A", "-", "_", "~", ".", "!", "%26",
];

/// Whether a sign stands within names, too, so that two values may be the same items by chance (`berlin-paris`).
pub(crate) fn is_within_names(sign: &str) -> bool {
    matches!(sign, "-" | "_" | "~" | "." | "!")
}

/// The items in the order of their texts, if they stand in another one.
pub(crate) fn in_order(text: &str, sign: &str) -> Option<String> {
    let mut items: Vec<&str> = text.split(sign).collect();
    if items.is_sorted() {
        return None;
    }
    items.sort_unstable();
    Some(items.join(sign))
}

/// The same of a segment, whose extension is no part of any item, and stays its extension.
pub(crate) fn in_order_of_segment(segment: &str, sign: &str) -> Option<String> {
    let (stem, extension) = segment.split_at(without_extension(segment).len());
    let stem = in_order(stem, sign)?;
    let sorted = format!("{stem}{extension}");
    (without_extension(&sorted) == stem).then_some(sorted)
}

/// Whether two texts are the same items in two orders.
pub(crate) fn are_one_set(one: &str, other: &str, sign: &str) -> bool {
    if one == other || one.len() != other.len() {
        return false;
    }
    let items = |text| in_order(text, sign);
    let (one_set, other_set) = (items(one), items(other));
    one_set.as_deref().unwrap_or(one) == other_set.as_deref().unwrap_or(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_is_no_part_of_the_last_item_and_no_item_becomes_one() {
        let sorted = |segment| in_order_of_segment(segment, ",");
        assert_eq!(sorted("b,a.html").as_deref(), Some("a,b.html"));
        assert_eq!(sorted("a,b.html"), None);
        assert_eq!(sorted("b.html,a"), None);
    }

    #[test]
    fn a_set_is_one_whatever_its_order_and_another_one_is_not() {
        assert!(are_one_set("a%7Cb%7Cc", "c%7Ca%7Cb", "%7C"));
        assert!(!are_one_set("a,b", "a,b", ","));
        assert!(!are_one_set("a,b", "b,c", ","));
        assert!(!are_one_set("a,b", "b|a", ","));
        assert!(!are_one_set("a-b,c", "b-a,c", ","));
    }
}
