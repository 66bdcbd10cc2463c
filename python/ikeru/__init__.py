"""Run folders of ikeru as data frames.

    import ikeru
    rows = ikeru.read("results/knapsack-20260101-120000")
    rows.attrs["units"]["wall_ns"]          # "ns"
    rows.attrs["comparisons"]               # the decisions, one row each
    ikeru.Run("results/knapsack-20260101-120000")   # in a notebook: the decisions as a table
"""

import csv
import html
import pathlib

__all__ = ["Run", "read"]

#: The types of columns.csv as those of pandas, and those of polars by name. A whole number may be missing.
_PANDAS = {"whole number": "Int64", "decimal number": "float64", "flag": "boolean", "text": "string", "hash": "string"}
_POLARS = {"whole number": "Int64", "decimal number": "Float64", "flag": "Boolean", "text": "String", "hash": "String"}


def _table(folder, name):
    path = pathlib.Path(folder) / name
    if not path.exists():
        raise FileNotFoundError(f"{path}: expected a run folder, as `ikeru run` writes it")
    return path


def _columns(folder):
    with open(_table(folder, "columns.csv"), encoding="utf-8", newline="") as file:
        return {row["column"]: row for row in csv.DictReader(file)}


def _unit(name):
    for end, unit in {"_ns": "ns", "_bytes": "bytes"}.items():
        if name.endswith(end):
            return unit
    return ""


def read(folder, frame="pandas"):
    """The samples of a run folder, one row each.

    `frame` is "pandas" or "polars". A frame of pandas has `attrs`: `units` by column, `about` by column, and
    `comparisons`, the decisions of the run as a frame. For polars, `Run` has them.

    Raises FileNotFoundError without a run folder, ValueError for another `frame`.
    """
    run = Run(folder)
    if frame == "polars":
        return run.polars("records.csv")
    if frame != "pandas":
        raise ValueError(f"frame is {frame!r}; expected 'pandas' or 'polars'")
    rows = run.pandas("records.csv")
    rows.attrs = {"units": run.units, "about": run.about, "comparisons": run.pandas("comparisons.csv")}
    return rows


class Run:
    """A run folder: `units` and `about` of its columns, its tables as frames, and the decisions in a notebook."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        columns = _columns(folder)
        self.about = {name: row["about"] for name, row in columns.items()}
        self.units = {name: _unit(name) for name in columns}
        self._types = {name: row["type"] for name, row in columns.items()}

    def pandas(self, table="records.csv"):
        """A table of the folder, such as summary.csv, as a frame of pandas; empty if the run has none of it."""
        import pandas

        if table == "comparisons.csv" and not (self.folder / table).exists():
            return pandas.DataFrame()
        types = None
        if table == "records.csv":
            types = {name: _PANDAS[kind] for name, kind in self._types.items() if kind in _PANDAS}
        return pandas.read_csv(_table(self.folder, table), dtype=types)

    def polars(self, table="records.csv"):
        """A table of the folder as a frame of polars."""
        import polars

        path = _table(self.folder, table)
        if table != "records.csv":
            return polars.read_csv(path)
        known = {name: getattr(polars, _POLARS[kind]) for name, kind in self._types.items() if kind in _POLARS}
        present = polars.read_csv(path, n_rows=0).columns
        return polars.read_csv(path, schema_overrides={name: known[name] for name in present if name in known})

    def _repr_html_(self):
        path = self.folder / "comparisons.csv"
        if not path.exists():
            return f"<p>{html.escape(str(self.folder))}: no comparison.</p>"
        with open(path, encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        line = lambda tag, row: "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"
        body = "".join(line("td", row) for row in rows)
        return f"<table><caption>{html.escape(str(self.folder))}</caption>{line('th', head)}{body}</table>"
