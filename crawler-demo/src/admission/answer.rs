//! What becomes of an answer: its line in the log, what the frontier hears of it, and what is counted.

use nodust_frontier::{
    CanonicalUrl, FetchFailure, FetchedPage, Frontier, HostKey, Lease, Outcome, RawUrl, Via,
};

use super::{Again, Border, PageCounts, line::LogLine, reading::Reading, redirect::base_of};
use crate::{
    CrawlError, extract,
    extract::Page,
    fetch::{Answer, Kind, kind},
};

impl Border {
    pub(super) fn observe_answer(
        &self,
        host: &HostKey,
        lease: Lease,
        (answer, again): (&Answer, &Again),
    ) -> Result<PageCounts, CrawlError> {
        let Some(reading) = self.reading(&lease, answer, again) else {
            let outcome = Outcome::Failed(FetchFailure {
                code: "unreadable",
                detail: "its reader broke".to_owned(),
                status: Some(answer.status),
                retry_after: None,
                may_pass: false,
            });
            self.hand_back(host, lease, &outcome)?;
            return Ok(PageCounts::default());
        };
        self.note_line(&lease, answer, &reading)?;
        let page = &reading.page;
        let redirect = reading.redirect.as_deref();
        let mut counts = PageCounts {
            is_page: answer.is_success() && redirect.is_none(),
            links_over_limit: page.links_over_limit as u64,
            ..PageCounts::default()
        };
        let is_not_followed =
            |link: &extract::Link| self.nofollow && (reading.nofollow || link.nofollow);
        let not_followed = page.links.iter().filter(|link| is_not_followed(link));
        counts.nofollow_links = not_followed.count() as u64;
        let links = page.links.iter().map(|link| {
            let raw = RawUrl::new(&link.href).with_hreflang(link.hreflang.as_deref());
            raw.with_nofollow(is_not_followed(link))
        });
        let links: Vec<_> = links.collect();
        if let Some(target) = redirect {
            if !answer.is_redirect() {
                self.admit_beside_redirect(&lease, page, target, &links)?;
            }
            let outcome = Outcome::Redirected {
                status: answer.status,
                target: RawUrl::new(target),
            };
            let decided = self.hand_back(host, lease, &outcome)?.pop();
            counts.target = decided.map(|decision| (target.to_owned(), decision));
            return Ok(counts);
        }
        let begins = lease.admitted().depth == 0;
        let is_no_text = kind(answer.content_type.as_deref(), &answer.body) == Kind::Other;
        counts.unread_as = (begins && answer.is_success() && is_no_text).then(|| {
            answer
                .content_type
                .clone()
                .unwrap_or_else(|| "no type".to_owned())
        });
        let outcome = Outcome::Fetched(FetchedPage {
            status: answer.status,
            text: reading.has_text.then_some(page.text.as_str()),
            refetched: reading.refetched.as_deref(),
            is_plain: (answer.content_type.as_deref()).is_some_and(FetchedPage::is_plain_type),
            links: &links,
            base: page.base.as_deref(),
            canonical: page.canonical.as_deref(),
            bytes: answer.body.len() as u64,
        });
        self.hand_back(host, lease, &outcome)?;
        Ok(counts)
    }

    /// Writes the line of an answer, where there is a log.
    fn note_line(
        &self,
        lease: &Lease,
        answer: &Answer,
        reading: &Reading,
    ) -> Result<(), CrawlError> {
        if let Some(log) = &self.log {
            let referers = self.referers.as_ref();
            let referer = referers.and_then(|known| known.take(lease.admitted().key));
            let redirect = reading.redirect.as_deref();
            let line = LogLine::new(lease, answer, &reading.page, redirect, reading.nofollow);
            let told = (referer.as_deref(), reading.refetched.as_deref());
            log.line(&line.record(told, self.log_text_chars));
        }
        self.flush_lines()
    }

    /// A page that refreshes to another has links of its own, which readers without refresh follow. They
    /// are admitted before the page is settled: killed in between, it is fetched again and they are known.
    fn admit_beside_redirect(
        &self,
        lease: &Lease,
        page: &Page,
        target: &str,
        links: &[RawUrl<'_>],
    ) -> Result<(), CrawlError> {
        let base = base_of(lease.url(), page);
        // The target is followed as a redirect.
        let others: Vec<RawUrl<'_>> = (links.iter().copied())
            .filter(|link| {
                CanonicalUrl::resolve(link.as_str(), Some(&base))
                    .is_ok_and(|url| url.as_str() != target)
            })
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let via = Via::page(lease.url())
            .at_depth(lease.admitted().depth)
            .with_base(Some(&base));
        let mut decisions = Vec::new();
        self.frontier.admit(&via, &others, &mut decisions)?;
        if let Some(referers) = &self.referers {
            referers.found(lease.url().as_str(), &decisions);
        }
        Ok(())
    }
}
