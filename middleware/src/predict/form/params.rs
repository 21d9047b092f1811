//! What edits make of parameters.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Params,
    edit::{ANY, Effect},
    part::{Kind, Part},
};

/// What does not matter about a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Param {
    /// Nothing about it matters, not even its presence.
    Any(Arc<str>),
    /// Its value does not matter, its presence may.
    Wild(Arc<str>),
    /// With this value, it counts as absent.
    Value(Arc<str>, Arc<str>),
}

impl Param {
    /// Name of the parameter.
    pub fn name(&self) -> &str {
        match self {
            Self::Any(name) | Self::Wild(name) | Self::Value(name, _) => name,
        }
    }

    /// Its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        let (name, value) = match self {
            Self::Any(name) | Self::Wild(name) => (name, None),
            Self::Value(name, value) => (name, Some(value)),
        };
        [name].into_iter().chain(value)
    }

    /// The same.
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut Arc<str>> {
        let (name, value) = match self {
            Self::Any(name) | Self::Wild(name) => (name, None),
            Self::Value(name, value) => (name, Some(value)),
        };
        [name].into_iter().chain(value)
    }
}

/// Whether all values are there that are as absent: they go only all together, a set of values is one observation.
fn has_values(edits: &[Param], params: &Params<'_>) -> bool {
    edits.iter().all(|edit| match edit {
        Param::Value(name, value) => params.iter().any(|(k, v)| *k == **name && *v == **value),
        Param::Any(_) | Param::Wild(_) => true,
    })
}

/// What edits make of a parameter, one after the other.
enum Fate {
    Kept,
    Wild,
    Dropped,
}

fn fate(edits: &[Param], (name, value): &(Part<'_>, Part<'_>)) -> Fate {
    let mut fate = Fate::Kept;
    for edit in edits.iter().filter(|edit| name == edit.name()) {
        match edit {
            Param::Any(_) => return Fate::Dropped,
            Param::Wild(_) => fate = Fate::Wild,
            Param::Value(_, wanted) => {
                let is_it = match fate {
                    Fate::Wild => &**wanted == ANY,
                    Fate::Kept | Fate::Dropped => *value == **wanted,
                };
                if is_it {
                    return Fate::Dropped;
                }
            }
        }
    }
    fate
}

/// What edits of a set do; `None` where they have nothing to say.
pub(super) fn effect(edits: &[Param], params: &Params<'_>) -> Option<Effect> {
    if !has_values(edits, params) {
        return None;
    }
    let (mut is_any, mut effect) = (false, Effect::default());
    for param in params {
        match fate(edits, param) {
            Fate::Kept => continue,
            Fate::Wild => effect.is_other |= &*param.1 != ANY,
            Fate::Dropped => {
                effect.is_other = true;
                effect.dropped += 1;
            }
        }
        is_any = true;
    }
    is_any.then_some(effect)
}

/// Applies a set of edits; `false` where they have nothing to say.
pub(super) fn apply(edits: &[Param], params: &mut Params<'_>) -> bool {
    if !has_values(edits, params) {
        return false;
    }
    let mut changed = false;
    params.retain(|param| {
        let fate = fate(edits, param);
        changed |= !matches!(fate, Fate::Kept);
        if matches!(fate, Fate::Wild) {
            param.1 = Part::new(Kind::Value, ANY);
        }
        !matches!(fate, Fate::Dropped)
    });
    changed
}

/// The parameters that a set of edits leaves, by the hashes of their names and values.
pub(super) fn left(edits: &[Param], params: &Params<'_>) -> impl Iterator<Item = (u64, u64)> {
    let any = Part::new(Kind::Value, ANY).hash();
    // Edits that have nothing to say leave all.
    let edits = if has_values(edits, params) {
        edits
    } else {
        &[]
    };
    params.iter().filter_map(move |param| {
        let (name, value) = (param.0.hash(), param.1.hash());
        match fate(edits, param) {
            Fate::Kept => Some((name, value)),
            Fate::Wild => Some((name, any)),
            Fate::Dropped => None,
        }
    })
}
