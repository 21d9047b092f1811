//! Links that lead elsewhere than they say: to what no other link leads to, or all to the same.

use super::{
    Difference,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

fn from(item: &Item) -> super::Address {
    item.url().with("ref", item.draw.hex(8))
}

/// A link to what only members may do.
fn wish(item: &Item) -> super::Address {
    let place = super::Address::new(item.url().host(), "wishlist/add");
    place
        .suffix(item.n)
        .suffix("from")
        .suffix(item.draw.hex(12))
}

fn form(item: &Item) -> super::Address {
    super::Address::new(item.url().host(), "login.php")
}

/// An article beside two links to what only members may do, and one to the form.
fn for_members(item: &mut Item) {
    item.base();
    item.wall(form(item), "login");
    for _ in 0..2 {
        item.redirect_to_wall(wish(item), form(item), "login");
    }
}

/// Such a link that leads to a page of its own.
fn wished(item: &mut Item) {
    let to = item.url().replace(0, "wishes");
    item.behind(wish(item), to, Difference::All, 0);
}

/// An article with links that set one of two languages: they have its address to come back to.
fn with_languages(item: &mut Item) {
    item.base();
    for language in ["de", "fr"] {
        let (link, page) = (set_language(item, language), item.url());
        item.redirect(link, page.clone()).linked_from(page);
    }
}

fn set_language(item: &Item, language: &str) -> super::Address {
    let page = item.url().to_string();
    let path = page.split('/').skip(3).collect::<Vec<_>>().join("%2F");
    let place = super::Address::new(item.url().host(), "locale/set");
    place
        .with("locale", language)
        .with("next", format!("%2F{path}"))
}

/// The same of an article that has a page of its own in one language.
fn translated(item: &mut Item) {
    item.base();
    let (link, page) = (set_language(item, "de"), item.url());
    let to = page.clone().replace(0, "de");
    item.behind(link, to, Difference::All, 0).linked_from(page);
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "redirect-elsewhere",
        about: "`ref=` does not matter; the address without one redirects to a page of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 450, |item| {
                item.copies(2, from);
                let to = item.url().replace(0, "summary");
                item.behind(item.url(), to, Difference::All, 0);
            });
        },
    },
    Kind {
        name: "redirect-elsewhere-some",
        about: "`ref=` does not matter, but one such address in three redirects to a page of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 450, |item| {
                item.base();
                item.same(from(item));
                if item.n.is_multiple_of(3) {
                    let to = item.url().replace(0, "summary");
                    item.behind(from(item), to, Difference::All, 0);
                } else {
                    item.same(from(item));
                }
            });
        },
    },
    Kind {
        name: "members-only",
        about: "beside each article are two links to what only members may do, each with a token, which redirect to the form to log in",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                for_members(item);
            });
        },
    },
    Kind {
        name: "members-only-some",
        about: "the same, and of forty articles one has a link that redirects to a page of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                for_members(item);
                if item.n % 40 == 29 {
                    wished(item);
                }
            });
        },
    },
    Kind {
        name: "members-only-first",
        about: "the same links redirect to the form to log in on the first half of the site, and to a page of their own each on the other",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                if item.n < 350 {
                    for_members(item);
                } else {
                    item.base();
                    item.wall(form(item), "login");
                    wished(item);
                }
            });
        },
    },
    Kind {
        name: "members-only-return",
        about: "links to what only members may do redirect to the form to log in with their own address in its query",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                item.base();
                let wish = wish(item);
                let back = form(item).with("next", wish.to_string().replace('/', "%2F"));
                item.behind_wall(wish, back, "login");
            });
        },
    },
    Kind {
        name: "languages-back",
        about: "each article has links that set a language, with its address in them, to which they redirect",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, with_languages);
        },
    },
    Kind {
        name: "languages-back-some",
        about: "the same, and for one article in forty such a link redirects to a page of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                if item.n % 40 == 29 {
                    translated(item);
                } else {
                    with_languages(item);
                }
            });
        },
    },
    Kind {
        name: "languages-back-turn",
        about: "the same, and on the second half of the site all of them redirect to a page of their own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                if item.n < 350 {
                    with_languages(item);
                } else {
                    translated(item);
                }
            });
        },
    },
];
