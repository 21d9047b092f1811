//! What is remembered about a class whose page could not be fetched, and about a place that URLs lead to.

use super::{table::Record, way::WayName};
use crate::{Fingerprint, HostKey};

/// A spelling under which the page of a class is looked for, or what that leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    /// What is fetched next.
    pub(super) key: u64,
    /// Whether others led there before.
    pub(super) is_shared: bool,
}

/// A class whose page was not to be had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chance {
    /// Host and name of the class; `None`: nothing is known.
    pub(super) class: Option<(HostKey, Fingerprint)>,
    /// Other spellings that were tried.
    pub(super) taken: u8,
    /// The way that the first one led; `None` where it led nowhere.
    pub(super) way: Option<WayName>,
    /// What is under way.
    pub(super) trial: Option<Trial>,
    /// Another spelling was passed over, for tries of that way were in vain; the larger, the later.
    pub(super) waits: Option<u64>,
}

const HAS_WAY: u8 = 1;
const HAS_TRIAL: u8 = 2;
const IS_SHARED: u8 = 4;
const WAITS: u8 = 8;

impl Record for Chance {
    const PREFIX: &'static str = "frontier/chances/class/";
    const MOST: usize = 1 << 16;

    fn write(&self, bytes: &mut Vec<u8>) {
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let is_shared = self.trial.is_some_and(|trial| trial.is_shared);
        bytes.push(
            flag(self.way.is_some(), HAS_WAY)
                | flag(self.trial.is_some(), HAS_TRIAL)
                | flag(is_shared, IS_SHARED)
                | flag(self.waits.is_some(), WAITS),
        );
        bytes.push(self.taken);
        let way = self.way.map(|way| [way.host, way.way]);
        let numbers = way.into_iter().flatten();
        let numbers = numbers.chain(self.trial.map(|trial| trial.key));
        for number in numbers.chain(self.waits) {
            bytes.extend(number.to_le_bytes());
        }
        if let Some((host, class)) = &self.class {
            write_class(bytes, host, *class);
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let (flags, taken) = (bytes.byte()?, bytes.byte()?);
        let is_set = |flag| flags & flag != 0;
        let way = if is_set(HAS_WAY) {
            Some(bytes.way()?)
        } else {
            None
        };
        let trial = if is_set(HAS_TRIAL) {
            Some(Trial {
                key: bytes.number()?,
                is_shared: is_set(IS_SHARED),
            })
        } else {
            None
        };
        let waits = if is_set(WAITS) {
            Some(bytes.number()?)
        } else {
            None
        };
        let class = bytes.class()?;
        let is_whole = bytes.is_empty() && flags <= (HAS_WAY | HAS_TRIAL | IS_SHARED | WAITS);
        is_whole.then_some(Self {
            class: Some(class),
            taken,
            way,
            trial,
            waits,
        })
    }
}

/// Whose URLs lead to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leader {
    pub(super) host: HostKey,
    /// The class of the URL that leads there.
    pub(super) class: Fingerprint,
    /// The class of the URL at which its redirects began.
    pub(super) first: Fingerprint,
    /// The way it leads.
    pub(super) way: WayName,
}

impl Leader {
    /// The class at which its redirects began, and the one that leads there.
    pub(super) fn classes(&self) -> impl Iterator<Item = Fingerprint> + use<> {
        let (first, class) = (self.first, self.class);
        [Some(first), (class != first).then_some(class)]
            .into_iter()
            .flatten()
    }
}

/// A place, which is a path without what follows it, that URLs redirect to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sink {
    /// The only one that does so far.
    pub(super) only: Option<Leader>,
}

impl Record for Sink {
    const PREFIX: &'static str = "frontier/chances/sink/";
    const MOST: usize = 1 << 16;

    fn write(&self, bytes: &mut Vec<u8>) {
        if let Some(only) = &self.only {
            for number in [
                only.way.host,
                only.way.way,
                only.first.host(),
                only.first.url(),
            ] {
                bytes.extend(number.to_le_bytes());
            }
            write_class(bytes, &only.host, only.class);
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        if bytes.is_empty() {
            return Some(Self::default());
        }
        let way = bytes.way()?;
        let first = Fingerprint::from_parts(bytes.number()?, bytes.number()?);
        let (host, class) = bytes.class()?;
        let only = Some(Leader {
            host,
            class,
            first,
            way,
        });
        Some(Self { only })
    }
}

fn write_class(bytes: &mut Vec<u8>, host: &HostKey, class: Fingerprint) {
    bytes.extend(class.host().to_le_bytes());
    bytes.extend(class.url().to_le_bytes());
    bytes.extend(host.as_str().as_bytes());
}

/// Bytes that are read one thing after another.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Bytes<'_> {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn small_number(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn way(&mut self) -> Option<WayName> {
        Some(WayName {
            host: self.number()?,
            way: self.number()?,
        })
    }

    /// A class and the host it was met on, which is all that is left.
    fn class(&mut self) -> Option<(HostKey, Fingerprint)> {
        let class = Fingerprint::from_parts(self.number()?, self.number()?);
        let host = std::str::from_utf8(std::mem::take(&mut self.0)).ok()?;
        Some((HostKey::from_text(host), class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_back<T: Record + PartialEq + std::fmt::Debug>(record: &T, whole: usize) {
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        assert_eq!(T::read(&bytes).as_ref(), Some(record));
        for end in 1..whole {
            assert_eq!(T::read(&bytes[..end]), None, "{end} octets");
        }
    }

    #[test]
    fn what_is_written_is_read_back_and_a_part_of_it_is_not() {
        let way = WayName { host: 4, way: 5 };
        let class = Fingerprint::from_parts(1, 2);
        let host = HostKey::from_text("h.example");
        for bits in 0..16 {
            let has = |bit: u8| bits & bit != 0;
            let trial = Trial {
                key: 6,
                is_shared: has(4),
            };
            let chance = Chance {
                class: Some((host.clone(), class)),
                taken: 1,
                way: has(1).then_some(way),
                trial: has(2).then_some(trial),
                waits: has(8).then_some(7),
            };
            reads_back(&chance, 18);
        }
        let only = Leader {
            host,
            class,
            first: Fingerprint::from_parts(1, 3),
            way,
        };
        reads_back(&Sink { only: Some(only) }, 48);
        reads_back(&Sink::default(), 0);
    }
}
