//! Compares all simulators on 10⁶ random fields and times them, interleaved in one process.
//!
//! `cargo run --release -p ikeru-chain --example simulators [FIELDS]`

use std::hint::black_box;
use std::time::Instant;

use ikeru_chain::{Board, Cell, PuyoColour, Size, simulate};
use ikeru_core::Random;

fn random_field(random: &mut Random) -> Board {
    let mut board = Board::empty(Size::THESIS);
    for column in 0..6 {
        for _ in 0..13 {
            let colour = PuyoColour::new(random.index(4)).expect("one of four");
            board.drop(column, Cell::Puyo(colour));
        }
    }
    board
}

fn main() {
    let mut random = Random::new("t", 1);
    let fields: Vec<Board> = (0..1024).map(|_| random_field(&mut random)).collect();
    let kernels = [
        simulate::flood::resolve as simulate::Kernel,
        simulate::bitboard::resolve,
        simulate::resolve,
    ];
    let mut best = [f64::MAX; 3];
    for _ in 0..40 {
        for (kernel, best) in kernels.iter().zip(&mut best) {
            let start = Instant::now();
            for field in &fields {
                let mut board = *field;
                black_box(kernel(&mut board));
            }
            *best = best.min(start.elapsed().as_secs_f64() / 1024.0 * 1e9);
        }
    }
    println!("{best:?}");
    for seed in 0..8 {
        let start = Instant::now();
        let field =
            ikeru_chain::generate::long_chain(&mut Random::new("l", seed), Size::THESIS, 19, 4);
        println!("{:?} {field:?}", start.elapsed());
        let Ok(field) = field else { continue };
        let mut best = [f64::MAX; 3];
        for _ in 0..40 {
            for (kernel, best) in kernels.iter().zip(&mut best) {
                let start = Instant::now();
                for _ in 0..1024 {
                    let mut board = black_box(field);
                    black_box(kernel(&mut board));
                }
                *best = best.min(start.elapsed().as_secs_f64() / 1024.0 * 1e9);
            }
        }
        println!("{best:?}");
    }
    for _ in 0..100 {
        let field = random_field(&mut random);
        let mut a = field;
        let ca = simulate::flood::resolve(&mut a);
        for k in &kernels[1..] {
            let mut b = field;
            let cb = k(&mut b);
            assert!(a == b && ca == cb && a.heights() == b.heights(), "{field}");
        }
    }
}
