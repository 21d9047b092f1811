//! The text form of a belief.
//!
//! It has three parts: what does not matter, how general that is meant, and the name of the context, a hash. `sid is
//! ignored | names | 00c0ffee00c0ffee` says that the parameter `sid` does not matter on pages of one path's shape and
//! set of parameter names. On another site the same edit has other contexts.
//!
//! ```
//! use nodust_middleware::predict::{Claim, Edit, Level};
//!
//! let claim: Claim = "value of tab is ignored, sid is ignored | host | 00000000000000ff".parse()?;
//! assert!(matches!(&claim.edit, Edit::Params(params) if params.len() == 2));
//! assert_eq!((claim.level, claim.context), (Level::Host, 255));
//! assert_eq!(claim.to_string().parse(), Ok(claim));
//! # Ok::<(), nodust_middleware::predict::NotAClaim>(())
//! ```

use std::{fmt, str::FromStr};

use super::{
    belief::Level,
    form::{Edit, Param, Slot, Whole, lies_between, read_titled},
};
use crate::{
    cut::{Cut, all_signs},
    items,
};

/// What a belief says, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What does not matter.
    pub edit: Edit,
    /// How general it is meant.
    pub level: Level,
    /// Name of the context: a hash of what the level says is given.
    pub context: u64,
}

/// The error for a text that is not a belief.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no belief: {why}")]
pub struct NotAClaim {
    text: String,
    why: &'static str,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} | {} | {:016x}",
            self.edit,
            self.level.name(),
            self.context
        )
    }
}

impl FromStr for Claim {
    type Err = NotAClaim;

    fn from_str(text: &str) -> Result<Self, NotAClaim> {
        let no = |why| NotAClaim {
            text: text.to_owned(),
            why,
        };
        let mut parts = text.rsplitn(3, " | ");
        let (context, level, edit) = (parts.next(), parts.next(), parts.next());
        let (Some(context), Some(level), Some(edit)) = (context, level, edit) else {
            return Err(no(
                "it needs an edit, a level and a context, with ` | ` between",
            ));
        };
        let context = (context.len() == 16)
            .then(|| u64::from_str_radix(context, 16).ok())
            .flatten()
            .ok_or_else(|| no("its context is not 16 hexadecimal digits"))?;
        let level = Level::from_name(level).ok_or_else(|| {
            no("its level is none of path_and_rest, where_held, action, path, names, shape, host")
        })?;
        Ok(Self {
            edit: edit.parse().map_err(|_| no("its edit is not understood"))?,
            level,
            context,
        })
    }
}

impl FromStr for Edit {
    type Err = NotAClaim;

    /// Reads what `Display` writes, and wrote: `first 1 segments are ignored`. Parts of a URL hold no spaces, so that words with spaces around them
    /// can stand between.
    fn from_str(text: &str) -> Result<Self, NotAClaim> {
        read(text).ok_or_else(|| NotAClaim {
            text: text.to_owned(),
            why: "the edit is not understood",
        })
    }
}

fn read(text: &str) -> Option<Edit> {
    let alias = |rest: &str| {
        let (from, to) = rest.split_once(" = ")?;
        Some((from.to_owned(), to.to_owned()))
    };
    match text {
        "case of path is ignored" => return Some(Edit::Case),
        "number of host is ignored" => return Some(Edit::HostNumber),
        "all parameters are ignored" => return Some(Edit::AllParams),
        "case of parameters is ignored" => return Some(Edit::QueryCase),
        "escapes are ignored" => return Some(Edit::Escapes),
        "escapes and order of parameters are ignored" => return Some(Edit::Spelling),
        "order of parameters is ignored" => return Some(Edit::Order),
        "page is the one that links to it" => return Some(Edit::Referrer),
        "link leads back to its page" => return Some(Edit::LeadsBack),
        "folders are ignored" => return Some(Edit::Folders),
        "first segment is ignored" => return Some(Edit::Head { drop: 1 }),
        _ => {}
    }
    if let Some((path, params)) = text.split_once(" and ") {
        // Of two and no more, whoever wrote the text.
        if params.contains(" and ") {
            return None;
        }
        let (path, params) = (read(path)?, read(params)?);
        return path.and(params);
    }
    if let Some(rest) = text.strip_prefix("origin ") {
        let (from, to) = alias(rest)?;
        return Some(Edit::Origin { from, to });
    }
    if let Some(rest) = text.strip_prefix("prefix ") {
        let (from, to) = alias(rest)?;
        let (from, to) = (segments(&from)?, segments(&to)?);
        return Some(Edit::Prefix { from, to });
    }
    if let Some(rest) = text.strip_prefix("suffix ") {
        let (from, to) = alias(rest)?;
        let (from, to) = (segments(&from)?, segments(&to)?);
        return Some(Edit::Suffix { from, to });
    }
    if let Some(rest) = text.strip_prefix("extension ") {
        let (from, to) = alias(rest)?;
        let (from, to) = (extension(&from)?, extension(&to)?);
        return (!from.is_empty()).then_some(Edit::Extension { from, to });
    }
    for (which, last) in [("first of several ", false), ("last of several ", true)] {
        if let Some(name) = text.strip_prefix(which) {
            let name = name.strip_suffix(" counts")?.to_owned();
            return Some(Edit::Repeated { name, last });
        }
    }
    if let Some(count) = text.strip_prefix("first ") {
        let drop = count.strip_suffix(" segments are ignored")?.parse().ok()?;
        return Some(Edit::Head { drop });
    }
    if let Some(count) = text.strip_prefix("segments behind ") {
        let keep = count.strip_suffix(" are ignored")?.parse().ok()?;
        return Some(Edit::Tail { keep });
    }
    if let Some(piece) = piece(text).or_else(|| in_any_order(text)) {
        return Some(piece);
    }
    if let Some(one) = text.strip_prefix("segment ") {
        let (at, of) = one.strip_suffix(" is superfluous")?.split_once(" of ")?;
        let (at, of) = (at.parse().ok()?, of.parse().ok()?);
        return lies_between(at, of).then_some(Edit::Superfluous { at, of });
    }
    if let Some(list) = text.strip_prefix("segments [") {
        let (at, of) = list.strip_suffix(" are ignored")?.split_once("] of ")?;
        let of = of.parse().ok()?;
        let at: Vec<usize> = at
            .split(',')
            .map(|n| n.trim().parse().ok())
            .collect::<Option<_>>()?;
        return at
            .iter()
            .all(|n| *n < of)
            .then_some(Edit::Segments { at, of });
    }
    if (text.starts_with('/') || text.starts_with("nothing?"))
        && let Some((from, to)) = alias(text)
    {
        let titled = read_titled(&from, &to).map(|(from, to)| Edit::Titled { from, to });
        return titled.or_else(|| moved(&from, &to).or_else(|| reshaped(&from, &to)));
    }
    let mut params = Vec::new();
    let mut rest = text;
    loop {
        // Names and values may end in commas, but hold no space.
        let ends = [" is ignored", " is as absent"].map(|end| Some(rest.find(end)? + end.len()));
        let (one, more) = rest.split_at(ends.into_iter().flatten().min()?);
        params.push(param(one)?);
        if more.is_empty() {
            return Some(Edit::Params(params));
        }
        rest = more.strip_prefix(", ")?;
    }
}

/// `/w/index.php?title=x = /wiki/x`, or `/viewtopic.php?t=x = /topic{x}.html`
fn moved(from: &str, to: &str) -> Option<Edit> {
    let (path, name) = from.strip_suffix("=x")?.split_once('?')?;
    let (to, behind) = match Slot::read(to) {
        Some(found) => found,
        None => (Slot::bare(segments(to.strip_suffix("/x")?)?), Vec::new()),
    };
    Some(Edit::Move {
        path: segments(path)?,
        name: name.to_owned(),
        to,
        behind,
    })
}

/// `/users/{x} = /~{x}`
fn reshaped(from: &str, to: &str) -> Option<Edit> {
    let whole = |text| Slot::read(text).filter(|(_, behind)| behind.is_empty());
    let ((from, _), (to, _)) = (whole(from)?, whole(to)?);
    Some(Edit::Reshape { from, to })
}

/// `segment 1 of 2 behind its first - is ignored`
fn piece(text: &str) -> Option<Edit> {
    let text = text.strip_suffix(" is ignored")?;
    let (text, sign) = text.rsplit_once(' ')?;
    let sign = all_signs().find(|known| *known == sign)?.to_owned();
    let (whole, cut) = Cut::ALL.into_iter().find_map(|cut| {
        let whole = text.strip_suffix(cut.words())?.strip_suffix(' ')?;
        Some((whole, cut))
    })?;
    let of = whole_of(whole)?;
    Some(Edit::Piece { of, sign, cut })
}

/// `order of items parted by , in value of tags is ignored`
fn in_any_order(text: &str) -> Option<Edit> {
    let text = text.strip_prefix("order of items parted by ")?;
    let (sign, whole) = text.strip_suffix(" is ignored")?.split_once(" in ")?;
    let sign = items::SIGNS.into_iter().find(|known| *known == sign)?;
    Some(Edit::Items {
        of: whole_of(whole)?,
        sign: sign.to_owned(),
    })
}

/// `segment 1 of 2`, or `value of tags`
fn whole_of(text: &str) -> Option<Whole> {
    if let Some(one) = text.strip_prefix("segment ") {
        let (at, of) = one.split_once(" of ")?;
        let (at, of) = (at.parse().ok()?, of.parse().ok()?);
        return (at < of).then_some(Whole::Segment { at, of });
    }
    let name = text.strip_prefix("value of ")?;
    let name = Some(name).filter(|name| !name.contains(' '))?.to_owned();
    Some(Whole::Value { name })
}

fn param(text: &str) -> Option<Param> {
    if let Some(pair) = text.strip_suffix(" is as absent") {
        let (name, value) = pair.split_once('=')?;
        return Some(Param::Value(name.into(), value.into()));
    }
    let name = text.strip_suffix(" is ignored")?;
    let (name, wild) = match name.strip_prefix("value of ") {
        Some(name) => (name, true),
        None => (name, false),
    };
    if name.contains(' ') {
        return None;
    }
    Some(if wild {
        Param::Wild(name.into())
    } else {
        Param::Any(name.into())
    })
}

fn extension(text: &str) -> Option<String> {
    if text == "nothing" {
        return Some(String::new());
    }
    text.starts_with(['.', '-', '_', '~'])
        .then(|| text.to_owned())
}

fn segments(text: &str) -> Option<Vec<String>> {
    if text == "nothing" {
        return Some(Vec::new());
    }
    let path = text.strip_prefix('/')?;
    Some(path.split('/').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::{
        super::{
            belief::LEVELS,
            form::{ById, Form, Title, Titled},
        },
        *,
    };

    #[test]
    fn texts_that_no_program_writes_are_refused() {
        let many = vec!["a is ignored"; 200_000].join(" and ");
        let beyond = format!("segment {} of 3 is superfluous", usize::MAX);
        for text in [
            many.as_str(),
            &beyond,
            "segment 0 of 3 is superfluous",
            "segment 2 of 3 is superfluous",
        ] {
            assert!(text.parse::<Edit>().is_err(), "{text:.60}");
        }
        assert!("segment 1 of 3 is superfluous".parse::<Edit>().is_ok());
    }

    fn name() -> impl Strategy<Value = String> {
        // What can stand in a URL that was spelled canonically.
        "[!$'()*+,.0-9:;@A-Z_a-z~%|-]{0,6}"
    }

    fn param() -> impl Strategy<Value = Param> {
        prop_oneof![
            name().prop_map(|name| Param::Any(name.into())),
            name().prop_map(|name| Param::Wild(name.into())),
            (name(), "[=!,.a-z0-9|]{0,6}")
                .prop_map(|(name, value)| Param::Value(name.into(), value.into())),
        ]
    }

    fn slot() -> impl Strategy<Value = Slot> {
        (vec(name(), 0..4), name(), name()).prop_map(|(before, prefix, suffix)| Slot {
            before,
            prefix,
            suffix,
        })
    }

    fn title() -> impl Strategy<Value = Title> {
        prop_oneof![
            Just(Title::Next),
            Just(Title::Behind("-".into())),
            Just(Title::Before("_".into())),
        ]
    }

    /// An alias of an origin.
    fn alias() -> impl Strategy<Value = Edit> {
        (name(), name()).prop_map(|(a, b)| Edit::Origin {
            from: format!("http://{a}"),
            to: format!("https://{b}"),
        })
    }

    fn whole() -> impl Strategy<Value = Whole> {
        prop_oneof![
            (0..4usize).prop_map(|at| Whole::Segment { at, of: 4 }),
            name().prop_map(|name| Whole::Value { name }),
        ]
    }

    fn edit() -> impl Strategy<Value = Edit> {
        let path = || vec(name(), 0..4);
        prop_oneof![
            Just(Edit::Case),
            Just(Edit::AllParams),
            Just(Edit::Order),
            Just(Edit::Referrer),
            Just(Edit::LeadsBack),
            Just(Edit::QueryCase),
            Just(Edit::Escapes),
            Just(Edit::Spelling),
            Just(Edit::Folders),
            Just(Edit::HostNumber),
            (path(), name(), slot(), path()).prop_map(|(path, name, to, behind)| Edit::Move {
                path,
                name,
                to,
                behind
            }),
            (slot(), slot()).prop_map(|(from, to)| Edit::Reshape { from, to }),
            (path(), title(), path(), prop::option::of(name())).prop_map(
                |(before, title, path, name)| Edit::Titled {
                    from: Titled { before, title },
                    // A URL has a path.
                    to: ById {
                        path: if path.is_empty() && name.is_some() {
                            vec![String::new()]
                        } else {
                            path
                        },
                        name
                    },
                }
            ),
            alias(),
            (path(), path()).prop_map(|(from, to)| Edit::Prefix { from, to }),
            (path(), path()).prop_map(|(from, to)| Edit::Suffix { from, to }),
            ("\\.[a-z]{0,3}", "(\\.[a-z]{0,3})?")
                .prop_map(|(from, to)| Edit::Extension { from, to }),
            (name(), any::<bool>()).prop_map(|(name, last)| Edit::Repeated { name, last }),
            (0..9usize).prop_map(|drop| Edit::Head { drop }),
            (0..9usize).prop_map(|keep| Edit::Tail { keep }),
            vec(0..5usize, 1..3).prop_map(|at| Edit::Segments { at, of: 5 }),
            (1..4usize).prop_map(|at| Edit::Superfluous { at, of: 5 }),
            (
                whole(),
                prop::sample::select(all_signs().collect::<Vec<_>>()),
                prop::sample::select(Cut::ALL.to_vec())
            )
                .prop_map(|(of, sign, cut)| Edit::Piece {
                    of,
                    sign: sign.into(),
                    cut
                }),
            (whole(), prop::sample::select(items::SIGNS.to_vec())).prop_map(|(of, sign)| {
                Edit::Items {
                    of,
                    sign: sign.into(),
                }
            }),
            vec(param(), 1..4).prop_map(Edit::Params),
            (1..4usize, vec(param(), 1..4)).prop_map(|(at, params)| Edit::Both {
                path: Edit::Superfluous { at, of: 5 }.into(),
                params,
            }),
            (alias(), vec(param(), 1..4)).prop_map(|(path, params)| Edit::Both {
                path: path.into(),
                params,
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn a_belief_is_read_back_as_it_was_written(edit in edit(), level in 0..LEVELS.len(), context: u64) {
            let claim = Claim { edit, level: LEVELS[level], context };
            prop_assert_eq!(claim.to_string().parse(), Ok(claim));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(case of |segments \\[|1, | is ignored| = |/| \\| host|\\PC){0,6}") {
            let _ = text.parse::<Claim>();
            let _ = text.parse::<Edit>();
        }
    }

    #[test]
    fn what_is_no_belief_is_told_why() {
        for (text, why) in [
            ("sid is ignored", "it needs"),
            ("sid is ignored | host | xyz", "16 hexadecimal"),
            ("sid is ignored | galaxy | 0000000000000001", "its level"),
            ("sid matters | host | 0000000000000001", "its edit"),
        ] {
            let told = text.parse::<Claim>().unwrap_err().to_string();
            assert!(told.contains(why), "{told}");
        }
    }
    #[test]
    fn the_table_of_the_docs_says_what_edits_make_one_page() {
        let docs = include_str!("../../../docs/beliefs.md");
        let (_, table) = docs.split_once("| edit | example |").unwrap();
        let rows: Vec<_> = (table.split("\n\n").next().unwrap().lines())
            .filter(|row| row.contains('`'))
            .collect();
        for row in &rows {
            let code: Vec<_> = row.split('`').skip(1).step_by(2).collect();
            let [edit, one, other] = code[..] else {
                panic!("{row}")
            };
            let edit: Edit = edit.parse().unwrap();
            let urls = [one, other].map(|url| match url.strip_prefix('/') {
                Some(path) => format!("http://e.org/{path}"),
                None => url.to_owned(),
            });
            let key = |url| {
                let mut form = Form::parse(url);
                edit.apply(&mut form);
                form.key()
            };
            assert_ne!(urls[0], urls[1], "{row}");
            assert_eq!(key(&urls[0]), key(&urls[1]), "{row}");
        }
        assert_eq!(rows.len(), 40);
    }

    #[test]
    fn older_and_looser_texts_are_read() {
        for (text, edit) in [
            ("first 1 segments are ignored", Edit::Head { drop: 1 }),
            (
                "segments [1,2] of 4 are ignored",
                Edit::Segments {
                    at: vec![1, 2],
                    of: 4,
                },
            ),
        ] {
            assert_eq!(text.parse(), Ok(edit), "{text}");
        }
        assert_eq!(
            Edit::Head { drop: 1 }.to_string(),
            "first segment is ignored"
        );
    }
}
