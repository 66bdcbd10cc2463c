#!/usr/bin/env python3
"""Checks every verdict of a run folder against its row, with nothing but the standard library.

    scripts/verdict-check.py RUNFOLDER

From figures.csv alone: an interval wholly inside its band agrees, one wholly outside differs, and whatever
agrees or differs without an interval must be exact. From records.csv: our values that are a plain median, mean, sum, minimum or
maximum of rows that bench-data/published names are computed again. It shares no code with the report.
Exit code 1: a verdict does not follow, or a value is another.
"""

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
PLAIN = {"experiment", "where", "column", "statistic", "divide_by"}


def number(text, missing):
    return float(text) if text else missing


def follows(row, figure):
    """Whether the verdict follows from interval and band."""
    verdict = row["verdict"]
    if verdict in ("not comparable", "not measured in this run") or not row["ours"]:
        return verdict in ("not comparable", "not measured in this run", "undecided", "erratum in the source")
    if not row["band_low"] and not row["band_high"]:
        return verdict in ("erratum in the source", "not comparable")
    low, high = number(row["band_low"], -math.inf), number(row["band_high"], math.inf)
    ours = float(row["ours"])
    below, above = number(row["ours_low"], ours), number(row["ours_high"], ours)
    inside, outside = low <= below and above <= high, above < low or below > high
    has_interval = bool(row["ours_low"] or row["ours_high"])
    if figure.get("claims") == "exists":
        # One row decides, and only for it. Of a largest value ours is that row.
        is_largest = figure["ours"].get("statistic") == "maximum"
        return verdict == ("reproduced" if ours >= low else "undecided") if is_largest else verdict != "differs"
    # An exact figure is decided by its smallest and largest sample: ours lies among them. So is one with a single bound
    # that five samples lie on one side of, or that all lie beyond by a factor of ten.
    is_exact = bool(figure.get("exact") or (row["corrected"] and not has_interval))
    is_one_sided = not (row["band_low"] and row["band_high"])
    end = low if math.isfinite(low) else high
    is_far = end > 0 and not end / 10 < ours < end * 10
    by_samples = is_exact or (is_one_sided and (int(row["sampled"] or 0) >= 5 or is_far))
    if verdict in ("reproduced", "calibrated", "erratum in the source"):
        return low <= ours <= high if by_samples else inside and has_interval
    if verdict == "differs":
        return not low <= ours <= high if by_samples else outside and has_interval
    # Undecided is wrong where a closed interval lies on one side. Timeouts open an interval, and an exact figure is
    # decided by its smallest and largest sample: neither stands in figures.csv.
    is_closed = bool(row["ours_low"] and row["ours_high"])
    is_excused = figure.get("exact") or figure.get("_stopped")
    return verdict == "undecided" and (not is_closed or not (inside or outside) or bool(is_excused))


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
    if set(ours) - PLAIN or ours.get("statistic", "median") not in STATISTICS:
        return None
    cells = [row["cell"] for row in rows]
    if not rows or len(cells) != len(set(cells)):
        return None
    above, _, below = ours.get("column", "time_ns").partition("/")
    values = []
    for row in rows:
        numbers = [field(row, column) for column in (above, below) if column]
        if None in numbers:
            return None
        values.append(numbers[0] / (numbers[1] if below else 1.0))
    return STATISTICS[ours.get("statistic", "median")](values) / ours.get("divide_by", 1.0)


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
    for row in judged:
        figure = figures.get(row["id"])
        if figure is None:
            wrong.append(f"{row['id']}: not in bench-data/published")
            continue
        own = figure.get("ours", {}).get("experiment")
        figure["_stopped"] = any(one["experiment"] == own and one["outcome"] == "timeout" for one in records)
        if not follows(row, figure):
            wrong.append(f"{row['id']}: `{row['verdict']}` does not follow from {row['ours_low']} … {row['ours']} … "
                         f"{row['ours_high']} and the band {row['band_low']} … {row['band_high']}")
        ours = figure.get("ours")
        if ours and row["ours"]:
            mine = value(selected(records, ours), ours)
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
