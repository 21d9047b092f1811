//! Items of a segment or a value that may stand in any order.
//!
//! A filter by several tags is often one value (`tags=red,round`), and each link adds its own at the end, or in whatever order a set has them.
//! Prediction and rewrite rules put them in the same order.

/// What may stand between items: the signs between pieces, and those that part words in a query.
pub(crate) const SIGNS: [&str; 16] = [
    ",", "%2C", "|", "%7C", ";", "%3B", "+", "%20", ":", "%3A", "-", "_", "~", ".", "!", "%26",
];

/// The items in the order of their texts, if they stand in another one.
pub(crate) fn in_order(text: &str, sign: &str) -> Option<String> {
    let mut items: Vec<&str> = text.split(sign).collect();
    if items.is_sorted() {
        return None;
    }
    items.sort_unstable();
    Some(items.join(sign))
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
    fn a_set_is_one_whatever_its_order_and_another_one_is_not() {
        assert!(are_one_set("a%7Cb%7Cc", "c%7Ca%7Cb", "%7C"));
        assert!(!are_one_set("a,b", "a,b", ","));
        assert!(!are_one_set("a,b", "b,c", ","));
        assert!(!are_one_set("a,b", "b;a", ","));
        assert!(!are_one_set("a-b,c", "b-a,c", ","));
    }
}
