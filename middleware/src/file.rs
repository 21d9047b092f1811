//! How does a file come in, packed or not?
//!
//! Lists, rules, beliefs and logs may be packed with gzip, whatever they are called.
//!
//! ```
//! use std::io::Read;
//!
//! let mut text = String::new();
//! nodust_middleware::file::unpack(&b"as it is"[..])?.read_to_string(&mut text)?;
//! assert_eq!(text, "as it is");
//! # Ok::<_, std::io::Error>(())
//! ```

use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use flate2::bufread::MultiGzDecoder;

/// Octets.
const BUFFER: usize = 128 * 1024;

/// What comes out of `source`, unpacked if it begins like gzip (RFC 1952; one member or many).
///
/// # Errors
/// When its first octets cannot be read.
pub fn unpack(source: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut source = BufReader::with_capacity(BUFFER, source);
    let mut magic = Vec::with_capacity(2);
    source.by_ref().take(2).read_to_end(&mut magic)?;
    let is_gzip = magic == [0x1f, 0x8b];
    let whole = io::Cursor::new(magic).chain(source);
    Ok(if is_gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

/// The whole text of a file, unpacked if it is packed.
///
/// # Errors
/// When it cannot be read, or is no UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    unpack(File::open(path)?)?.read_to_string(&mut text)?;
    Ok(text)
}
