//! Plans of small experiments.

use ikeru_bench_data::builtin;
use ikeru_core::ContentHash;

use super::*;

pub(crate) fn plan_of(text: &str, choice: &Selection) -> Result<Plan> {
    let experiment = Experiment::read("test.toml", text)?;
    Plan::new(&[(experiment, PathBuf::from("."))], choice)
}

const TEXT: &str = r#"
    name = "test"
    title = "t"
    about = "a"
    problem = "reach"
    variants = ["memo", "memo-flat"]
    instances = [{ generator = "reach.spanning-grid", seeds = [1, 2], set = { width = 4 } }]
    settings = { steps = [1, 2, 3] }
    run = { repeats = 2 }
"#;

fn ids(plan: &Plan) -> Vec<ContentHash> {
    let mut ids: Vec<_> = plan.stages[0].cells.iter().map(|cell| cell.id).collect();
    ids.sort();
    ids
}

#[test]
fn a_matrix_becomes_cells_and_repeats() {
    let plan = plan_of(TEXT, &Selection::default()).expect("a good experiment");
    assert_eq!((plan.stages[0].cells.len(), plan.samples()), (12, 24));
}

#[test]
fn a_count_makes_one_instance_and_has_the_samples_of_the_plan() {
    let mut compared = 0;
    for (name, _) in builtin::experiment_texts() {
        let experiment = builtin::experiment(name).expect("a built-in experiment");
        let plan = |counts| {
            let choice = Selection {
                counts,
                ..Selection::default()
            };
            Plan::new(&[(experiment.clone(), PathBuf::new())], &choice)
        };
        // Some experiments need files of the user's.
        let Ok(whole) = plan(false) else { continue };
        let counted = plan(true).expect("a plan");
        assert_eq!(counted.samples(), whole.samples(), "{name}");
        let inputs = counted.stages[0].cells.iter().map(|cell| cell.input.hash);
        assert_eq!(inputs.collect::<HashSet<_>>().len(), 1, "{name}");
        compared += 1;
    }
    assert!(compared > 50, "{compared} experiments");
}

#[test]
fn identity_is_content_and_not_order() {
    let plan = plan_of(TEXT, &Selection::default()).expect("a good experiment");
    let turned = TEXT
        .replace(r#""memo", "memo-flat""#, r#""memo-flat", "memo""#)
        .replace("[1, 2, 3]", "[3, 1, 2, 2]")
        .replace("seeds = [1, 2]", "seeds = [2, 1]");
    let turned = plan_of(&turned, &Selection::default()).expect("a good experiment");
    assert_eq!(ids(&plan), ids(&turned));
    let moved = Selection {
        seed: 1,
        ..Selection::default()
    };
    let moved = plan_of(TEXT, &moved).expect("a good experiment");
    assert!(ids(&moved).iter().all(|id| !ids(&plan).contains(id)));
}

#[test]
fn every_shard_has_the_columns_of_the_whole() {
    let text = TEXT.replace("repeats = 2", "hopeless_along = \"param_width\"");
    let whole = plan_of(&text, &Selection::default()).expect("a good plan");
    let mut cells = 0;
    for number in 1..=20 {
        let choice = Selection {
            shard: Some(format!("{number}/20").parse().expect("a shard")),
            ..Selection::default()
        };
        let shard = plan_of(&text, &choice).expect("also without any cell");
        assert_eq!(shard.columns, whole.columns);
        cells += shard.stages[0].cells.len();
    }
    assert_eq!(cells, whole.stages[0].cells.len());
}

#[test]
fn a_label_that_would_vanish_or_mean_two_variants_is_refused() {
    for (from, to, hint) in [
        (
            r#""memo-flat""#,
            r#"{ name = "memo", label = "again" }"#,
            "`again` is the variant and the settings of `memo` once more",
        ),
        (
            r#""memo-flat""#,
            r#"{ name = "memo-flat", label = "memo" }"#,
            "the label `memo` stands for `memo` and for `memo-flat`",
        ),
    ] {
        let error = plan_of(&TEXT.replace(from, to), &Selection::default())
            .err()
            .expect("refused");
        assert!(format!("{error:#}").contains(hint), "{error:#}");
    }
}

#[test]
fn unknown_names_are_refused_with_the_nearest() {
    for (from, to, hint) in [
        (r#""memo""#, r#""mem""#, "`memo`"),
        ("steps", "stepps", "`steps`"),
        (
            "reach.spanning-grid",
            "reach.spaning-grid",
            "`reach.spanning-grid`",
        ),
        (
            "repeats = 2",
            "hopeless_along = \"setting_step\"",
            "`setting_steps`",
        ),
    ] {
        let error = plan_of(&TEXT.replace(from, to), &Selection::default())
            .err()
            .expect("refused");
        assert!(format!("{error:#}").contains(hint), "{error:#}");
    }
}

#[test]
fn a_cell_is_chosen_by_the_beginning_of_its_identity() {
    let whole = plan_of(TEXT, &Selection::default()).expect("a good plan");
    let only = |cell: &str| {
        let cells = vec![cell.to_owned()];
        let choice = Selection {
            cells,
            ..Selection::default()
        };
        plan_of(TEXT, &choice)
    };
    for cell in &whole.stages[0].cells {
        let plan = only(&cell.id.to_string()[..12]).expect("a cell of the plan");
        assert_eq!(ids(&plan), [cell.id]);
        // Plots and tables find the columns that they name.
        assert_eq!(plan.columns, whole.columns);
    }
    for (cell, hint) in [("xyz", "no cell of this plan"), ("", "12 cells begin so")] {
        let error = only(cell).err().expect("refused").to_string();
        assert!(error.contains(hint), "{error}");
    }
}
