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
