//! Claims by where sources lead.

use super::*;

fn source(id: u64, visit: u64) -> String {
    let token = xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), visit);
    format!("http://e.org/go/x{id}?visit={token:x}")
}

fn target(id: u64) -> String {
    format!("http://e.org/news/x{id}")
}

/// A site of articles, each with links that lead to it under a name of the moment.
fn with_redirects() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &target(id), id);
        site.observe_redirect(&source(id, 0), &target(id), None);
    }
    site
}

fn said(site: &Site, url: &str) -> Option<String> {
    Some(site.record(site.predict(url)?.belief)?.text)
}

#[test]
fn another_folder_and_a_session_are_told_by_where_sources_lead() {
    let mut site = with_redirects();
    let text = said(&site, &source(7, 9)).unwrap();
    assert!(
        text.starts_with("prefix /go = /news and visit is ignored | "),
        "{text}"
    );
    assert_eq!(said(&site, &source(500, 9)), None, "a page never met");
    assert_eq!(said(&site, "http://e.org/go/x7"), None);
    // A link that is explored is judged by where it leads.
    let belief = site.predict(&source(7, 9)).unwrap().belief;
    let learned = site.observe_redirect(&source(7, 9), &target(7), Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    assert!(said(&site, &source(8, 9)).is_some());
}

#[test]
fn what_is_acted_upon_ends_where_a_source_leads_elsewhere() {
    let mut site = with_redirects();
    let belief = site.predict(&source(7, 9)).unwrap().belief;
    let learned = site.observe_redirect(&source(7, 9), &target(8), Some(belief));
    assert_eq!(learned.was_duplicate, Some(false));
    assert!(learned.withdrawn.contains(&belief));
    assert_eq!(said(&site, &source(7, 9)), None);
}

fn with_ref(id: u64, place: u64) -> String {
    format!("http://e.org/item/x{id}?ref=p{place}")
}

fn bare(id: u64) -> String {
    format!("http://e.org/item/x{id}")
}

/// A site of items, each under two names of places that do not matter.
fn with_references() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        see(&mut site, &with_ref(id, 0), id);
        if id < 60 {
            see(&mut site, &with_ref(id, 1), id);
            see(&mut site, &bare(id), id);
        }
    }
    site
}

#[test]
fn a_source_that_the_page_it_is_taken_for_is_reduced_to_is_heard_when_its_own_page_is_met() {
    let mut site = with_references();
    let belief = site.predict(&bare(80)).unwrap().belief;
    let learned = site.observe_redirect(&bare(80), "http://e.org/new/80", Some(belief));
    assert_eq!(learned.was_duplicate, None, "not met yet");
    let learned = see(&mut site, "http://e.org/new/80", 9000);
    assert!(
        learned.reopened.contains(&belief),
        "what it dropped is judged again"
    );
    assert_eq!(said(&site, &bare(81)), None);
    assert_eq!(learned.was_duplicate, None, "no probe itself");
    let late: Vec<_> = (learned.late.iter())
        .map(|late| (&*late.url, late.belief, late.was_duplicate))
        .collect();
    assert_eq!(late, [(&*bare(80), belief, false)]);
}

#[test]
fn what_leads_to_a_source_leads_to_its_page() {
    let mut site = with_references();
    let belief = site.predict(&bare(80)).unwrap().belief;
    site.observe_redirect(&bare(80), "http://e.org/hop/80", Some(belief));
    let learned = site.observe_redirect("http://e.org/hop/80", &with_ref(80, 0), None);
    assert_eq!(learned.was_duplicate, None);
    assert!(learned.withdrawn.is_empty());
    let late: Vec<_> = (learned.late.iter())
        .map(|late| (late.belief, late.was_duplicate))
        .collect();
    assert_eq!(late, [(belief, true)]);
}

#[test]
fn a_budget_is_opened_by_a_source_that_leads_to_something_new() {
    let day = |n: u64| format!("http://e.org/day/d{n}?of={n}");
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..80 {
        see(&mut site, &bare(id), id);
    }
    for n in 0..120 {
        see(&mut site, &day(n), n % 70);
    }
    let over = |site: &Site, url: &str| site.judge(url, None, || None).0.is_some();
    assert!(over(&site, &day(500)));
    site.observe_redirect(&day(500), &bare(3), None);
    assert!(over(&site, &day(501)), "a page that is known");
    site.observe_redirect(&day(501), "http://e.org/event/1", None);
    let learned = see(&mut site, "http://e.org/event/1", 7000);
    assert_eq!(learned.reopened.len(), 1);
    assert!(!over(&site, &day(502)));
}

#[test]
fn either_order_of_a_source_and_its_page_tells_which_folder_is_the_alias() {
    let token =
        |id: u64, visit: u64| xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), visit);
    for (folder, plain) in [("aa", "bb"), ("bb", "aa")] {
        let link = |id, visit| format!("http://e.org/{folder}/x{id}?s={:x}", token(id, visit));
        for session_first in [true, false] {
            let mut site = Site::new("e.org", &PredictConfig::default());
            for id in 0..200 {
                let page = format!("http://e.org/{plain}/x{id}");
                let both = [link(id, 0), page];
                let order = if session_first { [0, 1] } else { [1, 0] };
                for at in order {
                    see(&mut site, &both[at], id);
                }
            }
            let text = said(&site, &link(7, 9));
            let expected = format!("prefix /{folder} = /{plain} and s is ignored | ");
            assert!(
                text.is_some_and(|text| text.starts_with(&expected)),
                "{folder} {session_first}"
            );
        }
    }
}
