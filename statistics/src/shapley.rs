//! Shapley values: the contributions of several interacting causes to a total.
//!
//! A game of n players has a value for each of the 2ⁿ sets of players; bit i of a set's index is set if player i is in
//! the set. The Shapley value (1953) of a player is the value that the player adds, on average over all orders of
//! joining; the Shapley values add up to the value of all players less that of none. The interaction index of a pair
//! (Owen 1972; Grabisch and Roubens 1999) is the value that both add together less the values that each adds alone, on
//! average over the sets of the other players.

/// The maximum number of players of a game: 2¹⁰ sets.
pub const MOST: usize = 10;

/// The Shapley values; they add up to the value of all players less that of none. `None` if `values` is no game of 1 to
/// [`MOST`] players.
pub fn values(values: &[f64]) -> Option<Vec<f64>> {
    let players = players(values.len())?;
    let value = |player: usize| {
        let gains = without(players, 1 << player).map(|set| {
            let weight = factorial(size(set)) * factorial(players - size(set) - 1);
            weight * (values[set | 1 << player] - values[set])
        });
        gains.sum::<f64>() / factorial(players)
    };
    Some((0..players).map(value).collect())
}

/// The interaction index of each pair of players. `None` as for [`values`].
pub fn interactions(values: &[f64]) -> Option<Vec<((usize, usize), f64)>> {
    let players = players(values.len())?;
    let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b)));
    let index = |(a, b): (usize, usize)| {
        let both = 1 << a | 1 << b;
        let beyond = without(players, both).map(|set| {
            let weight = factorial(size(set)) * factorial(players - size(set) - 2);
            let gain =
                values[set | both] - values[set | 1 << a] - values[set | 1 << b] + values[set];
            weight * gain
        });
        ((a, b), beyond.sum::<f64>() / factorial(players - 1))
    };
    Some(pairs.map(index).collect())
}

/// The number of players of a game of `sets` sets; `None` if there is no such game.
fn players(sets: usize) -> Option<usize> {
    let players = sets.checked_ilog2()? as usize;
    (sets == 1 << players && (1..=MOST).contains(&players)).then_some(players)
}

/// The sets without any player of the set `left_out`.
fn without(players: usize, left_out: usize) -> impl Iterator<Item = usize> {
    (0..1 << players).filter(move |set| set & left_out == 0)
}

fn size(set: usize) -> usize {
    set.count_ones() as usize
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|factor| factor as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glove_game() {
        // Two left gloves (players 0 and 1), one right (player 2), a pair is worth 1: 1/6, 1/6, 4/6
        // (Shapley and Shubik 1969).
        let worth = |set: usize| f64::from(u8::from(set & 4 != 0 && set & 3 != 0));
        let game: Vec<f64> = (0..8).map(worth).collect();
        assert_eq!(values(&game), Some(vec![1.0 / 6.0, 1.0 / 6.0, 4.0 / 6.0]));
        let pairs = interactions(&game).expect("a game");
        // The left gloves are substitutes; left and right complement each other.
        assert_eq!(pairs[0], ((0, 1), -0.5));
        assert_eq!((pairs[1], pairs[2]), (((0, 2), 0.5), ((1, 2), 0.5)));
    }

    #[test]
    fn the_united_nations_security_council_in_small() {
        // One veto among four with a quota of three: the veto has 3/4 of the power.
        let worth = |set: usize| f64::from(u8::from(set & 1 != 0 && size(set) >= 2));
        let game: Vec<f64> = (0..16).map(worth).collect();
        let power = values(&game).expect("a game");
        for (found, expected) in power
            .iter()
            .zip([3.0 / 4.0, 1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0])
        {
            assert!((found - expected).abs() < 1e-12, "{power:?}");
        }
    }

    #[test]
    fn values_add_up_to_the_whole() {
        let mut random = ikeru_core::Random::new("shapley", 1);
        for players in 1..=6 {
            let game: Vec<f64> = (0..1 << players).map(|_| random.unit()).collect();
            let values = values(&game).expect("a game");
            let whole = game[game.len() - 1] - game[0];
            assert!((values.iter().sum::<f64>() - whole).abs() < 1e-12);
        }
        assert_eq!(values(&[1.0, 2.0, 3.0]), None);
        assert_eq!(values(&[1.0]), None);
        assert_eq!(values(&[]), None);
    }
}
