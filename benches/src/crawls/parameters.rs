//! Parameters without meaning: sessions, campaigns, cache busters, one at a time and several at once.

use super::{
    Difference,
    Hope::{Both, Careful},
    Kind, Shape,
};

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "fresh",
        about: "one parameter with a fresh value at each link",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 650, |item| {
                item.copies(3, |item| item.url().with("visit", item.draw.hex(16)));
            });
        },
    },
    Kind {
        name: "fresh-and-plain",
        about: "the same beside links that have no such parameter",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.copies(2, |item| item.url().with("visit", item.draw.hex(16)));
            });
        },
    },
    Kind {
        name: "fresh-everywhere",
        about: "three parts of the site with the same fresh parameter, each with its own scripts",
        hope: Both,
        make: |site| {
            site.usual();
            for shape in [Shape::Product, Shape::Topic, Shape::Wiki] {
                site.each(shape, 230, |item| {
                    item.copies(3, |item| item.url().with("token", item.draw.hex(16)));
                });
            }
        },
    },
    Kind {
        name: "few",
        about: "one of thirty campaigns, or none",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.copies(2, |item| {
                    item.url().with("ref", format!("p{}", item.draw.below(30)))
                });
            });
        },
    },
    Kind {
        name: "two-fresh",
        about: "two fresh parameters that are always there together",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 600, |item| {
                item.copies(4, |item| {
                    let url = item.url().with("visit", item.draw.hex(12));
                    url.with("stamp", item.draw.below(1 << 30))
                });
            });
        },
    },
    Kind {
        name: "three-fresh",
        about: "three of them",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 600, |item| {
                item.copies(4, |item| {
                    let url = item.url().with("visit", item.draw.hex(12));
                    let url = url.with("stamp", item.draw.below(1 << 30));
                    url.first("rnd", item.draw.below(1 << 20))
                });
            });
        },
    },
    Kind {
        name: "two-mixed",
        about: "of two parameters without meaning a link has none, one or both",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 600, |item| {
                item.copies(4, |item| {
                    let mut url = item.url();
                    if item.draw.one_in(2) {
                        url = url.with("highlight", item.draw.hex(5));
                    }
                    if item.draw.one_in(2) {
                        url = url.with("view", item.draw.pick(&["new", "old", "flat", "tree"]));
                    }
                    url
                });
            });
        },
    },
    Kind {
        name: "keyless",
        about: "a fresh number in the place of the query",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.copies(3, |item| {
                    item.url().flag(&item.draw.below(1 << 30).to_string())
                });
            });
        },
    },
    Kind {
        name: "fresh-names",
        about: "a parameter whose very name is new at each link",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.copies(3, |item| {
                    item.url().with(&format!("x{}", item.draw.hex(6)), 1)
                });
            });
        },
    },
    Kind {
        name: "fresh-names-beside",
        about: "a parameter with a new name at each link beside one that matters",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 650, |item| {
                item.copies(3, |item| {
                    item.url().with(&item.draw.hex(8), item.draw.below(100))
                });
            });
        },
    },
    Kind {
        name: "clock",
        about: "the second of the visit, so that values grow during the crawl",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.copies(3, |item| {
                    let second = 1_700_000_000 + item.n * 60 + item.draw.below(60);
                    item.url().with("time", second)
                });
            });
        },
    },
    Kind {
        name: "segment-and-parameter",
        about: "a fresh token in the path and another in the query, always both",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                item.copies(3, |item| {
                    let url = item.url().insert(1, item.draw.hex(10));
                    url.with("visit", item.draw.hex(12))
                });
            });
        },
    },
    Kind {
        name: "segment-or-parameter",
        about: "a fresh token in the path or one in the query, or neither",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                item.base();
                item.same(item.url().insert(1, item.draw.hex(10)));
                item.same(item.url().with("visit", item.draw.hex(12)));
            });
        },
    },
    Kind {
        name: "front-controller",
        about: "one script for everything; its session has no meaning, everything else has",
        hope: Both,
        make: |site| {
            site.fill(Shape::Dated, 150);
            for page in ["story", "user", "photo"] {
                site.each(Shape::Front, 250, |item| {
                    let id = 10 * item.n + 3;
                    item.copies(3, |item| {
                        let url = item.url().with("sub", page).with("no", id);
                        url.with("ident", item.draw.hex(12))
                    });
                });
            }
        },
    },
    Kind {
        name: "redirect-session",
        about: "`/go` with a session redirects to the page, which is linked plainly, too",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                for _ in 0..2 {
                    let go = item.url().replace(0, "go").with("visit", item.draw.hex(12));
                    item.redirect(go, item.url());
                }
            });
        },
    },
    Kind {
        name: "redirect-clean",
        about: "an address with a campaign redirects to the one without",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                for _ in 0..2 {
                    let url = item.url().with("campaign", item.draw.below(60));
                    item.redirect(url, item.url());
                }
            });
        },
    },
    Kind {
        name: "canonical-right",
        about: "campaigns whose pages name the plain address as canonical",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                let plain = item.url();
                item.base().canonical(plain.clone());
                for _ in 0..2 {
                    let url = item.url().with("via", item.draw.below(500));
                    item.same(url).canonical(plain.clone());
                }
            });
        },
    },
    Kind {
        name: "canonical-wrong",
        about: "parts of a story name its first part as canonical",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                let plain = item.url();
                item.base();
                for part in 2..=3 {
                    let url = item.url().with("part", part);
                    item.other(url, Difference::All, part)
                        .canonical(plain.clone());
                }
            });
        },
    },
    Kind {
        name: "replies",
        about: "links to answer a comment, some to each article",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Dated, 500, |item| {
                item.base();
                item.copies(item.draw.between(0..=8), |item| {
                    item.url().with("replytocom", item.draw.below(9000))
                });
            });
        },
    },
    Kind {
        name: "post-in-topic",
        about: "a post's number leads to its topic, as the topic's own does",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.base();
                let script = item.url();
                for post in 0..2 {
                    let link = super::Address::new(script.host(), "forum/viewtopic.php");
                    item.same(link.with("p", 20_000 + 3 * item.n + post));
                }
            });
        },
    },
    Kind {
        name: "sessions-by-visit",
        about: "forty sessions, each for a stretch of the crawl",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 600, |item| {
                for turn in 0..3 {
                    let session = (item.n / 15 + 7 * turn) % 40;
                    let place = (item.at + 0.15 * turn as f64).min(1.0);
                    item.same(item.url().with("visitor", session * 7919))
                        .linked_at(place);
                }
            });
        },
    },
];
