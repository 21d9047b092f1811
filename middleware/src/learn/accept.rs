//! Decides whether a rule does enough good, and little enough harm, to be acted upon.

use super::{
    Options,
    deed::Deed,
    prior::{self, pages_for_usual},
    sinks::is_of_sink,
};
use crate::{
    items::is_within_names,
    rules::{Condition, Edit, Key, Rule},
};

/// URLs that must have led to one page, and none elsewhere, before all of their kind are taken to lead there: then
/// the next one leads elsewhere in one of as many cases (Laplace's rule of succession).
pub(super) const SINK_URLS: u64 = 24;
/// The same where the page is known as a wall, which other addresses lead to, too.
pub(super) const WALL_URLS: u64 = 6;

/// Pages that must have shown a rule right before it is believed, given what kind of rule it is: dropping a
/// parameter is right for whole sites, one value for another seldom for more than was seen.
pub(crate) fn pages_needed(rule: &Rule, options: &Options) -> u64 {
    let is_move = |edit: &Edit| matches!(edit, Edit::Move(..) | Edit::Copy(..));
    let is_taken_out = |key: &Key| {
        let mut edits = rule.edits.iter();
        edits.any(
            |edit| matches!(edit, Edit::Unwrap(own, _) | Edit::MaskPiece(own, ..) if own == key),
        )
    };
    // Both URLs hold the value, in parts of two kinds or with something around it in one: what is written anew beside it is no guess, nor is
    // the piece that it was taken out of. Where it only goes from one segment to another, the words around it are all that the rule says.
    let is_of_query = |key: &Key| matches!(key, Key::Query(_));
    let is_recast = |edit: &&Edit| {
        let (Some(from), Some(to)) = (edit.source(), edit.target()) else {
            return false;
        };
        is_move(edit) && (is_of_query(from) != is_of_query(to) || is_taken_out(from))
    };
    let recasts = rule.edits.iter().any(|edit| is_recast(&edit));
    let moves = rule.edits.iter().any(|edit| matches!(edit, Edit::Move(..)));
    let is_moved = |key: &Key| {
        let mut edits = rule.edits.iter();
        edits.any(|edit| is_move(edit) && edit.source() == Some(key))
    };
    let factor = rule
        .edits
        .iter()
        .map(|edit| match edit {
            Edit::Sort
            | Edit::LowerPath
            | Edit::Drop(Key::Slash | Key::PathParam(_))
            | Edit::Set(Key::Scheme | Key::Host, _) => 2,
            Edit::Drop(key @ Key::Query(_)) if tells_value(rule, key) => 5,
            Edit::Drop(Key::Query(name)) if prior::is_paging(name) => 6,
            Edit::Drop(Key::Query(name)) if prior::is_decoration(name) => 1,
            Edit::Drop(Key::Query(_) | Key::Ext)
            | Edit::Move(..)
            | Edit::Copy(..)
            | Edit::Lower(_)
            | Edit::Unique(_)
            | Edit::First(_)
            | Edit::Set(Key::Ext, _) => 3,
            Edit::Drop(_) => 4,
            Edit::SortItems(Key::Query(_), sign) if !is_within_names(sign) => 6,
            Edit::MaskDigits(..) | Edit::Unwrap(..) | Edit::Wrap(..) | Edit::Respell(..) => 6,
            Edit::Mask(_) => 12,
            Edit::MaskPiece(key, ..) if is_moved(key) => 6,
            Edit::Set(Key::Query(_), _) if recasts => 6,
            // Part of a move to another path.
            Edit::Set(..) if moves => 3,
            Edit::Set(..) if recasts => 4,
            // Any sign of any segment may be right by chance, in some folder; a way back is seldom the way there.
            Edit::MaskPiece(..) | Edit::SortItems(..) => 24,
            Edit::Keep(_) => SINK_URLS,
            Edit::Set(Key::Query(_), _) => 20,
            Edit::Set(..) => 8,
        })
        .max()
        .unwrap_or(3);
    (factor * options.min_trials).div_ceil(3)
}

/// Whether the rule speaks about one value of the part, and not one that stands for "as usual".
fn tells_value(rule: &Rule, key: &Key) -> bool {
    rule.pattern.0.iter().any(|condition| match condition {
        Condition::Is(own, value) => {
            own == key
                && !matches!(
                    &**value,
                    "" | "0" | "1" | "yes" | "true" | "false" | "all" | "default"
                )
        }
        _ => false,
    })
}

/// Whether a rule that did this on known URLs may be acted upon, if `failures_max` of its groups may fail.
/// `added` conditions were chosen on the same URLs, which makes their agreement worth less.
pub(super) fn accepts(
    options: &Options,
    failures_max: f64,
    rule: &Rule,
    deed: &Deed,
    added: usize,
) -> bool {
    if let Some(pages) = pages_for_usual(rule) {
        // Ten trials that went well are taken for granted.
        return deed.shown() >= pages
            && deed.failures as f64 <= failures_max * (deed.trials + 10) as f64;
    }
    if is_of_sink(rule, deed) {
        let is_of_query = matches!(rule.edits[..], [Edit::Keep(_)]);
        let least = if is_of_query && deed.of_walls == deed.trials {
            WALL_URLS
        } else {
            SINK_URLS
        };
        // There is one page: what counts is how many URLs led to it, and that none led elsewhere.
        return added == 0
            && deed.trials > 0
            && deed.failures == 0
            && deed.orphans.is_empty()
            && deed.saved + deed.trials >= least;
    }
    // Where it is wrong to leave out what turns pages, the rest of a list is lost: that some pages change while they are
    // fetched is no excuse.
    let failures_max = if rule.edits.iter().any(turns_pages) {
        failures_max.min(options.fpr_max)
    } else {
        failures_max
    };
    let chosen = added.max(chosen_conditions(rule));
    // Error pages agree with each other whatever a value is replaced by, or whatever two segments are, and the more so the more was picked.
    let sets = |edit: &Edit| matches!(edit, Edit::Set(Key::Query(_), _));
    let takes_segment =
        |edit: &&Edit| matches!(edit, Edit::Drop(Key::Seg(_)) | Edit::Mask(Key::Seg(_)));
    let segments = rule.edits.iter().filter(takes_segment).count();
    let from_giants = if rule.edits.iter().any(sets) || segments > 1 {
        0
    } else {
        deed.in_giants / (1 + 4 * chosen as u64)
    };
    deed.pages + from_giants >= pages_needed(rule, options) + chosen as u64
        && deed.orphans.is_empty()
        && deed.failures as f64 <= failures_max * deed.trials as f64
        && deed.lost <= failures_max * deed.saved as f64
}

/// Whether the edit leaves out what turns pages, or its value, or takes one page of a list for another.
fn turns_pages(edit: &Edit) -> bool {
    matches!(
        edit,
        Edit::Drop(Key::Query(name))
            | Edit::Mask(Key::Query(name))
            | Edit::MaskDigits(Key::Query(name), _)
            | Edit::Set(Key::Query(name), _)
            if prior::is_paging(name)
    )
}

/// Conditions on the query that were picked among many: values, starts, absences.
fn chosen_conditions(rule: &Rule) -> usize {
    let is_chosen = |condition: &&Condition| {
        matches!(
            condition,
            Condition::Is(Key::Query(_), _) | Condition::Starts(..) | Condition::No(Key::Query(_))
        )
    };
    let edited = |condition: &&Condition| {
        matches!(condition, Condition::Is(key, _) | Condition::No(key)
            if rule.edits.iter().any(|edit| matches!(edit,
                Edit::Drop(k) | Edit::Mask(k) | Edit::Set(k, _) | Edit::Move(_, k) if k == key)))
    };
    let conditions = rule.pattern.0.iter();
    conditions.filter(is_chosen).filter(|c| !edited(c)).count()
}

#[cfg(test)]
mod tests {
    use super::{Options, accepts, pages_needed};
    use crate::{learn::deed::Deed, rules::Rule};

    #[test]
    fn words_around_what_goes_to_another_segment_need_more_pages_than_a_value_that_both_urls_hold()
    {
        for (rule, pages) in [
            ("is:seg.0=a => copy:seg.0>seg.2 set:seg.0=amp", 8),
            ("has:query.id => copy:query.id>seg.1 set:seg.0=amp", 4),
            ("is:len=2 => piece:from-first:-:seg.1", 24),
            (
                "is:len=2 => piece:from-first:-:seg.1 copy:seg.1>query.id",
                6,
            ),
            (
                "is:len=2 => piece:from-first:-:seg.1 copy:seg.0>query.id",
                24,
            ),
            ("is:query.op=a has:query.p => set:query.op=b", 20),
            ("has:seg.1 => copy:seg.1>query.id set:query.op=b", 6),
        ] {
            let needed = pages_needed(&rule.parse().unwrap(), &Options::default());
            assert_eq!(needed, pages, "{rule}");
        }
    }

    #[test]
    fn a_page_that_may_have_changed_excuses_no_rule_that_leaves_out_paging() {
        let options = Options::default();
        let of = |trials, failures| Deed {
            changed: trials,
            trials: trials as u64,
            pages: (trials - failures) as u64,
            saved: trials as u64,
            failures: failures as u64,
            lost: failures as f64,
            ..Deed::default()
        };
        for (rule, may_fail) in [
            ("has:query.colour => drop:query.colour", true),
            ("has:query.page => drop:query.page", false),
            ("has:query.start => mask:query.start", false),
            ("is:query.page=4 has:query.by => drop:query.page", false),
            ("is:query.page=4 has:query.by => set:query.page=3", false),
        ] {
            let rule: Rule = rule.parse().unwrap();
            let accepted = |deed: Deed| accepts(&options, options.failures_max, &rule, &deed, 0);
            assert_eq!(accepted(of(40, 1)), may_fail, "{rule}");
            assert!(accepted(of(40, 0)), "{rule}");
            assert!(accepted(of(200, 1)), "{rule}");
        }
    }
}
