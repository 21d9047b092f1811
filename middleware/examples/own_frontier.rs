//! You have a frontier of your own, and want duplicates predicted: what to ask the chain, and when.
//!
//! Run it with `cargo run -p nodust-middleware --example own_frontier`. It keeps all in memory, tries nothing twice, and knows
//! no redirects; `LocalFrontier` does all that.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::collections::{HashMap, HashSet, VecDeque};

use nodust_middleware::{
    Config,
    frontier::{
        Admitted, Batch, BeliefId, Candidate, CanonicalUrl, Chain, DropReason, Dropped, Effects,
        Exploration, FetchedPage, Fingerprint, Observation, Origin, Outcome, Phase, Prediction,
        Probability, RawUrl, Via, chain::Slot,
    },
    standard_chain,
};

struct OwnFrontier {
    chain: Chain,
    exploration: Exploration,
    /// The seen-set: spellings and classes.
    known: HashSet<Fingerprint>,
    queue: VecDeque<Admitted>,
    /// What was dropped by belief, in case that falls.
    aside: HashMap<BeliefId, Vec<Admitted>>,
}

impl OwnFrontier {
    /// Takes the links of a page. `of_copy`: it was fetched to test a belief, and brought nothing new. Were its links explored, too, there
    /// would be no end to it where each page has links of its own.
    fn admit(&mut self, via: &Via<'_>, of_copy: bool, links: &[RawUrl<'_>]) {
        let mut batch = Batch::default();
        self.chain.judge(via, links, &mut batch);
        for slot in batch.slots_mut() {
            let Slot::Live(link) = slot else { continue };
            let is_new = self.known.insert(link.key());
            if !is_new || !self.known.insert(link.class_key()) {
                *slot = Slot::Known;
            }
        }
        // Of what is new, the chain may say that its page is not.
        self.chain.predict(via, &mut batch);
        for slot in batch.drain() {
            match slot {
                Slot::Live(link) => self.queue.push_back(sealed(link, via, of_copy)),
                Slot::Dropped(Some(mut link), why) => {
                    if !of_copy && let Some(prediction) = self.explored(&link, &why) {
                        // Before it is sealed, so that whoever observes its page knows what it is to test.
                        link.mark_probe(prediction);
                        self.queue.push_back(sealed(link, via, of_copy));
                    } else {
                        self.set_aside(sealed(link, via, of_copy), &why);
                    }
                }
                Slot::Dropped(None, _) | Slot::Known => {}
            }
        }
    }

    /// What is to be fetched next. Most copies are known as such only while they wait, so the chain is asked again.
    fn next(&mut self) -> Option<Admitted> {
        while let Some(mut next) = self.queue.pop_front() {
            if next.origin == Origin::Seed || next.probe.is_some() {
                return Some(next);
            }
            let Err(why) = self.judge_again(&next) else {
                return Some(next);
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

    fn judge_again(&self, waiting: &Admitted) -> Result<(), Dropped> {
        let via = Via::seed()
            .found_by(waiting.origin)
            .at_depth(waiting.depth.saturating_sub(1));
        let mut link = Candidate::of_admitted(waiting);
        // The first names its class once more, which the second looks at.
        self.chain.judge_again(Phase::BeforeSeen, &via, &mut link)?;
        self.chain.judge_again(Phase::AfterSeen, &via, &mut link)
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
            self.aside.entry(belief).or_default().push(link);
        }
    }

    /// Learns from a page, and takes its links.
    fn observe(&mut self, fetched: &Admitted, text: &str, links: &[RawUrl<'_>]) {
        let outcome = Outcome::Fetched(FetchedPage {
            status: 200,
            text: Some(text),
            links,
            ..FetchedPage::default()
        });
        let seen = Observation {
            url: fetched,
            outcome: &outcome,
            points_to: None, // or the `rel=canonical`
        };
        let mut effects = Effects {
            forgets_state: true, // `state` is for whoever goes on after a restart
            ..Effects::default()
        };
        self.chain.observe(&seen, &mut effects);
        let of_copy = fetched.leads_to_copies(&outcome, &effects);
        self.chain.work(); // what stages put off; a thread of its own does as well
        // What fallen beliefs dropped comes back, and they have no say in it any more.
        for (_, belief) in effects.withdrawn {
            for mut link in self.aside.remove(&belief).unwrap_or_default() {
                link.recalled_from = Some(belief);
                self.queue.push_back(link);
            }
        }
        // These stand, and what they dropped is judged again.
        for belief in effects.shaken {
            (self.queue).extend(self.aside.remove(&belief).unwrap_or_default());
        }
        let via = Via::page(&fetched.url).at_depth(fetched.depth);
        self.admit(&via, of_copy, links);
    }
}

/// A link as it waits.
fn sealed(link: Candidate, via: &Via<'_>, of_copy: bool) -> Admitted {
    Admitted {
        of_copy,
        ..link.seal(via, 0)
    }
}

/// Items of the shop, each of which has a page for printing that says the same.
const ITEMS: usize = 300;

/// Stands for your HTTP client: the text of a page, and its links.
fn fetch(path: &str) -> (String, Vec<String>) {
    let Some(item) = path.strip_prefix("/item/") else {
        let links =
            (0..ITEMS).flat_map(|n| [format!("/item/{n}"), format!("/item/{n}?view=print")]);
        return ("All we sell".to_owned(), links.collect());
    };
    let item: usize = item.parse().unwrap_or_default();
    let text = (0..40).map(|at| format!("{} ", word(40 * item + at)));
    (text.collect(), vec!["/".to_owned()])
}

/// A word of its own for each number.
fn word(number: usize) -> String {
    let letters = [1, 26, 676, 17_576].map(|place| (b'a' + (number / place % 26) as u8) as char);
    letters.iter().collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start: CanonicalUrl = "http://shop.example/".parse()?;
    let share = Probability::new(0.05).ok_or("a share lies between 0 and 1")?;
    let mut frontier = OwnFrontier {
        chain: standard_chain(&Config::default(), std::slice::from_ref(&start))?,
        exploration: Exploration::new(share, 0),
        known: HashSet::new(),
        queue: VecDeque::new(),
        aside: HashMap::new(),
    };
    frontier.admit(&Via::seed(), false, &[RawUrl::new(start.as_str())]);
    let (mut fetched, mut explored) = (0, 0);
    while let Some(next) = frontier.next() {
        fetched += 1;
        explored += usize::from(next.probe.is_some());
        let (text, links) = fetch(next.url.as_url().path());
        let links: Vec<RawUrl<'_>> = links.iter().map(|link| RawUrl::new(link)).collect();
        frontier.observe(&next, &text, &links);
    }
    println!("fetched {fetched}, of which {explored} to test beliefs");
    for (belief, links) in &frontier.aside {
        let words = frontier.chain.describe(*belief).unwrap_or_default();
        println!("saved   {} by {words}", links.len());
    }
    Ok(())
}
