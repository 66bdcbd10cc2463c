//! Answers that B lost or gained: questions of which samples failed, or that only one side solved in the time of the other.

use ikeru_records::units::plural;
use ikeru_records::{Family, Outcome};
use ikeru_statistics::median;

use crate::chance::fails_more;
use crate::pairing::{Joined, Pair, Side};

/// The answers that one side lost or gained, in words.
#[derive(Debug, Default)]
pub struct LostAnswers {
    /// Questions of which B failed all samples and A none, or B decidedly more, or that only A solved and of which B was not
    /// stopped sooner; and samples of B that were stopped without a value, if they are decidedly more.
    pub lost: Vec<String>,
    /// Questions of which B failed more samples than A, but not decidedly more.
    pub shaky: Vec<String>,
    /// Questions of which A failed samples and B none, or that only B solved and of which A was not stopped sooner.
    pub gained: Vec<String>,
    /// The number of questions that one side alone answered, after more time than the other had.
    pub sooner: usize,
    /// For each side the samples that were stopped without a value, and the samples of the same questions.
    stops: [[usize; 2]; 2],
    /// Questions of which B failed some samples and A none.
    random: Vec<String>,
    /// The failed samples of each side, and all of its samples.
    failed: [usize; 2],
    samples: [usize; 2],
}

impl Side<'_> {
    fn failed(self) -> String {
        self.rows.failed_in_words(self.own)
    }

    fn failures(self) -> usize {
        self.rows.failures(self.own).values().sum()
    }

    /// The median time of the samples with this outcome; `None` if there is none. An answer that came after the limit took
    /// the limit: a timeout of the other side was then not sooner.
    fn typical(self, outcome: Outcome) -> Option<f64> {
        let rows = self.rows;
        let time = |row: &u32| {
            let [time, limit] = ["wall_ns", "limit_ns"].map(|name| rows.number(name, *row));
            let limit = limit.filter(|_| outcome == Outcome::Solved);
            Some(time?.min(limit.unwrap_or(f64::INFINITY)))
        };
        let ended = rows.ended(self.own, outcome);
        median(&ended.iter().filter_map(time).collect::<Vec<_>>())
    }

    /// The samples that were stopped without a value of `column`, and all samples.
    fn stops(self, column: &str) -> [usize; 2] {
        let rows = self.rows;
        let is_stopped =
            |row: &&u32| rows.number(column, **row).is_none() && rows.lacks_value(column, **row);
        [self.own.iter().filter(is_stopped).count(), self.own.len()]
    }

    fn has_value(self, column: &str) -> bool {
        !self.rows.sample(column, self.own).values.is_empty()
    }

    fn outcome(self) -> &'static str {
        let outcome = self.rows.outcome(self.own[0]);
        outcome.map_or("not run", Outcome::name)
    }
}

impl LostAnswers {
    /// The failures on the questions of both sides, for each setting of the method. `place` names the question of a row of B; a
    /// loss is decided at `level`, which all questions share.
    pub fn of(
        [a, b]: [Side; 2],
        joined: &Joined,
        column: &str,
        level: f64,
        place: impl Fn(u32) -> String,
    ) -> Self {
        let (mut found, mut chances) = (Self::default(), Vec::new());
        let settings = |side: Side, own: &[u32]| {
            let methods: Vec<&str> = side.rows.family(Family::Method).collect();
            side.rows.group_by(&methods, own)
        };
        for Pair { a: of_a, b: of_b } in joined.instances.iter().flatten() {
            let of_a = settings(a, of_a);
            for of_b in settings(b, of_b) {
                for of_a in &of_a {
                    let sides = [Side { own: of_a, ..a }, Side { own: &of_b, ..b }];
                    chances.extend(found.add(sides, column, &place(of_b[0])));
                }
            }
        }
        // Failures at random are judged together.
        let random = std::mem::take(&mut found.random);
        let tests = (chances.len() + usize::from(!random.is_empty())) as f64;
        let open = std::mem::take(&mut found.shaky).into_iter().zip(chances);
        for (said, chance) in open {
            let is_lost = chance * tests < level;
            let known = if is_lost {
                &mut found.lost
            } else {
                &mut found.shaky
            };
            known.push(said);
        }
        let is_lost = fails_more(found.failed, found.samples) * tests < level;
        let known = if is_lost {
            &mut found.lost
        } else {
            &mut found.shaky
        };
        known.extend(random);
        let [[stops_a, of_a], [stops_b, of_b]] = found.stops;
        if stops_b > 0 && fails_more([stops_a, stops_b], [of_a, of_b]) < level {
            found.lost.push(format!(
                "{stops_b} of {of_b} samples were stopped without a value, {stops_a} of {of_a} before"
            ));
        }
        found
    }

    /// Adds a question. Returns the chance of as many failures of B, where B failed more samples than A.
    fn add(&mut self, sides: [Side; 2], column: &str, place: &str) -> Option<f64> {
        let [fails_a, fails_b] = sides.map(|one| !one.failed().is_empty());
        for (at, side) in sides.iter().enumerate() {
            self.failed[at] += side.failures();
            self.samples[at] += side.own.len();
        }
        let is_sooner = |other: Side, time| {
            let stopped = other.typical(Outcome::Timeout);
            stopped.is_some_and(|stopped| stopped < time)
        };
        match sides.map(|one| one.typical(Outcome::Solved)) {
            [Some(time), None] if !fails_b => match is_sooner(sides[1], time) {
                true => self.sooner += 1,
                false => self
                    .lost
                    .push(format!("{place} was solved, now {}", sides[1].outcome())),
            },
            _ if fails_a || fails_b => return self.add_failed(sides, place),
            [None, Some(time)] => match is_sooner(sides[0], time) {
                true => self.sooner += 1,
                false => self
                    .gained
                    .push(format!("{place}, {} before", sides[0].outcome())),
            },
            // A solver that never prints the metric is not compared by it.
            [Some(_), Some(_)] if sides.iter().all(|one| one.has_value(column)) => {
                for (all, own) in self.stops.iter_mut().zip(sides) {
                    let own = own.stops(column);
                    *all = [all[0] + own[0], all[1] + own[1]];
                }
            }
            _ => {}
        }
        None
    }

    fn add_failed(&mut self, sides: [Side; 2], place: &str) -> Option<f64> {
        let [before, now] = sides.map(Side::failed);
        let counts = sides.map(Side::failures);
        let solves_b = sides[1].typical(Outcome::Solved).is_some();
        let of = sides.map(|one| one.own.len());
        let share = |side: usize| counts[side] as f64 / of[side] as f64;
        if counts[0] == 0 {
            let known = if solves_b {
                &mut self.random
            } else {
                &mut self.lost
            };
            known.push(format!("{place}: {now}, none before"));
        } else if counts[1] == 0 && solves_b {
            self.gained
                .push(format!("{place}: none failed, {before} before"));
        } else if share(1) > share(0) {
            self.shaky.push(format!("{place}: {now}, {before} before"));
            return Some(fails_more(counts, of));
        }
        None
    }

    /// Adds those of another pair of labels.
    pub fn append(&mut self, other: Self) {
        self.lost.extend(other.lost);
        self.shaky.extend(other.shaky);
        self.gained.extend(other.gained);
    }

    /// A note on the questions that say nothing; `None` without one.
    pub fn left_out(&self) -> Option<String> {
        let questions = plural(self.sooner, "question");
        let said = format!(
            "{questions}: one side alone answered, after more time than the other had. That is no loss and no gain."
        );
        (self.sooner > 0).then_some(said)
    }
}
