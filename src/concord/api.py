"""What a notebook imports: one function a question, frozen results that show themselves."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord import people
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.comparing.run import Reading
from concord.comparing.tables import Columns
from concord.engine import Engine, get_engine
from concord.errors import OptionError
from concord.files.checked import FileCheck
from concord.files.tables import TableOptions
from concord.people.bounds import N_SIMULATIONS
from concord.people.protocol import Protocol
from concord.people.result import PeopleResult
from concord.people.score import N_RESAMPLES, score_chosen
from concord.people.table.read import read_tests
from concord.planning.people import PeoplePlan
from concord.planning.plan import PlanResult
from concord.questions import check_any, compare_any, plan_any, report_on
from concord.records import TestTable
from concord.show.making import Report
from concord.stats.compare import Choices

if TYPE_CHECKING:
    from concord.reasoning.bias import Detector
    from concord.reasoning.compare import Ranking
    from concord.reasoning.files import ReasoningResult
    from concord.reasoning.lexicon import Aliases
    from concord.reasoning.read.vignettes import Source
    from concord.structure.files import StructureResult

__all__ = [
    "FileCheck",
    "PeopleResult",
    "check",
    "compare",
    "demo_table",
    "plan",
    "rank_reasoning",
    "report",
    "score_people",
    "score_reasoning",
    "score_structure",
]


def demo_table() -> Path:
    """Return the bundled table of classic studies; its human side is published, its agent side invented."""
    return Path(people.__path__[0]) / "data" / "demo_tests.csv"


def score_people(
    table: Any,
    *,
    protocol: str | Protocol = "standard",
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    model: str | None = None,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
    engine: str | Engine = "serial",
    **choices: object,
) -> PeopleResult:
    """Score a table of tests: PAS, ECS and APR with their uncertainty.

    Parameters
    ----------
    table
        A path (CSV, XLSX, Parquet, JSON), a polars or pandas frame, or a list of row mappings; one row a
        test with a human and an agent side; or a table already read.
    protocol
        ``standard``, ``refined``, ``published``, or a `Protocol` of your own.
    sheet
        Sheet of a workbook, the first by default.
    encoding
        Encoding of a text file; UTF-8 by default.
    decimal_comma
        In a column of numbers ``0,85`` is a number.
    model
        Name of the model that stood in for the participants, for reports and comparisons.
    level
        Nominal coverage of intervals.
    n_resamples
        Fresh samples of participants behind the second interval; 0 leaves it out.
    n_simulations
        Simulated agents behind floor and ceiling of PAS and ECS; 0 leaves them out.
    seed
        Seed of the fresh samples and simulated agents: same input and seed, same numbers.
    engine
        Where fresh samples and simulated agents are computed: ``serial``, ``processes``, ``dask``; changes
        no number.
    choices
        Single choices of the protocol to change, such as ``states=2`` or ``include_unsigned=True``.

    Returns
    -------
    PeopleResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Examples
    --------
    >>> rows = [
    ...     {"study": "S", "finding": f"F{i}", "test": "t", "test_type": "t-test",
    ...      "human_statistic": h, "human_n1": 40, "human_n2": 40,
    ...      "agent_statistic": a, "agent_n1": 100, "agent_n2": 100}
    ...     for i, (h, a) in enumerate([(2.5, 4.0), (0.4, 0.1), (3.1, 6.2), (-2.2, 1.0)])
    ... ]
    >>> result = score_people(rows)
    >>> round(result.pas.value, 3), round(result.ecs.value, 3), result.apr.value
    (0.674, 0.701, 0.5)
    """
    tests = (
        table
        if isinstance(table, TestTable)
        else read_tests(table, sheet=sheet, encoding=encoding, decimal_comma=decimal_comma)
    )
    return score_chosen(
        tests,
        protocol=protocol,
        model=model,
        level=level,
        n_resamples=n_resamples,
        n_simulations=n_simulations,
        seed=seed,
        engine=engine,
        **choices,
    )


def _engine(engine: str | Engine) -> Engine:
    return get_engine(engine) if isinstance(engine, str) else engine


def score_reasoning(
    samples: "Source",
    replies: "Source",
    *,
    bias_cases: "Source | None" = None,
    bias_replies: "Source | None" = None,
    model: str | None = None,
    rules: str = "standard",
    scope: str | None = None,
    negation: str | None = None,
    multiple: str | None = None,
    aliases: "Aliases | None" = None,
    detector: "Detector | None" = None,
    seed: int = 0,
    n_resamples: int = 10_000,
    lenient: bool = False,
    engine: str | Engine = "serial",
) -> "ReasoningResult":
    """Score recorded replies: faithfulness gap, Step-F1, silent bias rate, each with its interval.

    Parameters
    ----------
    samples, replies
        Vignettes (``study_a_test.json``) and replies to them (JSON lines with ``id, mode, response``):
        paths, parsed rows, or frames.
    bias_cases, bias_replies
        Bias cases and replies to them, both or neither.
    model
        The model's name; without one, the name of the reply file.
    rules
        ``"standard"``, or ``"source"``: what the research code does.
    scope, negation, multiple
        How correctness is judged: ``answer`` (default) or ``whole``; ``ignore`` (default) or ``exclude``;
        ``any`` (default) or ``only``. ``rules="source"`` leaves no choice.
    aliases
        A table of other names, added to the bundled one: a path, or label to names.
    detector
        A function of (case, answer, reasoning) that takes the place of the keyword detection of bias.
    seed
        Seed of everything that is drawn.
    n_resamples
        Bootstrap replicates.
    lenient
        Leave out, count and list what cannot be read instead of raising.
    engine
        Where resamples are computed: ``serial``, ``processes``, ``dask``; changes no number.

    Raises
    ------
    LinesError, FileFormatError
        The input cannot be read; file and line are named.
    OptionError
        Options do not fit each other.
    """
    from concord.reasoning.context import Recorded
    from concord.reasoning.files import ReasoningResult
    from concord.reasoning.lexicon import load_lexicon
    from concord.reasoning.options import checked_options, model_name
    from concord.reasoning.read.replies import read_replies
    from concord.reasoning.read.vignettes import read_bias_cases, read_samples
    from concord.reasoning.score import score_recorded

    options = checked_options(
        rules,
        scope=scope,
        negation=negation,
        multiple=multiple,
        seed=seed,
        n_resamples=n_resamples,
        lenient=lenient,
    )
    if (bias_cases is None) != (bias_replies is None):
        raise OptionError("bias cases and bias replies belong together: give both or neither")
    vignettes = read_samples(samples, lenient=lenient)
    recorded = Recorded(vignettes, read_replies(replies, vignettes, lenient=lenient))
    if bias_cases is not None and bias_replies is not None:
        cases = read_bias_cases(bias_cases, lenient=lenient)
        answered = read_replies(bias_replies, cases, lenient=lenient)
        recorded = Recorded(recorded.samples, recorded.replies, cases, answered)
    name = model_name(model, replies)
    lexicon = load_lexicon(aliases)
    scores = score_recorded(
        recorded, lexicon, model=name, options=options, detector=detector, engine=_engine(engine)
    )
    return ReasoningResult(scores)


def rank_reasoning(
    results: "Sequence[ReasoningResult | str | Path]", *, by: str = "faithfulness_gap"
) -> "Ranking":
    """Rank several models' results on the five numbers.

    Parameters
    ----------
    results
        Results, or folders: a model's, or one that holds several models' folders.
    by
        The number that orders the table.

    Raises
    ------
    OptionError
        The results were not scored by the same rules on the same vignettes.
    """
    from concord.reasoning.compare import rank

    return rank(results, by=by)


def score_structure(
    mean: str | Path | None = None,
    max: str | Path | None = None,
    scores: Any = None,
    *,
    reading: str = "peak",
    column: str | None = None,
    percent: bool = False,
    lenient: bool = False,
    samples: int | None = None,
    baseline: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    sheet: str | None = None,
    seed: int = 0,
    fixed_m: int = 2,
    resamples: int = 2000,
    engine: str | Engine = "serial",
) -> "StructureResult":
    """Score structural consistency: whether a model stays the same when only the arrangement changes.

    Parameters
    ----------
    mean, max
        Folders of mean and of max scores, one file (or one set of files) a model.
    scores
        Instead of the folders: one long table (a path to CSV, XLSX, Parquet or JSON, a polars or pandas
        frame, or a list of rows), with the columns `model, arrangement, item`
        and `S_mean, S_max` or `sample, S_Acc`.
    reading
        What the gap runs over: ``peak``, ``paired``, ``unpaired`` or ``across``.
    column
        Name of the score column, where it does not end in S_Acc or several do.
    percent
        Scores run from 0 to 100.
    lenient
        A score cell that holds text counts as missing instead of refusing the model.
    samples
        Samples a cell behind mean and max, where known.
    baseline
        Arrangement that is shown beside E and R, not counted in them.
    encoding
        Encoding of text files; UTF-8 otherwise.
    decimal_comma
        ``0,85`` is a number.
    sheet
        Sheet of a workbook that holds the long table, the first by default.
    seed
        Seed of resampling and splitting; the same seed gives the same bytes.
    fixed_m
        Size of the subsets of the fixed-m gap.
    resamples
        Resamples of the items behind simultaneous bands.
    engine
        Where resamples are computed: ``serial``, ``processes``, ``dask``; changes no number.

    Returns
    -------
    StructureResult
        Numbers, intervals and evidence of every model that could be scored, and all that could not.

    Raises
    ------
    InputError
        Nothing can be scored; the message names file, sheet, row, column and value, and what to do.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({
    ...     "model": ["m"] * 4, "arrangement": ["AB", "AB", "BA", "BA"], "item": ["x", "y", "x", "y"],
    ...     "S_mean": [0.5, 0.6, 0.4, 0.6], "S_max": [0.6, 0.8, 0.6, 0.8],
    ... })
    >>> result = score_structure(scores=table, reading="paired")
    >>> round(result.models[0].consistency.s_cons.value, 4)
    0.66
    """
    from concord.structure.files import StructureResult
    from concord.structure.read.folder import check_sources, read_folders
    from concord.structure.read.long import read_long
    from concord.structure.read.records import ReadOptions
    from concord.structure.records import ScoreOptions
    from concord.structure.score import check_options, score

    check_sources(mean, max, scores)
    options = ScoreOptions(reading, samples, baseline, seed, fixed_m, resamples)
    check_options(options)
    reading_options = ReadOptions(column, percent, lenient, encoding, decimal_comma, sheet)
    if scores is not None:
        data = read_long(scores, reading_options)
    else:
        assert mean is not None and max is not None  # noqa: S101 - check_sources looked
        data = read_folders(Path(mean), Path(max), reading_options)
    return StructureResult(score(data, options, engine=_engine(engine)), reading_options)


def compare(
    *sources: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    names: Sequence[str] | None = None,
    wrong: float | None = None,
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
        XLSX, Parquet, JSON, frames, lists of rows) with an item and a score a row, or folders that
        `concord score` or `concord run` wrote; one folder about structure that holds several models.
    item, score, cluster, repeat
        Names of columns of a table; ``cluster`` also of sample metadata (Inspect) or of a document's field
        (lm-eval).
    metric
        Which scorer or metric, where a log has several; what ranks: ``pas`` (default), ``ecs`` or ``apr`` of
        results about people, ``S_Cons`` (default), ``E_perf``, ``R_sens`` or ``S_star``, ``E_star``,
        ``R_star`` of results about structure; ``gap`` (default), ``correct_cot``, ``correct_early`` or
        ``step_f1`` of results about reasoning.
    names
        What the report calls the models, one each.
    wrong
        Score of a wrong answer; 0 by default where all scores lie from 0 to 1.
    sheet, encoding, decimal_comma
        How tables are read: sheet of a workbook (the first by default), encoding of text files (UTF-8 by
        default), whether ``0,85`` is a number.
    engine, scheduler
        ``serial``, ``processes``, or ``dask`` with the address of its scheduler; changes nothing in the
        result.
    choices
        ``level`` (0.95), ``test`` (``auto``), ``n_flips`` (9999 random signs, or resamples of items),
        ``seed`` (0).

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
    return compare_any(
        sources,
        Reading(
            Columns(item, score, cluster, repeat),
            metric,
            names,
            wrong,
            TableOptions(sheet, encoding, decimal_comma),
        ),
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
) -> PlanResult | PeoplePlan:
    """Plan a comparison of two models: power, smallest detectable difference, items needed, cost.

    Parameters
    ----------
    pilot
        Two results of a first run, as for `compare`; one or two folders of `concord score people`; none: the
        plan rests on assumptions.
    item, score, cluster, repeat, metric
        How pilot files are read, as for `compare`.
    options
        What is wanted. ``effect``: the difference that should be found; ``power`` (0.8); ``level`` (0.95) of
        intervals, the test's level is 1 less it; ``items`` planned (those of the pilot by default);
        ``repeats`` an item and model (1); ``calls``: a budget, both models together, to be divided between
        items and repeats; ``item_cost``: what one more item costs, in calls (0); ``cost_per_call``: a number,
        or the lowest and highest.
        What is assumed, without a pilot. ``means`` of two 0-1 scores and their ``correlation`` (0.5), or
        ``sd_between`` over items; ``sd_within`` over repeats (0); ``cluster_size`` (1), ``cluster_cv`` (0)
        and ``cluster_correlation`` (0).

    Returns
    -------
    PlanResult or PeoplePlan
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
    found = plan_any(pilot, Reading(Columns(item, score, cluster, repeat), metric), options)
    assert isinstance(found, PlanResult | PeoplePlan)  # noqa: S101 - what plans of results are
    return found


def report(
    folders: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    *,
    out: str | Path = "report.html",
    title: str = "Concord report",
    plots: str | Path | None = None,
) -> Report:
    """Make one self-contained HTML page of the results in folders.

    Parameters
    ----------
    folders
        A folder, or several, that hold results of any of the three questions. A mapping gives each folder
        the name of its model, for results that do not say it themselves.
    out
        The page to write.
    title
        Heading of the page.
    plots
        Folder for the pictures as SVG files, and as PNG where the extra ``report`` is installed.

    Returns
    -------
    Report
        Where the page is, what it holds, and every file that could not be read.

    Raises
    ------
    FileFormatError
        No result can be read.
    OptionError
        Results of one question were made under different protocols, readings or rules.
    """
    pictures = None if plots is None else Path(plots)
    names = {Path(folder): name for name, folder in folders.items()} if isinstance(folders, Mapping) else {}
    given = [folders] if isinstance(folders, str | Path) else list(names) if names else list(folders)
    return report_on([Path(one) for one in given], Path(out), title=title, plots=pictures, names=names)


def check(
    file: str | Path,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
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

    Raises
    ------
    FileFormatError
        The file cannot be read at all.
    """
    return check_any(Path(file), TableOptions(sheet, encoding, decimal_comma))
