//! Packs the texts of pages.
//!
//! Texts are kept until their site is written as a whole, and those of a site's first pages until its chrome is known.
//! What is read back equals what was written, or is refused. The format is LZ4 (Collet's block format), since a text is
//! packed with every page that is learned from: deflate at its fastest takes two to three times as long and saves a
//! tenth more.

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

use super::codec::{In, Out};

/// No text is packed to less than this share of its length; so no damaged length makes us allocate more.
const DENSEST: usize = 256;

/// Appends a text.
pub(crate) fn write(out: &mut Out, text: &str) {
    out.count(text.len());
    out.bytes(&pack(text));
}

/// Reads what [`write()`] wrote.
pub(crate) fn read(from: &mut In<'_>) -> Option<String> {
    let len = usize::try_from(from.number()?).ok()?;
    unpack(from.bytes()?, len)
}

fn pack(text: &str) -> Vec<u8> {
    let mut out = vec![0; get_maximum_output_size(text.len())];
    // It cannot fail where there is as much room; the page then would not be learned from again.
    let len = compress_into(text.as_bytes(), &mut out).unwrap_or(0);
    out.truncate(len);
    out
}

fn unpack(packed: &[u8], len: usize) -> Option<String> {
    if len > packed.len().checked_mul(DENSEST)? {
        return None;
    }
    // One octet of room more than needed shows that the end was reached.
    let mut out = vec![0; len + 1];
    let found = decompress_into(packed, &mut out).ok()?;
    out.truncate(len);
    if found != len {
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
