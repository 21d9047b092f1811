//! Tells what belongs to an SVG picture within the page.
//!
//! Within `<svg>`, a tag may close its own element, and names mean other things than outside: `<title>` is the picture's name, and its
//! content is markup. A picture ends with its end tag, or where an element comes that cannot be in one (WHATWG HTML, section 13.2.6.5).

use html5ever::{LocalName, local_name, tokenizer::Tag};

use super::html::attribute;

/// Whether the text is that of a picture.
#[derive(Debug, Default)]
pub(super) struct Svg {
    open: u32,
    /// The element in it that is not shown, while one is open.
    hidden: Option<LocalName>,
    /// Open elements of it that hold a piece of the page.
    foreign: u32,
}

impl Svg {
    /// Whether a start tag is one of a picture, and not of the page.
    pub(super) fn takes(&mut self, tag: &Tag) -> bool {
        if tag.name == local_name!("svg") {
            self.open += u32::from(!tag.self_closing);
            return true;
        }
        if self.foreign > 0 {
            return false;
        }
        if self.open > 0 && is_of_the_page(tag) {
            *self = Self::default();
        }
        if self.open == 0 {
            return false;
        }
        if is_foreign(&tag.name) {
            self.foreign += u32::from(!tag.self_closing);
            return true;
        }
        let is_hidden = matches!(
            tag.name,
            local_name!("title") | local_name!("style") | local_name!("script")
        );
        if is_hidden && !tag.self_closing && self.hidden.is_none() {
            self.hidden = Some(tag.name.clone());
        }
        true
    }

    /// An end tag.
    pub(super) fn ends(&mut self, name: &LocalName) {
        if is_foreign(name) {
            self.foreign = self.foreign.saturating_sub(1);
        } else if *name == local_name!("svg") {
            self.open = self.open.saturating_sub(1);
            (self.hidden, self.foreign) = (None, 0);
        } else if self.hidden.as_ref() == Some(name) {
            self.hidden = None;
        } else if self.foreign == 0 && is_around(name) {
            *self = Self::default();
        }
    }

    /// Whether text is not shown.
    pub(super) const fn hides_text(&self) -> bool {
        self.hidden.is_some()
    }
}

/// Where an `<a>` of a picture leads in the older spelling.
pub(super) fn link(tag: &Tag) -> Option<&str> {
    attribute(tag, &LocalName::from("xlink:href"))
}

/// Whether what stands in an element of a picture is a piece of the page.
fn is_foreign(name: &LocalName) -> bool {
    **name == *"foreignobject" || **name == *"foreignObject"
}

/// Whether an element may be open around a picture, so that its end is that of the picture.
fn is_around(name: &LocalName) -> bool {
    const MORE: [LocalName; 16] = [
        local_name!("article"),
        local_name!("aside"),
        local_name!("button"),
        local_name!("figure"),
        local_name!("footer"),
        local_name!("form"),
        local_name!("header"),
        local_name!("label"),
        local_name!("main"),
        local_name!("nav"),
        local_name!("section"),
        local_name!("summary"),
        local_name!("td"),
        local_name!("th"),
        local_name!("tr"),
        local_name!("tbody"),
    ];
    is_never_in_one(name) || MORE.contains(name)
}

/// Whether no picture has such an element.
fn is_of_the_page(tag: &Tag) -> bool {
    const FONT: [LocalName; 3] = [
        local_name!("color"),
        local_name!("face"),
        local_name!("size"),
    ];
    let is_plain = || FONT.iter().all(|name| attribute(tag, name).is_none());
    is_never_in_one(&tag.name) || (tag.name == local_name!("font") && !is_plain())
}

/// The same of those of which the name alone tells.
const fn is_never_in_one(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("b")
            | local_name!("big")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("br")
            | local_name!("center")
            | local_name!("code")
            | local_name!("dd")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("em")
            | local_name!("embed")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("head")
            | local_name!("hr")
            | local_name!("i")
            | local_name!("img")
            | local_name!("li")
            | local_name!("listing")
            | local_name!("menu")
            | local_name!("meta")
            | local_name!("nobr")
            | local_name!("ol")
            | local_name!("p")
            | local_name!("pre")
            | local_name!("ruby")
            | local_name!("s")
            | local_name!("small")
            | local_name!("span")
            | local_name!("strong")
            | local_name!("strike")
            | local_name!("sub")
            | local_name!("sup")
            | local_name!("table")
            | local_name!("tt")
            | local_name!("u")
            | local_name!("ul")
            | local_name!("var")
    )
}
