//! How much slower is the crawler than the least that could crawl?
//!
//! Both fetch the same pages of a server on loopback without delay and read them with the same code. The
//! bare loop asks with reqwest, joins links, and keeps a set of URLs, no more: no robots.txt, no chain, no
//! store, no records. Rounds alternate, so that both meet the same machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::{
    collections::HashSet,
    error::Error,
    fmt::Write as _,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{StreamExt, stream::FuturesUnordered};
use nodust_crawler::{CrawlConfig, Shutdown, charset, extract};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use url::Url;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const PAGES: usize = 4000;
const ROUNDS: usize = 5;
const AT_ONCE: usize = 16;

fn main() -> Result<()> {
    nodust_crawler::fetch::install_crypto();
    // The server has a runtime of its own, so that it is nobody's guest.
    let serving = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let listener = serving.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let start: Url = format!("http://{}/p/0", listener.local_addr()?).parse()?;
    let pages: Arc<Vec<Vec<u8>>> = Arc::new((0..PAGES).map(page).collect());
    let size = pages.iter().map(Vec::len).sum::<usize>() / PAGES;
    serving.spawn(serve(listener, pages));
    println!("{PAGES} pages of {size} octets, {AT_ONCE} requests at once");

    let crawling = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut ratios = Vec::new();
    for round in 0..=ROUNDS {
        let bare = rate(&crawling, bare_loop(start.clone()))?;
        let nodust = rate(&crawling, nodust(start.clone()))?;
        if round > 0 {
            println!(
                "bare loop {bare:7.0} pages/s   nodust {nodust:7.0} pages/s   {:.3}",
                nodust / bare
            );
            ratios.push(nodust / bare);
        }
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.3}", ratios[ratios.len() / 2]);
    serving.shutdown_timeout(Duration::from_secs(1));
    Ok(())
}

fn rate(
    runtime: &tokio::runtime::Runtime,
    crawl: impl Future<Output = Result<usize>>,
) -> Result<f64> {
    let began = Instant::now();
    let fetched = runtime.block_on(crawl)?;
    if fetched != PAGES {
        return Err(format!("{fetched} pages were fetched instead of {PAGES}").into());
    }
    Ok(fetched as f64 / began.elapsed().as_secs_f64())
}

async fn bare_loop(start: Url) -> Result<usize> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut known = HashSet::from([start.as_str().to_owned()]);
    let mut waiting = vec![start];
    let mut running = FuturesUnordered::new();
    let mut fetched = 0;
    loop {
        while running.len() < AT_ONCE {
            let Some(url) = waiting.pop() else { break };
            running.push(tokio::spawn(read(client.clone(), url)));
        }
        let Some(found) = running.next().await else {
            return Ok(fetched);
        };
        fetched += 1;
        for url in found?? {
            if known.insert(url.as_str().to_owned()) {
                waiting.push(url);
            }
        }
    }
}

async fn read(client: reqwest::Client, url: Url) -> Result<Vec<Url>> {
    let response = client.get(url.clone()).send().await?;
    let content_type = response
        .headers()
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let body = response.bytes().await?;
    let text = charset::decode(&body, content_type.as_deref());
    let page = extract::html(&text, &extract::Limits::default());
    let mut links = Vec::with_capacity(page.links.len());
    for link in &page.links {
        if let Ok(mut link) = url.join(&link.href) {
            link.set_fragment(None);
            links.push(link);
        }
    }
    std::hint::black_box(page.text);
    Ok(links)
}

async fn nodust(start: Url) -> Result<usize> {
    let mut config = CrawlConfig {
        seeds: vec![start.into()],
        delay_ms: 0,
        concurrency: AT_ONCE,
        per_host: AT_ONCE,
        ..CrawlConfig::default()
    };
    // The bare loop compares no texts either.
    config.chain.predict.enabled = false;
    let report = nodust_crawler::run(config, Shutdown::new()).await?;
    Ok(report.total.fetched as usize)
}

/// A page as sites have them: forty links, some of them on every page, and a few paragraphs.
fn page(number: usize) -> Vec<u8> {
    let mut body =
        format!("<!doctype html><html><head><title>Page {number}</title></head><body><nav>");
    for n in 0..20 {
        let _ = write!(
            body,
            "<a class=\"nav item\" href=\"/p/{n}\">Section {n}</a> "
        );
    }
    body.push_str("</nav><main>");
    for n in 0..20 {
        let next = (number * 20 + n + 1) % PAGES;
        let _ = write!(
            body,
            "<div class=\"teaser\"><h2><a href=\"../p/{next}#top\">Item {next}</a></h2>\
             <p>A paragraph of <b>some</b> words &amp; a number, {}, so that no two are alike. {}</p></div>",
            number * 31 + n,
            "The quick brown fox jumps over the lazy dog. ".repeat(12)
        );
    }
    body.push_str("</main></body></html>");
    let mut reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    reply.extend_from_slice(body.as_bytes());
    reply
}

async fn serve(listener: TcpListener, pages: Arc<Vec<Vec<u8>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, Arc::clone(&pages)));
    }
}

async fn answer(mut stream: TcpStream, pages: Arc<Vec<Vec<u8>>>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; 16 * 1024];
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        filled += read;
        if read == 0 {
            return Ok(());
        }
        let head = &buffer[..filled];
        if !head.ends_with(b"\r\n\r\n") {
            continue;
        }
        let number = std::str::from_utf8(head).ok().and_then(|head| {
            head.strip_prefix("GET /p/")?
                .split(' ')
                .next()?
                .parse::<usize>()
                .ok()
        });
        let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
        let reply = number
            .and_then(|n| pages.get(n))
            .map_or(&missing[..], Vec::as_slice);
        stream.write_all(reply).await?;
        filled = 0;
    }
}
