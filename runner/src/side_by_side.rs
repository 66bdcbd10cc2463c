//! Two searches of one instance, recorded after a run for the page that shows them in step.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use ikeru_bench_data::builtin;
use ikeru_bench_data::published::SideBySide;
use ikeru_book::side_by_side::{self, RecordedPair, RecordedSearch};
use ikeru_core::{
    AnyInstance, AnyProblem, Deadline, Ended, Incumbent, InputError, Picture, Refusal, Search,
    Settings, Value, refuse,
};
use ikeru_reports::units;

use crate::plan::Stage;
use crate::registry;

/// Records the pairs of the sources whose experiments the run has. A run of one experiment has no pair, because its
/// page shows none. Variants whose cells run in separate processes are not searched in this process: such a run has
/// no pair.
///
/// # Errors
/// A pair that cannot be made, which a test would have found, or a file that cannot be written.
pub fn record(folder: &Path, sources: &[&str], stages: &[Stage]) -> Result<()> {
    if stages.len() < 2 || stages.iter().any(|stage| stage.isolate) {
        return Ok(());
    }
    let mut pairs = Vec::new();
    for source in builtin::published()? {
        let story = source.story.as_ref();
        let told = story.and_then(|story| story.side_by_side.as_ref());
        if let Some(asked) = told.filter(|_| sources.contains(&source.word())) {
            pairs.push(pair(source.word(), asked)?);
        }
    }
    Ok(side_by_side::write(folder, &pairs)?)
}

/// Both searches, recorded.
///
/// # Errors
/// An unknown generator, variant or setting.
pub fn pair(source: &str, asked: &SideBySide) -> Result<RecordedPair, InputError> {
    let (problem, generator) = registry::generator(&asked.generator)?;
    let parameters = Settings::from(asked.set.clone()).with_defaults(generator.parameters);
    let base = problem.generate(&asked.generator, &parameters, asked.seed)?;
    let mut searches = Vec::new();
    for ([variant, counter, unit], method) in asked.variants.iter().zip(&asked.methods) {
        let method = Settings::from(method.clone());
        let recorder = Recorder {
            problem,
            base: &*base,
            variant,
            counter,
            asked,
            method: &method,
        };
        let drawn = base
            .ask(&recorder.settings(None))?
            .recorded(variant, &method);
        let adds = asked.along.is_none() && !drawn.is_empty();
        let frames = match (&asked.along, adds) {
            (Some(along), _) => recorder.along(along, &drawn)?,
            // The last picture is the answer, which takes no further step.
            (None, true) => {
                let last = drawn.len() as u64 - 1;
                let times = (0..last).chain([last.saturating_sub(1)]);
                let frames = times.zip(drawn);
                frames.map(|(at, picture)| (at, at, picture)).collect()
            }
            (None, false) => recorder.rises()?,
        };
        let method = method
            .iter()
            .map(|(name, value)| format!(", {name}={value}"));
        searches.push(RecordedSearch {
            variant: variant.clone() + &method.collect::<String>(),
            about: problem.variant(variant)?.about.to_owned(),
            unit: unit.clone(),
            adds,
            frames,
        });
    }
    Ok(RecordedPair {
        source: source.to_owned(),
        experiment: asked.experiment.clone(),
        title: asked.title.clone(),
        searches,
    })
}

/// One of the two searches.
struct Recorder<'a> {
    problem: &'static dyn AnyProblem,
    base: &'a dyn AnyInstance,
    variant: &'a str,
    counter: &'a str,
    asked: &'a SideBySide,
    method: &'a Settings,
}

/// Pictures with their time and count.
type Frames = Vec<(u64, u64, Picture)>;

impl Recorder<'_> {
    fn settings(&self, along: Option<(&str, i64)>) -> Settings {
        let mut settings = Settings::from(self.asked.settings.clone());
        if let Some((name, value)) = along {
            settings.set(name, Value::Int(value));
        }
        settings
    }

    /// The pictures of a search that ends when `stop` is set, with the value of the counter.
    fn answer(
        &self,
        settings: &Settings,
        incumbent: &Incumbent,
        stop: &AtomicBool,
    ) -> Result<(u64, Vec<Picture>), InputError> {
        let question = self.base.ask(settings)?;
        let deadline = Deadline::at_once(stop);
        let refused = |refusal: Refusal| InputError::new(format!("{}: {refusal:?}", self.variant));
        let solver = question.prepare(self.variant, self.method, deadline);
        let mut solver = solver.map_err(refused)?;
        let mut search = Search {
            deadline,
            ..Search::new(incumbent)
        };
        solver.solve(&mut search);
        let mut pictures = solver.pictures();
        let known = match solver.ended() {
            _ if self.asked.along.is_some() => String::new(),
            Some(Ended::Timeout { bound: Some(bound) }) => {
                format!("; at most {} is possible", units::number(bound as f64))
            }
            _ => "; proven: none has more".to_owned(),
        };
        if let Some(last) = pictures.last_mut() {
            last.caption += &known;
        }
        Ok((search.counters.get(self.counter), pictures))
    }

    /// An answer for each value of a setting from 0 to the requested one, in front of the shapes of `below`, for which the
    /// picture is made larger; the value is the time. Of several new pictures the first is shown: a board before its chain.
    fn along(&self, name: &str, below: &[Picture]) -> Result<Frames, InputError> {
        let Some(Value::Int(most)) = self.asked.settings.get(name) else {
            refuse!("`{name}` is no whole number of the settings");
        };
        let (mut frames, mut known, mut shown) = (Vec::new(), 0, 0);
        let mut settings = self.problem.settings().iter();
        let setting = settings.find(|setting| setting.name == name);
        let is_allowed =
            |value: &i64| setting.is_none_or(|it| it.check(&Value::Int(*value)).is_ok());
        for value in (0..=*most).filter(is_allowed) {
            let incumbent = Incumbent::new(self.problem.direction());
            let settings = self.settings(Some((name, value)));
            let (count, mut pictures) =
                self.answer(&settings, &incumbent, &AtomicBool::new(false))?;
            let shapes = || below.iter().flat_map(|picture| picture.shapes.clone());
            if pictures.len() > known {
                (shown, known) = (known, pictures.len());
            }
            if shown < pictures.len() {
                let mut picture = pictures.swap_remove(shown);
                picture.shapes.splice(0..0, shapes());
                for drawn in below {
                    picture.width = picture.width.max(drawn.width);
                }
                frames.push((value.unsigned_abs(), count, picture));
            }
        }
        Ok(frames)
    }

    /// The best answers at the rises of the score, found by stopping the search there, and at its end. The count is
    /// the time.
    fn rises(&self) -> Result<Frames, InputError> {
        let (settings, direction) = (self.settings(None), self.problem.direction());
        let incumbent = Incumbent::logged(direction);
        let last = self.answer(&settings, &incumbent, &AtomicBool::new(false))?;
        let mut answers = Vec::new();
        for rise in 1..=incumbent.rises().len() {
            let stop = Arc::new(AtomicBool::new(false));
            let incumbent = Incumbent::stopping(direction, rise, stop.clone());
            answers.push(self.answer(&settings, &incumbent, &stop)?);
        }
        answers.push(last);
        let pictures = answers.into_iter();
        let pictures = pictures.filter_map(|(count, mut of)| Some((count, count, of.pop()?)));
        let mut frames: Frames = pictures.collect();
        frames.dedup_by(|after, before| after.2 == before.2 && after.0 == before.0);
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_the_stories_is_recorded_and_ends_as_the_variants_end() {
        let mut pairs = 0;
        for source in builtin::published().expect("sources") {
            let Some(asked) = source
                .story
                .as_ref()
                .and_then(|story| story.side_by_side.as_ref())
            else {
                continue;
            };
            let pair = pair("s", asked).expect("a pair");
            for search in &pair.searches {
                let times: Vec<u64> = search.frames.iter().map(|(at, ..)| *at).collect();
                assert!(
                    times.is_sorted() && times.len() > 3,
                    "{}: {times:?}",
                    search.variant
                );
                assert!(
                    search
                        .frames
                        .iter()
                        .all(|(.., picture)| !picture.shapes.is_empty())
                );
            }
            // The second search ends with the smaller count; the two may have different counters.
            let ends = [0, 1].map(|side: usize| {
                pair.searches[side]
                    .frames
                    .last()
                    .map_or(0, |(_, count, _)| *count)
            });
            assert!(ends[1] < ends[0], "{}: {ends:?}", asked.title);
            pairs += 1;
        }
        assert!(pairs >= 3);
    }
}
