//! Branch predictors: tables of two-bit counters.

use serde::Deserialize;

/// The index of a predictor's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum PredictorKind {
    /// The branch's address.
    Bimodal {
        /// Counters, a power of two.
        entries: usize,
    },
    /// The address and the outcomes of the last ten branches.
    Global {
        /// Counters, a power of two.
        entries: usize,
    },
}

/// A predictor with its state.
#[derive(Debug)]
pub struct Predictor {
    counters: Vec<u8>,
    /// The bits of the history that enter the index.
    history_mask: u64,
    history: u64,
}

impl Predictor {
    /// A predictor that predicts every branch as not taken.
    pub fn new(kind: PredictorKind) -> Self {
        let (entries, history_mask) = match kind {
            PredictorKind::Bimodal { entries } => (entries, 0),
            PredictorKind::Global { entries } => (entries, 0x3ff),
        };
        Self {
            counters: vec![0; entries.next_power_of_two()],
            history_mask,
            history: 0,
        }
    }

    /// Updates the table with the outcome of the branch at `address`; returns whether it was predicted.
    pub fn branch(&mut self, address: u64, taken: bool) -> bool {
        let place = (address >> 2 ^ self.history & self.history_mask) as usize;
        let place = place & (self.counters.len() - 1);
        self.history = self.history << 1 | u64::from(taken);
        let Some(counter) = self.counters.get_mut(place) else {
            return false;
        };
        let predicted = *counter >= 2;
        *counter = match taken {
            true => (*counter + 1).min(3),
            false => counter.saturating_sub(1),
        };
        predicted == taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn misses(kind: PredictorKind, outcomes: impl Iterator<Item = bool>) -> usize {
        let mut predictor = Predictor::new(kind);
        outcomes
            .filter(|taken| !predictor.branch(0x1000, *taken))
            .count()
    }

    #[test]
    fn a_loop_is_learned_and_its_end_missed_once() {
        let loops = (0..10).flat_map(|_| (0..20).map(|round| round < 19));
        let missed = misses(PredictorKind::Bimodal { entries: 64 }, loops);
        assert_eq!(missed, 2 + 10, "twice to learn, then every end");
    }

    #[test]
    fn only_the_history_learns_an_alternation() {
        let alternation = || (0..1000).map(|round| round % 2 == 0);
        assert!(misses(PredictorKind::Bimodal { entries: 64 }, alternation()) >= 500);
        assert!(misses(PredictorKind::Global { entries: 4096 }, alternation()) < 30);
    }

    #[test]
    fn small_tables_alias() {
        let mut predictor = Predictor::new(PredictorKind::Bimodal { entries: 64 });
        for _ in 0..3 {
            predictor.branch(0x1000, true);
        }
        assert!(
            predictor.branch(0x1000 + 64 * 4, true),
            "64 words on it is the same counter"
        );
        assert!(!predictor.branch(0x1004, true));
    }
}
