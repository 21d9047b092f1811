//! Escapes, the order of parameters, and the order of items within one.

use super::{article, saved, see, text};
use crate::predict::{PredictConfig, site::Site};

/// A site for which another order of parameters may be another page.
fn of_any_order() -> Site {
    Site::new(
        "e.org",
        &PredictConfig {
            sort_parameters: false,
            ..PredictConfig::default()
        },
    )
}

fn list(id: u64, is_other_order: bool, is_escaped: bool) -> String {
    let sort = format!("sort=a{}{id}", if is_escaped { "%2C" } else { "," });
    if is_other_order {
        format!("http://e.org/list?page=1&{sort}")
    } else {
        format!("http://e.org/list?{sort}&page=1")
    }
}

#[test]
fn what_differs_in_both_at_once_is_learned() {
    let mut site = of_any_order();
    for id in 0..200 {
        see(&mut site, &list(id, false, false), id);
        see(&mut site, &list(id, true, true), id);
    }
    see(&mut site, &list(900, false, false), 900);
    assert!(site.predict(&list(900, true, true)).is_some());
    assert!(saved(&site).predict(&list(900, true, true)).is_some());
}

#[test]
fn pages_that_differ_in_the_order_alone_say_nothing_of_escapes() {
    let mut site = of_any_order();
    see(&mut site, &list(7000, false, false), 7000);
    see(&mut site, &list(7000, true, true), 7000);
    for id in 0..200 {
        see(&mut site, &list(id, false, false), id);
        see(&mut site, &list(id, true, false), id);
    }
    see(&mut site, &list(900, false, false), 900);
    assert!(
        site.predict(&list(900, true, false)).is_some(),
        "that is learned"
    );
    assert_eq!(site.predict(&list(900, false, true)), None);
    assert_eq!(site.predict(&list(900, true, true)), None);
}

#[test]
fn what_is_met_in_one_spelling_after_the_other_is_learned() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let spell = |site: &mut Site, is_second: bool| {
        for id in 0..120 {
            see(site, &list(id, is_second, is_second), id);
        }
    };
    spell(&mut site, false);
    spell(&mut site, true);
    see(&mut site, &list(900, false, false), 900);
    assert!(site.predict(&list(900, true, true)).is_some());
}

/// What is shown of an item on a visit.
fn visit(name: char, id: u64) -> String {
    format!("http://e.org/item?id={id}&visit={name}{id}")
}

#[test]
fn what_each_page_has_in_both_of_two_rounds_is_learned() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..120 {
        see(&mut site, &visit('a', id), id);
    }
    for id in 0..3 {
        see(&mut site, &visit('b', id), id);
    }
    // The same comes of it if it is stored amid this.
    let mut restored = saved(&site);
    let reads = |site: &Site| -> Vec<u8> { site.edits.iter().map(|edit| edit.read).collect() };
    assert_eq!(reads(&site), reads(&restored));
    assert!(reads(&site).iter().any(|read| (1..5).contains(read)));
    for site in [&mut site, &mut restored] {
        for id in 3..119 {
            see(site, &visit('b', id), id);
        }
        assert!(site.predict(&visit('b', 119)).is_some());
    }
}

#[test]
fn what_earlier_pages_contradict_is_not_learned_from_those_that_do_not() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    // Of a third two visits show two pages.
    for id in 0..60 {
        for (name, page) in [('a', 1_000 + id), ('b', 2_000 + id)] {
            see(&mut site, &visit(name, id), page);
        }
    }
    for name in ['a', 'b'] {
        for id in 60..200 {
            see(&mut site, &visit(name, id), id);
        }
    }
    assert_eq!(site.predict(&visit('c', 7)), None);
}

/// An item of which a link says where to go back to.
fn back(id: u64, to: &str, is_other_order: bool) -> String {
    if is_other_order {
        format!("http://e.org/item?id={id}&back={to}{id}&view=edit")
    } else {
        format!("http://e.org/item?view=edit&id={id}&back={to}{id}")
    }
}

#[test]
fn what_does_not_matter_is_learned_whatever_the_order_beside_it() {
    let learn = |mut site: Site| {
        for id in 0..100 {
            see(&mut site, &back(id, "list", false), id);
            see(&mut site, &back(id, "search", true), id);
        }
        see(&mut site, &back(900, "list", false), 900);
        site
    };
    let site = learn(Site::new("e.org", &PredictConfig::default()));
    for site in [&site, &saved(&site)] {
        assert!(site.predict(&back(900, "home", true)).is_some());
        assert!(site.predict(&back(900, "home", false)).is_some());
        assert_eq!(site.predict(&back(901, "home", false)), None);
    }
    // Where it is not known whether the order matters, nothing but the order and `back` together was ever tried.
    let apart = learn(of_any_order());
    assert_eq!(apart.predict(&back(900, "home", false)), None);
}

#[test]
fn pages_are_found_again_when_the_order_matters_no_more() {
    let mut site = of_any_order();
    for id in 0..100 {
        see(&mut site, &back(id, "list", true), id);
        see(&mut site, &back(id, "search", true), id);
    }
    let copy = |id| back(id, "home", false);
    assert_eq!(site.predict(&copy(7)), None, "it is in another order");
    let mut again = saved(&site);
    again.configure(&PredictConfig::default());
    for id in 0..100 {
        see(&mut again, &article(id), 1000 + id);
    }
    assert!(again.predict(&copy(7)).is_some());
}

/// A list by several tags, in this order.
fn by_tags(tags: &[&str], sign: &str) -> String {
    format!("http://e.org/list?page=1&tags={}", tags.join(sign))
}

const TAGS: [&str; 12] = [
    "red", "round", "new", "old", "big", "flat", "warm", "cheap", "wide", "deep", "odd", "tall",
];

/// Pairs of tags in both orders, all in one before any in the other; what is on the page of each pair.
fn pairs_of_tags() -> Vec<([&'static str; 2], u64)> {
    let mut pairs = Vec::new();
    for is_second in [false, true] {
        for (i, one) in TAGS.iter().enumerate() {
            for (j, other) in TAGS.iter().enumerate().skip(i + 1) {
                let page = (i * TAGS.len() + j) as u64;
                let pair = if is_second {
                    [*other, *one]
                } else {
                    [*one, *other]
                };
                pairs.push((pair, page));
            }
        }
    }
    // Some stand in both orders early.
    pairs.rotate_left(60);
    pairs
}

#[test]
fn that_items_stand_in_any_order_is_learned() {
    for sign in [",", "%7C", "+"] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for (pair, page) in pairs_of_tags() {
            see(&mut site, &by_tags(&pair, sign), page);
        }
        for (pair, page) in pairs_of_tags() {
            let three = [pair[0], pair[1], "zinc"];
            see(&mut site, &by_tags(&three, sign), 1000 + page);
        }
        for site in [&site, &saved(&site)] {
            assert!(
                site.predict(&by_tags(&["zinc", "red", "round"], sign))
                    .is_some()
            );
            let fewer = site.predict(&by_tags(&["zinc", "red"], sign));
            assert_eq!(fewer, None, "another set");
            assert_eq!(
                site.predict(&by_tags(&["zinc", "blue", "round"], sign)),
                None
            );
        }
    }
}

#[test]
fn items_whose_order_is_another_page_are_kept_apart() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    // What compares one with another says the same of some only.
    for (number, (pair, page)) in (0..).zip(pairs_of_tags()) {
        let is_same = page % 10 == 0;
        let page = if is_same { page } else { 5000 + number };
        see(&mut site, &by_tags(&pair, ","), page);
    }
    see(&mut site, &by_tags(&["red", "zinc"], ","), 9000);
    assert_eq!(site.predict(&by_tags(&["zinc", "red"], ",")), None);
    let learned = site.observe(
        &by_tags(&["zinc", "red"], ",").parse().unwrap(),
        &text(9001),
        None,
        None,
    );
    assert_eq!(learned.is_new, Some(true));
}
