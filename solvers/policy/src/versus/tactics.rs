//! When a player stops building because of the other board: the settings of a match.

use ikeru_core::{Choice, InputError, Setting, SettingInfo, Settings};

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

const STRIKE: Setting<Option<i64>> = Setting::optional_int(
    "strike",
    1..=19,
    "the shortest chain fired for a lead in attack; default 8, of combined 5",
);
const REPLY: Setting<Option<i64>> = Setting::optional_int(
    "reply",
    1..=3,
    "pieces with which the other side is expected to reply; default 1, of combined 2",
);
const PREPARE: Setting<Option<YesNo>> = Setting::optional_choice(
    "prepare",
    "whether to stop building for a chain that the visible pieces start; default no, of combined yes",
);

/// The settings of [`Tactics`].
pub(super) const TACTICS: &[SettingInfo] = &[STRIKE.info(), REPLY.info(), PREPARE.info()];

#[derive(Clone, Copy, PartialEq)]
enum YesNo {
    Yes,
    No,
}

impl Choice for YesNo {
    const WORDS: &'static [(&'static str, Self)] = &[("yes", Self::Yes), ("no", Self::No)];
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
    pub(super) fn with(self, settings: &Settings) -> Result<Self, InputError> {
        let strike = settings.get(&STRIKE)?;
        let reply = settings.get(&REPLY)?;
        let prepare = settings.get(&PREPARE)?;
        Ok(Self {
            strike: strike.map_or(self.strike, |steps| steps as u32),
            reply: reply.map_or(self.reply, |pieces| pieces as usize),
            prepare: prepare.map_or(self.prepare, |answer| answer == YesNo::Yes),
        })
    }
}
