//! The report of a crawl: what was fetched, what was saved, and how sure that is.
//!
//! Numbers are those of the store, and so of all runs on it; durations are those of this run.

mod share;
mod summary;

use std::collections::BTreeMap;

use nodust_frontier::{BeliefCounts, BeliefRecord, FetchFailure, Stats, stats::Counts};
use serde::{Deserialize, Serialize};

pub use share::{Lack, Share};
pub(crate) use summary::LEDGER_WORDS;

use crate::learned::{Belief, Learned};

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Nothing is left to fetch.
    Complete,
    /// Nothing is left to fetch except links of hosts that were given up, which still wait.
    HostsGivenUp,
    /// As many pages as allowed were fetched.
    MaxPages,
    /// Its time was over.
    MaxDuration,
    /// It was told to stop.
    Stopped,
    /// Its log or its decisions could not be written.
    Failed,
}

/// The numbers of a host or of the whole crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    /// URLs fetched, each once; redirects and broken ones included.
    pub fetched: u64,
    /// What a plain crawler would have fetched of the links found: one that compares exact URLs without fragment, keeps
    /// the same scope and has no filters. It is the sum of `fetched`, `saved` and `links.waiting_again`, and a lower
    /// bound: what the pages left out link to is in none of these.
    pub plain: u64,
    /// Fetches saved against a plain crawler; also a lower bound.
    pub saved: u64,
    /// The same by stage.
    pub saved_by: BTreeMap<String, u64>,
    /// Of the fetched: believed to be duplicates and fetched to find out.
    pub explored: u64,
    /// Of the explored: found to be duplicates.
    pub explored_duplicates: u64,
    /// Of the explored: judged for beliefs or rules none of whose drops stands, because they have fallen since or are budgets that
    /// opened.
    #[serde(default)]
    pub explored_withdrawn: u64,
    /// Share of the explored that were duplicates: it estimates the share of the standing belief drops that are right.
    /// `explored_withdrawn` is left out. `null` if none is left.
    pub precision: Option<Share>,
    /// Of the fetched: pages with a content that was not met before, by the measure that links are dropped by (with prediction only).
    #[serde(default)]
    pub contents_new: u64,
    /// Of the fetched: pages with a content that was met before. Other pages could not be judged.
    #[serde(default)]
    pub contents_known: u64,
    /// Of the fetched: redirects.
    pub redirected: u64,
    /// Of the fetched: answered with an error status.
    pub broken: u64,
    /// Further tries after a failure.
    pub retried: u64,
    /// Pages that were fetched once more to learn which lines change with each answer; not included in `fetched`.
    #[serde(default)]
    pub refetched: u64,
    /// URLs given up without a usable answer.
    pub failed: u64,
    /// The same by reason.
    pub failed_by: BTreeMap<String, u64>,
    /// Links found, by what became of them when they were found.
    pub links: Links,
    /// Octets of bodies after decompression.
    pub bytes: u64,
}

/// Links found: `offered = admitted + known + dropped`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// All links found.
    pub offered: u64,
    /// Queued.
    pub admitted: u64,
    /// Their exact URL was known.
    pub known: u64,
    /// Dropped, by stage and reason.
    pub dropped: BTreeMap<String, BTreeMap<String, u64>>,
    /// Dropped while they waited, by stage and reason.
    pub dropped_waiting: BTreeMap<String, BTreeMap<String, u64>>,
    /// Taken back from the ledger.
    pub recalled: u64,
    /// Of these: they still wait.
    #[serde(default)]
    pub waiting_again: u64,
    /// Of those taken back: fetched.
    #[serde(default)]
    pub returned: u64,
    /// Of these: found to have brought nothing new, by the measure that links are dropped by.
    #[serde(default)]
    pub returned_known: u64,
    /// Of these: found to have brought new content.
    #[serde(default)]
    pub returned_new: u64,
}

impl From<&Counts> for Numbers {
    fn from(counts: &Counts) -> Self {
        let (duplicates, judged) = counts.explored_of_standing();
        Self {
            fetched: counts.fetched,
            plain: counts.plain(),
            saved: counts.saved(),
            saved_by: counts.saved_by.clone(),
            explored: counts.explored,
            explored_duplicates: counts.explored_duplicates,
            explored_withdrawn: counts.explored_apart(),
            precision: Share::of(duplicates, judged),
            contents_new: counts.contents_new,
            contents_known: counts.contents_known,
            redirected: counts.redirected,
            broken: counts.broken,
            retried: counts.retried,
            refetched: counts.refetched,
            failed: counts.failed.values().sum(),
            failed_by: counts.failed.clone(),
            links: Links {
                offered: counts.offered,
                admitted: counts.admitted,
                known: counts.known,
                dropped: counts.dropped.clone(),
                dropped_waiting: counts.dropped_waiting.clone(),
                recalled: counts.recalled,
                waiting_again: counts.waiting_again,
                returned: counts.returned,
                returned_known: counts.returned_known,
                returned_new: counts.returned_new,
            },
            bytes: counts.bytes,
        }
    }
}

impl Numbers {
    /// The number of URLs that were answered, whatever the answer: each has a line in a log.
    pub fn answered(&self) -> u64 {
        let without_request: u64 = [
            FetchFailure::ROBOTS,
            FetchFailure::ROBOTS_UNREACHABLE,
            FetchFailure::PRIVATE_ADDRESS,
            FetchFailure::NO_ADDRESS,
            FetchFailure::TOO_LONG,
        ]
        .iter()
        .filter_map(|code| self.failed_by.get(*code))
        .sum();
        (self.fetched + without_request).saturating_sub(self.failed)
    }

    /// What stands before `plain` and `saved` where pages were left out: nobody knows what these link to.
    pub(crate) const fn at_least(&self) -> &'static str {
        if self.saved > 0 { "at least " } else { "" }
    }

    /// The number of pages that were there: answered with a status of success and not a redirect.
    pub fn pages(&self) -> u64 {
        (self.answered()).saturating_sub(self.redirected + self.broken)
    }

    /// Whether URLs were tried and not one of them was a page.
    pub fn is_without_page(&self) -> bool {
        self.fetched + self.failed > 0 && self.pages() == 0
    }

    /// Links dropped where they were found because they or their page said `nofollow`.
    fn nofollow(&self) -> u64 {
        let codes = self.links.dropped.values();
        codes.filter_map(|codes| codes.get("nofollow")).sum()
    }

    /// Whether a belief that was learned dropped anything.
    fn has_belief_drops(&self) -> bool {
        let links = &self.links;
        (links.dropped.iter().chain(&links.dropped_waiting))
            .flat_map(|(stage, codes)| codes.keys().map(move |code| (stage, code)))
            .any(|(stage, code)| {
                matches!(code.as_str(), "predicted_duplicate" | "over_budget")
                    || code == "known_duplicate" && stage != "normalize"
            })
    }
}

/// What only the crawler knows about this run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Seconds this run took.
    pub seconds: f64,
    /// Pages fetched in this run.
    pub pages: u64,
    /// Requests for robots.txt files, which do not count as fetches.
    pub robots_requests: u64,
    /// Requests for sitemaps, which do not count as fetches.
    pub sitemap_requests: u64,
    /// Links of fetched pages that were not followed because their page or they themselves say `nofollow`, each as
    /// often as it was met.
    pub nofollow_links: u64,
    /// Links left out of pages that have more links than are taken from one page.
    pub links_over_limit: u64,
    /// The first URL that was given up without a usable answer, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<String>,
    /// If no page came in this run: the first URLs that were asked for, each with what came of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_page: Vec<String>,
    /// What the log of a replay lacks; `null` for a crawl.
    #[serde(default)]
    pub missing: Option<Lack>,
    /// Pages that earlier runs on the store fetched and of which the log has no line; `null` for a run that writes no log.
    #[serde(default)]
    pub not_in_log: Option<u64>,
    /// Whether what waited in the ledger was to be fetched at the end of this run.
    #[serde(default)]
    pub second_helping: bool,
}

/// The report of a crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Numbers of the whole crawl.
    #[serde(flatten)]
    pub total: Numbers,
    /// Why this run ended.
    pub ending: Ending,
    /// Links that wait to be fetched.
    pub queued: u64,
    /// Links dropped by belief that wait in case the belief falls.
    pub ledger: u64,
    /// Links that the full ledger could not keep.
    pub ledger_overflow: u64,
    /// URLs kept in the crawl's store that could not be fetched and may be available another day (timeouts, 429, 5xx
    /// …).
    #[serde(default)]
    pub to_retry: u64,
    /// This run.
    pub run: Run,
    /// Numbers of each host.
    pub hosts: BTreeMap<String, Numbers>,
    /// The beliefs about the sites, those that dropped most first: all that were ever acted upon or have fallen, and
    /// the best hundred on probation.
    #[serde(default)]
    pub beliefs: Vec<Belief>,
}

impl Report {
    /// Makes a report.
    pub fn new(stats: &Stats, ending: Ending, run: Run) -> Self {
        Self {
            total: Numbers::from(&stats.total),
            ending,
            queued: stats.queued,
            ledger: stats.ledger,
            ledger_overflow: stats.ledger_overflow,
            to_retry: stats.to_retry,
            run,
            hosts: stats
                .hosts
                .iter()
                .map(|(host, counts)| (host.clone(), Numbers::from(counts)))
                .collect(),
            beliefs: Vec::new(),
        }
    }

    /// The same, with what was learned.
    #[must_use]
    pub fn with_beliefs(mut self, beliefs: &[(BeliefRecord, BeliefCounts)]) -> Self {
        self.beliefs = Learned::for_report(beliefs);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_reads_back_and_names_every_number_of_the_contract() {
        let mut stats = Stats::default();
        stats.total.fetched = 7;
        stats.total.explored = 4;
        stats.total.explored_duplicates = 3;
        stats.total.explored_new = 1;
        stats.total.saved_by.insert("normalize".to_owned(), 5);
        stats.hosts.insert("e.org".to_owned(), stats.total.clone());
        let report = Report::new(&stats, Ending::Complete, Run::default());
        let json = serde_json::to_value(&report).unwrap();
        for name in [
            "fetched",
            "plain",
            "saved",
            "saved_by",
            "explored",
            "explored_duplicates",
            "precision",
            "contents_new",
            "contents_known",
            "broken",
            "retried",
            "refetched",
            "failed",
            "bytes",
            "hosts",
        ] {
            assert!(json.get(name).is_some(), "{name}");
        }
        assert_eq!(json["plain"], 12);
        assert_eq!(json["precision"]["value"], 0.75);
        assert_eq!(serde_json::from_value::<Report>(json).unwrap(), report);
    }

    #[test]
    fn a_saving_is_at_least_what_is_said_as_nobody_knows_the_links_of_pages_left_out() {
        let mut stats = Stats::default();
        stats.total.fetched = 7;
        let told = |stats: &Stats| Report::new(stats, Ending::Complete, Run::default()).to_string();
        let plain =
            "plain       7 (what a plain crawler would have fetched)\nsaved       0 (0.0 %)";
        assert!(told(&stats).contains(plain), "{}", told(&stats));
        stats.total.saved_by.insert("normalize".to_owned(), 5);
        let told = told(&stats);
        assert!(told.contains("plain       at least 12 (what"), "{told}");
        assert!(told.contains("fetched; what the pages left out link to is not known)"));
        assert!(told.contains("saved       at least 5 (41.7 %)"), "{told}");
    }

    #[test]
    fn what_needs_words_has_them_and_what_was_not_done_is_left_out() {
        let mut stats = Stats::default();
        let told = |stats: &Stats| Report::new(stats, Ending::Complete, Run::default()).to_string();
        assert!(!told(&stats).contains("explored"));
        assert!(!told(&stats).contains("second-helping"));
        stats.ledger = 3;
        assert!(told(&stats).contains("--second-helping"));
        assert!(!told(&stats).contains("nofollow"));
        let codes = [("nofollow".to_owned(), 4)];
        let dropped = &mut stats.total.dropped;
        dropped.insert("scope".to_owned(), codes.into());
        assert!(told(&stats).contains("nofollow    4 links"));
        let codes = [("known_duplicate".to_owned(), 1)];
        let dropped = &mut stats.total.dropped;
        dropped.insert("normalize".to_owned(), codes.clone().into());
        assert!(!told(&stats).contains("explored"));
        let dropped = &mut stats.total.dropped;
        dropped.insert("rules".to_owned(), codes.into());
        assert!(told(&stats).contains("explored    0: precision is not known (it takes"));
        stats.total.explored = 11;
        assert!(
            told(&stats).contains("explored    11: precision is not known (none could be judged)")
        );
        let helped = Run {
            second_helping: true,
            ..Run::default()
        };
        let told = Report::new(&stats, Ending::Complete, helped).to_string();
        assert!(!told.contains("--second-helping"), "{told}");
    }

    #[test]
    fn what_links_brought_that_came_back_is_told() {
        let mut stats = Stats::default();
        let told = |stats: &Stats| {
            let report = Report::new(stats, Ending::Complete, Run::default());
            report.to_string()
        };
        assert!(!told(&stats).contains("came back"));
        stats.total.returned = 45;
        let uncompared = "came back   45 pages fetched that the ledger gave back\n";
        assert!(told(&stats).contains(uncompared));
        (stats.total.contents_new, stats.total.contents_known) = (40, 440);
        (stats.total.returned_known, stats.total.returned_new) = (40, 2);
        let line = "came back   45 pages fetched that the ledger gave back: 2 new by their text, 40 met before, 3 that could not be told\n";
        assert!(told(&stats).contains(line));
    }

    #[test]
    fn how_many_contents_were_met_is_told_where_pages_are_compared() {
        let mut stats = Stats::default();
        let told = |stats: &Stats| Report::new(stats, Ending::Complete, Run::default()).to_string();
        assert!(!told(&stats).contains("contents"));
        stats.total.fetched = 500;
        (stats.total.contents_new, stats.total.contents_known) = (40, 440);
        let line = "contents    40 new, 440 met before, 20 that could not be told\n";
        assert!(told(&stats).contains(line), "{}", told(&stats));
    }

    #[test]
    fn few_that_were_none_among_many_are_not_rounded_away() {
        let mut stats = Stats::default();
        stats.total.explored = 21_858;
        (stats.total.explored_duplicates, stats.total.explored_new) = (21_856, 2);
        let told = Report::new(&stats, Ending::Complete, Run::default()).to_string();
        let expected = "21858 judged: 99.99 % were duplicates (95 %: 99.97 to 99.997 %)";
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn a_crawl_is_not_complete_where_something_may_be_had_another_day() {
        let told = |to_retry| {
            let mut stats = Stats::default();
            (stats.total.fetched, stats.to_retry) = (1, to_retry);
            Report::new(&stats, Ending::Complete, Run::default()).to_string()
        };
        assert!(told(0).contains("complete: nothing is left to fetch"));
        assert!(told(3).contains("complete, except for what may be available another day"));
    }

    #[test]
    fn links_that_were_too_many_are_told() {
        let told = |links_over_limit| {
            let run = Run {
                links_over_limit,
                ..Run::default()
            };
            Report::new(&Stats::default(), Ending::Complete, run).to_string()
        };
        assert!(told(60_001).contains("left out    60001 links beyond what is taken"));
        assert!(!told(0).contains("left out"));
    }

    #[test]
    fn probes_of_beliefs_that_fell_tell_nothing_of_the_drops_that_stand() {
        let mut stats = Stats::default();
        stats.total.explored = 31;
        stats.total.explored_duplicates = 25;
        stats.total.explored_new = 5;
        stats.total.withdrawn_duplicates = 6;
        stats.total.withdrawn_new = 4;
        let report = Report::new(&stats, Ending::Complete, Run::default());
        let precision = report.total.precision.unwrap();
        assert_eq!((precision.of, precision.value), (20, 0.95));
        assert_eq!(report.total.explored_withdrawn, 10);
        let told = "explored    31 (10 of them for beliefs or rules whose drops have all come back since), 20 judged: 95.0 %";
        assert!(report.to_string().contains(told));
        assert!(report.to_string().contains("; 1 not judged (failed, "));
        stats.total.explored = 30;
        let report = Report::new(&stats, Ending::Complete, Run::default());
        assert!(!report.to_string().contains("not judged"));
    }

    fn record(text: &str) -> BeliefRecord {
        BeliefRecord {
            id: nodust_frontier::BeliefId::of("e.org", text),
            site: "e.org".to_owned(),
            text: text.to_owned(),
            standing: nodust_frontier::Standing::Active,
            trials: 54,
            failures: 0,
            earlier_trials: 0,
            earlier_failures: 0,
            undecided: 0,
            e_value: 1.0,
            exceptions: 0,
            examples: Vec::new(),
        }
    }

    /// The summary of a run with a belief that dropped seven links, so many of which came back.
    fn told_of(record: BeliefRecord, recalled: u64) -> String {
        let counts = BeliefCounts {
            dropped: 7,
            recalled,
            ..BeliefCounts::default()
        };
        Report::new(&Stats::default(), Ending::Complete, Run::default())
            .with_beliefs(&[(record, counts)])
            .to_string()
    }

    #[test]
    fn the_summary_names_no_belief_that_dropped_and_explored_nothing() {
        let counts = |dropped, explored| BeliefCounts {
            dropped,
            explored,
            ..BeliefCounts::default()
        };
        let idle = (record("budget of URLs like http://e.org/a"), counts(0, 0));
        let told = |beliefs: &[(BeliefRecord, BeliefCounts)]| {
            let report = Report::new(&Stats::default(), Ending::Complete, Run::default());
            report.with_beliefs(beliefs).to_string()
        };
        assert!(!told(std::slice::from_ref(&idle)).contains("learned"));
        let told = told(&[
            (record("sid is ignored"), counts(7, 0)),
            idle,
            (record("v is ignored"), counts(0, 2)),
        ]);
        assert!(told.contains("sid is ignored: active; 7 dropped"), "{told}");
        assert!(told.contains("v is ignored: active; 0 dropped, 2 explored"));
        assert!(!told.contains("budget") && !told.contains("more"), "{told}");
    }

    #[test]
    fn the_summary_tells_why_a_right_belief_gave_back_what_it_dropped() {
        let told = |undecided, recalled| {
            let mut record = record("order is ignored");
            record.undecided = undecided;
            told_of(record, recalled)
        };
        let why = "active, 60 of 114 trials undecided; 7 dropped (7 came back)";
        assert!(told(60, 7).contains(why), "{}", told(60, 7));
        assert!(told(60, 0).contains("active; 7 dropped, "));
        assert!(told(0, 7).contains("active; 7 dropped (7 came back)"));
        assert!(told(1, 7).contains("active; 7 dropped (7 came back)"));
    }

    #[test]
    fn the_summary_points_to_the_reason_why_a_proved_belief_is_not_acted_upon() {
        let told = |e_value, recalled| {
            let mut record = record("size is ignored");
            (record.standing, record.e_value) = (nodust_frontier::Standing::Probation, e_value);
            told_of(record, recalled)
        };
        let why = "on probation, though proved (`nodust explain URL` says why); 7 dropped";
        assert!(told(3142.8, 7).contains(why), "{}", told(3142.8, 7));
        assert!(!told(3142.8, 0).contains("proved") && !told(7.0, 7).contains("proved"));
    }

    #[test]
    fn the_summary_shows_which_urls_a_belief_speaks_of_that_is_not_about_all() {
        let told = |text: &str| {
            let mut record = record(text);
            let pair = |id| {
                (
                    format!("http://e.org/a?s={id}"),
                    "http://e.org/a".to_owned(),
                )
            };
            record.examples = (1..3).map(pair).collect();
            told_of(record, 0)
        };
        let example = "0 explored\n      such as http://e.org/a?s=1 = http://e.org/a\n";
        assert!(told("s is ignored | names | 5db03a1979fd05df").contains(example));
        assert!(!told("s is ignored | host | 5db03a1979fd05df").contains("such as"));
    }

    #[test]
    fn a_log_that_lacks_pages_of_earlier_runs_is_told() {
        let told = |not_in_log: Option<u64>| {
            let run = Run {
                not_in_log,
                ..Run::default()
            };
            let report = Report::new(&Stats::default(), Ending::Complete, run);
            let json = serde_json::to_value(&report).unwrap();
            (report.to_string(), json["run"].get("not_in_log").cloned())
        };
        let lacks = "log         lacks 7 pages of earlier runs";
        assert!(told(Some(7)).0.contains(lacks));
        assert!(!told(Some(0)).0.contains("log "));
        for pages in [Some(7), Some(0), None] {
            assert_eq!(told(pages).1, Some(pages.into()), "it is in every report");
        }
    }

    #[test]
    fn precision_is_null_when_nothing_was_explored() {
        let report = Report::new(&Stats::default(), Ending::Stopped, Run::default());
        assert!(serde_json::to_value(&report).unwrap()["precision"].is_null());
    }
}
