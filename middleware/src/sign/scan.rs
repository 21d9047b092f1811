//! Where does a word end, and what is its hash?

/// A word as one pass over its octets finds it.
#[derive(Clone, Copy)]
pub(super) struct Scanned {
    pub(super) len: usize,
    pub(super) hash: u64,
    /// Whether there is a digit in it, one of the [seams](super::echo::SEAMS), or what is no ASCII.
    pub(super) is_special: bool,
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

/// Reads a word up to the first octet that is a space or less.
#[inline]
pub(super) fn scan(text: &[u8]) -> Scanned {
    let Some(octets) = text.first_chunk() else {
        return scan_from(text, 0, SEED, 0);
    };
    let octets = u64::from_le_bytes(*octets);
    let ends = ends(octets);
    if ends == 0 {
        return scan_from(text, CHUNK, with(SEED, octets), special(octets));
    }
    // Most words are shorter than eight octets.
    let len = ends.trailing_zeros() as usize / 8;
    let octets = octets & ((1 << (8 * len)) - 1);
    Scanned {
        len,
        hash: with(SEED, octets),
        is_special: special(octets) != 0,
    }
}

/// The same, eight octets at a time.
pub(super) fn scan_long(text: &[u8]) -> Scanned {
    scan_from(text, 0, SEED, 0)
}

/// Reads on a word whose first octets have this hash, and what is special among them.
fn scan_from(text: &[u8], mut len: usize, mut hash: u64, mut found: u64) -> Scanned {
    loop {
        let rest = &text[len..];
        let octets = if let Some(octets) = rest.first_chunk() {
            u64::from_le_bytes(*octets)
        } else {
            let mut octets = [0; CHUNK];
            octets[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(octets)
        };
        let ends = ends(octets);
        if ends == 0 {
            found |= special(octets);
            hash = with(hash, octets);
            len += CHUNK;
            continue;
        }
        let more = ends.trailing_zeros() as usize / 8;
        if more > 0 {
            let octets = octets & ((1 << (8 * more)) - 1);
            found |= special(octets);
            hash = with(hash, octets);
        }
        return Scanned {
            len: len + more,
            hash,
            is_special: found != 0,
        };
    }
}

/// Hash of a word with digits, every run of which is replaced.
pub(super) fn masked_hash(word: &[u8], buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    for &byte in word {
        if !byte.is_ascii_digit() {
            buffer.push(byte);
        } else if buffer.last() != Some(&b'#') {
            buffer.push(b'#');
        }
    }
    scan_long(buffer).hash
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
            assert_eq!(found.is_special, word.bytes().any(is_special), "{word}");
            hashes.push(found.hash);
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 8);
    }
}
