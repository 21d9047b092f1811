//! `nodust normalize`: which page is each URL, by the rules of a file?

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use clap::ValueEnum;
use nodust_frontier::CanonicalUrl;
use nodust_middleware::{
    file::{NextLine, next_line},
    rules::{MAX_PASSES, RuleBook, SiteRules, Unsettled},
};
use serde::Serialize;

use super::{check_apart, lists, rules, settings::Output};
use crate::{
    clean::MAX_LINE,
    files::{Sink, is_comment},
    words::counted,
};

/// Print the class of each URL of a list under learned rules, one per line: names of pages, no URLs to fetch
///
/// The class of a URL names its page: URLs with one class are believed to be one page. It is a text to compare by, and
/// may be a URL that the server does not know. To fetch, take the URLs of the list, one of each class (`--format jsonl`
/// has both). Only the rules of the file are applied, to the spelling that would be fetched; `nodust clean --class` shows
/// what static normalization does. Lines that are no URLs are logged with their number and come out unchanged, unless
/// they are too long. Blank lines and comments (lines that begin with `#`) do not come out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        nodust normalize --rules rules.json urls.txt\n  \
        gzip -dc urls.gz | nodust normalize --rules rules.json --format jsonl | jq .rule\n\n\
        One URL to fetch of each page:\n  \
        nodust normalize --rules rules.json --format jsonl urls.txt | \\\n    \
        jq -rs 'unique_by(.class // .input)[].input'")]
pub(super) struct Args {
    /// Rules, as `nodust learn` writes them
    #[arg(long, value_name = "RULES")]
    rules: PathBuf,
    /// The list, `-` for standard input; gzip is unpacked
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Output format; jsonl gives input, class, rule and changed of every line, and `"settled": false` for URLs that their rules never
    /// stop changing, which are left as they are
    #[arg(long, value_enum, default_value = "text")]
    format: FormatName,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    /// Classes, which are not URLs to fetch
    Text,
    /// One JSON object per line
    Jsonl,
}

/// One line of output.
#[derive(Serialize)]
struct Row<'r> {
    input: &'r str,
    /// `null`: the input is no URL.
    class: Option<&'r str>,
    /// The rules that had a hand in it, in order, as one text.
    rule: Option<String>,
    /// Whether a rule changed it.
    changed: bool,
    /// `false`: the rules go on changing it, so that it is left as it is.
    #[serde(skip_serializing_if = "is_true")]
    settled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
const fn is_true(value: &bool) -> bool {
    *value
}

/// The rules that had a hand in a class, as one text.
fn texts(site: &SiteRules, fired: &[usize]) -> String {
    let texts = fired
        .iter()
        .filter_map(|at| Some(site.rule(*at)?.to_string()));
    texts.collect::<Vec<_>>().join(" ; then ")
}

/// URLs that their rules go on changing.
#[derive(Default)]
struct Restless {
    urls: u64,
    /// The first of them, and the rules.
    first: Option<(String, String)>,
}

impl Restless {
    fn note(&mut self, url: &str, rules: impl FnOnce() -> Option<String>) {
        self.urls += 1;
        let first = || (url.to_owned(), rules().unwrap_or_default());
        self.first.get_or_insert_with(first);
    }

    fn tell(&self) {
        if let Some((url, rules)) = &self.first {
            tracing::warn!(
                "{} did not settle in {MAX_PASSES} rounds of rules, so that no rule is applied: first {url} ({rules})",
                counted(self.urls, "URL"),
            );
        }
    }
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        check_apart([&self.file, &self.rules], [&self.output.output])?;
        let book = RuleBook::default();
        rules::read(&self.rules)?.publish_to(&book);
        let in_force = book.read();
        let mut input = lists::open(&self.file, "normalize --rules RULES")?;
        let mut out = Sink::create(&self.output.output)?;
        let mut line = Vec::new();
        let (mut lines, mut changed, mut bad, mut comments) = (0u64, 0u64, 0u64, 0u64);
        let mut restless = Restless::default();
        for number in 1u64.. {
            let found = next_line(&mut input, &mut line, MAX_LINE)?;
            if found == NextLine::None {
                break;
            }
            let octets = line.trim_ascii();
            if octets.is_empty() {
                continue;
            }
            if is_comment(octets) {
                comments += 1;
                continue;
            }
            lines += 1;
            let text = String::from_utf8_lossy(octets);
            let is_utf8 = matches!(text, std::borrow::Cow::Borrowed(_));
            let url = if !is_utf8 {
                Err("the line is no UTF-8".to_owned())
            } else if found == NextLine::Whole {
                CanonicalUrl::resolve(&text, None).map_err(|error| error.to_string())
            } else {
                Err("the line is too long".to_owned())
            };
            let mut row = Row {
                input: &text,
                class: None,
                rule: None,
                changed: false,
                settled: true,
                error: None,
            };
            let canon;
            match &url {
                Err(error) => {
                    bad += 1;
                    tracing::warn!(line = number, "no URL: {error}");
                    row.error = Some(error.clone());
                }
                Ok(url) => {
                    let host = url.host().as_str();
                    row.class = Some(url.as_str());
                    let site = in_force.site(host);
                    canon = site.map_or(Ok(None), |site| site.try_canon(url.as_str()));
                    match &canon {
                        Ok(None) => {}
                        Ok(Some(canon)) => {
                            row.rule = site.map(|site| texts(site, &canon.fired));
                            row.class = Some(&canon.class);
                            row.changed = true;
                            changed += 1;
                        }
                        Err(Unsettled { fired }) => {
                            row.settled = false;
                            let rules = || site.map(|site| texts(site, fired));
                            restless.note(url.as_str(), rules);
                        }
                    }
                }
            }
            match self.format {
                FormatName::Text => {
                    out.write_all(row.class.map_or(octets, str::as_bytes))?;
                    out.write_all(b"\n")?;
                }
                FormatName::Jsonl => {
                    serde_json::to_writer(&mut out, &row).map_err(io::Error::from)?;
                    out.write_all(b"\n")?;
                }
            }
        }
        out.finish()?;
        restless.tell();
        tracing::info!(lines, changed, bad, comments, "normalized");
        Ok(())
    }
}
