"""Exports of survey programs as tables: SPSS and Stata files, Qualtrics with its labels, LimeSurvey, EDSL.

Codes stay numbers. What a file itself declares as missing, or labels so ("refused"), is missing and counted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, MissingExtraError, listed
from concord.files.contents import fingerprint_file, read_bytes
from concord.files.json_text import parsed
from concord.files.text import vocabulary
from concord.records import InputFile

if TYPE_CHECKING:
    import polars as pl

SURVEYS = {".sav": "SPSS", ".zsav": "SPSS", ".por": "SPSS", ".dta": "Stata"}
"""Files of statistics programs by the end of their names."""
_NO_ANSWER = re.compile(vocabulary()["surveys"]["no_answer"], re.IGNORECASE)
"""Labels of codes that are no answers."""
_LIME = {"submitdate", "lastpage", "startlanguage"}
"""Columns of every response export of LimeSurvey."""
_LIME_META = {*_LIME, "id", "seed", "startdate", "datestamp", "ipaddr", "refurl", "token"}
_EDSL_OWN = {
    *("edsl_version", "edsl_class_name", "scenario_index", "agent_index", "agent_name", "agent_instruction")
}
"""What EDSL adds to a scenario and to the traits of an agent."""
_LIME_CODE = r"^AO?0*(\d+)$"


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A file of a statistics program."""

    program: str
    frame: "pl.DataFrame"
    labels: Mapping[str, str]
    """What was asked, by column."""
    values: Mapping[str, Mapping[float, str]]
    """What codes mean, by column."""
    inputs: tuple[InputFile, ...]
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.frame.columns)

    @property
    def n(self) -> int:
        """People, one per row."""
        return self.frame.height


def read_survey(path: Path) -> Survey:
    """Read a file of SPSS or Stata; codes declared or labelled as missing are missing, and counted."""
    try:
        import pyreadstat
    except ImportError as fault:
        raise MissingExtraError(f"reading {path.name}", "survey") from fault
    import polars as pl

    inputs = (fingerprint_file(path),)  # refuses what is no file
    ending = path.suffix.lower()
    read = {".dta": pyreadstat.read_dta, ".por": pyreadstat.read_por}.get(ending, pyreadstat.read_sav)
    try:
        held, meta = read(str(path), output_format="dict")
        n_declared = _n_declared(read, path, held) if ending != ".por" else 0
    except (pyreadstat.ReadstatError, ValueError, UnicodeDecodeError) as fault:
        raise FileFormatError(
            f"{path.name}: cannot be read as a file of {SURVEYS[ending]} ({fault}); save it again"
        ) from fault
    if None in meta.column_names:
        raise FileFormatError(f"{path.name}: damaged: a variable has no name; save it again")
    labels = {
        name: str(label)
        for name, label in zip(meta.column_names, meta.column_labels, strict=True)
        if label is not None
    }
    values = {
        name: {float(code): str(word) for code, word in words.items() if isinstance(code, int | float)}
        for name, words in meta.variable_value_labels.items()
    }
    columns, n_labelled = {}, 0
    for name in meta.column_names:
        none = {code for code, word in values.get(name, {}).items() if _NO_ANSWER.fullmatch(word.strip())}
        cells = [_survey_cell(one) for one in held[name]]
        n_labelled += sum(one in none for one in cells if one is not None)
        columns[name] = [None if one is None or one in none else one for one in cells]
    told = [f"{path.name}: {n:,} values {what} count as missing"
            for n, what in ((n_declared, "that the file declares as missing"),
                            (n_labelled, "with labels such as 'refused'")) if n]  # fmt: skip
    frame = pl.DataFrame({name: pl.Series(name, cells, strict=False) for name, cells in columns.items()})
    return Survey(SURVEYS[ending], frame, labels, values, inputs, tuple(told))


def _survey_cell(value: Any) -> Any:
    """Return a value as a cell: NaN and nothing are missing."""
    if value is None or value != value or value == "":
        return None
    return value.item() if hasattr(value, "item") else value


def _n_declared(read: Any, path: Path, held: Mapping[str, Any]) -> int:
    """Count values that the file declares as missing."""
    whole, _ = read(str(path), output_format="dict", user_missing=True)
    known = {name: sum(_survey_cell(one) is not None for one in cells) for name, cells in held.items()}
    return sum(
        sum(_survey_cell(one) is not None for one in cells) - known[name] for name, cells in whole.items()
    )


def read_qsf(path: Path) -> dict[str, dict[str, float]]:
    """Return what the texts of choices are as numbers, by column, from a Qualtrics survey file."""
    # A choice has its recoded value where one is given, else its number in the survey.
    document = parsed(path.name, read_bytes(path))
    elements = document.get("SurveyElements") if isinstance(document, Mapping) else None
    if not isinstance(elements, list):
        raise FileFormatError(f"{path.name}: expected a survey of Qualtrics (.qsf) with 'SurveyElements'")
    found: dict[str, dict[str, float]] = {}
    for element in elements:
        asked = element.get("Payload") if isinstance(element, Mapping) else None
        if not isinstance(asked, Mapping) or element.get("Element") != "SQ":
            continue
        tag = str(asked.get("DataExportTag", ""))
        matrix = asked.get("QuestionType") == "Matrix"
        codes = _codes(asked.get("Answers" if matrix else "Choices"), asked.get("RecodeValues"))
        if codes:
            parts = _entries(asked.get("Choices")) if matrix else {}
            for name in [f"{tag}_{key}" for key in parts] if matrix else [tag]:
                found[name] = codes
    return found


def _entries(value: object) -> dict[str, Any]:
    """Return entries by their keys; Qualtrics writes a list where keys are 1, 2, 3."""
    if isinstance(value, list):
        return {str(i): one for i, one in enumerate(value, 1)}
    return {str(key): one for key, one in value.items()} if isinstance(value, Mapping) else {}


def _codes(choices: object, recoded: object) -> dict[str, float]:
    numbers = _entries(recoded)
    found = {}
    for key, one in _entries(choices).items():
        text, code = one.get("Display") if isinstance(one, Mapping) else None, numbers.get(key, key)
        if isinstance(text, str) and re.fullmatch(r"-?\d+(?:\.\d+)?", str(code)):
            found[_small_text(text)] = float(code)
    return found


def _small_text(text: str) -> str:
    """Return a text without tags and doubled blanks, in small letters."""
    return " ".join(re.sub(r"<[^<>]*>", " ", text).split()).casefold()


def coded(frame: "pl.DataFrame", labels: Mapping[str, Mapping[str, float]]) -> "pl.DataFrame":
    """Return a table with texts of choices as their numbers."""
    import polars as pl

    there = [name for name in frame.columns if name in labels]
    if not there:
        raise FileFormatError(
            f"the labels are of {listed(list(labels))}; the table has none of these columns: "
            f"{listed(frame.columns)}"
        )
    return frame.with_columns(
        pl.Series(name, [_number_of(one, labels[name]) for one in frame[name].to_list()], strict=False)
        for name in there
    )


def _number_of(cell: object, codes: Mapping[str, float]) -> object:
    number = codes.get(_small_text(cell)) if isinstance(cell, str) else None
    return cell if number is None else f"{number:g}"


def is_limesurvey(header: Sequence[str]) -> bool:
    """Whether a table is a response export of LimeSurvey."""
    return {_lime_name(title).casefold() for title in header} >= _LIME


def from_limesurvey(frame: "pl.DataFrame") -> "tuple[pl.DataFrame, tuple[str, ...]]":
    """Return the questions of a LimeSurvey export alone, codes of answers as numbers, and what to tell."""
    names = {title: _lime_name(title) for title in frame.columns}
    kept = [title for title, name in names.items() if name.casefold() not in _LIME_META]
    submitted = next(frame[title] for title, name in names.items() if name.casefold() == "submitdate")
    n = int((submitted.is_null() | (submitted.cast(str) == "")).sum())
    told = f"{n} of {frame.height} responses were never submitted ('submitdate' is empty): they count"
    return without_codes(frame.select(kept).rename(names, strict=False)), (told,) if n else ()


def without_codes(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return columns that hold nothing but codes of LimeSurvey (A1, AO02) as their numbers."""
    import polars as pl

    text = frame.with_columns(pl.all().cast(pl.String).str.strip_chars().replace("", None))
    coded = [one.name for one in text if one.count() and one.str.contains(_LIME_CODE).all()]
    return text.with_columns(pl.col(coded).str.extract(_LIME_CODE))


def _lime_name(title: str) -> str:
    """Return the code of a question, from titles such as ``Q1. How are you?``."""
    code, dot, _ = title.partition(". ")
    return code if dot and " " not in code else title


def edsl_interviews(document: object) -> list[dict[str, Any]] | None:
    """Return the interviews of results of EDSL; None where a document holds none."""
    held = document.get("data") if isinstance(document, Mapping) else None
    rows = held if isinstance(held, list) else []
    parts = ("answer", "scenario", "agent", "model")
    if not rows or not all(
        isinstance(row, Mapping) and all(isinstance(row.get(part), Mapping) for part in parts) for row in rows
    ):
        return None
    return [
        {
            "answer": dict(row["answer"]),
            "scenario": {key: one for key, one in row["scenario"].items() if key not in _EDSL_OWN},
            "agent": row["agent"].get("name"),
            "traits": dict(row["agent"]["traits"]) if isinstance(row["agent"].get("traits"), Mapping) else {},
            "model": row["model"].get("model"),
            "repeat": row.get("iteration"),
        }
        for row in rows
    ]


def edsl_document(header: Sequence[str], rows: Iterable[Sequence[object]]) -> dict[str, Any] | None:
    """Return a table that EDSL wrote as CSV as the document it writes as JSON; None where it is another."""
    titles = [tuple(title.partition(".")[::2]) for title in header]
    if ("model", "model") not in titles or not any(part == "answer" for part, _ in titles):
        return None
    data = []
    for cells in rows:
        parts: dict[str, dict[str, object]] = {part: {} for part in ("answer", "scenario", "agent", "model")}
        for (part, name), cell in zip(titles, cells, strict=True):
            parts.setdefault(part, {})[name] = None if cell == "" else cell
        own = parts["agent"]
        traits = {key: one for key, one in own.items() if key not in _EDSL_OWN}
        agent = {"name": own.get("agent_name"), "traits": traits}
        data.append({**parts, "agent": agent, "iteration": parts.get("iteration", {}).get("iteration")})
    return {"data": data}
