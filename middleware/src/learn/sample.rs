//! Samples to learn from: URLs whose pages are known.

use std::{
    borrow::Cow,
    collections::hash_map::Entry,
    io::{self, BufRead},
};

use nodust_frontier::{CanonicalUrl, FetchedPage};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::contents::Contents;
use crate::{
    file::{LONGEST_LINE, NextLine, fault_of_line, next_line, object_in, shown},
    rules::without_fragment,
    sign::marked,
};

/// Redirects that are followed from one line of a log to another.
const REDIRECTS: usize = 5;

/// A URL and the name of its page: URLs with one name showed one content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The URL; for learning, its class after static normalization.
    pub url: String,
    /// Name of the content.
    pub cluster: u64,
}

impl Sample {
    /// A sample of a URL, without its fragment, and its cluster's name.
    pub fn new(url: impl Into<String>, cluster: &str) -> Self {
        let mut url = url.into();
        url.truncate(without_fragment(&url).len());
        Self {
            url,
            cluster: xxh3_64(cluster.as_bytes()),
        }
    }
}

#[derive(Deserialize)]
struct Line {
    url: String,
    #[serde(default)]
    cluster: Option<Value>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    content_type: Option<Value>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    redirect_to: Option<String>,
}

/// What a line says about the page behind its URL.
enum Page<'l> {
    Cluster(u64),
    /// Its text, and the name of its words.
    Text(Cow<'l, str>, u64),
    Redirect(String),
    /// No page, or one without words: nothing is known about it.
    Unknown,
}

/// The error for a line that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("line {number}: {source}")]
pub struct Unread {
    /// Its number, from 1.
    pub number: u64,
    /// What the input says.
    pub source: io::Error,
}

/// Samples read from lines of JSON, and how many lines held none.
#[derive(Debug, Default)]
pub struct Samples {
    /// The samples, in the order of the lines. A URL that occurs twice is kept once, with its first cluster.
    pub samples: Vec<Sample>,
    /// Number of lines that are not JSON, have no URL, or name neither cluster nor text.
    pub skipped: u64,
    /// Number of valid lines that tell nothing: failed fetches, pages without text, repeated URLs.
    pub passed_over: u64,
    /// Number of lines that name another `cluster` than an earlier line of their URL, which counts instead. They are not among those
    /// passed over.
    pub contradictions: u64,
    /// The URL of the first such line.
    pub contradicted: Option<String>,
    /// Number of pages that have only text that many others of their site have, too: often one page with a counter on it that was fetched
    /// under very many addresses. Each that differs in a word counts as a content of its own; lines with a `cluster` avoid this.
    pub bare: u64,
}

/// Reads samples from any number of inputs.
///
/// Lines are `{"url","cluster"}`, `{"url","text"}` (texts that a crawl would take for one make one cluster: see
/// [`sign`](crate::sign)), or those of a crawl's log, where failed pages are skipped, and a redirect belongs to the
/// page it leads to.
///
/// ```
/// use nodust_middleware::learn::SampleReader;
///
/// let log = r#"{"url":"http://e.org/a","text":"one page"}
/// {"url":"http://e.org/b","status":301,"redirect_to":"http://e.org/a"}
/// {"url":"http://e.org/c","status":404,"text":"no page"}
/// nonsense"#;
/// let mut reader = SampleReader::default();
/// let mut bad = Vec::new();
/// reader.read(log.as_bytes(), &mut |line, _why| bad.push(line))?;
/// let read = reader.finish();
/// assert_eq!(read.samples.len(), 2);
/// assert_eq!(read.samples[0].cluster, read.samples[1].cluster);
/// assert_eq!((bad, read.passed_over), (vec![4], 1));
/// # Ok::<(), nodust_middleware::learn::Unread>(())
/// ```
#[derive(Debug, Default)]
pub struct SampleReader {
    read: Samples,
    /// Of each URL the cluster, where the line named it.
    known: FxHashMap<u64, Option<u64>>,
    redirects: Vec<(usize, String)>,
    contents: Contents,
}

impl SampleReader {
    /// Reads lines. `on_bad` is called with the number and fault of each invalid one.
    ///
    /// # Errors
    /// If the input cannot be read or breaks off within its last line, with the number of the line; the lines before it
    /// are kept.
    pub fn read(
        &mut self,
        mut lines: impl BufRead,
        on_bad: &mut dyn FnMut(u64, &str),
    ) -> Result<(), Unread> {
        let mut line = Vec::new();
        for number in 1u64.. {
            let next = next_line(&mut lines, &mut line, LONGEST_LINE);
            match next.map_err(|source| Unread { number, source })? {
                NextLine::None => break,
                NextLine::Whole => {}
                NextLine::TooLong => {
                    self.read.skipped += 1;
                    on_bad(number, "the line is too long");
                    continue;
                }
            }
            let text = line.trim_ascii();
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            if text.is_empty() {
                continue;
            }
            let pushed = match object_in(text) {
                Err(error) if error.is_eof() && !line.ends_with(b"\n") => {
                    let source = io::ErrorKind::UnexpectedEof.into();
                    return Err(Unread { number, source });
                }
                Err(error) => Err(fault_of_line(text, &error)),
                Ok(line) => self.push(&line),
            };
            if let Err(why) = pushed {
                self.read.skipped += 1;
                on_bad(number, &why);
            }
        }
        Ok(())
    }

    fn push(&mut self, line: &Line) -> Result<(), String> {
        let page = page_of(line)?;
        let url = line.url.trim();
        let resolved = CanonicalUrl::resolve(url, None)
            .map_err(|error| format!("`{}`: {error}", shown(url)))?;
        if matches!(page, Page::Unknown) {
            self.read.passed_over += 1;
            return Ok(());
        }
        let said = match page {
            Page::Cluster(cluster) => Some(cluster),
            _ => None,
        };
        match self.known.entry(xxh3_64(resolved.as_str().as_bytes())) {
            Entry::Vacant(place) => {
                place.insert(said);
            }
            Entry::Occupied(before) => {
                match (before.get(), said) {
                    (Some(before), Some(now)) if *before != now => {
                        self.read.contradictions += 1;
                        let url = || resolved.as_str().to_owned();
                        self.read.contradicted.get_or_insert_with(url);
                    }
                    _ => self.read.passed_over += 1,
                }
                return Ok(());
            }
        }
        let cluster = match page {
            Page::Unknown => return Ok(()),
            Page::Cluster(cluster) => cluster,
            Page::Text(text, words) => {
                let at = self.read.samples.len();
                self.contents.page(at, resolved.as_url(), &text, words);
                words
            }
            Page::Redirect(target) => {
                self.redirects.push((self.read.samples.len(), target));
                0
            }
        };
        self.read.samples.push(Sample {
            url: without_fragment(url).to_owned(),
            cluster,
        });
        Ok(())
    }

    /// The number of samples read so far.
    pub fn len(&self) -> usize {
        self.read.samples.len()
    }

    /// Whether no sample was read so far.
    pub fn is_empty(&self) -> bool {
        self.read.samples.is_empty()
    }

    /// Returns what was read.
    pub fn finish(mut self) -> Samples {
        let contents = std::mem::take(&mut self.contents);
        self.read.bare = contents.name(&mut self.read.samples);
        if !self.redirects.is_empty() {
            self.follow_redirects();
        }
        self.read
    }

    /// Gives what redirects the content that it leads to.
    fn follow_redirects(&mut self) {
        let samples = &mut self.read.samples;
        let targets: FxHashMap<usize, String> = std::mem::take(&mut self.redirects)
            .into_iter()
            .map(|(at, target)| {
                let base = CanonicalUrl::resolve(&samples[at].url, None).ok();
                let target =
                    CanonicalUrl::resolve(&target, base.as_ref().map(CanonicalUrl::as_url))
                        .map_or(target, |url| url.as_str().to_owned());
                (at, target)
            })
            .collect();
        let by_url: FxHashMap<String, usize> = samples
            .iter()
            .enumerate()
            .rev()
            .filter_map(|(at, s)| {
                let url = CanonicalUrl::resolve(&s.url, None).ok()?;
                Some((url.as_str().to_owned(), at))
            })
            .collect();
        for (start, first) in &targets {
            let mut target = first;
            let mut cluster = None;
            for _ in 0..REDIRECTS {
                let Some(at) = by_url.get(target) else { break };
                let Some(next) = targets.get(at) else {
                    cluster = Some(samples[*at].cluster);
                    break;
                };
                target = next;
            }
            samples[*start].cluster =
                cluster.unwrap_or_else(|| xxh3_64_with_seed(target.as_bytes(), 1));
        }
    }
}

fn page_of(line: &Line) -> Result<Page<'_>, String> {
    let name = match &line.cluster {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(xxh3_64(name.as_bytes())),
        Some(Value::Number(number)) => Some(xxh3_64(number.to_string().as_bytes())),
        Some(_) => return Err("its \"cluster\" is neither text nor a number".to_owned()),
    };
    if let Some(name) = name {
        return Ok(Page::Cluster(name));
    }
    if let Some(target) = line.redirect_to.as_deref().filter(|to| !to.is_empty()) {
        return Ok(Page::Redirect(target.to_owned()));
    }
    if line
        .status
        .is_some_and(|status| !(200..300).contains(&status))
    {
        return Ok(Page::Unknown);
    }
    match &line.text {
        Some(text) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            Ok(if words.is_empty() {
                Page::Unknown
            } else {
                let words = xxh3_64(words.join(" ").as_bytes());
                let media = line.content_type.as_ref().and_then(Value::as_str);
                let is_plain = media.is_some_and(FetchedPage::is_plain_type);
                // A raw file has no words in common with the page that shows it.
                let words = if is_plain { !words } else { words };
                Page::Text(marked(text, is_plain), words)
            })
        }
        // A crawl's log names the status even of pages whose text it does not hold.
        None if line.status.is_some() => Ok(Page::Unknown),
        None => Err("it has neither a \"cluster\" nor a \"text\"".to_owned()),
    }
}

/// Reads one input; lines of another form are counted and skipped.
///
/// # Errors
/// If the input cannot be read, or breaks off within its last line.
///
/// ```
/// let lines = "{\"url\":\"http://e.org/\",\"cluster\":\"a\"}\nnonsense\n";
/// let read = nodust_middleware::learn::read_samples(lines.as_bytes())?;
/// assert_eq!((read.samples.len(), read.skipped), (1, 1));
/// # Ok::<(), nodust_middleware::learn::Unread>(())
/// ```
pub fn read_samples(lines: impl BufRead) -> Result<Samples, Unread> {
    let mut reader = SampleReader::default();
    reader.read(lines, &mut |_, _| {})?;
    Ok(reader.finish())
}

#[cfg(test)]
mod tests {
    use super::{SampleReader, read_samples};

    #[test]
    fn a_raw_file_is_another_page_than_the_one_that_shows_it() {
        let words = "the same words of a file ".repeat(20);
        let line = |url: &str, media: &str| {
            format!(
                "{{\"url\":\"http://e.org/{url}\",\"text\":\"{words}\",\"content_type\":{media}}}\n"
            )
        };
        let lines = [
            line("view/a", "\"text/html; charset=utf-8\""),
            line("raw/a", "\"text/plain\""),
            line("raw/a?s=1", "\"Text/Plain;charset=utf-8\""),
            line("view/a?s=1", "[\"no text\"]"),
        ];
        let read = read_samples(lines.concat().as_bytes()).unwrap();
        assert_eq!((read.samples.len(), read.skipped), (4, 0));
        let of = |at: usize| read.samples[at].cluster;
        assert!(of(0) == of(3) && of(1) == of(2) && of(0) != of(1));
    }

    #[test]
    fn a_url_with_two_clusters_is_told_apart_from_one_that_was_met_before() {
        let lines = r#"
            {"url":"http://e.org/1","cluster":"a"}
            {"url":"http://e.org/1#top","cluster":"a"}
            {"url":"HTTP://e.org:80/1","cluster":"b"}
            {"url":"http://e.org/1","cluster":"c"}
            {"url":"http://e.org/1","text":"words"}
            {"url":"http://e.org/2","text":"words"}
            {"url":"http://e.org/2","text":"others"}"#;
        let read = read_samples(lines.as_bytes()).unwrap();
        assert_eq!((read.samples.len(), read.skipped), (2, 0));
        assert_eq!((read.contradictions, read.passed_over), (2, 3));
        assert_eq!(read.contradicted.as_deref(), Some("http://e.org/1"));
        let first = super::Sample::new("http://e.org/1", "a");
        assert_eq!(read.samples[0], first, "the first word stands");
    }

    #[test]
    fn a_redirect_has_the_page_it_leads_to_however_far() {
        let log = r#"
            {"url":"http://e.org/1","redirect_to":"/2"}
            {"url":"http://e.org/2","redirect_to":"http://e.org/3"}
            {"url":"http://e.org/3","text":"here"}
            {"url":"http://e.org/4","redirect_to":"http://f.org/"}
            {"url":"http://e.org/5","redirect_to":"http://f.org/"}
            {"url":"http://e.org/6","redirect_to":"http://e.org/6"}"#;
        let read = read_samples(log.as_bytes()).unwrap();
        let clusters: Vec<u64> = read.samples.iter().map(|s| s.cluster).collect();
        assert_eq!(clusters[0], clusters[2]);
        assert_eq!(clusters[1], clusters[2]);
        assert_eq!(clusters[3], clusters[4]);
        assert_ne!(clusters[3], clusters[5]);
    }

    #[test]
    fn lines_before_the_one_that_breaks_off_are_kept_and_the_last_line_needs_no_end() {
        let whole = "{\"url\":\"http://e.org/1\",\"text\":\"a\"}\n{\"url\":\"http://e.org/2\",\"text\":\"ä\"}";
        let mut reader = SampleReader::default();
        reader.read(whole.as_bytes(), &mut |_, _| {}).unwrap();
        assert_eq!(reader.len(), 2);
        let first = whole.find('\n').unwrap() + 1;
        for end in first + 1..whole.len() {
            let mut reader = SampleReader::default();
            let read = reader.read(&whole.as_bytes()[..end], &mut |_, _| {});
            assert_eq!(read.unwrap_err().number, 2, "{end}");
            assert_eq!(reader.len(), 1, "{end}");
        }
        for no_record in ["nonsense", "{]", "{\n"] {
            let text = format!("{}{no_record}", &whole[..first]);
            let read = read_samples(text.as_bytes()).unwrap();
            assert_eq!(read.skipped, 1, "{no_record}");
        }
    }

    #[test]
    fn clusters_may_be_named_by_text_or_number_and_win_over_text() {
        let lines = r#"{"url":"http://e.org/1","cluster":7,"text":"a"}
            {"url":"http://e.org/2","cluster":"7","text":"b"}
            {"url":"http://e.org/3","cluster":null,"text":"b"}
            {"url":"http://e.org/3","cluster":"again"}
            {"url":"mailto:me","cluster":"x"}
            {"url":"http://e.org/4","cluster":[]}"#;
        let read = read_samples(lines.as_bytes()).unwrap();
        assert_eq!(read.samples.len(), 3);
        assert_eq!(read.samples[0].cluster, read.samples[1].cluster);
        assert_ne!(read.samples[1].cluster, read.samples[2].cluster);
        assert_eq!((read.skipped, read.passed_over), (2, 1));
    }
}
