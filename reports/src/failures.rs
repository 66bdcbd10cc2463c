//! What went wrong in a run, the worst first: wrong answers, exact variants that disagree, crashes,
//! then limits and skips.

use crate::rows::Rows;

/// Outcomes besides `solved`, the worst first.
pub const OUTCOMES: &[&str] = &["wrong", "crashed", "out-of-memory", "timeout", "skipped"];

/// Rows that failed alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One of [`OUTCOMES`].
    pub outcome: String,
    /// The experiment.
    pub experiment: String,
    /// The variant's label.
    pub label: String,
    /// Why, as the first row says.
    pub detail: String,
    /// The instance of the first row.
    pub instance: String,
    /// How many rows.
    pub count: usize,
}

/// Failed rows by outcome, experiment, label and reason; wrong and crashed first.
#[must_use]
pub fn failures(rows: &Rows) -> Vec<Failure> {
    let failed: Vec<u32> = rows
        .all()
        .into_iter()
        .filter(|row| !matches!(rows.text("outcome", *row), "solved" | ""))
        .collect();
    let by = ["outcome", "experiment", "label", "detail"];
    let mut failures: Vec<Failure> = rows
        .group_by(&by, &failed)
        .into_iter()
        .map(|group| {
            let text = |column| rows.text(column, group[0]).to_owned();
            Failure {
                outcome: text("outcome"),
                experiment: text("experiment"),
                label: text("label"),
                detail: text("detail"),
                instance: text("instance"),
                count: group.len(),
            }
        })
        .collect();
    let rank = |outcome: &str| OUTCOMES.iter().position(|known| *known == outcome);
    failures.sort_by_key(|failure| rank(&failure.outcome));
    failures
}

/// Exact variants whose proven scores of one instance and question differ: one of them is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The experiment.
    pub experiment: String,
    /// The instance.
    pub instance: String,
    /// The score of each label, as first seen.
    pub scores: Vec<(String, i64)>,
}

/// Every disagreement, in the order of the rows. `question` names the settings that belong to the
/// question (`setting_steps`, …); variants may differ in settings of their method.
#[must_use]
pub fn disagreements(rows: &Rows, question: &[&str]) -> Vec<Disagreement> {
    let proven: Vec<u32> = rows
        .all()
        .into_iter()
        .filter(|row| rows.text("outcome", *row) == "solved" && rows.text("exact", *row) == "true")
        .collect();
    let mut by = vec!["experiment", "problem", "instance_hash"];
    by.extend(question);
    rows.group_by(&by, &proven)
        .into_iter()
        .filter_map(|group| disagreement(rows, &group))
        .collect()
}

fn disagreement(rows: &Rows, group: &[u32]) -> Option<Disagreement> {
    let mut scores: Vec<(String, i64)> = Vec::new();
    for &row in group {
        let Some(score) = rows.number("score", row) else {
            continue;
        };
        let found = (rows.text("label", row).to_owned(), score as i64);
        if !scores.contains(&found) {
            scores.push(found);
        }
    }
    let first = scores.first()?.1;
    scores
        .iter()
        .any(|(_, score)| *score != first)
        .then(|| Disagreement {
            experiment: rows.text("experiment", group[0]).to_owned(),
            instance: rows.text("instance", group[0]).to_owned(),
            scores,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::rows;

    #[test]
    fn the_worst_comes_first_and_equal_failures_are_one() {
        let rows = rows(
            "schema,outcome,label,detail\n1,timeout,a,\n1,solved,a,\n1,wrong,b,no trail\n1,timeout,a,\n",
        );
        let failures = failures(&rows);
        let seen: Vec<_> = failures
            .iter()
            .map(|failure| (failure.outcome.as_str(), failure.count))
            .collect();
        assert_eq!(seen, [("wrong", 1), ("timeout", 2)]);
    }

    #[test]
    fn exact_variants_must_agree_on_the_same_question_only() {
        let rows = rows(
            "schema,outcome,exact,label,instance_hash,setting_steps,score\n\
             1,solved,true,a,h,1,5\n1,solved,true,b,h,1,6\n1,solved,false,c,h,1,1\n1,solved,true,a,h,2,7\n",
        );
        let found = disagreements(&rows, &["setting_steps"]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].scores, [("a".to_owned(), 5), ("b".to_owned(), 6)]);
    }
}
