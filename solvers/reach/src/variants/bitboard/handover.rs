//! Where walks on [`narrow`](super::narrow) boards meet players, the god changes hands.

use super::Meeting;
use super::lanes::{HalfRows, Lanes};
use super::narrow::Planes;
use crate::instance::MAX_PLAYERS;

/// Where walks meet one player alone, that player and player 0 change places as holders.
///
/// PERF: nearly all meetings are of this kind; it makes a question with the god about 4 % faster than
/// [`hand_over`] alone (1,194 to 1,156 ns, bench `bitboard/god`).
#[inline(always)]
pub fn swap<V: HalfRows, const N: usize>(
    boards: &mut [Planes<Lanes<V, N>>; MAX_PLAYERS],
    meeting: Meeting,
    here: Lanes<V, N>,
) {
    let parity = meeting.square.row % 2;
    let [mine, others @ ..] = boards;
    let Some(theirs) = others.get_mut(meeting.lowest - 1) else {
        return;
    };
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        let (given, taken) = (mine[parity].and(here), theirs[parity].and(here));
        mine[parity] = mine[parity].without(here).or(taken);
        theirs[parity] = theirs[parity].without(here).or(given);
    }
}

/// Where walks meet players, the god changes hands; the holders who may have got it, one bit each.
#[expect(
    clippy::needless_range_loop,
    reason = "ways and holders index several boards at once"
)]
#[inline(always)]
pub fn hand_over<V: HalfRows, const N: usize>(
    boards: &mut [Planes<Lanes<V, N>>; MAX_PLAYERS],
    meeting: Meeting,
    here: Lanes<V, N>,
) -> usize {
    let Meeting {
        square,
        players,
        lowest,
    } = meeting;
    let parity = square.row % 2;
    let nothing = here.without(here);
    let (mut given, mut taken) = (nothing, nothing);
    for way in 0..4 {
        let gives = boards[0][way][parity].and(here);
        let mut takes = nothing;
        for holder in 1..MAX_PLAYERS {
            if players >> holder & 1 == 1 {
                let plane = &mut boards[holder][way][parity];
                takes = takes.or(*plane);
                *plane = plane.without(here);
            }
        }
        let takes = takes.and(here);
        let mine = &mut boards[0][way][parity];
        *mine = mine.without(here).or(takes);
        let theirs = &mut boards[lowest][way][parity];
        *theirs = theirs.or(gives);
        (given, taken) = (given.or(gives), taken.or(takes));
    }
    usize::from(!given.is_empty()) << lowest | usize::from(!taken.is_empty())
}
