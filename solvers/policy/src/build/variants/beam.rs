//! `beam`: beam search, and its size.

use ikeru_chain::begin;
use ikeru_core::{Setting, Source, Variant};

use super::{Build, SEED, places_whole_pieces, player};
use crate::policy::beam::{Beam, BeamSize};

pub const VARIANT: Variant<Build> = Variant {
    name: "beam",
    about: "beam search over the visible pieces and random continuations",
    source: Source::Ours,
    exact: false,
    version: 4,
    settings: &[
        WIDTH.info(),
        PLIES.info(),
        CONTINUATIONS.info(),
        SEED.info(),
    ],
    prepare: |challenge, settings, deadline| {
        begin(deadline)?;
        places_whole_pieces(challenge)?;
        let size = BeamSize {
            width: settings.get(&WIDTH)?,
            depth: settings.get(&PLIES)?,
            continuations: settings.get(&CONTINUATIONS)?,
        };
        let seed = settings.get(&SEED)? as u64;
        let beam = Beam::new(challenge.size(), size, seed);
        player(challenge, Box::new(beam), None)
    },
};

const WIDTH: Setting<usize> = Setting::count(
    "width",
    36,
    1..=100_000,
    "boards that the beam keeps at each ply",
);
const PLIES: Setting<usize> = Setting::count(
    "plies",
    6,
    1..=40,
    "pieces that the beam looks ahead, the visible ones included",
);
const CONTINUATIONS: Setting<usize> = Setting::count(
    "continuations",
    4,
    1..=1000,
    "random continuations of the visible pieces",
);
