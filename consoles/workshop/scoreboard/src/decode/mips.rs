//! MIPS I to III. A branch's delay slot is the next word of the same block.

use super::field;
use crate::operation::{Instruction, InstructionClass, PRODUCT};

pub(super) fn decode(word: u32) -> Instruction {
    let (rs, rt) = (field(word, 21, 5), field(word, 16, 5));
    let simple = Instruction::new;
    let operation = match field(word, 26, 6) {
        0 => special(word),
        1 => {
            let links = field(word, 19, 2) == 2;
            let branch = Instruction::transfer(rs != 0 || field(word, 16, 1) == 0).reads(&[rs]);
            if links { branch.writes(&[31]) } else { branch }
        }
        2 => Instruction::transfer(false),
        3 => Instruction::transfer(false).writes(&[31]),
        4 | 20 => Instruction::transfer(rs != rt).reads(&[rs, rt]),
        5..=7 | 21..=23 => Instruction::transfer(true).reads(&[rs, rt]),
        15 => simple(InstructionClass::Alu).writes(&[rt]),
        8..=14 | 24 | 25 => simple(InstructionClass::Alu).reads(&[rs]).writes(&[rt]),
        17 if rs == 8 => Instruction::transfer(true),
        16..=19 => simple(InstructionClass::Float),
        // Merging loads read the register into which they merge.
        26 | 27 | 34 | 38 => simple(InstructionClass::NarrowLoad)
            .reads(&[rs, rt])
            .writes(&[rt]),
        28 => special2(word),
        31 => simple(InstructionClass::Shift)
            .reads(&[rs, rt])
            .writes(&[rt, field(word, 11, 5)]),
        35 | 48 | 52 | 55 => simple(InstructionClass::Load).reads(&[rs]).writes(&[rt]),
        32..=39 => simple(InstructionClass::NarrowLoad)
            .reads(&[rs])
            .writes(&[rt]),
        49 | 53 => simple(InstructionClass::Load).reads(&[rs]),
        40..=46 | 63 => simple(InstructionClass::Store).reads(&[rs, rt]),
        // A conditional store writes its success to a register.
        56 | 60 => simple(InstructionClass::Store)
            .reads(&[rs, rt])
            .writes(&[rt]),
        57 | 61 => simple(InstructionClass::Store).reads(&[rs]),
        _ => simple(InstructionClass::Alu),
    };
    operation.with_zero_register()
}

fn special(word: u32) -> Instruction {
    let (rs, rt, rd) = (field(word, 21, 5), field(word, 16, 5), field(word, 11, 5));
    let simple = Instruction::new;
    let product = |class| simple(class).reads(&[rs, rt]).writes(&[PRODUCT]);
    match field(word, 0, 6) {
        0 | 2 | 3 | 56..=63 => simple(InstructionClass::Shift).reads(&[rt]).writes(&[rd]),
        4 | 6 | 7 | 20 | 22 | 23 => simple(InstructionClass::Shift)
            .reads(&[rs, rt])
            .writes(&[rd]),
        8 => Instruction::transfer(false).reads(&[rs]),
        9 => Instruction::transfer(false).reads(&[rs]).writes(&[rd]),
        // A conditional move reads its target, which it may keep.
        10 | 11 => simple(InstructionClass::Alu)
            .reads(&[rs, rt, rd])
            .writes(&[rd]),
        16 | 18 => simple(InstructionClass::Alu)
            .reads(&[PRODUCT])
            .writes(&[rd]),
        17 | 19 => simple(InstructionClass::Alu)
            .reads(&[rs])
            .writes(&[PRODUCT]),
        24 | 25 => product(InstructionClass::Multiply),
        26 | 27 => product(InstructionClass::Divide),
        28 | 29 => product(InstructionClass::LongMultiply),
        30 | 31 => product(InstructionClass::LongDivide),
        32..=47 => simple(InstructionClass::Alu).reads(&[rs, rt]).writes(&[rd]),
        _ => simple(InstructionClass::Alu),
    }
}

/// `mul`, multiply-add and count of leading bits, which later compilers' libraries use.
fn special2(word: u32) -> Instruction {
    let (rs, rt, rd) = (field(word, 21, 5), field(word, 16, 5), field(word, 11, 5));
    match field(word, 0, 6) {
        2 => Instruction::new(InstructionClass::Multiply)
            .reads(&[rs, rt])
            .writes(&[rd]),
        0 | 1 | 4 | 5 => Instruction::new(InstructionClass::Multiply)
            .reads(&[rs, rt, PRODUCT])
            .writes(&[PRODUCT]),
        _ => Instruction::new(InstructionClass::Alu)
            .reads(&[rs, rt])
            .writes(&[rd]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Flow;

    #[test]
    fn words_have_their_classes_and_registers() {
        // lw a0, 4(sp); addiu v0, a0, 1; sllv v0, a1, a0; mult a0, a1; mflo v0; lbu t0, 0(a0)
        let load = decode(0x8fa4_0004);
        assert_eq!(
            (load.class, load.reads, load.writes),
            (InstructionClass::Load, 1 << 29, 1 << 4)
        );
        let add = decode(0x2482_0001);
        assert_eq!(
            (add.class, add.reads, add.writes),
            (InstructionClass::Alu, 1 << 4, 1 << 2)
        );
        let shift = decode(0x0085_1004);
        assert_eq!(
            (shift.class, shift.reads, shift.writes),
            (InstructionClass::Shift, 1 << 4 | 1 << 5, 1 << 2)
        );
        let multiply = decode(0x0085_0018);
        assert_eq!(
            (multiply.class, multiply.writes),
            (InstructionClass::Multiply, 1 << PRODUCT)
        );
        let low = decode(0x0000_1012);
        assert_eq!((low.reads, low.writes), (1 << PRODUCT, 1 << 2));
        assert_eq!(decode(0x9088_0000).class, InstructionClass::NarrowLoad);
        // sd ra, 8(sp); ldl v0, 7(a0); dmult a0, a1
        assert_eq!(decode(0xffbf_0008).class, InstructionClass::Store);
        assert_eq!(decode(0x6882_0007).reads, 1 << 4 | 1 << 2);
        assert_eq!(decode(0x0085_001c).class, InstructionClass::LongMultiply);
    }

    #[test]
    fn branches_and_jumps_are_told_apart() {
        // nop; b .; beq a0, zero; bnez v0; jal; jr ra; bal .; bltz a0; bgezal a0
        let flows = [
            (0x0000_0000, Flow::Next),
            (0x1000_ffff, Flow::Jump),
            (0x1080_0003, Flow::Branch),
            (0x1440_fffe, Flow::Branch),
            (0x0c00_0000, Flow::Jump),
            (0x03e0_0008, Flow::Jump),
            (0x0411_0001, Flow::Jump),
            (0x0480_0002, Flow::Branch),
            (0x0491_0002, Flow::Branch),
        ];
        for (word, flow) in flows {
            assert_eq!(decode(word).flow, flow, "{word:08x}");
        }
        assert_eq!(
            decode(0x0000_0000).writes,
            0,
            "register zero is never waited for"
        );
        assert_eq!(decode(0x0411_0001).writes, 1 << 31, "bal links");
    }
}
