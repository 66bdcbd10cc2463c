#!/usr/bin/env bash
# Where one command of ikeru spends its time, by `perf`, with line numbers. Example:
#   scripts/profile.sh solve trail puzzle.txt --variant dfs+bound
# The recording stays in target/profile.data.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ $# -eq 0 ]]; then
    echo "usage: scripts/profile.sh COMMAND…   (a command line of ikeru, e.g. solve trail puzzle.txt)" >&2
    exit 2
fi
if ! command -v perf >/dev/null; then
    echo "scripts/profile.sh: perf is not installed (Linux: the package linux-perf or linux-tools)" >&2
    exit 2
fi
export CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
cargo build --release --config profile.release.strip=false --bin ikeru
perf record --call-graph dwarf --output target/profile.data -- "${CARGO_TARGET_DIR:-target}/release/ikeru" "$@"
perf report --input target/profile.data --stdio --no-children --percent-limit 1
