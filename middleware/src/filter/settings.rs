//! The settings of the filters.
//!
//! A profile is a starting point. Every key that a configuration names replaces the profile's value, so filters are
//! set, replaced or switched off (an empty list, `false` or 0) one by one.
//!
//! ```
//! use nodust_middleware::filter::{FilterConfig, Profile};
//!
//! let config: FilterConfig = toml::from_str("profile = 'strict'\nlogin_pages = false")?;
//! assert_eq!(config.profile, Profile::Strict);
//! assert!(config.navigation_pages && !config.login_pages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    PatternSet, Rule, TrapConfig, extension::MAX_EXTENSION, language::language_of_tag,
    overrides::Overrides,
};

/// A starting point for the filters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// For crawls that look for text: drops what is surely not text or leads nowhere; keeps navigation pages, because
    /// they lead to content.
    #[default]
    Default,
    /// For lists of URLs that are cleaned once: keeps only what looks like an article, after courlan's
    /// `check_url` in strict mode (without its refusal of whole countries).
    Strict,
    /// Nothing but the operator's own rules.
    None,
}

impl std::str::FromStr for Profile {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "default" => Ok(Self::Default),
            "strict" => Ok(Self::Strict),
            "none" => Ok(Self::None),
            other => Err(format!(
                "`{other}` is no profile: use default, strict or none"
            )),
        }
    }
}

/// What links must not be, or must be, for the operator to want them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Overrides")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one filter that an operator switches"
)]
pub struct FilterConfig {
    /// The profile that all values come from that are not named.
    pub profile: Profile,
    /// Whether seeds are judged, too; off, because the operator named them.
    pub judge_seeds: bool,
    /// Include and exclude rules; the first that matches decides before all other filters.
    pub rules: Vec<Rule>,
    /// Files of unwanted hosts and URLs, see [`Blacklist`](super::Blacklist).
    pub blacklists: Vec<PathBuf>,
    /// Hosts, with all below them, to which links from other hosts are unwanted (share buttons, central services).
    pub avoid_hosts: Vec<String>,
    /// Path extensions of files that are not text, in lower case.
    pub drop_extensions: Vec<String>,
    /// Folders in which a file name is the title of a page, whatever extension it seems to have
    /// (`/wiki/Node.js`).
    pub page_folders: Vec<String>,
    /// Whether extensions that pages do not have are unwanted, known or not.
    pub only_page_extensions: bool,
    /// Whether a file type named anywhere counts, as in `?file=a.jpg` or `/img/`.
    pub file_types_anywhere: bool,
    /// Named lists of patterns on the whole URL, matched without regard to case.
    pub patterns: BTreeMap<String, Vec<String>>,
    /// Whether feeds are unwanted.
    pub feeds: bool,
    /// Whether forms to log in or register and links with a scheme in their path are unwanted.
    pub login_pages: bool,
    /// Whether contact pages, imprints and privacy notices are unwanted.
    pub legal_pages: bool,
    /// Whether overview pages (tags, authors, page 2) are unwanted.
    pub navigation_pages: bool,
    /// Whether further parts of content management systems are unwanted: stored files, archives by
    /// date, result pages.
    pub site_structure: bool,
    /// Whether index pages of the site and its first folders are unwanted.
    pub index_pages: bool,
    /// Which languages are wanted.
    pub language: LanguageConfig,
    /// Limits beyond which a URL is a trap.
    pub traps: TrapConfig,
}

/// Which languages are wanted, and where a link may name its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageConfig {
    /// Codes (ISO 639-1); empty for all languages. A link that names no language is wanted.
    pub accept: Vec<String>,
    /// Look at the path (`/de/`, `/pt-br/`).
    pub path: bool,
    /// Look at the first host label (`de.example.org`).
    pub host: bool,
    /// Look at the link's `hreflang`.
    pub hreflang: bool,
    /// Look at these parameters.
    pub params: Vec<String>,
}

impl Default for LanguageConfig {
    fn default() -> Self {
        Self {
            accept: Vec::new(),
            path: true,
            host: true,
            hreflang: true,
            params: ["lang", "language", "hl", "locale"]
                .map(String::from)
                .into(),
        }
    }
}

/// Files that hold no text that a crawler could read.
const NO_TEXT: &[&str] = &[
    // pictures
    "avif", "bmp", "eps", "gif", "heic", "ico", "jfif", "jp2", "jpe", "jpeg", "jpg", "png", "psd",
    "svg", "svgz", "tga", "tif", "tiff", "webp", "xcf", // sound and film
    "3gp", "aac", "aif", "aiff", "avi", "flac", "flv", "m3u", "m3u8", "m4a", "m4v", "mid", "midi",
    "mkv", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "oga", "ogg", "ogv", "opus", "pls", "ram",
    "rm", "swf", "ts", "wav", "weba", "webm", "wma", "wmv", // archives and programs
    "7z", "apk", "bin", "bz2", "cab", "crx", "deb", "dmg", "exe", "gz", "img", "iso", "jar", "msi",
    "msu", "pkg", "rar", "rpm", "tar", "tbz2", "tgz", "war", "xpi", "xz", "zip", "zst",
    // documents that are not read
    "chm", "djvu", "doc", "docm", "docx", "dot", "dvi", "epub", "key", "mobi", "odp", "ods", "odt",
    "pdf", "pps", "ppt", "pptm", "pptx", "ps", "rtf", "xls", "xlsb", "xlsm", "xlsx",
    // parts of pages
    "css", "cur", "eot", "js", "json", "map", "mjs", "otf", "ttf", "woff", "woff2", "wasm",
    // feeds and data
    "atom", "dat", "db", "dll", "kml", "kmz", "parquet", "rdf", "rss", "sqlite", "torrent",
];

/// Services whose pages are forms around the page one comes from.
const SHARE_PATTERNS: &[&str] = &[
    "facebook\\.com/(sharer|share\\.php|dialog/|plugins/)",
    "(twitter|//x|//www\\.x)\\.com/(intent/|share\\?|share/|home\\?status=)",
    "linkedin\\.com/(sharearticle|sharing/|cws/share)",
    "pinterest\\.[a-z.]+/pin/create/",
    "reddit\\.com/submit",
    "plus\\.google\\.com/share|news\\.ycombinator\\.com/submitlink",
    "(api\\.whatsapp\\.com/send|//wa\\.me/|t\\.me/share|telegram\\.me/share)",
    "(vk\\.com|vkontakte\\.ru)/share",
    "tumblr\\.com/(share|widgets/share)",
    "xing\\.com/(app/user\\?op=share|spi/shares)",
    "(addthis\\.com/bookmark|addtoany\\.com/(share|add_to)|del\\.icio\\.us/post|digg\\.com/submit)",
    "[/?&]replytocom=",
];

const ADVERTISING_PATTERNS: &[&str] = &[
    "//ad\\.|//ads\\.|//adserver\\.|//adclick\\.|//banners?\\.",
    "//([^/]+\\.)?(doubleclick|googlesyndication|googleadservices|googletagmanager|adnxs|outbrain|taboola|criteo|tradedoubler|zanox|awin1|adform|smartadserver|pubmatic|rubiconproject|amazon-adsystem|scorecardresearch|webgains|affili|belboon)\\.[a-z]+/",
    "/(adclick|adserver|adserv|openx|revive-?ads(erver)?|bannerclick)(/|\\.(php|cgi|pl|aspx?)\\b)",
];

const ADULT_PATTERNS: &[&str] = &[
    "[/._-](bild-?kontakte|gangbang|livecams?|live-cams?|porno?|sexcams?|sexyeroti[ck]|livesex|camgirls?)\\b",
    "//([^/]+\\.)?(bongacams|chaturbate|daftsex|livejasmin|onlyfans|pornhub|redtube|spankbang|tnaflix|txxx|xhamster|xnxx|xvideos|youjizz|youporn)\\.[a-z]+/",
    "(\\.xxx|\\.porn|\\.adult|\\.sex)[/:]",
];

const SPAM_PATTERNS: &[&str] = &[
    "[/._-](buy|cheap|order|generic)-(viagra|cialis|levitra|tramadol|phentermine)\\b",
    "[/._-](payday-loans?|casino-bonus|replica-watches|essay-writing-service)\\b",
];

/// Central services whose pages are seldom texts, for lists that are cleaned once.
const CENTRAL_HOSTS: &[&str] = &[
    "akamai.net",
    "aliexpress.com",
    "amazon.com",
    "amazon.de",
    "amazonaws.com",
    "amzn.to",
    "baidu.com",
    "bit.ly",
    "cloudfront.net",
    "digg.com",
    "ebay.com",
    "ebay.de",
    "facebook.com",
    "fb.com",
    "feedburner.com",
    "flickr.com",
    "gettyimages.com",
    "gmx.net",
    "google.com",
    "gravatar.com",
    "imgur.com",
    "instagram.com",
    "linkedin.com",
    "live.com",
    "mail.ru",
    "naver.com",
    "netflix.com",
    "ok.ru",
    "paypal.com",
    "pinterest.com",
    "qq.com",
    "reddit.com",
    "sina.com.cn",
    "sohu.com",
    "soundcloud.com",
    "t.co",
    "t.me",
    "taobao.com",
    "telegram.me",
    "tiktok.com",
    "tmall.com",
    "twitch.tv",
    "twitpic.com",
    "twitter.com",
    "vimeo.com",
    "vk.com",
    "web.de",
    "weibo.com",
    "whatsapp.com",
    "x.com",
    "yahoo.com",
    "yandex.ru",
    "youtu.be",
    "youtube.com",
    "zoom.us",
];

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|&item| item.to_owned()).collect()
}

fn named(lists: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    lists
        .iter()
        .map(|(name, list)| ((*name).to_owned(), owned(list)))
        .collect()
}

impl Default for FilterConfig {
    fn default() -> Self {
        Self::profile(Profile::Default)
    }
}

impl FilterConfig {
    /// All values of a profile.
    pub fn profile(profile: Profile) -> Self {
        let none = Self {
            profile: Profile::None,
            judge_seeds: false,
            rules: Vec::new(),
            blacklists: Vec::new(),
            avoid_hosts: Vec::new(),
            drop_extensions: Vec::new(),
            page_folders: Vec::new(),
            only_page_extensions: false,
            file_types_anywhere: false,
            patterns: BTreeMap::new(),
            feeds: false,
            login_pages: false,
            legal_pages: false,
            navigation_pages: false,
            site_structure: false,
            index_pages: false,
            language: LanguageConfig::default(),
            traps: TrapConfig::off(),
        };
        let default = || Self {
            profile: Profile::Default,
            drop_extensions: owned(NO_TEXT),
            page_folders: owned(&["wiki", "blob", "_detail"]),
            patterns: named(&[
                ("adult", ADULT_PATTERNS),
                ("advertising", ADVERTISING_PATTERNS),
                ("share", SHARE_PATTERNS),
                ("spam", SPAM_PATTERNS),
            ]),
            feeds: true,
            login_pages: true,
            traps: TrapConfig::default(),
            ..none.clone()
        };
        match profile {
            Profile::None => none,
            Profile::Default => default(),
            Profile::Strict => Self {
                profile: Profile::Strict,
                avoid_hosts: owned(CENTRAL_HOSTS),
                page_folders: Vec::new(),
                only_page_extensions: true,
                file_types_anywhere: true,
                legal_pages: true,
                navigation_pages: true,
                site_structure: true,
                index_pages: true,
                traps: TrapConfig {
                    max_url_bytes: 499,
                    ..TrapConfig::default()
                },
                ..default()
            },
        }
    }

    /// Key (below `filter`) and reason of the first setting that makes no sense.
    pub(crate) fn validate(&self) -> Result<(), (String, String)> {
        if let Err((key, why)) = self.traps.validate() {
            return Err((format!("traps.{key}"), why.to_owned()));
        }
        for language in &self.language.accept {
            if language_of_tag(language) != Some(language) {
                return Err((
                    "language.accept".into(),
                    format!("`{language}` is no ISO 639-1 code in lower case, such as `de`"),
                ));
            }
        }
        for extension in &self.drop_extensions {
            let good = (1..=MAX_EXTENSION).contains(&extension.len())
                && extension
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            if !good {
                return Err((
                    "drop_extensions".into(),
                    format!(
                        "`{extension}` is no extension: one to eight lower-case letters or digits, no dot"
                    ),
                ));
            }
        }
        for (name, list) in &self.patterns {
            if let Err(error) = PatternSet::new(list) {
                return Err((format!("patterns.{name}"), error.to_string()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_valid_and_survives_a_file() {
        for profile in [Profile::Default, Profile::Strict, Profile::None] {
            let config = FilterConfig::profile(profile);
            assert_eq!(config.validate(), Ok(()));
            let text = toml::to_string(&config).unwrap();
            assert_eq!(toml::from_str::<FilterConfig>(&text).unwrap(), config);
        }
    }

    #[test]
    fn settings_without_sense_name_their_key() {
        for (text, key) in [
            ("[traps]\nsame_segment = 1", "traps.same_segment"),
            ("[language]\naccept = ['german']", "language.accept"),
            ("drop_extensions = ['.jpg']", "drop_extensions"),
            ("[patterns]\nmine = ['(']", "patterns.mine"),
        ] {
            let config: FilterConfig = toml::from_str(text).unwrap();
            assert_eq!(config.validate().unwrap_err().0, key);
        }
        assert!(toml::from_str::<FilterConfig>("feed = true").is_err());
    }
}
