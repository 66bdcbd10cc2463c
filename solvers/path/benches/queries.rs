//! Every variant on five kinds of map, one batch of queries at a time, and the preparation of the variants that need
//! a long one.

mod batch;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ikeru_core::{Settings, Value};

fn queries(criterion: &mut Criterion) {
    for (kind, instance) in batch::kinds(256, 64) {
        let mut group = criterion.benchmark_group(format!("queries/{kind}"));
        group.sample_size(10);
        for variant in [
            "dijkstra",
            "hash",
            "heap",
            "bucket",
            "jps",
            "jps-tables",
            "jps-bounds",
        ] {
            let mut solver = batch::prepare(variant, &instance).expect("both-sides ground");
            group.bench_function(variant, |bencher| bencher.iter(|| batch::run(&mut solver)));
        }
        group.finish();
    }
}

fn weights(criterion: &mut Criterion) {
    let (_, instance) = batch::kinds(256, 64).remove(4);
    let mut group = criterion.benchmark_group("weights");
    group.sample_size(10);
    for factor in [1, 5, 100] {
        let question: Settings = [
            ("unit", Value::parse("horse")),
            ("forest", Value::Int(factor)),
        ]
        .into_iter()
        .collect();
        let asked = instance.ask(&question).expect("a question");
        for variant in ["heap", "bucket", "jps-weighted"] {
            let mut solver = batch::prepare(variant, &asked).expect("any ground");
            group.bench_function(BenchmarkId::new(variant, factor), |bencher| {
                bencher.iter(|| batch::run(&mut solver));
            });
        }
    }
    group.finish();
}

fn preparation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("preparation");
    group.sample_size(10);
    for (kind, instance) in batch::kinds(256, 8) {
        for variant in ["bucket", "jps", "jps-tables"] {
            group.bench_function(BenchmarkId::new(variant, &kind), |bencher| {
                bencher
                    .iter(|| batch::prepare(variant, &instance).map(|solver| solver.table_bytes()));
            });
        }
    }
    group.finish();
}

/// A large batch on one thread and on two: the workers share only the index of the next query.
fn threads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("threads");
    group.sample_size(10);
    for (kind, instance) in batch::kinds(256, 20_000).drain(2..4) {
        group.throughput(Throughput::Elements(instance.queries.len() as u64));
        let mut solver = batch::prepare("jps", &instance).expect("both-sides ground");
        for threads in [1, 2] {
            group.bench_function(BenchmarkId::new(&kind, threads), |bencher| {
                bencher.iter(|| batch::run_on(&mut solver, threads));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, queries, weights, preparation, threads);
criterion_main!(benches);
