//! Kernel crate with `unsafe`: QEMU's plugin interface, version 1 (QEMU 6 to 8), around [`ikeru_scoreboard`].
//!
//! Arguments: `out=FILE` receives the sums, `full=on` adds branches and caches, `caches=NAME:INSTRUCTION:DATA:SECOND`
//! (once per console) describes the caches. A `sched_yield` of the program is a mark: the sums since the previous
//! mark are written. One thread only: QEMU's user mode runs a program of one thread in one thread.
#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io::Write as _;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

use ikeru_scoreboard::{InstructionFamily, Meter};

type Id = u64;

#[repr(C)]
struct TranslatedBlock {
    _opaque: [u8; 0],
}

#[repr(C)]
struct GuestInstruction {
    _opaque: [u8; 0],
}

/// The first fields of QEMU's `qemu_info_t`; the others are not read.
#[repr(C)]
pub struct Info {
    target_name: *const c_char,
    minimum: c_int,
    current: c_int,
}

type OnSyscall = extern "C" fn(Id, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);

unsafe extern "C" {
    fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, call: extern "C" fn(Id, *mut TranslatedBlock));
    fn qemu_plugin_register_vcpu_tb_exec_cb(
        block: *mut TranslatedBlock,
        call: extern "C" fn(c_uint, *mut c_void),
        flags: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_tb_exec_inline(
        block: *mut TranslatedBlock,
        operation: c_int,
        sum: *mut c_void,
        amount: u64,
    );
    fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut GuestInstruction,
        call: extern "C" fn(c_uint, u32, u64, *mut c_void),
        flags: c_int,
        accesses: c_int,
        data: *mut c_void,
    );
    fn qemu_plugin_register_vcpu_syscall_cb(id: Id, call: OnSyscall);
    fn qemu_plugin_tb_n_insns(block: *const TranslatedBlock) -> usize;
    fn qemu_plugin_tb_vaddr(block: *const TranslatedBlock) -> u64;
    fn qemu_plugin_tb_get_insn(block: *const TranslatedBlock, at: usize) -> *mut GuestInstruction;
    fn qemu_plugin_insn_data(instruction: *const GuestInstruction) -> *const c_void;
    fn qemu_plugin_insn_size(instruction: *const GuestInstruction) -> usize;
    fn qemu_plugin_mem_is_store(info: u32) -> bool;
    fn qemu_plugin_mem_size_shift(info: u32) -> c_uint;
}

/// QEMU's code for "the callback reads no register".
const NO_REGISTERS: c_int = 0;
/// QEMU's code for "add to a 64-bit sum".
const ADD: c_int = 0;
/// QEMU's code for loads and stores.
const LOADS_AND_STORES: c_int = 3;

/// The version of the interface. QEMU reads it before it calls a function.
#[unsafe(no_mangle)]
pub static qemu_plugin_version: c_int = 1;

struct Plugin {
    meter: Meter,
    full: bool,
    big_endian: bool,
    /// The system call number of `sched_yield`.
    yields: i64,
    out: File,
}

static PLUGIN: AtomicPtr<Plugin> = AtomicPtr::new(std::ptr::null_mut());

/// The installed plugin. Callbacks run one after another, so only one of them holds the reference.
fn plugin() -> Option<&'static mut Plugin> {
    // SAFETY: set once by `qemu_plugin_install` to memory that is never freed; QEMU's user mode runs one thread of a
    // program with one thread, and no callback calls another.
    unsafe { PLUGIN.load(Ordering::Relaxed).as_mut() }
}

/// The entry point, which QEMU calls once before the program starts. A result other than 0 ends QEMU.
///
/// # Safety
/// The arguments must be as QEMU's interface describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: Id,
    info: *const Info,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU passes its description with a terminated name, and `count` terminated arguments.
    let (target, arguments) = unsafe {
        let arguments: Vec<&CStr> = match count {
            1.. => slice::from_raw_parts(arguments, count as usize)
                .iter()
                .map(|argument| CStr::from_ptr(*argument))
                .collect(),
            _ => Vec::new(),
        };
        (CStr::from_ptr((*info).target_name), arguments)
    };
    let target = target.to_string_lossy();
    let words = arguments.iter().map(|argument| argument.to_string_lossy());
    match Plugin::new(&target, words) {
        Ok(plugin) => PLUGIN.store(Box::leak(Box::new(plugin)), Ordering::Relaxed),
        Err(message) => {
            eprintln!("ikeru-console-plugin: {message}");
            return 1;
        }
    }
    // SAFETY: functions of QEMU with callbacks of the types that it expects.
    unsafe {
        qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
        qemu_plugin_register_vcpu_syscall_cb(id, system_called);
    }
    0
}

impl Plugin {
    fn new(target: &str, arguments: impl Iterator<Item = impl AsRef<str>>) -> Result<Self, String> {
        let (family, big_endian) = InstructionFamily::of_emulator(target)
            .ok_or_else(|| format!("no processor is known for the target `{target}`"))?;
        let yields = match target {
            "mipsel" | "mips" => 4162,
            "mips64el" | "mips64" => 5023,
            "aarch64" => 124,
            _ => 158,
        };
        let (mut full, mut out, mut caches) = (false, None, Vec::new());
        for argument in arguments {
            let argument = argument.as_ref();
            match argument.split_once('=') {
                Some(("full", "on")) => full = true,
                Some(("caches", text)) => caches.push(text.parse()?),
                Some(("out", file)) => {
                    let created = File::create(file);
                    out = Some(created.map_err(|error| format!("{file}: {error}"))?);
                }
                _ => {
                    return Err(format!(
                        "unknown argument `{argument}`; expected out=FILE, full=on, caches=…"
                    ));
                }
            }
        }
        Ok(Self {
            meter: Meter::new(family, caches),
            full,
            big_endian,
            yields,
            out: out.ok_or("missing argument out=FILE")?,
        })
    }
}

extern "C" fn translated(_id: Id, block: *mut TranslatedBlock) {
    let Some(plugin) = plugin() else { return };
    // SAFETY: QEMU's block is valid during this call, and so are its instructions and their bytes.
    let (address, instructions) = unsafe {
        let count = qemu_plugin_tb_n_insns(block);
        let instructions: Vec<*mut GuestInstruction> = (0..count)
            .map(|at| qemu_plugin_tb_get_insn(block, at))
            .collect();
        (qemu_plugin_tb_vaddr(block), instructions)
    };
    let mut bytes = 0;
    let word = |instruction: &*mut GuestInstruction| {
        // SAFETY: as above; the data have `size` bytes.
        let data = unsafe {
            let size = qemu_plugin_insn_size(*instruction);
            slice::from_raw_parts(qemu_plugin_insn_data(*instruction).cast::<u8>(), size)
        };
        bytes += data.len() as u64;
        InstructionFamily::word(data, plugin.big_endian)
    };
    let words: Vec<Option<u32>> = instructions.iter().map(word).collect();
    let number = plugin.meter.block(address, &words, bytes);
    if plugin.full {
        let data = std::ptr::without_provenance_mut::<c_void>(number);
        // SAFETY: registered for this block; the pointer holds a number and is never dereferenced.
        unsafe {
            qemu_plugin_register_vcpu_tb_exec_cb(block, entered, NO_REGISTERS, data);
            for instruction in instructions {
                let nothing = std::ptr::null_mut();
                qemu_plugin_register_vcpu_mem_cb(
                    instruction,
                    accessed,
                    NO_REGISTERS,
                    LOADS_AND_STORES,
                    nothing,
                );
            }
        }
    } else if let Some(executions) = plugin.meter.executions(number) {
        // SAFETY: the sum is boxed and never freed; the program has one thread.
        unsafe {
            qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, executions.as_ptr().cast(), 1);
        }
    }
}

extern "C" fn entered(_processor: c_uint, block: *mut c_void) {
    if let Some(plugin) = plugin() {
        plugin.meter.enter(block.addr());
    }
}

extern "C" fn accessed(_processor: c_uint, info: u32, address: u64, _data: *mut c_void) {
    // SAFETY: `info` is the description that QEMU passed to this call.
    let (stores, shift) = unsafe {
        (
            qemu_plugin_mem_is_store(info),
            qemu_plugin_mem_size_shift(info),
        )
    };
    if let Some(plugin) = plugin() {
        plugin.meter.access(address, stores, 1 << shift);
    }
}

extern "C" fn system_called(
    _id: Id,
    _processor: c_uint,
    number: i64,
    _a: u64,
    _b: u64,
    _c: u64,
    _d: u64,
    _e: u64,
    _f: u64,
    _g: u64,
    _h: u64,
) {
    let Some(plugin) = plugin().filter(|plugin| plugin.yields == number) else {
        return;
    };
    let sums = plugin.meter.mark();
    if let Err(error) = plugin.out.write_all(sums.as_bytes()) {
        eprintln!("ikeru-console-plugin: {error}");
        std::process::exit(1);
    }
}
