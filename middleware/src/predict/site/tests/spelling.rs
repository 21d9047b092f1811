//! Escapes and the order of parameters at once.

use super::{saved, see};
use crate::predict::{PredictConfig, site::Site};

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
    let mut site = Site::new("e.org", &PredictConfig::default());
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
    let mut site = Site::new("e.org", &PredictConfig::default());
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
