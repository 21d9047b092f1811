//! Sites that have no room for more pages, or none that can be learned from or told apart.

use nodust_frontier::{BeliefRecord, DropReason, Standing};

use super::*;
use crate::predict::{
    exchange::{SharedBelief, Trust},
    form::Param,
    site::name_of,
    site::selectors::MOST_VALUES,
};

#[test]
fn with_no_room_for_more_pages_beliefs_are_still_audited_and_fall() {
    let config = PredictConfig {
        max_pages: 400,
        ..PredictConfig::default()
    };
    let mut site = with_sessions();
    site.configure(&config);
    let belief = session_belief(&site);
    assert_eq!(site.pages(), 400);
    let url = format!("{}&sid=right", article(9)).parse().unwrap();
    let learned = site.observe(&url, &text(9), None, Some(belief));
    assert_eq!(learned.was_duplicate, Some(true));
    disprove(&mut site, belief);
    assert_eq!(site.pages(), 400, "nothing was remembered");
    assert!(site.predict("http://e.org/article?id=7&sid=99x").is_none());
}

#[test]
fn parameters_of_which_each_has_another_name_leave_room_for_what_is_true() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..800 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&n{id}=1", article(id)), id);
    }
    for id in 1000..1400 {
        see(&mut site, &article(id), id);
        see(&mut site, &format!("{}&sid={id}f", article(id)), id);
    }
    assert!(
        site.predict("http://e.org/article?id=1007&sid=99x")
            .is_some()
    );
}

#[test]
fn with_no_room_for_more_pages_nothing_is_taken_for_a_drought() {
    let config = PredictConfig {
        max_pages: 400,
        ..PredictConfig::default()
    };
    let mut site = Site::new("e.org", &config);
    for id in 0..4000 {
        // One page in ten is known, the others nobody can tell once the site is full.
        let page = if id % 10 == 9 { id % 300 } else { id };
        see(&mut site, &article(id), page);
    }
    assert!(site.predict(&article(9000)).is_none());
}

#[test]
fn a_site_of_long_pages_or_of_redirects_only_does_not_wait_for_ever() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let long: String = (0..40).map(text).collect();
    for id in 0..40 {
        assert!(site.bytes() < 3 << 20);
        site.observe(
            &article(id).parse().unwrap(),
            &format!("{id} {long}"),
            None,
            None,
        );
    }
    assert!(!site.is_warming());
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..2000 {
        site.observe_redirect(&format!("{}&old={id}", article(id)), &article(0), None);
    }
    assert!(!site.is_warming());
    assert!(site.bytes() < 1 << 20);
}

/// Trials of sessions that cannot be decided, until they keep links with a session from being dropped.
fn with_undecided_sessions() -> Site {
    let mut site = with_sessions();
    let sid = Edit::Params([Param::Any("sid".into())].into());
    let number = site.numbers.get(&sid, &site.edits).unwrap();
    let url = format!("{}&sid=777f", article(7));
    let before = Form::parse(&url);
    for _ in 0..1000 {
        let mut learned = Learned::default();
        site.trial(
            number,
            &before,
            Sameness::Unknown,
            with_first(&before),
            &mut learned,
        );
    }
    site
}

fn muted(site: &Site, url: &str) -> Vec<BeliefRecord> {
    let mut muted = Vec::new();
    site.muted(url, &mut |record| muted.push(record));
    muted
}

#[test]
fn an_active_belief_that_is_muted_says_so_with_the_trials_that_could_not_be_decided() {
    let url = format!("{}&sid=777f", article(7));
    let site = with_sessions();
    let belief = site.predict(&url).unwrap().belief;
    assert_eq!(site.record(belief).unwrap().undecided, 0);
    assert!(muted(&site, &url).is_empty(), "it is acted upon");

    let site = with_undecided_sessions();
    assert!(site.predict(&url).is_none());
    let record = site.record(belief).unwrap();
    assert_eq!(record.standing, Standing::Active);
    assert_eq!(record.undecided, 1000);
    assert_eq!(muted(&site, &url), [record]);
    assert!(
        muted(&site, &article(7)).is_empty(),
        "it has nothing to say"
    );
}

#[test]
fn a_belief_that_was_muted_elsewhere_is_tested_anew_even_where_active_ones_are_trusted() {
    let belief = session_belief(&with_sessions());
    for (site, is_trusted) in [(with_sessions(), true), (with_undecided_sessions(), false)] {
        let record = site.record(belief).unwrap();
        let shared = SharedBelief::of(&record, &nodust_frontier::BeliefCounts::default());
        let mut other = Site::new("e.org", &PredictConfig::default());
        assert!(other.take_in(&shared, Trust::Active));
        assert_eq!(other.record(belief).is_some(), is_trusted);
    }
}

#[test]
fn a_belief_whose_evidence_was_spent_elsewhere_is_tested_anew() {
    let site = with_sessions();
    let belief = session_belief(&site);
    let record = site.record(belief).unwrap();
    let shared = SharedBelief::of(&record, &nodust_frontier::BeliefCounts::default());
    for (e_value, is_trusted) in [(1.0, true), (0.5, false)] {
        let shared = SharedBelief {
            e_value,
            ..shared.clone()
        };
        let mut other = Site::new("e.org", &PredictConfig::default());
        assert!(other.take_in(&shared, Trust::Active));
        assert_eq!(other.record(belief).is_some(), is_trusted);
    }
}

#[test]
fn what_is_said_of_one_page_ends_with_the_first_that_is_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let search = |word: u64| format!("http://e.org/search?q=w{word}");
    for id in 0..200 {
        see(&mut site, &article(id), id);
        see(&mut site, &search(id), 7777);
    }
    let belief = site.predict(&search(900)).unwrap().belief;
    // One search finds something, and more may.
    let found = search(901).parse().unwrap();
    let learned = site.observe(&found, &text(8000), None, Some(belief));
    assert_eq!(learned.was_duplicate, Some(false));
    assert!(
        site.predict(&search(902))
            .is_none_or(|p| p.belief != belief)
    );
}

#[test]
fn what_never_holds_is_tried_no_more_until_pages_show_it() {
    let with_place = |id: u64| format!("{}&place={}", article(id), id % 9);
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..500 {
        see(&mut site, &article(id), id);
    }
    // One list has nothing in it, wherever one looks; the others have.
    see(&mut site, &with_place(0), 0);
    let place = Edit::Params([Param::Any("place".into())].into());
    let number = site.numbers.get(&place, &site.edits).unwrap() as usize;
    for id in 1..100 {
        see(&mut site, &with_place(id), 10_000 + id);
    }
    let failures = site.edits[number].failures;
    assert!(site.edits[number].is_given_up(), "{failures} failures");
    let said = |site: &Site| {
        (site.beliefs.iter())
            .filter(|b| b.edit() == number as u32)
            .count()
    };
    let beliefs = said(&site);
    for id in 100..200 {
        see(&mut site, &with_place(id), 10_000 + id);
    }
    assert_eq!(site.edits[number].failures, failures);
    assert_eq!(said(&site), beliefs);
    // From now on it does not matter any more.
    let mut site = saved(&site);
    for id in 200..400 {
        see(&mut site, &with_place(id), id);
    }
    assert!(!site.edits[number].is_given_up());
    assert!(site.predict(&with_place(450)).is_some());
}

#[test]
fn a_part_of_a_set_that_is_acted_upon_is_tried_though_it_was_given_up_elsewhere() {
    let noise = |id: u64| format!("http://e.org/gallery/{id}?from={id}x");
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..100 {
        // Here it chooses what is shown, but for the first.
        see(&mut site, &article(id), id);
        let page = if id == 0 { 0 } else { 10_000 + id };
        see(&mut site, &format!("{}&from={}", article(id), id % 9), page);
    }
    let from = Edit::Params([Param::Any("from".into())].into());
    let number = site.numbers.get(&from, &site.edits).unwrap() as usize;
    assert!(site.edits[number].is_given_up());
    for id in 0..200 {
        see(
            &mut site,
            &format!("http://e.org/gallery/{id}"),
            20_000 + id,
        );
        see(&mut site, &format!("{}&to={id}y", noise(id)), 20_000 + id);
    }
    assert!(site.predict(&format!("{}&to=7z", noise(7))).is_some());
    let mut site = saved(&site);
    for id in 0..200 {
        see(&mut site, &noise(id), 20_000 + id);
    }
    assert!(!site.edits[number].is_given_up());
    see(&mut site, "http://e.org/gallery/900", 20_900);
    assert!(site.predict(&noise(900)).is_some());
}

/// A page that is little more than what all pages of the site say.
fn see_form(site: &mut Site, url: &str, own: &str) {
    let text = format!(
        "{}\n{own}\nenter your name and your password to go on to the page that you asked for",
        text(7)
    );
    site.observe(&url.parse().unwrap(), &text, None, None);
}

#[test]
fn forms_that_became_chrome_use_up_a_budget_whatever_the_time_of_day_and_figures_do_not() {
    let over = |own: fn(u64) -> String| {
        let mut site = Site::new("e.org", &PredictConfig::default());
        // It may bring something, so that it is given time.
        see(&mut site, "http://e.org/reply?p=8000", 5000);
        for id in 0..200 {
            see_form(&mut site, &format!("http://e.org/reply?p={id}"), &own(id));
            see(&mut site, &article(id), 100 + id);
        }
        let (dropped, _) = site.judge("http://e.org/reply?p=9000", (None, None), || None);
        dropped.is_some()
    };
    assert!(over(|id| format!(
        "the time now is {:02}:{:02} pm",
        id % 12,
        id % 60
    )));
    assert!(!over(|id| format!(
        "seen by {} of {} readers",
        7 * id,
        9 * id
    )));
}

#[test]
fn a_budget_says_nothing_of_a_part_of_the_site_that_no_page_of_its_shape_was_of() {
    let upload = |part: &str, id: u64| format!("http://e.org/upload?part={part}&to=d{id}");
    let is_dropped = |site: &Site, url: &str| {
        matches!(
            site.judge(url, (None, None), || None).0,
            Some(DropReason::OverBudget { .. })
        )
    };
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..50 {
        let part = ["news", "shop", "wiki"][id as usize % 3];
        see(&mut site, &upload(part, id), 5000);
        see(&mut site, &article(id), id);
    }
    assert!(is_dropped(&site, &upload("news", 900)));
    for part in ["blog", "lost", "mine", "else"] {
        let (first, next) = (upload(part, 901), upload(part, 900));
        assert!(!is_dropped(&site, &next), "{part}");
        match part {
            "blog" => see(&mut site, &first, 5000),
            "lost" => site.observe_gone(&first, None),
            "else" => site.observe_pageless(&first),
            _ => site.observe_redirect(&first, "http://e.org/", None),
        };
        assert!(is_dropped(&site, &next), "{part}");
        assert!(is_dropped(&saved(&site), &next), "{part}");
    }
    // Where each is sent elsewhere, it is no part of the site.
    let member = |n: u8| format!("{}x", char::from(b'a' + n % 26)).repeat(1 + usize::from(n / 26));
    for n in 0..MOST_VALUES as u8 {
        let url = upload(&member(n), 1);
        site.observe_redirect(&url, "http://e.org/", None);
    }
    assert!(is_dropped(&site, &upload("another", 1)));
}

/// A month of measurements, of what depends on the thousands.
fn table(of: u64) -> String {
    let what = ["degrees of heat", "drops of rain", "hours of sun"][(of / 1000 % 3) as usize];
    let row = |day: u64| {
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&day.to_le_bytes(), of);
        format!("day {day} {} {what} {} percent\n", hash % 400, hash % 101)
    };
    (1..=30).map(row).collect()
}

/// Departures of a day: to some of these places, and when.
fn departures(day: u64) -> String {
    let place = |row: u64| {
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&row.to_le_bytes(), day);
        let name = text(hash % 60)[..20].replace(' ', "-");
        let (hour, minute, gate) = (hash >> 8 & 15, hash >> 16 & 63, hash >> 24 & 127);
        format!("to {name} at {hour}:{minute} from gate {gate} on time\n")
    };
    (0..14).map(place).collect()
}

#[test]
fn tables_of_ever_other_words_and_numbers_are_no_drought_and_copies_of_some_are() {
    let over = |shown: fn(u64) -> u64| {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for day in 0..500 {
            let url = format!("http://e.org/day{day}.html").parse().unwrap();
            let text = format!("home maps\n{}", departures(shown(day)));
            site.observe(&url, &text, None, None);
        }
        site.judge("http://e.org/day9000.html", (None, None), || None)
            .0
            .is_some()
    };
    assert!(!over(|day| day));
    assert!(over(|day| if day < 60 { day } else { day % 20 }));
}

#[test]
fn tables_of_other_numbers_are_no_drought_and_copies_of_one_are() {
    let over = |numbers: fn(u64) -> u64| {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..400 {
            let url = format!("http://e.org/station{id}.html").parse().unwrap();
            let text = format!("home stations maps\nstation {id}\n{}", table(numbers(id)));
            site.observe(&url, &text, None, None);
        }
        let again = saved(&site);
        assert_eq!(again.yields.tables, site.yields.tables);
        assert!(!site.yields.tables.is_empty());
        let url = "http://e.org/station9000.html";
        site.judge(url, (None, None), || None).0.is_some()
    };
    assert!(!over(|id| id));
    assert!(!over(|id| 1000 * (id % 3) + id), "templates in turn");
    assert!(over(|_| 7), "whatever it says its number is");
}

/// A word of letters alone for each number.
fn word(mut number: u64) -> String {
    let mut word = String::new();
    for _ in 0..4 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

/// Whether a link that stands on a page is left out by a budget.
fn is_over(site: &Site, page: &str, url: &str) -> bool {
    let (drop, _) = site.judge(url, (Some(name_of(page)), None), || None);
    matches!(drop, Some(DropReason::OverBudget { .. }))
}

fn trap(n: u64) -> String {
    format!("http://e.org/{}/{}", word(n), word(n + 7))
}

/// A site with sixty pages, and a trap that so many pages were taken of.
fn with_trap(pages: u64) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..60 {
        see(&mut site, &article(id), id);
    }
    for n in 0..pages {
        see(&mut site, &trap(n), 0);
    }
    site
}

#[test]
fn a_server_that_has_the_same_page_under_whatever_folder_is_left() {
    let site = with_trap(60);
    assert!(is_over(&site, &trap(5), &trap(100)));
    assert!(!is_over(&with_trap(30), &trap(5), &trap(100)));
    // What other pages link to, lies deeper or has parameters, is another matter; so is a folder that was met.
    assert!(!is_over(&site, &article(5), &trap(100)));
    for other in ["http://e.org/new/a/b", "http://e.org/new/a?p=1"] {
        assert!(!is_over(&site, &trap(5), other), "{other}");
    }
    let met = format!("http://e.org/{}/other", word(3));
    assert!(!is_over(&site, &trap(5), &met));
    let mut told = String::new();
    site.records(&mut |record| told += &record.text);
    assert!(told.contains("in folders that were not met"), "{told}");
}

#[test]
fn one_page_of_its_own_in_any_folder_gives_back_what_was_left_of_folders() {
    let mut site = with_trap(60);
    let (drop, _) = site.judge(&trap(100), (Some(name_of(&trap(5))), None), || None);
    let Some(DropReason::OverBudget { belief, .. }) = drop else {
        panic!("{drop:?}");
    };
    // It may be the second of its folder.
    let url = format!("http://e.org/{}/other", word(3)).parse().unwrap();
    let learned = site.observe(&url, &text(999), None, None);
    assert!(learned.reopened.contains(&belief));
    assert!(!is_over(&site, &trap(5), &trap(100)));
}

#[test]
fn what_is_left_of_folders_outlives_the_process_and_a_table_that_is_full_leaves_none() {
    let site = with_trap(60);
    let mut again = saved(&site);
    assert!(is_over(&again, &trap(5), &trap(100)));
    again.configure(&PredictConfig {
        max_beliefs: 10,
        ..PredictConfig::default()
    });
    assert!(!is_over(&again, &trap(5), &trap(100)));
}

#[test]
fn pages_that_a_claim_is_about_to_explain_do_not_cut_off_what_it_says_nothing_of() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let picture = |id: u64| format!("http://e.org/view?image={id}");
    for id in 0..300 {
        see(&mut site, &format!("{}&from=list", picture(id)), id);
    }
    // Behind each picture the next one is linked without `from`.
    let is_left_out = |site: &Site, id: u64| {
        let (drop, _) = site.judge(&picture(id), (None, None), || None);
        matches!(drop, Some(DropReason::OverBudget { .. }))
    };
    for id in 0..130 {
        see(&mut site, &picture(id), id);
        assert!(!is_left_out(&site, 700), "after {id}");
    }
    assert!(site.predict(&picture(250)).is_some(), "its picture was met");
    assert_eq!(site.predict(&picture(700)), None, "that was not");
    let mut restored = saved(&site);
    for site in [&mut site, &mut restored] {
        assert!(!is_left_out(site, 700));
    }
}

fn day(n: u64) -> String {
    format!("http://e.org/day/{n}")
}

/// Days of which each links to the next: first some with a text of their own, then so many without any.
fn with_days(empty: u64, found_on: &dyn Fn(u64) -> String) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..50 + empty {
        let facts = Facts {
            found_on: Some(name_of(&found_on(n))),
            ..Facts::default()
        };
        let content = if n < 50 { 1000 + n } else { 7 };
        site.observe_page(&day(n).parse().unwrap(), &text(content), facts);
    }
    site
}

fn is_left_out(site: &Site, on: &str, url: &str) -> bool {
    let (drop, _) = site.judge(url, (Some(name_of(on)), None), || None);
    drop.is_some()
}

#[test]
fn pages_that_lead_from_one_to_the_next_are_followed_past_a_row_of_the_same() {
    let before: &dyn Fn(u64) -> String = &|n| day(n.saturating_sub(1));
    for (empty, ends) in [(60, false), (130, false), (400, true)] {
        let site = with_days(empty, before);
        for site in [&site, &saved(&site)] {
            let (last, next) = (day(49 + empty), day(50 + empty));
            assert_eq!(is_left_out(site, &last, &next), ends, "{empty} empty days");
            // Nobody can tell what links on other pages are about.
            assert!(is_left_out(site, "http://e.org/", &day(9000)));
        }
    }
    // Where each has several links to others, most are found long before, and there is no end of them.
    let fan = with_days(130, &|n| day(n / 2));
    assert!(is_left_out(&fan, &day(179), &day(180)));
    // Links to days on other pages are explored, as many as there are.
    let listed = with_days(60, &|n| format!("http://e.org/list/{n}"));
    assert!(is_left_out(&listed, &day(109), &day(110)));
}
