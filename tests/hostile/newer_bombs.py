"""More files that are small on disk and vast in time: logs, JSON lines, styles, marks, names."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
from tests.hostile.bombs import CHECK, PEOPLE, STRUCTURE, workbook

Write = Callable[[Path], Path]
COMPARE, PLAN, JUDGE, ANSWERS = ("compare",), ("plan", "items"), ("score", "judge"), ("score", "answers")
_HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}}}


def _sheet(rows: str) -> bytes:
    return f"<worksheet><sheetData>{rows}</sheetData></worksheet>".encode()


def _log(name: str, members: Callable[[], dict[str, str]]) -> Write:
    def write(folder: Path) -> Path:
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members().items():
                archive.writestr(member, content)
        return folder / name

    return write


def _samples(count: int) -> Write:
    sample = '{{"id": {0}, "epoch": 1, "input": "q{0}", "scores": {{"acc": {{"value": "C"}}}}}}'
    return _log(
        f"log{count}.eval",
        lambda: {
            "header.json": json.dumps(_HEADER),
            "summaries.json": f"[{','.join(sample.format(i) for i in range(count))}]",
        },
    )


def _scorers() -> dict[str, str]:
    samples = [
        {"id": i, "epoch": 1, "scores": {f"s{i}_{k}": {"value": "C"} for k in range(10)}}
        for i in range(60_000)
    ]
    return {"header.json": json.dumps(_HEADER), "summaries.json": json.dumps(samples)}


def _styles(folder: Path) -> Path:
    """Return a workbook of 400 KB whose 80,000 number formats are brackets that nothing closes."""
    formats = "".join(f'<numFmt numFmtId="{200 + i}" formatCode="{"[" * 999}"/>' for i in range(80_000))
    path = workbook(folder / "styles.xlsx", _sheet('<row><c s="0"><v>1</v></c></row>'))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/styles.xml", f"<styleSheet><numFmts>{formats}</numFmts></styleSheet>")
    return path


def _formulas(folder: Path) -> Path:
    rows = ("<row>" + "<c><f>A1+1</f></c>" * 10 + "</row>") * 90_000
    return workbook(folder / "formulas.xlsx", _sheet("<row><c><v>1</v></c></row>" + rows))


def _marks(folder: Path) -> Path:
    marks = "\u0301" * 15_000 + "\u0327" * 15_000
    (folder / "marks.csv").write_text(
        "item,score\n" + "".join(f"{i}a{marks},1\n" for i in range(38)), "utf-8"
    )
    return folder / "marks.csv"


def _lines(name: str, line: str, count: int) -> Write:
    def write(folder: Path) -> Path:
        (folder / name).write_text(f"{line}\n" * count, "utf-8")
        return folder / name

    return write


def _names(length: int, count: int) -> Write:
    def write(folder: Path) -> Path:
        frame = pl.DataFrame({"item": [f"{i}{'x' * length}" for i in range(count)], "score": [1] * count})
        frame.write_parquet(folder / "names.parquet", compression="zstd", statistics=False)
        return folder / "names.parquet"

    return write


def _rows(folder: Path) -> Path:
    n = 2_000_001
    pl.select(item=pl.int_range(n), score=pl.repeat(1, n, dtype=pl.Int8)).write_parquet(
        folder / "rows.parquet", compression="zstd"
    )
    return folder / "rows.parquet"


NEWER_BOMBS: dict[str, tuple[tuple[str, ...], Write]] = {
    "log of too many samples": (COMPARE, _samples(400_000)),
    "log of the most samples": (COMPARE, _samples(100_000)),
    "log of the most samples, judge": (JUDGE, _samples(100_000)),
    "log of scorers": (COMPARE, _log("scorers.eval", _scorers)),
    "brackets in styles": (PEOPLE, _styles),
    "brackets in styles, structure": (STRUCTURE, _styles),
    "formulas without results": (ANSWERS, _formulas),
    "marks behind letters": (COMPARE, _marks),
    "marks behind letters, people": (PEOPLE, _marks),
    "lines of ones": (CHECK, _lines("ones.jsonl", "1", 1_000_000)),
    "lines of ones, judge": (JUDGE, _lines("ones.jsonl", "1", 1_000_000)),
    "more lines than rows": (CHECK, _lines("ones.jsonl", "1", 2_500_000)),
    "broken lines": (CHECK, _lines("broken.jsonl", "x", 1_000_000)),
    "long names": (COMPARE, _names(15_000_000, 16)),
    "long names in sum": (COMPARE, _names(100_000, 2_500)),
    "one row too many": (COMPARE, _rows),
}
"""What each bomb is given to, and what writes it. `compare` gets it twice."""
