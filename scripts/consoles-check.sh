#!/usr/bin/env bash
# Checks the model of the consoles against machines that were not made here, and writes consoles/validation.csv: the same
# object files counted under QEMU and timed on a GBA (libmgba) and a PS1 (beetle-psx, with a BIOS of our own), and
# benchmarks with published figures of consoles. Debian's packages only; a minute, most of it to build.
#
#   scripts/consoles-check.sh [FILE]
#
# IKERU_BENCHMARKS is a folder with the sources of CoreMark (coremark/) and nbench (nbench/), which are not ours to ship;
# without it their rows stay as they are. Exit code 77: a package is not to be had; 1: a row has left its band.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
here=$PWD
table=$(realpath -m "${1:-consoles/validation.csv}")
shipped=$here/consoles/validation.csv
check=$here/consoles/workshop/check
# The order of the marks in kernels.c.
kernels=(empty reach_planes reach_memo trail_bound path_sift path_scan chain_flood chain_groups memo bitboard store_stream)

# Installs the package $2 unless the file or program $1 is there.
need() {
    [[ -e $1 ]] || command -v "$1" >/dev/null && return
    apt-get install -y --no-install-recommends "$2" >/dev/null 2>&1 || { echo "skipped: the package $2 cannot be installed here" >&2; exit 77; }
}

cores=/usr/lib/x86_64-linux-gnu/libretro/mednafen_psx_libretro.so
need qemu-arm qemu-user
need /usr/include/mgba/core/core.h libmgba-dev
need "$cores" libretro-beetle-psx
for tools in arm-linux-gnueabi:armel mipsel-linux-gnu:mipsel mips64el-linux-gnuabi64:mips64el; do
    need "${tools%:*}-gcc" "gcc-${tools%:*}"
    need "/usr/${tools%:*}/lib/libc.a" "libc6-dev-${tools#*:}-cross"
done

built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
workshop=(--quiet --locked --manifest-path consoles/workshop/Cargo.toml --target-dir "$built")
cargo build "${workshop[@]}" -p ikeru-console-measure
CARGO_PROFILE_RELEASE_PANIC=abort cargo build "${workshop[@]}" --release -p ikeru-console-plugin
work=$built/consoles-check
mkdir -p "$work/bios"
cd "$work"

# The modelled cycles of the program in the words from $3 on, run by $2, on the console $1: a line a mark.
modelled() {
    "$built/debug/ikeru-console-measure" modelled --console "$1" --emulator "$2" \
        --plugin "$built/release/libikeru_console_plugin.so" "${@:3}" | sed 's/.*",//'
}

# Rows of what was timed (file $4) and modelled (file $5), with the marks' own cost taken off. $1 names the rows, $2 is
# the console, $3 against what. Only the last pass over the kernels counts.
rows() {
    paste -d, "$4" "$5" | awk -F, -v prefix="$1" -v console="$2" -v against="$3" -v names="${kernels[*]}" '
        { timed[NR - 1] = $1; for (end = 0; end < 3; end++) modelled[NR - 1, end] = $(3 + end) }
        END {
            split(names, name, " ")
            count = NR > 12 ? NR / 2 : NR
            first = NR - count
            for (at = first + 1; at < NR; at++) {
                for (end = 0; end < 3; end++) value[end] = modelled[at, end] - modelled[first, end]
                printf "%s-%s,\"%s\",\"%s\",emulator,cycles,%d,%d,%d,%d\n", prefix, name[at - first + 1], console, against,
                    timed[at] - timed[first], value[0], value[1], value[2]
            }
        }'
}

gba() {
    local cc="arm-linux-gnueabi-gcc -march=armv4t -mtune=arm7tdmi -marm -O2 -w"
    local bare="$cc -ffreestanding -fno-builtin -fno-stack-protector -fno-pic"
    gcc -O1 -w -o gba-run "$check/gba-run.c" -lmgba
    $bare -c "$check/kernels.c" -o kernels.o && $bare -c "$here/consoles/workshop/loops.c" -o loops.o
    $bare -c "$check/gba.c" -o gba.o && $bare -c "$check/gba.s" -o start.o
    $cc -static -o kernels "$check/linux.c" kernels.o loops.o
    local version placement code data wait console
    version="mGBA $(dpkg-query -W -f '${Version}' libmgba-dev | sed 's/[+-].*//')"
    while IFS=: read -r placement code data wait console; do
        sed "s/@CODE@/$code/; s/@DATA@/$data/; s/@WAIT@/$wait/" "$check/gba.ld" >gba.ld
        arm-linux-gnueabi-ld --no-warn-rwx-segments -z noexecstack -T gba.ld -o gba.elf start.o gba.o kernels.o loops.o "$($cc -print-libgcc-file-name)"
        arm-linux-gnueabi-objcopy -O binary gba.elf "$placement.gba"
        ./gba-run "$placement.gba" >timed
        modelled "$console" qemu-arm ./kernels | sed -n "1,$(wc -l <timed)p" >cycles
        rows "mgba-$placement" "$console" "$version" timed cycles
    done <<-'END'
	internal:internal:internal:0:GBA
	external:internal:external:0:GBA, tables in external RAM
	cartridge:cartridge:external:0x4317:GBA, code on the cartridge
	END
}

ps1() {
    local bare="mipsel-linux-gnu-gcc -march=mips1 -mtune=r3000 -mfp32 -mno-abicalls -fno-pic -G0 -O2 -ffreestanding -fno-builtin -fno-stack-protector -w"
    gcc -O1 -w -o ps1-run "$check/ps1-run.c" -ldl
    $bare -c "$check/kernels.c" -o kernels.o && $bare -c "$here/consoles/workshop/loops.c" -o loops.o
    $bare -c "$check/ps1.c" -o ps1.o && $bare -c "$check/ps1.s" -o start.o
    $bare -c "$check/twice.c" -o twice.o && $bare -c "$check/linux-mips.s" -o linux.o
    mipsel-linux-gnu-ld -static -Ttext 0x410000 -o kernels linux.o twice.o kernels.o loops.o
    mipsel-linux-gnu-ld -static -T "$check/ps1.ld" -o ps1.elf start.o ps1.o kernels.o loops.o
    for part in bios program; do mipsel-linux-gnu-objcopy -O binary -j ".$part" ps1.elf "$part.bin"; done
    truncate -s 512K bios.bin
    dd if=program.bin of=bios.bin bs=64K seek=1 conv=notrunc status=none
    for name in scph5500 scph5501 scph5502; do cp bios.bin "bios/$name.bin"; done
    # The core wants a program beside the BIOS, which never starts it.
    { printf 'PS-X EXE'; head -c 8 /dev/zero; printf '\0\0\1\200\0\0\0\0\0\0\1\200\0\10\0\0'; head -c 4064 /dev/zero; } >empty.exe
    ./ps1-run "$cores" bios empty.exe 2>/dev/null >timed
    modelled PS1 qemu-mipsel ./kernels >cycles
    rows mednafen PS1 "Mednafen (beetle-psx)" timed cycles
}

# What a console's owner measured: a line of 16 bytes that a stream of stores fills and writes back.
n64() {
    mips64el-linux-gnuabi64-gcc -march=mips3 -mtune=vr4300 -O2 -w -static -DSTREAMS -o kernels "$check/linux.c" "$check/kernels.c" "$here/consoles/workshop/loops.c"
    modelled N64 qemu-mips64el ./kernels | tail -n 1 | awk -F, '{
        lines = 262144 / 16
        printf "n64-memset,N64,\"n64brew.dev MIPS_Interface, memset of 64 bits\",hardware,cycles a line,71.24,%.2f,%.2f,%.2f\n", $2 / lines, $3 / lines, $4 / lines
    }'
}

# A row of a benchmark: higher is faster, so that the ends change places.
benchmark() {
    printf '%s,"%s","%s",hardware,"%s",%s,%.3f,%.3f,%.3f\n' "$@"
}

# CoreMark a MHz: name, console, published figure and source, tools, options, emulator.
coremark() {
    local name=$1 console=$2 figure=$3 source=$4 cc=$5 qemu=$6 level folder=$IKERU_BENCHMARKS/coremark
    for level in O2 O3; do
        $cc -$level -w -static -DITERATIONS=4 -DPERFORMANCE_RUN=1 -DFLAGS_STR='""' -I"$folder" -I"$folder/posix" \
            -Wl,--wrap=start_time,--wrap=stop_time -o coremark "$folder"/core_*.c "$folder/posix/core_portme.c" "$check/timed.c"
        modelled "$console" "$qemu" ./coremark 0 0 0x66 4 | awk -F, 'NR == 1 { printf "%f %f %f\n", 4e6 / $4, 4e6 / $3, 4e6 / $2 }' >rates
        read -r low mid high <rates
        benchmark "coremark-$name-$level" "$console" "$source" "CoreMark/MHz" "$figure" "$low" "$mid" "$high"
    done
}

# nbench's integer index: name, console, its clock in Hz, published index, tools, options, emulator.
nbench() {
    local name=$1 console=$2 hertz=$3 figure=$4 cc=$5 qemu=$6 level test word base folder=$IKERU_BENCHMARKS/nbench
    for level in O2 O3; do
        # What its Makefile finds out about the machine that compiles.
        mkdir -p found && touch found/{pointer.h,sysinfo.c,sysinfoc.c}
        $cc -$level -std=gnu89 -w -static -DLINUX -Ifound -Wl,--wrap=StartStopwatch,--wrap=StopStopwatch \
            -o nbench "$folder"/{nbench0,nbench1,emfloat,misc,sysspec,hardware}.c "$check/timed.c" -lm
        while IFS=: read -r word test base; do
            printf 'CUSTOMRUN=T\n%s=T\nALLSTATS=F\n' "$word" >COMMANDS
            "$qemu" ./nbench -cCOMMANDS | awk -F: -v test="$test" 'index($1, test) == 1 { print $2 * 10 }' >loops
            modelled "$console" "$qemu" ./nbench -cCOMMANDS | tail -n 1 |
                awk -F, -v loops="$(cat loops)" -v hertz="$hertz" -v base="$base" '{ for (end = 4; end > 1; end--) printf "%f ", loops / ($end / hertz) / base; print "" }'
        done >rates <<-'END'
	DONUMSORT:NUMERIC SORT:118.73
	DOEMF:FP EMULATION:9.0314
	DOIDEA:IDEA:220.21
	DOHUFF:HUFFMAN:112.93
	END
        awk '{ for (end = 1; end <= 3; end++) sum[end] += log($end) } END { for (end = 1; end <= 3; end++) printf "%f ", exp(sum[end] / NR); print "" }' rates >index
        read -r low mid high <index
        benchmark "nbench-$name-$level" "$console" "tux.org/~mayer/linux/results2.html" "integer index" "$figure" "$low" "$mid" "$high"
    done
}

benchmarks() {
    if [[ -z ${IKERU_BENCHMARKS:-} ]]; then
        grep -E '^(coremark|nbench)-' "$shipped" || true
        return
    fi
    local tools
    for tools in aarch64-linux-gnu:arm64 powerpc-linux-gnu:powerpc powerpc64-linux-gnu:ppc64; do
        need "${tools%:*}-gcc" "gcc-${tools%:*}"
        need "/usr/${tools%:*}/lib/libc.a" "libc6-dev-${tools#*:}-cross"
    done
    coremark switch Switch 3.7 "Snapdragon 810, 7402 at 2000 MHz (fm4dd/sbc-benchmarks)" "aarch64-linux-gnu-gcc -mcpu=cortex-a57" qemu-aarch64
    coremark 3ds 3DS 1.94 "Raspberry Pi 1B, the ARM11 at 700 MHz (fm4dd/sbc-benchmarks)" "arm-linux-gnueabi-gcc -march=armv6k -mtune=mpcore -marm" qemu-arm
    nbench wii Wii 729e6 5.863 "powerpc-linux-gnu-gcc -mcpu=750" qemu-ppc
    nbench ps3 PS3 3.2e9 6.803 "powerpc64-linux-gnu-gcc -mcpu=cell -mno-altivec -DLONG64" qemu-ppc64
}

{
    echo "row,console,against,known,unit,measured,low,modelled,high"
    gba
    ps1
    n64
    benchmarks
} >validation.csv
cp validation.csv "$table"

awk -F, 'NR > 1 {
    low = $(NF - 2); middle = $(NF - 1); high = $NF; measured = $(NF - 3)
    inside = measured >= low * 0.95 && measured <= high * 1.05
    within += middle / measured >= 0.75 && middle / measured <= 1.25
    if (!inside) { print "outside of its band: " $0 > "/dev/stderr"; outside++ }
} END {
    printf "%d rows, %d inside their bands, %d with a middle within 25 %%\n", NR - 1, NR - 1 - outside, within
    exit outside > 0
}' validation.csv
