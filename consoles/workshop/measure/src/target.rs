//! The targets whose code is counted: compiler options, tools, emulator, and Debian's packages.

use anyhow::{Context as _, Result};

/// A target of the Rust compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildTarget {
    /// Its triple.
    pub triple: &'static str,
    /// The processor for which the compiler makes code.
    pub cpu: &'static str,
    /// The prefix of GCC's tools, which link the program.
    pub tools: &'static str,
    /// QEMU's program for the target.
    pub emulator: &'static str,
    /// Debian's packages of the compiler and of the C library.
    pub packages: [&'static str; 2],
}

/// Every target.
pub const TARGETS: &[BuildTarget] = &[
    BuildTarget {
        triple: "mipsel-unknown-linux-gnu",
        // The standard library needs instructions that MIPS I lacks.
        cpu: "mips2",
        tools: "mipsel-linux-gnu",
        emulator: "qemu-mipsel",
        packages: ["gcc-mipsel-linux-gnu", "libc6-dev-mipsel-cross"],
    },
    BuildTarget {
        triple: "mips64el-unknown-linux-gnuabi64",
        cpu: "mips3",
        tools: "mips64el-linux-gnuabi64",
        emulator: "qemu-mips64el",
        packages: ["gcc-mips64el-linux-gnuabi64", "libc6-dev-mips64el-cross"],
    },
    BuildTarget {
        triple: "armv4t-unknown-linux-gnueabi",
        cpu: "arm7tdmi",
        tools: "arm-linux-gnueabi",
        emulator: "qemu-arm",
        packages: ["gcc-arm-linux-gnueabi", "libc6-dev-armel-cross"],
    },
    BuildTarget {
        triple: "armv5te-unknown-linux-gnueabi",
        cpu: "arm946e-s",
        tools: "arm-linux-gnueabi",
        emulator: "qemu-arm",
        packages: ["gcc-arm-linux-gnueabi", "libc6-dev-armel-cross"],
    },
    BuildTarget {
        triple: "arm-unknown-linux-gnueabi",
        cpu: "mpcore",
        tools: "arm-linux-gnueabi",
        emulator: "qemu-arm",
        packages: ["gcc-arm-linux-gnueabi", "libc6-dev-armel-cross"],
    },
    BuildTarget {
        triple: "powerpc-unknown-linux-gnu",
        cpu: "750",
        tools: "powerpc-linux-gnu",
        emulator: "qemu-ppc",
        packages: ["gcc-powerpc-linux-gnu", "libc6-dev-powerpc-cross"],
    },
    BuildTarget {
        triple: "powerpc64-unknown-linux-gnu",
        // LLVM has no processor `cell`, and for an unknown name it makes wrong conversions to floating point. `ppc64`
        // is its generic 64-bit PowerPC.
        cpu: "ppc64",
        tools: "powerpc64-linux-gnu",
        emulator: "qemu-ppc64",
        packages: ["gcc-powerpc64-linux-gnu", "libc6-dev-ppc64-cross"],
    },
    BuildTarget {
        triple: "aarch64-unknown-linux-gnu",
        cpu: "cortex-a57",
        tools: "aarch64-linux-gnu",
        emulator: "qemu-aarch64",
        packages: ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    },
];

/// The first target that starts with each of `names`; all targets if there are no names.
///
/// # Errors
/// A name that no target starts with.
pub fn targets(names: &[String]) -> Result<Vec<BuildTarget>> {
    if names.is_empty() {
        return Ok(TARGETS.to_vec());
    }
    let find = |name: &String| {
        let found = TARGETS
            .iter()
            .find(|target| target.triple.starts_with(name.as_str()));
        found.copied().with_context(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
            format!(
                "no target starts with `{name}`; known: {}",
                known.join(", ")
            )
        })
    };
    names.iter().map(find).collect()
}
