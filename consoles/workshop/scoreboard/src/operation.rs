//! A decoded instruction: its class, its registers and its control flow.

/// The class of an instruction, which decides its unit and its latency.
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
    /// The number of classes.
    pub const COUNT: usize = 12;

    /// Returns whether it uses the data memory.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Load | Self::NarrowLoad | Self::Store)
    }

    /// Returns whether it uses the multiplier or the divider.
    pub fn is_multiply(self) -> bool {
        matches!(
            self,
            Self::Multiply | Self::LongMultiply | Self::Divide | Self::LongDivide
        )
    }

    /// Returns whether it is a branch or a jump.
    pub fn is_branch(self) -> bool {
        matches!(self, Self::Branch | Self::Jump)
    }
}

/// The instruction that follows in control flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Always the next one.
    Next,
    /// The next one or a branch target.
    Branch,
    /// Always a target.
    Jump,
}

/// The flags, or the condition registers together.
pub const FLAGS: u32 = 40;
/// The carry, if it is separate from the flags.
pub const CARRY: u32 = 41;
/// The result registers of a multiplier.
pub const PRODUCT: u32 = 42;
/// The link register, if it is not one of the numbered ones.
pub const LINK: u32 = 43;
/// The loop counter.
pub const COUNT: u32 = 44;

/// One instruction. Registers are bits: 0 to 31 are the numbered ones, the others the constants above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The class.
    pub class: InstructionClass,
    /// The control flow.
    pub flow: Flow,
    /// The registers that it reads.
    pub reads: u64,
    /// The registers that it writes.
    pub writes: u64,
    /// Base registers that a load or store increments. They are ready one cycle after issue, before the data arrive.
    pub updates: u64,
    /// The words that a load or store of many registers transfers after the first one.
    pub more_transfers: u8,
    /// True if the shift amount is in a register.
    pub shifts_by_register: bool,
    /// True if the PowerPC core of the Cell runs it from microcode.
    pub is_microcoded: bool,
}

impl Instruction {
    /// An instruction without registers that is followed by the next one.
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

    /// A branch if `conditional`, else a jump.
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

    /// Adds registers that it reads.
    pub fn reads(mut self, registers: &[u32]) -> Self {
        self.reads |= bits(registers);
        self
    }

    /// Adds registers that it writes.
    pub fn writes(mut self, registers: &[u32]) -> Self {
        self.writes |= bits(registers);
        self
    }

    /// Adds a base register that it increments.
    pub fn updates(mut self, register: u32) -> Self {
        self.updates |= bits(&[register]);
        self
    }

    /// Removes register 0, which is the constant zero.
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
