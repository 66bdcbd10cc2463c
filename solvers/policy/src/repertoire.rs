//! A set of templates ready for every use: drawn, as matrices, and compiled for search.

use std::collections::BTreeSet;
use std::sync::Arc;

use ikeru_chain::{Board, Piece, PuyoColour, Size};
use ikeru_core::InputError;

use crate::matching::{Matcher, extent, stones};
use crate::templates::colouring::{Needs, colour_needs};
use crate::templates::criterion::Criterion;
use crate::templates::matrix::{StateMatrix, Stone, TemplateMatrix};
use crate::templates::{Template, TemplateOptions, sets};

/// Templates for boards of one size.
pub struct Repertoire {
    /// Through all stages.
    pub templates: Vec<Template>,
    /// Compiled for search.
    pub matcher: Arc<Matcher>,
    /// Per named set the mask of its templates, in the order of their names.
    pub sets: Vec<u32>,
    /// Stage 4, for the referee, which shares no code with the search.
    matrices: Vec<TemplateMatrix>,
    /// The needs of some proper colouring of some template.
    needs: BTreeSet<Needs>,
}

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

    /// `starts`: the number of the first template of each set.
    fn new(
        templates: Vec<Template>,
        starts: &[usize],
        size: Size,
        colours: usize,
    ) -> Result<Self, InputError> {
        let mut needs = BTreeSet::new();
        for template in &templates {
            let of_template = colour_needs(template, colours);
            if of_template.is_empty() {
                let name = &template.drawing.name;
                let message =
                    format!("template `{name}` cannot be coloured with {colours} colours");
                return Err(template.drawing.error(message));
            }
            needs.extend(of_template);
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
            needs,
        })
    }

    /// Whether some template meets `criterion` on `board`, none of its hard relations violated: by
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

    /// A number of pieces before which no play completes a template by `criterion`: stones are never created, so the first pieces must hold enough puyos of every
    /// colour for some proper colouring, and enough puyos at all. `None` if `pieces` never do, and for a match, of which no
    /// bound is known.
    pub fn least_moves(&self, pieces: &[Piece], criterion: Criterion) -> Option<usize> {
        let Criterion::Missing(missing) = criterion else {
            return None;
        };
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
            if self.needs.iter().any(|need| short(need) <= missing) {
                return Some(played);
            }
        }
        None
    }
}
