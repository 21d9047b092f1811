//! The format of entries on disk.
//!
//! Numbers are LEB128 (7 bits a byte, low bits first) unless a fixed width is given. Every value starts with a version
//! byte, so that a later program can tell versions apart. Reading never panics: invalid bytes give `None`, and the
//! caller names their key.

use std::borrow::Cow;

use super::super::{LedgerEntry, Queued};
use crate::{Admitted, BeliefId, CanonicalUrl, Fingerprint, Origin, Prediction, Probability};

/// First byte of every value of the queue; in those of version 1 no link was [led from](Admitted::led_from) another class, in those of
/// 2 none was [found on](Admitted::found_on) a page; whether it is [of a copy](Admitted::of_copy) is said beside that.
const VERSION: u8 = 3;
/// The first that has the page.
const WITH_PAGE: u8 = 3;
/// The same of the ledger's values.
const LEDGER_VERSION: u8 = 4;
const LEDGER_WITH_PAGE: u8 = 4;
/// Of both.
const FIRST_VERSION: u8 = 1;
/// From this one on the ledger's values have the stage.
const WITH_STAGE: u8 = 2;

const HAS_MERGED_BY: u8 = 1;
const HAS_PROBE: u8 = 2;
/// The key is the name of the URL.
const KEY_IS_OF_URL: u8 = 4;
/// The class is the one that the URL itself stands for.
const CLASS_IS_OF_URL: u8 = 8;
/// Key and class have the same half for the host.
const SHARES_HOST: u8 = 16;
const WAS_RECALLED: u8 = 32;
const WAITS_AGAIN: u8 = 64;
const WAS_LED: u8 = 128;

/// Takes values off the front of a slice.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(len)?;
        self.0 = tail;
        Some(head)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    pub(super) fn fixed(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn sized(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len)
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn fingerprint(&mut self) -> Option<Fingerprint> {
        Some(Fingerprint::from_parts(self.fixed()?, self.fixed()?))
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub(super) fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(super) fn put_fixed(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_fingerprint(out: &mut Vec<u8>, name: Fingerprint) {
    put_fixed(out, name.host());
    put_fixed(out, name.url());
}

fn put_admitted(out: &mut Vec<u8>, link: &Admitted) {
    let of_url = Fingerprint::of(link.url.as_url(), link.url.as_str());
    let class_of_url = Fingerprint::of_class(link.url.as_url(), link.url.as_str());
    let mut flags = 0;
    flags |= if link.merged_by.is_some() {
        HAS_MERGED_BY
    } else {
        0
    };
    flags |= if link.probe.is_some() { HAS_PROBE } else { 0 };
    flags |= if link.key == of_url { KEY_IS_OF_URL } else { 0 };
    flags |= if link.class == class_of_url {
        CLASS_IS_OF_URL
    } else {
        0
    };
    flags |= if link.class.host() == link.key.host() {
        SHARES_HOST
    } else {
        0
    };
    flags |= if link.recalled_from.is_some() {
        WAS_RECALLED
    } else {
        0
    };
    flags |= if link.waits_again { WAITS_AGAIN } else { 0 };
    flags |= if link.led_from.is_some() { WAS_LED } else { 0 };
    out.push(flags);
    put_number(out, link.url.as_str().len() as u64);
    out.extend_from_slice(link.url.as_str().as_bytes());
    if flags & KEY_IS_OF_URL == 0 {
        put_fingerprint(out, link.key);
    }
    if flags & CLASS_IS_OF_URL == 0 {
        if flags & SHARES_HOST == 0 {
            put_fixed(out, link.class.host());
        }
        put_fixed(out, link.class.url());
    }
    if let Some(belief) = link.merged_by {
        put_fixed(out, belief.to_bits());
    }
    if let Some(probe) = link.probe {
        put_fixed(out, probe.belief.to_bits());
        put_fixed(out, probe.probability.get().to_bits());
    }
    if let Some(belief) = link.recalled_from {
        put_fixed(out, belief.to_bits());
    }
    if let Some(class) = link.led_from {
        put_fingerprint(out, class);
    }
    put_number(out, u64::from(link.depth));
    out.push(link.redirects);
    out.push(match link.origin {
        Origin::Seed => 0,
        Origin::Link => 1,
        Origin::Redirect => 2,
        Origin::Sitemap => 3,
    });
    out.push(link.priority);
    put_number(out, link.generation);
    let of_copy = if link.of_copy { OF_COPY } else { 0 };
    out.push(u8::from(link.found_on.is_some()) | of_copy);
    if let Some(page) = link.found_on {
        put_fixed(out, page);
    }
}

/// Bits of the byte behind the generation.
const HAS_PAGE: u8 = 1;
const OF_COPY: u8 = 2;

/// `has_page`: whether it says on which page the link was found.
fn admitted(from: &mut Reader<'_>, has_page: bool) -> Option<Admitted> {
    let flags = from.byte()?;
    let text = std::str::from_utf8(from.sized()?).ok()?;
    let url = CanonicalUrl::read_back(text)?;
    let key = if flags & KEY_IS_OF_URL == 0 {
        from.fingerprint()?
    } else {
        Fingerprint::of(url.as_url(), url.as_str())
    };
    let class = if flags & CLASS_IS_OF_URL == 0 {
        let host = if flags & SHARES_HOST == 0 {
            from.fixed()?
        } else {
            key.host()
        };
        Fingerprint::from_parts(host, from.fixed()?)
    } else {
        Fingerprint::of_class(url.as_url(), url.as_str())
    };
    let merged_by = if flags & HAS_MERGED_BY == 0 {
        None
    } else {
        Some(BeliefId::from_bits(from.fixed()?))
    };
    let probe = if flags & HAS_PROBE == 0 {
        None
    } else {
        Some(Prediction {
            belief: BeliefId::from_bits(from.fixed()?),
            probability: Probability::new(f64::from_bits(from.fixed()?))?,
        })
    };
    let recalled_from = if flags & WAS_RECALLED == 0 {
        None
    } else {
        Some(BeliefId::from_bits(from.fixed()?))
    };
    let led_from = if flags & WAS_LED == 0 {
        None
    } else {
        Some(from.fingerprint()?)
    };
    let mut admitted = Admitted {
        led_from,
        url,
        key,
        class,
        merged_by,
        probe,
        recalled_from,
        waits_again: flags & WAITS_AGAIN != 0,
        depth: from.small()?,
        redirects: from.byte()?,
        origin: match from.byte()? {
            0 => Origin::Seed,
            1 => Origin::Link,
            2 => Origin::Redirect,
            3 => Origin::Sitemap,
            _ => return None,
        },
        priority: from.byte()?,
        generation: from.number()?,
        found_on: None,
        of_copy: false,
    };
    if has_page {
        let bits = from.byte()?;
        if bits & !(HAS_PAGE | OF_COPY) != 0 {
            return None;
        }
        admitted.of_copy = bits & OF_COPY != 0;
        if bits & HAS_PAGE != 0 {
            admitted.found_on = Some(from.fixed()?);
        }
    }
    Some(admitted)
}

/// Writes entries of one host and priority that stand one behind the other.
pub(super) fn chunk<'a>(entries: impl ExactSizeIterator<Item = &'a Queued>) -> Vec<u8> {
    let mut out = vec![VERSION];
    put_number(&mut out, entries.len() as u64);
    for entry in entries {
        put_number(&mut out, u64::from(entry.attempt));
        put_admitted(&mut out, &entry.admitted);
    }
    out
}

/// Number of entries of a chunk, without reading them.
pub(super) fn chunk_len(bytes: &[u8]) -> Option<usize> {
    let mut from = Reader(bytes);
    (FIRST_VERSION..=VERSION)
        .contains(&from.byte()?)
        .then_some(())?;
    usize::try_from(from.number()?).ok().filter(|&len| len > 0)
}

pub(super) fn read_chunk(bytes: &[u8]) -> Option<Vec<Queued>> {
    let mut from = Reader(bytes);
    let version = from.byte()?;
    (FIRST_VERSION..=VERSION).contains(&version).then_some(())?;
    let len = usize::try_from(from.number()?).ok()?;
    // An entry takes more than one byte, so a length that lies cannot make us reserve much.
    let mut entries = Vec::with_capacity(len.min(bytes.len()));
    for _ in 0..len {
        let attempt = from.small()?;
        entries.push(Queued {
            admitted: admitted(&mut from, version >= WITH_PAGE)?,
            attempt,
        });
    }
    (from.is_empty() && !entries.is_empty()).then_some(entries)
}

pub(super) fn ledger_entry(entry: &LedgerEntry) -> Vec<u8> {
    let mut out = vec![LEDGER_VERSION];
    put_fixed(&mut out, entry.belief.to_bits());
    // No stage has an empty name.
    let stage = entry.stage.as_deref().unwrap_or_default();
    put_number(&mut out, stage.len() as u64);
    out.extend_from_slice(stage.as_bytes());
    put_admitted(&mut out, &entry.admitted);
    out
}

pub(super) fn read_ledger_entry(bytes: &[u8]) -> Option<LedgerEntry> {
    let mut from = Reader(bytes);
    let version = from.byte()?;
    let belief = BeliefId::from_bits(from.fixed()?);
    let stage = match version {
        WITH_STAGE..=LEDGER_VERSION => std::str::from_utf8(from.sized()?).ok()?,
        FIRST_VERSION => "",
        _ => return None,
    };
    let stage = (!stage.is_empty()).then(|| Cow::Owned(stage.to_owned()));
    let admitted = admitted(&mut from, version >= LEDGER_WITH_PAGE)?;
    from.is_empty().then_some(LedgerEntry {
        belief,
        stage,
        admitted,
    })
}

/// The belief of a ledger entry, without reading the rest.
pub(super) fn ledger_belief(bytes: &[u8]) -> Option<BeliefId> {
    let mut from = Reader(bytes);
    matches!(from.byte()?, FIRST_VERSION..=LEDGER_VERSION).then_some(())?;
    from.fixed().map(BeliefId::from_bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Candidate, RawUrl, Via};

    prop_compose! {
        fn any_queued()(
            path in "[a-zA-Z0-9/._~-]{0,40}(\\?[a-z=&0-9%]{0,20})?",
            own_names in any::<bool>(),
            halves in any::<[u64; 4]>(),
            merged_by in proptest::option::of(any::<u64>()),
            probe in proptest::option::of((any::<u64>(), 0.0..=1.0f64)),
            recalled_from in proptest::option::of(any::<u64>()),
            waits_again: bool,
            led_from in proptest::option::of(any::<[u64; 2]>()),
            numbers in any::<(u16, u8, u8, u64, u16)>(),
            origin in 0..4usize,
            found_on in proptest::option::of(any::<u64>()),
            of_copy: bool,
        ) -> Queued {
            let link = format!("http://h{}.example:81/{path}", halves[0] % 3);
            let candidate = Candidate::resolve(RawUrl::new(&link), &Via::seed()).unwrap();
            let mut admitted = candidate.seal(&Via::seed(), numbers.3);
            if own_names {
                admitted.key = Fingerprint::from_parts(halves[0], halves[1]);
                admitted.class = Fingerprint::from_parts(halves[2], halves[3]);
            }
            admitted.merged_by = merged_by.map(BeliefId::from_bits);
            admitted.probe = probe.map(|(belief, p)| Prediction {
                belief: BeliefId::from_bits(belief),
                probability: Probability::new(p).unwrap(),
            });
            admitted.recalled_from = recalled_from.map(BeliefId::from_bits);
            admitted.waits_again = waits_again;
            admitted.led_from = led_from.map(|[host, url]| Fingerprint::from_parts(host, url));
            admitted.found_on = found_on;
            admitted.of_copy = of_copy;
            admitted.depth = numbers.0;
            admitted.redirects = numbers.1;
            admitted.priority = numbers.2;
            admitted.origin =
                [Origin::Seed, Origin::Link, Origin::Redirect, Origin::Sitemap][origin];
            Queued { admitted, attempt: numbers.4 }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read_back(
            entries in proptest::collection::vec(any_queued(), 1..8),
            belief in any::<u64>(),
            stage in proptest::option::of("[a-z]{1,12}"),
        ) {
            let bytes = chunk(entries.iter());
            prop_assert_eq!(chunk_len(&bytes), Some(entries.len()));
            let dropped = LedgerEntry {
                belief: BeliefId::from_bits(belief),
                stage: stage.map(Cow::Owned),
                admitted: entries[0].admitted.clone(),
            };
            prop_assert_eq!(read_chunk(&bytes), Some(entries));
            let bytes = ledger_entry(&dropped);
            prop_assert_eq!(ledger_belief(&bytes), Some(dropped.belief));
            prop_assert_eq!(read_ledger_entry(&bytes), Some(dropped.clone()));
            // As stores of before have it: that there is no page was not said, in version 1 no stage either.
            let mut admitted = dropped.admitted;
            admitted.found_on = None;
            admitted.of_copy = false;
            let dropped = LedgerEntry { admitted, ..dropped };
            let mut old = ledger_entry(&dropped);
            old.pop();
            old[0] = LEDGER_WITH_PAGE - 1;
            prop_assert_eq!(read_ledger_entry(&old), Some(dropped.clone()));
            let mut old = vec![1];
            put_fixed(&mut old, belief);
            put_admitted(&mut old, &dropped.admitted);
            old.pop();
            prop_assert_eq!(ledger_belief(&old), Some(dropped.belief));
            let dropped = LedgerEntry { stage: None, ..dropped };
            let of_queue = Queued { admitted: dropped.admitted.clone(), attempt: 3 };
            prop_assert_eq!(read_ledger_entry(&old), Some(dropped));
            let mut old = chunk([&of_queue].into_iter());
            old.pop();
            old[0] = WITH_PAGE - 1;
            prop_assert_eq!(read_chunk(&old), Some(vec![of_queue]));
        }

        #[test]
        fn damaged_bytes_are_refused_and_never_panic(
            entry in any_queued(),
            at in any::<prop::sample::Index>(),
            flip in 1..=255u8,
            noise in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let mut bytes = chunk([&entry].into_iter());
            let cut = at.index(bytes.len());
            prop_assert_eq!(read_chunk(&bytes[..cut]), None);
            bytes[cut] ^= flip;
            let _ = read_chunk(&bytes);
            let _ = read_chunk(&noise);
            let _ = read_ledger_entry(&noise);
        }
    }
}
