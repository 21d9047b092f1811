//! Finds rules that do what a person has vetoed.
//!
//! A veto is about URLs, not about the wording of a rule: that `sid` stays on `/view.php` also forbids a rule that drops it
//! from all scripts, or together with something else.

use super::{
    edit::Edit,
    parts::Key,
    pattern::{Condition, Pattern},
    rule::Rule,
};

/// Whether a rule does everything that a vetoed one does, to URLs that the veto may be about.
///
/// ```
/// use nodust_middleware::rules::{Rule, defies};
///
/// let veto: Rule = "has:query.sid => drop:query.sid".parse()?;
/// let narrower: Rule = "is:seg.0=view.php => drop:query.sid drop:query.f".parse()?;
/// assert!(defies(&narrower, &veto));
/// assert!(!defies(&"=> drop:query.f".parse()?, &veto));
/// # Ok::<(), String>(())
/// ```
pub fn defies(rule: &Rule, veto: &Rule) -> bool {
    veto.edits.iter().all(|edit| does(rule, edit)) && !are_apart(&rule.pattern, &veto.pattern)
}

/// Whether a rule makes an edit, or ignores the same parameter in another way.
fn does(rule: &Rule, edit: &Edit) -> bool {
    let ignored = match edit {
        Edit::Drop(Key::Query(name)) | Edit::Mask(Key::Query(name)) => Some(name),
        _ => None,
    };
    rule.edits.iter().any(|own| {
        own == edit
            || matches!((own, edit), (Edit::First(key), Edit::Unique(other)) if key == other)
            || ignored.is_some_and(|name| match own {
                Edit::Drop(Key::Query(own)) | Edit::Mask(Key::Query(own)) => own == name,
                Edit::Set(Key::Query(own), value) => own == name && !is_repeated(rule, name, value),
                Edit::Keep(names) => !names.contains(name),
                _ => false,
            })
    })
}

/// Whether a rule is about URLs that have a value of a parameter more than once: to leave one does not ignore it.
fn is_repeated(rule: &Rule, name: &str, value: &str) -> bool {
    (rule.pattern.0.iter()).any(|condition| match condition {
        Condition::Is(Key::Query(own), all) => {
            **own == *name && all.contains('&') && all.split('&').all(|one| one == value)
        }
        _ => false,
    })
}

/// Whether no URL satisfies both, as far as single conditions tell.
fn are_apart(a: &Pattern, b: &Pattern) -> bool {
    let excludes = |a: &Condition, b: &Condition| match (a, b) {
        (Condition::Is(key, value), Condition::Is(other, its) | Condition::Maybe(other, its)) => {
            key == other && value != its
        }
        (Condition::Is(key, value), Condition::Starts(other, start)) => {
            key == other && !value.starts_with(&**start)
        }
        (
            Condition::No(key),
            Condition::Has(other)
            | Condition::Is(other, _)
            | Condition::Like(other, _)
            | Condition::Starts(other, _),
        ) => key == other,
        _ => false,
    };
    (a.0.iter()).any(|a| (b.0.iter()).any(|b| excludes(a, b) || excludes(b, a)))
}

#[cfg(test)]
mod tests {
    use super::defies;
    use crate::rules::Rule;

    #[test]
    fn another_wording_of_a_vetoed_rule_defies_it() {
        let rule = |text: &str| -> Rule { text.parse().unwrap() };
        for (veto, of, expected) in [
            ("=> drop:param.s", "is:host=e.org => drop:param.s", true),
            ("=> drop:query.s", "is:query.s=de => set:query.s=en", true),
            ("=> set:query.s=en", "=> drop:query.s", false),
            (
                "=> drop:query.s",
                "is:query.s=de&de => set:query.s=de",
                false,
            ),
            ("=> drop:param.s", "=> unwrap:seg.0=a* drop:param.s", true),
            (
                "is:seg.0=t.php => drop:query.s",
                "is:ext=php => drop:query.s",
                true,
            ),
            (
                "is:seg.0=t.php => drop:query.s",
                "is:seg.0=u.php => drop:query.s",
                false,
            ),
            (
                "has:query.a => drop:query.s",
                "no:query.a => drop:query.s",
                false,
            ),
            (
                "maybe:query.a=1 => drop:query.s",
                "is:query.a=2 => drop:query.s",
                false,
            ),
            (
                "starts:seg.0=x => drop:query.s",
                "is:seg.0=y => drop:query.s",
                false,
            ),
            ("=> drop:query.s", "=> mask:query.s", true),
            ("=> drop:query.s", "=> keep:id&page", true),
            ("=> drop:query.s", "=> keep:id&s", false),
            ("=> drop:query.s drop:query.f", "=> drop:query.s", false),
            ("=> lower-path", "=> lower:seg.0", false),
            // To leave one value does not ignore the parameter, and leaves none that is there twice.
            ("=> drop:query.s", "=> first:query.s", false),
            ("=> unique:query.s", "=> first:query.s", true),
            ("=> first:query.s", "=> unique:query.s", false),
        ] {
            assert_eq!(defies(&rule(of), &rule(veto)), expected, "{veto}: {of}");
        }
    }
}
