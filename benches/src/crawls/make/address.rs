//! How is an address taken apart, changed and put together again?

use std::fmt;

/// A URL in parts. Every method gives another address; what it is called on stays as it is when cloned before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: &'static str,
    host: String,
    segments: Vec<String>,
    tail: String,
    query: Vec<(String, Option<String>)>,
}

impl Address {
    /// `http://host/` and this path, whose segments are divided by slashes.
    pub fn new(host: &str, path: &str) -> Self {
        Self {
            scheme: "http",
            host: host.to_owned(),
            segments: path.split('/').map(str::to_owned).collect(),
            tail: String::new(),
            query: Vec::new(),
        }
    }

    /// With one parameter more, at the end.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.query.push((name.to_owned(), Some(value.to_string())));
        self
    }

    /// With one parameter more, before all others.
    #[must_use]
    pub fn first(mut self, name: &str, value: impl fmt::Display) -> Self {
        (self.query).insert(0, (name.to_owned(), Some(value.to_string())));
        self
    }

    /// With a parameter that has no `=`.
    #[must_use]
    pub fn flag(mut self, name: &str) -> Self {
        self.query.push((name.to_owned(), None));
        self
    }

    /// With its parameters the other way round.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.query.reverse();
        self
    }

    /// With one segment more, before the one at this place, or at the end.
    #[must_use]
    pub fn insert(mut self, at: usize, segment: impl fmt::Display) -> Self {
        let at = at.min(self.segments.len());
        self.segments.insert(at, segment.to_string());
        self
    }

    /// With one segment more, before all others.
    #[must_use]
    pub fn prefix(self, segment: impl fmt::Display) -> Self {
        self.insert(0, segment)
    }

    /// With one segment more, at the end.
    #[must_use]
    pub fn suffix(self, segment: impl fmt::Display) -> Self {
        self.insert(usize::MAX, segment)
    }

    /// With this segment in the place of the one that stands there.
    #[must_use]
    pub fn replace(mut self, at: usize, segment: impl fmt::Display) -> Self {
        if let Some(old) = self.segments.get_mut(at) {
            *old = segment.to_string();
        }
        self
    }

    /// With its segments made others.
    #[must_use]
    pub fn respelled(mut self, spell: impl Fn(&str) -> String) -> Self {
        for segment in &mut self.segments {
            *segment = spell(segment);
        }
        self
    }

    /// With this text behind the path: `/`, `/index.html`, `;visit=7`.
    #[must_use]
    pub fn tail(mut self, text: impl fmt::Display) -> Self {
        self.tail = text.to_string();
        self
    }

    /// On a host that stands below this one: `us.` is put before its name.
    #[must_use]
    pub fn below(mut self, label: &str) -> Self {
        self.host = format!("{label}.{}", self.host);
        self
    }

    /// On another port.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.host = format!("{}:{port}", self.host);
        self
    }

    /// By `https`.
    #[must_use]
    pub fn https(mut self) -> Self {
        self.scheme = "https";
        self
    }

    /// The host, with its port if it has one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The last segment.
    pub fn last(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// The value of the first parameter of a name.
    pub fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.query.iter().find(|(of, _)| of == name)?;
        value.as_deref()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}/", self.scheme, self.host)?;
        f.write_str(&self.segments.join("/"))?;
        f.write_str(&self.tail)?;
        for (at, (name, value)) in self.query.iter().enumerate() {
            write!(f, "{}{name}", if at == 0 { '?' } else { '&' })?;
            if let Some(value) = value {
                write!(f, "={value}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_stands_where_it_belongs() {
        let url = Address::new("a.example", "shop/item").with("id", 7);
        assert_eq!(url.to_string(), "http://a.example/shop/item?id=7");
        let other = (url.clone().prefix("m").suffix("print").first("a", 1))
            .flag("full")
            .below("us")
            .https();
        let told = "https://us.a.example/m/shop/item/print?a=1&id=7&full";
        assert_eq!(other.to_string(), told);
        let session = url.tail(";visit=9").replace(0, "store").reversed();
        assert_eq!(
            session.to_string(),
            "http://a.example/store/item;visit=9?id=7"
        );
    }
}
