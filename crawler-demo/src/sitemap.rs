//! Reads sitemaps: the pages that a site itself lists.
//!
//! Files are those of sitemaps.org that robots.txt names: lists and indexes, as XML or as text, gzipped or not. Of
//! files that break off or are too large, what could be read counts.
//!
//! ```
//! let file = b"<urlset><url><loc> http://e.org/?a=1&amp;b=2 </loc></url></urlset>";
//! let listed = nodust_crawler::sitemap::read(file);
//! assert_eq!(listed.pages, ["http://e.org/?a=1&b=2"]);
//! assert!(listed.sitemaps.is_empty());
//! ```

use std::{
    collections::{HashSet, VecDeque},
    io::Read,
    sync::Arc,
    time::Duration,
};

use nodust_frontier::{CanonicalUrl, HostKey};
use quick_xml::{Reader, events::Event};
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    CrawlError,
    crawl::{Place, Shared, Unread},
    fetch::{Answer, Want},
    politeness::is_for_good,
    robots::{Answered, Lookup},
};

/// Octets of a file after decompression (sitemaps.org: 50 MB).
const MAX_BYTES: usize = 50 * 1024 * 1024;
/// Pages of a file (sitemaps.org: 50,000).
const MAX_PAGES: usize = 50_000;
/// Pages that are offered to the frontier at once.
const AT_ONCE: usize = 1000;

/// When to look again whether a page may be fetched after all.
const SOON: Duration = Duration::from_millis(100);

/// What a sitemap file lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Pages.
    pub pages: Vec<String>,
    /// Further files.
    pub sitemaps: Vec<String>,
    /// Number of pages and files beyond those that one file may list.
    pub left_out: u64,
    /// Whether the file is larger than what is read of one.
    pub is_cut: bool,
    /// Whether the file is not XML from some place on: the rest was not read.
    pub is_broken: bool,
}

/// Reads a file.
pub fn read(body: &[u8]) -> Listed {
    let mut unpacked = Vec::new();
    let body = if body.starts_with(&[0x1f, 0x8b]) {
        let decoder = flate2::read::MultiGzDecoder::new(body);
        // What comes before an error or the limit counts.
        let _ = decoder.take(MAX_BYTES as u64).read_to_end(&mut unpacked);
        &unpacked[..]
    } else {
        body
    };
    let text = crate::charset::decode(body, None);
    let text = text.trim_start();
    let listed = if text.starts_with('<') {
        read_xml(text)
    } else {
        read_text(text)
    };
    Listed {
        is_cut: body.len() >= MAX_BYTES,
        ..listed
    }
}

fn read_text(text: &str) -> Listed {
    let mut pages = (text.lines().map(str::trim))
        .filter(|line| line.starts_with("http://") || line.starts_with("https://"));
    Listed {
        pages: pages.by_ref().take(MAX_PAGES).map(str::to_owned).collect(),
        left_out: pages.count() as u64,
        ..Listed::default()
    }
}

fn read_xml(text: &str) -> Listed {
    let mut listed = Listed::default();
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    // An `&` that stands for itself is common in addresses.
    reader.config_mut().allow_dangling_amp = true;
    // Of images and videos, which have names of their own, only the pages that show them are listed.
    let mut prefix: Option<String> = None;
    // Whether the element around `<loc>` is `<sitemap>`, and the text of a `<loc>` that is open.
    let mut in_sitemap = false;
    let mut loc: Option<String> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let name = tag.name();
                let (own, name) = name.as_ref().split_once(':').unwrap_or(("", name.as_ref()));
                if *own != **prefix.get_or_insert_with(|| own.to_owned()) {
                    continue;
                }
                match name {
                    "sitemap" => in_sitemap = true,
                    "url" => in_sitemap = false,
                    "loc" => loc = Some(String::new()),
                    _ => {}
                }
            }
            Ok(Event::End(tag)) if tag.local_name().as_ref() == "loc" => {
                let Some(url) = loc.take() else { continue };
                let url = url.trim().to_owned();
                if url.is_empty() {
                    continue;
                }
                let list = if in_sitemap {
                    &mut listed.sitemaps
                } else {
                    &mut listed.pages
                };
                if list.len() < MAX_PAGES {
                    list.push(url);
                } else {
                    listed.left_out += 1;
                }
            }
            Ok(Event::Text(text)) => {
                if let Some(loc) = &mut loc {
                    loc.push_str(&text);
                }
            }
            Ok(Event::CData(text)) => {
                if let Some(loc) = &mut loc {
                    loc.push_str(&text);
                }
            }
            Ok(Event::GeneralRef(entity)) => {
                if let Some(loc) = &mut loc {
                    push_reference(&entity, loc);
                }
            }
            Ok(Event::Eof) => return listed,
            Err(_) => {
                return Listed {
                    is_broken: true,
                    ..listed
                };
            }
            Ok(_) => {}
        }
    }
}

/// Adds what a reference stands for. One that is unknown is none, but an `&` that should have been escaped (`?a=1&b=2;c=3`), and what comes behind it.
fn push_reference(entity: &quick_xml::events::BytesRef<'_>, text: &mut String) {
    if let Ok(Some(character)) = entity.resolve_char_ref() {
        text.push(character);
        return;
    }
    match &**entity {
        "amp" => text.push('&'),
        "lt" => text.push('<'),
        "gt" => text.push('>'),
        "quot" => text.push('"'),
        "apos" => text.push('\''),
        unknown => text.extend(["&", unknown, ";"]),
    }
}

/// Reads the sitemaps of a site one after the other, as politely as anything else, and offers what they
/// list to the frontier. Files on other hosts are left out. Nothing is read any more once no page may be
/// fetched: when the crawl goes on, it begins with these sitemaps again, as it does where one was not to be had for now.
pub(crate) async fn crawl(shared: &Shared, unread: Unread) -> Result<(), CrawlError> {
    let Unread { page, files } = unread;
    let host = &page.host().clone();
    let files = match files {
        Some(files) => files,
        None => match named(shared, &page).await {
            Some(files) => files,
            None => return Ok(()),
        },
    };
    let mut met = HashSet::new();
    // Those that a file names come after all that were named before: an index of hundreds does not keep others from being read.
    let mut waiting = VecDeque::from(files);
    let mut lacks_one = false;
    while let Some(file) = waiting.pop_front() {
        if met.len() >= shared.config.max_sitemaps {
            tracing::warn!(
                "{host} has more sitemaps than the {} that are read (max_sitemaps): {file} and at least {} more are left out",
                met.len(),
                waiting.len()
            );
            break;
        }
        let Ok(file) = CanonicalUrl::resolve(&file, Some(page.as_url())) else {
            continue;
        };
        if file.host() != host || !met.insert(file.as_str().to_owned()) {
            continue;
        }
        let listed = match fetch(shared, host, &file).await? {
            File::Read(listed) => listed,
            File::NotNow => {
                lacks_one = true;
                continue;
            }
            File::NoMore => return Ok(()),
        };
        if listed.left_out > 0 {
            tracing::warn!(
                "{file} lists more than the {MAX_PAGES} that a sitemap may: {} beyond are left out",
                listed.left_out
            );
            shared.count(|counters| &counters.links_over_limit, listed.left_out);
        }
        if listed.is_broken {
            tracing::warn!(
                "{file} breaks off, or is not XML from some place on: the rest was not read"
            );
        }
        if listed.is_cut {
            tracing::warn!(
                "{file} is larger than the {} MiB that are read of a sitemap: the rest is left out",
                MAX_BYTES >> 20
            );
        }
        let mut pages = listed.pages.into_iter().peekable();
        while pages.peek().is_some() {
            let some: Vec<String> = pages.by_ref().take(AT_ONCE).collect();
            shared.border.admit(Some(file.clone()), some).await?;
            shared.wake.notify_one();
        }
        waiting.extend(listed.sitemaps.into_iter().take(shared.config.max_sitemaps));
    }
    if lacks_one {
        return Ok(());
    }
    shared.border.forget_sitemaps(page).await
}

/// The sitemaps that robots.txt names, of a host of which an earlier run was told; `None`: it is not to be had, or who asked for it here
/// sees to them.
async fn named(shared: &Shared, page: &CanonicalUrl) -> Option<Vec<String>> {
    let host = page.host();
    let lookup = loop {
        let lookup = look_up(shared, page).await?;
        let Answered::NotItsTurn(wait) = lookup.answered else {
            break lookup;
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = shared.stop.cancelled() => return None,
        }
    };
    match lookup.answered {
        // Who asked here has said so.
        Answered::Rules(rules) if !lookup.asked && !rules.sitemaps().is_empty() => None,
        Answered::Rules(rules) => {
            if let Some(delay) = rules.crawl_delay() {
                shared.politeness.crawl_delay(host, delay);
            }
            Some(rules.sitemaps().to_vec())
        }
        Answered::Later(wait) => {
            if lookup.asked {
                let why = "its robots.txt is not to be had";
                shared.politeness.refused(host, Some(wait), why);
            }
            None
        }
        Answered::GivenUp(_) | Answered::NotItsTurn(_) => None,
    }
}

/// What is known of the host's robots.txt; `None` where the host may not be asked any more.
async fn look_up(shared: &Shared, page: &CanonicalUrl) -> Option<Lookup> {
    let host = page.host();
    let place = Place::new(shared, Some(place(shared, host).await?));
    let lookup = (place.unless_silent(shared.robots.lookup(page.as_url()))).await;
    if !lookup.waited {
        shared.politeness.unused(host);
    }
    shared.politeness.other_returned(host);
    drop(place);
    shared.wake.notify_one();
    Some(lookup)
}

/// What came of a file.
enum File {
    Read(Listed),
    /// It is not to be had, and may be another day.
    NotNow,
    /// No more are to be read.
    NoMore,
}

/// One file, asked for as often as a page is.
async fn fetch(shared: &Shared, host: &HostKey, file: &CanonicalUrl) -> Result<File, CrawlError> {
    for attempt in 0.. {
        let Some(place) = place(shared, host).await else {
            return Ok(File::NoMore);
        };
        shared.count(|counters| &counters.sitemap_requests, 1);
        let place = Place::new(shared, Some(place));
        let url = file.as_url();
        let asked = (shared.fetcher).get(url, Want::Beginning, MAX_BYTES, place.answers());
        let answer = tokio::select! {
            answer = place.unless_silent(asked) => Some(answer),
            () = shared.stop.cancelled() => None,
        };
        shared.politeness.answered(host);
        shared.politeness.other_returned(host);
        let why = match answer {
            None => return Ok(File::NoMore),
            Some(Ok(answer)) if answer.is_success() => {
                // The place is kept until the file is read: it stands for the memory, too.
                let listed = shared.border.run(move |_| Ok(read(&answer.body))).await?;
                drop(place);
                shared.wake.notify_one();
                return Ok(File::Read(listed));
            }
            Some(Ok(answer)) if answer.is_redirect() => {
                return Ok(File::Read(redirected(&answer, file, host)));
            }
            Some(Ok(answer)) => {
                let asked = answer.retry_after.as_deref();
                // However often it is tried, it is one refusal.
                if attempt == 0 || asked.is_some() {
                    shared.politeness.refused_by(host, answer.status, asked);
                }
                let why = format!("status {}", answer.status);
                if !answer.may_pass() {
                    tracing::info!("sitemap {file} is not to be had: {why}");
                    return Ok(File::Read(Listed::default()));
                }
                why
            }
            Some(Err(error)) if error.worth_retrying => error.to_string(),
            Some(Err(error)) => {
                tracing::info!("sitemap {file} is not to be had: {error}");
                return Ok(File::Read(Listed::default()));
            }
        };
        drop(place);
        shared.wake.notify_one();
        if attempt >= shared.config.max_retries {
            tracing::warn!(
                "sitemap {file} is not to be had for now: {why}; a later run on the store asks for it again"
            );
            break;
        }
        tracing::info!("sitemap {file} is not to be had for now: {why}");
        tokio::select! {
            () = tokio::time::sleep(shared.config.retry_wait(attempt)) => {}
            () = shared.stop.cancelled() => return Ok(File::NoMore),
        }
    }
    Ok(File::NotNow)
}

/// What a file lists that stands elsewhere: that place, if it is on its host.
fn redirected(answer: &Answer, file: &CanonicalUrl, host: &HostKey) -> Listed {
    let location = answer.location.as_deref().unwrap_or_default();
    let target = CanonicalUrl::resolve(location, Some(file.as_url()));
    let left = match &target {
        Ok(target) if target.host() == host => "",
        _ => ", which is left: it is not on this host",
    };
    tracing::info!("sitemap {file} leads to {location}{left}");
    Listed {
        sitemaps: target.iter().map(|to| to.as_str().to_owned()).collect(),
        ..Listed::default()
    }
}

/// Waits until the host may be asked and one of the crawl's places is free, and takes both; `None` when
/// no more are to be read. Nobody waits for the one while holding the other.
async fn place(shared: &Shared, host: &HostKey) -> Option<OwnedSemaphorePermit> {
    loop {
        if shared.is_used_up() {
            tracing::info!("the sitemaps of {host} are left: no page may be fetched any more");
            return None;
        }
        let place = tokio::select! {
            place = Arc::clone(&shared.places).acquire_owned() => place.ok()?,
            () = shared.stop.cancelled() => return None,
        };
        let wait = match shared.politeness.check_other(host) {
            // Pages under way may turn out to be none, and give their share of the budget back.
            Ok(()) if shared.has_budget() => return Some(place),
            Ok(()) => {
                shared.politeness.unused(host);
                shared.politeness.other_returned(host);
                SOON
            }
            Err(wait) if is_for_good(wait) => return None,
            Err(wait) => wait,
        };
        drop(place);
        shared.wake.notify_one();
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = shared.stop.cancelled() => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_index_names_files_and_a_list_names_pages() {
        let index = b"<?xml version='1.0'?><sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
            <sitemap><loc>http://e.org/1.xml.gz</loc><lastmod>2020</lastmod></sitemap></sitemapindex>";
        assert_eq!(read(index).sitemaps, ["http://e.org/1.xml.gz"]);
        let list = b"\xef\xbb\xbf <urlset><url><loc><![CDATA[http://e.org/a]]></loc></url>\
            <url><loc>http://e.org/b</loc><image:image><image:loc>/i.png</image:loc></image:image></url></urlset>";
        assert_eq!(read(list).pages, ["http://e.org/a", "http://e.org/b"]);
        let named = b"<s:urlset xmlns:s='x'><s:url><s:loc>http://e.org/a</s:loc><loc>/b</loc></s:url></s:urlset>";
        assert_eq!(read(named).pages, ["http://e.org/a"]);
    }

    #[test]
    fn an_ampersand_that_stands_for_itself_is_read_as_one() {
        let list = b"<urlset><url><loc>http://e.org/?a=1&b=2</loc></url><url><loc>http://e.org/?b&</loc></url>\
            <url><loc>http://e.org/3&amp;4</loc></url><url><loc>http://e.org/?a&b=2;c=AT&T;d</loc></url></urlset>";
        let listed = read(list);
        assert_eq!(
            listed.pages,
            [
                "http://e.org/?a=1&b=2",
                "http://e.org/?b&",
                "http://e.org/3&4",
                "http://e.org/?a&b=2;c=AT&T;d"
            ]
        );
        assert!(!listed.is_broken);
    }

    #[test]
    fn gzipped_text_and_broken_files_are_read() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder
            .write_all(b"http://e.org/1\nnonsense\nhttps://e.org/2\r\n")
            .unwrap();
        let file = encoder.finish().unwrap();
        assert_eq!(read(&file).pages, ["http://e.org/1", "https://e.org/2"]);
        let broken = b"<urlset><url><loc>http://e.org/1</loc></url><url><loc>http://e.org/2<";
        let listed = read(broken);
        assert_eq!(listed.pages, ["http://e.org/1"]);
        assert!(listed.is_broken);
    }

    #[test]
    fn what_a_file_lists_beyond_its_bound_is_counted() {
        let page = |n: usize| format!("<url><loc>http://e.org/{n}</loc></url>");
        let list = (0..MAX_PAGES + 7).map(page).collect::<String>();
        let listed = read(format!("<urlset>{list}</urlset>").as_bytes());
        assert_eq!((listed.pages.len(), listed.left_out), (MAX_PAGES, 7));
        let text = (0..MAX_PAGES + 5).map(|n| format!("http://e.org/{n}\n"));
        let listed = read(text.collect::<String>().as_bytes());
        assert_eq!((listed.pages.len(), listed.left_out), (MAX_PAGES, 5));
    }

    #[test]
    fn a_gzip_bomb_is_read_up_to_the_limit() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let blank = vec![b' '; 1 << 20];
        for _ in 0..200 {
            encoder.write_all(&blank).unwrap();
        }
        let listed = read(&encoder.finish().unwrap());
        assert!(listed.pages.is_empty() && listed.is_cut);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_octets_make_it_panic(body in "(<(/?(url|loc|sitemap|urlset))>|&[a-z#0-9]{0,4};?|.){0,30}") {
            let _ = read(body.as_bytes());
        }
    }
}
