//! Sets of templates in every form: labelled drawings, matrices, and compiled for search.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use ikeru_chain::{Board, Piece, PuyoColour, Size};
use ikeru_core::InputError;

use crate::matching::{Matcher, extent, stones};
use crate::templates::colouring::{Needs, can_be_coloured, colour_needs, group_sizes};
use crate::templates::criterion::Criterion;
use crate::templates::matrix::{Match, StateMatrix, Stone, TemplateMatrix};
use crate::templates::weights::NamedWeights;
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
    /// The puyos of each colour that the colourings of all templates need, computed at first use: of all colourings, for
    /// boards on which a whole group may be empty, and of proper ones.
    needs: [OnceLock<BTreeSet<Needs>>; 2],
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
            needs: Default::default(),
        })
    }

    /// The templates with the weights of `named`.
    ///
    /// # Errors
    /// If a label has no weight.
    pub fn weighted(&self, named: &NamedWeights) -> Result<Vec<Template>, InputError> {
        let weighted = |template: &Template| {
            let weights = named.of_cells(&template.labels)?;
            let template = template.clone();
            Ok(Template {
                weights,
                ..template
            })
        };
        self.templates.iter().map(weighted).collect()
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
    /// hold the puyos of each colour for some colouring, except for the cells that may be missing, and as many puyos as
    /// any board that completes a template. `None` if `pieces` never hold them.
    pub fn least_moves(&self, pieces: &[Piece], criterion: Criterion) -> Option<usize> {
        let missing = self.most_missing(criterion);
        let stones = self.matcher.fewest_stones(criterion);
        // If a group is empty, the others need not have colours that leave one for it.
        let mut sizes = self.templates.iter().flat_map(group_sizes);
        let proper = sizes.all(|size| size > missing);
        let needs = self.needs[usize::from(proper)].get_or_init(|| {
            let templates = self.templates.iter();
            let of_each = templates.map(|one| colour_needs(one, self.colours, proper));
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
            if 2 * played >= stones as usize && needs.iter().any(|need| short(need) <= missing) {
                return Some(played);
            }
        }
        None
    }

    /// An upper bound on the cells of a chain that may be empty where a template is completed by `criterion`.
    fn most_missing(&self, criterion: Criterion) -> u32 {
        let of_each = self.templates.iter().zip(&self.matrices);
        let most = of_each.map(|(template, matrix)| {
            let capitals: Vec<usize> = template.capital_cells().collect();
            let fits = |missing: &usize| {
                let empty = *missing as u32;
                criterion.is_met(empty, || best_match(matrix, &capitals, *missing))
            };
            // If no board with so many empty cells fits, none with more does.
            (0..=capitals.len()).take_while(fits).last().unwrap_or(0)
        });
        most.max().unwrap_or(0) as u32
    }
}

/// No board on which `missing` of the cells `capitals` are empty has a larger match with `matrix`. A pair with an empty
/// cell agrees with nothing; a pair of two empty cells is lost once, not twice.
fn best_match(matrix: &TemplateMatrix, capitals: &[usize], missing: usize) -> Match {
    let total = matrix.total();
    let mut losses: Vec<i64> = capitals
        .iter()
        .map(|&cell| {
            let with = |other: usize| i64::from(matrix.value(cell, other).abs());
            let mut among: Vec<i64> = capitals.iter().map(|&other| with(other)).collect();
            among.sort_unstable_by_key(|&weight| std::cmp::Reverse(weight));
            let twice: i64 = among.iter().take(missing).sum();
            2 * (0..matrix.cells()).map(with).sum::<i64>() - twice
        })
        .collect();
    losses.sort_unstable();
    Match {
        agreeing: total - losses.iter().take(missing).sum::<i64>(),
        total,
    }
}

#[cfg(test)]
mod tests {
    use ikeru_chain::{AboveTop, Cell, resolve};
    use ikeru_core::{Choice, Random};

    use super::*;
    use crate::templates::Border;
    use crate::templates::criterion::Threshold;

    /// The best match with exactly the cells `empty` of a chain empty, and all other cells as the template has them.
    fn exact(matrix: &TemplateMatrix, empty: &[usize]) -> i64 {
        let pairs = (0..matrix.cells()).flat_map(|i| (0..matrix.cells()).map(move |j| (i, j)));
        let kept = pairs.filter(|(i, j)| !empty.contains(i) && !empty.contains(j));
        kept.map(|(i, j)| i64::from(matrix.value(i, j).abs())).sum()
    }

    #[test]
    fn the_best_match_with_missing_cells_is_bounded() {
        for (names, bounds) in [
            ("stairs", (2, 31)),
            ("sandwich", (1, 32)),
            ("domino", (1, 35)),
        ] {
            let options = TemplateOptions::default();
            let set = Repertoire::named(names, &[], Size::THESIS, options, 4).expect("a set");
            for (template, matrix) in set.templates.iter().zip(&set.matrices) {
                let capitals: Vec<usize> = template.capital_cells().collect();
                assert_eq!(best_match(matrix, &capitals, 0).agreeing, matrix.total());
                let one = capitals.iter().map(|&cell| exact(matrix, &[cell])).max();
                assert_eq!(Some(best_match(matrix, &capitals, 1).agreeing), one);
                let pairs = capitals.iter().enumerate().flat_map(|(index, &first)| {
                    let later = capitals[index + 1..].iter();
                    later.map(move |&second| exact(matrix, &[first, second]))
                });
                assert!(pairs.max() <= Some(best_match(matrix, &capitals, 2).agreeing));
            }
            let thesis = Criterion::AtLeast(Threshold::THESIS);
            let found = (set.most_missing(thesis), set.matcher.fewest_stones(thesis));
            assert_eq!(found, bounds, "{names}");
            assert_eq!(set.most_missing(Criterion::Missing(1)), 1);
        }
    }
    /// The templates drawn as `text`, with the border left out.
    fn drawn(text: &str, colours: usize) -> Repertoire {
        let files = [("own.txt".to_owned(), text.to_owned())];
        let options = TemplateOptions {
            border: Border::None,
            ..TemplateOptions::default()
        };
        Repertoire::named("own.txt", &files, Size::THESIS, options, colours).expect("templates")
    }

    fn colour(index: usize) -> PuyoColour {
        PuyoColour::new(index).expect("a colour")
    }

    fn pieces(words: &str) -> Vec<Piece> {
        let letters = |letter| {
            PuyoColour::LETTERS
                .iter()
                .position(|known| *known == letter)
        };
        let colour = |letter| PuyoColour::new(letters(letter)?);
        let piece = |word: &str| {
            let mut colours = word.chars().filter_map(colour);
            Some(Piece {
                axis: colours.next()?,
                child: colours.next()?,
            })
        };
        words.split_whitespace().filter_map(piece).collect()
    }

    /// A group that lies between two others is empty, and they have different colours: no colouring of all groups has
    /// the colours of this board.
    #[test]
    fn a_group_that_may_be_empty_needs_no_colour() {
        let own = drawn("# between pattern\nAAEBB.\n", 2);
        let mut board = Board::empty(Size::THESIS);
        for (column, group) in [(0, 0), (1, 0), (3, 1), (4, 1)] {
            board.drop(column, Cell::Puyo(colour(group)));
        }
        let one_missing = Criterion::Missing(1);
        assert!(own.completed(&board, one_missing));
        let least = |words: &str, criterion| own.least_moves(&pieces(words), criterion);
        assert_eq!(least("RR GG RR", one_missing), Some(2));
        // With all cells filled, A and B have the same colour.
        assert_eq!(least("RR GG RR", Criterion::Missing(0)), Some(3));
        assert_eq!(least("RR RR RR", Criterion::Missing(0)), None);
        assert_eq!(least("RR RR RR", one_missing), Some(2));
    }
    /// A pattern of at most four groups on the two lowest rows of three columns; empty cells above the others.
    fn random_pattern(random: &mut Random) -> String {
        let columns = [0; 3].map(|_| {
            let mut cell = || char::from(b'A' + random.index(4) as u8);
            let column = [cell(), cell()];
            match random.index(4) {
                0 => ['.', '.'],
                1 => [column[0], '.'],
                _ => column,
            }
        });
        let row = |row: usize| columns.map(|column| column[row]).iter().collect::<String>();
        format!("# random pattern\n{}\n{}\n", row(1), row(0))
    }

    /// The least number of pieces that complete a template of `own` on `board` by `criterion`, before a chain or after
    /// it, of all placements of `pieces`.
    fn earliest(own: &Repertoire, board: Board, pieces: &[Piece], criterion: Criterion) -> usize {
        let Some((piece, later)) = pieces.split_first() else {
            return usize::MAX;
        };
        let placements = AboveTop::Vanish.placements(*piece, &board);
        let after = placements.map(|placement| {
            let mut below = board;
            below.place_in_part(*piece, placement);
            if own.completed(&below, criterion) {
                return 1;
            }
            resolve(&mut below);
            if own.completed(&below, criterion) {
                return 1;
            }
            earliest(own, below, later, criterion).saturating_add(1)
        });
        after.min().unwrap_or(usize::MAX)
    }

    #[test]
    fn no_play_completes_a_random_pattern_in_fewer_moves_than_the_least() {
        let mut random = Random::new("test.least-moves", 1);
        let size = Size::new(3, 3).expect("a small board");
        let (mut compared, mut equal) = (0, 0);
        for _ in 0..400 {
            let files = [("own.txt".to_owned(), random_pattern(&mut random))];
            let (_, border) = Border::WORDS[random.index(Border::WORDS.len())];
            let options = TemplateOptions {
                border,
                ..TemplateOptions::default()
            };
            let colours = 2 + random.index(2);
            let Ok(own) = Repertoire::named("own.txt", &files, size, options, colours) else {
                continue;
            };
            let pieces: Vec<Piece> = (0..3)
                .map(|_| Piece {
                    axis: colour(random.index(colours)),
                    child: colour(random.index(colours)),
                })
                .collect();
            let parts = random.index(10_001) as i64;
            let criterion = match random.index(5) {
                0 => Criterion::AtLeast(Threshold::new(parts)),
                1 => Criterion::Above(Threshold::new(parts)),
                missing => Criterion::Missing(missing as u32 - 2),
            };
            let found = earliest(&own, Board::empty(size), &pieces, criterion);
            let least = own.least_moves(&pieces, criterion).unwrap_or(usize::MAX);
            let text = &files[0].1;
            assert!(
                least <= found,
                "{least} > {found}: {text}{pieces:?} {criterion:?}"
            );
            compared += u32::from(found < usize::MAX);
            equal += u32::from(found < usize::MAX && found == least);
        }
        assert!(compared > 50 && equal > 25, "{compared} {equal}");
    }

    #[test]
    fn the_least_moves_count_the_puyos_of_each_colour() {
        let own = drawn("# flat\nAAAA..\n", 3);
        let least = |words: &str, missing: u32| {
            own.least_moves(&pieces(words), Criterion::Missing(missing))
        };
        assert_eq!(least("RG RB RG RB RG", 0), Some(4));
        assert_eq!(least("RG RB RG RB RG", 1), Some(3));
        // The axis and the child count alike, and so do all colours.
        assert_eq!(least("GR BR GR BR GR", 1), Some(3));
        assert_eq!(least("RG RB GG BB BB", 1), Some(3));
        assert_eq!(least("BG GB RB BB RG", 0), Some(4));
        assert_eq!(least("RR RR", 0), Some(2));
        // Three puyos of one colour need two pieces.
        assert_eq!(least("RR RR", 1), Some(2));
        assert_eq!(least("RG RB GB", 1), None);
        assert_eq!(least("", 1), None);
    }
}
