//! Readings of two paths.

use super::{common, oriented, size_of_path};
use crate::{
    cut::{shared_name, without_extension},
    predict::form::{Edit, Form, Part, Slot, folders, owned},
};

/// The ways to take an extension of letters off a name: all of it is without one.
fn extensions(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let (stem, extension) = name.split_at(without_extension(name).len());
    let is_one = extension.bytes().skip(1).all(|b| b.is_ascii_alphabetic());
    let one = (is_one && !extension.is_empty()).then_some((stem, extension));
    one.into_iter().chain([(name, "")])
}

/// Octets of what a name may have before its extension, at most, with its sign.
const LONGEST_AFFIX: usize = 12;

/// What a name has before its extension that the other has not (`_print.html` for `.html`), and that.
fn affix<'n>(name: &'n str, other: &'n str) -> Option<(&'n str, &'n str)> {
    let stem = without_extension(other);
    let behind = name.strip_prefix(stem)?;
    let extension = &other[stem.len()..];
    let affix = behind.strip_suffix(extension)?;
    let word = affix.strip_prefix(['-', '_', '.', '~'])?;
    let is_word = affix.len() <= LONGEST_AFFIX
        && word.len() >= 2
        && word.bytes().all(|b| b.is_ascii_alphabetic());
    (is_word && !stem.is_empty()).then_some((behind, extension))
}

/// The extension of the last segment is all that differs, or a word before it.
fn extension(n: &[Part<'_>], o: &[Part<'_>]) -> Option<Edit> {
    let ((new, before), (old, other)) = (n.split_last()?, o.split_last()?);
    if before != other {
        return None;
    }
    let pairs = extensions(new).flat_map(|new| extensions(old).map(move |old| (new, old)));
    let same = pairs.filter(|((new, _), (old, _))| new == old && !new.is_empty());
    let (new, old) = (same.map(|((_, new), (_, old))| (new, old)).next())
        .or_else(|| affix(new, old))
        .or_else(|| affix(old, new))?;
    let (from, to) = oriented(new.to_owned(), old.to_owned(), |s| (s.len(), 0));
    Some(Edit::Extension { from, to })
}

/// A name stands in one path in another way than in the other, and both go on alike.
fn reshape(n: &[Part<'_>], o: &[Part<'_>], suffix: usize) -> Option<Edit> {
    let (n, o) = (&n[..n.len() - suffix], &o[..o.len() - suffix]);
    let ((new, before), (old, other)) = (n.split_last()?, o.split_last()?);
    let name = shared_name(new, old)?;
    let slot = |segments: &[Part<'_>]| Slot::of(segments, segments.len() - 1, name);
    let (from, to) = oriented(slot(n)?, slot(o)?, Slot::size);
    // What signs part from the rest of a name in one folder is a piece of it.
    let is_glued = || [&from, &to].iter().any(|slot| slot.follows_word());
    (before != other || is_glued()).then_some(Edit::Reshape { from, to })
}

/// Whether two URLs have a parameter in common, so that their paths may be two names of one script.
fn shares_param(new: &Form<'_>, old: &Form<'_>) -> bool {
    let is_there = |param: &(Part<'_>, Part<'_>)| old.params.contains(param);
    new.params
        .iter()
        .any(|param| !param.1.is_empty() && is_there(param))
}

pub(super) fn paths(new: &Form<'_>, old: &Form<'_>, out: &mut Vec<Edit>) {
    let (n, o) = (&new.segments, &old.segments);
    out.extend(extension(n, o));
    if n.len() == o.len() && n.iter().zip(o).all(|(a, b)| a.eq_ignore_ascii_case(b)) {
        out.push(Edit::Case);
        return;
    }
    let (prefix, suffix) = common(new, old);
    if !out
        .iter()
        .any(|edit| matches!(edit, Edit::Extension { .. }))
    {
        out.extend(reshape(n, o, suffix));
    }
    let (longer, shorter) = (n.len().max(o.len()), n.len().min(o.len()));
    let telling = n[n.len() - suffix..].iter().any(|s| s.len() >= 2);
    if suffix > 0 && telling {
        let (from, to) = oriented(
            owned(&n[..n.len() - suffix]),
            owned(&o[..o.len() - suffix]),
            |s| size_of_path(s),
        );
        out.push(Edit::Prefix { from, to });
        if prefix == 0 && longer > shorter && shorter == suffix {
            out.push(Edit::Head {
                drop: longer - shorter,
            });
        }
    }
    let before = folders(new).max(folders(old));
    if longer > shorter && before > 0 && suffix + before >= longer {
        out.push(Edit::Folders);
    }
    if prefix > 0 && telling && longer == shorter + 1 && prefix + suffix == shorter {
        let (at, of) = (prefix, longer);
        out.push(Edit::Superfluous { at, of });
    }
    if suffix == 0 && prefix > 0 {
        let (from, to) = (&n[prefix..], &o[prefix..]);
        if from.len() <= 2 && to.len() <= 2 {
            let (from, to) = oriented(owned(from), owned(to), |s| size_of_path(s));
            out.push(Edit::Suffix { from, to });
        }
        if prefix >= 2 || (prefix == 1 && (from.len() > 1 || to.len() > 1)) {
            out.push(Edit::Tail { keep: prefix });
        }
    }
    if prefix == 0 && suffix == 0 && n.len() <= 2 && o.len() <= 2 && shares_param(new, old) {
        let (from, to) = oriented(owned(n), owned(o), |s| size_of_path(s));
        out.push(Edit::Suffix { from, to });
    }
    if n.len() == o.len() && n.len() > 1 {
        let at: Vec<usize> = (0..n.len()).filter(|i| n[*i] != o[*i]).collect();
        if at.len() <= 3 && at.len() < n.len() && at.iter().all(|i| !n[*i].is_empty()) {
            out.push(Edit::Segments { at, of: n.len() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_word_before_an_extension_is_an_affix_and_nothing_else_is() {
        let of = |name, other| affix(name, other);
        assert_eq!(of("a_print.html", "a.html"), Some(("_print.html", ".html")));
        assert_eq!(of("a-de", "a"), Some(("-de", "")));
        assert_eq!(of("a.de.html", "a.html"), Some((".de.html", ".html")));
        assert_eq!(
            of("a-lowgraphics.html", "a.html"),
            Some(("-lowgraphics.html", ".html")),
            "twelve octets"
        );
        for (name, other) in [
            ("a-lowgraphicss.html", "a.html"),
            ("a-x.html", "a.html"),
            ("a-2.html", "a.html"),
            ("a-de-at.html", "a.html"),
            ("aprint.html", "a.html"),
            ("a_print.html", "b.html"),
            ("a_print.html", "a.pdf"),
            ("-de", ""),
        ] {
            assert_eq!(of(name, other), None, "{name} {other}");
        }
    }
}
