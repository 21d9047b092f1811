//! Addresses of posts, which show the page that links to them.

use super::*;
use crate::predict::site::pages::name_of;
use nodust_frontier::DropReason;

fn thread(id: u64) -> String {
    format!("http://e.org/thread-{id}.html")
}

fn post(thread: u64, number: u64) -> String {
    format!(
        "http://e.org/thread-{thread}-post-{}.html",
        7 * number + thread
    )
}

/// A page that was found on another, fetched as a probe of a belief or not.
fn see_on(site: &mut Site, on: &str, url: &str, page: u64, probed: Option<BeliefId>) -> Learned {
    let facts = Facts {
        probed,
        found_on: Some(name_of(on)),
        ..Facts::default()
    };
    site.observe_page(&url.parse().unwrap(), &text(page), facts)
}

/// The belief that drops a link which was found on a page.
fn drops(site: &Site, on: &str, url: &str) -> Option<BeliefId> {
    let (dropped, _) = site.judge(url, (Some(name_of(on)), None), || None);
    dropped.map(|why| match why {
        DropReason::PredictedDuplicate(prediction) => prediction.belief,
        other => panic!("{other:?}"),
    })
}

/// Threads with two posts each.
fn with_threads(threads: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..threads {
        see_on(&mut site, "http://e.org/", &thread(id), id, None);
        for number in 0..2 {
            see_on(&mut site, &thread(id), &post(id, number), id, None);
        }
    }
    site
}

#[test]
fn addresses_of_posts_are_dropped_on_the_thread_that_was_fetched_and_nowhere_else() {
    let mut site = with_threads(80);
    let (on, link) = (thread(1000), post(1000, 3));
    assert_eq!(
        drops(&site, &on, &link),
        None,
        "that thread was not fetched"
    );
    see_on(&mut site, "http://e.org/", &on, 1000, None);
    assert!(drops(&site, &on, &link).is_some());
    assert_eq!(drops(&site, "http://e.org/", &link), None, "no thread");
    assert_eq!(drops(&site, &on, &post(1001, 3)), None, "of another thread");
    let page = "http://e.org/thread-1000-page-2.html";
    assert_eq!(drops(&site, &on, page), None, "another word");
    assert_eq!(drops(&site, &on, &on), None, "the thread itself");
    assert!(site.predict(&link).is_none(), "the URL alone says nothing");
    let mut told = Vec::new();
    site.remarks(&link, (Some(name_of(&on)), None), &mut |remark| {
        told.push(remark);
    });
    assert_eq!(told, [format!("taken for a copy of {on}")]);
}

#[test]
fn few_threads_with_many_posts_are_not_enough() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..12 {
        see_on(&mut site, "http://e.org/", &thread(id), id, None);
        for number in 0..30 {
            see_on(&mut site, &thread(id), &post(id, number), id, None);
        }
    }
    for id in 12..40 {
        see_on(&mut site, "http://e.org/", &thread(id), id, None);
    }
    assert_eq!(drops(&site, &thread(30), &post(30, 3)), None);
}

#[test]
fn posts_that_stand_alone_from_some_time_on_withdraw_the_claim_and_a_restart_changes_nothing() {
    let mut site = saved(&with_threads(80));
    let belief = drops(&site, &thread(7), &post(7, 9)).unwrap();
    assert!(
        site.record(belief)
            .unwrap()
            .text
            .starts_with("page is the one that links to it | names | ")
    );
    let fell = (0..40).find(|number| {
        let url = post(7, 100 + number);
        let learned = see_on(&mut site, &thread(7), &url, 5000 + number, Some(belief));
        assert_eq!(learned.was_duplicate, Some(false));
        learned.withdrawn == [belief]
    });
    assert!(fell.is_some());
    assert_eq!(drops(&site, &thread(8), &post(8, 9)), None);
}

#[test]
fn probes_of_it_are_judged_by_the_thread() {
    let mut site = with_threads(80);
    let belief = drops(&site, &thread(7), &post(7, 9)).unwrap();
    let learned = see_on(&mut site, &thread(7), &post(7, 9), 7, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
}

#[test]
fn links_that_show_something_else_once_in_eight_are_no_copies() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see_on(&mut site, "http://e.org/", &thread(id), id, None);
        for number in 0..2 {
            let is_other = (2 * id + number) % 8 == 5;
            let page = if is_other { 9000 + 2 * id + number } else { id };
            see_on(&mut site, &thread(id), &post(id, number), page, None);
        }
    }
    assert_eq!(drops(&site, &thread(30), &post(30, 9)), None);
}

#[test]
fn links_to_posts_of_other_threads_that_were_fetched_neither_prove_the_claim_nor_end_it() {
    let with_others = |one_in: u64| {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..300 {
            see_on(&mut site, "http://e.org/", &thread(id), id, None);
            let of_other = id > 0 && id % one_in == 0;
            let shown = if of_other { id - 1 } else { id };
            see_on(&mut site, &thread(id), &post(id, 1), shown, None);
        }
        drops(&site, &thread(30), &post(30, 9))
    };
    assert!(with_others(8).is_some());
    assert_eq!(with_others(3), None, "too many of them say nothing");
}

#[test]
fn a_probe_that_brings_what_was_met_elsewhere_was_a_duplicate() {
    let mut site = with_threads(80);
    let belief = drops(&site, &thread(7), &post(7, 9)).unwrap();
    let learned = see_on(&mut site, &thread(7), &post(7, 9), 8, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    assert!(learned.withdrawn.is_empty());
}
