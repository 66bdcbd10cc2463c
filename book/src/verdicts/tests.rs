use std::collections::BTreeMap;

use ikeru_statistics::Estimate;

use super::*;
use crate::rows_of as rows;

#[test]
fn stored_rows_judge_what_a_run_does_not_measure() {
    let sources = builtin::published().expect("published figures read");
    let figures = sources
        .iter()
        .flat_map(|source| source.figures.iter().map(move |figure| (source, figure)));
    let of_boards = figures.filter(|(_, figure)| {
        figure
            .ours
            .as_ref()
            .is_some_and(|ours| ours.experiment == "challeran-boards")
    });
    let rows = rows(&text());
    let mut judged = 0;
    for (source, figure) in of_boards {
        let found = judge(&rows, source, figure).expect("judged");
        assert_eq!(found.stored, Some(StoredKind::Rows), "{}", figure.id);
        assert!(
            matches!(found.verdict, Verdict::Reproduced | Verdict::Differs),
            "{}: {:?}",
            figure.id,
            found.verdict
        );
        judged += 1;
    }
    assert!(judged > 20, "{judged}");
}

/// Twenty instances with times of about 1 ms for `a` and 2 ms for `b`, and one timeout of `c`.
fn text() -> String {
    let mut text =
        "schema,experiment,cell,label,instance_hash,outcome,wall_ns,size,measure_win\n".to_owned();
    for number in 0..20 {
        let time = 1_000_000 + 2_000 * number;
        for (label, factor) in [("a", 1), ("b", 2)] {
            let win = if number == 0 {
                String::new()
            } else {
                (number % 4).min(1).to_string()
            };
            text += &format!(
                "1,e,{label}{number},{label},h{number},solved,{},{},{win}\n",
                time * factor,
                number + 1
            );
        }
    }
    text + "1,e,c0,c,h0,timeout,9000000,1,\n1,other,o,a,h0,solved,7,1,\n"
}

fn figure(text: &str) -> PublishedSource {
    let text =
        format!("source='s'\nreference='r'\n[[figures]]\nid='s/x'\nplace='p'\nclaim='c'\n{text}");
    PublishedSource::read("s.toml", &text).expect("a source")
}

fn judged(figure_text: &str) -> Verdict {
    let source = figure(figure_text);
    let rows = rows(&text());
    let judged = judge(&rows, &source, &source.figures[0]);
    judged.expect("a good figure").verdict
}

/// Asserts the verdicts on figures whose texts begin with these keys and end with `more`.
#[track_caller]
fn all_judged(more: &str, cases: &[(&str, Verdict)]) {
    for (keys, expected) in cases {
        assert_eq!(
            judged(&format!("{keys}\n{more}")),
            *expected,
            "{keys}\n{more}"
        );
    }
}

/// The one sample of another experiment, which is 7.
const ONE: &str = "ours={experiment='other',where={label='a'}}";
const A: &str = "ours={experiment='e',where={label='a'},divide_by=1e6}";

#[test]
fn the_interval_inside_the_band_reproduces_across_it_decides_nothing_and_outside_it_differs() {
    let cases = [
        ("value=1.05", Verdict::Reproduced),
        // The end of the band, 1.02, is inside the interval.
        ("value=1.0\ntolerance=0.02", Verdict::Undecided),
        ("value=1.2", Verdict::Differs),
    ];
    all_judged(A, &cases);
    let cases = [
        ("value=2\nours={experiment='gone'}", Verdict::NotMeasured),
        ("value=2", Verdict::NotComparable),
    ];
    all_judged("", &cases);
    let cases = [
        ("value=7", Verdict::Undecided),
        ("value=7\nclaims='exact'", Verdict::Reproduced),
        ("value=8\nclaims='exact'", Verdict::Differs),
    ];
    all_judged(ONE, &cases);
}

#[test]
fn the_interval_that_is_drawn_is_the_verdict() {
    let rows = rows(&text());
    let mut seen = BTreeMap::new();
    for statistic in ["median", "mean"] {
        for claims in ["equal", "at-most", "at-least"] {
            let figures: String = (0..40)
                .map(|at| {
                    let value = 0.97 + 0.004 * f64::from(at);
                    format!(
                        "[[figures]]\nid='s/{at}'\nplace='p'\nclaim='c'\nvalue={value}\nclaims='{claims}'\n\
                         ours={{experiment='e',where={{label='a'}},divide_by=1e6,is.statistic='{statistic}'}}\n"
                    )
                })
                .collect();
            let source = format!("source='s'\nreference='r'\n{figures}");
            let source = PublishedSource::read("s.toml", &source).expect("a source");
            for looks in [1, 10] {
                let judged = source
                    .figures
                    .iter()
                    .map(|figure| judge(&rows, &source, figure));
                let mut judged: Vec<JudgedFigure> =
                    judged.collect::<Result<_, _>>().expect("good figures");
                decide(&mut judged, looks);
                for one in judged.iter().filter(|one| one.decides.is_some()) {
                    let (ends, band) = one.decides.zip(one.compared_band()).expect("both");
                    let place = lies(ends, Bound::Exact, band);
                    let drawn = match place {
                        Lies::Inside => Verdict::Reproduced,
                        Lies::Outside => Verdict::Differs,
                        Lies::Across if one.verdict == Verdict::OnTheEdge => Verdict::OnTheEdge,
                        Lies::Across => Verdict::Undecided,
                    };
                    assert_eq!(one.verdict, drawn, "{statistic} {claims} {ends:?} {band:?}");
                    *seen.entry(one.verdict).or_insert(0) += 1;
                }
            }
        }
    }
    assert!(seen.len() > 2, "{seen:?}");
}

#[test]
fn one_sided_claims_need_one_side() {
    let cases = [
        ("value=100.0\nclaims='at-most'", Verdict::Reproduced),
        ("value=0.5\nclaims='at-most'", Verdict::Differs),
        ("value=1.02\nclaims='at-most'", Verdict::Undecided),
        ("value=0.5\nclaims='at-least'", Verdict::Reproduced),
        ("value=2.0\nclaims='at-least'", Verdict::Differs),
    ];
    all_judged(A, &cases);
    // Five samples on one side decide; four do not.
    for (most, expected) in [(5, Verdict::Reproduced), (4, Verdict::Undecided)] {
        let ours = format!(
            "ours={{experiment='e',where={{label='a',size={{from=1,to={most}}}}},divide_by=1e6}}"
        );
        all_judged(&ours, &[("value=2\nclaims='at-most'", expected)]);
    }
    // A timeout at 9 ms is at least 9 ms: it refutes "at most 5", confirms "at least 5", and leaves "exactly 9"
    // open.
    let c = "ours={experiment='e',where={label='c'},divide_by=1e6}";
    let cases = [
        ("value=5\nclaims='exact'\nband=[-inf,5.0]", Verdict::Differs),
        (
            "value=5\nclaims='exact'\nband=[5.0,inf]",
            Verdict::Reproduced,
        ),
        ("value=9\nclaims='exact'", Verdict::Undecided),
    ];
    all_judged(c, &cases);
}

/// The verdict on a figure by the given rows, and the measurement.
fn judged_of(rows_text: &str, figure_text: &str) -> (Verdict, Option<Measured>) {
    let source = figure(figure_text);
    let rows = rows(rows_text);
    let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
    (judged.verdict, judged.ours)
}

#[test]
fn other_processes_change_no_verdict_of_one_thread() {
    // The same work. On the loaded machine, the wall time of the long answers is five times as long; the short
    // answers fit into a time slice.
    let verdict = |stretch: u32| {
        let mut text =
            "schema,experiment,threads,label,instance_hash,outcome,wall_ns,cpu_ns\n".to_owned();
        for map in 0..8 {
            let (long, short) = (1_000_000, 10_000 + 10 * map);
            let wall = long * stretch;
            text += &format!("1,e,1,long,h{map},solved,{wall},{long}\n");
            text += &format!("1,e,1,short,h{map},solved,{short},{short}\n");
        }
        let figure = "value=100\ntolerance=0.1\nours={experiment='e',where={label='long'},is.ratio_to={label='short'}}";
        judged_of(&text, figure).0
    };
    assert_eq!([1, 5].map(verdict), [Verdict::Reproduced; 2]);
}

#[test]
fn without_a_pair_and_without_an_interval_nothing_is_decided() {
    // The sides have different maps: two independent samples without a significant difference.
    let ratio = |count: usize| {
        let mut text = "schema,experiment,label,instance_hash,outcome,wall_ns\n".to_owned();
        for at in 0..count {
            text += &format!("1,e,a,a{at},solved,{}\n", 100 + 7 * at);
            text += &format!("1,e,b,b{at},solved,{}\n", 102 + 7 * at);
        }
        let figure = "value=1.0\nclaims='at-most'\nours={experiment='e',where={label='a'},is.ratio_to={label='b'}}";
        judged_of(&text, figure)
    };
    for count in [3, 5, 6] {
        let (verdict, ours) = ratio(count);
        assert_eq!(verdict, Verdict::Undecided, "{count} maps a side: {ours:?}");
    }
    let six = ratio(6).1.expect("rows").estimate.interval;
    let six = six.expect("six on each side have an interval");
    assert!(six.low < 1.0 && six.high > 1.0, "{six:?}");
}

#[test]
fn five_pairs_on_one_side_decide_where_the_interval_of_their_mean_does_not() {
    // On two of the maps the start is walled in: the t interval of the logarithms contains 1.
    let text = |factors: &[f64]| {
        let mut text = "schema,experiment,label,instance_hash,outcome,counter_arcs\n".to_owned();
        for (at, factor) in factors.iter().enumerate() {
            text += &format!("1,e,free,h{at},solved,100000\n");
            text += &format!("1,e,blocked,h{at},solved,{}\n", 100_000.0 * factor);
        }
        text
    };
    let figure = "value=1.0\nclaims='at-least'\nours={experiment='e',column='counter_arcs',where={label='blocked'},is.ratio_to={label='free'}}";
    let walled_in = [0.8, 0.7, 0.9, 0.0006, 0.8, 0.0009, 0.9, 0.7];
    let (verdict, ours) = judged_of(&text(&walled_in), figure);
    let ends = ours.and_then(|ours| ours.estimate.interval).expect("eight");
    assert!(ends.high > 1.0, "{ends:?}");
    assert_eq!(verdict, Verdict::Differs);
    assert_eq!(
        judged_of(&text(&walled_in[..4]), figure).0,
        Verdict::Undecided
    );
    // One sample suffices if it is beyond the value by a factor of ten.
    assert_eq!(judged_of(&text(&[0.0006]), figure).0, Verdict::Differs);
    assert_eq!(judged_of(&text(&[0.5]), figure).0, Verdict::Undecided);
    let two = figure.replace("value=1.0", "value=2.0");
    assert_eq!(judged_of(&text(&[20.5]), &two).0, Verdict::Reproduced);
    assert_eq!(judged_of(&text(&[19.0]), &two).0, Verdict::Undecided);
}

#[test]
fn one_witness_shows_that_something_exists() {
    let figure = "value=1.0\nclaims='exists'\nours={experiment='e',column='measure_errors',is.statistic='maximum'}";
    let text = |errors: &[u32]| {
        let mut text = "schema,experiment,label,instance_hash,outcome,measure_errors\n".to_owned();
        for (at, errors) in errors.iter().enumerate() {
            text += &format!("1,e,a,h{at},solved,{errors}\n");
        }
        text
    };
    assert_eq!(judged_of(&text(&[0, 0, 3]), figure).0, Verdict::Reproduced);
    // No witness was found, which does not refute the claim.
    assert_eq!(judged_of(&text(&[0; 40]), figure).0, Verdict::Undecided);
    // A row that the referee rejected is no witness.
    let wrong = text(&[0, 3]).replace("h1,solved", "h1,wrong");
    assert_eq!(judged_of(&wrong, figure).0, Verdict::Undecided);
}

#[test]
fn what_was_tuned_is_calibrated_and_an_erratum_is_measured() {
    let cases = [
        ("value=1.05\ncalibrated='a rule'", Verdict::Calibrated),
        ("value=1.2\ncalibrated='a rule'", Verdict::Differs),
    ];
    all_judged(A, &cases);
    let cases = [
        ("value=8\ncorrected=7", Verdict::Erratum),
        ("value=8\ncorrected=6", Verdict::Differs),
    ];
    all_judged(ONE, &cases);
    let cases = [
        ("value=8\nverdict='erratum'", Verdict::Erratum),
        ("value=8\nverdict='checked'", Verdict::Reproduced),
    ];
    all_judged("", &cases);
}

#[test]
fn a_reason_may_begin_with_any_letter_and_a_cause_stands_only_beside_a_difference() {
    let reason = |reason: &str, more: &str| {
        let source = figure(&format!("value=8\nreason='{reason}'\n{more}"));
        let rows = rows(&text());
        let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
        (judged.reason(), judged.explained())
    };
    assert_eq!(reason("änderung", "").0, "Änderung.");
    assert_eq!(reason("ω(n) holds.", "").0, "Ω(n) holds.");
    assert_eq!(reason("「一番」 is said", "").0, "「一番」 is said.");
    assert_eq!(reason("", "").0, "");
    let checked = reason("2 · 4", "verdict='checked'").0;
    assert_eq!(checked, "A test computes it again. 2 · 4.");
    let because = "explained='by a slip'\nclaims='exact'";
    let differs = reason("r", &format!("{because}\n{ONE}")).1;
    assert_eq!(differs, "By a slip.");
    let agrees = format!("band=[7.0,7.0]\n{because}\n{ONE}");
    assert_eq!(reason("r", &agrees).1, "");
}

#[test]
fn ratios_are_paired_and_rates_are_fitted() {
    let of = |experiment, label, is| {
        format!("ours={{experiment='{experiment}',where={{label='{label}'}},is.{is}}}")
    };
    let ratio = of("e", "b", "ratio_to={label='a'}");
    all_judged(&ratio, &[("value=2\nclaims='exact'", Verdict::Reproduced)]);
    let rate_of_one_size_each = of("e", "a", "rate={along='size'}");
    all_judged(&rate_of_one_size_each, &[("value=1", Verdict::NotMeasured)]);
    // For each instance `b` is above `a`; the filter `other` selects no row, so nothing is compared.
    let least = "value=0\nclaims='at-least'";
    let above = of("e", "b", "difference_to={label='a'}");
    all_judged(&above, &[(least, Verdict::Reproduced)]);
    let stopped = of("e", "c", "difference_to={label='other'}");
    all_judged(&stopped, &[("value=0", Verdict::NotMeasured)]);
    // The time of `c` was stopped, so the difference is open.
    let open = of("e", "c", "difference_to={label='a'}");
    all_judged(&open, &[(least, Verdict::Undecided)]);
    // The sum of the times 7 and 7.
    let sum = of("other", "a", "sum={with={label='a'}}");
    all_judged(&sum, &[("value=14\nclaims='exact'", Verdict::Reproduced)]);
}

#[test]
fn two_questions_to_one_instance_are_paired_by_it() {
    // The games' sizes differ by a factor of up to 243. The search with both sets takes 0.6 of the two separate
    // searches in each game.
    let mut text =
        "schema,experiment,label,instance_hash,setting_sets,outcome,counter_nodes\n".to_owned();
    for game in 0..6 {
        let unit = 100 * 3_u32.pow(game);
        for (label, part) in [("one", 8), ("other", 12), ("both", 12)] {
            text += &format!("1,e,{label},h{game},{label},solved,{}\n", unit * part);
        }
    }
    let figure = "value=0.6\nours={experiment='e',column='counter_nodes',divide_by=2,\
        where={label='both'},is.ratio_to={label=['one','other']}}";
    let (verdict, ours) = judged_of(&text, figure);
    let ours = ours.expect("rows");
    assert_eq!((ours.sampled, ours.estimate.value), (6, 0.6));
    assert_eq!(verdict, Verdict::Undecided, "equal ratios have no interval");
    // A game without nodes on one side has no ratio, and those of the others would tell half.
    let zero = format!("{text}1,e,one,h9,one,solved,5\n1,e,both,h9,both,solved,0\n");
    let (verdict, ours) = judged_of(&zero, figure);
    assert_eq!((verdict, ours.is_some()), (Verdict::NotMeasured, false));
    let noisy = text.replace(",both,solved,1200", ",both,solved,1250");
    assert_eq!(judged_of(&noisy, figure).0, Verdict::Reproduced);
}

#[test]
fn rows_without_a_value_are_counted() {
    let source = figure(
        "value=0.75\nreason='as it is'\nours={experiment='e',where={label='a'},column='measure_win',is.statistic='mean'}",
    );
    let rows = rows(&text());
    let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
    let ours = judged.ours.as_ref().expect("rows");
    assert_eq!((ours.sampled, ours.without), (19, 1));
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert_eq!(
        judged.reason(),
        "Undecided with 19\u{202f}instances. Not in ours: 1\u{202f}solved row without such a value. As it is."
    );
    assert_eq!(judged.band(), "0.675 … 0.825");
}

#[test]
fn a_modelled_time_is_judged_by_its_band() {
    let text = "schema,experiment,problem,label,variant,variant_version,instance_hash,question,outcome,threads,size,\
        setting_steps,setting_god,counter_states,counter_arcs,counter_pairs,counter_cells,measure_edges,measure_reachable,measure_steps\n\
        1,e,reach,memo,memo,2,h,q,solved,1,900,48,false,28314,77864,810000,176400,1124,450,0\n";
    let rows = rows(text);
    let judged = |ours: &str, rest: &str| {
        let source = figure(&format!("{rest}\nours={{experiment='e',{ours}}}"));
        let judged = judge(&rows, &source, &source.figures[0]).expect("a good figure");
        let interval = judged.ours.and_then(|ours| ours.estimate.interval);
        (judged.verdict, interval)
    };
    let ms = "is.console='PS2',divide_by=1e6";
    let (verdict, band) = judged(ms, "value=1000.0\nclaims='at-most'");
    let band = band.expect("the model's band");
    assert_eq!(verdict, Verdict::Reproduced);
    assert!(band.low > 20.0 && band.high < 150.0, "{band:?}");
    let inside = (band.low + band.high) / 2.0;
    let across = format!("value={inside}\nclaims='at-least'");
    assert_eq!(judged(ms, &across).0, Verdict::Undecided);
    assert_eq!(judged(ms, "value=1000.0").0, Verdict::Differs);
    // The DS is slower than the PS2.
    let ratio = "is.console_ratio=['DS','PS2']";
    let (verdict, ratio) = judged(ratio, "value=1.0\nclaims='at-least'");
    assert_eq!(verdict, Verdict::Reproduced);
    let ds = judged("is.console='DS',divide_by=1e6", "value=1.0").1;
    let (ratio, ds) = ratio.zip(ds).expect("two bands");
    assert!((ratio.low / (ds.low / band.high) - 1.0).abs() < 1e-9);
    assert!((ratio.high / (ds.high / band.low) - 1.0).abs() < 1e-9);
    // Tables with a million pairs do not fit into the memory of a GBA.
    for console in ["is.console='SNES'", "is.console='GBA'"] {
        assert_eq!(judged(console, "value=1.0").0, Verdict::NotMeasured);
    }
}

/// Our measurement by rows of the experiment `e` with a label, an instance, an outcome, a size and a counter.
fn measured(lines: &str, ours: &str) -> Measured {
    let text = format!("schema,experiment,label,instance_hash,outcome,size,counter_n\n{lines}");
    let ours = format!("ours={{experiment='e',column='counter_n',{ours}}}");
    judged_of(&text, &format!("value=1\n{ours}"))
        .1
        .expect("rows")
}

fn line(label: &str, instance: u32, size: u32, value: u32) -> String {
    format!("1,e,{label},h{instance},solved,{size},{value}\n")
}

#[test]
fn differences_sums_and_rates_by_hand() {
    // b less a: 9, 18, 27 and 46; the fifth instance has no a.
    let values = [(0, 1, 10), (1, 2, 20), (2, 3, 30), (3, 4, 50)];
    let pair = |(at, a, b)| line("a", at, 1, a) + &line("b", at, 1, b);
    let lines = values.map(pair).concat() + &line("b", 4, 1, 7);
    let minus = "where={label='b'},is.difference_to={label='a'}";
    let found = measured(&lines, minus);
    let bound = Bound::Exact;
    assert_eq!((found.estimate.value, found.estimate.bound), (25.0, bound));
    assert_eq!((found.sampled, found.without), (4, 1));
    let crashed = measured(&(lines + "1,e,b,h0,crashed,1,\n"), minus);
    assert_eq!(crashed.estimate.bound, Bound::Either);
    // The interval of a median of eight values reaches from the first to the last.
    let pair = |at| line("a", at, 1, 1 + at) + &line("b", at, 1, 10 + 10 * at);
    let lines: String = (0..8).map(pair).collect();
    let unknown = "1,e,a,h8,solved,1,\n1,e,b,h8,solved,1,\n";
    let found = measured(
        &(lines + unknown),
        "where={label='a'},is.sum={with={label='b'}}",
    );
    let ends = Estimate::within(11.0, 49.5, 88.0);
    assert_eq!((found.estimate, found.without), (ends, 2));
    // Powers 3 and 2 less powers 1 and 1.
    let curve = |label, at, power| {
        [2, 4, 8]
            .map(|size: u32| line(label, at, size, size.pow(power)))
            .concat()
    };
    let lines = curve("b", 0, 3) + &curve("b", 1, 2) + &curve("a", 0, 1) + &curve("a", 1, 1);
    let found = measured(
        &lines,
        "where={label='b'},is.rate={along='size',minus={label='a'}}",
    );
    assert!((found.estimate.value - 1.5).abs() < 1e-9, "{found:?}");
    // A failed or stopped sample of either side leaves the difference of the rates open.
    for outcome in ["crashed", "timeout"] {
        let lines = lines.clone() + &format!("1,e,a,h0,{outcome},16,\n");
        let mut both = [["a", "b"], ["b", "a"]].into_iter();
        assert!(both.all(|[own, other]| {
            let minus = format!("is.rate={{along='size',minus={{label='{other}'}}}}");
            let minus = format!("where={{label='{own}'}},{minus}");
            measured(&lines, &minus).estimate.bound == Bound::Either
        }));
    }
}

#[test]
fn both_sides_of_a_figure_have_one_clock() {
    let mut text =
        "schema,experiment,label,instance_hash,threads,outcome,size,wall_ns,cpu_ns\n".to_owned();
    for size in [1, 2, 4, 8] {
        let square = size * size;
        text += &format!("1,e,a,h,1,solved,{size},{},{size}\n", 3 * square);
        text += &format!("1,e,b,h,1,solved,{size},{},\n", 4 * square);
    }
    let value = |more: &str| {
        let ours = judged_of(&text, &format!("value=1\nours={{experiment='e',{more}}}")).1;
        ours.expect("rows").estimate.value
    };
    let [a, b] = ["{label='a'}", "{label='b'}"];
    assert_eq!(value(&format!("where={a},is.sum={{with={b}}}")), 70.0);
    assert_eq!(value(&format!("where={b},is.sum={{with={a}}}")), 70.0);
    assert_eq!(value(&format!("where={a},is.difference_to={b}")), -21.25);
    let rate = value(&format!("where={a},is.rate={{along='size',minus={b}}}"));
    assert!(rate.abs() < 1e-9, "{rate}");
}

#[test]
fn elo_points_are_of_a_share() {
    let text = "schema,experiment,label,outcome,score\n1,e,a,solved,3\n1,e,a,solved,4\n";
    let source = figure("value=50\nours={experiment='e',column='score',is='elo'}");
    let judged = judge(&rows(text), &source, &source.figures[0]).expect("a verdict");
    assert_eq!(judged.verdict, Verdict::NotMeasured);
    assert_eq!(
        judged.remark,
        "The run has e, but no share of points from 0 to 1 in `score`."
    );
}

#[test]
fn signs_count_where_no_timeout_leaves_them_open() {
    let rows = rows(&text());
    let source = figure(&format!("value=1.2\n{A}"));
    let judged = judge(&rows, &source, &source.figures[0]).expect("a figure");
    let (all, mut ours) = (0.5_f64.powi(20), judged.ours.expect("rows"));
    let Interval { low, high } = ours.extent;
    let mut signs = |bound| {
        ours.estimate.bound = bound;
        [0.9, low, high, 2.0].map(|end| ours.chance_of_signs(end))
    };
    assert_eq!(signs(Bound::Exact), [all; 4]);
    assert_eq!(signs(Bound::AtLeast), [all, all, 1.0, 1.0]);
    assert_eq!(signs(Bound::AtMost), [1.0, 1.0, all, all]);
}

#[test]
fn a_narrow_interval_around_an_end_of_the_band_is_on_the_edge() {
    let rows = rows(&text());
    let on_edge = |claim: &str, low: f64, high: f64| {
        let source = figure(&format!("{claim}\n{A}"));
        let mut judged = judge(&rows, &source, &source.figures[0]).expect("a figure");
        judged.ours.as_mut().expect("rows").estimate = Estimate::within(low, low, high);
        judged.is_on_the_edge()
    };
    // A tenth of the band is 0.1; with one end at 2, it is 0.04.
    let band = "value=1.5\nband=[1.0,2.0]";
    let ends = [(0.96, 1.05), (1.95, 2.04), (0.95, 1.06), (1.2, 1.25)];
    assert_eq!(
        ends.map(|(low, high)| on_edge(band, low, high)),
        [true, true, false, false]
    );
    let most = "value=2.0\nclaims='at-most'";
    assert_eq!(
        [1.99, 1.97].map(|low| on_edge(most, low, 2.02)),
        [true, false]
    );
}

#[test]
fn figures_of_one_fact_count_once_and_say_on_which_side_they_are() {
    let rows = rows(&text());
    let one = |id: u32, value: f64, more: &str| {
        format!("[[figures]]\nid='s/{id}'\nplace='p'\nclaim='c'\nvalue={value}\n{more}\n{A}\n")
    };
    let words = "fact='s/f'\ndirections=['gains more', 'gains less']";
    let text = one(0, 9.0, words) + &one(1, 0.1, words) + &one(2, 9.0, "") + &one(3, 1.0, "");
    let text = format!("source='s'\nreference='r'\n{text}");
    let source = PublishedSource::read("s.toml", &text).expect("a source");
    let figures = source.figures.iter();
    let all: Vec<JudgedFigure> = figures
        .map(|figure| judge(&rows, &source, figure).expect("a figure"))
        .collect();
    let counted = crate::figures::counted(&all);
    let counted: Vec<&str> = counted.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(counted, ["1 reproduced", "2 facts differ"]);
    // A fact that one figure supports and another does not is counted once.
    let text = format!(
        "source='s'\nreference='r'\n{}{}",
        one(0, 9.0, words),
        one(3, 1.0, words)
    );
    let source = PublishedSource::read("s.toml", &text).expect("a source");
    let both: Vec<JudgedFigure> = (source.figures.iter())
        .map(|figure| judge(&rows, &source, figure).expect("a figure"))
        .collect();
    let counted = crate::figures::counted(&both);
    let counted: Vec<&str> = counted.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(counted, ["1 fact differs"]);
    let sides: Vec<String> = all.iter().map(JudgedFigure::direction).collect();
    assert_eq!(sides, ["gains more", "gains less", "less than printed", ""]);
}

#[test]
fn open_figures_share_the_level() {
    let rows = rows(&text());
    let one = |id: u32, value: f64, tolerance: f64| {
        format!(
            "[[figures]]\nid='s/{id}'\nplace='p'\nclaim='c'\nvalue={value}\ntolerance={tolerance}\n{A}\n"
        )
    };
    let text = one(0, 1.0, 0.02) + &one(1, 1.0, 0.022) + &one(2, 1.2, 0.02);
    let text = format!("source='s'\nreference='r'\n{text}");
    let source = PublishedSource::read("s.toml", &text).expect("a source");
    let judge = |at: usize| judge(&rows, &source, &source.figures[at]).expect("a figure");
    let mut all = [0, 1, 2].map(judge);
    decide(&mut all, 2);
    let levels = [0, 1, 2].map(|at| all[at].lacking.map(|lacking| lacking.level));
    assert_eq!(levels, [Some(LEVEL / 4.0), Some(LEVEL / 4.0), None]);
    for (one, level) in all.iter().zip([LEVEL / 4.0, LEVEL / 4.0, LEVEL / 6.0]) {
        assert_eq!(one.decides, one.deciding_interval(level));
    }
}

/// The verdict on a statistic of the measure `m`, which is `value(seed)` on each of 20 seeds; a seed without a value
/// crashed.
fn of_measure(statistic: &str, claim: &str, value: impl Fn(u32) -> Option<u32>) -> Verdict {
    let mut text = "schema,experiment,problem,cell,instance_hash,outcome,measure_m\n".to_owned();
    for seed in 1..=20 {
        text += &match value(seed) {
            Some(value) => format!("1,e,p,c{seed},h{seed},solved,{value}\n"),
            None => format!("1,e,p,c{seed},h{seed},crashed,\n"),
        };
    }
    let ours = format!("ours={{experiment='e',column='measure_m',is.statistic='{statistic}'}}");
    judged_of(&text, &format!("{claim}\n{ours}")).0
}

#[test]
fn a_sum_and_a_share_are_compared_as_such() {
    let five = |_| Some(5);
    for (claim, expected) in [
        ("value=100\nclaims='exact'", Verdict::Reproduced),
        ("value=99\nclaims='exact'", Verdict::Differs),
        // Each of the values is below, and their sum is not.
        ("value=55\nclaims='at-most'", Verdict::Undecided),
    ] {
        assert_eq!(of_measure("sum", claim, five), expected, "{claim}");
    }
    let four_of_five = |seed| (seed % 5 > 0).then_some(5);
    for claim in [
        "value=0.9\nclaims='at-least'",
        "value=0.9\nclaims='at-most'",
    ] {
        assert_eq!(
            of_measure("solved", claim, four_of_five),
            Verdict::Undecided,
            "{claim}"
        );
    }
    let none_over = |claim| of_measure("over:100", claim, five);
    assert_eq!(none_over("value=0.4\nclaims='at-least'"), Verdict::Differs);
    assert_eq!(
        none_over("value=0.05\nclaims='at-most'"),
        Verdict::Undecided
    );
}

#[test]
fn a_solved_row_is_a_witness_and_a_counterexample_beside_a_crash() {
    let nine_on_four = |seed| match seed {
        4 => Some(9),
        16 => None,
        _ => Some(5),
    };
    let verdict = |claim| of_measure("median", claim, nine_on_four);
    assert_eq!(verdict("value=9\nclaims='exists'"), Verdict::Reproduced);
    assert_eq!(verdict("value=5\nclaims='for-all'"), Verdict::Differs);
    assert_eq!(verdict("value=5\nclaims='exact'"), Verdict::Differs);
    // Without a counterexample the crash leaves both open.
    let crash = |seed| (seed != 16).then_some(5);
    for claim in ["for-all", "exact"] {
        let claim = format!("value=5\nclaims='{claim}'");
        assert_eq!(of_measure("median", &claim, crash), Verdict::Undecided);
    }
}

#[test]
fn a_stopped_search_leaves_a_difference_open() {
    let verdict = |last: &str| {
        let mut text = "schema,experiment,label,instance_hash,outcome,counter_nodes\n".to_owned();
        for map in 0..8 {
            text += &format!("1,e,a,h{map},{last},{}\n", 100 + map);
            text += &format!("1,e,b,h{map},solved,{}\n", 50 + map * map);
        }
        let below = "value=80\nclaims='at-most'\nours={experiment='e',column='counter_nodes',where={label='a'},is.difference_to={label='b'}}";
        judged_of(&text, below).0
    };
    assert_eq!(verdict("solved"), Verdict::Reproduced);
    assert_eq!(verdict("timeout"), Verdict::Undecided);
}

#[test]
fn a_stopped_search_leaves_a_rate_of_growth_open() {
    let growth = "value=1\nclaims='growth'\nours={experiment='e',column='counter_nodes',is.rate={along='size'}}";
    let verdict = |last: &str| {
        let mut text = "schema,experiment,instance_hash,size,outcome,counter_nodes\n".to_owned();
        for map in 0..6 {
            for size in 1..=4 {
                // No map grows exactly so.
                let nodes = (map + 1) * size + map * size % 3;
                text += &format!("1,e,h{map},{size},solved,{nodes}\n");
            }
            text += &format!("1,e,h{map},5,{last},{}\n", (map + 1) * 4);
        }
        judged_of(&text, growth).0
    };
    assert_eq!(verdict("solved"), Verdict::Reproduced);
    assert_eq!(verdict("timeout"), Verdict::Undecided);
}
