//! Pages that are nearly the same, and are not.

use super::{
    Difference::{self, Half, Lines, More, Numbers, Order, Word},
    Hope::{Both, Careful, Nothing},
    Kind, Shape, Site,
};

/// Items of which each of six values of a parameter shows a variant.
fn variants(site: &mut Site, shape: Shape, difference: Difference) {
    site.usual();
    site.each(shape, 330, |item| {
        item.base();
        for color in ["red", "blue", "green", "black", "white", "brown"] {
            let url = item.url().with("color", color);
            item.other(url, difference, color);
        }
    });
}

/// Families of twelve items that share most of a text; each has two addresses with a session.
fn families(site: &mut Site, difference: Difference) {
    site.usual();
    site.each(Shape::Goods, 75, |item| {
        for model in 0..12 {
            let url = item.url().suffix(format!("model-{model}"));
            for _ in 0..2 {
                let url = url.clone().with("visit", item.draw.hex(10));
                item.other(url, difference, model);
            }
        }
    });
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "lines-five",
        about: "colours of an article differ in five lines",
        hope: Careful,
        make: |site| variants(site, Shape::Product, Lines(5)),
    },
    Kind {
        name: "lines-two",
        about: "the same in two lines",
        hope: Careful,
        make: |site| variants(site, Shape::Product, Lines(2)),
    },
    Kind {
        name: "line-one",
        about: "the same in one line",
        hope: Careful,
        make: |site| variants(site, Shape::Product, Lines(1)),
    },
    Kind {
        name: "word-one",
        about: "the same in one word",
        hope: Nothing,
        make: |site| variants(site, Shape::Product, Word),
    },
    Kind {
        name: "numbers",
        about: "tables that differ in their numbers alone",
        hope: Nothing,
        make: |site| variants(site, Shape::Report, Numbers),
    },
    Kind {
        name: "order-of-rows",
        about: "lists that differ in the order of their rows alone",
        hope: Nothing,
        make: |site| variants(site, Shape::List, Order),
    },
    Kind {
        name: "order-of-lines",
        about: "articles whose lines come in another order",
        hope: Careful,
        make: |site| variants(site, Shape::Article, Order),
    },
    Kind {
        name: "half",
        about: "every second row is left out",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 900, |item| {
                item.base();
                item.other(item.url().with("only", "new"), Half, "new");
            });
        },
    },
    Kind {
        name: "comments-added",
        about: "further addresses show the page and three lines more each",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 450, |item| {
                item.base();
                for page in 2..=5 {
                    let url = item.url().with("comments", page);
                    item.other(url, More(3), page);
                }
            });
        },
    },
    Kind {
        name: "family-lines",
        about: "models that differ in four lines, each with two sessions",
        hope: Both,
        make: |site| families(site, Lines(4)),
    },
    Kind {
        name: "family-line",
        about: "models that differ in one line, each with two sessions",
        hope: Careful,
        make: |site| families(site, Lines(1)),
    },
    Kind {
        name: "family-word",
        about: "models that differ in one word, each with two sessions",
        hope: Nothing,
        make: |site| families(site, Word),
    },
    Kind {
        name: "short",
        about: "pages of six to twelve words, each another",
        hope: Careful,
        make: |site| {
            site.words(6..=12);
            site.usual();
            site.each(Shape::Photo, 800, |item| {
                item.base();
                let url = item.url().with("next", item.draw.below(900));
                item.other(url, Difference::All, "next");
            });
        },
    },
    Kind {
        name: "short-twice",
        about: "pages of fifteen to thirty words, each with two sessions beside the plain address",
        hope: Both,
        make: |site| {
            site.usual();
            site.words(15..=30);
            site.each(Shape::Photo, 700, |item| {
                item.base();
                item.copies(2, |item| item.url().with("visit", item.draw.hex(10)));
            });
        },
    },
    Kind {
        name: "lines-of-a-pool",
        about: "menus: ten of sixty lines each, so that no page has a line of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.words(75..=75);
            site.fill(Shape::Menu, 1600);
        },
    },
    Kind {
        name: "lines-of-a-pool-twice",
        about: "the same with two sessions beside the plain address",
        hope: Careful,
        make: |site| {
            site.usual();
            site.words(75..=75);
            site.each(Shape::Menu, 700, |item| {
                item.base();
                item.copies(2, |item| item.url().with("visit", item.draw.hex(10)));
            });
        },
    },
    Kind {
        name: "one-value-differs-little",
        about: "a campaign means nothing, but one value of it changes two lines",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 600, |item| {
                item.base();
                item.copies(2, |item| item.url().with("via", item.draw.below(40)));
                if item.n % 2 == 0 {
                    item.other(item.url().with("via", "sale"), Lines(2), "sale");
                }
            });
        },
    },
    Kind {
        name: "long-and-alike",
        about: "texts of six hundred words whose values differ in two lines",
        hope: Careful,
        make: |site| {
            site.words(500..=700);
            variants(site, Shape::Product, Lines(2));
        },
    },
];
