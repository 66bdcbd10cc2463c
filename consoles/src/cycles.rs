//! Cycles of a counted answer (tier 2), and the independent models beside them (tier 3).

use crate::facts::{Console, Cycles, EmulatorRule, ProcessorModel};

use super::counts::Count;
use ikeru_statistics::Estimate;

/// The cycles of one answer in the parts that depend on different things.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CycleParts {
    /// The scoreboard with branches and the wait states of code: the instructions alone.
    pub work: Cycles,
    /// Caches and memory.
    pub misses: Cycles,
    /// All of it by the emulator's rule; `None` where there is none.
    pub emulator: Option<f64>,
}

impl CycleParts {
    /// The parts of a counted answer.
    pub fn of(count: &Count, console: &Console, model: &ProcessorModel) -> Self {
        let work = count.scoreboard()
            + model.fetch * count.instructions as f64
            + model.taken * count.taken as f64
            + model.mispredict * count.mispredicts as f64;
        Self {
            work,
            misses: misses(count, model),
            emulator: console.emulator.as_ref().map(|rule| emulated(count, rule)),
        }
    }
}

fn misses(count: &Count, model: &ProcessorModel) -> Cycles {
    let (reads, writes) = match (model.data_cache, model.second_cache) {
        (None, _) => (count.loads, 0),
        (Some(_), None) => (count.read_misses, count.write_misses),
        (Some(_), Some(_)) => (count.second_read_misses, count.second_write_misses),
    };
    // Stores past a first cache do not wait for the second one.
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
    lines + of_data + model.store * count.stores as f64
}

fn emulated(count: &Count, rule: &EmulatorRule) -> f64 {
    let classes = [
        (count.loads, rule.load),
        (count.stores, rule.store),
        (count.multiplies, rule.multiply),
        (count.divides, rule.divide),
        (count.branches, rule.branch),
    ];
    let (mut rest, mut cycles) = (count.instructions as f64, 0.0);
    for (events, each) in classes {
        rest -= events as f64;
        cycles += events as f64 * each;
    }
    cycles + rest.max(0.0) * rule.instruction
}

/// The cycles of one answer with their band, and the models that made it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modelled {
    /// The scoreboard's cycles; the ends also hold the other models, where these do not average over misses.
    pub cycles: Cycles,
    /// The same with the compiler's schedule in place of the scoreboard's.
    pub schedule: Option<f64>,
    /// The emulator's rule.
    pub emulator: Option<f64>,
}

/// From this factor on models contradict each other.
pub const CONTRADICTION: f64 = 2.0;

impl Modelled {
    /// Puts the parts together. `memory` is what the tables take, `schedule` the compiler's cycles by the scoreboard's.
    pub fn of(parts: &CycleParts, console: &Console, memory: f64, schedule: Option<f64>) -> Self {
        let mut misses = parts.misses;
        let model = console.model.as_ref();
        let fast = model.and_then(|model| model.fast_memory_bytes);
        if fast.is_some_and(|bytes| memory <= bytes as f64) {
            misses.mid = misses.low;
        }
        let schedule = schedule.map(|ratio| parts.work.mid * ratio + misses.mid);
        let mut cycles = parts.work + misses;
        let averages = console
            .emulator
            .as_ref()
            .is_some_and(|rule| rule.averages_misses);
        for other in schedule
            .into_iter()
            .chain(parts.emulator.filter(|_| !averages))
        {
            cycles.low = cycles.low.min(other);
            cycles.high = cycles.high.max(other);
        }
        Self {
            cycles,
            schedule,
            emulator: parts.emulator,
        }
    }

    /// By which factor the furthest two models differ.
    pub fn disagreement(&self) -> f64 {
        let others = [self.schedule, self.emulator].into_iter().flatten();
        let all = others.chain([self.cycles.mid]);
        let (low, high) = all.fold((f64::INFINITY, 0.0_f64), |(low, high), cycles| {
            (low.min(cycles), high.max(cycles))
        });
        high / low
    }

    /// The time in nanoseconds at the console's clock.
    pub fn time(&self, console: &Console) -> Estimate {
        let each = 1e3 / console.clock_mhz;
        let Cycles { low, mid, high } = self.cycles;
        Estimate::within(low * each, mid * each, high * each)
    }
}

/// The smallest cache that holds so many bytes.
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
        let parts = CycleParts::of(&memo_on_ps2(), &ps2, model);
        assert_eq!(parts.work.mid, 5.69e6 + 3.0 * 0.1e6);
        assert_eq!(parts.misses.high, 55.0 * (1e3 + 175e3 + 26.7e3));
        // 9/8 for what has no class of its own, 14/8 for loads and stores, 11/8 for branches.
        let emulator = 3.25e6 * 1.125 + 2.4e6 * 1.75 + 1.0e6 * 1.375;
        assert_eq!(parts.emulator, Some(emulator));
        let modelled = Modelled::of(&parts, &ps2, 1e6, None);
        assert_eq!(modelled.cycles.mid, parts.work.mid + parts.misses.mid);
        assert_eq!(
            modelled.cycles.low, emulator,
            "the emulator charges no misses"
        );
        let time = modelled.time(&ps2);
        assert!((time.value - modelled.cycles.mid / 294.912e6 * 1e9).abs() < 1e-3);
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
    fn an_average_over_misses_is_shown_and_does_not_widen_the_band() {
        let ds = console("DS");
        let model = ds.model.as_ref().expect("a model");
        let parts = CycleParts::of(&memo_on_ps2(), &ds, model);
        let modelled = Modelled::of(&parts, &ds, 1e6, Some(1.5));
        assert!(
            modelled
                .emulator
                .is_some_and(|cycles| cycles > modelled.cycles.high)
        );
        assert_eq!(
            modelled.schedule,
            Some(parts.work.mid * 1.5 + parts.misses.mid)
        );
        assert!(modelled.cycles.high >= parts.work.mid * 1.5 + parts.misses.mid);
        let shown = modelled.emulator.expect("a rule") / modelled.cycles.mid;
        assert!((modelled.disagreement() - shown).abs() < 1e-12);
    }

    #[test]
    fn only_tables_beyond_the_fast_memory_pay_wait_states_in_the_middle() {
        let gba = console("GBA");
        let model = gba.model.as_ref().expect("a model");
        let parts = CycleParts::of(&memo_on_ps2(), &gba, model);
        let cycles = |memory| Modelled::of(&parts, &gba, memory, None).cycles;
        let (inside, outside) = (cycles(24_576.0), cycles(24_577.0));
        assert_eq!(inside.mid, parts.work.mid + parts.misses.low);
        assert_eq!(outside.mid, parts.work.mid + parts.misses.mid);
        assert!(outside.mid > inside.mid);
        // The stack stays inside, so that the low end has no wait states wherever the tables are.
        assert_eq!(inside.low, parts.work.low + parts.misses.low);
        assert_eq!((outside.low, outside.high), (inside.low, inside.high));
    }
}
