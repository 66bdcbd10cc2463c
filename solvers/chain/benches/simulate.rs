//! Benchmarks every simulator on random fields, on a field with a chain of 19 steps, on single placements, and questions
//! about many fields.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikeru_chain::simulate::Simulator;
use ikeru_chain::{Board, PieceSequence, Simulation, Size, generate};
use ikeru_core::{Deadline, Direction, Incumbent, Problem, Random, Search, Settings, testing};

fn simulators() -> Vec<(&'static str, Simulator)> {
    let mut all = vec![
        ("flood", Simulator::FLOOD),
        ("bitboard", Simulator::BITBOARD),
    ];
    all.extend(Simulator::avx2().map(|avx2| ("bitboard-avx2", avx2)));
    all
}

fn resolve(criterion: &mut Criterion) {
    let mut random = Random::new("bench.simulate", 1);
    let mut fields = |stones| -> Vec<Board> {
        let field = |_| generate::random_field(&mut random, Size::THESIS, stones, 4, 0.0);
        (0..256).map(field).collect()
    };
    let (full, half) = (fields(78), fields(39));
    let long = generate::long_chain(&mut Random::new("bench.long", 1), Size::THESIS, 19, 4);
    let long = vec![long.expect("this seed has one")];
    for (what, fields) in [
        ("256 full fields", full),
        ("256 half fields", half),
        ("19 chains", long),
    ] {
        let mut group = criterion.benchmark_group(what);
        for (name, simulator) in simulators() {
            group.bench_function(name, |bencher| {
                bencher.iter_batched_ref(
                    || fields.clone(),
                    |fields| fields.iter_mut().map(simulator.resolve).last(),
                    BatchSize::SmallInput,
                );
            });
        }
        group.finish();
    }
}

fn place(criterion: &mut Criterion) {
    let stable = generate::stable_field(&mut Random::new("bench.place", 1), Size::THESIS, 30, 4);
    let board = stable.expect("this seed has one");
    let pieces: Vec<_> = PieceSequence::new(1, 4).take(16).collect();
    let mut group = criterion.benchmark_group("every placement of 16 pieces");
    for (name, simulator) in simulators() {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for piece in &pieces {
                    for placement in piece.placements(&board) {
                        black_box((simulator.place)(&board, *piece, placement));
                    }
                }
            });
        });
    }
    group.finish();
}

/// The steps of many fields in one question, whose outcomes together exceed the caches.
fn questions(criterion: &mut Criterion) {
    let variant = testing::variant::<Simulation>("bitboard-avx2").expect("a variant");
    let mut group = criterion.benchmark_group("steps of full fields");
    group.sample_size(10);
    for count in [10_000, 100_000] {
        let parameters = format!("fields={count}");
        let fields = testing::generate::<Simulation>("chain.random-field", &parameters, 1);
        let steps = testing::settings("asked=steps");
        let instance = Simulation::ask(&fields, &steps).expect("a question");
        let prepared = (variant.prepare)(&instance, &Settings::new(), Deadline::never());
        let Ok(mut solver) = prepared else { return };
        let incumbent = Incumbent::new(Direction::Equal);
        group.throughput(Throughput::Elements(count));
        group.bench_function(BenchmarkId::new("bitboard-avx2", count), |bencher| {
            bencher.iter(|| solver.solve(&mut Search::new(&incumbent)));
        });
    }
    group.finish();
}

criterion_group!(benches, resolve, place, questions);
criterion_main!(benches);
