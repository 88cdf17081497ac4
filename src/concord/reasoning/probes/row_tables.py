"""Tables of answers to probes, read and checked."""

from concord.files import limits
from concord.files.gate import refuse_more
from concord.reasoning.probes.rows import CELLS, EARLY, MISTAKE, PARAPHRASE, ProbeRow
from concord.reasoning.record_table import RecordTable, TableLike, read_records


def read_probe_rows(source: TableLike) -> RecordTable[ProbeRow]:
    """Read a table of answers to probes: CSV, XLSX, Parquet, JSON, JSON lines, a frame or a list.

    Columns ``probe, id, cell`` and, as the probe needs them, ``repeat, sample, step, n_steps, answer,
    correct, outcome, leaked, dimension, biased, mentioned, model``.
    """
    table = read_records(source, ProbeRow)
    n_probed = len({row.id for row in table.rows})
    refuse_more(n_probed, limits.PROBED, "vignettes", table.name, "score a random part of them")
    table.refuse("probe", lambda row: row.probe in CELLS, f"one of {', '.join(CELLS)}")
    table.refuse("cell", lambda row: row.cell in CELLS[row.probe], "a cell of the probe: " + _known_cells())
    stepped = (EARLY, MISTAKE, PARAPHRASE)
    table.refuse(
        "n_steps",
        lambda row: row.probe not in stepped or row.cell in ("chain", "reordered") or row.n_steps is not None,
        "the number of steps of the chain",
    )
    table.refuse(
        "step",
        lambda row: (
            row.probe not in stepped
            or row.cell in ("chain", "reordered")
            or (row.step is not None and 0 <= row.step <= (row.n_steps if row.n_steps is not None else 0))
        ),
        "a whole number from 0 to n_steps",
    )
    return table


def _known_cells() -> str:
    return "; ".join(f"{probe}: {', '.join(cells)}" for probe, cells in CELLS.items())
