#!/usr/bin/env bash
# Builds the wheel, installs it into an empty virtual environment, runs an experiment there and reads its folder as a frame.
# Needs Python with venv, and the packages maturin, pandas and polars, which pip fetches.
#
#     scripts/wheel.sh FOLDER
set -euo pipefail

[ $# = 1 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed 1d >&2; exit 2; }
mkdir -p "$1"
work=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 -m venv "$work/builder"
"$work/builder/bin/pip" install --quiet 'maturin>=1.7,<2'
# Man pages and completions: maturin takes the files of ikeru.data.
root=$PWD
trap 'rm -rf "$root/ikeru.data"' EXIT
cargo run --locked --quiet --release -p ikeru --example manual -- ikeru.data/data
"$work/builder/bin/maturin" build --quiet --locked --out "$work/wheel" > /dev/null
du -k "$work"/wheel/*.whl
python3 -m venv "$work/empty"
"$work/empty/bin/pip" install --quiet "$work"/wheel/*.whl pandas polars

test -s "$work/empty/share/man/man1/ikeru-run.1" -a -s "$work/empty/share/bash-completion/completions/ikeru"

cd "$work"
PATH="$work/empty/bin:$PATH"
rm -rf mine out
ikeru new mine > /dev/null
ikeru run mine/knapsack.toml -o out --instance 'items=20,' --quiet
python - <<'TEST'
import ikeru

rows = ikeru.read("out")
assert len(rows) == 40 and rows["label"].nunique() == 2, rows
assert {str(rows[name].dtype) for name in ("score", "repeat")} == {"Int64"}, rows.dtypes
assert rows.attrs["units"]["wall_ns"] == "ns" and rows.attrs["about"]["label"]
assert set(rows.attrs["comparisons"]["decision"]) <= {"better", "worse", "same", "undecided"}
assert ikeru.read("out", "polars")["score"].sum() == rows["score"].sum()
assert "<td>swaps</td>" in ikeru.Run("out")._repr_html_()
for folder, error in (("mine", FileNotFoundError), ("out", ValueError)):
    try:
        ikeru.read(folder, "table")
    except error as found:
        assert "expected" in str(found), found
    else:
        raise AssertionError(folder)
print(rows.groupby("label")["score"].mean().to_dict())
TEST
