//! Sites whose paths begin with the name of a thing (users, pastes, pages of a wiki), or end in one with a dot.

use super::*;

/// A word of letters for each number.
fn name(n: u64) -> String {
    (0..5)
        .map(|place| char::from(b'a' + (n / 26_u64.pow(place) % 26) as u8))
        .collect()
}

fn paste(n: u64, action: &str) -> String {
    format!("http://e.org/{}/{action}", name(n))
}

fn help(n: u64) -> String {
    format!("http://e.org/help/topic-{n}")
}

/// A site that has a section, with many pages.
fn with_help() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..60 {
        see(&mut site, &help(n), 9000 + n);
    }
    site
}

/// Pastes that are shown in two ways, beside that section.
fn with_pastes(pastes: u64) -> Site {
    let mut site = with_help();
    for n in 0..pastes {
        see(&mut site, &paste(n, "+inline"), n);
        see(&mut site, &paste(n, "+download"), n);
    }
    site
}

#[test]
fn what_holds_for_all_things_is_dropped_for_the_next_one_whatever_its_name() {
    let mut site = with_pastes(200);
    for n in 300..340 {
        see(&mut site, &paste(n, "+inline"), n);
        assert!(site.predict(&paste(n, "+download")).is_some());
    }
    let again = saved(&site);
    assert!(again.predict(&paste(300, "+download")).is_some());
}

#[test]
fn while_first_folders_are_few_each_is_asked_for_itself() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page =
        |section: u64, n: u64, more: &str| format!("http://e.org/{}/p-{n}{more}", name(section));
    for n in 0..200 {
        see(&mut site, &page(n % 20, n, ""), n);
        see(&mut site, &page(n % 20, n, "?view=2"), n);
    }
    see(&mut site, &page(30, 500, ""), 500);
    assert!(site.predict(&page(30, 500, "?view=2")).is_none());
}

#[test]
fn a_section_with_many_pages_is_asked_for_itself_though_other_first_folders_name_things() {
    let mut site = with_help();
    for n in 0..200 {
        see(&mut site, &paste(n, "raw"), n);
        see(&mut site, &paste(n, "raw?view=2"), n);
    }
    see(&mut site, &paste(300, "raw"), 300);
    assert!(site.predict(&paste(300, "raw?view=2")).is_some());
    assert!(site.predict(&format!("{}?view=2", help(7))).is_none());
}

#[test]
fn what_was_dropped_in_a_folder_is_judged_anew_once_it_is_one_of_many() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page =
        |folder: u64, n: u64, more: &str| format!("http://e.org/{}/p-{n}{more}", name(folder));
    for n in 0..200 {
        see(&mut site, &article(n), 9000 + n);
        see(&mut site, &format!("{}&sid={n}f", article(n)), 9000 + n);
    }
    let judged_anew: Vec<u64> = (0..60)
        .filter(|folder| see(&mut site, &page(*folder, 1, ""), *folder).has_fallen)
        .collect();
    assert_eq!(judged_anew, [40]);
}

#[test]
fn what_matters_for_one_action_in_the_folders_of_things_is_told_from_what_does_not_for_another() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..300 {
        see(&mut site, &paste(n, "show"), n);
        see(&mut site, &paste(n, &format!("show?v={n}")), n);
        see(&mut site, &paste(n, "log"), 10_000 + n);
        see(&mut site, &paste(n, &format!("log?v={n}")), 20_000 + n);
    }
    see(&mut site, &paste(400, "show"), 400);
    see(&mut site, &paste(400, "log"), 10_400);
    assert!(site.predict(&paste(400, "show?v=7")).is_some());
    assert!(site.predict(&paste(400, "log?v=7")).is_none());
}

#[test]
fn what_holds_for_names_with_dots_is_dropped_for_the_next_one_but_not_for_a_type_of_files() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let person = |n: u64, more: &str| format!("http://e.org/people/jane.{}{more}", name(n));
    let file = |n: u64, more: &str| format!("http://e.org/people/jane-{n}.csv{more}");
    for n in 0..200 {
        for (page, content) in [(person(n, ""), n), (person(n, "?view=2"), n)] {
            see(&mut site, &page, content);
        }
        see(&mut site, &file(n, ""), 10_000 + n);
        see(&mut site, &file(n, "?view=2"), 20_000 + n);
    }
    see(&mut site, &person(300, ""), 300);
    see(&mut site, &file(300, ""), 10_300);
    assert!(site.predict(&person(300, "?view=2")).is_some());
    assert!(site.predict(&file(300, "?view=2")).is_none());
    let again = saved(&site);
    assert!(again.predict(&person(300, "?view=2")).is_some());
}

#[test]
fn what_holds_for_pages_in_no_folder_is_dropped_for_the_next_one() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page = |n: u64, more: &str| format!("http://e.org/{}.html{more}", name(n));
    for n in 0..200 {
        see(&mut site, &page(n, ""), n);
        see(&mut site, &page(n, "?print=1"), n);
    }
    see(&mut site, &page(300, ""), 300);
    assert!(site.predict(&page(300, "?print=1")).is_some());
}

#[test]
fn a_parameter_is_asked_for_by_itself_though_all_parameters_seem_not_to_matter() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    // Types of files, of which none has pages enough to prove it alone.
    let page = |n: u64, more: &str| format!("http://e.org/files/f-{n}.x{}{more}", name(n % 20));
    for n in 0..200 {
        see(&mut site, &page(n, ""), n);
        see(&mut site, &page(n, &format!("?from={n}")), n);
        see(&mut site, &page(n, "?show=all"), n);
    }
    see(&mut site, &page(300, ""), 300);
    assert!(site.predict(&page(300, "?from=7")).is_some());
    assert!(site.predict(&page(300, "?show=all")).is_some());
}

#[test]
fn a_claim_is_known_in_a_folder_whatever_the_depths_and_types_of_its_pages_unless_it_failed_there()
{
    let mut site = Site::new("e.org", &PredictConfig::default());
    let folders = ["paper", "stone", "glass"];
    let file = |n: u64, more: &str| {
        let (folder, kind) = (folders[n as usize % 3], name(n % 17));
        let deep = "x-y/".repeat(n as usize % 9);
        format!("http://e.org/{folder}/{deep}f-{n}.x{kind}{more}")
    };
    for n in 0..300 {
        see(&mut site, &file(n, ""), n);
        let is_other = n == 50 || n == 80;
        see(
            &mut site,
            &file(n, "?plain=1"),
            if is_other { 9000 + n } else { n },
        );
    }
    // Of a depth and a type that were not met together.
    for (n, is_left) in [(600, true), (601, true), (602, false)] {
        see(&mut site, &file(n, ""), n);
        let drop = site.predict(&file(n, "?plain=1"));
        assert_eq!(drop.is_some(), is_left, "{n}");
    }
}
