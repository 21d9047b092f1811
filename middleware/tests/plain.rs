//! Is a raw file a copy of the page that shows it?

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{collections::BTreeSet, fmt::Write as _, sync::Arc, time::Instant};

use nodust_frontier::{
    Chain, FetchedPage, Frontier as _, LocalFrontier, MemoryStore, Outcome, RawUrl, Store, Turn,
    Via, frontier::Open,
};
use nodust_middleware::predict::{Predict, PredictConfig};

/// A text of its own for every number.
fn text(of: u32) -> String {
    let mut text = String::new();
    for i in 0..60u32 {
        let word = xxhash_rust::xxh3::xxh3_64(format!("{of} {i}").as_bytes());
        for letter in word.to_le_bytes() {
            text.push(char::from(b'a' + letter % 26));
        }
        text.push(if i % 10 == 9 { '\n' } else { ' ' });
    }
    let _ = write!(text, "end");
    text
}

/// Crawls 300 files, each with its page, the file itself and that with a session; what was fetched. The process ends now and then.
fn crawl(is_plain: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let open = || {
        LocalFrontier::builder(Chain::new().then(Predict::new(PredictConfig::default())))
            .store(Arc::clone(&store))
            .build()
            .unwrap()
    };
    let (mut frontier, mut fetched) = (open(), BTreeSet::new());
    let root = "http://e.org/".parse().unwrap();
    for file in 0..300 {
        for at in ["view", "raw", "raw?sid="] {
            let (folder, session) = at.split_once('?').unwrap_or((at, ""));
            let mut url = format!("http://e.org/{folder}/f{file}");
            if !session.is_empty() {
                let _ = write!(url, "?{session}{}", file * 7919);
            }
            let link = [RawUrl::new(&url)];
            (frontier.admit(&Via::page(&root), &link, &mut Vec::new())).unwrap();
            while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
                let url = lease.url().as_str().to_owned();
                let text = text(file);
                let page = FetchedPage {
                    status: 200,
                    text: Some(&text),
                    is_plain: is_plain(&url),
                    ..FetchedPage::default()
                };
                frontier
                    .observe(lease, &Outcome::Fetched(page), &mut Vec::new())
                    .unwrap();
                fetched.insert(url);
            }
        }
        if file % 70 == 20 {
            frontier = open();
            assert_eq!(frontier.not_restored(), 0);
        }
    }
    fetched
}

fn count(fetched: &BTreeSet<String>, part: &str, has_session: bool) -> usize {
    let of = |url: &&String| url.contains(part) && url.contains("sid") == has_session;
    fetched.iter().filter(of).count()
}

#[test]
fn it_is_none_and_copies_of_the_file_are() {
    let fetched = crawl(|url| url.contains("/raw/"));
    assert_eq!(count(&fetched, "/view/", false), 300);
    assert_eq!(count(&fetched, "/raw/", false), 300);
    let copies = count(&fetched, "/raw/", true);
    assert!(copies < 200, "{copies}");
}

#[test]
fn where_both_are_pages_the_second_is_a_copy() {
    let fetched = crawl(|_| false);
    let second = count(&fetched, "/raw/", false);
    assert!(second < 200, "{second}");
}
