//! Languages in the first folder of a path, with pages that were not translated.

use super::aliases::{see, text};
use crate::predict::site::*;

fn post(language: &str, n: u64) -> String {
    format!("http://e.org{language}/posts/post{n}/index.src.html")
}

/// Fetches a page and its copies in other languages, but for those that would be left out; whether any would.
fn fetch(site: &mut Site, languages: &[&str], n: u64) -> Vec<bool> {
    let fetch = |language: &&str| {
        let url = post(language, n);
        let is_known = site.predict(&url).is_some();
        if !is_known {
            see(site, &url, &text(n));
        }
        is_known
    };
    languages.iter().map(fetch).collect()
}

#[test]
fn lists_that_cannot_be_told_do_not_speak_for_other_files() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let is_learned = (0..200).any(|n| {
        if n % 2 == 0 {
            // A list in the other language has words of its own: it is neither another list nor the same.
            let list = text(10_000 + n) + &text(20_000 + n);
            let other = list.replacen('\n', "weiter\n", 2);
            see(&mut site, &format!("http://e.org/index-{n}.html"), &list);
            see(
                &mut site,
                &format!("http://e.org/de/index-{n}.html"),
                &other,
            );
        }
        fetch(&mut site, &["", "/de"], n)[1]
    });
    assert!(is_learned);
    let list = format!("http://e.org/de/index-{}.html", 300);
    see(&mut site, "http://e.org/index-300.html", &text(10_300));
    assert!(
        site.predict(&list).is_none(),
        "it could not be told of lists"
    );
}

#[test]
fn each_of_few_languages_is_an_alias() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    let last = (0..300)
        .map(|n| fetch(&mut site, &["", "/de", "/fr"], n))
        .last();
    assert_eq!(last, Some(vec![false, true, true]));
}

#[test]
fn a_folder_that_does_not_matter_goes_once() {
    let mut site = Site::new("e.org", &PredictConfig::default());
    // Too many languages for each to be an alias of its own.
    let languages: Vec<String> = (b'a'..=b'l')
        .map(|c| format!("/x{}", char::from(c)))
        .collect();
    for n in 0..200 {
        let language = &languages[n as usize % languages.len()];
        fetch(&mut site, &["", language], n);
    }
    see(&mut site, &post("", 500), &text(500));
    let mut beliefs = Vec::new();
    site.records(&mut |belief| beliefs.push((belief.text, belief.standing)));
    for language in &languages {
        assert!(site.predict(&post(language, 500)).is_some(), "{beliefs:?}");
        assert!(site.predict(&post(language, 501)).is_none(), "{beliefs:?}");
    }
}
