//! Claims that hold for the kinds of values that they were tried on.

use super::*;
use crate::predict::parts::Parts;

/// The list of recent changes, as linked from the page of this name.
fn link(id: &str) -> String {
    format!("http://e.org/do?id={id}&do=recent")
}

/// A wiki where that list was seen to be the same behind 200 pages of these names.
fn with_recent_changes(name: impl Fn(u64) -> String) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &link(&name(id)), 7777);
    }
    site
}

#[test]
fn a_kind_of_value_that_a_claim_was_never_tried_on_is_fetched_first() {
    let mut site = with_recent_changes(|id| {
        let namespace = ["guide", "faq", "platform"][id as usize % 3];
        format!("{namespace}:x{id}")
    });
    assert!(site.predict(&link("faq:new")).is_some());
    assert!(site.predict(&link("wiki:new")).is_none());
    see(&mut site, &link("wiki:new"), 7777);
    assert!(site.predict(&link("wiki:other")).is_some());
    for id in 0..4 {
        see(&mut site, &link(&format!("news:{id}")), 8000 + id);
    }
    assert!(site.predict(&link("news:new")).is_none(), "an exception");
    assert!(site.predict(&link("faq:newer")).is_some());

    let site = with_recent_changes(|id| format!("u{id}x:{id}"));
    assert!(
        site.predict(&link("u999x:999")).is_some(),
        "each has a kind of its own: kinds tell nothing"
    );
}

#[test]
fn that_no_parameter_of_a_path_matters_is_not_said_of_a_name_that_was_never_there() {
    let login = |query: &str| format!("http://e.org/login?{query}");
    let mut site = Site::new("e.org", &PredictConfig::default());
    see(&mut site, "http://e.org/login", 7777);
    for id in 0..300 {
        see(&mut site, &article(id), id);
        let (back, from) = (format!("back=x{id}"), format!("from=y{id}"));
        let query = [back.clone(), from.clone(), format!("{back}&{from}")];
        see(&mut site, &login(&query[id as usize % 3]), 7777);
    }
    assert!(site.predict(&login("from=new&back=other")).is_some());
    assert!(site.predict(&login("user=7")).is_none());
    see(&mut site, &login("user=7"), 7777);
    assert!(site.predict(&login("user=8")).is_some());
}

#[test]
fn kinds_of_values_and_their_exceptions_outlive_the_process() {
    let mut site = with_recent_changes(|id| {
        let namespace = ["guide", "faq", "platform"][id as usize % 3];
        format!("{namespace}:x{id}")
    });
    see(&mut site, &link("wiki:0"), 7777);
    for id in 0..4 {
        see(&mut site, &link(&format!("news:{id}")), 8000 + id);
    }
    let mut parts = Parts::default();
    site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    let mut again = Site::load("e.org", &parts).unwrap();
    for id in ["faq:new", "wiki:new", "news:new", "other:new"] {
        assert_eq!(again.predict(&link(id)), site.predict(&link(id)), "{id}");
    }
    assert!(again.predict(&link("wiki:new")).is_some());
    assert!(again.predict(&link("news:new")).is_none());
    let mut records = Vec::new();
    again.records(&mut |record| records.push(record));
    assert!(records.iter().any(|record| record.exceptions > 0));
    for site in [&mut site, &mut again] {
        see(site, &link("other:new"), 7777);
        see(site, &link("third:new"), 9999);
    }
    for id in ["other:x", "third:x"] {
        assert_eq!(again.predict(&link(id)), site.predict(&link(id)), "{id}");
    }
}
