//! The equivalences that static normalization applies.

use serde::{Deserialize, Serialize};

/// What the static part of [`Normalize`](super::Normalize) treats as one page. It changes only the class, never what is
/// fetched; each switch can be turned off.
///
/// ```
/// use nodust_middleware::normalize::NormalizeConfig;
///
/// let config: NormalizeConfig = toml::from_str("trailing_slash = false").unwrap();
/// assert!(config.www && !config.trailing_slash);
/// assert!(toml::from_str::<NormalizeConfig>("trailling_slash = false").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each equivalence is switched by itself, and so it stands in the file"
)]
pub struct NormalizeConfig {
    /// Leave out [`TRACKING_PARAMETERS`](super::TRACKING_PARAMETERS).
    pub tracking_parameters: bool,
    /// Leave out [`SESSION_PARAMETERS`](super::SESSION_PARAMETERS), in the query, after a `;` in the path
    /// (`;jsessionid=…`) and as a path segment of ASP.NET (`/(S(…))/`).
    pub session_parameters: bool,
    /// More parameters to leave out, by exact name.
    pub drop_parameters: Vec<String>,
    /// Parameters never to leave out, whatever list they are on.
    pub keep_parameters: Vec<String>,
    /// Order parameters by name; the order of equal names is kept. Empty parameters (`?&a=1`) are removed.
    pub sort_parameters: bool,
    /// `+` and `%20` in the query are both a space.
    pub plus_is_space: bool,
    /// `/a?` is `/a`.
    pub lone_question_mark: bool,
    /// `e.org.` is `e.org`.
    pub trailing_dot: bool,
    /// `www.e.org` is `e.org`.
    pub www: bool,
    /// `http` is `https`, if both use their default port.
    pub scheme: bool,
    /// `/a/` is `/a`.
    pub trailing_slash: bool,
    /// `/a/index.html` and its like (`index.php`, `default.aspx` …) without a query are `/a/`.
    pub index_pages: bool,
}

impl Default for NormalizeConfig {
    fn default() -> Self {
        Self {
            tracking_parameters: true,
            session_parameters: true,
            drop_parameters: Vec::new(),
            keep_parameters: Vec::new(),
            sort_parameters: true,
            plus_is_space: true,
            lone_question_mark: true,
            trailing_dot: true,
            www: true,
            scheme: true,
            trailing_slash: true,
            index_pages: true,
        }
    }
}

impl NormalizeConfig {
    /// No equivalences: every spelling is a class of its own.
    pub fn none() -> Self {
        Self {
            tracking_parameters: false,
            session_parameters: false,
            drop_parameters: Vec::new(),
            keep_parameters: Vec::new(),
            sort_parameters: false,
            plus_is_space: false,
            lone_question_mark: false,
            trailing_dot: false,
            www: false,
            scheme: false,
            trailing_slash: false,
            index_pages: false,
        }
    }
}
