//! Sets of templates in every form: labelled drawings, matrices, and compiled for search.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use ikeru_chain::{Board, Piece, PuyoColour, Size};
use ikeru_core::InputError;

use crate::matching::{Matcher, extent, stones};
use crate::templates::colouring::{Needs, can_be_coloured, colour_needs};
use crate::templates::criterion::Criterion;
use crate::templates::matrix::{StateMatrix, Stone, TemplateMatrix};
use crate::templates::{Template, TemplateOptions, sets};

/// Templates for boards of one size.
pub struct Repertoire {
    /// The templates after all stages.
    pub templates: Vec<Template>,
    /// The templates compiled for search.
    pub matcher: Arc<Matcher>,
    /// The mask of the templates of each named set, in the order in which the sets were named.
    pub sets: Vec<u32>,
    /// Stage 4, for the referee and for `template-matrices`.
    matrices: Vec<TemplateMatrix>,
    /// The colours of the game.
    colours: usize,
    /// The puyos of each colour that the colourings of all templates need, computed at first use.
    needs: OnceLock<BTreeSet<Needs>>,
}

/// The inputs from which a repertoire is made: the key of [`SHARED`].
#[derive(PartialEq, Eq, Hash)]
struct Made {
    names: String,
    files: Vec<sets::File>,
    size: Size,
    options: TemplateOptions,
    colours: usize,
}

/// The repertoires of all questions of this process.
static SHARED: LazyLock<Mutex<HashMap<Made, Arc<Repertoire>>>> = LazyLock::new(Mutex::default);

impl Repertoire {
    /// The templates called `names` (see [`sets::drawings`]) in a game of `colours` colours; `files` holds the text of
    /// those that are drawn in files.
    ///
    /// # Errors
    /// An unknown set, or a drawing that does not fire as it must.
    pub fn named(
        names: &str,
        files: &[sets::File],
        size: Size,
        options: TemplateOptions,
        colours: usize,
    ) -> Result<Self, InputError> {
        let mut templates = Vec::new();
        let mut starts = Vec::new();
        for name in names.split('+') {
            starts.push(templates.len());
            let drawings = sets::drawings_in(name, files)?;
            templates.extend(sets::templates(drawings, extent(size), options)?);
        }
        Self::new(templates, &starts, size, colours)
    }

    /// The same, made once per process for the questions and referees of many games. A solver makes a separate one,
    /// so that its preparation time includes it.
    ///
    /// # Errors
    /// See [`Self::named`].
    pub fn shared(
        names: &str,
        files: &[sets::File],
        size: Size,
        options: TemplateOptions,
        colours: usize,
    ) -> Result<Arc<Self>, InputError> {
        let made = Made {
            names: names.to_owned(),
            files: files.to_vec(),
            size,
            options,
            colours,
        };
        let known = || SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&made) {
            return Ok(Arc::clone(known));
        }
        let new = Arc::new(Self::named(names, files, size, options, colours)?);
        Ok(Arc::clone(known().entry(made).or_insert(new)))
    }

    /// `starts` holds the number of the first template of each set.
    fn new(
        templates: Vec<Template>,
        starts: &[usize],
        size: Size,
        colours: usize,
    ) -> Result<Self, InputError> {
        if let Some(template) = templates.iter().find(|one| !can_be_coloured(one, colours)) {
            let name = &template.drawing.name;
            let message = format!("template `{name}` cannot be coloured with {colours} colours");
            return Err(template.drawing.error(message));
        }
        let matcher = Arc::new(Matcher::new(&templates, size)?);
        let from = |start: usize| matcher.all() & !((1 << start) - 1);
        let ends = starts.iter().skip(1).map(|&start| from(start));
        let sets = starts.iter().zip(ends.chain([0]));
        Ok(Self {
            sets: sets.map(|(&start, end)| from(start) & !end).collect(),
            matcher,
            matrices: templates.iter().map(TemplateMatrix::new).collect(),
            templates,
            colours,
            needs: OnceLock::new(),
        })
    }

    /// Returns whether a template meets `criterion` on `board` without a violated hard relation, computed by
    /// matrices.
    pub fn completed(&self, board: &Board, criterion: Criterion) -> bool {
        let stones = stones(board);
        let state = StateMatrix::new(&stones);
        let is_empty = |cell: &usize| stones[*cell] == Stone::Empty;
        self.templates
            .iter()
            .zip(&self.matrices)
            .any(|(template, matrix)| {
                let empty = template.capital_cells().filter(is_empty).count() as u32;
                matrix
                    .match_with(&state)
                    .is_some_and(|found| criterion.is_met(empty, || found))
            })
    }

    /// A lower bound on the pieces that complete a template by `criterion` on an empty board: the first pieces must
    /// hold the puyos of each colour for some colouring, except for the cells that may be missing. `None` if `pieces`
    /// never hold them, and for criteria on the match, for which no bound is known.
    pub fn least_moves(&self, pieces: &[Piece], criterion: Criterion) -> Option<usize> {
        let Criterion::Missing(missing) = criterion else {
            return None;
        };
        let needs = self.needs.get_or_init(|| {
            let of_each = self
                .templates
                .iter()
                .map(|one| colour_needs(one, self.colours));
            of_each.flatten().collect()
        });
        let mut counts = [0; PuyoColour::COUNT];
        for (played, piece) in (1..).zip(pieces) {
            counts[piece.axis.index()] += 1;
            counts[piece.child.index()] += 1;
            let short = |need: &Needs| {
                let lacking = need
                    .iter()
                    .zip(counts)
                    .map(|(&need, have)| need.saturating_sub(have));
                lacking.sum::<u32>()
            };
            if needs.iter().any(|need| short(need) <= missing) {
                return Some(played);
            }
        }
        None
    }
}
