//! What stands around the text: late, long, changing, or taken for what it is not.

use super::{
    Difference::All,
    Hope::{Both, Careful},
    Item, Kind, Shape, Site,
};

/// Articles with two campaigns each.
fn campaigns(site: &mut Site) {
    site.usual();
    site.each(Shape::Article, 700, |item| {
        item.base();
        item.copies(2, |item| item.url().with("via", item.draw.below(300)));
    });
}

/// One of ninety lines of five words.
fn headline(item: &Item) -> String {
    let number = item.draw.below(90);
    let letter = |n: usize| char::from(b'a' + n as u8);
    let (tens, ones) = (letter(number / 10), letter(number % 10 + 10));
    let words = ["ra", "mo", "tel", "vin", "su"].map(|end| format!("{tens}{ones}{end}"));
    words.join(" ")
}

/// The kinds of this family.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "chrome-late",
        about: "a part of the site with long chrome of its own and short texts comes late",
        hope: Careful,
        make: |site| {
            site.chrome_words(350);
            site.span(0.0, 0.6);
            site.usual();
            site.fill(Shape::Article, 600);
            site.span(0.6, 1.0);
            site.words(20..=40);
            site.each(Shape::Photo, 900, |item| {
                item.base().frame(7);
            });
        },
    },
    Kind {
        name: "chrome-late-copies",
        about: "the same, each of its pages with two sessions",
        hope: Both,
        make: |site| {
            site.chrome_words(350);
            site.span(0.0, 0.5);
            site.usual();
            site.span(0.5, 1.0);
            site.words(25..=60);
            site.each(Shape::Photo, 600, |item| {
                item.base().frame(7);
                for _ in 0..2 {
                    let url = item.url().with("visit", item.draw.hex(9));
                    item.same(url).frame(7);
                }
            });
        },
    },
    Kind {
        name: "chrome-changes",
        about: "the chrome changes once, after half of the crawl",
        hope: Both,
        make: |site| {
            site.frames(|at| u32::from(at > 0.5));
            campaigns(site);
        },
    },
    Kind {
        name: "chrome-changes-between",
        about: "the same, and the second address of an item is met after the change",
        hope: Both,
        make: |site| {
            site.frames(|at| u32::from(at > 0.5));
            site.usual();
            site.each(Shape::Article, 700, |item| {
                item.base();
                for turn in 0..2 {
                    let place = 0.5f64.mul_add(f64::from(turn), item.at) % 1.0;
                    let url = item.url().with("via", item.draw.below(300));
                    item.same(url).linked_at(place);
                }
            });
        },
    },
    Kind {
        name: "chrome-back",
        about: "the chrome changes, and back",
        hope: Both,
        make: |site| {
            site.frames(|at| u32::from((0.3..0.6).contains(&at)));
            campaigns(site);
        },
    },
    Kind {
        name: "chrome-often",
        about: "twelve chromes, one after the other",
        hope: Both,
        make: |site| {
            site.frames(|at| (at * 12.0) as u32);
            campaigns(site);
        },
    },
    Kind {
        name: "chrome-long",
        about: "six hundred words of chrome around thirty, each page another",
        hope: Careful,
        make: |site| {
            site.chrome_words(600);
            site.words(20..=40);
            site.usual();
            site.each(Shape::Photo, 800, |item| {
                item.base();
                let url = item.url().with("side", item.draw.below(300));
                item.other(url, All, "side");
            });
        },
    },
    Kind {
        name: "chrome-long-copies",
        about: "the same with copies",
        hope: Both,
        make: |site| {
            site.chrome_words(600);
            site.words(20..=40);
            campaigns(site);
        },
    },
    Kind {
        name: "chrome-per-folder",
        about: "each of the twelve folders of a shop has its own chrome, copies included",
        hope: Both,
        make: |site| {
            site.chrome_words(150);
            site.usual();
            site.each(Shape::Goods, 650, |item| {
                let url = item.url().to_string();
                let folder = super::FOLDERS
                    .iter()
                    .position(|name| url.contains(&format!("/{name}/")));
                let frame = folder.map_or(0, |at| at as u32 + 1);
                item.base().frame(frame);
                for _ in 0..2 {
                    let url = item.url().with("via", item.draw.below(300));
                    item.same(url).frame(frame);
                }
            });
        },
    },
    Kind {
        name: "contents-as-chrome",
        about: "three pages are fetched so often that they look like chrome",
        hope: Both,
        make: |site| {
            site.usual();
            site.fill(Shape::Article, 300);
            site.each(Shape::Photo, 1500, |item| {
                let url = item.url().replace(0, "go").with("from", item.n);
                item.wall(url, ["rules", "imprint", "prices"][item.n % 3]);
            });
        },
    },
    Kind {
        name: "contents-as-chrome-kept",
        about: "the same, and late pages of the site say what those three say, and a few lines more",
        hope: Careful,
        make: |site| {
            site.usual();
            site.each(Shape::Photo, 900, |item| {
                let url = item.url().replace(0, "go").with("from", item.n);
                item.wall(url, ["rules", "imprint", "prices"][item.n % 3]);
            });
            site.span(0.6, 1.0);
            site.each(Shape::Manual, 40, |item| {
                for chapter in 0..20 {
                    let url = item.url().suffix(chapter);
                    item.other(url, super::Difference::More(3), chapter);
                }
            });
        },
    },
    Kind {
        name: "sidebar",
        about: "five lines that are others at each answer",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                item.base();
                for _ in 0..2 {
                    let url = item.url().with("via", item.draw.below(300));
                    let lines: Vec<String> = (0..5)
                        .map(|_| format!("new {} by {}", item.draw.hex(6), item.draw.hex(4)))
                        .collect();
                    item.same(url).note(lines.join("\n"));
                }
            });
        },
    },
    Kind {
        name: "headlines",
        about: "above each text one of ninety headlines, another one at each answer",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                let line = headline(item);
                item.base().note(line);
                for _ in 0..2 {
                    let url = item.url().with("via", item.draw.below(40));
                    let line = headline(item);
                    item.same(url).note(line);
                }
            });
        },
    },
    Kind {
        name: "echo",
        about: "the page says its own address and where the visitor came from",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Article, 700, |item| {
                item.base();
                for _ in 0..2 {
                    let url = item.url().with("via", item.draw.below(300));
                    let note = format!("you are at {url}\nyou came by {}", item.draw.hex(8));
                    item.same(url).note(note);
                }
            });
        },
    },
    Kind {
        name: "skins",
        about: "a chrome for each of five values of a parameter, and a session beside it",
        hope: Both,
        make: |site| {
            site.usual();
            site.each(Shape::Topic, 650, |item| {
                for _ in 0..3 {
                    let skin = item.draw.below(5) as u32;
                    let url = item.url().with("skin", skin);
                    let url = url.with("visit", item.draw.hex(8));
                    item.same(url).frame(skin);
                }
            });
        },
    },
];
