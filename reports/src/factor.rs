//! How many times one label's values are another's, question by question.
//!
//! A median over unlike questions pooled together says little: half of its samples may come from
//! easy ones. So each question's medians are divided, and the geometric mean of these ratios stands
//! for all. With one question the interval comes from resampling its samples, with several from
//! resampling the questions.

use crate::Rows;
use crate::statistics::statistic::Sample;
use crate::statistics::{Interval, bootstrap_mean, bootstrap_ratio_of_medians};

/// A geometric mean of ratios of medians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The factor with its 95 % interval; `at_least` where stopped runs stand above the line.
    pub interval: Interval,
    /// Whether stopped runs stand below the line: the true factor is at most this.
    pub at_most: bool,
    /// Over how many questions.
    pub questions: usize,
}

/// What must be equal for two cells to answer the same question.
const QUESTION: [&str; 4] = ["instance_hash", "bound_policy", "threads", "mode"];

impl Factor {
    /// `above`'s values of `column` divided by those of `below`, over the questions that both
    /// answered. `None` where there is none, or where stopped runs leave both directions open.
    #[must_use]
    pub fn between(rows: &Rows, column: &str, above: &[u32], below: &[u32]) -> Option<Self> {
        let is_above = {
            let mut is_above = vec![false; rows.len()];
            above.iter().for_each(|row| is_above[*row as usize] = true);
            is_above
        };
        let both: Vec<u32> = above.iter().chain(below).copied().collect();
        let mut ratios = Vec::new();
        let (mut at_least, mut at_most) = (false, false);
        for question in rows.group_by(&pairing(rows, above, below), &both) {
            let (own, other): (Vec<u32>, Vec<u32>) =
                question.iter().partition(|row| is_above[**row as usize]);
            let own = Sample::of(rows, column, &own);
            let other = Sample::of(rows, column, &other);
            let bounds = (own.median_is_bound(), other.median_is_bound());
            let Some(ratio) = bootstrap_ratio_of_medians(&own.values, &other.values) else {
                continue;
            };
            // Of two stopped runs nothing is known, and zero has no logarithm.
            if bounds != (true, true) && ratio.mid > 0.0 {
                at_least |= bounds.0;
                at_most |= bounds.1;
                ratios.push(ratio);
            }
        }
        if at_least && at_most {
            return None;
        }
        let interval = match ratios.as_slice() {
            [one] => *one,
            many => {
                let logarithms: Vec<f64> = many.iter().map(|ratio| ratio.mid.ln()).collect();
                let mean = bootstrap_mean(&logarithms)?;
                Interval::new(mean.low.exp(), mean.mid.exp(), mean.high.exp())
            }
        };
        Some(Self {
            interval: Interval {
                at_least,
                ..interval
            },
            at_most,
            questions: ratios.len(),
        })
    }
}

/// The columns that pair the rows of two sides: question, machine and settings. What both sides know
/// and neither varies is what they differ in, and what only one side knows cannot pair.
fn pairing<'a>(rows: &'a Rows, above: &[u32], below: &[u32]) -> Vec<&'a str> {
    let settings = rows.columns().filter(|name| name.starts_with("setting_"));
    let others = QUESTION.into_iter().filter(|name| *name != "instance_hash");
    let columns = settings.chain(others).filter(|column| {
        let sides = [above, below].map(|side| {
            let groups = rows.group(column, side);
            let known: usize = groups.iter().map(|(_, rows)| rows.len()).sum();
            (known == side.len(), groups.len() > 1)
        });
        let is_known = sides.iter().all(|side| side.0);
        let varies = sides.iter().any(|side| side.1);
        is_known && varies
    });
    let mut columns: Vec<&str> = columns.collect();
    columns.push("instance_hash");
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::rows;

    fn factor(text: &str) -> Option<Factor> {
        let rows = rows(&format!(
            "schema,label,instance_hash,setting_god,setting_width,outcome,wall_ns\n{text}"
        ));
        let with = |label| rows.with("label", label);
        Factor::between(&rows, "wall_ns", &with("slow"), &with("fast"))
    }

    #[test]
    fn questions_are_divided_before_they_are_averaged() {
        // 100 without the god and 400 with it: 200 on the geometric mean, not the 160 of pooled medians.
        let found = factor(
            "1,slow,h,false,,solved,1000\n1,slow,h,true,,solved,4000\n\
             1,fast,h,false,7,solved,10\n1,fast,h,true,7,solved,10\n1,fast,other,true,7,solved,1\n",
        )
        .expect("two questions");
        assert_eq!(found.questions, 2);
        assert!((found.interval.mid - 200.0).abs() < 1e-9, "{found:?}");
        assert!((found.interval.low - 100.0).abs() < 1e-9 && found.interval.high > 399.0);
    }

    #[test]
    fn stopped_runs_bound_the_factor() {
        let above = "1,slow,h,true,,timeout,900\n1,fast,h,true,,solved,9\n";
        let found = factor(above).expect("one question");
        assert!(found.interval.at_least && !found.at_most);
        assert_eq!(found.interval.mid, 100.0);
        let below = "1,slow,g,true,,solved,900\n1,fast,g,true,,timeout,9\n";
        assert!(factor(below).expect("one question").at_most);
        assert_eq!(factor(&format!("{above}{below}")), None);
        assert_eq!(
            factor("1,slow,h,true,,timeout,9\n1,fast,h,true,,timeout,9\n"),
            None
        );
    }
}
