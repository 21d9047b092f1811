//! What does prediction avoid, and lose, on small crawls that are made to mislead it?
//!
//! # What it measures
//!
//! Each kind of crawl in [`nodust_benches::crawls`] is made from `--seed` (0), and played from link to link through the
//! whole chain and frontier with default settings, filters left out, and learned rules unless there is `--learn` (what `nodust replay LOG
//! --no-filter --no-rules` does). Labels are exact, and nobody but the score reads them. A row a kind:
//!
//! - *pages*, *contents*: what a plain crawl fetches, and how many of these differ;
//! - *dups*, *avoided*: duplicates (`pages - contents`), and those that were not fetched;
//! - *lost*: contents none of whose URLs was fetched, be they dropped or never found;
//! - *wrong*: URLs of lost contents that prediction or a learned rule dropped; *merged*: those that static normalization held for another.
//!
//! Sums follow: kinds that lose more than 1 % of their contents, and kinds with at least 60 % of their duplicates avoided, of
//! those that have at least 5 % of them. Kinds of which nothing can be asked ([`Hope::Nothing`]) have a star, those with
//! nothing to learn but caution ([`Hope::Careful`]) a dot.
//!
//! ```sh
//! cargo bench -p nodust-benches --bench misleading -- --seed 1 --only drift --json figures.json
//! ```
//!
//! `--only NAME` takes the kinds whose name contains it; one kind alone also tells what was lost and believed. `--risk R` is
//! the setting of that name, `--learn` has the crawl learn rewrite rules as well, `--no-normalize` leaves static normalization out, `--by-line` offers the pages in the order of a plain
//! crawl instead of following links, `--one-row` takes the lines out of all texts, as recorders do that keep none, `--about` only
//! tells what the kinds are. `--dump DIR` writes each as `NAME.jsonl`, a log, and `NAME.truth.jsonl`, lines of `{"url","cluster"}`.

#![expect(
    clippy::print_stdout,
    reason = "the table is what the benchmark is run for"
)]

use std::{
    error::Error,
    fs::{self, File},
    io::BufWriter,
    path::{Path, PathBuf},
    time::Instant,
};

use nodust_benches::crawls::{Crawl, Hope, Kind, Score, Setup, kinds, play};
use serde_json::{Value, json};

type Failure = Box<dyn Error>;

/// Share of the contents that a kind may lose.
const MAY_LOSE: f64 = 0.01;
/// Share of the duplicates that should be avoided.
const SHOULD_AVOID: f64 = 0.6;
/// Share of the pages that have to be duplicates before it counts how many are avoided.
const HAS_DUPLICATES: f64 = 0.05;
/// Beliefs and lost contents that are told of one kind.
const TOLD: usize = 25;

/// What the command line says.
#[derive(Debug, Default)]
struct Wanted {
    setup: Setup,
    only: Option<String>,
    json: Option<PathBuf>,
    dump: Option<PathBuf>,
    is_about: bool,
    is_one_row: bool,
}

impl Wanted {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut wanted = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--seed" => wanted.setup.seed = value()?.parse()?,
                "--risk" => wanted.setup.risk = value()?.parse()?,
                "--only" => wanted.only = Some(value()?),
                "--json" => wanted.json = Some(value()?.into()),
                "--dump" => wanted.dump = Some(value()?.into()),
                "--no-normalize" => wanted.setup.normalize = false,
                "--by-line" => wanted.setup.by_line = true,
                "--learn" => wanted.setup.learn = true,
                "--one-row" => wanted.is_one_row = true,
                "--about" => wanted.is_about = true,
                // What cargo gives every benchmark.
                "--bench" => {}
                _ => return Err(format!("{word} is no switch of this benchmark").into()),
            }
        }
        Ok(wanted)
    }

    /// The kinds to play: the one of this name, or all whose names contain it.
    fn kinds(&self) -> Result<Vec<&'static Kind>, Failure> {
        let only = self.only.as_deref().unwrap_or_default();
        let exact: Vec<_> = kinds().filter(|kind| kind.name == only).collect();
        if !exact.is_empty() {
            return Ok(exact);
        }
        let chosen: Vec<_> = kinds().filter(|kind| kind.name.contains(only)).collect();
        if chosen.is_empty() {
            return Err(format!("no kind has {only} in its name").into());
        }
        Ok(chosen)
    }
}

/// What the kinds came to together.
#[derive(Debug, Default)]
struct Sums {
    kinds: usize,
    losing: usize,
    losing_unasked: usize,
    with_duplicates: usize,
    sparing: usize,
    hopeful: usize,
    hopeful_sparing: usize,
    avoidable: usize,
    avoided: usize,
    contents: usize,
    lost: usize,
}

impl Sums {
    fn add(&mut self, kind: &Kind, score: &Score) {
        self.kinds += 1;
        if score.lost_share() > MAY_LOSE {
            self.losing += 1;
            self.losing_unasked += usize::from(kind.hope == Hope::Nothing);
        }
        if has_duplicates(score) {
            self.with_duplicates += 1;
            let is_sparing = score.avoided_share() >= SHOULD_AVOID;
            self.sparing += usize::from(is_sparing);
            self.hopeful += usize::from(kind.hope == Hope::Both);
            self.hopeful_sparing += usize::from(kind.hope == Hope::Both && is_sparing);
        }
        self.avoidable += score.avoidable();
        self.avoided += score.avoided;
        self.contents += score.contents;
        self.lost += score.lost;
    }

    fn tell(&self) {
        println!(
            "{} of {} kinds lose more than 1 % of their contents ({} of these have a star)",
            self.losing, self.kinds, self.losing_unasked
        );
        println!(
            "{} of {} kinds with duplicates have 60 % of them avoided ({} of {} without dot and star)",
            self.sparing, self.with_duplicates, self.hopeful_sparing, self.hopeful
        );
        println!(
            "avoided {} of {} duplicates; lost {} of {} contents",
            self.avoided, self.avoidable, self.lost, self.contents
        );
    }
}

fn has_duplicates(score: &Score) -> bool {
    score.avoidable() as f64 >= HAS_DUPLICATES * score.pages as f64
}

const fn mark(hope: Hope) -> char {
    match hope {
        Hope::Both => ' ',
        Hope::Careful => '.',
        Hope::Nothing => '*',
    }
}

fn tell(kind: &Kind, score: &Score) {
    let share = if has_duplicates(score) {
        format!("{:.1}", 100.0 * score.avoided_share())
    } else {
        String::new()
    };
    println!(
        "{:<25}{} {:>5} {:>8} {:>5} {:>7} {:>6} {:>5} {:>6.1} {:>6} {:>6}",
        kind.name,
        mark(kind.hope),
        score.pages,
        score.contents,
        score.avoidable(),
        score.avoided,
        share,
        score.lost,
        100.0 * score.lost_share(),
        score.wrong_drops,
        score.wrong_merges,
    );
}

/// What one kind alone is looked at for.
fn tell_more(kind: &Kind, score: &Score) {
    println!("\n{}: {}", kind.name, kind.about);
    for url in score.examples.iter().take(TOLD) {
        println!("  lost {url}");
    }
    let mut beliefs: Vec<_> = score.beliefs.iter().collect();
    beliefs.sort_by_key(|(belief, counts)| (counts.dropped, belief.trials));
    for (belief, counts) in beliefs.iter().rev().take(TOLD) {
        println!(
            "  {:?} {}: {} trials, {} failed, {} undecided, e-value {:.1e}, {} exceptions; {} dropped, {} recalled",
            belief.standing,
            belief.text,
            belief.trials,
            belief.failures,
            belief.undecided,
            belief.e_value,
            belief.exceptions,
            counts.dropped,
            counts.recalled,
        );
    }
}

fn figures(kind: &Kind, score: &Score) -> Value {
    json!({
        "kind": kind.name,
        "about": kind.about,
        "hope": format!("{:?}", kind.hope).to_lowercase(),
        "pages": score.pages,
        "contents": score.contents,
        "fetched": score.fetched,
        "avoidable": score.avoidable(),
        "avoided": score.avoided,
        "lost": score.lost,
        "wrong_drops": score.wrong_drops,
        "wrong_merges": score.wrong_merges,
        "lost_urls": score.examples,
    })
}

fn dump(folder: &Path, name: &str, crawl: &Crawl) -> Result<(), Failure> {
    let file = |end: &str| File::create(folder.join(format!("{name}{end}"))).map(BufWriter::new);
    crawl.write_log(file(".jsonl")?)?;
    crawl.write_truth(file(".truth.jsonl")?)?;
    Ok(())
}

fn main() -> Result<(), Failure> {
    let wanted = Wanted::read(std::env::args().skip(1))?;
    let chosen = wanted.kinds()?;
    if wanted.is_about {
        for kind in chosen {
            println!("{:<25}{} {}", kind.name, mark(kind.hope), kind.about);
        }
        return Ok(());
    }
    if let Some(folder) = &wanted.dump {
        fs::create_dir_all(folder)?;
    }
    println!(
        "{:<26} {:>5} {:>8} {:>5} {:>7} {:>6} {:>5} {:>6} {:>6} {:>6}",
        "kind", "pages", "contents", "dups", "avoided", "%", "lost", "%", "wrong", "merged"
    );
    let (mut sums, mut rows, began) = (Sums::default(), Vec::new(), Instant::now());
    for kind in &chosen {
        let mut crawl = kind.crawl(wanted.setup.seed);
        if wanted.is_one_row {
            crawl = crawl.in_one_row();
        }
        if let Some(folder) = &wanted.dump {
            dump(folder, kind.name, &crawl)?;
        }
        let score = play(&crawl, &wanted.setup)?;
        tell(kind, &score);
        if chosen.len() == 1 {
            tell_more(kind, &score);
        }
        sums.add(kind, &score);
        rows.push(figures(kind, &score));
    }
    sums.tell();
    println!("{:.1} s", began.elapsed().as_secs_f64());
    if let Some(file) = &wanted.json {
        let all = json!({"seed": wanted.setup.seed, "risk": wanted.setup.risk, "kinds": rows});
        fs::write(file, format!("{all:#}\n"))?;
    }
    Ok(())
}
