"""Items under every arrangement: how they are asked, judged and scored."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from concord.asking.askable import AnswerTable, Askable, Demo, FollowUp, Recorded
from concord.asking.talks import Reads, found_or_why
from concord.errors import RunFolderError
from concord.files.codec import encode
from concord.files.rows import PickedRows
from concord.number_words import percent
from concord.reading.records import StoredReading
from concord.reading.stored import FILE as READINGS
from concord.records import Trial
from concord.structure import NAME
from concord.structure.design import design_structure
from concord.structure.items import ITEMS, parse_items
from concord.structure.options.result import (
    OptionResult,
)
from concord.structure.words.answers import (
    NOT_JUDGED,
    AnswerRow,
    Answers,
    answers_of,
    chance_of,
    option_replies,
)
from concord.structure.words.judged import (
    LANGUAGES,
    Calibration,
    calibrate,
    calibration_words,
    design_judging,
    judge_model,
    language_of,
    measures_meaning,
    model_calibration,
    uncalibrated_words,
    verdicts_of,
)
from concord.structure.words.scorers import Asked, get_scorer, similarity_of

if TYPE_CHECKING:
    from concord.structure.result import StructureResult

JUDGE = "judge"


def read_answers(found: Recorded, *, with_readings: bool = True) -> Answers:
    """Return every reply of a run with its score, answer and outcome."""
    judge = judge_model(str(found.options.get("scorer", "")))
    return answers_of(
        found.files[ITEMS],
        found.options,
        found.rows,
        planned=found.planned,
        model=found.model,
        verdicts=None if judge is None else verdicts_of(found.followed, str(found.options["scorer"])),
        with_readings=with_readings,
    )


def _scoring() -> Any:
    from concord.structure.score.models import score_structure

    return score_structure


def score(found: Recorded, *, partial: bool = False, **choices: Any) -> "StructureResult":
    """Score how far the answers of a run move; what is missing is missing cells, finished or not."""
    from concord.structure.score.models import score_structure
    from concord.structure.words.unread import with_unread

    answers = read_answers(found, with_readings=False)
    if all(row.score is None for row in answers.rows):
        counted = ", ".join(f"{n} {outcome}" for outcome, n in answers.outcomes.items())
        raise RunFolderError(f"{found.source}: {_nothing_scored(found, answers)} ({counted})")
    chance = {"chance": chance_of(found.files[ITEMS], found.options)}

    def scored(rows: Answers) -> "StructureResult":
        return score_structure(scores=rows.frame(), **{**chance, **choices})

    result = with_unread(scored(answers), answers, scored)
    about, said = _about_scorer(found)
    if said and (about is None or not measures_meaning(about)):
        result = replace(result, scores=replace(result.scores, warnings=(*result.scores.warnings, said)))
    return replace(result, made=found.made)


def _about_scorer(found: Recorded) -> tuple[Calibration | None, str]:
    """Return what a scorer of texts does on its calibration set, and that in words; of others nothing."""
    about = calibrated(found.files[ITEMS], found.options, found.followed)
    if about is not None:
        return about, calibration_words(about)
    name = str(found.options["scorer"])
    return None, uncalibrated_words(name, language_of(found.files[ITEMS])) if compares_texts(name) else ""


def _nothing_scored(found: Recorded, answers: Answers) -> str:
    """Say why no reply has a score."""
    judge = judge_model(str(found.options.get("scorer", "")))
    if judge is not None and NOT_JUDGED in answers.outcomes:
        return (
            f"no verdict of the scoring model {judge} could be read; what it said is in the folder {JUDGE}. "
            "Run the same command again with --scorer text, or with a stronger scoring model after moving "
            "that folder away: the replies are kept"
        )
    return "no answer was found in any reply"


def answer_table(found: Recorded) -> AnswerTable:
    """Return the answers as a table, with outcomes and recovered orders counted."""
    from concord.structure.options.score import score_options
    from concord.structure.words.answers import source_tables

    answers = read_answers(found)
    counted: dict[str, Any] = {"answers": answers.outcomes}
    lines = ["answers: " + ", ".join(f"{n} {outcome}" for outcome, n in answers.outcomes.items())]
    if answers.recovery is not None:
        recovered, n = answers.recovery
        counted["recovery_rate"] = {"recovered": recovered, "n": n, "rate": recovered / n}
        lines.append(f"idioms recovered: {recovered} of {n} ({percent(recovered / n)})")
    tables: dict[str, Any] = dict(source_tables(answers))
    if answers.readings:
        names = tuple(one.name for one in fields(StoredReading))
        tables[READINGS] = (names, PickedRows(answers.readings, attrgetter(*names)))
    documents: dict[str, Mapping[str, Any]] = {}
    chosen = option_replies(found.files[ITEMS], found.options, answers)
    if any(reply.answer is not None for reply in chosen):
        result = OptionResult(
            found.model,
            score_options(chosen),
            str(found.options.get("items")),
            str(found.options["arranger"]),
            tuple(chosen),
        )
        counted["options"] = encode(result.scores)
        lines += result.scores.lines()
        for held in result.written():
            tables[held.file] = (held.file_columns(), held.file_rows(result))
        documents[result.FILE] = result.to_dict()
    about, said = _about_scorer(found)
    if about is not None:
        counted["scorer_calibration"] = encode(about)
    if said:
        lines.append(said)
    columns = tuple(one.name for one in fields(AnswerRow))
    rows = PickedRows(answers.rows, attrgetter(*columns))
    return AnswerTable(columns, rows, counted, tuple(lines), tables, documents)


def calibrated(
    items: bytes, options: Mapping[str, Any], followed: Iterable[Mapping[str, Any]] = ()
) -> Calibration | None:
    """Return what a scorer of texts does on the calibration set of the items' language."""
    name, language = str(options["scorer"]), language_of(items)
    if judge_model(name) is not None:
        return model_calibration(name, language, verdicts_of(followed, name))
    similarity = similarity_of(name)
    if similarity is None or language not in LANGUAGES:
        return None
    return calibrate(name, similarity, str(language))


def compares_texts(scorer: str) -> bool:
    """Whether a scorer compares texts, by itself or by a model."""
    return judge_model(scorer) is not None or similarity_of(scorer) is not None


def judge_of(found: Recorded) -> FollowUp | None:
    """Lay out the run of a model as scorer, where replies are scored by ``judge:MODEL`` or ``nli:MODEL``."""
    model = judge_model(str(found.options.get("scorer", "")))
    if model is None:
        return None
    return FollowUp(design_judging(found.files[ITEMS], found.options, found.rows), model, JUDGE)


def reads_options(files: Mapping[str, bytes], options: Mapping[str, Any]) -> Reads:
    """Return what reads which option a reply chooses."""
    known = {item.id: item for item in parse_items(files[ITEMS], ITEMS).items}
    scorer, arranger = get_scorer(str(options["scorer"])), str(options["arranger"])

    def read(trial: Trial, reply: str) -> list[str]:
        found = scorer(reply, Asked(known[trial.item], arranger, trial.cell))
        return found_or_why(found.score is not None, trial.forms[0], reply)

    return read


ASKED = Askable(
    name=NAME,
    design=design_structure,
    score=score,
    passed_on=_scoring,
    reads=reads_options,
    max_tokens=512,
    # answers that change with the arrangement are counted against those that change between repeats
    repeats=2,
    answers=answer_table,
    follow=judge_of,
    followed_in=JUDGE,
    demo=Demo(
        "With itself.",
        {"limit": 6, "arrangements": 4, "repeats": 2, "temperature": 0.7, "seed": 1, "max_tokens": 16},
    ),
)
