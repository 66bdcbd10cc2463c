//! Tier 0: the articles' own methods, a ratio of clocks, of instructions per second, of floating-point rates.
//!
//! They are history: what the articles computed, to be compared with. No verdict rests on them.

use crate::facts::{Console, Reference};

use ikeru_statistics::{Estimate, Interval};

type Slower<'a> = Box<dyn Fn(&Console) -> Option<Estimate> + 'a>;

/// A way to get from a time on the articles' PC to a time on a console.
pub struct Ratio<'a> {
    /// The column's heading.
    pub name: &'static str,
    /// What it assumes, in one sentence.
    pub about: String,
    /// How many times longer a console takes, with the ends of a known range; `None` where facts lack.
    slower: Slower<'a>,
}

impl Ratio<'_> {
    /// Nanoseconds on `console` for `there` nanoseconds on the articles' PC; `None` where facts lack.
    pub fn scaled(&self, console: &Console, there: Estimate) -> Option<Estimate> {
        let slower = (self.slower)(console)?;
        let ends = there.interval.zip(slower.interval);
        Some(Estimate {
            value: there.value * slower.value,
            interval: ends.map(|(there, slower)| Interval {
                low: there.low * slower.low,
                high: there.high * slower.high,
            }),
            ..there
        })
    }
}

/// By instructions per second, by clock, by floating-point rate.
pub fn ratios(pc: &Reference) -> [Ratio<'_>; 3] {
    [
        Ratio {
            name: "by MIPS",
            about: format!("By MIPS: {} MIPS over the console's rate.", pc.mips),
            slower: Box::new(|console| Some(Estimate::exact(pc.mips / console.mips?))),
        },
        Ratio {
            name: "by clock",
            about: format!(
                "By clock: {} MHz of {} over the console's clock, as if both did the same work per cycle.",
                pc.clock_mhz, pc.name
            ),
            slower: Box::new(|console| Some(Estimate::exact(pc.clock_mhz / console.clock_mhz))),
        },
        Ratio {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Consoles;

    #[test]
    fn the_articles_own_ratios_come_out() {
        let facts = Consoles::built_in().expect("facts");
        let named = |name: &str| facts.consoles.iter().find(|console| console.name == name);
        let (ps2, ds) = (named("PS2").expect("the PS2"), named("DS").expect("the DS"));
        let there = Estimate::exact(16e6);
        let [by_mips, by_clock, by_flops] = ratios(&facts.reference);
        let on = |ratio: &Ratio, console| ratio.scaled(console, there).expect("a rate");
        // 40,000 / 435 is "nearly 100 times".
        assert!((on(&by_mips, ps2).value / there.value - 91.95).abs() < 0.01);
        // 294 / 67 is 4.39.
        let slower = on(&by_clock, ds).value / on(&by_clock, ps2).value;
        assert!((slower - 4.39).abs() < 0.02, "{slower}");
        // "Several to over ten times."
        let range = on(&by_flops, ps2).interval.expect("a range");
        assert!(range.low / there.value > 3.0 && range.high / there.value < 15.0);
        assert!(
            by_flops.scaled(ds, there).is_none(),
            "no source gives the DS a rate"
        );
    }
}
