//! Claims that hold but for a folder, a namespace or some values, and what they do after a failure.

use super::*;

/// A thing in a folder of a shop; with a number where there is one.
pub(super) fn thing(folder: &str, id: u64, no: Option<u64>) -> String {
    let no = no.map_or(String::new(), |no| format!("?no={no}"));
    format!("http://e.org/shop/{folder}/thing{id}x{no}")
}

pub(super) const FOLDERS: [&str; 4] = ["books", "garden", "music", "games"];

/// A shop where the number of a thing does not matter, but in one of these folders.
pub(super) fn shop(things: u64, folders: &[&str], but: &str) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..things {
        let folder = folders[id as usize % folders.len()];
        see(&mut site, &thing(folder, id, None), id);
        for copy in 1..3 {
            let no = 100 * copy + id % 100;
            let page = if folder == but { 1000 * copy + id } else { id };
            see(&mut site, &thing(folder, id, Some(no)), page);
        }
    }
    site
}

#[test]
fn a_folder_where_a_claim_always_fails_is_an_exception() {
    let site = shop(160, &FOLDERS, "music");
    for (id, folder) in (0..).zip(FOLDERS) {
        let link = thing(folder, id, Some(777));
        assert_eq!(site.predict(&link).is_some(), folder != "music", "{folder}");
    }
}

#[test]
fn a_new_folder_is_fetched_first_and_what_held_elsewhere_stands_when_it_fails_there() {
    let mut site = shop(120, &FOLDERS, "");
    let link = |folder| thing(folder, 1, Some(777));
    see(&mut site, &link("garden"), 1);
    assert!(site.predict(&thing("garden", 1, Some(778))).is_some());
    for id in 500..520 {
        see(&mut site, &thing("toys", id, None), id);
        assert!(site.predict(&thing("toys", id, Some(1))).is_none());
        see(&mut site, &thing("toys", id, Some(1)), 1000 + id);
    }
    assert!(site.predict(&thing("garden", 1, Some(778))).is_some());
    for id in 600..602 {
        see(&mut site, &thing("pets", id, None), id);
        see(&mut site, &thing("pets", id, Some(1)), id);
    }
    assert!(site.predict(&thing("pets", 601, Some(2))).is_some());
}

#[test]
fn a_namespace_of_another_parameter_is_an_exception() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page = |space: &str, id: u64, seen: u64| {
        format!("http://e.org/doc.cgi?id={space}:p{id}&do={seen}")
    };
    let spaces = ["talk", "help", "file", "user", "guide", "main"];
    for id in 0..240 {
        let space = spaces[id as usize % spaces.len()];
        for copy in 0..3 {
            let text = if space == "file" { 1000 * copy } else { 0 } + id;
            see(&mut site, &page(space, id, 300 * copy + id), text);
        }
    }
    for (id, space) in (0..).zip(spaces) {
        let link = page(space, id, 5000);
        assert_eq!(site.predict(&link).is_some(), space != "file", "{space}");
    }
}

#[test]
fn what_fails_now_and_then_whatever_it_is_met_beside_has_no_exceptions() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..400u64 {
        let folder = FOLDERS[id as usize % 4];
        see(&mut site, &thing(folder, id, None), id);
        let page = if id % 7 == 3 { 1000 + id } else { id };
        see(&mut site, &thing(folder, id, Some(id)), page);
        let link = thing(folder, id, Some(5000));
        assert!(site.predict(&link).is_none(), "{id}");
    }
    let mut exceptions = 0;
    site.records(&mut |record| exceptions += record.exceptions);
    assert_eq!(exceptions, 0);
}

#[test]
fn an_exception_is_remembered_though_a_folder_is_named_unlike_the_others() {
    let mut site = shop(240, &FOLDERS, "music");
    let link = |folder| thing(folder, 3, Some(777));
    assert!(site.predict(&thing("games", 3, Some(777))).is_some());
    see(&mut site, &thing("sale2026", 900, None), 900);
    see(&mut site, &thing("music", 2, Some(5)), 7000);
    assert!(site.predict(&thing("music", 2, Some(6))).is_none());
    assert!(site.predict(&link("games")).is_some());
}

#[test]
fn a_claim_holds_again_after_a_failure_whatever_the_risk() {
    for risk in [0.001, 0.01, 0.05, 0.2] {
        let config = PredictConfig {
            risk,
            ..PredictConfig::default()
        };
        let mut site = Site::new("e.org", &config);
        let with = |id: u64, session: &str| format!("{}&sid={session}", article(id));
        let learn = |site: &mut Site, from: u64, to: u64| {
            for id in from..to {
                see(site, &article(id), id);
                see(site, &with(id, &format!("{id}f")), id);
            }
        };
        learn(&mut site, 0, 2500);
        assert!(site.predict(&with(7, "777f")).is_some(), "{risk}");
        see(&mut site, &with(7, "778f"), 90_000);
        assert!(site.predict(&with(8, "777f")).is_none(), "{risk}");
        learn(&mut site, 3000, 3060);
        assert!(site.predict(&with(8, "777f")).is_some(), "{risk}");
    }
}

#[test]
fn after_a_failure_nothing_is_dropped_until_the_claim_has_held_for_a_while() {
    let mut site = with_sessions();
    let with = |id: u64, session: &str| format!("{}&sid={session}", article(id));
    assert!(site.predict(&with(7, "777f")).is_some());
    let before = site.generation();
    see(&mut site, &with(7, "778f"), 9000);
    assert!(site.predict(&with(8, "777f")).is_none());
    assert!(site.generation() > before, "waiting links are judged again");
    let held = (10..40)
        .take_while(|id| {
            see(&mut site, &with(*id, "779f"), *id);
            site.predict(&with(8, "777f")).is_none()
        })
        .count();
    assert!((3..30).contains(&held), "{held}");
}

#[test]
fn a_site_that_changes_is_found_out_by_the_next_pages_after_the_first_failure() {
    let mut site = with_sessions();
    let with = |id: u64, session: &str| format!("{}&sid={session}", article(id));
    let fell = (0..40).find(|id| {
        let learned = see(&mut site, &with(*id, "778f"), 9000 + id);
        !learned.withdrawn.is_empty()
    });
    assert!(fell.is_some_and(|after| after < 6), "{fell:?}");
}

#[test]
fn a_parameter_that_has_one_value_is_believed_for_that_value() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let view = |id: u64, rev: u64| format!("{}&rev={rev}", article(id));
    let print = |id: u64, rev: u64| format!("{}&cover=print", view(id, rev));
    // Revisions that changed nothing: what is read first is of both parameters, and of any value of each.
    for id in 0..12 {
        see(&mut site, &view(id, 1), 2 * id);
        see(&mut site, &print(id, 2), 2 * id);
    }
    for id in 12..150 {
        for rev in 1..=2 {
            see(&mut site, &view(id, rev), 2 * id + rev);
            see(&mut site, &print(id, rev), 2 * id + rev);
        }
    }
    see(&mut site, &view(1000, 1), 9000);
    let dropped = site.predict(&print(1000, 1));
    assert!(dropped.is_some(), "{:?}", site.beliefs());
    let other = format!("{}&cover=full", view(1000, 1));
    assert!(site.predict(&other).is_none(), "{:?}", site.beliefs());
}
