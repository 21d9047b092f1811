//! Cuts a stream of lines into chunks that can be worked on separately.

use std::io::{self, Read};

/// The octets of a chunk; also the longest line that is read at all.
pub const CHUNK: usize = 512 * 1024;

/// Whole lines of the input.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The lines, each with its line end but perhaps the last of the input.
    pub(super) octets: Vec<u8>,
    /// Behind these lines there was one longer than a chunk, which was skipped.
    pub(super) overlong: bool,
}

/// Cuts an input into chunks.
pub(super) struct Chunks<R> {
    input: R,
    /// Beginning of a line whose end was not read yet.
    rest: Vec<u8>,
    /// Inside a line that is too long.
    skipping: bool,
    ended: bool,
    /// Why the input breaks off behind the lines that were handed out last.
    broken: Option<io::Error>,
}

impl<R: Read> Chunks<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            rest: Vec::new(),
            skipping: false,
            ended: false,
            broken: None,
        }
    }

    /// Reads until `octets` are a chunk or the input ends; says how many were read.
    fn read_on(&mut self, octets: &mut Vec<u8>) -> io::Result<usize> {
        let before = octets.len();
        octets.resize(CHUNK, 0);
        let mut filled = before;
        while filled < CHUNK {
            match self.input.read(&mut octets[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    octets.truncate(filled);
                    return Err(error);
                }
            }
        }
        octets.truncate(filled);
        Ok(filled - before)
    }

    /// Leaves of `chunk` the whole lines that came before the input broke off; its error comes behind them.
    fn break_off(&mut self, chunk: &mut Chunk, error: io::Error) -> io::Result<bool> {
        self.ended = true;
        if std::mem::take(&mut self.skipping) {
            let end = memchr::memchr(b'\n', &chunk.octets);
            let rest = end.map_or(chunk.octets.len(), |end| end + 1);
            chunk.octets.drain(..rest);
            chunk.overlong = true;
        }
        let end = memchr::memrchr(b'\n', &chunk.octets).map_or(0, |end| end + 1);
        chunk.octets.truncate(end);
        if chunk.octets.is_empty() && !chunk.overlong {
            return Err(error);
        }
        self.broken = Some(error);
        Ok(true)
    }

    /// Fills `chunk` with the next lines; `false` when there are none left.
    pub(super) fn fill(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        chunk.octets.clear();
        chunk.overlong = false;
        if self.ended {
            return self.broken.take().map_or(Ok(false), Err);
        }
        chunk.octets.append(&mut self.rest);
        while chunk.octets.len() < CHUNK {
            let before = chunk.octets.len();
            let read = match self.read_on(&mut chunk.octets) {
                Ok(read) => read,
                Err(error) => return self.break_off(chunk, error),
            };
            if read == 0 {
                self.ended = true;
                chunk.overlong |= self.skipping;
                if self.skipping {
                    chunk.octets.truncate(before);
                    self.skipping = false;
                }
                return Ok(!chunk.octets.is_empty() || chunk.overlong);
            }
            if self.skipping {
                // Only the rest of a long line has been read so far: `before` is 0.
                if let Some(end) = memchr::memchr(b'\n', &chunk.octets) {
                    self.rest.extend_from_slice(&chunk.octets[end + 1..]);
                    chunk.octets.clear();
                    self.skipping = false;
                    chunk.overlong = true;
                    return Ok(true);
                }
                chunk.octets.clear();
            }
        }
        let Some(end) = memchr::memrchr(b'\n', &chunk.octets) else {
            chunk.octets.clear();
            self.skipping = true;
            return self.fill(chunk);
        };
        self.rest.extend_from_slice(&chunk.octets[end + 1..]);
        chunk.octets.truncate(end + 1);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> (Vec<String>, usize) {
        let mut chunks = Chunks::new(input);
        let (mut all, mut overlong) = (Vec::new(), 0);
        let mut chunk = Chunk::default();
        while chunks.fill(&mut chunk).unwrap() {
            assert!(chunk.octets.len() <= CHUNK);
            overlong += usize::from(chunk.overlong);
            let text = String::from_utf8(chunk.octets.clone()).unwrap();
            all.extend(text.lines().map(str::to_owned));
        }
        (all, overlong)
    }

    #[test]
    fn no_line_is_torn_or_lost() {
        let all: Vec<_> = (0..200_000).map(|i| format!("line {i}")).collect();
        assert_eq!(lines(all.join("\n").as_bytes()), (all.clone(), 0));
        assert_eq!(lines((all.join("\n") + "\n").as_bytes()), (all, 0));
        assert_eq!(lines(b""), (vec![], 0));
    }

    #[test]
    fn whole_lines_before_a_break_are_handed_out_and_then_the_break_is_told() {
        /// Text, and then an error where its end should be.
        struct Broken<'t>(&'t [u8]);
        impl Read for Broken<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                match self.0.read(into)? {
                    0 => Err(io::ErrorKind::UnexpectedEof.into()),
                    read => Ok(read),
                }
            }
        }
        let long = "x".repeat(2 * CHUNK);
        let after_long = format!("a\n{long}\nb\nc");
        let cases: [(&str, &[&str], usize); 5] = [
            ("a\nb\ncut of", &["a", "b"], 0),
            ("a\nb\n", &["a", "b"], 0),
            ("cut of", &[], 0),
            (&after_long, &["a", "b"], 1),
            (&after_long[..CHUNK + 9], &["a"], 1),
        ];
        for (input, whole, too_long) in cases {
            let mut chunks = Chunks::new(Broken(input.as_bytes()));
            let (mut all, mut overlong) = (Vec::new(), 0);
            let mut chunk = Chunk::default();
            let error = loop {
                match chunks.fill(&mut chunk) {
                    Ok(true) => {}
                    Ok(false) => panic!("nobody told of the break"),
                    Err(error) => break error,
                }
                overlong += usize::from(chunk.overlong);
                let text = String::from_utf8(chunk.octets.clone()).unwrap();
                all.extend(text.lines().map(str::to_owned));
            };
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            assert_eq!(
                (all, overlong),
                (whole.iter().map(|l| (*l).to_owned()).collect(), too_long)
            );
            assert!(!chunks.fill(&mut chunk).unwrap(), "it is told once");
        }
    }

    #[test]
    fn a_line_without_end_is_skipped_and_counted() {
        let long = "x".repeat(3 * CHUNK + 17);
        let input = format!("a\n{long}\nb\n{long}");
        let (all, overlong) = lines(input.as_bytes());
        assert_eq!(all, ["a", "b"]);
        assert_eq!(overlong, 2);
    }
}
