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
        site.observe_redirect(&source(id, 0), &target(id));
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
    let learned = site.observe_redirect(&source(7, 9), &target(7));
    assert_eq!(learned.was_duplicate, Some(true));
    assert!(said(&site, &source(8, 9)).is_some());
}

#[test]
fn what_is_acted_upon_ends_where_a_source_leads_elsewhere() {
    let mut site = with_redirects();
    let belief = site.predict(&source(7, 9)).unwrap().belief;
    let learned = site.observe_redirect(&source(7, 9), &target(8));
    assert_eq!(learned.was_duplicate, Some(false));
    assert!(learned.withdrawn.contains(&belief));
    assert_eq!(said(&site, &source(7, 9)), None);
}
