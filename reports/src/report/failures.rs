//! What stands first on the page: wrong answers, crashes, timeouts, and what was skipped.

use crate::page::{Cell, FailureGroup, Table, Tone};
use crate::{Rows, units};

/// Most rows of one table; the rest is counted.
const MOST: usize = 200;

/// What failed.
pub struct Failures {
    /// One sentence.
    pub sentence: String,
    /// Answers that the referee refused.
    pub wrong: usize,
    /// Samples that ended without an answer though within their limits.
    pub broken: usize,
    /// One per outcome, the worst first.
    pub groups: Vec<FailureGroup>,
}

/// Outcomes that are no answer, the worst first.
const KINDS: &[(&str, &str, Tone)] = &[
    ("wrong", "wrong answers", Tone::Bad),
    ("crashed", "crashed", Tone::Bad),
    ("out-of-memory", "out of memory", Tone::Bad),
    ("timeout", "stopped at the limit", Tone::Warn),
    ("skipped", "skipped", Tone::Still),
];

/// Samples that are not solved, grouped by outcome.
pub fn failures(rows: &Rows, command: &str) -> Failures {
    let by_outcome = rows.group("outcome", &rows.all());
    let of = |kind: &str| {
        by_outcome
            .iter()
            .find(|(outcome, _)| outcome == kind)
            .map_or(&[][..], |(_, rows)| rows)
    };
    let count = |kind: &str| units::count(of(kind).len() as u64);
    let wrong = of("wrong").len();
    let broken = of("crashed").len() + of("out-of-memory").len();
    let solved = count("solved");
    let rest = format!(
        "{solved} samples solved and confirmed by the referee, {} stopped at their limit, {} skipped.",
        count("timeout"),
        count("skipped")
    );
    let sentence = if wrong + broken == 0 {
        format!("No wrong answer and no crash. {rest}")
    } else {
        format!("{wrong} wrong answers, {broken} crashed or out of memory. {rest}")
    };
    let sentence = sentence + &suspects(rows);
    let groups = KINDS
        .iter()
        .filter(|(kind, ..)| !of(kind).is_empty())
        .map(|(kind, name, tone)| group(rows, of(kind), name, *tone, command))
        .collect();
    Failures {
        sentence,
        wrong,
        broken,
        groups,
    }
}

/// How many samples were taken while the machine was not as usual, and how many were taken again.
fn suspects(rows: &Rows) -> String {
    let counted = rows.all();
    let times = |count: usize| match count {
        1 => "1 sample was".to_owned(),
        _ => format!("{} samples were", units::count(count as u64)),
    };
    let mut text = String::new();
    let replaced = rows.len() - counted.len();
    if replaced > 0 {
        text += &format!(
            " {} taken again since the machine changed beside them.",
            times(replaced)
        );
    }
    let suspect = rows.suspect(&counted);
    if suspect > 0 {
        text += &format!(
            " {} taken while the machine was not as usual (column canary); --rerun-suspect takes them again.",
            times(suspect)
        );
    }
    text
}

fn group(rows: &Rows, own: &[u32], name: &str, tone: Tone, command: &str) -> FailureGroup {
    let cells = rows.group_by(&["experiment", "label", "instance", "detail"], own);
    let summary = format!("{} samples {name}", units::count(own.len() as u64));
    let note = if cells.len() > MOST {
        format!(
            "The first {MOST} of {} kinds; the rest is in records.csv. ",
            cells.len()
        )
    } else {
        String::new()
    };
    let row = |cell: &Vec<u32>| {
        let text = |column| Cell::text(rows.text(column, cell[0]));
        vec![
            text("experiment"),
            text("label"),
            text("instance"),
            Cell::badge(rows.text("outcome", cell[0]), tone),
            Cell::number(units::count(cell.len() as u64)),
            Cell::prose(rows.text("detail", cell[0])),
        ]
    };
    let heads = ["experiment", "variant", "instance", "outcome"];
    FailureGroup {
        open: tone == Tone::Bad,
        table: Table {
            title: summary.clone(),
            note,
            command: command.to_owned(),
            heads: heads
                .map(Cell::text)
                .into_iter()
                .chain([Cell::number("samples"), Cell::prose("why")])
                .collect(),
            rows: cells.iter().take(MOST).map(row).collect(),
        },
        summary,
    }
}
