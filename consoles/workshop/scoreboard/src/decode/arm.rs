//! ARM's 32-bit instructions, versions 4 to 6.

use super::{alu_or_shift, bit, field};
use crate::operation::{FLAGS, Instruction, InstructionClass};

const LINK_REGISTER: u32 = 14;
const PROGRAM_COUNTER: u32 = 15;
/// Bits 4 and 7, which distinguish multiplications and the short loads and stores from arithmetic.
const EXTRA: u32 = 0x90;

pub(super) fn decode(word: u32) -> Instruction {
    let condition = field(word, 28, 4);
    let conditional = condition < 14;
    let mut operation = match field(word, 25, 3) {
        _ if condition == 15 => unconditional(word),
        0 if word & EXTRA == EXTRA => extra(word),
        0 if word & 0x0fff_ffd0 == 0x012f_ff10 => branch_exchange(word, conditional),
        0 | 1 => arithmetic(word),
        3 if bit(word, 4) => media(word),
        2 | 3 => single_transfer(word),
        4 => multiple_transfer(word),
        5 => {
            let branch = Instruction::transfer(conditional);
            if bit(word, 24) {
                branch.writes(&[LINK_REGISTER])
            } else {
                branch
            }
        }
        _ => Instruction::new(InstructionClass::Float),
    };
    if conditional {
        operation = operation.reads(&[FLAGS]);
    }
    if operation.writes >> PROGRAM_COUNTER & 1 == 1 && !operation.class.is_branch() {
        let transfer = Instruction::transfer(conditional);
        operation.flow = transfer.flow;
        if !operation.class.is_memory() {
            operation.class = transfer.class;
        }
    }
    operation
}

/// `blx` with an offset, preloads and barriers.
fn unconditional(word: u32) -> Instruction {
    match field(word, 25, 3) {
        5 => Instruction::transfer(false).writes(&[LINK_REGISTER]),
        _ => Instruction::new(InstructionClass::Alu),
    }
}

fn branch_exchange(word: u32, conditional: bool) -> Instruction {
    let branch = Instruction::transfer(conditional).reads(&[field(word, 0, 4)]);
    if bit(word, 5) {
        branch.writes(&[LINK_REGISTER])
    } else {
        branch
    }
}

fn arithmetic(word: u32) -> Instruction {
    let (rn, rd, rs, rm) = (
        field(word, 16, 4),
        field(word, 12, 4),
        field(word, 8, 4),
        field(word, 0, 4),
    );
    // Count of leading zeros, and saturating additions.
    if word & 0x0f90_0090 == 0x0100_0010 && field(word, 4, 4) != 0 && !bit(word, 20) {
        return Instruction::new(InstructionClass::Alu)
            .reads(&[rm, rn])
            .writes(&[rd]);
    }
    let code = field(word, 21, 4);
    let by_register = !bit(word, 25) && bit(word, 4);
    let shifted = !bit(word, 25) && field(word, 4, 8) != 0;
    let mut operation = alu_or_shift(shifted);
    operation.shifts_by_register = by_register;
    let moves = code == 13 || code == 15;
    let compares = (8..12).contains(&code);
    if !moves {
        operation = operation.reads(&[rn]);
    }
    if !bit(word, 25) {
        operation = operation.reads(&[rm]);
    }
    if by_register {
        operation = operation.reads(&[rs]);
    }
    // Additions with carry.
    if (5..8).contains(&code) {
        operation = operation.reads(&[FLAGS]);
    }
    if !compares {
        operation = operation.writes(&[rd]);
    } else if !bit(word, 20) {
        // Moves from and to the status register, and movw, movt.
        return Instruction::new(InstructionClass::Alu).writes(&[rd]);
    }
    if bit(word, 20) {
        operation.writes(&[FLAGS])
    } else {
        operation
    }
}

/// Multiplications, swaps, exclusive accesses, half words and double words.
fn extra(word: u32) -> Instruction {
    let (rn, rd, rs, rm) = (
        field(word, 16, 4),
        field(word, 12, 4),
        field(word, 8, 4),
        field(word, 0, 4),
    );
    let loads = bit(word, 20);
    let operation = match (field(word, 5, 2), bit(word, 24)) {
        (0, true) if loads => Instruction::new(InstructionClass::Load)
            .reads(&[rn])
            .writes(&[rd]),
        // Swap and store-exclusive write a register too.
        (0, true) => Instruction::new(InstructionClass::Store)
            .reads(&[rn, rm])
            .writes(&[rd]),
        (0, false) => return multiply(word, [rn, rd, rs, rm]),
        _ if loads => Instruction::new(InstructionClass::NarrowLoad)
            .reads(&[rn])
            .writes(&[rd]),
        (2, _) => {
            let double = Instruction::new(InstructionClass::Load)
                .reads(&[rn])
                .writes(&[rd, (rd + 1) & 15]);
            Instruction {
                more_transfers: 1,
                ..double
            }
        }
        (3, _) => {
            let double = Instruction::new(InstructionClass::Store).reads(&[rn, rd, (rd + 1) & 15]);
            Instruction {
                more_transfers: 1,
                ..double
            }
        }
        _ => Instruction::new(InstructionClass::Store).reads(&[rn, rd]),
    };
    if field(word, 5, 2) == 0 {
        return operation;
    }
    let operation = if bit(word, 22) {
        operation
    } else {
        operation.reads(&[rm])
    };
    base_written_back(word, operation)
}

fn multiply(word: u32, [rn, rd, rs, rm]: [u32; 4]) -> Instruction {
    let (long, adds) = (bit(word, 23), bit(word, 21));
    let class = if long {
        InstructionClass::LongMultiply
    } else {
        InstructionClass::Multiply
    };
    let mut operation = Instruction::new(class).reads(&[rm, rs]).writes(&[rn]);
    if long {
        operation = operation.writes(&[rd]);
    }
    if adds {
        operation = operation.reads(&[rd, if long { rn } else { rd }]);
    }
    if bit(word, 20) {
        operation.writes(&[FLAGS])
    } else {
        operation
    }
}

fn single_transfer(word: u32) -> Instruction {
    let (rn, rd) = (field(word, 16, 4), field(word, 12, 4));
    let loads = match (bit(word, 20), bit(word, 22)) {
        (true, narrow) => {
            let class = if narrow {
                InstructionClass::NarrowLoad
            } else {
                InstructionClass::Load
            };
            Instruction::new(class).reads(&[rn]).writes(&[rd])
        }
        (false, _) => Instruction::new(InstructionClass::Store).reads(&[rn, rd]),
    };
    let operation = if bit(word, 25) {
        loads.reads(&[field(word, 0, 4)])
    } else {
        loads
    };
    base_written_back(word, operation)
}

fn base_written_back(word: u32, operation: Instruction) -> Instruction {
    match bit(word, 21) || !bit(word, 24) {
        true => operation.updates(field(word, 16, 4)),
        false => operation,
    }
}

fn multiple_transfer(word: u32) -> Instruction {
    let (rn, list) = (field(word, 16, 4), field(word, 0, 16));
    let mut operation = match bit(word, 20) {
        true => Instruction {
            writes: u64::from(list),
            ..Instruction::new(InstructionClass::Load)
        },
        false => Instruction {
            reads: u64::from(list),
            ..Instruction::new(InstructionClass::Store)
        },
    };
    operation.more_transfers = list.count_ones().saturating_sub(1) as u8;
    let operation = operation.reads(&[rn]);
    if bit(word, 21) {
        operation.updates(rn)
    } else {
        operation
    }
}

/// Extensions, packing and reversal of version 6.
fn media(word: u32) -> Instruction {
    let (rn, rd, rm) = (field(word, 16, 4), field(word, 12, 4), field(word, 0, 4));
    let operation = Instruction::new(InstructionClass::Alu)
        .reads(&[rm])
        .writes(&[rd]);
    if rn == PROGRAM_COUNTER {
        operation
    } else {
        operation.reads(&[rn])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Flow;

    const FLAG: u64 = 1 << FLAGS;

    #[test]
    fn words_have_their_classes_and_registers() {
        // add r0, r1, r2; adds r0, r1, r2, lsl #3; mov r0, r1, lsl r2; ldr r3, [r4, #4]!; ldrb r0, [r1, r2]
        let add = decode(0xe081_0002);
        assert_eq!(
            (add.class, add.reads, add.writes),
            (InstructionClass::Alu, 0b110, 1)
        );
        let shifted = decode(0xe091_0182);
        assert_eq!(
            (shifted.class, shifted.writes),
            (InstructionClass::Shift, 1 | FLAG)
        );
        let by_register = decode(0xe1a0_0211);
        assert!(by_register.shifts_by_register);
        assert_eq!((by_register.reads, by_register.writes), (0b110, 1));
        let load = decode(0xe5b4_3004);
        assert_eq!(
            (load.class, load.reads, load.writes),
            (InstructionClass::Load, 1 << 4, 1 << 3)
        );
        let byte = decode(0xe7d1_0002);
        assert_eq!(
            (byte.class, byte.reads, byte.writes),
            (InstructionClass::NarrowLoad, 0b110, 1)
        );
        // cmp r0, #1; adc r0, r1, r2; addeq r0, r0, #1; clz r0, r1
        assert_eq!(
            (decode(0xe350_0001).reads, decode(0xe350_0001).writes),
            (1, FLAG)
        );
        assert_eq!(decode(0xe0a1_0002).reads, 0b110 | FLAG);
        assert_eq!(decode(0x0280_0001).reads, 1 | FLAG);
        let leading = decode(0xe16f_0f11);
        assert_eq!((leading.class, leading.writes), (InstructionClass::Alu, 1));
    }

    #[test]
    fn multiplications_and_transfers_of_many_registers() {
        // mul r0, r1, r2; mla r0, r1, r2, r3; umull r0, r1, r2, r3; umlal r0, r1, r2, r3
        let multiply = decode(0xe000_0291);
        assert_eq!(
            (multiply.class, multiply.reads, multiply.writes),
            (InstructionClass::Multiply, 0b110, 1)
        );
        assert_eq!(decode(0xe020_3291).reads, 0b1110);
        let long = decode(0xe081_0392);
        assert_eq!(
            (long.class, long.reads, long.writes),
            (InstructionClass::LongMultiply, 0b1100, 0b11)
        );
        assert_eq!(decode(0xe0a1_0392).reads, 0b1111);
        // push {r4, r5, lr}; pop {r4, r5, pc}; ldrd r0, [r2]; strh r1, [r2]; ldrsb r0, [r1]
        let push = decode(0xe92d_4030);
        assert_eq!(
            (push.class, push.more_transfers, push.flow),
            (InstructionClass::Store, 2, Flow::Next)
        );
        let pop = decode(0xe8bd_8030);
        assert_eq!(
            (pop.class, pop.more_transfers, pop.flow),
            (InstructionClass::Load, 2, Flow::Jump)
        );
        let double = decode(0xe1c2_00d0);
        assert_eq!(
            (double.class, double.writes, double.more_transfers),
            (InstructionClass::Load, 0b11, 1)
        );
        assert_eq!(decode(0xe1c2_10b0).class, InstructionClass::Store);
        assert_eq!(decode(0xe1d1_00d0).class, InstructionClass::NarrowLoad);
    }

    #[test]
    fn branches_and_jumps_are_told_apart() {
        // b; bne; bl; bx lr; blx r3; mov pc, lr; ldr pc, [r0]; popne {pc}; svc 0
        let flows = [
            (0xea00_0000, Flow::Jump),
            (0x1a00_0000, Flow::Branch),
            (0xeb00_0000, Flow::Jump),
            (0xe12f_ff1e, Flow::Jump),
            (0xe12f_ff33, Flow::Jump),
            (0xe1a0_f00e, Flow::Jump),
            (0xe590_f000, Flow::Jump),
            (0x18bd_8000, Flow::Branch),
            (0xef00_0000, Flow::Next),
        ];
        for (word, flow) in flows {
            assert_eq!(decode(word).flow, flow, "{word:08x}");
        }
    }
}
