//! Do labels and texts agree, and can everything be reached?

use rustc_hash::{FxHashMap, FxHashSet};

use super::*;

#[test]
fn there_are_enough_kinds_and_their_names_differ() {
    let names: FxHashSet<&str> = kinds().map(|kind| kind.name).collect();
    assert_eq!(names.len(), kinds().count());
    assert!(names.len() >= 120, "{}", names.len());
    let is_host = |name: &&str| {
        name.chars()
            .all(|c| c.is_ascii_lowercase() || "-0123456789".contains(c))
    };
    assert!(names.iter().all(is_host));
}

#[test]
fn equal_seeds_make_equal_crawls_and_others_do_not() {
    for kind in kinds().step_by(11) {
        let crawl = kind.crawl(3);
        assert_eq!(crawl, kind.crawl(3), "{}", kind.name);
        assert_ne!(crawl, kind.crawl(4), "{}", kind.name);
    }
}

#[test]
fn labels_are_true_and_all_is_linked_and_as_large_as_is_promised() {
    for kind in kinds() {
        let crawl = kind.crawl(1);
        check_labels(&crawl);
        check_links(&crawl);
        let (pages, contents) = (crawl.pages.len(), crawl.contents());
        assert!((2000..=3600).contains(&pages), "{}: {pages}", kind.name);
        if kind.hope == Hope::Both {
            let copies = pages - contents;
            assert!(copies > 400, "{}: {copies} of {pages}", kind.name);
        }
    }
}

/// Equal labels mean equal main texts, and different ones different texts.
fn check_labels(crawl: &Crawl) {
    let (mut texts, mut labels) = (FxHashMap::default(), FxHashMap::default());
    for page in crawl.pages.iter().filter(|page| page.redirect.is_none()) {
        let main = page.main_text();
        assert!(page.text.len() > main.len() && !main.is_empty());
        let known = texts.entry(&page.label).or_insert(main);
        assert_eq!(*known, main, "{}", page.url);
        let known = labels.entry(main).or_insert(&page.label);
        assert_eq!(*known, &page.label, "{}", page.url);
    }
}

/// A link to a page stands before it, as in a crawl, and each link has its page.
fn check_links(crawl: &Crawl) {
    let urls: FxHashSet<&str> = crawl.pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls.len(), crawl.pages.len());
    let mut linked: FxHashSet<&str> = [crawl.pages[0].url.as_str()].into_iter().collect();
    for page in &crawl.pages {
        assert!(linked.contains(page.url.as_str()), "{}", page.url);
        for link in page.links.iter().chain(&page.redirect) {
            assert!(urls.contains(link.as_str()), "{link} on {}", page.url);
            linked.insert(link);
        }
    }
}

#[test]
fn without_a_chain_nothing_is_saved_and_nothing_is_lost() {
    let crawl = kinds().next().unwrap().crawl(0);
    for by_line in [false, true] {
        let setup = Setup {
            normalize: false,
            predict: false,
            by_line,
            ..Setup::default()
        };
        let score = play(&crawl, &setup).unwrap();
        assert_eq!(score.fetched, crawl.pages.len());
        assert_eq!((score.avoided, score.lost), (0, 0));
    }
}

#[test]
fn what_is_dumped_is_read_back_as_a_log() {
    let crawl = kinds().find(|kind| kind.name == "redirect-clean");
    let crawl = crawl.unwrap().crawl(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.jsonl");
    crawl
        .write_log(std::fs::File::create(&file).unwrap())
        .unwrap();
    let log = nodust_crawler::replay::Log::read(&[&file]).unwrap();
    assert_eq!(log.records().len(), crawl.pages.len());
    assert_eq!(log.starts(), [crawl.pages[0].url.clone()]);
    let moved = log
        .records()
        .iter()
        .filter(|record| record.redirect().is_some());
    assert!(moved.count() > 100);
}
