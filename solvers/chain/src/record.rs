//! Game records: the start of a game, its pieces, and their placements; read, written and replayed.
//!
//! ```text
//! colours: 4
//! seed: 17
//! moves: 3U 1R 5L
//! moves: 6U
//! ```
//!
//! Rows of a field (and `board: 7x11`) may give a start that is not empty. `pieces: RG BB` replaces `seed` and
//! `colours`, and the game is over after the last of these pieces. With `guarantee: 3` beside `seed` a colour that was
//! missing from three pieces in a row is in the next one ([`crate::sequence`]). `loss: entrance` replaces the loss rule, and
//! with `above_top: vanish` puyos above the top row vanish. A replay simulates with the referee's code ([`crate::firing`]),
//! so that it can judge every policy.

use ikeru_core::{Choice, InputError, Picture, input_error};

use crate::board::{Board, PuyoColour, Size};
use crate::firing::{Firing, check_stable};
use crate::format::{
    Alphabet, DRAWN_COLOURS, SectionEntry, Sections, numbered, write_field, write_pieces,
};
use crate::picture;
use crate::placement::{AboveTop, LossRule, Piece, Placement};
use crate::sequence::PieceSequence;
use crate::simulate::Chain;

/// The source of a game's pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pieces {
    /// The sequence of a seed.
    Seed {
        /// The seed.
        seed: u64,
        /// The number of colours.
        colours: usize,
        /// The turns in a row after which a missing colour comes; 0 for independent colours.
        guarantee: usize,
    },
    /// Exactly these pieces.
    Listed(Vec<Piece>),
}

impl Pieces {
    /// The first `count` pieces, fewer if fewer are listed.
    pub fn first(&self, count: usize) -> Vec<Piece> {
        match self {
            Self::Seed {
                seed,
                colours,
                guarantee,
            } => {
                let sequence = PieceSequence::new(*seed, *colours);
                sequence.with_guarantee(*guarantee).take(count).collect()
            }
            Self::Listed(pieces) => pieces.iter().copied().take(count).collect(),
        }
    }
}

/// A game as it was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRecord {
    /// The board before the first move.
    pub start: Board,
    /// The pieces.
    pub pieces: Pieces,
    /// The loss rule.
    pub loss: LossRule,
    /// The rule for puyos above the top row.
    pub above_top: AboveTop,
    /// The placement of each piece.
    pub placements: Vec<Placement>,
    /// The letters of the file, which the written record has too.
    pub letters: Alphabet,
}

impl GameRecord {
    /// Reads the beginning of a game: a stable field, and no moves.
    ///
    /// # Errors
    /// As [`read`](Self::read); also a field on which a chain happens before the first move, or any moves.
    pub fn read_beginning(text: &str) -> Result<Self, InputError> {
        let record = Self::read(text)?;
        check_stable(&record.start)?;
        if record.placements.is_empty() {
            Ok(record)
        } else {
            Err(InputError::new(
                "a game with moves, expected its beginning: a field, `seed:` or `pieces:`",
            ))
        }
    }

    /// The beginning of a game on an empty board of `size`.
    pub fn beginning(size: Size, seed: u64, colours: usize) -> Self {
        Self {
            start: Board::empty(size),
            pieces: Pieces::Seed {
                seed,
                colours,
                guarantee: 0,
            },
            loss: LossRule::default(),
            above_top: AboveTop::default(),
            placements: Vec::new(),
            letters: Alphabet::default(),
        }
    }

    /// The same game with pieces that have a guarantee of `turns`; listed pieces stay as they are.
    #[must_use]
    pub fn with_guarantee(mut self, turns: usize) -> Self {
        if let Pieces::Seed { guarantee, .. } = &mut self.pieces {
            *guarantee = turns;
        }
        self
    }

    /// The least number of first colours that includes all colours on the board and in the pieces.
    pub fn colours(&self) -> usize {
        let on_board = PuyoColour::all().filter(|&colour| self.start.plane(colour) != 0);
        let in_pieces = match &self.pieces {
            Pieces::Seed { colours, .. } => *colours,
            Pieces::Listed(pieces) => {
                let last = |piece: &Piece| piece.axis.max(piece.child).index() + 1;
                pieces.iter().map(last).max().unwrap_or(1)
            }
        };
        let on_board = on_board.map(|colour| colour.index() + 1).max();
        in_pieces.max(on_board.unwrap_or(1))
    }

    /// Refuses the setting called `name` if it asks for more pieces than are listed.
    ///
    /// # Errors
    /// Gives the number of listed pieces.
    pub fn check_listed(&self, name: &str, count: usize) -> Result<(), InputError> {
        match self.pieces.first(count).len() {
            listed if listed < count => Err(input_error!(
                "setting `{name}` is {count}, expected at most {listed}: no more pieces are listed"
            )),
            _ => Ok(()),
        }
    }

    /// The same game with other `placements`.
    pub fn with(&self, placements: &[Placement]) -> Self {
        Self {
            placements: placements.to_vec(),
            ..self.clone()
        }
    }

    /// Reads a record and replays it.
    ///
    /// # Errors
    /// An unreadable line, an illegal placement, a move after the game was lost or without a
    /// piece, each with its line.
    pub fn read(text: &str) -> Result<Self, InputError> {
        let sections = Sections::of(numbered(text), &["pieces"])?;
        sections.check_keys(&[
            "board",
            "colours",
            "seed",
            "guarantee",
            "pieces",
            "loss",
            "above_top",
            "moves",
        ])?;
        let mut lines = Vec::new();
        let mut placements = Vec::new();
        for entry in sections.entries("moves") {
            for word in entry.value.split_whitespace() {
                let placement: Result<Placement, InputError> = word.parse();
                placements
                    .push(placement.map_err(|error| InputError::at(entry.line, error.message))?);
                lines.push(entry.line);
            }
        }
        let record = Self {
            start: sections.field()?,
            pieces: read_source(&sections)?,
            loss: read_rule(sections.entry("loss")?, "loss rule")?,
            above_top: read_rule(sections.entry("above_top")?, "rule above the top")?,
            placements,
            letters: sections.alphabet(),
        };
        match record.replay() {
            Ok(_) => Ok(record),
            Err(fault) => Err(InputError {
                line: lines.get(fault.index).copied(),
                message: fault.to_string(),
            }),
        }
    }

    /// Writes the record so that [`read`](Self::read) returns it.
    pub fn write(&self) -> String {
        let mut text = match &self.pieces {
            Pieces::Seed {
                seed,
                colours,
                guarantee,
            } => {
                let sequence = format!("colours: {colours}\nseed: {seed}\n");
                match guarantee {
                    0 => sequence,
                    turns => format!("{sequence}guarantee: {turns}\n"),
                }
            }
            Pieces::Listed(pieces) => {
                format!("pieces: {}\n", self.letters.written(&write_pieces(pieces)))
            }
        };
        text += &format!("loss: {}\n", self.loss.word());
        if self.above_top != AboveTop::default() {
            text += &format!("above_top: {}\n", self.above_top.word());
        }
        text += &self.letters.written(&write_field(&self.start));
        for row in self.placements.chunks(20) {
            let words: Vec<String> = row.iter().map(ToString::to_string).collect();
            text += &format!("moves: {}\n", words.join(" "));
        }
        text
    }

    /// Replays the moves.
    ///
    /// # Errors
    /// The first move that cannot be played.
    pub fn replay(&self) -> Result<Replay, IllegalMove> {
        let pieces = self.pieces.first(self.placements.len() + 1);
        let mut board = self.start;
        let mut moves = Vec::with_capacity(self.placements.len());
        for (index, &placement) in self.placements.iter().enumerate() {
            let illegal = |why| IllegalMove {
                index,
                placement,
                why,
            };
            let &piece = pieces
                .get(index)
                .ok_or(illegal("there are no more pieces"))?;
            if self.loss.is_lost(&board, piece, self.above_top) {
                return Err(illegal("the game was lost before"));
            }
            if !placement.fits(board.size()) {
                return Err(illegal("it is outside the board"));
            }
            if !self.above_top.allows(placement, &board) {
                return Err(illegal("it does not fit under the top row"));
            }
            let before = board;
            board.place_in_part(piece, placement);
            let placed = board;
            let firing = Firing::of(&placed);
            board = firing.rest;
            moves.push(RecordedMove {
                piece,
                placement,
                before,
                placed,
                chain: firing.chain(),
                after: board,
            });
        }
        let next = pieces.get(self.placements.len());
        Ok(Replay {
            lost: next.is_some_and(|&piece| self.loss.is_lost(&board, piece, self.above_top)),
            board,
            moves,
        })
    }
}

/// A replayed game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// All moves.
    pub moves: Vec<RecordedMove>,
    /// The board after the last move.
    pub board: Board,
    /// True if there is a next piece and the game is lost when it comes.
    pub lost: bool,
}

/// One move of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedMove {
    /// The piece.
    pub piece: Piece,
    /// Its placement.
    pub placement: Placement,
    /// The board before the move.
    pub before: Board,
    /// The board with the piece, before the chain.
    pub placed: Board,
    /// The chain that it set off.
    pub chain: Chain,
    /// The board after the chain.
    pub after: Board,
}

impl Replay {
    /// The move with the most attack, the first one of several, with its number from 1;
    /// `None` if no move set off a chain.
    pub fn largest(&self) -> Option<(usize, &RecordedMove)> {
        let fired = (1..)
            .zip(&self.moves)
            .filter(|(_, played)| played.chain.steps > 0);
        fired.min_by_key(|(number, played)| (std::cmp::Reverse(played.chain.attack), *number))
    }

    /// One frame per move. A move that sets off a chain has further frames: one per step, and one of the board that
    /// is left.
    pub fn pictures(&self) -> Vec<Picture> {
        (1..)
            .zip(&self.moves)
            .flat_map(|(number, played)| {
                let what = format!("move {number}: {} at {}", played.piece, played.placement);
                if played.chain.steps == 0 {
                    return vec![picture::board(&played.placed, &[], what)];
                }
                let mut frames = picture::firing(&played.placed, &Firing::of(&played.placed));
                frames[0].caption = format!("{what}; {}", frames[0].caption);
                frames
            })
            .collect()
    }
}

/// A move that cannot be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IllegalMove {
    /// The index of its placement, from 0.
    pub index: usize,
    /// The move.
    pub placement: Placement,
    why: &'static str,
}

impl std::fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "move {} ({}) is illegal: {}",
            self.index + 1,
            self.placement,
            self.why
        )
    }
}

fn read_source(sections: &Sections) -> Result<Pieces, InputError> {
    let (seed, colours) = (sections.number("seed")?, sections.entry("colours")?);
    match (sections.entry("pieces")?, seed) {
        (Some(entry), None) => read_listed(sections, entry),
        (None, Some(seed)) => match (
            sections.number("colours")?.unwrap_or(DRAWN_COLOURS),
            colours,
        ) {
            (colours @ 1..=PuyoColour::COUNT, _) => Ok(Pieces::Seed {
                seed,
                colours,
                guarantee: sections.number("guarantee")?.unwrap_or(0),
            }),
            (count, entry) => Err(InputError {
                line: entry.map(|entry| entry.line),
                message: format!("{count} colours, expected 1 to {}", PuyoColour::COUNT),
            }),
        },
        _ => Err(InputError::new("expected either `seed:` or `pieces:`")),
    }
}

fn read_listed(sections: &Sections, entry: SectionEntry) -> Result<Pieces, InputError> {
    for key in ["colours", "guarantee"] {
        if let Some(SectionEntry { line, .. }) = sections.entry(key)? {
            let message = format!("`{key}:` beside `pieces:`, expected it only beside `seed:`");
            return Err(InputError::at(line, message));
        }
    }
    let pieces = sections.pieces(entry)?;
    if pieces.is_empty() {
        let message = "no pieces, expected at least one";
        return Err(InputError::at(entry.line, message));
    }
    Ok(Pieces::Listed(pieces))
}

/// The rule that `entry` names, or the default without an entry. `what` names the kind of rule in errors.
fn read_rule<T: Choice + Default>(
    entry: Option<SectionEntry>,
    what: &str,
) -> Result<T, InputError> {
    let Some(entry) = entry else {
        return Ok(T::default());
    };
    T::of(entry.value).ok_or_else(|| {
        let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
        input_error!(
            entry.line,
            "{what} `{}`, expected one of {}",
            entry.value,
            words.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_what_was_written() {
        for text in [
            "seed: 17\nmoves: 3U 1R 5L\nmoves: 6U\n",
            "pieces: RG BB\nloss: entrance\nboard: 7x11\nR..B...\nmoves: 7L",
            "colours: 6\nseed: 1",
            "seed: 3\nabove_top: vanish\nboard: 2x2\nRG\nGR\n",
            "seed: 3\nguarantee: 2",
            "pieces: AB CC\nAABBC.\nmoves: 1U",
        ] {
            let record = GameRecord::read(text).expect("a record");
            assert_eq!(GameRecord::read(&record.write()), Ok(record));
        }
    }

    #[test]
    fn the_number_of_colours_decides_between_the_letters() {
        for (sequence, field, same) in [
            (
                "colours: 3",
                "B.....\nC.....\nB.....\n",
                "G.....\nB.....\nG.....\n",
            ),
            ("colours: 2", "B.....\n", "G.....\n"),
            ("", "B....C\n", "G....B\n"),
            ("colours: 3", "B.....\n", "B.....\n"),
            ("colours: 6", "B....C\n", "B....C\n"),
        ] {
            let read = |field| GameRecord::read(&format!("{sequence}\nseed: 5\n{field}"));
            let [read, same] = [field, same].map(|field| read(field).expect("a game"));
            assert_eq!(read.start, same.start, "{sequence}: {field}");
            let again = GameRecord::read(&read.write()).expect("a game");
            assert_eq!(again.start, read.start, "{sequence}: {field}");
        }
    }

    #[test]
    fn a_record_is_written_in_the_letters_of_its_file() {
        let record = GameRecord::read("pieces: AB CC\nAABBC.\n").expect("a record");
        let text = record.write();
        assert!(
            text.contains("pieces: AB CC\n") && text.contains("AABBC.\n"),
            "{text}"
        );
    }

    #[test]
    fn a_replay_tells_chains_and_loss() {
        let text = "pieces: RG GR RG GR RR\nmoves: 1U 2D 3U 4D";
        let replay = GameRecord::read(text)
            .expect("a record")
            .replay()
            .expect("legal");
        let expected = Chain {
            steps: 1,
            cleared: 8,
            attack: 4,
        };
        let largest = replay.largest().expect("something vanished");
        assert_eq!((largest.0, largest.1.chain), (4, expected));
        assert!(!replay.lost && replay.board.stones() == 0);
        assert_eq!(replay.pictures().len(), 3 + 1 + 1 + 1);
        let full = ".GRGRG\n".to_owned() + &"RGRGRG\nGRGRGR\n".repeat(6) + "pieces: RG";
        let replay = GameRecord::read(&full)
            .expect("a record")
            .replay()
            .expect("no move");
        assert!(replay.lost);
    }

    #[test]
    fn bad_records_are_refused_with_their_line() {
        let refusal = |text: &str| GameRecord::read(text).expect_err("refused").in_file("f");
        assert_eq!(
            refusal("seed: 1\nmoves: 1U 6R"),
            "f:2: move 2 (6R) is illegal: it is outside the board"
        );
        assert_eq!(
            refusal("seed: 1\nmoves: 1U 1U 1U 1U\nmoves: 1U 1U 1U"),
            "f:3: move 7 (1U) is illegal: it does not fit under the top row"
        );
        assert_eq!(
            refusal("pieces: RG\nmoves: 1U 1U"),
            "f:2: move 2 (1U) is illegal: there are no more pieces"
        );
        assert_eq!(
            refusal("seed: 1\nmoves: 0U"),
            "f:2: `0U` is no placement, expected a column from 1 and the child's side, U, R, D or L, as in `3U`"
        );
        assert_eq!(
            refusal("moves: 1U"),
            "f: expected either `seed:` or `pieces:`"
        );
        assert_eq!(
            refusal("seed: x"),
            "f:1: `seed` is `x`, expected a whole number"
        );
        assert_eq!(
            refusal("seed: 1\ncolours: 7"),
            "f:2: 7 colours, expected 1 to 6"
        );
        assert_eq!(
            refusal("pieces: RG BB\ncolours: 4"),
            "f:2: `colours:` beside `pieces:`, expected it only beside `seed:`"
        );
        assert_eq!(
            refusal("guarantee: 3\npieces: RG BB"),
            "f:1: `guarantee:` beside `pieces:`, expected it only beside `seed:`"
        );
        assert_eq!(
            refusal("board: 6x13\npieces:"),
            "f:2: no pieces, expected at least one"
        );
        assert_eq!(
            refusal("pieces: RGB"),
            "f:1: `RGB` is no piece, expected two colours as in `RG`"
        );
        assert_eq!(
            refusal("seed: 1\nloss: never"),
            "f:2: loss rule `never`, expected one of no-placement, entrance"
        );
        assert_eq!(
            refusal("above_top: fall\nseed: 1"),
            "f:1: rule above the top `fall`, expected one of illegal, vanish"
        );
    }
}
