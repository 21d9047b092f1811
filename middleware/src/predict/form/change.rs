//! What edits of the path and of single parameters do to a form.

use super::{
    Form,
    part::{Kind, Part},
    slot::Slot,
};
use crate::{cut::without_extension, letters::has_upper};

pub(super) fn replace_origin(from: &str, to: &str, form: &mut Form<'_>) -> bool {
    if form.origin != *from {
        return false;
    }
    form.origin = Part::new(Kind::Origin, to.to_owned());
    true
}

/// Where the number is that the first name of a host ends with. A host by number alone has no name.
pub(super) fn numbers(origin: &str) -> Option<(usize, usize)> {
    let host = origin.find("://")? + 3;
    let end = host + origin[host..].find('.')?;
    let name = &origin[host..end];
    let stem = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    (!stem.is_empty() && stem.len() < name.len()).then_some((host + stem.len(), end))
}

/// The number that the first name of its host ends with.
pub(in crate::predict) fn number_of_host<'f>(form: &'f Form<'_>) -> Option<&'f str> {
    let (at, end) = numbers(&form.origin)?;
    Some(&form.origin[at..end])
}

/// Whether a path begins with these segments, and does not end there.
pub(super) fn begins_with(form: &Form<'_>, with: &[String]) -> bool {
    form.segments.len() > with.len() && (form.segments.iter().zip(with)).all(|(a, b)| a == b)
}

/// Whether these are the last segments of a path.
pub(super) fn ends_with(form: &Form<'_>, with: &[String]) -> bool {
    let at = form.segments.len().checked_sub(with.len());
    at.is_some_and(|at| (form.segments[at..].iter().zip(with)).all(|(a, b)| a == b))
}

/// Segments as texts of their own.
pub(in crate::predict) fn owned(segments: &[Part<'_>]) -> Vec<String> {
    segments.iter().map(|s| s.to_string()).collect()
}

pub(super) fn segments_of<'u>(path: &[String]) -> impl Iterator<Item = Part<'u>> {
    path.iter().map(|s| Part::new(Kind::Segment, s.clone()))
}

pub(super) fn replace_prefix(from: &[String], to: &[String], form: &mut Form<'_>) -> bool {
    if !begins_with(form, from) {
        return false;
    }
    let rest = form.segments.drain(..).skip(from.len());
    form.segments = segments_of(to).chain(rest).collect();
    true
}

pub(super) fn replace_suffix(from: &[String], to: &[String], form: &mut Form<'_>) -> bool {
    if !ends_with(form, from) {
        return false;
    }
    let at = form.segments.len() - from.len();
    if at + to.len() == 0 {
        return false;
    }
    form.segments.truncate(at);
    form.segments.extend(segments_of(to));
    true
}

/// The last segment without this extension, if it has that, and is more.
pub(super) fn stem<'f>(form: &'f Form<'_>, extension: &str) -> Option<&'f str> {
    let stem = form.segments.last()?.strip_suffix(extension)?;
    (!stem.is_empty()).then_some(stem)
}

pub(super) fn has_extension(form: &Form<'_>, extension: &str) -> bool {
    !extension.is_empty() && stem(form, extension).is_some()
}

pub(super) fn replace_extension(from: &str, to: &str, form: &mut Form<'_>) -> bool {
    let Some(stem) = stem(form, from) else {
        return false;
    };
    let named = Part::new(Kind::Segment, format!("{stem}{to}"));
    form.segments.pop();
    form.segments.push(named);
    true
}

pub(super) fn count(form: &Form<'_>, name: &str) -> usize {
    form.params.iter().filter(|(k, _)| k == name).count()
}

/// Takes away all parameters of a name but the first or last; whether there were several.
pub(super) fn keep_one(form: &mut Form<'_>, name: &str, last: bool) -> bool {
    let all = count(form, name);
    let kept = if last { all.saturating_sub(1) } else { 0 };
    let mut met = 0;
    form.params.retain(|(k, _)| {
        let is_it = k == name;
        met += usize::from(is_it);
        !is_it || met == kept + 1
    });
    all > 1
}

/// Where the parameter is that is a segment of another path.
pub(super) fn moved(path: &[String], name: &str, to: &Slot, form: &Form<'_>) -> Option<usize> {
    if !form.segments.iter().eq(path.iter()) {
        return None;
    }
    let at = form.params.iter().position(|(k, _)| k == name)?;
    let value = &form.params[at].1;
    (to.fits(value) && !value.contains('/')).then_some(at)
}

pub(super) fn apply_move(
    (path, name): (&[String], &str),
    to: &Slot,
    behind: &[String],
    form: &mut Form<'_>,
) -> bool {
    let Some(at) = moved(path, name, to, form) else {
        return false;
    };
    let (_, value) = form.params.remove(at);
    form.segments = to.put(&value);
    form.segments.extend(segments_of(behind));
    true
}

/// The name that stands one way in a path, and could stand another.
pub(super) fn reshaped<'f>(from: &Slot, to: &Slot, form: &'f Form<'_>) -> Option<&'f str> {
    from.name(form).filter(|name| to.fits(name))
}

pub(super) fn reshape(from: &Slot, to: &Slot, form: &mut Form<'_>) -> bool {
    let Some(name) = reshaped(from, to, form) else {
        return false;
    };
    let name = Part::new(Kind::Segment, name.to_owned());
    let rest = form.segments.drain(..).skip(from.before.len() + 1);
    form.segments = to.put(&name).into_iter().chain(rest).collect();
    true
}

pub(super) fn sort_params(form: &mut Form<'_>) -> bool {
    let is_other = !form.params.is_sorted();
    if is_other {
        form.params.sort();
    }
    is_other
}

pub(super) fn lower_params(form: &mut Form<'_>) -> bool {
    let mut changed = false;
    for (name, value) in &mut form.params {
        for (part, kind) in [(name, Kind::Name), (value, Kind::Value)] {
            if has_upper(part) {
                *part = part.lowered(kind);
                changed = true;
            }
        }
    }
    form.arrange();
    changed
}

/// Whether a form has so many segments, and a name at this place, between others.
pub(super) fn is_between(form: &Form<'_>, at: usize, of: usize) -> bool {
    form.segments.len() == of && lies_between(at, of) && !form.segments[at].is_empty()
}

/// Whether a name is that of one page: letters with two digits or more, or three words. (A page `about-me`, `page-2` or `ref=17` is there in
/// many folders.)
fn is_of_its_own(name: &str) -> bool {
    let (mut letters, mut digits, mut signs) = (0, 0, 0);
    let mut octets = name.bytes();
    while let Some(octet) = octets.next() {
        match octet {
            // The digits of an escape are none of the name's.
            b'%' => {
                octets.nth(1);
                letters += 1;
            }
            b'=' => return false,
            b'-' | b'_' => signs += 1,
            _ => {
                letters += u32::from(octet.is_ascii_alphabetic());
                digits += u32::from(octet.is_ascii_digit());
            }
        }
    }
    letters > 0 && (digits >= 2 || signs >= 2)
}

/// Segments before the last one, if that is [the name of one page](is_of_its_own).
pub(in crate::predict) fn folders(form: &Form<'_>) -> usize {
    let [before @ .., last] = &form.segments[..] else {
        return 0;
    };
    let (folders, name) = match before {
        [before @ .., name] if last.is_empty() => (before, name),
        _ => (before, last),
    };
    if is_of_its_own(without_extension(name)) {
        folders.len()
    } else {
        0
    }
}

/// Whether a place is neither the first nor the last of so many.
pub(in crate::predict) const fn lies_between(at: usize, of: usize) -> bool {
    at > 0 && of > 0 && at < of - 1
}
