//! AArch64. Register 31 is the stack pointer in addresses and the constant zero elsewhere.

use super::{alu_or_shift, bit, field};
use crate::operation::{FLAGS, Instruction, InstructionClass};

const LINK_REGISTER: u32 = 30;
/// Number 31 in a place where it is the constant zero.
const ZERO: u64 = 1 << 31;

pub(super) fn decode(word: u32) -> Instruction {
    match field(word, 25, 4) {
        8 | 9 => immediate(word),
        10 | 11 => branch(word),
        4 | 6 | 12 | 14 => transfer(word),
        5 | 13 => without_zero(registers(word)),
        7 | 15 => Instruction::new(InstructionClass::Float),
        _ => Instruction::new(InstructionClass::Alu),
    }
}

fn without_zero(mut operation: Instruction) -> Instruction {
    operation.reads &= !ZERO;
    operation.writes &= !ZERO;
    operation
}

fn immediate(word: u32) -> Instruction {
    let (rd, rn) = (field(word, 0, 5), field(word, 5, 5));
    let operation = |class| Instruction::new(class).reads(&[rn]).writes(&[rd]);
    match field(word, 23, 3) {
        // An address relative to the program counter.
        0 | 1 => Instruction::new(InstructionClass::Alu).writes(&[rd]),
        2 | 3 if bit(word, 29) => {
            // Comparisons write register 31, which is then the zero.
            let flags = operation(InstructionClass::Alu).writes(&[FLAGS]);
            Instruction {
                writes: flags.writes & !ZERO,
                ..flags
            }
        }
        2 | 3 => operation(InstructionClass::Alu),
        4 if field(word, 29, 2) == 3 => {
            without_zero(operation(InstructionClass::Alu).writes(&[FLAGS]))
        }
        4 => Instruction {
            reads: operation(InstructionClass::Alu).reads & !ZERO,
            ..operation(InstructionClass::Alu)
        },
        // movk keeps the other parts of its target.
        5 if field(word, 29, 2) == 3 => Instruction::new(InstructionClass::Alu)
            .reads(&[rd])
            .writes(&[rd]),
        5 => Instruction::new(InstructionClass::Alu).writes(&[rd]),
        // bfm inserts into its target.
        6 if field(word, 29, 2) == 1 => {
            without_zero(operation(InstructionClass::Shift).reads(&[rd]))
        }
        6 => without_zero(operation(InstructionClass::Alu)),
        _ => without_zero(operation(InstructionClass::Shift).reads(&[field(word, 16, 5)])),
    }
}

fn branch(word: u32) -> Instruction {
    let (rd, rn) = (field(word, 0, 5), field(word, 5, 5));
    if field(word, 26, 5) == 5 {
        let jump = Instruction::transfer(false);
        return if bit(word, 31) {
            jump.writes(&[LINK_REGISTER])
        } else {
            jump
        };
    }
    if field(word, 24, 8) == 0x54 {
        return Instruction::transfer(true).reads(&[FLAGS]);
    }
    match field(word, 25, 6) {
        // cbz and tbz.
        0x1a | 0x1b => without_zero(Instruction::transfer(true).reads(&[rd])),
        0x2b if field(word, 31, 1) == 1 => {
            let jump = Instruction::transfer(false).reads(&[rn]);
            if field(word, 21, 2) == 1 {
                jump.writes(&[LINK_REGISTER])
            } else {
                jump
            }
        }
        _ => Instruction::new(InstructionClass::Alu),
    }
}

fn transfer(word: u32) -> Instruction {
    let (rt, rn, rt2, rm) = (
        field(word, 0, 5),
        field(word, 5, 5),
        field(word, 10, 5),
        field(word, 16, 5),
    );
    let float = bit(word, 26);
    let group = field(word, 27, 3);
    let data: &[u32] = match (float, group) {
        (true, _) => &[],
        (false, 5) => &[rt, rt2],
        (false, _) => &[rt],
    };
    let size = field(word, 30, 2);
    let address = |operation: Instruction, writes_back| {
        let operation = without_zero(operation).reads(&[rn]);
        if writes_back {
            operation.updates(rn)
        } else {
            operation
        }
    };
    let load = |narrow| {
        Instruction::new(if narrow {
            InstructionClass::NarrowLoad
        } else {
            InstructionClass::Load
        })
        .writes(data)
    };
    let store = Instruction::new(InstructionClass::Store).reads(data);
    match group {
        // Exclusive and ordered accesses; the status register of a conditional store.
        1 => match bit(word, 22) {
            true => address(load(size < 2), false),
            false => address(store.writes(&[rm]), false),
        },
        3 => without_zero(load(false)),
        5 => {
            let pair = if bit(word, 22) { load(false) } else { store };
            address(pair, bit(word, 23))
        }
        7 => {
            let loads = if float {
                bit(word, 22)
            } else {
                field(word, 22, 2) != 0
            };
            let narrow = !float && (size < 2 || field(word, 22, 2) > 1);
            let single = if loads { load(narrow) } else { store };
            let unscaled = !bit(word, 24);
            match (unscaled, bit(word, 21)) {
                (true, true) => address(single.reads(&[rm]), false),
                (true, false) => address(single, bit(word, 10)),
                (false, _) => address(single, false),
            }
        }
        _ => Instruction::new(InstructionClass::Load),
    }
}

fn registers(word: u32) -> Instruction {
    let (rd, rn, ra, rm) = (
        field(word, 0, 5),
        field(word, 5, 5),
        field(word, 10, 5),
        field(word, 16, 5),
    );
    let operation = |class| Instruction::new(class).reads(&[rn, rm]).writes(&[rd]);
    let flags = |operation: Instruction, sets: bool| {
        if sets {
            operation.writes(&[FLAGS])
        } else {
            operation
        }
    };
    match (field(word, 28, 1), field(word, 24, 4)) {
        // Logic and addition on a register that may be shifted or extended.
        (0, _) => {
            let logic = field(word, 24, 4) == 10;
            let extended = !logic && bit(word, 21);
            let shifted = field(word, 10, 6) != 0 || extended;
            let sets = if logic {
                field(word, 29, 2) == 3
            } else {
                bit(word, 29)
            };
            flags(alu_or_shift(shifted).reads(&[rn, rm]).writes(&[rd]), sets)
        }
        (1, 11) => {
            let class = if bit(word, 31) {
                InstructionClass::LongMultiply
            } else {
                InstructionClass::Multiply
            };
            operation(class).reads(&[ra])
        }
        (1, 10) => match field(word, 21, 3) {
            // With carry; conditional comparison; conditional selection.
            0 => flags(
                operation(InstructionClass::Alu).reads(&[FLAGS]),
                bit(word, 29),
            ),
            2 => {
                let compared: &[u32] = if bit(word, 11) { &[rn] } else { &[rn, rm] };
                Instruction::new(InstructionClass::Alu)
                    .reads(compared)
                    .reads(&[FLAGS])
                    .writes(&[FLAGS])
            }
            4 => operation(InstructionClass::Alu).reads(&[FLAGS]),
            // One source: leading zeros and reversal.
            6 if bit(word, 30) => Instruction::new(InstructionClass::Alu)
                .reads(&[rn])
                .writes(&[rd]),
            6 => match (field(word, 11, 5), bit(word, 31)) {
                (1, false) => operation(InstructionClass::Divide),
                (1, true) => operation(InstructionClass::LongDivide),
                _ => operation(InstructionClass::Alu),
            },
            _ => operation(InstructionClass::Alu),
        },
        _ => operation(InstructionClass::Alu),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Flow;

    #[test]
    fn words_have_their_classes_and_registers() {
        // add x0, x1, x2; add x0, x1, x2, lsl #3; subs wzr, w1, #1 (cmp); mul x0, x1, x2; udiv w0, w1, w2; lsr w0, w1, #4
        let add = decode(0x8b02_0020);
        assert_eq!(
            (add.class, add.reads, add.writes),
            (InstructionClass::Alu, 0b110, 1)
        );
        assert_eq!(decode(0x8b02_0c20).class, InstructionClass::Shift);
        let compare = decode(0x7100_043f);
        assert_eq!((compare.reads, compare.writes), (0b10, 1 << FLAGS));
        let multiply = decode(0x9b02_7c20);
        assert_eq!(
            (multiply.class, multiply.reads),
            (InstructionClass::LongMultiply, 0b110)
        );
        assert_eq!(decode(0x1ac2_0820).class, InstructionClass::Divide);
        let shift = decode(0x5304_7c20);
        assert_eq!(
            (shift.class, shift.reads, shift.writes),
            (InstructionClass::Alu, 0b10, 1)
        );
        // csel x0, x1, x2, eq; mov x0, x1 (orr); movk x0, #1; mov x0, #1
        assert_eq!(decode(0x9a82_0020).reads, 0b110 | 1 << FLAGS);
        assert_eq!(decode(0xaa01_03e0).reads, 0b10);
        assert_eq!(
            (decode(0xf280_0020).reads, decode(0xd280_0020).reads),
            (1, 0)
        );
    }

    #[test]
    fn loads_and_stores_know_their_address_and_data() {
        // ldr x0, [x1, #8]; ldr x0, [x1, x2]; ldrb w0, [x1]; str x0, [sp, #-16]!; ldp x0, x3, [x1]; stp x29, x30, [sp, #-32]!
        let load = decode(0xf940_0420);
        assert_eq!(
            (load.class, load.reads, load.writes),
            (InstructionClass::Load, 0b10, 1)
        );
        assert_eq!(decode(0xf862_6820).reads, 0b110);
        assert_eq!(decode(0x3940_0020).class, InstructionClass::NarrowLoad);
        let store = decode(0xf81f_0fe0);
        assert_eq!(
            (store.class, store.reads, store.updates),
            (InstructionClass::Store, 1 | 1 << 31, 1 << 31)
        );
        let pair = decode(0xa940_0c20);
        assert_eq!(
            (pair.class, pair.reads, pair.writes),
            (InstructionClass::Load, 0b10, 0b1001)
        );
        let push = decode(0xa9be_7bfd);
        assert_eq!(
            (push.class, push.updates),
            (InstructionClass::Store, 1 << 31)
        );
    }

    #[test]
    fn branches_and_jumps_are_told_apart() {
        // b; bl; b.eq; cbz x0; tbnz w0; ret; br x1; blr x1; nop
        let flows = [
            (0x1400_0001, Flow::Jump),
            (0x9400_0001, Flow::Jump),
            (0x5400_0040, Flow::Branch),
            (0xb400_0040, Flow::Branch),
            (0x3700_0040, Flow::Branch),
            (0xd65f_03c0, Flow::Jump),
            (0xd61f_0020, Flow::Jump),
            (0xd63f_0020, Flow::Jump),
            (0xd503_201f, Flow::Next),
        ];
        for (word, flow) in flows {
            assert_eq!(decode(word).flow, flow, "{word:08x}");
        }
    }
}
