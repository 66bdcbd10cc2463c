//! The cycles of a block that follows itself on a pipeline: two kinds of pipeline, in order and with a window.
//!
//! A block is simulated several times in a row and the steady rate is returned, so that a late result of one round
//! delays the next. Overlap between different blocks is not modelled, and every access hits the cache.

use serde::Deserialize;

use crate::operation::{Instruction, InstructionClass};

/// Cycles are counted in eighths: a window overlaps blocks by fractions of a cycle.
pub const PARTS: u64 = 8;

/// Cycles by class of instruction.
pub type ByClass = [u8; InstructionClass::COUNT];

/// The order in which a pipeline issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Issue {
    /// Program order; an instruction waits for its operands.
    InOrder {
        /// Two instructions issue together only if they are in one aligned pair of words.
        aligned_pairs: bool,
    },
    /// Dispatched and retired in order, started when the operands are ready.
    Window {
        /// The maximum number of instructions between dispatch and retirement.
        size: usize,
        /// The number of instructions that may wait per unit; 0 means no limit but the window's size.
        stations: usize,
        /// True if branches leave the stream before dispatch.
        folds_branches: bool,
    },
}

/// The instructions that block the whole pipeline, not only their unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blocks {
    /// Nothing.
    Nothing,
    /// The whole pipeline waits for a multiplication or division.
    Multiplications,
    /// The whole pipeline waits for multiplications, divisions and every access to memory.
    MultiplicationsAndMemory,
}

/// A pipeline.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline {
    /// Instructions issued or dispatched in one cycle.
    pub width: usize,
    /// Units for arithmetic, shifts and floats.
    pub alus: u8,
    /// Units for loads and stores.
    pub memory_ports: u8,
    /// The order of issue.
    pub issue: Issue,
    /// Cycles from issue until the result can be read.
    pub latency: ByClass,
    /// Cycles for which the unit takes no other instruction.
    pub busy: ByClass,
    /// The instructions that block the whole pipeline.
    pub blocks: Blocks,
}

impl Pipeline {
    /// The cycles of the block at `address` when it follows itself, in [`PARTS`] of a cycle.
    pub fn cycles(&self, address: u64, block: &[Instruction]) -> u64 {
        match self.issue {
            _ if block.is_empty() => 0,
            Issue::InOrder { aligned_pairs } => {
                InOrder::new(self, aligned_pairs).rate(address, block)
            }
            Issue::Window { .. } => IssueWindow::new(self).rate(block),
        }
    }

    fn latency(&self, operation: &Instruction) -> u64 {
        u64::from(self.latency[operation.class as usize]) + u64::from(operation.more_transfers)
    }

    fn busy(&self, operation: &Instruction) -> u64 {
        u64::from(self.busy[operation.class as usize]) + u64::from(operation.more_transfers)
    }

    /// Cycles for which all instructions after `operation` wait.
    fn blocked(&self, operation: &Instruction) -> u64 {
        let class = operation.class;
        match self.blocks {
            Blocks::Multiplications if class.is_multiply() => self.latency(operation) - 1,
            Blocks::MultiplicationsAndMemory if class.is_multiply() || class.is_memory() => {
                self.busy(operation) - 1
            }
            _ => u64::from(operation.more_transfers) + u64::from(operation.shifts_by_register),
        }
    }
}

/// The cycle from which each register can be read.
struct Registers([u64; 64]);

impl Registers {
    fn new() -> Self {
        Self([0; 64])
    }

    fn all(mut bits: u64) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let register = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (register < 64).then_some(register)
        })
    }

    fn ready(&self, reads: u64) -> u64 {
        Self::all(reads)
            .map(|register| self.0[register])
            .max()
            .unwrap_or(0)
    }

    fn written(&mut self, writes: u64, at: u64) {
        for register in Self::all(writes) {
            self.0[register] = at;
        }
    }
}

/// The numbers of instructions issued in one cycle, by kind.
#[derive(Default)]
struct IssueGroup {
    all: usize,
    arithmetic: u8,
    memory: u8,
    branches: u8,
}

impl IssueGroup {
    fn takes(&self, operation: &Instruction, pipeline: &Pipeline) -> bool {
        let class = operation.class;
        self.all < pipeline.width
            && match class {
                _ if class.is_memory() => self.memory < pipeline.memory_ports,
                _ if class.is_branch() => self.branches == 0,
                _ => self.arithmetic < pipeline.alus,
            }
    }

    fn add(&mut self, operation: &Instruction) {
        let class = operation.class;
        self.all += 1;
        match class {
            _ if class.is_memory() => self.memory += 1,
            _ if class.is_branch() => self.branches += 1,
            _ => self.arithmetic += 1,
        }
    }
}

struct InOrder<'a> {
    pipeline: &'a Pipeline,
    aligned_pairs: bool,
    registers: Registers,
    memory_free: u64,
    multiplier_free: u64,
    cycle: u64,
    group: IssueGroup,
}

impl<'a> InOrder<'a> {
    const ROUNDS: u64 = 4;

    fn new(pipeline: &'a Pipeline, aligned_pairs: bool) -> Self {
        Self {
            pipeline,
            aligned_pairs,
            registers: Registers::new(),
            memory_free: 0,
            multiplier_free: 0,
            cycle: 0,
            group: IssueGroup::default(),
        }
    }

    /// The cycles between the first issues of the last two rounds.
    fn rate(mut self, address: u64, block: &[Instruction]) -> u64 {
        let mut starts = [0; Self::ROUNDS as usize];
        for start in &mut starts {
            for (at, operation) in block.iter().enumerate() {
                // A block starts with a separate fetch; an even word starts a pair.
                let apart =
                    at == 0 || self.aligned_pairs && (address / 4 + at as u64).is_multiple_of(2);
                let issued = self.issue(operation, apart);
                if at == 0 {
                    *start = issued;
                }
            }
        }
        let [.., before, last] = starts;
        (last - before) * PARTS
    }

    fn issue(&mut self, operation: &Instruction, apart: bool) -> u64 {
        let class = operation.class;
        let mut at = self.cycle.max(self.registers.ready(operation.reads));
        if class.is_memory() {
            at = at.max(self.memory_free);
        }
        if class.is_multiply() {
            at = at.max(self.multiplier_free);
        }
        if at == self.cycle
            && (apart || !self.group.takes(operation, self.pipeline))
            && self.group.all > 0
        {
            at += 1;
        }
        if at > self.cycle {
            self.start_group(at);
        }
        self.group.add(operation);
        self.registers
            .written(operation.writes, at + self.pipeline.latency(operation));
        self.registers.written(operation.updates, at + 1);
        let busy = self.pipeline.busy(operation);
        if class.is_memory() && busy > 1 {
            self.memory_free = at + busy;
        }
        if class.is_multiply() {
            self.multiplier_free = at + busy;
        }
        let blocked = self.pipeline.blocked(operation);
        if blocked > 0 {
            self.start_group(at + blocked);
            self.group.all = self.pipeline.width;
        }
        at
    }

    fn start_group(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.group = IssueGroup::default();
    }
}

/// The cycles in which the units of one kind are busy.
struct PipelineUnit {
    copies: u8,
    taken: Vec<u8>,
    /// The cycles in which the instructions of this kind started, in program order.
    starts: Vec<u64>,
}

impl PipelineUnit {
    fn new(copies: u8) -> Self {
        Self {
            copies,
            taken: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// Takes a unit for `busy` cycles, at `from` or as soon as one is free.
    fn take(&mut self, from: u64, busy: u64) -> u64 {
        let mut start = from as usize;
        loop {
            let end = start + busy as usize;
            if self.taken.len() < end {
                self.taken.resize(end, 0);
            }
            let clash = self.taken[start..end]
                .iter()
                .rposition(|taken| *taken >= self.copies);
            match clash {
                Some(at) => start += at + 1,
                None => {
                    for taken in &mut self.taken[start..end] {
                        *taken += 1;
                    }
                    self.starts.push(start as u64);
                    return start as u64;
                }
            }
        }
    }

    /// The cycle from which one of the `stations` waiting places is free.
    fn place(&self, stations: usize) -> u64 {
        match self.starts.len().checked_sub(stations) {
            Some(before) if stations > 0 => self.starts[before],
            _ => 0,
        }
    }
}

struct IssueWindow<'a> {
    pipeline: &'a Pipeline,
    registers: Registers,
    /// Arithmetic, memory, multiplications, branches.
    units: [PipelineUnit; 4],
    dispatch: u64,
    dispatched: usize,
    retired: Vec<u64>,
}

impl<'a> IssueWindow<'a> {
    fn new(pipeline: &'a Pipeline) -> Self {
        Self {
            pipeline,
            registers: Registers::new(),
            units: [pipeline.alus, pipeline.memory_ports, 1, 1].map(PipelineUnit::new),
            dispatch: 0,
            dispatched: 0,
            retired: Vec::new(),
        }
    }

    /// The cycles between the retirements of two rounds that are [`PARTS`] rounds apart, after the window has filled.
    fn rate(mut self, block: &[Instruction]) -> u64 {
        let Issue::Window { size, .. } = self.pipeline.issue else {
            return 0;
        };
        let fill = 2 + 2 * size / block.len();
        let mut ends = [0; 2];
        for (end, rounds) in ends.iter_mut().zip([fill, PARTS as usize]) {
            for _ in 0..rounds {
                for operation in block {
                    self.run(operation);
                }
            }
            *end = self.retired.last().copied().unwrap_or(0);
        }
        ends[1] - ends[0]
    }

    fn run(&mut self, operation: &Instruction) {
        let Issue::Window {
            size,
            stations,
            folds_branches,
        } = self.pipeline.issue
        else {
            return;
        };
        let class = operation.class;
        let kind = match class {
            _ if class.is_memory() => 1,
            _ if class.is_multiply() => 2,
            _ if class.is_branch() => 3,
            _ => 0,
        };
        let unit = &mut self.units[kind];
        let waiting = stations * usize::from(unit.copies);
        let count = self.retired.len();
        let room = count
            .checked_sub(size)
            .map_or(0, |before| self.retired[before]);
        let from = self.dispatch.max(room).max(unit.place(waiting));
        if !(folds_branches && class.is_branch()) {
            if from > self.dispatch {
                (self.dispatch, self.dispatched) = (from, 0);
            }
            if self.dispatched == self.pipeline.width {
                (self.dispatch, self.dispatched) = (self.dispatch + 1, 0);
            }
            self.dispatched += 1;
        }
        let from = (self.dispatch + 1).max(self.registers.ready(operation.reads));
        let start = unit.take(from, self.pipeline.busy(operation));
        let end = start + self.pipeline.latency(operation);
        self.registers.written(operation.writes, end);
        self.registers.written(operation.updates, start + 1);
        // Retired in order, at most `width` in a cycle.
        let before = self.retired.last().copied().unwrap_or(0);
        let group = count.checked_sub(self.pipeline.width);
        let group = group.map_or(0, |before| self.retired[before] + 1);
        self.retired.push(end.max(before).max(group));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use InstructionClass::{Alu, Branch, Load, Multiply, Store};

    /// Latencies 1, of loads 3, of multiplications 4; units take one instruction a cycle, the multiplier one in two.
    const SCALAR: Pipeline = Pipeline {
        width: 1,
        alus: 1,
        memory_ports: 1,
        issue: Issue::InOrder {
            aligned_pairs: false,
        },
        latency: [1, 1, 3, 3, 1, 4, 4, 9, 9, 1, 1, 2],
        busy: [1, 1, 1, 1, 1, 2, 2, 9, 9, 1, 1, 1],
        blocks: Blocks::Nothing,
    };
    const PAIR: Pipeline = Pipeline {
        width: 2,
        alus: 2,
        ..SCALAR
    };
    const WINDOW: Pipeline = Pipeline {
        issue: Issue::Window {
            size: 16,
            stations: 0,
            folds_branches: false,
        },
        ..PAIR
    };

    fn operation(class: InstructionClass, reads: &[u32], writes: &[u32]) -> Instruction {
        let operation = match class {
            Branch => Instruction::transfer(true),
            _ => Instruction::new(class),
        };
        operation.reads(reads).writes(writes)
    }

    fn cycles(pipeline: Pipeline, block: &[Instruction]) -> f64 {
        pipeline.cycles(0, block) as f64 / PARTS as f64
    }

    #[test]
    fn a_scalar_pipeline_waits_for_loads_and_multiplications() {
        let independent = [
            operation(Alu, &[1], &[2]),
            operation(Alu, &[1], &[3]),
            operation(Branch, &[], &[]),
        ];
        assert_eq!(cycles(SCALAR, &independent), 3.0);
        // The load's result is read by the next instruction: two cycles lost.
        let used = [operation(Load, &[1], &[2]), operation(Alu, &[2], &[3])];
        assert_eq!(cycles(SCALAR, &used), 4.0);
        let unused = [operation(Load, &[1], &[2]), operation(Alu, &[4], &[3])];
        assert_eq!(cycles(SCALAR, &unused), 2.0);
        // A chain of multiplications through the block's own end.
        let chain = [operation(Multiply, &[2], &[2])];
        assert_eq!(cycles(SCALAR, &chain), 4.0);
        let apart = [operation(Multiply, &[1], &[2])];
        assert_eq!(cycles(SCALAR, &apart), 2.0);
    }

    #[test]
    fn a_base_that_is_moved_on_is_ready_before_the_data() {
        let moved = operation(Load, &[1], &[2]).updates(1);
        assert_eq!(cycles(SCALAR, &[moved]), 1.0);
        assert_eq!(cycles(SCALAR, &[operation(Load, &[1], &[1])]), 3.0);
        assert_eq!(cycles(WINDOW, &[moved]), 1.0);
    }

    #[test]
    fn two_instructions_issue_together_where_units_and_operands_allow() {
        let four = [
            operation(Alu, &[1], &[2]),
            operation(Alu, &[1], &[3]),
            operation(Alu, &[1], &[4]),
            operation(Alu, &[1], &[5]),
        ];
        assert_eq!(cycles(PAIR, &four), 2.0);
        let memory = [operation(Load, &[1], &[2]), operation(Store, &[1, 3], &[])];
        assert_eq!(cycles(PAIR, &memory), 2.0, "one port");
        let dependent = [operation(Alu, &[1], &[2]), operation(Alu, &[2], &[3])];
        assert_eq!(cycles(PAIR, &dependent), 2.0);
        let aligned = Pipeline {
            issue: Issue::InOrder {
                aligned_pairs: true,
            },
            ..PAIR
        };
        assert_eq!(aligned.cycles(0, &four), 2 * PARTS);
        assert_eq!(
            aligned.cycles(4, &four),
            3 * PARTS,
            "the first and the last word are alone"
        );
    }

    #[test]
    fn a_window_overlaps_what_an_ordered_pipeline_waits_for() {
        let used = [
            operation(Load, &[1], &[2]),
            operation(Alu, &[2], &[3]),
            operation(Alu, &[1], &[4]),
            operation(Branch, &[], &[]),
        ];
        assert_eq!(
            cycles(PAIR, &used),
            5.0,
            "load, wait, wait, alu alu, branch"
        );
        assert_eq!(cycles(WINDOW, &used), 2.0, "two a cycle");
        let chain = [operation(Load, &[2], &[2])];
        assert_eq!(cycles(WINDOW, &chain), 3.0, "a chain is a chain");
        let folding = Pipeline {
            issue: Issue::Window {
                size: 16,
                stations: 0,
                folds_branches: true,
            },
            ..PAIR
        };
        assert_eq!(
            cycles(folding, &used),
            2.0,
            "retired two a cycle all the same"
        );
        let small = Pipeline {
            issue: Issue::Window {
                size: 2,
                stations: 0,
                folds_branches: false,
            },
            ..PAIR
        };
        assert!(cycles(small, &used) > cycles(WINDOW, &used));
    }

    #[test]
    fn three_instructions_on_two_ports_take_one_and_a_half_cycles() {
        let three = [1, 2, 3].map(|to| operation(Alu, &[9], &[to]));
        assert_eq!(cycles(WINDOW, &three), 1.5);
    }

    #[test]
    fn some_pipelines_stand_still() {
        let blocking = Pipeline {
            blocks: Blocks::Multiplications,
            ..SCALAR
        };
        let apart = [operation(Multiply, &[1], &[2]), operation(Alu, &[1], &[3])];
        assert_eq!(cycles(SCALAR, &apart), 2.0);
        assert_eq!(cycles(blocking, &apart), 5.0);
        let many = Instruction {
            more_transfers: 3,
            ..operation(Load, &[1], &[2])
        };
        assert_eq!(cycles(SCALAR, &[many, operation(Alu, &[1], &[3])]), 5.0);
        let shifts = Instruction {
            shifts_by_register: true,
            ..operation(Alu, &[1], &[2])
        };
        assert_eq!(cycles(SCALAR, &[shifts, operation(Alu, &[1], &[3])]), 3.0);
        let memory = Pipeline {
            blocks: Blocks::MultiplicationsAndMemory,
            busy: [1, 1, 3, 3, 2, 3, 4, 9, 9, 1, 1, 1],
            ..SCALAR
        };
        assert_eq!(
            cycles(
                memory,
                &[operation(Load, &[1], &[2]), operation(Store, &[1, 2], &[])]
            ),
            5.0
        );
    }
}
