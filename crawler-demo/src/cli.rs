//! The `nodust` command: its arguments, its output and its exit codes.
//!
//! Each subcommand has a file of its own for its switches and what it does with them. Exit codes: 0 when it did what was asked; 1 when the
//! run failed, or had only a part of its log; 2 when the call made no sense, or named a file that is not of the kind it was named for; 130
//! when a second Ctrl-C ended it at once. They agree with clap, which answers 2 for an unknown switch.

mod apart;
mod beliefs;
mod clean;
mod crawl;
mod demo;
mod eval;
mod explain;
mod learn;
mod lists;
mod misplaced;
mod normalize;
mod replay;
mod rules;
mod sample;
mod settings;
mod stats;
mod store;

use std::{
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use nodust_frontier::{StoreError, store::sled::panic_becomes_error};

use self::apart::{check_apart, check_free, check_named, check_once, check_outside};
use crate::{
    CrawlError,
    files::{self, Cut, OUTPUT, Unfit, is_of_name, is_unread, not_written},
    records::OpenError,
};

/// A polite crawler that skips junk and duplicates, and measures the fetches it saves.
#[derive(Debug, Parser)]
#[command(
    name = "nodust",
    version,
    propagate_version = true,
    args_override_self = true,
    after_help = "Begin with `nodust demo`, which needs no network and no arguments.\n\n\
                  Exit codes:\n  \
                  0    done; also when Ctrl-C ended a crawl in order\n  \
                  1    the run failed: not one page could be fetched, a disk is full, a store is damaged or in use; or a log\n       \
                  breaks off (the result then covers what stands before that place)\n  \
                  2    the call made no sense: an unknown switch, value or setting, or a file that does not exist, may not\n       \
                  be read or written, or is not of the kind asked for; nothing was done\n  \
                  130  ended at once by a second Ctrl-C\n\n\
                  RUST_LOG=debug logs more, RUST_LOG=error less."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Crawl(crawl::Args),
    Demo(demo::Args),
    Clean(clean::Args),
    Sample(sample::Args),
    Explain(explain::Args),
    Replay(replay::Args),
    Learn(learn::Args),
    Normalize(normalize::Args),
    Eval(eval::Args),
    Rules(rules::Args),
    Stats(stats::Args),
    Beliefs(beliefs::Args),
    Store(store::Args),
}

/// The call made no sense; what would, stands in the text.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Makes an error of a call that made no sense.
fn usage(text: impl Into<String>) -> anyhow::Error {
    Usage(text.into()).into()
}

/// The definition of the command, with what subcommands say of switches that they share.
fn command() -> clap::Command {
    Cli::command().mut_subcommand("replay", replay::in_own_words)
}

/// Reads the process's arguments and does what they say.
pub fn main() -> ExitCode {
    let parsed = (command().try_get_matches())
        .and_then(|given| Cli::from_arg_matches(&given))
        .map_err(|error| error.format(&mut command()));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way, too. A reader that went away harms nobody.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    set_up_logging();
    keep_quiet_of_told_panics();
    let is_of_lines = cli.writes_as_it_reads();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_of_lines && is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let way_out = store::way_out(&error).map_or_else(String::new, |way| format!("\n{way}"));
            let _ = writeln!(io::stderr(), "nodust: {}{way_out}", words_of(&error));
            ExitCode::from(if is_of_call(&error) { 2 } else { 1 })
        }
    }
}

/// Whether the call named what cannot be, and not the run failed.
fn is_of_call(error: &anyhow::Error) -> bool {
    let is_of_store = |cause| match store::as_store_error(cause) {
        Some(StoreError::Foreign { .. } | StoreError::Format { .. }) => true,
        Some(StoreError::NotMade { source, .. }) => is_of_name(source.kind()),
        // Later on its folder is no longer what was named.
        Some(StoreError::Io { source, operation }) if operation.ends_with("of the store") => {
            (source.downcast_ref::<io::Error>()).is_some_and(|source| is_of_name(source.kind()))
        }
        _ => false,
    };
    let is_of_lines = || {
        let opened = match error.downcast_ref() {
            Some(CrawlError::Open(opened)) => Some(opened),
            _ => error.downcast_ref(),
        };
        match opened {
            Some(OpenError::Io { source, .. }) => is_of_name(source.kind()),
            Some(
                OpenError::NotPacked(_)
                | OpenError::Other { .. }
                | OpenError::OfAnotherCrawl { .. },
            ) => true,
            _ => false,
        }
    };
    error.downcast_ref::<Usage>().is_some()
        || Unfit::is_cause_of(error)
        || error.chain().any(is_of_store)
        || is_of_lines()
}

/// An error and what it comes from, each said once: many name their cause themselves.
fn words_of(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

impl Cli {
    /// Whether lines are written as others are read, so that no more of them are wanted once nobody reads them.
    const fn writes_as_it_reads(&self) -> bool {
        matches!(
            self.command,
            Command::Clean(_) | Command::Sample(_) | Command::Normalize(_)
        )
    }

    fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Crawl(args) => args.run(),
            Command::Demo(args) => args.run(),
            Command::Clean(args) => args.run(),
            Command::Sample(args) => args.run(),
            Command::Explain(args) => args.run(),
            Command::Replay(args) => args.run(),
            Command::Learn(args) => args.run(),
            Command::Normalize(args) => args.run(),
            Command::Eval(args) => args.run(),
            Command::Rules(args) => args.run(),
            Command::Stats(args) => args.run(),
            Command::Beliefs(args) => args.run(),
            Command::Store(args) => args.run(),
        }
    }
}

/// Log lines go to standard error, so that standard output holds nothing but results.
fn set_up_logging() {
    let filter =
        tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    // A test may have set up one of its own.
    let _ = tracing_subscriber::fmt()
        // Where nobody reads standard error any more, there is nobody to tell.
        .log_internal_errors(false)
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
        .with_target(false)
        .try_init();
}

/// What sled panics with comes back as an error of the store, which says what to do: a panic's own words beside it look
/// like a fault of the program.
fn keep_quiet_of_told_panics() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic_becomes_error() {
            tracing::debug!("{panic}");
        } else {
            print(panic);
        }
    }));
}

/// Whether the reader of what is written line by line went away, as `head` does: it has what it wanted, and no more of a list
/// is read for it.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    (error.chain()).any(|cause| cause.downcast_ref().is_some_and(is_unread))
}

/// Writes a result to standard output, with a line end. Where its reader went away, nobody misses it, and what is still to be
/// told of the run goes to standard error all the same.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = (out.write_all(text.trim_end_matches('\n').as_bytes()))
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    match written {
        Err(error) if is_unread(&error) => Ok(()),
        written => written.map_err(|error| not_written(OUTPUT, &error)),
    }
}

/// Writes a value to standard output as indented JSON.
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(value)?)?;
    Ok(())
}

/// Fails where logs broke off, once all is done that could be with the lines before.
fn check_whole(cut: &[Cut]) -> anyhow::Result<()> {
    let cut: Vec<String> = cut.iter().map(Cut::to_string).collect();
    anyhow::ensure!(
        cut.is_empty(),
        "{}; the result covers what stands before that place",
        cut.join("; ")
    );
    Ok(())
}

/// Writes a report as JSON, if a file was named for it.
fn write_report(file: Option<&Path>, report: &impl serde::Serialize) -> anyhow::Result<()> {
    let Some(path) = file else { return Ok(()) };
    let mut octets = serde_json::to_vec_pretty(report)?;
    octets.push(b'\n');
    files::replace(path, &octets)?;
    Ok(())
}

/// What drives sockets and timers.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_definition_of_the_command_is_sound_and_every_switch_is_explained() {
        let mut command = super::command();
        command.build();
        command.clone().debug_assert();
        for sub in command
            .get_subcommands()
            .filter(|sub| sub.get_name() != "help")
        {
            assert!(sub.get_about().is_some(), "{}", sub.get_name());
            for arg in sub.get_arguments() {
                assert!(
                    arg.get_help().is_some(),
                    "{} {}",
                    sub.get_name(),
                    arg.get_id()
                );
            }
        }
    }
    #[test]
    fn what_may_be_named_with_and_without_a_switch_says_so_in_its_usage() {
        let mut command = super::command();
        command.build();
        for names in [
            &["stats"][..],
            &["beliefs"],
            &["rules", "show"],
            &["store", "move-aside"],
        ] {
            let sub = (names.iter()).fold(&mut command, |command, name| {
                command.find_subcommand_mut(name).unwrap()
            });
            let help = sub.render_help().to_string();
            let (_, usage) = help.split_once("Usage:").unwrap();
            let forms: Vec<_> = usage.lines().take(2).collect();
            let name = format!("nodust {} [OPTIONS] ", names.join(" "));
            assert!(forms.iter().all(|form| form.contains(&name)), "{help}");
            assert!(forms[1].ends_with("--store <DIR>"), "{help}");
        }
    }
}
