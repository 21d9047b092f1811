//! The chunks in which a site is written.
//!
//! A site's tables are cut into chunks of a few hundred entries that were made at about the same time. Most of them
//! never change again, so that writing a site means writing the few chunks that did.

use std::collections::BTreeMap;

use super::codec::In;

/// Entries that share a chunk.
pub(crate) const CHUNK: u32 = 256;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Section {
    /// What there is only one of.
    Head = 1,
    Pages,
    Stands,
    Firsts,
    Members,
    Redirects,
    Beliefs,
    Yields,
    Clusters,
    Sizes,
    Exact,
    Recent,
    Chrome,
    Counts,
    Last,
    Doubts,
    Texts,
    Hops,
    Gone,
    Unjudged,
    Moved,
    Tables,
    Turning,
    Words,
    Bare,
    LastBare,
}

/// Takes the chunks of a site, in any order.
pub(crate) type Put<'p> = dyn FnMut(Section, u32, Vec<u8>) + 'p;

/// The chunks of a site as they were read.
#[derive(Debug, Default)]
pub(crate) struct Parts(BTreeMap<(u8, u32), Vec<u8>>);

impl Parts {
    pub(crate) fn put(&mut self, section: u8, chunk: u32, bytes: Vec<u8>) {
        self.0.insert((section, chunk), bytes);
    }

    /// The chunks of a section, in order.
    pub(crate) fn of(&self, section: Section) -> impl Iterator<Item = (u32, In<'_>)> {
        let section = section as u8;
        self.0
            .range((section, 0)..=(section, u32::MAX))
            .map(|(&(_, chunk), bytes)| (chunk, In(bytes)))
    }

    /// The only chunk of a section.
    pub(crate) fn one(&self, section: Section) -> Option<In<'_>> {
        self.0.get(&(section as u8, 0)).map(|bytes| In(bytes))
    }
}

/// Sorts the entries of a table into chunks by the number that they belong to. Equal tables give equal
/// chunks, whatever order they are walked in.
pub(crate) fn chunks<T: Ord>(
    entries: impl Iterator<Item = (u32, T)>,
) -> BTreeMap<u32, Vec<(u32, T)>> {
    let mut out: BTreeMap<u32, Vec<(u32, T)>> = BTreeMap::new();
    for entry in entries {
        out.entry(entry.0 / CHUNK).or_default().push(entry);
    }
    for chunk in out.values_mut() {
        chunk.sort_unstable();
    }
    out
}
