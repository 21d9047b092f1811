//! What stands in several parts of a URL at once, always together; and names of parameters that are made anew.

use super::{
    Address, Difference,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// A token behind the first folder, and one in a parameter.
fn twice(item: &Item) -> Address {
    let token = || item.draw.hex(10);
    item.url().insert(1, token()).with("visit", token())
}

/// A parameter with a name of its own.
fn unnamed(item: &Item, value: impl std::fmt::Display) -> Address {
    item.url()
        .with(&format!("{}7{}", item.draw.hex(4), item.draw.hex(4)), value)
}

/// Pages of three parts of the site, and beside each another address of it.
fn twins(site: &mut Site, twin: fn(&Item) -> Address) {
    site.usual();
    for shape in [Shape::Article, Shape::Photo, Shape::Wiki] {
        site.each(shape, 350, |item| {
            item.base();
            item.same(twin(item));
        });
    }
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "path-and-query",
        about: "a fresh token behind the first folder and one in a parameter, always both",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| item.copies(3, twice));
        },
    },
    Kind {
        name: "path-and-session",
        about: "a fresh token before the path and `;jsessionid=` behind it, always both",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                item.copies(3, |item| {
                    let token = || item.draw.hex(12);
                    (item.url().prefix(token())).tail(format!(";visit={}", token()))
                });
            });
        },
    },
    Kind {
        name: "path-and-queries",
        about: "a fresh token behind the first folder and two in parameters, always all three",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                item.copies(3, |item| twice(item).with("from", item.draw.hex(8)));
            });
        },
    },
    Kind {
        name: "path-and-query-some",
        about: "the same, but for one item in six, where each is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                if !item.n.is_multiple_of(6) {
                    return item.copies(3, twice);
                }
                for no in 0..3 {
                    item.other(twice(item), Difference::All, no);
                }
            });
        },
    },
    Kind {
        name: "path-and-query-late",
        about: "the same, but in the last tenth of the crawl each is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 600, |item| item.copies(3, twice));
            site.span(0.9, 1.0);
            site.each(Shape::Photo, 60, |item| {
                for no in 0..3 {
                    item.other(twice(item), Difference::All, no);
                }
            });
        },
    },
    Kind {
        name: "language-and-session",
        about: "`/en/` and `/de/` with a session show one page; in the last tenth of the crawl comes `/fr/`, which is translated",
        hope: Careful,
        make: |site| {
            site.usual();
            let at = |item: &Item, language: &str| {
                item.url().prefix(language).with("visit", item.draw.hex(12))
            };
            site.each(Shape::Photo, 700, |item| {
                for language in ["en", "de"] {
                    item.same(at(item, language));
                }
            });
            site.span(0.9, 1.0);
            site.each(Shape::Photo, 60, |item| {
                item.same(at(item, "en"));
                item.other(at(item, "fr"), Difference::All, "fr");
            });
        },
    },
    Kind {
        name: "tokens-and-mode",
        about: "a fresh token in the path and one in a parameter; `mode=list` and `mode=grid` beside them show one page, `mode=cart`, which comes late, another",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 700, |item| {
                for mode in ["list", "grid"] {
                    item.same(twice(item).with("mode", mode));
                }
            });
            site.span(0.8, 1.0);
            site.each(Shape::Photo, 60, |item| {
                item.same(twice(item).with("mode", "list"));
                item.other(twice(item).with("mode", "cart"), Difference::All, "cart");
            });
        },
    },
    Kind {
        name: "folder-and-page",
        about: "a fresh token in the path; a parameter beside it chooses a page of the item",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 300, |item| {
                for page in 1..=3 {
                    for _ in 0..2 {
                        let url = item.url().insert(1, item.draw.hex(10)).with("page", page);
                        item.other(url, Difference::All, page);
                    }
                }
            });
        },
    },
    Kind {
        name: "name-made-anew",
        about: "a parameter with a fresh name at each link",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.copies(3, |item| unnamed(item, 1));
            });
        },
    },
    Kind {
        name: "name-made-anew-some",
        about: "the same, but for one item in six, where each is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                if !item.n.is_multiple_of(6) {
                    return item.copies(3, |item| unnamed(item, 1));
                }
                for no in 0..3 {
                    item.other(unnamed(item, no), Difference::All, no);
                }
            });
        },
    },
    Kind {
        name: "name-that-chooses",
        about: "parameters with names like tokens, each of which chooses a page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                for no in 0..3 {
                    item.other(unnamed(item, no), Difference::All, no);
                }
            });
        },
    },
    Kind {
        name: "place-on-a-map",
        about: "a latitude and a longitude in every link, and no two links that differ in one of them only: on eleven pages in twelve they do not matter, on the twelfth each place is a page",
        hope: Careful,
        make: |site| {
            site.usual();
            let at = |item: &Item, no: usize| {
                let place = 7 * no + item.n % 5;
                (item.url().with("lat", place)).with("lon", 500 + place)
            };
            site.each(Shape::Photo, 450, |item| {
                for no in 0..6 {
                    if item.n.is_multiple_of(12) {
                        item.other(at(item, no), Difference::All, no);
                    } else {
                        item.same(at(item, no));
                    }
                }
            });
        },
    },
    Kind {
        name: "host-and-parameter",
        about: "beside each page stands one on a host for telephones, always with `m=1`",
        hope: Both,
        make: |site| twins(site, |item| item.url().below("m").with("m", 1)),
    },
    Kind {
        name: "suffix-and-parameter",
        about: "beside each page stands one to print, `/print?template=print`",
        hope: Both,
        make: |site| {
            twins(site, |item| {
                item.url().suffix("print").with("template", "print")
            });
        },
    },
    Kind {
        name: "suffix-and-parameter-some",
        about: "the same, but for one item in eight, where that is another page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 1000, |item| {
                item.base();
                let print = item.url().suffix("print").with("template", "print");
                if item.n % 8 == 3 {
                    item.other(print, Difference::All, "print");
                } else {
                    item.same(print);
                }
            });
        },
    },
];
