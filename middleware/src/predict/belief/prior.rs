//! The weight of a claim before it is tried.

use super::Level;
use crate::{
    cut::is_index,
    predict::form::{Edit, Param},
};

/// Weight of a hypothesis: more where experience from other sites speaks for it, less for one of very many
/// narrow contexts. The sum of all weights is what the correction divides by, so that the guarantee holds
/// with weights as without (weighted e-BH: Wang and Ramdas, JRSS-B 2022).
pub(in crate::predict) fn prior(edit: &Edit, level: Level) -> f32 {
    let narrow = match level {
        // Kinds of pages check an alias that is claimed for all; few are wanted on their own.
        Level::Names if edit.is_literal() => 0.25,
        Level::PathAndRest => 0.2,
        Level::Action | Level::Path | Level::Shape => 0.5,
        Level::Names | Level::HostNames | Level::Host | Level::Domain | Level::WhereHeld => 1.0,
    };
    // Large sets are many and mostly chance.
    let simple = match edit {
        Edit::Both { params, .. } => params.iter().fold(0.5, |w, _| w * 0.5),
        Edit::Params(edits) => edits.iter().skip(1).fold(1.0, |w, _| w * 0.25),
        Edit::Segments { at, .. } => at.iter().skip(1).fold(1.0, |w, _| w * 0.5),
        _ => 1.0,
    };
    narrow * simple * prior_of(edit)
}

/// The weight where wider claims of the edit were found full: contents had their say for them, and none ever spoke against
/// them, so that the parts which the edit calls irrelevant are no chance set, and this page no chance context.
pub(in crate::predict) fn prior_under_full(edit: &Edit, level: Level) -> f32 {
    prior(edit, level).max(1.0)
}

/// What the number of a first page weighs.
const FIRST_PAGE: f32 = 3.0;

/// Aliases of one kind that have their full weight.
const FULL_WEIGHT: u16 = 4;

/// The part of its weight that an alias of hosts or folders has where so many of its kind were tested before: experience from other sites
/// speaks for a few mirrors, not for a hundred. (Folders `latest` that are the newest version, each of its own project: thirty of these, with
/// ten pages each, would have doubled what any other claim has to show.) Twice as many have half of it: thirty weigh as much together as ten, a
/// thousand as twenty. Each has it before the first trial that counts, as weighted e-BH asks.
pub(in crate::predict) fn part_among(before: u16) -> f32 {
    match before / FULL_WEIGHT {
        0 => 1.0,
        times => 0.5 / f32::from(1_u16 << times.ilog2()),
    }
}

/// What a claim weighs, however general it is, if all that it is about is one choice, and no set.
pub(in crate::predict) fn prior_of(edit: &Edit) -> f32 {
    match edit {
        // One claim for a whole site, which each kind of its pages has to confirm.
        Edit::Origin { .. } | Edit::Prefix { .. } => 6.0,
        Edit::HostNumber
        | Edit::Case
        | Edit::QueryCase
        | Edit::Escapes
        | Edit::Spelling
        | Edit::Order
        | Edit::Extension { .. } => 3.0,
        Edit::Suffix { from, to } => {
            let natural = |s: &[String]| s.iter().all(|segment| is_index(segment));
            if natural(from) && natural(to) {
                3.0
            } else {
                1.0
            }
        }
        Edit::Params(edits) => edits.iter().map(param_prior).fold(8.0, f32::min),
        // What an alias says better.
        Edit::Segments { .. }
        | Edit::Superfluous { .. }
        | Edit::Piece { .. }
        | Edit::Items { .. }
        | Edit::Both { .. } => 0.5,
        _ => 1.0,
    }
}

/// The weight of a claim that an empty value is none.
const EMPTY: f32 = 3.0;

/// The first page of a list is mostly what comes without a number.
fn param_prior(edit: &Param) -> f32 {
    let pages = ["page", "p", "pg", "paged", "page_no", "pageno"];
    let rows = ["start", "offset", "from", "first", "startwith", "skip"];
    let is_first = match edit {
        Param::Value(name, value) => {
            let low = name.trim_start_matches([';', '@']).to_ascii_lowercase();
            (&**value == "1" && pages.contains(&&*low))
                || (&**value == "0" && (pages.contains(&&*low) || rows.contains(&&*low)))
        }
        _ => false,
    };
    if is_first {
        FIRST_PAGE
    } else if matches!(edit, Param::Value(_, value) if value.is_empty()) {
        EMPTY.max(name_prior(edit.name()))
    } else {
        name_prior(edit.name())
    }
}

fn name_prior(name: &str) -> f32 {
    let low = name.trim_start_matches(';').to_ascii_lowercase();
    let session = [
        "sid",
        "phpsessid",
        "jsessionid",
        "sessionid",
        "session_id",
        "aspsessionid",
        "cfid",
        "cftoken",
        "gclid",
        "fbclid",
        "msclkid",
        "dclid",
        "yclid",
        "mc_cid",
        "mc_eid",
    ];
    let view = [
        "sort",
        "order",
        "dir",
        "replytocom",
        "print",
        "printable",
        "ref",
        "referer",
        "referrer",
        "from",
        "highlight",
        "hilit",
        "source",
        "tracking",
        "affiliate",
        "partner",
        "sectok",
        "share",
        "redirect",
        "token",
    ];
    if session.contains(&low.as_str()) || low.starts_with("utm_") {
        8.0
    } else if view.contains(&low.as_str()) {
        3.0
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_aliases_weigh_together_little_more_than_a_few() {
        let parts: Vec<f32> = (0..1000).map(part_among).collect();
        assert!(parts.is_sorted_by(|one, next| one >= next));
        assert_eq!(parts[..4], [1.0; 4]);
        let of_first = |n: usize| parts[..n].iter().sum::<f32>();
        assert!(of_first(32) <= 10.0, "{}", of_first(32));
        assert!(of_first(1000) <= 20.0, "{}", of_first(1000));
        assert!(parts.iter().all(|part| *part > 0.0));
    }

    #[test]
    fn the_number_of_a_first_page_weighs_more_than_that_of_another() {
        let weight = |name: &str, value: &str| {
            let param = Param::Value(name.into(), value.into());
            prior(&Edit::Params(vec![param]), Level::Host)
        };
        for (name, value) in [
            ("page", "1"),
            ("P", "1"),
            ("start", "0"),
            ("@startwith", "0"),
        ] {
            assert!(weight(name, value) > 2.0, "{name}={value}");
        }
        for (name, value) in [("page", "2"), ("start", "1"), ("id", "1")] {
            assert!(weight(name, value) < 1.5, "{name}={value}");
        }
        let any = Edit::Params(vec![Param::Any("page".into())]);
        assert!(prior(&any, Level::Host) < 1.5);
    }
}
