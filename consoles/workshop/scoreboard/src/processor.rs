//! The processors of the consoles, read from `processors.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::InstructionFamily;
use crate::branch::PredictorKind;
use crate::scoreboard::{Blocks, ByClass, Issue, Pipeline};

/// A processor of a console.
#[derive(Debug)]
pub struct Processor {
    /// Its name in files.
    pub name: String,
    /// Its instruction set.
    pub family: InstructionFamily,
    /// The pipelines: best pairing; as modelled; single issue or in order.
    pub pipelines: [Pipeline; 3],
    /// True if the modelled cycles of a run are (2 · best + last) / 3. No pipeline between the two is known well
    /// enough.
    pub between: bool,
    /// Its branch predictor; `None` if branches are not predicted.
    pub predictor: Option<PredictorKind>,
}

/// A processor of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    name: String,
    family: InstructionFamily,
    #[serde(rename = "source")]
    _source: String,
    base: Changes,
    #[serde(default)]
    low: Changes,
    #[serde(default)]
    modelled: Changes,
    #[serde(default)]
    high: Changes,
    #[serde(default)]
    between: bool,
    predictor: Option<PredictorKind>,
}

/// The fields in which a pipeline differs from its base.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Changes {
    width: Option<usize>,
    alus: Option<u8>,
    memory_ports: Option<u8>,
    issue: Option<Issue>,
    latency: Option<ByClass>,
    busy: Option<ByClass>,
    blocks: Option<Blocks>,
}

impl Changes {
    fn to(&self, before: Pipeline) -> Pipeline {
        Pipeline {
            width: self.width.unwrap_or(before.width),
            alus: self.alus.unwrap_or(before.alus),
            memory_ports: self.memory_ports.unwrap_or(before.memory_ports),
            issue: self.issue.unwrap_or(before.issue),
            latency: self.latency.unwrap_or(before.latency),
            busy: self.busy.unwrap_or(before.busy),
            blocks: self.blocks.unwrap_or(before.blocks),
        }
    }
}

/// One instruction a cycle in order.
const SCALAR: Pipeline = Pipeline {
    width: 1,
    alus: 1,
    memory_ports: 1,
    issue: Issue::InOrder {
        aligned_pairs: false,
    },
    latency: [1; 12],
    busy: [1; 12],
    blocks: Blocks::Nothing,
};

impl From<Described> for Processor {
    fn from(described: Described) -> Self {
        let base = described.base.to(SCALAR);
        let changes = [&described.low, &described.modelled, &described.high];
        Self {
            pipelines: changes.map(|changes| changes.to(base)),
            name: described.name,
            family: described.family,
            between: described.between,
            predictor: described.predictor,
        }
    }
}

/// Every processor.
pub static PROCESSORS: LazyLock<Vec<Processor>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct All {
        processors: Vec<Described>,
    }
    let all: All = toml::from_str(include_str!("../processors.toml")).expect("a good table");
    all.processors.into_iter().map(Processor::from).collect()
});

/// The processor called `name`.
pub fn processor(name: &str) -> Option<&'static Processor> {
    PROCESSORS.iter().find(|known| known.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoreboard::PARTS;

    /// Cycles of a loop of words on a processor: best, modelled, last.
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
        let blocks: [(InstructionFamily, &[u32]); 4] = [
            (
                InstructionFamily::Mips,
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
                InstructionFamily::Arm,
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
                InstructionFamily::PowerPc,
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
                InstructionFamily::A64,
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
        for known in PROCESSORS.iter() {
            for (_, words) in blocks.iter().filter(|(family, _)| *family == known.family) {
                for length in 1..=words.len() {
                    let [low, mid, high] = cycles(&known.name, &words[..length]);
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

    /// Loops of `loops.c` as GCC compiles them, with the cycles of GCC's schedule.
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
