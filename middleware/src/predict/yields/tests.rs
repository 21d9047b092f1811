//! Budgets of shapes, counted page by page.

use super::*;

fn budget(base: u32) -> Budget {
    let budget = PredictConfig {
        budget: base,
        ..PredictConfig::default()
    };
    Budget::of(&budget)
}

fn of(pages: impl IntoIterator<Item = (ClusterId, bool)>) -> (Yields, Changed) {
    with(50, pages)
}

fn with(base: u32, pages: impl IntoIterator<Item = (ClusterId, bool)>) -> (Yields, Changed) {
    let mut yields = Yields::default();
    let mut last = Changed::default();
    for (number, (cluster, is_fresh)) in pages.into_iter().enumerate() {
        let brought = Brought::content(is_fresh);
        last = yields.count(
            (7, false),
            (number as u32, false),
            Some(cluster),
            brought,
            10,
            budget(base),
        );
    }
    (yields, last)
}

#[test]
fn a_shape_that_brings_new_content_is_never_over_its_budget() {
    let (yields, _) = of((0..5000).map(|i| (i, i % 10 == 0)));
    assert_eq!(yields.over(7, budget(50)), None);
}

#[test]
fn an_endless_calendar_without_events_comes_to_its_end() {
    let (yields, _) = of((0..51).map(|i| (i, false)));
    assert_eq!(yields.over(7, budget(50)), Some(50));
    assert_eq!(yields.over(7, budget(0)), None, "0 means no budget");
}

#[test]
fn a_shape_beyond_its_budget_is_opened_again_by_what_an_explored_page_brings() {
    let calendar = (0..60).map(|i| (i, false));
    let (yields, changed) = of(calendar.clone());
    assert!(yields.over(7, budget(50)).is_some());
    assert_eq!(changed.reopened, None);
    let (yields, changed) = of(calendar.chain([(99, true)]));
    assert_eq!(changed.reopened, Some(7), "its ledger comes back");
    assert_eq!(yields.over(7, budget(50)), None);
}

#[test]
fn a_drought_ends_a_shape_long_before_its_budget_and_one_new_content_ends_the_drought() {
    let posts = |dry: u32| {
        (0..400)
            .map(|i| (i, i % 20 == 0))
            .chain((0..dry).map(|i| (i % 9, false)))
    };
    let (yields, _) = with(1000, posts(DROUGHT - 20));
    assert_eq!(yields.over(7, budget(1000)), None);
    let (yields, _) = with(1000, posts(DROUGHT));
    assert!(yields.over(7, budget(1000)).is_some());
    assert_eq!(yields.over(7, budget(0)), None, "0 means no budget");
    let (yields, changed) = with(1000, posts(DROUGHT).chain([(999, true)]));
    assert_eq!(changed.reopened, Some(7));
    assert_eq!(yields.over(7, budget(1000)), None);
    let rare = (0..2000)
        .map(|i| (i, i % 100 == 0))
        .chain((0..DROUGHT).map(|i| (i % 9, false)));
    assert_eq!(
        with(5000, rare).0.over(7, budget(5000)),
        None,
        "it never brought more"
    );
}

#[test]
fn tables_of_other_numbers_are_no_drought_and_earn_nothing() {
    // Before it was known that they are tables, they were contents.
    let (mut yields, _) = with(1000, (0..40).map(|i| (i, true)));
    let mut content = 100;
    let mut next = |brought| {
        content += 1;
        yields.count(
            (7, false),
            (0, false),
            Some(content),
            brought,
            10,
            budget(1000),
        );
        let counts = yields.get(7).unwrap();
        (
            counts.over(budget(1000)).is_some(),
            counts.novelty().unwrap(),
        )
    };
    for number in 0..999 {
        assert!(!next(Brought::Numbers).0, "{number}");
    }
    let (is_over, novelty) = next(Brought::Numbers);
    assert!(is_over && novelty < SELDOM);
    assert!(next(Brought::Numbers).0);
    assert!(!next(Brought::New).0, "it may bring something else");
}

#[test]
fn tables_that_mostly_stay_what_they_were_are_a_drought() {
    let mut yields = Yields::default();
    for number in 0..300 {
        let brought = if number % 15 == 0 {
            Brought::Numbers
        } else {
            Brought::Nothing
        };
        yields.count(
            (7, false),
            (number, false),
            Some(number),
            brought,
            10,
            budget(1000),
        );
    }
    let limit = yields.over(7, budget(1000)).unwrap();
    yields.count(
        (7, false),
        (300, false),
        Some(300),
        Brought::Numbers,
        10,
        budget(1000),
    );
    assert!(yields.over(7, budget(1000)) > Some(limit), "it stays left");
}

#[test]
fn a_shape_that_never_brought_anything_ends_before_a_drought_would() {
    // Days of a blog, each a post that was met at its own address.
    let days = |n: u32| (0..n).map(|day| (day, false));
    assert_eq!(with(1000, days(BARREN - 1)).0.over(7, budget(1000)), None);
    assert!(with(1000, days(BARREN)).0.over(7, budget(1000)).is_some());
    let once = [(900, true)].into_iter().chain(days(BARREN));
    assert_eq!(
        with(1000, once).0.over(7, budget(1000)),
        None,
        "it may again"
    );
    let (yields, changed) = with(1000, days(BARREN).chain([(901, true)]));
    assert_eq!(changed.reopened, Some(7));
    assert_eq!(yields.over(7, budget(1000)), None);
    let careful = Budget::of(&PredictConfig {
        risk: 0.01,
        ..PredictConfig::default()
    });
    assert_eq!(with(1000, days(199)).0.over(7, careful), None);
    assert!(with(1000, days(200)).0.over(7, careful).is_some());
}

#[test]
fn forms_behind_many_links_are_cut_short_and_opened_by_the_first_other_page() {
    let (yields, _) = of((0..47).map(|_| (3, false)));
    assert_eq!(yields.over(7, budget(0)), None, "47 are not enough");
    for forms in 1..=FEW as u32 {
        let row = (0..47 + forms).map(|i| (3 + i % forms, false));
        let (yields, _) = of(row.clone());
        assert!(yields.over(7, budget(0)).is_some(), "{forms}");
        let (yields, changed) = of(row.chain([(9, true)]));
        assert_eq!(changed.reopened, Some(7));
        assert_eq!(yields.over(7, budget(0)), None);
    }
    let lists = (0..400)
        .map(|i| (i, i % 20 == 0))
        .chain((0..100).map(|_| (0, false)));
    assert_eq!(
        of(lists).0.over(7, budget(0)),
        None,
        "one in twenty was new"
    );
    let (yields, _) = of((0..900).map(|i| (i % (FEW as u32 + 1), false)));
    assert_eq!(yields.over(7, budget(0)), None, "a book of a few pages");
}

/// After how many leads a shape of which so many pages were explored in vain, beyond its budget, is opened again. What pages lead to is heard later than they are.
fn opened_after(yields: &mut Yields, base: u32, explored: u32) -> Option<u32> {
    assert!(yields.over(7, budget(base)).is_some());
    for n in 0..explored {
        yields.count(
            (7, false),
            (n, false),
            Some(3),
            Brought::Nothing,
            10,
            budget(base),
        );
    }
    (1..=1000).find(|_| yields.count_leading(7, budget(base)).reopened == Some(7))
}

#[test]
fn leads_of_explored_pages_are_heeded_where_they_are_no_exception() {
    let dry = || with(1000, (0..BARREN).map(|day| (day, false))).0;
    let same = || with(1000, (0..SAME_IN_A_ROW).map(|_| (3, false))).0;
    // New contents, seldom enough to use up what a shape has and often enough for no drought.
    let used_up = || with(100, (0..250).map(|page| (page, page % 50 == 0))).0;
    for (kind, make, base) in [
        ("dry", &dry as &dyn Fn() -> Yields, 1000),
        ("the same", &same, 1000),
        ("used up", &used_up, 100),
    ] {
        // All that was fetched beyond counts, from the first page on.
        let before = make().get(7).unwrap().beyond;
        for explored in [10, MOST_BEYOND - 1 - before % MOST_BEYOND] {
            let mut made = make();
            let opened = opened_after(&mut made, base, explored);
            let wanted = (before + explored).div_ceil(HEEDED_ONE_IN).max(HEEDED);
            assert_eq!(opened, Some(wanted), "{kind}, {explored}");
        }
        // What was long ago is forgotten.
        let opened = opened_after(&mut make(), base, 10_000);
        assert!(
            opened.is_some_and(|leads| leads <= MOST_BEYOND / HEEDED_ONE_IN),
            "{kind}, {opened:?}"
        );
    }
}

#[test]
fn copies_that_a_claim_explains_end_a_shape_later() {
    let after = |pages: u32, explained: u32| {
        let mut yields = Yields::default();
        for page in 0..pages {
            let brought = if page < explained {
                Brought::Foretold
            } else {
                Brought::Nothing
            };
            let row = (7, false);
            yields.count(row, (page, false), Some(page), brought, 10, budget(1000));
        }
        yields.over(7, budget(1000)).is_some()
    };
    assert!(after(100, 0) && !after(99, 0));
    assert!(!after(149, 149) && after(150, 149));
    assert!(!after(129, 30) && after(130, 30));
}

#[test]
fn of_a_drought_that_was_cut_short_no_more_is_explained_than_is_left() {
    let mut yields = Yields::default();
    let count = |yields: &mut Yields, page, brought| {
        yields.count(
            (7, false),
            (page, false),
            Some(page),
            brought,
            10,
            budget(1000),
        );
    };
    for page in 0..90 {
        count(&mut yields, page, Brought::Foretold);
    }
    for _ in 0..5 {
        yields.count_leading(7, budget(1000));
    }
    for page in 100..199 {
        count(&mut yields, page, Brought::Nothing);
    }
    assert_eq!(yields.over(7, budget(1000)), None);
    count(&mut yields, 199, Brought::Nothing);
    assert!(yields.over(7, budget(1000)).is_some());
}
