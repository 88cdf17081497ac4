"""What is asked about people: one trial per session, its persons, and how a session is opened again."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import FileFormatError, OptionError, listed, quoted
from concord.files.cells import number_or_none
from concord.files.gate import check_sessions
from concord.files.grids import Grid, is_blank, plain_title
from concord.files.missing import FoundCodes, MissingCodes, declared_missing, found_codes, is_refusal
from concord.files.tables import TableOptions, TableSource, grid_of
from concord.numeric import gated
from concord.people.studies.agents import (
    PERSON,
    PERSONS_FILE,
    AgentDesign,
    Person,
    Persons,
    get_design,
    stored_persons,
)
from concord.people.studies.catalog import observed_variables, read_value
from concord.people.studies.format import Study, StudyFile
from concord.people.studies.load import find_studies, read_study, with_variants
from concord.people.studies.plan import SessionPlan, StudyPlan, plan_study
from concord.people.studies.sessions import Session
from concord.people.studies.wording import compile_experiment
from concord.records import Design, Message, Template, Trial

_LONGEST, _PERSONA = 2_000, 20_000
"""Characters of a cell that is told, and of all that is told of a person."""
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
_PRIVATE = re.compile(
    r"(?:e_?)?mail(?:_?address)?|ip(?:_?address)?|(?:first|last|full|sur)?_?name|phone.*|address"
)


def read_persons(source: TableSource, studies: Sequence[Study], *, missing: Any = None) -> Persons:
    """Read a table with one row per person: what to tell of each, and what to keep apart."""
    grid = grid_of(source, TableOptions())
    asked = {name for study in studies for spec in study.experiments for name in _asked_names(study, spec)}
    roles = _roles(grid, {plain_title(name): name for name in asked})
    by_role: dict[str, list[int]] = {}
    for j, role in roles.items():
        by_role.setdefault(role.partition(":")[0], []).append(j)
    codes, notes = declared_missing(missing), [*grid.warnings, *map(str, grid.problems)]
    told = {j: _words_of(grid, j, codes, notes) for j in by_role.get("told", [])}
    own = {j: _words_of(grid, j, codes, notes) for j in by_role.get("own", [])}
    weights = grid.cells(by_role["weight"][0]) if "weight" in by_role else [None] * len(grid.rows)
    persons = [
        Person(
            name,
            {
                _told_as(grid.header[j]): _trait(grid, j, cell)
                for j, cells in told.items()
                if (cell := cells[i])
            },
            {roles[j].partition(":")[2]: cell for j, cells in own.items() if (cell := cells[i])},
            None if is_blank(weights[i]) else str(weights[i]),
        )
        for i, name in enumerate(_person_names(grid, by_role.get("person", [])))
    ]
    _check_told(grid, persons)
    kept = [grid.header[j] for j, role in roles.items() if role != "told"]
    empty = sum(not one.traits for one in persons)
    if empty:
        notes.append(f"of {empty} of {len(persons)} persons nothing is told: their cells are empty or codes")
    return Persons(tuple(persons), tuple(grid.header[j] for j in told), tuple(kept), tuple(notes))


def _asked_names(study: Study, experiment: str) -> Iterable[str]:
    """Return the factors and answers of an experiment; traits of its population are no secrets."""
    found = observed_variables(study, experiment).values()
    within = (factor for factor in study.experiments[experiment].factors)
    return chain(
        within, (one.name for one in found if one.origin != "profile"), study.experiments[experiment].items
    )


def _roles(grid: Grid, asked: Mapping[str, str]) -> dict[int, str]:
    """Return what every column is: ``person``, ``weight``, ``own:NAME``, ``private`` or ``told``."""
    from concord.people.answers.surveys import IDENTIFIES, NAMES, is_added

    roles: dict[int, str] = {}
    for j, title in enumerate(grid.header):
        plain = plain_title(title)
        if grid.is_blank_column(j):
            continue
        if plain in asked or plain == "experiment":
            roles[j] = f"own:{asked.get(plain, plain)}"
        elif plain in NAMES["weight"]:
            roles[j] = "weight"
        elif (plain in NAMES["person"] or IDENTIFIES.fullmatch(plain)) and "person" not in roles.values():
            roles[j] = "person"
        elif is_added(title) or any(one.fullmatch(plain) for one in (IDENTIFIES, _PRIVATE)):
            roles[j] = "private"
        else:
            roles[j] = "told"
    if "told" not in roles.values():
        shown = listed([quoted(title) for title in grid.header])
        raise FileFormatError(
            f"{grid.place}: no column describes the persons ({shown}); expected columns such as age, party, "
            "or earlier answers"
        )
    return roles


def _person_names(grid: Grid, columns: Sequence[int]) -> list[str]:
    """Return what the persons are called; two of one name are refused by their rows."""
    if not columns:
        return [str(i + 1) for i in range(len(grid.rows))]
    names = [_clean(cell) for cell in grid.cells(columns[0])]
    seen: dict[str, int] = {}
    for row, name in zip(grid.rows, names, strict=True):
        if not name:
            raise FileFormatError(
                f"{grid.place}, row {row}, column {grid.header[columns[0]]!r}: no name of a person"
            )
        if name in seen:
            raise FileFormatError(
                f"{grid.place}, rows {seen[name]} and {row}: both are the person {quoted(name)}; expected "
                "one row per person"
            )
        seen[name] = row
    return names


def _words_of(grid: Grid, j: int, declared: MissingCodes, notes: list[str]) -> list[str]:
    """Return the cells of a column in words; empty where a cell is empty or a code for no answer."""
    cells = grid.cells(j)
    values = [number_or_none(cell) for cell in cells]
    known = [value for value in values if value is not None]
    numeric = len(known) > sum(not is_blank(cell) for cell in cells) / 2
    numbers = np.array([n for n in known if n not in declared.numbers], dtype=np.float64)
    codes = found_codes(numbers) if numeric and numbers.size else FoundCodes()
    taken, place = codes.taken, f"{grid.place}, column {grid.header[j]!r}"
    for found, words in ((taken, codes.taken_words), (codes.asked, codes.asked_words(numbers))):
        if found:
            notes.append(f"{place}: {int(np.isin(numbers, found).sum())} cells {words}")
    return [
        ""
        if is_blank(cell) or declared.holds(cell) or is_refusal(cell, among_numbers=numeric) or value in taken
        else _clean(cell)
        for cell, value in zip(cells, values, strict=True)
    ]


def _clean(cell: object) -> str:
    """Return a cell as one line without what cannot be seen."""
    text = f"{cell:g}" if isinstance(cell, float) and cell == round(cell) and abs(cell) < 1e15 else str(cell)
    return "" if cell is None else " ".join(_UNSEEN.sub(" ", text).split())


def _told_as(title: str) -> str:
    return "age" if plain_title(title) == "age" else _clean(title)


def _trait(grid: Grid, j: int, cell: str) -> str | int:
    return int(cell) if _told_as(grid.header[j]) == "age" and cell.isdecimal() and len(cell) < 4 else cell


def _check_told(grid: Grid, persons: Sequence[Person]) -> None:
    """Refuse what is too long to be told, by its row."""
    for row, person in zip(grid.rows, persons, strict=True):
        for title, value in person.traits.items():
            if len(str(value)) > _LONGEST:
                raise FileFormatError(
                    f"{grid.place}, row {row}, column {title!r}: {len(str(value)):,} characters, "
                    f"expected at most {_LONGEST:,}"
                )
        if sum(len(title) + len(str(value)) for title, value in person.traits.items()) > _PERSONA:
            raise FileFormatError(
                f"{grid.place}, row {row}: more than {_PERSONA:,} characters to tell of one person; leave "
                "columns out"
            )


@dataclass(frozen=True, slots=True)
class SessionOpener:
    """Opens a planned session, new each time."""

    plan: SessionPlan
    open: Callable[[], Session]

    @property
    def condition(self) -> str:
        """The cell of the session in words."""
        return ", ".join(self.plan.cell.values())


DESIGN_FILE = "design.txt"
ASSIGNMENT = "blocks"
"""How sessions are assigned; a run that was planned otherwise cannot be laid out again."""


@gated()
def design_people(
    study: str | Iterable[str] = (),
    *,
    folder: str | Path | None = None,
    n: int | None = None,
    design: str = "participant",
    plan_seed: int = 0,
    limit: int | None = None,
    repeats: int = 1,
    memory: bool = False,
    variant: str | None = None,
    persons: TableSource | None = None,
    missing: Any = None,
    answer_line: bool = True,
) -> Design:
    """Lay out every session of some studies."""
    if repeats != 1:
        raise OptionError("--repeats does not apply to people: give more participants with --n")
    chosen = PERSON if persons is not None and design == "participant" else get_design(design)
    names = [name.strip() for name in study.split(",") if name.strip()] if isinstance(study, str) else study
    found = find_studies(names, folder=None if folder is None else Path(folder))
    if variant is not None:
        found = with_variants(found, variant)
    options: dict[str, str | int | float | bool | None] = {"n": n, "design": chosen.name}
    options |= {
        "assignment": ASSIGNMENT,
        "plan_seed": plan_seed,
        "limit": limit,
        "studies": ", ".join(file.name for file in found),
    }
    table = None if persons is None else _persons_of(persons, found, n=n, missing=missing)
    if table is not None:
        given = Path(persons).name if isinstance(persons, str | Path) else "a table"
        told, kept = ", ".join(table.told), ", ".join(table.kept)
        options |= {"persons": given, "n_persons": len(table), "told": told, "not_told": kept}
    options |= {"memory": True} if memory else {}
    options |= {"answer_line": True} if answer_line else {}
    text = "" if chosen.text is None else chosen.text
    files = [(f"{file.name}.yaml", file.raw) for file in found] + [(DESIGN_FILE, text.encode("utf-8"))]
    files += [] if table is None else [(PERSONS_FILE, table.stored())]
    template = Template(f"people/{chosen.name}", text, "" if chosen.sha256 is None else chosen.sha256)
    openers = session_openers(dict(files), options)
    trials = tuple(_trial(opener, template.name) for opener in openers.values())
    notes = () if table is None else table.notes
    return Design("people", trials, (template,), tuple(files), tuple(options.items()), notes)


def _persons_of(source: TableSource, found: Iterable[StudyFile], *, n: int | None, missing: Any) -> Persons:
    """Read the persons who take part; the table says how many there are."""
    if n is not None:
        raise OptionError(
            "--n does not go with --persons: the table has the participants; --limit takes the first"
        )
    studies = [file.study for file in found]
    table = read_persons(source, studies, missing=missing)
    for study in studies:  # an answer that cannot be read is told before anything is asked
        for name in study.experiments:
            for variable in observed_variables(study, name).values():
                for one in table.persons if variable.origin == "answer" else ():
                    read_value(variable, one.own.get(variable.name), f"--persons, person {one.name!r}")
    return table


def _trial(opener: SessionOpener, template: str) -> Trial:
    first = opener.open().waiting()
    messages: tuple[Message, ...] = first[0].messages if first else ()
    who = [member.person.name for member in opener.plan.members if member.person is not None]
    about = (("person", ", ".join(who)),) if who else ()
    return Trial("people", opener.plan.id, opener.condition, messages, 0, template, about=about)


def plans_of(files: Mapping[str, bytes], options: Mapping[str, Any]) -> tuple[StudyPlan, ...]:
    """Plan again what a run has asked, from the files and options it kept."""
    if options.get("assignment") != ASSIGNMENT:
        raise OptionError(
            "these sessions were assigned by an older Concord, so that their conditions cannot be known "
            "here; score them with the version that asked them"
        )
    _check_options(files, options)
    name = str(options["design"])
    text = files[DESIGN_FILE].decode("utf-8", "replace")
    design = AgentDesign(name, text if text else None, options.get("answer_line") is True)
    persons = stored_persons(files[PERSONS_FILE]) if options.get("persons") is not None else None
    plans = []
    for study in str(options["studies"]).split(", "):
        file = read_study(files[f"{study}.yaml"], name=f"{study}.yaml")
        plan = plan_study(
            file, n=options["n"], seed=int(options["plan_seed"]), design=design, persons=persons
        )
        plans.append(replace(plan, sessions=_limited(plan.sessions, options["limit"])))
        check_sessions(sum(len(one.sessions) for one in plans), "--n")
    return tuple(plans)


def _check_options(files: Mapping[str, bytes], options: Mapping[str, Any]) -> None:
    """Refuse the options of a run that somebody has changed."""
    whole, maybe = (int,), (int, type(None))
    kinds = {"design": (str,), "studies": (str,), "plan_seed": whole, "n": maybe, "limit": maybe}
    for name, kind in kinds.items():
        if not isinstance(options.get(name, ...), kind) or isinstance(options[name], bool):
            raise OptionError(f"the option {name!r} of this run is not what a run writes; put run.json back")
    persons = () if options.get("persons") is None else (PERSONS_FILE,)
    for file in (DESIGN_FILE, *persons, *(f"{study}.yaml" for study in str(options["studies"]).split(", "))):
        if file not in files:
            raise OptionError(f"the run does not hold the file {quoted(file)} that it asked; put it back")


def _limited(sessions: tuple[SessionPlan, ...], limit: int | None) -> tuple[SessionPlan, ...]:
    return sessions if limit is None else tuple(one for one in sessions if one.number <= limit)


def session_openers(files: Mapping[str, bytes], options: Mapping[str, Any]) -> dict[str, SessionOpener]:
    """Return every session of a run by its id."""
    openers: dict[str, SessionOpener] = {}
    for plan in plans_of(files, options):
        compiled = {
            name: compile_experiment(spec, plan.study.population_of(name))
            for name, spec in plan.study.experiments.items()
        }
        for session in plan.sessions:
            openers[session.id] = SessionOpener(session, _opener(session, plan, compiled))
    return openers


def _opener(session: SessionPlan, plan: StudyPlan, compiled: Mapping[str, Any]) -> Callable[[], Session]:
    return lambda: Session(session, compiled[session.experiment], plan.design)
