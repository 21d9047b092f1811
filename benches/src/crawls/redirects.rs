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
];
