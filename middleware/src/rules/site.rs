//! Applies all rules of a site to a URL.
//!
//! Rules run in their order, and passes repeat until nothing changes. A URL that has not settled after [`MAX_PASSES`]
//! passes is left as it is. Hence `canon(canon(u)) == canon(u)` for every set of rules: the result of a URL that
//! settled is a URL that no rule changes, and the others are their own result.

use std::{collections::HashSet, sync::Arc};

use nodust_frontier::BeliefId;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    edit::Edit,
    parts::{Key, Parts},
    pattern::Tokens,
    rule::{Entry, Rule},
};
use crate::sign::spread;

/// The number of passes after which a URL counts as one that does not settle.
pub const MAX_PASSES: usize = 6;

/// Of so few rules all are tried at once on a URL that is taken apart: asking for its tokens takes longer.
const FEW: usize = 6;

/// The site whose rules hold for all sites.
pub(crate) const EVERYWHERE: &str = "*";

#[derive(Clone, Debug)]
struct Compiled {
    rule: Rule,
    /// Tokens that a URL must have.
    needs: Vec<u32>,
    id: BeliefId,
    /// It does nothing but to remove parameters from queries.
    only_drops: bool,
    /// Of a rule that may fall: the trials that speak for it.
    may_fall: Option<u64>,
    /// Of a rule for all sites, of which each site has a belief of its own: its text.
    shared: Option<Box<str>>,
}

/// Rules go on changing a URL.
struct NotSettled;

/// The rules of one site, ready to be applied.
///
/// ```
/// use nodust_middleware::rules::SiteRules;
///
/// let rules = SiteRules::new("e.org", ["has:query.a => drop:query.a".parse()?]);
/// let canon = rules.canon("http://e.org/?a=1&b=2").unwrap();
/// assert_eq!(canon.class, "http://e.org/?b=2");
/// assert!(rules.canon(&canon.class).is_none());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SiteRules {
    rules: Vec<Arc<Compiled>>,
    /// Of each rule a bit for every token that it needs: most are ruled out by one AND.
    masks: Vec<u64>,
    /// Rules that must not follow from another list.
    vetoed: Vec<Rule>,
}

/// A URL's class, and which rules made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canon {
    /// The class.
    pub class: String,
    /// Positions of the rules that changed something, each once, in the order of their first change.
    pub fired: Vec<usize>,
}

/// The error for a URL that has not settled after [`MAX_PASSES`] passes. It is its own class, whatever its site's rules
/// say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Positions of the rules that changed something, each once, in the order of their first change.
    pub fired: Vec<usize>,
}

impl Compiled {
    fn new(site: &str, rule: Rule, may_fall: Option<u64>) -> Arc<Self> {
        Arc::new(Self {
            needs: rule.pattern.needs(),
            only_drops: (rule.edits.iter()).all(|edit| matches!(edit, Edit::Drop(Key::Query(_)))),
            id: rule.belief(site),
            shared: (site == EVERYWHERE).then(|| rule.to_string().into()),
            rule,
            may_fall,
        })
    }
}

impl SiteRules {
    /// Compiles rules, to be applied in this order.
    pub fn new(site: &str, rules: impl IntoIterator<Item = Rule>) -> Self {
        let rules = rules.into_iter();
        Self::of(rules.map(|rule| Compiled::new(site, rule, None)).collect())
    }

    fn of(rules: Vec<Arc<Compiled>>) -> Self {
        Self {
            masks: rules.iter().map(|c| Tokens::mask_of(&c.needs)).collect(),
            rules,
            vetoed: Vec::new(),
        }
    }

    /// The first rule that may change a URL with these tokens.
    fn first(&self, tokens: &Tokens) -> Option<usize> {
        let mut rules = self.masks.iter().zip(&self.rules);
        rules.position(|(mask, c)| tokens.may_cover(*mask) && tokens.cover(&c.needs))
    }

    /// The same rules, and none of these behind them.
    pub(crate) fn without(mut self, vetoed: Vec<Rule>) -> Self {
        self.vetoed = vetoed;
        self
    }

    /// Rules to apply in this order; of those that may fall, the trials that speak for them.
    pub(crate) fn audited(
        site: &str,
        rules: impl IntoIterator<Item = (Rule, Option<u64>)>,
    ) -> Self {
        let rules = rules.into_iter();
        Self::of(
            rules
                .map(|(rule, may_fall)| Compiled::new(site, rule, may_fall))
                .collect(),
        )
    }

    /// These rules, followed by those of another list.
    #[must_use]
    pub fn followed_by(&self, more: &Self) -> Self {
        let more = (more.rules.iter()).filter(|c| !self.vetoed.contains(&c.rule));
        Self::of(self.rules.iter().chain(more).map(Arc::clone).collect())
    }

    /// Whether the rule at a position may fall.
    pub(crate) fn may_fall(&self, at: usize) -> bool {
        self.rules.get(at).is_some_and(|c| c.may_fall.is_some())
    }

    /// Whether any rule may fall.
    pub(crate) fn any_may_fall(&self) -> bool {
        self.rules.iter().any(|c| c.may_fall.is_some())
    }

    /// Whether it has a rule with this belief.
    pub(crate) fn has(&self, belief: BeliefId) -> bool {
        self.rules.iter().any(|c| c.id == belief)
    }

    /// The rule that answers for what these rules made together: of those that may fall, the one that fewest
    /// trials speak for. `None`: none may fall.
    pub(crate) fn answers(&self, fired: &[usize]) -> Option<usize> {
        let rules = fired
            .iter()
            .filter_map(|at| Some((*at, self.rules.get(*at)?)));
        let weakest = rules
            .filter_map(|(at, c)| Some((c.may_fall?, c.id, at)))
            .min();
        weakest.map(|(_, _, at)| at)
    }

    /// Whether the rule at a position is one for all sites.
    pub(crate) fn is_shared(&self, at: usize) -> bool {
        self.rules.get(at).is_some_and(|c| c.shared.is_some())
    }

    /// The belief in the rule at a position on a site: of a rule for all sites, each has its own.
    pub(crate) fn belief_on(&self, at: usize, site: &str) -> Option<BeliefId> {
        let compiled = self.rules.get(at)?;
        Some(match &compiled.shared {
            Some(text) => BeliefId::of(site, text),
            None => compiled.id,
        })
    }

    /// Compiles those of the entries that are to be applied.
    pub fn of_entries<'e>(site: &str, entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        Self::new(
            site,
            entries
                .into_iter()
                .filter(|entry| entry.status.is_applied())
                .map(|entry| entry.rule.clone()),
        )
    }

    /// Number of rules.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule at a position.
    pub fn rule(&self, at: usize) -> Option<&Rule> {
        self.rules.get(at).map(|c| &c.rule)
    }

    /// The belief in the rule at a position.
    pub fn belief(&self, at: usize) -> Option<BeliefId> {
        self.rules.get(at).map(|c| c.id)
    }

    /// Beliefs in all rules, in order.
    pub fn beliefs(&self) -> impl Iterator<Item = (BeliefId, &Rule)> {
        self.rules.iter().map(|c| (c.id, &c.rule))
    }

    /// Whether there is a rule in another list that is not in this one.
    pub(crate) fn lacks_any_of(&self, other: &Arc<Self>) -> bool {
        if std::ptr::eq(self, &raw const **other) || other.is_empty() {
            return false;
        }
        let here: HashSet<BeliefId> = self.rules.iter().map(|c| c.id).collect();
        !other.rules.iter().all(|c| here.contains(&c.id))
    }

    /// A number that tells these rules of a host from others; 0 where there are none.
    pub(crate) fn mark_for(&self, host: &str) -> u64 {
        let of_host = xxh3_64(host.as_bytes());
        let marks = (self.rules.iter()).map(|c| spread(c.id.to_bits() ^ of_host));
        marks.fold(0, u64::wrapping_add)
    }

    /// The class of a URL; `None` if no rule changes it or it does not settle.
    pub fn canon(&self, url: &str) -> Option<Canon> {
        self.try_canon(url).ok().flatten()
    }

    /// The class of a URL; `None` if no rule changes it.
    ///
    /// # Errors
    /// If it does not settle, with the rules that went on changing it.
    ///
    /// ```
    /// use nodust_middleware::rules::SiteRules;
    ///
    /// let rules = SiteRules::new("e.org", ["=> copy:rest.0>rest.1".parse()?]);
    /// assert_eq!(rules.try_canon("http://e.org/a").unwrap_err().fired, [0]);
    /// assert_eq!(rules.try_canon("http://e.org/"), Ok(None));
    /// # Ok::<(), String>(())
    /// ```
    pub fn try_canon(&self, url: &str) -> Result<Option<Canon>, Unsettled> {
        let mut fired = Vec::new();
        match self.settle(url, None, &mut fired) {
            Ok(class) => Ok(class.map(|class| Canon { class, fired })),
            Err(NotSettled) => Err(Unsettled { fired }),
        }
    }

    /// The class of a URL if the rule at one position were not there.
    pub(crate) fn canon_without(&self, url: &str, at: usize) -> Option<Canon> {
        let mut fired = Vec::new();
        let class = self.settle(url, Some(at), &mut fired).ok().flatten()?;
        Some(Canon { class, fired })
    }

    /// The class of a URL that is taken apart, and what `tell` says of the parts of the class, if it is a URL; of
    /// `parts` nothing may be expected any more. `spare` is memory to take further URLs apart in.
    pub(crate) fn class_of<T>(
        &self,
        url: &str,
        parts: &mut Parts<'_>,
        spare: &mut Parts<'static>,
        tell: impl Fn(&Parts<'_>) -> T,
    ) -> Option<(String, Option<T>)> {
        // What is left of the parts is what would be read from the class, unless `;` may come to separate.
        let mut is_left = !url.contains(';');
        let mut run = |url: &str, parts: &mut Parts<'_>| {
            let tokens = (self.rules.len() > FEW).then(|| Tokens::of(url));
            let first = match &tokens {
                Some(tokens) => self.first(tokens)?,
                None => 0,
            };
            let fire = &mut |at: usize| is_left &= self.rules[at].only_drops;
            let made = self.run(url, parts, first, tokens.as_ref(), None, fire)?;
            Some((made, is_left))
        };
        let (mut class, mut is_left) = run(url, parts)?;
        for _ in 1..MAX_PASSES {
            let (told, next) = if is_left {
                parts.sort_query();
                (Some(tell(parts)), run(&class, parts))
            } else {
                let mut parts = std::mem::replace(spare, Parts::none()).emptied();
                let told = parts.read(&class).then(|| tell(&parts));
                let next = told.as_ref().and_then(|_| run(&class, &mut parts));
                *spare = parts.emptied();
                (told, next)
            };
            match next {
                None => return (class != url).then_some((class, told)),
                Some(next) => (class, is_left) = next,
            }
        }
        None
    }

    /// What is left of a URL when no rule changes it any more, if it is another text.
    fn settle(
        &self,
        url: &str,
        left_out: Option<usize>,
        fired: &mut Vec<usize>,
    ) -> Result<Option<String>, NotSettled> {
        let mut fire = |at| {
            if !fired.contains(&at) {
                fired.push(at);
            }
        };
        let Some(mut class) = self.pass(url, left_out, &mut fire) else {
            return Ok(None);
        };
        for _ in 1..MAX_PASSES {
            match self.pass(&class, left_out, &mut fire) {
                None => return Ok((class != url).then_some(class)),
                Some(next) => class = next,
            }
        }
        Err(NotSettled)
    }

    fn pass(
        &self,
        url: &str,
        left_out: Option<usize>,
        fire: &mut impl FnMut(usize),
    ) -> Option<String> {
        if self.rules.is_empty() {
            return None;
        }
        let tokens = Tokens::of(url);
        let first = self.first(&tokens)?;
        let mut parts = Parts::of_class(url)?;
        self.run(url, &mut parts, first, Some(&tokens), left_out, fire)
    }

    /// What the rules from the `first` on make of a URL, if anything.
    fn run(
        &self,
        url: &str,
        parts: &mut Parts<'_>,
        first: usize,
        tokens: Option<&Tokens>,
        left_out: Option<usize>,
        fire: &mut impl FnMut(usize),
    ) -> Option<String> {
        let mut changed = false;
        for (at, compiled) in self.rules.iter().enumerate().skip(first) {
            // Once a part was changed the tokens say nothing about what the URL has become.
            if (changed || tokens.is_none_or(|tokens| tokens.cover(&compiled.needs)))
                && left_out != Some(at)
                && compiled.rule.apply(parts)
            {
                changed = true;
                fire(at);
            }
        }
        if !changed {
            return None;
        }
        // Most rules make a URL shorter.
        let mut next = String::with_capacity(url.len());
        parts.render_into(&mut next);
        (next != url).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::SiteRules;
    use crate::rules::Parts;
    use proptest::prelude::*;

    fn rules(lines: &[&str]) -> SiteRules {
        SiteRules::new("e.org", lines.iter().map(|l| l.parse().unwrap()))
    }

    #[test]
    fn rules_chain() {
        let site = rules(&[
            "is:seg.0=old.php has:query.id => set:seg.0=view.php move:query.id>query.t",
            "is:seg.0=view.php has:query.t => drop:query.f",
        ]);
        let canon = site.canon("http://e.org/old.php?f=1&id=7").unwrap();
        assert_eq!(canon.class, "http://e.org/view.php?t=7");
        assert_eq!(canon.fired, [0, 1]);
    }

    #[test]
    fn a_rule_that_sorts_answers_for_what_it_changed_only() {
        let site = rules(&["=> drop:query.sid", "=> sort"]);
        let fired = |url: &str| site.canon(url).map(|canon| canon.fired);
        assert_eq!(fired("http://e.org/a?b=1&sid=7"), Some(vec![0]));
        assert_eq!(fired("http://e.org/a?c=1&b=1"), Some(vec![1]));
        assert_eq!(fired("http://e.org/a?b=1&c=1"), None);
    }

    #[test]
    fn a_url_that_goes_in_circles_is_left_alone() {
        let site = rules(&[
            "is:seg.0=a => set:seg.0=b set:slash=",
            "no:slash => set:seg.0=a",
        ]);
        let circle = rules(&[
            "is:len=1 => set:seg.1=x",
            "is:len=2 => drop:seg.1 set:query.q=1",
        ]);
        for site in [site, circle] {
            for url in ["http://e.org/a", "http://e.org/b/", "http://e.org/a/x"] {
                let once = site.canon(url).map_or(url.to_owned(), |c| c.class);
                assert!(site.canon(&once).is_none_or(|c| c.class == once));
            }
        }
    }

    #[test]
    fn what_does_not_settle_is_told_from_what_no_rule_changes() {
        let site = rules(&[
            "has:query.s => drop:query.s",
            "is:seg.0=x => copy:rest.0>rest.1",
        ]);
        assert_eq!(site.try_canon("http://e.org/a"), Ok(None));
        let class = |url: &str| site.try_canon(url).unwrap().unwrap().class;
        assert_eq!(class("http://e.org/a?s=1"), "http://e.org/a");
        let url = "http://e.org/x?s=1";
        assert_eq!(site.try_canon(url).unwrap_err().fired, [0, 1]);
        assert_eq!(site.canon(url), None, "it is left as it is");
    }

    #[test]
    fn what_stands_for_digits_ends_no_url() {
        for (rules, url, class) in [
            (
                [
                    "no:query.page => set:query.page=1",
                    "like:seg.0=topic# => digits:0:seg.0",
                ],
                "http://e.org/topic1/alpha?id=1",
                "http://e.org/topic0/alpha?id=1&page=1",
            ),
            (
                ["has:query.b => drop:query.b", "=> digits:0:query.a"],
                "http://e.org/?a=1x&b=1&c=2",
                "http://e.org/?a=0x&c=2",
            ),
        ] {
            let rules = SiteRules::new("e.org", rules.map(|rule| rule.parse().unwrap()));
            assert_eq!(rules.canon(url).unwrap().class, class);
            assert!(rules.canon(class).is_none(), "{class}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn canon_of_canon_is_canon(
            lines in proptest::collection::vec((
                prop_oneof!["is:seg\\.[01]=[ab]", "has:query\\.[ab]", "no:query\\.[ab]", "is:len=[0-3]", "has:slash"],
                prop_oneof!["drop:(seg\\.[01]|query\\.[ab]|slash|ext)", "set:(seg\\.[01]|query\\.[ab])=[ab]",
                    "(move|copy):(seg\\.0|rest\\.0|query\\.a)>(seg\\.1|rest\\.1|query\\.b)", "mask:seg\\.[01]", "digits:0:(seg\\.[01]|query\\.a)", "keep:[ab]?", "sort",
                    "(un)?wrap:(seg\\.[01]|query\\.[ab])=[ab.]?\\*[ab]", "respell:(seg\\.[01]|query\\.[ab])=[ab.]?\\*[ab]>[ab.]?\\*[ab1]", "(unique|first):query\\.[ab]", "items:[.+,]:(seg\\.[01]|query\\.[ab])"],
            ), 0..9),
            path in "(/[ab1.,;]{1,3}){0,3}/?", query in "(\\?([ab]=[ab1]([.+,][ab]){0,2})([&;][ab!]=?[ab]){0,2})?",
        ) {
            let site = SiteRules::new("e.org", lines.iter().map(|(c, e)| format!("{c} => {e}").parse().unwrap()));
            let url = format!("http://e.org{path}{query}");
            let once = site.canon(&url).map_or(url.clone(), |c| c.class);
            let twice = site.canon(&once).map_or(once.clone(), |c| c.class);
            prop_assert_eq!(&once, &twice);
            let mut parts = Parts::parse(&url).unwrap();
            let segments = |parts: &Parts<'_>| parts.segs.len();
            let apart = site.class_of(&url, &mut parts, &mut Parts::none(), segments);
            let (apart, told) = apart.unwrap_or_else(|| (url.clone(), Parts::parse(&url).as_ref().map(segments)));
            prop_assert_eq!(told, Parts::of_class(&apart).as_ref().map(segments));
            prop_assert_eq!(once, apart);
        }
    }

    #[test]
    fn a_class_read_as_a_url_is_its_own_class() {
        let site = rules(&[
            "like:seg.1=P# => digits:0:seg.1",
            "is:seg.0=t => mask:seg.1",
        ]);
        for url in ["http://e.org/edit/P30", "http://e.org/t/x"] {
            let class = site.canon(url).unwrap().class;
            let again = site
                .canon(&class)
                .map_or(class.clone(), |canon| canon.class);
            assert_eq!(again, class);
            assert_eq!(Parts::parse(&class).unwrap().render(), class);
        }
    }
}
