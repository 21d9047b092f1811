//! The memory that an edit holds.

use std::sync::Arc;

use super::{
    Edit, Hashed, Param, Slot, Whole,
    hashed::{Alias, Names},
};
use crate::heap::BLOCK;

fn text(text: &String) -> usize {
    text.capacity() + BLOCK
}

fn path(segments: &Vec<String>) -> usize {
    let texts: usize = segments.iter().map(text).sum();
    segments.capacity() * size_of::<String>() + BLOCK + texts
}

fn slot(slot: &Slot) -> usize {
    let texts: usize = slot.texts().map(text).sum();
    slot.before.capacity() * size_of::<String>() + BLOCK + texts
}

fn params(params: &Vec<Param>) -> usize {
    // A text has two counters, and most of them are those of other edits, too.
    let share = |text: &Arc<str>| (text.len() + 2 * BLOCK).div_ceil(Arc::strong_count(text));
    let texts: usize = params.iter().flat_map(Param::texts).map(share).sum();
    params.capacity() * size_of::<Param>() + BLOCK + texts
}

fn names(names: &Names) -> usize {
    match names {
        Names::Prefix(alias) | Names::Suffix(alias) => {
            let Alias { from, put } = &**alias;
            // A text that several forms hold has two counters.
            let texts: usize = put.iter().map(|part| part.len() + 2 * BLOCK).sum();
            let lists = size_of_val(&**from) + size_of_val(&**put) + 2 * BLOCK;
            size_of::<Alias>() + BLOCK + lists + texts
        }
        Names::Params(all) | Names::Both(all) => size_of_val(&**all) + BLOCK,
        Names::Origin { .. } | Names::PieceOf(_) | Names::Other => 0,
    }
}

fn edit_bytes(edit: &Edit) -> usize {
    match edit {
        Edit::Origin { from, to } | Edit::Extension { from, to } => text(from) + text(to),
        Edit::Prefix { from, to } | Edit::Suffix { from, to } => path(from) + path(to),
        Edit::Move {
            path: from,
            name,
            to,
            behind,
        } => path(from) + text(name) + slot(to) + path(behind),
        Edit::Reshape { from, to } => slot(from) + slot(to),
        Edit::Titled { from, to } => {
            let texts = from.texts().chain(to.texts()).map(text).sum::<usize>();
            let lists = (from.before.capacity() + to.path.capacity()) * size_of::<String>();
            texts + lists + 2 * BLOCK
        }
        Edit::Segments { at, .. } => at.capacity() * size_of::<usize>() + BLOCK,
        Edit::Params(all) => params(all),
        Edit::Both { path, params: all } => {
            size_of::<Edit>() + BLOCK + edit_bytes(path) + params(all)
        }
        Edit::Repeated { name, .. } => text(name),
        Edit::Piece { of, sign, .. } | Edit::Items { of, sign } => {
            text(sign)
                + match of {
                    Whole::Value { name } => text(name),
                    Whole::Segment { .. } => 0,
                }
        }
        Edit::HostNumber
        | Edit::Case
        | Edit::QueryCase
        | Edit::Escapes
        | Edit::Spelling
        | Edit::Head { .. }
        | Edit::Folders
        | Edit::Tail { .. }
        | Edit::Superfluous { .. }
        | Edit::AllParams
        | Edit::Order
        | Edit::Referrer
        | Edit::LeadsBack => 0,
    }
}

impl Hashed {
    /// Memory held beside the edit itself, in bytes.
    pub(in crate::predict) fn bytes(&self) -> usize {
        edit_bytes(self) + names(&self.names)
    }
}
