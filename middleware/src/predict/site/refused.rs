//! Edits that were not put on trial because enough similar ones wait for one.
//!
//! If each page has a title or a number of its own, each pair of pages gives another edit. None of these is ever
//! nominated again; an edit that is true of many pages is.

use std::collections::VecDeque;

use crate::{
    predict::{
        codec::{In, Out},
        form::{Edit, hash_of},
    },
    sign::ClusterId,
};

/// Edits that are remembered; the oldest make room.
const MOST: usize = 128;

/// An edit that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct One {
    edit: u64,
    /// The content from whose pages it was read, if that was known.
    content: Option<ClusterId>,
}

/// The edits that were refused last.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Refused(VecDeque<One>);

/// An edit says the same in either direction.
fn name_of(edit: &Edit) -> u64 {
    let name = |edit: &Edit| hash_of(0, &edit.to_string());
    let reverse = edit.reverse().map_or(u64::MAX, |reverse| name(&reverse));
    name(edit).min(reverse)
}

impl Refused {
    /// Whether an edit was refused before, when it was read from another content; if so it is forgotten, else noted.
    pub(super) fn is_read_again(&mut self, edit: &Edit, content: Option<ClusterId>) -> bool {
        let edit = name_of(edit);
        match self.0.iter().position(|one| one.edit == edit) {
            Some(at) if self.0[at].content != content => {
                self.0.remove(at);
                true
            }
            Some(_) => false,
            None => {
                if self.0.len() == MOST {
                    self.0.pop_front();
                }
                self.0.push_back(One { edit, content });
                false
            }
        }
    }

    pub(super) fn write(&self, out: &mut Out) {
        out.count(self.0.len());
        for One { edit, content } in &self.0 {
            out.fixed64(*edit);
            out.number(content.map_or(0, |content| u64::from(content) + 1));
        }
    }

    pub(super) fn read(from: &mut In<'_>) -> Option<Self> {
        let len = from.count().filter(|len| *len <= MOST)?;
        let mut one = || {
            Some(One {
                edit: from.fixed64()?,
                content: from.small()?.checked_sub(1),
            })
        };
        (0..len).map(|_| one()).collect::<Option<_>>().map(Self)
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<One>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::form::Param;

    fn value(number: usize) -> Edit {
        Edit::Params(vec![Param::Value("id".into(), number.to_string().into())])
    }

    #[test]
    fn what_another_content_says_again_is_heard_and_the_oldest_make_room() {
        let mut refused = Refused::default();
        assert!(
            !refused.is_read_again(&value(0), Some(7))
                && !refused.is_read_again(&value(0), Some(7))
        );
        assert!(refused.is_read_again(&value(0), Some(8)));
        assert!(
            !refused.is_read_again(&value(0), Some(9)),
            "it was heard, and forgotten"
        );
        for number in 1..=MOST {
            assert!(!refused.is_read_again(&value(number), Some(1)));
        }
        assert!(
            !refused.is_read_again(&value(0), Some(10)),
            "there was no room left"
        );
        assert!(refused.is_read_again(&value(MOST), Some(2)));
    }

    #[test]
    fn an_alias_is_the_same_either_way_round() {
        let alias = Edit::Prefix {
            from: vec!["a".into()],
            to: vec!["b".into()],
        };
        let mut refused = Refused::default();
        assert!(!refused.is_read_again(&alias, Some(1)));
        assert!(refused.is_read_again(&alias.reverse().unwrap(), Some(2)));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut refused = Refused::default();
        for number in 0..20 {
            refused.is_read_again(&value(number), Some(3));
        }
        let mut out = Out::default();
        refused.write(&mut out);
        assert_eq!(Refused::read(&mut In(&out.0)), Some(refused));
        out.0.pop();
        assert_eq!(Refused::read(&mut In(&out.0)), None);
    }
}
