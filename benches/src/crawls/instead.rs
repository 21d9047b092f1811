//! Pages that come now and then instead of others, whatever URL is asked for: a server that is busy, a session that has
//! ended, a form that asks for consent.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// Topics under their plain address, and so many visits of each, which show the topic or what comes instead of it.
fn visits(
    site: &mut Site,
    topics: usize,
    many: usize,
    instead: impl Fn(&Item) -> Option<&'static str>,
) {
    site.usual();
    site.each(Shape::Topic, topics, |item| {
        item.base();
        for _ in 0..many {
            let url = visit(item);
            match instead(item) {
                Some(name) => item.wall(url, name),
                None => item.same(url),
            };
        }
    });
}

/// An address with a session of its own.
fn visit(item: &Item) -> Address {
    item.url().with("visit", item.draw.hex(10))
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "busy-middle",
        about: "for a tenth of the crawl every topic is a busy server; each has a session beside its plain address",
        hope: Both,
        make: |site| {
            visits(site, 700, 2, |item| {
                (0.5..0.6).contains(&item.at).then_some("busy")
            });
        },
    },
    Kind {
        name: "busy-scattered",
        about: "one answer in ten is a busy server; each topic has three sessions",
        hope: Both,
        make: |site| visits(site, 600, 3, |item| item.draw.one_in(10).then_some("busy")),
    },
    Kind {
        name: "busy-plain",
        about: "one plain address in ten is a busy server, whose page is behind another session",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.copies(3, visit);
                if item.draw.one_in(10) {
                    item.wall(item.url(), "busy");
                } else {
                    item.base();
                }
            });
        },
    },
    Kind {
        name: "consent",
        about: "the first visit of each folder's pages asks for consent",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 1700, |item| {
                if item.n % 12 == 0 && item.n < 400 {
                    item.wall(item.url(), "consent");
                } else {
                    item.base();
                }
            });
        },
    },
    Kind {
        name: "busy-pairs",
        about: "while the server is busy, for a fifth of the crawl, two parts of a story are both the same error",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                let second = item.url().with("part", 2);
                if item.at < 0.2 {
                    item.wall(item.url(), "busy");
                    item.wall(second, "busy");
                } else {
                    item.base();
                    item.other(second, All, 2);
                }
            });
        },
    },
    Kind {
        name: "busy-mirrors",
        about: "a second host has the same pages; one answer in ten, on either, is a busy server",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                for host in ["", "m."] {
                    let url = Address::new(&format!("{host}{}", item.url().host()), "story");
                    let url = url.with("id", 100 + item.n);
                    if item.draw.one_in(10) {
                        item.wall(url, "busy");
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "busy-or-ended",
        about: "of three visits of each topic one in twelve is a busy server, and one in twelve has ended",
        hope: Both,
        make: |site| {
            visits(site, 600, 3, |item| match item.draw.below(12) {
                0 => Some("busy"),
                1 => Some("ended"),
                _ => None,
            });
        },
    },
    Kind {
        name: "maintenance-first",
        about: "in the first tenth of the crawl all topics are maintained, with a session and without; later visits show them",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                let visits = [(); 3].map(|()| visit(item));
                if item.at < 0.1 {
                    item.wall(item.url(), "maintenance");
                    let [one, other, last] = visits;
                    item.wall(one, "maintenance");
                    item.wall(other, "maintenance");
                    item.same(last).linked_at(0.9);
                } else {
                    item.base();
                    for visit in visits {
                        item.same(visit);
                    }
                }
            });
        },
    },
    Kind {
        name: "sessions-end",
        about: "in the second half of the crawl every session leads to the form to log in",
        hope: Both,
        make: |site| visits(site, 650, 2, |item| (item.at > 0.5).then_some("login")),
    },
    Kind {
        name: "reviews-mostly-none",
        about: "`tab=info` is the article, `tab=reviews` says that there are none, but for one article in thirty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 750, |item| {
                item.base();
                item.same(item.url().with("tab", "info"));
                let reviews = item.url().with("tab", "reviews");
                if item.n % 30 == 11 {
                    item.other(reviews, All, "reviews");
                } else {
                    item.wall(reviews, "no reviews");
                }
            });
        },
    },
    Kind {
        name: "revisions-mostly-none",
        about: "of the numbers of revisions half are the page, most others none, one in thirty another page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 600, |item| {
                item.base();
                for turn in 0..3 {
                    let number = 3 * item.draw.below(900) + turn;
                    let url = item.url().with("rev", number);
                    match item.draw.below(30) {
                        0 => item.other(url, All, turn),
                        1..15 => item.wall(url, "no such revision"),
                        _ => item.same(url),
                    };
                }
            });
        },
    },
    Kind {
        name: "ends-of-lists",
        about: "of twelve pages that each list is said to have most are beyond its end; one list in thirty has a second one",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 500, |item| {
                item.base();
                item.same(item.url().with("page", 1));
                let second = item.url().with("page", 2);
                if item.n % 30 == 7 {
                    item.other(second, All, "second");
                } else {
                    item.wall(second, "nothing here");
                }
                let far = item.url().with("page", 3 + item.draw.below(9));
                item.wall(far, "nothing here");
            });
        },
    },
];
