//! Plays games of one variant and prints the time per move, the work, and a hash of all placements: two builds that
//! print the same hash and counters make the same decisions.
//!
//! `cargo run --release -p ikeru-policy --example games VARIANT "SETTINGS" "QUESTION" FIRST_SEED GAMES`

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use ikeru_core::testing::settings;
use ikeru_core::{
    Deadline, Direction, Incumbent, InputError, Search, Settings, erase, input_error, refuse,
};
use ikeru_policy::Build;

/// The number of times that each game is played. The shortest time counts, because other programs can only make it
/// longer.
const REPEATS: usize = 5;

fn main() -> Result<(), InputError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [variant, method, question, first, games] = &words[..] else {
        refuse!("expected VARIANT \"SETTINGS\" \"QUESTION\" FIRST_SEED GAMES");
    };
    let number = |word: &str| {
        let number: Result<u64, _> = word.parse();
        number.map_err(|_| input_error!("`{word}`, expected a number"))
    };
    let (first, games) = (number(first)?, number(games)?);
    let mut decisions = DefaultHasher::new();
    let (mut time, mut moves, mut least) = (Duration::ZERO, 0_u64, f64::INFINITY);
    let (mut placements, mut chains) = (0, 0);
    let mut measured: Vec<(&str, Vec<f64>)> = Vec::new();
    for seed in first..first + games {
        let game = erase::<Build>().generate("build.sequence", &Settings::new(), seed)?;
        let game = game.ask(&settings(question))?;
        let prepared = game.prepare(variant, &settings(method), Deadline::never());
        let mut solver = prepared.map_err(|refusal| InputError::new(refusal.to_string()))?;
        let incumbent = Incumbent::new(Direction::Maximize);
        let mut search = Search::new(&incumbent);
        let mut took = Duration::MAX;
        for _ in 0..REPEATS {
            search = Search::new(&incumbent);
            let start = Instant::now();
            solver.solve(&mut search);
            took = took.min(start.elapsed());
        }
        let asked = search.counters.get("decisions").max(1);
        least = least.min(took.as_secs_f64() / asked as f64);
        time += took;
        moves += asked;
        placements += search.counters.get("placements");
        chains += search.counters.get("chains");
        let answer = solver.answer_json().unwrap_or_default();
        answer["placements"].to_string().hash(&mut decisions);
        if let Some(Ok(checked)) = solver.referee(Deadline::never()) {
            for (name, value) in checked.measures {
                match measured.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, values)) => values.push(value),
                    None => measured.push((name, vec![value])),
                }
            }
        }
    }
    println!("decisions {:016x}", decisions.finish());
    println!("placements {placements} chains {chains} moves {moves}");
    let mean = 1e6 * time.as_secs_f64() / moves as f64;
    println!(
        "{mean:.1} µs a move, {:.1} in the fastest game",
        1e6 * least
    );
    for (name, values) in measured {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / (count - 1.0).max(1.0);
        println!("{name} {mean:.3} ± {:.3}", 1.96 * (variance / count).sqrt());
    }
    Ok(())
}
