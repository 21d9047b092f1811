//! What is written into a segment or a value beside what it names: titles, sessions, views, parts.

use super::{
    Address, Difference, FOLDERS,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

/// A title that nobody reads.
fn title(item: &Item) -> String {
    let word = || item.draw.pick(&FOLDERS);
    format!("{}-{}-{}", word(), word(), item.draw.hex(2))
}

/// A photo by its number and what is written behind it.
fn titled(item: &Item) -> Address {
    let number = item.url().last().to_owned();
    item.url().replace(2, format!("{number}-{}", title(item)))
}

/// A file with this before its extension.
fn named(item: &Item, affix: &str) -> Address {
    let name = item.url().last().replace(".html", "");
    item.url().replace(2, format!("{name}{affix}.html"))
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "title-behind-number",
        about: "any title may follow the number of a photo",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| item.copies(3, titled));
        },
    },
    Kind {
        name: "title-behind-number-some",
        about: "any title may follow a number, but for one item in six, where each is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                if !item.n.is_multiple_of(6) {
                    return item.copies(3, titled);
                }
                for name in ["small", "large", "info"] {
                    let number = item.url().last().to_owned();
                    let url = item.url().replace(2, format!("{number}-{name}"));
                    item.other(url, Difference::All, name);
                }
            });
        },
    },
    Kind {
        name: "title-behind-number-late",
        about: "any title may follow a number, but in the last tenth of the crawl each is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 600, |item| item.copies(3, titled));
            site.span(0.9, 1.0);
            site.each(Shape::Photo, 60, |item| {
                for no in 0..3 {
                    item.other(titled(item), Difference::All, no);
                }
            });
        },
    },
    Kind {
        name: "title-before-number",
        about: "any title may stand before the number of a photo",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                item.copies(3, |item| {
                    let number = item.url().last().to_owned();
                    item.url()
                        .replace(2, format!("{}_{number}.html", title(item)))
                });
            });
        },
    },
    Kind {
        name: "title-or-none",
        about: "any title may follow the number of a photo, or none",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                item.base();
                item.copies(2, titled);
            });
        },
    },
    Kind {
        name: "title-or-list",
        about: "any title may follow the number of a photo; the number alone is another page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 600, |item| {
                item.copies(3, titled);
                item.other(item.url(), Difference::All, "list");
            });
        },
    },
    Kind {
        name: "title-in-value",
        about: "any title may follow a number in a parameter",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.copies(3, |item| {
                    let number = 1000 + 7 * item.n;
                    Address::new(item.url().host(), "forum/viewtopic.php")
                        .with("t", format!("{number}:{}", title(item)))
                });
            });
        },
    },
    Kind {
        name: "part-in-value",
        about: "behind the number in a parameter stands that of a part, each a page of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                for part in 1..=3 {
                    let number = 1000 + 7 * item.n;
                    let url = Address::new(item.url().host(), "forum/viewtopic.php")
                        .with("t", format!("{number}-{part}"));
                    item.other(url, Difference::All, part);
                }
            });
        },
    },
    Kind {
        name: "parts-mostly-one",
        about: "files are numbered in parts; of four in five all parts are one page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 600, |item| {
                for part in 1..=3 {
                    let url = named(item, &format!("-{part}"));
                    if item.n.is_multiple_of(5) {
                        item.other(url, Difference::All, part);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "token-before-name",
        about: "a fresh token before the file's name",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                item.copies(3, |item| {
                    let name = item.url().last().to_owned();
                    item.url()
                        .replace(2, format!("{}~{name}", item.draw.hex(8)))
                });
            });
        },
    },
    Kind {
        name: "print-in-name",
        about: "`_print.html` is the same page as `.html`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 800, |item| {
                item.base();
                item.same(named(item, "_print"));
            });
        },
    },
    Kind {
        name: "print-in-name-but-one",
        about: "`_print.html` is the same page as `.html`, but for one item in twenty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 800, |item| {
                item.base();
                let url = named(item, "_print");
                if item.n.is_multiple_of(20) {
                    item.other(url, Difference::All, "print");
                } else {
                    item.same(url);
                }
            });
        },
    },
];
