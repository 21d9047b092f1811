//! Selects rules that do not contradict each other, and the order in which they chain.
//!
//! This is the graph selection of Lei et al. (WWW 2010, equation 7), over rules that hold up on their own. A vertex is
//! a *way of writing*: URLs of one shape and host that the same rules would change. A rule leads from each way that it
//! changes to the way of its results. A walk along the rules finds where the ways end up: within a component that
//! nothing leads out of, the vertex that is visited most is the *destination*. Each other way takes one rule, so that
//! all of them lead to destinations (an in-forest). A rule that leads elsewhere is in conflict:
//!
//! - (a) one way could become either of two others: it takes one of the two rules;
//! - (b) two ways could become each other: only the rule towards the destination stays;
//! - (c) three or more form a cycle: the rule that leads out of the destination is removed.
//!
//! In the printed algorithm, rows of the matrix are normalised, which cancels the rules' weights, and a cycle of three
//! never converges. Here, what a rule does not carry over stays where it is, and so does half of everything in each
//! step.

use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{kinds::shape, table::Table};
use crate::rules::{Parts, Rule, Tokens};

/// URLs that stand for a way of writing.
const SPEAKERS: usize = 3;
/// Ways of writing that are told apart; what leads to further ones is not followed.
const MOST_WAYS: usize = 2_000;
/// Steps of the walk, and the change of one step below which it ends.
const STEPS: usize = 200;
const STILL: f64 = 1e-9;

/// A rule that may be taken: the share of the URLs it changes that it saves, and all that it saves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) share: f64,
    pub(crate) worth: f64,
}

#[derive(Debug)]
struct Way {
    speakers: Vec<String>,
    /// URLs that are written so.
    mass: f64,
    /// Rules that change them.
    changing: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    from: usize,
    to: usize,
    rule: usize,
}

#[derive(Debug)]
struct Graph<'c> {
    candidates: &'c [Candidate<'c>],
    ways: Vec<Way>,
    by_name: FxHashMap<u64, usize>,
    links: Vec<Link>,
    /// Tokens that a URL must have for each candidate to change it.
    needs: Vec<Vec<u32>>,
    /// The way of each text that was asked for.
    known: FxHashMap<String, Option<usize>>,
    /// Candidates that lead from, or to, ways that are too many to be told apart.
    is_beyond: Vec<bool>,
}

/// Positions of the candidates that are free of conflict, in the order in which they are to be applied.
pub(crate) fn choose(table: &Table<'_>, candidates: &[Candidate<'_>]) -> Vec<usize> {
    let mut graph = Graph {
        candidates,
        ways: Vec::new(),
        by_name: FxHashMap::default(),
        links: Vec::new(),
        needs: candidates.iter().map(|c| c.rule.pattern.needs()).collect(),
        known: FxHashMap::default(),
        is_beyond: vec![false; candidates.len()],
    };
    graph.enter(table);
    graph.follow();
    graph.deploy()
}

impl Graph<'_> {
    fn way(&mut self, text: &str, parts: &Parts<'_>, changing: Vec<usize>) -> Option<usize> {
        let rules: Vec<u8> = changing.iter().flat_map(|at| at.to_le_bytes()).collect();
        let name = [parts.scheme.as_bytes(), parts.host.as_bytes(), &rules]
            .iter()
            .fold(shape(parts), |name, part| xxh3_64_with_seed(part, name));
        let next = self.ways.len();
        let at = *self.by_name.entry(name).or_insert(next);
        if at == next {
            if next >= MOST_WAYS {
                self.by_name.remove(&name);
                return None;
            }
            self.ways.push(Way {
                speakers: Vec::new(),
                mass: 1.0,
                changing,
            });
        }
        let speakers = &mut self.ways[at].speakers;
        if speakers.len() < SPEAKERS {
            speakers.push(text.to_owned());
        }
        Some(at)
    }

    /// The ways in which the site writes its URLs.
    fn enter(&mut self, table: &Table<'_>) {
        let mut changing: Vec<Vec<usize>> = vec![Vec::new(); table.rows.len()];
        for (at, candidate) in self.candidates.iter().enumerate() {
            for change in table.changes(candidate.rule) {
                changing[change.at as usize].push(at);
            }
        }
        let rows = table.rows.iter().zip(&table.apart);
        for ((row, parts), changing) in rows.zip(changing) {
            if let Some(at) = self.way(&row.text, parts, changing.clone()) {
                self.ways[at].mass += 1.0;
            } else {
                for at in changing {
                    self.is_beyond[at] = true;
                }
            }
        }
    }

    /// The way of a text that rules have made.
    fn way_of(&mut self, text: String) -> Option<usize> {
        if let Some(at) = self.known.get(&text) {
            return *at;
        }
        let at = Parts::of_class(&text).and_then(|parts| {
            let tokens = Tokens::of(&text);
            let (mut spare, mut made) = (Parts::none(), String::new());
            let mut changes = |at: &usize| {
                tokens.cover(&self.needs[*at])
                    && self.makes(*at, &text, &parts, &mut spare, &mut made)
            };
            let all = 0..self.candidates.len();
            let changing = all.filter(|at| changes(at)).collect();
            self.way(&text, &parts, changing)
        });
        self.known.insert(text, at);
        at
    }

    /// Whether the rule makes another URL of one with these parts, which then is in `made`; `spare` is memory.
    fn makes<'p>(
        &self,
        rule: usize,
        text: &str,
        parts: &'p Parts<'_>,
        spare: &mut Parts<'p>,
        made: &mut String,
    ) -> bool {
        let rule = self.candidates[rule].rule;
        if !rule.pattern.matches(parts) {
            return false;
        }
        spare.borrow_from(parts);
        made.clear();
        rule.edit(spare) && {
            spare.render_into(made);
            made != text
        }
    }

    /// Where the rules lead, also from ways that nobody has met but rules lead to.
    fn follow(&mut self) {
        let mut from = 0;
        while from < self.ways.len() {
            for rule in self.ways[from].changing.clone() {
                let made: Vec<String> = (self.ways[from].speakers.iter())
                    .filter_map(|text| {
                        let parts = Parts::of_class(text)?;
                        let (mut spare, mut made) = (Parts::none(), String::new());
                        let is_other = self.makes(rule, text, &parts, &mut spare, &mut made);
                        is_other.then_some(made)
                    })
                    .collect();
                let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
                for text in made {
                    match self.way_of(text) {
                        Some(to) => *votes.entry(to).or_default() += 1,
                        None => self.is_beyond[rule] = true,
                    }
                }
                let most = votes
                    .into_iter()
                    .max_by_key(|(to, n)| (*n, usize::MAX - to));
                if let Some((to, _)) = most.filter(|(to, _)| *to != from) {
                    self.links.push(Link { from, to, rule });
                }
            }
            from += 1;
        }
    }

    /// How often each way is visited in the long run (equation 7).
    fn visits(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.ways.len()];
        for link in &self.links {
            out[link.from] += 1.0;
        }
        let all: f64 = self.ways.iter().map(|way| way.mass).sum();
        let mut visits: Vec<f64> = self.ways.iter().map(|way| way.mass / all).collect();
        for _ in 0..STEPS {
            let mut next = visits.clone();
            for link in &self.links {
                let share = self.candidates[link.rule].share.clamp(0.0, 1.0);
                let carried = visits[link.from] * share / out[link.from] / 2.0;
                next[link.from] -= carried;
                next[link.to] += carried;
            }
            let change: f64 = next.iter().zip(&visits).map(|(a, b)| (a - b).abs()).sum();
            visits = next;
            if change < STILL {
                break;
            }
        }
        visits
    }

    /// For each way the number of its component: ways of one component lead to each other (Kosaraju).
    fn components(&self) -> Vec<usize> {
        let n = self.ways.len();
        let (mut ahead, mut back) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for link in &self.links {
            ahead[link.from].push(link.to);
            back[link.to].push(link.from);
        }
        let mut order = Vec::with_capacity(n);
        let mut seen = vec![false; n];
        for start in 0..n {
            let mut open = vec![(start, false)];
            while let Some((at, is_done)) = open.pop() {
                if is_done {
                    order.push(at);
                } else if !std::mem::replace(&mut seen[at], true) {
                    open.push((at, true));
                    open.extend(ahead[at].iter().map(|next| (*next, false)));
                }
            }
        }
        let mut of = vec![usize::MAX; n];
        for start in order.into_iter().rev() {
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                if of[at] == usize::MAX {
                    of[at] = start;
                    open.extend(&back[at]);
                }
            }
        }
        of
    }

    /// The link that each way takes; destinations take none.
    fn forest(&self) -> Vec<Option<Link>> {
        let visits = self.visits();
        let component = self.components();
        let mut is_bottom = vec![true; self.ways.len()];
        for link in &self.links {
            if component[link.from] != component[link.to] {
                is_bottom[component[link.from]] = false;
            }
        }
        let mut best: FxHashMap<usize, usize> = FxHashMap::default();
        for at in (0..self.ways.len()).filter(|at| is_bottom[component[*at]]) {
            let best = best.entry(component[at]).or_insert(at);
            let length = |at: usize| self.ways[at].speakers.first().map_or(0, String::len);
            // What the walk cannot tell apart but by rounding is decided by length, then by order.
            let is_better = visits[at] > visits[*best] + STILL
                || visits[at] > visits[*best] - STILL && length(at) < length(*best);
            if is_better {
                *best = at;
            }
        }
        let mut into = vec![Vec::new(); self.ways.len()];
        for (at, link) in self.links.iter().enumerate() {
            into[link.to].push(at);
        }
        // The heaviest link into the forest first: by what its rule saves, then by how much its end is visited.
        let mut open: BinaryHeap<(u64, u64, std::cmp::Reverse<usize>)> = BinaryHeap::new();
        let weight = |at: usize| {
            let link = &self.links[at];
            let worth = self.candidates[link.rule].worth.max(0.0);
            (
                worth.to_bits(),
                visits[link.to].to_bits(),
                std::cmp::Reverse(at),
            )
        };
        let mut taken: Vec<Option<Link>> = vec![None; self.ways.len()];
        let mut is_in = vec![false; self.ways.len()];
        for at in best.into_values() {
            is_in[at] = true;
            open.extend(into[at].iter().map(|link| weight(*link)));
        }
        while let Some((_, _, std::cmp::Reverse(at))) = open.pop() {
            let link = self.links[at];
            if !std::mem::replace(&mut is_in[link.from], true) {
                taken[link.from] = Some(link);
                open.extend(into[link.from].iter().map(|link| weight(*link)));
            }
        }
        taken
    }

    /// The rules that the forest needs and that do not act against it elsewhere, those far from destinations first.
    fn deploy(&self) -> Vec<usize> {
        let taken = self.forest();
        let chain = |mut at: usize| {
            let mut ways = vec![at];
            while let Some(link) = taken[at] {
                at = link.to;
                ways.push(at);
            }
            ways
        };
        let chains: Vec<Vec<usize>> = (0..self.ways.len()).map(chain).collect();
        let mut uses = vec![Use::default(); self.candidates.len()];
        for link in &self.links {
            let (from, to) = (&chains[link.from], &chains[link.to]);
            let mass = self.ways[link.from].mass;
            let of = &mut uses[link.rule];
            if taken[link.from].is_some_and(|own| own.rule == link.rule && own.to == link.to) {
                of.needed += mass;
                of.depth += mass * from.len() as f64;
            } else if from.last() != to.last() || to.contains(&link.from) {
                of.against += mass;
            }
        }
        let mut rules: Vec<usize> = (0..uses.len())
            .filter(|at| uses[*at].needed > 0.0 && uses[*at].against <= uses[*at].needed)
            .collect();
        let depth = |at: &usize| uses[*at].depth / uses[*at].needed;
        rules.sort_by(|a, b| depth(b).total_cmp(&depth(a)).then(a.cmp(b)));
        // Of those without a place in the graph it knows nothing: they answer for themselves, behind the others.
        let mut is_linked = vec![false; uses.len()];
        for link in &self.links {
            is_linked[link.rule] = true;
        }
        rules.extend((0..uses.len()).filter(|at| self.is_beyond[*at] && !is_linked[*at]));
        rules
    }
}

/// How much of the site's writing needs a rule, and how much it would lead astray.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    needed: f64,
    against: f64,
    /// Length of the chains that it begins, times what needs it.
    depth: f64,
}

#[cfg(test)]
mod tests {
    use super::{Candidate, choose};
    use crate::{
        learn::{Sample, table::Table},
        rules::{Rule, SiteRules},
    };

    const VIEW_SHOW: &str =
        "is:seg.0=view has:query.id no:query.doc => move:query.id>query.doc set:seg.0=show";
    const VIEW_READ: &str =
        "is:seg.0=view has:query.id no:query.text => move:query.id>query.text set:seg.0=read";
    const SHOW_VIEW: &str =
        "is:seg.0=show has:query.doc no:query.id => move:query.doc>query.id set:seg.0=view";
    const SHOW_READ: &str =
        "is:seg.0=show has:query.doc no:query.text => move:query.doc>query.text set:seg.0=read";
    const READ_VIEW: &str =
        "is:seg.0=read has:query.text no:query.id => move:query.text>query.id set:seg.0=view";
    const SESSION: &str = "has:query.sid => drop:query.sid";

    /// The rules that are chosen of these, on a site that shows 40 pages under each of the `ways`.
    fn chosen(ways: &[&str], rules: &[&str]) -> Vec<Rule> {
        let samples: Vec<Sample> = (0..40)
            .flat_map(|n| {
                let urls = ways.iter().map(move |way| way.replace('#', &n.to_string()));
                urls.map(move |url| {
                    Sample::new(format!("http://e.com/{url}"), &format!("page {n}"))
                })
            })
            .collect();
        let table = Table::new(&samples, 200);
        let rules: Vec<Rule> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        let candidates: Vec<Candidate<'_>> = rules
            .iter()
            .map(|rule| {
                let deed = table.try_rule(rule);
                Candidate {
                    rule,
                    share: deed.saved as f64 / deed.changed as f64,
                    worth: deed.saved as f64,
                }
            })
            .collect();
        let order = choose(&table, &candidates);
        order.into_iter().map(|at| rules[at].clone()).collect()
    }

    /// Different URLs among these once the rules have spoken; each of them is its own.
    fn classes(rules: &[Rule], urls: &[&str]) -> usize {
        let rules = SiteRules::new("", rules.to_vec());
        let mut classes: Vec<String> = urls
            .iter()
            .map(|url| {
                let url = format!("http://e.com/{url}");
                let class = rules.canon(&url).map_or(url, |canon| canon.class);
                assert!(rules.canon(&class).is_none());
                class
            })
            .collect();
        classes.sort();
        classes.dedup();
        classes.len()
    }

    #[test]
    fn rules_about_more_ways_of_writing_than_are_told_apart_are_not_forgotten() {
        let many: Vec<String> = (0..2_100).map(|n| format!("a/p?k{n}=#")).collect();
        let mut ways: Vec<&str> = many.iter().map(String::as_str).collect();
        ways.extend(["z/p?a=#", "z/p?a=#&sid=1"]);
        assert_eq!(chosen(&ways, &[SESSION]), [SESSION.parse().unwrap()]);
    }

    const WAYS: [&str; 3] = ["view?id=p#", "show?doc=p#", "read?text=p#"];
    const NEW: [&str; 3] = ["view?id=new", "show?doc=new", "read?text=new"];

    #[test]
    fn a_way_that_could_become_either_of_two_takes_one_rule() {
        let rules = chosen(&WAYS, &[VIEW_SHOW, VIEW_READ]);
        assert_eq!(rules.len(), 1, "{rules:?}");
        // With a rule between the two, both lead to one end, and no page has two.
        let rules = chosen(&WAYS, &[VIEW_SHOW, VIEW_READ, SHOW_READ]);
        assert_eq!(classes(&rules, &NEW), 1, "{rules:?}");
    }

    #[test]
    fn of_two_ways_that_could_become_each_other_one_stays() {
        let rules = chosen(&WAYS[..2], &[VIEW_SHOW, SHOW_VIEW]);
        assert_eq!(rules.len(), 1, "{rules:?}");
        assert_eq!(classes(&rules, &NEW[..2]), 1);
    }

    #[test]
    fn a_circle_of_three_is_cut_where_it_leaves_its_destination() {
        let rules = chosen(&WAYS, &[VIEW_SHOW, SHOW_READ, READ_VIEW]);
        assert_eq!(rules.len(), 2, "{rules:?}");
        assert_eq!(classes(&rules, &NEW), 1);
    }

    #[test]
    fn rules_chain_and_what_lies_far_from_the_destination_comes_first() {
        let ways = ["old/p#?sid=a#", "view?id=p#&sid=b#", "view?id=p#"];
        let old = "is:len=2 is:seg.0=old no:query.id => move:seg.1>query.id set:seg.0=view";
        let rules = chosen(&ways, &[SESSION, old]);
        assert_eq!(rules.len(), 2, "{rules:?}");
        let new = ["old/new?sid=x", "view?id=new&sid=y", "view?id=new"];
        assert_eq!(classes(&rules, &new), 1);
    }

    #[test]
    fn rules_that_do_not_meet_are_all_taken() {
        let ways = ["view?id=p#", "view?id=p#&sid=s#", "view?hl=h#&id=p#"];
        let rules = chosen(&ways, &[SESSION, "has:query.hl => drop:query.hl"]);
        assert_eq!(rules.len(), 2, "{rules:?}");
    }
}
