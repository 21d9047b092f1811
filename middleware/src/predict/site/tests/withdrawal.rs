//! Beliefs that fall, and what comes of probes that were under way.

use super::*;

#[test]
fn what_turns_out_wrong_is_taken_back_with_all_that_may_have_leaned_on_it() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    let fell = (0..60).find(|&id| {
        let url = format!("{}&sid={id}new", article(id));
        let learned = site.observe(
            &url.parse().unwrap(),
            &text(90_000 + id),
            None,
            Some(belief),
        );
        !learned.withdrawn.is_empty()
    });
    assert!(fell.is_some_and(|probes| probes < 30), "{fell:?}");
    for id in 60..120 {
        let url = format!("{}&sid={id}new", article(id));
        site.observe(
            &url.parse().unwrap(),
            &text(90_000 + id),
            None,
            Some(belief),
        );
    }
    assert!(site.predict("http://e.org/article?id=150&sid=z").is_none());
}

#[test]
fn a_probe_that_returns_after_its_belief_fell_still_counts() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    disprove(&mut site, belief);
    let mut probe = |id: u64, content| {
        let url = format!("{}&sid={id}late", article(id)).parse().unwrap();
        site.observe(&url, &text(content), None, Some(belief))
            .was_duplicate
    };
    assert_eq!(probe(150, 150), Some(true));
    assert_eq!(probe(151, 95_000), Some(false));
}

#[test]
fn exploration_draws_anew_for_a_belief_that_rose_again() {
    let mut site = with_sessions();
    let belief = session_belief(&site);
    assert!(site.draws().is_empty());
    disprove(&mut site, belief);
    // Of the budget that its probes opened again.
    let before = site.draws();
    assert!(before.iter().all(|(id, _)| *id != belief), "{before:?}");
    let mut draws = Vec::new();
    for id in 1000..1400 {
        draws.extend(see(&mut site, &article(id), id).risen);
        draws.extend(see(&mut site, &format!("{}&sid={id}z", article(id)), id).risen);
    }
    assert!(draws.contains(&(belief, 1)), "{draws:?}");
    draws.extend(before);
    let mut kept = site.draws();
    kept.sort_unstable();
    draws.sort_unstable();
    assert_eq!(kept, draws);
}
