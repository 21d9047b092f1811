//! Items of a segment or of a value of a form, put in order.

use super::{Form, Part, piece::Whole};
use crate::items::{are_one_set, in_order, in_order_of_segment};

/// What has items, with these in the order of their texts, if they stand in another one.
fn sorted(of: &Whole, sign: &str, form: &Form<'_>) -> Option<String> {
    let text = of.of(form)?;
    match of {
        Whole::Segment { at, .. } => in_order_of_segment(&form.segments[*at], sign),
        Whole::Value { .. } => in_order(text, sign),
    }
}

/// Whether items of a form stand in another order than that of their texts.
pub(super) fn are_unsorted(of: &Whole, sign: &str, form: &Form<'_>) -> bool {
    sorted(of, sign, form).is_some()
}

/// Puts the items of a form in the order of their texts; whether they stood in another one.
pub(super) fn sort(of: &Whole, sign: &str, form: &mut Form<'_>) -> bool {
    match (sorted(of, sign, form), of.part_mut(form)) {
        (Some(sorted), Some((part, kind))) => {
            *part = Part::new(kind, sorted);
            true
        }
        _ => false,
    }
}

/// Whether two forms have the same items in two orders.
pub(in crate::predict) fn differ_in_items(
    of: &Whole,
    sign: &str,
    one: &Form<'_>,
    other: &Form<'_>,
) -> bool {
    let both = of.of(one).zip(of.of(other));
    both.is_some_and(|(one, other)| are_one_set(one, other, sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Edit;

    fn after(of: &Whole, sign: &str, url: &str) -> Option<u64> {
        let url = format!("http://e.org{url}");
        let edit = Edit::Items {
            of: of.clone(),
            sign: sign.to_owned(),
        };
        let mut form = Form::parse(&url);
        let has_effect = edit.effect(&form).is_some();
        let is_changed = edit.apply(&mut form);
        assert_eq!(has_effect, is_changed, "{url}");
        is_changed.then(|| form.key())
    }

    fn key(url: &str) -> u64 {
        Form::parse(&format!("http://e.org{url}")).key()
    }

    #[test]
    fn items_are_put_in_order() {
        let tags = Whole::Value {
            name: "tags".into(),
        };
        let got = after(&tags, ",", "/l?p=1&tags=round,red,new");
        assert_eq!(got, Some(key("/l?p=1&tags=new,red,round")));
        assert_eq!(after(&tags, ",", "/l?tags=new,red"), None);
        assert_eq!(after(&tags, ",", "/l?tags=red"), None);
        assert_eq!(after(&tags, ",", "/l?sort=b,a"), None);
        assert_eq!(after(&tags, ",", "/l?tags=b,a&tags=c"), None);
        let second = Whole::Segment { at: 1, of: 2 };
        let got = after(&second, "+", "/tag/red+blue.html");
        assert_eq!(got, Some(key("/tag/blue+red.html")));
        assert_eq!(after(&second, "+", "/tag/red+blue/"), None);
        assert_eq!(after(&second, "+", "/tag/red.html+blue"), None);
    }
}
