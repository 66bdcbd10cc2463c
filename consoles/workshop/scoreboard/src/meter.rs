//! Counts a whole run: blocks at their translation, executions and accesses during the run, and the sums between
//! marks.
//!
//! A block's cycles are simulated once, at its first translation. The number of executions is enough for instructions
//! and cycles (fast); a call per block and per access adds branches and caches (full).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::InstructionFamily;
use crate::branch::Predictor;
use crate::cache::{Hierarchy, Misses};
use crate::operation::{Flow, Instruction, InstructionClass};
use crate::processor::{PROCESSORS, Processor};
use crate::scoreboard::PARTS;

/// A block of straight-line code.
struct MeteredBlock {
    address: u64,
    end: u64,
    flow: Flow,
    instructions: u64,
    classes: [u64; InstructionClass::COUNT],
    /// Words that its loads and its stores transfer.
    transfers: [u64; 2],
    microcoded: u64,
    /// The cycles of each processor's pipelines, in [`PARTS`].
    cycles: Vec<[u64; 3]>,
    /// Boxed, so that an emulator can add to it at an address that never changes.
    executions: Box<AtomicU64>,
}

/// The counts of a run.
pub struct Meter {
    family: InstructionFamily,
    processors: Vec<(&'static Processor, Option<Predictor>, u64)>,
    hierarchies: Vec<Hierarchy>,
    blocks: Vec<MeteredBlock>,
    known: HashMap<(u64, usize), usize>,
    before: Option<usize>,
    taken: u64,
    accesses: Accesses,
    marks: u64,
}

/// Classifies the accesses to data by place, width and age.
struct Accesses {
    /// Instructions so far, at the start of the block.
    clock: u64,
    /// The double words stored last, by their lowest bits, with the clock at that time.
    stored: Vec<(u64, u64)>,
    /// The address of the first access: a program begins with reading its arguments, at the top of its stack.
    stack: Option<u64>,
    /// The first address of the current block.
    code: u64,
    /// Loads of a double word that was stored within [`QUEUE`] instructions.
    after_store: u64,
    /// Accesses of at most 16 bits that are not `local`.
    narrow: u64,
    /// Accesses to the stack, and loads of constants placed between the code.
    local: u64,
}

/// The number of instructions for which a store may wait in the queue of a Cell or Xenon.
const QUEUE: u64 = 25;
/// The number of double words whose last store is kept.
const STORED: usize = 256;
/// The largest stack in bytes.
const STACK: u64 = 1 << 20;
/// The largest distance in bytes of constants from the code that loads them: the range of an ARM load.
const CONSTANTS: u64 = 1 << 12;

impl Accesses {
    fn new() -> Self {
        Self {
            clock: 0,
            stored: vec![(u64::MAX, 0); STORED],
            stack: None,
            code: 0,
            after_store: 0,
            narrow: 0,
            local: 0,
        }
    }

    fn add(&mut self, address: u64, stores: bool, bytes: u64) {
        let double = address >> 3;
        let last = &mut self.stored[double as usize % STORED];
        if stores {
            *last = (double, self.clock);
        } else if last.0 == double && self.clock - last.1 < QUEUE {
            self.after_store += 1;
        }
        let top = *self.stack.get_or_insert(address);
        let is_on_stack = address <= top && top - address < STACK;
        let is_constant = !stores && address.abs_diff(self.code) < CONSTANTS;
        if is_on_stack || is_constant {
            self.local += 1;
        } else {
            self.narrow += u64::from(bytes <= 2);
        }
    }

    /// Returns the sums since the last call and resets them.
    fn take(&mut self) -> [(&'static str, u64); 3] {
        use std::mem::take;
        [
            ("after_store", take(&mut self.after_store)),
            ("narrow", take(&mut self.narrow)),
            ("local", take(&mut self.local)),
        ]
    }
}

impl Meter {
    /// A meter for all processors of a family.
    pub fn new(family: InstructionFamily, hierarchies: Vec<Hierarchy>) -> Self {
        let processors = PROCESSORS.iter().filter(|known| known.family == family);
        let with_predictor =
            |known: &'static Processor| (known, known.predictor.map(Predictor::new), 0);
        Self {
            family,
            processors: processors.map(with_predictor).collect(),
            hierarchies,
            blocks: Vec::new(),
            known: HashMap::new(),
            before: None,
            taken: 0,
            accesses: Accesses::new(),
            marks: 0,
        }
    }

    /// The number of the block of these words at `address`; a known block keeps its number and its executions. A word
    /// is `None` if the instruction is not 4 bytes long.
    pub fn block(&mut self, address: u64, words: &[Option<u32>], bytes: u64) -> usize {
        let key = (address, words.len());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let decode = |word: &Option<u32>| match word {
            Some(word) => self.family.decode(*word),
            None => Instruction::new(InstructionClass::Alu),
        };
        let operations: Vec<Instruction> = words.iter().map(decode).collect();
        let mut classes = [0; InstructionClass::COUNT];
        let mut transfers = [0; 2];
        for operation in &operations {
            classes[operation.class as usize] += 1;
            if operation.class.is_memory() {
                let stores = operation.class == InstructionClass::Store;
                transfers[usize::from(stores)] += 1 + u64::from(operation.more_transfers);
            }
        }
        let leaves = operations
            .iter()
            .find(|operation| operation.flow != Flow::Next);
        let processors = self.processors.iter();
        let cycles = processors.map(|(known, ..)| {
            known
                .pipelines
                .each_ref()
                .map(|pipeline| pipeline.cycles(address, &operations))
        });
        self.blocks.push(MeteredBlock {
            address,
            end: address + bytes,
            flow: leaves.map_or(Flow::Next, |operation| operation.flow),
            instructions: words.len() as u64,
            classes,
            transfers,
            microcoded: operations.iter().filter(|one| one.is_microcoded).count() as u64,
            cycles: cycles.collect(),
            executions: Box::new(AtomicU64::new(0)),
        });
        self.known.insert(key, self.blocks.len() - 1);
        self.blocks.len() - 1
    }

    /// The number of executions of a block, for an emulator that increments it directly.
    pub fn executions(&self, block: usize) -> Option<&AtomicU64> {
        self.blocks.get(block).map(|block| &*block.executions)
    }

    /// Executes a block: decides the branch at the end of the previous block, and fetches the instructions.
    pub fn enter(&mut self, block: usize) {
        let Some(now) = self.blocks.get(block) else {
            return;
        };
        let executions = now.executions.load(Ordering::Relaxed);
        now.executions.store(executions + 1, Ordering::Relaxed);
        if let Some(before) = self.before.and_then(|before| self.blocks.get(before)) {
            let taken = match before.flow {
                Flow::Next => false,
                Flow::Jump => true,
                Flow::Branch => now.address != before.end,
            };
            self.taken += u64::from(taken);
            if before.flow == Flow::Branch {
                for (_, predictor, missed) in &mut self.processors {
                    if let Some(predictor) = predictor {
                        *missed += u64::from(!predictor.branch(before.end, taken));
                    }
                }
            }
        }
        self.accesses.clock += now.instructions;
        self.accesses.code = now.address;
        self.before = Some(block);
        for caches in &mut self.hierarchies {
            caches.fetch(now.address, now.end);
        }
    }

    /// Loads or stores `bytes` bytes of data.
    #[inline]
    pub fn access(&mut self, address: u64, stores: bool, bytes: u64) {
        self.accesses.add(address, stores, bytes);
        for caches in &mut self.hierarchies {
            caches.access(address, stores);
        }
    }

    /// Returns the sums since the previous mark, one `NAME VALUE…` per line after `mark NUMBER`, and resets them.
    /// Caches and predictors keep their state.
    pub fn mark(&mut self) -> String {
        let mut sums = Sums::default();
        sums.cycles.resize(self.processors.len(), [0; 3]);
        for block in &self.blocks {
            sums.add(block, block.executions.swap(0, Ordering::Relaxed));
        }
        let class = |class: InstructionClass| sums.classes[class as usize];
        let lines: [(&str, u64); 9] = [
            ("instructions", sums.instructions),
            ("loads", sums.transfers[0]),
            ("stores", sums.transfers[1]),
            (
                "multiplies",
                class(InstructionClass::Multiply) + class(InstructionClass::LongMultiply),
            ),
            (
                "divides",
                class(InstructionClass::Divide) + class(InstructionClass::LongDivide),
            ),
            ("floats", class(InstructionClass::Float)),
            (
                "branches",
                class(InstructionClass::Branch) + class(InstructionClass::Jump),
            ),
            ("taken", std::mem::take(&mut self.taken)),
            ("microcoded", sums.microcoded),
        ];
        let mut text = format!("mark {}\n", self.marks);
        self.marks += 1;
        for (name, value) in lines.into_iter().chain(self.accesses.take()) {
            let _ = writeln!(text, "{name} {value}");
        }
        for ((known, _, missed), [low, mid, high]) in self.processors.iter_mut().zip(sums.cycles) {
            let missed = std::mem::take(missed);
            let [low, mid, high] = [low, mid, high].map(|parts| parts.div_ceil(PARTS));
            let mid = if known.between {
                (2 * low + high).div_ceil(3)
            } else {
                mid
            };
            let _ = writeln!(text, "processor {} {low} {mid} {high} {missed}", known.name);
        }
        for caches in &mut self.hierarchies {
            let misses = std::mem::take(&mut caches.misses);
            let Misses {
                instruction,
                read,
                write,
                second_read,
                second_write,
                written_back,
            } = misses;
            let name = &caches.name;
            let _ = writeln!(
                text,
                "caches {name} {instruction} {read} {write} {second_read} {second_write} {written_back}"
            );
        }
        text
    }
}

#[derive(Default)]
struct Sums {
    instructions: u64,
    classes: [u64; InstructionClass::COUNT],
    transfers: [u64; 2],
    microcoded: u64,
    cycles: Vec<[u64; 3]>,
}

impl Sums {
    fn add(&mut self, block: &MeteredBlock, executions: u64) {
        if executions == 0 {
            return;
        }
        self.instructions += executions * block.instructions;
        self.microcoded += executions * block.microcoded;
        let add = |sums: &mut [u64], values: &[u64]| {
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += executions * value;
            }
        };
        add(&mut self.classes, &block.classes);
        add(&mut self.transfers, &block.transfers);
        for (sums, cycles) in self.cycles.iter_mut().zip(&block.cycles) {
            add(sums, cycles);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `lw v0, 0(v0); nop; bnez v0, back; nop`: four cycles on an R3000.
    const CHASE: [Option<u32>; 4] = [Some(0x8c42_0000), Some(0), Some(0x1440_fffd), Some(0)];

    fn meter() -> Meter {
        let caches = "0:1024/1/16:1024/1/16:-".parse().expect("caches");
        Meter::new(InstructionFamily::Mips, vec![caches])
    }

    fn value<'a>(text: &'a str, name: &str) -> &'a str {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.expect("a line").trim()
    }

    #[test]
    fn a_loop_is_counted_between_two_marks() {
        let mut meter = meter();
        let block = meter.block(0x4000, &CHASE, 16);
        let after = meter.block(0x4010, &CHASE[..2], 8);
        meter.mark();
        for round in 0..10 {
            meter.enter(block);
            meter.access(round * 8, false, 4);
        }
        meter.enter(after);
        let text = meter.mark();
        assert!(text.starts_with("mark 1\n"), "{text}");
        assert_eq!(value(&text, "instructions "), "42");
        assert_eq!(value(&text, "loads "), "11");
        assert_eq!(value(&text, "branches "), "10");
        assert_eq!(value(&text, "taken "), "9");
        assert_eq!(value(&text, "processor r3000 "), "42 42 42 0");
        assert!(
            value(&text, "processor r5900 ").ends_with(" 3"),
            "learned twice, left once"
        );
        assert_eq!(value(&text, "caches 0 "), "2 5 0 0 0 0");
        assert_eq!(
            value(&meter.mark(), "instructions "),
            "0",
            "sums start again"
        );
    }

    #[test]
    fn accesses_are_told_apart_by_place_width_and_age() {
        let mut meter = meter();
        let block = meter.block(0x4000, &CHASE, 16);
        meter.enter(block);
        // The arguments at the top of the stack, then tables.
        meter.access(0x7fff_0000, false, 4);
        meter.access(0x7ffe_fff8, true, 1);
        meter.access(0x1000, true, 2);
        meter.access(0x1004, false, 4);
        meter.access(0x2000, false, 8);
        meter.access(0x4100, false, 4);
        (0..7).for_each(|_| meter.enter(block));
        meter.access(0x1000, false, 1);
        let text = meter.mark();
        assert_eq!(value(&text, "local "), "3");
        assert_eq!(value(&text, "narrow "), "2");
        assert_eq!(
            value(&text, "after_store "),
            "1",
            "28 instructions later it is written"
        );
    }

    #[test]
    fn the_cells_microcode_is_counted() {
        let mut meter = Meter::new(InstructionFamily::PowerPc, Vec::new());
        // slw 3,4,5; add 3,4,5; add. 3,4,5; lwa 3,0(4); ld 3,0(4); rlwinm 3,4,1,2,3
        let words = [
            0x7c83_2830,
            0x7c64_2a14,
            0x7c64_2a15,
            0xe864_0002,
            0xe864_0000,
            0x5483_0886,
        ];
        let block = meter.block(0, &words.map(Some), 24);
        meter.enter(block);
        assert_eq!(value(&meter.mark(), "microcoded "), "3");
    }

    #[test]
    fn a_block_translated_again_keeps_its_executions() {
        let mut meter = meter();
        let block = meter.block(0x4000, &CHASE, 16);
        meter
            .executions(block)
            .expect("a block")
            .fetch_add(3, Ordering::Relaxed);
        assert_eq!(meter.block(0x4000, &CHASE, 16), block);
        assert_ne!(
            meter.block(0x4000, &CHASE[..2], 8),
            block,
            "another length is another block"
        );
        assert_eq!(value(&meter.mark(), "instructions "), "12");
    }
}
