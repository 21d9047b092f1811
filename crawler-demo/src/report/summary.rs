//! The text form of a report.

use std::{fmt, time::Duration};

use nodust_frontier::{FetchFailure, Standing};

use super::{Ending, Lack, Report};
use crate::{learned::Belief, words::counted};

/// What the ledger is, and how to have what it keeps.
pub(crate) const LEDGER_WORDS: &str = "(the ledger keeps links that were dropped as duplicates, in case \
     that turns out wrong; --second-helping fetches them)";

/// The same of a run that was told to fetch it.
const LEDGER_AFTER_HELPING: &str = "(the ledger keeps links that were dropped as duplicates, in case that turns out wrong; these \
     were dropped since, or the run ended before their turn)";

/// How many were explored for beliefs that have fallen, if any were.
struct Fallen(u64);

impl fmt::Display for Fallen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            n => write!(
                f,
                " ({n} of them for beliefs or rules whose drops have all come back since)"
            ),
        }
    }
}

/// How many explored links nobody could tell of, if there are any.
struct Unjudged(u64);

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            n => write!(
                f,
                "; {n} not judged (failed, led elsewhere, had too little text, were only partly alike, or had nothing to be compared with)"
            ),
        }
    }
}

/// What a code of a failure means.
fn in_words(code: &str) -> &'static str {
    match code {
        FetchFailure::ROBOTS => "(its robots.txt disallows it)",
        FetchFailure::ROBOTS_UNREACHABLE => {
            "(the host did not give its robots.txt, so nothing may be fetched)"
        }
        FetchFailure::PRIVATE_ADDRESS => "(the host lies at a private address)",
        FetchFailure::NO_ADDRESS => "(the host has no address)",
        FetchFailure::TOO_LONG => "(the URL is longer than the crawler sends)",
        "connect" => "(no connection to the host)",
        "timeout" => "(no answer in time)",
        "http" => "(the connection broke off before an answer, or what came was not HTTP)",
        "body" => "(the answer broke off)",
        "encoding" => "(the answer is compressed in a way that cannot be read)",
        "too_large" => "(the answer is larger than max_body_bytes)",
        "tls" => "(no secure connection to the host)",
        crate::replay::MISSING => "(not in the log)",
        _ => "",
    }
}

/// A share in percent, with as many places that what is not all does not look like it.
fn percent(share: f64) -> String {
    let share = 100.0 * share;
    let is_fit = |places: &usize| share >= 100.0 || !format!("{share:.places$}").starts_with("100");
    match (1..4).find(is_fit) {
        Some(places) => format!("{share:.places$}"),
        None => "99.999".to_owned(),
    }
}

/// What a budget is.
const BUDGET_WORDS: &str = "(a budget that is used up: pages of URLs like that one have long brought nothing new; further ones \
     wait in the ledger until one does)";

/// Characters of a URL that are shown beside another; of those before the place where the two begin to differ, and of what they begin with, where
/// that is behind.
const SHOWN: usize = 100;
const BEFORE: usize = 20;
const BEGIN: usize = 40;

/// Two URLs as far as they fit beside each other, so that it is seen in what they differ.
fn cut([one, other]: [&str; 2]) -> [String; 2] {
    let same = (one.chars().zip(other.chars()))
        .take_while(|(a, b)| a == b)
        .count();
    // Where what is shown of both from their beginnings on would be the same.
    let skipped = if same + 1 < SHOWN {
        None
    } else {
        Some(same.saturating_sub(BEFORE))
    };
    [one, other].map(|url| {
        let begin: String = url.chars().take(BEGIN).collect();
        let (begin, from) = skipped.map_or(("", 0), |skipped| (&*begin, skipped));
        let room = SHOWN - begin.chars().count();
        let mut rest = url.chars().skip(from);
        let shown: String = rest.by_ref().take(room).collect();
        let [gap, more] = [from > 0, rest.next().is_some()].map(|is| if is { "…" } else { "" });
        format!("{begin}{gap}{shown}{more}")
    })
}

/// The e-value that proves a belief which is alone.
const PROVED: f64 = 20.0;

/// Beliefs named in the summary; JSON has more.
const BELIEFS_SHOWN: usize = 8;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = &self.total;
        let ending = match self.ending {
            Ending::Complete if total.is_without_page() => {
                "not one page could be fetched, and nothing is left to try"
            }
            Ending::Complete if self.lack().is_some() => "nothing is left that the log has",
            Ending::Complete if self.to_retry > 0 => {
                "complete, except for what may be available another day"
            }
            Ending::Complete => "complete: nothing is left to fetch",
            Ending::HostsGivenUp => {
                "what is left waits for hosts that refused or could not be reached"
            }
            Ending::MaxPages => "as many pages as allowed were asked for",
            Ending::MaxDuration => "its time was over",
            Ending::Stopped => "it was told to stop",
            Ending::Failed => "its log or its decisions could not be written",
        };
        let time = Duration::from_secs_f64(self.run.seconds.max(0.0));
        writeln!(f, "ended       {ending}")?;
        writeln!(
            f,
            "fetched     {} ({}, {} broken, {}; {} in this run, {time:.1?})",
            total.fetched,
            counted(total.redirected, "redirect"),
            total.broken,
            counted(total.bytes, "byte"),
            self.run.pages
        )?;
        self.tell_contents(f)?;
        if let Some(Lack { urls, of, share }) = self.lack() {
            writeln!(
                f,
                "missing     {urls} of {} that links led to and that were wanted are not in the log ({:.1} %): they count as \
                 fetched, and what they link to is not counted",
                counted(of, "URL"),
                100.0 * share
            )?;
        }
        if let Some(lacks) = self.run.not_in_log.filter(|lacks| *lacks > 0) {
            let lacks = counted(lacks, "page");
            writeln!(f, "log         lacks {lacks} of earlier runs")?;
        }
        writeln!(
            f,
            "plain       {}{} (what a plain crawler would have fetched{}{})",
            total.at_least(),
            total.plain,
            match total.links.waiting_again {
                0 => String::new(),
                n => format!(", {n} of which came back from the ledger and wait"),
            },
            match total.saved {
                0 => "",
                _ => "; what the pages left out link to is not known",
            }
        )?;
        let of_plain = if total.plain == 0 {
            0.0
        } else {
            100.0 * total.saved as f64 / total.plain as f64
        };
        let at_least = total.at_least();
        writeln!(f, "saved       {at_least}{} ({of_plain:.1} %)", total.saved)?;
        for (stage, saved) in &total.saved_by {
            writeln!(f, "  by {stage:<10} {saved}")?;
        }
        match total.precision {
            Some(share) => writeln!(
                f,
                "explored    {}{}, {} judged: {} % were duplicates (95 %: {} to {} %){}",
                total.explored,
                Fallen(total.explored_withdrawn),
                share.of,
                percent(share.value),
                percent(share.low),
                percent(share.high),
                Unjudged(
                    total
                        .explored
                        .saturating_sub(total.explored_withdrawn + share.of)
                )
            )?,
            // Where nothing is dropped by belief, there is nothing that could be right or wrong.
            None if total.explored == 0 && !total.has_belief_drops() => {}
            None => writeln!(
                f,
                "explored    {}{}: precision is not known{}",
                total.explored,
                Fallen(total.explored_withdrawn),
                if total.explored > total.explored_withdrawn {
                    " (none could be judged)"
                } else if total.explored == 0 {
                    " (it takes some of what beliefs drop, by lot; none with --exploration 0, nor of what rules drop that may not fall)"
                } else {
                    " (the beliefs they were explored for drop nothing any more)"
                }
            )?,
        }
        self.tell_the_rest(f)
    }
}

impl Report {
    /// What the log of a replay lacks, if it lacks anything.
    fn lack(&self) -> Option<Lack> {
        self.run.missing.filter(|lack| lack.urls > 0)
    }

    /// What the pages brought that were fetched.
    fn tell_contents(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = &self.total;
        let told = total.contents_new + total.contents_known;
        if told == 0 {
            return Ok(());
        }
        writeln!(
            f,
            "contents    {} new, {} met before, {} that could not be told",
            total.contents_new,
            total.contents_known,
            total.pages().saturating_sub(told)
        )
    }

    /// What was not fetched or failed, and what was learned.
    fn tell_the_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = &self.total;
        if total.links.returned > 0 {
            let (known, new) = (total.links.returned_known, total.links.returned_new);
            write!(
                f,
                "came back   {} fetched that the ledger gave back",
                counted(total.links.returned, "page")
            )?;
            // Without prediction nobody compares contents.
            if total.contents_new + total.contents_known > 0 {
                write!(
                    f,
                    ": {new} new by their text, {known} met before, {} that could not be told",
                    total.links.returned.saturating_sub(known + new)
                )?;
            }
            writeln!(f)?;
        }
        if total.refetched > 0 {
            let pages = counted(total.refetched, "page");
            if self.run.missing.is_some() {
                writeln!(
                    f,
                    "refetched   {pages} with a second answer in the log (heeded with --refetch; not counted as fetched)"
                )?;
            } else {
                writeln!(
                    f,
                    "refetched   {pages} once more, to learn which lines change at each answer (not counted as fetched)"
                )?;
            }
        }
        if self.run.links_over_limit > 0 {
            writeln!(
                f,
                "left out    {} beyond what is taken from one page or sitemap (max_links, max_sitemaps), or too long",
                counted(self.run.links_over_limit, "link")
            )?;
        }
        if total.nofollow() > 0 {
            writeln!(
                f,
                "nofollow    {} not followed, as they or their pages ask (no saving: a plain crawler obeys, too)",
                counted(total.nofollow(), "link")
            )?;
        }
        writeln!(
            f,
            "failed      {} ({})",
            total.failed,
            counted(total.retried, "further try")
        )?;
        for (code, failed) in &total.failed_by {
            let line = format!("  {code:<18} {failed:<6} {}", in_words(code));
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(
            f,
            "waiting     {} queued, {} in the ledger",
            self.queued, self.ledger
        )?;
        if self.ledger > 0 {
            let words = if self.run.second_helping {
                LEDGER_AFTER_HELPING
            } else {
                LEDGER_WORDS
            };
            writeln!(f, "            {words}")?;
        }
        if self.to_retry > 0 {
            writeln!(
                f,
                "to retry    {} of the broken and the failed may be available another day (--retry-failed, with the store)",
                self.to_retry
            )?;
        }
        self.tell_beliefs(f)
    }

    /// What was learned, and what that left out.
    fn tell_beliefs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<&Belief> = (self.beliefs.iter())
            .filter(|b| b.dropped > 0 || b.explored > 0)
            .collect();
        if !told.is_empty() {
            writeln!(f, "learned")?;
        }
        for b in told.iter().take(BELIEFS_SHOWN) {
            let came_back = match b.recalled {
                0 => String::new(),
                recalled => format!(" ({recalled} came back)"),
            };
            // What ends a belief that never failed, as a rule.
            let is_taken_back = b.recalled > 0 && b.verdict != Standing::Withdrawn;
            let why = if is_taken_back && b.undecided > 0 && 2 * b.undecided >= b.trials {
                format!(
                    ", {} of {} trials undecided",
                    b.undecided,
                    b.trials + b.undecided
                )
            } else if is_taken_back && b.verdict == Standing::Probation && b.e_value >= PROVED {
                ", though proved (`nodust explain URL` says why)".to_owned()
            } else {
                String::new()
            };
            writeln!(
                f,
                "  {} {}{} {}{why}; {} dropped{came_back}, {}",
                b.host,
                b.text,
                // A rule that removes a part ends in a colon.
                if b.text.ends_with(':') { "" } else { ":" },
                b.tell_verdict(),
                b.dropped,
                b.tell_explored()
            )?;
            if let Some((copy, original)) = b.place_shown() {
                let [copy, original] = cut([copy, original]);
                writeln!(f, "      such as {copy} = {original}")?;
            }
        }
        if told.iter().take(BELIEFS_SHOWN).any(|b| b.is_budget()) {
            writeln!(f, "  {BUDGET_WORDS}")?;
        }
        if told.len() > BELIEFS_SHOWN {
            writeln!(f, "  and {} more", told.len() - BELIEFS_SHOWN)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, cut};

    #[test]
    fn of_two_long_urls_is_shown_in_what_they_differ() {
        let url =
            |middle: usize, tail: &str| format!("http://e.org/?{}&{tail}", "x".repeat(middle));
        let [one, other] = [url(120, "page=1"), url(120, "page=2")];
        let shown = cut([&one, &other]);
        assert!(
            shown[0].starts_with("http://e.org/") && shown[0].ends_with("xx&page=1"),
            "{shown:?}"
        );
        assert!(
            shown[1].contains('…') && shown[1].ends_with("&page=2"),
            "{shown:?}"
        );
        // One that goes on where the other ends.
        let longer = format!("{one}&print=1");
        let shown = cut([&longer, &one]);
        assert!(
            shown[0].ends_with("page=1&print=1") && shown[1].ends_with("page=1"),
            "{shown:?}"
        );
    }

    #[test]
    fn what_fits_is_shown_whole_and_what_differs_soon_from_its_beginning() {
        let short = ["http://e.org/a?s=1", "http://e.org/a"];
        assert_eq!(cut(short), short);
        let [one, other] = ["a", "b"].map(|host| format!("http://{host}.org/{}", "x".repeat(200)));
        for shown in cut([&one, &other]) {
            assert_eq!(shown.chars().count(), SHOWN + 1, "{shown}");
            assert!(shown.ends_with('…'));
        }
    }
}
