//! A resolved link while it is judged, and what it becomes once it is wanted.

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    CanonicalUrl, Fingerprint, HostKey, MalformedUrl, Origin, RawUrl, Via, canonical::resolve,
};
use crate::{BeliefId, Effects, Outcome, Prediction};

/// A link under judgement: the URL that would be fetched, and the class it is compared by.
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
    /// Priority of a link that no stage has an opinion about.
    pub const DEFAULT_PRIORITY: u8 = 128;

    /// Resolves a link of `via`; its class is its URL until a stage says otherwise.
    ///
    /// # Errors
    /// When the link is no URL that a crawler could fetch.
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

    /// What would be fetched.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Whose server would be asked.
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

    /// The belief on whose word it must not be dropped: it was, and came back when that fell.
    pub const fn not_by(&self) -> Option<BeliefId> {
        self.not_by
    }

    /// The page whose link it is, as [`Admitted::found_on`] names it.
    pub const fn found_on(&self) -> Option<u64> {
        self.found_on
    }

    /// Language of the target as its link named it.
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

    /// Changes what would be fetched. Where it is another URL then, the class follows: it is that URL until a later stage says
    /// otherwise, and what earlier stages made of the class, and on whose word, is undone. An edit that leaves the URL as it
    /// was changes nothing. Only stages that the operator asked to change the wire URL do this.
    ///
    /// Such a stage belongs to [`Phase::BeforeSeen`](crate::Phase::BeforeSeen), [before](crate::Chain::before) all that look at
    /// URLs, in the standard chain beside `scrub`: behind `scope` and `filter` nobody asks whether the new URL is wanted, and behind
    /// `normalize` and `rules` nobody names its page, so that its spellings are fetched one by one. In
    /// [`Phase::AfterSeen`](crate::Phase::AfterSeen) the seen-set was asked of another URL.
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
    /// When the edit leaves no URL that a crawler could fetch; the candidate is then unchanged.
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

    /// Static normalization: changes only the class.
    pub fn set_class(&mut self, class: String) {
        self.class = Some(class);
    }

    /// A learned rule: changes only the class, and says on whose word.
    pub fn merge_into(&mut self, class: String, by: BeliefId) {
        self.class = Some(class);
        self.merged_by = Some(by);
    }

    /// It is fetched though a belief would drop it. To be said before it is [sealed](Self::seal).
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

    /// Name of the class.
    pub fn class_key(&self) -> Fingerprint {
        Fingerprint::of_class(&self.url, self.class())
    }

    /// Name of the spelling that stands for the class: the page itself may have been met under it.
    pub fn class_spelling_key(&self) -> Fingerprint {
        Fingerprint::of(&self.url, self.class())
    }

    /// Name under which it is remembered that this spelling was met where it is not followed.
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
    /// `generation` is the version of what the stages believe about its host by now ([`Chain::generation`](crate::Chain::generation)). It is
    /// kept with the link, as [`Admitted::generation`], and no stage reads it: a frontier may compare it with that of later, to
    /// know whether judging the link again can tell anything else (where both are 0, no stage has learned anything of the
    /// host). A frontier that judges all that waited again passes 0.
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

/// A link that is wanted: what queue, lease and observation carry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Admitted {
    /// What is fetched.
    pub url: CanonicalUrl,
    /// Name of the exact spelling.
    pub key: Fingerprint,
    /// Name of the class it was admitted as.
    pub class: Fingerprint,
    /// The belief that put it into its class, if one did.
    pub merged_by: Option<BeliefId>,
    /// The prediction that it is fetched to test, if it is a probe.
    pub probe: Option<Prediction>,
    /// Links between it and its seed.
    pub depth: u16,
    /// Redirects that led to it.
    pub redirects: u8,
    /// How it was found.
    pub origin: Origin,
    /// Larger is fetched earlier within its host.
    pub priority: u8,
    /// Sum of the stages' generations for its host when it was judged.
    pub generation: u64,
    /// The belief that dropped it before and then fell: it does not drop it a second time.
    pub recalled_from: Option<BeliefId>,
    /// It came back from the ledger, and was not fetched or dropped since.
    pub waits_again: bool,
    /// Of the target of a redirect, the class of the URL that the first of its redirects began at, if it is another.
    pub led_from: Option<Fingerprint>,
    /// The page whose link it is, if a page's link is what it was first found by: the [half](Fingerprint::url) of that page's name that
    /// is of its URL.
    #[serde(default)]
    pub found_on: Option<u64>,
    /// It was found on a page that was fetched to audit a belief and brought nothing new, or is what such a URL redirects to. What a belief
    /// drops of such links is not explored by lot: where each page has links of its own, a crawl would have no end.
    #[serde(default)]
    pub of_copy: bool,
}

impl Admitted {
    /// The way it was found, as far as it is kept, to judge it again where it waits: how, depth and redirects are those that it was
    /// admitted with. The page is not known any more.
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

    /// Whether the links of what came of fetching it, or what it redirects to, are [of a copy](Self::of_copy).
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
