//! Finds the words of a text, and their hashes.

/// A word as one pass over its octets finds it.
#[derive(Clone, Copy)]
pub(super) struct Scanned {
    pub(super) len: usize,
    pub(super) hash: u64,
    /// Not 0 if there is a digit in it, one of the [seams](super::echo::SEAMS), or what is no ASCII.
    special: u64,
    /// Not 0 if there is what is no ASCII.
    beyond: u64,
}

impl Scanned {
    /// Whether there is a digit in it, one of the [seams](super::echo::SEAMS), or what is no ASCII.
    #[inline]
    pub(super) const fn is_special(self) -> bool {
        self.special != 0
    }

    #[inline]
    pub(super) const fn is_ascii(self) -> bool {
        self.beyond == 0
    }

    /// Takes further octets in, up to eight.
    #[inline]
    fn take(&mut self, octets: u64) {
        self.hash = with(self.hash, octets);
        self.special |= special(octets);
        self.beyond |= octets & HIGH;
    }
}

/// Octets that are looked at together.
const CHUNK: usize = size_of::<u64>();

/// The same octet eight times.
const fn eight(octet: u8) -> u64 {
    u64::from_le_bytes([octet; CHUNK])
}

const HIGH: u64 = eight(0x80);

/// A hash of a number, given a constant.
pub(super) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product ^ (product >> 64)) as u64
}

/// What the hash of a word begins with.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Takes the octets of a word, up to eight, into its hash.
#[inline]
fn with(hash: u64, octets: u64) -> u64 {
    fold(hash ^ octets, 0xD6E8_FEB8_6659_FD93)
}

/// Of each of eight octets the high bit, if it is a space or less; exact up to the first.
#[inline]
const fn ends(octets: u64) -> u64 {
    octets.wrapping_sub(eight(0x21)) & !octets & HIGH
}

/// Of each of eight octets the high bit, if it is a digit, one of the [seams](super::echo::SEAMS), or no ASCII.
#[inline]
const fn special(octets: u64) -> u64 {
    let low = octets & !HIGH;
    // Seams lie in a row with digits.
    let row = (low + eight(0x80 - b'.')) & !(low + eight(0x80 - b':' - 1));
    (row | octets) & HIGH
}

/// Those of eight octets that lie before the first end.
#[inline]
const fn before(ends: u64, octets: u64) -> u64 {
    octets & ((ends & ends.wrapping_neg()) >> 7).wrapping_sub(1)
}

/// Reads a word up to the first octet that is a space or less.
#[inline]
pub(super) fn scan(text: &[u8]) -> Scanned {
    let mut word = Scanned {
        len: 0,
        hash: SEED,
        special: 0,
        beyond: 0,
    };
    let Some((first, behind)) = text.split_first_chunk() else {
        return scan_end(word, text);
    };
    let octets = u64::from_le_bytes(*first);
    let ends = ends(octets);
    if ends == 0 {
        word.take(octets);
        word.len = CHUNK;
        return scan_on(word, behind);
    }
    // Most words are shorter than eight octets.
    word.len = ends.trailing_zeros() as usize / 8;
    word.take(before(ends, octets));
    word
}

/// Reads on behind the first octets of a word.
fn scan_on(mut word: Scanned, mut rest: &[u8]) -> Scanned {
    while let Some((octets, behind)) = rest.split_first_chunk() {
        let octets = u64::from_le_bytes(*octets);
        let ends = ends(octets);
        if ends != 0 {
            let len = ends.trailing_zeros() as usize / 8;
            if len > 0 {
                word.take(before(ends, octets));
            }
            word.len += len;
            return word;
        }
        word.take(octets);
        word.len += CHUNK;
        rest = behind;
    }
    scan_end(word, rest)
}

/// Reads on where less than eight octets are left.
fn scan_end(mut word: Scanned, rest: &[u8]) -> Scanned {
    let mut octets = [0; CHUNK];
    octets[..rest.len()].copy_from_slice(rest);
    let octets = u64::from_le_bytes(octets);
    let ends = ends(octets);
    let len = ends.trailing_zeros() as usize / 8;
    if len > 0 {
        word.take(before(ends, octets));
    }
    word.len += len;
    word
}

/// Hash of a word with digits, every run of which is replaced.
pub(super) fn masked_hash(word: &[u8], buffer: &mut Vec<u8>) -> u64 {
    // What fits into eight octets is put together in one number.
    let (mut octets, mut len, mut last) = (0, 0, 0);
    if word.len() <= CHUNK {
        for &byte in word {
            let is_digit = byte.is_ascii_digit();
            if !is_digit || last != b'#' {
                last = if is_digit { b'#' } else { byte };
                octets |= u64::from(last) << (8 * len);
                len += 1;
            }
        }
        return with(SEED, octets);
    }
    buffer.clear();
    for &byte in word {
        if !byte.is_ascii_digit() {
            buffer.push(byte);
        } else if buffer.last() != Some(&b'#') {
            buffer.push(b'#');
        }
    }
    scan(buffer).hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::echo::SEAMS;

    #[test]
    fn a_word_is_read_to_its_end_and_told_by_all_of_its_octets() {
        let text = "a plain word, größer 2026-11 abcdefgh abcdefghi /x\n";
        let mut at = 0;
        let mut hashes = Vec::new();
        for word in text.split_whitespace() {
            at += text[at..].find(word).unwrap();
            let found = scan(&text.as_bytes()[at..]);
            assert_eq!(found.len, word.len(), "{word}");
            assert_eq!(found.hash, scan(word.as_bytes()).hash, "{word}");
            let is_special = |b: u8| !b.is_ascii() || b.is_ascii_digit() || SEAMS.contains(&b);
            assert_eq!(found.is_special(), word.bytes().any(is_special), "{word}");
            assert_eq!(found.is_ascii(), word.is_ascii(), "{word}");
            hashes.push(found.hash);
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 8);
    }
}
