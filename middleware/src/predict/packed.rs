//! How is the text of a page kept small?
//!
//! Texts are kept until their site is written down, and of a site's first pages until its chrome is known. What
//! is read back equals what was written, or is refused.

use std::cell::RefCell;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::codec::{In, Out};

/// Appends a text.
pub(crate) fn write(out: &mut Out, text: &str) {
    out.count(text.len());
    out.bytes(&pack(text));
}

/// Reads what [`write`] wrote.
pub(crate) fn read(from: &mut In<'_>) -> Option<String> {
    let len = usize::try_from(from.number()?).ok()?;
    unpack(from.bytes()?, len)
}

thread_local! {
    // A packer takes a few hundred KiB: it is made once.
    static PACKER: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
}

/// No text is packed to less than this share of its length; so no damaged length makes us allocate more.
const DENSEST: usize = 1100;

fn pack(text: &str) -> Vec<u8> {
    PACKER.with_borrow_mut(|packer| {
        packer.reset();
        let mut out = Vec::with_capacity(text.len() / 2 + 64);
        loop {
            let done = packer.total_in() as usize;
            let status =
                packer.compress_vec(&text.as_bytes()[done..], &mut out, FlushCompress::Finish);
            match status {
                Ok(Status::StreamEnd) => return out,
                // It wants more room.
                Ok(_) => out.reserve(text.len() / 4 + 64),
                // Not possible with a packer that was reset; the page then is not learned from again.
                Err(_) => return Vec::new(),
            }
        }
    })
}

fn unpack(packed: &[u8], len: usize) -> Option<String> {
    if len > packed.len().checked_mul(DENSEST)? {
        return None;
    }
    let mut out = Vec::with_capacity(len);
    // One octet of room more than needed shows that the end was reached.
    out.reserve_exact(len + 1);
    let status = Decompress::new(false)
        .decompress_vec(packed, &mut out, FlushDecompress::Finish)
        .ok()?;
    if status != Status::StreamEnd || out.len() != len {
        return None;
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_text_is_unpacked_as_it_was_packed(text in "(\\PC{0,9}|same words again ){0,60}") {
            let packed = pack(&text);
            prop_assert_eq!(unpack(&packed, text.len()), Some(text.clone()));
            prop_assert!(unpack(&packed[..packed.len() - 1], text.len()).is_none());
            prop_assert!(unpack(&packed, text.len() + 1).is_none());
            let mut out = Out::default();
            write(&mut out, &text);
            let mut from = In(&out.0);
            prop_assert_eq!(read(&mut from), Some(text));
            prop_assert!(from.is_empty());
        }
    }
}
