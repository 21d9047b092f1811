//! The keys of a configuration file that override the profile.
//!
//! The keys that it names replace those of the profile, one by one.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde::{Deserialize, Deserializer, de};

use super::{FilterConfig, LanguageConfig, Profile, Rule};

/// What a configuration file may say: a profile, and the keys that differ from it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Overrides {
    #[serde(default)]
    profile: Profile,
    judge_seeds: Option<bool>,
    rules: Option<Vec<Rule>>,
    blacklists: Option<Vec<PathBuf>>,
    avoid_hosts: Option<Vec<String>>,
    drop_extensions: Option<Vec<String>>,
    page_folders: Option<Vec<String>>,
    only_page_extensions: Option<bool>,
    file_types_anywhere: Option<bool>,
    patterns: Option<BTreeMap<String, Vec<String>>>,
    feeds: Option<bool>,
    login_pages: Option<bool>,
    legal_pages: Option<bool>,
    navigation_pages: Option<bool>,
    site_structure: Option<bool>,
    index_pages: Option<bool>,
    language: Option<LanguageConfig>,
    traps: Option<TrapOverrides>,
}

/// The same for the limits of traps: those that are named replace the profile's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrapOverrides {
    repeated_segments: Option<Limit>,
    same_segment: Option<Limit>,
    host_in_path: Option<bool>,
    max_segments: Option<Limit>,
    max_url_bytes: Option<Limit>,
    max_params: Option<Limit>,
    max_same_param: Option<Limit>,
    escape_spirals: Option<bool>,
}

/// A limit as it may be written: a number, or `false` for none.
#[derive(Debug)]
struct Limit(usize);

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Limit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or false for no limit")
            }

            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Limit, E> {
                if value {
                    return Err(E::invalid_value(de::Unexpected::Bool(value), &self));
                }
                Ok(Limit(0))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Limit, E> {
                let limit = usize::try_from(value);
                limit
                    .map(Limit)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Limit, E> {
                let limit = usize::try_from(value);
                limit
                    .map(Limit)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl From<Overrides> for FilterConfig {
    fn from(named: Overrides) -> Self {
        macro_rules! replace {
            ($config:expr, $named:expr, $($key:ident),+) => {
                $(if let Some(value) = $named.$key { $config.$key = value; })+
            };
        }
        let mut config = Self::profile(named.profile);
        replace!(
            config,
            named,
            judge_seeds,
            rules,
            blacklists,
            avoid_hosts,
            drop_extensions,
            page_folders,
            only_page_extensions,
            file_types_anywhere,
            feeds,
            login_pages,
            legal_pages,
            navigation_pages,
            site_structure,
            index_pages,
            language
        );
        // Lists of patterns are replaced one by one, so that `adult = []` leaves the others on.
        config.patterns.extend(named.patterns.unwrap_or_default());
        if let Some(traps) = named.traps {
            macro_rules! limit {
                ($($key:ident),+) => {
                    $(if let Some(Limit(value)) = traps.$key { config.traps.$key = value; })+
                };
            }
            limit!(
                repeated_segments,
                same_segment,
                max_segments,
                max_url_bytes,
                max_params,
                max_same_param
            );
            replace!(config.traps, traps, host_in_path, escape_spirals);
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_keys_replace_those_of_the_profile_one_by_one() {
        let config: FilterConfig = toml::from_str(
            "rules = ['exclude segment x']\n[patterns]\nadult = []\nmine = ['zzz']\n[traps]\nmax_segments = 0",
        )
        .unwrap();
        let default = FilterConfig::default();
        assert!(config.patterns["adult"].is_empty());
        assert_eq!(config.patterns["share"], default.patterns["share"]);
        assert_eq!(config.patterns["mine"], ["zzz"]);
        assert_eq!(config.traps.max_segments, 0);
        assert_eq!(config.traps.same_segment, default.traps.same_segment);
        assert_eq!(config.drop_extensions, default.drop_extensions);
    }

    #[test]
    fn false_is_no_limit_and_what_is_no_limit_is_refused() {
        let text = "[traps]\nmax_segments = false\nmax_params = 9";
        let config: FilterConfig = toml::from_str(text).unwrap();
        assert_eq!((config.traps.max_segments, config.traps.max_params), (0, 9));
        for wrong in ["true", "-1", "'many'", "1.5"] {
            let text = format!("[traps]\nmax_segments = {wrong}");
            let error = toml::from_str::<FilterConfig>(&text).unwrap_err();
            assert!(error.to_string().contains("false for no limit"), "{error}");
        }
    }
}
