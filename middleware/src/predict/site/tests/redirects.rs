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
fn links_that_redirect_come_after_those_that_may_name_their_pages() {
    let place = |site: &Site, url: &str| site.judge(url, (None, None), || None).1;
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..40 {
        assert_eq!(place(&site, &source(100, 0)).is_some(), id >= 30, "{id}");
        site.observe_redirect(&source(id, 0), &target(id), None);
    }
    assert_eq!(place(&site, &target(100)), None);
    // Of these many are pages.
    for id in 0..40 {
        site.observe_redirect(&with_ref(id, 1), &bare(id), None);
        see(&mut site, &with_ref(id + 40, 1), id);
    }
    assert_eq!(place(&site, &with_ref(100, 1)), None);
    // Of these no page is found but by them.
    let (hidden, plain) = (
        |id: u64| format!("http://e.org/out?item={id}"),
        |id: u64| format!("http://e.org/items/n{id}.html"),
    );
    for id in 0..60 {
        site.observe_redirect(&hidden(id), &plain(id), None);
        see(&mut site, &plain(id), 5000 + id);
    }
    assert_eq!(place(&site, &hidden(100)), None);
    for id in 60..70 {
        see(&mut site, &plain(id), 5000 + id);
    }
    assert!(place(&site, &hidden(100)).is_some(), "and now some are");
    let again = saved(&site);
    assert_eq!(again.yields.moved, site.yields.moved);
    assert!(place(&again, &hidden(100)).is_some());
    let config = PredictConfig {
        breadth_first: true,
        ..PredictConfig::default()
    };
    let mut site = Site::new("e.org", &config);
    for id in 0..40 {
        site.observe_redirect(&source(id, 0), &target(id), None);
    }
    assert_eq!(place(&site, &source(100, 0)), None);
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
    with_references_and(&PredictConfig::default())
}

fn with_references_and(config: &PredictConfig) -> Site {
    let mut site = Site::new("e.org", config);
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
    let over = |site: &Site, url: &str| site.judge(url, (None, None), || None).0.is_some();
    assert!(over(&site, &day(500)));
    site.observe_redirect(&day(500), &bare(3), None);
    assert!(over(&site, &day(501)), "a page that is known");
    site.observe_redirect(&day(501), "http://e.org/event/1", None);
    let learned = see(&mut site, "http://e.org/event/1", 7000);
    assert_eq!(learned.reopened.len(), 1);
    assert!(!over(&site, &day(502)));
}

fn verdicts(learned: &Learned) -> Vec<(BeliefId, bool)> {
    let late = learned.late.iter();
    late.map(|late| (late.belief, late.was_duplicate)).collect()
}

fn is_dropped(site: &Site, url: &str) -> bool {
    site.judge(url, (None, None), || None).0.is_some()
}

#[test]
fn what_an_explored_source_leads_to_is_fetched_whatever_is_believed_of_it() {
    let mut site = with_references();
    let belief = site.predict(&bare(80)).unwrap().belief;
    let target = with_ref(81, 1);
    assert!(is_dropped(&site, &target));
    site.observe_redirect(&bare(80), &target, None);
    assert!(is_dropped(&site, &target), "nobody explored that one");
    site.observe_redirect(&with_ref(80, 1), &target, Some(belief));
    assert!(!is_dropped(&saved(&site), &target));
    let learned = see(&mut site, &target, 81);
    assert_eq!(verdicts(&learned), [(belief, false)]);
    assert!(!site.sources.is_probe_for(&target));
}

#[test]
fn a_page_that_stands_for_nothing_is_met_all_the_same() {
    let mut site = with_references();
    let belief = site.predict(&bare(80)).unwrap().belief;
    see(&mut site, &with_ref(80, 1), 80);
    let learned = site.observe_redirect(&bare(80), &with_ref(80, 1), Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    let learned = site.observe_redirect(&bare(81), &with_ref(5, 1), Some(belief));
    assert_eq!(learned.was_duplicate, Some(false));
}

#[test]
fn a_hop_that_was_met_before_is_followed() {
    let mut site = with_references();
    let hop = "http://e.org/hop/80";
    site.observe_redirect(hop, &with_ref(80, 0), None);
    let belief = site.predict(&bare(80)).unwrap().belief;
    let learned = saved(&site).observe_redirect(&bare(80), hop, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    // Of a page that is not met yet, too.
    site.observe_redirect("http://e.org/hop/81", "http://e.org/new/81", None);
    site.observe_redirect(&bare(81), "http://e.org/hop/81", Some(belief));
    let learned = see(&mut site, "http://e.org/new/81", 9000);
    assert_eq!(verdicts(&learned), [(belief, false)]);
}

#[test]
fn a_site_that_remembers_no_more_pages_still_hears_where_sources_lead() {
    let mut site = with_references_and(&PredictConfig {
        max_pages: 220,
        ..PredictConfig::default()
    });
    assert!(site.is_full());
    let belief = site.predict(&bare(80)).unwrap().belief;
    site.observe_redirect(&bare(80), "http://e.org/new/80", Some(belief));
    let learned = see(&mut site, "http://e.org/new/80", 9000);
    assert_eq!(site.pages(), 220);
    assert_eq!(verdicts(&learned), [(belief, false)]);
    assert_eq!(said(&site, &bare(81)), None);
}

#[test]
fn pages_of_another_site_are_not_waited_for_by_what_was_not_explored() {
    let mut site = with_references();
    let before = site.sources.bytes();
    for n in 0..100 {
        site.observe_redirect(&bare(1000 + n), &format!("http://e.com/{n}"), None);
        site.observe_redirect(&bare(2000 + n), &format!("http://e.org.example/{n}"), None);
    }
    assert_eq!(site.sources.bytes(), before);
    site.observe_redirect(&bare(3000), "http://www.e.org:81/x", None);
    assert!(site.sources.bytes() > before);
}

fn post(folder: &str, id: u64, reference: bool) -> String {
    let query = if reference {
        format!("?ref={id}f")
    } else {
        String::new()
    };
    format!("http://e.org/{folder}/x{id}{query}")
}

/// Pages on which it was tried whether a reference matters, where other folders lead to pages and hand it on.
fn trials_of_references(others: &[&str], is_page_first: bool) -> u32 {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..140 {
        let is_referred = id >= 100;
        see(&mut site, &post("posts", id, false), id);
        let (own, page) = (post("posts", id, is_referred), id);
        let is_two = is_referred && is_page_first;
        if is_two {
            see(&mut site, &own, page);
        }
        for other in others {
            site.observe_redirect(&post(other, id, is_referred), &own, None);
        }
        if is_referred && !is_two {
            see(&mut site, &own, page);
        }
    }
    let edit = |on_trial: &&OnTrial| on_trial.edit.to_string() == "ref is ignored";
    site.edits.iter().find(edit).map_or(0, |on| on.successes)
}

#[test]
fn a_page_and_what_leads_to_it_are_one_trial() {
    for is_page_first in [true, false] {
        let alone = trials_of_references(&[], is_page_first);
        assert!(alone >= 30, "{alone}");
        let others = ["archives", "newsroom", "weblogs"];
        assert_eq!(trials_of_references(&others, is_page_first), alone);
    }
}

#[test]
fn the_source_is_the_alias_whichever_folder_is_shorter() {
    for is_page_met in [false, true] {
        let mut site = Site::new("e.org", &PredictConfig::default());
        let folders = ["posts", "old"].map(|folder| move |id| post(folder, id, false));
        if is_page_met {
            // The shorter one stands for both as long as nothing says which is the alias.
            for folder in &folders {
                see(&mut site, &folder(1000), 1000);
            }
        }
        for id in 0..150 {
            see(&mut site, &folders[0](id), id);
            site.observe_redirect(&folders[1](id), &folders[0](id), None);
        }
        see(&mut site, &folders[0](500), 500);
        let text = said(&site, &folders[1](500)).unwrap();
        assert!(text.starts_with("prefix /old = /posts | "), "{text}");
    }
}

#[test]
fn a_folder_that_sources_lack_is_none_that_all_of_them_get() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..150 {
        let page = format!("http://e.org/en/x{id}");
        see(&mut site, &page, id);
        site.observe_redirect(&format!("http://e.org/x{id}"), &page, None);
    }
    let texts = site.edits.iter().map(|on_trial| on_trial.edit.to_string());
    assert!(!{ texts }.any(|text| text == "prefix nothing = /en"));
}

#[test]
fn sources_that_lead_to_what_is_known_use_no_budget_up() {
    let link = |n: u64| format!("http://e.org/s/{n}a?x=1");
    let mut site = with_references();
    see(&mut site, &link(0), 8000);
    for n in 1..500 {
        site.observe_redirect(&link(n), &bare(n % 60), None);
    }
    assert!(!is_dropped(&site, &link(501)));
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

#[test]
fn a_page_of_another_site_tells_what_explored_links_to_it_are() {
    let mut site = with_references();
    let belief = site.predict(&bare(80)).unwrap().belief;
    // By way of another page there.
    site.observe_redirect(&bare(80), "http://x.net/way", Some(belief));
    assert!(site.is_awaited("http://x.net/way"));
    site.observe_redirect("http://x.net/way", "http://x.net/80", None);
    let learned = site.observe_abroad(&"http://x.net/80".parse().unwrap(), &text(9000));
    assert_eq!(verdicts(&learned), [(belief, false)]);
    assert_eq!(said(&site, &bare(81)), None);
    // What was not explored is heard, too, from now on.
    site.observe_redirect(&bare(82), "http://x.net/82", None);
    assert!(site.is_awaited("http://x.net/82") && !site.is_awaited("http://x.net/80"));
}

#[test]
fn a_copy_on_another_site_is_what_was_believed() {
    let mut site = with_references();
    let belief = site.predict(&bare(80)).unwrap().belief;
    site.observe_redirect(&bare(80), "http://x.net/80", Some(belief));
    let learned = site.observe_abroad(&"http://x.net/80".parse().unwrap(), &text(80));
    assert_eq!(verdicts(&learned), [(belief, true)]);
    assert!(said(&site, &bare(81)).is_some());
}
