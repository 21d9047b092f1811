//! Beliefs that another crawl takes over, with what it found out of their exceptions.

use std::collections::HashMap;

use nodust_frontier::{BeliefCounts, Standing};

use super::{exceptions::*, *};
use crate::predict::{
    BeliefFile,
    exchange::{SharedBelief, Trust},
    parts::Parts,
};

const TRUSTS: [Trust; 2] = [Trust::Active, Trust::Prior];

/// What a site tells another crawl, and that a file says it as it is.
fn told(site: &Site) -> Vec<SharedBelief> {
    let mut file = BeliefFile::default();
    file.sites.insert("e.org".to_owned(), carried(site));
    let mut again = BeliefFile::from_json(&file.to_json()).unwrap();
    assert_eq!(again, file);
    again.sites.remove("e.org").unwrap()
}

/// What a site tells another crawl.
fn carried(site: &Site) -> Vec<SharedBelief> {
    let mut carried = HashMap::new();
    site.carried(&mut |id, belief| {
        carried.insert(id, belief);
    });
    let counts = BeliefCounts::default();
    let mut all = Vec::new();
    site.records(&mut |record| {
        if record.text.starts_with("budget") {
            return;
        }
        all.push(match carried.remove(&record.id) {
            Some(belief) => belief.in_crawl(&record, &counts),
            None => SharedBelief::of(&record, &counts),
        });
    });
    all.sort_by(|a, b| a.text.cmp(&b.text));
    all
}

/// The same without examples, of which no pages are there.
fn evidence(site: &Site) -> Vec<SharedBelief> {
    let mut all = told(site);
    for belief in &mut all {
        belief.examples.clear();
    }
    all
}

fn with(beliefs: &[SharedBelief], trust: Trust) -> Site {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for belief in beliefs {
        assert!(site.take_in(belief, trust));
    }
    site
}

fn restarted(site: &Site) -> Site {
    let mut parts = Parts::default();
    site.save(&mut |section, chunk, bytes| parts.put(section as u8, chunk, bytes));
    Site::load("e.org", &parts).unwrap()
}

/// The content of a thing of late.
fn content(folder: &str, id: u64) -> u64 {
    let at = FOLDERS.iter().position(|other| *other == folder).unwrap();
    5000 + 10 * id + at as u64
}

/// The page of each thing in all folders.
fn see_things(site: &mut Site, ids: std::ops::Range<u64>) {
    for id in ids {
        for folder in FOLDERS {
            see(site, &thing(folder, id, None), content(folder, id));
        }
    }
}

#[test]
fn what_is_taken_in_is_told_again_as_it_was() {
    let mut site = shop(160, &FOLDERS, "music");
    // Beliefs of all standings.
    learn_that_sessions_do_not_matter(&mut site);
    let belief = session_belief(&site);
    disprove(&mut site, belief);
    for id in 0..20 {
        see(&mut site, &format!("{}&ref=r{id}", article(id)), id);
    }
    let first = evidence(&site);
    let standings: Vec<_> = first.iter().map(|belief| belief.standing).collect();
    for standing in [Standing::Active, Standing::Probation, Standing::Withdrawn] {
        assert!(standings.contains(&standing), "{standing}");
    }
    assert!(first.iter().any(|belief| belief.exceptions > 0));
    for trust in TRUSTS {
        let second = with(&first, trust);
        assert_eq!(evidence(&second), first, "{trust:?}");
        let third = with(&evidence(&second), trust);
        assert_eq!(evidence(&third), first, "{trust:?}");
    }
}

#[test]
fn kinds_are_called_what_they_are() {
    let all = told(&shop(160, &FOLDERS, "music"));
    let mut kinds = (all.iter()).flat_map(|belief| &belief.kinds.beside.kinds);
    let excepted = kinds.find(|kind| kind.to_string().starts_with("excepted"));
    let excepted = excepted.unwrap().to_string();
    assert!(
        excepted.starts_with("excepted | /shop/music | "),
        "{excepted}"
    );
    let all = all.iter().flat_map(|belief| belief.kinds.ways());
    for kind in all.flat_map(|way| &way.kinds) {
        assert!(kind.words.is_some(), "{kind}");
    }
}

#[test]
fn a_trusted_belief_brings_its_exceptions_and_does_not_fall_for_them() {
    let first = shop(160, &FOLDERS, "music");
    let mut site = with(&told(&first), Trust::Active);
    see_things(&mut site, 200..230);
    let mut site = restarted(&site);
    // One page of each folder is fetched all the same.
    for folder in FOLDERS {
        let link = |no| thing(folder, 200, Some(no));
        assert!(site.predict(&link(777)).is_none(), "{folder}");
        let is_other = folder == "music";
        let page = if is_other {
            80_000
        } else {
            content(folder, 200)
        };
        let learned = see(&mut site, &link(776), page);
        assert!(learned.withdrawn.is_empty(), "{folder}");
        assert_eq!(site.predict(&link(777)).is_some(), !is_other, "{folder}");
    }
    for id in 200..230 {
        for folder in FOLDERS {
            let link = thing(folder, id, Some(777));
            assert_eq!(site.predict(&link).is_some(), folder != "music", "{link}");
        }
    }
    let mut site = restarted(&site);
    for id in 200..230 {
        let learned = see(&mut site, &thing("music", id, Some(7)), 90_000 + id);
        assert!(
            learned.withdrawn.is_empty() && learned.reopened.is_empty(),
            "{id}"
        );
        assert!(site.predict(&thing("books", id, Some(777))).is_some());
        assert!(site.predict(&thing("music", id, Some(777))).is_none());
    }
    // What was never met is asked first.
    see(&mut site, &thing("toys", 200, None), 70_000);
    assert!(site.predict(&thing("toys", 200, Some(1))).is_none());
}

#[test]
fn what_held_in_a_folder_elsewhere_and_does_not_here_is_an_exception_with_its_first_page() {
    let first = shop(160, &FOLDERS, "music");
    let mut site = with(&told(&first), Trust::Active);
    see_things(&mut site, 200..230);
    for folder in FOLDERS {
        let page = if folder == "games" {
            80_000
        } else {
            content(folder, 200)
        };
        let learned = see(&mut site, &thing(folder, 200, Some(776)), page);
        assert!(learned.withdrawn.is_empty(), "{folder}");
    }
    for folder in FOLDERS {
        let link = thing(folder, 201, Some(777));
        let holds = ["books", "garden"].contains(&folder);
        assert_eq!(site.predict(&link).is_some(), holds, "{folder}");
    }
}

#[test]
fn exceptions_of_a_prior_are_heeded_until_they_are_tried() {
    let first = told(&shop(160, &FOLDERS, "music"));
    for holds_now in [false, true] {
        let mut site = with(&first, Trust::Prior);
        see_things(&mut site, 200..240);
        let mut restarts = 0;
        for id in 200..240 {
            for folder in FOLDERS {
                let link = thing(folder, id, Some(content(folder, id)));
                assert!(
                    id > 205 || site.predict(&link).is_none(),
                    "it is tested first"
                );
                let is_other = folder == "music" && !holds_now;
                let page = if is_other {
                    90_000 + id
                } else {
                    content(folder, id)
                };
                see(&mut site, &link, page);
            }
            if id == 210 {
                site = restarted(&site);
                restarts += 1;
            }
        }
        assert_eq!(restarts, 1);
        for folder in FOLDERS {
            let link = thing(folder, 239, Some(777));
            let is_dropped = site.predict(&link).is_some();
            assert_eq!(is_dropped, folder != "music" || holds_now, "{link}");
        }
        let mut failures = 0;
        site.records(&mut |record| {
            let is_active = record.standing == Standing::Active;
            failures += if is_active { record.failures } else { 0 };
        });
        assert_eq!(failures, 0, "an exception is none");
    }
}

#[test]
fn exceptions_that_are_not_named_are_found_out_anew() {
    let mut first = told(&shop(160, &FOLDERS, "music"));
    first.retain(|belief| belief.exceptions > 0);
    assert!(!first.is_empty());
    for belief in &mut first {
        belief.kinds = crate::predict::SharedKinds::default();
    }
    let mut site = with(&first, Trust::Active);
    see_things(&mut site, 200..230);
    assert!(site.predict(&thing("books", 200, Some(777))).is_none());
}

#[test]
fn what_has_many_values_is_no_name_from_the_start() {
    // Pages of a wiki in a few namespaces of its own, with words for names: `skin` matters for one of them.
    let word = |n: u64| {
        let letter = |n: u64| char::from(b'a' + (n % 26) as u8);
        format!("{}{}{}x", letter(n), letter(n / 26), letter(n / 676))
    };
    let page = |area: &str, n: u64, skin: Option<u64>| {
        let skin = skin.map_or(String::new(), |skin| format!("&skin={skin}"));
        format!("http://e.org/wiki?title={}&area={area}{skin}", word(n))
    };
    let areas = ["talk", "help", "main", "user"];
    let see_pages = |site: &mut Site, numbers: std::ops::Range<u64>, skins: u64| {
        for n in numbers {
            let area = areas[n as usize % areas.len()];
            see(site, &page(area, n, None), n);
            for skin in 0..skins {
                let text = if area == "user" { 5000 * (skin + 1) } else { 0 } + n;
                see(site, &page(area, n, Some(1000 * skin + n)), text);
            }
        }
    };
    let mut first = Site::new("e.org", &PredictConfig::default());
    see_pages(&mut first, 0..200, 2);
    let told = told(&first);
    let unnamed: Vec<_> = (told.iter())
        .flat_map(|belief| &belief.kinds.beside.unnamed)
        .map(|name| name.words.as_str())
        .collect();
    assert!(
        unnamed.contains(&"title") && !unnamed.contains(&"area"),
        "{unnamed:?}"
    );
    let mut site = with(&told, Trust::Active);
    let mut fallen = 0;
    for n in 300..400 {
        // One page of each area shows that it holds there now.
        let skins = u64::from((312..320).contains(&n));
        see_pages(&mut site, n..n + 1, skins);
        let area = areas[n as usize % areas.len()];
        let link = page(area, n, Some(7));
        // The first pages of a site only teach what all of them have.
        if n >= 320 {
            assert_eq!(site.predict(&link).is_some(), area != "user", "{link}");
        }
        if n == 350 {
            site = restarted(&site);
        }
        fallen += see(&mut site, &page("user", n, Some(7)), 90_000 + n)
            .withdrawn
            .len();
    }
    assert_eq!(fallen, 0);
    assert_eq!(evidence(&site).len(), told.len());
}

/// The belief of a site whose text begins so, on the widest level.
fn said(site: &Site, beginning: &str) -> Option<SharedBelief> {
    let all = carried(site).into_iter();
    let mut all: Vec<_> = all.filter(|b| b.text.starts_with(beginning)).collect();
    all.sort_by_key(|belief| belief.trials);
    all.pop()
}

/// Articles of which each is there once more, in a folder of its own.
fn see_mirrored(site: &mut Site, ids: std::ops::Range<u64>) {
    for id in ids {
        see(site, &format!("http://e.org/a/page{id}x"), id);
        see(site, &format!("http://e.org/mirror/a/page{id}x"), id);
    }
}

/// How many mirrored pages it takes until links of the mirror are dropped.
fn rises_after(site: &mut Site, from: u64) -> u64 {
    let link = format!("http://e.org/mirror/a/page{from}y");
    see(site, "http://e.org/a/page0z", 900_000);
    see(site, &link.replace("/mirror", ""), 910_000);
    let rises = (from..from + 300).find(|id| {
        see_mirrored(site, *id..id + 1);
        site.predict(&link).is_some()
    });
    rises.unwrap() - from
}

#[test]
fn what_one_page_refutes_keeps_its_record_and_is_not_believed_sooner_than_what_was_learned_here() {
    const ALIAS: &str = "prefix /mirror = nothing | host";
    let fresh = || {
        let mut site = Site::new("e.org", &PredictConfig::default());
        for id in 0..40 {
            see(&mut site, &article(id), 500_000 + id);
        }
        site
    };
    let refute = |site: &mut Site, from: u64| {
        see(site, &format!("http://e.org/a/page{from}w"), 700_000 + from);
        see(
            site,
            &format!("http://e.org/mirror/a/page{from}w"),
            800_000 + from,
        );
    };
    let mut learned = fresh();
    see_mirrored(&mut learned, 0..120);
    let file = told(&learned);
    let before = said(&learned, ALIAS).unwrap();
    assert_eq!((before.standing, before.failures), (Standing::Active, 0));
    refute(&mut learned, 2000);
    assert_eq!(said(&learned, ALIAS).unwrap().standing, Standing::Withdrawn);
    let of_own = rises_after(&mut learned, 3000);
    let again = said(&learned, ALIAS).unwrap();
    assert!(
        again.trials > before.trials && again.failures == 1,
        "{again:?}"
    );

    for trust in TRUSTS {
        let mut site = fresh();
        for belief in &file {
            site.take_in(belief, trust);
        }
        see_mirrored(&mut site, 1000..1010);
        let untouched = said(&site, ALIAS).unwrap();
        assert!(untouched.trials >= before.trials, "{trust:?} {untouched:?}");
        refute(&mut site, 2000);
        let mut site = restarted(&site);
        let refuted = said(&site, ALIAS).unwrap();
        assert_eq!(refuted.standing, Standing::Withdrawn, "{trust:?}");
        assert!(
            refuted.trials > before.trials && refuted.failures == 1,
            "{refuted:?}"
        );
        let rises = rises_after(&mut site, 3000);
        assert!(rises >= of_own, "{trust:?}: {rises} for {of_own}");
        let again = said(&site, ALIAS).unwrap();
        assert_eq!(again.standing, Standing::Active, "{trust:?}");
        assert!(
            again.trials > refuted.trials && again.failures == 1,
            "{again:?}"
        );
    }
}

/// A belief that a file tells of.
fn in_file(text: &str) -> SharedBelief {
    let belief = serde_json::json!({
        "text": text, "standing": "probation", "trials": 70, "e_value": 25.0
    });
    serde_json::from_value(belief).unwrap()
}

fn saved_parts(site: &Site) -> Vec<(u8, u32, Vec<u8>)> {
    let mut all = Vec::new();
    site.save(&mut |section, chunk, bytes| all.push((section as u8, chunk, bytes)));
    all.sort();
    all
}

#[test]
fn all_aliases_of_a_file_are_taken_in_and_leave_room_for_those_of_the_site() {
    let alias = |n: usize| format!("prefix /v{n} = /latest | host | 0000000000000001");
    let mut site = Site::new("e.org", &PredictConfig::default());
    for n in 0..40 {
        assert!(site.take_in(&in_file(&alias(n)), Trust::Prior), "{n}");
    }
    let edits = site.edits.len();
    for id in 0..80 {
        see(&mut site, &format!("http://e.org/new/{id}"), id);
        see(&mut site, &format!("http://e.org/old/{id}"), id);
    }
    assert!(site.edits.len() > edits);
}

#[test]
fn taking_in_what_is_known_changes_nothing() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    for id in 0..200 {
        let page = format!("http://e.org/l?id={id}");
        see(&mut site, &page, id);
        see(&mut site, &format!("{page}&sid={id}f"), id);
        // It matters, and that is found out.
        let content = if id < 2 { id } else { 10_000 + id };
        see(&mut site, &format!("{page}&q=1"), content);
    }
    let told: Vec<SharedBelief> = told(&site);
    assert!(!told.is_empty());
    see(&mut site, "http://e.org/", 1);
    let before = saved_parts(&site);
    for belief in &told {
        assert!(!site.take_in(belief, Trust::Active), "{}", belief.text);
    }
    assert_eq!(saved_parts(&site), before);
}

#[test]
fn what_was_told_of_values_says_nothing_of_urls_without_any() {
    let link = |id: u64, value: u64| format!("http://e.org/row?id={id}&full={value}");
    let bare = |id: u64| format!("http://e.org/row?id={id}");
    let mut first = Site::new("e.org", &PredictConfig::default());
    for value in 0..2 {
        for id in 0..300 {
            see(&mut first, &link(id, value), id);
        }
    }
    let mut site = with(&told(&first), Trust::Active);
    for id in 0..100 {
        see(&mut site, &link(id, id % 2), id);
    }
    for id in 50..52 {
        see(&mut site, &link(id, 1 - id % 2), id);
    }
    let is_dropped = |site: &Site, url: &str| site.predict(url).is_some();
    assert!(is_dropped(&site, &link(5, 0)));
    assert!(!is_dropped(&site, &bare(5)));
}
