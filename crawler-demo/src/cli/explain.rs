//! `nodust explain`: what would become of this link, and why?

use std::path::PathBuf;

use nodust_frontier::{
    CanonicalUrl, Fate, Frontier as _, LocalFrontier, MalformedUrl, Middleware, RawUrl, Store,
    Trace, Via,
};

use super::{print, settings, store, usage};
use crate::{
    CrawlConfig,
    crawl::{differences, known_seeds, of_last_run},
    words::counted,
};

/// Tell what each stage says about one link, and what the store knows about it
///
/// Nothing is fetched, not even robots.txt, and nothing is admitted.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The link; a relative one needs --via
    url: String,
    /// The page the link is on, as an absolute URL; its host is the scope, unless the crawl in --store has seeds
    #[arg(long, value_name = "PAGE")]
    via: Option<String>,
    /// Folder of a crawl: what it has seen, dropped and learned is taken into account, and its seeds are the scope
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// TOML file with settings to judge by [default: those of the last run on --store if there is one, else the defaults]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let page = self.page()?;
        if page.is_none()
            && let Err(why) = CanonicalUrl::resolve(&self.url, None)
        {
            self.check_is_whole(why)?;
        }
        let mut config = settings::read(self.config.as_deref())?;
        let named = settings::NamedBy::file(self.config.as_deref());
        let start = self.via.clone().unwrap_or_else(|| self.url.clone());
        let mut seeds = vec![start];
        let store = match &self.store {
            Some(folder) => Some(store::open_existing(folder, &config.store_options)?),
            None => None,
        };
        let mut notes = Vec::new();
        let mut is_told = false;
        if let Some(store) = &store {
            (config, is_told) = self.as_last_run(&**store, config, &mut notes)?;
        }
        let asks_rules = config.chain.rules.learn || config.chain.rules.file.is_some();
        if let Some(store) = store.as_ref().filter(|_| !is_told) {
            // Nobody knows how the crawl ran: what it learned is asked.
            store.state_scan("stage/predict/", &mut |_, _| {
                config.chain.predict.enabled = true;
            })?;
            store.state_scan("stage/rules/", &mut |_, _| {
                config.chain.rules.learn = true;
            })?;
        }
        if let Some(store) = &store {
            let known = known_seeds(&**store)?;
            if !known.is_empty() {
                seeds = known.iter().map(|seed| seed.as_str().to_owned()).collect();
            }
        }
        let chain = match settings::chain(&config.chain, &seeds, &named) {
            Err(why) if is_told && self.config.is_none() => {
                notes.push(format!(
                    "the files that the crawl had cannot be used from here: judged without ({why})"
                ));
                config.chain.filter.blacklists.clear();
                config.chain.rules.file = None;
                settings::chain(&config.chain, &seeds, &named)?
            }
            made => made?,
        };
        let mut builder = LocalFrontier::builder(chain).only_looks();
        if let Some(store) = store {
            builder = builder.store(store);
        }
        let frontier = builder.build()?;
        // A link that stands nowhere is judged as one of its own site's root.
        let root = match &page {
            Some(page) => Some(page.clone()),
            None => (self.url.parse::<CanonicalUrl>().ok())
                .and_then(|url| CanonicalUrl::resolve("/", Some(url.as_url())).ok()),
        };
        let via = root.as_ref().map_or(Via::seed(), Via::page);
        let mut trace = frontier.explain(&via, RawUrl::new(&self.url))?;
        if config.chain.rules.learn && !asks_rules {
            trace.note(
                "the rules that the crawl learned are asked, not those of a file: if it had one, give its --config",
            );
        }
        let lacks_files = !notes.is_empty();
        for note in notes {
            trace.note(note);
        }
        let missed: Vec<String> = frontier.stages_missed()?.into_iter().collect();
        if !missed.is_empty() {
            let asked: Vec<_> = (frontier.chain().stages().map(Middleware::name)).collect();
            let way_out = match (is_told && self.config.is_none(), lacks_files) {
                (true, true) => "the others lack their files, or were not asked by the last run",
                (true, false) => "the last run did not ask the others",
                (false, _) => "give its --config to have all of them",
            };
            trace.note(format!(
                "the crawl in this store had links judged by {}, too, where only {} were asked here: {way_out}",
                missed.join(", "),
                asked.join(", ")
            ));
        }
        note_what_is_not_asked(&mut trace, &config);
        print(&trace.to_string())?;
        Ok(())
    }

    /// The page that the link stands on, if one is named.
    fn page(&self) -> anyhow::Result<Option<CanonicalUrl>> {
        let Some(page) = self.via.as_deref() else {
            return Ok(None);
        };
        let parsed = page.parse().map_err(|why| {
            usage(format!(
                "--via {page} is no page: {why}; give its absolute URL"
            ))
        })?;
        Ok(Some(parsed))
    }
}

/// Adds what a crawl would ask, and nobody does here.
fn note_what_is_not_asked(trace: &mut Trace, config: &CrawlConfig) {
    if trace.fate() == Some(Fate::Tried) {
        trace.note("a page or redirect that came of it stands in the file that the crawl was given as --log, if it was; that it failed was told while it ran");
    }
    if trace.fate() == Some(Fate::Wanted) && config.nofollow && !config.chain.no_filter {
        trace.note("were its link or its page to say nofollow, it would not be followed: no page is read here");
    }
    if trace.fate() == Some(Fate::Wanted)
        && let Some(most) = config.chain.scope.max_depth
    {
        trace.note(format!(
            "found more than {} deep it would be out of scope (scope.max_depth): how deep its links lie is not known here",
            counted(u64::from(most), "link")
        ));
    }
    if let Some(Fate::Wanted | Fate::Queued | Fate::NotFollowed) = trace.fate() {
        trace.note("robots.txt is not asked, for nothing is fetched here: a URL that it disallows would be queued, and fail");
    }
}

/// How the names of files end that are mistaken for a host's least of all.
const PAGES: [&str; 6] = [".html", ".htm", ".php", ".asp", ".aspx", ".jsp"];

impl Args {
    /// The settings to judge by: those at hand where a file was given, or of the last run on a store; and whether the store tells of that run. Notes what is to be
    /// said of them.
    fn as_last_run(
        &self,
        store: &dyn Store,
        given: CrawlConfig,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<(CrawlConfig, bool)> {
        let Some(mut last) = of_last_run(store)? else {
            if self.config.is_none() {
                notes.push("the store does not tell with which settings its crawl ran, or another version of nodust did: judged by the defaults".to_owned());
            }
            return Ok((given, false));
        };
        if self.config.is_some() {
            let changed = differences(&last, &given);
            if !changed.is_empty() {
                notes.push(format!(
                    "judged by other settings than those of the last run: {}",
                    changed.join("; ")
                ));
            }
            return Ok((given, true));
        }
        // What was imported is in the store.
        last.chain.predict.beliefs = None;
        let mut is_there = |file: &PathBuf, what: &str| {
            let is_there = file.exists();
            if !is_there {
                let why = if file.is_absolute() {
                    "is not there any more"
                } else {
                    "cannot be found from here"
                };
                let file = file.display();
                notes.push(format!(
                    "the crawl had {what} {file}, which {why}: judged without it"
                ));
            }
            is_there
        };
        let filter = &mut last.chain.filter;
        (filter.blacklists).retain(|file| is_there(file, "the blacklist"));
        let rules = last.chain.rules.file.take();
        last.chain.rules.file = rules.filter(|file| is_there(file, "the rules of"));
        Ok((last, true))
    }

    /// Refuses a link that is no whole URL and stands on no page, with what may have been meant: a crawl takes seeds without
    /// scheme, but a link without one is relative.
    fn check_is_whole(&self, why: MalformedUrl) -> anyhow::Result<()> {
        let link = &self.url;
        if link.trim().is_empty() {
            return Err(usage("an empty link names nothing: give a URL"));
        }
        let begin = link.split([':', '/', '?', '#']).next().unwrap_or_default();
        let is_page = PAGES.iter().any(|ending| begin.ends_with(ending));
        let has_dot = begin.trim_matches('.').contains('.');
        let is_host = begin == "localhost" || (has_dot && !is_page);
        let meant = format!("http://{link}");
        let hint = if is_host && CanonicalUrl::resolve(&meant, None).is_ok() {
            format!("; did you mean {meant}?")
        } else {
            String::new()
        };
        if matches!(why, MalformedUrl::Relative) {
            return Err(usage(format!(
                "{link} is relative: name the page it stands on with --via URL, or give the whole URL{hint}"
            )));
        }
        if hint.is_empty() {
            return Ok(());
        }
        // A name in front of a port is read as a scheme.
        Err(usage(format!("{link} is no whole URL{hint}")))
    }
}
