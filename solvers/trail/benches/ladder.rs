//! Benchmarks all variants on boards that each of them finishes: `cargo bench -p ikeru-trail`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ikeru_core::testing::generate;
use ikeru_core::{Deadline, Direction, Incumbent, Problem, Search, Settings};
use ikeru_trail::TrailProblem;

fn ladder(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("trail");
    group.sample_size(10);
    for (width, height) in [(4, 4), (4, 5)] {
        let size = format!("width={width} height={height}");
        let puzzle = generate::<TrailProblem>("trail.random", &size, 1);
        for variant in TrailProblem::VARIANTS {
            let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
                .expect("a puzzle it takes");
            let id = BenchmarkId::new(variant.name, format!("{width}x{height}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    let incumbent = Incumbent::new(Direction::Maximize);
                    black_box(solver.solve(&mut Search::new(&incumbent)))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, ladder);
criterion_main!(benches);
