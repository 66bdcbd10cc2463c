//! `beam`: beam search, and its size.

use ikeru_core::{OURS, Variant, settings};

use super::{Build, SEED, places_whole_pieces, player};
use crate::policy::beam::{Beam, BeamSize};

pub const VARIANT: Variant<Build> = Variant {
    name: "beam",
    about: "beam search over the visible pieces and random continuations",
    source: OURS,
    exact: false,
    version: 5,
    settings: settings![WIDTH PLIES CONTINUATIONS SEED],
    prepare: |challenge, settings, deadline| {
        deadline.check()?;
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

settings! {
    WIDTH: usize = "width", 36, 1..=100_000, "boards that the beam keeps at each ply";
    PLIES: usize = "plies", 6, 1..=40, "pieces that the beam looks ahead, the visible ones included";
    CONTINUATIONS: usize = "continuations", 4, 1..=1000, "random continuations of the visible pieces";
}
