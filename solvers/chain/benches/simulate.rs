//! Benchmarks every simulator on random fields, on a field with a chain of 19 steps, and on single placements.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ikeru_chain::simulate::Simulator;
use ikeru_chain::{Board, PieceSequence, Size, generate};
use ikeru_core::Random;

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

criterion_group!(benches, resolve, place);
criterion_main!(benches);
