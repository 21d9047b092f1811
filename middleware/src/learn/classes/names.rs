//! Finds names that both paths have, written in two ways: `/topic/17` and `/topic17.html`, `/users/kim` and `/~kim`.

use super::Proposal;
use crate::{
    cut::{around, ends_in_word, shared_name},
    rules::{Condition, Edit, Key, Parts, Wrap},
};

/// A segment, and what stands there around a name.
type Around<'a> = (usize, (&'a str, &'a str));

/// What a URL must show for a name to be told in a segment, which is the last of so many where an extension follows the name;
/// `None` where no conditions say it.
pub(super) fn holds_name((at, (before, behind)): Around<'_>, of: usize) -> Option<Vec<Condition>> {
    let key = Key::Seg(at as u8);
    if ends_in_word(before) {
        return Some(vec![Condition::Like(
            key,
            format!("{before}#{behind}").into(),
        )]);
    }
    let begins = |key| Condition::Starts(key, before.into());
    Some(match behind.strip_prefix('.') {
        None if before.is_empty() => vec![Condition::Has(key)],
        None => vec![begins(key)],
        // Without the extension nothing is taken out of the segment, and what else the rule does would still be done.
        Some(extension) if at + 1 == of => {
            let mut conditions = vec![
                Condition::Is(Key::Len, of.to_string().into()),
                Condition::Is(Key::Ext, extension.into()),
            ];
            conditions.extend((!before.is_empty()).then(|| begins(key)));
            conditions
        }
        Some(_) => return None,
    })
}

/// What makes the path of `b` that of `a`: the name is taken out, other segments are put before it, and it is written the
/// other way.
pub(super) fn respelled(a: &Parts<'_>, b: &Parts<'_>) -> Option<Proposal> {
    let same = |(x, y): &(_, _)| x == y;
    let alike = a
        .segs
        .iter()
        .rev()
        .zip(b.segs.iter().rev())
        .take_while(same);
    let alike = alike.count();
    let (a_name, a_before) = a.segs[..a.segs.len() - alike].split_last()?;
    let (b_name, b_before) = b.segs[..b.segs.len() - alike].split_last()?;
    let (to, from) = (a_before.len(), b_before.len());
    if to > from {
        return None;
    }
    let name = shared_name(a_name, b_name)?;
    let (a_around, b_around) = (around(a_name, name)?, around(b_name, name)?);
    let first = a_before.iter().zip(b_before).take_while(same).count();
    let is_one_folder = first == from;
    // What signs part from the rest of a name in one folder is a piece of it, or its extension.
    let is_glued = ends_in_word(a_around.0) || ends_in_word(b_around.0);
    if is_one_folder && (!is_glued || a_around.0 == b_around.0) {
        return None;
    }
    let seg = |at: usize| Key::Seg(at as u8);
    let mut conditions: Vec<Condition> = (first..from)
        .map(|at| Condition::Is(seg(at), (&*b_before[at]).into()))
        .collect();
    if is_one_folder {
        let len = b.segs.len().to_string();
        conditions.push(Condition::Is(Key::Len, len.into()));
    }
    if b_around == ("", "") && ends_in_word(a_around.0) {
        conditions.push(Condition::Like(seg(from), "#".into()));
    } else {
        conditions.extend(holds_name((from, b_around), b.segs.len())?);
    }
    let wrap = |(before, behind)| Wrap::new(before, behind);
    let mut edits: Vec<Edit> = wrap(b_around)
        .map(|wrap| Edit::Unwrap(seg(from), wrap))
        .into_iter()
        .collect();
    // From the end, so that positions stay true while segments go.
    edits.extend((to..from).rev().map(|at| Edit::Drop(seg(at))));
    let set = |at: usize| Edit::Set(seg(at), (&*a_before[at]).into());
    edits.extend(
        (first..to)
            .filter(|at| a_before[*at] != b_before[*at])
            .map(set),
    );
    edits.extend(wrap(a_around).map(|wrap| Edit::Wrap(seg(to), wrap)));
    Some((conditions, edits))
}
