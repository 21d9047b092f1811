//! Shows how the crawl is going.
//!
//! On a terminal, this is one line that is updated; elsewhere, a log line every ten seconds.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use nodust_frontier::Stats;

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how a crawl is going.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    began: Instant,
    last: (Instant, u64),
    rate: f64,
    next_line: Instant,
}

impl Progress {
    /// Begins to show a run that fetches at most this many pages.
    pub fn begin(max_pages: Option<u64>) -> Self {
        let now = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| {
            let (bar, template) = match max_pages {
                Some(pages) => (
                    ProgressBar::new(pages),
                    "{elapsed_precise} [{bar:24}] {pos}/{len} {msg}",
                ),
                None => (
                    ProgressBar::new_spinner(),
                    "{elapsed_precise} {spinner} {pos} {msg}",
                ),
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            began: now,
            last: (now, 0),
            rate: 0.0,
            next_line: now + LINE_EVERY,
        }
    }

    /// How often [`update`](Self::update) is worth calling.
    pub fn interval(&self) -> Duration {
        if self.bar.is_some() {
            Duration::from_millis(250)
        } else {
            Duration::from_secs(1)
        }
    }

    /// Shows where the crawl is now. `pages` are those of this run; `left_alone` is the number of hosts that refused, and how much
    /// longer the first of them is left alone.
    pub fn update(
        &mut self,
        stats: &Stats,
        pages: u64,
        in_flight: usize,
        left_alone: Option<(usize, Duration)>,
    ) {
        let now = Instant::now();
        let (then, pages_then) = self.last;
        let seconds = (now - then).as_secs_f64();
        if seconds > 0.0 {
            let rate = pages.saturating_sub(pages_then) as f64 / seconds;
            // Smoothed over some five updates, so that it can be read.
            self.rate += (rate - self.rate) * 0.2;
            self.last = (now, pages);
        }
        let failed: u64 = stats.total.failed.values().sum();
        let message = format!(
            "pages, {:.1}/s,{} saved {}, queued {}, in flight {in_flight}, failed {failed}{}",
            self.rate,
            match stats.total.contents_new {
                0 => String::new(),
                contents => format!(" contents {contents},"),
            },
            stats.total.saved(),
            stats.queued,
            waits(left_alone),
        );
        if let Some(bar) = &self.bar {
            bar.set_position(pages);
            bar.set_message(message);
        } else if now >= self.next_line {
            self.next_line = now + LINE_EVERY;
            tracing::info!("{:.0?}: {pages} {message}", now - self.began);
        }
    }

    /// Ends the display: the crawl is over, and the line is removed.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What is told of hosts that are left alone: the crawl may stand still for want of them.
fn waits(left_alone: Option<(usize, Duration)>) -> String {
    let Some((hosts, first)) = left_alone else {
        return String::new();
    };
    // Not less than it takes: a crawl that waits for 0 s looks stuck.
    let seconds = first.as_secs() + 1;
    match hosts {
        1 => format!(", 1 host refused and waits {seconds} s"),
        hosts => format!(", {hosts} hosts refused and wait, the first {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_the_crawl_waits_for_are_told() {
        assert_eq!(waits(None), "");
        let wait = Duration::from_millis(50_200);
        assert_eq!(waits(Some((1, wait))), ", 1 host refused and waits 51 s");
        assert_eq!(
            waits(Some((3, wait))),
            ", 3 hosts refused and wait, the first 51 s"
        );
    }
}
