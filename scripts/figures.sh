#!/usr/bin/env bash
# Measures the solvers' figures and writes bench-data/reference/kernels.txt: each command with what it printed.
#   scripts/figures.sh            # on a machine that does nothing else; a few minutes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --release --locked --quiet -p ikeru-trail --example proofs
cargo build --release --locked --quiet -p ikeru-chain --example simulators
cargo build --release --locked --quiet -p ikeru-policy --example games
programs=${CARGO_TARGET_DIR:-target}/release

# Written by hand.
limits=$(sed -n '/^Limits/,$p' bench-data/reference/kernels.txt)

# The words as a shell reads them.
quoted() {
    local word
    for word; do
        if [[ -z $word || $word == *' '* ]]; then printf "'%s' " "$word"; else printf '%s ' "$word"; fi
    done
}

# A heading, a sentence, and what a program of the workspace prints.
figure() {
    local heading=$1 sentence=$2
    shift 2
    printf '\n%s\n\n%s\n\n    $ %s\n' "$heading" "$sentence" "$(quoted "$@" | sed 's/ $//')"
    "$programs/$1" "${@:2}" | sed 's/^/    /; s/ *$//'
}

{
    printf 'Figures of the solvers, made by `scripts/figures.sh` on %s, %s cores, %s. Times depend on the machine; counters do not.\nLoad average before: %s.\n' \
        "$(sed -n '/^model name/{s/[^:]*: //p;q}' /proc/cpuinfo)" "$(nproc)" "$(rustc --version)" "$(cut -d" " -f1 /proc/loadavg)"
    figure 'trail: 5×7 boards' 'Time to the proof over random boards of the article'"'"'s mix, the best of three runs per board.' \
        examples/proofs lagrangian 50000 100 preset=5x7
    figure 'trail: 7×7 boards' 'The same on the larger preset.' \
        examples/proofs lagrangian 50000 100 preset=7x7
    figure 'trail: 10×10 boards' 'The same, ten boards.' \
        examples/proofs lagrangian 50000 10 width=10
    figure 'chain: simulators' 'All simulators on the same fields, interleaved in one process; every result is compared.' \
        examples/simulators 100000
    for templates in stairs sandwich stairs+sandwich; do
        figure "build: a move of \`template\`, $templates" 'Twenty games at depth 3; each is played five times and its shortest time taken.' \
            examples/games template '' "goal=template templates=$templates" 10001 20
    done
    printf '\n%s\n' "$limits"
} >bench-data/reference/kernels.txt
echo bench-data/reference/kernels.txt
