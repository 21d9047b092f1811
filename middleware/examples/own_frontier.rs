//! You have a frontier of your own, and want duplicates predicted: what to ask the chain, and when.
//!
//! Run it with `cargo run -p nodust-middleware --example own_frontier`. `LocalFrontier` does all that, and what is left out here:
//!
//! - It fetches one URL at a time. Where several are under way, a link waits while another one that may bring the same page is: of the same class, or
//!   of the same `Chain::page_name`, by which the stages tell.
//! - It tries nothing twice that failed, and politeness is not its business.
//! - Its queue has no hosts, and no order but that of finding; of priorities it heeds that a waiting link's has fallen.
//! - Of the spellings of a page it keeps two, the one that is fetched and another, and those that are found once no page came.
//!
//! Leave rewrite rules (`[rules]`, a file or learned ones) off with a frontier like this one: a rule says that two URLs
//! are one page, and where it is wrong only `LocalFrontier` finds out and gives back what was dropped (it remembers on whose word a class is known,
//! keeps such drops, explores some, and follows `Effects::known` and `Effects::renamed`).
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use nodust_middleware::{
    Config, ConfigError,
    frontier::{
        Admitted, Batch, BeliefId, BeliefRecord, Candidate, CanonicalUrl, Chain, DropReason,
        Dropped, Effects, Exploration, FetchFailure, FetchedPage, Fingerprint, Observation, Origin,
        Outcome, Phase, Prediction, Probability, RawUrl, Slot, Standing, Via,
    },
    standard_chain,
};

/// Redirects that are followed in a row.
const MOST_REDIRECTS: u8 = 10;

/// Pages between two occasions for the stages to put their state in order.
const CHECKPOINT_EVERY: u64 = 256;

/// Generation of a link that is not judged again. (Stages do not look at it: it is the frontier's to use.)
const SETTLED: u64 = u64::MAX;

/// What is to outlive the process. A real frontier writes it to disk, and all that one page changes at once.
#[derive(Debug, Default)]
struct Kept {
    /// The seen-set: spellings and classes.
    known: HashSet<Fingerprint>,
    queue: VecDeque<Admitted>,
    /// A further spelling of a class, for where the first one brings no page. (As JSON a list of pairs: a fingerprint is no key there.)
    spare: HashMap<Fingerprint, Admitted>,
    /// Classes of which no page came and nothing waits: a further spelling is as good as new.
    without_page: HashSet<Fingerprint>,
    /// What was dropped by belief, in case that falls.
    aside: HashMap<BeliefId, Vec<Admitted>>,
    /// What the stages learned.
    state: BTreeMap<String, Vec<u8>>,
}

struct OwnFrontier {
    chain: Chain,
    exploration: Exploration,
    kept: Kept,
    observed: u64,
}

/// The page whose links are taken.
#[derive(Clone, Copy, Default)]
struct Source {
    /// It was fetched to test a belief, and brought nothing new. Were its links explored, too, there would be no end to it where each page
    /// has links of its own.
    is_copy: bool,
    /// It redirects, and was fetched whatever is believed: so is what it leads to, which alone may tell whether that is right.
    is_followed: bool,
}

impl OwnFrontier {
    /// Goes on with what an earlier process kept, if there was one.
    fn new(chain: Chain, kept: Kept) -> Self {
        for problem in chain.restore(&kept.state) {
            println!("learned anew: {problem}");
        }
        let mut this = Self {
            chain,
            exploration: Exploration::default(),
            kept,
            observed: 0,
        };
        this.checkpoint();
        // What was learned may not hold in this run, with other settings or another version.
        let stands = |belief: BeliefId| match this.chain.belief(belief) {
            Some(record) => record.standing == Standing::Active,
            None => this.chain.describe(belief).is_some(),
        };
        let dropped_by = this.kept.aside.keys().copied();
        let fallen: Vec<BeliefId> = dropped_by.filter(|belief| !stands(*belief)).collect();
        this.judge_anew(fallen);
        this
    }

    /// Takes the links of a page, or where it redirects.
    fn admit(&mut self, via: &Via<'_>, source: Source, links: &[RawUrl<'_>]) {
        if via.link_redirects() > MOST_REDIRECTS {
            return;
        }
        let mut batch = Batch::default();
        self.chain.judge(via, links, &mut batch);
        for slot in batch.slots_mut() {
            let Slot::Live(link) = slot else { continue };
            let spelling = link.key();
            if self.kept.known.contains(&spelling) {
                if source.is_followed {
                    let dropped = take_out(&mut self.kept.aside, spelling);
                    self.kept.queue.extend(dropped.map(settled));
                }
                *slot = Slot::Known;
            } else if self.is_wanted(link.class_key(), via) {
                self.kept.known.insert(spelling);
            } else {
                let spare = self.kept.spare.entry(link.class_key());
                spare.or_insert_with(|| sealed(link.clone(), via, source));
                *slot = Slot::Known;
            }
        }
        // Of what is new, the chain may say that its page is not.
        self.chain.predict(via, &mut batch);
        for slot in batch.drain() {
            match slot {
                Slot::Live(link) => self.kept.queue.push_back(sealed(link, via, source)),
                Slot::Dropped(Some(link), why)
                    if source.is_followed && why.reason.belief().is_some() =>
                {
                    self.kept.queue.push_back(sealed(link, via, source));
                }
                Slot::Dropped(Some(mut link), why) => {
                    if !source.is_copy
                        && let Some(prediction) = self.explored(&link, &why)
                    {
                        // Before it is sealed, so that whoever observes its page knows what it is to test.
                        link.mark_probe(prediction);
                        self.kept.queue.push_back(sealed(link, via, source));
                    } else {
                        self.set_aside(sealed(link, via, source), &why);
                    }
                }
                Slot::Dropped(None, _) | Slot::Known => {}
            }
        }
    }

    /// Whether a spelling that was not met is to be fetched.
    fn is_wanted(&mut self, class: Fingerprint, via: &Via<'_>) -> bool {
        let is_new = self.kept.known.insert(class);
        // The next one waits for what comes of this.
        let is_chance = self.kept.without_page.remove(&class);
        // Where a redirect leads is often of the class that it comes from (`http` to `https`, or to `www.`), and is the page all the
        // same: it is new if its spelling is. So spellings that were not admitted are not noted as known.
        let is_target = via.origin() == Origin::Redirect;
        is_new || is_chance || is_target
    }

    /// What was fetched of a class is no page: another spelling may bring it, one that was met or the next that is.
    fn lacks_page(&mut self, class: Fingerprint) {
        match self.kept.spare.remove(&class) {
            Some(other) if self.kept.known.insert(other.key) => self.kept.queue.push_back(other),
            _ => {
                self.kept.without_page.insert(class);
            }
        }
    }

    /// What is to be fetched next. Most copies are known as such only while they wait, so the chain is asked again.
    fn next(&mut self) -> Option<Admitted> {
        while let Some(mut next) = self.kept.queue.pop_front() {
            if next.origin == Origin::Seed || next.probe.is_some() || next.generation == SETTLED {
                return Some(next);
            }
            let why = match self.judge_again(&next) {
                Ok(link) if link.priority() < next.priority => {
                    // Others come first. It is judged again then, and not sent back for the same reason.
                    next.priority = link.priority();
                    self.kept.queue.push_back(next);
                    continue;
                }
                Ok(_) => return Some(next),
                Err(why) => why,
            };
            if !next.of_copy {
                next.probe = self.explored(&Candidate::of_admitted(&next), &why);
            }
            if next.probe.is_some() {
                return Some(next);
            }
            self.set_aside(next, &why);
        }
        None
    }

    fn judge_again(&self, waiting: &Admitted) -> Result<Candidate, Dropped> {
        let via = waiting.via();
        let mut link = Candidate::of_admitted(waiting);
        // The first names its class once more, which the second looks at.
        self.chain.judge_again(Phase::BeforeSeen, &via, &mut link)?;
        self.chain.judge_again(Phase::AfterSeen, &via, &mut link)?;
        Ok(link)
    }

    /// The prediction to test with this link, if it is among the share of links dropped by belief that are fetched all the same.
    /// The generation has it drawn anew for a belief that fell and rose again.
    fn explored(&self, link: &Candidate, why: &Dropped) -> Option<Prediction> {
        let belief = why.reason.belief()?;
        let generation = self.chain.belief_generation(belief);
        let is_picked = self.exploration.picks(link.key(), belief, generation);
        if !is_picked || !self.chain.explores(link, belief) {
            return None;
        }
        Some(match why.reason {
            DropReason::PredictedDuplicate(prediction) => prediction,
            _ => Prediction {
                belief,
                probability: Probability::new(1.0)?,
            },
        })
    }

    fn set_aside(&mut self, link: Admitted, why: &Dropped) {
        if let Some(belief) = why.reason.belief() {
            self.kept.aside.entry(belief).or_default().push(link);
        }
    }

    /// Learns from what came of a URL, failures as well, and takes the links.
    fn observe(&mut self, fetched: &Admitted, outcome: &Outcome<'_>) {
        // What links and `rel=canonical` resolve against, where the page says so.
        let (base, target) = match outcome {
            Outcome::Redirected { target, .. } => (None, Some(target.as_str())),
            Outcome::Fetched(page) => (page.base_url(&fetched.url), page.canonical),
            _ => (None, None),
        };
        let against = base.as_ref().unwrap_or(fetched.url.as_url());
        let target = target.and_then(|to| CanonicalUrl::resolve(to, Some(against)).ok());
        let seen = Observation {
            url: fetched,
            outcome,
            points_to: target.as_ref(),
        };
        let mut effects = Effects::default(); // with `forgets_state: true`, where nothing is kept
        self.chain.observe(&seen, &mut effects);
        let source = Source {
            is_copy: fetched.leads_to_copies(outcome, &effects),
            is_followed: matches!(outcome, Outcome::Redirected { .. })
                && (fetched.probe.is_some() || fetched.generation == SETTLED),
        };
        self.apply(effects);
        self.chain.work(); // what stages put off; a thread of its own does as well
        let via = Via::page(&fetched.url)
            .at_depth(fetched.depth)
            .after_redirects(fetched.redirects)
            .with_base(base.as_ref());
        if matches!(outcome, Outcome::Fetched(page) if page.is_success()) {
            self.kept.without_page.remove(&fetched.class);
        } else {
            // Before the target of a redirect is admitted, which may be of this class, and its page.
            self.lacks_page(fetched.class);
        }
        match outcome {
            Outcome::Fetched(page) if page.is_success() => self.admit(&via, source, page.links),
            Outcome::Redirected { target, .. } => {
                self.admit(&via.found_by(Origin::Redirect), source, &[*target]);
            }
            _ => {}
        }
        self.observed += 1;
        if self.observed.is_multiple_of(CHECKPOINT_EVERY) {
            self.checkpoint();
        }
    }

    /// Lets the stages write down what they have not handed over: now and then, and before the process ends.
    fn checkpoint(&mut self) {
        let mut effects = Effects::default();
        self.chain.checkpoint(&mut effects);
        self.apply(effects);
    }

    /// Does what the stages ask for.
    fn apply(&mut self, effects: Effects) {
        for (key, value) in effects.state {
            match value {
                Some(value) => self.kept.state.insert(key, value),
                None => self.kept.state.remove(&key),
            };
        }
        // What fallen beliefs dropped comes back, and they have no say in it any more.
        for (_, belief) in effects.withdrawn {
            for mut link in self.kept.aside.remove(&belief).unwrap_or_default() {
                link.recalled_from = Some(belief);
                self.kept.queue.push_back(link);
            }
        }
        // These stand, and what they dropped is judged again.
        self.judge_anew(effects.shaken);
    }

    fn judge_anew(&mut self, beliefs: Vec<BeliefId>) {
        for belief in beliefs {
            let dropped = self.kept.aside.remove(&belief).unwrap_or_default();
            self.kept.queue.extend(dropped);
        }
    }
}

/// A link as it waits.
fn sealed(link: Candidate, via: &Via<'_>, source: Source) -> Admitted {
    let generation = if source.is_followed { SETTLED } else { 0 };
    Admitted {
        of_copy: source.is_copy,
        ..link.seal(via, generation)
    }
}

/// A link that is to be fetched whatever is believed.
fn settled(link: Admitted) -> Admitted {
    Admitted {
        generation: SETTLED,
        ..link
    }
}

/// A link that was dropped by belief.
fn take_out(
    aside: &mut HashMap<BeliefId, Vec<Admitted>>,
    spelling: Fingerprint,
) -> Option<Admitted> {
    aside.values_mut().find_map(|links| {
        let at = links.iter().position(|link| link.key == spelling)?;
        Some(links.swap_remove(at))
    })
}

/// Items of the shop, each of which has a page for printing that says the same, and an old address that redirects.
const ITEMS: usize = 300;

/// What your HTTP client says. A `rel=canonical` of a header it makes absolute: that is relative to the page, whatever its base.
enum Answer {
    Page {
        base: Option<&'static str>,
        text: String,
        links: Vec<String>,
    },
    Moved(String),
    Failed,
}

impl Answer {
    fn page(text: impl Into<String>, links: impl IntoIterator<Item = String>) -> Self {
        Self::Page {
            base: None,
            text: text.into(),
            links: links.into_iter().collect(),
        }
    }
}

/// Stands for your HTTP client: the text of a page, and its links.
fn fetch(url: &CanonicalUrl) -> Answer {
    let (url, path) = (url.as_url(), url.as_url().path());
    if url.scheme() == "http" {
        return Answer::Moved(format!("https://shop.example{path}"));
    }
    if let Some(item) = path.strip_prefix("/old/") {
        return Answer::Moved(format!("/item/{item}"));
    }
    let owned = |links: &[&str]| {
        links
            .iter()
            .map(|&link| link.to_owned())
            .collect::<Vec<_>>()
    };
    if let Some(item) = path.strip_prefix("/item/") {
        let item: usize = item.parse().unwrap_or_default();
        let text = (0..40).map(|at| format!("{} ", word(40 * item + at)));
        return Answer::page(text.collect::<String>(), owned(&["/", "/help/"]));
    }
    match path {
        "/" => {
            let links = (0..ITEMS).flat_map(|n| {
                let (item, print) = (format!("/item/{n}"), format!("/item/{n}?view=print"));
                [item, print, format!("/old/{n}")]
            });
            let first = owned(&["/help", "/terms", "/terms/", "/contact"]);
            Answer::page("All we sell", first.into_iter().chain(links))
        }
        "/help/" => Answer::Page {
            base: Some("/guide/"),
            text: "How to order".to_owned(),
            links: owned(&["paying"]),
        },
        "/terms/" => Answer::page("What you agree to", None),
        "/guide/paying" => Answer::page("How to pay", None),
        // Two of them without the slash at their end.
        "/help" | "/terms" | "/contact" => Answer::Failed,
        other => unreachable!("no page links to {other}"),
    }
}

/// A word of its own for each number.
fn word(number: usize) -> String {
    let letters = [1, 26, 676, 17_576].map(|place| (b'a' + (number / place % 26) as u8) as char);
    letters.iter().collect()
}

/// Fetches until nothing is left, or so many URLs. Answers the paths that brought a page.
fn crawl(frontier: &mut OwnFrontier, most: usize) -> HashSet<String> {
    let (mut fetched, mut explored, mut pages) = (0, 0, HashSet::new());
    while fetched < most {
        let Some(next) = frontier.next() else { break };
        fetched += 1;
        explored += usize::from(next.probe.is_some());
        match fetch(&next.url) {
            Answer::Page { base, text, links } => {
                pages.insert(next.url.as_url().path().to_owned());
                let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
                let page = FetchedPage {
                    status: 200,
                    text: Some(&text),
                    links: &links,
                    base,
                    ..FetchedPage::default()
                };
                frontier.observe(&next, &Outcome::Fetched(page));
            }
            Answer::Moved(target) => {
                let target = RawUrl::new(&target);
                let moved = Outcome::Redirected {
                    status: 301,
                    target,
                };
                frontier.observe(&next, &moved);
            }
            Answer::Failed => {
                let failure = FetchFailure {
                    code: "timeout",
                    detail: String::new(),
                    status: None,
                    retry_after: None,
                    may_pass: true,
                };
                frontier.observe(&next, &Outcome::Failed(failure));
            }
        }
    }
    println!("fetched {fetched}, of which {explored} to test beliefs");
    pages
}

fn chain(start: &CanonicalUrl) -> Result<Chain, ConfigError> {
    let config = Config {
        no_rules: true, // see above
        ..Config::default()
    };
    standard_chain(&config, std::slice::from_ref(start))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start: CanonicalUrl = "http://shop.example/".parse()?;
    let mut frontier = OwnFrontier::new(chain(&start)?, Kept::default());
    frontier.admit(&Via::seed(), Source::default(), &[start.as_str().into()]);
    let mut pages = crawl(&mut frontier, 440);
    frontier.checkpoint();

    // The process ends, and another goes on.
    let kept = frontier.kept;
    println!("kept    {} values of the stages", kept.state.len());
    let mut frontier = OwnFrontier::new(chain(&start)?, kept);
    let mut active = 0;
    let mut count = |belief: BeliefRecord| active += u32::from(belief.standing == Standing::Active);
    frontier.chain.beliefs(&mut count);
    println!("known   {active} beliefs that are acted upon");
    pages.extend(crawl(&mut frontier, usize::MAX));
    for (belief, links) in &frontier.kept.aside {
        let words = frontier.chain.describe(*belief).unwrap_or_default();
        println!("saved   {} by {words}", links.len());
    }
    // Each item, and what the first spelling did not bring.
    assert_eq!(
        pages
            .iter()
            .filter(|page| page.starts_with("/item/"))
            .count(),
        ITEMS
    );
    for page in ["/help/", "/guide/paying", "/terms/"] {
        assert!(pages.contains(page), "{page} was lost");
    }
    Ok(())
}
