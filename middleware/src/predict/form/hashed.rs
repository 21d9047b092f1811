//! What an edit says about a form, computed with hashes.
//!
//! An edit is applied to thousands of forms, whose parts are hashed already. So the parts that it names are hashed
//! once, too, and most answers compare no texts.

use std::ops::Deref;

use super::{
    Form, Param, Whole,
    edit::{ANY, Edit, Effect},
    hash_of, join,
    part::{Kind, Part},
};

/// Hashes of segments.
type Path = Box<[u64]>;

/// An edit, and what it names by the hashes of its parts. What [`Edit`] says of forms it says, too, sooner.
#[derive(Clone, Debug)]
pub(in crate::predict) struct Hashed {
    edit: Edit,
    pub(super) names: Names,
}

#[derive(Clone, Debug)]
pub(super) enum Names {
    Origin {
        from: u64,
        to: u64,
    },
    Prefix(Box<Alias>),
    Suffix(Box<Alias>),
    Params(Box<[One]>),
    /// The parameters of an edit that is about the path, too.
    Both(Box<[One]>),
    /// The name of the parameter of whose value it is a piece, or the order.
    PieceOf(u64),
    /// None that its answers would hang on.
    Other,
}

/// Segments that are an alias of others.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    pub(super) from: Path,
    /// What they are an alias of, as it is put into forms.
    pub(super) put: Box<[Part<'static>]>,
}

impl Alias {
    fn of(from: &[String], to: &[String]) -> Self {
        let part = |segment: &String| Part::new(Kind::Segment, segment.clone());
        Self {
            from: path(from),
            put: to.iter().map(part).collect(),
        }
    }

    fn is_other(&self) -> bool {
        !is_path(&self.put, &self.from)
    }

    /// Whether a form begins with what it is an alias of, and goes on.
    fn is_put_first(&self, form: &Form<'_>) -> bool {
        let first = form.segments.get(..self.put.len());
        form.segments.len() > self.put.len() && first.is_some_and(|first| self.is_put(first))
    }

    /// Whether a form ends with what it is an alias of.
    fn is_put_last(&self, form: &Form<'_>) -> bool {
        let at = form.segments.len().checked_sub(self.put.len());
        at.is_some_and(|at| self.is_put(&form.segments[at..]))
    }

    fn is_put(&self, segments: &[Part<'_>]) -> bool {
        (segments.iter().map(Part::hash)).eq(self.put.iter().map(Part::hash))
    }
}

/// A parameter of which something does not matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct One {
    name: u64,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Any,
    Wild,
    Value(u64),
}

/// What becomes of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Wild,
    Dropped,
}

fn path(segments: &[String]) -> Path {
    let hash = |segment: &String| hash_of(Kind::Segment as u64, segment);
    segments.iter().map(hash).collect()
}

/// The hash of the value that stands for any.
fn any() -> u64 {
    hash_of(Kind::Value as u64, ANY)
}

fn is_path(segments: &[Part<'_>], path: &[u64]) -> bool {
    let hashes = segments.iter().map(Part::hash);
    segments.len() == path.len() && hashes.eq(path.iter().copied())
}

fn begins_with(form: &Form<'_>, path: &[u64]) -> bool {
    form.segments.len() > path.len() && is_path(&form.segments[..path.len()], path)
}

fn ends_with(form: &Form<'_>, path: &[u64]) -> bool {
    let at = form.segments.len().checked_sub(path.len());
    at.is_some_and(|at| is_path(&form.segments[at..], path))
}

fn pair((name, value): &(Part<'_>, Part<'_>)) -> (u64, u64) {
    (name.hash(), value.hash())
}

fn fate(all: &[One], (name, value): (u64, u64)) -> Fate {
    let mut fate = Fate::Kept;
    for one in all.iter().filter(|one| one.name == name) {
        match one.what {
            What::Any => return Fate::Dropped,
            What::Wild => fate = Fate::Wild,
            What::Value(wanted) => {
                let found = if fate == Fate::Wild { any() } else { value };
                if found == wanted {
                    return Fate::Dropped;
                }
            }
        }
    }
    fate
}

/// Whether all values are there that are as absent: they go all together only.
fn has_values(all: &[One], form: &Form<'_>) -> bool {
    all.iter().all(|one| match one.what {
        What::Value(value) => form.params.iter().any(|it| pair(it) == (one.name, value)),
        What::Any | What::Wild => true,
    })
}

fn effect_of(all: &[One], form: &Form<'_>) -> Option<Effect> {
    let (mut is_any, mut effect) = (false, Effect::default());
    for param in &form.params {
        match fate(all, pair(param)) {
            Fate::Kept => continue,
            Fate::Wild => effect.is_other |= *param.1 != *ANY,
            Fate::Dropped => {
                effect.is_other = true;
                effect.dropped += 1;
            }
        }
        is_any = true;
    }
    (is_any && has_values(all, form)).then_some(effect)
}

fn drop_params(all: &[One], form: &mut Form<'_>) -> bool {
    if !has_values(all, form) {
        return false;
    }
    let mut is_changed = false;
    form.params.retain(|param| {
        let fate = fate(all, pair(param));
        is_changed |= fate != Fate::Kept;
        if fate == Fate::Wild {
            param.1 = Part::new(Kind::Value, ANY);
        }
        fate != Fate::Dropped
    });
    is_changed
}

fn put_first(alias: &Alias, form: &mut Form<'_>) -> bool {
    let Alias { from, put, .. } = alias;
    if !begins_with(form, from) {
        return false;
    }
    form.segments.drain(..from.len());
    form.segments.insert_many(0, put.iter().cloned());
    true
}

fn put_last(alias: &Alias, form: &mut Form<'_>) -> bool {
    let Alias { from, put, .. } = alias;
    let at = form.segments.len().wrapping_sub(from.len());
    if !ends_with(form, from) || at + put.len() == 0 {
        return false;
    }
    form.segments.truncate(at);
    form.segments.extend(put.iter().cloned());
    true
}

impl Names {
    fn of(edit: &Edit) -> Self {
        let origin = |text: &String| hash_of(Kind::Origin as u64, text);
        match edit {
            Edit::Origin { from, to } => Self::Origin {
                from: origin(from),
                to: origin(to),
            },
            Edit::Prefix { from, to } => Self::Prefix(Box::new(Alias::of(from, to))),
            Edit::Suffix { from, to } => Self::Suffix(Box::new(Alias::of(from, to))),
            Edit::Params(all) => Self::Params(all.iter().map(One::of).collect()),
            Edit::Both { params, .. } => Self::Both(params.iter().map(One::of).collect()),
            Edit::Piece {
                of: Whole::Value { name },
                ..
            }
            | Edit::Items {
                of: Whole::Value { name },
                ..
            } => Self::PieceOf(hash_of(Kind::Name as u64, name)),
            _ => Self::Other,
        }
    }
}

impl Deref for Hashed {
    type Target = Edit;

    fn deref(&self) -> &Edit {
        &self.edit
    }
}

impl From<Edit> for Hashed {
    fn from(edit: Edit) -> Self {
        let names = Names::of(&edit);
        // A copy has no more room than it takes.
        let edit = edit.clone();
        Self { edit, names }
    }
}

impl Hashed {
    /// [`Edit::effect`].
    pub(in crate::predict) fn effect(&self, form: &Form<'_>) -> Option<Effect> {
        let alias = |is_other| Effect {
            is_other,
            dropped: 0,
        };
        match &self.names {
            Names::Params(all) => effect_of(all, form),
            Names::Origin { from, to } => (form.origin.hash() == *from).then(|| alias(from != to)),
            Names::Prefix(it) => begins_with(form, &it.from).then(|| alias(it.is_other())),
            Names::Suffix(it) => (ends_with(form, &it.from)
                && form.segments.len() - it.from.len() + it.put.len() > 0)
                .then(|| alias(it.is_other())),
            Names::Both(_) | Names::PieceOf(_) | Names::Other => self.edit.effect(form),
        }
    }

    /// Whether it would make another form of this one.
    pub(in crate::predict) fn changes(&self, form: &Form<'_>) -> bool {
        self.effect(form).is_some_and(|effect| effect.is_other)
    }

    /// [`Edit::key_after`].
    pub(in crate::predict) fn key_after(&self, form: &Form<'_>) -> u64 {
        let Names::Params(all) = &self.names else {
            return self.edit.key_after(form);
        };
        // An edit that has nothing to say leaves all.
        if !has_values(all, form) {
            return form.key();
        }
        form.key_with(form.params.iter().filter_map(|param| {
            let (name, value) = pair(param);
            match fate(all, (name, value)) {
                Fate::Kept => Some((name, value)),
                Fate::Wild => Some((name, any())),
                Fate::Dropped => None,
            }
        }))
    }

    /// [`Edit::apply`].
    pub(in crate::predict) fn apply(&self, form: &mut Form<'_>) -> bool {
        let (is_changed, is_of_params) = match &self.names {
            Names::Params(all) => (drop_params(all, form), true),
            Names::Prefix(it) => (put_first(it, form), false),
            Names::Suffix(it) => (put_last(it, form), false),
            Names::Origin { .. } | Names::Both(_) | Names::PieceOf(_) | Names::Other => {
                return self.edit.apply(form);
            }
        };
        if is_changed {
            form.keys.forget(is_of_params);
        }
        is_changed
    }

    /// The key of the form that [`Edit::undo`] makes.
    pub(in crate::predict) fn key_before(&self, form: &Form<'_>) -> Option<u64> {
        if matches!(self.edit, Edit::Extension { .. }) {
            return self.edit.undo(form).map(|alias| alias.key());
        }
        let (origin, before, kept, behind): (_, &[u64], _, &[u64]) = match &self.names {
            Names::Origin { from, to } if form.origin.hash() == *to => {
                (*from, &[], 0..form.segments.len(), &[])
            }
            Names::Prefix(it) if it.is_put_first(form) => {
                let kept = it.put.len()..form.segments.len();
                (form.origin.hash(), &it.from, kept, &[])
            }
            Names::Suffix(it) if it.is_put_last(form) => {
                let kept = 0..form.segments.len() - it.put.len();
                if kept.end + it.from.len() == 0 {
                    return None;
                }
                (form.origin.hash(), &[], kept, &it.from)
            }
            _ => return None,
        };
        let kept = form.segments[kept].iter().map(Part::hash);
        let path = (before.iter().copied().chain(kept)).chain(behind.iter().copied());
        let params = form.params.iter().map(pair);
        let with = |hash, (name, value)| join(join(hash, name), value);
        Some(params.fold(path.fold(origin, join), with))
    }

    /// Holds names and values of parameters where others hold the same.
    pub(in crate::predict) fn share_texts<'e>(&mut self, others: impl Iterator<Item = &'e Self>) {
        let Edit::Params(all) = &mut self.edit else {
            return;
        };
        for other in others {
            let Edit::Params(params) = &other.edit else {
                continue;
            };
            for known in params.iter().flat_map(Param::texts) {
                let own = all.iter_mut().flat_map(Param::texts_mut);
                own.filter(|text| *text == known)
                    .for_each(|text| text.clone_from(known));
            }
        }
    }

    /// Whether it speaks of the parameters of a name, given the name's hash.
    pub(in crate::predict) fn speaks_of(&self, name: u64) -> bool {
        match &self.names {
            Names::Params(all) | Names::Both(all) => all.iter().any(|one| one.name == name),
            Names::PieceOf(of) => *of == name,
            _ => false,
        }
    }

    /// The values of parameters that it calls irrelevant, in the order in which it names these.
    pub(in crate::predict) fn irrelevant<'f, 'u>(
        &self,
        form: &'f Form<'u>,
    ) -> impl Iterator<Item = &'f Part<'u>> {
        let all: &[One] = match &self.names {
            Names::Params(all) | Names::Both(all) => all,
            _ => &[],
        };
        let is_named = |one: &&One| !matches!(one.what, What::Value(_));
        all.iter().filter(is_named).flat_map(|one| {
            let params = form.params.iter();
            let of_name = params.filter(move |(name, _)| name.hash() == one.name);
            of_name.map(|(_, value)| value)
        })
    }

    /// How many parameters its set has.
    pub(in crate::predict) fn params(&self) -> usize {
        match &self.names {
            Names::Params(all) => all.len().min(Present::BITS as usize),
            _ => 0,
        }
    }

    /// Which parameters of its set are there.
    pub(in crate::predict) fn present(&self, form: &Form<'_>) -> Present {
        let Names::Params(all) = &self.names else {
            return 0;
        };
        let is_there = |one: &One| form.params.iter().any(|(name, _)| name.hash() == one.name);
        present(all.iter().map(is_there))
    }

    /// Which parameters of its set are not the same on two forms.
    pub(in crate::predict) fn differing(&self, one: &Form<'_>, other: &Form<'_>) -> Present {
        let Names::Params(all) = &self.names else {
            return 0;
        };
        let values = |form: &Form<'_>, it: &One| -> Vec<u64> {
            let named = form
                .params
                .iter()
                .filter(|(name, _)| name.hash() == it.name);
            named.map(|(_, value)| value.hash()).collect()
        };
        present(all.iter().map(|it| values(one, it) != values(other, it)))
    }

    /// Which parameters of its set make up that of another edit; `None` if they do not, or all do.
    pub(in crate::predict) fn part(&self, other: &Edit) -> Option<Present> {
        match (&self.edit, other) {
            (Edit::Params(all), Edit::Params(part)) => part_of(all, part),
            _ => None,
        }
    }
}

/// Parameters of a set, one bit each.
pub(in crate::predict) type Present = u64;

fn present(all: impl Iterator<Item = bool>) -> Present {
    let bits = (0..Present::BITS).zip(all);
    bits.fold(0, |bits, (at, is_there)| bits | u64::from(is_there) << at)
}

fn part_of(all: &[Param], part: &[Param]) -> Option<Present> {
    // Nobody thinks of sets that have no bit for each.
    if part.len() >= all.len() || all.len() > Present::BITS as usize {
        return None;
    }
    let is_in = |one: &&Param| part.iter().any(|other| other.name() == one.name());
    let is_part = all.iter().filter(is_in).eq(part);
    is_part.then(|| present(all.iter().map(|one| is_in(&one))))
}

impl One {
    fn of(param: &Param) -> Self {
        Self {
            name: hash_of(Kind::Name as u64, param.name()),
            what: match param {
                Param::Any(_) => What::Any,
                Param::Wild(_) => What::Wild,
                Param::Value(_, value) => What::Value(hash_of(Kind::Value as u64, value)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_set_comes_down_to_is_a_part_of_it_and_not_all() {
        let any = |name: &str| Param::Any(name.into());
        let all = [any("a"), any("b"), any("c")];
        let of = |part: &[Param]| part_of(&all, part);
        assert_eq!(of(&[any("a"), any("c")]), Some(0b101));
        assert_eq!(of(&[any("c"), any("a")]), None, "another order");
        assert_eq!(of(&[Param::Wild("a".into())]), None);
        assert_eq!(of(&[any("a"), any("d")]), None);
        assert_eq!(of(&all), None);
    }
}
