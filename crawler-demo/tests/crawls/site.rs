//! A site for the command to crawl.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    thread,
};

/// A site on loopback, as long as the test runs: what `page` makes of a path, and 404 where it makes nothing.
/// Answers its address.
pub(crate) fn serve(page: fn(&str) -> Option<String>) -> String {
    serve_answers(move |path| match page(path) {
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", String::new()),
    })
}

/// The same, with the status of each answer; where that is empty, there is none.
pub(crate) fn serve_answers(
    answer: impl Fn(&str) -> (&'static str, String) + Send + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let Some(request) = lines.next() else {
                continue;
            };
            // The whole request is read, or closing the connection would take the answer back.
            lines.find(String::is_empty);
            let Some(path) = request.split(' ').nth(1) else {
                continue;
            };
            let (status, body) = answer(path);
            if status.is_empty() {
                // It breaks the connection off.
                continue;
            }
            let head = "Content-Type: text/html\r\nConnection: close";
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}");
            // A client that went away does no harm.
            let _ = (&stream).write_all(answer.as_bytes());
        }
    });
    url
}
