//! What does the server answer?
//!
//! One request, one answer: redirects are not followed here, because their targets are links like any
//! other. Everything has a limit: time to the headers, time in all, octets on the wire, octets after
//! decompression. The body is decompressed while it arrives and given up at the limit, so a
//! decompression bomb costs no more memory than any other page.

use std::{io, pin::Pin, sync::Once, time::Duration};

use async_compression::{
    tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder},
    zstd::DParameter,
};
use futures::TryStreamExt;
use reqwest::{
    Client, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio_util::io::StreamReader;
use url::Url;

use crate::guard::{Guard, Refusal};

/// What a fetch may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Octets of a body, on the wire and after decompression.
    pub max_body: usize,
    /// Until the connection stands.
    pub connect_time: Duration,
    /// Until the headers are there, connecting included.
    pub header_time: Duration,
    /// Until the body is there, too.
    pub total_time: Duration,
    /// Idle connections kept for each host.
    pub idle_per_host: usize,
    /// Sent as `User-Agent`.
    pub user_agent: String,
    /// Sent as `Accept-Language`, if at all.
    pub accept_language: Option<String>,
}

/// Largest window that a zstd stream may ask for: 8 MiB, what RFC 8878, section 3.1.1.1.2 tells
/// decoders to support at least and the web to stay within.
const ZSTD_WINDOW_LOG: u32 = 23;
/// Bodies that nobody will read are still taken off the wire up to this size: it keeps the connection.
const DRAIN: u64 = 64 * 1024;
/// Encodings laid over each other; no honest server uses two.
const MAX_ENCODINGS: usize = 2;

/// Asks servers.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    guard: Guard,
    limits: Limits,
}

/// What a server answered.
#[derive(Debug, Default)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, as sent.
    pub content_type: Option<String>,
    /// `Location`, as sent.
    pub location: Option<String>,
    /// `Retry-After`, as sent.
    pub retry_after: Option<String>,
    /// `Link` fields.
    pub link: Vec<String>,
    /// `X-Robots-Tag` fields.
    pub robots_tag: Vec<String>,
    /// The body after decompression; empty when it is of no use.
    pub body: Vec<u8>,
}

impl Answer {
    /// Whether it sends the reader elsewhere.
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308) && self.location.is_some()
    }

    /// Whether it is a 2xx answer.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct FetchError {
    /// Short stable name for counters.
    pub code: &'static str,
    /// Words for the log.
    pub detail: String,
    /// HTTP status, if one came.
    pub status: Option<u16>,
    /// Whether another try may go better.
    pub worth_retrying: bool,
}

impl FetchError {
    fn new(code: &'static str, detail: impl Into<String>, worth_retrying: bool) -> Self {
        Self {
            code,
            detail: detail.into(),
            status: None,
            worth_retrying,
        }
    }
}

impl From<Refusal> for FetchError {
    fn from(refusal: Refusal) -> Self {
        let worth_retrying = matches!(refusal, Refusal::Unresolved { .. });
        Self::new(refusal.code(), refusal.to_string(), worth_retrying)
    }
}

/// Which bodies are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Those of text types.
    Text,
    /// All.
    Any,
}

impl Fetcher {
    /// A client that connects where `guard` lets it.
    ///
    /// # Errors
    /// When the limits cannot be put into practice (a user agent that is no header value).
    pub fn new(limits: Limits, guard: Guard) -> Result<Self, reqwest::Error> {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            // It fails only if one is installed already, which is as good.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let client = match Self::builder(&limits, &guard).build() {
            Ok(client) => client,
            Err(error) => {
                // Without a certificate store, http still works.
                let client = Self::builder(&limits, &guard).tls_certs_only([]).build()?;
                tracing::warn!(
                    "no https: {} (install your system's CA certificates or set SSL_CERT_FILE)",
                    chain(&error)
                );
                client
            }
        };
        Ok(Self {
            client,
            guard,
            limits,
        })
    }

    fn builder(limits: &Limits, guard: &Guard) -> reqwest::ClientBuilder {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1"),
        );
        headers.insert(
            header::ACCEPT_ENCODING,
            HeaderValue::from_static("gzip, br, zstd, deflate"),
        );
        if let Some(language) = &limits.accept_language
            && let Ok(language) = HeaderValue::from_str(language)
        {
            headers.insert(header::ACCEPT_LANGUAGE, language);
        }
        Client::builder()
            .user_agent(&limits.user_agent)
            .default_headers(headers)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // Behind a proxy, nobody could tell which address is connected to.
            .no_proxy()
            .dns_resolver(guard.clone())
            .connect_timeout(limits.connect_time)
            .pool_idle_timeout(Duration::from_secs(20))
            .pool_max_idle_per_host(limits.idle_per_host)
            .http1_ignore_invalid_headers_in_responses(true)
    }

    /// Where it may connect.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Asks for one URL. `answered` is called as soon as the server has begun to answer.
    ///
    /// # Errors
    /// When there is no usable answer within the limits.
    pub async fn get(
        &self,
        url: &Url,
        want: Want,
        max_body: usize,
        answered: impl FnOnce(),
    ) -> Result<Answer, FetchError> {
        let late = |what: &str, limit: Duration| {
            FetchError::new(
                "timeout",
                format!("{what} took longer than {limit:?}"),
                true,
            )
        };
        let mut status = None;
        let exchange = async {
            self.guard.check(url).await?;
            let request = self.client.get(url.clone()).send();
            let response = tokio::time::timeout(self.limits.header_time, request)
                .await
                .map_err(|_| late("the answer", self.limits.header_time))?
                .map_err(|error| classify(&error))?;
            answered();
            status = Some(response.status().as_u16());
            if let Some(address) = response.remote_addr() {
                self.guard.check_literal(address.ip())?;
            }
            read(response, want, max_body).await
        };
        tokio::time::timeout(self.limits.total_time, exchange)
            .await
            .unwrap_or_else(|_| Err(late("the body", self.limits.total_time)))
            .map_err(|error| FetchError { status, ..error })
    }
}

async fn read(
    response: reqwest::Response,
    want: Want,
    max_body: usize,
) -> Result<Answer, FetchError> {
    let headers = response.headers();
    let mut answer = Answer {
        status: response.status().as_u16(),
        content_type: text_of(headers, &header::CONTENT_TYPE),
        location: location_of(headers),
        retry_after: text_of(headers, &header::RETRY_AFTER),
        link: all_of(headers, &header::LINK),
        robots_tag: all_of(headers, &HeaderName::from_static("x-robots-tag")),
        body: Vec::new(),
    };
    if answer.is_redirect() || want == Want::Text && !is_text(answer.content_type.as_deref()) {
        if response
            .content_length()
            .is_some_and(|length| length <= DRAIN)
        {
            // Only to keep the connection: what goes wrong here is nobody's loss.
            let _ = response.bytes().await;
        }
        return Ok(answer);
    }
    if response.status() == StatusCode::NO_CONTENT {
        return Ok(answer);
    }
    let encodings = encodings(headers)?;
    if encodings.is_empty()
        && response
            .content_length()
            .is_some_and(|length| length > max_body as u64)
    {
        return Err(too_large(max_body));
    }
    let stream = response.bytes_stream().map_err(io::Error::other);
    answer.body = read_body(StreamReader::new(stream), &encodings, max_body).await?;
    Ok(answer)
}

async fn read_body(
    wire: impl AsyncBufRead + Send + Unpin,
    encodings: &[Encoding],
    max_body: usize,
) -> Result<Vec<u8>, FetchError> {
    // One more than allowed on either side, to tell "full" from "too large".
    let limit = max_body as u64 + 1;
    let mut wire = wire.take(limit);
    let mut body = Vec::new();
    if wire
        .fill_buf()
        .await
        .map_err(|e| body_error(&e, false))?
        .is_empty()
    {
        return Ok(body);
    }
    if encodings.is_empty() {
        wire.read_to_end(&mut body)
            .await
            .map_err(|e| body_error(&e, false))?;
    } else {
        let mut layers: Pin<Box<dyn AsyncBufRead + Send + '_>> = Box::pin(&mut wire);
        for encoding in encodings.iter().rev() {
            layers = encoding
                .open(layers)
                .await
                .map_err(|e| body_error(&e, true))?;
        }
        layers
            .take(limit)
            .read_to_end(&mut body)
            .await
            .map_err(|e| body_error(&e, true))?;
    }
    if body.len() > max_body || wire.limit() == 0 {
        return Err(too_large(max_body));
    }
    Ok(body)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
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
            Self::Gzip => {
                let mut decoder = GzipDecoder::new(inner);
                decoder.multiple_members(true);
                buffered(decoder)
            }
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
fn encodings(headers: &HeaderMap) -> Result<Vec<Encoding>, FetchError> {
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

/// What kind of document a media type names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTML, XHTML and other markup.
    Markup,
    /// Plain text.
    Plain,
    /// None that is read.
    Other,
}

/// The kind of a body; without a media type, its first octets tell.
pub fn kind(content_type: Option<&str>, body: &[u8]) -> Kind {
    let Some(media) = essence(content_type) else {
        let start = body.trim_ascii_start();
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        return if start.first() == Some(&b'<') {
            Kind::Markup
        } else {
            Kind::Other
        };
    };
    match media.as_str() {
        "text/html" | "application/xhtml+xml" | "text/xml" | "application/xml" => Kind::Markup,
        "text/plain" => Kind::Plain,
        other if other.ends_with("+xml") && !other.starts_with("image/") => Kind::Markup,
        _ => Kind::Other,
    }
}

fn essence(content_type: Option<&str>) -> Option<String> {
    let media = content_type?.split(';').next()?.trim();
    (!media.is_empty()).then(|| media.to_ascii_lowercase())
}

/// Whether a body of this type might be read.
fn is_text(content_type: Option<&str>) -> bool {
    kind(content_type, b"<") != Kind::Other
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers
        .get(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Servers send `Location` in UTF-8, or else in Latin-1: each octet must stay what it is.
fn location_of(headers: &HeaderMap) -> Option<String> {
    let octets = headers.get(header::LOCATION)?.as_bytes();
    Some(match std::str::from_utf8(octets) {
        Ok(text) => text.to_owned(),
        Err(_) => percent_encoded(octets),
    })
}

fn percent_encoded(octets: &[u8]) -> String {
    use std::fmt::Write as _;
    octets.iter().fold(String::new(), |mut text, octet| {
        if octet.is_ascii() {
            text.push(char::from(*octet));
        } else {
            let _ = write!(text, "%{octet:02X}");
        }
        text
    })
}

fn all_of(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .collect()
}

fn too_large(max_body: usize) -> FetchError {
    FetchError::new(
        "too_large",
        format!("the body is larger than {max_body} octets"),
        false,
    )
}

/// The connection broke or the encoding did: only the first may go better next time.
fn body_error(error: &io::Error, decoding: bool) -> FetchError {
    let from_wire = error
        .get_ref()
        .is_some_and(|inner| inner.downcast_ref::<reqwest::Error>().is_some());
    if decoding && !from_wire {
        FetchError::new(
            "encoding",
            format!("the body cannot be decoded: {error}"),
            false,
        )
    } else {
        FetchError::new(
            "body",
            format!("the body broke off: {}", chain(error)),
            true,
        )
    }
}

fn classify(error: &reqwest::Error) -> FetchError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return refusal.clone().into();
        }
        if let Some(io) = cause.downcast_ref::<io::Error>()
            && let Some(tls) = io.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>())
        {
            return FetchError::new("tls", tls.to_string(), false);
        }
        source = cause.source();
    }
    let code = if error.is_timeout() {
        "timeout"
    } else if error.is_connect() {
        "connect"
    } else {
        "http"
    };
    FetchError::new(code, chain(error), true)
}

/// An error and all its causes in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        source = cause.source();
    }
    text
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
        read_body(wire, encodings, max).await.map_err(|e| e.code)
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
        let twice = gzip(&gzip(&[7; 1000]));
        let both = [Encoding::Gzip, Encoding::Gzip];
        assert_eq!(body(&twice, &both, 1000).await.unwrap(), [7; 1000]);
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
        let cut = gzip(b"hello hello");
        assert_eq!(
            body(&cut[..cut.len() - 9], &[Encoding::Gzip], 100).await,
            Err("encoding")
        );
    }

    #[test]
    fn text_types_are_known() {
        assert_eq!(kind(Some("Text/HTML; charset=x"), b""), Kind::Markup);
        assert_eq!(kind(Some("application/rss+xml"), b""), Kind::Markup);
        assert_eq!(kind(Some("image/svg+xml"), b""), Kind::Other);
        assert_eq!(kind(Some("text/plain"), b""), Kind::Plain);
        assert_eq!(kind(Some("text/css"), b""), Kind::Other);
        assert_eq!(kind(None, b" <!doctype html>"), Kind::Markup);
        assert_eq!(kind(Some(" ; x"), b"\x89PNG"), Kind::Other);
    }

    #[test]
    fn a_location_in_latin_1_keeps_its_octets() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::LOCATION,
            HeaderValue::from_bytes(b"/caf\xe9").unwrap(),
        );
        assert_eq!(location_of(&headers).unwrap(), "/caf%E9");
    }
}
