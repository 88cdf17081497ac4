"""Bombs inside folders, in study files, and for the commands that read tables of answers and verdicts."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from tests.hostile.bombs import (
    CHECK,
    PEOPLE,
    columns_csv,
    deep_json,
    deep_lines,
    dictionary_parquet,
    objects_json,
    rows_parquet,
    sparse,
    workbook,
    zero_link,
    zstandard_log_of_zeros,
)

Write = Callable[[Path], Path]
TABLES = {
    "answers": ("score", "answers"),
    "verdicts": ("score", "judge"),
    "hints": ("score", "hints"),
    "probes": ("score", "probes"),
    "people and predictions": ("combine",),
}
"""Commands that read a table; `combine` gets it twice."""


def run_folder(name: str, damage: Callable[[Path], object]) -> Write:
    """Return what writes a run's folder in which one file is a bomb."""

    def write(folder: Path) -> Path:
        run = folder / "run"
        (run / "inputs").mkdir(parents=True)
        record = {"format_version": 1, "kind": "run", "suite": "structure", "model": "a/b",
                  "options": {}, "sampling": {}, "templates": {}}  # fmt: skip
        (run / "run.json").write_text(json.dumps(record), "utf-8")
        trial = {"key": "k", "id": "v", "mode": "cot", "repeat": 0}
        (run / "trials.jsonl").write_text(json.dumps(trial) + "\n", "utf-8")
        damage(run / name)
        return run

    return write


def _sparse(path: Path) -> None:
    path.write_bytes(b"{")
    os.truncate(path, 3 * 2**30)


def _endless(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def scored_folder(damage: Callable[[Path], object]) -> Write:
    """Return what writes the results of a small table, the table of tests beside them damaged."""

    def write(folder: Path) -> Path:
        from concord import api

        row = {"study": "S", "finding": "F", "test": "t", "test_type": "t-test", "human_statistic": 2.0,
               "human_n": 60, "agent_statistic": 1.0, "agent_n": 60}  # fmt: skip
        api.score_people([row], n_resamples=0, n_simulations=0).write(folder / "scored")
        damage(folder / "scored" / "detailed_stats.csv")
        return folder / "scored"

    return write


def _wide(path: Path) -> None:
    path.write_text(",".join(f"c{i}" for i in range(16_000)) + "\n" + ("," * 15_999 + "\n") * 1_000, "utf-8")


def entities(folder: Path) -> Path:
    """Return a workbook whose sheet defines entities of entities."""
    each = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    sheet = (
        f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "ha">{each}]><worksheet xmlns="http://schemas.'
        'openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is>'
        "<t>&a11;</t></is></c></row></sheetData></worksheet>"
    )
    return workbook(folder / "entities.xlsx", sheet.encode())


def text(name: str, content: str) -> Write:
    def write(folder: Path) -> Path:
        (folder / name).write_text(content, "utf-8")
        return folder / name

    return write


def samples_folder(folder: Path) -> Path:
    """Return a folder of four lm-eval files without end."""
    (folder / "samples").mkdir()
    for i in range(4):
        _sparse(folder / "samples" / f"samples_t{i}.jsonl")
    return folder / "samples"


_ALIASES = "a: &a [x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20)
)
ASK = ("--model", "mockllm/model", "--dry-run")
FOLDER_BOMBS: dict[str, tuple[tuple[str, ...], Write]] = {
    **{f"{what}, {name}": (command, write) for name, command in TABLES.items() for what, write in {
        "sparse CSV": sparse("s.csv", b"a,b\n"), "objects": objects_json, "deep JSON": deep_json,
        "deep lines": deep_lines, "a million columns": columns_csv(1_000_000),
        "dictionary Parquet": dictionary_parquet, "rows Parquet": rows_parquet,
        "endless CSV": zero_link("z.csv")}.items()},
    "sparse lines, verdicts": (TABLES["verdicts"], sparse("s.jsonl", b"{")),
    "zeros in a log, verdicts": (TABLES["verdicts"], zstandard_log_of_zeros),
    "entities": (PEOPLE, entities),
    "aliases": (CHECK, text("s.yaml", _ALIASES)),
    "flow maps": (CHECK, text("s.yaml", "a: [" + "{a: b}," * 120_000 + "]")),
    "deep YAML": (CHECK, text("s.yaml", "[" * 500_000)),
    "unknown keys": (CHECK, text("s.yaml", "\n".join(f"k{i}: 1" for i in range(90_000)))),
    "sparse replies": (("score", "run"), run_folder("replies.jsonl", _sparse)),
    "endless replies": (("score", "run"), run_folder("replies.jsonl", _endless)),
    "sparse record": (("score", "run"), run_folder("run.json", _sparse)),
    "endless plan": (("score", "run"), run_folder("trials.jsonl", _endless)),
    "sparse replies, export": (("export", "inspect"), run_folder("replies.jsonl", _sparse)),
    "sparse table of tests, report": (("report",), scored_folder(_sparse)),
    "wide table of tests, report": (("report",), scored_folder(_wide)),
    "sparse table of tests, figures": (("figures",), scored_folder(_sparse)),
    "sparse lm-eval samples": (("compare",), samples_folder),
    "sparse prices": (("run", "structure", *ASK, "--prices"), sparse("p.json", b"{")),
    "sparse choices": (("run", "reasoning", *ASK, "--probe", "hints", "--choices"), sparse("c.jsonl", b"{")),
    "sparse pairs": (("run", "judge", *ASK, "--pairs"), sparse("c.csv", b"prompt,answer_a,answer_b\n")),
    "endless design": (("run", "people", *ASK, "--study", "framing", "--design"), zero_link("d.txt")),
}  # fmt: skip
"""What each bomb is given to, and what writes it."""
