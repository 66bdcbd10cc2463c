//! `greedy`: no look-ahead.

use ikeru_core::{OURS, Variant};

use super::{Build, player};
use crate::policy::greedy::Greedy;

pub const VARIANT: Variant<Build> = Variant {
    name: "greedy",
    about: "the largest attack at once, else the lowest board",
    source: OURS,
    exact: false,
    version: 1,
    settings: &[],
    prepare: |challenge, _, deadline| {
        deadline.check()?;
        player(challenge, Box::new(Greedy), None)
    },
};
