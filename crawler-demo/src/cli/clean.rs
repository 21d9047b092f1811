//! `nodust clean`: which lines of a list are URLs worth having?

use std::{io::Write, path::PathBuf, time::Instant};

use clap::ValueEnum;
use nodust_middleware::{
    Config,
    filter::{FilterConfig, Profile, ScopeKind},
};

use super::{check_apart, lists, settings, usage};
use crate::{
    clean::{Format, Options, Spelling, clean},
    files::Sink,
};

/// Check and clean a list of URLs, one per line
///
/// Kept lines are printed as URLs, in input order. Lines that begin with `#` (comments), are not UTF-8, or are longer
/// than 512 KiB are skipped and counted. Memory is bounded however long the list is, unless --unique is given.
///
/// Without further switches, a page comes out as often as it came in. For a list without repeats, give `--unique` (the
/// first spelling of each page) or `--class --unique` (each page once, as the normalized URL that its spellings share,
/// without tracking parameters and the like; good for comparing lists, but the server may not know that spelling).
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The list, `-` for standard input; gzip is unpacked
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Also drop what is probably of no use: same as --profile strict
    #[arg(long, conflicts_with = "profile")]
    strict: bool,
    /// Keep only pages in this language, where the URL tells it (ISO 639-1, like `en`)
    #[arg(long, value_name = "XX")]
    language: Option<String>,
    /// Which filters to apply [default: default, or what --config says]
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,
    /// File for the lines that are not kept (.gz packs it), replaced if it exists [default: they are not written]
    #[arg(long, value_name = "FILE")]
    discarded: Option<PathBuf>,
    #[command(flatten)]
    output: settings::Output,
    /// Output format; jsonl gives input, url, class, verdict, stage, reason and rule of every line
    #[arg(long, value_enum, default_value = "text")]
    format: FormatName,
    /// Print what a URL is compared by (its class) instead of what would be fetched; with --unique, each page once, as
    /// its normalized URL
    #[arg(long)]
    class: bool,
    /// Keep only the first line of each page (class); needs 8 to 18 bytes of memory per line kept
    #[arg(long)]
    unique: bool,
    /// Threads that judge lines [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// TOML file with settings for the stages
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// A starting point for the filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProfileName {
    /// Drops what is surely not text or leads nowhere
    Default,
    /// Keeps only what looks like an article
    Strict,
    /// Keeps every valid URL
    None,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Default => Self::Default,
            ProfileName::Strict => Self::Strict,
            ProfileName::None => Self::None,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    /// Kept lines as URLs, discarded lines unchanged
    Text,
    /// One JSON object per line, for discarded lines too unless --discarded is given
    Jsonl,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut config = settings::read(self.config.as_deref())?.chain;
        self.adjust(&mut config)?;
        let named = settings::NamedBy::file(self.config.as_deref());
        let chain = settings::chain(&config, &[], &named)?;
        let options = Options {
            format: match self.format {
                FormatName::Text => Format::Text,
                FormatName::Jsonl => Format::Jsonl,
            },
            spelling: if self.class {
                Spelling::Class
            } else {
                Spelling::Url
            },
            unique: self.unique,
            threads: self.threads.map_or_else(cores, usize::from),
        };
        check_apart(
            [&self.file]
                .into_iter()
                .chain(settings::files(self.config.as_ref(), &config)),
            [&self.output.output].into_iter().chain(&self.discarded),
        )?;
        let input = lists::open(&self.file, "clean")?;
        let mut kept = Sink::create(&self.output.output)?;
        let mut discarded = self.discarded.as_deref().map(Sink::create).transpose()?;
        let began = Instant::now();
        let counts = clean(
            &chain,
            &options,
            input,
            &mut kept,
            discarded
                .as_mut()
                .map(|file| file as &mut (dyn Write + Send)),
        )?;
        kept.finish()?;
        discarded.map(Sink::finish).transpose()?;
        let rate = counts.lines as f64 / began.elapsed().as_secs_f64().max(1e-9);
        tracing::info!(
            lines = counts.lines,
            kept = counts.kept,
            dropped = counts.dropped,
            blank = counts.blank,
            comments = counts.comments,
            skipped = counts.not_utf8 + counts.overlong,
            "{rate:.0} lines/s"
        );
        for (reason, count) in &counts.reasons {
            tracing::info!("dropped {count} by {reason}");
        }
        Ok(())
    }
}

impl Args {
    fn adjust(&self, chain: &mut Config) -> anyhow::Result<()> {
        // A list has no seeds: every line is judged, wherever it lies.
        chain.scope.kind = ScopeKind::Any;
        let profile = if self.strict {
            Some(ProfileName::Strict)
        } else {
            self.profile
        };
        if let Some(profile) = profile {
            chain.filter = FilterConfig::profile(profile.into());
        }
        chain.filter.judge_seeds = true;
        if let Some(language) = &self.language {
            let language = language.to_ascii_lowercase();
            if language.len() != 2 || !language.bytes().all(|b| b.is_ascii_lowercase()) {
                return Err(usage(format!(
                    "--language {language} is no ISO 639-1 code: give two letters, such as en"
                )));
            }
            chain.filter.language.accept = vec![language];
        }
        Ok(())
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
