//! What few problems need beyond the contract.

use std::io;

use crate::{InputError, Picture, Problem, Settings};

/// Opens a file of an instance's folder by its name.
pub type Open<'a> = &'a dyn Fn(&str) -> io::Result<String>;

/// An answer that an instance holds, if it holds one.
pub type Known<P> = fn(&<P as Problem>::Instance) -> Option<<P as Problem>::Answer>;

/// What few problems need beyond [`Problem`]. A problem replaces what it needs of [`NONE`](Extras::NONE):
/// `Extras { recorded, ..Extras::NONE }`.
pub struct Extras<P: Problem> {
    /// Reads an instance from a text that may name other files of its folder, as a scenario names its map. Errors are those
    /// of [`read`](Problem::read), or of a file that cannot be opened.
    pub read_with: fn(&str, Open) -> Result<P::Instance, InputError>,
    /// The file of a foreign solver: the instance with what is asked of it alone.
    pub asked: fn(&P::Instance) -> String,
    /// The content of the files that settings name. It is part of a sample's identity, because a changed file changes the
    /// question although the settings are equal.
    pub content: fn(&Settings) -> String,
    /// Admits an answer from outside, and says whether it is claimed to be optimal: for problems whose referee would
    /// otherwise check it as an optimum, or whose own variants may give answers that nobody else may.
    pub admit: fn(&mut P::Answer, bool) -> Result<(), InputError>,
    /// For problems whose referee cannot tell an optimum: an answer that the instance holds. It, or what the default variant
    /// finds in a moment, refutes the claim of an outside solver that nothing is better than its own.
    pub known: Option<Known<P>>,
    /// A recorded search of a variant with its settings, or what it searches for: the instance, then the shapes that each step adds to the drawing.
    /// Empty if the search of this variant cannot be recorded.
    pub recorded: fn(&P::Instance, &str, &Settings) -> Vec<Picture>,
}

impl<P: Problem> Extras<P> {
    /// No further files of an instance, no recorded search.
    pub const NONE: Self = Self {
        read_with: |text, _| P::read(text),
        asked: P::write,
        content: |_| String::new(),
        admit: |_, _| Ok(()),
        known: None,
        recorded: |_, _, _| Vec::new(),
    };
}
