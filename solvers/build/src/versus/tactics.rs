//! When a player breaks off building for what stands on the other board: the settings of a match.

use ikeru_core::{InputError, Setting, Settings};

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

pub(super) const STRIKE: Setting = Setting {
    name: "strike",
    default: "",
    about: "the shortest chain fired for a lead in attack, from 1 to 19; default 8, of combined 5",
};
pub(super) const REPLY: Setting = Setting {
    name: "reply",
    default: "",
    about: "pieces with which the other side is expected to reply, from 1 to 3; default 1, of combined 2",
};
pub(super) const PREPARE: Setting = Setting {
    name: "prepare",
    default: "",
    about: "whether to stop building for a chain that the visible pieces start: yes or no; default no, of combined yes",
};

/// The settings of [`Tactics`].
pub(super) static TACTICS: [Setting; 3] = [STRIKE, REPLY, PREPARE];

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

    /// These, but for what `settings` say.
    pub(super) fn with(self, settings: &Settings) -> Result<Self, InputError> {
        let strike = settings.int(&STRIKE, 1..=19)?;
        let reply = settings.int(&REPLY, 1..=3)?;
        let prepare = settings
            .get(PREPARE.name)
            .map(|_| settings.choice(&PREPARE, &["yes", "no"]))
            .transpose()?
            .flatten();
        Ok(Self {
            strike: strike.map_or(self.strike, |steps| steps as u32),
            reply: reply.map_or(self.reply, |pieces| pieces as usize),
            prepare: prepare.map_or(self.prepare, |word| word == "yes"),
        })
    }
}
