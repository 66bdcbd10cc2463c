//! Decodes instruction words, one file per family. A word that no rule covers is one arithmetic instruction.

mod a64;
mod arm;
mod mips;
mod powerpc;

use serde::Deserialize;

use crate::operation::{Instruction, InstructionClass};

/// A family of instruction sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstructionFamily {
    /// MIPS I to III, and the later instructions that compilers emit.
    Mips,
    /// ARM's 32-bit instructions up to version 6.
    Arm,
    /// PowerPC, 32 and 64 bits.
    PowerPc,
    /// AArch64.
    A64,
}

impl InstructionFamily {
    /// The family of QEMU's target of this name, and true if its words are big-endian.
    pub fn of_emulator(target: &str) -> Option<(Self, bool)> {
        Some(match target {
            "mipsel" | "mips64el" => (Self::Mips, false),
            "mips" | "mips64" => (Self::Mips, true),
            "arm" => (Self::Arm, false),
            "ppc" | "ppc64" => (Self::PowerPc, true),
            "aarch64" => (Self::A64, false),
            _ => return None,
        })
    }

    /// The instruction word of an instruction's bytes; `None` for another length (Thumb).
    pub fn word(bytes: &[u8], big_endian: bool) -> Option<u32> {
        let bytes: [u8; 4] = bytes.try_into().ok()?;
        Some(match big_endian {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        })
    }

    /// Decodes an instruction word.
    pub fn decode(self, word: u32) -> Instruction {
        match self {
            Self::Mips => mips::decode(word),
            Self::Arm => arm::decode(word),
            Self::PowerPc => powerpc::decode(word),
            Self::A64 => a64::decode(word),
        }
    }
}

/// The bits `low..low + count` of a word.
fn field(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

fn bit(word: u32, place: u32) -> bool {
    field(word, place, 1) == 1
}

/// Arithmetic, or a shift.
fn alu_or_shift(shifts: bool) -> Instruction {
    Instruction::new(if shifts {
        InstructionClass::Shift
    } else {
        InstructionClass::Alu
    })
}
