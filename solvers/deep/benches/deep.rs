//! Benchmarks every variant of `deep` except the naive one on one position.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ikeru_core::testing::generate;
use ikeru_core::{Deadline, Direction, Incumbent, Problem, Search, Settings};
use ikeru_deep::Deep;

fn variants(criterion: &mut Criterion) {
    let position = generate::<Deep>("deep.random", "stones=30 pieces=3", 1);
    let mut group = criterion.benchmark_group("deep, 30 stones, 3 pieces");
    for variant in Deep::VARIANTS.iter().skip(1) {
        let prepared = (variant.prepare)(&position, &Settings::new(), Deadline::never());
        let mut solver = prepared.expect("ready");
        group.bench_function(variant.name, |bencher| {
            bencher.iter(|| {
                let incumbent = Incumbent::new(Direction::Maximize);
                black_box(solver.solve(&mut Search::new(&incumbent)));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, variants);
criterion_main!(benches);
