//! The keys of the database.
//!
//! One tree holds everything, so that one batch can write everything; the first byte of a key says what its value is. A
//! host is written with its length before it, so that no host is a prefix of another.

use super::super::Ticket;
use crate::{Fingerprint, HostKey};

/// Counters of the whole store as they were when the log began.
pub(super) const COUNTERS: &[u8] = b"c";
/// Which entries of a chunk of the queue are done.
pub(super) const DONE: u8 = b'd';
/// The ledger.
pub(super) const LEDGER: u8 = b'l';
/// Which runs of the seen-set count.
pub(super) const MANIFEST: &[u8] = b"m";
/// Chunks of the queue.
pub(super) const QUEUE: u8 = b'q';
/// Sorted runs of the seen-set.
pub(super) const RUN: u8 = b's';
/// Blocks of the log.
pub(super) const BLOCK: u8 = b't';
/// The last records of the log.
pub(super) const SLOT: u8 = b'v';
/// Named values.
pub(super) const STATE: u8 = b'x';

/// Keys without meaning, between kinds of values that are written at different rates. sled keeps up to
/// 16 neighbours in one page and writes all of them when some have changed: without a fence, a small
/// value that every commit writes drags a page of large ones along (measured: 419 instead of tens of
/// bytes of disk per fingerprint).
pub(super) fn fences() -> impl Iterator<Item = [u8; 2]> {
    let between = [b'e', b'r', b'u', b'w'];
    between
        .into_iter()
        .flat_map(|kind| (0..20).map(move |number| [kind, number]))
}

/// Order within a host: highest priority first, then oldest.
pub(super) type Place = (u8, u64);

pub(super) const fn place_of(ticket: &Ticket) -> Place {
    (u8::MAX - ticket.priority, ticket.position)
}

pub(super) fn of_host(kind: u8, host: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(host.len() + 48);
    key.push(kind);
    // The length of a host is below 64 KiB because that of a URL is.
    key.extend_from_slice(&(host.len() as u16).to_be_bytes());
    key.extend_from_slice(host.as_bytes());
    key
}

pub(super) fn of_place(kind: u8, host: &str, place: Place) -> Vec<u8> {
    let mut key = of_host(kind, host);
    key.push(place.0);
    key.extend_from_slice(&place.1.to_be_bytes());
    key
}

/// Greater than every key of this host that ends in a place.
pub(super) fn after_host(kind: u8, host: &str) -> Vec<u8> {
    let mut key = of_host(kind, host);
    key.extend_from_slice(&[0xff; 10]);
    key
}

pub(super) fn of_class(host: &str, class: Fingerprint) -> Vec<u8> {
    let mut key = of_host(LEDGER, host);
    key.extend_from_slice(&class.url().to_be_bytes());
    key
}

pub(super) fn of_dropped(host: &str, class: Fingerprint, name: Fingerprint) -> Vec<u8> {
    let mut key = of_class(host, class);
    key.extend_from_slice(&name.url().to_be_bytes());
    key
}

pub(super) fn of_number(kind: u8, number: u64) -> Vec<u8> {
    let mut key = vec![kind];
    key.extend_from_slice(&number.to_be_bytes());
    key
}

pub(super) fn of_state(name: &str) -> Vec<u8> {
    let mut key = vec![STATE];
    key.extend_from_slice(name.as_bytes());
    key
}

/// The host of a key, and what follows it.
pub(super) fn read_host(key: &[u8]) -> Option<(HostKey, &[u8])> {
    let len = u16::from_be_bytes(key.get(1..3)?.try_into().ok()?);
    let (host, rest) = key.get(3..)?.split_at_checked(usize::from(len))?;
    Some((HostKey::from_text(std::str::from_utf8(host).ok()?), rest))
}

pub(super) fn read_place(rest: &[u8]) -> Option<Place> {
    let (&first, position) = rest.split_first()?;
    Some((first, u64::from_be_bytes(position.try_into().ok()?)))
}

pub(super) fn read_number(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(1..)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_back_and_orders_by_priority_then_age() {
        let host = "shop.example:8080";
        let place = (u8::MAX - 200, 7);
        let key = of_place(QUEUE, host, place);
        let (read, rest) = read_host(&key).unwrap();
        assert_eq!((read.as_str(), read_place(rest)), (host, Some(place)));
        assert!(key < of_place(QUEUE, host, (u8::MAX - 200, 300)));
        assert!(key < of_place(QUEUE, host, (u8::MAX - 199, 0)));
        assert!(of_place(QUEUE, host, (u8::MAX, u64::MAX)) < after_host(QUEUE, host));
    }

    #[test]
    fn no_host_is_the_beginning_of_another() {
        let short = of_host(LEDGER, "a.example");
        assert!(!of_host(LEDGER, "a.example:81").starts_with(&short));
    }
}
