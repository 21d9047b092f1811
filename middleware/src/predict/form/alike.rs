//! What queries are compared without: differences that [normalization](crate::normalize) looks past in every URL.

use super::{
    Edit, Form,
    params::Param,
    part::{Kind, Part},
    piece::Whole,
};

/// How queries may differ and still be one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::predict) struct Alike {
    /// In the order of parameters with other names, unless `;` parts any, and in empty ones (`?&a=1`).
    pub(in crate::predict) order: bool,
    /// In whether a space is `+` or `%20`.
    pub(in crate::predict) spaces: bool,
}

/// A text of a query with each space written in one way.
fn respaced(text: &str) -> Option<String> {
    text.contains('+').then(|| text.replace('+', "%20"))
}

fn respace_name(of: &mut Whole) {
    if let Whole::Value { name } = of
        && let Some(spaced) = respaced(name)
    {
        *name = spaced;
    }
}

impl Form<'_> {
    /// The same URL taken apart without such differences, also after each edit.
    #[must_use]
    pub(in crate::predict) fn alike(mut self, alike: Alike) -> Self {
        self.alike = alike;
        if alike.spaces {
            self.respace();
        }
        if alike.order && !self.has_semicolons && self.params.len() > 1 {
            (self.params).retain(|(name, value)| !(name.is_empty() && value.is_empty()));
        }
        self.arrange();
        self
    }

    /// Another URL taken apart as this one is.
    pub(in crate::predict) fn parse_alike<'o>(&self, text: &'o str) -> Form<'o> {
        Form::parse(text).alike(self.alike)
    }

    /// How many of the parameters, the first ones, are the path's.
    fn of_path(&self) -> usize {
        let of_path = (self.params.iter()).take_while(|(name, _)| name.starts_with(';'));
        of_path.count()
    }

    fn respace(&mut self) {
        let of_path = self.of_path();
        for (name, value) in &mut self.params[of_path..] {
            for (kind, part) in [(Kind::Name, name), (Kind::Value, value)] {
                if let Some(text) = respaced(part) {
                    *part = Part::new(kind, text);
                }
            }
        }
    }

    /// Puts parameters whose names have changed in their order, if there is one.
    pub(super) fn arrange(&mut self) {
        if !self.alike.order || self.has_semicolons {
            return;
        }
        let of_path = self.of_path();
        let of_query = &mut self.params[of_path..];
        if !of_query.is_sorted_by(|(one, _), (other, _)| one <= other) {
            of_query.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
    }
}

impl Edit {
    /// What a claim from elsewhere says of URLs that are compared so.
    #[must_use]
    pub(in crate::predict) fn alike(mut self, alike: Alike) -> Self {
        if !alike.spaces {
            return self;
        }
        match &mut self {
            Self::Items { of, sign } => {
                if let (Whole::Value { .. }, Some(text)) = (&*of, respaced(sign)) {
                    *sign = text;
                }
                respace_name(of);
            }
            Self::Piece { of, .. } => respace_name(of),
            Self::Params(params) | Self::Both { params, .. } => {
                for text in params.iter_mut().flat_map(Param::texts_mut) {
                    if let Some(spaced) = respaced(text) {
                        *text = spaced.into();
                    }
                }
            }
            _ => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::text::Claim;

    const ALIKE: Alike = Alike {
        order: true,
        spaces: true,
    };

    fn key(query: &str, alike: Alike) -> u64 {
        Form::parse(&format!("http://e.org/a{query}"))
            .alike(alike)
            .key()
    }

    #[test]
    fn what_normalization_takes_for_one_query_is_one_form() {
        for (one, other) in [
            ("?q=red+lamp&p=1", "?p=1&q=red%20lamp"),
            ("?red+lamp=1", "?red%20lamp=1"),
            ("?7+red", "?7%20red"),
            ("?&p=1&&q=2", "?q=2&p=1"),
        ] {
            assert_eq!(key(one, ALIKE), key(other, ALIKE), "{one} {other}");
            assert_ne!(key(one, Alike::default()), key(other, Alike::default()));
        }
        for (one, other) in [
            ("?t=1&t=2", "?t=2&t=1"),
            ("?q=red%2Blamp", "?q=red+lamp"),
            ("?q=", "?"),
            ("/b+c?q=1", "/b%20c?q=1"),
            (";q=b+c?p=1", ";q=b%20c?p=1"),
        ] {
            assert_ne!(key(one, ALIKE), key(other, ALIKE), "{one} {other}");
        }
    }

    #[test]
    fn claims_from_elsewhere_are_about_the_same_spelling() {
        let parse = |text: &str| {
            let text = format!("{text} | host | 0000000000000000");
            text.parse::<Claim>().expect("a claim").edit
        };
        for (told, own) in [
            (
                "sort=last+change is as absent",
                "sort=last%20change is as absent",
            ),
            (
                "order of items parted by + in value of tags is ignored",
                "order of items parted by %20 in value of tags is ignored",
            ),
            (
                "order of items parted by , in value of all+tags is ignored",
                "order of items parted by , in value of all%20tags is ignored",
            ),
        ] {
            let told = parse(told);
            assert_eq!(told.clone().alike(Alike::default()), told);
            assert_eq!(told.alike(ALIKE), parse(own));
        }
    }
}
