//! An instance: a map with its scenario, and the question put to it.

use std::sync::Arc;

use ikeru_core::{Choice, InputError, Settings};

use crate::map::{Cell, Map};
use crate::question::{BUCKET, GOAL, Question, START, TENTH};

/// One row of a scenario: where from, where to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// The scenario's group, by custom a quarter of the length.
    pub bucket: u32,
    /// Where from.
    pub start: Cell,
    /// Where to.
    pub goal: Cell,
    /// The length of the shortest path as published; `None` where nothing is known.
    pub published: Option<f64>,
}

/// What a file holds or a generator makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The map.
    pub map: Map,
    /// The map's name in the rows of the scenario.
    pub map_name: String,
    /// The scenario's rows; empty where a map came alone.
    pub scenario: Vec<Query>,
    /// The question that comes with the file.
    pub question: Question,
}

/// A map, the queries asked on it, and by which rules.
#[derive(Debug, Clone)]
pub struct Instance {
    /// What does not change with the question.
    pub input: Arc<Input>,
    /// The rules.
    pub question: Question,
    /// The queries to answer, all of them on open ground. May be empty: then nothing was asked.
    pub queries: Arc<[Query]>,
    bucket: Option<u32>,
    tenth: Option<usize>,
    ends: (Option<Cell>, Option<Cell>),
}

impl Instance {
    /// The input with the question that came with it.
    ///
    /// # Errors
    /// When a query starts or ends off the map or on blocked ground.
    pub fn new(input: Input) -> Result<Self, InputError> {
        let mut instance = Self {
            question: input.question,
            queries: input.scenario.as_slice().into(),
            input: Arc::new(input),
            bucket: None,
            tenth: None,
            ends: (None, None),
        };
        instance.select()?;
        Ok(instance)
    }

    /// The same input with another question.
    ///
    /// # Errors
    /// When a setting is wrong, or a query starts or ends off the map or on ground that the
    /// traveller cannot enter.
    pub fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        asked.question = self.question.with(settings)?;
        let bucket = settings.get(&BUCKET)?.map(|bucket| bucket as u32);
        asked.bucket = bucket.or(asked.bucket);
        let tenth = settings.get(&TENTH)?.map(|tenth| tenth as usize);
        asked.tenth = tenth.or(asked.tenth);
        for (setting, end) in [(&START, &mut asked.ends.0), (&GOAL, &mut asked.ends.1)] {
            if let Some(typed) = settings.get(setting)? {
                let cell = parse_cell(&typed).ok_or_else(|| {
                    InputError::new(format!(
                        "setting `{}` is `{typed}`, expected x,y",
                        setting.name()
                    ))
                })?;
                *end = Some(cell);
            }
        }
        asked.select()?;
        Ok(asked)
    }

    /// Refuses to answer where nothing was asked.
    ///
    /// # Errors
    /// When there is no query.
    pub fn refuse_no_query(&self) -> Result<(), InputError> {
        if self.queries.is_empty() {
            return Err(InputError::new(
                "nothing is asked: set start=x,y and goal=x,y, or read a scenario",
            ));
        }
        Ok(())
    }

    /// The map.
    #[inline]
    pub fn map(&self) -> &Map {
        &self.input.map
    }

    /// The factor of `cell` in hundredths; `None` if the traveller cannot enter it.
    #[inline]
    pub fn factor(&self, cell: Cell) -> Option<u32> {
        self.question.factors.of(self.map().terrain(cell))
    }

    fn select(&mut self) -> Result<(), InputError> {
        self.queries = match self.ends {
            (Some(start), Some(goal)) => Arc::new([Query {
                bucket: 0,
                start,
                goal,
                published: None,
            }]),
            (None, None) => self.rows()?,
            (Some(_), None) => return Err(InputError::new("start= needs goal= as well")),
            (None, Some(_)) => return Err(InputError::new("goal= needs start= as well")),
        };
        let single = self.queries.len() == 1;
        for (index, query) in self.queries.iter().enumerate() {
            for (end, cell) in [("start", query.start), ("goal", query.goal)] {
                self.check_end(end, cell).map_err(|message| {
                    InputError::new(if single {
                        message
                    } else {
                        format!("query {}: {message}", index + 1)
                    })
                })?;
            }
        }
        Ok(())
    }

    /// The rows of the bucket and the tenth asked for.
    fn rows(&self) -> Result<Arc<[Query]>, InputError> {
        let all = &self.input.scenario;
        let part = self.tenth.map_or(0..all.len(), |tenth| {
            (tenth - 1) * all.len() / 10..tenth * all.len() / 10
        });
        let of_bucket = |row: &&Query| self.bucket.is_none_or(|bucket| row.bucket == bucket);
        let rows: Arc<[Query]> = all[part].iter().filter(of_bucket).copied().collect();
        match (self.bucket, self.tenth) {
            (Some(bucket), _) if rows.is_empty() => Err(InputError::new(format!(
                "the scenario has no query of bucket {bucket}"
            ))),
            (None, Some(tenth)) if rows.is_empty() => Err(InputError::new(format!(
                "the scenario has {} rows, none in its tenth number {tenth}",
                all.len()
            ))),
            _ => Ok(rows),
        }
    }

    fn check_end(&self, end: &str, cell: Cell) -> Result<(), String> {
        let map = self.map();
        if !map.contains(cell) {
            return Err(format!(
                "{end} {cell} is outside the map of {}×{}",
                map.width(),
                map.height()
            ));
        }
        if self.factor(cell).is_none() {
            return Err(format!(
                "{end} {cell} is {}, which the unit `{}` cannot enter",
                map.terrain(cell).name(),
                self.question.unit.word()
            ));
        }
        Ok(())
    }
}

fn parse_cell(text: &str) -> Option<Cell> {
    let (x, y) = text.split_once(',')?;
    Some(Cell {
        x: x.trim().parse().ok()?,
        y: y.trim().parse().ok()?,
    })
}
