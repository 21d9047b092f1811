//! Two mechanisms at once, each harmless: what is true of either is not true of both.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Kind, Shape,
};

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "together",
        about: "two parameters mean nothing, each alone; both at once show another page",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 500, |item| {
                item.base();
                item.same(item.url().with("from", item.draw.below(400)));
                item.same(item.url().with("to", item.draw.below(400)));
                let (from, to) = (item.draw.below(400), item.draw.below(400));
                let url = item.url().with("from", from).with("to", to);
                item.other(url, All, "range");
            });
        },
    },
    Kind {
        name: "together-late",
        about: "the same where both at once come late",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 600, |item| {
                item.base();
                item.same(item.url().with("from", item.draw.below(400)));
                item.same(item.url().with("to", item.draw.below(400)));
                if item.at > 0.7 {
                    let (from, to) = (item.draw.below(400), item.draw.below(400));
                    let url = item.url().with("from", from).with("to", to);
                    item.other(url, All, "range");
                }
            });
        },
    },
    Kind {
        name: "print-whole",
        about: "`/print/` is the same page, and with a page's number still shows the whole",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 350, |item| {
                item.base();
                item.same(item.url().prefix("print"));
                for page in 2..=3 {
                    item.other(item.url().with("page", page), All, page);
                    item.same(item.url().prefix("print").with("page", page));
                }
            });
        },
    },
    Kind {
        name: "print-parted",
        about: "`/print/` is the same page, but for pages with a number, which print otherwise",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 450, |item| {
                item.base();
                item.same(item.url().prefix("print"));
                if item.at > 0.4 {
                    for page in 2..=3 {
                        let url = item.url().with("page", page);
                        item.other(url.clone(), All, page);
                        item.other(url.prefix("print"), All, format!("print {page}"));
                    }
                }
            });
        },
    },
    Kind {
        name: "small-parts",
        about: "sixty scripts of twelve pages each; a parameter means nothing in three of four",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 720, |item| {
                let script = item.n / 12;
                let host = item.url().host().to_owned();
                let url = Address::new(&host, &format!("tool{script}/show.php"));
                let url = url.with("id", 100 + item.n);
                item.same(url.clone());
                for _ in 0..2 {
                    let no = item.draw.below(500);
                    let url = url.clone().with("no", no);
                    if script % 4 == 3 {
                        item.other(url, All, no);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "small-parts-late",
        about: "the same, but those where it counts come after all others",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 720, |item| {
                let script = item.n / 12;
                let host = item.url().host().to_owned();
                let url = Address::new(&host, &format!("tool{script}/show.php"));
                let url = url.with("id", 100 + item.n);
                item.same(url.clone());
                for _ in 0..2 {
                    let no = item.draw.below(500);
                    let url = url.clone().with("no", no);
                    if item.at > 0.8 {
                        item.other(url, All, no);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "slugs-recur",
        about: "an article is there without its date, too; one name in ten recurs each month and is the newest there",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Dated, 900, |item| {
                let host = item.url().host().to_owned();
                if item.draw.one_in(10) {
                    let name = format!("monthly-{}", item.draw.below(1000) + 1000 * item.n);
                    for month in 1..=3 {
                        let url = Address::new(&host, &format!("2021/{month:02}/{name}"));
                        item.other(url, All, month);
                    }
                    item.other(Address::new(&host, &name), All, 3);
                } else {
                    let name = item.url().last().to_owned();
                    item.base();
                    item.same(Address::new(&host, &name));
                }
            });
        },
    },
    Kind {
        name: "users-as-hosts",
        about: "a hundred hosts, whose rules and help are the same pages and whose stories are their own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 100, |item| {
                let user = format!("u{}", item.n);
                let host = item.url().host().to_owned();
                for page in ["rules", "help", "about", "privacy", "prices"] {
                    item.wall(Address::new(&host, page).below(&user), page);
                }
                for story in 0..12 {
                    let url = Address::new(&host, &format!("story/{story}"));
                    item.other(url.below(&user), All, story);
                }
            });
        },
    },
    Kind {
        name: "token-both",
        about: "`h=` and a token is a session where goods are shown, and names a change elsewhere, in the same script",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 450, |item| {
                item.copies(3, |item| item.url().with("h", item.draw.hex(10)));
            });
            site.each(Shape::Product, 300, |item| {
                let script = Address::new(item.url().host(), "shop/item.php");
                for _ in 0..2 {
                    let change = item.draw.hex(10);
                    let url = script.clone().with("log", item.n % 7).with("h", &change);
                    item.other(url, All, change);
                }
            });
        },
    },
    Kind {
        name: "matrix-both",
        about: "`;v=` means nothing in the shop and chooses a version in the manual",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 450, |item| {
                item.copies(3, |item| {
                    item.url().tail(format!(";v={}", item.draw.hex(6)))
                });
            });
            site.each(Shape::Manual, 300, |item| {
                for _ in 0..3 {
                    let version = item.draw.hex(6);
                    item.other(item.url().tail(format!(";v={version}")), All, version);
                }
            });
        },
    },
    Kind {
        name: "page-one",
        about: "`page=1` is the list for all; `page=0` is it, too, but for one list in three",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::List, 450, |item| {
                item.base();
                item.same(item.url().with("page", 1));
                let zero = item.url().with("page", 0);
                if item.n % 3 == 0 {
                    item.other(zero, All, 0);
                } else {
                    item.same(zero);
                }
                item.other(item.url().with("page", 2), All, 2);
            });
        },
    },
];
