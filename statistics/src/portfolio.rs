//! Portfolios of solvers: the virtual best solver, and the contribution of each solver to it.
//!
//! The *virtual best solver* (VBS) answers each question with the solver that is fastest on it. A solver's marginal
//! contribution is the loss of the VBS without it (Xu, Hutter, Hoos and Leyton-Brown 2012, "Evaluating component solver
//! contributions to portfolio-based algorithm selectors").

use crate::mean;

/// A time, or `None` if the solver gave no answer within the limit.
pub type Time = Option<f64>;

/// PAR-2: the mean time, with twice the limit for a question without an answer; `None` of no questions.
pub fn par2(times: &[Time], limit: f64) -> Option<f64> {
    let counted = times.iter().map(|time| time.unwrap_or(2.0 * limit));
    mean(&counted.collect::<Vec<f64>>())
}

/// The virtual best solver of several solvers, and their contributions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Portfolio {
    /// The virtual best solver's time on each question.
    pub best: Vec<Time>,
    /// For each solver, the increase of the virtual best solver's PAR-2 without it.
    pub contributions: Vec<f64>,
}

impl Portfolio {
    /// The portfolio of the solvers' times on the same questions, `[solver][question]`.
    pub fn of(times: &[Vec<Time>], limit: f64) -> Self {
        let questions = times.iter().map(Vec::len).min().unwrap_or(0);
        let mut portfolio = Self {
            best: Vec::with_capacity(questions),
            contributions: vec![0.0; times.len()],
        };
        for question in 0..questions {
            let solvers = times.iter().enumerate();
            let solved = solvers.filter_map(|(solver, times)| Some((times[question]?, solver)));
            let mut solved: Vec<(f64, usize)> = solved.collect();
            solved.sort_by(|a, b| a.0.total_cmp(&b.0));
            portfolio.best.push(solved.first().map(|(time, _)| *time));
            if let Some((time, solver)) = solved.first() {
                let without = solved.get(1).map_or(2.0 * limit, |(time, _)| *time);
                portfolio.contributions[*solver] += (without - time) / questions as f64;
            }
        }
        portfolio
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unanswered_question_counts_twice_the_limit() {
        assert_eq!(par2(&[Some(1.0), None], 10.0), Some(10.5));
        assert_eq!(par2(&[], 10.0), None);
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
