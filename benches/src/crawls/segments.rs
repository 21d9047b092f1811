//! What stands in the path and has no meaning: sessions, campaigns, views, names that nobody reads.

use super::{Hope::Both, Kind, Shape};

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "matrix-known",
        about: "`;jsessionid=` with a fresh value at each link, which static normalization knows",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 650, |item| {
                item.copies(3, |item| {
                    item.url()
                        .tail(format!(";jsessionid={}", item.draw.hex(16)))
                });
            });
        },
    },
    Kind {
        name: "matrix-unknown",
        about: "`;visit=` with a fresh value at each link",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.copies(3, |item| {
                    item.url().tail(format!(";visit={}", item.draw.hex(12)))
                });
            });
        },
    },
    Kind {
        name: "segment-first",
        about: "a fresh token before the path",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                item.copies(3, |item| item.url().prefix(item.draw.hex(10)));
            });
        },
    },
    Kind {
        name: "segment-middle",
        about: "a fresh token behind the first folder",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                item.copies(3, |item| item.url().insert(1, item.draw.hex(10)));
            });
        },
    },
    Kind {
        name: "segment-last",
        about: "`ref=` and a fresh number as the last segment",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.copies(3, |item| {
                    item.url()
                        .suffix(format!("ref={}", item.draw.below(1_000_000)))
                });
            });
        },
    },
    Kind {
        name: "segment-last-few",
        about: "one of forty campaigns as the last segment, or none",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.copies(2, |item| {
                    item.url().suffix(format!("from-{}", item.draw.below(40)))
                });
            });
        },
    },
    Kind {
        name: "segments-two",
        about: "two fresh tokens, behind the first folder and at the end",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                item.copies(3, |item| {
                    let url = item.url().insert(1, format!("s{}", item.draw.hex(8)));
                    url.suffix(item.draw.below(1_000_000))
                });
            });
        },
    },
    Kind {
        name: "segment-prefix",
        about: "`/print/` before the path of each article",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().prefix("print")).frame(9);
            });
        },
    },
    Kind {
        name: "segment-prefix-three",
        about: "`/m/`, `/text/` and `/lite/` before the path",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 550, |item| {
                item.base();
                for (view, name) in ["m", "text", "lite"].into_iter().enumerate() {
                    item.same(item.url().prefix(name)).frame(view as u32 + 1);
                }
            });
        },
    },
    Kind {
        name: "segment-suffix",
        about: "`/amp` behind the path of each article",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Dated, 800, |item| {
                item.base();
                item.same(item.url().suffix("amp"));
            });
        },
    },
    Kind {
        name: "segment-suffix-three",
        about: "`/print`, `/full` or `/amp` behind the path, or nothing",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 600, |item| {
                item.base();
                for view in ["print", "full", "amp"] {
                    item.same(item.url().suffix(view));
                }
            });
        },
    },
    Kind {
        name: "segment-doubled",
        about: "relative links that repeat the first folder",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 600, |item| {
                item.base();
                item.same(item.url().prefix("news"));
                item.same(item.url().prefix("news").prefix("news"));
            });
        },
    },
    Kind {
        name: "segment-slug",
        about: "only the number in `/item/1123/any-words` counts",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                item.copies(3, |item| {
                    let words = format!("{}-{}", item.draw.hex(3), item.draw.hex(4));
                    item.url().replace(0, "item").suffix(words)
                });
            });
        },
    },
    Kind {
        name: "token-in-segment",
        about: "a fresh token at the end of the file's name, before `.html`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 600, |item| {
                item.copies(3, |item| {
                    let file = item.url().last().replace(".html", "");
                    let file = format!("{file}_{}.html", item.draw.hex(6));
                    item.url().replace(2, file)
                });
            });
        },
    },
    Kind {
        name: "folder-free",
        about: "a page is there under each of the twelve folders",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 550, |item| {
                item.base();
                item.copies(3, |item| {
                    item.url().replace(1, item.draw.pick(&super::FOLDERS))
                });
            });
        },
    },
    Kind {
        name: "segment-fresh-beside-few",
        about: "a fresh token in one part of the site, folders that matter at the same place of another",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 550, |item| {
                item.copies(3, |item| item.url().insert(1, item.draw.hex(10)));
            });
            site.each(Shape::Photo, 350, |item| {
                for folder in ["large", "small"] {
                    let url = item.url().insert(1, folder);
                    item.other(url, super::Difference::All, folder);
                }
            });
        },
    },
];
