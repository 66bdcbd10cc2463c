//! The points of a chain in the arcade game (Puyo Puyo Tsu, 1994), in which other programs report their chains.
//!
//! A step gives `10 · puyos · bonus` points. The bonus is the sum of the bonuses of the step's number, of its groups
//! and of its colours, at least 1 and at most 999. Garbage gives no points.

use std::collections::BTreeSet;

use crate::firing::{Firing, FiringStep};

/// The bonus of a group of 4, 5, … 11 puyos or more.
const BY_PUYOS: [u64; 8] = [0, 2, 3, 4, 5, 6, 7, 10];
/// The bonus of 1, 2, … 5 colours or more in a step.
const BY_COLOURS: [u64; 5] = [0, 3, 6, 12, 24];

/// The points of `firing`.
pub fn points(firing: &Firing) -> u64 {
    let steps = (1..).zip(&firing.steps);
    steps.map(|(number, step)| of_step(number, step)).sum()
}

fn of_step(number: u64, step: &FiringStep) -> u64 {
    let colours: BTreeSet<_> = step.groups.iter().map(|group| group.colour).collect();
    let puyos = step.groups.iter().map(|group| group.puyos);
    let by_group = puyos
        .clone()
        .map(|puyos| BY_PUYOS[(puyos - 4).min(BY_PUYOS.len() - 1)]);
    let by_colours = BY_COLOURS[(colours.len() - 1).min(BY_COLOURS.len() - 1)];
    let bonus = by_number(number) + by_group.sum::<u64>() + by_colours;
    10 * puyos.sum::<usize>() as u64 * bonus.clamp(1, 999)
}

/// The bonus of step `number`, from 1: 0, 8, 16, 32, and then 32 more for each further step.
fn by_number(number: u64) -> u64 {
    match number {
        0..=3 => 8 * number.saturating_sub(1),
        _ => 32 * (number - 3),
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Random;

    use super::*;
    use crate::board::Size;
    use crate::format::read_field;
    use crate::generate;

    fn points_of(field: &str) -> u64 {
        points(&Firing::of(&read_field(field).expect("a field")))
    }

    #[test]
    fn nineteen_steps_of_four_are_175_080_points() {
        let field = generate::long_chain(&mut Random::new("test.points", 1), Size::THESIS, 19, 4);
        assert_eq!(points(&Firing::of(&field.expect("a field"))), 175_080);
    }

    #[test]
    fn groups_and_colours_have_a_bonus() {
        assert_eq!(points_of("......"), 0);
        assert_eq!(points_of("RRRR.."), 40);
        assert_eq!(points_of("RRRRR."), 10 * 5 * 2);
        assert_eq!(points_of("RRRRR.\nRRRRRR"), 10 * 11 * 10);
        // Two groups of one colour, and two groups of two colours.
        assert_eq!(points_of("RR..RR\nRR..RR"), 10 * 8);
        assert_eq!(points_of("RR..GG\nRR..GG"), 10 * 8 * 3);
        // The tables end at eleven puyos and five colours, and the bonus at 999.
        assert_eq!(points_of("RRRRRR\nRRRRRR"), 10 * 12 * 10);
        assert_eq!(points_of(&"RGBYP.\n".repeat(4)), 10 * 20 * 24);
        let step = Firing::of(&read_field("RRRR..").expect("a field"))
            .steps
            .remove(0);
        assert_eq!(
            [of_step(34, &step), of_step(99, &step)],
            [10 * 4 * 992, 10 * 4 * 999]
        );
        // Garbage vanishes without points.
        assert_eq!(points_of("RRRRO."), 40);
    }
}
