//! The tactics of a player, as settings: when it stops building because of the other board.

use ikeru_core::{InputError, Settings, choices, settings};

/// The conditions for firing a chain or preparing to fire it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tactics {
    /// The shortest chain that is fired for a lead: firing a shorter one wastes a board that could still grow.
    pub(super) strike: u32,
    /// The number of pieces with which the other side is expected to reply. It has two placements before garbage
    /// falls: in the same turn and in the next one.
    pub(super) reply: usize,
    /// True if building stops for a chain that the visible pieces can start and that gives a decisive lead.
    pub(super) prepare: bool,
}

settings! {
    /// The settings of [`Tactics`].
    pub(super) const TACTICS;
    STRIKE: Option<u32> = "strike", 1..=19, "the shortest chain fired for a lead in attack; default 8, of combined 5";
    REPLY: Option<usize> = "reply", 1..=3, "pieces with which the other side is expected to reply; default 1, of combined 2";
    PREPARE: Option<YesNo> = "prepare", "whether to stop building for a chain that the visible pieces start; default no, of combined yes";
}

choices! {
    enum YesNo {
        Yes = "yes",
        No = "no",
    }
}

impl Tactics {
    /// The tactics of potential maximization.
    pub(super) const POTENTIAL: Self = Self {
        strike: 8,
        reply: 1,
        prepare: false,
    };
    /// The tactics of templates followed by potential maximization; tuned on seeds below 10,000.
    pub(super) const COMBINED: Self = Self {
        strike: 5,
        reply: 2,
        prepare: true,
    };

    /// Replaces the tactics that `settings` give.
    pub(super) fn with(mut self, settings: &Settings) -> Result<Self, InputError> {
        settings.change(&STRIKE, &mut self.strike)?;
        settings.change(&REPLY, &mut self.reply)?;
        if let Some(prepare) = settings.get(&PREPARE)? {
            self.prepare = prepare == YesNo::Yes;
        }
        Ok(self)
    }
}
