//! One address in several spellings: host, scheme, case, slash, index page, order and number of parameters.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful, Nothing},
    Item, Kind, Shape, Site, capital,
};

/// An item that has two numbers for an address, with what stands between.
fn with_comma(item: &Item, comma: &str) -> Address {
    let numbers = format!("{}{comma}{}", 40 + item.n / 2, item.n % 2);
    Address::new(item.url().host(), "shop/part.php").with("part", numbers)
}

/// Another address of an item, which is another page where that is said.
fn same_unless(is_other: fn(&Item) -> bool, item: &mut Item, address: Address) {
    if is_other(item) {
        item.other(address, All, "other");
    } else {
        item.same(address);
    }
}

/// Items whose comma may be escaped, and is another page then where that is said.
fn with_escapes(site: &mut Site, is_other: fn(&Item) -> bool) {
    site.usual();
    site.each(Shape::Product, 800, |item| {
        item.same(with_comma(item, ","));
        let escaped = with_comma(item, "%2C");
        same_unless(is_other, item, escaped);
    });
}

/// Items whose comma is escaped where their parameters come in the other order, and are another page then where that is said.
fn with_escapes_in_order(site: &mut Site, is_other: fn(&Item) -> bool) {
    site.usual();
    site.each(Shape::Product, 800, |item| {
        let category = item.draw.below(9);
        item.same(with_comma(item, ",").with("cat", category));
        let escaped = with_comma(item, "%2C").with("cat", category).reversed();
        same_unless(is_other, item, escaped);
    });
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "host-www",
        about: "with and without `www.`, by `http` and `https`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 550, |item| {
                item.base();
                item.same(item.url().below("www"));
                item.same(item.url().https());
                item.same(item.url().below("www").https());
            });
        },
    },
    Kind {
        name: "host-alias",
        about: "`us.` before the host's name",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().below("us"));
            });
        },
    },
    Kind {
        name: "host-mirrors",
        about: "three more hosts with the same pages, of which each link takes one",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 650, |item| {
                item.base();
                item.copies(2, |item| {
                    item.url().below(item.draw.pick(&["eu", "asia", "mirror"]))
                });
            });
        },
    },
    Kind {
        name: "host-mobile",
        about: "`m.` with a chrome of its own",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().below("m")).frame(5);
            });
        },
    },
    Kind {
        name: "host-numbered",
        about: "one of two hundred numbered hosts, which all answer alike",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 650, |item| {
                item.copies(3, |item| {
                    item.url().below(&format!("s{}", item.draw.below(200)))
                });
            });
        },
    },
    Kind {
        name: "port",
        about: "another port of the same host",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().port(8080));
            });
        },
    },
    Kind {
        name: "port-partly",
        about: "another port has the articles, too, and goods of its own at the paths of the others",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 500, |item| {
                item.base();
                item.same(item.url().port(8080));
            });
            site.each(Shape::Goods, 350, |item| {
                item.base();
                item.other(item.url().port(8080), All, "port");
            });
        },
    },
    Kind {
        name: "case-path",
        about: "folders and files with capitals and without",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().respelled(capital));
            });
        },
    },
    Kind {
        name: "case-mixed",
        about: "each link writes some of the path in capitals",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 600, |item| {
                item.copies(3, |item| {
                    item.url().respelled(|segment| match item.draw.below(3) {
                        0 => capital(segment),
                        1 => segment.to_uppercase(),
                        _ => segment.to_owned(),
                    })
                });
            });
        },
    },
    Kind {
        name: "case-value",
        about: "the value of a parameter, in either case",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 800, |item| {
                let name = item.url().last().to_owned();
                let page = item.url().replace(1, "page.cgi");
                item.same(page.clone().with("name", &name));
                item.same(page.with("name", name.to_uppercase()));
            });
        },
    },
    Kind {
        name: "slash",
        about: "with a slash at the end, without, and `index.html`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.same(item.url().tail("/"));
                item.same(item.url().tail("/index.html"));
            });
        },
    },
    Kind {
        name: "index-unknown",
        about: "an index page of a name that static normalization does not know",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().tail("/start.cfm"));
            });
        },
    },
    Kind {
        name: "extension",
        about: "with `.html`, `.php` and no extension",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.same(item.url().tail(".html"));
                item.same(item.url().tail(".php"));
            });
        },
    },
    Kind {
        name: "slashes-doubled",
        about: "two slashes behind the first folder",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Goods, 800, |item| {
                item.base();
                item.same(item.url().insert(1, ""));
            });
        },
    },
    Kind {
        name: "order",
        about: "three parameters in two orders",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 800, |item| {
                let url = item.url().with("cat", item.draw.below(9));
                let url = url.with("part", item.draw.below(9));
                item.same(url.clone());
                item.same(url.reversed());
            });
        },
    },
    Kind {
        name: "escapes",
        about: "a value with a comma, as it is and as `%2C`",
        hope: Both,
        make: |site| with_escapes(site, |_| false),
    },
    Kind {
        name: "escapes-differ",
        about: "the same, and where the comma is escaped another page is shown",
        hope: Nothing,
        make: |site| with_escapes(site, |_| true),
    },
    Kind {
        name: "escapes-some",
        about: "the same, and it is another page for one product in forty",
        hope: Careful,
        make: |site| with_escapes(site, |item| item.n % 40 == 17),
    },
    Kind {
        name: "escapes-order",
        about: "a comma that may be `%2C`, where parameters then come in another order, too",
        hope: Both,
        make: |site| with_escapes_in_order(site, |_| false),
    },
    Kind {
        name: "escapes-order-differ",
        about: "the same, and that is another page",
        hope: Nothing,
        make: |site| with_escapes_in_order(site, |_| true),
    },
    Kind {
        name: "repeated",
        about: "a parameter that is there twice, of which the first counts",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.base();
                item.copies(2, |item| item.url().with("t", item.draw.below(5000)));
            });
        },
    },
    Kind {
        name: "repeated-pair",
        about: "a parameter without meaning that comes twice, with fresh values",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.base();
                item.copies(2, |item| {
                    let url = item.url().with("s", item.draw.below(5000));
                    url.with("s", item.draw.below(5000))
                });
            });
        },
    },
    Kind {
        name: "blank",
        about: "`print=` without a value, and `full` without `=`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                item.base();
                item.same(item.url().with("print", ""));
                item.same(item.url().flag("full"));
            });
        },
    },
    Kind {
        name: "hyphens",
        about: "hyphens or underscores between words",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                item.base();
                item.same(item.url().respelled(|segment| segment.replace('-', "_")));
            });
        },
    },
];
