//! The order of the samples' texts.

use super::Sample;

/// The samples in order of their text, then cluster.
pub(super) fn in_order<'s>(samples: impl Iterator<Item = &'s Sample>) -> Vec<&'s Sample> {
    let samples: Vec<&Sample> = samples.collect();
    let mut order: Vec<(u64, u32)> = (0..samples.len() as u32).map(|at| (0, at)).collect();
    sort(&mut order, &samples, 0);
    order
        .into_iter()
        .map(|(_, at)| samples[at as usize])
        .collect()
}

/// Sorts numbers of samples by text, then cluster; those of one run have their first `depth` octets in common.
/// Eight octets at a time: URLs of a site have long beginnings in common.
fn sort(run: &mut [(u64, u32)], samples: &[&Sample], depth: usize) {
    let text = |at: u32| samples[at as usize].url.as_bytes();
    let Some((first, others)) = run.split_first() else {
        return;
    };
    // What all have in common needs no round of its own.
    let first = text(first.1).get(depth..).unwrap_or(&[]);
    let common = others.iter().fold(first.len(), |common, (_, at)| {
        let pairs = first[..common]
            .iter()
            .zip(text(*at).get(depth..).unwrap_or(&[]));
        pairs.take_while(|(a, b)| a == b).count()
    });
    let depth = depth + common;
    let octets = |at: u32| {
        samples[at as usize]
            .url
            .as_bytes()
            .get(depth..)
            .unwrap_or(&[])
    };
    for (key, at) in run.iter_mut() {
        let mut word = [0; 8];
        let rest = octets(*at);
        let len = rest.len().min(8);
        word[..len].copy_from_slice(&rest[..len]);
        *key = u64::from_be_bytes(word);
    }
    run.sort_unstable_by_key(|(key, _)| *key);
    for equal in run.chunk_by_mut(|a, b| a.0 == b.0) {
        match equal {
            [] | [_] => {}
            // Where a text ends, octets of zero may be its own or stand for none.
            _ if equal.len() < 16 || equal.iter().any(|(_, at)| octets(*at).len() <= 8) => {
                let key = |at: u32| (octets(at), samples[at as usize].cluster);
                equal.sort_unstable_by(|a, b| key(a.1).cmp(&key(b.1)));
            }
            _ => sort(equal, samples, depth + 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, in_order};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn texts_stand_in_their_order(
            texts in proptest::collection::vec("(http://e\\.org/abcdefgh)?[a-b\u{0}]{0,12}", 0..60),
        ) {
            let samples: Vec<Sample> = (texts.iter().enumerate())
                .map(|(at, text)| Sample { url: text.clone(), cluster: at as u64 % 3 })
                .collect();
            let mut sorted: Vec<&Sample> = samples.iter().collect();
            sorted.sort_by_key(|sample| (&sample.url, sample.cluster));
            prop_assert_eq!(in_order(samples.iter()), sorted);
        }
    }
}
