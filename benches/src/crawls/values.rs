//! Parameters with two, three or four values: without meaning, with one, with one in a part of the site only.

use super::{
    Difference,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

/// Every page at each of these values of a parameter, and without it: one content.
fn ignored(item: &mut Item, name: &str, values: &[&str]) {
    item.base();
    for value in values {
        item.same(item.url().with(name, value));
    }
}

/// The same where each value shows another content.
fn heeded(item: &mut Item, name: &str, values: &[&str], difference: Difference) {
    item.base();
    for value in values {
        let url = item.url().with(name, value);
        item.other(url, difference, value);
    }
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "one-value",
        about: "`print=1` shows the same",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| ignored(item, "print", &["1"]));
        },
    },
    Kind {
        name: "one-value-heeded",
        about: "`print=1` shows the comments, too, and so another page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 900, |item| {
                heeded(item, "print", &["1"], Difference::All);
            });
        },
    },
    Kind {
        name: "two-values",
        about: "`view=list` and `view=grid` show the same as neither",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 700, |item| {
                ignored(item, "view", &["list", "grid"]);
            });
        },
    },
    Kind {
        name: "two-values-always",
        about: "every link has one of two values without meaning",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 900, |item| {
                for view in ["list", "grid"] {
                    item.same(item.url().with("view", view));
                }
            });
        },
    },
    Kind {
        name: "two-values-heeded",
        about: "each of two values shows another page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 700, |item| {
                heeded(item, "part", &["a", "b"], Difference::All);
            });
        },
    },
    Kind {
        name: "two-values-halves",
        about: "the first of two values shows the same, the second another page",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 700, |item| {
                ignored(item, "view", &["short"]);
                let url = item.url().with("view", "full");
                item.other(url, Difference::All, "full");
            });
        },
    },
    Kind {
        name: "two-values-one-shape",
        about: "two values without meaning in a shop, with one in the forum",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 400, |item| {
                ignored(item, "mode", &["old", "new"]);
            });
            site.each(Shape::Topic, 300, |item| {
                heeded(item, "mode", &["old", "new"], Difference::All);
            });
        },
    },
    Kind {
        name: "two-values-seldom",
        about: "two values that show another page for one item in six",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 700, |item| match item.n % 6 {
                2 => heeded(item, "view", &["list", "grid"], Difference::All),
                _ => ignored(item, "view", &["list", "grid"]),
            });
        },
    },
    Kind {
        name: "three-values",
        about: "three values without meaning",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 550, |item| {
                ignored(item, "skin", &["blue", "dark", "plain"]);
            });
        },
    },
    Kind {
        name: "three-values-chrome",
        about: "three values that change the chrome and nothing else",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 550, |item| {
                item.base();
                for (number, skin) in ["blue", "dark", "plain"].into_iter().enumerate() {
                    let url = item.url().with("skin", skin);
                    item.same(url).frame(number as u32 + 1);
                }
            });
        },
    },
    Kind {
        name: "three-values-heeded",
        about: "three values, each another page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 550, |item| {
                heeded(item, "tab", &["specs", "reviews", "parts"], Difference::All);
            });
        },
    },
    Kind {
        name: "three-values-one-heeded",
        about: "of three values the last shows another page",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 550, |item| {
                ignored(item, "tab", &["main", "text"]);
                let url = item.url().with("tab", "reviews");
                item.other(url, Difference::All, "reviews");
            });
        },
    },
    Kind {
        name: "three-values-one-shape",
        about: "three values without meaning for articles, each another page in the manual",
        hope: Both,
        make: |site| {
            site.fill(Shape::Dated, 200);
            site.fill(Shape::Profile, 120);
            site.each(Shape::Article, 350, |item| {
                ignored(item, "tab", &["one", "two", "three"]);
            });
            site.each(Shape::Manual, 250, |item| {
                heeded(item, "tab", &["one", "two", "three"], Difference::All);
            });
        },
    },
    Kind {
        name: "three-values-late",
        about: "the third value comes when the first two have long shown the same, and shows another page",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                ignored(item, "tab", &["one", "two"]);
                if item.at > 0.6 {
                    let url = item.url().with("tab", "three");
                    item.other(url, Difference::All, "three");
                }
            });
        },
    },
    Kind {
        name: "four-values",
        about: "four values without meaning, of which each page is linked with two",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 650, |item| {
                item.base();
                item.copies(2, |item| {
                    let order = item.draw.pick(&["date", "name", "size", "type"]);
                    item.url().with("order", order)
                });
            });
        },
    },
    Kind {
        name: "two-pairs",
        about: "two parameters of two values each, neither with a meaning, in all combinations",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 450, |item| {
                item.base();
                for view in ["list", "grid"] {
                    for order in ["up", "down"] {
                        item.same(item.url().with("view", view).with("order", order));
                    }
                }
            });
        },
    },
    Kind {
        name: "two-pairs-one-heeded",
        about: "the same where the first shows another page and the second does not",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Product, 450, |item| {
                item.base();
                for part in ["a", "b"] {
                    for order in ["up", "down"] {
                        let url = item.url().with("part", part).with("order", order);
                        item.other(url, Difference::All, part);
                    }
                }
            });
        },
    },
    Kind {
        name: "language-partly",
        about: "two languages; one item in four is translated, the others show the original",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 700, |item| match item.n % 4 {
                1 => heeded(item, "lang", &["de", "fr"], Difference::All),
                _ => ignored(item, "lang", &["de", "fr"]),
            });
        },
    },
];
