//! A compiler's schedule of small loops against the scoreboards: the rows of `schedules.csv`.
//!
//! GCC knows the pipelines of some processors and prints in how many cycles it expects a block to issue. The same block,
//! read back from the object file, goes through the scoreboard. The loops of `loops.c` are those of the solvers.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use ikeru_scoreboard::processor::{Processor, processor};
use ikeru_scoreboard::scoreboard::{Issue, PARTS, Pipeline};
use ikeru_scoreboard::{Flow, Instruction, InstructionFamily};
use serde::Serialize;

/// A processor whose pipeline GCC describes: its word here, GCC's tools and options. Of a processor with a large window
/// GCC still schedules in order, so that its cycles stand beside those of the pipeline in order, under a name of their own.
const COMPILERS: &[(&str, &str, &[&str])] = &[
    (
        "r3000",
        "mipsel-linux-gnu",
        &["-march=mips2", "-mtune=r3000"],
    ),
    (
        "vr4300",
        "mips64el-linux-gnuabi64",
        &["-march=mips3", "-mtune=vr4300"],
    ),
    (
        "arm946",
        "arm-linux-gnueabi",
        &["-marm", "-march=armv5te", "-mtune=arm926ej-s"],
    ),
    (
        "arm11",
        "arm-linux-gnueabi",
        &["-marm", "-march=armv6", "-mtune=arm1136j-s"],
    ),
    ("750", "powerpc-linux-gnu", &["-mcpu=750"]),
    ("cell", "powerpc64-linux-gnu", &["-mcpu=cell"]),
    ("a57", "aarch64-linux-gnu", &["-mcpu=cortex-a57"]),
];

/// From this window on iterations of a loop overlap, which no schedule of one block shows.
const LARGE_WINDOW: usize = 16;

/// One loop on one processor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleRow {
    /// The processor.
    pub processor: String,
    /// The loop.
    #[serde(rename = "loop")]
    pub name: String,
    /// Instructions of the loop.
    pub instructions: usize,
    /// Cycles of the compiler's schedule: its last issue and one.
    pub compiler_cycles: u64,
    /// Cycles of the scoreboard that the compiler's schedule can be compared with.
    pub scoreboard_cycles: f64,
    /// With the best pairing.
    pub scoreboard_low: f64,
    /// With single issue or in order.
    pub scoreboard_high: f64,
}

/// Compiles `source` for every processor that GCC describes and compares.
///
/// # Errors
/// A compiler that is missing or fails, or output that is not understood.
pub fn compare(source: &Path, work: &Path) -> Result<Vec<ScheduleRow>> {
    fs::create_dir_all(work)?;
    let mut rows = Vec::new();
    for (name, tools, options) in COMPILERS {
        let known = processor(name).with_context(|| format!("no processor `{name}`"))?;
        let (dump, object) = (work.join("schedule"), work.join("loops.o"));
        let compiler = format!("{tools}-gcc");
        run(Command::new(&compiler)
            .args(*options)
            .args([
                "-O2",
                "-fno-tree-vectorize",
                "-fno-unroll-loops",
                "-fsched-verbose=2",
                "-c",
            ])
            .arg(format!("-fdump-rtl-sched2={}", dump.display()))
            .arg(source)
            .arg("-o")
            .arg(&object))?;
        let listing = run(Command::new(format!("{tools}-objdump"))
            .arg("-d")
            .arg(&object))?;
        let times = total_times(&fs::read_to_string(&dump)?);
        let loops = loops(&listing, known.family);
        ensure!(
            times.len() == loops.len(),
            "{compiler}: {} loops were scheduled, {} found",
            times.len(),
            loops.len()
        );
        for ((function, time), (found, words)) in times.into_iter().zip(loops) {
            ensure!(
                function == found,
                "{compiler}: `{function}` was scheduled, `{found}` found"
            );
            rows.push(row(known, function, time, &words));
        }
    }
    Ok(rows)
}

fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot start {name}"))?;
    ensure!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8(output.stdout)?)
}

fn row(known: &Processor, name: String, time: u64, words: &[u32]) -> ScheduleRow {
    let block: Vec<Instruction> = words
        .iter()
        .map(|word| known.family.decode(*word))
        .collect();
    let cycles = |pipeline: &Pipeline| pipeline.cycles(0, &block) as f64 / PARTS as f64;
    let [scoreboard_low, modelled, scoreboard_high] = known.pipelines.each_ref().map(cycles);
    let (processor, scoreboard_cycles) = match known.pipelines[1].issue {
        Issue::Window { size, .. } if size > LARGE_WINDOW => {
            (format!("{} in order", known.name), scoreboard_high)
        }
        _ => (known.name.to_owned(), modelled),
    };
    ScheduleRow {
        processor,
        name,
        instructions: words.len(),
        compiler_cycles: time + 1,
        scoreboard_cycles,
        scoreboard_low,
        scoreboard_high,
    }
}

/// The longest block of each function in GCC's dump: its loop.
fn total_times(dump: &str) -> Vec<(String, u64)> {
    let mut times: Vec<(String, u64)> = Vec::new();
    for line in dump.lines() {
        if let Some(function) = line.strip_prefix(";; Function ") {
            let name = function.split(' ').next().unwrap_or_default();
            times.push((name.to_owned(), 0));
        }
        let time: Option<u64> = line
            .split_once("total time =")
            .and_then(|(_, time)| time.trim().parse().ok());
        if let (Some((_, longest)), Some(time)) = (times.last_mut(), time) {
            *longest = time.max(*longest);
        }
    }
    times
}

/// The loop of each function in a listing: from the target of its last branch backwards to that branch.
fn loops(listing: &str, family: InstructionFamily) -> Vec<(String, Vec<u32>)> {
    let mut loops: Vec<(String, Vec<u32>)> = Vec::new();
    let mut code: Vec<(u64, u32)> = Vec::new();
    let mut waits_for_slot = false;
    for line in listing.lines() {
        if let Some((_, name)) = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once('<'))
        {
            // The first PowerPC ABI of 64 bits marks code by a dot.
            loops.push((name.trim_start_matches('.').to_owned(), Vec::new()));
            code.clear();
            continue;
        }
        let Some((address, word, text)) = instruction(line) else {
            continue;
        };
        code.push((address, word));
        let Some((_, words)) = loops.last_mut() else {
            continue;
        };
        if waits_for_slot {
            words.push(word);
            waits_for_slot = false;
        }
        if family.decode(word).flow == Flow::Branch
            && let Some(target) = target(text).filter(|target| *target < address)
        {
            let from = code.iter().position(|(at, _)| *at == target);
            if let Some(body) = from.and_then(|from| code.get(from..)) {
                *words = body.iter().map(|(_, word)| *word).collect();
                waits_for_slot = family == InstructionFamily::Mips;
            }
        }
    }
    loops
}

/// Address, word and text of a line of a listing.
fn instruction(line: &str) -> Option<(u64, u32, &str)> {
    let (address, rest) = line.trim_start().split_once(":\t")?;
    let (word, text) = rest.split_once('\t').unwrap_or((rest, ""));
    // Some listings print a word, others its bytes in the order of memory (big-endian targets only).
    let word: String = word.split_whitespace().collect();
    Some((
        u64::from_str_radix(address, 16).ok()?,
        u32::from_str_radix(&word, 16).ok()?,
        text,
    ))
}

/// The address that a branch goes to: the number before its label.
fn target(text: &str) -> Option<u64> {
    let (before, _) = text.split_once(" <")?;
    let number = before.rsplit([' ', ',', '\t']).next()?;
    u64::from_str_radix(number.trim_start_matches("0x"), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_block_of_a_function_is_its_loop() {
        let dump = ";; Function one (one, x)\n;;   total time = 1\n;;   total time = 12\n;;   total time = 0\n\
            ;; Function two (two, y)\n;;   total time = 7\n";
        assert_eq!(
            total_times(dump),
            [("one".to_owned(), 12), ("two".to_owned(), 7)]
        );
    }

    #[test]
    fn a_loop_ends_with_its_branch_backwards() {
        let listing = "00000000 <chase>:\n   0:\t8c820000 \tlw\tv0,0(a0)\n   4:\t8c420000 \tlw\tv0,0(v0)\n\
            \x20  8:\t1440fffe \tbnez\tv0,4 <chase+0x4>\n   c:\t00000000 \tnop\n  10:\t03e00008 \tjr\tra\n";
        let found = loops(listing, InstructionFamily::Mips);
        assert_eq!(
            found,
            [("chase".to_owned(), vec![0x8c42_0000, 0x1440_fffe, 0])]
        );
        let listing = "00000000 <chase>:\n   0:\t80 63 00 00 \tlwz     r3,0(r3)\n   4:\t2c 03 00 00 \tcmpwi   r3,0\n\
            \x20  8:\t40 82 ff f8 \tbne     0 <chase>\n   c:\t4e 80 00 20 \tblr\n";
        let found = loops(listing, InstructionFamily::PowerPc);
        assert_eq!(
            found,
            [(
                "chase".to_owned(),
                vec![0x8063_0000, 0x2c03_0000, 0x4082_fff8]
            )]
        );
    }
}
