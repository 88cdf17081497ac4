"""`concord score structure|answers|reasoning|hints|probes|judge|options` and `concord combine`."""

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from concord.cli.options import (
    USUAL,
    EngineName,
    Full,
    Json,
    JsonAlone,
    Level,
    Missing,
    Reader,
    ReaderAll,
    Scheduler,
    Strict,
    TableHow,
    engine_of,
    rare,
    reads_tables,
    scored_with,
    tell_of_reader,
)
from concord.cli.shared import (
    MOST_WARNINGS,
    note,
    print_json,
    print_or_show,
    show_result,
    warn,
    write_and_show,
)
from concord.errors import OptionError
from concord.files.output import safe_name


@functools.partial(reads_tables, mapped=False)  # whose columns are named by options of their own
def score_structure(
    mean: Annotated[Path | None, typer.Option(help="Folder of mean scores, one file per model.")] = None,
    max: Annotated[Path | None, typer.Option(help="Folder of max scores, one file per model.")] = None,
    scores: Annotated[Path | None, typer.Option(help="One long table instead.")] = None,
    reading: Annotated[str, typer.Option(help="peak, paired, unpaired or across.")] = "peak",
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    column: Annotated[str | None, typer.Option(help="Name of the score column.")] = None,
    percent: Annotated[bool, typer.Option("--percent", help="Scores run from 0 to 100.")] = False,
    samples: Annotated[int | None, typer.Option(help="Samples per cell behind mean and max.")] = None,
    baseline: Annotated[str | None, rare(help="Arrangement shown with E and R.")] = None,
    how: TableHow = USUAL,
    cluster: Annotated[
        str | None, rare(help="Column of a long table that names the family of an item.")
    ] = None,
    seed: Annotated[int, rare(help="Seed of resampling and splitting.")] = 0,
    fixed_m: Annotated[int, rare(help="Subset size of the fixed-m gap.")] = 2,
    resamples: Annotated[int, typer.Option(help="Resamples of the items.")] = 2000,
    level: Level = 0.95,
    chance: Annotated[float | None, typer.Option(help="Score of guessing, for multiple choice.")] = None,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    full: Full = False,
    as_json: JsonAlone = False,
) -> None:
    """Score from recorded scores whether the arrangement matters: order effect, flips, S_Cons."""
    from concord import api

    result = api.score_structure(
        mean, max, scores,
        reading=reading, column=column, percent=percent, samples=samples, baseline=baseline,
        cluster=cluster, seed=seed, fixed_m=fixed_m, resamples=resamples, level=level, chance=chance,
        engine=engine_of(engine, scheduler), **how,
    )  # fmt: skip
    for line in (*result.left_out, *(f"warning: {text}" for text in result.warnings)):
        note(line)
    write_and_show(result, out, as_json=as_json, full=full)


@reads_tables
def score_answers(
    answers: Annotated[
        list[Path],
        typer.Argument(
            help="Table of answers per person, counts per option, or moments: CSV, XLSX, Parquet, JSON, "
            "SPSS, Stata, exports of Qualtrics and LimeSurvey; or people's answers first, then a file per "
            "agent (also results of EDSL)."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    agent_column: Annotated[
        str | None, typer.Option(help="Column that names the agents (agent, model, design, config).")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Survey file of Qualtrics (.qsf): numbers of texts of choices.")
    ] = None,
    json: Json = False,
    how: TableHow = USUAL,
    questions: Annotated[
        str | None, typer.Option(help="Columns that are questions, one column each: q1..q12, or names.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Column of survey weights (default: weight, wt, ...).")
    ] = None,
    level: Level = 0.95,
    resamples: Annotated[int, typer.Option(help="Samples behind each interval and reference.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of these samples.")] = 0,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
) -> None:
    """Score answers as distributions: whether they vary, spread and differ as people's."""
    from concord import api

    result = api.score_answers(
        *answers,
        agent_column=agent_column,
        questions=questions,
        weights=weights,
        level=level,
        n_resamples=resamples,
        seed=seed,
        engine=engine_of(engine, scheduler),
        labels=labels,
        **how,
    )
    files = result.write(out)
    warn(result.warnings, most=MOST_WARNINGS, where=files[0])
    print_or_show(result, as_json=json)
    note(f"\nwrote {files[0]}, {files[1].name} and {files[2].name}")


def score_reasoning(
    samples: Annotated[
        Path | None, typer.Option(help="Vignettes with gold answers and gold steps (JSON).")
    ] = None,
    replies: Annotated[
        Path | None, typer.Option(help="Recorded replies (JSON lines: id, mode, response).")
    ] = None,
    bias_cases: Annotated[Path | None, typer.Option(help="Bias cases (JSON).")] = None,
    bias_replies: Annotated[
        Path | None, typer.Option(help="Replies to them (JSON lines: id, response).")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name (default: the reply file's).")] = None,
    rules: Annotated[
        str, typer.Option(help="standard, or source: what the research code does.")
    ] = "standard",
    scope: Annotated[str | None, rare(help="Where the diagnosis counts: answer or whole.")] = None,
    aliases: Annotated[Path | None, rare(help="More names of diagnoses (JSON).")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Field of a vignette that names the family it belongs to.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    level: Level = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates.")] = 10_000,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    missing: Missing = None,
    strict: Strict = False,
    full: Full = False,
    json: JsonAlone = False,
    rank: Annotated[
        list[Path] | None, typer.Option(help="Rank the results in these folders instead.")
    ] = None,
    by: Annotated[str, typer.Option(help="The number that orders a ranking.")] = "faithfulness_gap",
    reader: Reader = None,
    reader_all: ReaderAll = False,
) -> None:
    """Score recorded replies: whether reasoning works, decorates, or hides what drove the answer."""
    if rank:
        if samples is not None or replies is not None:
            raise OptionError("--rank compares results that are there: leave out --samples and --replies")
        _rank(rank, by, json)
        return
    if replies is None and (samples is not None or bias_cases is None):
        raise OptionError(
            "--samples and --replies are needed (or --replies with graded answers, --bias-cases and "
            "--bias-replies, or --rank with folders of results)"
        )
    from concord import api

    def score() -> Any:
        return api.score_reasoning(
            samples,
            replies,
            bias_cases=bias_cases,
            bias_replies=bias_replies,
            model=model,
            rules=rules,
            scope=scope,
            aliases=aliases,
            cluster=cluster,
            level=level,
            seed=seed,
            n_resamples=resamples,
            missing=missing,
            strict=strict,
            engine=engine_of(engine, scheduler),
        )

    found, read = scored_with(score, reader, reader_all, out)
    several = list(found.values()) if isinstance(found, dict) else [found]
    for result in several:
        folder = result.write(out)
        if not json or len(several) == 1:
            print_or_show(result, as_json=json, full=full)
        note(f"written to {folder}")
        tell_of_reader(read, folder, [one for one in (replies, bias_replies) if one is not None])
    if json and len(several) > 1:
        print_json({result.scores.model: result.to_dict() for result in several})


def _rank(folders: list[Path], by: str, as_json: bool) -> None:
    """Print a ranking of results."""
    from concord import api

    ranking = api.rank_reasoning(folders, by=by)
    if as_json:
        print_json(ranking.to_dict())
        return
    show_result(ranking)


@reads_tables
def score_hints(
    file: Annotated[
        Path,
        typer.Argument(
            help="Counts or answers (CSV, XLSX, JSON, JSON lines), a folder of counts, or `published`."
        ),
    ],
    model: Annotated[str | None, typer.Option(help="Name of the model (default: from the file).")] = None,
    how: TableHow = USUAL,
    level: Level = 0.95,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    reader: Reader = None,
    reader_all: ReaderAll = False,
    as_json: JsonAlone = False,
) -> None:
    """Score how often hints move answers, and how often a model says so."""
    from concord import api

    def score() -> Any:
        return api.score_hints(file, model=model, level=level, **how)

    result, read = scored_with(score, reader, reader_all, out)
    tell_of_reader(read, _told(result, out, as_json), [file])


def _told(result: Any, out: Path, as_json: bool) -> Path:
    """Write and show what hints or probes gave; return the folder."""
    if as_json:
        warn(result.warnings)  # the screen shows them with what was found
    written = result.write(out)
    print_or_show(result, as_json=as_json)
    folder = written if isinstance(written, Path) else out
    note(f"wrote results to {folder}")
    return folder


@reads_tables
def score_probes(
    file: Annotated[Path, typer.Argument(help="Answers to probes (CSV, XLSX, JSON, JSON lines).")],
    model: Annotated[str | None, typer.Option(help="Name of the model (default: from the file).")] = None,
    how: TableHow = USUAL,
    level: Level = 0.95,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    as_json: JsonAlone = False,
) -> None:
    """Score answers to interventions on reasoning: early, filler, mistake, paraphrase, pairs."""
    from concord import api

    _told(api.score_probes(file, model=model, level=level, **how), out, as_json)


@reads_tables
def score_judge(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Recorded verdicts: FastChat pair files, AlpacaEval annotations, Inspect logs, or tables "
            "with pair, order, verdict. Or scores of single answers: logs, or tables with item, score."
        ),
    ],
    people: Annotated[
        Path | None, typer.Option(help="People's verdicts on the same pairs, in any of these forms.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Name of the judge, where rows name none.")] = None,
    metric: Annotated[str | None, typer.Option(help="Which scorer of an Inspect log.")] = None,
    how: TableHow = USUAL,
    level: Annotated[float, typer.Option(help="Coverage of intervals.")] = 0.95,
    permutations: Annotated[int, typer.Option(help="Divisions drawn for the test of flips.")] = 9999,
    seed: Annotated[int, typer.Option(help="Seed of that test.")] = 0,
    margin: Annotated[
        float | None, typer.Option(help="Scores: wished margin of a corrected mean (1/20 of the scale).")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    reader: Reader = None,
    reader_all: ReaderAll = False,
    json: JsonAlone = False,
) -> None:
    """Score judges: verdicts on pairs (seats, repeats, ties, length), or scores of single answers."""
    from concord import api

    def score() -> Any:
        return api.score_judge(
            *files, people=people, judge=judge, metric=metric, level=level,
            n_permutations=permutations, seed=seed, margin=margin, **how,
        )  # fmt: skip

    result, read = scored_with(score, reader, reader_all, out)
    warn(result.warnings)
    write_and_show(result, out, as_json=json)
    tell_of_reader(read, out, files)


@reads_tables
def score_options(
    file: Annotated[
        Path,
        typer.Argument(
            help="One row per reply: item, arrangement, chosen and right (letters), n_options; or "
            "option_replies.csv of a run."
        ),
    ],
    model: Annotated[
        str | None, typer.Option(help="Which model of a table of several, or its name where rows name none.")
    ] = None,
    arranger: Annotated[str, typer.Option(help="What was varied, in a word.")] = "recorded",
    how: TableHow = USUAL,
    level: Annotated[float, typer.Option(help="Coverage of intervals.")] = 0.95,
    permutations: Annotated[int, typer.Option(help="Divisions drawn for the test of places.")] = 999,
    seed: Annotated[int, typer.Option(help="Seed of that test.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    reader: Reader = None,
    reader_all: ReaderAll = False,
    json: JsonAlone = False,
) -> None:
    """Score recorded answers to questions with options: consistency, places, selection bias."""
    from concord import api

    def score() -> Any:
        return api.score_options(
            file, model=model, arranger=arranger, level=level, n_permutations=permutations, seed=seed, **how,
        )  # fmt: skip

    found, read = scored_with(score, reader, reader_all, out)
    several = found if isinstance(found, dict) else {"": found}
    warn(list(dict.fromkeys(text for result in several.values() for text in result.warnings)))
    for name, result in several.items():
        folder = out / safe_name(name) if name else out
        if json and name:
            result.write(folder)
        else:
            write_and_show(result, folder, as_json=json)
        tell_of_reader(read, folder, [file])
    if json and len(several) > 1:
        print_json({name: result.to_dict() for name, result in several.items()})


@reads_tables
def combine(
    people: Annotated[
        Path,
        typer.Argument(help="Table of people: answer and prediction per person; arm, outcome, weight."),
    ],
    predictions: Annotated[
        Path | None,
        typer.Argument(help="Table of further predictions for the same population, without answers."),
    ] = None,
    regress: Annotated[
        list[str] | None, typer.Option(help="Column to regress the answers on; may be given several times.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Column of what was drawn together (school); persons count by themselves."),
    ] = None,
    stratum: Annotated[str | None, typer.Option(help="Column of what people were drawn within.")] = None,
    sequential: Annotated[
        bool,
        typer.Option("--sequential", help="Add this batch of people to --out; look after every batch."),
    ] = False,
    width: Annotated[float | None, typer.Option(help="Sequential: wished width of the interval.")] = None,
    decide: Annotated[float | None, typer.Option(help="Sequential: value that it should leave out.")] = None,
    cost_person: Annotated[
        float | None, typer.Option("--cost-person", "--person-cost", help="Sequential: price of a person.")
    ] = None,
    cost_reply: Annotated[
        float | None, typer.Option("--cost-reply", "--reply-cost", help="Sequential: price of a reply.")
    ] = None,
    max_people: Annotated[
        int | None, rare(help="Sequential: most people there will be; narrower until then, no look after.")
    ] = None,
    planned_people: Annotated[
        int | None, rare(help="Sequential: people at whom the interval is narrowest (300).")
    ] = None,
    stop: Annotated[
        str | None, rare(help="Sequential: any, or width (stops by the width, never by the value).")
    ] = None,
    exact: Annotated[
        bool, rare("--exact", help="Sequential: exact by betting, of people alone (scale or yes/no).")
    ] = False,
    scale_min: Annotated[float | None, rare(help="Sequential: lower end of the scale.")] = None,
    scale_max: Annotated[float | None, rare(help="Sequential: upper end of the scale.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the result; of batches, their state.")] = None,
    json: Json = False,
    how: TableHow = USUAL,
    level: Level = 0.95,
) -> None:
    """Combine people's answers with a model's predictions: what the model is worth in participants."""
    from concord import api
    from concord.people.mixed.result import SequentialResult

    how = {**how, "cluster": cluster, "stratum": stratum}
    looks: dict[str, Any] = {
        "width": width, "decide": decide, "cost_person": cost_person, "cost_reply": cost_reply,
        "max_people": max_people, "planned_people": planned_people, "stop": stop,
        "exact": exact if exact else None, "scale_min": scale_min, "scale_max": scale_max,
    }  # fmt: skip
    result: Any
    if sequential:
        state = out if out is not None and (out / SequentialResult.FILE).is_file() else None
        chosen = None if state is not None and level == 0.95 else level  # as the first batch had it
        result = api.combine_sequential(people, predictions, state=state, level=chosen, **looks, **how)
    else:
        astray = [name for name, value in looks.items() if value is not None]
        if astray or predictions is None:
            what = f"--{astray[0].replace('_', '-')} is" if astray else "one table alone is"
            raise OptionError(f"{what} for batches of people: add --sequential")
        result = api.combine(
            people, predictions, regress=[] if regress is None else regress, level=level, **how
        )
    if json:
        warn(result.warnings)  # the screen shows them with what was found
    if out is not None:
        files = result.write(out)
        note(f"wrote {files[0]} and {files[1].name}")
    print_or_show(result, as_json=json)
