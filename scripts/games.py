#!/usr/bin/env python3
"""Writes the games of a run folder as a table of stored games (bench-data/reference/games).

usage: scripts/games.py RUN MEASURE...

A row is a seed, a column a label and a measure of its game. Games whose seed one label lacks are left out, as are labels
without a value. How the tables that are there were made: bench-data/reference/README.md.
"""
import csv
import sys
from collections import defaultdict
from pathlib import Path

csv.field_size_limit(1 << 30)
run, measures = sys.argv[1], ["measure_" + name for name in sys.argv[2:]]
if not measures:
    sys.exit(__doc__)
games, labels, experiments = defaultdict(dict), set(), set()
with open(Path(run) / "records.csv") as records:
    for row in csv.DictReader(records):
        if row["outcome"] != "solved":
            sys.exit(f"{run}: seed {row['seed']} of {row['label']} is {row['outcome']}; expected solved games only")
        games[int(row["seed"])][row["label"]] = row
        labels.add(row["label"])
        experiments.add(row["experiment"])
if len(experiments) != 1:
    sys.exit(f"{run} has {len(experiments)} experiments; expected one")
whole = {seed: of for seed, of in sorted(games.items()) if len(of) == len(labels)}
columns = [
    (label, measure)
    for label in sorted(labels)
    for measure in measures
    if any(of[label][measure] for of in whole.values())
]
with open(f"bench-data/reference/games/{experiments.pop()}.csv", "w", newline="") as out:
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["seed"] + [f"{label}: {measure}" for label, measure in columns])
    for seed, of in whole.items():
        table.writerow([seed] + [of[label][measure] for label, measure in columns])
