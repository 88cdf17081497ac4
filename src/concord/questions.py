"""The three questions, one record each; whatever goes through all of them goes through `ALL`.

How each is asked is in `asking.registry`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.comparing import answers as compared_answers
from concord.comparing import judges as compared_judges
from concord.comparing import options as compared_options
from concord.comparing import people as compared_people
from concord.comparing import predictions as compared_predictions
from concord.comparing import structure as compared_structure
from concord.comparing.metrics import MetricCompareResult, ResultKind
from concord.comparing.result import CompareResult
from concord.comparing.run import ScoreReading, compare_sources
from concord.comparing.tables import ScoreColumns
from concord.engine import get_engine
from concord.errors import FileFormatError, OptionError
from concord.files.checked import FileCheck, FileKind
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.files.tables import TableOptions
from concord.people import NAME as PEOPLE
from concord.people import check as people_check
from concord.planning import judges as planned_judges
from concord.planning import option_places as planned_options
from concord.planning import people as planned_people
from concord.planning import structure as planned_structure
from concord.planning.judges import JudgePlan
from concord.planning.kinds import PlanKind
from concord.planning.mixed import MixedPlan, plan_mixed
from concord.planning.option_places import OptionPlan
from concord.planning.people import PeoplePlan
from concord.planning.plan import PlanResult, plan_from
from concord.planning.structure import StructurePlan
from concord.reasoning import NAME as REASONING
from concord.reasoning.read import check as reasoning_check
from concord.stats.compare import Choices
from concord.structure import NAME as STRUCTURE
from concord.structure import items as structure_items


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question: what its files are, how its results are compared and planned."""

    name: str
    files: tuple[FileKind, ...]
    compare: tuple[ResultKind, ...] = ()
    """Kinds of results with a comparison of their own; others are compared item by item."""
    plan: tuple[PlanKind, ...] = ()
    """Kinds of results with a plan of their own; others are planned with as scores of items."""


ALL: tuple[QuestionRecord, ...] = (
    QuestionRecord(
        PEOPLE,
        files=people_check.FILES,
        compare=(compared_people.KIND, compared_answers.KIND, compared_predictions.KIND),
        plan=(planned_people.KIND,),
    ),
    QuestionRecord(
        STRUCTURE,
        files=structure_items.FILES,
        compare=(compared_structure.KIND, compared_judges.KIND, compared_options.KIND),
        plan=(planned_structure.KIND, planned_judges.KIND, planned_options.KIND),
    ),
    QuestionRecord(
        REASONING,
        files=reasoning_check.FILES,
    ),
)


def compare(
    *sources: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    names: Sequence[str] | None = None,
    wrong: float | None = None,
    unit: str = "auto",
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    engine: str = "serial",
    scheduler: str | None = None,
    **choices: Any,
) -> CompareResult | MetricCompareResult:
    """Compare two or more models: on the same items, the same studies of people, the same arrangements.

    Parameters
    ----------
    sources
        Two or more of one kind: Inspect logs (`.eval`, `.json`), lm-eval `--log_samples` files, tables (CSV,
        XLSX, Parquet, JSON, frames, lists of rows) with an item and a score per row, or folders that
        `concord score` or `concord run` wrote; one folder about structure that holds several models.
    item, score, cluster, repeat
        Names of columns of a table; ``cluster`` also of sample metadata (Inspect) or of a document's field
        (lm-eval).
    metric
        Which scorer or metric, where a log has several; what ranks: ``pas`` (default), ``ecs`` or ``apr`` of
        results about people, ``tau`` (default), ``flip_excess``, ``worst``, ``S_Cons``, ``E_perf``,
        ``R_sens`` or ``S_star``, ``E_star``, ``R_star`` of results about structure; ``flip_excess``,
        ``inconsistency``, ``preference``, ``ties`` or ``agreement`` of judges; ``consistency``,
        ``option_flips``, ``first_option``, ``last_option`` or ``rstd`` of options; ``gap`` (default),
        ``correct_cot``, ``correct_early`` or ``step_f1`` of results about reasoning.
    names
        What the report calls the models, one each.
    wrong
        Score of a wrong answer; 0 by default where all scores lie from 0 to 1.
    unit
        ``auto`` refuses shares (0 to 1) beside percentages (0 to 100); ``percent`` divides scores of a file
        that reaches above 1 by 100; ``same`` takes all as they are.
    sheet, encoding, decimal_comma
        How tables are read: sheet of a workbook (the first by default), encoding of text files (UTF-8 by
        default), whether ``0,85`` is a number.
    engine, scheduler
        ``serial``, ``processes``, or ``dask`` with the address of its scheduler; changes nothing in the
        result.
    choices
        ``level`` (0.95), ``test`` (``auto``), ``n_flips`` (9999 random signs, or resamples of items),
        ``seed`` (0), ``margin`` (the smallest difference that matters: is the difference shown to be
        smaller?).

    Returns
    -------
    CompareResult or MetricCompareResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Raises
    ------
    MismatchError
        Different tasks, metrics, items or protocols; the message says what is comparable.

    Examples
    --------
    >>> first = [{"item": i, "score": s} for i, s in enumerate([1, 1, 0, 1, 1, 1])]
    >>> second = [{"item": i, "score": s} for i, s in enumerate([0, 1, 0, 0, 1, 0])]
    >>> result = compare(first, second, names=["new", "old"])
    >>> result.difference.value, result.p_value
    (0.5, 0.25)
    """
    kinds = [kind for one in ALL for kind in one.compare]
    return compare_sources(
        sources,
        ScoreReading(
            ScoreColumns(item, score, cluster, repeat),
            metric,
            names,
            wrong,
            TableOptions(sheet, encoding, decimal_comma),
            unit,
        ),
        kinds,
        choices=Choices(**choices),
        engine=get_engine(engine, scheduler=scheduler),
    )


def plan(
    *pilot: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    **options: Any,
) -> PlanResult | PeoplePlan | StructurePlan | JudgePlan | OptionPlan | MixedPlan:
    """Plan a comparison of two models: power, smallest detectable difference, items needed, cost.

    Parameters
    ----------
    pilot
        Two results of a first run, as for `compare`; one or two folders of `concord score people`; one of
        `concord score structure`; none: the plan rests on assumptions. ``plan("structure", ...)`` plans
        for an order effect without a pilot, ``plan("mixed", ...)`` people and replies together: ``se``,
        ``person_cost``, ``reply_cost``, and ``correlation`` and ``sd`` or a folder of `concord combine`.
    item, score, cluster, repeat, metric
        How pilot files are read, as for `compare`.
    options
        What is wanted. ``effect``: the difference that should be found; ``power`` (0.8); ``level`` (0.95) of
        intervals, the test's level is 1 minus it; ``items`` planned (those of the pilot by default);
        ``repeats`` per item and model (1); ``calls``: a budget, both models together, to be divided between
        items and repeats; ``item_cost``: what one more item costs, in calls (0); ``cost_per_call``: a number,
        or the lowest and highest.
        What is assumed, without a pilot. ``means`` of two 0-1 scores and their ``correlation`` (0.5), or
        ``sd_between`` over items; ``sd_within`` over repeats (0); ``cluster_size`` (1), ``cluster_cv`` (0)
        and ``cluster_correlation`` (0). About structure: ``accuracy`` or ``noise_sd`` of one answer,
        ``order_sd`` (the order effect, 0.05), ``order_item_sd`` (0.1); ``arrangements`` and ``repeats`` are
        searched where they are not given, for ``power`` or for a ``width`` of the interval.

    Returns
    -------
    PlanResult, PeoplePlan, StructurePlan, JudgePlan, OptionPlan or MixedPlan
        Frozen; prints itself, and gives ``to_dict()``.

    Raises
    ------
    OptionError
        A value that cannot be, or nothing to plan.

    Examples
    --------
    >>> result = plan(means=(0.70, 0.65), effect=0.05, items=500)
    >>> result.items_needed, round(result.power, 2)
    (726, 0.63)
    """
    if pilot and str(pilot[0]) == "mixed" and not Path("mixed").exists():
        return plan_mixed(*pilot[1:], **options)
    if pilot and str(pilot[0]) == PEOPLE and not Path(PEOPLE).exists():
        raise OptionError(
            "a plan about people needs a result: plan with a folder that concord score people wrote, or "
            "--participants D for the d that should be found"
        )
    kinds = [kind for one in ALL for kind in one.plan]
    found = plan_from(pilot, ScoreReading(ScoreColumns(item, score, cluster, repeat), metric), options, kinds)
    planned = PlanResult | PeoplePlan | StructurePlan | JudgePlan | OptionPlan
    assert isinstance(found, planned)  # noqa: S101 - what plans of results are
    return found


def check(
    file: str | Path,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    mapping: Mapping[str, str] | None = None,
) -> FileCheck:
    """Check that a file is well formed, without scoring or running anything.

    Parameters
    ----------
    file
        A study (``.yaml``), a file of replies (``.jsonl``, or a JSON list of them), vignettes, bias cases or
        items (JSON), or else a table of tests.
    sheet
        Sheet of a workbook, the first by default.
    encoding
        Encoding of a table in a text file; UTF-8 by default.
    decimal_comma
        In a table ``0,85`` is a number.
    mapping
        What the columns of a table made by hand hold, by their titles, such as ``{"Result": "human"}``.

    Raises
    ------
    FileFormatError
        The file cannot be read at all.
    """
    path = Path(file)
    kind = _kind_of(path)
    if kind is None:
        return people_check.check_table(path, TableOptions(sheet, encoding, decimal_comma), mapping=mapping)
    if sheet is not None:
        raise OptionError(f"sheet={sheet!r} was given, but only XLSX files have sheets")
    return kind.check(path)


def _kind_of(path: Path) -> FileKind | None:
    """Recognise a file by the end of its name, or by the keys of the JSON it holds."""
    kinds = [kind for one in ALL for kind in one.files]
    suffix = path.suffix.lower()
    if suffix != ".json":
        return next((kind for kind in kinds if suffix in kind.suffixes), None)
    try:
        document = parsed(path.name, read_bytes(path))
    except FileFormatError:
        return None
    if isinstance(document, Mapping):
        return next((kind for kind in kinds if isinstance(document.get(kind.key), list)), None)
    rows = document if isinstance(document, list) else []
    keys = {key for row in rows if isinstance(row, Mapping) for key in row}
    return next((kind for kind in kinds if kind.field in keys), None)
