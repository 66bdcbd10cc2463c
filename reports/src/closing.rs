//! The last line of a run: the number of checked questions, and the number of wrong ones.

use crate::records::Outcome;
use crate::rows::Rows;

/// The rows of a run, i.e. the questions on its instances. A batch counts as the number of its questions. The numbers of
/// variants and samples have no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Closing {
    /// The number of answered rows.
    pub rows: u64,
    /// The number of rows that are wrong in at least one sample. For a batch, the largest number of a sample.
    pub wrong: u64,
}

/// Counts the rows of a run.
pub fn closing(rows: &Rows) -> Closing {
    let mut closing = Closing::default();
    for question in rows.group_by(&["experiment", "question"], &rows.all()) {
        let counts = || question.iter().map(|row| counted(rows, *row));
        closing.rows += counts().map(|(all, _)| all).max().unwrap_or(0);
        closing.wrong += counts().map(|(_, wrong)| wrong).max().unwrap_or(0);
    }
    closing
}

/// The number of rows of one sample, and the number of wrong ones. For a batch, the referee's detail contains
/// "2 of 91 rows wrong".
fn counted(rows: &Rows, row: u32) -> (u64, u64) {
    let batch = rows.questions(row);
    match rows.outcome(row) {
        Some(Outcome::Solved) => (batch, 0),
        Some(Outcome::Wrong) => {
            let before = rows.text("detail", row).split_once(" rows wrong");
            let mut words = before.map_or("", |(before, _)| before).rsplit(' ');
            let all = words.next().and_then(|word| word.parse().ok());
            match (all, words.next(), words.next()) {
                (Some(all), Some("of"), Some(wrong)) => (all, wrong.parse().unwrap_or(all)),
                _ => (1, 1),
            }
        }
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_counts_once_whoever_answers_it() {
        let mut rows = crate::rows_of(
            "schema,experiment,problem,instance_hash,question,outcome,detail,measure_sums\n\
            1,e,sum,a,1,solved,,90\n\
            1,e,sum,a,1,solved,,90\n\
            1,e,sum,a,2,wrong,claimed 7; referee: 2 of 91 rows wrong: sum 5 is,\n\
            1,e,sum,a,2,wrong,1 of 91 rows wrong: sum 5 is,\n\
            1,e,sum,a,3,skipped,why,\n\
            1,e,sum,b,4,wrong,claims 7,\n\
            1,e,sum,c,5,solved,,\n",
        );
        assert!(!rows.has_batches());
        rows.batches = [("sum".to_owned(), "measure_sums".to_owned())].into();
        assert!(rows.has_batches());
        let expected = Closing {
            rows: 183,
            wrong: 3,
        };
        assert_eq!(closing(&rows), expected);
    }
}
