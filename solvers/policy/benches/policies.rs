//! Matching and search: one match by matrices and incrementally, and one move of three policies.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use ikeru_chain::{AboveTop, Board, LossRule, Piece, PieceSequence, Size};
use ikeru_policy::game::{GameRules, play};
use ikeru_policy::matching::{Contacts, HeightValues, Matcher, TemplateTarget, extent, stones};
use ikeru_policy::policy::beam::{Beam, BeamSize};
use ikeru_policy::policy::potential::{Potential, PotentialRules};
use ikeru_policy::policy::selection::SelectionRule;
use ikeru_policy::policy::template::TemplatePolicy;
use ikeru_policy::policy::{Policy, PolicyWork, View};
use ikeru_policy::templates::criterion::Completion;
use ikeru_policy::templates::matrix::{StateMatrix, TemplateMatrix};
use ikeru_policy::templates::{TemplateOptions, sets};

const SIZE: Size = Size::THESIS;

fn matching(criterion: &mut Criterion) {
    let drawings = sets::drawings("stairs").expect("a set");
    let templates =
        sets::templates(drawings, extent(SIZE), TemplateOptions::default()).expect("stairs");
    let matrices: Vec<TemplateMatrix> = templates.iter().map(TemplateMatrix::new).collect();
    let matcher = Arc::new(Matcher::new(&templates, SIZE).expect("a set"));
    let pieces: Vec<Piece> = PieceSequence::new(1, 4).take(30).collect();
    let rules = GameRules {
        visible: 3,
        moves: 12,
        colours: 4,
        loss: LossRule::NoPlacement,
        above_top: AboveTop::Illegal,
    };
    let target = TemplateTarget::new(Arc::clone(&matcher), Completion::OneMissing);
    let mut policy = TemplatePolicy::new(target, 3, SelectionRule::Best);
    let mut work = PolicyWork::default();
    let start = Board::empty(SIZE);
    let game = play(&mut policy, start, &pieces, &rules, None, &mut work);
    let mut board = start;
    for (piece, placement) in pieces.iter().zip(&game.placements) {
        board.place(*piece, *placement);
        ikeru_chain::resolve(&mut board);
    }
    criterion.bench_function("match/matrices", |bencher| {
        bencher.iter(|| {
            let state = StateMatrix::new(&stones(black_box(&board)));
            let values = matrices
                .iter()
                .filter_map(|matrix| matrix.match_with(&state));
            values
                .map(ikeru_policy::templates::matrix::Match::value)
                .fold(0.0, f64::max)
        });
    });
    let mut values = HeightValues::new(
        TemplateTarget::new(Arc::clone(&matcher), Completion::OneMissing),
        0.0,
    );
    criterion.bench_function("match/incremental", |bencher| {
        bencher.iter(|| {
            let board = black_box(&board);
            let contacts = Contacts::of(board);
            let known = values.get(board.heights()).iter();
            let alive = known.filter(|value| matcher.agrees(usize::from(value.number), board));
            let found = alive.map(|value| {
                let number = usize::from(value.number);
                value.value - matcher.value(number, matcher.border_penalty(number, &contacts))
            });
            found.fold(0.0, f64::max)
        });
    });
    let view = View {
        board: &board,
        pieces: &pieces[12..15],
        turn: 12,
        colours: 4,
        above_top: AboveTop::Illegal,
    };
    let mut potential = Potential::new(SIZE, PotentialRules::default());
    let beam = BeamSize {
        width: 36,
        depth: 6,
        continuations: 4,
    };
    let mut beam = Beam::new(SIZE, beam, 1);
    let mut policies: [(&str, &mut dyn Policy); 3] = [
        ("move/template", &mut policy),
        ("move/potential", &mut potential),
        ("move/beam", &mut beam),
    ];
    for (name, policy) in &mut policies {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| policy.choose(black_box(&view), &mut PolicyWork::default()));
        });
    }
}

criterion_group!(benches, matching);
criterion_main!(benches);
