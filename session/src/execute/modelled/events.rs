//! The ranks of a search and the messages between them, in virtual time.
//!
//! Rank 0 answers requests in the order of their arrival, one after the other. A rank works on a subproblem to its
//! end with the best score that it knew when it began. A score that it receives meanwhile applies to its next
//! subproblem.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use ikeru_core::{Direction, Incumbent, Score};

/// The assumptions of the model.
#[derive(Debug, Clone, Copy)]
pub struct Assumptions {
    /// The ranks that search; rank 0 is not among them.
    pub ranks: usize,
    /// The time of a message.
    pub delay: Duration,
    /// Rank 0's time for a message, received or sent.
    pub handling: Duration,
    /// The factor by which work takes longer because ranks share cores; at least 1.
    pub stretch: f64,
    /// True if rises of the best score are relayed.
    pub shares: bool,
    /// The direction in which scores get better.
    pub direction: Direction,
}

/// All ranks.
#[derive(Debug)]
pub struct Ranks {
    assumed: Assumptions,
    /// Messages to rank 0 by their arrival.
    arriving: BinaryHeap<Reverse<(Duration, u64, ModelledMessage)>>,
    sent: u64,
    /// The time at which rank 0 is free again.
    free: Duration,
    /// The scores that rank 0 sent to the others, worst score first.
    relays: Vec<Relay>,
    /// The best score that each rank knows by itself.
    own: Vec<Option<Score>>,
    /// The rank that works, and since when.
    working: Option<(usize, Duration)>,
    handed: usize,
    relayed: u64,
    rises: Vec<(Duration, Score, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ModelledMessage {
    Want(usize),
    Rise(usize, Score),
}

/// A score that rank 0 sends to all ranks but `from`, in their order.
#[derive(Debug, Clone, Copy)]
struct Relay {
    score: Score,
    from: usize,
    begun: Duration,
}

impl Ranks {
    /// The ranks after each of them has made the split, which took `split` and found the score `found`. Each rank
    /// requests a subproblem.
    pub fn begin(assumed: Assumptions, split: Duration, found: Option<Score>) -> Self {
        let mut ranks = Self {
            assumed,
            arriving: BinaryHeap::with_capacity(assumed.ranks),
            sent: 0,
            free: Duration::ZERO,
            relays: Vec::new(),
            own: vec![found; assumed.ranks],
            working: None,
            handed: 0,
            relayed: 0,
            rises: Vec::new(),
        };
        let split = split.mul_f64(assumed.stretch);
        (0..assumed.ranks).for_each(|rank| ranks.send(split, ModelledMessage::Want(rank)));
        ranks
    }

    /// Ends the subproblem of the working rank, which took `work` and found the scores `rises`.
    pub fn end_turn(&mut self, work: Duration, rises: &[(Duration, Score)]) {
        let Some((rank, began)) = self.working.take() else {
            return;
        };
        let stretch = self.assumed.stretch;
        let at = |after: Duration| began + after.min(work).mul_f64(stretch);
        for (place, &(after, score)) in rises.iter().enumerate() {
            self.rises.push((at(after), score, rank));
            self.own[rank] = Some(score);
            // A rank looks at its score at intervals: of scores that follow each other within `delay`, it sends the
            // last.
            let next = rises.get(place + 1).map(|(next, _)| at(*next));
            let is_overtaken = next.is_some_and(|next| next < at(after) + self.assumed.delay);
            if self.assumed.shares && !is_overtaken {
                self.send(at(after), ModelledMessage::Rise(rank, score));
            }
        }
        self.send(at(work), ModelledMessage::Want(rank));
    }

    /// The number of the next subproblem that a rank begins, and the best score that the rank knows.
    pub fn next_turn(&mut self) -> (usize, Option<Score>) {
        while let Some((answered, message)) = self.handle() {
            if let ModelledMessage::Want(rank) = message {
                let begins = answered + self.assumed.delay;
                let turn = (self.handed, self.known(rank, begins));
                self.working = Some((rank, begins));
                self.handed += 1;
                return turn;
            }
        }
        // No rank requests a subproblem any more.
        (usize::MAX, None)
    }

    /// Ends the search if the last turn had no subproblem left. Returns the time at which the last rank has reported
    /// its end, and the number of messages by which rank 0 relayed rises.
    pub fn end(&mut self) -> (Duration, u64) {
        let mut last = Duration::ZERO;
        if let Some((_, told)) = self.working.take() {
            last = told + self.assumed.delay;
        }
        while let Some((answered, message)) = self.handle() {
            if let ModelledMessage::Want(_) = message {
                last = last.max(answered + 2 * self.assumed.delay);
            }
        }
        (last, self.relayed)
    }

    /// The rises of the best score of all ranks, with their times and ranks.
    pub fn rises(&self) -> Vec<(Duration, Score, usize)> {
        let mut rises = self.rises.clone();
        rises.sort_by_key(|(at, _, _)| *at);
        let best = Incumbent::new(self.assumed.direction);
        rises.retain(|(_, score, _)| best.improve(*score));
        rises
    }

    fn send(&mut self, at: Duration, message: ModelledMessage) {
        self.sent += 1;
        let arrives = at + self.assumed.delay;
        self.arriving.push(Reverse((arrives, self.sent, message)));
    }

    /// Lets rank 0 handle the next message. Returns the time after its handling, and the message.
    fn handle(&mut self) -> Option<(Duration, ModelledMessage)> {
        let Reverse((arrived, _, message)) = self.arriving.pop()?;
        self.free = self.free.max(arrived) + self.assumed.handling;
        let answered = self.free;
        if let ModelledMessage::Rise(from, score) = message
            && self.is_better(score, self.relays.last().map(|relay| relay.score))
        {
            self.relays.push(Relay {
                score,
                from,
                begun: answered,
            });
            let others = self.assumed.ranks - 1;
            self.relayed += others as u64;
            self.free += self.assumed.handling.mul_f64(others as f64);
        }
        Some((answered, message))
    }

    /// The best score that `rank` knows at a time.
    fn known(&self, rank: usize, at: Duration) -> Option<Score> {
        let own = self.own[rank];
        let told = self.relays.iter().rev().find(|relay| {
            let place = rank + usize::from(rank < relay.from);
            let sent = relay.begun + self.assumed.handling.mul_f64(place as f64);
            relay.from != rank && sent + self.assumed.delay <= at
        });
        match told {
            Some(relay) if self.is_better(relay.score, own) => Some(relay.score),
            _ => own,
        }
    }

    fn is_better(&self, score: Score, than: Option<Score>) -> bool {
        than.is_none_or(|than| self.assumed.direction.is_better(score, than))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn assumed(ranks: usize) -> Assumptions {
        Assumptions {
            ranks,
            delay: ms(10),
            handling: ms(1),
            stretch: 1.0,
            shares: true,
            direction: Direction::Maximize,
        }
    }

    /// Hands out one subproblem for each of `times`; none of them finds a score.
    fn played(assumed: Assumptions, split: Duration, times: &[u64]) -> Duration {
        let mut ranks = Ranks::begin(assumed, split, None);
        loop {
            let (number, _) = ranks.next_turn();
            match times.get(number) {
                Some(time) => ranks.end_turn(ms(*time), &[]),
                None => return ranks.end().0,
            }
        }
    }

    #[test]
    fn one_rank_takes_all_work_and_two_messages_more_than_it_has_subproblems() {
        // The split; a request, its handling and its answer for each number and for the one after the last; the
        // report of the end.
        let requests = 3 * (10 + 1 + 10);
        assert_eq!(
            played(assumed(1), ms(7), &[100, 200]),
            ms(7 + 300 + requests + 10)
        );
        assert_eq!(played(assumed(1), ms(7), &[]), ms(7 + 21 + 10));
    }

    #[test]
    fn ranks_work_at_the_same_time_and_wait_for_rank_0() {
        // Two requests arrive at 10: the first is answered at 11, the second at 12.
        assert_eq!(
            played(assumed(2), ms(0), &[100, 100]),
            ms(10 + 2 + 10 + 100 + 10 + 1 + 10 + 10)
        );
        // A thousand ranks ask twice each: rank 0 does nothing but answer.
        let many = played(assumed(1000), ms(0), &[100; 1000]);
        assert_eq!(many, ms(10 + 2 * 1000 + 10 + 10));
    }

    #[test]
    fn shared_cores_stretch_the_work_and_not_the_messages() {
        let shared = Assumptions {
            stretch: 2.0,
            ..assumed(1)
        };
        let alone = played(assumed(1), ms(7), &[100]);
        assert_eq!(played(shared, ms(7), &[100]), alone + ms(107));
    }

    #[test]
    fn a_rise_is_known_when_its_message_has_come_and_only_if_it_is_shared() {
        let known = |shares| {
            let mut ranks = Ranks::begin(
                Assumptions {
                    shares,
                    ..assumed(2)
                },
                ms(0),
                Some(3),
            );
            // The first begins at 21 and finds 9 at 26; its message arrives at 36.
            let first = ranks.next_turn();
            ranks.end_turn(ms(100), &[(ms(5), 9)]);
            // The second begins at 22; it asks again at 24 and begins at 45, before the score arrives at 48.
            let second = ranks.next_turn();
            ranks.end_turn(ms(2), &[]);
            let third = ranks.next_turn();
            ranks.end_turn(ms(20), &[]);
            // It asks again at 65.
            let fourth = ranks.next_turn();
            ranks.end_turn(ms(0), &[]);
            let seen = [first, second, third, fourth].map(|(_, known)| known);
            let rises = ranks.rises();
            (seen, ranks.end().1, rises)
        };
        let rise = vec![(ms(26), 9, 0)];
        assert_eq!(
            known(true),
            ([Some(3), Some(3), Some(3), Some(9)], 1, rise.clone())
        );
        assert_eq!(known(false), ([Some(3); 4], 0, rise));
    }

    #[test]
    fn of_rises_that_follow_each_other_quickly_only_the_last_is_told() {
        let mut ranks = Ranks::begin(assumed(4), ms(0), None);
        ranks.next_turn();
        ranks.end_turn(ms(100), &[(ms(5), 1), (ms(6), 2), (ms(50), 3)]);
        assert_eq!(ranks.rises().len(), 3);
        while ranks.next_turn().0 < 9 {
            ranks.end_turn(ms(1), &[]);
        }
        assert_eq!(ranks.end().1, 2 * 3, "two rises, each told to three ranks");
    }
}
