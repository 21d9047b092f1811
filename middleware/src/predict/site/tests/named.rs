//! Pages are known by what rewrite rules make of their URLs, too.

use nodust_frontier::DropReason;

use super::*;
use crate::predict::form::Param;

/// A page of which rules make another URL.
fn named_as(name: &str) -> Facts<'_> {
    Facts {
        named: Some(name),
        ..Facts::default()
    }
}

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
    site.observe_page(&url, &text(id), named_as(&item(id)))
}

/// Of each item one page of the class that rules make, and the one that no rule knows, in either order.
fn with_names(items: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    site.heed_rules(7, 0, &[]);
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
    let drop = |url: &str, name: Option<String>| site.judge(url, (None, None), || name).0;
    assert!(drop(&visited(2000, 9), Some(item(2000))).is_some());
    assert!(drop(&visited(2000, 9), None).is_none());
    assert!(drop(&visited(3000, 9), Some(item(3000))).is_none());

    // Whoever asks why is told under which name.
    let told = |url: &str, name: Option<String>| {
        let mut told = Vec::new();
        site.remarks(url, (None, name), &mut |remark| told.push(remark));
        told
    };
    assert_eq!(
        told(&visited(2000, 9), Some(item(2000))),
        [
            format!(
                "as it is spelled it would pass: it is dropped by the name that rules give it, {}",
                item(2000)
            ),
            format!("taken for a copy of {}", short(2000)),
        ]
    );
    let page = format!(
        "{}, by the name that rules give that page, {}",
        visited(1000, 5),
        item(1000)
    );
    assert_eq!(
        told(&short(1000), None),
        [format!("taken for a copy of {page}")]
    );
    let [passes] = &told(&visited(3000, 9), Some(item(3000)))[..] else {
        panic!("{:?}", told(&visited(3000, 9), Some(item(3000))));
    };
    assert!(
        passes
            .contains("no page that this could be a copy of was fetched: prefix /shop/item = /dp"),
        "{passes}"
    );

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

/// The names that are void if a rule of a host has fallen, and only those for which `is_kept` still hold.
fn void(site: &Site, host: &str, is_kept: impl Fn(&str) -> bool) -> Vec<u32> {
    site.void_names(|of| of == host, |_, _, name| !is_kept(name))
}

fn alias_of_names(site: &mut Site) -> BeliefId {
    for id in 1000..1010 {
        see_named(site, id, 5);
    }
    site.predict(&short(1003)).unwrap().belief
}

#[test]
fn what_was_learned_by_names_of_a_rule_that_fell_is_learned_anew_and_the_names_say_nothing() {
    let mut site = with_names(150);
    let belief = alias_of_names(&mut site);
    let is_kept = |name: &str| name.ends_with("1007");
    assert!(void(&site, "other.org", is_kept).is_empty());
    let void_ones = void(&site, "e.org", is_kept);
    assert!(void_ones.len() > 100);
    let learned = site.heed_rules(8, bit_of_host("www.e.org"), &void_ones);
    assert_eq!(learned.withdrawn, [belief]);
    for site in [&saved(&site), &site] {
        assert!(site.predict(&short(1003)).is_none() && site.predict(&short(1007)).is_none());
        assert_eq!(site.rules(), 8);
        assert!(void(site, "e.org", is_kept).is_empty());
        assert_eq!(site.pages.names_of("e.org").count(), 1);
    }
    // From pages that are compared since it may be learned again.
    for id in 2000..2120 {
        see(&mut site, &item(id), id);
        see(&mut site, &short(id), id);
    }
    see(&mut site, &item(3000), 3000);
    assert!(site.predict(&short(3000)).is_some());
}

#[test]
fn a_rule_that_falls_takes_nothing_from_what_was_learned_without_names_or_by_those_of_other_hosts()
{
    for is_by_name in [false, true] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..150 {
            if is_by_name {
                see_named(&mut site, id, id);
            } else {
                see(&mut site, &item(id), id);
            }
            see(&mut site, &short(id), id);
        }
        // Of another host of the site there are names, too, that nothing was learned by.
        let url = "http://m.e.org/item/7?visit=1".parse().unwrap();
        let name = "http://m.e.org/item/7";
        site.observe_page(&url, &text(90_000), named_as(name));
        for id in 1000..1010 {
            see_named(&mut site, id, 5);
        }
        let belief = site.predict(&short(1003)).unwrap().belief;
        let fallen = if is_by_name { "m.e.org" } else { "e.org" };
        let void_ones = void(&site, fallen, |_| false);
        assert!(!void_ones.is_empty());
        let learned = site.heed_rules(8, bit_of_host(fallen), &void_ones);
        assert!(learned.withdrawn.is_empty() && learned.shaken.contains(&belief));
        see(&mut site, &item(3000), 3000);
        assert!(site.predict(&short(3000)).is_some());
    }
}

#[test]
fn names_that_were_not_filed_are_taken_for_void_when_a_rule_of_their_host_falls() {
    let config = PredictConfig {
        max_pages: 100,
        ..PredictConfig::default()
    };
    let mut site = Site::new("e.org", &config);
    for id in 0..60 {
        see(&mut site, &short(id), id);
    }
    for id in 0..40 {
        see(&mut site, &item(id), id);
    }
    assert!(site.is_full());
    for id in 40..60 {
        see_named(&mut site, id, id);
    }
    assert_eq!(site.pages.hosts_with_names().count(), 0);
    let learned = |site: &Site| {
        site.beliefs
            .iter()
            .filter(|b| b.is_counted() && b.names() != 0)
            .count()
    };
    assert!(learned(&site) > 0 && learned(&saved(&site)) == learned(&site));
    site.heed_rules(8, bit_of_host("e.org"), &[]);
    assert_eq!(learned(&site), 0);
}

#[test]
fn a_page_with_a_name_is_one_trial() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let mut see_both = |query: &str, name: &str, id: u64| {
        let url = format!("{}{query}", article(id)).parse().unwrap();
        let name = format!("{}{name}", article(id));
        site.observe_page(&url, &text(id), named_as(&name));
    };
    for id in 0..60 {
        // What means nothing is there in the URLs and in what the rule, about `ref`, makes of them.
        see_both(
            &format!("&ref=a{}&sid=x{id}", id % 7),
            &format!("&sid=x{id}"),
            id,
        );
        see_both(&format!("&ref=a{}", id % 7), "", id);
    }
    let mut most = 0;
    site.records(&mut |belief| most = most.max(belief.trials));
    assert!((30..60).contains(&most), "{:?}", site.beliefs());
    for on_trial in &site.edits {
        let trials = on_trial.successes + on_trial.failures;
        let is_of_sid = *on_trial.edit == Edit::Params(vec![Param::Any("sid".into())]);
        let most = if is_of_sid { 60 } else { 120 };
        assert!(trials <= most, "{:?} {trials}", *on_trial.edit);
    }
}

#[test]
fn a_page_is_not_compared_with_itself_where_an_edit_leads_from_its_name_to_it() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        see(&mut site, &article(id), id);
    }
    for id in 500..504 {
        see(&mut site, &short(id), 5000 + id);
        see(&mut site, &item(id), 5000 + id);
        see(&mut site, &short(10 + id), 5010 + id);
    }
    let trials = |site: &Site| {
        site.edits
            .iter()
            .map(|e| e.successes + e.failures)
            .sum::<u32>()
    };
    let before = trials(&site);
    assert!(before > 0, "there is an edit on trial");
    for id in 100..200 {
        // The rule leads to what the edit leads from.
        let url = short(id).parse().unwrap();
        site.observe_page(&url, &text(6000 + id), named_as(&item(id)));
    }
    assert_eq!(trials(&site), before, "{:?}", site.beliefs());
}

#[test]
fn names_of_first_pages_that_are_void_before_these_are_learned_from_are_never_filed() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..8 {
        see_named(&mut site, id, id);
    }
    assert!(site.is_warming());
    let is_kept = |name: &str| name.ends_with('7');
    let void_ones = void(&site, "e.org", is_kept);
    assert_eq!(void_ones, [0, 1, 2, 3, 4, 5, 6]);
    site.heed_rules(8, bit_of_host("e.org"), &void_ones);
    assert!(void(&site, "e.org", is_kept).is_empty());
    for id in 100..140 {
        see(&mut site, &article(id), id);
    }
    assert!(!site.is_warming());
    assert_eq!(site.pages.names_of("e.org").count(), 1);
    assert_eq!(site.pages(), 48);
}

#[test]
fn only_names_of_hosts_of_which_a_rule_fell_are_looked_at_and_none_is_a_page() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        let host = format!("http://h{}.e.org/item/{id}", id % 20);
        let url = format!("{host}?visit={id}").parse().unwrap();
        site.observe_page(&url, &text(id), named_as(&host));
    }
    let asked = std::cell::Cell::new(0);
    let is_void = |host: &str, url: &str, name: &str| {
        assert!(host == "h7.e.org" && url.starts_with(name) && url.contains(host));
        asked.set(asked.get() + 1);
        true
    };
    for site in [&saved(&site), &site] {
        assert_eq!(site.pages(), 100);
        assert_eq!(site.void_names(|host| host == "h7.e.org", is_void).len(), 5);
    }
    assert_eq!(asked.get(), 10);
}

#[test]
fn a_name_does_not_overrule_what_a_probe_found_under_its_url() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    for id in 0..200 {
        see(&mut site, &format!("{}&v=1", article(id)), 7000 + id);
    }
    let mut probe = |query: &str, name: &str, id: u64, content: u64| {
        let url = format!("{}{query}", article(id)).parse().unwrap();
        let name = format!("{}{name}", article(id));
        let learned = site.observe_page(
            &url,
            &text(content),
            Facts {
                probed: Some(belief),
                ..named_as(&name)
            },
        );
        learned.was_duplicate
    };
    // A rule is wrong about `v`: what it makes of the page is another one.
    assert_eq!(probe("&sid=9x&v=1", "&sid=9x", 150, 7150), Some(true));
    // Where nothing is known under the URL, the name tells.
    assert_eq!(probe("&sid=8x&w=1", "&sid=8x", 151, 151), Some(true));
    assert_eq!(probe("&sid=7x&w=1", "&sid=7x", 152, 99_000), Some(false));
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
    let drop = |url: &str, not_by| match site.judge(url, (None, not_by), || None).0 {
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
