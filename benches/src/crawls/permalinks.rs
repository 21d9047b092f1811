//! Addresses of posts, which do not say of which page they are: only the page that links to them does.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site, Spelling,
};

/// The address of a post.
fn post(item: &Item, number: usize) -> Address {
    Address::new(
        item.url().host(),
        &format!("post/{}", 7 * (12 * item.n + number)),
    )
}

/// Threads with so many posts, to which they link, and whose addresses show what is said.
fn threads(site: &mut Site, posts: usize, show: fn(&mut Item, Address, usize) -> &mut Spelling) {
    site.usual();
    site.each(Shape::Topic, 300, |item| {
        let thread = item.url();
        item.base();
        for number in 0..posts {
            let url = post(item, number);
            show(item, url, number).linked_from(thread.clone());
        }
    });
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "permalinks",
        about: "each thread links to its posts, whose addresses show the thread",
        hope: Both,
        make: |site| threads(site, 5, |item, url, _| item.same(url)),
    },
    Kind {
        name: "permalinks-paged",
        about: "the same, threads having three pages, each with its posts; a last one shows the thread's number, too",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 150, |item| {
                let thread = item.url().value("t").unwrap_or_default().to_owned();
                for page in 0..3 {
                    let shown = item.url().with("start", 20 * page);
                    item.other(shown.clone(), All, page);
                    for number in 0..3 {
                        let url = post(item, 4 * page + number).with("in", &thread);
                        item.other(url, All, page).linked_from(shown.clone());
                    }
                }
            });
        },
    },
    Kind {
        name: "permalinks-own",
        about: "addresses of posts show the post alone",
        hope: Careful,
        make: |site| threads(site, 5, |item, url, number| item.other(url, All, number)),
    },
    Kind {
        name: "permalinks-some",
        about: "each thread links to its posts, but one such address in twelve shows something else",
        hope: Careful,
        make: |site| {
            threads(site, 5, |item, url, number| {
                if item.draw.one_in(12) {
                    item.other(url, All, number)
                } else {
                    item.same(url)
                }
            });
        },
    },
    Kind {
        name: "permalinks-turn",
        about: "addresses of posts show the thread, and from the middle of the crawl on the post alone",
        hope: Careful,
        make: |site| {
            threads(site, 5, |item, url, number| {
                if item.at < 0.5 {
                    item.same(url)
                } else {
                    item.other(url, All, number)
                }
            });
        },
    },
    Kind {
        name: "permalinks-of-others",
        about: "threads link to their own posts, which show them, and to one of another thread, which shows that",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 300, |item| {
                let thread = item.url();
                item.base();
                for number in 0..4 {
                    let url = post(item, number);
                    item.same(url).linked_from(thread.clone());
                }
                let url = post(item, 4);
                item.same(url);
            });
        },
    },
];
