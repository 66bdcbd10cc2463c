//! Learns the weights by which templates compare leaves, from games by the letter of the thesis.
//!
//!     cargo run --release --example learn -- stairs START.txt 5000001 100 FOLDER
//!     cargo run --release --example learn -- sandwich START.txt 9000001 14 FOLDER 300 0.2 weights=by-kind
//!
//! The last three words, which may be missing, are the sequences of a round (100), the first step (0.3) and settings of the
//! question. START.txt has lines `NAME NUMBER` as the setting `leaf_weights` takes. Each round draws candidates around the mean
//! of the search, plays all of them on the same new sequences, and moves the mean towards the best half (an evolution
//! strategy with a separate step for each weight, Ros and Hansen 2008, on the logarithms of the weights). A sequence
//! is never used twice. Every tenth round compares the average of the last ten means with the best-known weights on
//! other sequences, by the paired comparison of `ikeru compare`, and replaces `best.txt` if it is decided to be better.
//! FOLDER holds `log.csv`, the mean and the average after each round, and `state.json`, with which the same command
//! continues.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use ikeru_compare::mean::mean_of;
use ikeru_compare::paired::PairedBet;
use ikeru_core::testing::settings;
use ikeru_core::{InputError, Problem, Random};
use ikeru_policy::Build;
use ikeru_policy::building::challenge::Challenge;
use ikeru_policy::game::{End, play};
use ikeru_policy::matching::{Matcher, TemplateTarget};
use ikeru_policy::policy::PolicyWork;
use ikeru_policy::policy::selection::SelectionRule;
use ikeru_policy::policy::template::TemplatePolicy;
use ikeru_policy::templates::weights::NamedWeights;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The question. A game that is not completed by move 45 counts 45, and each one over thirty moves one more.
const QUESTION: &str =
    " goal=template border=hard completion=match above_top=vanish moves=45 templates=";
const LONGEST: usize = 45;
const CANDIDATES: usize = 12;
/// The number of last means whose average counts: a single one has the noise of its round.
const AVERAGED: usize = 10;
/// Rounds between comparisons with the best-known weights, their sequences (no round uses them), and their level.
const TRIAL: (u64, u64, f64) = (10, 500_000, 0.05);
/// The sequences of a comparison, in those of a round: it stops when it is decided.
const TRIAL_ROUNDS: u64 = 10;

/// What is learned.
struct Task {
    /// The settings of the question.
    question: String,
    /// The sequences of a round.
    games: u64,
}

/// The search between two rounds.
#[derive(Serialize, Deserialize)]
struct State {
    round: u64,
    /// The first seed that was not used.
    seed: u64,
    sigma: f64,
    /// Logarithms of the weights.
    mean: Vec<f64>,
    /// The square of each weight's step, in units of `sigma`.
    scale: Vec<f64>,
    path: Vec<f64>,
    scale_path: Vec<f64>,
    /// The means after the last rounds.
    last: Vec<Vec<f64>>,
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [set, start, first, rounds, folder, more @ ..] = &words[..] else {
        anyhow::bail!("expected SET START.txt FIRST_SEED ROUNDS FOLDER [GAMES SIGMA SETTINGS]");
    };
    let more = |place: usize, default: &'static str| more.get(place).map_or(default, |it| it);
    let task = Task {
        question: format!("{}{QUESTION}{set}", more(2, "")),
        games: more(0, "100").parse()?,
    };
    let sigma = more(1, "0.3").parse()?;
    let (first, rounds, folder): (u64, u64, _) =
        (first.parse()?, rounds.parse()?, Path::new(folder));
    fs::create_dir_all(folder)?;
    let start = fs::read_to_string(start).with_context(|| start.clone())?;
    NamedWeights::read(&start, "START.txt")?;
    let lines = start
        .lines()
        .filter_map(|line| line.split('#').next()?.trim().split_once(' '));
    let (names, mean): (Vec<&str>, Vec<f64>) = lines
        .filter_map(|(name, number)| Some((name, number.trim().parse::<f64>().ok()?.ln())))
        .unzip();
    let (state, best) = (folder.join("state.json"), folder.join("best.txt"));
    let mut search = match fs::read_to_string(&state) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => State::new(first, mean, sigma),
    };
    while search.round < rounds {
        let row = search.round(&task, &names)?;
        let name = format!("mean-{:04}.txt", search.round);
        fs::write(folder.join(name), text(&names, &search.mean))?;
        let mean = text(&names, &search.average());
        let name = format!("average-{:04}.txt", search.round);
        fs::write(folder.join(name), &mean)?;
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("log.csv"))?;
        if search.round == 1 {
            writeln!(
                log,
                "round,next_seed,cost_of_mean,cost_of_best,cost_of_all,sigma"
            )?;
        }
        writeln!(log, "{row}")?;
        if search.round.is_multiple_of(TRIAL.0) {
            let known = fs::read_to_string(&best).ok();
            let games = search.round / TRIAL.0 * TRIAL_ROUNDS * task.games;
            let seed = first + TRIAL.1 + games;
            if let Some(gain) = trial(&task, &mean, known.as_deref(), seed)? {
                fs::write(
                    &best,
                    format!(
                        "# round {}, {gain:.2} moves fewer than before\n{mean}",
                        search.round
                    ),
                )?;
            }
        }
        let mut file = File::create(folder.join("state.part"))?;
        file.write_all(serde_json::to_string(&search)?.as_bytes())?;
        fs::rename(folder.join("state.part"), &state)?;
    }
    Ok(())
}

impl State {
    fn new(seed: u64, mean: Vec<f64>, sigma: f64) -> Self {
        let zero = vec![0.0; mean.len()];
        let scale = vec![1.0; mean.len()];
        Self {
            round: 0,
            seed,
            sigma,
            mean,
            scale,
            path: zero.clone(),
            scale_path: zero,
            last: Vec::new(),
        }
    }

    /// The average of the last means.
    fn average(&self) -> Vec<f64> {
        let at = |place: usize| self.last.iter().map(move |mean| mean[place]);
        let count = self.last.len() as f64;
        let places = 0..self.mean.len();
        places.map(|place| at(place).sum::<f64>() / count).collect()
    }

    /// Plays a round, and returns its row of the log: round, next seed, cost of the mean before the round, of the best
    /// candidate and of all, and sigma.
    fn round(&mut self, task: &Task, names: &[&str]) -> Result<String> {
        let mut random = Random::new("learn", self.seed);
        let mut steps: Vec<Vec<f64>> = Vec::new();
        for _ in 0..CANDIDATES / 2 {
            let step: Vec<f64> = self.mean.iter().map(|_| normal(&mut random)).collect();
            steps.push(step.iter().map(|it| -it).collect());
            steps.push(step);
        }
        let candidate = |step: &Vec<f64>| -> Vec<f64> {
            let places = self.mean.iter().zip(&self.scale).zip(step);
            places
                .map(|((mean, scale), step)| mean + self.sigma * scale.sqrt() * step)
                .collect()
        };
        let all: Vec<Vec<f64>> = steps
            .iter()
            .map(candidate)
            .chain([self.mean.clone()])
            .collect();
        let games = self.seed..self.seed + task.games;
        let costs: Result<Vec<Vec<f64>>, InputError> = all
            .par_iter()
            .map(|one| costs(task, Some(&text(names, one)), games.clone()))
            .collect();
        let costs: Vec<f64> = costs?.iter().map(|costs| average(costs)).collect();
        let mut order: Vec<usize> = (0..CANDIDATES).collect();
        order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        let best: Vec<&[f64]> = order[..CANDIDATES / 2]
            .iter()
            .map(|&it| &steps[it][..])
            .collect();
        self.recombine(&best);
        self.last.push(self.mean.clone());
        if self.last.len() > AVERAGED {
            self.last.remove(0);
        }
        self.round += 1;
        self.seed += task.games;
        let (best, all) = (costs[order[0]], average(&costs[..CANDIDATES]));
        let (round, seed, mean, sigma) = (self.round, self.seed, costs[CANDIDATES], self.sigma);
        Ok(format!(
            "{round},{seed},{mean:.3},{best:.3},{all:.3},{sigma:.4}"
        ))
    }

    /// Moves the mean towards the `best` steps, best first, and adapts the steps: separable CMA-ES with its usual
    /// constants; sigma stays between 0.1 and 0.4.
    fn recombine(&mut self, best: &[&[f64]]) {
        let (count, parents) = (self.mean.len() as f64, best.len() as f64);
        let raw: Vec<f64> = (1..=best.len())
            .map(|rank| (parents + 0.5).ln() - (rank as f64).ln())
            .collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|it| it / sum).collect();
        let mass = 1.0 / weights.iter().map(|it| it * it).sum::<f64>();
        let rate = (mass + 2.0) / (count + mass + 5.0);
        let damping = 1.0 + rate + 2.0 * (((mass - 1.0) / (count + 1.0)).sqrt() - 1.0).max(0.0);
        let slow = (4.0 + mass / count) / (count + 4.0 + 2.0 * mass / count);
        let separable = (count + 2.0) / 3.0;
        let one = separable * 2.0 / ((count + 1.3).powi(2) + mass);
        let many = separable * 2.0 * (mass - 2.0 + 1.0 / mass) / ((count + 2.0).powi(2) + mass);
        let many = many.min(1.0 - one);
        for place in 0..self.mean.len() {
            let of = |power: i32| -> f64 {
                weights
                    .iter()
                    .zip(best)
                    .map(|(weight, step)| weight * step[place].powi(power))
                    .sum()
            };
            let (step, deviation) = (of(1), self.scale[place].sqrt());
            let (path, slow_path) = (&mut self.path[place], &mut self.scale_path[place]);
            *path = (1.0 - rate) * *path + (rate * (2.0 - rate) * mass).sqrt() * step;
            *slow_path =
                (1.0 - slow) * *slow_path + (slow * (2.0 - slow) * mass).sqrt() * deviation * step;
            self.mean[place] += self.sigma * deviation * step;
            self.scale[place] =
                self.scale[place] * (1.0 - one - many + many * of(2)) + one * slow_path.powi(2);
        }
        let length = self.path.iter().map(|it| it * it).sum::<f64>().sqrt();
        let expected = count.sqrt() * (1.0 - 1.0 / (4.0 * count) + 1.0 / (21.0 * count * count));
        let change = ((rate / damping) * (length / expected - 1.0)).exp();
        self.sigma = (self.sigma * change).clamp(0.1, 0.4);
    }
}

/// How many moves fewer `mean` needs than the best-`known` weights, or than those of the thesis, if that is decided.
fn trial(task: &Task, mean: &str, known: Option<&str>, seed: u64) -> Result<Option<f64>> {
    let mut scores = PairedBet::new(TRIAL.2);
    let (games, most) = (task.games, TRIAL_ROUNDS * task.games);
    for seed in (seed..seed + most).step_by(games as usize) {
        let texts = [known, Some(mean)];
        let costs: Result<Vec<Vec<f64>>, InputError> = texts
            .par_iter()
            .map(|text| costs(task, *text, seed..seed + games))
            .collect();
        let costs = costs?;
        let shares = costs[0]
            .iter()
            .zip(&costs[1])
            .map(|(known, mean)| (known - mean) / LONGEST as f64);
        shares.for_each(|share| scores.push(share));
        let found = mean_of(&scores, 0.0);
        if let Some(side) = found
            .as_ref()
            .and_then(ikeru_compare::decide::Leveled::side)
        {
            let gain = found.map_or(0.0, |found| found.estimate.value * LONGEST as f64);
            return Ok(side.is_gt().then_some(gain));
        }
    }
    Ok(None)
}

/// The cost of each game of `seeds` with the weights `text`, or with those of the thesis.
fn costs(
    task: &Task,
    text: Option<&str>,
    seeds: std::ops::Range<u64>,
) -> Result<Vec<f64>, InputError> {
    let asked = settings(&task.question);
    let games = seeds.map(|seed| {
        let generator = &Build::GENERATORS[0];
        let game = (generator.generate)(
            &settings("guarantee=3"),
            &mut Random::new(generator.name, seed),
        )?;
        Build::ask(&game, &asked)
    });
    let games: Vec<Challenge> = games.collect::<Result<_, _>>()?;
    let repertoire = games[0].own_repertoire()?;
    let target = TemplateTarget::new(
        Arc::clone(&repertoire.matcher),
        games[0].question.completion,
    );
    let leaves = match text {
        None => Arc::clone(&repertoire.matcher),
        Some(text) => {
            let named = NamedWeights::read(text, "candidate")?;
            Arc::new(Matcher::new(
                &repertoire.weighted(&named)?,
                games[0].size(),
            )?)
        }
    };
    let target = target.with_leaves(leaves);
    let mut policy = TemplatePolicy::new(target.clone(), 3, SelectionRule::Best);
    let cost = |game: &Challenge| {
        let (rules, mut work) = (game.rules(), PolicyWork::default());
        let pieces = game.record.pieces.first(rules.moves + rules.visible);
        let played = play(
            &mut policy,
            game.record.start,
            &pieces,
            &rules,
            Some(&target),
            &mut work,
        );
        let moves = if played.end == End::Completed {
            played.placements.len()
        } else {
            LONGEST
        };
        moves as f64 + f64::from(u8::from(moves > 30))
    };
    Ok(games.iter().map(cost).collect())
}

fn text(names: &[&str], logarithms: &[f64]) -> String {
    let weights = names.iter().zip(logarithms);
    weights
        .map(|(name, it)| format!("{name} {:.4}\n", it.exp().clamp(0.001, 9999.0)))
        .collect()
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn normal(random: &mut Random) -> f64 {
    (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
}
