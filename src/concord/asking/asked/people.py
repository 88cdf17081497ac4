"""Studies whose participants a model replaces: how sessions are held and scored."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from concord.asking.askable import AnswerTable, Askable, Demo, FollowUp, Recorded, Sessions
from concord.asking.replies import TurnTexts
from concord.errors import InputError
from concord.people import NAME
from concord.people.design import design_people, plans_of, session_openers
from concord.people.memory import MARK
from concord.people.studies.describe import middle_reply
from concord.records import AskOutcome, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from concord.people.studies.sessions import Question

MEMORY = "memory"
"""Folder of the probe inside that of the run."""


def score(found: Recorded, *, partial: bool = False, **choices: Any) -> Any:
    """Score the sessions of a run; participants who did not answer are counted, finished or not."""
    from concord.people.studies import score_replies

    replies = TurnTexts(found.rows)
    plans = plans_of(found.files, found.options)
    said: dict[str, list[str]] = {}
    for row in sorted(found.followed, key=lambda row: int(row["repeat"])):
        if row["outcome"] == AskOutcome.OK:
            said.setdefault(str(row["id"]), []).append(str(row["response"]))
    made, options = found.made, found.options
    if options.get("persons") is not None:
        about = {"persons": f"{options['n_persons']} of {options['persons']}", "told": options["told"]}
        settings = {} if made.model_settings is None else made.model_settings
        made = replace(made, model_settings={**settings, **about})
    return score_replies(replies, plans, model=found.model, made=made, said=said, **choices)


def person_answers(found: Recorded) -> AnswerTable | None:
    """Return the answers of the persons of a table, beside their own where the table holds them."""
    from concord.people.studies.before import answer_rows

    if found.options.get("persons") is None:
        return None
    rows = list(answer_rows(plans_of(found.files, found.options), TurnTexts(found.rows), found.model))
    n, both = len({row["person"] for row in rows}), [row for row in rows if row["human"] is not None]
    counted: dict[str, Any] = {"persons": {"n": n, "answers": len(rows), "with_own_answer": len(both)}}
    columns = tuple(rows[0]) if rows else ()
    table = tuple(tuple(row.values()) for row in rows)
    if not both:
        told = f"{n:,} persons answered; put their own answers into the table to compare person by person"
        return AnswerTable(columns, table, counted, (told,))
    try:
        result = score_person_answers(both)
    except InputError as fault:
        return AnswerTable(columns, table, counted, (f"not compared person by person: {fault}",))
    written = result.written()
    tables = {f"persons/{held.file}": (held.file_columns(), held.file_rows(result)) for held in written}
    documents = {f"persons/{result.FILE}": result.to_dict()}
    lines = tuple(f"person by person: {words}" for words in result.sentences())
    return AnswerTable(columns, table, counted, lines, tables, documents)


def score_person_answers(rows: "Sequence[Mapping[str, Any]]") -> Any:
    """Compare the answers of persons with their own."""
    from concord.people.answers.score import score_answer_table
    from concord.people.answers.table import read_answer_table

    return score_answer_table(read_answer_table(rows))


def score_file(path: "Path", *, study: Any = (), **choices: Any) -> Any:
    """Score recorded replies to studies, planned as they were asked."""
    from concord.people.studies import plan, score_replies

    words = {"studies": "folder", "plan_seed": "seed", "n": "n", "design": "design"}
    planned = {words[name]: choices.pop(name) for name in list(choices) if name in words}
    return score_replies(path, plan(study, **planned), **choices)


def probe_memory(found: Recorded) -> FollowUp | None:
    """Lay out the probe that follows where it was asked for: what the model knows of the studies."""
    from concord.people.studies.probe import probe_design

    if not found.options.get("memory"):
        return None
    plans = [plan for plan in plans_of(found.files, found.options) if MARK not in plan.study.study]
    return FollowUp(probe_design(plans), found.model, MEMORY, max_tokens=600)


def reads_turns(
    files: "Mapping[str, bytes]", options: "Mapping[str, Any]"
) -> "Callable[[Question, str], Sequence[str]]":
    """Return what reads a reply to a question: its session does."""
    return lambda question, reply: [str(one.outcome) for one in question.session.read(question, reply)]


def turn_of(question: "Question") -> Trial:
    """Return a question as a trial; each participant is a repeat of its own, so that seeds differ."""
    condition = ", ".join(question.session.plan.cell.values())
    design = f"people/{question.session.design.name}"
    number = question.member.number
    return Trial(NAME, question.id, condition, question.messages, number, design, forms=question.forms)


ASKED = Askable(
    name=NAME,
    design=design_people,
    score=score,
    score_file=score_file,
    # People differ; at temperature 0 the participants of a cell would be copies of one another.
    temperature=1.0,
    max_tokens=256,
    task={"limit": "sessions"},
    follow=probe_memory,
    followed_in=MEMORY,
    answers=person_answers,
    sessions=Sessions(
        session_openers,
        lambda session, question: middle_reply(question),
        turn_of,
        lined=True,
        reads=reads_turns,
    ),
    demo=Demo(
        "With people, asked now: the framing study, five participants per cell.",
        {"study": ["framing"], "n": 5, "temperature": 1.0, "seed": 1, "max_tokens": 12},
        folder="asked-people",
    ),
)
