//! Records what was fetched and what was decided, one JSON line each, in order.
//!
//! Lines are written whole, so that a killed crawl leaves whole lines. A line that was torn all the same (by a full
//! disk, say) is cut off, with a warning, when the file is opened to go on.
//!
//! What holds after a kill, and when the crawl goes on with the same store and files:
//!
//! - A page's lines are written before the page is committed. A plain file misses no line of what was
//!   committed, neither in the log nor among the decisions.
//! - Lines of pages that were under way may be there already. Those pages are fetched again and their
//!   lines come once more: several log lines of one URL are one fetch that counts (a replay takes the
//!   first), and equal decisions about one URL and `via` are one decision.
//! - A file of decisions has a line `{"url": "", "decision": "resume"}` (with `null` for the rest) where a run went on,
//!   so that a reader can tell. Repeats of lines before it come only after it.
//! - A file whose name ends in `.gz` is a sequence of gzip members, each of whole lines: after a kill, up to 256 KiB of
//!   lines of the last second are missing. If you need every line, write a plain file.
//! - The crawl reports how many of the pages that earlier runs fetched are missing in its log: after a kill, after runs
//!   without the log, and if the file is gone and begins anew.
//! - All lines of a log are read when a crawl goes on. Damaged ones are reported, with their numbers, and stay as they
//!   are.
//! - A crash of the machine, unlike a kill, can lose what the system had not yet put on disk.

mod before;
mod begin;
mod claim;
mod lines;

use std::io;

use nodust_frontier::{Admitted, DecisionSink, Dropped, Prediction};
use serde::Serialize;
use sha1::{Digest, Sha1};

pub use before::{Before, Damaged};
pub use begin::Kind;
pub use claim::{Claim, OpenError};
pub use lines::{LineFile, Resumed, is_gzip};

/// A fetched URL, as the log has it.
#[derive(Debug, Serialize)]
pub struct Fetch<'p> {
    /// What was fetched.
    pub url: &'p str,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: &'p str,
    /// Title of the page.
    pub title: &'p str,
    /// SHA-1 of the body after decompression.
    pub sha1_body: String,
    /// SHA-1 of the whole visible text.
    pub sha1_text: String,
    /// Visible text, cut to the length that the configuration says.
    pub text: &'p str,
    /// The text of a second answer, if one was wanted to learn which lines change each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refetched: Option<&'p str>,
    /// Absolute links in document order, each once, without fragment.
    pub links: &'p [String],
    /// Those links that ask not to be followed, or whose page does (`nofollow`).
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub nofollow: &'p [String],
    /// `rel=canonical`: absolute if it comes from a header or from a page with `<base href>`, otherwise as sent.
    pub canonical: Option<&'p str>,
    /// Target of a redirect, absolute.
    pub redirect_to: Option<&'p str>,
    /// Number of links between its seed and it.
    pub depth: u16,
    /// The first page that it was found on, or the sitemap. There is none for seeds, for links that came back from the
    /// ledger, for links that waited while the crawl was stopped, and for links found while very many (a quarter of a
    /// million) waited.
    #[serde(rename = "ref")]
    pub referer: Option<&'p str>,
    /// Octets of the body after decompression.
    pub bytes: u64,
}

/// SHA-1 in hexadecimal digits.
pub fn sha1_hex(octets: &[u8]) -> String {
    use std::fmt::Write as _;
    let digest = Sha1::digest(octets);
    digest
        .iter()
        .fold(String::with_capacity(40), |mut hex, octet| {
            let _ = write!(hex, "{octet:02x}");
            hex
        })
}

/// The decision in the line that marks where a run went on.
pub const RESUME: &str = "resume";

#[derive(Serialize)]
struct DecisionLine<'d> {
    url: &'d str,
    decision: &'static str,
    stage: Option<&'d str>,
    reason: Option<&'d str>,
    rule: Option<String>,
    via: Option<&'d str>,
}

/// Writes decisions to a file, or nowhere.
#[derive(Debug, Default)]
pub struct Decisions {
    file: Option<LineFile>,
}

impl Decisions {
    /// Writes decisions to this file, if there is one.
    pub fn new(file: Option<LineFile>) -> Self {
        Self { file }
    }

    /// Notes that a crawl that was stopped or killed goes on here.
    pub fn resumed(&self) {
        let Some(file) = &self.file else { return };
        file.line(&DecisionLine {
            url: "",
            decision: RESUME,
            stage: None,
            reason: None,
            rule: None,
            via: None,
        });
    }

    /// The file.
    pub fn file(&self) -> Option<&LineFile> {
        self.file.as_ref()
    }
}

impl DecisionSink for Decisions {
    fn fetched(&self, url: &Admitted, probe: Option<Prediction>) {
        let Some(file) = &self.file else { return };
        file.line(&DecisionLine {
            url: url.url.as_str(),
            decision: if probe.is_some() { "explore" } else { "fetch" },
            stage: None,
            reason: probe.is_some().then_some("exploration"),
            rule: probe.map(|p| p.belief.to_string()),
            via: None,
        });
    }

    fn dropped(&self, url: &str, dropped: &Dropped, via: Option<&str>) {
        let Some(file) = &self.file else { return };
        let reason = &dropped.reason;
        file.line(&DecisionLine {
            url,
            decision: "drop",
            stage: Some(dropped.stage),
            reason: Some(reason.code()),
            rule: reason
                .rule()
                .map(ToString::to_string)
                .or_else(|| reason.belief().map(|belief| belief.to_string())),
            via,
        });
    }

    fn before_commit(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), LineFile::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_on_disk_before_what_they_tell_is_committed() {
        use nodust_frontier::{
            Chain, DropReason, Dropped, Frontier as _, LocalFrontier, RawUrl, Verdict, Via,
        };
        use std::{
            fs::read_to_string,
            path::PathBuf,
            sync::{Arc, Mutex},
        };

        /// Reads the file at the moment of the commit.
        struct Witness(Decisions, PathBuf, Mutex<Vec<String>>);
        impl DecisionSink for Witness {
            fn fetched(&self, url: &Admitted, probe: Option<Prediction>) {
                self.0.fetched(url, probe);
            }
            fn dropped(&self, url: &str, dropped: &Dropped, via: Option<&str>) {
                self.0.dropped(url, dropped, via);
            }
            fn before_commit(&self) -> io::Result<()> {
                self.0.before_commit()?;
                let told = read_to_string(&self.1)?;
                self.2.lock().unwrap().push(told);
                Ok(())
            }
        }
        #[derive(Debug)]
        struct No;
        impl nodust_frontier::Middleware for No {
            fn name(&self) -> &'static str {
                "no"
            }
            fn judge(&self, _: &mut nodust_frontier::Candidate, _: &Via<'_>) -> Verdict {
                let rule = "no".into();
                Verdict::Drop(DropReason::Excluded { rule })
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.jsonl");
        let decisions = Decisions::new(Some(LineFile::create(&path).unwrap()));
        decisions.resumed();
        let witness = Arc::new(Witness(decisions, path, Mutex::default()));
        let sink = Arc::clone(&witness) as Arc<dyn DecisionSink>;
        let chain = Chain::new().then(No);
        let frontier = LocalFrontier::builder(chain).sink(sink).build().unwrap();
        let links = [RawUrl::new("http://a.example/x")];
        frontier
            .admit(&Via::seed(), &links, &mut Vec::new())
            .unwrap();
        let met = witness.2.lock().unwrap();
        let told: Vec<_> = met.last().unwrap().lines().collect();
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("\"decision\":\"resume\""));
        assert!(told[1].contains("http://a.example/x"));
    }

    #[test]
    fn sha1_is_that_of_fips_180() {
        assert_eq!(sha1_hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    }
}
