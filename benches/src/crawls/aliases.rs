//! Folders and hosts that are one, but for a part; and spellings that static normalization takes for one and are two.

use super::{
    Difference::All,
    Hope::{Both, Careful, Nothing},
    Item, Kind, Shape, Site,
};

/// Articles, goods and a manual, each with a second address; the one of one of them is a page of its own.
fn contradicted(site: &mut Site, by: Shape, alias: impl Fn(&Item) -> super::Address) {
    site.fill(Shape::Dated, 150);
    site.fill(Shape::Profile, 100);
    for shape in [Shape::Article, Shape::Goods, Shape::Manual] {
        site.each(shape, 320, |item| {
            item.base();
            let url = alias(item);
            if shape == by {
                item.other(url, All, "own");
            } else {
                item.same(url);
            }
        });
    }
}

/// Items whose second spelling is another page.
fn two_pages(site: &mut Site, shape: Shape, spell: impl Fn(&Item) -> super::Address) {
    site.usual();
    site.each(shape, 850, |item| {
        item.base();
        item.other(spell(item), All, "other");
    });
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "folder-alias",
        about: "`/us/` before a path is the same page",
        hope: Both,
        make: |site| {
            site.fill(Shape::Dated, 150);
            for shape in [Shape::Article, Shape::Goods, Shape::Manual] {
                site.each(shape, 320, |item| {
                    item.base();
                    item.same(item.url().prefix("us"));
                });
            }
        },
    },
    Kind {
        name: "folder-alias-but-one",
        about: "the same, but `/us/news/` has pages of its own",
        hope: Both,
        make: |site| contradicted(site, Shape::Article, |item| item.url().prefix("us")),
    },
    Kind {
        name: "host-alias-but-one",
        about: "the second host has the same pages, but for one folder",
        hope: Both,
        make: |site| contradicted(site, Shape::Goods, |item| item.url().below("eu")),
    },
    Kind {
        name: "mirrors-but-one",
        about: "three hosts have the same pages, but for one folder",
        hope: Both,
        make: |site| {
            contradicted(site, Shape::Manual, |item| {
                item.url().below(item.draw.pick(&["eu", "asia", "africa"]))
            });
        },
    },
    Kind {
        name: "case-but-one",
        about: "capitals are the same page, but for the manual",
        hope: Both,
        make: |site| {
            contradicted(site, Shape::Manual, |item| {
                item.url().respelled(super::capital)
            });
        },
    },
    Kind {
        name: "suffix-but-one",
        about: "`/all` behind a path is the same page, but for articles",
        hope: Both,
        make: |site| contradicted(site, Shape::Article, |item| item.url().suffix("all")),
    },
    Kind {
        name: "token-but-one",
        about: "a token behind the first folder has no meaning, but in one folder",
        hope: Both,
        make: |site| {
            site.fill(Shape::Dated, 150);
            for shape in [Shape::Article, Shape::Goods, Shape::Manual] {
                site.each(shape, 260, |item| {
                    for _ in 0..3 {
                        let token = item.draw.hex(8);
                        let url = item.url().insert(1, &token);
                        if shape == Shape::Manual {
                            item.other(url, All, token);
                        } else {
                            item.same(url);
                        }
                    }
                });
            }
        },
    },
    Kind {
        name: "mobile-partly",
        about: "the mobile host has the news in its own chrome, and other pages of the shop",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 500, |item| {
                item.base();
                item.same(item.url().below("m")).frame(3);
            });
            site.each(Shape::Goods, 350, |item| {
                item.base();
                item.other(item.url().below("m"), All, "mobile").frame(3);
            });
        },
    },
    Kind {
        name: "renamed-folder",
        about: "a folder has an old name that still answers",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 850, |item| {
                item.base();
                item.same(item.url().replace(0, "handbook"));
            });
        },
    },
    Kind {
        name: "tilde",
        about: "`/~name/` is `/users/name/`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 850, |item| {
                let name = item.url().last().to_owned();
                item.base();
                let home = super::Address::new(item.url().host(), &format!("~{name}"));
                item.same(home);
            });
        },
    },
    Kind {
        name: "date-left-out",
        about: "an article with and without year and month before its name",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Dated, 850, |item| {
                let name = item.url().last().to_owned();
                item.base();
                item.same(super::Address::new(item.url().host(), &name));
            });
        },
    },
    Kind {
        name: "folders-swapped",
        about: "two folders in either order",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 850, |item| {
                let file = item.url().last().to_owned();
                let [one, other] = [item.draw.below(12), item.draw.below(12)];
                let host = item.url().host().to_owned();
                let url = |a: usize, b: usize| {
                    let path = format!("tags/{}/{}/{file}", super::FOLDERS[a], super::FOLDERS[b]);
                    super::Address::new(&host, &path)
                };
                let both = [url(one, other), url(other, one)];
                for url in both {
                    item.same(url);
                }
            });
        },
    },
    Kind {
        name: "differs-scheme",
        about: "`https` is another site than `http`",
        hope: Nothing,
        make: |site| two_pages(site, Shape::Article, |item| item.url().https()),
    },
    Kind {
        name: "differs-www",
        about: "`www.` is another site",
        hope: Nothing,
        make: |site| two_pages(site, Shape::Article, |item| item.url().below("www")),
    },
    Kind {
        name: "differs-slash",
        about: "a slash at the end makes another page",
        hope: Nothing,
        make: |site| two_pages(site, Shape::Article, |item| item.url().tail("/")),
    },
    Kind {
        name: "differs-order",
        about: "the order of parameters makes another page",
        hope: Nothing,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 850, |item| {
                let url = item.url().with("sort", item.draw.below(9));
                item.same(url.clone());
                item.other(url.reversed(), All, "other");
            });
        },
    },
    Kind {
        name: "differs-tracker",
        about: "`utm_source` makes another page",
        hope: Nothing,
        make: |site| {
            two_pages(site, Shape::Article, |item| {
                item.url().with("utm_source", item.draw.below(50))
            });
        },
    },
    Kind {
        name: "differs-case",
        about: "capitals make another page",
        hope: Careful,
        make: |site| {
            two_pages(site, Shape::Wiki, |item| {
                item.url().respelled(str::to_uppercase)
            });
        },
    },
    Kind {
        name: "differs-host",
        about: "another host of the site has other pages at the same paths",
        hope: Careful,
        make: |site| two_pages(site, Shape::Goods, |item| item.url().below("eu")),
    },
];
