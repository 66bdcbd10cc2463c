//! A line above the progress bar for each finished sample of a command with a score: score, mean and difference so far.

use std::collections::HashMap;

use ikeru_compare::scores::difference;
use ikeru_core::{Direction, Score};
use ikeru_reports::records::Record;
use ikeru_reports::records::bests::{Ledger, decimal};
use ikeru_reports::statistics::mean;
use ikeru_reports::units::{self, Quantity};

/// The scores of an experiment in this session, as they come.
#[derive(Debug)]
pub struct RunningScores {
    /// The label that the others are compared with.
    pub baseline: String,
    /// The direction that is better.
    pub direction: Direction,
    /// The decimal digits of a score.
    pub decimals: u32,
    /// The best-known scores when the session began.
    pub bests: Ledger,
    /// The score of each label on each question; `None` without an answer.
    pub scores: HashMap<String, HashMap<String, Option<Score>>>,
}

impl RunningScores {
    /// Notes a sample, and returns its line.
    pub fn line(&mut self, record: &Record) -> String {
        let (label, score) = (record.label, record.taken.score);
        let known = self.scores.entry(label.to_owned()).or_default();
        known.insert(record.question.clone(), score);
        let own = &self.scores[label];
        let mut line = format!("{label} on {}: ", record.instance);
        line += &match score {
            Some(score) => decimal(score, self.decimals),
            None => record.taken.outcome.name().to_owned(),
        };
        let best = self.bests.best(&record.instance_hash, self.direction);
        if let Some((own, best)) = score.zip(best) {
            let ahead = difference(self.direction, Some(own), Some(best.score));
            line += &format!(", {} against the best known", signed(ahead));
        }
        let answered: Vec<f64> = own.values().flatten().map(|it| *it as f64).collect();
        if let (2.., Some(mean)) = (answered.len(), mean(&answered)) {
            let mean = decimal(mean.round() as Score, self.decimals);
            line += &format!("; mean {mean} of {}", units::count(answered.len()));
        }
        let base = self.scores.get(&self.baseline);
        let base = base.filter(|_| label != self.baseline);
        let pairs = base.into_iter().flatten().filter_map(|(question, base)| {
            let own = own.get(question)?;
            Some(difference(self.direction, *own, *base))
        });
        let pairs: Vec<f64> = pairs.collect();
        if let Some(mean) = mean(&pairs) {
            let count = units::plural(pairs.len(), "pair");
            line += &format!("; {} against {} in {count}", signed(mean), self.baseline);
        }
        line
    }
}

/// A relative difference with its sign.
fn signed(difference: f64) -> String {
    let sign = if difference > 0.0 { "+" } else { "" };
    sign.to_owned() + &Quantity::Share.spoken(difference)
}

#[cfg(test)]
mod tests {
    use ikeru_reports::records::bests::BestKnown;

    use super::*;

    #[test]
    fn a_line_tells_score_mean_and_difference() {
        let mut running = RunningScores {
            baseline: "a".to_owned(),
            direction: Direction::Maximize,
            decimals: 0,
            bests: Ledger::default(),
            scores: HashMap::new(),
        };
        running.bests.improve(BestKnown {
            instance: "h1".to_owned(),
            direction: Direction::Maximize,
            score: 200,
            decimals: 0,
            variant: String::new(),
            date: String::new(),
            answer: String::new(),
        });
        let mut line = |label, question: &str, score: Option<Score>| {
            let mut record = Record {
                label,
                ..Record::default()
            };
            record.question = question.to_owned();
            record.instance_hash = format!("h{question}");
            record.instance = "i";
            record.taken.score = score;
            running.line(&record)
        };
        assert_eq!(
            line("a", "1", Some(100)),
            "a on i: 100, −50\u{202f}% against the best known"
        );
        assert_eq!(line("a", "2", Some(100)), "a on i: 100; mean 100 of 2");
        let told = line("b", "2", Some(200));
        assert_eq!(told, "b on i: 200; +50\u{202f}% against a in 1\u{202f}pair");
        let told = line("b", "1", None);
        assert!(
            told.ends_with("; −25\u{202f}% against a in 2\u{202f}pairs"),
            "{told}"
        );
    }
}
