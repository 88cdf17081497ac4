"""What goes through all three questions: comparing and planning."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from concord.comparing.conditions import ConditionsResult, compare_conditions
from concord.comparing.kinds import PEOPLE_RESULTS
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.comparing.run import compare_sources
from concord.comparing.tables import ScoreColumns, ScoreReading
from concord.engine import get_engine
from concord.errors import OptionError
from concord.files.tables import TableChoices, table_options
from concord.numeric import gated
from concord.stats.compare import Choices

if TYPE_CHECKING:
    from concord.planning.options import PlanRecord


@overload
def compare(*sources: Any, by: str, **options: Any) -> ConditionsResult: ...
@overload
def compare(*sources: Any, by: None = None, **options: Any) -> CompareResult | MetricCompareResult: ...
@gated()
def compare(
    *sources: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    by: str | None = None,
    as_people: bool = False,
    names: Sequence[str] | None = None,
    wrong: float | None = None,
    unit: str = "auto",
    engine: str = "serial",
    scheduler: str | None = None,
    **choices: Any,
) -> CompareResult | MetricCompareResult | ConditionsResult:
    """Compare two or more models: on the same items, the same studies of people, the same arrangements.

    Parameters
    ----------
    sources
        Two or more of one kind: Inspect logs (`.eval`, `.json`), lm-eval `--log_samples` files, tables (CSV,
        XLSX, Parquet, JSON, frames, lists of rows) with an item and a score per row, or folders that
        `concord score` or `concord run` wrote, or their results; one that holds several models.
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
    by
        Column of one table of answers that names conditions (``reasoning``, ``few_shot``, ``prompt``): each
        model is compared with itself under them, by ``metric`` ``influence`` (of hints), ``gap`` (reasoning
        minus none), ``flips`` (with the arrangement) or ``accuracy``, tasks or ``cluster`` being clusters.
    as_people
        Two folders of results about people, an old version of a model and a new one: whether the new one
        agrees with people less, on the same studies, and which effects and distributions moved. The new one
        comes first in the result, and gates (``fail_if_worse``, ``fail_unless_as_good``) hold it against the
        old one.
    names
        What the report calls the models, one each.
    wrong
        Score of a wrong answer; 0 by default where all scores lie from 0 to 1.
    unit
        ``auto`` refuses shares (0 to 1) beside percentages (0 to 100); ``percent`` divides scores of a file
        that reaches above 1 by 100; ``same`` takes all as they are.
    engine, scheduler
        ``serial``, ``processes``, or ``dask`` with the address of its scheduler; changes nothing in the
        result.
    choices
        ``level`` (0.95), ``test`` (``auto``), ``n_flips`` (9999 random signs, or resamples of items),
        ``seed`` (0), ``margin`` (the smallest difference that matters: is the difference shown to be
        smaller?); and how tables are read, as `TableChoices` says: a cell that cannot be read always refuses
        its table.

    Examples
    --------
    >>> first = [{"item": i, "score": s} for i, s in enumerate([1, 1, 0, 1, 1, 1])]
    >>> second = [{"item": i, "score": s} for i, s in enumerate([0, 1, 0, 0, 1, 0])]
    >>> result = compare(first, second, names=["new", "old"])
    >>> result.difference.value, result.p_value
    (0.5, 0.25)
    """
    how = [name for name in choices if name in TableChoices.__annotations__]
    table = table_options(**{name: choices.pop(name) for name in how})
    if by is not None:
        given = dict(item=item, score=score, repeat=repeat, names=names, wrong=wrong)
        refused = [name for name, value in given.items() if value is not None]
        if refused or len(sources) != 1:
            raise OptionError(
                "conditions (by) are compared in one table"
                + (f"; {', '.join(refused)}: leave out" if refused else f", got {len(sources)}")
            )
        return compare_conditions(
            sources[0], by, options=table, choices=Choices(**choices), metric=metric, cluster=cluster
        )
    if as_people:
        if len(sources) != 2 or not all(PEOPLE_RESULTS.holds(one) for one in sources):
            raise OptionError("as people: expected two results about people, the old version and the new one")
        sources, names = sources[::-1], None if names is None else list(names)[::-1]
    found = compare_sources(
        sources,
        ScoreReading(ScoreColumns(item, score, cluster, repeat), metric, names, wrong, table, unit),
        choices=Choices(**choices),
        engine=get_engine(engine, scheduler=scheduler),
    )
    if as_people and isinstance(found, MetricCompareResult):
        from concord.comparing.people import as_people as moved_effects

        return replace(found, about={**found.about, **moved_effects(sources)})
    return found


@gated()
def plan(
    *pilot: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    **options: Any,
) -> "PlanRecord":
    """Plan a run: power, smallest detectable difference, items or participants needed, cost.

    Parameters
    ----------
    pilot
        Results of a first run, none where the plan rests on assumptions; before them the kind of plan, which
        results say by themselves: ``"items"`` (two results as for `compare`), ``"structure"`` (a folder of
        `concord score structure`), ``"participants"`` (one or two of `concord score people`), ``"mixed"``
        (one of `concord combine`), ``"judges"`` (one of `concord score judge`), ``"options"`` (a run with
        options).
    item, score, cluster, repeat, metric
        How pilot files are read, as for `compare`.
    options
        What is wanted. ``effect``: the difference that should be found; ``power`` (0.8); ``level`` (0.95) of
        intervals, the test's level is 1 minus it; ``items`` planned (those of the pilot by default);
        ``repeats`` per item and model (1); ``calls``: a budget, both models together, to be divided between
        items and repeats; ``item_cost``: what one more item costs, in calls (0); ``cost_per_call``: a number,
        or the lowest and highest. What a plan does not use is refused by its name.
        What is assumed, without a pilot. Items: ``means`` of two 0-1 scores and their ``correlation`` (0.5),
        or ``sd_between`` over items; ``sd_within`` over repeats (0); ``cluster_size`` (1), ``cluster_cv``
        (0) and ``cluster_correlation`` (0). Structure: ``accuracy`` or ``noise_sd`` of one answer,
        ``order_sd`` (the order effect, 0.05), ``order_item_sd`` (0.1); ``arrangements`` and ``repeats`` are
        searched where they are not given, for ``power`` or for a ``width`` of the interval. Participants:
        ``d``, the standardised difference. Mixed: ``se``, ``person_cost``, ``reply_cost``, ``correlation``
        and ``sd``; the last two come from a pilot where there is one; ``sequential`` with its ``level``.

    Examples
    --------
    >>> result = plan("items", means=(0.70, 0.65), effect=0.05, items=500)
    >>> result.items_needed, round(result.power, 2)
    (726, 0.63)
    """
    from concord.planning.plan import plan_from

    return plan_from(pilot, ScoreReading(ScoreColumns(item, score, cluster, repeat), metric), options)
