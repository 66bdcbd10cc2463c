//! When a player stops building because of the other board: the settings of a match.

use ikeru_core::{InputError, Settings, choices, settings};

/// When to strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tactics {
    /// The shortest chain that is fired for a lead: shorter ones throw away what could still grow.
    pub(super) strike: u32,
    /// Pieces that the other side is expected to reply with. It has two placements until garbage
    /// falls: the one of the same turn and the one after.
    pub(super) reply: usize,
    /// Whether building stops for a chain that the visible pieces can start, if that will lead.
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
    /// Of potential maximization.
    pub(super) const POTENTIAL: Self = Self {
        strike: 8,
        reply: 1,
        prepare: false,
    };
    /// Of templates with potential maximization after them; tuned on seeds below 10,000.
    pub(super) const COMBINED: Self = Self {
        strike: 5,
        reply: 2,
        prepare: true,
    };

    /// These tactics with the values that `settings` give.
    pub(super) fn with(mut self, settings: &Settings) -> Result<Self, InputError> {
        settings.change(&STRIKE, &mut self.strike)?;
        settings.change(&REPLY, &mut self.reply)?;
        if let Some(prepare) = settings.get(&PREPARE)? {
            self.prepare = prepare == YesNo::Yes;
        }
        Ok(self)
    }
}
