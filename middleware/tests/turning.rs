//! Is a page told from its copies where lines change at each answer?

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as loudly as the tests do"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Instant,
};

use nodust_frontier::{
    Chain, FetchedPage, Frontier as _, LocalFrontier, MemoryStore, Outcome, RawUrl, Store, Turn,
    Via, frontier::Open,
};
use nodust_middleware::predict::{Predict, PredictConfig};

/// Words that nothing else has.
fn words(of: &str, count: usize) -> String {
    let word = |n: usize| {
        let hash = xxhash_rust::xxh3::xxh3_64(format!("{of} {n}").as_bytes());
        let letters = hash
            .to_le_bytes()
            .map(|octet| char::from(b'a' + octet % 26));
        letters.iter().collect::<String>()
    };
    (0..count).map(word).collect::<Vec<_>>().join(" ")
}

fn text(url: &str) -> String {
    let lines: Vec<String> = (0..8)
        .map(|line| words(&format!("{url}/{line}"), 9))
        .collect();
    lines.join("\n")
}

/// What a crawl came to.
#[derive(Debug, Default, PartialEq)]
struct Crawled {
    contents: BTreeSet<String>,
    fetched: usize,
    refetched: usize,
}

/// Offers each of these URLs and fetches what is wanted; `page` makes the text of a content in the answer of this number. The process ends now
/// and then.
fn crawl(
    urls: &[(String, String)],
    refetch: bool,
    page: impl Fn(&str, usize) -> String,
) -> Crawled {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let open = || {
        let config = PredictConfig {
            refetch,
            ..PredictConfig::default()
        };
        LocalFrontier::builder(Chain::new().then(Predict::new(config)))
            .store(Arc::clone(&store))
            .build()
            .unwrap()
    };
    let contents: BTreeMap<&String, &String> =
        urls.iter().map(|(url, content)| (url, content)).collect();
    let root = "http://e.org/".parse().unwrap();
    let (mut frontier, mut crawled, mut answers) = (open(), Crawled::default(), 0);
    for (number, (url, _)) in urls.iter().enumerate() {
        let link = [RawUrl::new(url)];
        (frontier.admit(&Via::page(&root), &link, &mut Vec::new())).unwrap();
        while let Turn::Fetch(lease) = frontier.lease(Instant::now(), &Open).unwrap() {
            let content = contents[&lease.url().as_str().to_owned()];
            let mut answer = || {
                answers += 1;
                page(content, answers)
            };
            let first = answer();
            let second = frontier.wants_refetch(&lease).then(&mut answer);
            crawled.fetched += 1;
            crawled.refetched += usize::from(second.is_some());
            crawled.contents.insert(content.clone());
            let page = FetchedPage {
                status: 200,
                text: Some(&first),
                refetched: second.as_deref(),
                ..FetchedPage::default()
            };
            (frontier.observe(lease, &Outcome::Fetched(page), &mut Vec::new())).unwrap();
        }
        if number % 400 == 90 {
            frontier = open();
            assert_eq!(frontier.not_restored(), 0);
        }
    }
    assert_eq!(frontier.totals().total.refetched, crawled.refetched as u64);
    crawled
}

/// 600 articles, each with three sessions more.
fn articles() -> Vec<(String, String)> {
    let all = (0..600).flat_map(|n| {
        (0..4).map(move |visit| {
            let url = format!("http://e.org/news/{n}");
            let session = if visit == 0 {
                String::new()
            } else {
                format!("?sid={}", words(&format!("{n} {visit}"), 1))
            };
            (url.clone() + &session, url)
        })
    });
    all.collect()
}

fn with_headline(content: &str, answer: usize) -> String {
    let (title, headline) = (words(content, 3), words(&format!("headline {answer}"), 6));
    format!(
        "Home\nNews\n{title}\n{}\nJust in\n{headline}\nImprint",
        text(content)
    )
}

#[test]
fn copies_beside_a_line_that_is_another_each_time_are_found_by_fetching_few_pages_twice() {
    let found = crawl(&articles(), true, with_headline);
    assert_eq!(found.contents.len(), 600);
    assert!(found.refetched < 30, "{}", found.refetched);
    assert!(found.fetched < 900, "{}", found.fetched);
    let without = crawl(&articles(), false, with_headline);
    assert_eq!(without.refetched, 0);
    assert!(without.fetched > 2000, "{}", without.fetched);
}

#[test]
fn a_line_without_a_heading_turns_too() {
    let page = |content: &str, answer| with_headline(content, answer).replace("Just in\n", "");
    let found = crawl(&articles(), true, page);
    assert_eq!(found.contents.len(), 600);
    assert!(found.fetched < 900, "{}", found.fetched);
}

/// URLs of a pattern in which `N` and `V` stand for numbers, four for each `N`, each with a content of its own.
fn variants(products: usize, pattern: &str) -> Vec<(String, String)> {
    let url = |n: usize, v: usize| {
        let path = pattern
            .replace('N', &n.to_string())
            .replace('V', &v.to_string());
        format!("http://e.org/{path}")
    };
    let all = (0..products).flat_map(|n| (0..4).map(move |v| (n, v)));
    all.map(|(n, v)| (url(n, v), url(n, v))).collect()
}

/// What four variants have in common.
fn product(content: &str) -> &str {
    content
        .rsplit_once("v=")
        .map_or(content, |(product, _)| product)
}

/// Crawls pages of which each is a content, and answers those that are lost.
fn lost(urls: &[(String, String)], page: impl Fn(&str, usize) -> String) -> usize {
    let contents: BTreeSet<&String> = urls.iter().map(|(_, content)| content).collect();
    let found = crawl(urls, true, page);
    assert!(found.refetched > 0);
    contents.len() - found.contents.len()
}

fn ad(answer: usize) -> String {
    words(&format!("ad {answer}"), 6)
}

#[test]
fn what_tells_variants_apart_is_not_left_out_below_an_advertisement() {
    let urls = variants(400, "shop/N?v=V");
    // Twice, so that it is no end; rows that are alike, too.
    let twice = |content: &str, answer| {
        let (ad, title, text) = (ad(answer), words(content, 6), text(product(content)));
        format!("Home\nNews\n{ad}\n{title}\n{title}\nDescription\n{text}\nImprint")
    };
    assert_eq!(lost(&urls, twice), 0);
    let rows = |content: &str, answer| {
        let kinds = ["yes it is", "not at all", "maybe so", "nobody can tell"];
        let row = |row| kinds[words(&format!("{content} {row}"), 1).as_bytes()[0] as usize % 4];
        let rows: Vec<&str> = (0..20).map(row).collect();
        let (ad, rows, text) = (ad(answer), rows.join("\n"), text(product(content)));
        format!("Home\nNews\n{ad}\n{rows}\nAbout\n{text}\nImprint")
    };
    assert_eq!(lost(&urls, rows), 0);
}

#[test]
fn an_advertisement_that_ends_does_not_take_with_it_what_stands_in_its_place() {
    let urls = variants(800, "shop/N?v=V");
    let page = |content: &str, answer| {
        let ad = if answer < 1600 {
            ad(answer) + "\n"
        } else {
            String::new()
        };
        let (title, text) = (words(content, 6), text(product(content)));
        format!("Home\nNews\n{ad}{title}\n{text}\nImprint")
    };
    assert_eq!(lost(&urls, page), 0);
}

#[test]
fn a_second_answer_that_is_another_page_teaches_nothing() {
    let urls = variants(400, "shop/N?v=V");
    // Each page comes in one of two languages.
    let page = |content: &str, answer| {
        let language = format!("{} {}", product(content), answer % 2);
        let (title, text) = (words(content, 6), text(&language));
        format!("Home\nNews\n{title}\n{text}\nImprint")
    };
    assert_eq!(lost(&urls, page), 0);
}

#[test]
fn pages_of_one_script_are_told_by_the_word_that_chooses_them() {
    let mut urls: Vec<(String, String)> = (0..2000)
        .map(|n| format!("http://e.org/index.php?page=news&id={n}"))
        .map(|url| (url.clone(), url))
        .collect();
    for (at, variant) in variants(45, "index.php?page=shop&id=N&v=V")
        .into_iter()
        .enumerate()
    {
        urls.insert((at + 1) * 11, variant);
    }
    let page = |content: &str, answer| {
        let below = if content.contains("=shop") {
            words(content, 6)
        } else {
            ad(answer)
        };
        let text = text(product(content));
        format!("Home\nNews\n{text}\nJust in\n{below}\nImprint")
    };
    assert_eq!(lost(&urls, page), 0);
}

#[test]
fn what_tells_variants_apart_is_not_left_out_though_headlines_stand_in_the_same_place() {
    // News have a headline where products have the designation by which alone their variants differ.
    let mut urls = articles();
    for n in 0..400 {
        for variant in 0..4 {
            let name = format!("http://e.org/shop/{n}?v={variant}");
            let at = urls.len() * (n * 4 + variant) / 1600;
            urls.insert(at, (name.clone(), name));
        }
    }
    let found = crawl(&urls, true, |content, answer| {
        let Some((product, _)) = content.split_once("?v=") else {
            return with_headline(content, answer);
        };
        let designation = words(content, 6);
        format!(
            "Home\nNews\n{}\n{}\nJust in\n{designation}\nImprint",
            words(product, 3),
            text(product)
        )
    });
    let variants = found
        .contents
        .iter()
        .filter(|content| content.contains("?v="));
    assert_eq!(variants.count(), 1600);
}
