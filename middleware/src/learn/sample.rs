//! What is learned from: URLs whose pages are known.

use std::io::{self, BufRead};

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

/// A URL and the name of its page: URLs with one name showed one content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The URL; for learning, its class after static normalization.
    pub url: String,
    /// Name of the content.
    pub cluster: u64,
}

impl Sample {
    /// A URL with its cluster's name.
    pub fn new(url: impl Into<String>, cluster: &str) -> Self {
        Self {
            url: url.into(),
            cluster: xxh3_64(cluster.as_bytes()),
        }
    }
}

#[derive(Deserialize)]
struct Line {
    url: String,
    #[serde(default)]
    cluster: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

/// Samples read from lines of JSON, and how many lines held none.
#[derive(Debug, Default)]
pub struct Samples {
    /// In the order of the lines; a URL that stands twice is kept once, with its first cluster.
    pub samples: Vec<Sample>,
    /// Lines that are no JSON, or name neither cluster nor text.
    pub skipped: u64,
}

/// Reads `{"url","cluster"}` or `{"url","text"}` lines; with a text, equal words make one cluster.
///
/// # Errors
/// When the input cannot be read; lines of another form are counted and skipped.
///
/// ```
/// let lines = "{\"url\":\"http://e.org/\",\"cluster\":\"a\"}\nnonsense\n";
/// let read = nodust_middleware::learn::read_samples(lines.as_bytes())?;
/// assert_eq!((read.samples.len(), read.skipped), (1, 1));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_samples(lines: impl BufRead) -> io::Result<Samples> {
    let mut read = Samples::default();
    let mut known = rustc_hash::FxHashSet::default();
    for line in lines.split(b'\n') {
        let line = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let sample = serde_json::from_slice::<Line>(&line).ok().and_then(|line| {
            let cluster = match (&line.cluster, &line.text) {
                (Some(name), _) => xxh3_64(name.as_bytes()),
                (None, Some(text)) => {
                    let words: Vec<&str> = text.split_whitespace().collect();
                    xxh3_64(words.join(" ").as_bytes())
                }
                (None, None) => return None,
            };
            Some(Sample {
                url: line.url,
                cluster,
            })
        });
        match sample {
            None => read.skipped += 1,
            Some(sample) if known.insert(xxh3_64(sample.url.as_bytes())) => {
                read.samples.push(sample);
            }
            Some(_) => {}
        }
    }
    Ok(read)
}
