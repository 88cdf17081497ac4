"""What a notebook imports: one function per question, frozen results that show themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from concord import people
from concord.comparing.judge_logs import score_judge
from concord.engine import SERIAL, Engine, chosen_engine
from concord.files.columns import options_of_each
from concord.files.documents import FileCheck
from concord.files.grids import Grid
from concord.files.public import public_table as find_public_table
from concord.files.tables import TableChoices, grid_of, table_options
from concord.numeric import SMALLEST_D, gated, whole
from concord.people.agents import AgentsResult
from concord.people.files import PeopleResult
from concord.people.mixed.combine import combine
from concord.people.mixed.sequential import combine_sequential
from concord.people.protocol import Protocol
from concord.people.protocol_file import get_protocol
from concord.people.public import ANSWERS as BUNDLED_ANSWERS
from concord.people.results.many import refuse_uncertain_lead, score_agents
from concord.people.results.one import N_RESAMPLES, score_chosen
from concord.people.table.agents import read_agents
from concord.people.uncertainty.floor_ceiling import N_SIMULATIONS
from concord.questions import compare, plan
from concord.reasoning.score.replies import score_reasoning
from concord.recognise import check
from concord.records import TestTable
from concord.structure.options.read import score_options
from concord.structure.score.models import score_structure

if TYPE_CHECKING:
    from concord.people.answers.result import AnswersResult
    from concord.people.predictions.result import PredictionResult
    from concord.proof.findings import Verification
    from concord.proof.packs import Tools
    from concord.reasoning.compare import ReasoningRanking
    from concord.reasoning.files import ReasoningResult
    from concord.reasoning.hints.leaderboard import HintLeaderboard
    from concord.reasoning.probes.result import ProbeResult
    from concord.reports import report

__all__ = [
    "AgentsResult",
    "FileCheck",
    "PeopleResult",
    "check",
    "combine",
    "combine_sequential",
    "compare",
    "demo_table",
    "pack",
    "plan",
    "public_table",
    "rank_reasoning",
    "report",
    "score_answers",
    "score_hints",
    "score_judge",
    "score_options",
    "score_people",
    "score_predictions",
    "score_probes",
    "score_reasoning",
    "score_structure",
    "verify",
]


def __getattr__(name: str) -> object:
    """Load the page when it is first asked for: whoever scores loads nothing that draws."""
    if name == "report":
        from concord.reports import report

        return report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def demo_table() -> Path:
    """Return a bundled table of classic studies: the human side is published, the agent side simulated."""
    return Path(people.__path__[0]) / "data" / "demo_tests.csv"


def public_table(name: str = "twin-2k-500") -> Path:
    """Return a bundled table of real models.

    Parameters
    ----------
    name
        For `score_people` ``twin-2k-500`` (15 agent designs on 47 contrasts, Peng et al. 2025, Apache-2.0)
        and ``humanstudy-bench`` (57 configurations on 69 findings, PAS as published, MIT); for `score_judge`
        ``judges-seats``, ``judges-seats-full``, ``judges-llmbar``; for `score_structure`
        ``orders-chainscope``; for `score_reasoning` ``reasoning-bbh-codex``; for `score_hints`
        ``reasoning-turpin``, ``reasoning-turpin-2026``; ``reasoning-thought-branches``. Each has a page.

    Examples
    --------
    >>> result = score_people(public_table(), n_resamples=0, n_simulations=0)
    >>> len(result.agents), round(result["GPT5"].pas.value, 2)
    (15, 0.77)
    """
    return find_public_table(name).path


@overload
def score_people(table: Mapping[str, Any] | Sequence[TestTable], **options: Any) -> AgentsResult: ...
@overload
def score_people(table: Any, **options: Any) -> PeopleResult: ...
@gated(margin=SMALLEST_D)
def score_people(
    table: Any,
    *,
    protocol: str | Protocol = "standard",
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    agent_column: str | None = None,
    missing: str | Sequence[object] | None = None,
    mapping: Mapping[str, str] | None = None,
    map_only: bool = False,
    strict: bool = False,
    model: str | None = None,
    level: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    n_simulations: int = N_SIMULATIONS,
    seed: int = 0,
    engine: str | Engine = "serial",
    margin: float = 0.2,
    **choices: object,
) -> Any:
    """Score a table of tests: PAS, ECS and APR with their uncertainty; many agents give an `AgentsResult`.

    Parameters
    ----------
    table
        A path (CSV, XLSX, Parquet, JSON), a polars or pandas frame, or a list of row mappings; one row per
        test with a human and an agent side; or a table already read. Many agents on the same tests: a
        mapping from names to such tables, a list of tables already read, or a table with a column ``agent``
        (``model``, ``design``, ``config`` where the same test is under several of their names).
    protocol
        ``standard``, ``refined``, ``published``, or a `Protocol` of your own.
    agent_column
        Name of the column with the agents' names, where it is none of the usual ones.
    missing
        Codes for missing values, as a text (``"99,-1,refused"``) or a list; names are never codes. ``"fail"``
        is no code but the choice of the protocol: tests that the agent lacks count as failed in APR.
    mapping
        What the columns of a table made by hand hold, by their titles: ``{"Result": "human"}``.
    map_only
        Use no column that `mapping` does not name.
    strict
        Refuse a table with a cell that cannot be read. Otherwise the cell leaves its row's side out: it is
        counted in the first sentence and listed in ``left_out.csv``; a table is refused where less than half
        of its rows can be used, or where the rows left out could change which agent is first.
    model
        Name of the model that took the place of the participants, for reports and comparisons.
    n_resamples
        New samples of participants behind the second interval; 0 leaves it out.
    n_simulations
        Simulated agents behind floor and ceiling of PAS and ECS; 0 leaves them out.
    margin
        Smallest effect of interest (d), against which nulls that an agent keeps are tested.
    choices
        Single choices of the protocol to change, such as ``states=2`` or ``include_unsigned=True``.

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
    if isinstance(missing, str) and missing in ("left-out", "fail"):
        choices, missing = {**choices, "missing": missing}, None
    tests = read_agents(
        table,
        agent_column=agent_column,
        missing=missing,
        mapping=mapping,
        map_only=map_only,
        strict=strict,
        sheet=sheet,
        encoding=encoding,
        decimal_comma=decimal_comma,
    )
    how: dict[str, Any] = dict(
        level=level, n_resamples=n_resamples, n_simulations=n_simulations, seed=seed, margin=margin
    )
    if isinstance(tests, TestTable):
        return score_chosen(tests, protocol=protocol, model=model, engine=engine, **how | choices)
    chosen = get_protocol(protocol, **choices)
    many = score_agents(tests, chosen, engine=chosen_engine(engine), **how)
    refuse_uncertain_lead(tests, many, chosen)
    return many


@gated(n_resamples=whole(2, 100_000))
def score_answers(
    table: Any,
    *agents: Any,
    agent_column: str | None = None,
    questions: str | Sequence[str] | None = None,
    weights: str | None = None,
    level: float = 0.95,
    n_resamples: int = 400,
    seed: int = 0,
    engine: str | Engine = "serial",
    labels: str | Path | None = None,
    **how: Unpack[TableChoices],
) -> "AnswersResult":
    """Score answers as distributions: whether an agent's vary, spread and differ as people's do.

    Parameters
    ----------
    table
        A path (CSV, XLSX, Parquet, JSON), a polars or pandas frame, or a list of rows: answers per person
        (``outcome, human, agent``; ``person``, ``study``, ``condition``, ``group`` where known), one below
        the other (``outcome, source, answer``), wide (``human_X, agent_X`` or ``X_gpt4``), counts (``outcome,
        option, human_count, agent_count``) or moments (``outcome, n, human_mean, human_sd, agent_mean,
        agent_sd``); or the name of a bundled table, ``twin-2k-500-answers`` or ``twin-2k-500-moments``. Or
        people's answers alone, one column per question.
    agents
        Answers of every agent to the same questions, a table each, also results of EDSL and logs of Inspect.
    agent_column
        Column that names the agents, where it is none of ``agent``, ``model``, ``design``, ``config``.
    questions
        Of a table with one column per question, the columns that are questions: ``"q1..q12"``, or names.
    weights
        Column of survey weights, where it has none of the usual names; they count in every number.
    n_resamples
        Samples drawn behind each interval and reference of a distance.
    labels
        Survey file of Qualtrics (``.qsf``), where the table holds texts of choices: their numbers.
    how
        How tables are read, as `TableChoices` says. What lies off a declared scale, and codes that surveys
        usually take, are left out and told without ``missing``.

    Examples
    --------
    >>> rows = [{"outcome": "trust", "human": 1 + i % 5, "agent": 3 + i % 2} for i in range(100)]
    >>> found = score_answers(rows).agents[0].outcomes[0].numbers
    >>> round(found["variance_ratio"].estimate.value, 3), round(found["tvd"].estimate.value, 2)
    (0.125, 0.6)
    """
    from concord.people.answers.score import score_answer_table
    from concord.people.answers.table import read_answer_table

    if isinstance(table, str | Path) and str(table) in BUNDLED_ANSWERS and not Path(table).exists():
        table = find_public_table(str(table)).path
    read = read_answer_table(
        table,
        *agents,
        agent_column=agent_column,
        questions=questions,
        weights=weights,
        labels=labels,
        options=table_options(**how),
    )
    return score_answer_table(
        read, level=level, n_resamples=n_resamples, seed=seed, engine=chosen_engine(engine)
    )


@gated()
def score_predictions(
    table: Any,
    *agents: Any,
    agent_column: str | None = None,
    level: float = 0.95,
    respondents: Any = None,
    seed: int = 0,
    **how: Unpack[TableChoices],
) -> "PredictionResult":
    """Score predicted effects against measured ones that have standard errors.

    Parameters
    ----------
    table
        One row per effect and agent: a file, a frame or rows, with the columns ``study``, ``human_estimate``,
        ``human_se``, ``agent_estimate`` and those of the page on predicted effects. Or the means of people's
        conditions (``condition``, ``outcome``, ``mean``, ``sd``, ``n`` or ``n_eff``), control among them.
    agents
        The same means of every agent, a table each; effects are against control, whose error they share.
    agent_column
        Name of the column with the agents' names, where it is none of the usual ones.
    respondents
        A table of the people behind the measured effects, one row per answer (``answer``, ``condition``,
        ``study``, ``outcome``, ``person``): one random half of them is then scored against the other.
    how
        How tables are read, as `TableChoices` says.

    Examples
    --------
    >>> row = {"study": "S", "human_se": 0.5}
    >>> effects = [(1.0, 1.2), (2.0, 2.5), (4.0, 3.0)]
    >>> rows = [row | {"condition": str(h), "human_estimate": h, "agent_estimate": a} for h, a in effects]
    >>> round(score_predictions(rows).agent("agent").numbers["pearson"].value, 3)
    0.904
    """
    from concord.people.predictions.score import score_predictions as scored
    from concord.people.predictions.table import effects_of_cells, is_cell_grid, read_predictions

    options = table_options(**how)
    opened = isinstance(table, Grid)
    hows = [options] * (1 + len(agents)) if opened else options_of_each((table, *agents), options)
    given = zip((table, *agents), hows, strict=True)
    table, *agents = (one if isinstance(one, Grid) else grid_of(one, own) for one, own in given)  # type: ignore[assignment]
    if agents or is_cell_grid(table):
        table = effects_of_cells((table, *agents), options)
    read = read_predictions(table, agent_column=agent_column, options=options)
    if respondents is None:
        return scored(read, level=level)
    from concord.people.predictions.respondents import read_respondents

    people = read_respondents(respondents, read.pairs, replace(options, sheet=None, mapping=(), maps=False))
    return scored(read, level=level, people=people, seed=seed)


def rank_reasoning(
    results: "Sequence[ReasoningResult | str | Path]", *, by: str = "faithfulness_gap"
) -> "ReasoningRanking":
    """Rank several models' results, scored by the same rules on the same vignettes, on the five numbers.

    Parameters
    ----------
    results
        Results, or folders: a model's, or one that holds several models' folders.
    by
        The number that orders the table.
    """
    from concord.reasoning.compare import rank

    return rank(results, by=by)


@gated()
def score_hints(
    source: Any, *, model: str | None = None, level: float = 0.95, **how: Unpack[TableChoices]
) -> "HintLeaderboard | ProbeResult":
    """Score how often hints move answers, and how often a model says so.

    Parameters
    ----------
    source
        Answers to hinted and unhinted questions, or counts: a path (CSV, XLSX, JSON, JSON lines), a folder
        of tables of counts, a frame or a list of rows; ``"published"`` for the bundled counts of 12 models.
    model
        Which model of a table of several; its name where rows name none.
    how
        How a table is read, as `TableChoices` says.
    """
    from concord.reasoning.probes.score import score_hint_source

    return score_hint_source(source, table_options(**how), model=model, level=level)


@gated()
def score_probes(
    source: Any, *, model: str | None = None, level: float = 0.95, **how: Unpack[TableChoices]
) -> "ProbeResult":
    """Score answers to interventions on reasoning: early, filler, mistake, paraphrase, pairs.

    Parameters
    ----------
    source
        One row per answer: a path (CSV, XLSX, JSON, JSON lines), a frame or a list of rows; the columns are
        those of `concord.reasoning.probes.records.ProbeRow`.
    model
        Name of the model; from the column ``model`` by default.
    how
        How a table is read, as `TableChoices` says.
    """
    from concord.reasoning.probes.score import score_probe_source

    return score_probe_source(source, table_options(**how), model=model, level=level)


def pack(
    results: str | Path | Sequence[str | Path],
    *,
    registration: str | Path | None = None,
    out: str | Path = "pack.zip",
    claims: str | Path | None = None,
    data: str | Path | Sequence[str | Path] = (),
    without_data: bool = False,
    without_replies: bool = False,
    disclosure: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """Pack results with all that another person needs to compute them again.

    Parameters
    ----------
    results
        Folder of a run, of results, or of several of them; or several folders.
    registration
        What `register` wrote.
    out
        The archive to write.
    claims
        Further claims that are made of the results, beyond the registered ones: they are judged and marked.
    data
        Files or folders with the tables that were scored, where they are not beside the results.
    without_data, without_replies
        Hold only the hash of tables, or of replies: nobody can then compute the numbers without them.
    disclosure
        Answers (YAML) to what a disclosure form asks and files cannot know.
    options
        Options that tables were scored with and results do not record, such as ``sheet``.

    Returns
    -------
    Path
        The archive.

    Raises
    ------
    InputError
        There is no result, the registration was changed, or a file holds a key or a path of this machine.
    """
    from concord.proof.packs import make_pack

    return make_pack(
        results,
        _tools(),
        registration=registration,
        out=out,
        claims=claims,
        data=data,
        without_data=without_data,
        without_replies=without_replies,
        disclosure=disclosure,
        options=options,
    )


def verify(
    source: str | Path,
    *,
    data: str | Path | Sequence[str | Path] = (),
    registration: str | Path | None = None,
    engine: str | Engine = "serial",
) -> "Verification":
    """Verify a pack: every hash, every number computed again, every claim; without network.

    Parameters
    ----------
    source
        What `pack` wrote, or the folder that it was unpacked to.
    data
        Files that the pack holds only the hash of.
    registration
        The published registration: the pack has to hold this one.
    engine
        Where numbers are computed: ``"serial"``, ``"processes"`` or ``"dask"``; the verdict is the same.

    Returns
    -------
    Verification
        With ``exit_code``: 0 all is reproduced and as registered, 1 something differs, 3 not all of it could
        be confirmed.

    Raises
    ------
    FileFormatError
        There is no such file.
    """
    from concord.proof.verification import verify_pack

    return verify_pack(source, _tools(chosen_engine(engine)), data=data, registration=registration)


def _tools(engine: Engine = SERIAL) -> "Tools":
    """Return what packs are computed with."""
    from concord.proof.packs import RECIPES, Tools
    from concord.reports import report

    return Tools({name: globals()[name] for _, name, _ in RECIPES.values()}, compare, report, engine)
