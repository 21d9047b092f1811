//! Links that lead elsewhere than they say, to what no other link leads to.

use super::{Difference, Hope::Careful, Item, Kind, Shape};

fn from(item: &Item) -> super::Address {
    item.url().with("ref", item.draw.hex(8))
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
];
