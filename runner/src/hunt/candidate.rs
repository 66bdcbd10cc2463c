//! The recipe of an instance: a generator's parameters and seed, and replaced words of its text.

use std::ops::Range;

use ikeru_core::{
    AnyInstance, AnyProblem, GeneratorInfo, InputError, Random, SettingInfo, SettingKind, Settings,
    Value,
};

/// The maximum length of a text that is changed word by word.
const LONGEST_TEXT: usize = 1 << 16;
/// Words of at least this length are changed in part: they are rows of a map.
const LONG_WORD: usize = 6;
/// The factor of its default up to which a whole-number parameter varies, unless a range is given.
const TIMES_DEFAULT: i64 = 2;

/// The recipe of an instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HuntCandidate {
    /// The generator's parameters.
    pub parameters: Settings,
    /// The generator's seed.
    pub seed: u64,
    /// Words replaced in the generated text, in order.
    pub edits: Vec<Edit>,
}

/// A word of a text, by its place, replaced by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The word's place among all words.
    pub at: usize,
    /// The new word.
    pub word: String,
}

/// The space of candidates: the generator and the parameters that are not fixed.
pub struct SearchSpace {
    /// The problem.
    pub problem: &'static dyn AnyProblem,
    /// The generator.
    pub generator: GeneratorInfo,
    /// The question that every instance is asked.
    pub question: Settings,
    /// Parameters that stay as they are.
    pub fixed: Settings,
    /// The parameters that vary, each with its range.
    pub free: Vec<FreeParameter>,
}

/// A parameter that varies.
#[derive(Debug, Clone, Copy)]
pub struct FreeParameter {
    /// Its declaration.
    pub info: SettingInfo,
    /// The least and the largest value, if it is a number.
    pub range: (f64, f64),
    /// True if the user gave the range.
    pub is_said: bool,
}

impl FreeParameter {
    /// A random number of its range.
    fn drawn(&self, random: &mut Random) -> Value {
        let (least, most) = self.range;
        of_number(&self.info, least + (most - least) * random.unit())
    }
}

impl SearchSpace {
    /// The search space of `generator`; `sets` fixes parameters and settings of the question, or limits a parameter
    /// to a range like `8..32`.
    ///
    /// # Errors
    /// An unknown key, or a value outside its range.
    pub fn new(
        problem: &'static dyn AnyProblem,
        generator: GeneratorInfo,
        sets: &Settings,
    ) -> Result<Self, InputError> {
        let what = format!("{} or of {}", generator.name, problem.name());
        sets.check(&what, &[generator.parameters, problem.settings()])?;
        let mut free = Vec::new();
        let mut fixed = Settings::new();
        for info in generator.parameters {
            match sets.value(info.name) {
                None => free.extend(varied(info)),
                Some(value) => match range_of(value) {
                    Some(range) => {
                        info.check(&of_number(info, range.0))?;
                        info.check(&of_number(info, range.1))?;
                        free.push(FreeParameter {
                            info: *info,
                            range,
                            is_said: true,
                        });
                    }
                    None => {
                        info.check(value)?;
                        fixed.set(info.name, value.clone());
                    }
                },
            }
        }
        Ok(Self {
            problem,
            generator,
            question: sets.only(problem.settings()),
            fixed,
            free,
        })
    }

    /// The instance of `candidate` with the question asked; `None` if its generator or its problem refuses it.
    pub fn grow(&self, candidate: &HuntCandidate) -> Option<Box<dyn AnyInstance>> {
        let generated =
            self.problem
                .generate(self.generator.name, &candidate.parameters, candidate.seed);
        let mut instance = generated.ok()?;
        if !candidate.edits.is_empty() {
            let text = edited(&instance.text(), &candidate.edits)?;
            instance = self.problem.read(&text).ok()?.without_answers();
        }
        instance.ask(&self.question).ok()
    }

    /// A candidate with default parameters. A parameter whose given range excludes its default is drawn from the
    /// range.
    pub fn first(&self, random: &mut Random) -> HuntCandidate {
        let mut parameters = self.fixed.clone();
        for free in &self.free {
            let usual = free.info.default().as_ref().and_then(number);
            let is_inside = usual.is_some_and(|it| (free.range.0..=free.range.1).contains(&it));
            if free.is_said && !is_inside {
                parameters.set(free.info.name, free.drawn(random));
            }
        }
        HuntCandidate {
            parameters,
            seed: random.below(1 << 32),
            edits: Vec::new(),
        }
    }

    /// `parent` with something changed: its seed, some parameters, or some words.
    pub fn mutated(&self, parent: &HuntCandidate, random: &mut Random) -> HuntCandidate {
        let mut child = parent.clone();
        match random.below(10) {
            0..3 => {
                child.seed = random.below(1 << 32);
                child.edits.clear();
            }
            3..6 if !self.free.is_empty() => {
                child.edits.clear();
                for _ in 0..random.between(1, 2) {
                    self.vary(&mut child.parameters, random);
                }
            }
            _ => self.edit(&mut child, random),
        }
        child
    }

    /// Parameters of either parent; seed and changed words of the first.
    pub fn crossed(
        &self,
        one: &HuntCandidate,
        other: &HuntCandidate,
        random: &mut Random,
    ) -> HuntCandidate {
        let mut child = one.clone();
        for free in &self.free {
            if let Some(value) = other.parameters.value(free.info.name)
                && random.chance(0.5)
            {
                child.parameters.set(free.info.name, value.clone());
            }
        }
        if child.parameters != one.parameters {
            child.edits.clear();
        } else if one.seed == other.seed {
            // Siblings of one seed: the child has the changes of both.
            child.edits.extend(other.edits.iter().cloned());
        }
        child
    }

    fn vary(&self, parameters: &mut Settings, random: &mut Random) {
        let free = &self.free[random.index(self.free.len())];
        let now = parameters
            .value(free.info.name)
            .cloned()
            .or_else(|| free.info.default());
        let value = match free.info.kind {
            SettingKind::Int { .. } | SettingKind::Float { .. } => {
                let (least, most) = free.range;
                let near = now.as_ref().and_then(number).map(|now| {
                    let step = (most - least) / 8.0 * (2.0 * random.unit() - 1.0);
                    now + step + step.signum()
                });
                match near.filter(|_| random.chance(0.7)) {
                    Some(near) => of_number(&free.info, near.clamp(least, most)),
                    None => free.drawn(random),
                }
            }
            SettingKind::Bool { .. } => Value::Bool(random.chance(0.5)),
            SettingKind::Choice { words, .. } => {
                let words = words();
                Value::parse(words[random.index(words.len())])
            }
            SettingKind::Text { .. } => return,
        };
        parameters.set(free.info.name, value);
    }

    /// Changes one to four words: each is replaced by another word of the text, or, in a row of a map, a part of it
    /// by that part of another row.
    fn edit(&self, child: &mut HuntCandidate, random: &mut Random) {
        let made = self
            .problem
            .generate(self.generator.name, &child.parameters, child.seed);
        let Some(text) = made
            .ok()
            .map(|made| made.text())
            .filter(|text| text.len() <= LONGEST_TEXT)
        else {
            child.seed = random.below(1 << 32);
            return;
        };
        let words = words(&text);
        if words.is_empty() {
            return;
        }
        for _ in 0..random.between(1, 4) {
            let at = random.index(words.len());
            let own = &text[words[at].clone()];
            let other = &text[words[random.index(words.len())].clone()];
            let word = match own.len() >= LONG_WORD
                && own.is_ascii()
                && other.len() == own.len()
                && other.is_ascii()
            {
                true => {
                    let (one, two) = (random.index(own.len()), random.index(own.len()));
                    let (from, to) = (one.min(two), one.max(two));
                    format!("{}{}{}", &own[..from], &other[from..to], &own[to..])
                }
                false => other.to_owned(),
            };
            child.edits.push(Edit { at, word });
        }
    }
}

/// A parameter with the range in which it varies by default; `None` for text.
fn varied(info: &SettingInfo) -> Option<FreeParameter> {
    let range = match info.kind {
        SettingKind::Int {
            default,
            least,
            most,
        } => {
            let usual = default
                .unwrap_or(least)
                .max(1)
                .saturating_mul(TIMES_DEFAULT);
            (least as f64, most.min(usual.max(least)) as f64)
        }
        SettingKind::Float { least, most, .. } => (least, most),
        SettingKind::Bool { .. } | SettingKind::Choice { .. } => (0.0, 0.0),
        SettingKind::Text { .. } => return None,
    };
    Some(FreeParameter {
        info: *info,
        range,
        is_said: false,
    })
}

/// `8..32` as its ends.
fn range_of(value: &Value) -> Option<(f64, f64)> {
    let Value::Text(text) = value else {
        return None;
    };
    let (low, high) = text.split_once("..")?;
    let ends = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    (ends.0 <= ends.1).then_some(ends)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Bool(_) | Value::Text(_) => None,
    }
}

fn of_number(info: &SettingInfo, value: f64) -> Value {
    match info.kind {
        SettingKind::Int { .. } => Value::Int(value.round() as i64),
        // Three decimals are short enough to be typed.
        _ => Value::Float((value * 1e3).round() / 1e3),
    }
}

/// The ranges of the words of `text`, which are separated by white space and commas.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_edge = |letter: char| letter.is_whitespace() || letter == ',';
    let mut words = Vec::new();
    let mut begin = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_edge(letter), begin) {
            (false, None) => begin = Some(at),
            (true, Some(from)) => {
                words.push(from..at);
                begin = None;
            }
            _ => {}
        }
    }
    words
}

/// `text` with the edits applied; `None` if the place of an edit does not exist.
fn edited(text: &str, edits: &[Edit]) -> Option<String> {
    let places = words(text);
    let mut said: Vec<&str> = places.iter().map(|place| &text[place.clone()]).collect();
    for edit in edits {
        *said.get_mut(edit.at)? = &edit.word;
    }
    let mut changed = String::with_capacity(text.len());
    let mut end = 0;
    for (place, word) in places.iter().zip(said) {
        changed.push_str(&text[end..place.start]);
        changed.push_str(word);
        end = place.end;
    }
    changed.push_str(&text[end..]);
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn ground(generator: &str, sets: &str) -> Result<SearchSpace, InputError> {
        let (problem, generator) = registry::generator(generator)?;
        SearchSpace::new(problem, generator, &ikeru_core::testing::settings(sets))
    }

    #[test]
    fn words_are_replaced_at_their_places() {
        let edit = |at, word: &str| Edit {
            at,
            word: word.to_owned(),
        };
        let text = "2 3\n+1,+20\n";
        let changed = edited(text, &[edit(0, "9"), edit(3, "*4"), edit(0, "8")]);
        assert_eq!(changed.as_deref(), Some("8 3\n+1,*4\n"));
        assert_eq!(edited(text, &[]), Some(text.to_owned()));
        assert_eq!(edited(text, &[edit(4, "no such word")]), None);
    }

    #[test]
    fn candidates_stay_on_their_ground_and_most_of_them_grow() {
        for (generator, sets) in [
            ("trail.random", "width=3..5 height=4"),
            ("path.random", "width=16..40 height=20"),
            ("reach.spanning-grid", "width=4..12 height=4..12 steps=9"),
        ] {
            let ground = ground(generator, sets).expect("a ground");
            let random = &mut Random::new("test", 1);
            let mut pool = vec![ground.first(random)];
            let mut grown = 0;
            for _ in 0..200 {
                let parent = pool[random.index(pool.len())].clone();
                let other = pool[random.index(pool.len())].clone();
                let crossed = ground.crossed(&parent, &other, random);
                let child = ground.mutated(&crossed, random);
                for free in &ground.free {
                    let Some(value) = child.parameters.value(free.info.name) else {
                        continue;
                    };
                    assert!(free.info.check(value).is_ok(), "{generator}: {value}");
                    if let Some(number) = number(value) {
                        assert!(
                            (free.range.0..=free.range.1).contains(&number),
                            "{generator}"
                        );
                    }
                }
                if ground.grow(&child).is_some() {
                    grown += 1;
                    pool.push(child);
                }
            }
            assert!(grown > 60, "{generator}: {grown} of 200");
            // A map of `reach` names every edge at both ends: one changed word is refused, as it should be.
            let is_changed = pool.iter().any(|child| !child.edits.is_empty());
            assert!(is_changed || generator.starts_with("reach."), "{generator}");
        }
    }

    /// A length published before a map was changed would make a right answer wrong.
    #[test]
    fn a_changed_map_publishes_no_lengths() {
        let ground = ground("path.random", "width=8 height=8 queries=3").expect("a ground");
        let mut candidate = ground.first(&mut Random::new("test", 1));
        let lengths = |candidate: &HuntCandidate| -> Vec<String> {
            let text = ground.grow(candidate).expect("a map").text();
            let rows = text.lines().filter(|line| line.contains('\t'));
            rows.filter_map(|row| row.rsplit('\t').next().map(str::to_owned))
                .collect()
        };
        assert!(!lengths(&candidate).contains(&"-1".to_owned()));
        candidate.edits.push(Edit {
            at: 0,
            word: "type".to_owned(),
        });
        assert_eq!(lengths(&candidate), ["-1"; 3]);
    }

    #[test]
    fn keys_and_ranges_are_checked() {
        let refused = |sets| {
            ground("trail.random", sets)
                .map(|_| ())
                .expect_err("refused")
                .message
        };
        assert!(refused("widht=3").contains("did you mean `width`?"));
        assert!(refused("width=0..4").contains("expected a whole number from"));
        let fixed = ground("trail.random", "width=4").expect("a ground");
        assert!(fixed.free.iter().all(|free| free.info.name != "width"));
    }
}
