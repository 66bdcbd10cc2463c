//! Samples of a column: repeats of one cell, or one value per instance.

use ikeru_statistics::sample::{CensoredSample, Units};
use ikeru_statistics::{Bound, mean};

use super::Rows;
use crate::Outcome;

impl Rows {
    /// The values of `column`: one per solved or stopped row that has one.
    pub fn sample(&self, column: &str, selection: &[u32]) -> CensoredSample {
        let mut sample = CensoredSample::default();
        let field = self.field(column);
        for &row in selection {
            let bound = match self.outcome(row) {
                Some(Outcome::Solved) => Bound::Exact,
                Some(Outcome::Timeout) => self.bound_when_stopped(column, row),
                _ => continue,
            };
            if let Some(value) = field.number(row) {
                sample.push(value, bound);
            }
        }
        sample
    }

    /// The median of each instance's values.
    pub fn medians(&self, column: &str, selection: &[u32]) -> Units {
        let instances = self.instances(column, selection);
        Units::of(
            instances,
            self.is_one_cell(selection),
            CensoredSample::middle,
        )
    }

    /// The mean of each instance's values.
    pub fn means(&self, column: &str, selection: &[u32]) -> Units {
        let mean = |sample: &CensoredSample| Some((mean(&sample.values)?, sample.bound));
        let instances = self.instances(column, selection);
        Units::of(instances, self.is_one_cell(selection), mean)
    }

    /// The values of each instance.
    pub fn instances(&self, column: &str, selection: &[u32]) -> Vec<CensoredSample> {
        let instances = self.group_by(&["instance_hash"], selection);
        let instances = instances.iter();
        instances.map(|own| self.sample(column, own)).collect()
    }

    /// Whether all rows are repeats of each other.
    pub fn is_one_cell(&self, selection: &[u32]) -> bool {
        self.group_by(&["cell"], selection).len() < 2
    }
}
