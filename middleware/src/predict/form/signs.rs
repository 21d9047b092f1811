//! Finds the signs that separate the parts of a URL.

/// Octets that are looked at together, and those whose signs are kept at a time.
const CHUNK: usize = size_of::<u64>();
const BLOCK: usize = u64::BITS as usize;

/// Walks over the signs `/ ? ; & =` of a URL.
pub(super) struct Signs<'u> {
    octets: &'u [u8],
    /// Where the octets begin that `found` is of.
    block: usize,
    /// One bit for each sign that is left in the block.
    found: u64,
}

/// The same octet eight times.
const fn eight(octet: u8) -> u64 {
    u64::from_le_bytes([octet; CHUNK])
}

const HIGH: u64 = eight(0x80);

/// Of each of eight octets below 128 the high bit, unless it is this one.
const fn differ(octets: u64, octet: u8) -> u64 {
    (octets ^ eight(octet)) + eight(0x7F)
}

/// The signs among eight octets, one bit each.
#[inline]
const fn among(octets: [u8; CHUNK]) -> u64 {
    let octets = u64::from_le_bytes(octets);
    let low = octets & !HIGH;
    // One bit is all that `/` and `?` differ in.
    let others = differ(low | eight(b'/' ^ b'?'), b'?')
        & differ(low, b';')
        & differ(low, b'&')
        & differ(low, b'=');
    let signs = !(others | octets) & HIGH;
    // The product has the eight bits in a row in its highest octet.
    (signs >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

impl<'u> Signs<'u> {
    pub(super) fn new(octets: &'u [u8]) -> Self {
        let mut signs = Self {
            octets,
            block: 0,
            found: 0,
        };
        signs.read();
        signs
    }

    /// Finds the signs of the block.
    fn read(&mut self) {
        let rest = &self.octets[self.block..];
        let block = &rest[..rest.len().min(BLOCK)];
        let (chunks, rest) = block.as_chunks();
        // Each takes what is known before along: the compiler would put several side by side, which takes longer.
        let found = (chunks.iter()).fold(0, |found, chunk| {
            found >> CHUNK | among(*chunk) << (BLOCK - CHUNK)
        });
        self.found = found
            .checked_shr((BLOCK - chunks.len() * CHUNK) as u32)
            .unwrap_or(0);
        if let Some(last) = block.last_chunk() {
            // Some of its octets were looked at before.
            self.found |= among(*last) << (block.len() - CHUNK);
        } else {
            let mut padded = [0; CHUNK];
            padded[..rest.len()].copy_from_slice(rest);
            self.found = among(padded);
        }
    }

    /// Leaves out the signs before a place.
    pub(super) fn skip_to(&mut self, place: usize) {
        while place >= self.block + BLOCK && self.block + BLOCK < self.octets.len() {
            self.block += BLOCK;
            self.read();
        }
        let before = place.saturating_sub(self.block).min(BLOCK) as u32;
        self.found &= u64::MAX.checked_shl(before).unwrap_or(0);
    }

    /// Where the next sign is, or the text ends.
    #[inline]
    fn next(&mut self) -> usize {
        while self.found == 0 {
            if self.block + BLOCK >= self.octets.len() {
                return self.octets.len();
            }
            self.block += BLOCK;
            self.read();
        }
        let at = self.block + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        at
    }

    /// Where the next sign is that ends a part, or the text.
    #[inline]
    pub(super) fn end(&mut self, is_end: impl Fn(u8) -> bool) -> usize {
        loop {
            let at = self.next();
            if self.octets.get(at).is_none_or(|sign| is_end(*sign)) {
                return at;
            }
        }
    }

    /// The same, and where the first `=` is before.
    #[inline]
    pub(super) fn end_of_pair(&mut self, is_end: impl Fn(u8) -> bool) -> (Option<usize>, usize) {
        let first = self.end(|sign| sign == b'=' || is_end(sign));
        if self.octets.get(first) == Some(&b'=') {
            (Some(first), self.end(is_end))
        } else {
            (None, first)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_sign_is_found_in_its_place(text in "([a-z0-9.:é]{0,30}[/?;&=]{0,3}){0,12}", from in 0..200usize) {
            let mut signs = Signs::new(text.as_bytes());
            signs.skip_to(from);
            let is_there = |at: &usize| *at < text.len();
            let found: Vec<usize> = std::iter::from_fn(|| Some(signs.next())).take_while(is_there).collect();
            let is_sign = |at: &usize| b"/?;&=".contains(&text.as_bytes()[*at]);
            let expected: Vec<usize> = (from.min(text.len())..text.len()).filter(is_sign).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
