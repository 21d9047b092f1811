//! The same text once more: versions of a manual, translations, revisions, countries.

use super::{
    Difference::{self, All, Lines, Numbers},
    Hope::{Both, Careful, Nothing},
    Item, Kind, Shape, Site,
};

/// A manual in five versions; what differs between two of them is asked for each page and version.
fn versions(site: &mut Site, difference: Difference, is_new: impl Fn(&Item) -> bool) {
    site.fill(Shape::Dated, 220);
    site.fill(Shape::Profile, 120);
    site.each(Shape::Manual, 450, |item| {
        let mut state = 0;
        for version in 1..=5 {
            if version > 1 && is_new(item) {
                state = version;
            }
            let url = item.url().insert(1, format!("v{version}"));
            if state == 0 {
                item.same(url);
            } else {
                item.other(url, difference, state);
            }
        }
    });
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "versions-equal",
        about: "a manual in five versions that are all the same",
        hope: Both,
        make: |site| versions(site, All, |_| false),
    },
    Kind {
        name: "versions-few",
        about: "five versions; a page changes from one to the next once in twenty times",
        hope: Careful,
        make: |site| versions(site, All, |item| item.draw.one_in(20)),
    },
    Kind {
        name: "versions-many",
        about: "a page changes every second time",
        hope: Careful,
        make: |site| versions(site, All, |item| item.draw.one_in(2)),
    },
    Kind {
        name: "versions-lines",
        about: "each page changes in three lines each time",
        hope: Careful,
        make: |site| versions(site, Lines(3), |_| true),
    },
    Kind {
        name: "versions-latest",
        about: "`latest` is the third version; the other two are others",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 500, |item| {
                for version in 1..=3 {
                    let url = item.url().insert(1, version);
                    item.other(url, All, version);
                }
                item.other(item.url().insert(1, "latest"), All, 3);
            });
        },
    },
    Kind {
        name: "versions-grow",
        about: "pages that are older than a version are the same in it, newer ones are there only since",
        hope: Both,
        make: |site| {
            site.fill(Shape::Dated, 300);
            site.each(Shape::Manual, 700, |item| {
                for version in 1 + item.n % 5..=5 {
                    item.same(item.url().insert(1, format!("v{version}")));
                }
            });
        },
    },
    Kind {
        name: "language-parameter",
        about: "`lang=` with eight languages; one page in five is translated",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 330, |item| {
                let is_translated = item.draw.one_in(5);
                item.base();
                for language in ["de", "fr", "es", "it", "pl", "nl"] {
                    let url = item.url().with("lang", language);
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
        name: "language-folder",
        about: "`/de/` and `/fr/`; one page in five is translated",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 650, |item| {
                let is_translated = item.draw.one_in(5);
                item.base();
                for language in ["de", "fr"] {
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
        name: "language-folder-one-part",
        about: "`/de/` and `/fr/`: all of the news is translated, nothing of the manual",
        hope: Both,
        make: |site| {
            site.fill(Shape::Dated, 200);
            site.each(Shape::Manual, 450, |item| {
                item.base();
                for language in ["de", "fr"] {
                    item.same(item.url().prefix(language));
                }
            });
            site.each(Shape::Article, 250, |item| {
                item.base();
                for language in ["de", "fr"] {
                    item.other(item.url().prefix(language), All, language);
                }
            });
        },
    },
    Kind {
        name: "language-chrome",
        about: "`lang=` with four languages that translate the chrome and nothing else",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 450, |item| {
                item.base();
                for (frame, language) in ["de", "fr", "es", "it"].into_iter().enumerate() {
                    let url = item.url().with("lang", language);
                    item.same(url).frame(frame as u32 + 1);
                }
            });
        },
    },
    Kind {
        name: "language-all",
        about: "`lang=` with four languages, all translated, and a session",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Manual, 230, |item| {
                for language in ["en", "de", "fr", "es"] {
                    for _ in 0..2 {
                        let url = item.url().with("lang", language);
                        let url = url.with("visit", item.draw.hex(8));
                        item.other(url, All, language);
                    }
                }
            });
        },
    },
    Kind {
        name: "countries",
        about: "shops of five countries, whose prices differ and nothing else",
        hope: Nothing,
        make: |site| {
            site.usual();
            site.each(Shape::Report, 400, |item| {
                for country in ["at", "be", "ch", "dk", "ee"] {
                    let url = item.url().prefix(country);
                    item.other(url, Numbers, country);
                }
            });
        },
    },
    Kind {
        name: "snapshots",
        about: "`at=` and a date shows the page as it was; three in four never changed",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 500, |item| {
                let has_changed = item.n % 4 == 2;
                item.base();
                for _ in 0..3 {
                    let day = item.draw.between(10..=400);
                    let url = item.url().with("at", day);
                    if has_changed {
                        item.other(url, All, day);
                    } else {
                        item.same(url);
                    }
                }
            });
        },
    },
    Kind {
        name: "revisions",
        about: "revisions of a page differ in four lines; the last one is the page",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 400, |item| {
                item.base();
                item.same(item.url().with("rev", 10 * item.n + 5));
                for turn in 1..=3 {
                    let url = item.url().with("rev", 10 * item.n + 5 - turn);
                    item.other(url, Lines(4), turn);
                }
            });
        },
    },
    Kind {
        name: "comparisons",
        about: "two revisions beside each other, in either order and with a view that means nothing",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 300, |item| {
                item.base();
                for (from, to) in [(1, 2), (2, 3), (1, 3)] {
                    for view in ["inline", "side"] {
                        let url = item.url().with("from", from).with("to", to);
                        let url = url.with("view", view);
                        item.other(url, All, format!("{from} {to}"));
                    }
                }
            });
        },
    },
];
