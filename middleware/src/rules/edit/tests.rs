//! What edits do to URLs.

use super::{Edit, Parts};

fn edited(url: &str, edit: &str) -> String {
    let mut parts = Parts::parse(url).unwrap();
    let edit: Edit = edit.parse().unwrap();
    assert_eq!(edit.to_string().parse::<Edit>().unwrap(), edit);
    edit.apply(&mut parts);
    parts.render()
}

#[test]
fn pieces_are_cut_by_signs_and_what_has_none_is_left() {
    for (edit, url, expected) in [
        ("piece:behind-first:-:seg.0", "/7-a-b.html", "/7-*.html"),
        ("piece:behind-last:-:seg.0", "/a-b-7f.html", "/a-b-*.html"),
        ("piece:before-first:_:tail.0", "/x/7f_a_b", "/x/*_a_b"),
        ("piece:before-last:_:seg.0", "/a_b_7.html", "/*_7.html"),
        ("piece:from-first:.:seg.0", "/7.a.b.html", "/7.html"),
        ("piece:up-to-last:~:seg.0", "/a~b~7", "/7"),
        (
            "piece:from-first:::query.id",
            "/?id=7:a:b&x=1",
            "/?id=7&x=1",
        ),
        ("piece:from-first:%3A:query.id", "/?id=7%3Aa", "/?id=7"),
        ("piece:behind-first:-:query.id", "/?id=7-a.b", "/?id=7-*"),
        ("items:+:query.t", "/?t=c+a+b", "/?t=a+b+c"),
        ("items:+:query.t", "/?t=c%20a", "/?t=a%20c"),
        ("items:%20:query.t", "/?t=c+a", "/?t=a+c"),
        ("items:+:seg.0", "/c+a.html", "/a+c.html"),
        (
            "piece:behind-first:{month}:query.day",
            "/?day=20261117",
            "/?day=202611*",
        ),
        (
            "piece:behind-first:{year}:seg.0",
            "/20261117.html",
            "/2026*.html",
        ),
    ] {
        let [url, expected] = [url, expected].map(|path| format!("http://e.org{path}"));
        let once = edited(&url, edit);
        assert_eq!(once, expected, "{edit}");
        assert_eq!(edited(&once, edit), once, "{edit}");
    }
    for url in ["/a.html", "/-a", "/a-", "/a-.html", "/", "/?id=1-a&id=2-b"] {
        let url = format!("http://e.org{url}");
        for cut in ["behind-first", "before-last", "from-first", "up-to-last"] {
            for part in ["seg.0", "query.id"] {
                assert_eq!(edited(&url, &format!("piece:{cut}:-:{part}")), url);
            }
        }
    }
    for none in [
        "piece:behind:-:seg.0",
        "piece:from-first:x:seg.0",
        "piece:from-first:-",
        "piece::-:seg.0",
        "piece:from-first:-:nothing",
    ] {
        assert!(none.parse::<Edit>().is_err(), "{none}");
    }
}

#[test]
fn a_name_is_put_into_other_text_and_taken_out_where_it_can_be_told() {
    for (edit, url, expected) in [
        ("unwrap:seg.0=topic*.html", "/topic17.html", "/17"),
        ("unwrap:seg.0=~*", "/~kim/x", "/kim/x"),
        ("unwrap:query.u=user:*", "/?u=user:kim", "/?u=kim"),
        ("wrap:tail.0=topic*.html", "/f/17", "/f/topic17.html"),
        ("wrap:seg.0=*.html", "/kim", "/kim.html"),
        (
            "respell:tail.0=*_large.html>*.html",
            "/f/lake_large.html",
            "/f/lake.html",
        ),
        ("respell:seg.0=small-*>big-*", "/small-lake", "/big-lake"),
        ("unique:query.t", "/?t=b&a=1&t=a&t=b", "/?a=1&t=a&t=b"),
        ("unique:query.t", "/?t&t=&t", "/?t&t="),
        ("first:query.t", "/?t=b&t=a", "/?t=b"),
    ] {
        let [url, expected] = [url, expected].map(|path| format!("http://e.org{path}"));
        let once = edited(&url, edit);
        assert_eq!(once, expected, "{edit}");
        assert_eq!(edited(&once, edit), once, "{edit}");
    }
    for (edit, url) in [
        ("unwrap:seg.0=topic*.html", "/topics.html"),
        ("unwrap:seg.0=topic*.html", "/topic.html"),
        ("unwrap:seg.0=t1*", "/t1x"),
        ("wrap:seg.0=topic*", "/kim"),
        ("wrap:seg.0=~*", "/"),
        ("unwrap:query.u=u*", "/?u=u1&u=u2"),
        ("respell:seg.0=*_large.html>*.html", "/lake.html"),
        ("respell:seg.0=*_l>*.html", "/_l"),
        ("unique:query.t", "/?t=a&t=b"),
        ("first:query.t", "/?t=a"),
    ] {
        let url = format!("http://e.org{url}");
        assert_eq!(edited(&url, edit), url, "{edit}");
    }
    for none in [
        "wrap:seg.0=*",
        "wrap:seg.0=a",
        "unwrap:rest.0=a*",
        "wrap:seg.0",
        "wrap:host=a*",
        "respell:seg.0=a*",
        "respell:seg.0=a*>",
        "respell:len=a*>b*",
        "unique:seg.0",
        "first:host",
    ] {
        assert!(none.parse::<Edit>().is_err(), "{none}");
    }
}

#[test]
fn every_edit_does_what_its_name_says() {
    let url = "http://e.org/A/b12.html;s=1/?x=1&x=2&y=";
    for (edit, expected) in [
        ("sort", url),
        ("drop:query.x", "http://e.org/A/b12.html;s=1/?y="),
        ("drop:seg.0", "http://e.org/b12.html;s=1/?x=1&x=2&y="),
        ("drop:tail.0", "http://e.org/A/?x=1&x=2&y="),
        ("drop:param.s", "http://e.org/A/b12.html/?x=1&x=2&y="),
        ("drop:slash", "http://e.org/A/b12.html;s=1?x=1&x=2&y="),
        ("keep:y", "http://e.org/A/b12.html;s=1/?y="),
        ("keep:x&z", "http://e.org/A/b12.html;s=1/?x=1&x=2"),
        ("keep:", "http://e.org/A/b12.html;s=1/"),
        ("drop:ext", "http://e.org/A/b12;s=1/?x=1&x=2&y="),
        ("mask:query.y", "http://e.org/A/b12.html;s=1/?x=1&x=2&y=*"),
        ("digits:0:seg.1", "http://e.org/A/b0.html;s=1/?x=1&x=2&y="),
        ("lower:seg.0", "http://e.org/a/b12.html;s=1/?x=1&x=2&y="),
        ("set:query.x=3", "http://e.org/A/b12.html;s=1/?x=3&y="),
        ("set:host=m.org", "http://m.org/A/b12.html;s=1/?x=1&x=2&y="),
        (
            "move:seg.0>query.z",
            "http://e.org/b12.html;s=1/?x=1&x=2&y=&z=A",
        ),
        ("copy:seg.0>seg.1", "http://e.org/A/A;s=1/?x=1&x=2&y="),
    ] {
        assert_eq!(edited(url, edit), expected, "{edit}");
    }
}

#[test]
fn a_rest_of_a_path_moves_into_a_query_and_back() {
    assert_eq!(
        edited("http://e.org/wiki/a/b", "move:rest.1>query.title"),
        "http://e.org/wiki?title=a%2Fb"
    );
    assert_eq!(
        edited("http://e.org/wiki?title=a%2Fb", "move:query.title>rest.1"),
        "http://e.org/wiki/a/b"
    );
}

#[test]
fn lower_case_leaves_escapes_alone() {
    assert_eq!(
        edited("http://e.org/%C3%A9A", "lower-path"),
        "http://e.org/%C3%A9a"
    );
}

#[test]
fn nonsense_is_refused_with_a_sentence() {
    for text in [
        "",
        "drop:nose",
        "set:host",
        "move:host",
        "digits:host",
        "digits:900:host",
    ] {
        assert!(text.parse::<Edit>().unwrap_err().contains('`'), "{text}");
    }
}

#[test]
fn what_is_moved_between_path_and_query_is_spelled_as_it_is_there() {
    for (edit, url, expected) in [
        (
            "move:query.title>rest.1",
            "/wiki?title=Foo;+bar",
            "/wiki/Foo%3B%20bar",
        ),
        ("move:query.title>seg.1", "/wiki?title=a/b", "/wiki/a%2Fb"),
        ("move:query.s>param.s", "/w?s=a?b", "/w;s=a%3Fb"),
        ("move:param.s>query.s", "/w;s=A&T?x=1", "/w?s=A%26T&x=1"),
        (
            "move:query.title>rest.1",
            "/wiki?title=AT%26T",
            "/wiki/AT&T",
        ),
        (
            "move:query.title>rest.1",
            "/wiki?title=AT?T",
            "/wiki/AT%3FT",
        ),
        (
            "move:query.title>seg.1",
            "/wiki?title=C%2B%2B+x",
            "/wiki/C++%20x",
        ),
        ("move:query.title>seg.1", "/wiki?title=a%2Fb", "/wiki/a%2Fb"),
        (
            "move:rest.1>query.title",
            "/wiki/C++/AT&T",
            "/wiki?title=C%2B%2B%2FAT%26T",
        ),
        ("move:seg.1>query.title", "/wiki/AT&T", "/wiki?title=AT%26T"),
    ] {
        let [url, expected] = [url, expected].map(|path| format!("http://e.org{path}"));
        assert_eq!(edited(&url, edit), expected, "{edit}");
    }
}
