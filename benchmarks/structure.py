"""Time what structural consistency promises: reading workbooks, and intervals on a large table.

Run it with `python benchmarks/structure.py [--models N]`; it writes its files into a temporary folder and
prints one line per promise. Nothing here is random without a seed.
"""

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from concord.structure.read.folder import read_folders
from concord.structure.read.long import read_long
from concord.structure.records import ReadOptions, ScoreOptions, ScoreSet
from concord.structure.score.definitions import across_gaps, counted, fixed_m_cells, paired_table, peak_gaps
from concord.structure.score.models import score

SHEETS, ROWS = 24, 1500
ITEMS, ARRANGEMENTS, SAMPLES = 1554, 23, 8


def write_workbooks(folder: Path, n_models: int) -> None:
    """Write workbooks shaped like those of the source: seven columns, the last one the score."""
    import xlsxwriter

    rng = np.random.default_rng(0)
    for side in ("baseline_mean", "baseline_max"):
        (folder / side).mkdir()
    for m in range(n_models):
        base = np.round(rng.random((SHEETS, ROWS, 4)) * 0.8, 6)
        for side, shift in (("baseline_mean", 0.0), ("baseline_max", 0.1)):
            book = xlsxwriter.Workbook(folder / side / f"model-{m:02d}.xlsx")
            for s in range(SHEETS):
                sheet, name = book.add_worksheet(f"P{s:02d}"), f"P{s:02d}"
                sheet.write_row(
                    0, 0,
                    ["Idiom", "Reference", f"{name}_Prediction", f"{name}_CrossEncoder",
                     f"{name}_Representation", f"{name}_F1_Content", f"{name}_S_Acc"],
                )  # fmt: skip
                for i in range(ROWS):
                    text = [f"成语{i}", "made-up reference", f"made-up explanation {i}"]
                    sheet.write_row(i + 1, 0, [*text, *(base[s, i] + shift)])
            book.close()


def write_parquet(path: Path, n_models: int) -> None:
    """Write raw samples in a long table."""
    rng = np.random.default_rng(1)
    shape = (n_models, ARRANGEMENTS, ITEMS, SAMPLES)
    centre = 0.5 + 0.1 * rng.normal(size=(1, 1, ITEMS, 1)) + 0.02 * rng.normal(size=(1, ARRANGEMENTS, 1, 1))
    y = np.clip(centre + 0.1 * rng.normal(size=shape), 0, 1).ravel()
    index = np.indices(shape, dtype=np.int32).reshape(4, -1)
    names = [
        pl.Series([f"model-{m:02d}" for m in range(n_models)]),
        pl.Series([f"P{p:02d}" for p in range(ARRANGEMENTS)]),
        pl.Series([f"成语{i}" for i in range(ITEMS)]),
    ]
    columns = {
        name: series.gather(index[k])
        for k, (name, series) in enumerate(zip(("model", "arrangement", "item"), names, strict=True))
    }
    pl.DataFrame({**columns, "sample": index[3], "S_Acc": y}).write_parquet(path)


def timed(action: Callable[[], object]) -> float:
    """Wall time of an action."""
    gc.collect()
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def read_with_pandas(folder: Path) -> None:
    """Read the same workbooks with pandas and openpyxl."""
    import pandas as pd

    for side in ("baseline_mean", "baseline_max"):
        for path in sorted((folder / side).glob("*.xlsx")):
            pd.read_excel(path, sheet_name=None, engine="openpyxl")


def time_reading(folder: Path, n_models: int) -> None:
    """Compare reading times on the same files."""
    write_workbooks(folder, n_models)
    mean, largest = folder / "baseline_mean", folder / "baseline_max"
    ours = timed(lambda: read_folders(mean, largest, ReadOptions()))
    theirs = timed(lambda: read_with_pandas(folder))
    print(
        f"reading {n_models} models x 2 workbooks x {SHEETS} sheets x {ROWS} rows: "
        f"Concord {ours:.2f} s, pandas + openpyxl {theirs:.2f} s, ratio {ours / theirs:.3f} (promise: 0.100)"
    )


def point_estimates(data: ScoreSet) -> None:
    """Compute every number without its uncertainty."""
    for model in data.models:
        whole = counted(model, np.ones(len(model.arrangements), dtype=np.bool_))
        paired_table(whole).gaps()
        peak_gaps(whole.mean, whole.maximum)
        across_gaps(whole.mean)
        fixed_m_cells(model, ScoreOptions())


def time_intervals(path: Path) -> None:
    """Compare everything with reading plus point estimates; runs in a process of its own."""
    options = ReadOptions()
    base = timed(lambda: point_estimates(read_long(path, options)))
    whole = timed(lambda: score(read_long(path, options), ScoreOptions(definition="paired")))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{path.stem}: reading + point estimates {base:.2f} s, with all intervals {whole:.2f} s, "
        f"ratio {whole / base:.2f} (promise: 3.00), peak memory {peak:.0f} MB (promise: 1000)"
    )


def main() -> None:
    """Run all of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--intervals", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.intervals is not None:
        time_intervals(arguments.intervals)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        time_reading(folder, arguments.models)
        size = f"{ITEMS} items x {ARRANGEMENTS} arrangements x {SAMPLES} samples x {arguments.models} models"
        path = folder / f"{size}.parquet"
        write_parquet(path, arguments.models)
        subprocess.run([sys.executable, __file__, "--intervals", str(path)], check=True)


if __name__ == "__main__":
    main()
