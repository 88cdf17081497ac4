"""`concord demo`."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.options import Json
from concord.cli.shared import note, print_json, show, show_result

if TYPE_CHECKING:
    from concord.api import AgentsResult
    from concord.people.public import RankMove

MODEL = "local/smollm2-135m"
_SMALL = {"n_resamples": 400, "n_simulations": 400}
"""Enough for what one screen shows; `concord score people` takes more."""
_HINTS = "Hints: counts published by Young (2026), arXiv 2603.22582 and 2603.20172, CC BY 4.0."
_FURTHER = ("judges-seats", "orders-chainscope", "reasoning-bbh-codex", "reasoning-turpin-2026")
"""Tables behind the answers to the second and third question."""
_EVERY = {"orders": 40, "items": 10}
"""Of the pairs asked in both orders every 40th is on the page, of graded items every 10th."""
_BOTH_ORDERS = "openai/gpt-4o-mini"
"""The model of the sentence on orders, fixed in advance and scored on all pairs: no largest of nine."""


def demo(
    live: Annotated[
        bool, typer.Option("--live", help="Also ask the embedded model all three questions.")
    ] = False,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Score bundled data only, which is the default.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show every table, not one screen.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("concord-demo"),
    json: Json = False,
) -> None:
    """Answer the three questions on public results of real agents; --live asks the embedded model."""
    from concord import api
    from concord.errors import OptionError
    from concord.people.public import TWIN

    if live and recorded:
        raise OptionError("--live and --recorded were both given; expected one of them")
    people: Any = api.score_people(api.public_table(TWIN.name), **_SMALL)
    people.write(out)
    again, moves = _scored_anew(out / "humanstudy-bench")
    others = _recorded(out)
    if json:
        told = {"agent_side": "real agents", "sources": _credits(), "asked_now": live}
        found = {name: scored.to_dict() for name, scored in others.items() if name != _BOTH_ORDERS}
        print_json({**people.to_dict(), **told, "rescored": [asdict(one) for one in moves], **found})
    else:
        _show(people, again, moves, others, full=full)
    if live:
        _ask_all(out / "live", quiet=json)
    page = _page(out, "Concord demo", _credits())
    note("score your table: concord score people TABLE · ask a model: concord run people")
    note(f"everything: --full; files in {out}")
    note(f"open the page: {page}")


def _credits() -> list[str]:
    """Return whose data these are."""
    from concord.files.public import public_table

    credits = [public_table(name).credit for name in ("twin-2k-500", "humanstudy-bench", *_FURTHER)]
    some = (
        "Of the pairs in both orders every {orders}th is on the page (the demo's sentence is of all), of the "
        "graded items every {items}th."
    )
    return [*credits, some.format(**_EVERY), _HINTS]


def _recorded(out: Path) -> dict[str, Any]:
    """Score recorded answers of known models for the second and third question, and write the results."""
    import polars as pl

    from concord import api
    from concord.reasoning import NAME as REASONING
    from concord.structure import NAME as STRUCTURE

    pairs = pl.read_parquet(api.public_table("orders-chainscope"))
    one = pairs.select("property", "pair", "order", f"p_correct:{_BOTH_ORDERS}")

    def part(table: str, rows: pl.Expr) -> Path:  # scored from a file, so that a pack can hold it
        path = out / "data" / f"{table}.parquet"
        path.parent.mkdir(exist_ok=True)
        pl.read_parquet(api.public_table(table)).filter(rows).write_parquet(path)
        return path

    some = part("orders-chainscope", pl.col("pair") % _EVERY["orders"] == 0)
    graded = part("reasoning-bbh-codex", pl.col("item") % _EVERY["items"] == 0)
    votes = part("judges-seats", pl.col("benchmark") == "DevBench")
    found: dict[str, Any] = {
        STRUCTURE: api.score_structure(scores=some, samples=10, cluster="property", resamples=200),
        REASONING: api.score_reasoning(replies=graded, n_resamples=1000),
        "judges": api.score_judge(votes, n_permutations=999),
        "hints": api.score_hints("published"),
        "suggestions": api.score_hints(api.public_table("reasoning-turpin-2026")),
    }
    for name, scored in found.items():
        scored.write(out if name in (STRUCTURE, REASONING) else out / name)
    whole = api.score_structure(scores=one, samples=10, cluster="property", resamples=200)
    return {**found, _BOTH_ORDERS: whole}


def _page(folder: Path, title: str, notes: list[str]) -> str:
    from concord import api

    return api.report(folder, out=folder / "report.html", title=title, notes=notes).path.resolve().as_uri()


def _scored_anew(folder: Path) -> "tuple[AgentsResult, tuple[RankMove, ...]]":
    """Score the configurations of HumanStudy-Bench anew, and compare them with the published order."""
    from concord import api
    from concord.people.public import HSB, write_ranks

    found: Any = api.score_people(api.public_table(HSB.name), n_resamples=0, n_simulations=0)
    replace(found, one=None).write(folder)  # the order is what counts: no folder per configuration
    return found, write_ranks(found.agents, folder)


def _show(
    people: "AgentsResult",
    again: "AgentsResult",
    moves: "tuple[RankMove, ...]",
    others: Mapping[str, Any],
    *,
    full: bool,
) -> None:
    """Show the answers on one screen, or everything."""
    from concord.files.public import public_table
    from concord.people.public import HSB, TWIN
    from concord.show import demo_terminal as shown
    from concord.show.terminal import lines
    from concord.words import say

    show(
        shown.answers(
            [
                (say("demo.with_people"), shown.people_sentence(people)),
                (say("demo.with_reasoning"), shown.hints_sentence(others["hints"], others["suggestions"])),
                (say("demo.with_itself"), shown.judges_sentence(others["judges"], others[_BOTH_ORDERS])),
            ]
        )
    )
    if full:
        show(lines([""]))
        show_result(people)
        show(shown.moves_table(moves))
        for scored in others.values():
            show(lines([""]))
            show_result(scored)
    else:
        show(shown.agents_strips(people))
        show(lines([shown.people_place()]))
    show(lines([shown.moves_sentence(moves, again)]))
    show(shown.sources([TWIN, HSB], [public_table(name) for name in _FURTHER]))


def _ask_all(folder: Path, *, quiet: bool) -> None:
    """Ask the embedded model a small version of every question, and make a page of what it answered."""
    from concord.asking.askable import everything
    from concord.asking.weights import ensure_weights
    from concord.cli.run_show import show_scored

    _require_live()
    ensure_weights()
    shown = [(one.name, one.demo) for one in everything() if one.demo is not None]
    for i, (name, demo) in enumerate(shown, 1):
        note(f"\n{i}. {demo.title} Asking {MODEL}, a small version of the question.\n")
        scored = _ask_embedded(name, demo.asked, folder / "runs" / name).score()
        scored.write(folder / demo.folder)
        if not quiet:
            show_scored(scored)
    page = _page(folder, "Concord demo, asked now", [f"Replies of {MODEL}, a model of 135M parameters."])
    note(f"the page of what was asked now: {page}")


def _require_live() -> None:
    from importlib.util import find_spec

    from concord.errors import MissingExtraError

    if find_spec("inspect_ai") is None or find_spec("xllamacpp") is None:
        raise MissingExtraError("demo --live", "live")


def _ask_embedded(question: str, asked: Mapping[str, Any], folder: Path) -> Any:
    """Ask the embedded model a small version, with progress."""
    from concord.asking import runs
    from concord.asking.requests import Sampling
    from concord.cli.run_show import Progress

    chosen = dict(asked)
    sampling = Sampling(
        chosen.pop("temperature", 0.0), chosen.pop("max_tokens"), None, chosen.pop("seed", None)
    )
    job = runs.job(question, MODEL, sampling=sampling, **chosen)
    plan = runs.plan_run(job, folder)
    with Progress(plan.n_to_ask) as progress:
        return runs.run_job(job, folder, on_answer=progress.add)
