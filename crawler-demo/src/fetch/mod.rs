//! Fetches one URL.
//!
//! One request, one answer: redirects are not followed here, because their targets are links like any other. Everything
//! has a limit: time to the headers, total time, octets on the wire, octets after decompression. The body is
//! decompressed while it arrives and abandoned at the limit, so a decompression bomb costs no more memory than any
//! other page.

mod body;
mod kind;
mod members;

use std::{
    io,
    sync::Once,
    time::{Duration, Instant},
};

use futures::TryStreamExt;
use reqwest::{
    Client, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use tokio_util::io::StreamReader;
use url::Url;

pub use kind::{Kind, kind};
pub(crate) use kind::{is_text, is_xml};

use body::{encodings, read_body, too_large};

use crate::{
    guard::{Guard, Refusal},
    handles,
};

/// Lines of a response's header; how many octets they may have, the connection bounds.
const MAX_HEADERS: usize = 1000;

/// The limits of a fetch.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most octets of a body, on the wire and after decompression.
    pub max_body: usize,
    /// Time until the connection is established.
    pub connect_time: Duration,
    /// Time until the headers have arrived, connecting included.
    pub header_time: Duration,
    /// Time until the body has arrived, too.
    pub total_time: Duration,
    /// Most idle connections kept for each host.
    pub idle_per_host: usize,
    /// Sent as `User-Agent`.
    pub user_agent: String,
    /// Sent as `Accept-Language`, if at all.
    pub accept_language: Option<String>,
}

/// Bodies that nobody will read are still taken off the wire up to this size: it keeps the connection.
const DRAIN: u64 = 64 * 1024;
/// … and no longer than this, or a new connection is cheaper.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// The HTTP client that asks servers.
#[derive(Clone, Debug)]
pub struct Fetcher {
    client: Client,
    guard: Guard,
    limits: Limits,
}

/// Installs the cryptography for TLS, once for the process. A `reqwest` client cannot be built before.
pub fn install_crypto() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // It fails only if one is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
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
    /// `Refresh`, as sent.
    pub refresh: Option<String>,
    /// The body after decompression; empty if it is of no use.
    pub body: Vec<u8>,
}

impl Answer {
    /// Whether it is a redirect.
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 300..=303 | 307 | 308) && self.location.is_some()
    }

    /// Whether it is the answer of a server in trouble, which may give another one another time.
    pub(crate) const fn may_pass(&self) -> bool {
        nodust_frontier::FetchedPage::status_may_pass(self.status)
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
    /// Details, in words for the log.
    pub detail: String,
    /// HTTP status, if one came.
    pub status: Option<u16>,
    /// Whether another try may succeed.
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

impl FetchError {
    /// Whether the server could not be reached at all, so that its other URLs will fare no better.
    pub fn is_of_the_host(&self) -> bool {
        self.status.is_none() && matches!(self.code, "dns" | "connect" | "timeout")
    }

    /// Whether no answer came on an established connection: the fault of the page, or of the server.
    pub fn is_broken_off(&self) -> bool {
        self.status.is_none() && self.code == "http"
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
    /// Bodies of text types.
    Text,
    /// All bodies.
    Any,
    /// The beginnings of all bodies: a larger body is cut off at the limit.
    Beginning,
}

impl Fetcher {
    /// A client that connects where `guard` allows it.
    ///
    /// # Errors
    /// If the client cannot be built with these limits (a user agent that is not a valid header value).
    pub fn new(limits: Limits, guard: Guard) -> Result<Self, reqwest::Error> {
        install_crypto();
        let client = match Self::builder(&limits, &guard).build() {
            Ok(client) => client,
            Err(error) => {
                // Without a certificate store, http still works.
                let client = Self::builder(&limits, &guard).tls_certs_only([]).build()?;
                tracing::warn!(
                    "no https: {} (install your system's CA certificates or set SSL_CERT_FILE)",
                    causes(&error)
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
            // Browsers take such answers, too.
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_max_headers(MAX_HEADERS)
    }

    /// The guard that decides where it may connect.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Fetches one URL. `answered` is awaited as soon as the server has begun to answer, before the body is read; the time it takes does
    /// not count towards the limits.
    ///
    /// # Errors
    /// If there is no usable answer within the limits.
    pub async fn get(
        &self,
        url: &Url,
        want: Want,
        max_body: usize,
        answered: impl Future<Output = ()>,
    ) -> Result<Answer, FetchError> {
        let late = |what: &str, limit: Duration| {
            FetchError::new(
                "timeout",
                format!("{what} took longer than {limit:?}"),
                true,
            )
        };
        let total = self.limits.total_time;
        let mut status = None;
        let exchange = async {
            let began = Instant::now();
            let head = async {
                self.guard.check(url).await?;
                let request = self.client.get(url.clone()).send();
                tokio::time::timeout(self.limits.header_time, request)
                    .await
                    .map_err(|_| late("the answer", self.limits.header_time))?
                    .map_err(|error| classify(&error))
            };
            let head = tokio::time::timeout(total, head).await;
            let response = head.unwrap_or_else(|_| Err(late("the answer", total)))?;
            let left = total.saturating_sub(began.elapsed());
            answered.await;
            status = Some(response.status().as_u16());
            if let Some(address) = response.remote_addr() {
                self.guard.check_connection(url, address.ip())?;
            }
            let body = tokio::time::timeout(left, read(response, want, max_body)).await;
            body.unwrap_or_else(|_| Err(late("the body", total)))
        };
        exchange
            .await
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
        refresh: text_of(headers, &header::REFRESH),
        body: Vec::new(),
    };
    if answer.is_redirect() || want == Want::Text && !is_text(answer.content_type.as_deref()) {
        if response
            .content_length()
            .is_some_and(|length| length <= DRAIN)
        {
            // Only to keep the connection: what goes wrong here is nobody's loss.
            let _ = tokio::time::timeout(DRAIN_TIME, response.bytes()).await;
        }
        return Ok(answer);
    }
    if response.status() == StatusCode::NO_CONTENT {
        return Ok(answer);
    }
    let encodings = encodings(headers)?;
    let whole = want != Want::Beginning;
    if whole
        && encodings.is_empty()
        && response
            .content_length()
            .is_some_and(|length| length > max_body as u64)
    {
        return Err(too_large(max_body));
    }
    // Where that is not told, a body ends with its connection, and may have broken off (RFC 9112, section 6.3).
    let is_end_told = response.version() > reqwest::Version::HTTP_11
        || headers.contains_key(header::CONTENT_LENGTH)
        || headers.contains_key(header::TRANSFER_ENCODING);
    let stream = response.bytes_stream().map_err(io::Error::other);
    let wire = StreamReader::new(stream);
    answer.body = read_body(wire, &encodings, max_body, (whole, is_end_told)).await?;
    Ok(answer)
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

fn classify(error: &reqwest::Error) -> FetchError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return refusal.clone().into();
        }
        if let Some(tls) = tls_of(cause) {
            let detail = match tls {
                rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType) => {
                    "what answers there speaks no TLS: is it http instead of https?".to_owned()
                }
                other => other.to_string(),
            };
            return FetchError::new("tls", detail, false);
        }
        source = cause.source();
    }
    let code = if handles::are_used_up(error) {
        "handles"
    } else if error.is_timeout() {
        "timeout"
    } else if error.is_connect() {
        "connect"
    } else {
        "http"
    };
    FetchError::new(code, causes(error), true)
}

/// What TLS has to say of an error, which may be packed into errors of the system more than once.
fn tls_of<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    let tls = error.downcast_ref::<rustls::Error>();
    tls.or_else(|| tls_of(error.downcast_ref::<io::Error>()?.get_ref()?))
}

/// What an error comes from, and what that comes from: the last two causes, in one line. The request and its URL are told elsewhere.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut told: [String; 2] = [String::new(), error.to_string()];
    let mut source = error.source();
    while let Some(cause) = source {
        told.rotate_left(1);
        told[1] = cause.to_string();
        source = cause.source();
    }
    let [before, last] = told;
    if before.is_empty() || last.contains(&before) {
        last
    } else if before.contains(&last) {
        before
    } else {
        format!("{before}: {last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_by_what_it_comes_from() {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Layer(&'static str, #[source] Option<Box<Layer>>);
        let pack = |words: &[&'static str]| {
            let from = |inner, word: &&'static str| Some(Box::new(Layer(word, inner)));
            words.iter().rev().fold(None, from).unwrap()
        };
        for (words, told) in [
            (
                &[
                    "sending request",
                    "client error",
                    "tcp connect error",
                    "refused",
                ][..],
                "tcp connect error: refused",
            ),
            (
                &["sending request", "tcp: refused", "refused"],
                "tcp: refused",
            ),
            (&["refused"], "refused"),
        ] {
            assert_eq!(causes(&*pack(words)), told);
        }
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
