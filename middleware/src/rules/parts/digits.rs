//! The shape of a text, with its runs of digits masked.

/// The shape of a text: each run of digits becomes `#`. `None` when there is no digit, or nothing else.
pub(crate) fn digit_shape(text: &str) -> Option<String> {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 || digits == text.len() {
        return None;
    }
    let mut shape = String::with_capacity(text.len());
    let mut in_run = false;
    for c in text.chars() {
        if c.is_ascii_digit() {
            if !in_run {
                shape.push('#');
            }
            in_run = true;
        } else {
            shape.push(c);
            in_run = false;
        }
    }
    Some(shape)
}

/// Whether `text` has this [`digit_shape`]; allocates nothing.
pub(crate) fn has_digit_shape(text: &str, shape: &str) -> bool {
    let (mut t, mut s) = (text.as_bytes(), shape.as_bytes());
    while let Some((&want, rest)) = s.split_first() {
        s = rest;
        if want == b'#' {
            let run = t.iter().take_while(|b| b.is_ascii_digit()).count();
            if run == 0 {
                return false;
            }
            t = &t[run..];
        } else {
            if t.first() != Some(&want) {
                return false;
            }
            t = &t[1..];
        }
    }
    t.is_empty()
}

/// The text with its `nth` run of digits replaced by `0`, which is one of those that do not differ then, and what any URL may have.
pub(crate) fn mask_digits(text: &str, nth: u8) -> Option<String> {
    let mut seen = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        if run == 0 {
            at += 1;
            continue;
        }
        if seen == nth {
            return Some(format!("{}0{}", &text[..at], &text[at + run..]));
        }
        seen += 1;
        at += run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{digit_shape, has_digit_shape, mask_digits};

    #[test]
    fn digit_runs_have_a_shape() {
        assert_eq!(
            digit_shape("topic,385.msg3575").as_deref(),
            Some("topic,#.msg#")
        );
        assert_eq!(digit_shape("2015"), None);
        assert!(has_digit_shape("topic,385.msg0", "topic,#.msg#"));
        assert!(!has_digit_shape("topic,.msg7", "topic,#.msg#"));
        assert_eq!(
            mask_digits("topic,385.msg3575", 1).as_deref(),
            Some("topic,385.msg0")
        );
        assert_eq!(
            mask_digits("topic,385.msg0", 1).as_deref(),
            Some("topic,385.msg0")
        );
        assert_eq!(mask_digits("topic", 0), None);
    }
}
