//! An instruction as a scoreboard sees it.

/// What an instruction occupies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionClass {
    /// Addition, logic, comparison, moves.
    Alu,
    /// A shift, or arithmetic on a shifted operand.
    Shift,
    /// A load of a whole register.
    Load,
    /// A load that is narrowed or merged: bytes, half words, unaligned parts.
    NarrowLoad,
    /// A store.
    Store,
    /// A multiplication with a result of one word.
    Multiply,
    /// A multiplication of double words, or with a double result.
    LongMultiply,
    /// A division.
    Divide,
    /// A division of double words.
    LongDivide,
    /// A conditional branch.
    Branch,
    /// An unconditional branch, call or return.
    Jump,
    /// Floating-point and vector arithmetic.
    Float,
}

impl InstructionClass {
    /// How many classes there are.
    pub const COUNT: usize = 12;

    /// Whether it uses the data memory.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Load | Self::NarrowLoad | Self::Store)
    }

    /// Whether it uses the multiplier or the divider.
    pub fn is_multiply(self) -> bool {
        matches!(
            self,
            Self::Multiply | Self::LongMultiply | Self::Divide | Self::LongDivide
        )
    }

    /// Whether it may leave the straight line.
    pub fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::Jump)
    }
}

/// How control leaves an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// Perhaps elsewhere.
    Branch,
    /// Always elsewhere.
    Jump,
}

/// The flags, or the condition registers together.
pub const FLAGS: u32 = 40;
/// The carry, where it is apart from the flags.
pub const CARRY: u32 = 41;
/// The results of a multiplier that has registers of its own.
pub const PRODUCT: u32 = 42;
/// The link register, where it is none of the numbered ones.
pub const LINK: u32 = 43;
/// The loop counter.
pub const COUNT: u32 = 44;

/// One instruction. Registers are bits: 0 to 31 are the numbered ones, then the named ones above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What it occupies.
    pub class: InstructionClass,
    /// How control leaves it.
    pub flow: Flow,
    /// The registers that it reads.
    pub reads: u64,
    /// The registers that it writes.
    pub writes: u64,
    /// Base registers that a load or store moves on: written by the address's addition, before the data arrive.
    pub updates: u64,
    /// Words transferred beyond the first, of a load or store of many registers.
    pub more_transfers: u8,
    /// Whether a register says how far to shift.
    pub shifts_by_register: bool,
    /// Whether the PowerPC core of the Cell runs it from its microcode.
    pub is_microcoded: bool,
}

impl Instruction {
    /// An operation that touches no register yet and goes on to the next one.
    pub fn new(class: InstructionClass) -> Self {
        Self {
            class,
            flow: Flow::Next,
            reads: 0,
            writes: 0,
            updates: 0,
            more_transfers: 0,
            shifts_by_register: false,
            is_microcoded: false,
        }
    }

    /// A jump, or a branch where a condition decides.
    pub fn transfer(conditional: bool) -> Self {
        let (class, flow) = match conditional {
            true => (InstructionClass::Branch, Flow::Branch),
            false => (InstructionClass::Jump, Flow::Jump),
        };
        Self {
            flow,
            ..Self::new(class)
        }
    }

    /// The same, and it reads these registers.
    pub fn reads(mut self, registers: &[u32]) -> Self {
        self.reads |= bits(registers);
        self
    }

    /// The same, and it writes these registers.
    pub fn writes(mut self, registers: &[u32]) -> Self {
        self.writes |= bits(registers);
        self
    }

    /// The same, and it moves this base register on.
    pub fn updates(mut self, register: u32) -> Self {
        self.updates |= bits(&[register]);
        self
    }

    /// The same; register 0 is the constant zero, on which nothing waits.
    pub fn with_zero_register(mut self) -> Self {
        self.reads &= !1;
        self.writes &= !1;
        self
    }
}

fn bits(registers: &[u32]) -> u64 {
    registers
        .iter()
        .fold(0, |bits, register| bits | 1 << register)
}
