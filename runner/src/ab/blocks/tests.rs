use ikeru_reports::records::Rows;

use super::*;

fn sample(nanoseconds: f64) -> Sample {
    Sample {
        outcome: Outcome::Solved,
        batch: Some(Duration::from_nanos((nanoseconds * 1e3) as u64)),
        iterations: 1000,
        ..Sample::default()
    }
}

/// A microsecond kernel on a shared machine: drift, jitter, an occasional disturbance, and samples that are
/// slower the later they come in a block.
struct Machine {
    random: Random,
    taken: u32,
}

impl Machine {
    fn time(&mut self, place: usize, side: BuildSide, slower: f64) -> f64 {
        self.taken += 1;
        let drift = 1.0 + 0.2 * (f64::from(self.taken) / 150.0).sin();
        let jitter = 1.0 + 0.04 * self.random.unit();
        let order = 1.0 + 0.01 * place as f64;
        let rare = if self.random.chance(0.03) { 1.5 } else { 1.0 };
        let build = if side == BuildSide::Head { slower } else { 1.0 };
        1000.0 * drift * jitter * order * rare * build
    }
}

fn side(pick: &Pick) -> BuildSide {
    BuildSide::ALL[pick.cell % 3]
}

/// Drives the schedule over `cells` cells of one stage with at most `most` blocks; `take` makes the samples from
/// their place in the block.
fn driven(
    seed: u64,
    margin: f64,
    (cells, most): (usize, usize),
    take: &mut dyn FnMut(usize, &Pick) -> Sample,
) -> Vec<Timing> {
    driven_over(None, (seed, margin), (cells, most), take)
}

/// The same with several layouts.
fn driven_over(
    layouts: Option<u32>,
    (seed, margin): (u64, f64),
    (cells, most): (usize, usize),
    take: &mut dyn FnMut(usize, &Pick) -> Sample,
) -> Vec<Timing> {
    // Each cell has another variant.
    let places: Vec<_> = (0..cells)
        .map(|cell| ((0, cell), cell.to_string()))
        .collect();
    let far = Instant::now() + Duration::from_secs(3600);
    let mut blocks = BlockSchedule {
        timings: Timing::among(&places, margin, false, layouts),
        clock: Metric::Wall,
        margin,
        layouts: layouts.unwrap_or(1) as usize,
        end: far,
        random: Random::new("ab", seed),
        seen: &|| (),
        last: None,
    };
    let mut last = Vec::new();
    for _ in 0..most {
        let Some(round) = blocks.next(&last) else {
            return blocks.timings;
        };
        assert_eq!(round.end, Some(far));
        let picks = round.picks.iter().enumerate();
        let taken = picks.map(|(place, pick)| Taken {
            pick: *pick,
            canary: None,
            sample: take(place, pick),
        });
        last = taken.collect();
    }
    let _ = blocks.next(&last);
    blocks.timings
}

/// A session over `cells` cells whose head is `slower`, with `blocks` blocks for each.
fn session(seed: u64, slower: f64, margin: f64, (cells, blocks): (usize, usize)) -> Vec<HeadIs> {
    let mut machine = Machine {
        random: Random::new("ab-machine", seed),
        taken: 0,
    };
    let timings = driven(seed, margin, (cells, blocks * cells), &mut |place, pick| {
        sample(machine.time(place, side(pick), slower))
    });
    timings
        .iter()
        .map(|timing| timing.decision(margin))
        .collect()
}

#[test]
fn the_rows_of_the_placebo_are_known_by_their_label() {
    let rows = BuildSide::ALL.map(|side| format!("1,solver@{}\n", side.name()));
    let rows = Rows::of_table(&format!("schema,label\n{}", rows.concat()));
    let kept = rows.without_placebo(&rows.all()).into_owned();
    assert_eq!(
        rows.distinct("label", &kept),
        ["solver@base", "solver@head"]
    );
}

#[test]
fn two_hundred_sessions_of_one_build_raise_no_more_alarms_than_said() {
    for margin in [0.0, 0.01] {
        let is_alarmed = |seed: &u64| {
            let decisions = session(*seed, 1.0, margin, (5, 100));
            // A placebo that differs is an alarm too.
            decisions
                .iter()
                .any(|it| matches!(it, HeadIs::Slower | HeadIs::Faster | HeadIs::Withheld))
        };
        let alarms = (0..200).filter(is_alarmed).count();
        println!("alarms in 200 sessions with a margin of {margin}: {alarms}");
        assert!(alarms <= 10, "{alarms} with a margin of {margin}");
    }
}

#[test]
fn three_percent_are_found_and_one_percent_within_the_margin_is_not() {
    let all =
        |slower, margin| (0..50).flat_map(move |seed| session(seed, slower, margin, (1, 300)));
    let found = all(1.03, 0.01).filter(|it| *it == HeadIs::Slower).count();
    assert!(found >= 48, "{found} of 50");
    let faster = all(0.97, 0.01).filter(|it| *it == HeadIs::Faster).count();
    assert!(faster >= 48, "{faster} of 50");
    let alarms = all(1.005, 0.02).filter(|it| *it == HeadIs::Slower).count();
    assert!(alarms <= 2, "{alarms} of 50");
    let within = all(1.0, 0.03).filter(|it| *it == HeadIs::Within).count();
    assert!(within >= 48, "{within} of 50");
}

/// Takes `blocks` blocks of each of 12 cells of one variant, on which head is slower by the factor `slower` of the cell.
/// Returns the decision over all cells, and those of the cells.
fn together(seed: u64, blocks: usize, slower: &dyn Fn(usize) -> f64) -> (Together, Vec<HeadIs>) {
    let mut machine = Machine {
        random: Random::new("ab-together", seed),
        taken: 0,
    };
    let mut timings = driven(seed, 0.01, (12, 12 * blocks), &mut |place, pick| {
        sample(machine.time(place, side(pick), slower(pick.cell / 3)))
    });
    timings.iter_mut().for_each(|timing| timing.label.clear());
    let all = Timing::together(&timings, 0.01, false);
    let alone = timings.iter().map(|timing| timing.decision(0.01));
    (all[0].clone(), alone.collect())
}

#[test]
fn many_cells_decide_together_what_none_decides_alone() {
    for (factor, expected) in [(0.5, HeadIs::Faster), (1.3, HeadIs::Slower)] {
        let (all, alone) = together(1, 3, &|cell| factor * (1.0 + 0.01 * cell as f64));
        assert_eq!((all.decision, all.cells), (expected, 12));
        assert!(alone.iter().all(|it| *it == HeadIs::Undecided), "{alone:?}");
        let ends = all.ratio.interval.expect("ends");
        assert!(ends.low < all.ratio.value && all.ratio.value < ends.high);
    }
    // Nine cells are a little faster, three are much slower: the mean contradicts the signs.
    let (all, _) = together(1, 9, &|cell| if cell < 9 { 0.8 } else { 9.0 });
    assert_eq!(all.decision, HeadIs::Undecided);
}

#[test]
fn cells_of_one_build_raise_no_more_alarms_together_than_said() {
    let is_alarmed = |seed: &u64| together(*seed, 20, &|_| 1.0).0.decision != HeadIs::Undecided;
    let alarms = (0..200).filter(is_alarmed).count();
    assert!(alarms <= 5, "{alarms} of 200 at half of 5 %");
}

#[test]
fn blocks_are_balanced_and_both_orders_come() {
    let mut picks = Vec::new();
    driven(1, 0.0, (1, 40), &mut |_, pick| {
        picks.push(*pick);
        sample(1000.0)
    });
    use BuildSide::{Base, Head, Placebo};
    let seen: Vec<BuildSide> = picks.iter().map(side).collect();
    let blocks: Vec<&[BuildSide]> = seen.chunks(6).collect();
    assert!(blocks.contains(&&[Base, Head, Placebo, Placebo, Head, Base][..]));
    assert!(blocks.contains(&&[Head, Base, Placebo, Placebo, Base, Head][..]));
    for of in BuildSide::ALL {
        assert_eq!(seen.iter().filter(|side| **side == of).count(), 80);
    }
    // No two samples of a build have one identity; the preview was the first attempt at the first repeat.
    let mut samples: Vec<_> = picks
        .iter()
        .map(|it| (it.cell, it.repeat, it.attempt))
        .collect();
    samples.sort_unstable();
    samples.dedup();
    assert_eq!(samples.len(), picks.len());
    assert!(!samples.contains(&(0, 0, 0)) && samples.contains(&(0, 0, 1)));
}

#[test]
fn each_pair_of_layouts_has_its_blocks_whatever_their_difference_is() {
    for (slower, expected) in [(1.0, HeadIs::Undecided), (2.0, HeadIs::Slower)] {
        let mut machine = Machine {
            random: Random::new("ab-layouts", 1),
            taken: 0,
        };
        let mut picks: Vec<Pick> = Vec::new();
        let timings = driven_over(Some(6), (1, 0.0), (2, 500), &mut |place, pick| {
            picks.push(*pick);
            // Head is faster in half of its layouts, and slower in the others.
            let layout = pick.cell / 3 % 6;
            let moved = if layout % 2 == 0 { 1.12 } else { 0.95 };
            sample(machine.time(place, side(pick), slower * moved))
        });
        assert_eq!(picks.len(), 2 * 6 * 6 * ROUNDS, "{slower}");
        for cell in 0..36 {
            let own: Vec<&Pick> = picks.iter().filter(|pick| pick.cell == cell).collect();
            let mut repeats: Vec<u32> = own.iter().map(|pick| pick.repeat).collect();
            repeats.sort_unstable();
            assert!(
                repeats.iter().copied().eq(0..2 * ROUNDS as u32),
                "{repeats:?}"
            );
        }
        for timing in &timings {
            assert_eq!(timing.decision(0.0), expected);
            assert_eq!(timing.head.layouts().map(|it| it.count()), Some(6));
            assert!(!timing.is_open(0.0) && timing.needs(0.0).is_none());
        }
        let needs = timings[0].needs_layouts(0.0).unwrap_or_default();
        assert_eq!(needs.ends_with(" layouts"), slower == 1.0, "{needs}");
    }
}

/// Sessions of one source on two cells of one variant, with six layouts of each side that differ by 2 %.
#[test]
fn layouts_of_one_source_raise_no_more_alarms_than_said() {
    let is_alarmed = |seed: &u64| {
        let mut random = Random::new("ab-of-layouts", *seed);
        let normal = |random: &mut Random| (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let of: Vec<f64> = (0..36).map(|_| 1.0 + 0.02 * normal(&mut random)).collect();
        let mut timings = driven_over(Some(6), (*seed, 0.0), (2, 120), &mut |_, pick| {
            // The placebo is the program of base.
            let program = pick.cell
                - if side(pick) == BuildSide::Placebo {
                    2
                } else {
                    0
                };
            sample(1000.0 * of[program] * (1.0 + 0.01 * random.unit()))
        });
        timings.iter_mut().for_each(|timing| timing.label.clear());
        let together = Timing::together(&timings, 0.0, false);
        let mut decisions = timings
            .iter()
            .map(|it| it.decision(0.0))
            .chain([together[0].decision]);
        decisions.any(|it| it != HeadIs::Undecided)
    };
    let alarms = (0..400).filter(is_alarmed).count();
    assert!(alarms <= 26, "{alarms} of 400 at 5 %");
}

#[test]
fn a_build_that_fails_ends_its_timing() {
    let timings = driven(
        1,
        0.0,
        (2, 100),
        &mut |_, pick| match (pick.cell / 3, side(pick)) {
            (0, BuildSide::Head) => Sample::failed(Outcome::Crashed, "gone"),
            (_, BuildSide::Head) => sample(1100.0),
            (_, BuildSide::Base | BuildSide::Placebo) => sample(1000.0),
        },
    );
    let gone = Some((
        BuildSide::Head,
        Outcome::Crashed,
        "crashed: gone".to_owned(),
    ));
    assert_eq!(timings[0].failed, gone);
    assert_eq!(timings[1].decision(0.0), HeadIs::Slower);
    assert_eq!(timings[1].head.blocks(), 5, "at a level shared by two");
}

#[test]
fn times_beside_scores_have_half_of_the_level() {
    let level = |with_scores| {
        let timings = Timing::among(&[((0, 0), String::new())], 0.0, with_scores, None);
        timings[0].head.level()
    };
    let percent = [false, true].map(|it| (100.0 * level(it)).round());
    assert_eq!(percent, [4.0, 2.0]);
}

/// On a busy machine the CPU time of a short answer may not be known.
#[test]
fn an_answer_whose_time_is_not_known_is_no_failure() {
    let mut taken = 0;
    let timings = driven(3, 0.0, (1, 100), &mut |_, pick| {
        taken += 1;
        let mut sample = sample(if side(pick) == BuildSide::Head {
            1100.0
        } else {
            1000.0
        });
        if taken % 7 == 0 {
            sample.batch = None;
        }
        sample
    });
    assert_eq!(timings[0].failed, None);
    assert_eq!(timings[0].decision(0.0), HeadIs::Slower);
}

#[test]
fn where_base_differs_from_itself_nothing_is_decided() {
    // A machine that favours the processes of the placebo.
    let mut machine = Machine {
        random: Random::new("ab-machine", 3),
        taken: 0,
    };
    let timings = driven(3, 0.0, (1, 300), &mut |place, pick| {
        let colder = if side(pick) == BuildSide::Placebo {
            0.97
        } else {
            1.0
        };
        sample(colder * machine.time(place, side(pick), 0.985))
    });
    assert_eq!(timings[0].decision(0.0), HeadIs::Withheld);
    assert!(!timings[0].is_open(0.0), "more blocks do not help");
}
