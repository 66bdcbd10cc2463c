#!/usr/bin/env python3
"""Compares the verdicts of a run of `ikeru reproduce` with those of another run, by default those of bench-data/reference.

    scripts/verdicts-moved.py RUN [OTHER]

Exit code 1: a figure that both runs decided has another verdict.
"""

import csv
import pathlib
import sys

REFERENCE = pathlib.Path(__file__).resolve().parent.parent / "bench-data" / "reference"
DECIDED = {"reproduced", "calibrated", "differs", "erratum in the source"}


def verdicts(folder):
    with open(pathlib.Path(folder) / "figures.csv", newline="") as file:
        return {row["id"]: row["verdict"] for row in csv.DictReader(file)}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    here = verdicts(sys.argv[1])
    there = verdicts(sys.argv[2] if len(sys.argv) == 3 else REFERENCE)
    both = [figure for figure in here if figure in there and {here[figure], there[figure]} <= DECIDED]
    moved = [figure for figure in both if here[figure] != there[figure]]
    print(f"{len(both) - len(moved)} of {len(both)} verdicts that both decided are equal")
    for figure in moved:
        print(f"moved: {figure}, {there[figure]} there, {here[figure]} here")
    for figure in here:
        if here[figure] not in DECIDED and there.get(figure) in DECIDED:
            print(f"open here: {figure}, {there[figure]} there")
    sys.exit(bool(moved))


main()
