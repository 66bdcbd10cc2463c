#!/usr/bin/env bash
# Packs every crate as for a registry and installs the program from the packed files alone: a registry of one's own that is a
# folder. Prints the sizes of the packed crates.
#
#     scripts/packed.sh FOLDER
set -euo pipefail

[ $# = 1 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed 1d >&2; exit 2; }
mkdir -p "$1"
work=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo package --workspace --exclude cheats --exclude own-problem --no-verify --allow-dirty --quiet --target-dir "$work/target" 2> "$work/packed.log" ||
    { cat "$work/packed.log" >&2; exit 1; }
cargo vendor --locked --quiet "$work/registry" > /dev/null
for packed in "$work"/target/package/ikeru*.crate; do
    du -k "$packed"
    tar xzf "$packed" -C "$work/registry"
    sum=$(sha256sum "$packed" | cut -d' ' -f1)
    echo "{\"files\":{},\"package\":\"$sum\"}" > "$work/registry/$(basename "$packed" .crate)/.cargo-checksum.json"
done

# Outside of the workspace, so that nothing but the packed files is there.
cd "$work"
cargo install ikeru --locked --offline --debug --quiet --root "$work/root" --target-dir "$work/build" \
    --config 'source.crates-io.replace-with="packed"' --config "source.packed.directory=\"$work/registry\""
"$work/root/bin/ikeru" --version
