//! The server that answers on loopback.
//!
//! It is a small HTTP/1.1 server: GET and HEAD, keep-alive, no bodies in requests. It counts what it is asked for, so
//! that a test can compare what a crawler reports with what really arrived.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{Site, answer::Answer, html, route::Request};

/// Longest head of a request that is read, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// A running site, which stops when this is dropped.
#[derive(Debug)]
pub struct ServerHandle {
    addr: SocketAddr,
    counts: Arc<Counts>,
    stop: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU64,
    /// How often each path with query was asked for.
    hits: Mutex<HashMap<String, u64>>,
}

impl ServerHandle {
    /// The address that it listens on.
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The address of its first page.
    pub fn start_url(&self) -> String {
        format!("http://{}/", self.addr)
    }

    /// The number of requests answered since the start, including robots.txt and sitemap.
    pub fn requests(&self) -> u64 {
        self.counts.requests.load(Ordering::Relaxed)
    }

    /// How often each path with query was asked for since the start or the last
    /// [`forget_hits`](Self::forget_hits), as this server saw it.
    pub fn hits(&self) -> HashMap<String, u64> {
        self.counts
            .hits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Resets the counts of [`hits`](Self::hits).
    pub fn forget_hits(&self) {
        self.counts
            .hits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Stops listening and closes all connections.
    pub fn shutdown(self) {
        self.stop.send_replace(true);
    }
}

impl Site {
    /// Serves the site on `addr` until the handle is dropped; port 0 takes a free one. Needs a running
    /// tokio runtime with I/O.
    ///
    /// # Errors
    /// If the address cannot be listened on.
    pub async fn serve(&self, addr: SocketAddr) -> io::Result<ServerHandle> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        let counts = Arc::new(Counts::default());
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(accept(listener, self.clone(), Arc::clone(&counts), stopped));
        Ok(ServerHandle { addr, counts, stop })
    }
}

async fn accept(
    listener: TcpListener,
    site: Site,
    counts: Arc<Counts>,
    mut stopped: watch::Receiver<bool>,
) {
    loop {
        let connection = tokio::select! {
            connection = listener.accept() => connection,
            _ = stopped.changed() => return,
        };
        // A connection that broke before it was accepted harms nobody else.
        let Ok((stream, _)) = connection else {
            continue;
        };
        let (site, counts, mut stopped) = (site.clone(), Arc::clone(&counts), stopped.clone());
        tokio::spawn(async move {
            tokio::select! {
                _ = converse(stream, &site, &counts) => {}
                _ = stopped.changed() => {}
            }
        });
    }
}

/// Answers one request after the other until the client closes or sends what is no request.
async fn converse(mut stream: TcpStream, site: &Site, counts: &Counts) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(2048);
    loop {
        let end = loop {
            if let Some(at) = memchr::memmem::find(&buffer, b"\r\n\r\n") {
                break at + 4;
            }
            if buffer.len() > MAX_HEAD || stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
        buffer.drain(..end);
        let Some(request) = Head::parse(&head) else {
            return stream
                .write_all(
                    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                )
                .await;
        };
        let visit = counts.requests.fetch_add(1, Ordering::Relaxed);
        *counts
            .hits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(request.target.to_owned())
            .or_default() += 1;
        stream.write_all(&response(site, &request, visit)).await?;
        if request.close {
            return Ok(());
        }
    }
}

/// What the server wants to know of a request.
struct Head<'a> {
    target: &'a str,
    host: &'a str,
    without_body: bool,
    close: bool,
}

impl<'a> Head<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut lines = text.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let method = first.next()?;
        let target = first.next()?;
        let version = first.next()?;
        if !matches!(method, "GET" | "HEAD") || !target.starts_with('/') {
            return None;
        }
        let mut head = Self {
            target,
            host: "",
            without_body: method == "HEAD",
            close: version == "HTTP/1.0",
        };
        for line in lines {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            if name.eq_ignore_ascii_case("host") {
                head.host = value.trim();
            } else if name.eq_ignore_ascii_case("connection") {
                head.close = value.trim().eq_ignore_ascii_case("close");
            }
        }
        Some(head)
    }
}

fn response(site: &Site, request: &Head<'_>, visit: u64) -> Vec<u8> {
    let (status, header, body) = match site.answer(&Request::of_target(request.target)) {
        Answer::Page(page) => (
            "200 OK",
            "Content-Type: text/html; charset=utf-8".to_owned(),
            html::render(&site.catalog, &page, visit).into_bytes(),
        ),
        Answer::Redirect { status, to } => (
            if status == 301 {
                "301 Moved Permanently"
            } else {
                "302 Found"
            },
            format!("Location: {to}"),
            Vec::new(),
        ),
        Answer::File { content_type, body } => {
            let body = match String::from_utf8(body) {
                Ok(text) => text
                    .replace("{origin}", &format!("http://{}", request.host))
                    .replace("Sitemap: /", &format!("Sitemap: http://{}/", request.host))
                    .into_bytes(),
                Err(binary) => binary.into_bytes(),
            };
            ("200 OK", format!("Content-Type: {content_type}"), body)
        }
        Answer::NotFound => (
            "404 Not Found",
            "Content-Type: text/html; charset=utf-8".to_owned(),
            b"<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>".to_vec(),
        ),
    };
    let connection = if request.close { "close" } else { "keep-alive" };
    let mut out = format!(
        "HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    if !request.without_body {
        out.extend_from_slice(&body);
    }
    out
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpStream,
    };

    use super::super::{Site, SiteConfig};

    #[tokio::test]
    async fn one_connection_answers_many_requests_and_counts_them() {
        let site = Site::new(SiteConfig::default());
        let server = site.serve(([127, 0, 0, 1], 0).into()).await.unwrap();
        let mut client = TcpStream::connect(server.addr()).await.unwrap();
        client
            .write_all(
                b"GET /robots.txt HTTP/1.1\r\nHost: x.example\r\n\r\n\
                  GET /home HTTP/1.1\r\nHost: x.example\r\n\r\n\
                  HEAD /nowhere HTTP/1.1\r\nHost: x.example\r\nConnection: close\r\n\r\n",
            )
            .await
            .unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains("Sitemap: http://x.example/sitemap.xml"));
        assert!(answer.contains("Location: /\r\n"));
        assert!(answer.contains("404 Not Found"));
        assert_eq!(server.requests(), 3);
        assert_eq!(server.hits()["/home"], 1);
        server.shutdown();
    }
}
