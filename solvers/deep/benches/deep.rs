//! Every variant of `deep` but the naive one on one position.

use criterion::{Criterion, criterion_group, criterion_main};
use ikeru_core::{Deadline, Incumbent, Search, Settings, Value, erase};
use ikeru_deep::Deep;

fn variants(criterion: &mut Criterion) {
    let problem = erase::<Deep>();
    let parameters = Settings::from_iter([("stones", Value::Int(30)), ("pieces", Value::Int(3))]);
    let position = problem
        .generate("deep.random", &parameters, 1)
        .expect("a position");
    let mut group = criterion.benchmark_group("deep, 30 stones, 3 pieces");
    for variant in problem.variants().iter().skip(1) {
        let mut solver = position
            .prepare(variant.name, &Settings::new(), Deadline::never())
            .expect("ready");
        group.bench_function(variant.name, |bencher| {
            bencher.iter(|| {
                let incumbent = Incumbent::new();
                solver.solve(&mut Search::new(&incumbent));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, variants);
criterion_main!(benches);
