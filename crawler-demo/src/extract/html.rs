//! Links, text and hints of an HTML page, from its tokens.
//!
//! A token stream has no tree, so what a tree would tell is kept in counters: how many hidden elements are open, and
//! whether the current text belongs to a title. An element that is never closed hides no more than it would in a
//! browser.

use std::cell::RefCell;

use html5ever::{
    LocalName, local_name,
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};

use super::{
    Limits, Link, Page, REFRESH_WITHIN,
    headers::robots_words,
    may_be_http,
    refresh::refresh,
    svg::{self, Svg},
    tags,
    text::Text,
};

/// The tokenizer is fed in slices, so that its buffers stay small.
const SLICE: usize = 64 * 1024;

/// Reads a page of HTML.
pub fn html(body: &str, limits: &Limits) -> Page {
    read(body, limits, false)
}

/// Reads a page of XHTML or other markup in XML, where any element may close itself.
pub fn xml(body: &str, limits: &Limits) -> Page {
    read(body, limits, true)
}

fn read(body: &str, limits: &Limits, is_xml: bool) -> Page {
    let body = tags::bounded(body);
    let tokenizer = Tokenizer::new(
        Sink {
            state: RefCell::new(State {
                limits: limits.clone(),
                is_xml,
                ..State::default()
            }),
        },
        TokenizerOpts::default(),
    );
    let input = BufferQueue::default();
    let mut rest = &*body;
    while !rest.is_empty() {
        let (slice, after) = rest.split_at(rest.floor_char_boundary(SLICE));
        rest = after;
        input.push_back(StrTendril::from_slice(slice));
        // The tokenizer stops after `</script>` for a script to run; there is none.
        while !input.is_empty() {
            let _ = tokenizer.feed(&input);
        }
    }
    tokenizer.end();
    tokenizer.sink.state.into_inner().into_page()
}

#[derive(Debug)]
struct Sink {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    limits: Limits,
    /// Whether a tag may close its own element.
    is_xml: bool,
    page: Page,
    text: Text,
    title: Text,
    /// What raw text belongs to, while the tokenizer is in it.
    raw: Option<Raw>,
    titled: bool,
    /// Open `<template>`s: neither text nor links in them are part of the page.
    templates: u32,
    /// Open `<noscript>`s: their links count, their text is an apology.
    noscripts: u32,
    preformatted: u32,
    svg: Svg,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Raw {
    Title,
    Textarea,
    Hidden,
}

impl TokenSink for Sink {
    type Handle = ();

    /// Whether a CDATA section is text, as it is in XML, and not a comment.
    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.state.borrow().is_xml
    }

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.state.borrow_mut();
        match token {
            Token::CharacterTokens(run) => {
                state.characters(&run);
                TokenSinkResult::Continue
            }
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => state.start(&tag),
            Token::TagToken(tag) => {
                state.end(&tag.name);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}

impl State {
    fn into_page(self) -> Page {
        Page {
            text: self.text.finish(),
            title: self.title.finish(),
            ..self.page
        }
    }

    fn characters(&mut self, run: &str) {
        match self.raw {
            Some(Raw::Hidden) => {}
            Some(Raw::Title) => {
                if !self.titled {
                    self.title.push(run);
                }
            }
            _ if self.templates > 0 || self.noscripts > 0 || self.svg.hides_text() => {}
            Some(Raw::Textarea) => self.text.push_lines(run),
            None if self.preformatted > 0 => self.text.push_lines(run),
            None => self.text.push(run),
        }
    }

    fn start(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        if self.svg.takes(tag) {
            if tag.name == local_name!("a") {
                let href = attribute(tag, &local_name!("href")).or_else(|| svg::link(tag));
                if let Some(href) = href {
                    self.push_link(href, tag);
                }
            }
            return TokenSinkResult::Continue;
        }
        let opens = !(self.is_xml && tag.self_closing);
        match tag.name {
            local_name!("title") if opens => return self.enter(Raw::Title, RawKind::Rcdata),
            local_name!("textarea") if opens => {
                self.text.end_line();
                return self.enter(Raw::Textarea, RawKind::Rcdata);
            }
            local_name!("script") if opens => return self.enter(Raw::Hidden, RawKind::ScriptData),
            local_name!("style")
            | local_name!("xmp")
            | local_name!("noembed")
            | local_name!("noframes")
                if opens =>
            {
                return self.enter(Raw::Hidden, RawKind::Rawtext);
            }
            local_name!("iframe") => {
                self.link(tag, &local_name!("src"));
                if opens {
                    return self.enter(Raw::Hidden, RawKind::Rawtext);
                }
            }
            local_name!("plaintext") => {
                self.text.end_line();
                self.preformatted += 1;
                return TokenSinkResult::Plaintext;
            }
            local_name!("template") => self.templates += u32::from(opens),
            local_name!("noscript") => self.noscripts += u32::from(opens),
            // A body begins: whatever was left open in the head is over.
            local_name!("body") => {
                self.noscripts = 0;
                self.text.end_line();
            }
            local_name!("a") | local_name!("area") => self.link(tag, &local_name!("href")),
            local_name!("frame") => self.link(tag, &local_name!("src")),
            local_name!("link") => self.link_element(tag),
            local_name!("base") => {
                if self.page.base.is_none() && self.templates == 0 {
                    self.page.base = attribute(tag, &local_name!("href"))
                        .filter(|href| may_be_http(href))
                        .map(str::to_owned);
                }
            }
            local_name!("meta") => self.meta(tag),
            local_name!("pre") | local_name!("listing") => {
                self.text.end_line();
                self.preformatted += u32::from(opens);
            }
            _ => self.border(&tag.name),
        }
        TokenSinkResult::Continue
    }

    fn enter(&mut self, raw: Raw, kind: RawKind) -> TokenSinkResult<()> {
        self.raw = Some(raw);
        TokenSinkResult::RawData(kind)
    }

    fn end(&mut self, name: &LocalName) {
        self.svg.ends(name);
        match *name {
            local_name!("title") if self.raw == Some(Raw::Title) => self.titled = true,
            local_name!("template") => self.templates = self.templates.saturating_sub(1),
            local_name!("noscript") => self.noscripts = self.noscripts.saturating_sub(1),
            local_name!("pre") | local_name!("listing") => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.text.end_line();
            }
            local_name!("textarea") => self.text.end_line(),
            _ => self.border(name),
        }
        // Raw text ends with its own end tag only, which is the first the tokenizer lets through.
        self.raw = None;
    }

    /// Ends the line or the word where an element does so on screen.
    fn border(&mut self, name: &LocalName) {
        match *name {
            local_name!("td") | local_name!("th") | local_name!("img") | local_name!("button") => {
                self.text.end_word();
            }
            local_name!("address")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("br")
            | local_name!("caption")
            | local_name!("center")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dialog")
            | local_name!("dir")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("fieldset")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("footer")
            | local_name!("form")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("hgroup")
            | local_name!("hr")
            | local_name!("html")
            | local_name!("legend")
            | local_name!("li")
            | local_name!("main")
            | local_name!("menu")
            | local_name!("nav")
            | local_name!("ol")
            | local_name!("optgroup")
            | local_name!("option")
            | local_name!("p")
            | local_name!("section")
            | local_name!("select")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("tfoot")
            | local_name!("thead")
            | local_name!("tr")
            | local_name!("ul") => self.text.end_line(),
            _ => {}
        }
    }

    fn link(&mut self, tag: &Tag, attr: &LocalName) {
        let Some(href) = attribute(tag, attr) else {
            return;
        };
        self.push_link(href, tag);
    }

    fn push_link(&mut self, href: &str, tag: &Tag) {
        if self.templates > 0 || !may_be_http(href) {
            return;
        }
        if href.len() > self.limits.max_link_bytes || self.page.links.len() >= self.limits.max_links
        {
            self.page.links_over_limit += 1;
            return;
        }
        self.page.links.push(Link {
            href: href.to_owned(),
            hreflang: attribute(tag, &local_name!("hreflang"))
                .filter(|language| !language.is_empty())
                .map(str::to_owned),
            nofollow: rel_has(tag, "nofollow"),
        });
    }

    fn link_element(&mut self, tag: &Tag) {
        if self.templates > 0 {
            return;
        }
        let Some(href) = attribute(tag, &local_name!("href")) else {
            return;
        };
        if rel_has(tag, "canonical") && self.page.canonical.is_none() && may_be_http(href) {
            self.page.canonical = Some(href.trim().to_owned());
        }
        // An alternate without language is the same page for another device, printer or program, and
        // one with a type of its own a feed or a description: none brings content that links do not.
        let is_translation = attribute(tag, &local_name!("hreflang")).is_some()
            && attribute(tag, &local_name!("type")).is_none_or(|media| {
                let media = media.trim();
                media.eq_ignore_ascii_case("text/html")
                    || media.eq_ignore_ascii_case("application/xhtml+xml")
            });
        if rel_has(tag, "next")
            || rel_has(tag, "prev")
            || rel_has(tag, "alternate") && is_translation
        {
            self.push_link(href, tag);
        }
    }

    fn meta(&mut self, tag: &Tag) {
        if self.templates > 0 {
            return;
        }
        let Some(content) = attribute(tag, &local_name!("content")) else {
            return;
        };
        if attribute(tag, &local_name!("name")).is_some_and(|name| {
            let name = name.trim();
            name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(&self.limits.agent)
        }) {
            let (nofollow, noindex) = robots_words(content);
            self.page.nofollow |= nofollow;
            self.page.noindex |= noindex;
        }
        if attribute(tag, &local_name!("http-equiv"))
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"))
            && self.noscripts == 0
            && let Some((seconds, target)) = refresh(content)
            && may_be_http(target)
        {
            if seconds <= REFRESH_WITHIN && self.page.refresh.is_none() {
                self.page.refresh = Some(target.to_owned());
            } else {
                self.push_link(target, tag);
            }
        }
    }
}

pub(super) fn attribute<'t>(tag: &'t Tag, name: &LocalName) -> Option<&'t str> {
    tag.attrs
        .iter()
        .find(|attr| attr.name.local == *name)
        .map(|attr| &*attr.value)
}

fn rel_has(tag: &Tag, word: &str) -> bool {
    attribute(tag, &local_name!("rel")).is_some_and(|rel| {
        rel.split_ascii_whitespace()
            .any(|token| token.eq_ignore_ascii_case(word))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(body: &str) -> Page {
        html(body, &Limits::default())
    }

    fn hrefs(body: &str) -> Vec<String> {
        read(body).links.into_iter().map(|link| link.href).collect()
    }

    #[test]
    fn elements_of_xml_may_close_themselves() {
        let body = "<html><head><title/><script src='/a.js'/><base/></head>\
            <body><iframe src='/f'/><template/><pre/><p>One <a href='/x'>two</a> <![CDATA[th<r>ee]]></p></body></html>";
        let page = xml(body, &Limits::default());
        assert_eq!(page.text, "One two th<r>ee");
        let hrefs: Vec<_> = page.links.iter().map(|link| &*link.href).collect();
        assert_eq!(hrefs, ["/f", "/x"]);
        assert_eq!(read(body).text, "");
    }

    #[test]
    fn templates_say_nothing_of_the_page() {
        let page = read(
            "<template><base href=/no/><meta name=robots content=nofollow><link rel=canonical href=/no>\
             <meta http-equiv=refresh content='0;/no'></template><base href=/yes/>",
        );
        assert_eq!(page.base.as_deref(), Some("/yes/"));
        assert_eq!((page.canonical, page.refresh), (None, None));
        assert!(!page.nofollow);
    }

    #[test]
    fn pictures_hide_nothing_but_their_own_words() {
        let page = read(
            "<svg><title>Logo</svg><p>a <svg><style>b</svg>c <svg><a xlink:href=/x><text>d</text></a>\
             <a href=/y /><path/></svg> <svg><div>e<br/><a href=/z />f<title>T</title>",
        );
        assert_eq!(page.text, "a c d\ne\nf");
        assert_eq!(page.title, "T");
        let hrefs: Vec<_> = page.links.iter().map(|link| &*link.href).collect();
        assert_eq!(hrefs, ["/x", "/y", "/z"]);
    }

    #[test]
    fn a_picture_ends_with_what_is_around_it_and_may_hold_a_piece_of_the_page() {
        let page = read(
            "<button><svg><path></button>a<script>b<c></script>\
             <svg><foreignObject><div>d</div></foreignObject><script href=/x /><style /></svg>e",
        );
        assert_eq!(page.text, "a\nd\ne");
    }

    #[test]
    fn blocks_become_lines_and_inline_markup_vanishes() {
        let page = read(
            "<body><h1>Head</h1><p>One <b>bo</b>ld\n word<p>Two<ul><li>a<li>b</ul>tail\
             <table><tr><td>1<td>2<tr><td>3</table><pre>x\n  y</pre>",
        );
        assert_eq!(
            page.text,
            "Head\nOne bold word\nTwo\na\nb\ntail\n1 2\n3\nx\ny"
        );
    }

    #[test]
    fn scripts_styles_templates_and_noscripts_are_not_text() {
        let page = read(
            "<script>var a = '<a href=/no>';</script><style>p{}</style>a\
             <template>b<a href=/no></a></template><noscript>c<a href=/yes></a></noscript>d\
             <iframe src=/frame>e</iframe><!-- <a href=/no> -->f",
        );
        assert_eq!(page.text, "adf");
        assert_eq!(
            page.links.iter().map(|l| &*l.href).collect::<Vec<_>>(),
            ["/yes", "/frame"]
        );
    }

    #[test]
    fn entities_in_links_and_text_are_decoded() {
        let page = read("<a href='/?a=1&amp;copy=2&lt;'>x &amp; y &copy; &#8212;</a>");
        assert_eq!(page.links[0].href, "/?a=1&copy=2<");
        assert_eq!(page.text, "x & y © —");
    }

    #[test]
    fn a_meta_for_another_crawler_is_not_for_us() {
        let body = "<meta name=MyBot content=nofollow><a href=/x>x</a>";
        let named = Limits {
            agent: "mybot".into(),
            ..Limits::default()
        };
        assert!(html(body, &named).nofollow);
        assert!(!html(body, &Limits::default()).nofollow);
    }

    #[test]
    fn links_come_in_document_order_with_their_hints() {
        let page = read(
            "<link rel='alternate' hreflang=de href=/de><link rel=alternate type=application/rss+xml href=/rss><link rel=alternate type=text/html href=/print>\
             <link rel=next href=/2><map><area href=/area></map><a rel='ugc NoFollow' href=/nf>x</a>\
             <a href='mailto:x@y'>m</a><a href='JavaScript:void(0)'>j</a><a href='HTTP://e.org/'>h</a>\
             <a href='?x=a:b'>q</a><a>none</a><a href=''>self</a>",
        );
        let found: Vec<_> = page.links.iter().map(|l| &*l.href).collect();
        assert_eq!(
            found,
            ["/de", "/2", "/area", "/nf", "HTTP://e.org/", "?x=a:b", ""]
        );
        assert_eq!(page.links[0].hreflang.as_deref(), Some("de"));
        assert!(page.links[3].nofollow && !page.links[2].nofollow);
    }

    #[test]
    fn the_head_is_understood() {
        let page = read(
            "<head><title> A  <b>title</b> </title><base href=/b/><base href=/c/>\
             <link rel=canonical href=/canon><meta name=Robots content='noindex, nofollow'>\
             <meta http-equiv=refresh content=\"0; URL='/next'\"></head>text",
        );
        assert_eq!(page.title, "A <b>title</b>");
        assert_eq!(page.base.as_deref(), Some("/b/"));
        assert_eq!(page.canonical.as_deref(), Some("/canon"));
        assert_eq!(page.refresh.as_deref(), Some("/next"));
        assert!(page.nofollow && page.noindex);
        assert_eq!(page.text, "text");
    }

    #[test]
    fn a_slow_refresh_is_a_link_and_a_reload_is_nothing() {
        assert_eq!(refresh("5"), None);
        assert_eq!(refresh("5;url=/a"), Some((5.0, "/a")));
        assert_eq!(refresh(" 0 , /a b "), Some((0.0, "/a b")));
        let page = read("<meta http-equiv=refresh content='300; url=/later'>");
        assert_eq!(page.refresh, None);
        assert_eq!(page.links[0].href, "/later");
    }

    #[test]
    fn broken_markup_still_gives_its_links() {
        assert_eq!(
            hrefs("<p><a href=/1 <b><a href=\"/2>x</a><a href='/3'>"),
            ["/1"]
        );
        assert_eq!(
            hrefs("<a href=/1><table><a href=/2></div></p><a href=/3"),
            ["/1", "/2"]
        );
        assert_eq!(hrefs("<noscript><p>no js<body><a href=/1>"), ["/1"]);
        assert_eq!(read("a<textarea>b</p>c").text, "a\nb</p>c");
        assert_eq!(read("<title>never closed<p>gone").text, "");
        assert_eq!(read("<svg><title/><path/></svg>seen").text, "seen");
        assert_eq!(read("a\0b<plaintext><p>").text, "ab\n<p>");
    }

    #[test]
    fn links_over_the_limit_are_counted() {
        let body = "<a href=/x>".repeat(10);
        let limits = Limits {
            max_links: 3,
            ..Limits::default()
        };
        let page = html(&body, &limits);
        assert_eq!((page.links.len(), page.links_over_limit), (3, 7));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_text_makes_it_panic(body in "(<(/?(a|p|pre|title|template|script|textarea|meta)( (href|content|rel)=('|\")?.{0,5})?>?)|.){0,40}") {
            let page = html(&body, &Limits::default());
            prop_assert!(!page.text.contains("  "));
            prop_assert!(!page.text.starts_with(char::is_whitespace));
        }
    }
}
