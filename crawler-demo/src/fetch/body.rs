//! Decompresses the body of an answer.
//!
//! Decoders are stacked in the order in which the encodings were applied, and read from the wire only what they need
//! for their output, so that a limit on either side limits both.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use async_compression::{
    tokio::bufread::{BrotliDecoder, DeflateDecoder, ZlibDecoder, ZstdDecoder},
    zstd::DParameter,
};
use reqwest::header::{self, HeaderMap};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, ReadBuf};

use super::{FetchError, all_of, causes, members::Members};

/// Largest window that a zstd stream may ask for: 8 MiB, what RFC 8878, section 3.1.1.1.2 tells
/// decoders to support at least and the web to stay within.
const ZSTD_WINDOW_LOG: u32 = 23;
/// Encodings that we do not read (IANA, HTTP Content Coding Registry, and some that never came there). Other words say nothing of
/// the body, as `none` and `utf-8`, and it is read as it is, which is what browsers do.
const CODINGS: [&str; 13] = [
    "aes128gcm",
    "bzip2",
    "compress",
    "dcb",
    "dcz",
    "exi",
    "lzma",
    "pack200-gzip",
    "sdch",
    "x-bzip2",
    "x-compress",
    "x-xz",
    "xz",
];
/// Encodings laid over each other; no honest server uses two.
const MAX_ENCODINGS: usize = 2;

/// A `whole` body, or of one that is too large its beginning if that is wanted. `is_end_told`: whether where it ends is told, so that the wire fails if it
/// breaks off.
pub(super) async fn read_body(
    wire: impl AsyncBufRead + Send + Unpin,
    encodings: &[Encoding],
    max_body: usize,
    (whole, is_end_told): (bool, bool),
) -> Result<Vec<u8>, FetchError> {
    // One more than allowed on either side, to tell "full" from "too large".
    let limit = max_body as u64 + 1;
    let mut wire = Watched::new(wire.take(limit));
    let mut body = Vec::new();
    if wire
        .fill_buf()
        .await
        .map_err(|e| broken_off(&e))?
        .is_empty()
    {
        return Ok(body);
    }
    if encodings.is_empty() {
        wire.read_to_end(&mut body)
            .await
            .map_err(|e| broken_off(&e))?;
    } else if let Err(error) = decode(&mut wire, encodings, limit, &mut body).await {
        // Of one that is too large the end is not read.
        if wire.inner.limit() > 0 {
            return Err(body_error(&error, wire.is_at_end && !is_end_told));
        }
    }
    if body.len() > max_body || wire.inner.limit() == 0 {
        if whole {
            return Err(too_large(max_body));
        }
        body.truncate(max_body);
    }
    Ok(body)
}

/// Unpacks what comes from the wire, up to so many octets.
async fn decode(
    wire: &mut (impl AsyncBufRead + Send + Unpin),
    encodings: &[Encoding],
    limit: u64,
    body: &mut Vec<u8>,
) -> io::Result<()> {
    let mut layers: Pin<Box<dyn AsyncBufRead + Send + '_>> = Box::pin(wire);
    for encoding in encodings.iter().rev() {
        layers = encoding.open(layers).await?;
    }
    layers.take(limit).read_to_end(body).await.map(drop)
}

/// Notes whether a reader was asked for more than it has: a decoder that fails then lacks the end of a body.
struct Watched<R> {
    inner: R,
    is_at_end: bool,
}

impl<R> Watched<R> {
    const fn new(inner: R) -> Self {
        Self {
            inner,
            is_at_end: false,
        }
    }
}

impl<R: AsyncBufRead + Unpin> AsyncBufRead for Watched<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        let filled = ready!(Pin::new(&mut this.inner).poll_fill_buf(cx));
        this.is_at_end |= filled.as_ref().is_ok_and(|octets| octets.is_empty());
        Poll::Ready(filled)
    }

    fn consume(self: Pin<&mut Self>, octets: usize) {
        Pin::new(&mut self.get_mut().inner).consume(octets);
    }
}

impl<R: AsyncBufRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let octets = ready!(self.as_mut().poll_fill_buf(cx))?;
        let taken = octets.len().min(into.remaining());
        into.put_slice(&octets[..taken]);
        self.consume(taken);
        Poll::Ready(Ok(()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Brotli,
    Zstd,
    Deflate,
}

impl Encoding {
    async fn open<'r>(
        self,
        mut inner: Pin<Box<dyn AsyncBufRead + Send + 'r>>,
    ) -> io::Result<Pin<Box<dyn AsyncBufRead + Send + 'r>>> {
        fn buffered<'r>(
            reader: impl AsyncRead + Send + 'r,
        ) -> Pin<Box<dyn AsyncBufRead + Send + 'r>> {
            Box::pin(BufReader::new(reader))
        }
        Ok(match self {
            Self::Gzip => buffered(Members::of(inner)),
            Self::Brotli => buffered(BrotliDecoder::new(inner)),
            Self::Zstd => {
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                let mut decoder = ZstdDecoder::with_params(inner, &[window]);
                decoder.multiple_members(true);
                buffered(decoder)
            }
            Self::Deflate => {
                // RFC 9110 means zlib (RFC 1950) by "deflate"; some servers send it bare (RFC 1951).
                let zlib = match inner.fill_buf().await? {
                    [first, second, ..] => {
                        first & 0x0f == 8
                            && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31)
                    }
                    [first] => first & 0x0f == 8,
                    [] => false,
                };
                if zlib {
                    buffered(ZlibDecoder::new(inner))
                } else {
                    buffered(DeflateDecoder::new(inner))
                }
            }
        })
    }
}

/// The encodings of a body, in the order in which they were applied.
pub(super) fn encodings(headers: &HeaderMap) -> Result<Vec<Encoding>, FetchError> {
    let mut found = Vec::new();
    for field in all_of(headers, &header::CONTENT_ENCODING) {
        for name in field
            .split(',')
            .map(|name| name.trim().to_ascii_lowercase())
        {
            found.push(match name.as_str() {
                "" | "identity" => continue,
                "gzip" | "x-gzip" => Encoding::Gzip,
                "br" => Encoding::Brotli,
                "zstd" => Encoding::Zstd,
                "deflate" => Encoding::Deflate,
                name if !CODINGS.contains(&name) => {
                    tracing::debug!("{name:.40} is no encoding: the body is read as it is");
                    continue;
                }
                _ => {
                    let detail =
                        format!("the server used the encoding {name:.40}, which we did not offer");
                    return Err(FetchError::new("encoding", detail, false));
                }
            });
        }
    }
    if found.len() > MAX_ENCODINGS {
        let detail = format!("{} encodings are laid over each other", found.len());
        return Err(FetchError::new("encoding", detail, false));
    }
    Ok(found)
}

pub(super) fn too_large(max_body: usize) -> FetchError {
    FetchError::new(
        "too_large",
        format!("the body is larger than {max_body} octets"),
        false,
    )
}

/// The connection broke or the encoding did: only the first may go better next time. Where the end of the connection is all that ends a body,
/// one that is packed and ends too soon may have broken off, too.
fn body_error(error: &io::Error, is_cut: bool) -> FetchError {
    let from_wire = error
        .get_ref()
        .is_some_and(|inner| inner.downcast_ref::<reqwest::Error>().is_some());
    if from_wire || is_cut {
        return broken_off(error);
    }
    let detail = format!("the body cannot be decoded: {error}");
    FetchError::new("encoding", detail, false)
}

fn broken_off(error: &io::Error) -> FetchError {
    FetchError::new(
        "body",
        format!("the body broke off: {}", causes(error)),
        true,
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn zlib(octets: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }

    fn gzip(octets: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }

    async fn body(
        wire: &[u8],
        encodings: &[Encoding],
        max: usize,
    ) -> Result<Vec<u8>, &'static str> {
        read_body(wire, encodings, max, (true, false))
            .await
            .map_err(|e| e.code)
    }

    #[tokio::test]
    async fn deflate_is_understood_with_and_without_its_frame() {
        let framed = zlib(b"hello hello hello");
        let bare = &framed[2..framed.len() - 4];
        for wire in [&framed[..], bare] {
            assert_eq!(
                body(wire, &[Encoding::Deflate], 100).await.unwrap(),
                b"hello hello hello"
            );
        }
    }

    #[tokio::test]
    async fn bodies_are_given_up_at_their_limit_on_either_side_of_decompression() {
        assert_eq!(body(&[b'x'; 100], &[], 100).await.unwrap().len(), 100);
        assert_eq!(body(&[b'x'; 101], &[], 100).await, Err("too_large"));
        let bomb = gzip(&vec![0; 10_000_000]);
        assert_eq!(
            body(&bomb, &[Encoding::Gzip], 50_000).await,
            Err("too_large")
        );
        let mut noise = vec![0; 10_000];
        let mut state = 1u32;
        for octet in &mut noise {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *octet = (state >> 24) as u8;
        }
        for (packed, encoding) in [
            (gzip(&noise), Encoding::Gzip),
            (zlib(&noise), Encoding::Deflate),
        ] {
            let large = body(&packed, &[encoding], 5000).await;
            assert_eq!(large, Err("too_large"), "on the wire, too");
        }
        let twice = gzip(&gzip(&[7; 1000]));
        let both = [Encoding::Gzip, Encoding::Gzip];
        assert_eq!(body(&twice, &both, 1000).await.unwrap(), [7; 1000]);
    }

    #[test]
    fn words_that_name_no_encoding_say_nothing_of_the_body() {
        let named = |name: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_ENCODING, name.parse().unwrap());
            encodings(&headers).map_err(|error| error.code)
        };
        for none in ["", "identity", "none", "UTF-8", "text/html", "8bit"] {
            assert_eq!(named(none), Ok(vec![]), "{none}");
        }
        assert_eq!(named("none, GZIP"), Ok(vec![Encoding::Gzip]));
        for unread in ["compress", "XZ", "gzip, dcz"] {
            assert_eq!(named(unread), Err("encoding"), "{unread}");
        }
    }

    #[tokio::test]
    async fn the_beginning_of_a_body_that_is_too_large_can_be_had() {
        let long = [b'x'; 1000];
        let begun = read_body(&long[..], &[], 100, (false, false))
            .await
            .unwrap();
        assert_eq!(begun, &long[..100]);
        let packed = gzip(&long);
        let begun = read_body(&packed[..], &[Encoding::Gzip], 100, (false, false)).await;
        assert_eq!(begun.unwrap(), &long[..100]);
    }

    #[tokio::test]
    async fn what_comes_behind_the_end_of_gzip_is_left() {
        let members = [gzip(b"one "), gzip(b"two")].concat();
        let found = body(&members, &[Encoding::Gzip], 100).await;
        assert_eq!(found.unwrap(), b"one two");
        for behind in [&b"\r\n"[..], b"<!-- made in 3 ms -->", &[0; 512]] {
            let octets = [&members, behind].concat();
            let found = body(&octets, &[Encoding::Gzip], 100).await;
            assert_eq!(found.unwrap(), b"one two", "{behind:?}");
        }
        let broken = [&members, &gzip(b"three")[..9]].concat();
        let found = body(&broken, &[Encoding::Gzip], 100).await;
        assert_eq!(found, Err("body"));
    }

    #[tokio::test]
    async fn broken_and_empty_encoded_bodies_are_told_apart() {
        for encoding in [
            Encoding::Gzip,
            Encoding::Brotli,
            Encoding::Zstd,
            Encoding::Deflate,
        ] {
            assert_eq!(body(b"", &[encoding], 100).await.unwrap(), b"");
            assert_eq!(
                body(b"<html>not compressed", &[encoding], 100).await,
                Err("encoding")
            );
        }
        // Cut off by a connection that was closed too soon: another try may bring it.
        for (whole, encoding) in [
            (gzip(b"hello hello"), Encoding::Gzip),
            (zlib(b"hello hello"), Encoding::Deflate),
        ] {
            for behind in [1, 9] {
                assert_eq!(
                    body(&whole[..whole.len() - behind], &[encoding], 100).await,
                    Err("body"),
                    "{encoding:?}, {behind}"
                );
                // Where all has come that was told, no further try brings more.
                let cut = &whole[..whole.len() - behind];
                let told = read_body(cut, &[encoding], 100, (true, true)).await;
                assert_eq!(told.map_err(|error| error.code), Err("encoding"));
            }
        }
    }
}
