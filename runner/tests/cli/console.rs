//! Times on consoles: lists, one-line errors, the same file in every mode, verdicts that follow from their rows.

use std::path::Path;

use crate::{has, ikeru, output, refused, words};

/// Two variants on two maps, one of them with tables beyond a small console's memory.
const EXPERIMENT: &str = r#"
name = "small"
title = "Two variants on two maps"
about = "Lower is faster."
problem = "reach"
variants = ["memo", "slots"]
instances = [{ generator = "reach.spanning-grid", set = { width = [8, 40] } }]
settings = { steps = [5, 20], god = [false, true] }
run = { repeats = 2, sample = "1us", warm_up = "1us" }

[[analyses]]
kind = "consoles"

[[analyses]]
kind = "consoles"
set = { x = "setting_steps", consoles = "PS2, GBA" }
where = { param_width = 8, setting_god = false }
"#;

/// `throughput.csv` of a run of [`EXPERIMENT`].
fn throughput(folder: &Path, mode: &str) -> String {
    let experiment = folder.join("small.toml");
    std::fs::write(&experiment, EXPERIMENT).expect("written");
    let out = folder.join(mode);
    let [experiment, run] = [&experiment, &out].map(|path| path.to_str().expect("plain letters"));
    ikeru(&["run", experiment, "--out", run, "--mode", mode])
        .assert()
        .success();
    let page = crate::pages_of(&out);
    assert!(!page.contains("not made:"), "an analysis failed");
    let title = "Best at 60 fps, modelled: slots at every steps on the PS2 and GBA";
    assert!(page.contains(title), "the best variant of each console");
    std::fs::read_to_string(out.join("throughput.csv")).expect("a table")
}

#[test]
fn modelled_times_are_the_same_in_both_modes_and_verdicts_follow_from_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let isolated = throughput(folder.path(), "isolated");
    assert_eq!(isolated, throughput(folder.path(), "contended"));
    let mut reader = csv::Reader::from_reader(isolated.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let place = |name: &str| header.iter().position(|head| head == name).expect(name);
    let (mut misfits, mut rows, mut extrapolated) = (0, 0, 0);
    for row in reader.records() {
        let row = row.expect("a row");
        let field = |name: &str| &row[place(name)];
        let number = |name: &str| field(name).parse::<f64>().ok();
        rows += 1;
        extrapolated += u32::from(field("remarks").contains("beyond the training: "));
        for (column, most) in [
            ("verdict_60_hz", 1e3 / 60.0),
            ("verdict_30_hz", 1e3 / 30.0),
            ("verdict_100_ms", 100.0),
        ] {
            let expected = match (number("ms"), number("ms_high")) {
                (Some(_), Some(high)) if high <= most => "sure",
                (Some(mid), _) if mid <= most => "likely",
                (Some(_), _) => "no",
                (None, _) => "does not fit",
            };
            assert_eq!(field(column), expected, "{row:?}");
        }
        assert_eq!(field("fits_memory") == "true", number("ms").is_some());
        let is_open = ["PS2", "DS", "PSP", "PSP at 333 MHz"].contains(&field("console"));
        assert_eq!(field("checked") == "false", is_open, "{row:?}");
        misfits += u32::from(field("fits_memory") == "false");
    }
    assert!(
        rows > 100 && misfits > 0 && extrapolated > 0,
        "{rows} rows, {misfits} without room, {extrapolated} extrapolated"
    );
}

#[test]
fn the_file_has_the_experiments_whose_pages_show_consoles() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plain, _) = EXPERIMENT.split_once("[[analyses]]").expect("an analysis");
    let other = plain.replace("\"small\"", "\"other\"");
    for (text, name) in [(EXPERIMENT, "small.toml"), (&*other, "other.toml")] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let experiments_of = |files: &[&str]| -> Vec<String> {
        let run = folder.path().join(files.len().to_string());
        let out = run.to_str().expect("plain letters");
        let files = files.iter().map(|file| folder.path().join(file));
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let mut command = vec!["run", "--mode", "contended", "--out", out];
        command.extend(files.iter().map(String::as_str));
        ikeru(&command).assert().success();
        let table = std::fs::read_to_string(run.join("throughput.csv")).expect("a table");
        let lines = table
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').next());
        let experiments: std::collections::BTreeSet<&str> = lines.collect();
        experiments.into_iter().map(str::to_owned).collect()
    };
    assert_eq!(experiments_of(&["small.toml", "other.toml"]), ["small"]);
    // Where no page shows consoles, the file has everything.
    assert_eq!(experiments_of(&["other.toml"]), ["other"]);
}

/// The rows of `throughput.csv` without the settings that the run named.
fn without_settings(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let of_row = |row: csv::Result<csv::StringRecord>| {
        let row = row.expect("a row");
        let fields = header
            .iter()
            .zip(&row)
            .filter(|(head, _)| *head != "settings");
        fields.map(|(_, field)| field.to_owned()).collect()
    };
    reader.records().map(of_row).collect()
}

#[test]
fn settings_left_at_their_defaults_are_modelled_as_if_they_were_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("small.toml");
    let models = ["settings = { steps = 48, god = true }", ""].map(|settings| {
        let both = "settings = { steps = [5, 20], god = [false, true] }";
        let text = EXPERIMENT.replace(both, settings);
        let text = text.replace("\"memo\", \"slots\"", "\"slots\", \"memo\"");
        let text = text.replace("grid\", set", "grid\", label = \"walled in, {width}\", set");
        std::fs::write(&file, text).expect("written");
        let run = folder.path().join(format!("run-{}", settings.len()));
        let [file, out] = [&file, &run].map(|path| path.to_str().expect("plain letters"));
        ikeru(&["run", file, "--out", out, "--mode", "contended"])
            .assert()
            .success();
        let table = std::fs::read_to_string(run.join("throughput.csv")).expect("a table");
        (without_settings(&table), output(&["console", out, "--csv"]))
    });
    let [(named, printed), (left, also_printed)] = models;
    assert!(named.len() > 20, "{} rows", named.len());
    assert_eq!(named, left);
    assert_eq!(printed, also_printed);
    // Variants are in the experiment's order, and a label in words is not divided.
    let first = printed.lines().nth(1);
    assert!(
        first.is_some_and(|line| line.starts_with("\"slots, walled in, 8\"")),
        "{printed}"
    );
}

#[test]
fn a_run_folder_and_the_facts_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    throughput(folder.path(), "isolated");
    let run = folder.path().join("isolated");
    let run = run.to_str().expect("plain letters");
    let text = output(&["console", run, "--where", "label=slots"]);
    has(
        &text,
        &["the first console that manages", "slots, ", "DS", "Switch"],
    );
    assert!(!text.contains("memo, "), "{text}");
    let of_ps2 = output(&words(&format!(
        "console {run} --console PS2 --where setting_steps=5"
    )));
    let first = "small: PS2, modelled, not checked: memo 0.1 s, likely 60 fps; slots 60 fps\n";
    assert!(of_ps2.starts_with(first), "{of_ps2}");
    has(
        &of_ps2,
        &[
            "on how many of them a budget is met: reach.spanning-grid steps=5, 4 questions.",
            "\nmemo, width=40 god=true ",
            "in time for",
            "of a frame at 60 Hz",
            " %",
        ],
    );
    let of_any_case = output(&words(&format!(
        "console {run} --console ps2 --where setting_steps=5"
    )));
    assert!(of_any_case.starts_with(first), "{of_any_case}");
    assert!(!of_ps2.contains("Switch"), "{of_ps2}");
    // The number of verdicts is that of the rows of the file.
    let file = std::fs::read_to_string(folder.path().join("isolated/throughput.csv"));
    let file = file.expect("a table");
    let rows = file.lines().filter(|line| line.contains(",PS2,"));
    let csv = output(&["console", run, "--console", "PS2", "--csv"]);
    assert_eq!(csv.lines().count() - 1, rows.count(), "{csv}");
    let of = |console| ["console", run, "--console", console];
    refused(&of("SNES"), "", &["the console `SNES` is not modelled"]);
    refused(&of("PS22"), "", &["PS22", "did you mean `PS2`?"]);
    let placement = of("GBA, tables in external RAM");
    refused(&placement, "", &["expected `GBA`"]);
    let json = output(&["console", run, "--console", "PS2", "--json"]);
    has(&json, &["PS2, modelled, not checked: "]);
    let variants = output(&words("list variants trail --verbose"));
    has(&variants, &["console  yes", "console  no"]);
    let list = output(&["console", "list", "--csv"]);
    assert!(list.contains("SNES,1990"), "{list}");
    assert!(list.contains("not modelled"));
}

#[test]
fn unknown_consoles_and_broken_files_are_one_line() {
    refused(&["console", "/nowhere/at/all"], "", &["no such run folder"]);
    let folder = tempfile::tempdir().expect("a folder");
    let unknown = folder.path().join("small.toml");
    std::fs::write(&unknown, EXPERIMENT.replace("PS2, GBA", "PS22, GBA")).expect("written");
    let run = ["run", unknown.to_str().expect("plain letters"), "--list"];
    refused(&run, "", &["unknown console `PS22`, did you mean `PS2`?"]);
    std::fs::write(&unknown, EXPERIMENT.replace("PS2, GBA", "PS2, ps5")).expect("written");
    refused(
        &run,
        "",
        &["small.toml:16: ", "console `ps5` is not modelled: "],
    );
    std::fs::create_dir(folder.path().join("consoles")).expect("a folder");
    let own = folder.path().join("consoles/my.toml");
    let text = "[[consoles]]\nname = \"Mine\"\nyear = 1999\nyear_source = \"me\"\ncpu = \"6502\"\nclock_mhz = 0.0\n\
        clock_source = \"me\"\nmemory_bytes = 1\nmemory_source = \"me\"\nnot_modelled = \"too old\"\n";
    let data = folder.path().to_str().expect("plain letters");
    std::fs::write(&own, text).expect("written");
    let list = ["--data", data, "console", "list"];
    refused(&list, "", &["my.toml:2: Mine: `clock_mhz`"]);
    std::fs::write(&own, text.replace("1999", "\"old\"")).expect("written");
    refused(&list, "", &["my.toml:3: "]);
    std::fs::write(&own, text.replace("0.0", "1.0")).expect("written");
    assert!(output(&list).contains("not modelled: too old"));
}

/// Variants whose search has changed since they were counted, with the version that was: their rows say that they are stale.
const STALE: [(&str, &str, u32); 1] = [("trail", "lagrangian", 7)];

#[test]
fn shipped_costs_and_counts_are_those_of_the_present_variants() {
    let basis = ikeru_consoles::Basis::built_in().expect("the shipped tables read");
    let of_costs = basis
        .costs
        .iter()
        .map(|cost| (&cost.problem, &cost.variant, cost.version));
    let counts = basis.counts.iter();
    let of_counts = counts.map(|count| (&count.problem, &count.variant, count.version));
    let mut known = std::collections::BTreeSet::new();
    for (problem, variant, version) in of_costs.chain(of_counts) {
        if known.insert((problem, variant, version)) {
            let problem = ikeru::registry::problem(problem).expect("a known problem");
            let present = problem.variant(variant).expect("a known variant").version;
            let is_stale = STALE.contains(&(problem.name(), variant, version));
            assert_eq!(
                version == present,
                !is_stale,
                "{variant}: scripts/consoles.sh counts it anew"
            );
        }
    }
    assert!(known.len() > 10);
}
