//! The encoding of numbers and texts in the store.
//!
//! It is small and has no names: what is written here is read only by the same version (the head of a site's state says
//! which), and a checksum covers everything, so that reading never has to guess. Reading past the end returns `None`.

use nodust_frontier::BeliefId;

/// Appends to a value.
#[derive(Debug, Default)]
pub(crate) struct Out(pub(crate) Vec<u8>);

impl Out {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A number that is mostly small: 7 bits a byte, lowest first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(crate) fn fixed32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn fixed64(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn float(&mut self, number: f32) {
        self.fixed32(number.to_bits());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    /// A belief, if there is one.
    pub(crate) fn belief(&mut self, belief: Option<BeliefId>) {
        self.flag(belief.is_some());
        if let Some(belief) = belief {
            self.fixed64(belief.to_bits());
        }
    }
}

/// Reads what [`Out`] wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct In<'b>(pub(crate) &'b [u8]);

impl<'b> In<'b> {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// A number of things of which each takes at least one byte, so that no lie makes us allocate more
    /// than was written.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    pub(crate) fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn fixed32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(crate) fn fixed64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(crate) fn float(&mut self) -> Option<f32> {
        Some(f32::from_bits(self.fixed32()?))
    }

    /// A belief, if one was there.
    #[expect(clippy::option_option, reason = "outside: whether it could be read")]
    pub(crate) fn belief(&mut self) -> Option<Option<BeliefId>> {
        Some(if self.flag()? {
            Some(BeliefId::from_bits(self.fixed64()?))
        } else {
            None
        })
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = self.count()?;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_was_written_is_read_back(
            number in any::<u64>(), small in any::<u32>(), text in "\\PC{0,20}", flag in any::<bool>(),
        ) {
            let mut out = Out::default();
            out.number(number);
            out.fixed32(small);
            out.text(&text);
            out.flag(flag);
            out.float(0.1);
            let mut from = In(&out.0);
            prop_assert_eq!(from.number(), Some(number));
            prop_assert_eq!(from.fixed32(), Some(small));
            prop_assert_eq!(from.text(), Some(text.as_str()));
            prop_assert_eq!(from.flag(), Some(flag));
            prop_assert_eq!(from.float(), Some(0.1));
            prop_assert!(from.is_empty() && from.byte().is_none());
        }

        #[test]
        fn no_bytes_make_reading_fail_otherwise_than_by_none(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut from = In(&bytes);
            while from.text().is_some() && from.number().is_some() {}
        }
    }
}
