"""`concord score people`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, print_json, show


def score_people(
    tests: Annotated[Path, typer.Argument(help="Table of tests: CSV, XLSX, Parquet or JSON.")],
    protocol: Annotated[str, typer.Option(help="standard, refined or published.")] = "standard",
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of the table.")
    ] = False,
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook (default: the first).")] = None,
    states: Annotated[
        int | None, typer.Option(help="Posterior states: 3 or 2 (default: the protocol's).")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Direction split: exact or sign.")] = None,
    human_prior_odds: Annotated[
        float | None, typer.Option(help="Prior odds of an effect, human side.")
    ] = None,
    agent_prior_odds: Annotated[
        float | None, typer.Option(help="Prior odds of an effect, agent side.")
    ] = None,
    include_unsigned: Annotated[
        bool, typer.Option("--include-unsigned", help="Put effects without a sign (F, df1 > 1) into ECS.")
    ] = False,
    level: Annotated[float, typer.Option(help="Nominal coverage of intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Fresh samples behind the second interval; 0: none.")] = 400,
    simulations: Annotated[
        int, typer.Option(help="Simulated agents behind floor and ceiling; 0: none.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the fresh samples and simulated agents.")] = 0,
    engine: Annotated[str, typer.Option(help="serial, processes or dask.")] = "serial",
    scheduler: Annotated[
        str | None, typer.Option(help="Address of the Dask scheduler, tcp://HOST:PORT.")
    ] = None,
) -> None:
    """Score a table of statistical tests: PAS, ECS and APR with their uncertainty."""
    from concord import api
    from concord.stats.engine import get_engine

    result = api.score_people(
        tests,
        protocol=protocol,
        sheet=sheet,
        level=level,
        n_resamples=resamples,
        n_simulations=simulations,
        seed=seed,
        engine=get_engine(engine, scheduler=scheduler),
        states=states,
        split=split,
        human_prior_odds=human_prior_odds,
        agent_prior_odds=agent_prior_odds,
        include_unsigned=True if include_unsigned else None,
    )
    files = result.write(out)
    for warning in result.warnings:
        note(f"warning: {warning}")
    if json:
        print_json(result.to_dict())
    else:
        from concord.reports.people_terminal import people_report

        show(people_report(result.scores))
    note(f"\nwrote {files[0]}, {files[1].name} and {len(files) - 2} evaluation_results.json")
