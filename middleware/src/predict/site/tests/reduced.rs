//! What is learned of some names of parameters beside what is believed of others.

use super::*;
use crate::predict::form::Param;

/// A topic of a forum, with the number of the forum, which does not matter beside the topic's.
fn topic(id: u64, rest: &str) -> String {
    format!("http://e.org/topic?f={}&t={id}{rest}", id % 31)
}

fn short(id: u64) -> String {
    format!("http://e.org/topic?t={id}")
}

/// Topics met with the forum's number and without it, until that is believed not to matter.
fn learn_that_forums_do_not_matter(site: &mut Site) {
    for id in 0..300 {
        see(site, &topic(id, ""), id);
        see(site, &short(id), id);
        // For lists it matters.
        let list = format!("http://e.org/board/list?f={}&p={}", id % 31, id / 31);
        see(site, &list, 2000 + id);
    }
    assert!(site.predict(&topic(7, "")).is_none(), "it was fetched");
    assert!(site.predict("http://e.org/topic?f=9&t=8").is_some());
}

fn with_forums() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    learn_that_forums_do_not_matter(&mut site);
    site
}

#[test]
fn a_parameter_is_tried_though_what_it_leaves_is_known_under_a_shorter_address() {
    let mut site = with_forums();
    let printed = "&view=print";
    for id in 400..600 {
        see(&mut site, &topic(id, ""), id);
        see(&mut site, &topic(id, printed), id);
    }
    see(&mut site, &topic(700, ""), 700);
    assert!(site.predict(&topic(700, printed)).is_some());
}

/// What the edits on trial say.
fn on_trial(site: &Site) -> Vec<String> {
    let edits = site.edits.iter();
    edits.map(|on_trial| on_trial.edit.to_string()).collect()
}

fn successes(site: &Site, edit: &str) -> u32 {
    let number = on_trial(site).iter().position(|other| other == edit);
    site.edits[number.unwrap()].successes
}

#[test]
fn what_is_believed_not_to_matter_is_no_part_of_a_difference() {
    let mut site = with_sessions();
    let before = on_trial(&site).len();
    see(&mut site, &format!("{}&sid=1f", article(1000)), 1000);
    let printed = format!("{}&sid=2f&print=1", article(1000));
    see(&mut site, &printed, 1000);
    let nominated = &on_trial(&site)[before..];
    assert_eq!(nominated, ["print is ignored", "print=1 is as absent"]);
}

#[test]
fn a_page_whose_difference_was_read_too_early_is_read_anew_beside_what_is_one_form_with_it() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page = format!("{}&sid=3f", article(500));
    see(&mut site, &page, 500);
    see(&mut site, &format!("{}&lang=en&print=1", article(500)), 500);
    learn_that_sessions_do_not_matter(&mut site);
    let nominated = "lang is ignored, print is ignored".to_owned();
    assert!(!on_trial(&site).contains(&nominated));
    see(&mut site, &page, 500);
    assert!(on_trial(&site).contains(&nominated));
}

#[test]
fn pages_met_under_the_longer_address_are_compared_with_once_that_is_known_not_to_matter() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 400..500 {
        see(&mut site, &topic(id, "&from=a"), id);
        if id % 20 == 0 {
            see(&mut site, &topic(id, "&from=b"), id);
        }
    }
    learn_that_forums_do_not_matter(&mut site);
    assert!(site.predict(&topic(450, "&from=c")).is_none());
    let before = successes(&site, "from is ignored");
    for id in 401..420 {
        see(&mut site, &topic(id, "&from=b"), id);
    }
    assert_eq!(successes(&site, "from is ignored"), before + 19);
}

#[test]
fn pages_are_compared_with_by_what_an_edit_makes_of_their_urls_whatever_more_is_believed_of_them() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &article(id), 5000 + id);
    }
    let names = ["from", "view"].map(|name| Param::Any(name.into()));
    site.register_one(Edit::Params(names.to_vec()), None);
    for id in 500..520 {
        see(&mut site, &topic(id, "&from=a"), id);
    }
    for id in 0..300 {
        see(&mut site, &topic(id, "&from=a"), id);
        see(&mut site, &(short(id) + "&from=a"), id);
        see(&mut site, &topic(id, "&from=a&view=long"), 6000 + id);
        let list = format!("http://e.org/board/list?f={}&p={}", id % 31, id / 31);
        see(&mut site, &list, 2000 + id);
    }
    let link = "http://e.org/topic?f=9&t=8&from=a";
    assert!(site.predict(link).is_some());
    assert!(site.predict(&format!("{link}&view=long")).is_none());
    let both = "from is ignored, view is ignored";
    let before = successes(&site, both);
    for id in 500..520 {
        see(&mut site, &topic(id, "&from=b&view=print"), id);
    }
    assert_eq!(successes(&site, both), before + 20);
}

/// Successes that a parameter has which does not matter for one topic, with 30 links to it before a notice comes up on its
/// page and 30 after: so many of them before the forum's number is known not to matter. Sessions, if any, are known not to
/// from the start.
fn successes_in_spite_of_a_notice(before_that: u64, has_sessions: bool) -> u32 {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        see(&mut site, &topic(5000 + id, "&from=a"), 5000 + id);
        if has_sessions {
            let url = topic(5000 + id, &format!("&from=a&sid={id}f"));
            see(&mut site, &url, 5000 + id);
        }
    }
    let without = form_with("");
    let with = form_with("the page before is being changed by somebody else");
    for id in 0..60 {
        if id == before_that {
            learn_that_forums_do_not_matter(&mut site);
        }
        let session = if has_sessions {
            format!("&sid={id}z")
        } else {
            String::new()
        };
        let url = topic(900, &format!("&from={id}x{session}"));
        let text = if id < 30 { &without } else { &with };
        site.observe(&url.parse().unwrap(), text, None, None);
    }
    successes(&site, "from is ignored")
}

#[test]
fn a_page_stands_for_others_as_long_as_it_can_be_compared_with_them_whichever_address_it_was_filed_under()
 {
    for before_that in [0, 10, 30] {
        for has_sessions in [false, true] {
            let successes = successes_in_spite_of_a_notice(before_that, has_sessions);
            assert!(successes > 50, "{before_that} {has_sessions}: {successes}");
        }
    }
}

fn failures(site: &Site, edit: &str) -> u32 {
    let number = on_trial(site).iter().position(|other| other == edit);
    site.edits[number.unwrap()].failures
}

/// Failures of a parameter by which pages were filed while forums were known not to matter, which has turned out wrong since,
/// when these are fetched.
fn failures_since_forums_matter(link: impl Fn(u64) -> String) -> u32 {
    let mut site = with_forums();
    see(&mut site, &topic(400, "&from=a"), 400);
    see(&mut site, &topic(400, "&from=b"), 400);
    for id in 500..540 {
        see(&mut site, &topic(id, "&from=a"), id);
    }
    let fell = (0..60).find(|id| {
        // Of values that it held for.
        let url = format!("http://e.org/topic?f={}&t={id}", id % 9);
        see(&mut site, &url, 7000 + id);
        site.active.is_empty()
    });
    assert!(fell.is_some());
    for id in 500..540 {
        see(&mut site, &link(id), 8000 + id);
    }
    failures(&site, "from is ignored")
}

#[test]
fn an_edit_is_not_tried_on_what_it_made_of_a_page_with_a_belief_that_has_fallen() {
    assert_eq!(failures_since_forums_matter(short), 0);
    let from = |id: u64| short(id) + "&from=b";
    assert_eq!(failures_since_forums_matter(from), 0);
}

const SET: &str = "crumb is ignored, place is ignored";

fn photo(id: u64, rest: &str) -> String {
    format!("http://e.org/photo?at={id}{rest}")
}

/// A site that has a set of two parameters on trial.
fn with_a_set() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let names = ["crumb", "place"].map(|name| Param::Any(name.into()));
    site.register_one(Edit::Params(names.to_vec()), None);
    site
}

#[test]
fn a_parameter_that_was_never_there_is_not_carried_by_one_that_does_not_matter() {
    for is_shown_elsewhere in [false, true] {
        let mut site = with_a_set();
        for id in (0..40).filter(|_| is_shown_elsewhere) {
            let list = |rest: &str| format!("http://e.org/list?at={id}{rest}");
            see(&mut site, &list(""), 9000 + id);
            let both = format!("&crumb={id}&place=p{id}");
            see(&mut site, &list(&both), 9000 + id);
        }
        for id in 100..300 {
            see(&mut site, &photo(id, ""), id);
            see(&mut site, &photo(id, &format!("&crumb={}", id % 7)), id);
        }
        assert!(site.predict(&photo(299, "&crumb=3")).is_some());
        assert!(site.predict(&photo(299, "&place=p9")).is_none());
        assert_eq!(successes(&site, SET) > 0, is_shown_elsewhere);
    }
}

#[test]
fn a_set_is_tried_on_parts_of_it_when_each_parameter_was_on_pages_that_were_the_same() {
    let mut site = with_a_set();
    for id in 0..200 {
        see(&mut site, &photo(id, ""), id);
        let part = if id % 2 == 0 {
            format!("&crumb={id}")
        } else {
            format!("&place=p{id}")
        };
        see(&mut site, &photo(id, &part), id);
    }
    assert!(successes(&site, SET) > 150);
    assert!(
        site.predict(&photo(199, "&crumb=7&place=p9")).is_some(),
        "the two were never there at once"
    );
}

#[test]
fn examples_of_a_belief_differ_in_what_it_says_alone() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        let path = format!("articles/page-{id}");
        see(&mut site, &format!("http://e.org/{path}"), id);
        // Mostly the copy under another folder has the parameter, too.
        see(
            &mut site,
            &format!("http://e.org/mirror/{path}?from=list"),
            id,
        );
        if id % 4 == 0 {
            see(&mut site, &format!("http://e.org/mirror/{path}"), id);
            see(&mut site, &format!("http://e.org/{path}?from=related"), id);
        }
    }
    let mut examples = 0;
    site.records(&mut |belief| {
        // One about an action begins late here, and has had its say before it meets such a pair.
        if belief.text.starts_with("from is ignored |") && !belief.text.contains("| action |") {
            for (copy, original) in &belief.examples {
                examples += 1;
                let without = |url: &str| url.split('?').next().map(str::to_owned);
                assert_eq!(without(copy), without(original), "{}", belief.text);
            }
        }
    });
    assert!(examples > 0);
}

#[test]
fn tokens_in_the_path_and_in_parameters_are_told_though_no_link_has_one_of_them_alone() {
    let link = |id: u64, visit: u64| {
        let token =
            |of: u64| xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), 2 * visit + of);
        format!("http://e.org/s/{:x}/item/x{id}?r={:x}", token(0), token(1))
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        for visit in 0..3 {
            see(&mut site, &link(id, visit), id);
        }
    }
    let said = |url: &str| Some(site.record(site.predict(url)?.belief)?.text);
    let text = said(&link(7, 9)).unwrap();
    assert!(
        text.starts_with("segments [1] of 4 are ignored and r is ignored | shape"),
        "{text}"
    );
    assert_eq!(
        said("http://e.org/s/7f/item/x7"),
        None,
        "without the parameter"
    );
    assert_eq!(said("http://e.org/s/7f/item/x7?q=1"), None);
    assert_eq!(said("http://e.org/s/7f/item/new?r=1"), None);
    // One other page ends it.
    let belief = site.predict(&link(7, 9)).unwrap().belief;
    let learned = see(&mut site, &link(8, 9), 999);
    assert!(learned.withdrawn.contains(&belief));
}

#[test]
fn what_is_there_alone_as_well_is_told_one_by_one() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        for visit in 0..3 {
            let token = format!("{id}{visit}");
            see(
                &mut site,
                &format!("http://e.org/s/{token}/item/x{id}?r=1"),
                id,
            );
            see(
                &mut site,
                &format!("http://e.org/s/0/item/x{id}?r={token}"),
                id,
            );
        }
    }
    let said = |url: &str| site.record(site.predict(url).unwrap().belief).unwrap().text;
    for url in [
        "http://e.org/s/9917/item/x7?r=1",
        "http://e.org/s/0/item/x7?r=9917",
    ] {
        let text = said(url);
        assert!(!text.contains(" and "), "{text}");
    }
    let mut active = Vec::new();
    site.records(&mut |record| active.push(record.text));
    assert!(
        active
            .iter()
            .any(|text| text.starts_with("r is ignored | ")),
        "{active:?}"
    );
}

#[test]
fn parameters_with_a_new_name_at_each_link_are_told() {
    let link = |id: u64, visit: u64| {
        format!(
            "http://e.org/item?id={id}&{visit}a{}=1",
            1000 + 7 * id + visit
        )
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..120 {
        for visit in 0..3 {
            see(&mut site, &link(id, visit), id);
        }
    }
    let text = site
        .record(site.predict(&link(7, 9)).unwrap().belief)
        .unwrap()
        .text;
    assert!(text.starts_with("# is ignored"), "{text}");
    assert!(site.predict("http://e.org/item?id=7&page=2").is_none());
    assert!(site.predict(&link(500, 1)).is_none());
}

#[test]
fn a_language_that_was_never_met_is_not_taken_for_another_where_a_session_goes_with_it() {
    let link = |folder: &str, id: u64, visit: u64| {
        let token = xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), visit);
        format!("http://e.org/{folder}/item/x{id}?sid={token:x}")
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..250 {
        see(&mut site, &link("en", id, 0), id);
        see(&mut site, &link("de", id, 1), id);
    }
    let text = |url: &str| Some(site.record(site.predict(url)?.belief)?.text);
    assert!(text(&link("de", 7, 2)).is_some_and(|text| text.contains(" and sid is ignored")));
    assert_eq!(text(&link("fr", 7, 2)), None);
}

#[test]
fn what_stands_beside_is_told_apart_where_a_token_goes_with_a_session() {
    let link = |id: u64, visit: u64, rest: &str| {
        let token = |of| xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), 2 * visit + of);
        format!(
            "http://e.org/s/{:x}/item/x{id}?{rest}sid={:x}",
            token(0),
            token(1)
        )
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        for visit in 0..3 {
            let rest = ["mode=list&", "mode=grid&"][(id % 2) as usize];
            see(&mut site, &link(id, visit, rest), id);
        }
    }
    let text = |url: &str| Some(site.record(site.predict(url)?.belief)?.text);
    assert!(
        text(&link(7, 9, "mode=grid&")).is_some_and(|text| text.contains(" and sid is ignored"))
    );
    assert_eq!(text(&link(7, 9, "mode=cart&")), None);
}
