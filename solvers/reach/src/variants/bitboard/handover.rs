//! Where walks meet players, the god changes hands.

use super::Meeting;
use super::lanes::{HalfRowBlock, HalfRows, Lanes};
use super::narrow::{Planes, Rows, advance};
use crate::instance::MAX_PLAYERS;

/// A player whom walks may meet, and where.
pub type Met<L> = Option<(Meeting, Rows<L>)>;

impl Meeting {
    /// Walks of one direction of arrival, those with the god on player 0 and on this player, have come to where this
    /// player stands, `here`.
    #[inline(always)]
    pub fn hand_over<V: HalfRows>(self, here: V, mine: &mut V, theirs: &mut V) {
        let (before, others) = (*mine, *theirs);
        *theirs = others.without(here);
        if self.takes {
            *theirs = theirs.or(before.and(here));
            *mine = before.without(here);
        }
        *mine = mine.or(others.and(here));
    }
}

/// One step away from squares of `COLOUR` on every board that is `alive`, then the meetings; how many
/// boards were moved.
#[inline(always)]
pub fn step_with_god<V: HalfRows, const N: usize, const COLOUR: usize>(
    boards: &mut [Planes<Lanes<V, N>>; MAX_PLAYERS],
    alive: &mut usize,
    masks: &[Planes<HalfRowBlock<N>>; 2],
    meetings: &[Met<Lanes<V, N>>; MAX_PLAYERS - 1],
) -> u64 {
    let moved = u64::from(alive.count_ones());
    for (holder, planes) in boards.iter_mut().enumerate() {
        if *alive >> holder & 1 == 1 {
            *planes = advance::<V, N, COLOUR>(planes, masks);
        }
    }
    let [mine, others @ ..] = boards;
    for (place, theirs) in meetings.iter().zip(others) {
        if let Some((meeting, here)) = place
            && meeting.square.colour != COLOUR
        {
            meet(mine, theirs, alive, meeting, here);
        }
    }
    moved
}

/// Where walks have come to a player, the god changes hands.
#[inline(always)]
fn meet<V: HalfRows, const N: usize>(
    mine: &mut Planes<Lanes<V, N>>,
    theirs: &mut Planes<Lanes<V, N>>,
    alive: &mut usize,
    meeting: &Meeting,
    here: &Rows<Lanes<V, N>>,
) {
    let both = 1 << meeting.player | 1;
    if *alive & both == 0 {
        return;
    }
    let at = meeting.square.row / 2 * V::BITS / 256;
    for parity in 0..2 {
        if meeting.square.row % 2 != parity {
            continue;
        }
        let here = *{ here[parity] }.vector(at);
        let mut arrived = [here.without(here); 2];
        for way in 0..4 {
            let mine = mine[way][parity].vector(at);
            let theirs = theirs[way][parity].vector(at);
            meeting.hand_over(here, mine, theirs);
            arrived = [arrived[0].or(*mine), arrived[1].or(*theirs)];
        }
        if *alive & both != both {
            *alive |= usize::from(!arrived[0].and(here).is_empty());
            *alive |= usize::from(!arrived[1].and(here).is_empty()) << meeting.player;
        }
    }
}
