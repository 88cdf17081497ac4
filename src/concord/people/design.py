"""What is asked about people: one trial per session, and how its session is opened again."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from concord.errors import OptionError, quoted
from concord.files.gate import check_sessions
from concord.files.tables import TableSource
from concord.numeric import gated
from concord.people.studies.agents import (
    PERSON,
    PERSONS_FILE,
    AgentDesign,
    Persons,
    get_design,
    stored_persons,
)
from concord.people.studies.catalog import observed_variables, read_value
from concord.people.studies.format import StudyFile
from concord.people.studies.load import find_studies, read_study, with_variants
from concord.people.studies.persons import read_persons
from concord.people.studies.plan import SessionPlan, StudyPlan, plan_study
from concord.people.studies.sessions import Session
from concord.people.studies.wording import compile_experiment
from concord.records import Design, Message, Template, Trial


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
