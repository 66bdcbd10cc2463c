//! A set of templates ready for every use: drawn, as matrices, and compiled for search.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use ikeru_chain::{Board, Piece, PuyoColour, Size};
use ikeru_core::InputError;

use crate::matching::{Matcher, extent, stones};
use crate::templates::criterion::Criterion;
use crate::templates::matrix::{StateMatrix, Stone, TemplateMatrix};
use crate::templates::truth::LabelRelation;
use crate::templates::{Options, Template, sets};

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
    /// How many puyos of each colour some proper colouring of some template needs, most first.
    needs: Vec<[u32; PuyoColour::COUNT]>,
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
        options: Options,
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
        let mut needs = Vec::new();
        for template in &templates {
            if !colour_needs(template, colours, &mut needs) {
                let name = &template.drawing.name;
                let message =
                    format!("template `{name}` cannot be coloured with {colours} colours");
                return Err(template.drawing.error(message));
            }
        }
        needs.sort_unstable();
        needs.dedup();
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
    #[must_use]
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
    #[must_use]
    pub fn least_moves(&self, pieces: &[Piece], criterion: Criterion) -> Option<usize> {
        let Criterion::Missing(missing) = criterion else {
            return None;
        };
        let mut counts = [0; PuyoColour::COUNT];
        for (played, piece) in (1..).zip(pieces) {
            counts[piece.axis.index()] += 1;
            counts[piece.child.index()] += 1;
            let short = |need: &[u32; PuyoColour::COUNT]| {
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

/// Above so many groups colourings are too many to list (the domino has 18 groups and some 10⁸).
const LISTED_GROUPS: usize = 12;
/// Nor are more listed than these: drawings with few neighbours, in many colours.
const LISTED_COLOURINGS: u32 = 1 << 20;

/// The puyos of each colour in every proper colouring of a template's capitals, added to `needs`.
/// For many groups those of every colouring, proper or not: a bound derived from them stays valid.
/// Returns whether there is a proper colouring.
fn colour_needs(
    template: &Template,
    colours: usize,
    needs: &mut Vec<[u32; PuyoColour::COUNT]>,
) -> bool {
    let capitals = template.labels.capitals();
    let mut sizes = vec![0; capitals];
    for label in template
        .capital_cells()
        .filter_map(|cell| template.labels.label(cell))
    {
        sizes[label] += 1;
    }
    if capitals > LISTED_GROUPS {
        let any = for_each_colouring(template, colours, &mut |_| ControlFlow::Break(()));
        if any.is_break() {
            needs.extend(proper_or_not(&sizes, colours));
        }
        return any.is_break();
    }
    let mut listed = 0;
    let mut proper = BTreeSet::new();
    let all = for_each_colouring(template, colours, &mut |colouring| {
        listed += 1;
        let mut need = [0; PuyoColour::COUNT];
        for (&colour, &size) in colouring.iter().zip(&sizes) {
            need[colour] += size;
        }
        proper.insert(need);
        if listed < LISTED_COLOURINGS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    if all.is_break() {
        needs.extend(proper_or_not(&sizes, colours));
    } else {
        needs.extend(proper);
    }
    listed > 0
}

/// The puyos of each colour in every colouring of groups of these sizes.
fn proper_or_not(sizes: &[u32], colours: usize) -> BTreeSet<[u32; PuyoColour::COUNT]> {
    let mut partial = BTreeSet::from([[0; PuyoColour::COUNT]]);
    for &size in sizes {
        let extended = partial.iter().flat_map(|need| {
            (0..colours).map(move |colour| {
                let mut need = *need;
                need[colour] += size;
                need
            })
        });
        partial = extended.collect();
    }
    partial
}

/// Calls `visit` with every colouring of a template's capitals that its truth table allows, a colour
/// number per capital, until it breaks.
pub fn for_each_colouring(
    template: &Template,
    colours: usize,
    visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    fn extend(
        template: &Template,
        colours: usize,
        colouring: &mut Vec<usize>,
        visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let label = colouring.len();
        if label == template.labels.capitals() {
            return visit(colouring);
        }
        for colour in 0..colours {
            let clash = (0..label).any(|other| {
                colouring[other] == colour
                    && template.truth.relation(label, other) == LabelRelation::Differ
            });
            if !clash {
                colouring.push(colour);
                extend(template, colours, colouring, visit)?;
                colouring.pop();
            }
        }
        ControlFlow::Continue(())
    }
    extend(template, colours, &mut Vec::new(), visit)
}
