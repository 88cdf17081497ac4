"""Files that are small on disk and vast in memory or time; each is written by a function of its name."""

import json
import os
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import polars as pl

Bomb = tuple[str, tuple[str, ...], Callable[[Path], Path]]
DATA = Path(__file__).parents[1] / "data" / "hostile"


def _sheet(rows: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="http://schemas.openxmlformats.org/'
        f'spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    ).encode()


def workbook(path: Path, sheet: bytes, *, strings: bytes | None = None) -> Path:
    """Write a workbook of one sheet from its XML."""
    main = "http://schemas.openxmlformats.org"
    parts = {
        "[Content_Types].xml": b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "xl/workbook.xml": (
            f'<workbook xmlns="{main}/spreadsheetml/2006/main" xmlns:r="{main}/officeDocument/2006/'
            'relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
        ).encode(),
        "xl/_rels/workbook.xml.rels": (
            f'<Relationships xmlns="{main}/package/2006/relationships"><Relationship Id="r1" '
            'Target="worksheets/sheet1.xml" Type="x"/></Relationships>'
        ).encode(),
        "xl/worksheets/sheet1.xml": sheet,
    }
    if strings is not None:
        parts["xl/sharedStrings.xml"] = strings
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def far_cell(folder: Path) -> Path:
    row = '<row r="1"><c r = "A1" t="inlineStr"><is><t>a</t></is></c></row>'
    return workbook(
        folder / "far.xlsx", _sheet(row + '<row r="1048576"><c r = "XFD1048576"><v>1</v></c></row>')
    )


def far_row(folder: Path) -> Path:
    row = '<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999"><c><v>1</v></c></row>'
    return workbook(folder / "far_row.xlsx", _sheet(row))


def shared_strings(folder: Path) -> Path:
    strings = f'<sst xmlns="x"><si><t>{"x" * 1_000_000}</t></si></sst>'.encode()
    cells = "".join(f'<row r="{i}"><c r="A{i}" t="s"><v>0</v></c></row>' for i in range(1, 60_001))
    return workbook(folder / "shared.xlsx", _sheet(cells), strings=strings)


def long_strings(folder: Path) -> Path:
    strings = f'<sst xmlns="x"><si><t>{"x" * 32_000}</t></si></sst>'.encode()
    cells = "".join(f'<row r="{i}"><c r="A{i}" t="s"><v>0</v></c></row>' for i in range(1, 60_001))
    return workbook(folder / "long_strings.xlsx", _sheet(cells), strings=strings)


def commented_cells(folder: Path) -> Path:
    row = '<row r="1"><c r="A1" t="e"><f>1</f><v>#REF!</v></c></row>'
    return workbook(folder / "redos.xlsx", _sheet(f"<!--{'<c ' * 40_000}-->{row}"))


def many_elements(folder: Path) -> Path:
    return workbook(folder / "elements.xlsx", _sheet("<a/>" * 12_000_000))


def declared_zip(folder: Path) -> Path:
    return workbook(folder / "zip.xlsx", _sheet(" " * 300_000_000))


def _eval(path: Path, members: dict[str, bytes], *, lie: bool = False) -> Path:
    """Write a log whose members are packed with Zstandard, declared as 100 bytes where they lie."""
    import zstandard

    packed = [(name, zstandard.ZstdCompressor().compress(data), zlib.crc32(data), 100 if lie else len(data))
              for name, data in members.items()]  # fmt: skip
    return _archive(path, packed)


def _archive(path: Path, members: list[tuple[str, bytes, int, int]]) -> Path:
    """Write a ZIP archive of members that are packed already: name, bytes, checksum, declared size."""
    body, entries = BytesIO(), BytesIO()
    for name, packed, checksum, size in members:
        common = struct.pack("<5H3I", 20, 0, 93, 0, 0, checksum, len(packed), size)
        at = body.tell()
        body.write(b"PK\x03\x04" + common + struct.pack("<2H", len(name), 0) + name.encode() + packed)
        entries.write(
            b"PK\x01\x02" + struct.pack("<H", 20) + common
            + struct.pack("<5H2I", len(name), 0, 0, 0, 0, 0, at) + name.encode()
        )  # fmt: skip
    listed = entries.getvalue()
    end = struct.pack(
        "<4s4H2IH", b"PK\x05\x06", 0, 0, len(members), len(members), len(listed), body.tell(), 0
    )
    path.write_bytes(body.getvalue() + listed + end)
    return path


def zstandard_log(folder: Path) -> Path:
    return _eval(folder / "zstd.eval", {"header.json": bytes(400 * 2**20)}, lie=True)


def zstandard_log_of_zeros(folder: Path) -> Path:
    """Return a log of 130 KB whose header is declared as 100 bytes and holds 4 GiB."""
    import zstandard

    packer = zstandard.ZstdCompressor().compressobj()
    packed = b"".join([*(packer.compress(bytes(2**24)) for _ in range(256)), packer.flush()])
    return _archive(folder / "zeros.eval", [("header.json", packed, 0, 100)])


def journal_log(folder: Path) -> Path:
    start = json.dumps({"eval": {"task": "t", "model": "m"}, "status": "started"}).encode()
    part = b"[" + b'{"id":1},' * 4_000_000 + b'{"id":1}]'
    names = {f"_journal/summaries/{i}.json": part for i in range(12)}
    return _eval(folder / "journal.eval", {"_journal/start.json": start, **names})


def sparse(name: str, start: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(start)
        os.truncate(path, 3 * 2**30)
        return path

    return write


def dictionary_parquet(folder: Path) -> Path:
    """Return a file of 10 KB with 10^6 rows of 20 KB each: one text, named a million times."""
    return Path(shutil.copy(DATA / "dict_bomb.parquet", folder / "dict.parquet"))


def rows_parquet(folder: Path) -> Path:
    frame = pl.select(
        item=pl.repeat(1, 30_000_000, dtype=pl.Int8), score=pl.repeat(1, 30_000_000, dtype=pl.Int8)
    )
    frame.write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def many_rows_parquet(folder: Path) -> Path:
    n = 4_900_000
    names = ("model", "arrangement", "item", "S_mean", "S_max")
    frame = pl.select([pl.repeat(1, n, dtype=pl.Int8).alias(name) for name in names])
    frame.write_parquet(folder / "many.parquet")
    return folder / "many.parquet"


def columns_csv(count: int, *, same: bool = False) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        names = ",".join("same" if same else f"c{i}" for i in range(count))
        path = folder / f"columns{count}{same}.csv"
        path.write_text(f"{names}\n{',' * (count - 1)}\n", "utf-8")
        return path

    return write


def commas_csv(folder: Path) -> Path:
    path = folder / "commas.csv"
    path.write_text("a,b\n" + ("," * 9_999 + "\n") * 10_000, "utf-8")
    return path


def objects_json(folder: Path) -> Path:
    path = folder / "objects.json"
    path.write_text("[" + "{}," * 6_000_000 + "{}]", "utf-8")
    return path


def deep_json(folder: Path) -> Path:
    path = folder / "deep.json"
    path.write_text("[" * 100_000, "utf-8")
    return path


def deep_lines(folder: Path) -> Path:
    path = folder / "deep.jsonl"
    path.write_text("[" * 100_000 + "\n", "utf-8")
    return path


def zero_link(name: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).symlink_to("/dev/zero")
        return folder / name

    return write


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.csv")
    return folder / "pipe.csv"


def long_gold(folder: Path) -> Path:
    samples = [{"id": "a", "prompt": "p", "gold_answer": "not " * 15_000, "gold_reasoning": []}]
    (folder / "gold.json").write_text(json.dumps({"samples": samples}), "utf-8")
    return folder / "gold.json"


def many_gold(folder: Path) -> Path:
    samples = [
        {"id": str(i), "prompt": "p", "gold_answer": f"{i} " + "not " * 490, "gold_reasoning": []}
        for i in range(2_000)
    ]
    (folder / "golds.json").write_text(json.dumps({"samples": samples}), "utf-8")
    return folder / "golds.json"


PEOPLE, CHECK = ("score", "people"), ("check",)
STRUCTURE = ("score", "structure", "--scores")
BOMBS: dict[str, tuple[tuple[str, ...], Callable[[Path], Path]]] = {
    "far cell, people": (PEOPLE, far_cell),
    "far cell, structure": (STRUCTURE, far_cell),
    "far row": (PEOPLE, far_row),
    "shared string": (PEOPLE, shared_strings),
    "shared string, structure": (STRUCTURE, shared_strings),
    "many long shared strings": (PEOPLE, long_strings),
    "cells in a comment": (PEOPLE, commented_cells),
    "elements": (PEOPLE, many_elements),
    "declared zip bomb": (PEOPLE, declared_zip),
    "Zstandard lie": (("compare",), zstandard_log),
    "journal in parts": (("compare",), journal_log),
    "Zstandard lie, score run": (("score", "run"), zstandard_log),
    "Zstandard lie of 4 GiB, score run": (("score", "run"), zstandard_log_of_zeros),
    "journal in parts, score run": (("score", "run"), journal_log),
    "sparse JSON, score run": (("score", "run"), sparse("s.json", b"{")),
    "sparse result, report": (("report",), sparse("benchmark_summary.json", b"{")),
    "deep result, report": (("report",), deep_json),
    "sparse JSON, compare": (("compare",), sparse("s.json", b'{"eval": 1, "status": 2')),
    "sparse JSON, check": (CHECK, sparse("s.json", b"{")),
    "sparse JSON lines": (CHECK, sparse("s.jsonl", b"{")),
    "sparse CSV, structure": (STRUCTURE, sparse("s.csv", b"a,b\n")),
    "sparse Parquet": (("compare",), sparse("s.parquet", b"PAR1")),
    "dictionary Parquet, people": (PEOPLE, dictionary_parquet),
    "dictionary Parquet, structure": (STRUCTURE, dictionary_parquet),
    "rows Parquet, structure": (STRUCTURE, rows_parquet),
    "rows Parquet, compare": (("compare",), rows_parquet),
    "most rows Parquet, structure": (STRUCTURE, many_rows_parquet),
    "columns CSV": (PEOPLE, columns_csv(80_000)),
    "columns CSV, structure": (STRUCTURE, columns_csv(1_000_000)),
    "one column a million times": (PEOPLE, columns_csv(1_000_000, same=True)),
    "most columns CSV": (PEOPLE, columns_csv(16_000, same=True)),
    "commas": (PEOPLE, commas_csv),
    "objects, people": (PEOPLE, objects_json),
    "objects, compare": (("compare",), objects_json),
    "deep JSON, people": (PEOPLE, deep_json),
    "deep JSON, compare": (("compare",), deep_json),
    "deep JSON lines": (("compare",), deep_lines),
    "endless CSV": (PEOPLE, zero_link("z.csv")),
    "endless JSON lines": (("compare",), zero_link("z.jsonl")),
    "endless study": (CHECK, zero_link("z.yaml")),
    "pipe": (PEOPLE, pipe),
    "long gold answer": (CHECK, long_gold),
    "many long gold answers": (CHECK, many_gold),
}
"""What each bomb is given to, and what writes it. `compare` gets it twice."""
