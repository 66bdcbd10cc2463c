//! The kernels of `reach` and `routes` on the article's worst case: 30×30, 48 steps.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ikeru_core::testing::{generate, settings};
use ikeru_core::{Deadline, Direction, Incumbent, Problem, Search, Settings};
use ikeru_reach::instance::Instance;
use ikeru_reach::{Reach, Routes};

fn ask(map: &Instance, question: &str) -> Instance {
    Reach::ask(map, &settings(question)).expect("a possible question")
}

fn time<P: Problem<Instance = Instance>>(
    criterion: &mut Criterion,
    name: &str,
    question: &Instance,
) {
    let fast = |name: &str| !["brute", "enumerate"].contains(&name);
    time_variants::<P>(criterion, name, question, fast);
}

fn time_variants<P: Problem<Instance = Instance>>(
    criterion: &mut Criterion,
    name: &str,
    question: &Instance,
    chosen: impl Fn(&str) -> bool,
) {
    for variant in P::VARIANTS.iter().filter(|variant| chosen(variant.name)) {
        let Ok(mut solver) = (variant.prepare)(question, &Settings::new(), Deadline::never())
        else {
            continue;
        };
        let incumbent = Incumbent::new(Direction::Equal);
        criterion.bench_function(&format!("{}/{name}", variant.name), |bencher| {
            bencher.iter(|| black_box(solver.solve(&mut Search::new(&incumbent))));
        });
    }
}

/// The preparation of `bitboard` for a map.
fn preparation(criterion: &mut Criterion, question: &Instance) {
    let bitboard = Reach::VARIANTS
        .iter()
        .find(|variant| variant.name == "bitboard");
    let variant = bitboard.expect("a variant of reach");
    criterion.bench_function("bitboard/prepare", |bencher| {
        bencher.iter(|| {
            let prepared = (variant.prepare)(question, &Settings::new(), Deadline::never());
            black_box(prepared.expect("takes grids"));
        });
    });
}

fn kernels(criterion: &mut Criterion) {
    let map = generate::<Reach>("reach.spanning-grid", "", 1);
    time::<Reach>(criterion, "plain", &ask(&map, "god=false"));
    time::<Reach>(criterion, "god", &ask(&map, "god=true"));
    time::<Routes>(criterion, "routes", &ask(&map, "god=false"));
    for size in [33, 64, 100] {
        let parameters = format!("width={size} height={size}");
        let map = generate::<Reach>("reach.spanning-grid", &parameters, 1);
        for (name, question) in [("plain", "god=false"), ("god", "god=true")] {
            let question = ask(&map, question);
            time_variants::<Reach>(
                criterion,
                &format!("{name}-{size}x{size}"),
                &question,
                |name| name == "bitboard",
            );
        }
    }
    preparation(criterion, &ask(&map, "god=false"));
    let all = ask(&map, "god=false starts=all");
    let batch = Reach::VARIANTS
        .iter()
        .filter(|variant| ["batch", "bitboard"].contains(&variant.name));
    for variant in batch {
        let mut solver =
            (variant.prepare)(&all, &Settings::new(), Deadline::never()).expect("takes grids");
        let incumbent = Incumbent::new(Direction::Equal);
        criterion.bench_function(&format!("{}/all-900-starts", variant.name), |bencher| {
            bencher.iter(|| black_box(solver.solve(&mut Search::new(&incumbent))));
        });
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
