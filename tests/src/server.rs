//! Who answers the crawler in a test?
//!
//! A server on loopback that speaks just enough HTTP/1.1, keeps a diary of the requests it received on
//! its own clock, and lets a test write whatever octets it likes to the connection.
//!
//! ```
//! use nodust_tests::server::{Reply, Server};
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let server = Server::start("127.0.0.1", |_| Reply::html("<a href=/next>")).await?;
//! assert!(server.url("/").starts_with("http://127.0.0.1:"));
//! # std::io::Result::Ok(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```

use std::{
    fmt, io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A request, as the server saw it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Path and query.
    pub target: String,
    /// When its headers had arrived.
    pub at: Instant,
    /// When its answer was written; `None` while it is not.
    pub done: Option<Instant>,
    /// Requests that were open when it arrived, this one included.
    pub open: usize,
}

/// What to answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Wait this long before the first octet.
    pub delay: Duration,
    /// Octets to write, headers included.
    pub octets: Vec<u8>,
    /// Write this over and over afterwards, until the other side is gone.
    pub endless: Option<Vec<u8>>,
    /// Between two octets of `octets`; all at once when zero.
    pub trickle: Duration,
    /// Close the connection afterwards.
    pub close: bool,
}

impl Reply {
    /// These octets, as they are.
    pub fn raw(octets: impl Into<Vec<u8>>) -> Self {
        Self {
            delay: Duration::ZERO,
            octets: octets.into(),
            endless: None,
            trickle: Duration::ZERO,
            close: true,
        }
    }

    /// Status, header lines and body, with the right length.
    pub fn new(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let mut octets = format!(
            "HTTP/1.1 {status} Test\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            octets.push_str(name);
            octets.push_str(": ");
            octets.push_str(value);
            octets.push_str("\r\n");
        }
        octets.push_str("\r\n");
        let mut octets = octets.into_bytes();
        octets.extend_from_slice(body);
        Self {
            close: false,
            ..Self::raw(octets)
        }
    }

    /// A page.
    pub fn html(body: impl AsRef<[u8]>) -> Self {
        Self::new(
            200,
            &[("Content-Type", "text/html; charset=utf-8")],
            body.as_ref(),
        )
    }

    /// A page of links.
    pub fn links(targets: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        use fmt::Write as _;
        let mut body = String::new();
        for target in targets {
            // Writing to a string cannot fail.
            let _ = write!(body, "<a href='{target}'>x</a>");
        }
        Self::html(body)
    }

    /// A redirect.
    pub fn redirect(to: &str) -> Self {
        Self::new(302, &[("Location", to)], b"")
    }

    /// Nothing there.
    pub fn not_found() -> Self {
        Self::new(404, &[("Content-Type", "text/plain")], b"not found")
    }

    /// The same, later.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

type Handler = dyn Fn(&str) -> Reply + Send + Sync;

/// A server on loopback; it stops when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    diary: Arc<Diary>,
    accepting: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Diary {
    requests: Mutex<Vec<Request>>,
}

impl Diary {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrived(&self, target: &str) -> usize {
        let mut requests = self.lock();
        let open = 1 + requests.iter().rev().filter(|r| r.done.is_none()).count();
        requests.push(Request {
            target: target.to_owned(),
            at: Instant::now(),
            done: None,
            open,
        });
        requests.len() - 1
    }

    fn done(&self, number: usize) {
        self.lock()[number].done = Some(Instant::now());
    }
}

impl Server {
    /// Starts a server on an address of this machine (`127.0.0.2` is one, too) and a free port.
    ///
    /// # Errors
    /// When the address is not to be had.
    pub async fn start(
        ip: &str,
        handler: impl Fn(&str) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((ip, 0)).await?;
        let address = listener.local_addr()?;
        let diary = Arc::new(Diary::default());
        let handler: Arc<Handler> = Arc::new(handler);
        let accepting = tokio::spawn(accept(listener, handler, Arc::clone(&diary)));
        Ok(Self {
            address,
            diary,
            accepting,
        })
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Address and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What was asked, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.diary.lock().clone()
    }

    /// Paths that were asked for, robots.txt left out.
    pub fn pages(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.target)
            .filter(|target| target != "/robots.txt")
            .collect()
    }

    /// Most requests that were open at the same time.
    pub fn most_open(&self) -> usize {
        self.requests()
            .iter()
            .map(|request| request.open)
            .max()
            .unwrap_or(0)
    }

    /// Shortest time between two requests.
    pub fn shortest_gap(&self) -> Option<Duration> {
        let requests = self.requests();
        requests
            .windows(2)
            .map(|pair| pair[1].at.saturating_duration_since(pair[0].at))
            .min()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, handler: Arc<Handler>, diary: Arc<Diary>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (handler, diary) = (Arc::clone(&handler), Arc::clone(&diary));
        tokio::spawn(async move {
            let _ = serve(stream, &*handler, &diary).await;
        });
    }
}

async fn serve(stream: TcpStream, handler: &Handler, diary: &Diary) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(target) = read_request(&mut stream).await? {
        let number = diary.arrived(&target);
        let reply = handler(&target);
        let written = write_reply(stream.get_mut(), &reply).await;
        diary.done(number);
        written?;
        if reply.close {
            return stream.get_mut().shutdown().await;
        }
    }
    Ok(())
}

/// Target of the next request; `None` when the other side is gone.
async fn read_request(stream: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(octet) => head.push(octet),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    let head = String::from_utf8_lossy(&head);
    Ok(head.split(' ').nth(1).map(str::to_owned))
}

async fn write_reply(stream: &mut TcpStream, reply: &Reply) -> io::Result<()> {
    if !reply.delay.is_zero() {
        tokio::time::sleep(reply.delay).await;
    }
    if reply.trickle.is_zero() {
        stream.write_all(&reply.octets).await?;
    } else {
        for octet in &reply.octets {
            stream.write_all(&[*octet]).await?;
            tokio::time::sleep(reply.trickle).await;
        }
    }
    if let Some(more) = &reply.endless {
        loop {
            stream.write_all(more).await?;
        }
    }
    stream.flush().await
}
