//! What means nothing for a while, and then does; or the other way round, or there and back.
//!
//! A claim that turned wrong gives back all that it dropped, and no URL says which of that was right: what is asked is
//! that nothing stays lost.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site, capital,
};

/// Items with two addresses each beside the plain one, which show the same as long as the closure says so.
fn while_true(site: &mut Site, url: impl Fn(&Item) -> Address, is_same: impl Fn(&Item) -> bool) {
    site.usual();
    site.each(Shape::Article, 750, |item| {
        item.base();
        let is_same = is_same(item);
        for _ in 0..2 {
            let url = url(item);
            if is_same {
                item.same(url);
            } else {
                let name = url.to_string();
                item.other(url, All, name);
            }
        }
    });
}

/// With a parameter of many values.
fn campaign(item: &Item) -> Address {
    item.url().with("via", item.draw.below(900))
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "turn-early",
        about: "a parameter gets a meaning after a quarter of the crawl",
        hope: Careful,
        make: |site| while_true(site, campaign, |item| item.at < 0.25),
    },
    Kind {
        name: "turn-half",
        about: "the same after half of it",
        hope: Careful,
        make: |site| while_true(site, campaign, |item| item.at < 0.5),
    },
    Kind {
        name: "turn-late",
        about: "the same after three quarters",
        hope: Careful,
        make: |site| while_true(site, campaign, |item| item.at < 0.75),
    },
    Kind {
        name: "turn-last",
        about: "the same for the last twentieth",
        hope: Careful,
        make: |site| while_true(site, campaign, |item| item.at < 0.95),
    },
    Kind {
        name: "turn-back",
        about: "a parameter with a meaning loses it after a third",
        hope: Both,
        make: |site| while_true(site, campaign, |item| item.at > 0.33),
    },
    Kind {
        name: "there-and-back",
        about: "a parameter has a meaning in the middle third alone",
        hope: Careful,
        make: |site| {
            while_true(site, campaign, |item| !(0.4..0.65).contains(&item.at));
        },
    },
    Kind {
        name: "to-and-fro",
        about: "it has a meaning in every second tenth of the crawl",
        hope: Careful,
        make: |site| {
            while_true(site, campaign, |item| {
                ((item.at * 10.0) as u32).is_multiple_of(2)
            });
        },
    },
    Kind {
        name: "creeping",
        about: "it gets a meaning for ever more items, from none to three in ten",
        hope: Careful,
        make: |site| {
            while_true(site, campaign, |item| {
                item.draw.below(1000) as f64 > 300.0 * item.at
            });
        },
    },
    Kind {
        name: "turn-prefix",
        about: "what stands before the path gets a meaning after half of the crawl",
        hope: Careful,
        make: |site| {
            while_true(
                site,
                |item| item.url().prefix(item.draw.pick(&["print", "text"])),
                |item| item.at < 0.5,
            );
        },
    },
    Kind {
        name: "turn-host",
        about: "a second host gets pages of its own after half of the crawl",
        hope: Careful,
        make: |site| {
            while_true(
                site,
                |item| item.url().below(item.draw.pick(&["eu", "asia"])),
                |item| item.at < 0.5,
            );
        },
    },
    Kind {
        name: "turn-case",
        about: "capitals get a meaning after half of the crawl",
        hope: Careful,
        make: |site| {
            while_true(
                site,
                |item| item.url().respelled(capital),
                |item| item.at < 0.5,
            );
        },
    },
    Kind {
        name: "turn-token",
        about: "a token in the path gets a meaning after half of the crawl",
        hope: Careful,
        make: |site| {
            while_true(
                site,
                |item| item.url().insert(1, item.draw.hex(8)),
                |item| item.at < 0.5,
            );
        },
    },
    Kind {
        name: "new-parameter",
        about: "a parameter that counts comes beside one that does not, late",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 600, |item| {
                for _ in 0..3 {
                    let url = item.url().with("visit", item.draw.hex(8));
                    if item.at > 0.6 && item.draw.one_in(2) {
                        let start = item.draw.below(30);
                        item.other(url.with("start", start), All, start);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "late-link",
        about: "items of all ages have a page for a campaign that is linked at the end only",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.copies(2, campaign);
                if item.n % 4 == 0 {
                    let value = item.draw.between(1000..=1900);
                    let url = item.url().with("via", value);
                    let place = 0.9 + 0.1 * item.at;
                    item.other(url, All, value).linked_at(place);
                }
            });
        },
    },
    Kind {
        name: "turn-with-chrome",
        about: "a parameter gets a meaning when the chrome changes",
        hope: Careful,
        make: |site| {
            site.frames(|at| u32::from(at > 0.6));
            site.usual();
            site.each(Shape::Article, 750, |item| {
                item.base();
                for _ in 0..2 {
                    let value = item.draw.below(900);
                    let url = item.url().with("via", value);
                    if item.at < 0.6 {
                        item.same(url);
                    } else {
                        item.other(url, All, value);
                    }
                }
            });
        },
    },
    Kind {
        name: "canonical-turns",
        about: "campaigns name the plain address as canonical, rightly for two thirds of the crawl",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                let plain = item.url();
                item.base().canonical(plain.clone());
                for _ in 0..2 {
                    let value = item.draw.below(700);
                    let url = item.url().with("via", value);
                    if item.at < 0.66 {
                        item.same(url).canonical(plain.clone());
                    } else {
                        item.other(url, All, value).canonical(plain.clone());
                    }
                }
            });
        },
    },
    Kind {
        name: "long-lists-late",
        about: "orders of lists mean nothing until lists get long, in the last quarter",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 450, |item| {
                item.base();
                for sort in ["name", "date", "price", "rank"] {
                    let url = item.url().with("sort", sort);
                    if item.at < 0.75 {
                        item.same(url);
                    } else {
                        item.other(url, All, sort);
                    }
                }
            });
        },
    },
    Kind {
        name: "new-values-late",
        about: "twenty values of `tab` mean nothing; ten new ones, late, show a page each",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                item.base();
                for _ in 0..2 {
                    if item.at > 0.7 && item.draw.one_in(2) {
                        let tab = format!("extra{}", item.draw.below(10));
                        let url = item.url().with("tab", &tab);
                        item.other(url, All, tab);
                    } else {
                        item.same(item.url().with("tab", item.draw.below(20)));
                    }
                }
            });
        },
    },
    Kind {
        name: "new-words-late",
        about: "numbers as values of `tab` mean nothing; words, late, show a page each",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                item.base();
                for _ in 0..2 {
                    if item.at > 0.7 && item.draw.one_in(2) {
                        let tab = item.draw.pick(&["reviews", "offers", "parts", "photos"]);
                        item.other(item.url().with("tab", tab), All, tab);
                    } else {
                        item.same(item.url().with("tab", item.draw.below(5000)));
                    }
                }
            });
        },
    },
    Kind {
        name: "turn-last-prefix",
        about: "what stands before the path gets a meaning in the last tenth",
        hope: Careful,
        make: |site| {
            while_true(
                site,
                |item| item.url().prefix(item.draw.pick(&["print", "text"])),
                |item| item.at < 0.9,
            );
        },
    },
    Kind {
        name: "turn-last-token",
        about: "a token in the path gets a meaning in the last tenth",
        hope: Careful,
        make: |site| {
            while_true(
                site,
                |item| item.url().insert(1, item.draw.hex(8)),
                |item| item.at < 0.9,
            );
        },
    },
    Kind {
        name: "shape-last",
        about: "a campaign means nothing for articles; in topics, which come last, it chooses a page",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                item.base();
                item.copies(2, campaign);
            });
            site.span(0.93, 1.0);
            site.each(Shape::Topic, 90, |item| {
                item.base();
                for _ in 0..2 {
                    let value = item.draw.below(900);
                    item.other(item.url().with("via", value), All, value);
                }
            });
        },
    },
    Kind {
        name: "folder-last",
        about: "the same for a new folder of a shop",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 700, |item| {
                item.base();
                item.copies(2, campaign);
            });
            site.span(0.93, 1.0);
            site.each(Shape::Goods, 90, |item| {
                for _ in 0..3 {
                    let value = item.draw.below(900);
                    let url = item.url().replace(1, "toys").with("via", value);
                    item.other(url, All, value);
                }
            });
        },
    },
    Kind {
        name: "orders-last",
        about: "of four orders, which mean nothing, each shows a page of its own in the last twelfth",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 450, |item| {
                item.base();
                for order in ["new", "old", "best", "all"] {
                    let url = item.url().with("order", order);
                    if item.at < 0.92 {
                        item.same(url);
                    } else {
                        item.other(url, All, order);
                    }
                }
            });
        },
    },
];
