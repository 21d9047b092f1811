//! Claims that are wrong for one page in twenty, fifty or a hundred.

use super::{
    Difference::{All, Lines},
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// A campaign that means nothing, but for one link in so many, which shows a page of its own.
fn campaign(site: &mut Site, one_in: usize) {
    site.usual();
    site.each(Shape::Article, 650, |item| {
        item.base();
        for turn in 0..2 {
            let value = 2 * item.draw.below(2500) + turn;
            let url = item.url().with("via", value);
            if item.draw.one_in(one_in) {
                item.other(url, All, value);
            } else {
                item.same(url);
            }
        }
    });
}

/// A second address of each item, which shows another page for one in so many.
fn alias(item: &mut Item, url: super::Address, one_in: usize) {
    item.base();
    if item.draw.one_in(one_in) {
        item.other(url, All, "own");
    } else {
        item.same(url);
    }
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "link-in-100",
        about: "a parameter without meaning, but for one link in a hundred",
        hope: Both,
        make: |site| campaign(site, 100),
    },
    Kind {
        name: "link-in-50",
        about: "the same for one link in fifty",
        hope: Careful,
        make: |site| campaign(site, 50),
    },
    Kind {
        name: "link-in-20",
        about: "the same for one link in twenty",
        hope: Careful,
        make: |site| campaign(site, 20),
    },
    Kind {
        name: "link-in-6",
        about: "the same for one link in six",
        hope: Careful,
        make: |site| campaign(site, 6),
    },
    Kind {
        name: "item-in-50",
        about: "an item in fifty has a page for each of its campaigns",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 550, |item| {
                item.base();
                let is_other = item.draw.one_in(50);
                for _ in 0..4 {
                    let value = item.draw.below(5000);
                    let url = item.url().with("via", value);
                    if is_other {
                        item.other(url, All, value);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "prefix-in-20",
        about: "`/print/` shows another page for one item in twenty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                alias(item, item.url().prefix("print"), 20);
            });
        },
    },
    Kind {
        name: "prefix-in-100",
        about: "the same for one item in a hundred",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                alias(item, item.url().prefix("print"), 100);
            });
        },
    },
    Kind {
        name: "host-in-20",
        about: "the other host shows another page for one item in twenty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                alias(item, item.url().below("eu"), 20);
            });
        },
    },
    Kind {
        name: "host-in-100",
        about: "the same for one item in a hundred",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                alias(item, item.url().below("eu"), 100);
            });
        },
    },
    Kind {
        name: "case-in-20",
        about: "capitals show another page for one item in twenty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 900, |item| {
                alias(item, item.url().respelled(str::to_uppercase), 20);
            });
        },
    },
    Kind {
        name: "suffix-in-50",
        about: "`/full` shows another page for one item in fifty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Dated, 900, |item| {
                alias(item, item.url().suffix("full"), 50);
            });
        },
    },
    Kind {
        name: "segment-in-50",
        about: "a token in the path shows another page for one link in fifty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                for _ in 0..3 {
                    let token = item.draw.hex(8);
                    let url = item.url().insert(1, &token);
                    if item.draw.one_in(50) {
                        item.other(url, All, token);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "hidden-share",
        about: "session and campaign, of which the session shows another page for one link in thirty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 600, |item| {
                for _ in 0..4 {
                    let visit = item.draw.hex(8);
                    let url = item.url().with("visit", &visit);
                    let url = url.with("ref", item.draw.below(20));
                    if item.draw.one_in(30) {
                        item.other(url, All, visit);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "stretch",
        about: "a parameter without meaning, but for forty items in a row",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 700, |item| {
                item.base();
                for _ in 0..2 {
                    let value = item.draw.below(3000);
                    let url = item.url().with("hl", value);
                    if (400..440).contains(&item.n) {
                        item.other(url, All, value);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "stretch-of-prefix",
        about: "`/text/` is the same page, but for sixty items in a row",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 900, |item| {
                let url = item.url().prefix("text");
                item.base();
                if (500..560).contains(&item.n) {
                    item.other(url, All, "text");
                } else {
                    item.same(url);
                }
            });
        },
    },
    Kind {
        name: "capital-twins",
        about: "a wiki in either case; one name in forty has a twin in capitals",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 900, |item| {
                let twin = item.url().respelled(str::to_uppercase);
                item.base();
                if item.draw.one_in(40) {
                    item.other(twin, All, "twin");
                } else {
                    item.same(twin);
                }
            });
        },
    },
    Kind {
        name: "mirror-behind",
        about: "a mirror that has the state of last month: one page in fifteen is older there, in three lines",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 900, |item| {
                let mirror = item.url().below("mirror");
                item.base();
                if item.draw.one_in(15) {
                    item.other(mirror, Lines(3), "older");
                } else {
                    item.same(mirror);
                }
            });
        },
    },
    Kind {
        name: "redirects-mostly",
        about: "the old folder redirects to the new one, but one page in twenty-five is still another",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 900, |item| {
                let old = item.url().replace(0, "handbook");
                item.base();
                if item.draw.one_in(25) {
                    item.other(old, All, "old");
                } else {
                    item.redirect(old, item.url());
                }
            });
        },
    },
];
