//! Changes that could give another page.
//!
//! These are the rewrites of tier 3, each on its own. None is used unless the operator asks for it.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use url::Url;

use super::ScrubConfig;
use crate::normalize::{name_of, parts::Parts};

/// Applies what `config` names, in the order of its fields; `None` when nothing changes.
pub(super) fn rewrite(config: &ScrubConfig, url: &Url) -> Option<String> {
    let mut text = Cow::Borrowed(url.as_str());
    if config.unescape_html
        && let Some(unescaped) = unescape(&text)
    {
        text = Cow::Owned(unescaped);
    }
    if config.extract_nested_url
        && let Some(nested) = nested_url(&text)
    {
        text = Cow::Owned(nested);
    }
    // What is no URL any more after these two is left as it was found.
    let parsed = Url::parse(&text).ok().filter(Url::has_host)?;
    let mut parts = Parts::of(&parsed);
    if config.delete_spaces && parts.path.contains("%20") {
        parts.path = Cow::Owned(parts.path.replace("%20", ""));
    }
    if config.delete_markup {
        parts.path = match delete_markup(parts.path) {
            path if path.is_empty() => Cow::Borrowed("/"),
            path => path,
        };
        // A lone `?` stays one.
        let had_text = parts.query.as_ref().is_some_and(|query| !query.is_empty());
        parts.query =
            (parts.query.map(delete_markup)).filter(|query| !had_text || !query.is_empty());
    }
    if config.collapse_slashes && parts.path.contains("//") {
        parts.path = Cow::Owned(collapse_slashes(&parts.path));
    }
    if config.drop_blank_parameters {
        parts.query = drop_blank_parameters(parts.query);
    }
    if config.decode_reserved {
        parts.path = map_escapes(parts.path, |octet| {
            b";/:@&=+$,!*'()[]".contains(&octet).then_some(octet)
        });
        parts.query = parts.query.map(|query| {
            map_escapes(query, |octet| {
                b";/:@$,!*'()[]?".contains(&octet).then_some(octet)
            })
        });
    }
    if config.encode_reserved {
        parts.path = encode_reserved(parts.path);
    }
    if config.replace_undecodable {
        parts.path = replace_undecodable(parts.path);
        parts.query = parts.query.map(replace_undecodable);
    }
    if config.drop_userinfo {
        parts.userinfo = Cow::Borrowed("");
    } else if config.lowercase_userinfo && parts.userinfo.contains(|c: char| c.is_ascii_uppercase())
    {
        parts.userinfo = Cow::Owned(parts.userinfo.to_ascii_lowercase());
    }
    let written = parts.write();
    (written != url.as_str()).then_some(written)
}

/// The entities of XML, in decimal, too; `None` when there is none.
fn unescape(text: &str) -> Option<String> {
    const ENTITIES: [(&str, &str); 9] = [
        ("&amp;", "&"),
        ("&#38;", "&"),
        ("&#038;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
    ];
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let entity = ENTITIES
            .iter()
            .find(|(name, _)| rest[at..].starts_with(name));
        let (name, character) = entity.unwrap_or(&("&", "&"));
        out.push_str(&rest[..at]);
        out.push_str(character);
        rest = &rest[at + name.len()..];
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// The last absolute http(s) URL within a URL, decoded when it is the value of a parameter.
fn nested_url(text: &str) -> Option<String> {
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let in_query = query.split('&').rev().find_map(|parameter| {
        let value = &parameter[(name_of(parameter).len() + 1).min(parameter.len())..];
        let decoded = percent_decode_str(value).decode_utf8().ok()?;
        is_absolute(&decoded).then(|| decoded.into_owned())
    });
    in_query.or_else(|| {
        let at = ["http://", "https://"]
            .iter()
            .filter_map(|scheme| path.rfind(scheme))
            .max()?;
        (at > 0).then(|| text[at..].to_owned())
    })
}

fn is_absolute(text: &str) -> bool {
    ["http://", "https://"].iter().any(|s| text.starts_with(s))
        && Url::parse(text).is_ok_and(|u| u.has_host())
}

fn delete_markup(text: Cow<'_, str>) -> Cow<'_, str> {
    let marks = ["{", "%7B", "<", "%3C", "\"", "%22"];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return text;
    }
    let mut text = text
        .replace("%7B", "{")
        .replace("%7D", "}")
        .replace("%3C", "<")
        .replace("%3E", ">")
        .replace("%22", "\"");
    for (open, close) in [('{', '}'), ('<', '>')] {
        while let Some(from) = text.find(open) {
            match text[from..].find(close) {
                Some(length) => text.replace_range(from..=from + length, ""),
                None => text.truncate(from),
            }
        }
    }
    if let Some(quote) = text.find('"') {
        text.truncate(quote);
    }
    Cow::Owned(text)
}

fn collapse_slashes(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if c != '/' || !out.ends_with('/') {
            out.push(c);
        }
    }
    out
}

fn drop_blank_parameters(query: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    let query = query?;
    let is_blank = |p: &str| p.len() <= name_of(p).len() + 1;
    if !query.split('&').any(is_blank) {
        return Some(query);
    }
    let kept: Vec<&str> = query.split('&').filter(|p| !is_blank(p)).collect();
    (!kept.is_empty()).then(|| Cow::Owned(kept.join("&")))
}

/// Replaces escapes by the octet that `decode` names for them; octets it names are ASCII.
fn map_escapes(text: Cow<'_, str>, decode: impl Fn(u8) -> Option<u8>) -> Cow<'_, str> {
    if !text.contains('%') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let octet = rest
            .get(at + 1..at + 3)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .and_then(&decode)
            .filter(u8::is_ascii);
        if let Some(octet) = octet {
            out.push(char::from(octet));
            rest = &rest[at + 3..];
        } else {
            out.push('%');
            rest = &rest[at + 1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn encode_reserved(path: Cow<'_, str>) -> Cow<'_, str> {
    let is_encoded = |c: char| ":@&=+$,!*'();".contains(c);
    if !path.contains(is_encoded) {
        return path;
    }
    let mut out = String::with_capacity(path.len() + 8);
    for c in path.chars() {
        if is_encoded(c) {
            out.push_str(percent_encoding::percent_encode_byte(c as u8));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn replace_undecodable(text: Cow<'_, str>) -> Cow<'_, str> {
    const REPLACEMENT: &str = "%EF%BF%BD";
    let decoded: Vec<u8> = percent_decode_str(&text).collect();
    if std::str::from_utf8(&decoded).is_ok() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while !rest.is_empty() {
        // A run of escapes is decoded as a whole, so that characters of several octets survive.
        let run = escape_run(rest);
        if run == 0 {
            // A stray `%`, or everything up to the next one.
            let next = match rest.find('%') {
                Some(0) => 1,
                Some(next) => next,
                None => rest.len(),
            };
            out.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        }
        let octets: Vec<u8> = percent_decode_str(&rest[..run]).collect();
        let mut at = 0;
        for chunk in octets.utf8_chunks() {
            let valid = chunk.valid().len() * 3;
            out.push_str(&rest[at..at + valid]);
            at += valid + chunk.invalid().len() * 3;
            if !chunk.invalid().is_empty() {
                out.push_str(REPLACEMENT);
            }
        }
        rest = &rest[run..];
    }
    Cow::Owned(out)
}

/// Bytes of the escapes that `text` begins with.
fn escape_run(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while bytes.get(end) == Some(&b'%')
        && bytes.get(end + 1).is_some_and(u8::is_ascii_hexdigit)
        && bytes.get(end + 2).is_some_and(u8::is_ascii_hexdigit)
    {
        end += 3;
    }
    end
}
