"""What a notebook imports: one function a question, frozen results that show themselves."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from concord import people
from concord.engine import Engine, get_engine
from concord.errors import OptionError
from concord.files.checked import FileCheck
from concord.people.agents_files import AgentsResult
from concord.people.bounds import N_SIMULATIONS
from concord.people.files import PeopleResult
from concord.people.many import score_agents
from concord.people.protocol import Protocol, get_protocol
from concord.people.score import N_RESAMPLES, score_chosen
from concord.people.table.agents import read_agents
from concord.questions import check, compare, plan, report
from concord.records import TestTable

if TYPE_CHECKING:
    from concord.people.predictions.files import PredictionResult
    from concord.reasoning.bias import Detector
    from concord.reasoning.compare import ReasoningRanking
    from concord.reasoning.files import ReasoningResult
    from concord.reasoning.lexicon import Aliases
    from concord.reasoning.read.vignettes import Source
    from concord.structure.files import StructureResult
    from concord.structure.judging.files import JudgeResult

__all__ = [
    "AgentsResult",
    "FileCheck",
    "PeopleResult",
    "check",
    "compare",
    "demo_table",
    "plan",
    "rank_reasoning",
    "report",
    "score_judge",
    "score_people",
    "score_predictions",
    "score_reasoning",
    "score_structure",
]


def demo_table() -> Path:
    """Return the bundled table of classic studies; its human side is published, its agent side invented."""
    return Path(people.__path__[0]) / "data" / "demo_tests.csv"


@overload
def score_people(table: Mapping[str, Any] | Sequence[TestTable], **options: Any) -> AgentsResult: ...
@overload
def score_people(table: Any, **options: Any) -> PeopleResult: ...
def score_people(
    table: Any,
    *,
    protocol: str | Protocol = "standard",
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    agent_column: str | None = None,
    model: str | None = None,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
    engine: str | Engine = "serial",
    **choices: object,
) -> Any:
    """Score a table of tests: PAS, ECS and APR with their uncertainty.

    Parameters
    ----------
    table
        A path (CSV, XLSX, Parquet, JSON), a polars or pandas frame, or a list of row mappings; one row per
        test with a human and an agent side; or a table already read. Many agents on the same tests: a
        mapping from names to such tables, a list of tables already read, or a table with a column ``agent``
        (``model``, ``design``, ``config`` where the same test stands under several of their names).
    protocol
        ``standard``, ``refined``, ``published``, or a `Protocol` of your own.
    sheet
        Sheet of a workbook, the first by default.
    encoding
        Encoding of a text file; UTF-8 by default.
    decimal_comma
        In a column of numbers ``0,85`` is a number.
    agent_column
        Name of the column with the agents' names, where it is none of the usual ones.
    model
        Name of the model that stood in for the participants, for reports and comparisons.
    level
        Nominal coverage of intervals.
    n_resamples
        New samples of participants behind the second interval; 0 leaves it out.
    n_simulations
        Simulated agents behind floor and ceiling of PAS and ECS; 0 leaves them out.
    seed
        Seed of the new samples and simulated agents: same input and seed, same numbers.
    engine
        Where new samples and simulated agents are computed: ``serial``, ``processes``, ``dask``; changes
        no number.
    choices
        Single choices of the protocol to change, such as ``states=2`` or ``include_unsigned=True``.

    Returns
    -------
    PeopleResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``. For many agents an
        `AgentsResult`: every agent's headline numbers, all pairs, ``to_frame()`` with one row per agent.

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
    tests = read_agents(
        table, agent_column=agent_column, sheet=sheet, encoding=encoding, decimal_comma=decimal_comma
    )
    if not isinstance(tests, TestTable):
        return score_agents(
            tests,
            get_protocol(protocol, **choices),
            level=level,
            n_resamples=n_resamples,
            n_simulations=n_simulations,
            seed=seed,
            engine=_engine(engine),
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


def score_predictions(
    table: Any,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    agent_column: str | None = None,
    level: float = 0.95,
) -> "PredictionResult":
    """Score predicted effects against measured ones that have standard errors.

    Parameters
    ----------
    table
        One row per effect and agent: a file, a frame or rows, with the columns ``study``, ``human_estimate``,
        ``human_se``, ``agent_estimate`` and those of the page on predicted effects.
    sheet, encoding, decimal_comma
        How the file is read, as for `score_people`.
    agent_column
        Name of the column with the agents' names, where it is none of the usual ones.
    level
        Nominal coverage of intervals.

    Returns
    -------
    PredictionResult
        Every agent's numbers with intervals, reference rows, and all pairs of agents.

    Raises
    ------
    InputError
        The table cannot be used; the message names file, row and column.

    Examples
    --------
    >>> row = {"study": "S", "human_se": 0.5}
    >>> effects = [(1.0, 1.2), (2.0, 2.5), (4.0, 3.0)]
    >>> rows = [row | {"condition": str(h), "human_estimate": h, "agent_estimate": a} for h, a in effects]
    >>> round(score_predictions(rows).agent("agent").numbers["pearson"].value, 3)
    0.904
    """
    from concord.people.predictions.score import score_predictions as scored
    from concord.people.predictions.table import read_predictions

    read = read_predictions(
        table, sheet=sheet, encoding=encoding, decimal_comma=decimal_comma, agent_column=agent_column
    )
    return scored(read, level=level)


def _engine(engine: str | Engine) -> Engine:
    return get_engine(engine) if isinstance(engine, str) else engine


def score_reasoning(
    samples: "Source | None" = None,
    replies: "Source | None" = None,
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
        paths, parsed rows, or frames. Both may be left out where bias cases are scored alone.
    bias_cases, bias_replies
        Bias cases and replies to them, both or neither.
    model
        The model's name; without one, the name of the reply file.
    rules
        ``"standard"``, or ``"source"``: what the research code does.
    scope, negation, multiple
        How correctness is judged: ``answer`` (default) or ``whole``; ``exclude`` (default) or ``ignore``;
        ``only`` (default) or ``any``. ``rules="source"`` leaves no choice.
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
    from concord.reasoning.context import RecordedReplies
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
    if (samples is None) != (replies is None):
        raise OptionError("vignettes and replies belong together: give both, or bias cases alone")
    if samples is None and bias_cases is None:
        raise OptionError("nothing to score: give vignettes and replies, or bias cases and replies, or all")
    recorded = RecordedReplies(None, None)
    if samples is not None and replies is not None:
        vignettes = read_samples(samples, lenient=lenient)
        recorded = RecordedReplies(vignettes, read_replies(replies, vignettes, lenient=lenient))
    if bias_cases is not None and bias_replies is not None:
        cases = read_bias_cases(bias_cases, lenient=lenient)
        answered = read_replies(bias_replies, cases, lenient=lenient)
        recorded = RecordedReplies(recorded.samples, recorded.replies, cases, answered)
    name = model_name(model, bias_replies if replies is None else replies)
    lexicon = load_lexicon(aliases)
    scores = score_recorded(
        recorded, lexicon, model=name, options=options, detector=detector, engine=_engine(engine)
    )
    return ReasoningResult(scores)


def rank_reasoning(
    results: "Sequence[ReasoningResult | str | Path]", *, by: str = "faithfulness_gap"
) -> "ReasoningRanking":
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
    chance: float | None = None,
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
    chance
        Score of guessing, for multiple choice: a model that is not shown to be above it has nothing to be
        consistent about.
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
    options = ScoreOptions(reading, samples, baseline, seed, fixed_m, resamples, chance=chance)
    check_options(options)
    reading_options = ReadOptions(column, percent, lenient, encoding, decimal_comma, sheet)
    if scores is not None:
        data = read_long(scores, reading_options)
    else:
        assert mean is not None and max is not None  # noqa: S101 - check_sources looked
        data = read_folders(Path(mean), Path(max), reading_options)
    return StructureResult(score(data, options, engine=_engine(engine)), reading_options)


def score_judge(
    *sources: Any,
    people: Any = None,
    judge: str | None = None,
    metric: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    level: float = 0.95,
    n_permutations: int = 9999,
    seed: int = 0,
) -> "JudgeResult":
    """Score recorded verdicts of judges on pairs of answers: seats, repeats, ties, length, people.

    Parameters
    ----------
    sources
        Pair files of FastChat (MT-Bench), annotations of AlpacaEval, Inspect logs, or tables (files, frames,
        rows) with ``pair``, ``order`` (ab, ba) and ``verdict`` (first, second, tie) or ``winner`` (a, b,
        tie); and, where known, ``judge``, ``model_a``, ``model_b``, ``answer_a``, ``answer_b`` or
        ``length_a``, ``length_b``, ``cluster``, and people's verdicts in columns ``human...``.
    people
        Verdicts of people on the same pairs in another file, in any of these forms.
    judge
        Name of the judge, where rows name none.
    metric
        Which scorer of an Inspect log.
    sheet, encoding
        How tables are read.
    level
        Nominal coverage of intervals.
    n_permutations, seed
        Divisions drawn for the test of flips, and their seed.

    Returns
    -------
    JudgeResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Raises
    ------
    InputError
        A file cannot be used; the message names it and the row.

    Examples
    --------
    >>> rows = [
    ...     {"pair": str(i), "order": order, "vote": vote, "verdict": "first"}
    ...     for i in range(12) for order in ("ab", "ba") for vote in (1, 2)
    ... ]
    >>> found = score_judge(rows, judge="always first").judge()
    >>> [found.numbers[name].value for name in ("inconsistency", "preference", "flip_excess")]
    [1.0, 0.5, 1.0]
    """
    from concord.comparing.judge_logs import verdict_rows
    from concord.files.tables import TableOptions
    from concord.structure.judging.files import JudgeResult
    from concord.structure.judging.read import read_votes
    from concord.structure.judging.score import score_votes

    if not sources:
        raise OptionError("nothing to score: give at least one file of verdicts")
    options = TableOptions(sheet, encoding)
    rows = [verdict_rows(source, options, metric=metric) for source in sources]
    human = [] if people is None else [verdict_rows(people, options)]
    votes = read_votes(rows, people=human, judge=judge)
    judges = score_votes(votes.judges, level=level, n_permutations=n_permutations, seed=seed)
    return JudgeResult(judges, level, n_permutations, seed, votes.inputs, votes.warnings)
