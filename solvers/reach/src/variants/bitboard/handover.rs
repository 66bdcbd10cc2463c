//! The handover of the god when walks meet players.

use super::Meeting;
use super::lanes::{HalfRowBlock, HalfRows, Lanes};
use super::planes::{Planes, advance};
use crate::instance::MAX_PLAYERS;

/// A player whom walks may meet, and the vector with the player's square.
pub type Met<V> = Option<(Meeting, V)>;

impl Meeting {
    /// The squares where this player takes the god from player 0: `here` or none.
    #[inline(always)]
    pub fn taken<V: HalfRows>(self, here: V) -> V {
        if self.takes { here } else { here.without(here) }
    }

    /// The mask of this player and player 0.
    #[inline(always)]
    fn both(self) -> usize {
        1 << self.player | 1
    }
}

/// Exchanges walks of one direction of arrival between the plane of player 0 (`mine`) and that of another player
/// (`theirs`) on the square `here` of that player. The player takes the god from player 0 on the squares `taken`.
#[inline(always)]
pub fn hand_over<V: HalfRows>(here: V, taken: V, mine: &mut V, theirs: &mut V) {
    let (before, others) = (*mine, *theirs);
    *theirs = others.without(here).or(before.and(taken));
    *mine = before.without(taken).or(others.and(here));
}

macro_rules! for_each_player {
    ($at:ident => $work:block) => {
        const { assert!(MAX_PLAYERS == 4) };
        {
            let $at = 0;
            $work
        }
        {
            let $at = 1;
            $work
        }
        {
            let $at = 2;
            $work
        }
    };
}

/// Makes one step from squares of `COLOUR` on every board that is `alive`, and then applies the meetings. Returns the
/// number of boards that were moved.
#[inline(always)]
pub fn step_with_god<V: HalfRows, const N: usize, const COLOUR: usize>(
    boards: &mut [Planes<Lanes<V, N>>; MAX_PLAYERS],
    alive: &mut usize,
    masks: &[Planes<HalfRowBlock<N>>; 2],
    meetings: &[Met<V>; MAX_PLAYERS - 1],
) -> u64 {
    let mut moved = 0;
    for (holder, planes) in boards.iter_mut().enumerate() {
        if *alive >> holder & 1 == 1 {
            *planes = advance::<V, N, COLOUR>(planes, masks);
            // PERF: AVX2 without `popcnt` counts bits in 15 instructions.
            moved += 1;
        }
    }
    let [mine, others @ ..] = boards;
    // PERF: without a loop, so that the planes of player 0 are not moved between registers.
    for_each_player!(at => {
        if let Some((meeting, here)) = &meetings[at]
            && meeting.square.colour != COLOUR
            && *alive & meeting.both() != 0
        {
            let theirs = &mut others[at];
            if meeting.square.row % 2 == 0 {
                meet::<V, N, 0>(mine, theirs, alive, *meeting, *here);
            } else {
                meet::<V, N, 1>(mine, theirs, alive, *meeting, *here);
            }
        }
    });
    moved
}

/// Applies the handover rule to walks that have come to a player in a row of `PARITY`.
///
/// PERF: an exchange of equal walks changes nothing: before walks come to the player there are none, and later there often are all.
/// The parity is known at compile time, and there is no branch on whether the player takes the god: 0.89 of the
/// time (bench `bitboard/god`).
#[inline(always)]
fn meet<V: HalfRows, const N: usize, const PARITY: usize>(
    mine: &mut Planes<Lanes<V, N>>,
    theirs: &mut Planes<Lanes<V, N>>,
    alive: &mut usize,
    meeting: Meeting,
    here: V,
) {
    let at = meeting.square.row / 2 * V::BITS / 256;
    let mut differing = here.without(here);
    for way in 0..4 {
        let mine = *mine[way][PARITY].vector(at);
        differing = differing.or(mine.xor(*theirs[way][PARITY].vector(at)));
    }
    if meeting.takes && differing.and(here).is_empty() {
        return;
    }
    let taken = meeting.taken(here);
    let mut arrived = [here.without(here); 2];
    for way in 0..4 {
        let mine = mine[way][PARITY].vector(at);
        let theirs = theirs[way][PARITY].vector(at);
        hand_over(here, taken, mine, theirs);
        arrived = [arrived[0].or(*mine), arrived[1].or(*theirs)];
    }
    if *alive & meeting.both() != meeting.both() {
        *alive |= usize::from(!arrived[0].and(here).is_empty());
        *alive |= usize::from(!arrived[1].and(here).is_empty()) << meeting.player;
    }
}
