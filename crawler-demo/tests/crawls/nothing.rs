//! Crawls that come to nothing: each says of which seed, and why, and ends with a code other than 0.

use super::{
    common::{json, nodust, path, text},
    nodust_telling,
    site::serve,
};

/// A page, what robots.txt forbids, a page that sends its readers away, and 404 for all else.
fn site() -> String {
    serve(|path| {
        let page = match path {
            "/robots.txt" => "User-agent: *\nDisallow: /private\n",
            "/away" => "<meta http-equiv=refresh content='0; url=http://other.example/'>",
            "/there" => "<p>Words. <a href=/gone>a</a>",
            _ => return None,
        };
        Some(page.to_owned())
    })
}

#[test]
fn a_crawl_without_a_page_names_the_seeds_and_says_why() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    for (seed, why) in [
        ("/gone", "status 404 Not Found"),
        ("/private", "its robots.txt disallows it"),
        (
            "/away",
            "status 200 OK, leads to http://other.example/, which is left out (beyond scope:host): name it as a seed",
        ),
    ] {
        let seed = format!("{site}{seed}");
        let out = nodust(&["crawl", &seed, "--delay", "0", "--report", path(&report)]);
        let (told, summary) = (text(&out.stderr), text(&out.stdout));
        assert_eq!(out.status.code(), Some(1), "{told}");
        let last = told.lines().last().unwrap();
        assert!(
            last.starts_with("nodust: not one page could be fetched (")
                && last.contains(&format!("{seed}: {why}")),
            "{told}"
        );
        assert!(!summary.contains("complete"), "{summary}");
        let lines = &json(&report)["run"]["without_page"];
        assert!(lines[0].as_str().unwrap().contains(why), "{lines}");
    }
}

#[test]
fn of_several_seeds_that_come_to_nothing_each_is_told() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(
        &config,
        "[filter]\njudge_seeds = true\nrules = ['exclude segment no']\n",
    )
    .unwrap();
    let seeds = ["/gone", "/private", "/no"].map(|path| format!("{site}{path}"));
    let seeds: Vec<_> = seeds.iter().map(String::as_str).collect();
    let args = [
        &["crawl"][..],
        &seeds,
        &["--delay", "0", "--config", path(&config)],
    ]
    .concat();
    let out = nodust(&args);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    for why in [
        format!("{}: status 404", seeds[0]),
        format!("{}: its robots.txt", seeds[1]),
        format!("{}: left out (filter: excluded by", seeds[2]),
        "(robots: 1, error pages: 1)".to_owned(),
    ] {
        assert!(told.contains(&why), "{why}: {told}");
    }
    // Nothing was asked of any server.
    let out = nodust(&["crawl", seeds[2], "--config", path(&config)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(
        told.contains("no seed is wanted: ") && told.contains("exclude segment no"),
        "{told}"
    );
}

#[test]
fn a_page_of_this_run_or_of_an_earlier_one_is_enough() {
    let site = site();
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let crawl = |seed: &str| {
        let seed = format!("{site}{seed}");
        let out = nodust_telling(&["crawl", &seed, "--delay", "0", "--store", path(&store)]);
        (out.status.code(), text(&out.stderr))
    };
    assert_eq!(crawl("/gone").0, Some(1));
    let (code, told) = crawl("/gone");
    assert_eq!(code, Some(1));
    assert!(
        told.contains("not asked for again: give another --store"),
        "{told}"
    );
    assert!(!told.contains("was complete before"), "{told}");
    assert_eq!(crawl("/there").0, Some(0));
    let (code, told) = crawl("/there");
    assert_eq!(
        code,
        Some(0),
        "nothing is left to do, and that is no failure: {told}"
    );
    assert!(told.contains("was complete before"), "{told}");
    assert_eq!(crawl("/private").0, Some(0), "an earlier run had a page");
}

#[test]
fn a_crawl_whose_time_is_over_before_its_first_page_says_what_it_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let seed = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let out = nodust_telling(&[
        "crawl",
        &seed,
        "--max-duration",
        "1",
        "--store",
        path(&store),
    ]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    let last = told.lines().last().unwrap();
    assert!(
        last.contains("in the time that was given") && last.contains(&seed),
        "{told}"
    );
    assert!(
        told.contains("1 link to go: run the same command"),
        "{told}"
    );
}

#[test]
fn of_many_seeds_that_are_none_ten_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    let mut seeds = "no host\n".repeat(30);
    seeds.push_str("http://127.0.0.1:1/\n");
    std::fs::write(&list, seeds).unwrap();
    let out = nodust(&["crawl", "--seeds", path(&list), "--max-duration", "1"]);
    let told = text(&out.stderr);
    assert_eq!(told.matches("; left out").count(), 10, "{told}");
    let first = "list.txt:1: \"no host\" is neither a URL nor a host name; left out";
    assert!(told.contains(first), "{told}");
    assert!(told.contains("30 seeds left out in all"), "{told}");
}

#[test]
fn an_https_seed_at_a_port_that_speaks_http_is_told_as_that() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let seed = format!("https://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let refusal = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
            let _ = std::io::Write::write_all(&mut &stream, refusal);
            let _ = std::io::Read::read(&mut &stream, &mut [0; 1024]);
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.toml");
    std::fs::write(&config, "[crawl]\nretry_ms = 10\nmax_retries = 1\n").unwrap();
    let out = nodust(&["crawl", &seed, "--config", path(&config)]);
    let told = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert!(told.contains("is it http instead of https?"), "{told}");
}
