//! The variants on boards that each of them finishes: `cargo bench -p ikeru-trail`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ikeru_core::{Deadline, Incumbent, Problem, Random, Search, Settings, Value};
use ikeru_trail::{Puzzle, TrailProblem};

fn board(width: i64, height: i64) -> Puzzle {
    let generator = &TrailProblem::generators()[0];
    let size = [("width", Value::Int(width)), ("height", Value::Int(height))];
    let mut random = Random::new(generator.name, 1);
    (generator.generate)(&Settings::from_iter(size), &mut random).expect("a board")
}

fn ladder(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("trail");
    group.sample_size(10);
    for (width, height) in [(4, 4), (4, 5)] {
        let puzzle = board(width, height);
        for variant in TrailProblem::variants() {
            let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
                .expect("a puzzle it takes");
            let id = BenchmarkId::new(variant.name, format!("{width}x{height}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    let incumbent = Incumbent::new();
                    black_box(solver.solve(&mut Search::new(&incumbent)))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, ladder);
criterion_main!(benches);
