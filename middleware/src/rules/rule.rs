//! A rule and its evidence.

use std::{fmt, str::FromStr};

use nodust_frontier::BeliefId;
use serde::{Deserialize, Serialize};

use super::{
    edit::Edit,
    parts::{Key, Parts},
    pattern::{Condition, Pattern},
    site::SiteRules,
};

/// A rule: "URLs of this kind are the same page after these edits." It prints as one line that parses back: conditions,
/// `=>`, edits, all separated by spaces (a URL has none).
///
/// ```
/// use nodust_middleware::rules::{Parts, Rule};
///
/// let rule: Rule = "is:seg.0=viewtopic.php has:query.t => drop:query.f drop:query.sid".parse()?;
/// let mut parts = Parts::parse("http://forum.example/viewtopic.php?f=4&t=18&sid=0af3").unwrap();
/// assert!(rule.apply(&mut parts));
/// assert_eq!(parts.render(), "http://forum.example/viewtopic.php?t=18");
/// assert_eq!(rule.to_string().parse::<Rule>()?, rule);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    /// Which URLs it applies to.
    pub pattern: Pattern,
    /// What is done to them, in order.
    pub edits: Vec<Edit>,
}

impl Rule {
    /// A rule with these conditions (order and repeats do not matter) and edits.
    pub fn new(mut conditions: Vec<Condition>, edits: Vec<Edit>) -> Self {
        conditions.sort();
        conditions.dedup();
        Self {
            pattern: Pattern(conditions),
            edits,
        }
    }

    /// The same rule where these conditions hold, too.
    pub(crate) fn narrowed(&self, more: impl IntoIterator<Item = Condition>) -> Self {
        let conditions = self.pattern.0.iter().cloned().chain(more);
        Self::new(conditions.collect(), self.edits.clone())
    }

    /// Edits the parts if the pattern matches. Returns whether anything may have changed.
    pub fn apply(&self, parts: &mut Parts<'_>) -> bool {
        self.pattern.matches(parts) && self.edit(parts)
    }

    /// Edits the parts, whether or not the pattern matches.
    pub(crate) fn edit(&self, parts: &mut Parts<'_>) -> bool {
        let edits = self.edits.iter();
        edits.fold(false, |changed, edit| edit.apply(parts) | changed)
    }

    /// The same rule about names of hosts without `www.`, which is what classes have.
    pub(crate) fn without_www(&self) -> Self {
        let bare = |host: &str| {
            let rest = host.strip_prefix("www.").filter(|rest| rest.contains('.'));
            Box::from(rest.unwrap_or(host))
        };
        let condition = |condition: &Condition| match condition {
            Condition::Is(Key::Host, host) => Condition::Is(Key::Host, bare(host)),
            Condition::Maybe(Key::Host, host) => Condition::Maybe(Key::Host, bare(host)),
            other => other.clone(),
        };
        let edit = |edit: &Edit| match edit {
            Edit::Set(Key::Host, host) => Edit::Set(Key::Host, bare(host)),
            other => other.clone(),
        };
        Self::new(
            self.pattern.0.iter().map(condition).collect(),
            self.edits.iter().map(edit).collect(),
        )
    }

    /// The name of the belief in this rule on a site.
    pub fn belief(&self, site: &str) -> BeliefId {
        BeliefId::of(site, &self.to_string())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for condition in &self.pattern.0 {
            write!(f, "{condition} ")?;
        }
        f.write_str("=>")?;
        for edit in &self.edits {
            write!(f, " {edit}")?;
        }
        Ok(())
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut conditions = Vec::new();
        let mut edits = Vec::new();
        let mut behind_arrow = false;
        if !text.split_whitespace().any(|word| word == "=>") {
            return Err(format!(
                "`{text}` has no `=>`: expected `CONDITIONS => EDITS`"
            ));
        }
        for word in text.split_whitespace() {
            match word {
                "=>" if behind_arrow => return Err(format!("`{text}` has a second `=>`")),
                "=>" => behind_arrow = true,
                _ if behind_arrow => edits.push(word.parse()?),
                _ => conditions.push(word.parse()?),
            }
        }
        if edits.is_empty() {
            return Err(format!("`{text}`: expected `CONDITIONS => EDITS`"));
        }
        Ok(Self::new(conditions, edits))
    }
}

impl TryFrom<String> for Rule {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> Self {
        rule.to_string()
    }
}

/// What a rule did on URLs whose pages are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Evidence {
    /// Pairs of URLs that the rule merges.
    pub support: u64,
    /// Of these, pairs that are different pages.
    pub false_pairs: u64,
    /// Groups of URLs that the rule makes one: one trial each.
    pub trials: u64,
    /// Of these, groups with more than one page.
    pub failures: u64,
    /// URLs that would not have been fetched.
    pub saved: u64,
    /// The expected number of pages that would not have been seen if any one URL of each class is fetched. Rounded, so that it
    /// may be 0 though groups fail.
    pub lost: u64,
    /// Pairs that show what it does, in the order found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<[String; 2]>,
    /// Pairs that speak against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counterexamples: Vec<[String; 2]>,
}

impl Evidence {
    /// Whether no part is more than its whole.
    pub(super) const fn is_sound(&self) -> bool {
        self.false_pairs <= self.support && self.failures <= self.trials && self.lost <= self.saved
    }

    /// Share of merged pairs that are different pages; 0 without pairs.
    pub fn fpr(&self) -> f64 {
        ratio(self.false_pairs, self.support)
    }

    /// Share of suppressed URLs that would have been new pages.
    pub fn loss(&self) -> f64 {
        ratio(self.lost, self.saved)
    }

    /// The 95 % Wilson interval of the share of groups that hold more than one page.
    pub fn failure_interval(&self) -> (f64, f64) {
        wilson(self.failures, self.trials)
    }

    /// The 95 % interval of [`fpr`](Self::fpr); (0, 1) if nothing was measured.
    ///
    /// Pairs of one group are not independent cases: the group holds one page or several, and one large group may have nearly
    /// all pairs. The trials are the cases, so this is [`failure_interval`](Self::failure_interval) scaled to pairs, by the
    /// false pairs of the failures so far, and no narrower than if each trial had been one pair.
    ///
    /// ```
    /// use nodust_middleware::rules::Evidence;
    ///
    /// let of = |support, false_pairs, trials, failures| {
    ///     Evidence { support, false_pairs, trials, failures, ..Evidence::default() }.fpr_interval()
    /// };
    /// // However many pairs ten groups have, they are ten cases.
    /// assert_eq!(of(10, 0, 10, 0), of(10_000, 0, 10, 0));
    /// // A single group that failed has half of all pairs: the share may be nearly anything.
    /// let (low, high) = of(198, 99, 100, 1);
    /// assert!(low < 0.1 && high == 1.0);
    /// ```
    pub fn fpr_interval(&self) -> (f64, f64) {
        self.interval_of(self.false_pairs, self.support)
    }

    /// The 95 % interval of [`loss`](Self::loss), computed as [that of `fpr`](Self::fpr_interval): pages are hidden by
    /// groups.
    pub fn loss_interval(&self) -> (f64, f64) {
        self.interval_of(self.lost, self.saved)
    }

    /// The interval of a share that comes in groups.
    fn interval_of(&self, part: u64, whole: u64) -> (f64, f64) {
        if whole == 0 || self.trials == 0 {
            return (0.0, 1.0);
        }
        let share = ratio(part, whole);
        // What a failure is worth; where none has shown it, as much as any other group.
        let weight = if part == 0 || self.failures == 0 {
            1.0
        } else {
            share / ratio(self.failures, self.trials)
        };
        let (low, high) = self.failure_interval();
        let (least, most) = wilson_of(share, self.trials);
        (
            (low * weight).min(least),
            (high * weight).max(most).min(1.0),
        )
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The 95 % Wilson score interval of `hits` in `trials`; (0, 1) without trials.
pub fn wilson(hits: u64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    wilson_of(hits as f64 / trials as f64, trials)
}

/// The same of a share, of which there need not be a whole number of hits; of some trials.
fn wilson_of(p: f64, trials: u64) -> (f64, f64) {
    let (n, z) = (trials as f64, 1.959_964_f64);
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    // At the ends the interval ends there too, which rounding would miss by a hair.
    let low = if p <= 0.0 {
        0.0
    } else {
        (middle - spread) / scale
    };
    let high = if p >= 1.0 {
        1.0
    } else {
        (middle + spread) / scale
    };
    (low, high)
}

/// The status of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Counted, not acted upon.
    Probation,
    /// Acted upon.
    #[default]
    Active,
    /// Acted upon whatever the evidence says, because a person said so.
    Pinned,
    /// Never acted upon and never proposed again, because a person said so.
    Vetoed,
    /// Was active and fell.
    Withdrawn,
}

/// As a file of rules spells it.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Status {
    /// Whether rules of this status are applied.
    pub const fn is_applied(self) -> bool {
        matches!(self, Self::Active | Self::Pinned)
    }

    /// Whether a person set it, so that no learner may change it.
    pub const fn is_by_hand(self) -> bool {
        matches!(self, Self::Pinned | Self::Vetoed)
    }

    /// Whether it stands where the same rule has both: a person's word, and of two the veto.
    pub(crate) const fn outweighs(self, other: Self) -> bool {
        self.is_by_hand() && !other.is_by_hand()
            || matches!((self, other), (Self::Vetoed, Self::Pinned))
    }
}

/// A rule with its status, its origin and its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The rule.
    pub rule: Rule,
    /// Its status.
    #[serde(default)]
    pub status: Status,
    /// Who proposed it: `tree`, `classes`, `hand`, the name of an imported list.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The evidence for and against it.
    #[serde(default)]
    pub evidence: Evidence,
}

/// An example of what a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// A URL that the rule changes.
    pub copy: String,
    /// The other URL, which the rule changes as well or leaves as it is.
    pub original: String,
    /// What the rule makes of both, if that is neither of them; of no use if other rules are involved.
    pub made: Option<String>,
}

impl Rule {
    /// Orders a pair of URLs that the rule makes one: the one that it changes comes first.
    ///
    /// ```
    /// use nodust_middleware::rules::Rule;
    ///
    /// let rule: Rule = "=> drop:query.sid".parse()?;
    /// let pair = ["http://e.org/a", "http://e.org/a?sid=1"].map(str::to_owned);
    /// let shown = rule.show(&pair);
    /// assert_eq!((&*shown.copy, &*shown.original, shown.made), ("http://e.org/a?sid=1", "http://e.org/a", None));
    ///
    /// let pair = ["http://e.org/a?sid=2", "http://e.org/a?sid=1"].map(str::to_owned);
    /// assert_eq!(rule.show(&pair).made.as_deref(), Some("http://e.org/a"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn show(&self, [one, other]: &[String; 2]) -> Shown {
        let alone = SiteRules::new("", [self.clone()]);
        let made = |url: &str| Some(alone.canon(url)?.class);
        let (of_one, of_other) = (made(one), made(other));
        let is_turned = of_one.is_none() && of_other.is_some();
        let (copy, original) = if is_turned {
            (other, one)
        } else {
            (one, other)
        };
        Shown {
            copy: copy.clone(),
            original: original.clone(),
            made: of_one
                .filter(|one| Some(one) == of_other.as_ref() && one != original && one != copy),
        }
    }
}

impl Entry {
    /// A rule written by a person, applied from the start.
    pub fn by_hand(rule: Rule) -> Self {
        Self {
            rule,
            status: Status::Pinned,
            by: "hand".to_owned(),
            evidence: Evidence::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Rule, Status, wilson};

    #[test]
    fn shares_of_pairs_are_as_sure_as_the_groups_they_come_from() {
        let of = |[support, false_pairs, trials, failures]: [u64; 4]| Evidence {
            support,
            false_pairs,
            trials,
            failures,
            saved: support,
            lost: false_pairs,
            ..Evidence::default()
        };
        assert_eq!(of([9_999, 0, 10, 0]).fpr_interval(), wilson(0, 10));
        assert_eq!(of([40, 4, 40, 4]).fpr_interval(), wilson(4, 40));
        // A failure in a large group speaks for many pairs, and is one case all the same.
        let (low, high) = of([198, 99, 100, 1]).fpr_interval();
        assert!(low < 0.1 && high >= 1.0, "{low} {high}");
        for measured in [[0, 0, 9, 0], [9, 1, 0, 0]] {
            assert_eq!(
                of(measured).fpr_interval(),
                (0.0, 1.0),
                "nothing to tell by"
            );
        }
        for counts in [[50, 7, 20, 3], [50, 7, 20, 0], [50, 0, 20, 3], [7, 7, 1, 1]] {
            let evidence = of(counts);
            let (low, high) = evidence.fpr_interval();
            assert!((0.0..=evidence.fpr()).contains(&low), "{counts:?}: {low}");
            assert!((evidence.fpr()..=1.0).contains(&high), "{counts:?}: {high}");
            assert_eq!(evidence.loss_interval(), (low, high));
        }
        let (_, high) = of([50, 0, 20, 3]).fpr_interval();
        assert!(
            high >= wilson(3, 20).1,
            "the failures speak, whatever the pairs say"
        );
    }

    #[test]
    fn a_status_is_printed_as_a_file_has_it_and_filled_up_to_a_width() {
        assert_eq!(
            format!("{:9}|{}", Status::Active, Status::Withdrawn),
            "active   |withdrawn"
        );
    }

    #[test]
    fn conditions_have_no_order() {
        let a: Rule = "has:query.a is:len=1 => drop:query.a".parse().unwrap();
        let b: Rule = "is:len=1 has:query.a has:query.a => drop:query.a"
            .parse()
            .unwrap();
        assert_eq!(a, b);
        assert_eq!(a.belief("e.org"), b.belief("e.org"));
        assert_ne!(a.belief("e.org"), a.belief("f.org"));
    }

    #[test]
    fn half_a_rule_is_refused() {
        for text in [
            "",
            "has:query.a",
            "has:query.a =>",
            "=> => sort",
            "x => sort",
        ] {
            assert!(text.parse::<Rule>().is_err(), "{text}");
        }
    }

    #[test]
    fn wilson_agrees_with_the_textbook() {
        let (low, high) = wilson(0, 10);
        assert!(low == 0.0 && (high - 0.2775).abs() < 1e-3);
        for trials in 1..2000 {
            assert_eq!((wilson(0, trials).0, wilson(trials, trials).1), (0.0, 1.0));
        }
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
