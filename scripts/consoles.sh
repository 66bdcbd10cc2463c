#!/usr/bin/env bash
# Counts the training questions on the consoles' instruction sets: writes consoles/workshop/counts.csv. Debian's packages only.
#
#   scripts/consoles.sh [TARGET…] [-- OPTION…]
#
# TARGET is the start of a target's name (`armv5te`); without one all are counted. Rows of other targets stay as they are.
# OPTION goes to `ikeru-console-measure count`: --check runs everything twice, --every N asks each N-th question,
# --out FILE writes elsewhere, --against FILE compares. IKERU_CONSOLES is the folder for compiler and builds (about 3 GB,
# by default target/consoles). Exit code 77: a package is not to be had.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${IKERU_CONSOLES:-target/consoles}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
toolchain=$folder/toolchain

targets=() options=()
while (($#)); do
    if [[ $1 == -- ]]; then
        shift
        options=("$@")
        break
    fi
    targets+=("$1")
    shift
done

# Says which package is missing and gives up.
missing() {
    echo "skipped: the package $1 cannot be installed here" >&2
    exit 77
}

# Installs the package $2 unless the program $1 is there.
need() {
    command -v "$1" >/dev/null && return
    apt-get install -y --no-install-recommends "$2" >/dev/null 2>&1 || missing "$2"
}

# The package that $1 depends on whose name is like $2: the version in it moves.
dependency() {
    apt-cache depends "$1" 2>/dev/null | sed -n "s/.*Depends: \($2[0-9.]*\)\$/\1/p" | sed -n 1p
}

# Debian's newest compiler with the source of its standard library, unpacked beside the builds and not installed.
unpack_compiler() {
    [[ -x $toolchain/rustc ]] && return
    apt-get update >/dev/null 2>&1 || true
    local std llvm package
    std=$(dependency libstd-rust-web-dev libstd-rust-web-)
    llvm=$(dependency "${std:-libstd-rust-web}" libllvm)
    mkdir -p "$toolchain/packages"
    for package in rustc-web rust-web-src libstd-rust-web-dev "${std:-libstd-rust-web}" "${llvm:-libllvm}"; do
        (cd "$toolchain/packages" && apt-get download "$package" >/dev/null 2>&1) || missing "$package"
    done
    for package in "$toolchain"/packages/*.deb; do
        dpkg -x "$package" "$toolchain/root"
    done
    rm -r "$toolchain/packages"
    printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s/usr/lib/x86_64-linux-gnu RUSTC_BOOTSTRAP=1\nexec %s/usr/bin/rustc "$@"\n' \
        "$toolchain/root" "$toolchain/root" >"$toolchain/rustc"
    chmod +x "$toolchain/rustc"
}

# Whether the compiler knows the processor $2 of target $1. It only warns of one that it does not know, and then makes
# wrong code: on 64-bit PowerPC, whole numbers become wrong floating-point numbers.
knows_processor() {
    "$toolchain/rustc" --print target-cpus --target "$1" | awk -v name="$2" '$1 == name { found = 1 } END { exit !found }'
}

# Builds the probe for target $1, processor $2, with the tools $3.
build_probe() {
    local name
    knows_processor "$1" "$2" || { echo "$1: the compiler knows no processor \`$2\`" >&2; exit 1; }
    name=$(tr 'a-z-' 'A-Z_' <<<"$1")
    # All counts are of code that was optimized across crates, whatever the program itself is built with.
    env RUSTC="$toolchain/rustc" RUSTC_BOOTSTRAP=1 CARGO_PROFILE_RELEASE_PANIC=abort \
        CARGO_PROFILE_RELEASE_LTO=thin CARGO_PROFILE_RELEASE_CODEGEN_UNITS=4 \
        "CARGO_TARGET_${name}_LINKER=$3-gcc" \
        "CARGO_TARGET_${name}_RUSTFLAGS=-C target-cpu=$2 -C target-feature=+crt-static" \
        cargo build "${workshop[@]}" --release -p ikeru-console-probe -Zbuild-std=std,panic_abort \
        --target "$1" --target-dir "$folder/$1"
}

workshop=(--locked --manifest-path consoles/workshop/Cargo.toml)
built=${CARGO_TARGET_DIR:-target}
cargo build "${workshop[@]}" --target-dir "$built" -p ikeru-console-measure
CARGO_PROFILE_RELEASE_PANIC=abort cargo build "${workshop[@]}" --target-dir "$built" --release -p ikeru-console-plugin
measure=$built/debug/ikeru-console-measure

unpack_compiler
need qemu-arm qemu-user
"$measure" targets "${targets[@]}" >"$folder/targets"
while read -r target processor tools emulator compiler library; do
    need "$emulator" qemu-user
    need "$tools-gcc" "$compiler"
    [[ -f /usr/${tools}/lib/libc.a ]] || apt-get install -y --no-install-recommends "$library" >/dev/null 2>&1 || missing "$library"
    build_probe "$target" "$processor" "$tools"
done <"$folder/targets"

versions="rustc $("$toolchain/rustc" --version | cut -d' ' -f2), qemu $(qemu-arm --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')"
"$measure" count "${targets[@]}" --probes "$folder" --plugin "$built/release/libikeru_console_plugin.so" \
    --work "$folder/work" --toolchain "$versions" --out consoles/workshop/counts.csv "${options[@]}"
