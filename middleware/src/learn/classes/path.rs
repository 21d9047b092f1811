//! Edits that would make two paths equal.

use super::{Proposal, query::sorts};
use crate::{
    cut::{narrowest, without_extension},
    rules::{Condition, Edit, Key, Parts, Wrap, digit_shape},
};

pub(super) fn path_differences(a: &Parts<'_>, b: &Parts<'_>) -> Vec<Proposal> {
    if a.segs.len() != b.segs.len() {
        let (long, short) = if a.segs.len() > b.segs.len() {
            (a, b)
        } else {
            (b, a)
        };
        return dropped_segments(long, short);
    }
    let at: Vec<usize> = (0..a.segs.len())
        .filter(|i| a.segs[*i] != b.segs[*i])
        .collect();
    let len = Condition::Is(Key::Len, a.segs.len().to_string().into());
    let seg = |i: usize| Key::Seg(i as u8);
    if at
        .iter()
        .all(|i| a.segs[*i].eq_ignore_ascii_case(&b.segs[*i]))
    {
        let each: Vec<Edit> = at.iter().map(|i| Edit::Lower(seg(*i))).collect();
        return vec![
            (Vec::new(), vec![Edit::LowerPath]),
            (Vec::new(), each.clone()),
            (vec![len], each),
        ];
    }
    let mut proposals = Vec::new();
    if let (Some((x, ext_a)), Some((y, ext_b))) = (a.ext(), b.ext())
        && at.len() == 1
        && x == y
    {
        proposals.push((
            vec![Condition::Is(Key::Ext, ext_b.into())],
            vec![Edit::Set(Key::Ext, ext_a.into())],
        ));
    }
    if at.len() == 1 && at[0] + 1 == a.segs.len() {
        for (with, without) in [(a, b), (b, a)] {
            if let Some((stem, ext)) = with.ext()
                && *stem == *without.segs[at[0]]
            {
                let is = Condition::Is(Key::Ext, ext.into());
                return vec![(vec![is], vec![Edit::Drop(Key::Ext)])];
            }
        }
    }
    if let Some(numbers) = number_differences(a, b, &at) {
        proposals.push(numbers);
    }
    if at.len() <= 3 {
        let mask: Vec<Edit> = at.iter().map(|i| Edit::Mask(seg(*i))).collect();
        proposals.push((vec![len.clone()], mask));
    }
    if let [i] = at[..] {
        if let Some(piece) = piece_difference(seg(i), &a.segs[i], &b.segs[i]) {
            proposals.push((vec![len.clone()], vec![piece]));
        }
        let (x, y) = (without_extension(&a.segs[i]), without_extension(&b.segs[i]));
        let sorts = sorts(x, y).map(|sign| vec![Edit::SortItems(seg(i), sign)]);
        proposals.extend(sorts.map(|edits| (vec![len.clone()], edits)));
        proposals.extend(respelling(&b.segs[i], &a.segs[i]).map(|(old, new)| {
            let key = if i + 1 == a.segs.len() {
                Key::Tail(0)
            } else {
                seg(i)
            };
            let edit = match new {
                Some(new) => Edit::Respell(key, old, new),
                None => Edit::Unwrap(key, old),
            };
            (Vec::new(), vec![edit])
        }));
        let (va, vb): (Box<str>, Box<str>) = ((&*a.segs[i]).into(), (&*b.segs[i]).into());
        let set = vec![Edit::Set(seg(i), va)];
        proposals.push((vec![Condition::Is(seg(i), vb.clone())], set.clone()));
        proposals.push((vec![Condition::Is(seg(i), vb), len], set));
    }
    proposals
}

/// A piece of a segment: `7-some-title` and `7-another`.
fn piece_difference(key: Key, one: &str, other: &str) -> Option<Edit> {
    let (x, y) = (without_extension(one), without_extension(other));
    let (sign, cut) = narrowest(x, y).filter(|_| one[x.len()..] == other[y.len()..])?;
    Some(Edit::MaskPiece(key, cut, sign.into()))
}

/// Texts that stand around one name in two segments, with a sign between: `lake_large.html` and `lake.html`, `small-lake` and `big-lake`; nothing may
/// stand around the name in the second one.
pub(in crate::learn) fn respelling(old: &str, new: &str) -> Option<(Wrap, Option<Wrap>)> {
    let (x, y) = (without_extension(old), without_extension(new));
    let is_sign = |octet: &u8| octet.is_ascii() && !octet.is_ascii_alphanumeric();
    let same = x.bytes().zip(y.bytes()).take_while(|(a, b)| a == b).count();
    // The name ends where one of them does, or before a sign.
    let ends = |text: &str, at: usize| text.as_bytes().get(at).is_none_or(is_sign);
    let ends_both = |at: &usize| ends(x, *at) && ends(y, *at) && x.is_char_boundary(*at);
    if let Some(at) = (1..=same).rev().find(ends_both) {
        return turning(old, new, ("", &old[at..]), ("", &new[at..]));
    }
    let same = old
        .bytes()
        .rev()
        .zip(new.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let begins = |text: &str, len: usize| {
        let at = text.len() - len;
        at == 0 || is_sign(&text.as_bytes()[at - 1])
    };
    let begins_both = |len: &usize| {
        begins(old, *len) && begins(new, *len) && old.is_char_boundary(old.len() - len)
    };
    let name = (1..=same).rev().find(begins_both)?;
    turning(
        old,
        new,
        (&old[..old.len() - name], ""),
        (&new[..new.len() - name], ""),
    )
}

/// What stands around the name, if the one put for the other makes of the one text the other.
fn turning(
    old: &str,
    new: &str,
    around: (&str, &str),
    other: (&str, &str),
) -> Option<(Wrap, Option<Wrap>)> {
    // A rule's line parts the two by that sign.
    if [around.0, around.1, other.0, other.1]
        .iter()
        .any(|text| text.contains('>'))
    {
        return None;
    }
    let first = Wrap::new(around.0, around.1)?;
    let name = first.off(old)?;
    let second = Wrap::new(other.0, other.1);
    let made = match &second {
        Some(second) => second.on(name)?,
        None => name.to_owned(),
    };
    (made == new).then_some((first, second))
}

/// Numbers in which two segments may differ. Of longer rows of numbers each pair would propose a choice of its own, where the whole
/// segment is what does not matter.
const MOST_NUMBERS: usize = 4;

/// Numbers inside segments of one shape: `topic,7.msg31` and `topic,7.msg45`.
fn number_differences(a: &Parts<'_>, b: &Parts<'_>, at: &[usize]) -> Option<Proposal> {
    let mut conditions = Vec::new();
    let mut edits = Vec::new();
    for i in at {
        let shape = digit_shape(&a.segs[*i])?;
        if digit_shape(&b.segs[*i])? != shape {
            return None;
        }
        let key = Key::Seg(*i as u8);
        for (nth, (x, y)) in numbers(&a.segs[*i]).zip(numbers(&b.segs[*i])).enumerate() {
            if x != y {
                edits.push(Edit::MaskDigits(key.clone(), nth as u8));
            }
        }
        conditions.push(Condition::Like(key, shape.into()));
    }
    (edits.len() <= MOST_NUMBERS).then_some((conditions, edits))
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|n| !n.is_empty())
}

/// The shorter path is the longer one with segments left out.
fn dropped_segments(long: &Parts<'_>, short: &Parts<'_>) -> Vec<Proposal> {
    let dropped = left_out(&long.segs, &short.segs);
    let Some(dropped) = dropped.filter(|d| d.len() <= 3) else {
        return Vec::new();
    };
    // From the end, so that positions stay true while segments go.
    let edits: Vec<Edit> = dropped
        .iter()
        .rev()
        .map(|i| Edit::Drop(Key::Seg(*i as u8)))
        .collect();
    let is = |i: &usize| Condition::Is(Key::Seg(*i as u8), (&*long.segs[*i]).into());
    let len = Condition::Is(Key::Len, long.segs.len().to_string().into());
    let constants: Vec<Condition> = dropped.iter().map(is).collect();
    let mut proposals = vec![
        (
            [constants.as_slice(), std::slice::from_ref(&len)].concat(),
            edits.clone(),
        ),
        (constants, edits.clone()),
        (vec![len.clone()], edits.clone()),
    ];
    if let [i] = dropped[..] {
        let key = Key::Seg(i as u8);
        let neighbours = [i.checked_sub(1), Some(i + 1)];
        for j in neighbours.into_iter().flatten() {
            if long.segs.get(j) == Some(&long.segs[i]) {
                let same = Condition::Same(Key::Seg(i.min(j) as u8), Key::Seg(i.max(j) as u8));
                proposals.push((vec![same.clone()], edits.clone()));
                proposals.push((vec![same, len.clone()], edits.clone()));
            }
        }
        proposals.extend(
            Condition::like(&key, long).map(|like| (vec![like, len.clone()], edits.clone())),
        );
        let back = long.segs.len() - 1 - i;
        if back < 2 {
            let tail = Key::Tail(back as u8);
            proposals.push((
                vec![Condition::Is(tail.clone(), (&*long.segs[i]).into())],
                vec![Edit::Drop(tail)],
            ));
        }
    }
    proposals
}

/// Positions of `long` that are not in `short`, when `short` is a subsequence of it.
fn left_out<T: PartialEq>(long: &[T], short: &[T]) -> Option<Vec<usize>> {
    let prefix = long.iter().zip(short).take_while(|(x, y)| x == y).count();
    let mut out: Vec<usize> = Vec::new();
    let mut j = prefix;
    for (i, item) in long.iter().enumerate().skip(prefix) {
        // Prefer to match late, so that what was left out is one run where it can be.
        let remaining = short.len() - j;
        if remaining > 0 && short[j] == *item && long.len() - i >= remaining {
            j += 1;
        } else {
            out.push(i);
        }
    }
    (j == short.len()).then_some(out)
}

pub(super) fn path_param_differences(a: &Parts<'_>, b: &Parts<'_>) -> Option<Vec<Proposal>> {
    if a.path_params == b.path_params {
        return None;
    }
    let mut names: Vec<&str> = a
        .path_params
        .iter()
        .chain(&b.path_params)
        .map(|p| &*p.name)
        .filter(|name| {
            let key = Key::PathParam((*name).into());
            a.get(&key) != b.get(&key) || a.has(&key) != b.has(&key)
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let edits: Vec<Edit> = names
        .iter()
        .map(|name| Edit::Drop(Key::PathParam((*name).into())))
        .collect();
    (!edits.is_empty()).then(|| vec![(Vec::new(), edits)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MOST_NUMBERS, left_out, number_differences, respelling};
    use crate::rules::{Edit, Key, Parts};

    #[test]
    fn up_to_four_numbers_are_a_choice_and_a_longer_row_of_them_is_none() {
        let number_of_edits = |one: &str, other: &str| {
            let url = |path: &str| format!("http://e.org/{path}");
            let (one, other) = (url(one), url(other));
            let (a, b) = (Parts::of_class(&one), Parts::of_class(&other));
            number_differences(&a.unwrap(), &b.unwrap(), &[0]).map(|(_, edits)| edits.len())
        };
        assert_eq!(
            number_of_edits("a1b2c3d4e5", "a6b7c8d9e5"),
            Some(MOST_NUMBERS)
        );
        assert_eq!(number_of_edits("a1b2c3d4e5", "a6b7c8d9e0"), None);
    }

    #[test]
    fn what_stands_around_a_name_is_told_from_it() {
        let told = |old: &str, new: &str| {
            let (old, new) = respelling(old, new)?;
            Some((old.to_string(), new.map(|new| new.to_string())))
        };
        for (old, new, expected) in [
            (
                "lake_large.html",
                "lake.html",
                Some(("*_large.html", Some("*.html"))),
            ),
            (
                "lake_large.html",
                "lake_small.html",
                Some(("*_large.html", Some("*_small.html"))),
            ),
            ("thumb_lake.html", "lake.html", Some(("thumb_*", None))),
            ("small-lake", "big-lake", Some(("small-*", Some("big-*")))),
            ("lake_large", "lake", Some(("*_large", None))),
            ("lake", "hill", None),
            ("lakes", "lake", None),
        ] {
            let expected = expected
                .map(|(old, new): (&str, Option<&str>)| (old.to_owned(), new.map(str::to_owned)));
            assert_eq!(told(old, new), expected, "{old} {new}");
        }
    }

    proptest! {
        #[test]
        fn a_respelling_makes_one_of_the_other(old in "[aé1_.*>=-]{1,8}", new in "[aé1_.*>=-]{1,8}") {
            if let Some((before, Some(after))) = respelling(&old, &new).filter(|_| old != new) {
                let edit = Edit::Respell(Key::Seg(0), before.clone(), after.clone());
                prop_assert_eq!(edit.to_string().parse(), Ok(edit));
                let made = before.off(&old).and_then(|name| after.on(name));
                prop_assert_eq!(made, Some(new));
            }
        }
    }

    #[test]
    fn what_was_left_out_of_a_sequence_is_found() {
        assert_eq!(left_out(b"abc", b"ac"), Some(vec![1]));
        assert_eq!(left_out(b"aab", b"ab"), Some(vec![1]));
        assert_eq!(left_out(b"abc", b"ad"), None);
    }
}
