//! Sites whose paths begin with the name of a thing (a user, a paste, a page of a wiki), or end in one with a dot.
//!
//! Names are short words of letters, as those of a site's parts and of types of files are.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

/// A word of five letters for each number.
fn name(n: usize) -> String {
    // Neighbours look as different as others do.
    let mut rest = n.wrapping_mul(0x9E37_79B1) % 26_usize.pow(5);
    let mut letters = String::new();
    for _ in 0..5 {
        letters.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    letters
}

/// The address of a page of an item's own folder.
fn of(item: &Item, page: &str) -> Address {
    Address::new(item.url().host(), &format!("{}/{page}", name(item.n)))
}

/// A page in a folder, whose name ends in a dot and a word.
fn ending_in(item: &Item, folder: &str, last: &str) -> Address {
    let path = format!("{folder}/{}.{last}", name(item.n));
    Address::new(item.url().host(), &path)
}

/// A page of an item's own folder, and with three values of a parameter, which show it, too, or not.
fn viewed(item: &mut Item, is_heeded: bool) {
    viewed_at(item, &of(item, "about"), is_heeded);
}

/// The same of a page at any address.
fn viewed_at(item: &mut Item, plain: &Address, is_heeded: bool) {
    item.same(plain.clone());
    for _ in 0..3 {
        let view = item.draw.below(900);
        let url = plain.clone().with("view", view);
        if is_heeded {
            item.other(url, All, view);
        } else {
            item.same(url);
        }
    }
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "things-shown-twice",
        about: "pastes, whose names stand first, are shown at `/name/show` and `/name/raw`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 750, |item| {
                item.same(of(item, "show"));
                item.same(of(item, "raw"));
            });
        },
    },
    Kind {
        name: "things-with-a-parameter",
        about: "`view` does not matter in the folders of users",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| viewed(item, false));
        },
    },
    Kind {
        name: "things-wiki",
        about: "of a wiki's pages, whose names are all of their path, `action=print` shows each again, and `action=diff` something else",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Wiki, 500, |item| {
                let page = Address::new(item.url().host(), &name(item.n));
                item.same(page.clone());
                item.same(page.clone().with("action", "print"));
                for _ in 0..2 {
                    let rev = item.draw.below(5000);
                    let url = page.clone().with("action", "diff").with("rev", rev);
                    item.other(url, All, rev);
                }
            });
        },
    },
    Kind {
        name: "things-late",
        about: "`view` means nothing in the folders of the first users, and something in those of later ones",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| viewed(item, item.at > 0.7));
        },
    },
    Kind {
        name: "things-rare",
        about: "`view` means nothing in the folders of users, but for one in twenty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| viewed(item, item.n % 20 == 7));
        },
    },
    Kind {
        name: "things-beside-sections",
        about: "`view` means nothing in the folders of users, and something in six sections of the site",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 400, |item| viewed(item, false));
            site.each(Shape::Article, 240, |item| {
                let section = item
                    .draw
                    .pick(&["paper", "stone", "glass", "wood", "steel", "wool"]);
                let page = item.url().replace(0, section);
                item.same(page.clone());
                for _ in 0..2 {
                    let view = item.draw.below(900);
                    item.other(page.clone().with("view", view), All, view);
                }
            });
        },
    },
    Kind {
        name: "things-private",
        about: "the page of a user, whose name is all of its path, is a form to log in, but for one in forty, which leads on",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 1300, |item| {
                let user = Address::new(item.url().host(), &name(item.n));
                if item.n % 40 != 7 {
                    item.wall(user, "private");
                    return;
                }
                item.same(user.clone());
                for post in 0..4 {
                    let url = user.clone().suffix(format!("post-{post}"));
                    item.other(url, All, post).linked_from(user.clone());
                }
            });
        },
    },
    Kind {
        name: "things-with-a-dot",
        about: "`view` does not matter on the pages of people (`/people/jane.roe`)",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| {
                let page = ending_in(item, "people", &name(item.n * 7 + 1));
                viewed_at(item, &page, false);
            });
        },
    },
    Kind {
        name: "things-with-a-dot-rare",
        about: "the same, but for one in twenty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| {
                let page = ending_in(item, "people", &name(item.n * 7 + 1));
                viewed_at(item, &page, item.n % 20 == 7);
            });
        },
    },
    Kind {
        name: "things-among-types",
        about: "`view` does not matter on files but on those of one type, among them ones whose names have dots",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| {
                let types = ["html", "txt", "csv", "xml"];
                let is_typed = item.n % 2 == 0;
                let last = if is_typed {
                    types[item.n / 2 % 4].to_owned()
                } else {
                    name(item.n * 7 + 1)
                };
                let page = ending_in(item, "files", &last);
                viewed_at(item, &page, last == "csv");
            });
        },
    },
    Kind {
        name: "things-at-the-root",
        about: "`view` does not matter on pages that lie in no folder (`/lamps.html`)",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 500, |item| {
                let page = format!("{}.html", name(item.n));
                let page = Address::new(item.url().host(), &page);
                viewed_at(item, &page, false);
            });
        },
    },
    Kind {
        name: "things-two-parameters",
        about: "on names that end in one of ten ways (`/domain/lamps.org`) neither where a link stood matters, nor that all is to be shown",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Profile, 700, |item| {
                let endings = [
                    "com", "org", "net", "info", "de", "fr", "it", "nl", "eu", "ch",
                ];
                let page = ending_in(item, "domain", item.draw.pick(&endings));
                item.same(page.clone());
                let from = item.draw.below(900);
                item.same(page.clone().with("from", from));
                item.same(page.with("show", "all"));
            });
        },
    },
];
