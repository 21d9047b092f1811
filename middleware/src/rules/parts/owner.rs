//! Whether parts borrow their text or own it.
//!
//! Parts borrow from the URL that was read or from other parts, or own their text. What is borrowed or taken over needs
//! no memory of its own.

use std::borrow::Cow;

use super::{Param, Parts};

/// Parameters among which those to be taken over are looked for.
const MOST_SOUGHT: usize = 64;

impl Param<'_> {
    fn into_owned(self) -> Param<'static> {
        Param {
            at: self.at,
            name: Cow::Owned(self.name.into_owned()),
            value: self.value.map(|value| Cow::Owned(value.into_owned())),
        }
    }

    fn borrowed(&self) -> Param<'_> {
        Param {
            at: self.at,
            name: Cow::Borrowed(&*self.name),
            value: self.value.as_deref().map(Cow::Borrowed),
        }
    }
}

impl<'a> Parts<'a> {
    /// No URL's parts, for [`borrow_from`](Self::borrow_from).
    pub(crate) const fn none() -> Self {
        Self {
            scheme: Cow::Borrowed(""),
            host: Cow::Borrowed(""),
            segs: Vec::new(),
            slash: false,
            path_params: Vec::new(),
            query: Vec::new(),
            separator: '&',
        }
    }

    /// Becomes the same as other parts, borrowed from them; what was allocated is used again.
    pub(crate) fn borrow_from(&mut self, other: &'a Parts<'_>) {
        self.scheme = Cow::Borrowed(&*other.scheme);
        self.host = Cow::Borrowed(&*other.host);
        self.segs.clear();
        let segs = other.segs.iter().map(|s| Cow::Borrowed(&**s));
        self.segs.extend(segs);
        self.slash = other.slash;
        self.path_params.clear();
        let params = other.path_params.iter().map(Param::borrowed);
        self.path_params.extend(params);
        self.query.clear();
        self.query.extend(other.query.iter().map(Param::borrowed));
        self.separator = other.separator;
    }

    /// No URL's parts, with the memory of these.
    pub(crate) fn emptied<'b>(mut self) -> Parts<'b> {
        self.segs.clear();
        self.path_params.clear();
        self.query.clear();
        // Collected in place: nothing is left of the texts, and all of the memory.
        let params = |params: Vec<Param<'a>>| params.into_iter().map(Param::into_owned).collect();
        Parts {
            segs: (self.segs.into_iter())
                .map(|segment| Cow::Owned(segment.into_owned()))
                .collect(),
            path_params: params(self.path_params),
            query: params(self.query),
            ..Parts::none()
        }
    }

    /// The same parts, free of the text they were read from: what `old` has, too, is taken from it.
    pub(crate) fn taken_over(self, mut old: Parts<'_>) -> Parts<'_> {
        fn one<'o>(text: Cow<'_, str>, old: Option<&mut Cow<'o, str>>) -> Cow<'o, str> {
            match old {
                Some(old) if *old == text => std::mem::take(old),
                _ => Cow::Owned(text.into_owned()),
            }
        }
        fn all<'o>(params: Vec<Param<'_>>, old: &mut [Param<'o>]) -> Vec<Param<'o>> {
            // Each is looked for among all: not worth it where there are many.
            let old = if old.len() > MOST_SOUGHT {
                &mut []
            } else {
                old
            };
            let take = |param: Param<'_>| {
                let mut old = (old.iter_mut()).find(|old| {
                    old.name == param.name && (old.value.is_some() || param.value.is_none())
                });
                let value = param.value.map(|value| {
                    let old = old.as_mut().and_then(|old| old.value.as_mut());
                    one(value, old)
                });
                let name = one(param.name, old.map(|old| &mut old.name));
                let at = param.at;
                Param { at, name, value }
            };
            params.into_iter().map(take).collect()
        }
        let segs = (self.segs.into_iter().enumerate())
            .map(|(at, segment)| one(segment, old.segs.get_mut(at)))
            .collect();
        Parts {
            scheme: one(self.scheme, Some(&mut old.scheme)),
            host: one(self.host, Some(&mut old.host)),
            segs,
            slash: self.slash,
            path_params: all(self.path_params, &mut old.path_params),
            query: all(self.query, &mut old.query),
            separator: self.separator,
        }
    }

    /// The same parts, independent of the text they were read from.
    pub fn into_owned(self) -> Parts<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let params = |params: Vec<Param<'a>>| params.into_iter().map(Param::into_owned).collect();
        Parts {
            scheme: owned(self.scheme),
            host: owned(self.host),
            segs: self.segs.into_iter().map(owned).collect(),
            slash: self.slash,
            path_params: params(self.path_params),
            query: params(self.query),
            separator: self.separator,
        }
    }
}
