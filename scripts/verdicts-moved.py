#!/usr/bin/env python3
"""Compares the verdicts of a run of `ikeru reproduce` with those of another run, by default those of bench-data/reference.

    scripts/verdicts-moved.py RUN [OTHER]
    scripts/verdicts-moved.py RUN --keep

Exit code 1: a figure that both runs decided has another verdict. With --keep the verdicts of the run become those of bench-data/reference;
a figure that the run leaves open keeps the verdict that it had.
"""

import csv
import pathlib
import sys

REFERENCE = pathlib.Path(__file__).resolve().parent.parent / "bench-data" / "reference"
DECIDED = {"reproduced", "calibrated", "differs", "open rule", "erratum in the source"}
OPEN = {"undecided", "on the edge", "not measured in this run"}


def verdicts(folder):
    with open(pathlib.Path(folder) / "figures.csv", newline="") as file:
        return {row["id"]: row["verdict"] for row in csv.DictReader(file)}


def keep(here, before):
    with open(REFERENCE / "figures.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["id", "verdict"])
        for figure, verdict in here.items():
            table.writerow([figure, before.get(figure, verdict) if verdict in OPEN else verdict])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    here = verdicts(sys.argv[1])
    if sys.argv[2:] == ["--keep"]:
        return keep(here, verdicts(REFERENCE))
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
