//! Pages that are there instead of others: forms to log in, errors that say 200, busy servers.

use super::{
    Difference::All,
    Hope::{Both, Careful},
    Kind, Shape,
};

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "login-return",
        about: "each page links to the form to log in, with its own address in the query",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 1100, |item| {
                item.base();
                let form = super::Address::new(item.url().host(), "login.php");
                let back = format!("/{}-{}", item.url().last(), item.n);
                item.wall(form.with("return", back), "login");
            });
        },
    },
    Kind {
        name: "login-instead",
        about: "the pages of members are all the form to log in",
        hope: Both,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 300);
            site.each(Shape::Profile, 1300, |item| {
                item.wall(item.url().replace(0, "members"), "login");
            });
        },
    },
    Kind {
        name: "private-some",
        about: "half of the profiles are private and say all the same",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 1700, |item| {
                if item.draw.one_in(2) {
                    item.base();
                } else {
                    item.wall(item.url(), "private");
                }
            });
        },
    },
    Kind {
        name: "private-most",
        about: "of thirty profiles one is not private",
        hope: Careful,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 400);
            site.each(Shape::Profile, 1400, |item| {
                if item.n % 30 == 17 {
                    item.base();
                } else {
                    item.wall(item.url().replace(0, "people"), "private");
                }
            });
        },
    },
    Kind {
        name: "not-found",
        about: "one link in three leads to an error that says 200 and names the address",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 1600, |item| {
                if item.draw.one_in(3) {
                    let note = format!("nothing is known of {}", item.url().last());
                    item.wall(item.url(), "not found").note(note);
                } else {
                    item.base();
                }
            });
        },
    },
    Kind {
        name: "not-found-values",
        about: "two of three values of a parameter show an error that says 200, the others a page each",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 550, |item| {
                item.base();
                for turn in 0..3 {
                    let url = item.url().with("rev", 3 * item.draw.below(800) + turn);
                    if turn == 1 {
                        item.other(url, All, "old");
                    } else {
                        item.wall(url, "no such revision");
                    }
                }
            });
        },
    },
    Kind {
        name: "busy-early",
        about: "the first thirty topics are a busy server that says 200",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 1800, |item| {
                if item.n < 30 {
                    item.wall(item.url(), "busy");
                } else {
                    item.base();
                }
            });
        },
    },
    Kind {
        name: "search-empty",
        about: "searches find nothing, but for one in twelve",
        hope: Careful,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 400);
            site.each(Shape::List, 1400, |item| {
                let form = super::Address::new(item.url().host(), "search");
                let url = form.with("q", item.url().last());
                if item.n % 12 == 5 {
                    item.same(url);
                } else {
                    item.wall(url, "nothing found");
                }
            });
        },
    },
    Kind {
        name: "search-empty-always",
        about: "searches find nothing, whatever is asked",
        hope: Both,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 400);
            site.each(Shape::List, 1400, |item| {
                let form = super::Address::new(item.url().host(), "search");
                item.wall(form.with("q", item.url().last()), "nothing found");
            });
        },
    },
    Kind {
        name: "folder-closed",
        about: "one folder of a shop asks to log in, the others do not",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 1700, |item| {
                if item.url().to_string().contains("/money/") {
                    item.wall(item.url(), "login");
                } else {
                    item.base();
                }
            });
        },
    },
    Kind {
        name: "print-broken",
        about: "the print view of each article is one and the same error",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 1000, |item| {
                item.base();
                item.wall(item.url().with("print", 1), "no printer");
            });
        },
    },
    Kind {
        name: "opened-later",
        about: "profiles are private in the first half of the crawl and public in the second",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 1700, |item| {
                if item.at < 0.5 {
                    item.wall(item.url(), "private");
                } else {
                    item.base();
                }
            });
        },
    },
    Kind {
        name: "private-pairs",
        about: "in four of five folders both parts of a story ask to log in, in the fifth they are pages",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 1000, |item| {
                let second = item.url().with("part", 2 + item.draw.below(60));
                if item.draw.below(5) > 0 {
                    item.wall(item.url(), "login");
                    item.wall(second, "login");
                } else {
                    item.base();
                    item.other(second, All, 2);
                }
            });
        },
    },
    Kind {
        name: "private-nearly-all",
        about: "of a hundred profiles one is not private",
        hope: Careful,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 200);
            site.each(Shape::Profile, 1600, |item| {
                if item.n % 100 == 57 {
                    item.base();
                } else {
                    item.wall(item.url().replace(0, "people"), "private");
                }
            });
        },
    },
    Kind {
        name: "walls-five",
        about: "members' pages are one of five notices; one in forty is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 200);
            site.each(Shape::Profile, 1600, |item| {
                if item.n % 40 == 23 {
                    item.base();
                } else {
                    let notice = item.draw.pick(&["private", "away", "new", "gone", "shy"]);
                    item.wall(item.url().replace(0, "people"), notice);
                }
            });
        },
    },
];
