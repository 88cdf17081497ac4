"""`concord score judge`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import Encoding, JsonAlone, Sheet
from concord.cli.shared import warn, write_and_show


def score_judge(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Recorded verdicts: FastChat pair files, AlpacaEval annotations, Inspect logs, or tables "
            "with pair, order, verdict."
        ),
    ],
    people: Annotated[
        Path | None, typer.Option(help="People's verdicts on the same pairs, in any of these forms.")
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Name of the judge, where rows name none.")] = None,
    metric: Annotated[str | None, typer.Option(help="Which scorer of an Inspect log.")] = None,
    sheet: Sheet = None,
    encoding: Encoding = None,
    level: Annotated[float, typer.Option(help="Coverage of intervals.")] = 0.95,
    permutations: Annotated[int, typer.Option(help="Divisions drawn for the test of flips.")] = 9999,
    seed: Annotated[int, typer.Option(help="Seed of that test.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    json: JsonAlone = False,
) -> None:
    """Score recorded verdicts of judges: seats, repeats, ties, length, agreement with people."""
    from concord import api

    result = api.score_judge(
        *files, people=people, judge=judge, metric=metric, sheet=sheet, encoding=encoding,
        level=level, n_permutations=permutations, seed=seed,
    )  # fmt: skip
    warn(result.warnings)
    write_and_show(result, out, as_json=json)
