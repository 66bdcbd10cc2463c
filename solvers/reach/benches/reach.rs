//! The kernels of `reach` and `routes` on the article's worst case: 30×30, 48 steps.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ikeru_core::{Deadline, Incumbent, Problem, Random, Search, Settings, Value};
use ikeru_reach::instance::Instance;
use ikeru_reach::{Reach, Routes};

fn worst_case() -> Instance {
    let generators = Reach::generators();
    let generator = generators
        .iter()
        .find(|generator| generator.name == "reach.spanning-grid");
    let generator = generator.expect("the generator is there");
    let mut random = Random::new(generator.name, 1);
    (generator.generate)(&Settings::new(), &mut random).expect("its defaults are legal")
}

fn ask(map: &Instance, god: bool, starts: &str) -> Instance {
    let settings = [
        ("god", Value::Bool(god)),
        ("starts", Value::Text(starts.into())),
    ];
    Reach::ask(map, &settings.into_iter().collect()).expect("a possible question")
}

fn time<P: Problem<Instance = Instance>>(
    criterion: &mut Criterion,
    name: &str,
    question: &Instance,
) {
    for variant in P::variants()
        .iter()
        .filter(|variant| !["brute", "enumerate"].contains(&variant.name))
    {
        let Ok(mut solver) = (variant.prepare)(question, &Settings::new(), Deadline::never())
        else {
            continue;
        };
        let incumbent = Incumbent::new();
        criterion.bench_function(&format!("{}/{name}", variant.name), |bencher| {
            bencher.iter(|| black_box(solver.solve(&mut Search::new(&incumbent))));
        });
    }
}

fn kernels(criterion: &mut Criterion) {
    let map = worst_case();
    time::<Reach>(criterion, "plain", &ask(&map, false, "one"));
    time::<Reach>(criterion, "god", &ask(&map, true, "one"));
    time::<Routes>(criterion, "routes", &ask(&map, false, "one"));
    let all = ask(&map, false, "all");
    let batch = Reach::variants()
        .iter()
        .filter(|variant| ["batch", "bitboard"].contains(&variant.name));
    for variant in batch {
        let mut solver =
            (variant.prepare)(&all, &Settings::new(), Deadline::never()).expect("takes grids");
        let incumbent = Incumbent::new();
        criterion.bench_function(&format!("{}/all-900-starts", variant.name), |bencher| {
            bencher.iter(|| black_box(solver.solve(&mut Search::new(&incumbent))));
        });
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
