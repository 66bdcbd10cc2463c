//! Several solvers as one: what the best of each question comes to, and who it needs.
//!
//! The *virtual best solver* knows beforehand which solver is fastest on a question. A solver's
//! marginal contribution is what the virtual best one would lose without it (Xu, Hutter, Hoos and
//! Leyton-Brown 2012, "Evaluating component solver contributions to portfolio-based algorithm selectors").

use crate::mean;

/// A time, or `None` where the solver gave no answer within the limit.
pub type Time = Option<f64>;

/// PAR-2: the mean time where a question without an answer counts twice the limit; `None` of nothing.
pub fn par2(times: &[Time], limit: f64) -> Option<f64> {
    let counted = times.iter().map(|time| time.unwrap_or(2.0 * limit));
    mean(&counted.collect::<Vec<f64>>())
}

/// The restricted mean: the mean time where none counts for more than the limit; `None` of nothing. As every
/// question is stopped at the limit, it is the area under Kaplan and Meier's curve up to there.
pub fn restricted_mean(times: &[Time], limit: f64) -> Option<f64> {
    let counted = times.iter().map(|time| time.unwrap_or(limit).min(limit));
    mean(&counted.collect::<Vec<f64>>())
}

/// What several solvers come to together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Portfolio {
    /// The virtual best solver's time on each question.
    pub best: Vec<Time>,
    /// Of each solver what the virtual best one's PAR-2 grows by without it.
    pub contributions: Vec<f64>,
    /// Of each solver how many questions it alone answered.
    pub alone: Vec<usize>,
}

impl Portfolio {
    /// Of the solvers' times on the same questions, `[solver][question]`.
    pub fn of(times: &[Vec<Time>], limit: f64) -> Self {
        let questions = times.iter().map(Vec::len).min().unwrap_or(0);
        let mut portfolio = Self {
            best: Vec::with_capacity(questions),
            contributions: vec![0.0; times.len()],
            alone: vec![0; times.len()],
        };
        for question in 0..questions {
            let solved = times
                .iter()
                .enumerate()
                .filter_map(|(solver, times)| Some((times[question]?, solver)));
            let (mut first, mut second): (Option<(f64, usize)>, Time) = (None, None);
            for (time, solver) in solved {
                match first {
                    Some((best, _)) if time >= best => {
                        second = Some(second.map_or(time, |second| second.min(time)));
                    }
                    _ => {
                        second = first.map(|(best, _)| best);
                        first = Some((time, solver));
                    }
                }
            }
            portfolio.best.push(first.map(|(time, _)| time));
            if let Some((time, solver)) = first {
                let without = second.unwrap_or(2.0 * limit);
                portfolio.contributions[solver] += (without - time) / questions as f64;
                portfolio.alone[solver] += usize::from(second.is_none());
            }
        }
        portfolio
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unanswered_question_counts_the_limit_once_or_twice() {
        assert_eq!(par2(&[Some(1.0), None], 10.0), Some(10.5));
        let times = [Some(1.0), None, Some(12.0), Some(5.0)];
        assert_eq!(restricted_mean(&times, 10.0), Some(6.5));
        assert_eq!((par2(&[], 10.0), restricted_mean(&[], 10.0)), (None, None));
    }

    #[test]
    fn contributions_are_what_par2_loses() {
        let times = vec![
            vec![Some(1.0), Some(5.0), None, None],
            vec![Some(3.0), Some(2.0), None, Some(4.0)],
            vec![Some(3.0), Some(5.0), None, None],
        ];
        let limit = 10.0;
        let portfolio = Portfolio::of(&times, limit);
        assert_eq!(portfolio.best, [Some(1.0), Some(2.0), None, Some(4.0)]);
        assert_eq!(portfolio.alone, [0, 1, 0]);
        for left_out in 0..times.len() {
            let mut rest = times.clone();
            rest.remove(left_out);
            let without = par2(&Portfolio::of(&rest, limit).best, limit).expect("questions");
            let whole = par2(&portfolio.best, limit).expect("questions");
            let lost = portfolio.contributions[left_out];
            assert!((without - whole - lost).abs() < 1e-12, "{left_out}");
        }
    }
}
