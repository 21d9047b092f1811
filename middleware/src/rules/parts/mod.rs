//! The parts of a URL and their values.
//!
//! Rules name parts by [`Key`]: host, path segment, `;` parameter, query parameter and so on. Two distinctions matter
//! and are kept: an absent part is not an empty one (`?a`, `?a=` and no `a` are three things), and a query key may have
//! several values in an order.
//!
//! ```
//! use nodust_middleware::rules::{Key, Parts};
//!
//! let parts = Parts::parse("http://shop.example/list/item.html;s=1?b=2&a=1&a=3").unwrap();
//! assert_eq!(parts.get(&Key::Seg(0)).as_deref(), Some("list"));
//! assert_eq!(parts.get(&Key::Ext).as_deref(), Some("html"));
//! assert_eq!(parts.get(&Key::PathParam("s".into())).as_deref(), Some("1"));
//! assert_eq!(parts.get(&Key::Query("a".into())).as_deref(), Some("1&3"));
//! assert_eq!(parts.get(&Key::Query("c".into())), None);
//! ```

mod digits;
mod key;
mod owner;
mod read;

use std::borrow::Cow;

pub(crate) use digits::{digit_shape, has_digit_shape, mask_digits};
pub use key::Key;
pub(crate) use key::{NO_SCHEME, is_scheme, never_names, never_spelled};
pub(crate) use read::{separates_by_semicolon, slices, without_fragment};

/// One `name=value`; without `=` the value is `None`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Param<'a> {
    /// Segment it hangs on; 0 in a query.
    pub(crate) at: u8,
    /// Text before `=`.
    pub(crate) name: Cow<'a, str>,
    /// Text behind `=`.
    pub(crate) value: Option<Cow<'a, str>>,
}

impl Param<'_> {
    fn text(&self, out: &mut String) {
        out.push_str(&self.name);
        if let Some(value) = &self.value {
            out.push('=');
            out.push_str(value);
        }
    }
}

/// A URL taken apart. URLs whose paths have more than 255 segments cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    pub(crate) scheme: Cow<'a, str>,
    pub(crate) host: Cow<'a, str>,
    pub(crate) segs: Vec<Cow<'a, str>>,
    pub(crate) slash: bool,
    pub(crate) path_params: Vec<Param<'a>>,
    pub(crate) query: Vec<Param<'a>>,
    /// `&`, or `;` where the site separates parameters so.
    pub(crate) separator: char,
}

impl Parts<'_> {
    /// The URL with its query parameters in order of name.
    pub fn render(&self) -> String {
        let mut out = String::with_capacity(96);
        self.render_into(&mut out);
        out
    }

    /// The same, behind what `out` holds.
    pub(crate) fn render_into(&self, out: &mut String) {
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        out.push_str("//");
        out.push_str(&self.host);
        out.push('/');
        for (at, segment) in self.segs.iter().enumerate() {
            if at > 0 {
                out.push('/');
            }
            out.push_str(segment);
            for param in self.path_params.iter().filter(|p| usize::from(p.at) == at) {
                out.push(';');
                param.text(out);
            }
        }
        if self.slash && !self.segs.is_empty() {
            out.push('/');
        }
        let mut push = |i: usize, param: &Param<'_>| {
            out.push(if i == 0 { '?' } else { self.separator });
            param.text(out);
        };
        if self.query.is_sorted_by(|a, b| a.name <= b.name) {
            self.query.iter().enumerate().for_each(|(i, p)| push(i, p));
            return;
        }
        let mut order: Vec<&Param<'_>> = self.query.iter().collect();
        order.sort_by(|a, b| a.name.cmp(&b.name));
        order.into_iter().enumerate().for_each(|(i, p)| push(i, p));
    }

    /// The value of a part; `None` if it is absent. A parameter without `=` is present and empty.
    pub fn get(&self, key: &Key) -> Option<Cow<'_, str>> {
        match key {
            Key::Scheme => Some(Cow::Borrowed(&self.scheme)),
            Key::Host => Some(Cow::Borrowed(&self.host)),
            Key::Len => Some(self.len()),
            Key::Seg(i) => self.segs.get(usize::from(*i)).map(|s| Cow::Borrowed(&**s)),
            Key::Tail(i) => self
                .index_from_end(*i)
                .map(|at| Cow::Borrowed(&*self.segs[at])),
            Key::Rest(i) => self
                .segs
                .get(usize::from(*i)..)
                .filter(|rest| !rest.is_empty())
                .map(|rest| Cow::Owned(rest.join("/"))),
            Key::Ext => self.ext().map(|(_, ext)| Cow::Borrowed(ext)),
            Key::Slash => self.slash.then_some(Cow::Borrowed("")),
            Key::PathParam(name) => values(&self.path_params, name),
            Key::Query(name) => self.query_value(name),
        }
    }

    /// The value of a query parameter.
    pub(crate) fn query_value(&self, name: &str) -> Option<Cow<'_, str>> {
        values(&self.query, name)
    }

    /// The number of segments, which mostly are few.
    fn len(&self) -> Cow<'static, str> {
        let digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        match digits.get(self.segs.len()) {
            Some(digit) => Cow::Borrowed(digit),
            None => Cow::Owned(self.segs.len().to_string()),
        }
    }

    /// Whether the part is present; cheaper than [`get`](Self::get).
    pub fn has(&self, key: &Key) -> bool {
        match key {
            Key::Query(name) => self.query.iter().any(|p| p.name == **name),
            Key::PathParam(name) => self.path_params.iter().any(|p| p.name == **name),
            Key::Seg(i) | Key::Tail(i) | Key::Rest(i) => usize::from(*i) < self.segs.len(),
            other => self.get(other).is_some(),
        }
    }

    /// Stem and extension of the last segment, if it has one: 1 to 5 letters or digits behind a dot, not
    /// all of them digits.
    pub(crate) fn ext(&self) -> Option<(&str, &str)> {
        let last = self.segs.last()?;
        // The dot is among the last octets, or too far from the end.
        let len = last.bytes().rev().take(6).position(|b| b == b'.')?;
        let (stem, ext) = last.split_at(last.len() - len);
        let stem = &stem[..stem.len() - 1];
        (!stem.is_empty()
            && !ext.is_empty()
            && ext.bytes().all(|b| b.is_ascii_alphanumeric())
            && ext.bytes().any(|b| b.is_ascii_alphabetic()))
        .then_some((stem, ext))
    }

    /// Whether the query is in the order in which it is rendered.
    pub(crate) fn is_query_sorted(&self) -> bool {
        self.query.is_sorted_by(|a, b| a.name <= b.name)
    }

    /// Puts the query in the order in which it is rendered.
    pub(crate) fn sort_query(&mut self) {
        if !self.is_query_sorted() {
            self.query.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }

    pub(crate) fn index_from_end(&self, back: u8) -> Option<usize> {
        self.segs.len().checked_sub(usize::from(back) + 1)
    }

    /// Removes a segment and what hangs on it.
    pub(crate) fn remove_segment(&mut self, at: usize) {
        self.segs.remove(at);
        self.path_params.retain(|p| usize::from(p.at) != at);
        for param in &mut self.path_params {
            if usize::from(param.at) > at {
                param.at -= 1;
            }
        }
        if self.segs.is_empty() {
            self.slash = false;
        }
    }

    /// Every part that is present, with its value.
    pub fn pairs(&self) -> Vec<(Key, Cow<'_, str>)> {
        let most = 5 + self.segs.len() + self.path_params.len() + self.query.len();
        let mut pairs = Vec::with_capacity(most);
        pairs.push((Key::Scheme, Cow::Borrowed(&*self.scheme)));
        pairs.push((Key::Host, Cow::Borrowed(&*self.host)));
        pairs.push((Key::Len, self.len()));
        for (i, segment) in self.segs.iter().enumerate() {
            pairs.push((Key::Seg(i as u8), Cow::Borrowed(&**segment)));
        }
        if let Some((_, ext)) = self.ext() {
            pairs.push((Key::Ext, Cow::Borrowed(ext)));
        }
        if self.slash {
            pairs.push((Key::Slash, Cow::Borrowed("")));
        }
        for (params, key) in [
            (&self.path_params, Key::PathParam as fn(Box<str>) -> Key),
            (&self.query, Key::Query),
        ] {
            for (i, param) in params.iter().enumerate() {
                if params[..i].iter().all(|p| p.name != param.name) {
                    let value = values(params, &param.name).unwrap_or_default();
                    pairs.push((key((&*param.name).into()), value));
                }
            }
        }
        pairs
    }
}

fn values<'p>(params: &'p [Param<'_>], name: &str) -> Option<Cow<'p, str>> {
    let mut found = params.iter().filter(|p| p.name == name);
    let first = found.next()?.value.as_deref().unwrap_or_default();
    let mut all = Cow::Borrowed(first);
    for more in found {
        let text = all.to_mut();
        text.push('&');
        text.push_str(more.value.as_deref().unwrap_or_default());
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::{Key, Parts};
    use proptest::prelude::*;

    #[test]
    fn absent_is_not_empty() {
        let parts = Parts::parse("http://e.org/?a&b=").unwrap();
        assert_eq!(parts.get(&Key::query("a")).as_deref(), Some(""));
        assert_eq!(parts.get(&Key::query("c")), None);
        assert_eq!(parts.render(), "http://e.org/?a&b=");
    }

    #[test]
    fn a_query_may_be_separated_by_semicolons() {
        let parts = Parts::parse("http://e.org/i.php?action=profile;u=32;asc").unwrap();
        assert_eq!(parts.get(&Key::query("u")).as_deref(), Some("32"));
        assert_eq!(parts.render(), "http://e.org/i.php?action=profile;asc;u=32");
        let text = Parts::parse("http://e.org/?q=a; b").unwrap();
        assert_eq!(text.get(&Key::query("q")).as_deref(), Some("a; b"));
    }

    #[test]
    fn removing_a_segment_takes_its_parameters_along() {
        let mut parts = Parts::parse("http://e.org/a;x=1/b;y=2/").unwrap();
        parts.remove_segment(0);
        assert_eq!(parts.render(), "http://e.org/b;y=2/");
        parts.remove_segment(0);
        assert_eq!(parts.render(), "http://e.org/");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn rendering_twice_changes_nothing(
            path in "(/[a-c;=.]{0,4}){0,4}", query in "(\\?[ab;=&]{0,8})?"
        ) {
            let url = format!("http://e.org{path}{query}");
            let once = Parts::parse(&url).unwrap().render();
            let twice = Parts::parse(&once).unwrap().render();
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn parts_that_are_taken_over_are_the_same(
            urls in proptest::collection::vec("http://(e|f)(/[a-b;=.]{0,4}){0,3}(\\?[ab;=&]{0,8})?", 2)
        ) {
            let (new, old) = (Parts::parse(&urls[0]).unwrap(), Parts::parse(&urls[1]).unwrap());
            let mut read = old.clone().emptied();
            prop_assert!(read.read(&urls[0]));
            prop_assert_eq!(&read, &new);
            prop_assert_eq!(new.clone().taken_over(old), new);
        }

        #[test]
        fn anything_may_be_taken_apart_without_harm(text in "\\PC{0,40}") {
            if let Some(parts) = Parts::parse(&text) {
                let _ = (parts.render(), parts.pairs());
            }
        }
    }
}
