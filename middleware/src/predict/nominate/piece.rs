//! Readings of two segments or two values, piece by piece.

use crate::{
    cut::{narrowest, without_extension},
    items::{self, are_one_set},
    predict::form::{Edit, Form, Whole},
};

/// Pieces of one segment or of one value, or their order, are all that differs.
pub(super) fn pieces(new: &Form<'_>, old: &Form<'_>, changed: &[&str], out: &mut Vec<Edit>) {
    let (n, o) = (&new.segments, &old.segments);
    let mut differ = (0..n.len().min(o.len())).filter(|at| n[*at] != o[*at]);
    let (of, one, other) = match (differ.next(), changed) {
        (Some(at), _) if n.len() == o.len() && differ.next().is_none() => {
            let (one, other) = (without_extension(&n[at]), without_extension(&o[at]));
            if n[at][one.len()..] != o[at][other.len()..] {
                return;
            }
            (Whole::Segment { at, of: n.len() }, one, other)
        }
        (None, [name]) => {
            let value = |form: &Form<'_>| {
                let mut all = form.params.iter().filter(|(of, _)| **of == **name);
                let one = all.next().filter(|_| all.next().is_none());
                one.map(|(_, value)| value.to_string())
            };
            let (Some(one), Some(other)) = (value(new), value(old)) else {
                return;
            };
            let name = (*name).to_owned();
            return cuts(&Whole::Value { name }, &one, &other, out);
        }
        _ => return,
    };
    cuts(&of, one, other, out);
}

fn cuts(of: &Whole, one: &str, other: &str, out: &mut Vec<Edit>) {
    out.extend(narrowest(one, other).map(|(sign, cut)| Edit::Piece {
        of: of.clone(),
        sign: sign.to_owned(),
        cut,
    }));
    let signs = items::SIGNS.into_iter();
    let signs = signs.filter(|sign| are_one_set(one, other, sign));
    out.extend(signs.map(|sign| Edit::Items {
        of: of.clone(),
        sign: sign.to_owned(),
    }));
}
