//! Benchmarks frontier dynamic programming and matching, and the strong variants on a board of the article's 7x7 mix and, if the
//! shared data is available, on 11_56 and 12_66: `cargo bench -p ikeru-trail --bench strong`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ikeru_core::testing::{generate, shared_file, variant};
use ikeru_core::{Deadline, Direction, Incumbent, Problem, Random, Search, Settings};
use ikeru_trail::tjoin::frontier::{Frontier, MAX_COLUMNS, ScanKernel};
use ikeru_trail::tjoin::matching::Matching;
use ikeru_trail::{Puzzle, TrailProblem};

fn kernel(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel");
    for size in [5, 6, 7, 10, 12, 13, 14, 16, 20, 32] {
        let edges = 2 * size * (size - 1);
        let mut random = Random::new("bench kernel", 1);
        let costs: Vec<i32> = (0..edges)
            .map(|_| random.between(-2000, 5000) as i32)
            .collect();
        let mut odd = vec![0; size];
        odd[0] = 1;
        odd[size - 1] = 1 << (size - 1);
        let mut passed = vec![0; edges.div_ceil(64)];
        let mut matching = Matching::new(size, size);
        group.bench_function(BenchmarkId::new("matching", size), |bencher| {
            bencher.iter(|| black_box(matching.best(black_box(&costs), &odd, &mut passed)));
        });
        if size > MAX_COLUMNS {
            continue;
        }
        for (name, kernel) in [
            ("avx512", ScanKernel::Avx512),
            ("avx2", ScanKernel::Avx2),
            ("portable", ScanKernel::Portable),
        ] {
            let mut kernel = Frontier::limited(size, size, kernel);
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| black_box(kernel.best(black_box(&costs), &odd, &mut passed)));
            });
        }
    }
    group.finish();
}

fn puzzles() -> Vec<(&'static str, Puzzle)> {
    let board = generate::<TrailProblem>("trail.random", "", 1);
    let mut puzzles = vec![("random", board)];
    for (name, file) in [("11_56", "trail/11_56.txt"), ("12_66", "trail/12_66.txt")] {
        if let Some(path) = shared_file(file) {
            let text = std::fs::read_to_string(path).expect("a text");
            puzzles.push((name, TrailProblem::read(&text).expect("a puzzle")));
        }
    }
    puzzles
}

fn strong(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("strong");
    group.sample_size(10);
    for (board, puzzle) in puzzles() {
        for name in ["dominance", "lagrangian"] {
            let variant = variant::<TrailProblem>(name).expect("a registered variant");
            let mut solver = (variant.prepare)(&puzzle, &Settings::new(), Deadline::never())
                .expect("a puzzle it takes");
            group.bench_function(BenchmarkId::new(name, board), |bencher| {
                bencher.iter(|| {
                    let incumbent = Incumbent::new(Direction::Maximize);
                    black_box(solver.solve(&mut Search::new(&incumbent)))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, kernel, strong);
criterion_main!(benches);
