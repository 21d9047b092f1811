//! When there is enough evidence to act on a belief, and when to stop.
//!
//! Activation: each trial multiplies a likelihood ratio, a success by `(1-p1)/(1-p0)`, a failure by `p1/p0` (an
//! e-process, valid however often it is looked at: Ville's inequality; Ramdas et al., *Statistical Science* 2023). At
//! the default risk, p0 = 0.05 and p1 = 0.005: success × 1.0474, failure × 0.1, and 65 clean trials reach 20. A claim
//! that ends with its first failure stakes everything on each trial: success × 1.0526, and 59 clean trials. Many
//! hypotheses: the e-BH procedure (Wang and Ramdas, JRSS-B 2022), valid under any dependence. Withdrawal: the
//! Shiryaev–Roberts statistic `R <- (1 + R) · LR` on explored outcomes, p0 = 0.05 against p1 = 0.3, alarm at 1000; and,
//! for beliefs that are wrong more seldom than that but more often than the risk allows, an e-value below 1 / 20, which
//! falls on average as soon as more trials fail than one in fifty.

use serde::{Deserialize, Serialize};

/// Evidence at which one belief alone becomes active.
pub(super) const ENOUGH: f64 = 20.0;
const ALARM: f64 = 1000.0;
/// The two ratios that follow from the accepted risk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratios {
    success: f64,
    failure: f64,
    /// Success of a claim that one failure ends.
    unfailing: f64,
    alarm_success: f64,
    alarm_failure: f64,
    /// Trials that one value of a parameter may contribute to "any value": a little more than half of the clean ones that are
    /// needed, so that two are enough and one is not. (255 at most: with a risk of less than 0.003 it takes more.)
    pub(super) per_value: u8,
}

/// Risks that are told apart.
const fn within(risk: f64) -> f64 {
    risk.clamp(0.001, 0.2)
}

impl Ratios {
    /// The ratios for a long-run share of wrong drops of at most `risk` (0.02: one in 50). The hypothesis to reject is
    /// an error rate of 2.5 times that, the one to confirm a quarter of it.
    pub fn for_risk(risk: f64) -> Self {
        Self::of(within(risk))
    }

    /// The ratios for half of that share: for claims of which each page may make another one.
    pub fn careful(risk: f64) -> Self {
        Self::of(within(risk) / 2.0)
    }

    fn of(risk: f64) -> Self {
        let (p0, p1) = (REJECTED * risk, risk / 4.0);
        let bad = (6.0 * p0).min(0.9);
        let success = ((1.0 - p1) / (1.0 - p0)).ln();
        let needed = (ENOUGH.ln() / success).ceil();
        Self {
            success,
            failure: (p1 / p0).ln(),
            unfailing: -(1.0 - p0).ln(),
            alarm_success: (1.0 - bad) / (1.0 - p0),
            alarm_failure: bad / p0,
            per_value: ((needed / 2.0).ceil() + (needed / 32.0).floor()).min(255.0) as u8,
        }
    }
}

/// Evidence of one belief.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Natural logarithm of the e-value.
    pub log_e: f32,
    /// Trials that counted.
    pub trials: u32,
    /// Of these, failed.
    pub failures: u32,
    /// Shiryaev–Roberts statistic since activation.
    pub alarm: f32,
}

impl Evidence {
    /// Counts a trial on probation. `is_literal` says whether a failure ends the claim.
    pub fn count(&mut self, success: bool, is_literal: bool, ratios: &Ratios) {
        self.trials += 1;
        self.failures += u32::from(!success);
        let step = match (success, is_literal) {
            (true, false) => ratios.success,
            (true, true) => ratios.unfailing,
            (false, false) => ratios.failure,
            (false, true) => f64::NEG_INFINITY,
        };
        // Old evidence must not outweigh a change of the site for ever: the wealth is capped.
        self.log_e = (f64::from(self.log_e) + step).clamp(-30.0, 20.0) as f32;
    }

    /// Counts a trial of an active belief. Returns `true` if it must be withdrawn.
    pub fn watch(&mut self, success: bool, is_literal: bool, ratios: &Ratios) -> bool {
        self.count(success, is_literal, ratios);
        let step = if success {
            ratios.alarm_success
        } else {
            ratios.alarm_failure
        };
        self.alarm = ((1.0 + f64::from(self.alarm)) * step).min(1e9) as f32;
        f64::from(self.alarm) >= ALARM
    }

    /// Takes a failure back.
    pub fn forgive(&mut self, ratios: &Ratios) {
        self.trials -= 1;
        self.failures -= 1;
        self.log_e = (f64::from(self.log_e) - ratios.failure).min(20.0) as f32;
        self.alarm = (f64::from(self.alarm) / ratios.alarm_failure) as f32;
    }

    /// The e-value, with `prior` as the wealth it started with.
    pub fn e_value(&self, prior: f64) -> f64 {
        prior * f64::from(self.log_e).exp()
    }

    /// The posterior mean of a success under a uniform prior.
    pub fn probability(&self) -> f64 {
        f64::from(self.trials - self.failures + 1) / f64::from(self.trials + 2)
    }
}

/// The error rate to be rejected, in risks.
const REJECTED: f64 = 2.5;
/// Share of beliefs that may become active though their error rate is the one to be rejected. A budget, in beliefs: if all
/// dropped equally many links, these would drop as many wrongly as the risk allows. (Worse ones hardly ever have so many
/// trials without a failure; what better ones, and a bad one that drops many, do comes on top.) What bounds the share of wrong
/// drops in the long run is exploration, and withdrawal.
const FALSE_DISCOVERIES: f64 = 1.0 / REJECTED;

/// Weighted e-BH: the least weighted e-value with which hypotheses are accepted. `tried` is the sum of the weights of
/// all hypotheses that were tried. `e_values` are the weighted e-values of those that have 20 with a weight of at most
/// 3, as each needs to have alone. Infinite if none may be accepted.
pub fn e_bh_threshold(e_values: &mut [f64], tried: f64) -> f64 {
    e_values.sort_by(|a, b| b.total_cmp(a));
    let mut threshold = f64::INFINITY;
    for (i, e) in e_values.iter().enumerate() {
        let needed = tried / (FALSE_DISCOVERIES * (i + 1) as f64);
        if *e >= needed {
            threshold = *e;
        }
    }
    threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, p: f64) -> bool {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let x = self.0 ^ (self.0 >> 33);
            (xxhash_rust::xxh3::xxh3_64(&x.to_le_bytes()) >> 11) as f64 / ((1u64 << 53) as f64) < p
        }
    }

    #[test]
    fn claims_about_single_pages_take_more_whatever_the_risk() {
        for risk in [0.001, 0.0015, 0.02, 0.2] {
            assert!(
                Ratios::careful(risk).success < Ratios::for_risk(risk).success,
                "{risk}"
            );
        }
    }

    #[test]
    fn sixty_five_clean_trials_activate_at_the_default_risk_and_fewer_what_a_failure_ends() {
        let ratios = Ratios::for_risk(0.02);
        for (is_literal, expected) in [(false, 65), (true, 59)] {
            let mut evidence = Evidence::default();
            let needed = (1..100_000)
                .find(|_| {
                    evidence.count(true, is_literal, &ratios);
                    evidence.e_value(1.0) >= ENOUGH
                })
                .unwrap();
            assert_eq!(needed, expected);
        }
    }

    #[test]
    fn two_values_are_enough_and_one_is_not_whatever_the_risk() {
        for risk in [0.01, 0.02, 0.04, 0.1] {
            let ratios = Ratios::for_risk(risk);
            let after = |trials: u32| {
                let mut evidence = Evidence::default();
                (0..trials).for_each(|_| evidence.count(true, false, &ratios));
                evidence.e_value(1.0)
            };
            let of_one = u32::from(ratios.per_value);
            // With the largest weight, too.
            assert!(3.0 * after(of_one) < ENOUGH, "{risk}");
            assert!(after(2 * of_one) >= ENOUGH, "{risk}");
        }
    }

    #[test]
    fn at_the_null_few_claims_that_a_failure_ends_get_so_far() {
        let ratios = Ratios::for_risk(0.02);
        let mut dice = Dice(5);
        let runs = 10_000;
        let wrong = (0..runs)
            .filter(|_| {
                let mut evidence = Evidence::default();
                (0..200).any(|_| {
                    evidence.count(!dice.roll(0.05), true, &ratios);
                    evidence.e_value(1.0) >= ENOUGH
                })
            })
            .count();
        let rate = wrong as f64 / f64::from(runs);
        assert!((0.02..0.06).contains(&rate), "{rate}");
    }

    #[test]
    fn at_the_null_few_ever_activate_though_one_looks_after_every_trial() {
        let ratios = Ratios::for_risk(0.02);
        let mut dice = Dice(1);
        let runs = 4000;
        let wrong = (0..runs)
            .filter(|_| {
                let mut evidence = Evidence::default();
                (0..1500).any(|_| {
                    evidence.count(!dice.roll(0.05), false, &ratios);
                    evidence.e_value(1.0) >= ENOUGH
                })
            })
            .count();
        let rate = wrong as f64 / f64::from(runs);
        assert!(rate < 0.065, "{rate}");
    }

    #[test]
    fn over_ten_thousand_null_hypotheses_the_correction_holds_under_peeking() {
        let ratios = Ratios::for_risk(0.02);
        let mut dice = Dice(2);
        let mut all = vec![Evidence::default(); 10_000];
        let mut wrong = 0;
        for _ in 0..300 {
            for evidence in &mut all {
                evidence.count(!dice.roll(0.05), false, &ratios);
            }
            let mut high: Vec<f64> = all
                .iter()
                .map(|e| e.e_value(1.0))
                .filter(|e| *e >= ENOUGH)
                .collect();
            let threshold = e_bh_threshold(&mut high, all.len() as f64);
            wrong = wrong.max(all.iter().filter(|e| e.e_value(1.0) >= threshold).count());
        }
        // 535 of them pass 20 at some time; the correction leaves none or one.
        assert!(wrong <= 1, "{wrong}");
    }

    #[test]
    fn a_belief_that_turned_wrong_is_withdrawn_after_a_handful_of_probes() {
        let ratios = Ratios::for_risk(0.02);
        let mut dice = Dice(3);
        let mut delays: Vec<u32> = (0..2001)
            .map(|_| {
                let mut evidence = Evidence::default();
                (1..100_000)
                    .find(|_| evidence.watch(!dice.roll(0.5), false, &ratios))
                    .unwrap()
            })
            .collect();
        delays.sort_unstable();
        assert!((5..=9).contains(&delays[1000]), "median {}", delays[1000]);
    }

    #[test]
    fn a_good_belief_is_hardly_ever_withdrawn() {
        let ratios = Ratios::for_risk(0.02);
        let mut dice = Dice(4);
        let mut alarms = 0;
        for _ in 0..100 {
            let mut evidence = Evidence::default();
            for _ in 0..200 {
                if evidence.watch(!dice.roll(0.01), false, &ratios) {
                    alarms += 1;
                    break;
                }
            }
        }
        // 20,000 trials in all at 1 % error.
        assert!(alarms <= 2, "{alarms}");
    }
}
