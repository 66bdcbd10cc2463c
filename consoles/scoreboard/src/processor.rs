//! The processors. Each has three pipelines: the best that can be argued for, the one that is modelled, and single issue
//! or program order.
//!
//! Latencies are from the processors' manuals as far as they are known in the field (K), from GCC's descriptions of
//! pipelines (G), or judgement (E); the comment at each processor says which. Columns of the tables: arithmetic, shift,
//! load, narrow load, store, multiply, long multiply, divide, long divide, branch, jump, float.

use crate::Family;
use crate::branch::Kind;
use crate::scoreboard::{Blocks, Issue, Pipeline};

/// A processor of a console.
#[derive(Debug)]
pub struct Processor {
    /// Its word in files.
    pub name: &'static str,
    /// Its instructions.
    pub family: Family,
    /// Best pairing, as modelled, single issue or in order.
    pub pipelines: [Pipeline; 3],
    /// Whether the modelled cycles of a run are two parts of the best pipeline's and one of the last one's, because the
    /// truth lies between them and no pipeline in between is known well enough.
    pub between: bool,
    /// Its branch predictor; `None` where branches are not predicted.
    pub predictor: Option<Kind>,
}

/// Every processor.
pub const PROCESSORS: &[Processor] = &[
    R3000, VR4300, R5900, ALLEGREX, ARM7, ARM946, ARM11, PPC750, CELL, A57,
];

/// The processor called `name`.
pub fn processor(name: &str) -> Option<&'static Processor> {
    PROCESSORS.iter().find(|known| known.name == name)
}

const IN_ORDER: Issue = Issue::InOrder {
    aligned_pairs: false,
};

/// One instruction a cycle in order, results after one cycle, loads after two.
const SCALAR: Pipeline = Pipeline {
    width: 1,
    alus: 1,
    memory_ports: 1,
    issue: IN_ORDER,
    latency: [1, 1, 2, 2, 1, 4, 4, 20, 20, 1, 1, 2],
    busy: [1, 1, 1, 1, 1, 1, 1, 20, 20, 1, 1, 1],
    blocks: Blocks::Nothing,
};

/// K: the multiplier runs beside the pipeline for 6, 9 or 13 cycles as the factor is small or large, the divider for 36.
/// G: 12 and 35, which are the middle. No floating-point unit.
const R3000: Processor = {
    const MODELLED: Pipeline = Pipeline {
        latency: [1, 1, 2, 2, 1, 12, 12, 35, 35, 1, 1, 2],
        busy: [1, 1, 1, 1, 1, 12, 12, 35, 35, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "r3000",
        family: Family::Mips,
        pipelines: [
            Pipeline {
                latency: [1, 1, 2, 2, 1, 6, 6, 35, 35, 1, 1, 2],
                busy: [1, 1, 1, 1, 1, 6, 6, 35, 35, 1, 1, 1],
                ..SCALAR
            },
            MODELLED,
            Pipeline {
                latency: [1, 1, 2, 2, 1, 13, 13, 36, 36, 1, 1, 2],
                busy: [1, 1, 1, 1, 1, 13, 13, 36, 36, 1, 1, 1],
                ..SCALAR
            },
        ],
        between: false,
        predictor: None,
    }
};

/// K: multiplications take 5 cycles, of double words 8, divisions 37 and 69, and the pipeline waits for them. Low: it does
/// not. High: a store keeps the data cache for a second cycle.
const VR4300: Processor = {
    const MODELLED: Pipeline = Pipeline {
        latency: [1, 1, 2, 2, 1, 5, 8, 37, 69, 1, 1, 3],
        busy: [1, 1, 1, 1, 1, 5, 8, 37, 69, 1, 1, 1],
        blocks: Blocks::Multiplications,
        ..SCALAR
    };
    Processor {
        name: "vr4300",
        family: Family::Mips,
        pipelines: [
            Pipeline {
                blocks: Blocks::Nothing,
                ..MODELLED
            },
            MODELLED,
            Pipeline {
                busy: [1, 1, 1, 1, 2, 5, 8, 37, 69, 1, 1, 1],
                ..MODELLED
            },
        ],
        between: false,
        predictor: None,
    }
};

/// K: two instructions a cycle in order, one of them to memory; multiplications 4, divisions 37; a table of 64 branches.
/// E: double-word products, which the real processor lacks, take 8. Low: any two instructions that the units allow.
/// Modelled: only the two of one fetched pair of words. High: one.
const R5900: Processor = {
    const ANY_TWO: Pipeline = Pipeline {
        width: 2,
        alus: 2,
        latency: [1, 1, 2, 2, 1, 4, 8, 37, 69, 1, 1, 4],
        busy: [1, 1, 1, 1, 1, 2, 4, 37, 69, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "r5900",
        family: Family::Mips,
        pipelines: [
            ANY_TWO,
            Pipeline {
                issue: Issue::InOrder {
                    aligned_pairs: true,
                },
                ..ANY_TWO
            },
            Pipeline {
                width: 1,
                alus: 1,
                ..ANY_TWO
            },
        ],
        between: false,
        predictor: Some(Kind::Bimodal { entries: 64 }),
    }
};

/// E, from the processors of the R4000 family: products after 5 cycles, divisions after 36. Low: the multiplier takes a
/// product every cycle. High: loads are ready one cycle later and the pipeline waits for products.
const ALLEGREX: Processor = {
    const MODELLED: Pipeline = Pipeline {
        latency: [1, 1, 2, 2, 1, 5, 5, 36, 36, 1, 1, 4],
        busy: [1, 1, 1, 1, 1, 2, 2, 36, 36, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "allegrex",
        family: Family::Mips,
        pipelines: [
            Pipeline {
                busy: [1, 1, 1, 1, 1, 1, 1, 36, 36, 1, 1, 1],
                ..MODELLED
            },
            MODELLED,
            Pipeline {
                latency: [1, 1, 3, 3, 1, 5, 5, 36, 36, 1, 1, 4],
                blocks: Blocks::Multiplications,
                ..MODELLED
            },
        ],
        between: false,
        predictor: None,
    }
};

/// K: three stages; a load takes 3 cycles, a store 2, a product 2 to 5 as the factor has one to four bytes, long ones one
/// more, and nothing goes on meanwhile.
const ARM7: Processor = {
    const fn with_products(short: u8, long: u8) -> Pipeline {
        let cycles = [1, 1, 3, 3, 2, short, long, 1, 1, 1, 1, 2];
        Pipeline {
            latency: cycles,
            busy: cycles,
            blocks: Blocks::MultiplicationsAndMemory,
            ..SCALAR
        }
    }
    Processor {
        name: "arm7",
        family: Family::Arm,
        pipelines: [
            with_products(2, 3),
            with_products(3, 4),
            with_products(5, 6),
        ],
        between: false,
        predictor: None,
    }
};

/// K, G (ARM926): loads after 2 cycles, narrow ones after 3; products take 2 cycles, long ones 3. Low: narrow loads are as
/// fast. High: results of products one cycle later, all loads after 3.
const ARM946: Processor = {
    const MODELLED: Pipeline = Pipeline {
        latency: [1, 1, 2, 3, 1, 2, 3, 20, 20, 1, 1, 2],
        busy: [1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "arm946",
        family: Family::Arm,
        pipelines: [
            Pipeline {
                latency: [1, 1, 2, 2, 1, 2, 3, 20, 20, 1, 1, 2],
                ..MODELLED
            },
            MODELLED,
            Pipeline {
                latency: [1, 1, 3, 3, 1, 3, 4, 20, 20, 1, 1, 2],
                ..MODELLED
            },
        ],
        between: false,
        predictor: None,
    }
};

/// K, G (ARM1136): loads after 3 cycles, products after 4, long ones after 5; a table of 128 branches. Low: loads that
/// leave the cache early. High: a shifted operand is needed one cycle earlier.
const ARM11: Processor = {
    const MODELLED: Pipeline = Pipeline {
        latency: [1, 1, 3, 3, 1, 4, 5, 20, 20, 1, 1, 4],
        busy: [1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "arm11",
        family: Family::Arm,
        pipelines: [
            Pipeline {
                latency: [1, 1, 2, 3, 1, 4, 5, 20, 20, 1, 1, 4],
                ..MODELLED
            },
            MODELLED,
            Pipeline {
                latency: [1, 2, 3, 3, 1, 4, 5, 20, 20, 1, 1, 4],
                ..MODELLED
            },
        ],
        between: false,
        predictor: Some(Kind::Bimodal { entries: 128 }),
    }
};

/// K, G (750): two instructions dispatched beside a folded branch, a completion queue of 6, one place before each unit;
/// loads after 2, products after 4, divisions after 19; 512 branch counters. Low: places as the queue has. High: in order.
const PPC750: Processor = {
    const LOW: Pipeline = Pipeline {
        width: 2,
        alus: 2,
        issue: Issue::Window {
            size: 6,
            stations: 0,
            folds_branches: true,
        },
        latency: [1, 1, 2, 2, 1, 4, 5, 19, 19, 1, 1, 3],
        busy: [1, 1, 1, 1, 1, 3, 4, 19, 19, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "750",
        family: Family::PowerPc,
        pipelines: [
            LOW,
            Pipeline {
                issue: Issue::Window {
                    size: 6,
                    stations: 1,
                    folds_branches: true,
                },
                ..LOW
            },
            Pipeline {
                issue: IN_ORDER,
                ..LOW
            },
        ],
        between: false,
        predictor: Some(Kind::Bimodal { entries: 512 }),
    }
};

/// The PowerPC cores of Xbox 360 and PlayStation 3. G (Cell): two instructions in order, results after 2 cycles, products
/// after 9, of double words 15, divisions 32 and 64; K: loads after 5; 4096 branch counters. Low: loads after 2 as
/// announced. High: one instruction a cycle.
const CELL: Processor = {
    const MODELLED: Pipeline = Pipeline {
        width: 2,
        alus: 1,
        latency: [2, 2, 5, 5, 1, 9, 15, 32, 64, 1, 1, 10],
        busy: [1, 1, 1, 1, 1, 9, 15, 32, 64, 1, 1, 1],
        ..SCALAR
    };
    Processor {
        name: "cell",
        family: Family::PowerPc,
        pipelines: [
            Pipeline {
                latency: [2, 2, 2, 2, 1, 6, 6, 32, 64, 1, 1, 10],
                busy: [1, 1, 1, 1, 1, 6, 6, 32, 64, 1, 1, 1],
                ..MODELLED
            },
            MODELLED,
            Pipeline {
                width: 1,
                ..MODELLED
            },
        ],
        between: false,
        predictor: Some(Kind::Global { entries: 4096 }),
    }
};

/// K: three instructions dispatched, a window of 128; loads after 4, shifted operands after 2, products after 3, long ones
/// after 5; ports for one load and one store. High: in order. E: the
/// window overlaps everything and sees no bubble between blocks, so that the truth is between the two ends; eight places before each
/// unit hardly change the best.
const A57: Processor = {
    const LOW: Pipeline = Pipeline {
        width: 3,
        alus: 2,
        memory_ports: 2,
        issue: Issue::Window {
            size: 128,
            stations: 0,
            folds_branches: false,
        },
        latency: [1, 2, 4, 4, 1, 3, 5, 12, 20, 1, 1, 4],
        busy: [1, 1, 1, 1, 1, 1, 3, 12, 20, 1, 1, 1],
        blocks: Blocks::Nothing,
    };
    Processor {
        name: "a57",
        family: Family::A64,
        pipelines: [
            LOW,
            Pipeline {
                issue: Issue::Window {
                    size: 128,
                    stations: 8,
                    folds_branches: false,
                },
                ..LOW
            },
            Pipeline {
                issue: IN_ORDER,
                ..LOW
            },
        ],
        between: true,
        predictor: Some(Kind::Global { entries: 4096 }),
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoreboard::PARTS;

    /// Cycles of a loop of words on a processor: best, modelled, worst.
    fn cycles(name: &str, words: &[u32]) -> [f64; 3] {
        let known = processor(name).expect("a processor");
        let block: Vec<_> = words
            .iter()
            .map(|word| known.family.decode(*word))
            .collect();
        let cycles = |pipeline: &Pipeline| pipeline.cycles(0x1000, &block) as f64 / PARTS as f64;
        known.pipelines.each_ref().map(cycles)
    }

    #[test]
    fn the_best_pipeline_is_never_slower_and_the_last_never_faster() {
        // Dependent loads, products, shifts and a branch in every family.
        let blocks: [(Family, &[u32]); 4] = [
            (
                Family::Mips,
                &[
                    0x8fa4_0004,
                    0x2482_0001,
                    0x0044_0018,
                    0x0000_1012,
                    0xafa2_0004,
                    0x1440_fffa,
                    0x0000_0000,
                ],
            ),
            (
                Family::Arm,
                &[
                    0xe590_1000,
                    0xe081_0191,
                    0xe002_0190,
                    0xe5d1_3000,
                    0xe583_2000,
                    0x1aff_fff9,
                ],
            ),
            (
                Family::PowerPc,
                &[
                    0x8064_0008,
                    0x7c63_29d6,
                    0x5463_103a,
                    0x9064_0008,
                    0x3884_0004,
                    0x4200_ffec,
                ],
            ),
            (
                Family::A64,
                &[
                    0xf940_0420,
                    0x9b02_7c00,
                    0x8b02_0c21,
                    0xf900_0420,
                    0x7100_043f,
                    0x54ff_ff61,
                ],
            ),
        ];
        for known in PROCESSORS {
            for (_, words) in blocks.iter().filter(|(family, _)| *family == known.family) {
                for length in 1..=words.len() {
                    let [low, mid, high] = cycles(known.name, &words[..length]);
                    assert!(
                        low <= mid && mid <= high,
                        "{} {length}: {low} {mid} {high}",
                        known.name
                    );
                }
            }
        }
    }

    #[test]
    fn loops_take_the_cycles_of_the_manuals() {
        // mult a0, a1; mflo v0; bnez v0; nop
        let product = [0x0085_0018, 0x0000_1012, 0x1440_fffd, 0x0000_0000];
        assert_eq!(cycles("r3000", &product), [9.0, 15.0, 16.0]);
        assert_eq!(cycles("vr4300", &product)[1], 8.0);
        // lw v0, 0(v0); nop; bnez v0; nop: a pointer is followed
        let chase = [0x8c42_0000, 0x0000_0000, 0x1440_fffd, 0x0000_0000];
        assert_eq!(cycles("r3000", &chase), [4.0; 3]);
        assert_eq!(cycles("r5900", &chase), [3.0, 3.0, 4.0]);
        // ldr r0, [r0]; cmp r0, #0; bne
        let chase = [0xe590_0000, 0xe350_0000, 0x1aff_fffc];
        assert_eq!(cycles("arm7", &chase), [5.0; 3]);
        assert_eq!(cycles("arm946", &chase), [4.0, 4.0, 5.0]);
        assert_eq!(cycles("arm11", &chase), [4.0, 5.0, 5.0]);
    }

    /// Loops of `loops.c` as GCC compiles them, with the cycles of its own schedule.
    #[test]
    fn compiled_loops_take_about_what_the_compiler_expects() {
        let memo_mips = [
            0x94c3_0000,
            0x0002_3880,
            0x0003_1880,
            0x006b_1821,
            0x0083_4821,
            0x9128_0000,
            0x00a7_3821,
            0x2d08_0001,
            0x24c6_0002,
            0xa12c_0000,
            0x0048_1021,
            0x1546_fff4,
            0xace3_0000,
        ];
        assert_eq!(cycles("r3000", &memo_mips)[1], 13.0, "GCC: 13");
        let bound_mips = [
            0x8c86_0000,
            0x8ca3_0000,
            0x0106_4023,
            0x0143_1821,
            0x0107_3021,
            0x0066_0018,
            0x2484_0004,
            0x24a5_0004,
            0x0000_1812,
            0x0163_182a,
            0x3863_0001,
            0x1524_fff4,
            0x0043_1021,
        ];
        assert_eq!(cycles("r3000", &bound_mips)[1], 22.0, "GCC: 22");
        let memo_arm = [
            0xe1f2_c0b2,
            0xe085_c10c,
            0xe7de_300c,
            0xe7ce_600c,
            0xe781_c100,
            0xe353_0000,
            0x0280_0001,
            0xe154_0002,
            0x1aff_fff6,
        ];
        assert_eq!(
            cycles("arm946", &memo_arm)[1],
            11.0,
            "GCC for the ARM926: 11"
        );
        let planes_powerpc = [
            0x8524_0004,
            0x8505_0004,
            0x80e6_0000,
            0x7d2a_4378,
            0x7d28_4038,
            0x7d4a_3838,
            0x84e6_0004,
            0x5549_083c,
            0x554a_f87e,
            0x7d29_5378,
            0x7d29_4378,
            0x7d29_3838,
            0x9523_0004,
            0x4200_ffcc,
        ];
        let [low, mid, high] = cycles("750", &planes_powerpc);
        assert!(
            low >= 8.0 && mid >= 9.0 && high <= 10.0,
            "GCC: 10; ours {low} {mid} {high}"
        );
        let sift_a64 = [
            0x531f_7804,
            0x2a00_03e8,
            0x1100_0885,
            0x1100_0480,
            0xb860_78c1,
            0x1100_04e7,
            0x1100_0484,
            0xb865_78c0,
            0x6b00_003f,
            0x1a80_9021,
            0x1a84_9480,
            0x6b07_007f,
            0xb828_58c1,
            0x54ff_fe61,
        ];
        let [low, mid, high] = cycles("a57", &sift_a64);
        assert!(
            low <= mid && mid <= high && (11.0..=13.0).contains(&high),
            "GCC in order: 12; ours {low} {mid} {high}"
        );
    }
}
