//! Names of parameters that say nothing about the page.
//!
//! Names are compared whole, without regard to letter case, never as prefixes: `gallery`, `keywords` and `eid` are
//! content. So may be `sid`, `ref`, `source` and `cid`, which are therefore on no list here.

use rustc_hash::FxHashSet;

/// Names of click identifiers and campaign labels: the published list of query parameters used for
/// tracking kept by M. Chadwick ("tracking-query-params-registry", Unlicense), without those of its names
/// that mean content elsewhere (`si`, `campid`, `toolid`, `customid`, `rtid`), and with names that their
/// vendors document as click or campaign identifiers.
#[rustfmt::skip]
pub const TRACKING_PARAMETERS: &[&str] = &[
    // The published list.
    "fbclid", "gclid", "gclsrc", "gPromoCode", "gQT", "dclid", "gbraid", "wbraid", "gad_source", "srsltid",
    "twclid", "yclid", "utm_content", "utm_term", "utm_campaign", "utm_medium", "utm_source", "utm_id",
    "utm_source_platform", "utm_creative_format", "utm_marketing_tactic", "_ga", "_gl", "mc_cid", "mc_eid",
    "_bta_tid", "_bta_c", "trk_contact", "trk_msg", "trk_module", "trk_sid", "gdfms", "gdftrk", "gdffi",
    "_ke", "_kx", "redirect_log_mongo_id", "redirect_mongo_id", "sb_referer_host", "mkwid", "pcrid",
    "ef_id", "s_kwcid", "msclkid", "dm_i", "epik", "pk_campaign", "pk_kwd", "pk_keyword",
    "piwik_campaign", "piwik_kwd", "piwik_keyword", "mtm_campaign", "mtm_keyword", "mtm_source",
    "mtm_medium", "mtm_content", "mtm_cid", "mtm_group", "mtm_placement", "matomo_campaign",
    "matomo_keyword", "matomo_source", "matomo_medium", "matomo_content", "matomo_cid", "matomo_group",
    "matomo_placement", "hsa_cam", "hsa_grp", "hsa_mt", "hsa_src", "hsa_ad", "hsa_acc", "hsa_net",
    "hsa_kw", "hsa_tgt", "hsa_ver", "_branch_match_id", "mkevt", "mkcid", "mkrid", "igshid",
    "sms_source", "sms_click", "sms_uph", "ttclid", "ndclid", "ScCid", "irclickid", "vmcid", "tw_source",
    "tw_campaign", "tw_term", "tw_content", "tw_adid",
    // Beyond it: Google, Piwik and Meta, by the same schemes.
    "utm_name", "utm_reader", "utm_referrer", "utm_social", "utm_social-type", "utm_cid", "gad_campaignid",
    "pk_source", "pk_medium", "pk_content", "pk_cid", "fb_action_ids", "fb_action_types", "fb_source",
    "fb_ref", "igsh",
    // HubSpot, Marketo, Vero, Omeda, Yandex, AT Internet, Adobe.
    "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsCtaTracking", "mkt_tok", "vero_id", "vero_conv",
    "oly_enc_id", "oly_anon_id", "ysclid", "_openstat", "xtor", "s_cid",
];

/// Names under which servers carry a visitor's session in the URL, as a query parameter or after a `;`.
#[rustfmt::skip]
pub const SESSION_PARAMETERS: &[&str] = &[
    "PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "CFID", "CFTOKEN", "osCsid", "zenid", "XTCsid",
    "MODsid", "BV_SessionID", "BV_EngineID",
];

/// A set of parameter names, compared without regard to ASCII letter case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    lower: FxHashSet<Box<[u8]>>,
    /// Bit `n` is set when a name of `n` bytes is in the set: most names are told apart by that alone.
    lengths: u64,
}

impl Names {
    const LONGEST: usize = 63;

    /// Adds a name; names longer than any parameter has (63 bytes) are cut to nothing and never match.
    pub(crate) fn add(&mut self, name: &str) {
        if name.len() <= Self::LONGEST {
            self.lengths |= 1 << name.len();
            self.lower
                .insert(name.to_ascii_lowercase().into_bytes().into());
        }
    }

    pub(crate) fn extend(&mut self, names: &[impl AsRef<str>]) {
        for name in names {
            self.add(name.as_ref());
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.lower.remove(name.to_ascii_lowercase().as_bytes());
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        if name.len() > Self::LONGEST || self.lengths & (1 << name.len()) == 0 {
            return false;
        }
        let mut lower = [0; Self::LONGEST];
        let lower = &mut lower[..name.len()];
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        self.lower.contains(&*lower)
    }
}

/// `ASPSESSIONID` and eight letters that differ from server to server: the one session name that is a
/// family.
pub(crate) fn is_asp_session(name: &str) -> bool {
    name.len() == 20
        && name.as_bytes()[..12].eq_ignore_ascii_case(b"ASPSESSIONID")
        && name.bytes().skip(12).all(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{Names, TRACKING_PARAMETERS, is_asp_session};

    #[test]
    fn names_match_whole_and_in_any_case() {
        let mut names = Names::default();
        names.add("gclid");
        assert!(names.contains("GCLID"));
        assert!(!names.contains("gclid2"));
        assert!(!names.contains("gcli"));
        assert!(!names.contains(&"x".repeat(80)));
        names.remove("Gclid");
        assert!(!names.contains("gclid"));
    }

    #[test]
    fn names_that_mean_content_are_on_no_list() {
        for content in [
            "sid", "ref", "source", "cid", "id", "gallery", "keywords", "eid", "si", "uid",
        ] {
            assert!(!TRACKING_PARAMETERS.contains(&content));
        }
    }

    #[test]
    fn asp_sessions_end_in_eight_letters() {
        assert!(is_asp_session("ASPSESSIONIDQABCDEFG"));
        assert!(!is_asp_session("ASPSESSIONID"));
    }
}
