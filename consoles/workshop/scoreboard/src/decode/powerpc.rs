//! PowerPC, 32 and 64 bits. The eight condition fields are one register here.

use super::{alu_or_shift, bit, field};
use crate::operation::{CARRY, COUNT, FLAGS, Instruction, InstructionClass, LINK};

pub(super) fn decode(word: u32) -> Instruction {
    Instruction {
        is_microcoded: is_microcoded(word),
        ..plainly(word)
    }
}

/// Returns whether the Cell runs the instruction from microcode, by GCC's `cell_micro` attributes: shifts by a
/// register, loads that extend the sign, and instructions that also set the condition.
fn is_microcoded(word: u32) -> bool {
    match field(word, 26, 6) {
        20 | 21 | 23 => bit(word, 0),
        31 => {
            let shifts = [24, 27, 536, 539, 792, 794];
            let extends = [341, 343, 373, 375];
            let code = field(word, 1, 10);
            bit(word, 0) || shifts.contains(&code) || extends.contains(&code)
        }
        42 | 43 => true,
        58 => field(word, 0, 2) == 2,
        _ => false,
    }
}

fn plainly(word: u32) -> Instruction {
    // The first field is the target in most forms; logic and shifts write the second.
    let (rd, ra) = (field(word, 21, 5), field(word, 16, 5));
    let simple = Instruction::new;
    match field(word, 26, 6) {
        7 => simple(InstructionClass::Multiply)
            .reads(&[ra])
            .writes(&[rd]),
        8 | 12 => simple(InstructionClass::Alu)
            .reads(&[ra])
            .writes(&[rd, CARRY]),
        13 => simple(InstructionClass::Alu)
            .reads(&[ra])
            .writes(&[rd, CARRY, FLAGS]),
        10 | 11 => simple(InstructionClass::Alu).reads(&[ra]).writes(&[FLAGS]),
        14 | 15 => based(simple(InstructionClass::Alu), ra).writes(&[rd]),
        16 => conditional_branch(word, None),
        18 => linking(word, Instruction::transfer(false)),
        19 => branch_to_register(word),
        20..=23 => rotate(word),
        24..=27 => simple(InstructionClass::Alu).reads(&[rd]).writes(&[ra]),
        28 | 29 => simple(InstructionClass::Alu)
            .reads(&[rd])
            .writes(&[ra, FLAGS]),
        30 => simple(InstructionClass::Shift)
            .reads(&[rd, if bit(word, 4) { field(word, 11, 5) } else { rd }])
            .writes(&[ra]),
        31 => extended(word),
        32..=55 => transfer(word),
        58 => based(simple(InstructionClass::Load), ra).writes(&[rd]),
        62 => based(simple(InstructionClass::Store), ra).reads(&[rd]),
        59 | 63 | 4 => simple(InstructionClass::Float),
        _ => simple(InstructionClass::Alu),
    }
}

/// Adds a read of the base register of an address; register 0 means the constant zero.
fn based(operation: Instruction, ra: u32) -> Instruction {
    if ra == 0 {
        operation
    } else {
        operation.reads(&[ra])
    }
}

fn linking(word: u32, branch: Instruction) -> Instruction {
    if bit(word, 0) {
        branch.writes(&[LINK])
    } else {
        branch
    }
}

/// A branch on a condition, on the counter, on both or on neither, to an address or through a register.
fn conditional_branch(word: u32, through: Option<u32>) -> Instruction {
    let options = field(word, 21, 5);
    let (ignores_condition, ignores_counter) = (options & 16 != 0, options & 4 != 0);
    let mut branch = Instruction::transfer(!(ignores_condition && ignores_counter));
    if !ignores_condition {
        branch = branch.reads(&[FLAGS]);
    }
    if !ignores_counter {
        branch = branch.reads(&[COUNT]).writes(&[COUNT]);
    }
    if let Some(register) = through {
        branch = branch.reads(&[register]);
    }
    linking(word, branch)
}

fn branch_to_register(word: u32) -> Instruction {
    match field(word, 1, 10) {
        16 => conditional_branch(word, Some(LINK)),
        528 => conditional_branch(word, Some(COUNT)),
        // Logic on conditions.
        _ => Instruction::new(InstructionClass::Alu)
            .reads(&[FLAGS])
            .writes(&[FLAGS]),
    }
}

fn rotate(word: u32) -> Instruction {
    let (rs, ra, rb) = (field(word, 21, 5), field(word, 16, 5), field(word, 11, 5));
    let operation = Instruction::new(InstructionClass::Shift)
        .reads(&[rs])
        .writes(&[ra]);
    let operation = match field(word, 26, 6) {
        // Inserting under a mask keeps the rest of its target.
        20 => operation.reads(&[ra]),
        23 => operation.reads(&[rb]),
        _ => operation,
    };
    recording(word, operation)
}

fn recording(word: u32, operation: Instruction) -> Instruction {
    if bit(word, 0) {
        operation.writes(&[FLAGS])
    } else {
        operation
    }
}

/// Loads and stores with an offset. Odd codes write the address back, except those of many registers and of floats.
fn transfer(word: u32) -> Instruction {
    let (code, rd, ra) = (field(word, 26, 6), field(word, 21, 5), field(word, 16, 5));
    let operation = match code {
        32 | 33 | 46 => Instruction::new(InstructionClass::Load).writes(&[rd]),
        34 | 35 | 40..=43 => Instruction::new(InstructionClass::NarrowLoad).writes(&[rd]),
        48..=51 => Instruction::new(InstructionClass::Load),
        52..=55 => Instruction::new(InstructionClass::Store),
        _ => Instruction::new(InstructionClass::Store).reads(&[rd]),
    };
    let mut operation = based(operation, ra);
    if code == 46 || code == 47 {
        operation.more_transfers = (31 - rd) as u8;
        let registers = !0u64 << rd & 0xffff_ffff;
        match code {
            46 => operation.writes |= registers,
            _ => operation.reads |= registers,
        }
        return operation;
    }
    if code % 2 == 1 {
        operation.updates(ra)
    } else {
        operation
    }
}

fn extended(word: u32) -> Instruction {
    let (rd, ra, rb) = (field(word, 21, 5), field(word, 16, 5), field(word, 11, 5));
    let code = field(word, 1, 10);
    let arithmetic = |class| Instruction::new(class).reads(&[ra, rb]).writes(&[rd]);
    let logic = |class| Instruction::new(class).reads(&[rd, rb]).writes(&[ra]);
    let load = |class| {
        based(Instruction::new(class), ra)
            .reads(&[rb])
            .writes(&[rd])
    };
    let store = || based(Instruction::new(InstructionClass::Store), ra).reads(&[rb, rd]);
    let operation = match code {
        0 | 32 => {
            return Instruction::new(InstructionClass::Alu)
                .reads(&[ra, rb])
                .writes(&[FLAGS]);
        }
        19 => {
            return Instruction::new(InstructionClass::Alu)
                .reads(&[FLAGS])
                .writes(&[rd]);
        }
        144 => {
            return Instruction::new(InstructionClass::Alu)
                .reads(&[rd])
                .writes(&[FLAGS]);
        }
        339 => {
            return Instruction::new(InstructionClass::Alu)
                .reads(&[LINK, COUNT])
                .writes(&[rd]);
        }
        467 => {
            return Instruction::new(InstructionClass::Alu)
                .reads(&[rd])
                .writes(&[LINK, COUNT]);
        }
        // Loads: word and double, plain and with the address written back; reserving; reversed.
        20 | 21 | 23 | 84 | 534 | 535 | 599 => return load(InstructionClass::Load),
        53 | 55 | 567 | 631 => return load(InstructionClass::Load).updates(ra),
        87 | 279 | 341 | 343 | 790 => return load(InstructionClass::NarrowLoad),
        119 | 311 | 373 | 375 => return load(InstructionClass::NarrowLoad).updates(ra),
        149 | 151 | 215 | 407 | 662 | 663 | 727 | 918 | 983 => return store(),
        150 | 214 => return store().writes(&[FLAGS]),
        181 | 183 | 247 | 439 | 695 | 759 => return store().updates(ra),
        11 | 75 | 235 | 747 => arithmetic(InstructionClass::Multiply),
        9 | 73 | 233 | 745 => arithmetic(InstructionClass::LongMultiply),
        459 | 491 | 971 | 1003 => arithmetic(InstructionClass::Divide),
        457 | 489 | 969 | 1001 => arithmetic(InstructionClass::LongDivide),
        8 | 10 => arithmetic(InstructionClass::Alu).writes(&[CARRY]),
        136 | 138 | 200 | 202 | 232 | 234 => arithmetic(InstructionClass::Alu)
            .reads(&[CARRY])
            .writes(&[CARRY]),
        24 | 27 | 536 | 539 => logic(InstructionClass::Shift),
        792 | 794 => logic(InstructionClass::Shift).writes(&[CARRY]),
        824 | 826 | 827 => Instruction::new(InstructionClass::Shift)
            .reads(&[rd])
            .writes(&[ra, CARRY]),
        // Leading zeros and sign extensions.
        26 | 58 | 922 | 954 | 986 => Instruction::new(InstructionClass::Alu)
            .reads(&[rd])
            .writes(&[ra]),
        28 | 60 | 124 | 284 | 316 | 412 | 444 | 476 => logic(InstructionClass::Alu),
        40 | 104 | 266 => arithmetic(InstructionClass::Alu),
        // Cache hints and barriers.
        _ => return alu_or_shift(false),
    };
    recording(word, operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Flow;

    #[test]
    fn words_have_their_classes_and_registers() {
        // lwz r3, 8(r4); lwzx r3, r4, r5; stwu r1, -16(r1); add r3, r4, r5; and r3, r4, r5; rlwinm r3, r4, 2, 0, 29
        let load = decode(0x8064_0008);
        assert_eq!(
            (load.class, load.reads, load.writes),
            (InstructionClass::Load, 1 << 4, 1 << 3)
        );
        assert_eq!(decode(0x7c64_282e).reads, 1 << 4 | 1 << 5);
        let update = decode(0x9421_fff0);
        assert_eq!(
            (update.class, update.reads, update.updates),
            (InstructionClass::Store, 1 << 1, 1 << 1)
        );
        let add = decode(0x7c64_2a14);
        assert_eq!(
            (add.class, add.reads, add.writes),
            (InstructionClass::Alu, 1 << 4 | 1 << 5, 1 << 3)
        );
        let and = decode(0x7c83_2838);
        assert_eq!((and.reads, and.writes), (1 << 4 | 1 << 5, 1 << 3));
        let rotate = decode(0x5483_103a);
        assert_eq!(
            (rotate.class, rotate.reads, rotate.writes),
            (InstructionClass::Shift, 1 << 4, 1 << 3)
        );
        // li r3, 1; cmpwi r3, 0; mullw r3, r4, r5; divwu r3, r4, r5; lbz r3, 0(r4); stw r3, 0(r4); stmw r29, 0(r1)
        assert_eq!(
            (decode(0x3860_0001).reads, decode(0x3860_0001).writes),
            (0, 1 << 3)
        );
        assert_eq!(decode(0x2c03_0000).writes, 1 << FLAGS);
        assert_eq!(decode(0x7c64_29d6).class, InstructionClass::Multiply);
        assert_eq!(decode(0x7c64_2b96).class, InstructionClass::Divide);
        assert_eq!(decode(0x8864_0000).class, InstructionClass::NarrowLoad);
        assert_eq!(
            (decode(0x9064_0000).class, decode(0x9064_0000).writes),
            (InstructionClass::Store, 0)
        );
        assert_eq!(decode(0xbfa1_0000).more_transfers, 2);
        // addc and adde are a chain through the carry; mulld, ld, std are of 64 bits
        assert_eq!(decode(0x7c64_2814).writes, 1 << 3 | 1 << CARRY);
        assert_eq!(decode(0x7c64_2914).reads, 1 << 4 | 1 << 5 | 1 << CARRY);
        assert_eq!(decode(0x7c64_29d2).class, InstructionClass::LongMultiply);
        assert_eq!(decode(0xe864_0008).class, InstructionClass::Load);
        assert_eq!(decode(0xf864_0008).class, InstructionClass::Store);
    }

    #[test]
    fn branches_and_jumps_are_told_apart() {
        // b; bl; beq; bdnz; blr; bctr; beqlr; nop
        let flows = [
            (0x4800_0000, Flow::Jump),
            (0x4800_0001, Flow::Jump),
            (0x4182_0008, Flow::Branch),
            (0x4200_fff8, Flow::Branch),
            (0x4e80_0020, Flow::Jump),
            (0x4e80_0420, Flow::Jump),
            (0x4d82_0020, Flow::Branch),
            (0x6000_0000, Flow::Next),
        ];
        for (word, flow) in flows {
            assert_eq!(decode(word).flow, flow, "{word:08x}");
        }
        assert_eq!(decode(0x4200_fff8).writes, 1 << COUNT, "bdnz counts down");
        assert_eq!(decode(0x4800_0001).writes, 1 << LINK, "bl links");
    }
}
