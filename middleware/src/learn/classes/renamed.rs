//! Finds paths that name the same thing under other folders: `/exec/obidos/tg/detail/-/B0094` and `/dp/B0094`, `/questions/17/why-not` and `/q/17`.
//!
//! Segments that both paths have stay, and what lies between them is replaced. Beyond that, segments of the longer path go.

use super::{Proposal, salient::Salient};
use crate::rules::{Condition, Edit, Key, Parts};

/// Longest path that is compared: the time grows with the square.
const LONGEST: usize = 12;

/// Segments of one path, and those of the other that take their place.
#[derive(Debug, PartialEq, Eq)]
struct Gap {
    from: std::ops::Range<usize>,
    to: std::ops::Range<usize>,
}

/// What makes one of the paths the other, if both have a segment in common. What asks for a segment that fewer than `least` URLs have is left out.
pub(super) fn renamed(
    a: &Parts<'_>,
    b: &Parts<'_>,
    salient: &Salient,
    least: u32,
) -> Vec<Proposal> {
    let one = |from: &Parts<'_>, to: &Parts<'_>| {
        let gaps = gaps(&from.segs, &to.segs)?;
        let is_replaced = |gap: &Gap| !gap.from.is_empty() && !gap.to.is_empty();
        if !gaps.iter().any(is_replaced) {
            return None;
        }
        let has_room = gaps.iter().all(|gap| gap.from.len() >= gap.to.len());
        let edits = if has_room {
            replacing(&gaps, to)
        } else {
            written_anew(&gaps, from, to)?
        };
        proposals(&gaps, &edits, (from, to), salient, least)
    };
    let has_parameters_of = |from: &Parts<'_>, to: &Parts<'_>| {
        to.query
            .iter()
            .all(|param| from.query_value(&param.name).is_some())
    };
    // The one that has the other's parameters, too, can be told to leave its own out.
    let (first, second) = if has_parameters_of(b, a) {
        ((b, a), (a, b))
    } else {
        ((a, b), (b, a))
    };
    one(first.0, first.1)
        .or_else(|| one(second.0, second.1))
        .unwrap_or_default()
}

pub(super) const fn seg(at: usize) -> Key {
    Key::Seg(at as u8)
}

fn set(at: usize, value: &str) -> Edit {
    Edit::Set(seg(at), value.into())
}

/// Each gap is filled where it is, and what is too much goes.
fn replacing(gaps: &[Gap], to: &Parts<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    // From the end, so that positions stay true while segments go.
    for gap in gaps.iter().rev() {
        let kept = gap.from.start + gap.to.len();
        edits.extend((kept..gap.from.end).rev().map(|at| Edit::Drop(seg(at))));
        let places = gap.from.clone().zip(gap.to.clone());
        edits.extend(places.map(|(at, other)| set(at, &to.segs[other])));
    }
    edits
}

/// The other path is written behind what is left of this one, which then goes: nothing can be put between two segments.
fn written_anew(gaps: &[Gap], from: &Parts<'_>, to: &Parts<'_>) -> Option<Vec<Edit>> {
    let first = gaps.first()?;
    let end = from.segs.len();
    let mut edits = Vec::new();
    let (mut own, mut gaps) = (first.from.start, gaps.iter().peekable());
    let mut other = first.to.start;
    while other < to.segs.len() {
        let place = end + other - first.to.start;
        if let Some(gap) = gaps.next_if(|gap| gap.to.start == other || gap.from.start == own) {
            let values = gap.to.clone();
            edits.extend(values.map(|at| set(end + at - first.to.start, &to.segs[at])));
            (own, other) = (gap.from.end, gap.to.end);
            continue;
        }
        edits.push(Edit::Copy(seg(own), seg(place)));
        (own, other) = (own + 1, other + 1);
    }
    edits.extend((first.from.start..end).rev().map(|at| Edit::Drop(seg(at))));
    Some(edits)
}

/// These edits with the conditions under which they may be right: that all segments that go are these, or those of them that many URLs have.
fn proposals(
    gaps: &[Gap],
    edits: &[Edit],
    (from, to): (&Parts<'_>, &Parts<'_>),
    salient: &Salient,
    least: u32,
) -> Option<Vec<Proposal>> {
    let is = |parts: &Parts<'_>, at: usize| Condition::Is(seg(at), (&*parts.segs[at]).into());
    // What is put in the place of others is the same for many.
    let mut put = gaps.iter().flat_map(|gap| gap.to.clone());
    if !put.all(|at| salient.is_met_by(&is(to, at), least.max(2))) {
        return None;
    }
    let all: Vec<Condition> = gaps
        .iter()
        .flat_map(|gap| gap.from.clone())
        .map(|at| is(from, at))
        .collect();
    let many: Vec<Condition> = all
        .iter()
        .filter(|condition| salient.is_usual(condition))
        .cloned()
        .collect();
    let len = Condition::Is(Key::Len, from.segs.len().to_string().into());
    let mut proposals: Vec<Proposal> = Vec::new();
    for mut conditions in [many, all] {
        conditions.push(len.clone());
        if conditions.len() > 1 && proposals.iter().all(|(known, _)| *known != conditions) {
            proposals.push((conditions, edits.to_owned()));
        }
    }
    Some(proposals)
}

/// Where the paths differ, between the segments that they have in common; `None` if they have none.
fn gaps<T: PartialEq>(from: &[T], to: &[T]) -> Option<Vec<Gap>> {
    if from.len().max(to.len()) > LONGEST || !from.iter().any(|segment| to.contains(segment)) {
        return None;
    }
    // Of what is left from each pair of places on, the most segments in common.
    let mut most = [[0u8; LONGEST + 1]; LONGEST + 1];
    for i in (0..from.len()).rev() {
        for j in (0..to.len()).rev() {
            most[i][j] = if from[i] == to[j] {
                most[i + 1][j + 1] + 1
            } else {
                most[i + 1][j].max(most[i][j + 1])
            };
        }
    }
    let (mut gaps, mut i, mut j) = (Vec::new(), 0, 0);
    let (mut begin_i, mut begin_j) = (0, 0);
    loop {
        let is_end = i == from.len() || j == to.len() || most[i][j] == 0;
        if is_end || from[i] == to[j] {
            let (end_i, end_j) = if is_end {
                (from.len(), to.len())
            } else {
                (i, j)
            };
            if begin_i < end_i || begin_j < end_j {
                gaps.push(Gap {
                    from: begin_i..end_i,
                    to: begin_j..end_j,
                });
            }
            if is_end {
                return Some(gaps);
            }
            (i, j) = (i + 1, j + 1);
            (begin_i, begin_j) = (i, j);
        } else if most[i + 1][j] >= most[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Parts, Salient, renamed};
    use crate::rules::Rule;

    /// What the paths propose, if all their segments are ones that many URLs have.
    fn proposed(a: &str, b: &str) -> Vec<Rule> {
        let (a, b) = (Parts::parse(a).unwrap(), Parts::parse(b).unwrap());
        let salient = Salient {
            least: 1,
            ..Salient::default()
        };
        let all = b.pairs().into_iter().chain(a.pairs());
        let counts = all
            .map(|(key, value)| (super::super::salient::mark(&key, &value), 9))
            .collect();
        let salient = Salient { counts, ..salient };
        let proposals = renamed(&a, &b, &salient, 2);
        proposals
            .into_iter()
            .map(|(conditions, edits)| Rule::new(conditions, edits))
            .collect()
    }

    #[test]
    fn folders_are_replaced_and_what_is_too_much_goes() {
        for (a, b, rule) in [
            (
                "http://e.org/exec/ASIN/B09",
                "http://e.org/exec/tg/detail/-/B09",
                "is:len=5 is:seg.0=exec is:seg.1=tg is:seg.2=detail is:seg.3=- => drop:seg.3 drop:seg.2 set:seg.1=ASIN",
            ),
            (
                "http://e.org/q/17",
                "http://e.org/questions/17/why-not",
                "is:len=3 is:seg.0=questions is:seg.2=why-not => drop:seg.2 set:seg.0=q",
            ),
            // The first one alone can leave out its parameter.
            (
                "http://e.org/dp/B09?tag=x",
                "http://e.org/exec/ASIN/B09",
                "is:len=2 is:seg.0=dp => set:seg.2=exec set:seg.3=ASIN copy:seg.1>seg.4 drop:seg.1 drop:seg.0",
            ),
        ] {
            let rule: Rule = rule.parse().unwrap();
            let all = proposed(a, b);
            assert!(
                all.iter().any(|own| own.edits == rule.edits),
                "{rule}: {all:?}"
            );
        }
        assert!(
            proposed("http://e.org/a/b", "http://e.org/c/d").is_empty(),
            "nothing in common"
        );
        assert!(
            proposed("http://e.org/a", "http://e.org/print/a").is_empty(),
            "nothing is replaced"
        );
    }

    proptest! {
        #[test]
        fn what_is_proposed_makes_one_path_the_other(a in "(/[a-e]){1,5}", b in "(/[a-e]){1,5}") {
            let (a, b) = (format!("http://e.org{a}"), format!("http://e.org{b}"));
            for rule in proposed(&a, &b) {
                let made = |url: &str| {
                    let mut parts = Parts::parse(url).unwrap();
                    rule.apply(&mut parts).then(|| parts.render())
                };
                let is_made = made(&a).as_deref() == Some(&*b) || made(&b).as_deref() == Some(&*a);
                prop_assert!(is_made, "{}: {} {}", rule, a, b);
                prop_assert_eq!(rule.to_string().parse(), Ok(rule));
            }
        }
    }
}
