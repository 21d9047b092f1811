//! What may be changed in the URL that is fetched.

use serde::{Deserialize, Serialize};

use crate::normalize::NormalizeConfig;

/// What [`Scrub`](super::Scrub) changes in the URL that is fetched. Everything is off by default: a URL is then fetched
/// as it was found, in its canonical spelling, and equivalences change only the class.
///
/// ```
/// use nodust_middleware::scrub::ScrubConfig;
///
/// let config: ScrubConfig = toml::from_str("drop_tracking_parameters = true").unwrap();
/// assert!(config.drop_tracking_parameters && !config.collapse_slashes);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each change is switched by itself, and so it stands in the file"
)]
pub struct ScrubConfig {
    /// Leave out [`TRACKING_PARAMETERS`](crate::normalize::TRACKING_PARAMETERS). Safe on nearly all sites.
    pub drop_tracking_parameters: bool,
    /// Leave out [`SESSION_PARAMETERS`](crate::normalize::SESSION_PARAMETERS). Servers mostly start another session
    /// then.
    pub drop_session_parameters: bool,
    /// More parameters to leave out, by exact name.
    pub drop_parameters: Vec<String>,
    /// Parameters never to leave out, whatever list they are on.
    pub keep_parameters: Vec<String>,
    /// Order parameters by name. Signed URLs break.
    pub sort_parameters: bool,
    /// Write `+` as `%20` in the query.
    pub plus_to_space: bool,
    /// `/a?` becomes `/a`.
    pub drop_lone_question_mark: bool,
    /// `e.org.` becomes `e.org`.
    pub drop_trailing_dot: bool,
    /// `www.e.org` becomes `e.org`, which may not exist.
    pub drop_www: bool,
    /// `http` becomes `https`, which may not be served.
    pub upgrade_scheme: bool,
    /// `/a/` becomes `/a`. Costs a redirect on many sites, and is another page on some.
    pub drop_trailing_slash: bool,
    /// `/a/index.html` becomes `/a/`.
    pub drop_index_pages: bool,

    /// *Destructive.* Decode `&amp;` and the other four XML entities: right for lists cut out of HTML source, wrong if
    /// a value contains such text.
    pub unescape_html: bool,
    /// *Destructive.* Replace a URL by the last one nested in it (`/login?next=https://…`,
    /// `/proxy/http://…`): another page, often on another host.
    pub extract_nested_url: bool,
    /// *Destructive.* Leave out escaped spaces of the path: `/my%20file` becomes `/myfile`.
    pub delete_spaces: bool,
    /// *Destructive.* Leave out `{…}` and `<…>` (escaped, too), and cut at a quote.
    pub delete_markup: bool,
    /// *Destructive.* `/a//b` becomes `/a/b`; breaks URLs within paths, as archives have them.
    pub collapse_slashes: bool,
    /// *Destructive.* Leave out parameters without a value: `?wsdl`, `?a=`.
    pub drop_blank_parameters: bool,
    /// *Destructive.* Decode reserved characters of path and query (`%2F`, `%3B` …) except `#`, `?`, `%`,
    /// and `&`, `=`, `+` in the query.
    pub decode_reserved: bool,
    /// *Destructive.* Encode the reserved characters of the path that need no encoding (`@`, `;`, `(` …).
    pub encode_reserved: bool,
    /// *Destructive.* Write octets that are not UTF-8 as U+FFFD: the server no longer knows them.
    pub replace_undecodable: bool,
    /// *Destructive.* Write user and password in lower case.
    pub lowercase_userinfo: bool,
    /// *Destructive.* Leave out user and password.
    pub drop_userinfo: bool,
}

impl ScrubConfig {
    /// Whether nothing is changed beyond the canonical spelling.
    pub fn is_noop(&self) -> bool {
        let unlisted = Self {
            keep_parameters: Vec::new(),
            ..self.clone()
        };
        unlisted == Self::default()
    }

    /// The part of it that is an equivalence, which is otherwise only applied to the class.
    pub(super) fn equivalences(&self) -> NormalizeConfig {
        NormalizeConfig {
            tracking_parameters: self.drop_tracking_parameters,
            session_parameters: self.drop_session_parameters,
            drop_parameters: self.drop_parameters.clone(),
            keep_parameters: self.keep_parameters.clone(),
            sort_parameters: self.sort_parameters,
            plus_is_space: self.plus_to_space,
            lone_question_mark: self.drop_lone_question_mark,
            trailing_dot: self.drop_trailing_dot,
            www: self.drop_www,
            scheme: self.upgrade_scheme,
            trailing_slash: self.drop_trailing_slash,
            index_pages: self.drop_index_pages,
        }
    }
}
