//! Pages that are called by an id alone in one address, and by the id and a title in another.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

/// An id of ten hexadecimal digits.
fn token(item: &Item) -> String {
    format!(
        "{:08x}a{}",
        item.n.wrapping_mul(0x9E37_79B1) as u32,
        item.n % 10
    )
}

/// A title of two words.
fn title(item: &Item) -> String {
    let last = item.url().last().to_owned();
    let words: Vec<&str> = last.split('-').take(2).collect();
    words.join("-")
}

/// The two addresses of a question.
fn question(item: &Item) -> (Address, Address) {
    let (host, id) = (item.url().host().to_owned(), 100 + 3 * item.n);
    (
        Address::new(&host, &format!("questions/{id}/{}", title(item))),
        Address::new(&host, &format!("q/{id}")),
    )
}

/// A question, and what its short address shows: the same, or, by this name, something else.
fn asked(item: &mut Item, other: Option<&str>) {
    let (long, short) = question(item);
    item.same(long);
    match other {
        Some(name) => item.other(short, All, name),
        None => item.same(short),
    };
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "id-and-title",
        about: "`/questions/17/why-not` is `/q/17`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| asked(item, None));
        },
    },
    Kind {
        name: "id-and-title-script",
        about: "`/threads/17-why-not` is `/showthread.php?t=17`, and so is `/printthread.php?t=17`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                let (host, id) = (item.url().host().to_owned(), 100 + 3 * item.n);
                item.same(Address::new(
                    &host,
                    &format!("threads/{id}-{}", title(item)),
                ));
                item.same(Address::new(&host, "showthread.php").with("t", id));
                item.same(Address::new(&host, "printthread.php").with("t", id));
            });
        },
    },
    Kind {
        name: "id-behind-title",
        about: "`/job/painter-7f3a09b1c2` is `/viewjob?jk=7f3a09b1c2`",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                let (host, id) = (item.url().host().to_owned(), token(item));
                item.same(Address::new(&host, &format!("job/{}-{id}", title(item))));
                item.same(Address::new(&host, "viewjob").with("jk", id));
            });
        },
    },
    Kind {
        name: "id-and-title-but-some",
        about: "`/questions/17/why-not` is `/q/17`, but for one page in thirty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                asked(item, (item.n % 30 == 7).then_some("short"));
            });
        },
    },
    Kind {
        name: "id-and-title-late",
        about: "the same for all pages that are met early, and for none of the last third",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                asked(item, (item.at > 0.66).then_some("short"));
            });
        },
    },
    Kind {
        name: "id-of-another-thing",
        about: "`/questions/17/why-not` and `/q/17` are a question and a comment of one number",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| asked(item, Some("comment")));
        },
    },
    Kind {
        name: "script-alias-but-some",
        about: "`/printthread.php?t=17` is `/showthread.php?t=17`, but for one page in thirty",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 800, |item| {
                let (host, id) = (item.url().host().to_owned(), 100 + 3 * item.n);
                item.same(Address::new(&host, "showthread.php").with("t", id));
                let print = Address::new(&host, "printthread.php").with("t", id);
                if item.n % 30 == 7 {
                    item.other(print, All, "print");
                } else {
                    item.same(print);
                }
            });
        },
    },
];
