//! What did link extraction leave in this text that no page meant?

use std::borrow::Cow;

/// The link without the damage of its extraction: white space and control characters around it (WHATWG
/// strips those as well). Text inside the link is never touched.
pub fn repair(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text.trim_matches(|c: char| c <= ' ' || c.is_whitespace()))
}
