//! Cycles of a counted answer (tier 2).

use crate::facts::{Console, Cycles, ProcessorModel};

use super::counts::Count;
use ikeru_statistics::Estimate;

/// The cycles of one answer, split into instructions and memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CycleParts {
    /// The scoreboard's cycles, the costs of branches and microcode, and the wait states of code.
    pub work: Cycles,
    /// The cycles of caches and memory.
    pub misses: Cycles,
}

impl CycleParts {
    /// Computes the cycles of a counted answer.
    pub fn of(count: &Count, model: &ProcessorModel) -> Self {
        let misses = misses(count, model);
        // Fetching from a cartridge continues during waits for data.
        let fetch = (model.fetch * count.instructions as f64).beyond(misses);
        let work = count.scoreboard()
            + fetch
            + model.taken * count.taken as f64
            + model.mispredict * count.mispredicts as f64
            + model.microcoded * count.microcoded as f64;
        Self { work, misses }
    }

    /// The total, with its band.
    pub fn sum(&self) -> Cycles {
        self.work + self.misses
    }
}

fn misses(count: &Count, model: &ProcessorModel) -> Cycles {
    let (reads, writes) = match (model.data_cache, model.second_cache) {
        (None, _) => (count.loads, 0),
        (Some(_), None) => (count.read_misses, count.write_misses),
        (Some(_), Some(_)) => (count.second_read_misses, count.second_write_misses),
    };
    // Stores that bypass the first cache do not wait for the second one.
    let around = model
        .data_cache
        .is_some_and(|cache| !cache.loads_on_write());
    let stores = if around { 0 } else { count.write_misses };
    let lines = match model.second_cache {
        None => model.instruction_miss * count.instruction_misses as f64,
        Some(_) => {
            let asked = count.instruction_misses + count.read_misses + stores;
            model.second_hit * asked as f64
        }
    };
    let of_data = model.read_miss * reads as f64 + model.write_miss * writes as f64;
    let elsewhere = (count.loads + count.stores).saturating_sub(count.local);
    let words = elsewhere.saturating_sub(count.narrow);
    lines
        + of_data
        + model.store * count.stores as f64
        + model.word * words as f64
        + model.narrow * count.narrow.min(elsewhere) as f64
        + model.write_back * count.write_backs as f64
        + model.after_store * count.after_store as f64
}

impl Cycles {
    /// The time in nanoseconds at the console's clock.
    pub fn time(self, console: &Console) -> Estimate {
        let each = 1e3 / console.clock_mhz;
        let Cycles { low, mid, high } = self;
        Estimate::within(low * each, mid * each, high * each)
    }
}

/// The smallest cache that holds `bytes` bytes.
pub fn fits_cache(model: &ProcessorModel, bytes: f64) -> &'static str {
    let holds = |cache: Option<crate::facts::CacheFacts>| {
        cache.is_some_and(|cache| bytes <= f64::from(cache.bytes))
    };
    match model.data_cache {
        None => "no cache",
        _ if holds(model.data_cache) => "first",
        _ if holds(model.second_cache) => "second",
        _ => "no",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Consoles;

    fn console(name: &str) -> Console {
        let consoles = Consoles::built_in().expect("the facts read").consoles;
        let found = consoles.into_iter().find(|console| console.name == name);
        found.expect("a known console")
    }

    /// The prototype's counts of `memo` without the god on a PS2, as far as they are known.
    fn memo_on_ps2() -> Count {
        Count {
            instructions: 6_650_000,
            loads: 1_500_000,
            stores: 900_000,
            branches: 1_000_000,
            taken: 600_000,
            mispredicts: 100_000,
            cycles_low: 5_000_000,
            cycles: 5_690_000,
            cycles_high: 7_540_000,
            instruction_misses: 1000,
            read_misses: 175_000,
            write_misses: 26_700,
            ..Count::default()
        }
    }

    #[test]
    fn cycles_are_the_sum_of_the_events_penalties() {
        let ps2 = console("PS2");
        let model = ps2.model.as_ref().expect("a model");
        let parts = CycleParts::of(&memo_on_ps2(), model);
        assert_eq!(parts.work.mid, 5.69e6 + 3.0 * 0.1e6);
        assert_eq!(parts.misses.high, 55.0 * (1e3 + 175e3 + 26.7e3));
        let modelled = parts.sum();
        let time = modelled.time(&ps2);
        assert!((time.value - modelled.mid / 294.912e6 * 1e9).abs() < 1e-3);
    }

    #[test]
    fn a_store_queue_microcode_and_lines_written_back_cost_where_a_console_has_them() {
        let count = Count {
            microcoded: 100,
            after_store: 10,
            write_backs: 7,
            ..Count::default()
        };
        let mid = |name: &str| {
            let model = console(name).model.expect("a model");
            let parts = CycleParts::of(&count, &model);
            (parts.work.mid, parts.misses.mid)
        };
        assert_eq!(mid("PS3"), (1100.0, 400.0));
        assert_eq!(mid("N64"), (0.0, 210.0));
        assert_eq!(mid("PS2"), (0.0, 0.0));
    }

    #[test]
    fn a_second_cache_is_asked_before_memory_and_stores_around_it_do_not_wait() {
        for (name, stores) in [("Switch", 20.0), ("PS3", 0.0)] {
            let console = console(name);
            let model = console.model.as_ref().expect("a model");
            let count = Count {
                instruction_misses: 1,
                read_misses: 10,
                write_misses: 20,
                second_read_misses: 4,
                second_write_misses: 2,
                ..Count::default()
            };
            let expected = model.second_hit.mid * (11.0 + stores)
                + model.read_miss.mid * 4.0
                + model.write_miss.mid * 2.0;
            assert_eq!(misses(&count, model).mid, expected, "{name}");
        }
    }

    #[test]
    fn tables_in_external_memory_pay_by_width_and_the_stack_pays_nothing() {
        let count = Count {
            loads: 60,
            stores: 40,
            local: 50,
            narrow: 20,
            ..Count::default()
        };
        let misses = |name: &str| {
            let model = console(name).model.expect("a model");
            CycleParts::of(&count, &model).misses.mid
        };
        assert_eq!(misses("GBA"), 0.0);
        assert_eq!(
            misses("GBA, tables in external RAM"),
            30.0 * 5.0 + 20.0 * 2.0
        );
    }
}
