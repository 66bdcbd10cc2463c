//! Times on consoles, modelled from times measured here.
//!
//! The first tier is the articles' own: a ratio of clocks, of instructions per second, of
//! floating-point rates, as if this machine's core were the article's PC. A better model is one
//! more [`Model`].

use ikeru_bench_data::console::{Console, Reference};

use crate::statistics::{Estimate, Interval};

/// One frame at 60 Hz, in ns.
pub const FRAME_NS: f64 = 16.7e6;
/// What a player notices, by the article, in ns.
pub const NOTICED_NS: f64 = 1e8;

type Slower<'a> = Box<dyn Fn(&Console) -> Option<Estimate> + 'a>;

/// A way to get from a time here to a time on a console.
pub struct Model<'a> {
    /// The column's heading.
    pub name: &'static str,
    /// What it assumes, in one sentence.
    pub about: String,
    /// How many times longer a console takes, with the ends of a known range; `None` where facts lack.
    slower: Slower<'a>,
}

impl Model<'_> {
    /// Nanoseconds on `console` for `here` nanoseconds on this machine; `None` where facts lack.
    pub fn modelled(&self, console: &Console, here: Estimate) -> Option<Estimate> {
        let slower = (self.slower)(console)?;
        let ends = here.interval.zip(slower.interval);
        Some(Estimate {
            value: here.value * slower.value,
            interval: ends.map(|(here, slower)| Interval {
                low: here.low * slower.low,
                high: here.high * slower.high,
            }),
            ..here
        })
    }
}

/// The articles' own methods: by instructions per second, by clock, by floating-point rate.
pub fn first_tier(pc: &Reference) -> [Model<'_>; 3] {
    [
        Model {
            name: "by MIPS",
            about: format!("By MIPS: {} MIPS over the console's rate.", pc.mips),
            slower: Box::new(|console| Some(Estimate::exact(pc.mips / console.mips?))),
        },
        Model {
            name: "by clock",
            about: format!(
                "By clock: {} MHz of {} over the console's clock, as if both did the same work per cycle.",
                pc.clock_mhz, pc.name
            ),
            slower: Box::new(|console| Some(Estimate::exact(pc.clock_mhz / console.clock_mhz))),
        },
        Model {
            name: "by FLOPS",
            about: format!(
                "By FLOPS: the article's \"several tens\" of GFLOPS are taken as {} ({} to {} in the interval); none of the solvers computes with floating-point numbers.",
                pc.gflops, pc.gflops_low, pc.gflops_high
            ),
            slower: Box::new(|console| {
                let [low, middle, high] = [pc.gflops_low, pc.gflops, pc.gflops_high];
                let rate = console.gflops?;
                Some(Estimate::within(low / rate, middle / rate, high / rate))
            }),
        },
    ]
}

/// Where a modelled time stands against the budgets.
pub fn budget(ns: f64) -> &'static str {
    if ns <= FRAME_NS {
        "within a frame"
    } else if ns <= NOTICED_NS {
        "within 100 ms"
    } else {
        "noticed"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ikeru_bench_data::Consoles;

    #[test]
    fn the_articles_own_ratios_come_out() {
        let facts = Consoles::built_in().expect("facts");
        let ps2 = facts
            .consoles
            .iter()
            .find(|console| console.name == "PS2")
            .expect("the PS2");
        let here = Estimate::exact(16e6);
        let [by_mips, _, by_flops] =
            first_tier(&facts.reference).map(|model| model.modelled(ps2, here).expect("a rate"));
        // 40,000 / 435 is "nearly 100 times".
        assert!((by_mips.value / here.value - 91.95).abs() < 0.01);
        // "Several to over ten times."
        let range = by_flops.interval.expect("a range");
        assert!(range.low / here.value > 3.0 && range.high / here.value < 15.0);
        assert_eq!(budget(by_mips.value), "noticed");
    }
}
