//! What does a claim weigh before it was tried?

use super::Level;
use crate::{cut::is_index, predict::form::Edit};

/// Weight of a hypothesis: more where experience from other sites speaks for it, less for one of very many
/// narrow contexts. The sum of all weights is what the correction divides by, so that the guarantee holds
/// with weights as without (weighted e-BH: Wang and Ramdas, JRSS-B 2022).
pub(in crate::predict) fn prior(edit: &Edit, level: Level) -> f32 {
    let narrow = match level {
        // Kinds of pages check an alias that is claimed for all; few are wanted on their own.
        Level::Names if edit.is_literal() => 0.25,
        Level::PathAndRest => 0.2,
        Level::Action | Level::Path | Level::Shape => 0.5,
        Level::Names | Level::Host | Level::WhereHeld => 1.0,
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

fn prior_of(edit: &Edit) -> f32 {
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
        Edit::Params(edits) => edits
            .iter()
            .map(|edit| name_prior(edit.name()))
            .fold(8.0, f32::min),
        // What an alias says better.
        Edit::Segments { .. }
        | Edit::Superfluous { .. }
        | Edit::Piece { .. }
        | Edit::Both { .. } => 0.5,
        _ => 1.0,
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
