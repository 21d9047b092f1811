//! One name or number that stands in addresses in several ways: `?t=17`, `/topic17.html`, `/~kim`.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// Topics with a second address, which for some shows another page.
fn topics(site: &mut Site, path: fn(&str) -> String, is_other: fn(&Item) -> bool) {
    site.usual();
    site.each(Shape::Topic, 850, |item| {
        let number = item.url().value("t").unwrap_or_default().to_owned();
        let second = Address::new(item.url().host(), &path(&number));
        item.base();
        if is_other(item) {
            item.other(second, All, "own");
        } else {
            item.same(second);
        }
    });
}

/// Users' pages by a second address, which for some shows another page.
fn homes(site: &mut Site, is_other: fn(&Item) -> bool) {
    site.usual();
    site.each(Shape::Profile, 850, |item| {
        let home = format!("~{}", item.url().last());
        let home = Address::new(item.url().host(), &home);
        item.base();
        if is_other(item) {
            item.other(home, All, "own");
        } else {
            item.same(home);
        }
    });
}

fn file(number: &str) -> String {
    format!("forum/topic{number}.html")
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "topic-file",
        about: "`viewtopic.php?t=17` is `topic17.html`",
        hope: Both,
        make: |site| topics(site, file, |_| false),
    },
    Kind {
        name: "topic-folder",
        about: "`viewtopic.php?t=17` is `/topics/17/`",
        hope: Both,
        make: |site| topics(site, |number| format!("topics/{number}/"), |_| false),
    },
    Kind {
        name: "topic-letter",
        about: "`viewtopic.php?t=17` is `/f/T17`",
        hope: Both,
        make: |site| topics(site, |number| format!("f/T{number}"), |_| false),
    },
    Kind {
        name: "topic-file-but-some",
        about: "the same as `topic-file`, but for one file in twenty, which shows a page of its own",
        hope: Careful,
        make: |site| topics(site, file, |item| item.draw.one_in(20)),
    },
    Kind {
        name: "topic-file-late",
        about: "files of topics show other pages than topics of these numbers from the middle on",
        hope: Careful,
        make: |site| topics(site, file, |item| item.at > 0.5),
    },
    Kind {
        name: "tilde-but-some",
        about: "`/~name/` is `/users/name/`, but for one in thirty, who has a home of his own",
        hope: Careful,
        make: |site| homes(site, |item| item.draw.one_in(30)),
    },
    Kind {
        name: "tilde-late",
        about: "`/~name/` is another page than `/users/name/` from the middle on",
        hope: Careful,
        make: |site| homes(site, |item| item.at > 0.5),
    },
];
