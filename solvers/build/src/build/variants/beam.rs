//! `beam`: beam search, and its size.

use ikeru_chain::begin;
use ikeru_core::{InputError, Setting, Source, Variant};

use super::{Build, SEED, player};
use crate::policy::beam::{Beam, BeamSize};

pub const VARIANT: Variant<Build> = Variant {
    name: "beam",
    about: "beam search over the visible pieces and random continuations",
    source: Source::Ours,
    exact: false,
    version: 3,
    settings: &[WIDTH, PLIES, CONTINUATIONS, SEED],
    prepare: |challenge, settings, deadline| {
        begin(deadline)?;
        let number = |setting, range| {
            Ok::<_, InputError>(settings.int(setting, range)?.unwrap_or_default() as usize)
        };
        let beam = BeamSize {
            width: number(&WIDTH, 1..=100_000)?,
            depth: number(&PLIES, 1..=40)?,
            continuations: number(&CONTINUATIONS, 1..=1000)?,
        };
        let seed = settings.int(&SEED, 0..=i64::MAX)?.unwrap_or_default() as u64;
        player(challenge, Box::new(Beam::new(challenge.size(), beam, seed)))
    },
};

const WIDTH: Setting = Setting {
    name: "width",
    default: "36",
    about: "boards that the beam keeps at each ply, from 1 to 100000",
};
const PLIES: Setting = Setting {
    name: "plies",
    default: "6",
    about: "pieces that the beam looks ahead, the visible ones included, from 1 to 40",
};
const CONTINUATIONS: Setting = Setting {
    name: "continuations",
    default: "4",
    about: "random continuations of the visible pieces, from 1 to 1000",
};
