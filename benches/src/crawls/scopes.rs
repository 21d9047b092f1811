//! What has no meaning in one part of a site and has one in another.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// The item without a parameter and with two values of it out of many: one content.
fn ignored(item: &mut Item, name: &str, values: usize) {
    item.base();
    item.copies(2, |item| item.url().with(name, item.draw.below(values)));
}

/// The same where each value shows another content.
fn heeded(item: &mut Item, name: &str, values: usize) {
    item.base();
    for _ in 0..2 {
        let value = item.draw.below(values);
        item.other(item.url().with(name, value), All, value);
    }
}

/// Files in folders of ten owners, each of which has a second address that shows it, too, or another page: by its owner and its type.
fn files_of_owners(site: &mut Site, is_heeded: fn(usize, usize) -> bool) {
    const OWNERS: [&str; 10] = [
        "paper", "stone", "glass", "wood", "steel", "wool", "linen", "copper", "clay", "cork",
    ];
    const TYPES: [&str; 12] = [
        "rs", "py", "js", "css", "html", "md", "c", "h", "go", "java", "sql", "toml",
    ];
    site.usual();
    site.each(Shape::Goods, 900, |item| {
        let (owner, kind) = (item.n % 10, item.draw.below(12));
        let depth = item.draw.below(5);
        let folders = "src-main/".repeat(depth);
        let path = format!("{}/{folders}f{}.{}", OWNERS[owner], item.n, TYPES[kind]);
        let file = Address::new(item.url().host(), &path);
        item.same(file.clone());
        let plain = file.with("plain", 1);
        if is_heeded(owner, kind) {
            item.other(plain, All, "plain");
        } else {
            item.same(plain);
        }
    });
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "shape",
        about: "`start` means nothing for articles, and chooses a page of topics",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 400, |item| ignored(item, "start", 40));
            site.each(Shape::Topic, 300, |item| heeded(item, "start", 40));
        },
    },
    Kind {
        name: "shape-late",
        about: "the same where topics come when articles have long spoken",
        hope: Both,
        make: |site| {
            site.usual();
            site.span(0.0, 0.7);
            site.each(Shape::Article, 450, |item| ignored(item, "start", 40));
            site.span(0.7, 1.0);
            site.each(Shape::Topic, 250, |item| heeded(item, "start", 40));
        },
    },
    Kind {
        name: "folder",
        about: "`no` means nothing in eleven folders of a shop and chooses an article in the twelfth",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 700, |item| {
                if item.url().to_string().contains("/books/") {
                    heeded(item, "no", 50);
                } else {
                    ignored(item, "no", 50);
                }
            });
        },
    },
    Kind {
        name: "folder-late",
        about: "the same where the folder that differs is new",
        hope: Both,
        make: |site| {
            site.usual();
            site.span(0.0, 0.7);
            site.each(Shape::Goods, 500, |item| ignored(item, "no", 50));
            site.span(0.7, 1.0);
            site.each(Shape::Goods, 200, |item| {
                item.base();
                for _ in 0..2 {
                    let no = item.draw.below(50);
                    let url = item.url().replace(1, "toys").with("no", no);
                    item.other(url, All, no);
                }
            });
        },
    },
    Kind {
        name: "folders-half",
        about: "`no` means nothing in every second of sixty folders",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 700, |item| {
                let folder = item.draw.below(60);
                for _ in 0..3 {
                    let no = item.draw.below(50);
                    let url = item.url().replace(1, format!("f{folder}")).with("no", no);
                    if folder % 2 == 0 {
                        item.same(url);
                    } else {
                        item.other(url, All, no);
                    }
                }
            });
        },
    },
    Kind {
        name: "action",
        about: "`rows` means nothing where one change is shown, and counts where changes are listed",
        hope: Both,
        make: |site| {
            site.usual();
            for (action, is_heeded) in [("show", false), ("list", true)] {
                site.each(Shape::Front, 350, |item| {
                    for _ in 0..3 {
                        let rows = 10 * item.draw.between(1..=30);
                        let url = item.url().with("do", action).with("rows", rows);
                        if is_heeded {
                            item.other(url, All, rows);
                        } else {
                            item.same(url);
                        }
                    }
                });
            }
        },
    },
    Kind {
        name: "action-in-path",
        about: "the same where the action is the second segment of the path",
        hope: Both,
        make: |site| {
            site.usual();
            for (action, is_heeded) in [("change", false), ("log", true)] {
                site.each(Shape::Photo, 350, |item| {
                    for _ in 0..3 {
                        let rows = 10 * item.draw.between(1..=30);
                        let url = item.url().replace(0, "repo").replace(1, action);
                        let url = url.with("rows", rows);
                        if is_heeded {
                            item.other(url, All, rows);
                        } else {
                            item.same(url);
                        }
                    }
                });
            }
        },
    },
    Kind {
        name: "beside",
        about: "`rev` means nothing, but beside `edit`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 450, |item| {
                ignored(item, "rev", 5000);
                for _ in 0..2 {
                    let rev = item.draw.below(5000);
                    let url = item.url().with("edit", 1).with("rev", rev);
                    item.other(url, All, rev);
                }
            });
        },
    },
    Kind {
        name: "beside-late",
        about: "the same where `edit` comes late",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 600, |item| {
                ignored(item, "rev", 5000);
                if item.at > 0.65 {
                    for _ in 0..2 {
                        let rev = item.draw.below(5000);
                        let url = item.url().with("edit", 1).with("rev", rev);
                        item.other(url, All, rev);
                    }
                }
            });
        },
    },
    Kind {
        name: "value",
        about: "of thirty values of `tab` one shows another page",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 600, |item| {
                ignored(item, "tab", 30);
                if item.n % 3 == 0 {
                    item.other(item.url().with("tab", "reviews"), All, "reviews");
                }
            });
        },
    },
    Kind {
        name: "values-some",
        about: "of thirty values of `tab` five show another page each",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 600, |item| {
                item.base();
                for _ in 0..3 {
                    let tab = item.draw.below(30);
                    let url = item.url().with("tab", tab);
                    if tab < 5 {
                        item.other(url, All, tab);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "namespace",
        about: "`do` means nothing for wiki pages, but for those of one namespace",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 700, |item| {
                let space = item.draw.pick(&["talk", "help", "user", "guide", "file"]);
                let script = item.url().replace(1, "page.cgi");
                let url = script.with("id", format!("{space}:p{}", item.n));
                for _ in 0..3 {
                    let seen = item.draw.below(900);
                    let url = url.clone().with("do", seen);
                    if space == "file" {
                        item.other(url, All, seen);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "hosts-differ",
        about: "`no` means nothing on one host of the site and counts on another",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 400, |item| ignored(item, "no", 60));
            site.each(Shape::Photo, 300, |item| {
                for _ in 0..3 {
                    let no = item.draw.below(60);
                    item.other(item.url().below("pictures").with("no", no), All, no);
                }
            });
        },
    },
    Kind {
        name: "depth",
        about: "`no` means nothing for pages in two folders, and counts where there is a third",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 400, |item| ignored(item, "no", 60));
            site.each(Shape::Goods, 300, |item| {
                for _ in 0..3 {
                    let no = item.draw.below(60);
                    item.other(item.url().insert(2, "sets").with("no", no), All, no);
                }
            });
        },
    },
    Kind {
        name: "large-ids",
        about: "`no` means nothing for the older two thirds of the items",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 700, |item| {
                if item.at < 0.66 {
                    ignored(item, "no", 900);
                } else {
                    heeded(item, "no", 900);
                }
            });
        },
    },
    Kind {
        name: "names-differ",
        about: "the same script: `t` with `s` is one page, `f` with `s` is another for each",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 400, |item| ignored(item, "s", 3000));
            site.each(Shape::Topic, 300, |item| {
                let script = super::Address::new(item.url().host(), "forum/viewtopic.php");
                let url = script.with("f", 9000 + item.n);
                for _ in 0..3 {
                    let from = item.draw.below(3000);
                    item.other(url.clone().with("s", from), All, from);
                }
            });
        },
    },
    Kind {
        name: "action-with-a-sign",
        about: "`view` does not matter for `act=shop.item`; of `act=shop.review`, which comes late, each is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            let at = |item: &Item, act: &str, view: usize| {
                let script = Address::new(item.url().host(), "index.cfm");
                (script.with("act", act).with("item", item.n)).with("view", view)
            };
            site.each(Shape::Goods, 550, |item| {
                for _ in 0..3 {
                    let view = item.draw.between(1..=5);
                    item.same(at(item, "shop.item", view));
                }
            });
            site.span(0.8, 1.0);
            site.each(Shape::Goods, 60, |item| {
                for view in 1..=4 {
                    item.other(at(item, "shop.review", view), All, view);
                }
            });
        },
    },
    Kind {
        name: "numbered-host-of-its-own",
        about: "www1 to www8 show the same; www9, which comes late, has pages of its own",
        hope: Careful,
        make: |site| {
            site.usual();
            let on = |item: &Item, number: usize| item.url().below(&format!("www{number}"));
            site.each(Shape::Photo, 600, |item| {
                for turn in 0..3 {
                    item.same(on(item, 1 + (item.n + 3 * turn) % 8));
                }
            });
            site.span(0.8, 1.0);
            site.each(Shape::Photo, 40, |item| {
                item.same(on(item, 1 + item.n % 8));
                item.other(on(item, 9), All, 9);
            });
        },
    },
    Kind {
        name: "files-of-owners",
        about: "files of ten owners, at many depths and of twelve types, are shown plain, too",
        hope: Both,
        make: |site| files_of_owners(site, |_, _| false),
    },
    Kind {
        name: "files-of-owners-but-one",
        about: "the same, but of one of the owners that is another page",
        hope: Both,
        make: |site| files_of_owners(site, |owner, _| owner == 7),
    },
    Kind {
        name: "files-of-owners-but-a-type",
        about: "the same, but of one of the types that is another page",
        hope: Careful,
        make: |site| files_of_owners(site, |_, kind| kind == 5),
    },
];
