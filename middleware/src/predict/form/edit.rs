//! Edits that make two URLs one.

use serde::{Deserialize, Serialize};

use super::{
    Form, Keys,
    change::{
        apply_move, begins_with, count, ends_with, folders, has_extension, is_between, keep_one,
        lower_params, moved, numbers, replace_extension, replace_origin, replace_prefix,
        replace_suffix, reshape, reshaped, sort_params, stem,
    },
    escapes::{escape, has_unescaped},
    items,
    params::{self, Param},
    part::{Kind, Part},
    piece::{Whole, leave_out, piece},
    slot::Slot,
    titled::{ById, Titled},
};
use crate::{cut::Cut, letters::has_upper};

/// What stands for a text that does not matter.
pub(super) const ANY: &str = "*";

/// What an edit would do to a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::predict) struct Effect {
    /// Whether the form becomes another one.
    pub(in crate::predict) is_other: bool,
    /// Parameters that it loses.
    pub(in crate::predict) dropped: usize,
}

/// A difference between two URLs that may not matter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Scheme and host are an alias of others.
    Origin {
        /// Alias.
        from: String,
        /// What it stands for.
        to: String,
    },
    /// Numbers in the first name of the host do not matter (`www7.e.org`).
    HostNumber,
    /// Leading segments are an alias of others (mirrored folders).
    Prefix {
        /// Alias.
        from: Vec<String>,
        /// What they stand for.
        to: Vec<String>,
    },
    /// Letter case of the path does not matter.
    Case,
    /// Letter case of parameters, in names and values, does not matter.
    QueryCase,
    /// How signs are escaped in segments and parameters does not matter (`,` and `%2C`, `+` and `%20` in a query).
    Escapes,
    /// Neither that nor the order of parameters matters, for URLs that differ in both at once.
    Spelling,
    /// The first segments do not matter.
    Head {
        /// How many.
        drop: usize,
    },
    /// No segment before the last one matters (categories of a product), if that is the name of one page.
    Folders,
    /// Trailing segments are an alias of others (slash, index pages, print views).
    Suffix {
        /// Alias.
        from: Vec<String>,
        /// What they stand for.
        to: Vec<String>,
    },
    /// The extension of the last segment is an alias of another, or of none; a word before it may belong to it
    /// (`_print.html`).
    Extension {
        /// The alias, with its dot.
        from: String,
        /// What it stands for; empty for no extension.
        to: String,
    },
    /// Segments after the first ones do not matter.
    Tail {
        /// How many segments matter.
        keep: usize,
    },
    /// A parameter of one path is part of another path (`/w/index.php?title=X` is `/wiki/X`, `/viewtopic.php?t=7` is
    /// `/topic7.html`).
    Move {
        /// Path with the parameter.
        path: Vec<String>,
        /// Name of the parameter.
        name: String,
        /// Where it is in the other path.
        to: Slot,
        /// Segments after that.
        behind: Vec<String>,
    },
    /// A name is written in another way in paths, which may go on after it (`/users/kim` is `/~kim`).
    Reshape {
        /// Alias.
        from: Slot,
        /// What it stands for.
        to: Slot,
    },
    /// A path with an id and a title is another address of what the id alone calls (`/questions/17/why-not` is `/q/17`,
    /// `/threads/17-why-not` is `/showthread.php?t=17`).
    Titled {
        /// The path with a title.
        from: Titled,
        /// The address by the id alone.
        to: ById,
    },
    /// Some segments do not matter.
    Segments {
        /// Which, counted from 0.
        at: Vec<usize>,
        /// Segments in all.
        of: usize,
    },
    /// A segment between others counts as absent (a session in the path).
    Superfluous {
        /// Which, counted from 0.
        at: usize,
        /// Segments in all.
        of: usize,
    },
    /// A piece of a segment or of a value does not matter.
    Piece {
        /// What it is a piece of.
        of: Whole,
        /// The sign between it and what is left.
        sign: String,
        /// Which piece.
        cut: Cut,
    },
    /// The items of a segment or of a value may stand in any order (a filter by several tags: `tags=red,round` and `tags=round,red`).
    Items {
        /// What they are items of.
        of: Whole,
        /// The sign between them.
        sign: String,
    },
    /// A part of the path and a set of parameters do not matter, if they always occur together (a session in both; `/print?tmpl=print`, or
    /// `?m=1` on a host of its own).
    Both {
        /// What does not matter in the origin or path.
        path: Box<Edit>,
        /// What does not matter in the parameters.
        params: Vec<Param>,
    },
    /// A set of parameters does not matter (hypotheses 2 to 6 of `MaybeDont` are this with one
    /// parameter).
    Params(Vec<Param>),
    /// No parameter matters (hypothesis 1 of `MaybeDont`).
    AllParams,
    /// Of several parameters with one name, one counts.
    Repeated {
        /// Which name.
        name: String,
        /// Whether the last one counts, not the first.
        last: bool,
    },
    /// The order of parameters does not matter.
    Order,
    /// The page is the one that links to it (a post's own address, on the page of its thread). A form alone does not show this: it
    /// takes both URLs.
    Referrer,
    /// The link redirects to the page that it is on (one that sets a language). This takes both URLs, too.
    LeadsBack,
}

impl Edit {
    /// The form that it would reduce to this one; `None` when there is none, or more than one.
    pub(in crate::predict) fn undo<'u>(&self, form: &Form<'u>) -> Option<Form<'u>> {
        let is_fit = match self {
            Self::Origin { to, .. } => form.origin == *to,
            Self::Prefix { to, .. } => begins_with(form, to),
            Self::Suffix { to, .. } => ends_with(form, to),
            Self::Extension { from, to } => !from.is_empty() && stem(form, to).is_some(),
            _ => false,
        };
        if !is_fit {
            return None;
        }
        let mut alias = form.clone();
        let is_undone = match self {
            Self::Origin { from, to } => replace_origin(to, from, &mut alias),
            Self::Prefix { from, to } => replace_prefix(to, from, &mut alias),
            Self::Suffix { from, to } => replace_suffix(to, from, &mut alias),
            Self::Extension { from, to } => replace_extension(to, from, &mut alias),
            _ => false,
        };
        alias.keys = Keys::default();
        is_undone.then_some(alias)
    }

    /// What it would do to a form; `None` where it has nothing to say, and [`apply`](Self::apply) says so too.
    pub(in crate::predict) fn effect(&self, form: &Form<'_>) -> Option<Effect> {
        let of_path = |is_other| Effect {
            is_other,
            dropped: 0,
        };
        match self {
            Self::Origin { from, to } => (form.origin == *from).then(|| of_path(from != to)),
            Self::HostNumber => numbers(&form.origin).map(|_| of_path(true)),
            Self::Prefix { from, to } => begins_with(form, from).then(|| of_path(from != to)),
            Self::Suffix { from, to } => (ends_with(form, from)
                && form.segments.len() - from.len() + to.len() > 0)
                .then(|| of_path(from != to)),
            Self::Extension { from, to } => has_extension(form, from).then(|| of_path(from != to)),
            Self::Repeated { name, .. } => {
                let dropped = count(form, name).saturating_sub(1);
                (dropped > 0).then_some(Effect {
                    is_other: true,
                    dropped,
                })
            }
            Self::Head { drop } => {
                let is_there = form.segments.get(*drop).is_some_and(|s| !s.is_empty());
                is_there.then(|| of_path(*drop > 0))
            }
            Self::Folders => (folders(form) > 0).then(|| of_path(true)),
            Self::Tail { keep } => (form.segments.len() > *keep).then(|| of_path(true)),
            Self::Segments { at, of } => {
                let is_there =
                    form.segments.len() == *of && at.iter().all(|i| !form.segments[*i].is_empty());
                is_there.then(|| of_path(at.iter().any(|i| &*form.segments[*i] != ANY)))
            }
            Self::Superfluous { at, of } => is_between(form, *at, *of).then(|| of_path(true)),
            Self::Piece { of, sign, cut } => {
                let piece = piece(of, sign, *cut, form)?;
                Some(of_path(cut.takes_sign() || piece != ANY))
            }
            Self::Items { of, sign } => items::are_unsorted(of, sign, form).then(|| of_path(true)),
            Self::Case => form
                .segments
                .iter()
                .any(|s| has_upper(s))
                .then(|| of_path(true)),
            Self::QueryCase => (form
                .params
                .iter()
                .any(|(k, v)| has_upper(k) || has_upper(v)))
            .then(|| of_path(true)),
            Self::Escapes => has_unescaped(form).then(|| of_path(true)),
            Self::Order => (!form.params.is_sorted()).then(|| of_path(true)),
            Self::Spelling => {
                (has_unescaped(form) || !form.params.is_sorted()).then(|| of_path(true))
            }
            Self::Referrer | Self::LeadsBack => None,
            Self::Move { path, name, to, .. } => moved(path, name, to, form).map(|_| Effect {
                is_other: true,
                dropped: 1,
            }),
            Self::Reshape { from, to } => reshaped(from, to, form).map(|_| of_path(from != to)),
            Self::Titled { from, to } => from.id_for(to, form).map(|_| of_path(true)),
            Self::AllParams => (!form.params.is_empty()).then_some(Effect {
                is_other: true,
                dropped: form.params.len(),
            }),
            Self::Params(edits) => params::effect(edits, &form.params),
            Self::Both { path, params } => {
                let (of_path, of_params) =
                    (path.effect(form)?, params::effect(params, &form.params)?);
                let is_there = |param: &Param| count(form, param.name()) > 0;
                params.iter().all(is_there).then_some(Effect {
                    is_other: of_path.is_other || of_params.is_other,
                    dropped: of_params.dropped,
                })
            }
        }
    }

    /// The [key](Form::key) of what it makes of a form.
    pub(in crate::predict) fn key_after(&self, form: &Form<'_>) -> u64 {
        match self {
            Self::Params(edits) => form.key_with(params::left(edits, &form.params)),
            Self::AllParams => form.path_key(),
            _ => self.after(form).key(),
        }
    }

    /// What it makes of a form.
    pub(in crate::predict) fn after<'u>(&self, form: &Form<'u>) -> Form<'u> {
        let mut after = form.clone();
        self.apply(&mut after);
        after
    }

    /// Applies the edit. Returns `false` if it does not concern this form, which is then unchanged.
    pub fn apply(&self, form: &mut Form<'_>) -> bool {
        let is_changed = self.change(form);
        if is_changed {
            form.keys.forget(self.is_of_params());
        }
        is_changed
    }

    fn change(&self, form: &mut Form<'_>) -> bool {
        match self {
            Self::Origin { from, to } => replace_origin(from, to, form),
            Self::HostNumber => {
                let plain = numbers(&form.origin).map(|(at, end)| {
                    let (before, behind) = (&form.origin[..at], &form.origin[end..]);
                    Part::new(Kind::Origin, format!("{before}{ANY}{behind}"))
                });
                plain.map(|plain| form.origin = plain).is_some()
            }
            Self::Prefix { from, to } => replace_prefix(from, to, form),
            Self::Case => {
                let mut changed = false;
                for segment in form.segments.iter_mut().filter(|s| has_upper(s)) {
                    *segment = segment.lowered(Kind::Segment);
                    changed = true;
                }
                changed
            }
            Self::QueryCase => lower_params(form),
            Self::Escapes => escape(form),
            Self::Head { drop } => {
                if form.segments.len() <= *drop || form.segments[*drop].is_empty() {
                    return false;
                }
                form.segments.drain(..drop);
                true
            }
            Self::Folders => {
                let folders = folders(form);
                form.segments.drain(..folders);
                folders > 0
            }
            Self::Suffix { from, to } => replace_suffix(from, to, form),
            Self::Extension { from, to } => {
                has_extension(form, from) && replace_extension(from, to, form)
            }
            Self::Repeated { name, last } => keep_one(form, name, *last),
            Self::Tail { keep } => {
                if form.segments.len() <= *keep {
                    return false;
                }
                form.segments.truncate(*keep);
                true
            }
            Self::Segments { at, of } => {
                if form.segments.len() != *of {
                    return false;
                }
                for i in at {
                    if form.segments[*i].is_empty() {
                        return false;
                    }
                }
                for i in at {
                    form.segments[*i] = Part::new(Kind::Segment, ANY);
                }
                true
            }
            Self::Superfluous { at, of } => {
                let is_there = is_between(form, *at, *of);
                if is_there {
                    form.segments.remove(*at);
                }
                is_there
            }
            Self::Piece { of, sign, cut } => leave_out(of, sign, *cut, form),
            Self::Items { of, sign } => items::sort(of, sign, form),
            Self::Move {
                path,
                name,
                to,
                behind,
            } => apply_move((path, name), to, behind, form),
            Self::Reshape { from, to } => reshape(from, to, form),
            Self::Titled { from, to } => {
                let id = from.id_for(to, form).map(str::to_owned);
                id.map(|id| to.put(&id, form)).is_some()
            }
            Self::Params(edits) => params::apply(edits, &mut form.params),
            Self::Both { path, params } => {
                self.effect(form).is_some()
                    && path.change(form)
                    && params::apply(params, &mut form.params)
            }
            Self::AllParams => {
                let any = !form.params.is_empty();
                form.params.clear();
                any
            }
            Self::Order => sort_params(form),
            Self::Spelling => {
                let is_escaped = escape(form);
                sort_params(form) || is_escaped
            }
            Self::Referrer | Self::LeadsBack => false,
        }
    }
}
