#!/usr/bin/env python3
"""Writes the means of played readings as a table of bench-data/reference/readings, which has the experiments.

usage: scripts/readings.py RUN... [--again RUN]

All runs are of one experiment of that folder, with different seeds. A reading that was played again has the games of that run alone. A row is a reading, a column a rule or a figure: mean, standard
deviation and number of its games. How the tables were made: bench-data/reference/README.md.
"""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

csv.field_size_limit(1 << 30)
FIRING = ["method_free", "method_enough", "method_shortest", "method_partial", "method_value", "param_guarantee"]
DEFAULTS = {"setting_weights": "thesis"}
RULES = {
    "thesis-chains": FIRING + ["method_give_up", "setting_weights"],
    "thesis-matches": ["method_strike", "method_reply", "method_prepare", "param_guarantee"],
}


def key(row, rules):
    return tuple(row[rule] or DEFAULTS.get(rule, "") for rule in rules)


def read(runs):
    """The solved games of the runs: the variant, then the reading, then the seed."""
    games = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        with open(Path(run) / "records.csv") as records:
            for row in csv.DictReader(records):
                if row["outcome"] == "solved":
                    rules = RULES["thesis-matches" if row["problem"] == "versus" else "thesis-chains"]
                    # Potential maximization has no templates.
                    rules = FIRING if row["variant"] == "potential" else rules
                    games[row["variant"]][key(row, rules)][row["seed"]] = row
    return games


def number(row, measure):
    text = row.get("measure_" + measure, "")
    return float(text) if text else None


def values(games, measure, minus=None):
    """The values of the games; of two sets of games the differences by seed."""
    pairs = ((number(game, measure), number(minus[seed], measure) if minus else 0.0) for seed, game in games.items() if minus is None or seed in minus)
    return [one - other for one, other in pairs if one is not None and other is not None]


def cell(values):
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return f"{mean:.4f} {sd:.4f} {len(values)}"


def elo(won):
    """The share won as a difference in rating, with the deviation that its error has there."""
    share = sum(won) / len(won)
    deviation = 400 / math.log(10) / math.sqrt(share * (1 - share))
    return f"{400 * math.log10(share / (1 - share)):.4f} {deviation:.4f} {len(won)}"


def chains(games, again):
    for reading in sorted(games["combined"]):
        of = again if reading in again["combined"] else games
        own, other = of["combined"][reading], of["potential"][reading[: len(FIRING)]]
        row = {}
        for name, measure in [("chains", "chains"), ("attack", "attack"), ("moves", "moves")]:
            row[f"thesis/combined-{name}"] = values(own, measure)
            row[f"thesis/potential-{name}"] = values(other, measure)
        row["thesis/switch-09"] = row["thesis/combined-chains"]
        row["thesis/combined-below-8"] = values(own, "below_8")
        row["thesis/gain-chains"] = values(own, "chains", other)
        row["thesis/gain-attack"] = values(own, "attack", other)
        row["thesis/same-timing"] = values(own, "moves", other)
        yield reading, {figure: cell(of) for figure, of in row.items()}


def matches(games, _):
    for reading, played in sorted(games["combined"].items()):
        won = values(played, "win")
        yield reading, {"thesis/versus-share": cell(won), "thesis/versus-elo": elo(won)}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    runs, _, again = " ".join(sys.argv[1:]).partition("--again")
    games, again = read(runs.split()), read(again.split())
    name = "thesis-chains" if "potential" in games else "thesis-matches"
    rows = {"thesis-chains": chains, "thesis-matches": matches}[name](games, again)
    rules = [rule.split("_", 1)[1] for rule in RULES[name]]
    with open(f"bench-data/reference/readings/{name}.csv", "w", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        for at, (reading, row) in enumerate(rows):
            if at == 0:
                table.writerow(rules + list(row))
            table.writerow(list(reading) + list(row.values()))


main()
