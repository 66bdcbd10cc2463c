#!/usr/bin/env python3
"""Checks every verdict of a run folder against its row, with nothing but the standard library.

    scripts/verdict-check.py RUNFOLDER

From figures.csv alone: a sampled figure is decided where chance, corrected for all figures of the page and for all looks, is at
most 5 %, and on the side on which its interval lies; whatever else agrees or differs must be exact or leave no doubt. From records.csv: our values that are a plain median, mean, sum, minimum or
maximum of rows that bench-data/published names are computed again. It shares no code with the report.
Figures of stored games are computed from bench-data/reference/games.
Exit code 1: a verdict does not follow, or a value is another.
"""

import collections
import csv
import math
import pathlib
import statistics
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent.parent
STATISTICS = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "sum": math.fsum,
    "minimum": min,
    "maximum": max,
}
LEVEL = 0.05


def readings():
    """The allowed readings of each figure: mean, standard deviation and number of games."""
    rules = {}
    for path in (HERE / "bench-data" / "published").glob("*.toml"):
        declared = tomllib.loads(path.read_text()).get("rules", [])
        rules |= {rule["setting"]: [str(one) for one in rule["readings"]] for rule in declared}
    known = collections.defaultdict(list)
    for path in (HERE / "bench-data" / "reference" / "readings").glob("*.csv"):
        for row in csv.DictReader(open(path, newline="")):
            figures = {column: text for column, text in row.items() if "/" in column}
            if all(text in rules[column] for column, text in row.items() if column not in figures):
                for figure, text in figures.items():
                    known[figure].append([float(one) for one in text.split()])
    return known


READINGS = readings()


def number(text, missing):
    return float(text) if text else missing


def statistic_of(ours):
    """The statistic that our value is; None if it is something else."""
    kind = ours.get("is", {"statistic": "median"})
    return kind.get("statistic") if isinstance(kind, dict) else None


def follows(row, figure, together):
    """Whether the verdict follows from interval and band, and for a sampled figure from the chance of the page."""
    verdict = row["verdict"]
    if figure.get("verdict") == "checked":
        return verdict == "reproduced" and not row["ours"]
    if verdict in ("not comparable", "not measured in this run") or not row["ours"]:
        return verdict in ("not comparable", "not measured in this run", "undecided", "erratum in the source")
    if not row["band_low"] and not row["band_high"]:
        return verdict in ("erratum in the source", "not comparable")
    low, high = number(row["band_low"], -math.inf), number(row["band_high"], math.inf)
    ours = float(row["ours"])
    below, above = number(row["ours_low"], ours), number(row["ours_high"], ours)
    inside, outside = low <= below and above <= high, above < low or below > high
    claims = figure.get("claims")
    if verdict in ("open rule", "differs") and row["id"] in READINGS:
        # In standard errors, from the band outward; with some hundred readings, those beyond 4 are refuted.
        far = [max(low - mean, mean - high) / (deviation / math.sqrt(count) or 1e-9) for mean, deviation, count in READINGS[row["id"]]]
        return min(far) < 5 if verdict != "differs" else min(far) > 2.5
    if claims == "exists":
        # One row decides, and only for it. Of a largest value ours is that row.
        is_largest = statistic_of(figure["ours"]) == "maximum"
        agrees = ("reproduced", "erratum in the source") if ours >= low else ("undecided",)
        return verdict in agrees if is_largest else verdict != "differs"
    if row["chance"]:
        # Decided where chance alone is rare, and on the side of the estimate. Few samples all on one side of a single end decide
        # without their interval.
        is_decided = together <= LEVEL
        if verdict in ("undecided", "on the edge"):
            return not is_decided
        side = low <= ours <= high
        is_one_sided = not (row["band_low"] and row["band_high"])
        by_interval = inside if side else outside
        agrees = verdict in ("reproduced", "calibrated", "erratum in the source")
        return is_decided and agrees == side and (by_interval or is_one_sided)
    # What is exact or holds for all is decided by its smallest and largest sample: ours lies among them. So is one with a single
    # end that all samples lie beyond by a factor of ten. What remains is a model's band, or a count that repeats exactly.
    has_interval = bool(row["ours_low"] or row["ours_high"])
    end = low if math.isfinite(low) else high
    is_far = not (row["band_low"] and row["band_high"]) and end > 0 and not end / 10 < ours < end * 10
    is_exact = claims in ("exact", "for-all") or bool(row["corrected"] and not has_interval) or is_far
    if verdict in ("reproduced", "calibrated", "erratum in the source"):
        return low <= ours <= high if is_exact else inside and has_interval
    if verdict == "differs":
        return True if claims == "for-all" else not low <= ours <= high if is_exact else outside and has_interval
    is_closed = bool(row["ours_low"] and row["ours_high"])
    is_excused = is_exact or figure.get("_stopped")
    return verdict == "undecided" and (not is_closed or not (inside or outside) or bool(is_excused))


def holm(judged, looks):
    """The chance of each sampled figure, corrected for all of them and for the looks at each."""
    sampled = sorted((min(1.0, float(row["chance"]) * looks(row["id"])), row["id"]) for row in judged if row["chance"])
    largest, together = 0.0, {}
    for place, (chance, name) in enumerate(sampled):
        largest = max(largest, min(1.0, chance * (len(sampled) - place)))
        together[name] = largest
    return together


def stored_games():
    """The stored games of each experiment, as rows."""
    games = {}
    for path in (HERE / "bench-data" / "reference" / "games").glob("*.csv"):
        with open(path, newline="") as file:
            table = list(csv.DictReader(file))
        rows = {}
        for game in table:
            for column, measured in list(game.items())[1:]:
                label, measure = column.rsplit(": ", 1)
                cell = f"{label} {game['seed']}"
                known = {"experiment": path.stem, "cell": cell, "label": label, "instance_hash": game["seed"]}
                rows.setdefault(cell, known | {"outcome": "solved"})[measure] = measured
        games[path.stem] = list(rows.values())
    return games


def selected(records, ours):
    def fits(row):
        if row["experiment"] != ours["experiment"] or row["outcome"] != "solved":
            return False
        for column, wanted in ours.get("where", {}).items():
            words = wanted if isinstance(wanted, list) else [wanted]
            words = [str(word).lower() if isinstance(word, bool) else str(word) for word in words]
            have = row.get(column, "")
            same = any(have == word or is_same(have, word) for word in words)
            if not same:
                return False
        return True

    return [row for row in records if fits(row)]


def is_same(one, other):
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def field(row, column):
    """A number of the row; None where it has none. The time is CPU time on one thread, if that is the smaller one."""
    if column != "time_ns":
        return float(row[column]) if row.get(column) else None
    if not row.get("batch_ns"):
        return None
    wall = float(row["batch_ns"]) / float(row["iterations"])
    cpu = float(row.get("cpu_ns") or 0)
    return min(wall, cpu) if cpu > 0 and row["threads"] == "1" and row["mode"] != "contended" else wall


def value(rows, ours):
    """Our value again; None where it is no plain statistic of cells with one sample each."""
    if statistic_of(ours) not in STATISTICS:
        return None
    cells = [row["cell"] for row in rows]
    if not rows or len(cells) != len(set(cells)):
        return None
    # Instances count once: where some have more rows than others, a mean of rows is another value.
    of_each = collections.Counter(row["instance_hash"] for row in rows)
    if len(set(of_each.values())) > 1:
        return None
    above, _, below = ours.get("column", "time_ns").partition("/")
    values = []
    for row in rows:
        numbers = [field(row, column) for column in (above, below) if column]
        if None in numbers:
            return None
        values.append(numbers[0] / (numbers[1] if below else 1.0))
    return STATISTICS[statistic_of(ours)](values) / ours.get("divide_by", 1.0)


def main():
    folder = pathlib.Path(sys.argv[1])
    with open(folder / "figures.csv", newline="") as file:
        judged = list(csv.DictReader(file))
    csv.field_size_limit(1 << 24)
    with open(folder / "records.csv", newline="") as file:
        records = list(csv.DictReader(file))
    figures = {}
    for path in sorted((HERE / "bench-data" / "published").glob("*.toml")):
        for figure in tomllib.loads(path.read_text())["figures"]:
            figures[figure["id"]] = figure
    wrong, again = [], 0
    looks = tomllib.loads((folder / "run.toml").read_text()).get("looks", 0) or 1
    games = stored_games()

    def experiment(name):
        return figures.get(name, {}).get("ours", {}).get("experiment")

    together = holm(judged, lambda name: looks + (experiment(name) in games))
    for row in judged:
        figure = figures.get(row["id"])
        if figure is None:
            wrong.append(f"{row['id']}: not in bench-data/published")
            continue
        own = experiment(row["id"])
        figure["_stopped"] = any(one["experiment"] == own and one["outcome"] == "timeout" for one in records)
        if not follows(row, figure, together.get(row["id"], 1.0)):
            wrong.append(f"{row['id']}: `{row['verdict']}` does not follow from {row['ours_low']} … {row['ours']} … "
                         f"{row['ours_high']} and the band {row['band_low']} … {row['band_high']}")
        ours = figure.get("ours")
        if ours and row["ours"]:
            is_stored = row["reason"].startswith("Stored: of games")
            mine = value(selected(games[own] if is_stored else records, ours), ours)
            if mine is not None:
                again += 1
                if not math.isclose(mine, float(row["ours"]), rel_tol=1e-6, abs_tol=1e-9):
                    wrong.append(f"{row['id']}: ours is {row['ours']}, computed again {mine}")
    print(f"{len(judged)} figures: every verdict looked at, {again} values computed again, {len(wrong)} wrong")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
