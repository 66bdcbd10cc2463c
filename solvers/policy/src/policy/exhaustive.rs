//! Templates as the thesis describes them: it tries every placement of the visible pieces and compares every leaf
//! with every template. No table is kept between leaves.
//!
//! This is the naive version of [`super::template`], which computes the same matches from masks and column heights.
//! It has two representations. *Relations* (section 3.4): the state matrix S of a leaf is recomputed and compared
//! with every template matrix T over all pairs of cells. This is the thesis's O(kᵈ n² mT). *Colourings* (section
//! 2.2): every proper colouring of a template is one state, and a leaf is compared with it cell by cell. The thesis
//! calls that inefficient: it counts 4 · 3⁴ colourings for five groups. The first stair with eight groups has 1,080,
//! fewer than 4 · 3⁷, because groups that are not neighbours must differ too.

use std::ops::ControlFlow;

use ikeru_chain::{Board, Cell, Piece, Placement};
use ikeru_core::{InputError, choices, refuse};

use super::repair::Repair;
use super::template::{COMPLETED, REPAIR_DEPTH, tie};
use super::{Policy, PolicyMove, PolicyWork, View};
use crate::matching::{Contacts, stones};
use crate::repertoire::Repertoire;
use crate::templates::Template;
use crate::templates::colouring::for_each_colouring;
use crate::templates::criterion::Completion;
use crate::templates::matrix::{Match, StateMatrix, TemplateMatrix};

choices! {
    /// The representation of boards and templates.
    #[derive(Default)]
    pub enum Representation {
        /// Matrices of the relations between cells.
        #[default]
        Relations = "relations",
        /// The same matrices; a violated relation lowers the match and rules no template out: the soft constraints that
        /// section 3.4 names as an extension.
        SoftRelations = "soft-relations",
        /// Colours of cells, with one state for each colouring.
        Colourings = "colourings",
    }
}

/// The most colourings of a set: each takes two bytes for every cell.
const MOST_COLOURINGS: usize = 1 << 21;

/// A colouring of a template: the colour that each cell should have.
struct ColouringState {
    /// The number of the template.
    template: usize,
    /// The colour that each cell should have, in the order of [`crate::templates::drawing::DrawingExtent::index`];
    /// `None` outside the chain.
    wanted: Vec<Option<u8>>,
}

/// The templates in one of the representations.
enum Represented {
    Relations(Vec<TemplateMatrix>),
    Colourings {
        states: Vec<ColouringState>,
        /// For each template, the weight of each cell of the chain and their sum.
        weights: Vec<(Vec<i64>, i64)>,
    },
}

impl Represented {
    /// # Errors
    /// If there are more colourings than [`MOST_COLOURINGS`].
    fn new(
        templates: &[Template],
        representation: Representation,
        colours: usize,
    ) -> Result<Self, InputError> {
        let matrices = templates.iter().map(TemplateMatrix::new);
        match representation {
            Representation::Relations => return Ok(Self::Relations(matrices.collect())),
            Representation::SoftRelations => {
                return Ok(Self::Relations(
                    matrices.map(TemplateMatrix::softened).collect(),
                ));
            }
            Representation::Colourings => {}
        }
        let mut states = Vec::new();
        for (template, drawn) in templates.iter().enumerate() {
            let cells = 0..drawn.labels.extent().cells();
            let labels: Vec<Option<usize>> = cells
                .map(|cell| {
                    let label = drawn.labels.label(cell);
                    label.filter(|label| drawn.labels.is_capital(*label))
                })
                .collect();
            let listed = for_each_colouring(drawn, colours, &mut |colouring| {
                let wanted = labels
                    .iter()
                    .map(|label| label.map(|label| colouring[label] as u8));
                states.push(ColouringState {
                    template,
                    wanted: wanted.collect(),
                });
                match states.len() <= MOST_COLOURINGS {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            if listed.is_break() {
                refuse!(
                    "the templates have more than {MOST_COLOURINGS} colourings, each a state of its own"
                );
            }
        }
        Ok(Self::Colourings {
            states,
            weights: templates.iter().map(weights).collect(),
        })
    }

    /// The best match of `board` with any template; `None` if it violates all of them.
    fn best_match(&self, board: &Board) -> Option<f64> {
        match self {
            Self::Relations(matrices) => {
                let state = StateMatrix::new(&stones(board));
                let matches = matrices
                    .iter()
                    .filter_map(|matrix| matrix.match_with(&state));
                matches.map(Match::value).reduce(f64::max)
            }
            Self::Colourings { states, weights } => {
                let cells = cells(board);
                let matches = states.iter().filter_map(|state| {
                    let (weights, total) = &weights[state.template];
                    agreement(state, weights, &cells).map(|sum| sum as f64 / *total as f64)
                });
                matches.reduce(f64::max)
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Relations(matrices) => matrices.iter().map(TemplateMatrix::bytes).sum(),
            Self::Colourings { states, weights } => {
                let states: usize = states.iter().map(|state| 2 * state.wanted.len()).sum();
                states
                    + weights
                        .iter()
                        .map(|(weights, _)| 8 * weights.len())
                        .sum::<usize>()
            }
        }
    }
}

/// The weight of each cell of the template's chain, 0 elsewhere, and their sum.
fn weights(template: &Template) -> (Vec<i64>, i64) {
    let mut weights = vec![0; template.labels.extent().cells()];
    for cell in template.capital_cells() {
        weights[cell] = i64::from(template.weights[cell]);
    }
    let total = weights.iter().sum();
    (weights, total)
}

/// The cells of a board in the order of templates: empty, a colour, or garbage as a colour that no state has.
fn cells(board: &Board) -> Vec<Option<u8>> {
    let size = board.size();
    let places =
        (0..size.height()).flat_map(|row| (0..size.width()).map(move |column| (column, row)));
    places
        .map(|(column, row)| match board.cell(column, row) {
            Cell::Empty => None,
            Cell::Puyo(colour) => Some(colour.index() as u8),
            Cell::Garbage => Some(u8::MAX),
        })
        .collect()
}

/// The total weight of the cells that have the colour of the state; `None` if a cell has another colour.
fn agreement(state: &ColouringState, weights: &[i64], cells: &[Option<u8>]) -> Option<i64> {
    let mut sum = 0;
    for ((wanted, cell), weight) in state.wanted.iter().zip(cells).zip(weights) {
        match (wanted, cell) {
            (Some(wanted), Some(colour)) if wanted == colour => sum += weight,
            (Some(_), Some(_)) => return None,
            _ => {}
        }
    }
    Some(sum)
}

/// The policy.
pub struct ExhaustivePolicy {
    repertoire: Repertoire,
    represented: Represented,
    completion: Completion,
    depth: usize,
    repair: Repair,
}

/// The best leaf so far.
struct BestLeaf {
    value: f64,
    tie: i32,
    first: Option<Placement>,
}

impl ExhaustivePolicy {
    /// A policy that looks `depth` pieces ahead in a game of `colours` colours, and compares leaves with `leaves`.
    ///
    /// # Errors
    /// If the templates have too many colourings.
    pub fn new(
        repertoire: Repertoire,
        leaves: &[Template],
        representation: Representation,
        completion: Completion,
        (depth, colours): (usize, usize),
    ) -> Result<Self, InputError> {
        Ok(Self {
            represented: Represented::new(leaves, representation, colours)?,
            repair: Repair::new(std::sync::Arc::clone(&repertoire.matcher)),
            repertoire,
            completion,
            depth,
        })
    }

    /// The value of the best leaf, and the first placement towards it.
    fn search(&self, view: &View, work: &mut PolicyWork) -> BestLeaf {
        let mut best = BestLeaf {
            value: f64::NEG_INFINITY,
            tie: 0,
            first: None,
        };
        let pieces = &view.pieces[..view.pieces.len().min(self.depth)];
        self.expand(view.board, pieces, (1, None), &mut best, work);
        best
    }

    fn expand(
        &self,
        board: &Board,
        pieces: &[Piece],
        (ply, first): (u32, Option<Placement>),
        best: &mut BestLeaf,
        work: &mut PolicyWork,
    ) {
        let [piece, rest @ ..] = pieces else { return };
        for placement in piece.placements(board) {
            if work.is_late() {
                return;
            }
            work.placements += 1;
            let first = Some(first.unwrap_or(placement));
            let mut below = *board;
            below.place(*piece, placement);
            let before = self.completion.before();
            let mut completed = before.is_some_and(|it| self.repertoire.completed(&below, it));
            if !completed {
                work.resolve(&mut below);
                completed = self.repertoire.completed(&below, self.completion.after());
            }
            if completed {
                best.offer(COMPLETED - f64::from(ply), 0, first);
            } else if !rest.is_empty() {
                self.expand(&below, rest, (ply + 1, first), best, work);
            } else if let Some(value) = self.represented.best_match(&below) {
                let contacts = Contacts::of(&below).count();
                best.offer(value, tie(contacts, below.stones(), below.heights()), first);
            }
        }
    }
}

impl BestLeaf {
    fn offer(&mut self, value: f64, tie: i32, first: Option<Placement>) {
        if self.first.is_none() || value > self.value || value == self.value && tie > self.tie {
            *self = Self { value, tie, first };
        }
    }
}

impl Policy for ExhaustivePolicy {
    fn choose(&mut self, view: &View, work: &mut PolicyWork) -> Option<PolicyMove> {
        work.decisions += 1;
        let found = self.search(view, work).first.or_else(|| {
            work.repairs += 1;
            let pieces = &view.pieces[..view.pieces.len().min(self.depth).min(REPAIR_DEPTH)];
            self.repair.choose(view.board, pieces, work)
        });
        found.map(PolicyMove::build)
    }

    fn table_bytes(&self) -> u64 {
        self.represented.bytes() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ikeru_chain::{AboveTop, PuyoColour, Size};
    use ikeru_core::Random;

    use super::*;
    use crate::matching::TemplateTarget;
    use crate::policy::selection::SelectionRule;
    use crate::policy::template::TemplatePolicy;
    use crate::templates::TemplateOptions;

    fn repertoire(names: &str) -> Repertoire {
        let size = Size::new(6, 13).expect("a size");
        Repertoire::named(names, &[], size, TemplateOptions::default(), 4).expect("a set")
    }

    fn exhaustive(names: &str, representation: Representation, depth: usize) -> ExhaustivePolicy {
        let completion = Completion::default();
        ExhaustivePolicy::new(
            repertoire(names),
            &repertoire(names).templates,
            representation,
            completion,
            (depth, 4),
        )
        .expect("a policy")
    }

    /// A board of `moves` random pieces placed by the incremental policy, and the next pieces.
    fn position(random: &mut Random, moves: usize) -> (Board, Vec<Piece>) {
        let set = repertoire("stairs");
        let target = TemplateTarget::new(Arc::clone(&set.matcher), Completion::default());
        let mut builder = TemplatePolicy::new(target, 1, SelectionRule::Best);
        let colour = |random: &mut Random| PuyoColour::new(random.index(4)).expect("a colour");
        let piece = |random: &mut Random| Piece {
            axis: colour(random),
            child: colour(random),
        };
        let mut board = Board::empty(Size::new(6, 13).expect("a size"));
        for turn in 0..moves {
            let pieces = [piece(random)];
            let view = View {
                board: &board,
                pieces: &pieces,
                turn,
                colours: 4,
                above_top: AboveTop::Illegal,
            };
            let Some(decision) = builder.choose(&view, &mut PolicyWork::default()) else {
                break;
            };
            board.place(pieces[0], decision.placement);
            ikeru_chain::resolve(&mut board);
        }
        let pieces = (0..2).map(|_| piece(random)).collect();
        (board, pieces)
    }

    /// The value of the best leaf below one first placement.
    fn value_of(policy: &ExhaustivePolicy, view: &View, first: Placement) -> f64 {
        let mut best = BestLeaf {
            value: f64::NEG_INFINITY,
            tie: 0,
            first: None,
        };
        let mut board = *view.board;
        board.place(view.pieces[0], first);
        if policy
            .repertoire
            .completed(&board, Completion::default().before().expect("a criterion"))
        {
            return COMPLETED - 1.0;
        }
        ikeru_chain::resolve(&mut board);
        if policy
            .repertoire
            .completed(&board, Completion::default().after())
        {
            return COMPLETED - 1.0;
        }
        match view.pieces.len() {
            1 => policy
                .represented
                .best_match(&board)
                .unwrap_or(f64::NEG_INFINITY),
            _ => {
                let place = (2, Some(first));
                policy.expand(
                    &board,
                    &view.pieces[1..],
                    place,
                    &mut best,
                    &mut PolicyWork::default(),
                );
                best.value
            }
        }
    }

    #[test]
    fn matrices_and_the_incremental_matcher_choose_leaves_of_one_value() {
        let mut random = Random::new("exhaustive", 1);
        let mut decided = 0;
        for game in 0..24 {
            let depth = 1 + game % 2;
            let moves = random.index(22);
            let (board, pieces) = position(&mut random, moves);
            let view = View {
                board: &board,
                pieces: &pieces[..depth],
                turn: moves,
                colours: 4,
                above_top: AboveTop::Illegal,
            };
            let naive = exhaustive("stairs+sandwich", Representation::Relations, depth);
            let set = repertoire("stairs+sandwich");
            let target = TemplateTarget::new(set.matcher, Completion::default());
            let mut incremental = TemplatePolicy::new(target, depth, SelectionRule::Best);
            let found = naive.search(&view, &mut PolicyWork::default());
            let chosen = incremental.search(&view, &mut PolicyWork::default());
            assert_eq!(found.first.is_some(), chosen.is_some(), "game {game}");
            if let Some(chosen) = chosen {
                decided += 1;
                let value = value_of(&naive, &view, chosen);
                assert!(
                    (value - found.value).abs() < 1e-9,
                    "game {game}: {value}, best {}",
                    found.value
                );
            }
        }
        assert!(decided > 12, "{decided}");
    }

    #[test]
    fn colourings_are_as_many_as_the_thesis_counts_and_rule_out_what_relations_rule_out() {
        let set = repertoire("stairs");
        let one = &set.templates[..1];
        let states = Represented::new(one, Representation::Colourings, 4).expect("colourings");
        let Represented::Colourings { states, .. } = states else {
            panic!("colourings")
        };
        let mut counted = 0;
        let _ = for_each_colouring(&one[0], 4, &mut |_| {
            counted += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((states.len(), counted), (1080, 1080));
        let mut random = Random::new("colourings", 1);
        let by_state = exhaustive("stairs", Representation::Colourings, 1);
        let by_relation = exhaustive("stairs", Representation::Relations, 1);
        let mut kept = 0;
        for game in 0..30 {
            let (board, _) = position(&mut random, game % 12);
            let [state, relation] =
                [&by_state, &by_relation].map(|it| it.represented.best_match(&board));
            // If a board fits a colouring of a template, it violates no relation between groups. The converse does
            // not hold: four colours may not suffice.
            assert!(state.is_none() || relation.is_some(), "game {game}");
            kept += usize::from(state.is_some());
        }
        assert!(kept > 10, "{kept}");
    }

    #[test]
    fn soft_relations_rule_no_board_out_and_agree_where_none_is_violated() {
        let mut random = Random::new("soft capitals", 1);
        let set = repertoire("stairs");
        let [hard, soft] = [Representation::Relations, Representation::SoftRelations]
            .map(|one| Represented::new(&set.templates[..1], one, 4).expect("matrices"));
        let mut kept = 0;
        for game in 0..40 {
            let (board, _) = position(&mut random, game % 12);
            let value = soft.best_match(&board).expect("no board is ruled out");
            if let Some(match_) = hard.best_match(&board) {
                kept += 1;
                assert_eq!(value, match_, "game {game}");
            }
            assert!((-1.0..=1.0).contains(&value), "game {game}: {value}");
        }
        assert!((5..40).contains(&kept), "{kept}");
    }

    #[test]
    fn too_many_colourings_are_refused() {
        let refused = ExhaustivePolicy::new(
            repertoire("domino"),
            &repertoire("domino").templates,
            Representation::Colourings,
            Completion::default(),
            (1, 4),
        );
        assert!(refused.is_err_and(|error| error.message.contains("colourings")));
    }
}
