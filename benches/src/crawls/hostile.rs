//! Contents that come instead of pages, made to mislead what is known of these.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

fn visit(item: &Item) -> Address {
    item.url().with("visit", item.draw.hex(10))
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "x-rev-rare",
        about: "of revisions 45 % are the page, 54 % none, 0.8 % a page of their own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 700, |item| {
                item.base();
                for turn in 0..3 {
                    let url = item.url().with("rev", 3 * item.draw.below(900) + turn);
                    match item.draw.below(1000) {
                        0..8 => item.other(url, All, turn),
                        8..550 => item.wall(url, "no such revision"),
                        _ => item.same(url),
                    };
                }
            });
        },
    },
    Kind {
        name: "x-rev-late",
        about: "of revisions half are the page and half none; in the last third half are a page of their own and half none",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 700, |item| {
                item.base();
                for turn in 0..3 {
                    let url = item.url().with("rev", 3 * item.draw.below(900) + turn);
                    if item.draw.one_in(2) {
                        item.wall(url, "no such revision");
                    } else if item.at > 0.66 {
                        item.other(url, All, turn);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "x-rev-last",
        about: "the same in the last tenth",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 700, |item| {
                item.base();
                for turn in 0..3 {
                    let url = item.url().with("rev", 3 * item.draw.below(900) + turn);
                    if item.draw.one_in(2) {
                        item.wall(url, "no such revision");
                    } else if item.at > 0.9 {
                        item.other(url, All, turn);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "x-far-pages",
        about: "page 1 of lists is the list, far ones are beyond the end but for one in 150",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 700, |item| {
                item.base();
                item.same(item.url().with("page", 1));
                for turn in 0..2 {
                    let url = item.url().with("page", 2 + 2 * item.draw.below(400) + turn);
                    if item.draw.one_in(100) {
                        item.other(url, All, turn);
                    } else {
                        item.wall(url, "nothing here");
                    }
                }
            });
        },
    },
    Kind {
        name: "x-cursor",
        about: "cursors of lists: a third show its start, the others nothing more, but for one in 150",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 700, |item| {
                item.base();
                for turn in 0..3 {
                    let url = item.url().with("cursor", item.draw.hex(10));
                    match item.draw.below(450) {
                        0..3 => item.other(url, All, turn),
                        3..300 => item.wall(url, "no more"),
                        _ => item.same(url),
                    };
                }
            });
        },
    },
    Kind {
        name: "x-folder-rare",
        about: "in one folder `visit=` matters, and nine in ten of its pages ask to log in, as one in twelve elsewhere",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 500, |item| {
                item.base();
                for _ in 0..2 {
                    let url = visit(item);
                    if item.draw.one_in(12) {
                        item.wall(url, "login");
                    } else {
                        item.same(url);
                    }
                }
            });
            site.each(Shape::Product, 250, |item| {
                item.base();
                for turn in 0..2 {
                    let url = visit(item);
                    if item.draw.one_in(10) {
                        item.other(url, All, turn);
                    } else {
                        item.wall(url, "login");
                    }
                }
            });
        },
    },
    Kind {
        name: "x-folder-late",
        about: "in goods met late `visit=` matters in some folders, where most pages ask to log in, as one in twelve topics do",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 900, |item| {
                item.base();
                let is_strange = item.url().to_string().contains("/music/");
                for turn in 0..2 {
                    let url = visit(item);
                    if is_strange && item.draw.one_in(8) {
                        item.other(url, All, turn);
                    } else if is_strange || item.draw.one_in(12) {
                        item.wall(url, "login");
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "x-login-linked",
        about: "a tenth of the sessions have ended and show the form; every topic also links to the form itself with a session",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 500, |item| {
                item.base();
                for _ in 0..2 {
                    let url = visit(item);
                    if item.draw.one_in(10) {
                        item.wall(url, "login");
                    } else {
                        item.same(url);
                    }
                }
                for _ in 0..2 {
                    let form = Address::new(item.url().host(), "forum/login.php");
                    item.wall(form.with("visit", item.draw.hex(10)), "login");
                }
            });
        },
    },
    Kind {
        name: "x-login-rare",
        about: "the same where one session in hundred has ended",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 500, |item| {
                item.base();
                for _ in 0..2 {
                    let url = visit(item);
                    if item.draw.one_in(100) {
                        item.wall(url, "login");
                    } else {
                        item.same(url);
                    }
                }
                for _ in 0..2 {
                    let form = Address::new(item.url().host(), "forum/login.php");
                    item.wall(form.with("visit", item.draw.hex(10)), "login");
                }
            });
        },
    },
    Kind {
        name: "x-empty-lists",
        about: "`visit=` never matters; three lists of five are empty, and one visit in 80 of others shows an empty list, too",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::List, 650, |item| {
                if item.n % 5 < 3 {
                    item.wall(item.url(), "empty");
                    for _ in 0..2 {
                        item.wall(visit(item), "empty");
                    }
                } else {
                    item.base();
                    for _ in 0..2 {
                        let url = visit(item);
                        if item.draw.one_in(80) {
                            item.wall(url, "empty");
                        } else {
                            item.same(url);
                        }
                    }
                }
            });
        },
    },
    Kind {
        name: "x-pairs-then-pages",
        about: "two parts of a story are both an error in the first fifth, then an error and a page, then pages; visits are copies",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                let second = item.url().with("part", item.draw.hex(8));
                if item.at < 0.2 {
                    item.wall(item.url(), "busy");
                    item.wall(second, "busy");
                } else if item.at < 0.3 {
                    item.wall(item.url(), "busy");
                    item.other(second, All, 2);
                } else if item.at < 0.7 {
                    item.base();
                    item.same(second);
                } else {
                    item.base();
                    item.other(second, All, 2);
                }
            });
        },
    },
    Kind {
        name: "x-goto-home",
        about: "half of `go=` lead back to the page, half to one form; one in hundred to a page of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 600, |item| {
                item.base();
                let form = Address::new(item.url().host(), "forum/login.php");
                item.wall(form.clone(), "login");
                for turn in 0..3 {
                    let url = item.url().with("go", item.draw.hex(10));
                    match item.draw.below(200) {
                        0..2 => {
                            let to = item.url().with("own", item.draw.hex(10));
                            item.behind(url, to, All, turn);
                        }
                        2..100 => {
                            item.leads(url, form.clone(), "login");
                        }
                        _ => {
                            item.redirect(url, item.url());
                        }
                    }
                }
            });
        },
    },
    Kind {
        name: "x-wall-plain-first",
        about: "the plain address of each topic met in the first half asks for consent, its visits show it",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 500, |item| {
                if item.at < 0.5 {
                    item.wall(item.url(), "consent");
                } else {
                    item.base();
                }
                for _ in 0..4 {
                    item.same(visit(item));
                }
            });
        },
    },
    Kind {
        name: "x-two-walls-only",
        about: "a third of topics show two notices under all their visits, by lot; others are pages, one in ten a notice",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 600, |item| {
                for turn in 0..4 {
                    let url = if turn == 0 { item.url() } else { visit(item) };
                    let lot = item.draw.below(20);
                    if lot == 0 || item.n % 3 == 0 && lot < 10 {
                        item.wall(url, "busy");
                    } else if lot == 1 || item.n % 3 == 0 {
                        item.wall(url, "ended");
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "x-profile-tabs",
        about: "profiles have four tabs, and one in hundred is public; the notice of the others is one; `visit` is a copy",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 450, |item| {
                item.base();
                item.same(item.url().with("tab", "a"));
            });
            let host = site.host().to_owned();
            site.each(Shape::Report, 900, |item| {
                for tab in ["a", "b"] {
                    let url = Address::new(&host, "profile")
                        .with("id", 7 * item.n + 3)
                        .with("tab", tab);
                    if item.draw.one_in(80) {
                        item.other(url, All, tab);
                    } else {
                        item.wall(url, "private");
                    }
                }
            });
        },
    },
    Kind {
        name: "x-unlock-late",
        about: "one visit in seven asks to log in; in the last fifth half of them do, and the others show pages of their own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 700, |item| {
                item.base();
                for turn in 0..3 {
                    let url = visit(item);
                    if item.at > 0.8 {
                        if item.draw.one_in(2) {
                            item.wall(url, "login");
                        } else {
                            item.other(url, All, turn);
                        }
                    } else if item.draw.one_in(7) {
                        item.wall(url, "login");
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "x-notice-most",
        about: "seven in ten visits show a notice, the others the page, but for one in 200 of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 700, |item| {
                item.base();
                for turn in 0..3 {
                    let url = visit(item);
                    match item.draw.below(400) {
                        0..2 => item.other(url, All, turn),
                        2..280 => item.wall(url, "notice"),
                        _ => item.same(url),
                    };
                }
            });
        },
    },
    Kind {
        name: "x-busy-third",
        about: "one answer in four, whatever is asked for, is a busy server; each topic has three visits",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 600, |item| {
                for turn in 0..4 {
                    let url = if turn == 0 { item.url() } else { visit(item) };
                    if item.draw.one_in(4) {
                        item.wall(url, "busy");
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
];
