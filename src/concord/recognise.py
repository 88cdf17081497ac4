"""What a file is: every kind that some command reads, the command that takes it, what its columns hold.

A file is told by its content first (a log of a harness, a result of Concord, named lists), then by its
columns (`files/vocabulary.json`: what a kind needs, what it must not have, what its columns are called). The
reader of that kind then says what is wrong with it; a file of no known kind is never called one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from concord.comparing.harnesses import harness_of, harness_table
from concord.comparing.judge_logs import judged_table
from concord.errors import FileFormatError, InputError, OptionError, TableError, by_cause
from concord.files.columns import ColumnTable, read_columns, read_numbers, read_shares
from concord.files.contents import is_file, kept, read_bytes, read_once
from concord.files.documents import FileCheck, FileKind, table_kinds
from concord.files.grids import names_of, plain_title, plain_titles
from concord.files.inspect_logs import InspectLog, is_lm_eval, read_inspect_log, read_json_log
from concord.files.json_text import parsed
from concord.files.kept_replies import object_of
from concord.files.keys import noted_units
from concord.files.missing import FAR, NEGATIVE
from concord.files.survey import SURVEYS, is_limesurvey, read_survey
from concord.files.tables import LINES, TableChoices, TableOptions, read_raw, rows_key, table_options
from concord.files.text import vocabulary
from concord.people.answers.surveys import holds_numbers, is_qualtrics, role_of, without_import_ids
from concord.people.answers.table import counts_options
from concord.people.check import EFFECTS, check_table, maps_tests, understood
from concord.people.protocol_file import PROTOCOL_FILES, is_protocol_file, read_protocol
from concord.people.table.by_side import BySide, by_side
from concord.people.table.columns import KNOWN, SIDES, fold
from concord.people.table.handmade.read import handmade_header
from concord.people.table.handmade.words import names_statistic
from concord.structure.read.long import columns_of_models

if TYPE_CHECKING:
    import polars as pl

TABLE_SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".ods", ".parquet", ".json", ".jsonl", ".ndjson")
_BY_NAME = {".qsf": ("survey of Qualtrics (labels)", "concord score answers EXPORT.csv --labels FILE")}
_LISTS = {
    "samples": ("gold_answer", "vignette"),
    "cases": ("bias_feature",),
    "items": ("id", "text", "words"),
}
"""Lists in JSON files of questions, and what their entries have."""


_MAKERS = re.compile(f"(?:{'|'.join(' '.join(vocabulary()['judges']['makers']).split())})[0-9]*[a-z]?")
"""A word in the name of a model, such as gpt, claude3, llama."""
_LONGEST_SCALE = 100
_UNIT = "part of what names an item, a pair or a model"
_REPLIES = "concord score reasoning --replies"
_COUNTS = "counts of answers that hints moved"
CHECKED_BY = ("people.check", "structure.items", "structure.judging.design", "reasoning.read.check")
"""Modules of the three questions that say, in ``FILES``, which files these take."""


def recognised(path: Path, options: TableOptions) -> FileCheck | None:
    """Return what a file is and whether it can be read; None: a table of tests, or nothing that is known."""
    suffix = path.suffix.lower()
    if path.is_dir():
        return _told_folder(path)
    if suffix in SURVEYS:
        return _told_survey(path)
    if suffix in _BY_NAME:
        kind, command = _BY_NAME[suffix]
        parsed(path.name, read_bytes(path))
        return FileCheck(str(path), (), (), {}, kind, (command,))
    if suffix == ".eval":
        return _told_log(path, read_inspect_log(path))
    if suffix in PROTOCOL_FILES and is_protocol_file(path):
        return _told_protocol(path)
    if suffix == ".json":
        return _json_file(path, options)
    if suffix in (".yaml", ".yml") and is_file(path) and read_bytes(path)[:7] == b"evalId:":
        return _refused(path, "YAML file of results of promptfoo", "write JSON with -o results.json")
    if suffix in (".jsonl", ".ndjson"):
        return _lines_file(path, options)
    return _told_table(path, options) if suffix in TABLE_SUFFIXES else None


def _told_folder(path: Path) -> FileCheck:
    """Tell a run, a folder of HELM or of results."""
    if (path / "run.json").is_file():
        return FileCheck(
            str(path), (), (), {}, "run of Concord", ("concord score run", "concord view", "concord report")
        )
    if (path / "per_instance_stats.json").is_file():
        return FileCheck(str(path), (), (), {}, "run of HELM", ("concord compare",))
    logs = {"samples of lm-eval": [*path.glob("samples_*.jsonl")], "logs of Inspect": [*path.glob("*.eval")]}
    for what, found in logs.items():
        if found:
            return FileCheck(str(path), (), (), {"files": len(found)}, what, ("concord compare",))
    told = [_told_table(one, TableOptions()) for one in path.glob("*.csv")]
    if told and all(one is not None and one.kind == _COUNTS for one in told):
        return FileCheck(str(path), (), (), {"tables": len(told)}, _COUNTS, ("concord score hints",))
    results = sorted(
        {
            kind
            for one in (*path.glob("*.json"), *path.glob("*/*.json"))
            if (kind := _written_kind(one)) is not None
        }
    )
    if not results:
        raise FileFormatError(f"{path} is a folder without a run or a result; name the file that is meant")
    counts = {"results": len(results)}
    return FileCheck(str(path), (), (), counts, ", ".join(results), ("concord report", "concord compare"))


def _written_kind(path: Path) -> str | None:
    """Return what a document that Concord wrote calls itself."""
    try:
        document = _document(path)
    except FileFormatError:
        return None
    return _own_kind(document)


def _document(path: Path) -> Any:
    return kept(("document", path), lambda: parsed(path.name, read_bytes(path)))


def _own_kind(document: object) -> str | None:
    held = document.get("format") if isinstance(document, Mapping) else None
    return held.removeprefix("concord ") if isinstance(held, str) and held.startswith("concord ") else None


def _told_protocol(path: Path) -> FileCheck:
    """Tell a file of choices of a protocol, and whether they can be made."""
    problems: tuple[str, ...] = ()
    try:
        read_protocol(path)
    except InputError as fault:
        problems = (str(fault),)
    return FileCheck(str(path), problems, (), {}, "protocol", ("concord score people TABLE --protocol FILE",))


def _told_survey(path: Path) -> FileCheck:
    """Tell an export of SPSS or Stata by its columns and labels."""
    found = read_survey(path)
    columns = tuple((name, found.labels.get(name, "")) for name in found.names)
    counts = {"respondents": found.n, "columns": len(found.names)}
    commands = ("concord score answers", "concord combine")
    return FileCheck(str(path), (), (), counts, f"survey of {found.program}", commands, columns)


def _told_log(path: Path, log: InspectLog) -> FileCheck:
    """Tell a log of Inspect, one of Concord's own tasks or another."""
    own = log.task.startswith("concord/")
    samples = list(log.summaries)
    scorers = {name for one in samples if isinstance(one.get("scores"), Mapping) for name in one["scores"]}
    counts = {"samples": len(samples), "scorers": len(scorers)}
    commands = ("concord score run", "concord compare") if own else ("concord compare", *_of_samples(samples))
    problems = () if log.finished else (f"{log.name}: the run did not finish (status {log.status!r})",)
    return FileCheck(str(path), (), problems, counts, f"log of Inspect, task {log.task}", commands)


def _of_samples(samples: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what else takes samples, by what their metadata and scores hold."""
    held = [one["metadata"] for one in samples if isinstance(one.get("metadata"), Mapping)]
    names = {fold(str(key)) for one in held for key in one}
    if {"order", "pair"} & names or {"model_a", "model_b"} <= names:
        return ("concord score judge",)
    if "arrangement" in names and "item" in names:
        return ("concord score options",)
    if "mode" in names:
        return ("concord score reasoning --samples VIGNETTES --replies FILE",)
    return ("concord score judge",) if any(one.get("scores") for one in samples) else ()


def _json_file(path: Path, options: TableOptions) -> FileCheck | None:
    """Tell a JSON document."""
    if (log := read_json_log(path)) is not None:
        return _told_log(path, log)
    try:
        document = _document(path)
    except FileFormatError:
        return None
    if (own := _own_kind(document)) is not None and own != "table of tests":
        commands = ("concord report", "concord compare") if "result" in own else ("concord report",)
        return FileCheck(str(path), (), (), {}, f"{own} of Concord", commands)
    if (harness := _of_harness(path, document)) is not None:
        return harness
    if isinstance(document, Mapping) and {"results", "configs"} <= document.keys():
        return _refused(path, "summary of lm-eval", "give the samples_*.jsonl files that lie beside it")
    for key, fields in _LISTS.items():
        held = document.get(key) if isinstance(document, Mapping) else None
        if isinstance(held, list) and held and not any(isinstance(one, str) for one in held):
            known = {name for one in held if isinstance(one, Mapping) for name in one}
            if not known & set(fields):
                return _refused(
                    path, f"JSON with a list {key!r}", f"its entries have none of {', '.join(fields)}"
                )
    rows = document if isinstance(document, list) else None
    if isinstance(document, Mapping) and _kind_of(path) is None:
        rows = document.get(rows_key(document))
    return None if rows is None else _told_rows(path, rows, options)


def _refused(path: Path, kind: str, what: str) -> FileCheck:
    return FileCheck(str(path), (f"{path.name}: a {kind}, which no command takes: {what}",), (), {}, kind)


def _of_harness(path: Path, document: Any) -> FileCheck | None:
    """Tell results of another program."""
    form = harness_of(document)
    if form is None:
        return None
    answers = list(form.answers(path, document))
    metrics = {name for one in answers for name in one.scores}
    who = "agents" if form.rates else "models"
    counts = {who: len({one.model for one in answers}), "answers": len(answers), "scores": len(metrics)}
    more = ("concord score answers PEOPLE FILE",) if form.rates else ()
    commands = ("concord compare", "concord score judge", *more)
    return FileCheck(str(path), (), (), counts, f"results of {form.name}", commands)


def _objects_in(path: Path) -> list[Mapping[str, Any]]:
    lines = read_bytes(path).decode("utf-8", "replace").split("\n")
    return [row for line in lines if (row := object_of(line)) is not None]


def _lines_file(path: Path, options: TableOptions) -> FileCheck | None:
    """Tell JSON lines."""
    rows = _objects_in(path)
    if not rows:
        return None
    if is_lm_eval(rows[0]):
        documents = [{"metadata": row.get("doc")} for row in rows]
        commands = ("concord compare", *_of_samples(documents))
        return FileCheck(str(path), (), (), {"samples": len(rows)}, "samples of lm-eval", commands)
    found = _of_harness(path, rows)
    return _told_rows(path, rows, options) if found is None else found


def _told_rows(path: Path, rows: Sequence[Any], options: TableOptions) -> FileCheck | None:
    """Tell rows by their keys."""
    header = _keys(rows)
    if {"id", "response"} <= set(header) or {"custom_id"} <= set(header):
        return None
    found = _by_columns(path, header, len(rows), options)
    return _told_table(path, options) if found is None else found


def _keys(rows: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(str(key) for row in rows if isinstance(row, Mapping) for key in row))


def _told_table(path: Path, options: TableOptions) -> FileCheck | None:
    """Tell a table by its first line of titles."""
    if (harness := _of_harness(path, harness_table(path))) is not None:
        return harness
    try:
        table = read_columns(path, options)
        n = table.take([table.header[0]]).height if table.header else 0
    except InputError:
        return None  # the reader of tables of tests, which takes most, says why
    survey = "LimeSurvey" if is_limesurvey(table.header) else ""
    if is_qualtrics(table.header):
        survey = "Qualtrics"
        n = without_import_ids(table).take([table.header[0]]).height
    if survey:
        commands = ("concord score answers", "concord combine")
        return FileCheck(str(path), (), (), {"respondents": n}, f"survey of {survey}", commands)
    if not table.header:
        return None
    found = _with_scores(_by_columns(path, table.header, n, options), table)
    found = _by_shape(path, table, n) if found is None else found
    if found is not None or _is_handmade(path, options):
        return found
    return _with_scores(_by_columns(path, table.header, n, options, plain_titles(table.header)), table)


def _with_scores(found: FileCheck | None, table: ColumnTable) -> FileCheck | None:
    """Return what a table is, unless its scores are called values and are none: any table may have such."""
    columns = () if found is None else found.columns
    values = [title for title, meant in columns if meant == "score" and fold(title) == "value"]
    return None if values and not _are_scores(table.take(values)[values[0]]) else found


def _is_handmade(path: Path, options: TableOptions) -> bool:
    """Whether a table is one of tests that somebody made: columns of people's results are known."""
    header = handmade_header(read_raw(path, options))
    return header is not None and any(one is not None and one.side == "human" for one in header.meanings)


def _by_shape(path: Path, table: ColumnTable, n: int) -> FileCheck | None:
    """Tell tables whose columns are questions or models, which have names of their own."""
    named = {fold(title): title for title in table.header}
    if set(named) & set(KNOWN) or len(set(table.header)) < len(table.header):
        return None
    frame = table.take(table.header)
    numbers = [title for title in table.header if title and holds_numbers(frame[title])]
    roles = {title: role_of(frame[title]) for title in table.header}
    asked = [title for title in numbers if not roles[title]]
    meant = roles | dict.fromkeys(asked, "answers to a question")
    sides = [
        {name.removeprefix(f"{side}_") for name in named if name.startswith(f"{side}_")} for side in SIDES
    ]
    both = sides[0] & sides[1] & {fold(title).partition("_")[2] for title in numbers}
    owned, held = by_side(table.header, names_of("answers_of_side")), {*numbers}
    both |= _questions_of_sides(owned, [title in held for title in table.header])
    source = next((named[name] for name in names_of("answers")["source"] if name in named), None)
    if both or (source is not None and len(asked) > 1):
        meant |= {} if source is None else {source: "who answered"}
        return _shaped(path, table, n, "answers as people and agents gave them", "score answers", meant)
    if (found := _of_sides(path, table, n, owned)) is not None or _is_handmade(path, table.options):
        return found
    if models := columns_of_models(table):
        arranged = {one: words for words in ("item", "arrangement") for one in names_of("scores")[words]}
        meant = {title: arranged[fold(title)] for title in table.header if fold(title) in arranged}
        meant |= dict.fromkeys(models, "scores of a model")
        kind = "scores under arrangements, one column per model"
        return _shaped(path, table, n, kind, "score structure --scores", meant)
    item = next((title for name, title in named.items() if name in names_of("items")["item"]), None)
    scored = [title for title in table.header if title != item and _are_scores(frame[title])]
    if item is not None and {item, *scored} == {*table.header} and len(scored) > 1:
        meant = {item: "item"} | dict.fromkeys(scored, "scores of a model")
        return _shaped(path, table, n, "scores on items, one column per model", "compare", meant)
    on_scales = sum(_is_on_scale(frame[title]) for title in asked)
    if len(asked) > 1 and all(meant.values()) and any(roles.values()) and 3 * on_scales >= 2 * len(asked):
        kind = "answers of people or of an agent, one column per question"
        return _shaped(path, table, n, kind, "score answers PEOPLE AGENT", meant)
    return None


def _are_scores(column: "pl.Series") -> bool:
    """Whether a column holds scores: from 0 to 1, in percent or of draws, or of a model by its title."""
    values, bad, forms = read_shares(column)
    known = values[~np.isnan(values)]
    called = any(map(_MAKERS.fullmatch, plain_title(column.name).split("_")))
    return bool(known.size) and not bad and (bool(forms) or called or (known.min() >= 0 and known.max() <= 1))


def _is_on_scale(column: "pl.Series") -> bool:
    """Whether a column holds answers on a scale of at most 100 steps; codes for no answer lie beside it."""
    values = read_numbers(column)[0]
    known = values[~np.isnan(values) & ~np.isin(values, [*FAR, *NEGATIVE])]
    return bool(known.size) and bool(np.all((known == np.round(known)) & (np.abs(known) <= _LONGEST_SCALE)))


def _questions_of_sides(sides: BySide, is_number: Sequence[bool]) -> set[str]:
    """Return the questions that titles such as ``trust_human`` and ``trust_gpt4`` name beside their side."""
    if sides.twice or any(map(names_statistic, sides.said.values())):
        return set()
    held = {part for own in sides.shared().values() for part in own if part}
    return {part for part in held & sides.said.keys() if is_number[sides.people[part]]}


def _of_sides(path: Path, table: ColumnTable, n: int, sides: BySide) -> FileCheck | None:
    """Tell counts of options, and means with SD and n, that stand in columns of people and of models."""
    agents, parts = sides.shared(), ("study", "outcome", "condition", "group", "option")
    known = {name: part for part in parts for name in names_of("answers")[part]}
    meant = {
        title: known[plain]
        for title, plain in zip(table.header, plain_titles(table.header), strict=True)
        if plain in known
    }
    if sides.twice or not agents or "outcome" not in meant.values():
        return None
    held = [sides.people, *agents.values()]
    if "" in sides.people and counts_options(table):
        kind, owned = "counts of answers", [one[""] for one in held if "" in one]
    elif all(one.keys() >= {"mean", "sd"} for one in held):
        kind, owned = "moments of answers", [j for one in held for j in one.values()]
    else:
        return None
    meant |= {table.header[j]: kind for j in owned}
    return _shaped(path, table, n, kind, "score answers", meant)


def _nearest(path: Path, options: TableOptions) -> str:
    """Say which kinds a table that is of none lacks one column to be."""
    try:
        names = {fold(title) for title in read_columns(path, options).header}
    except InputError:
        return ""
    near = [one for one in table_kinds() if len(one.needs) > 1 and len(one.lacks(names)) == 1]
    said = dict.fromkeys(f"{one.kind} ({one.command}) with a column {one.lacks(names)[0]!r}" for one in near)
    return f"\n{path.name}: it would be {'; or '.join([*said][:3])}" if said else ""


def _shaped(
    path: Path, table: ColumnTable, n: int, kind: str, command: str, meant: Mapping[str, str]
) -> FileCheck:
    columns = tuple((title, meant.get(title, "")) for title in table.header)
    return FileCheck(str(path), (), (), {"rows": n}, kind, (f"concord {command}",), columns)


def _by_columns(
    path: Path, header: Sequence[str], n: int, options: TableOptions, plain: Sequence[str] | None = None
) -> FileCheck | None:
    plain = [fold(title) for title in header] if plain is None else plain
    names = set(plain)
    names |= {name.partition(":")[0] for name in names}  # one column per model: p_correct:MODEL
    kind = next((one for one in table_kinds() if one.fits(names)), None)
    tests = {"test_type", "finding"} <= names or len(names & set(KNOWN)) > 5
    if kind is None or kind.kind == EFFECTS or (tests and kind.columns):
        return None  # a table of tests or of effects, or one that is made by hand
    found = FileCheck(
        str(path), (), (), {"rows": n}, kind.kind, (kind.command,), columns=kind.understood(header, plain)
    )
    if kind.kind == "means of conditions" and set(names_of("cells")["who"]) & names:
        found = replace(found, commands=("concord score people",))
    reader = _READERS.get(kind.command, _READERS.get(kind.command.split(" --")[0]))
    if reader is None:
        return found
    try:
        with noted_units() as units:
            warnings = reader(path, replace(options, strict=True))
        columns = [
            (title, meant if meant or fold(title) not in units else _UNIT) for title, meant in found.columns
        ]
        found = replace(found, columns=tuple(columns))
    except TableError as fault:
        return replace(found, problems=tuple(by_cause(fault.problems)))
    except InputError as fault:
        return replace(found, problems=(str(fault),))
    return replace(found, warnings=tuple(warnings))


def _read_by(module: str, reader: str) -> Callable[[Path, TableOptions], Sequence[str]]:
    """Return what reads a table by a reader of a question, which is loaded then, and what that warns of."""

    def read(path: Path, options: TableOptions) -> Sequence[str]:
        found = getattr(import_module(f"concord.{module}"), reader)(path, options=options)
        return [text for one in (found if isinstance(found, list) else [found]) for text in one.warnings]

    return read


def _read_verdicts(path: Path, options: TableOptions) -> Sequence[str]:
    from concord.structure.judging.rated import read_scores
    from concord.structure.judging.read import read_votes

    table, is_scores = judged_table(path, options)
    return read_scores([table], None)[1] if is_scores else read_votes([table]).warnings


def _read_vignettes(path: Path, options: TableOptions) -> Sequence[str]:
    from concord.reasoning.read.replies import read_samples

    read_samples(path)
    return ()


def _read_pairs(path: Path, options: TableOptions) -> Sequence[str]:
    from concord.structure.judging.design import read_pairs

    read_pairs(path)
    return ()


def _read_choices(path: Path, options: TableOptions) -> Sequence[str]:
    from concord.reasoning.hints.rows import parse_choices

    parse_choices(read_bytes(path))
    return ()


def _read_arrangements(path: Path, options: TableOptions) -> Sequence[str]:
    from concord.structure.read.long import read_long
    from concord.structure.records import ReadOptions

    read = ReadOptions(None, False, True, options.encoding, options.decimal_comma, options.sheet)
    return read_long(path, read).warnings


_READERS: Mapping[str, Callable[[Path, TableOptions], Sequence[str]]] = {
    "concord score answers": _read_by("people.answers.table", "read_answer_table"),
    "concord score options": _read_by("structure.options.read", "read_option_replies"),
    "concord score judge": _read_verdicts,
    "concord score hints": _read_by("reasoning.probes.score", "score_hint_source"),
    "concord score probes": _read_by("reasoning.probes.score", "read_probe_rows"),
    "concord score structure": _read_arrangements,
    "concord run judge": _read_pairs,
    "concord run reasoning": _read_choices,
    "concord score reasoning --samples": _read_vignettes,
    "concord compare": _read_by("comparing.scores", "read_models"),
}
"""What reads a kind of table, and says what is wrong with it."""


def check(file: str | Path, **how: Unpack[TableChoices]) -> FileCheck:
    """Check that a file is well formed, without scoring or running anything.

    Parameters
    ----------
    file
        Any file or folder that some command reads: a study, recorded replies, vignettes, bias cases or items,
        tables of every kind, logs and results of other programs, surveys, runs and results of Concord. What
        it is, which command takes it and how each column is understood is part of the answer.
    how
        How tables are read, as `TableChoices` says; a cell that cannot be read is always a problem.
    """
    with read_once():
        return _checked(Path(file), table_options(**how))


def _checked(path: Path, options: TableOptions) -> FileCheck:
    found = None if maps_tests(options) else recognised(path, options)
    if found is not None:
        return found
    kind = _kind_of(path)
    if kind is None:
        try:
            told = check_table(path, options)
        except FileFormatError as fault:
            unknown = "required columns are missing" in str(fault)  # else the fault says what it is
            raise FileFormatError(f"{fault}{_nearest(path, options) if unknown else ''}") from fault
        columns = told.columns
        if columns:  # of effects, which are named by their parts
            meant = next(one for one in table_kinds() if one.kind == told.kind).columns
            words = {name: meaning for meaning, names in meant.items() for name in names}
            columns = tuple((title, words.get(part, part)) for title, part in columns)
        elif path.suffix.lower() != ".json":
            columns = understood(path, options)
        return replace(told, commands=("concord score people",), columns=columns)
    if options.sheet is not None:
        raise OptionError(f"sheet={options.sheet!r} was given, but only XLSX files have sheets")
    return replace(kind.check(path), commands=kind.commands)


def _kind_of(path: Path) -> FileKind | None:
    """Recognise a file by the end of its name, or by the keys of the JSON it holds."""
    kinds = [kind for name in CHECKED_BY for kind in import_module(f"concord.{name}").FILES]
    suffix = path.suffix.lower()
    if suffix != ".json":
        kind = next((kind for kind in kinds if suffix in kind.suffixes), None)
        return None if kind is not None and suffix in LINES and not _are_replies(path) else kind
    try:
        document = _document(path)
    except FileFormatError:
        return None
    if isinstance(document, Mapping):
        return next((kind for kind in kinds if isinstance(document.get(kind.key), list)), None)
    rows = document if isinstance(document, list) else []
    keys = {key for row in rows if isinstance(row, Mapping) for key in row}
    return next((kind for kind in kinds if kind.field in keys), None)


def _are_replies(path: Path) -> bool:
    """Whether JSON lines are replies, or lines of them that are damaged: ids, and modes or texts."""
    keys, names = {fold(one) for one in _keys(_objects_in(path))}, names_of("replies")
    of_any_log = {"message", "text", "content"}
    texts = {*names["mode"], *names["response"]} - of_any_log
    return not keys or bool(keys & set(names["id"]) and keys & texts)
