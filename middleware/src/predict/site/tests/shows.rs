//! What copies by one claim show of others.

use super::*;
use crate::predict::form::Param;

/// Lets a site meet these URLs of each page, one after the other, and then its copies by a session, twice.
fn with_copies(odd_one: &str, page: impl Fn(u64) -> String) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    see(&mut site, odd_one, 0);
    for id in 0..200 {
        see(&mut site, &page(id), id);
    }
    for turn in ["f", "g"] {
        for id in 0..200 {
            let url = page(id);
            let sign = if url.contains('?') { '&' } else { '?' };
            see(&mut site, &format!("{url}{sign}sid={id}{turn}"), id);
        }
    }
    let copy = page(7) + if page(7).contains('?') { "&" } else { "?" } + "sid=99h";
    assert!(site.predict(&copy).is_some(), "sessions are learned");
    site
}

fn predicted(site: &Site, page: impl Fn(u64) -> String) -> usize {
    (1..200)
        .filter(|id| site.predict(&page(*id)).is_some())
        .count()
}

#[test]
fn copies_by_a_session_show_nothing_of_a_parameter_that_they_have_in_common() {
    let page = |id: u64, revision: &str| format!("http://e.org/item?id={id}&rev={revision}{id}x");
    let site = with_copies(&page(0, "z"), |id| page(id, "a"));
    assert_eq!(predicted(&site, |id| page(id, "b")), 0);
}

#[test]
fn copies_by_a_session_show_nothing_of_a_segment() {
    let page = |id: u64, revision: &str| format!("http://e.org/item/{id}/{revision}{id}x/view");
    let site = with_copies(&page(0, "z"), |id| page(id, "a"));
    assert_eq!(predicted(&site, |id| page(id, "b")), 0);
}

#[test]
fn copies_by_a_session_show_nothing_of_letter_case() {
    let page = |id: u64, folder: &str| format!("http://e.org/docs/{folder}/{id}");
    let site = with_copies(&page(0, "pa"), |id| page(id, "Pa"));
    assert_eq!(predicted(&site, |id| page(id, "PA")), 0);
}

#[test]
fn one_form_in_two_spellings_shows_nothing() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page = |id: u64, revision: &str| format!("http://e.org/item?id={id}&rev={revision}{id}x");
    see(&mut site, &page(0, "z"), 0);
    for id in 0..300 {
        let url = page(id, "a");
        see(&mut site, &url, id);
        see(&mut site, &url.replace('&', ";"), id);
    }
    assert_eq!(predicted(&site, |id| page(id, "b")), 0);
}

/// Pages met in two languages, once, and then in one of them with other tokens.
fn in_one_language(page: impl Fn(u64, &str, u64) -> String) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    see(&mut site, &page(0, "en", 9000), 0);
    see(&mut site, &page(0, "de", 9001), 0);
    for turn in 0..3 {
        for id in 0..200 {
            see(&mut site, &page(id, "en", 1000 * turn + id), id);
        }
    }
    assert!(predicted(&site, |id| page(id, "en", 7777)) > 190);
    site
}

#[test]
fn a_set_is_not_shown_by_pairs_that_differ_in_one_of_it() {
    let page = |id: u64, language: &str, token: u64| {
        format!("http://e.org/item?id={id}&lang={language}&vz={token}f")
    };
    let site = in_one_language(page);
    assert_eq!(predicted(&site, |id| page(id, "de", 7777)), 0);
}

#[test]
fn several_segments_are_not_shown_by_pairs_that_differ_in_one() {
    let page = |id: u64, language: &str, token: u64| {
        format!("http://e.org/item/{id}/{language}/t{token}f")
    };
    let site = in_one_language(page);
    assert_eq!(predicted(&site, |id| page(id, "de", 7777)), 0);
}

#[test]
fn two_pages_that_agree_in_what_a_claim_says_are_no_failure_of_it() {
    let page = |id: u64, revision: &str| format!("http://e.org/item?id={id}&rev={revision}{id}x");
    let mut site = with_copies(&page(0, "z"), |id| page(id, "a"));
    let claim = Edit::Params(vec![Param::Any("rev".into())]);
    let number = site.numbers.get(&claim, &site.edits).unwrap();
    // Beside the first page, whose revision is z0x.
    for (revision, more) in [("z0x", 0), ("q", 1)] {
        let url = format!("http://e.org/item?id=0&rev={revision}&sid=9");
        let newer = Form::parse(&url);
        let before = site.edits[number as usize].failures;
        site.trial(
            number,
            &newer,
            Sameness::Different,
            with_first(&newer),
            &mut Learned::default(),
        );
        let failures = site.edits[number as usize].failures;
        assert_eq!(failures, before + more, "{revision}");
    }
}

#[test]
fn of_a_set_that_goes_together_none_is_shown_not_to_matter_alone() {
    // A place on a map: in most towns there is one page, whatever the place, in some each place has its own.
    let place = |town: u64, at: u64| format!("http://e.org/map/{town}?lat={at}&lon={}", 500 + at);
    let is_told_apart = |town: u64| town.is_multiple_of(12);
    let mut site = Site::new("e.org", &PredictConfig::default());
    for (at, town) in (0..8).flat_map(|at| (0..300).map(move |town| (at, town))) {
        let at = 7 * at + town % 5;
        let page = if is_told_apart(town) {
            1000 * (1 + at)
        } else {
            0
        } + town;
        see(&mut site, &place(town, at), page);
    }
    for town in (0..300).filter(|town| is_told_apart(*town)) {
        assert!(site.predict(&place(town, 99)).is_none(), "{town}");
    }
}
