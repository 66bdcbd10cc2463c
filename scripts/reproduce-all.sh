#!/usr/bin/env bash
# Every built-in experiment at the articles' scale. Arguments go to `ikeru reproduce`:
#   scripts/reproduce-all.sh --out results/full
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec cargo run --release -- reproduce --full "$@"
