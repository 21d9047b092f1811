//! Files pages under the names that rewrite rules give them, too.
//!
//! Rules leave one page of each class, under whatever spelling came first: claims about the other spellings find no
//! counterpart. So a page is filed once more, under its name: the URL that the rules make of its own. Edits are tried
//! between that name and other pages, never between the page and its own name, which were never compared; and no edit
//! is tried twice for one page. When a rule falls, names that no longer belong to their pages stand for nothing, and
//! what was learned by names of that host is learned anew.

use nodust_frontier::BeliefId;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    ClusterId, Learned, Site, beliefs::key_of, canonical::Reduced, learn::Arrival, pages::host_of,
};
use crate::{
    rules::site_name,
    sign::{Newcomer, PageText},
};

/// What is known of a page under its own URL.
pub(super) struct AsItself<'a> {
    pub(super) url: &'a str,
    /// Its number, if it was filed.
    pub(super) own: Option<u32>,
    /// Its form under what is believed.
    pub(super) reduced_key: u64,
    /// The content that it has.
    pub(super) cluster: Option<ClusterId>,
    /// Edits that it was tried on.
    pub(super) tried: Vec<u32>,
    /// It as it was compared, unless what is chrome has changed since.
    pub(super) page: Option<Newcomer<'a>>,
}

impl Site {
    /// Learns from a page under its name what its URL did not teach.
    pub(super) fn learn_name<'a>(
        &mut self,
        name: &'a str,
        text: &'a PageText<'a>,
        (canonical, probed): (Option<&'a str>, Option<BeliefId>),
        page: AsItself<'a>,
        learned: &mut Learned,
    ) {
        let form = self.form(name);
        let (reduced, how) = self.reduced_form(&form);
        let Reduced {
            applied,
            is_settled,
        } = how;
        let key = reduced.key();
        if key == page.reduced_key {
            return;
        }
        let stands = self.standing(&reduced, is_settled).map(|(page, _)| page);
        let is_filed = stands.is_none() && !self.is_full() && page.own.is_some();
        let next = self.pages.len() as u32;
        let number = page.own.filter(|_| !is_filed).unwrap_or(next);
        let newcomer = (page.page).unwrap_or_else(|| Newcomer::new(text, &self.book));
        let mut new = Arrival::new(number, form, reduced, newcomer, (canonical, probed, false));
        new.own = page.own;
        new.tried = page.tried;
        self.naming = bit_of_host(host_of(page.url));
        if !is_filed {
            self.unfiled |= self.naming;
        }
        match stands {
            Some(page) if new.own != Some(page) && !self.pages.is(page, name) => {
                self.audit(&mut new, page, &applied, learned);
            }
            Some(_) => {}
            None => self.hear_aliases(&mut new, learned),
        }
        self.try_edits(&mut new, learned);
        self.naming = 0;
        if let (true, Some(cluster)) = (is_filed, page.cluster) {
            self.pages.push_name(name, cluster);
            self.file_forms(&new, cluster, key, true);
        }
    }

    /// The mark of the rules that it learned beside.
    pub(crate) const fn rules(&self) -> u64 {
        self.rules
    }

    /// The names of pages that `is_void` says nothing of any more, of hosts that `is_other` chooses; of each it is asked
    /// with the host, the URL and the name.
    pub(crate) fn void_names(
        &self,
        is_other: impl Fn(&str) -> bool,
        is_void: impl Fn(&str, &str, &str) -> bool,
    ) -> Vec<u32> {
        if let Some(warming) = &self.warming {
            return warming.void_names(is_other, is_void);
        }
        let mut void: Vec<u32> = (self.pages.hosts_with_names())
            .filter(|host| is_other(host))
            .flat_map(|host| self.pages.names_of(host).map(move |page| (host, page)))
            .filter(|(host, page)| {
                let url = self.pages.url(self.pages.fetched(*page));
                let both = url.zip(self.pages.url(*page));
                both.is_some_and(|(url, name)| is_void(host, &url, &name))
            })
            .map(|(_, page)| page)
            .collect();
        // In an order that does not depend on how the table grew.
        void.sort_unstable();
        void
    }

    /// Other rules hold. `fallen`: bits of the hosts of which one of before does not any more; `void`: the names that
    /// say nothing any more of the pages that they were of. They stand for nothing; beliefs that were tried on names of
    /// these hosts begin anew, and what the others dropped since some page or link had its name is judged again.
    pub(crate) fn heed_rules(&mut self, mark: u64, fallen: u64, void: &[u32]) -> Learned {
        let mut learned = Learned::default();
        self.rules = mark;
        if fallen == 0 {
            return learned;
        }
        if let Some(warming) = &mut self.warming {
            warming.forget_names(void);
            return learned;
        }
        // Where all names of a host still hold, what was learned by them does.
        let mut hosts = self.unfiled & fallen;
        for page in void {
            hosts |= self.bit_of_name(*page);
            self.pages.make_void(*page);
        }
        if hosts != 0 {
            self.forget_names_of(hosts, &mut learned);
        }
        self.generation += 1;
        self.stale = true;
        learned.has_fallen = true;
        self.shake(&mut learned);
        learned
    }

    /// Beliefs that were tried on names of these hosts begin anew.
    fn forget_names_of(&mut self, hosts: u64, learned: &mut Learned) {
        let mut fallen = Vec::new();
        for belief in self.beliefs.tried_by_names(hosts) {
            self.leading.forget(key_of(belief));
            if belief.begin_anew() {
                learned.withdrawn.extend(belief.id());
                fallen.push(belief.edit());
            }
        }
        for edit in &fallen {
            let on_trial = &mut self.edits[*edit as usize];
            on_trial.active = on_trial.active.saturating_sub(1);
        }
        if !fallen.is_empty() {
            self.round.is_urgent = true;
            self.index_active();
        }
        learned.withdrawn.sort_unstable();
    }

    /// The bit of the host that a name is of; none of other pages.
    fn bit_of_name(&self, page: u32) -> u64 {
        if !self.pages.is_name(page) {
            return 0;
        }
        let own = self.pages.url(self.pages.fetched(page));
        own.map_or(0, |url| bit_of_host(host_of(&url)))
    }

    /// The bits of the hosts whose names a trial is by, if it is by any.
    pub(super) fn names_on_trial(&self, (one, other): (u32, u32)) -> u64 {
        self.naming | self.bit_of_name(one) | self.bit_of_name(other)
    }
}

/// One of 64 bits for the rules of a host.
pub(crate) fn bit_of_host(host: &str) -> u64 {
    1 << (xxh3_64(site_name(host).as_bytes()) % 64)
}
