//! The memory that tables hold.

use std::collections::{HashMap, HashSet};

/// What an allocation takes beside what was asked for, about.
pub(crate) const BLOCK: usize = 16;

/// A table has room for seven of eight, and an octet more for each.
const fn table<T>(capacity: usize) -> usize {
    capacity * 8 / 7 * (size_of::<T>() + 1) + BLOCK
}

/// Memory that a map holds, but for what its keys and values hold elsewhere, in bytes.
pub(crate) fn of_map<K, V, S>(map: &HashMap<K, V, S>) -> usize {
    table::<(K, V)>(map.capacity())
}

/// The same of a set.
pub(crate) fn of_set<K, S>(set: &HashSet<K, S>) -> usize {
    table::<K>(set.capacity())
}

/// Pushes where there is seldom more to come: what is kept in reserve is an eighth of what is there, if that is any.
pub(crate) fn push_with_few<T>(all: &mut Vec<T>, one: T) {
    if all.len() == all.capacity() {
        all.reserve_exact((all.len() / 8).max(1));
    }
    all.push(one);
}
