//! An instance: a map with its scenario and a question.

use std::sync::Arc;

use ikeru_core::{Choice, InputError, Refusal, Settings, input_error};

use crate::map::{Cell, TerrainMap};
use crate::question::{BUCKET, GOAL, Question, START, TENTH};

/// One row of a scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// The scenario's group, by custom a quarter of the length.
    pub bucket: u32,
    /// The start cell.
    pub start: Cell,
    /// The goal cell.
    pub goal: Cell,
    /// The published length of the shortest path; `None` if it is unknown.
    pub published: Option<f64>,
}

impl Query {
    /// Both ends with their names.
    pub fn ends(&self) -> [(&'static str, Cell); 2] {
        [("start", self.start), ("goal", self.goal)]
    }
}

/// The content of a file, or the output of a generator.
#[derive(Debug, Clone, PartialEq)]
pub struct MapInput {
    /// The map.
    pub map: TerrainMap,
    /// The map's name in the rows of the scenario.
    pub map_name: String,
    /// The rows of the scenario; empty for a map without a scenario.
    pub scenario: Vec<Query>,
    /// A map that other rows of the scenario's file are for, and how many there are. They are left out.
    pub other_map: Option<(String, usize)>,
    /// The question that comes with the file.
    pub question: Question,
}

/// A map with queries and the rules for answering them.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The part that does not change with the question.
    pub input: Arc<MapInput>,
    /// The rules.
    pub question: Question,
    /// The queries to answer; may be empty.
    pub queries: Arc<[Query]>,
    /// The number of rows that are left out because they start or end on ground that the traveller cannot enter.
    pub left_out: usize,
    /// A message about the first of these rows, or about an empty tenth.
    blocked: Option<Arc<str>>,
    bucket: Option<u32>,
    tenth: Option<usize>,
    ends: (Option<Cell>, Option<Cell>),
}

impl Instance {
    /// The input with its own question.
    ///
    /// # Errors
    /// If a query starts or ends outside the map.
    pub fn new(input: MapInput) -> Result<Self, InputError> {
        let mut instance = Self {
            question: input.question,
            queries: input.scenario.as_slice().into(),
            left_out: 0,
            blocked: None,
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
    /// If a setting is wrong, or its start or goal is outside the map or on ground that the traveller cannot enter.
    pub fn ask(&self, settings: &Settings) -> Result<Self, InputError> {
        let mut asked = self.clone();
        asked.question = self.question.with(settings)?;
        asked.bucket = settings.get(&BUCKET)?.or(asked.bucket);
        asked.tenth = settings.get(&TENTH)?.or(asked.tenth);
        for (setting, end) in [(&START, &mut asked.ends.0), (&GOAL, &mut asked.ends.1)] {
            if let Some(typed) = settings.get(setting)? {
                let cell = parse_cell(&typed).ok_or_else(|| {
                    input_error!("setting `{}` is `{typed}`, expected x,y", setting.name())
                })?;
                *end = Some(cell);
            }
        }
        asked.select()?;
        Ok(asked)
    }

    /// Refuses an instance without queries.
    ///
    /// # Errors
    /// If no query was asked; a skip if every selected row starts or ends on ground that the traveller cannot enter,
    /// or if the scenario has too few rows for the tenth that was asked for.
    pub fn refuse_unanswerable(&self) -> Result<(), Refusal> {
        match &self.blocked {
            _ if !self.queries.is_empty() => Ok(()),
            Some(blocked) => Err(Refusal::skip(&**blocked)),
            None => Err(InputError::new(
                "nothing is asked: set start=x,y and goal=x,y, or read a scenario",
            )
            .into()),
        }
    }

    /// The number of rows that are left out, for their ground or because they are for other maps.
    pub fn rows_left_out(&self) -> usize {
        self.left_out + self.other_rows().map_or(0, |(_, count)| *count)
    }

    /// Rows of other maps, if the question is that of the scenario. They are in no part of it, and count with the first.
    fn other_rows(&self) -> Option<&(String, usize)> {
        let other = self.input.other_map.as_ref();
        let is_first = self.bucket.is_none() && self.tenth.is_none_or(|tenth| tenth == 1);
        other.filter(|_| is_first && self.ends == (None, None))
    }

    /// A message about the rows that are left out; empty if there is none.
    pub fn left_out_in_words(&self) -> String {
        let rows = |count: usize| format!("{count} row{}", if count == 1 { "" } else { "s" });
        let blocked = self.blocked.iter().filter(|_| self.left_out > 0);
        let blocked = blocked.map(|first| format!("{} left out: {first}", rows(self.left_out)));
        let others = self.other_rows().into_iter().map(|(name, count)| {
            format!("{} left out of other maps, such as `{name}`", rows(*count))
        });
        blocked.chain(others).collect::<Vec<_>>().join("\n")
    }

    /// The map.
    #[inline]
    pub fn map(&self) -> &TerrainMap {
        &self.input.map
    }

    /// The factor of `cell` in hundredths; `None` if the traveller cannot enter it.
    #[inline]
    pub fn factor(&self, cell: Cell) -> Option<u32> {
        self.question.factors.of(self.map().terrain(cell))
    }

    fn select(&mut self) -> Result<(), InputError> {
        (self.blocked, self.left_out) = (None, 0);
        self.queries = match self.ends {
            (Some(start), Some(goal)) => Arc::new([Query {
                bucket: 0,
                start,
                goal,
                published: None,
            }]),
            (None, None) => return self.select_rows(),
            (Some(_), None) => return Err(InputError::new("start= needs goal= as well")),
            (None, Some(_)) => return Err(InputError::new("goal= needs start= as well")),
        };
        for query in self.queries.iter() {
            self.on_map(*query).map_err(InputError::new)?;
            self.on_open_ground(*query).map_err(InputError::new)?;
        }
        Ok(())
    }

    /// Selects rows of the scenario. A row outside the map is an error; a row on blocked ground has no answer and is
    /// left out.
    fn select_rows(&mut self) -> Result<(), InputError> {
        let rows = self.rows()?;
        let mut open = Vec::with_capacity(rows.len());
        let number = |query: &Query| {
            let mut rows = self.input.scenario.iter();
            rows.position(|row| row == query).map_or(0, |row| row + 1)
        };
        let mut first = None;
        for query in rows.iter() {
            let named = |message| format!("row {} of the scenario: {message}", number(query));
            self.on_map(*query)
                .map_err(|message| InputError::new(named(message)))?;
            match self.on_open_ground(*query) {
                Ok(()) => open.push(*query),
                Err(message) => drop(first.get_or_insert_with(|| named(message))),
            }
        }
        self.left_out = rows.len() - open.len();
        self.queries = open.into();
        if let (Some(tenth), true) = (self.tenth, rows.is_empty()) {
            let rows = self.input.scenario.len();
            first = Some(format!(
                "the scenario has {rows} rows, none in its tenth number {tenth}"
            ));
        }
        self.blocked = first.map(Into::into);
        Ok(())
    }

    /// The rows of the bucket and the tenth that were asked for.
    fn rows(&self) -> Result<Arc<[Query]>, InputError> {
        let all = &self.input.scenario;
        let part = self.tenth.map_or(0..all.len(), |tenth| {
            (tenth - 1) * all.len() / 10..tenth * all.len() / 10
        });
        let of_bucket = |row: &&Query| self.bucket.is_none_or(|bucket| row.bucket == bucket);
        let rows: Arc<[Query]> = all[part].iter().filter(of_bucket).copied().collect();
        match self.bucket {
            Some(bucket) if rows.is_empty() && self.tenth.is_none() => {
                Err(input_error!("the scenario has no query of bucket {bucket}"))
            }
            _ => Ok(rows),
        }
    }

    fn on_map(&self, query: Query) -> Result<(), String> {
        let map = self.map();
        for (end, cell) in query.ends() {
            if !map.contains(cell) {
                return Err(format!(
                    "{end} {cell} is outside the map of {}×{}",
                    map.width(),
                    map.height()
                ));
            }
        }
        Ok(())
    }

    fn on_open_ground(&self, query: Query) -> Result<(), String> {
        for (end, cell) in query.ends() {
            if self.factor(cell).is_none() {
                return Err(format!(
                    "{end} {cell} is {}, which the unit `{}` cannot enter",
                    self.map().terrain(cell).name(),
                    self.question.unit.word()
                ));
            }
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
