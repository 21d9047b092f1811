//! Hosts of one domain, of which each has few pages: blogs, shops, wikis of one software.

use super::{
    Address,
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape,
};

/// Stories of a tenant.
const STORIES: usize = 12;

/// The stories of one host, each with two values of a parameter; whether this is heeded there.
fn stories(item: &mut Item, is_heeded: bool) {
    let (host, tenant) = (item.url().host().to_owned(), format!("t{}", item.n));
    for story in 0..STORIES {
        let plain = Address::new(&host, &format!("story/{story}-{}", item.n)).below(&tenant);
        item.other(plain.clone(), All, story);
        let value = item.draw.below(900);
        let viewed = plain.with("ref", value);
        if is_heeded {
            item.other(viewed, All, format!("{story} {value}"));
        } else {
            item.other(viewed, All, story);
        }
    }
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "tenants",
        about: "eighty hosts of twelve stories, on which `ref` does not matter",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 80, |item| stories(item, false));
        },
    },
    Kind {
        name: "tenants-but-some",
        about: "the same, but on one host in eight `ref` chooses a story",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 80, |item| stories(item, item.n % 8 == 5));
        },
    },
    Kind {
        name: "tenants-late",
        about: "the same, but on the hosts that are met last `ref` chooses a story",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 80, |item| stories(item, item.at > 0.7));
        },
    },
    Kind {
        name: "tenants-mixed",
        about: "the same, but on each host `ref` chooses one story in twelve",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 80, |item| {
                let (host, tenant) = (item.url().host().to_owned(), format!("t{}", item.n));
                for story in 0..STORIES {
                    let plain = Address::new(&host, &format!("story/{story}-{}", item.n));
                    let plain = plain.below(&tenant);
                    item.other(plain.clone(), All, story);
                    let value = item.draw.below(900);
                    let name = if story == item.n % STORIES {
                        format!("{story} {value}")
                    } else {
                        story.to_string()
                    };
                    item.other(plain.with("ref", value), All, name);
                }
            });
        },
    },
];
