//! Mirrors of folders, in whatever order their pages are met.

use nodust_frontier::BeliefCounts;

use super::saved;
use crate::predict::{SharedBelief, Trust, site::*};

/// A text of 60 words of its own.
pub(super) fn text(n: u64) -> String {
    (0..60)
        .map(|i| {
            let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&u64::to_le_bytes(i), n);
            let word: String = (0..6)
                .map(|k| char::from(b'a' + ((hash >> (8 * k)) % 26) as u8))
                .collect();
            word + if i % 12 == 11 { "\n" } else { " " }
        })
        .collect()
}

pub(super) fn see(site: &mut Site, url: &str, text: &str) {
    site.observe(&url.parse().unwrap(), text, None, None);
}

fn page(folder: &str, n: u64, kind: &str) -> String {
    format!("http://e.org/{folder}/part/page{n}.{kind}")
}

/// A site that has met the mirror's pages, of two kinds, and not yet those of the folder itself.
fn with_a_mirror() -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..200 {
        see(&mut site, &page("mirror", n, "html"), &text(n));
        see(&mut site, &page("mirror", n, "txt"), &text(10_000 + n));
    }
    site
}

#[test]
fn a_mirror_whose_pages_came_first_is_learned_as_soon_as_one_that_comes_second() {
    let mut site = with_a_mirror();
    let needed = (0..200).find(|&n| {
        let url = page("pub", n, "html");
        let is_known = site.predict(&url).is_some();
        if !is_known {
            see(&mut site, &url, &text(n));
        }
        is_known
    });
    assert!(needed.is_some_and(|n| n < 80), "{needed:?}");
}

#[test]
fn a_page_known_by_an_alias_of_an_alias_still_speaks_for_the_second() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let page = |host: &str, n: u64| format!("http://{host}.e.org/part/page{n}.html");
    // The site that all others stand for comes last.
    for n in 0..150 {
        see(&mut site, &page("middle", n), &text(n));
        see(&mut site, &page("mirrors", n), &text(n));
    }
    assert!(site.predict(&page("mirrors", 300)).is_none());
    for n in 200..320 {
        see(&mut site, &page("mirrors", n), &text(n));
    }
    for n in 0..4 {
        see(&mut site, &page("own", n), &text(n));
    }
    let needed = (200..320).find(|&n| {
        let url = page("own", n);
        let is_known = site.predict(&url).is_some();
        if !is_known {
            see(&mut site, &url, &text(n));
        }
        is_known
    });
    assert!(needed.is_some_and(|n| n < 290), "{needed:?}");
}

#[test]
fn a_kind_of_page_that_confirms_an_alias_profits_at_once_from_what_was_fetched_before() {
    let mut site = with_a_mirror();
    for n in 0..100 {
        see(&mut site, &page("pub", n, "html"), &text(n));
    }
    assert!(site.predict(&page("pub", 150, "html")).is_some());
    assert!(
        site.predict(&page("pub", 150, "txt")).is_none(),
        "never tried there"
    );
    for n in 0..14 {
        see(&mut site, &page("pub", n, "txt"), &text(10_000 + n));
    }
    assert!(site.predict(&page("pub", 150, "txt")).is_some());
}

#[test]
fn an_alias_is_found_though_a_place_in_the_path_explains_its_pages_too() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..200 {
        see(&mut site, &page("new", n, "html"), &text(n));
        see(&mut site, &page("mirror", n, "html"), &text(10_000 + n));
    }
    // The first segment of three is what these differ in, and all others after them.
    for n in 0..20 {
        see(&mut site, &page("old", n, "html"), &text(n));
    }
    for n in 0..20 {
        see(&mut site, &page("pub", n, "html"), &text(10_000 + n));
    }
    let alias = |edit: &&OnTrial| edit.edit.to_string() == "prefix /mirror = /pub";
    assert!(site.edits.iter().any(|edit| alias(&edit)));
}

#[test]
fn an_alias_says_nothing_of_pages_that_are_little_more_than_their_own_address() {
    let mut site = with_a_mirror();
    let listing = |folder: &str, n: u64| {
        let files: Vec<String> = (0..9).map(|i| format!("file{n}-{i}.txt {i}K")).collect();
        let title = format!("Listing of all files in the folder {folder} part{n} of this place");
        format!("{title}\n{}", files.join("\n"))
    };
    let folder = |folder: &str, n: u64| format!("http://e.org/{folder}/part{n}/");
    for n in 0..60 {
        see(&mut site, &folder("mirror", n), &listing("mirror", n));
    }
    for n in 0..100 {
        see(&mut site, &page("pub", n, "html"), &text(n));
    }
    for n in 0..30 {
        see(&mut site, &folder("pub", n), &listing("pub", n));
    }
    assert!(site.predict(&page("pub", 150, "html")).is_some());
    assert!(site.predict(&folder("pub", 50)).is_none());
}

#[test]
fn an_alias_that_one_page_contradicts_falls_for_all() {
    let mut site = with_a_mirror();
    for n in 0..100 {
        see(&mut site, &page("pub", n, "html"), &text(n));
    }
    assert!(site.predict(&page("pub", 150, "html")).is_some());
    see(&mut site, &page("pub", 160, "html"), &text(99_999));
    assert!(site.predict(&page("pub", 150, "html")).is_none());
}

#[test]
fn a_parameter_that_does_not_matter_for_an_action_is_not_moved_into_the_path_before() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let view = |id: u64| format!("http://e.org/w/index.php?title=p{id}");
    let pretty = |id: u64| format!("http://e.org/wiki/p{id}");
    let edit = |id: u64| format!("{}&action=edit", view(id));
    for id in 0..150 {
        super::see(&mut site, &pretty(id), id);
        super::see(&mut site, &view(id), id);
        // Who is not logged in is asked to, whatever the page.
        super::see(&mut site, &edit(id), 77_000);
    }
    super::see(&mut site, &pretty(1000), 1000);
    assert!(site.predict(&view(1000)).is_some(), "{:?}", site.beliefs());
    assert!(site.predict(&edit(1000)).is_some(), "{:?}", site.beliefs());
}

/// A page of a project, in its folder of the latest version, or of the fifth.
fn page_of_project(project: u64, folder: &str, page: u64) -> String {
    format!("http://e.org/proj{project}/{folder}/doc/page{page}.html")
}

/// Thirty-two projects, of each of which one folder is an alias of another, and a third one is not; `pages`: in which order they come.
fn of_projects(pages: &(impl Iterator<Item = (u64, u64)> + Clone)) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for (folder, of_folder) in [("v4", 100_000), ("v5", 0), ("latest", 0)] {
        for (project, page) in pages.clone() {
            let url = page_of_project(project, folder, page);
            see(&mut site, &url, &text(of_folder + 1000 * project + page));
        }
    }
    site
}

#[test]
fn many_aliases_of_folders_weigh_little_more_than_a_few_in_whatever_order_they_come() {
    let one_by_one =
        of_projects(&(0..32).flat_map(|project| (0..20).map(move |page| (project, page))));
    let in_turn =
        of_projects(&(0..20).flat_map(|page| (0..32).map(move |project| (project, page))));
    for site in [&one_by_one, &in_turn, &saved(&in_turn)] {
        let aliases = |belief: &&Belief| site.edits[belief.edit() as usize].edit.is_literal();
        let tested: Vec<&Belief> = site.beliefs.family().filter(aliases).collect();
        assert_eq!(tested.len(), 32);
        let weight: f64 = tested.iter().map(|belief| belief.weight_of_tries()).sum();
        assert!((24.0..=60.0).contains(&weight), "{weight}");
    }

    // Aliases that another crawl tells of weigh no more together, and do not lessen the first ones that are tested here.
    let mut file = Vec::new();
    in_turn.records(&mut |record| file.push(SharedBelief::of(&record, &BeliefCounts::default())));
    let mut other = Site::new("e.org", &PredictConfig::default());
    for belief in &file {
        other.take_in(belief, Trust::Prior);
    }
    let weights: f32 = (other.beliefs.grown())
        .filter(|belief| belief.level == Level::Host)
        .map(|belief| belief.prior)
        .sum();
    assert!(weights <= 60.0, "{weights}");
    for folder in ["v5", "latest"] {
        for page in 0..40 {
            let url = page_of_project(99, folder, page);
            see(&mut other, &url, &text(99_000 + page));
        }
    }
    let own = other
        .beliefs
        .family()
        .map(Belief::weight)
        .fold(0.0, f64::max);
    assert!(own >= 6.0, "{own}");
}

#[test]
fn twins_whose_addresses_always_differ_in_two_parts_are_known_by_both_together() {
    let twins: [fn(&str) -> String; 3] = [
        |page| format!("http://m.e.org/{page}?m=1"),
        |page| format!("http://e.org/{page}/print?tmpl=print"),
        |page| format!("http://e.org/{page}.html?output=plain"),
    ];
    for twin in twins {
        let mut site = Site::new("e.org", &PredictConfig::default());
        let page = |id: u64| format!("{}/some-{id}", ["news", "shop", "wiki"][id as usize % 3]);
        for id in 0..300 {
            see(&mut site, &format!("http://e.org/{}", page(id)), &text(id));
            see(&mut site, &twin(&page(id)), &text(id));
        }
        see(
            &mut site,
            &format!("http://e.org/{}", page(500)),
            &text(500),
        );
        let twin = twin(&page(500));
        assert!(site.predict(&twin).is_some(), "{twin}");
        assert!(saved(&site).predict(&twin).is_some(), "{twin}");
    }
}
