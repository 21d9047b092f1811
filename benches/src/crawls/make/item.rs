//! Which addresses show a page, and which show something like it?

use std::fmt;

use super::{
    address::Address,
    draw::Draw,
    shape::Shape,
    text::{Content, Difference},
};

/// Where a spelling leads.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// To the page itself, with its links.
    Page(Content),
    /// To a page that many addresses share, with no links of its own.
    Wall(Content),
    /// To this address, by a redirect.
    Redirect(Content, Address),
}

/// One address of a page, as it is linked somewhere.
#[derive(Clone, Debug)]
pub struct Spelling {
    pub(super) address: Address,
    pub(super) answer: Answer,
    pub(super) frame: Option<u32>,
    pub(super) note: Option<String>,
    pub(super) place: Option<f64>,
    pub(super) canonical: Option<Address>,
    /// Whether no page links to it.
    pub(super) is_hidden: bool,
    /// The page of its item that links to it, if no others do.
    pub(super) from: Option<Address>,
}

impl Spelling {
    /// In this chrome, whatever stands around the pages beside it.
    pub fn frame(&mut self, number: u32) -> &mut Self {
        self.frame = Some(number);
        self
    }

    /// With a line above the text that belongs to this address alone.
    pub fn note(&mut self, line: impl Into<String>) -> &mut Self {
        self.note = Some(line.into());
        self
    }

    /// Linked from pages at this place of the crawl, 0 to 1, and not from those near its own.
    pub fn linked_at(&mut self, place: f64) -> &mut Self {
        self.place = Some(place);
        self
    }

    /// Linked from another page of its item, under whatever address that shows, and from no others.
    pub fn linked_from(&mut self, page: Address) -> &mut Self {
        self.from = Some(page);
        self
    }

    /// With this `rel=canonical`.
    pub fn canonical(&mut self, address: Address) -> &mut Self {
        self.canonical = Some(address);
        self
    }
}

/// A page of a site, and everything that looks like it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its number among those made with it, from 0.
    pub n: usize,
    /// Where it is met in the crawl, 0 to 1.
    pub at: f64,
    /// What falls by lot about it.
    pub draw: Draw,
    pub(super) url: Address,
    pub(super) content: Content,
    pub(super) spellings: Vec<Spelling>,
}

impl Item {
    /// Its plain address.
    pub fn url(&self) -> Address {
        self.url.clone()
    }

    /// Addresses that are linked from pages of it with this content, and from no others.
    pub(super) fn linked_from(&self, content: &Content) -> impl Iterator<Item = String> {
        let shows_it = |spelling: &&Spelling| matches!(&spelling.answer, Answer::Page(shown) if shown.label() == content.label());
        let shown: Vec<&Address> = (self.spellings.iter().filter(shows_it))
            .map(|spelling| &spelling.address)
            .collect();
        let is_linked = move |spelling: &&Spelling| {
            (spelling.from.as_ref()).is_some_and(|from| shown.contains(&from))
        };
        let linked = self.spellings.iter().filter(is_linked);
        linked.map(|spelling| spelling.address.to_string())
    }

    /// It is linked by its plain address.
    pub fn base(&mut self) -> &mut Spelling {
        self.same(self.url())
    }

    /// This address shows it, too.
    pub fn same(&mut self, address: Address) -> &mut Spelling {
        let content = self.content.clone();
        self.add(address, Answer::Page(content))
    }

    /// So many addresses, made one by one, show it, too.
    pub fn copies(&mut self, many: usize, make: impl Fn(&Self) -> Address) {
        for _ in 0..many {
            self.same(make(self));
        }
    }

    /// This address redirects to one of its own that is such a wall.
    pub fn behind_wall(&mut self, address: Address, to: Address, name: &str) {
        self.wall(to.clone(), name).is_hidden = true;
        self.redirect_to_wall(address, to, name);
    }

    /// This address shows another content, made of this one; those of one item with equal names are one.
    pub fn other(
        &mut self,
        address: Address,
        difference: Difference,
        name: impl fmt::Display,
    ) -> &mut Spelling {
        let content = self.variant(difference, name);
        self.add(address, Answer::Page(content))
    }

    fn variant(&self, difference: Difference, name: impl fmt::Display) -> Content {
        Content {
            variant: Some((difference, name.to_string())),
            ..self.content.clone()
        }
    }

    /// This address shows the same as all of the site that share this name: a form to log in, say.
    pub fn wall(&mut self, address: Address, name: &str) -> &mut Spelling {
        self.add(address, Answer::Wall(Content::wall(name)))
    }

    /// This address redirects to that one, which is such a wall.
    pub fn redirect_to_wall(&mut self, address: Address, to: Address, name: &str) -> &mut Spelling {
        self.add(address, Answer::Redirect(Content::wall(name), to))
    }

    /// This address redirects to that one, which nothing else leads to and which shows another content, made of this one.
    pub fn behind(
        &mut self,
        address: Address,
        to: Address,
        difference: Difference,
        name: impl fmt::Display,
    ) -> &mut Spelling {
        let content = self.variant(difference, name);
        self.add(to.clone(), Answer::Page(content.clone()))
            .is_hidden = true;
        self.add(address, Answer::Redirect(content, to))
    }

    /// This address redirects to that one, which shows the item.
    pub fn redirect(&mut self, address: Address, to: Address) -> &mut Spelling {
        let content = self.content.clone();
        self.add(address, Answer::Redirect(content, to))
    }

    fn add(&mut self, address: Address, answer: Answer) -> &mut Spelling {
        let at = self.spellings.len();
        self.spellings.push(Spelling {
            address,
            answer,
            frame: None,
            note: None,
            place: None,
            canonical: None,
            is_hidden: false,
            from: None,
        });
        &mut self.spellings[at]
    }
}

impl Shape {
    /// Page `n` of this shape, without any address yet.
    pub(super) fn item(self, site: &super::Site, n: usize, at: f64) -> Item {
        let origin = format!("{}/{n}", self.name());
        let draw = Draw::named(site.seed(), &format!("item {origin}"));
        Item {
            n,
            at,
            url: self.address(site.host(), n, &draw),
            draw,
            content: Content {
                origin,
                variant: None,
                form: self.form(),
                words: site.length(),
            },
            spellings: Vec::new(),
        }
    }
}
