"""Read one Parquet file in a process of its own: a damaged one can end the process that reads it.

Started by `concord.files.parquet`, with one JSON job per line on its input and one JSON answer per
line on its output. Nothing of Concord is imported here, so that the process starts quickly.
"""

import json
import sys
from typing import Any


def _answer(job: dict[str, Any]) -> dict[str, Any]:
    import polars as pl

    schema = pl.read_parquet_schema(job["path"])
    if job["columns"] is None:
        rows = pl.scan_parquet(job["path"]).select(pl.len()).collect().item()
        return {"header": list(schema), "rows": int(rows)}
    frame = pl.read_parquet(job["path"], columns=job["columns"])
    for column in frame.get_columns():
        size = _text_bytes(column)
        if size > job["text"]:
            return {"text": size, "column": column.name}
    frame.rechunk().write_ipc(job["out"], compat_level=pl.CompatLevel.newest())
    return {"done": True}


def _text_bytes(column: Any) -> int:
    """Count the bytes of all texts of a column, equal ones as often as they occur."""
    import polars as pl

    while isinstance(column.dtype, pl.List | pl.Array):
        column = column.explode()
    if column.dtype == pl.Binary:
        return int(column.bin.size().sum() or 0)
    if column.dtype == pl.String:
        return int(column.str.len_bytes().cast(pl.Int64).sum() or 0)
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        return int(column.cast(pl.String).str.len_bytes().cast(pl.Int64).sum() or 0)
    return 0


def _limit_memory(more: int) -> None:
    """Let the process take so many bytes more than it has: a file that wants more ends only it."""
    try:
        import resource
        from pathlib import Path

        held = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + more, held + more))
    except (ImportError, OSError, ValueError):
        return  # a system without such limits


def main() -> None:
    """Answer jobs until the input ends."""
    start = json.loads(sys.stdin.readline())
    sys.path[:] = start["path"]
    import polars as pl

    pl.Series([1.0, 2.0]).sum()  # threads and arenas are there before the limit is set
    _limit_memory(start["memory"])
    for line in sys.stdin:
        try:
            answer = _answer(json.loads(line))
        except BaseException as error:  # noqa: BLE001 - a panic of the engine derives from BaseException
            answer = {"error": str(error).split("\n", 1)[0][:300] or type(error).__name__}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
