//! Describes kinds of URLs in words for people.

use super::{
    kind::{namespace, reads_as_words},
    selectors::{Beside, Selectors},
};
use crate::predict::form::{Edit, Form, Hashed, Part, Whole, folders, piece};

/// What stands where there is no namespace.
const PLAIN: &str = "no namespace";
const WORD: &str = "a word";

/// What the kind is of a URL that an edit was tried on, in one of the four ways.
pub(super) fn words(way: usize, edit: &Hashed, before: &Form<'_>, selectors: &Selectors) -> String {
    let all = match way {
        0 => namespaces(edit, before),
        1 => values(edit, before),
        2 => match &**edit {
            Edit::Both { path, .. } => of_path(path, before),
            _ => in_order(before.params.iter().map(|(name, _)| name.to_string())),
        },
        _ => surroundings(edit, before, selectors),
    };
    all.join(", ")
}

/// Without those that are there twice.
fn in_order(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn pair((name, value): &(Part<'_>, Part<'_>)) -> String {
    format!("{}={}", &**name, &**value)
}

fn namespaces(edit: &Hashed, before: &Form<'_>) -> Vec<String> {
    let is_all = matches!(**edit, Edit::AllParams);
    let all = before.params.iter().filter(|_| is_all);
    let values = (all.map(|(_, value)| value)).chain(edit.irrelevant(before));
    let spaces = values.filter_map(|value| match namespace(value) {
        Some((name, sign)) => Some(format!("{name}{sign}")),
        None => reads_as_words(value).then(|| WORD.to_owned()),
    });
    let mut spaces = in_order(spaces);
    if spaces.is_empty() {
        spaces.push(PLAIN.to_owned());
    }
    spaces
}

fn values(edit: &Hashed, before: &Form<'_>) -> Vec<String> {
    match &**edit {
        Edit::Params(_) | Edit::Both { .. } => {
            let is_meant = |(_, value): &&(Part<'_>, Part<'_>)| {
                edit.irrelevant(before)
                    .any(|other| std::ptr::eq(other, value))
            };
            before.params.iter().filter(is_meant).map(pair).collect()
        }
        Edit::AllParams => in_order(before.params.iter().map(pair)),
        edit => of_path(edit, before),
    }
}

fn of_path(edit: &Edit, before: &Form<'_>) -> Vec<String> {
    let segments = |from: usize, to: usize| {
        let all = before.segments.iter().take(to).skip(from);
        vec![all.fold(String::new(), |path, segment| path + "/" + segment)]
    };
    match edit {
        Edit::Head { drop } => segments(0, *drop),
        Edit::Folders => segments(0, folders(before)),
        Edit::Tail { keep } => segments(*keep, usize::MAX),
        Edit::Superfluous { at, .. } => segments(*at, at + 1),
        Edit::Piece { of, sign, cut } => {
            let piece = piece(of, sign, *cut, before);
            piece.map(str::to_owned).into_iter().collect()
        }
        Edit::Segments { at, .. } => at.iter().flat_map(|at| segments(*at, at + 1)).collect(),
        _ => Vec::new(),
    }
}

fn surroundings(edit: &Hashed, before: &Form<'_>, selectors: &Selectors) -> Vec<String> {
    let behind = match &**edit {
        Edit::Origin { .. } | Edit::HostNumber => Some(0),
        Edit::Prefix { from, .. } => Some(from.len()),
        Edit::Piece {
            of: Whole::Segment { at, .. },
            ..
        }
        | Edit::Items {
            of: Whole::Segment { at, .. },
            ..
        } if *at > 0 => Some(0),
        _ => None,
    };
    if let Some(behind) = behind {
        let folder = before.segments.get(behind);
        return folder
            .map(|folder| format!("/{}/", &**folder))
            .into_iter()
            .collect();
    }
    let mut all = Vec::new();
    if !matches!(**edit, Edit::AllParams) {
        let others = (before.params.iter()).filter(|(name, _)| !edit.speaks_of(name.hash()));
        all.extend(others.filter_map(|(name, value)| {
            let (space, sign) = namespace(value)?;
            Some(format!("{}={space}{sign}", &**name))
        }));
    }
    selectors.tell_beside(edit, before, &mut |beside| {
        if let Beside::Word(word) = beside {
            all.push(word);
        }
    });
    all
}
