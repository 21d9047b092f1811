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
    let one = |from, to| proposals(from, to, salient, least);
    one(b, a).or_else(|| one(a, b)).unwrap_or_default()
}

fn proposals(
    from: &Parts<'_>,
    to: &Parts<'_>,
    salient: &Salient,
    least: u32,
) -> Option<Vec<Proposal>> {
    let gaps = gaps(&from.segs, &to.segs)?;
    // Nothing can be put between two segments.
    if gaps.iter().any(|gap| gap.from.len() < gap.to.len())
        || gaps.iter().all(|gap| gap.to.is_empty())
    {
        return None;
    }
    let seg = |at: usize| Key::Seg(at as u8);
    let mut edits = Vec::new();
    // From the end, so that positions stay true while segments go.
    for gap in gaps.iter().rev() {
        let kept = gap.from.start + gap.to.len();
        edits.extend((kept..gap.from.end).rev().map(|at| Edit::Drop(seg(at))));
        let set = gap.from.clone().zip(gap.to.clone());
        edits.extend(set.map(|(at, other)| Edit::Set(seg(at), (&*to.segs[other]).into())));
    }
    let is_known = |condition: &Condition| salient.is_met_by(condition, least.max(2));
    // What is put in the place of others is the same for many.
    let is_named = |(gap, at): (&Gap, usize)| {
        let condition = Condition::Is(
            seg(gap.to.start + at),
            (&*to.segs[gap.to.start + at]).into(),
        );
        is_known(&condition)
    };
    if !gaps
        .iter()
        .flat_map(|gap| (0..gap.to.len()).map(move |at| (gap, at)))
        .all(is_named)
    {
        return None;
    }
    let len = Condition::Is(Key::Len, from.segs.len().to_string().into());
    let is = |at: usize| Condition::Is(seg(at), (&*from.segs[at]).into());
    let gone: Vec<usize> = gaps.iter().flat_map(|gap| gap.from.clone()).collect();
    let many: Vec<Condition> = gone
        .iter()
        .map(|at| is(*at))
        .filter(|condition| salient.is_usual(condition))
        .collect();
    let all: Vec<Condition> = gone.iter().map(|at| is(*at)).collect();
    let mut proposals = Vec::new();
    for mut conditions in [many, all] {
        conditions.push(len.clone());
        if conditions.len() > 1 && proposals.iter().all(|(known, _)| *known != conditions) {
            proposals.push((conditions, edits.clone()));
        }
    }
    Some(proposals)
}

/// Where the paths differ, between the segments that they have in common; `None` if they have none.
fn gaps<T: PartialEq>(from: &[T], to: &[T]) -> Option<Vec<Gap>> {
    if from.len().max(to.len()) > LONGEST {
        return None;
    }
    // Of what is left from each pair of places on, the most segments in common.
    let mut most = vec![vec![0u8; to.len() + 1]; from.len() + 1];
    for i in (0..from.len()).rev() {
        for j in (0..to.len()).rev() {
            most[i][j] = if from[i] == to[j] {
                most[i + 1][j + 1] + 1
            } else {
                most[i + 1][j].max(most[i][j + 1])
            };
        }
    }
    if most[0][0] == 0 {
        return None;
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
