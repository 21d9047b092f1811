//! A resolved link while it is judged, and what it becomes once it is wanted.

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    CanonicalUrl, Fingerprint, HostKey, MalformedUrl, Origin, RawUrl, Via, canonical::resolve,
};
use crate::{BeliefId, Effects, Outcome, Prediction};

/// A link that is being judged: the URL that would be fetched, and the class it is compared by.
#[derive(Clone, Debug)]
pub struct Candidate {
    url: Url,
    host: HostKey,
    class: Option<String>,
    merged_by: Option<BeliefId>,
    probe: Option<Prediction>,
    not_by: Option<BeliefId>,
    found_on: Option<u64>,
    hreflang: Option<Box<str>>,
    nofollow: bool,
    priority: u8,
}

impl Candidate {
    /// The priority of a link that no stage has an opinion about.
    pub const DEFAULT_PRIORITY: u8 = 128;

    /// Resolves a link of `via`; its class is its URL until a stage says otherwise.
    ///
    /// # Errors
    /// If the link is not a URL that a crawler could fetch.
    pub fn resolve(link: RawUrl<'_>, via: &Via<'_>) -> Result<Self, MalformedUrl> {
        Self::resolve_beside(link, via, via.page_url().map(CanonicalUrl::host))
    }

    /// [`resolve`](Self::resolve), with a host that the link may lie on, whose key it then shares.
    pub(crate) fn resolve_beside(
        link: RawUrl<'_>,
        via: &Via<'_>,
        neighbour: Option<&HostKey>,
    ) -> Result<Self, MalformedUrl> {
        let url = resolve(link.as_str(), via.base_url())?;
        let host = match neighbour {
            Some(host) if host.holds(&url) => host.clone(),
            _ => HostKey::of(&url),
        };
        Ok(Self {
            url,
            host,
            class: None,
            merged_by: None,
            probe: None,
            not_by: None,
            found_on: via.found_on(),
            hreflang: link.hreflang().map(Into::into),
            nofollow: link.nofollow(),
            priority: Self::DEFAULT_PRIORITY,
        })
    }

    /// The same link again, as it waits in the queue, to be judged a second time.
    pub fn of_admitted(admitted: &Admitted) -> Self {
        Self {
            url: admitted.url.as_url().clone(),
            host: admitted.url.host().clone(),
            class: None,
            merged_by: None,
            probe: None,
            not_by: admitted.recalled_from,
            found_on: admitted.found_on,
            hreflang: None,
            nofollow: false,
            priority: admitted.priority,
        }
    }

    /// The URL that would be fetched.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The host that would be asked.
    pub const fn host(&self) -> &HostKey {
        &self.host
    }

    /// What the link is compared by.
    pub fn class(&self) -> &str {
        self.class.as_deref().unwrap_or(self.url.as_str())
    }

    /// The belief that last moved it into another class; `None` for static normalization.
    pub const fn merged_by(&self) -> Option<BeliefId> {
        self.merged_by
    }

    /// The prediction that it is fetched to test, if it is a probe.
    pub const fn probe(&self) -> Option<Prediction> {
        self.probe
    }

    /// The belief on whose word it must not be dropped: that belief dropped it before and then fell.
    pub const fn not_by(&self) -> Option<BeliefId> {
        self.not_by
    }

    /// The page whose link it is, as [`Admitted::found_on`] names it.
    pub const fn found_on(&self) -> Option<u64> {
        self.found_on
    }

    /// The language of the target, as the link named it.
    pub fn hreflang(&self) -> Option<&str> {
        self.hreflang.as_deref()
    }

    /// Whether its link or its page asks not to follow it.
    pub const fn nofollow(&self) -> bool {
        self.nofollow
    }

    /// Larger is fetched earlier within its host.
    pub const fn priority(&self) -> u8 {
        self.priority
    }

    /// Changes the URL that would be fetched. If the URL changes, it also becomes the class, until a later stage says
    /// otherwise; what earlier stages made of the class, and on whose word, is undone. An edit that leaves the URL as it was
    /// changes nothing. Only stages that the operator asked to change the wire URL do this.
    ///
    /// Such a stage belongs to [`Phase::BeforeSeen`](crate::Phase::BeforeSeen), [before](crate::Chain::before) all stages that look
    /// at URLs; in the standard chain, beside `scrub`. After `scope` and `filter`, nobody would ask whether the new URL is wanted;
    /// after `normalize` and `rules`, nobody would name its page, and its spellings would be fetched one by one. In
    /// [`Phase::AfterSeen`](crate::Phase::AfterSeen), the seen-set was asked about another URL.
    ///
    /// ```
    /// use nodust_frontier::{Candidate, RawUrl, Via};
    ///
    /// let mut link = Candidate::resolve(RawUrl::new("http://e.org/a?b=1"), &Via::seed())?;
    /// link.set_class("http://e.org/a".to_owned());
    /// link.edit_url(|_| {})?;
    /// assert_eq!(link.class(), "http://e.org/a");
    /// link.edit_url(|url| url.set_path("/c"))?;
    /// assert_eq!(link.class(), "http://e.org/c?b=1");
    /// # Ok::<(), nodust_frontier::MalformedUrl>(())
    /// ```
    ///
    /// # Errors
    /// If the edit leaves no URL that a crawler could fetch; the candidate is then unchanged.
    pub fn edit_url(&mut self, edit: impl FnOnce(&mut Url)) -> Result<(), MalformedUrl> {
        let mut url = self.url.clone();
        edit(&mut url);
        let url = resolve(url.as_str(), None)?;
        if url == self.url {
            return Ok(());
        }
        if !self.host.holds(&url) {
            self.host = HostKey::of(&url);
        }
        self.url = url;
        self.class = None;
        self.merged_by = None;
        Ok(())
    }

    /// Sets the class, and nothing else: for static normalization.
    pub fn set_class(&mut self, class: String) {
        self.class = Some(class);
    }

    /// Sets the class, and the belief on whose word: for a learned rule.
    pub fn merge_into(&mut self, class: String, by: BeliefId) {
        self.class = Some(class);
        self.merged_by = Some(by);
    }

    /// Marks it as fetched though a belief would drop it. To be called before it is [sealed](Self::seal).
    pub fn mark_probe(&mut self, why: Prediction) {
        self.probe = Some(why);
    }

    /// Moves it forward (larger) or back within its host's queue.
    pub fn set_priority(&mut self, priority: u8) {
        self.priority = priority;
    }

    /// Name of the exact spelling.
    pub fn key(&self) -> Fingerprint {
        Fingerprint::of(&self.url, self.url.as_str())
    }

    /// The name of the class.
    pub fn class_key(&self) -> Fingerprint {
        Fingerprint::of_class(&self.url, self.class())
    }

    /// The name of the class's text taken as a spelling: the page itself may have been met under it.
    pub fn class_spelling_key(&self) -> Fingerprint {
        Fingerprint::of(&self.url, self.class())
    }

    /// The name under which it is remembered that this spelling was met in a link that is not followed.
    pub fn not_followed_key(&self) -> Fingerprint {
        Fingerprint::of_not_followed(&self.url)
    }

    /// Whether the link is compared by its own spelling.
    pub fn is_own_class(&self) -> bool {
        self.class
            .as_deref()
            .is_none_or(|class| class == self.url.as_str())
    }

    /// Seals it for queue and fetcher.
    ///
    /// `generation` is the current version of what the stages believe about its host ([`Chain::generation`](crate::Chain::generation)). It
    /// is kept with the link, as [`Admitted::generation`], and no stage reads it. A frontier may compare it with a later version to know
    /// whether judging the link again can give another result (where both are 0, no stage has learned anything about the host). A frontier
    /// that judges all links that waited again passes 0.
    pub fn seal(self, via: &Via<'_>, generation: u64) -> Admitted {
        let key = self.key();
        let class = self.class_key();
        Admitted {
            key,
            class,
            merged_by: self.merged_by,
            probe: self.probe,
            depth: via.link_depth(),
            redirects: via.link_redirects(),
            origin: via.origin(),
            priority: self.priority,
            generation,
            recalled_from: None,
            waits_again: false,
            led_from: None,
            found_on: self.found_on,
            of_copy: false,
            url: CanonicalUrl::from_parts(self.url, self.host),
        }
    }
}

/// A link that is wanted, as carried by queue, lease and observation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Admitted {
    /// The URL to fetch.
    pub url: CanonicalUrl,
    /// Name of the exact spelling.
    pub key: Fingerprint,
    /// Name of the class that it was admitted as.
    pub class: Fingerprint,
    /// The belief that put it into its class, if one did.
    pub merged_by: Option<BeliefId>,
    /// The prediction that it is fetched to test, if it is a probe.
    pub probe: Option<Prediction>,
    /// Number of links between its seed and it.
    pub depth: u16,
    /// Number of redirects that led to it.
    pub redirects: u8,
    /// How it was found.
    pub origin: Origin,
    /// Larger is fetched earlier within its host.
    pub priority: u8,
    /// Sum of the stages' generations for its host when it was judged.
    pub generation: u64,
    /// The belief that dropped it before and then fell. It does not drop the link a second time.
    pub recalled_from: Option<BeliefId>,
    /// Whether it came back from the ledger and has not been fetched or dropped since.
    pub waits_again: bool,
    /// For the target of a redirect: the class of the URL where its first redirect began, if that is another class.
    pub led_from: Option<Fingerprint>,
    /// The page whose link it is, if it was first found by a page's link: the [URL half](Fingerprint::url) of that page's name.
    #[serde(default)]
    pub found_on: Option<u64>,
    /// Whether it was found on a page that was fetched to audit a belief and brought nothing new, or is what such a URL redirects to. If a
    /// belief drops such a link, it is not explored by lot: if each page had links of its own, the crawl would never end.
    #[serde(default)]
    pub of_copy: bool,
}

impl Admitted {
    /// The way it was found, as far as that is kept, to judge it again while it waits. Origin, depth and redirects are those it was
    /// admitted with; the page is no longer known.
    ///
    /// ```
    /// use nodust_frontier::{Candidate, Origin, RawUrl, Via};
    ///
    /// let page = "http://e.org/".parse()?;
    /// let via = Via::page(&page).at_depth(3);
    /// let link = Candidate::resolve(RawUrl::new("/a"), &via)?.seal(&via, 0);
    /// assert_eq!((link.depth, link.via().link_depth()), (4, 4));
    /// // What a page redirects to is as deep as the page.
    /// let via = via.found_by(Origin::Redirect);
    /// let target = Candidate::resolve(RawUrl::new("/b"), &via)?.seal(&via, 0);
    /// assert_eq!((target.depth, target.via().link_depth()), (3, 3));
    /// assert_eq!((target.redirects, target.via().link_redirects()), (1, 1));
    /// # Ok::<(), nodust_frontier::MalformedUrl>(())
    /// ```
    pub const fn via(&self) -> Via<'static> {
        let depth = match self.origin {
            Origin::Link => self.depth.saturating_sub(1),
            Origin::Seed | Origin::Redirect | Origin::Sitemap => self.depth,
        };
        Via::seed()
            .found_by(self.origin)
            .at_depth(depth)
            .after_redirects(self.redirects.saturating_sub(1))
    }

    /// Whether the links of the page it brought, or the target it redirects to, are [of a copy](Self::of_copy).
    pub fn leads_to_copies(&self, outcome: &Outcome<'_>, effects: &Effects) -> bool {
        if self.probe.is_some() {
            // Where nobody can tell, what was predicted is taken to hold.
            return effects.probe_was_duplicate != Some(false) && effects.is_new != Some(true);
        }
        let is_redirect = matches!(outcome, Outcome::Redirected { .. });
        // A probe may have led here; other links of a copy are like any link.
        let is_end = self.redirects > 0 && effects.is_new.is_none();
        self.of_copy && (is_redirect || is_end || effects.is_new == Some(false))
    }
}
