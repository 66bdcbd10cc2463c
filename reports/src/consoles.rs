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

/// A way to get from a time here to a time on a console.
pub trait Model {
    /// The column's heading.
    fn name(&self) -> &'static str;
    /// What it assumes, in one sentence.
    fn about(&self) -> String;
    /// Nanoseconds on `console` for `here` nanoseconds on this machine; `None` where facts lack.
    fn modelled(&self, console: &Console, here: Estimate) -> Option<Estimate>;
}

/// The ratio of clocks.
#[derive(Debug)]
pub struct Clock<'a>(pub &'a Reference);

/// The ratio of instructions per second.
#[derive(Debug)]
pub struct Instructions<'a>(pub &'a Reference);

/// The ratio of floating-point rates; its interval covers the readings of "several tens".
#[derive(Debug)]
pub struct FloatingPoint<'a>(pub &'a Reference);

/// The articles' own methods.
#[must_use]
pub fn first_tier(reference: &Reference) -> Vec<Box<dyn Model + '_>> {
    vec![
        Box::new(Instructions(reference)),
        Box::new(Clock(reference)),
        Box::new(FloatingPoint(reference)),
    ]
}

impl Model for Clock<'_> {
    fn name(&self) -> &'static str {
        "by clock"
    }
    fn about(&self) -> String {
        format!("By clock: {} MHz of {}", self.0.clock_mhz, self.0.name)
            + " over the console's clock, as if both did the same work per cycle."
    }
    fn modelled(&self, console: &Console, here: Estimate) -> Option<Estimate> {
        Some(here.scaled(self.0.clock_mhz / console.clock_mhz))
    }
}

impl Model for Instructions<'_> {
    fn name(&self) -> &'static str {
        "by MIPS"
    }
    fn about(&self) -> String {
        format!("By MIPS: {} MIPS over the console's rate.", self.0.mips)
    }
    fn modelled(&self, console: &Console, here: Estimate) -> Option<Estimate> {
        Some(here.scaled(self.0.mips / console.mips?))
    }
}

impl Model for FloatingPoint<'_> {
    fn name(&self) -> &'static str {
        "by FLOPS"
    }
    fn about(&self) -> String {
        let Reference {
            gflops,
            gflops_low,
            gflops_high,
            ..
        } = self.0;
        format!(
            "By FLOPS: the article's \"several tens\" of GFLOPS are taken as {gflops} ({gflops_low} to {gflops_high} in the interval); none of the solvers computes with floating-point numbers."
        )
    }
    fn modelled(&self, console: &Console, here: Estimate) -> Option<Estimate> {
        let rate = console.gflops?;
        let of = |gflops: f64| gflops / rate;
        Some(Estimate {
            value: here.value * of(self.0.gflops),
            interval: here.interval.map(|interval| Interval {
                low: interval.low * of(self.0.gflops_low),
                high: interval.high * of(self.0.gflops_high),
            }),
            ..here
        })
    }
}

/// Where a modelled time stands against the budgets.
#[must_use]
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
        let by_mips = Instructions(&facts.reference)
            .modelled(ps2, here)
            .expect("a rate");
        // 40,000 / 435 is "nearly 100 times".
        assert!((by_mips.value / here.value - 91.95).abs() < 0.01);
        let by_flops = FloatingPoint(&facts.reference)
            .modelled(ps2, here)
            .expect("a rate");
        // "Several to over ten times."
        let range = by_flops.interval.expect("a range");
        assert!(range.low / here.value > 3.0 && range.high / here.value < 15.0);
        assert_eq!(budget(by_mips.value), "noticed");
    }
}
