//! Times on consoles: what a processor's simulation counted, what the counters of a run cost, and what follows.
//!
//! | module | owns |
//! |---|---|
//! | [`counts`] | what was counted on the consoles' instruction sets: `counts.csv`, `schedules.csv` |
//! | [`cycles`] | tier 2: cycles of a counted answer, and tier 3, the models beside it |
//! | [`cost`] | tier 1: cycles of a run's counters by a cost table, `costs.csv` |
//! | [`fit`] | the cost table made from the counts, and how well it predicts |
//! | [`history`] | tier 0: the articles' own ratios, for comparison alone |
//! | [`throughput`] | the rows of a run on every console: `throughput.csv` |
//! | [`budget`] | the times that a player grants, and what manages within them |
//!
//! No time of the measuring machine enters tiers 1 to 3, and no function is used whose last digit depends on the
//! machine: the same numbers come out everywhere.

pub mod budget;
pub mod cost;
pub mod counts;
pub mod cycles;
pub mod fit;
pub mod history;
pub mod throughput;

use ikeru_bench_data::Consoles;
use ikeru_bench_data::builtin::console_table;

use crate::error::ReportError;
use cost::Cost;
use counts::{Count, Schedules};

/// Everything that tiers 1 to 3 rest on.
#[derive(Debug, Clone)]
pub struct Basis {
    /// The facts.
    pub consoles: Consoles,
    /// What was counted.
    pub counts: Vec<Count>,
    /// The cost table.
    pub costs: Vec<Cost>,
    /// The compilers' schedules.
    pub schedules: Schedules,
}

impl Basis {
    /// The facts and tables of this program.
    ///
    /// # Errors
    /// A table that does not read.
    pub fn built_in() -> Result<Self, ReportError> {
        Ok(Self {
            consoles: Consoles::built_in()?,
            counts: counts::read("counts.csv", console_table("counts.csv"))?,
            costs: cost::read("costs.csv", console_table("costs.csv"))?,
            schedules: Schedules::read("schedules.csv", console_table("schedules.csv"))?,
        })
    }

    /// Adds consoles to the built-in ones; one of a known name takes its place. What was counted for a console of
    /// the same processor, target and caches holds for them too, so that their costs are fitted from it.
    pub fn add(&mut self, more: Consoles) {
        for console in more.consoles {
            self.counts.retain(|count| count.console != console.name);
            self.costs.retain(|cost| cost.console != console.name);
            let twin = self.consoles.consoles.iter().find(|known| {
                let models = known.model.as_ref().zip(console.model.as_ref());
                models.is_some_and(|(known, new)| known.counts_alike(new))
            });
            if let Some(twin) = twin.map(|twin| twin.name.clone()) {
                let counted = self.counts.iter().filter(|count| count.console == twin);
                let renamed = counted.map(|count| Count {
                    console: console.name.clone(),
                    ..count.clone()
                });
                let counts: Vec<Count> = renamed.collect();
                self.costs
                    .extend(fit::costs(&counts, std::slice::from_ref(&console)));
                self.counts.extend(counts);
            }
            let all = &mut self.consoles.consoles;
            all.retain(|known| known.name != console.name);
            let place = all.partition_point(|known| known.year <= console.year);
            all.insert(place, console);
        }
    }
}
