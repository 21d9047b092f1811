//! Pages are known by what rewrite rules make of their URLs, too.

use super::*;
use crate::predict::parts::Parts;

/// An item as rules name it, under the address by which it was met, and under the one that no rule knows.
fn item(id: u64) -> String {
    format!("http://e.org/shop/item/{id}")
}

fn visited(id: u64, visit: u64) -> String {
    format!("{}/ref={visit}/s-{}", item(id), 7919 * visit)
}

fn short(id: u64) -> String {
    format!("http://e.org/dp/{id}")
}

fn see_named(site: &mut Site, id: u64, visit: u64) -> Learned {
    let url = visited(id, visit).parse().unwrap();
    site.observe_named(&url, &text(id), None, None, Some(&item(id)))
}

/// Of each item one page of the class that rules make, and the one that no rule knows, in either order.
fn with_names(items: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    site.heed_rules("e.org", 7, &[]);
    for id in 0..items {
        if id % 3 == 0 {
            see(&mut site, &short(id), id);
            see_named(&mut site, id, id);
        } else {
            see_named(&mut site, id, id);
            see(&mut site, &short(id), id);
        }
    }
    site
}

fn saved(site: &Site) -> Site {
    let mut parts = Parts::default();
    site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    Site::load("e.org", &parts).unwrap()
}

#[test]
fn an_alias_of_pages_that_rules_fold_is_learned_by_their_names() {
    let mut site = with_names(150);
    // Either way: the link that no rule knows, and one of which rules make what only that one was met as.
    see_named(&mut site, 1000, 5);
    let found = site.predict(&short(1000)).unwrap();
    assert!(
        site.record(found.belief).unwrap().text.contains("/dp"),
        "{:?}",
        site.beliefs()
    );
    see(&mut site, &short(2000), 2000);
    let drop = |url: &str, name: Option<String>| site.judge(url, None, || name).0;
    assert!(drop(&visited(2000, 9), Some(item(2000))).is_some());
    assert!(drop(&visited(2000, 9), None).is_none());
    assert!(drop(&visited(3000, 9), Some(item(3000))).is_none());

    let mut blind = Site::new("e.org", &PredictConfig::default());
    for id in 0..150 {
        see(&mut blind, &visited(id, id), id);
        see(&mut blind, &short(id), id);
    }
    see(&mut blind, &visited(1000, 5), 1000);
    assert!(blind.predict(&short(1000)).is_none());
}

#[test]
fn a_page_is_no_trial_of_what_leads_from_it_to_its_name() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        see_named(&mut site, id, id);
    }
    // Twenty were fetched once more: that is all that anybody has compared.
    for id in 0..20 {
        see_named(&mut site, id, 500 + id);
    }
    let mut most = 0;
    site.records(&mut |belief| most = most.max(belief.trials));
    assert!(most <= 20, "{:?}", site.beliefs());
    assert!(site.active.is_empty());
}

#[test]
fn names_that_rules_do_not_make_any_more_stand_for_nothing_and_what_leaned_on_them_is_judged_again()
{
    let mut site = with_names(150);
    for id in 1000..1010 {
        see_named(&mut site, id, 5);
    }
    let belief = site.predict(&short(1003)).unwrap().belief;
    let is_kept = |_: &str, name: &str| name.ends_with("1007");
    let void = site.names_not_made("e.org", is_kept);
    assert!(void.len() > 100);
    assert!(site.names_not_made("other.org", is_kept).is_empty());
    let learned = site.heed_rules("e.org", 8, &void);
    assert!(learned.shaken.contains(&belief) && learned.withdrawn.is_empty());
    assert_eq!(site.rules_of("e.org"), 8);
    for site in [&saved(&site), &site] {
        assert!(site.predict(&short(1003)).is_none());
        assert!(site.predict(&short(1007)).is_some());
        assert_eq!(site.rules_of("e.org"), 8);
        assert!(site.names_not_made("e.org", is_kept).is_empty());
    }
    // Pages met since have the names of their time.
    see_named(&mut site, 1003, 6);
    assert!(site.predict(&short(1003)).is_some());
    site.heed_rules("e.org", 0, &[]);
    assert!(!site.has_rules());
}

#[test]
fn names_are_read_back_and_no_example_shows_one() {
    let mut site = with_names(120);
    let mut again = saved(&site);
    for id in 0..200 {
        for site in [&mut site, &mut again] {
            see_named(site, 5000 + id, id);
            see(site, &short(5000 + id), 5000 + id);
        }
    }
    let beliefs = site.beliefs();
    assert_eq!(again.beliefs(), beliefs);
    assert_eq!(again.generation(), site.generation());
    let mut examples = 0;
    site.records(&mut |belief| {
        for (copy, original) in belief.examples {
            examples += 1;
            let is_met = |url: &str| url.contains("/dp/") || url.contains("/ref=");
            assert!(is_met(&copy) && is_met(&original), "{copy} {original}");
        }
    });
    assert!(examples > 0);
}

#[test]
fn a_link_that_is_not_to_be_dropped_by_one_belief_may_be_by_another() {
    let mut site = with_names(150);
    for id in 0..200 {
        see(&mut site, &article(id), id + 10_000);
        see(
            &mut site,
            &format!("{}&sid={id}f", article(id)),
            id + 10_000,
        );
    }
    see_named(&mut site, 7000, 5);
    let drop = |url: &str, not_by| match site.judge(url, not_by, || None).0 {
        Some(DropReason::PredictedDuplicate(prediction)) => Some(prediction.belief),
        _ => None,
    };
    let link = format!("{}&sid=99x", article(7));
    let of_sessions = drop(&link, None).unwrap();
    assert_eq!(drop(&link, Some(of_sessions)), None);
    let alias = drop(&short(7000), None).unwrap();
    assert_eq!(drop(&short(7000), Some(of_sessions)), Some(alias));
    assert_eq!(drop(&short(7000), Some(alias)), None);
}
