//! Games that were played once: they judge the figures that the games of a run leave open.
//!
//! A game is the same each time it is played, and takes up to thirty milliseconds; some figures need ten thousand of them.
//! The stored games judge nothing if a game of the run differs from the stored one of its seed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, OnceLock, PoisonError};

use ikeru_bench_data::{Figure, builtin};
use ikeru_records::Result;
use ikeru_records::rows::Rows;
use ikeru_records::units;

use super::{JudgedFigure, Measured, StoredKind, Verdict, decide, judged_by, of_rows};

/// Decides the figures of one page as `decide` does. Then the stored games judge the open figures, if there are more of
/// them than in the run, and all figures are decided again.
///
/// # Errors
/// A figure that names an unknown statistic or an impossible range.
pub fn decide_with_games(rows: &Rows, figures: &mut [JudgedFigure], looks: u32) -> Result<()> {
    let alone = figures.to_vec();
    decide(figures, looks);
    for (one, alone) in figures.iter_mut().zip(alone) {
        let is_open = matches!(
            one.verdict,
            Verdict::Undecided | Verdict::OnTheEdge | Verdict::NotMeasured
        );
        *one = match is_open && are_of(one) {
            true => by_games(rows, alone)?,
            false => alone,
        };
    }
    decide(figures, looks);
    Ok(())
}

/// Returns whether games of the figure's experiment are stored.
pub(super) fn are_of(judged: &JudgedFigure) -> bool {
    builtin::stored_games().any(|(name, _)| name == judged.experiment)
}

/// The figure judged by the stored games, if there are more of them than in the run and none contradicts the run.
fn by_games<'a>(rows: &Rows, here: JudgedFigure<'a>) -> Result<JudgedFigure<'a>> {
    let sampled = here.ours.as_ref().map_or(0, |ours| ours.sampled);
    let Some(ours) = measured(here.figure)?.filter(|ours| ours.sampled > sampled) else {
        return Ok(here);
    };
    if let Some(contradiction) = contradiction(rows, &here.experiment) {
        let remark = format!("{} {contradiction}", here.remark);
        return Ok(JudgedFigure {
            remark: remark.trim_start().to_owned(),
            ..here
        });
    }
    judged_by(
        games(),
        here.source,
        here.figure,
        Some(ours),
        Some(StoredKind::Games),
    )
}

/// Our measurement of a figure by the stored games. It is always the same, and `reproduce` judges a page many times.
fn measured(figure: &Figure) -> Result<Option<Measured>> {
    static KNOWN: Mutex<BTreeMap<String, Option<Measured>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(measured) = known.get(&figure.id) {
        return Ok(measured.clone());
    }
    let measured = of_rows(games(), figure)?;
    known.insert(figure.id.clone(), measured.clone());
    Ok(measured)
}

/// All stored games as rows, with the seed in place of the instance's hash.
fn games() -> &'static Rows {
    static GAMES: OnceLock<Rows> = OnceLock::new();
    GAMES.get_or_init(|| {
        let tables: Vec<_> = builtin::stored_games().map(read).collect();
        let named = tables.iter().flat_map(|(_, columns, _)| columns);
        let measures: BTreeSet<&str> = named.clone().map(|(_, measure)| &**measure).collect();
        let mut csv = csv::Writer::from_writer(Vec::new());
        let mut write = |fields: Vec<&str>| csv.write_record(fields).expect("memory takes it");
        let mut head = vec!["experiment", "cell", "label", "instance_hash", "outcome"];
        head.extend(&measures);
        write(head);
        for (experiment, columns, games) in &tables {
            let labels: BTreeSet<&str> = columns.iter().map(|(label, _)| &**label).collect();
            for (label, game) in labels
                .iter()
                .flat_map(|label| games.iter().map(move |game| (*label, game)))
            {
                let value = |measure: &&str| {
                    let is_own = |(of, known): &(String, String)| of == label && known == measure;
                    let place = columns.iter().position(is_own);
                    place.map_or("", |place| &game[place + 1])
                };
                let cell = format!("{label} {}", &game[0]);
                let mut row = vec![*experiment, &cell, label, &game[0], "solved"];
                row.extend(measures.iter().map(value));
                write(row);
            }
        }
        let text = csv.into_inner().expect("memory takes it");
        Rows::of_table(&String::from_utf8(text).expect("the tables are text"))
    })
}

/// An experiment, the label and the measure of each column after the seed, and the games.
type GameTable = (&'static str, Vec<(String, String)>, Vec<csv::StringRecord>);

/// Reads a table that is part of the program, which a test checks.
fn read((experiment, text): (&'static str, &str)) -> GameTable {
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let head = csv.headers().expect("a header").clone();
    let columns = head.iter().filter_map(|column| column.rsplit_once(": "));
    let columns = columns.map(|(label, measure)| (label.to_owned(), measure.to_owned()));
    let games = csv.records().map(|game| game.expect("a game"));
    (experiment, columns.collect(), games.collect())
}

/// The first game of the run that is not the stored one; `None` if all games of both are the same.
fn contradiction(rows: &Rows, experiment: &str) -> Option<String> {
    let games = games();
    let own = games.with("experiment", experiment);
    static PLACES: OnceLock<HashMap<[&str; 3], u32>> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let key = ["experiment", "label", "instance_hash"];
        let all = games.all().into_iter();
        all.map(|game| (key.map(|column| games.text(column, game)), game))
            .collect()
    });
    let played = rows.solved(&rows.with("experiment", experiment));
    let is_known = |name: &&str| own.iter().any(|game| games.number(name, *game).is_some());
    let measures: Vec<&str> = games
        .columns()
        .filter(|name| name.starts_with("measure_"))
        .filter(is_known)
        .collect();
    played.into_iter().find_map(|row| {
        let (label, seed) = (rows.text("label", row), rows.text("seed", row));
        let game = *places.get(&[experiment, label, seed])?;
        let differs = |measure: &&&str| games.number(measure, game) != rows.number(measure, row);
        let other = measures.iter().find(differs)?;
        let value =
            |value: Option<f64>| value.map_or("none".to_owned(), |value| units::rounded(value, 6));
        Some(format!(
            "The stored games are not of this program: \
             `{other}` of {label}, seed {seed}, is {} there and {} here.",
            value(games.number(other, game)),
            value(rows.number(other, row)),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::judge;

    /// The first stored games of `thesis-1-4` as rows of a run; `more` moves are added to the first game.
    fn first_games(more: f64) -> Rows {
        let (games, mut more) = (games(), more);
        let mut text = String::from(
            "experiment,cell,label,instance_hash,seed,outcome,measure_moves_to_completion\n",
        );
        for label in ["domino, depth 1", "domino, depth 3"] {
            let of_label = games.with("experiment", "thesis-1-4");
            let of_label = of_label
                .into_iter()
                .filter(|game| games.text("label", *game) == label);
            for game in of_label.take(3) {
                let seed = games.text("instance_hash", game);
                let moves = games.number("measure_moves_to_completion", game);
                let moves = moves.map_or(String::new(), |moves| (moves + more).to_string());
                text += &format!(
                    "thesis-1-4,{label:?}{seed},{label:?},h{seed},{seed},solved,{moves}\n"
                );
                more = 0.0;
            }
        }
        Rows::of_table(&text)
    }

    fn judged(rows: &Rows) -> JudgedFigure<'static> {
        let sources = builtin::published().expect("published figures read");
        let (source, figure) = builtin::figure(sources, "thesis/domino-depth-loss").expect("known");
        let mut judged = [judge(rows, source, figure).expect("judged")];
        decide_with_games(rows, &mut judged, 1).expect("decided");
        let [judged] = judged;
        judged
    }

    #[test]
    fn stored_games_judge_what_the_games_of_a_run_leave_open() {
        let judged = judged(&first_games(0.0));
        assert_eq!(judged.stored, Some(StoredKind::Games));
        assert!(
            judged
                .ours
                .as_ref()
                .is_some_and(|ours| ours.sampled > 5_000)
        );
        assert_eq!(judged.stored, Some(StoredKind::Games));
    }

    #[test]
    fn stored_games_judge_nothing_if_one_is_not_that_of_the_run() {
        let judged = judged(&first_games(1.0));
        assert_eq!(judged.stored, None);
        let ours = judged.ours.as_ref().map(|ours| ours.sampled);
        assert_eq!((judged.verdict, ours), (Verdict::Undecided, Some(3)));
        assert!(
            judged
                .reason()
                .contains("`measure_moves_to_completion` of domino, depth 1, seed 10001"),
            "{}",
            judged.reason()
        );
    }

    #[test]
    fn every_table_has_ten_thousand_consecutive_seeds() {
        for (experiment, _, games) in builtin::stored_games().map(read) {
            let seeds = games.iter().map(|game| game[0].parse().expect("a seed"));
            let seeds: Vec<u64> = seeds.collect();
            assert!(seeds.len() >= 10_000, "{}", experiment);
            assert!(
                seeds.windows(2).all(|pair| pair[1] == pair[0] + 1),
                "{}",
                experiment
            );
        }
    }
}
