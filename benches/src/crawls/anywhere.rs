//! What has no meaning wherever it stands: a session, a campaign or a category in paths of many depths and forms.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// Shapes of paths that most sites have several of.
const SHAPES: [Shape; 8] = [
    Shape::Article,
    Shape::Dated,
    Shape::Goods,
    Shape::Manual,
    Shape::Profile,
    Shape::Wiki,
    Shape::Photo,
    Shape::Report,
];

/// Pages of each of these shapes, made by `make`.
fn of_many_shapes(site: &mut Site, each: usize, make: impl Fn(&mut Item)) {
    site.usual();
    for shape in SHAPES {
        site.each(shape, each, &make);
    }
}

/// Three addresses with fresh tokens, which show one content or each its own.
fn tokens(item: &mut Item, is_heeded: bool) {
    for _ in 0..3 {
        let token = item.draw.hex(10);
        let url = item.url().insert(1, &token);
        if is_heeded {
            item.other(url, All, token);
        } else {
            item.same(url);
        }
    }
}

/// Three categories of a thing, of one, two or three folders.
fn in_folders(item: &Item) -> [String; 3] {
    [(); 3].map(|()| {
        let folders = item.draw.between(1..=3);
        let path: Vec<_> = (0..folders)
            .map(|_| item.draw.pick(&super::FOLDERS))
            .collect();
        path.join("/")
    })
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "anywhere-session-first",
        about: "a session stands before the path of each page, on eight shapes of paths",
        hope: Both,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                item.copies(3, |item| {
                    item.url().prefix(format!("(S({}))", item.draw.hex(24)))
                });
            });
        },
    },
    Kind {
        name: "anywhere-session-plain",
        about: "the same of tokens without a sign, and each page without, too",
        hope: Both,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                item.base();
                item.copies(2, |item| item.url().prefix(item.draw.hex(12)));
            });
        },
    },
    Kind {
        name: "anywhere-session-behind",
        about: "a session stands behind the folder of an application, on eight shapes of paths",
        hope: Both,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                item.copies(3, |item| {
                    item.url()
                        .prefix(format!("(S({}))", item.draw.hex(24)))
                        .prefix("app")
                });
            });
        },
    },
    Kind {
        name: "anywhere-campaign-last",
        about: "`ref=` and a number end the path, on eight shapes of paths",
        hope: Both,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                item.base();
                item.copies(2, |item| {
                    item.url()
                        .suffix(format!("ref=sr_{}", item.draw.below(1_000_000)))
                });
            });
        },
    },
    Kind {
        name: "anywhere-token-middle",
        about: "a token stands behind the first folder, on eight shapes of paths",
        hope: Both,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                item.copies(3, |item| item.url().insert(1, item.draw.hex(10)));
            });
        },
    },
    Kind {
        name: "breadcrumbs",
        about: "a product stands in each of the categories that it is of, which are one, two or three folders",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                let file = item.url().last().to_owned();
                for folder in in_folders(item) {
                    item.same(Address::new(item.url().host(), &format!("{folder}/{file}")));
                }
            });
        },
    },
    Kind {
        name: "words-before-a-number",
        about: "`/any-words/dp/B00017/ref=sr_1_7`, where the number alone counts",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 700, |item| {
                let id = format!("dp/B0{:04}X", item.n);
                let host = item.url().host().to_owned();
                for at in 0..4 {
                    let words = format!("{}-{}", item.draw.hex(3), item.draw.hex(4));
                    let path = match at {
                        0 => id.clone(),
                        1 => format!("{words}/{id}"),
                        _ => format!(
                            "{words}/{id}/ref=sr_{}_{}",
                            item.n % 9,
                            item.draw.below(900)
                        ),
                    };
                    item.same(Address::new(&host, &path));
                }
            });
        },
    },
    Kind {
        name: "views-of-documents",
        about: "a document is shown below each of nine views, `/base.nsf/view/document?OpenDocument`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 650, |item| {
                let host = item.url().host().to_owned();
                let name = format!(
                    "{:08x}{:04x}",
                    item.n.wrapping_mul(0x9E37_79B1) as u32,
                    item.n
                );
                let base = ["news", "press", "forms"][item.n % 3];
                for _ in 0..3 {
                    let view = item.draw.pick(&[
                        "0", "all", "bydate", "byname", "bytopic", "latest", "list", "archive",
                        "web",
                    ]);
                    let path = format!("{base}.nsf/{view}/{name}");
                    item.same(Address::new(&host, &path).flag("OpenDocument"));
                }
            });
        },
    },
    Kind {
        name: "anywhere-but-one",
        about: "a token behind the first folder means nothing on seven shapes of paths, and chooses a content on the eighth",
        hope: Careful,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                let is_heeded = item.url().to_string().contains("/wiki/");
                tokens(item, is_heeded);
            });
        },
    },
    Kind {
        name: "anywhere-but-late",
        about: "a token behind the first folder means nothing on most shapes of paths, and chooses a content on one that is met late",
        hope: Careful,
        make: |site| {
            of_many_shapes(site, 70, |item| tokens(item, false));
            site.span(0.5, 1.0);
            site.each(Shape::List, 120, |item| tokens(item, true));
        },
    },
    Kind {
        name: "anywhere-but-some",
        about: "a token behind the first folder means nothing, but for one page in thirty",
        hope: Careful,
        make: |site| {
            of_many_shapes(site, 80, |item| tokens(item, item.n % 30 == 7));
        },
    },
    Kind {
        name: "anywhere-language",
        about: "a language before the path changes nothing on seven shapes of paths, which are not translated, and all on the eighth",
        hope: Careful,
        make: |site| {
            of_many_shapes(site, 80, |item| {
                let is_translated = item.url().to_string().contains("/docs/");
                for language in ["de", "fr", "it"] {
                    let url = item.url().prefix(language);
                    if is_translated {
                        item.other(url, All, language);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "breadcrumbs-but-one",
        about: "a product is the same in eleven categories, and has another page in the twelfth",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                let file = item.url().last().to_owned();
                for folder in in_folders(item) {
                    let url = Address::new(item.url().host(), &format!("{folder}/{file}"));
                    if folder.starts_with("film") {
                        item.other(url, All, "film");
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "breadcrumbs-but-some",
        about: "the name of a page alone counts, whatever its folders, but for one in thirty, which has a page in each",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                let file = item.url().last().to_owned();
                for folder in in_folders(item) {
                    let url = Address::new(item.url().host(), &format!("{folder}/{file}"));
                    if item.n % 30 == 7 {
                        item.other(url, All, folder);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "breadcrumbs-beside-albums",
        about: "categories of a product do not matter, and each person's album has a photo of the same number",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 500, |item| {
                let file = item.url().last().to_owned();
                for folder in in_folders(item) {
                    item.same(Address::new(item.url().host(), &format!("{folder}/{file}")));
                }
            });
            site.each(Shape::Profile, 400, |item| {
                let host = item.url().host().to_owned();
                let (owner, photo) = (item.url().last().to_owned(), 1 + item.n % 5);
                for album in ["", "album/"] {
                    let url = Address::new(&host, &format!("{owner}/{album}photo-{photo}.html"));
                    item.other(url, All, album);
                }
            });
        },
    },
];
