"""`concord run people|structure|reasoning|judge`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from concord.cli.run_ask import carry_out
from concord.cli.run_options import AskingArrangements, AskingItems, AskingPeople, AskingVotes, Model, asks
from concord.errors import OptionError


@asks
def reasoning(
    model: Model = None,
    samples: Annotated[Path | None, typer.Option(help="Vignettes (JSON) (default: bundled).")] = None,
    bias_cases: Annotated[Path | None, typer.Option(help="Bias cases (JSON) (default: bundled).")] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option(
            help="Intervene: early, filler, mistake, paraphrase, hints, pairs or all; several times."
        ),
    ] = None,
    helper: Annotated[
        str | None, typer.Option(help="Model that writes wrong and reworded steps (default: bundled).")
    ] = None,
    prefill: Annotated[
        bool, typer.Option("--prefill", help="Continue the model's own turn instead of instructing it.")
    ] = False,
    choices: Annotated[
        Path | None, typer.Option(help="Questions with options (JSON lines) for hints (default: bundled).")
    ] = None,
    detector: Annotated[
        str, typer.Option(help="What finds verbalised hints: rules or judge:MODEL.")
    ] = "rules",
    chains_of: Annotated[
        str, typer.Option(help="Whose chains are probed: vignettes or choices.")
    ] = "vignettes",
    full_grid: Annotated[
        bool, typer.Option("--full-grid", help="Early answers after every step instead of five.")
    ] = False,
    *,
    asking: AskingItems,
) -> None:
    """Ask each vignette with and without reasoning, and each bias case; then score the replies."""
    if probe:
        chosen: dict[str, Any] = {
            "probe": probe,
            "samples": samples,
            "bias_cases": bias_cases,
            "choices": choices,
            "chains_of": chains_of,
            "helper": helper,
            "prefill": prefill,
            "detector": detector,
            "full_grid": full_grid,
        }
        # a noise floor needs two answers to the same prompt
        carry_out("probes", model, chosen, replace(asking, repeats=max(2, asking.repeats)))
        return
    for name, given in (("--helper", helper), ("--choices", choices)):
        if given is not None:
            raise OptionError(f"{name} belongs to --probe; give --probe too, or leave it out")
    carry_out("reasoning", model, {"samples": samples, "bias_cases": bias_cases}, asking)


@asks
def structure(
    model: Model = None,
    items: Annotated[
        str, typer.Option(help="A bundled set (idioms-zh-hans, ..., options-en) or a JSON file.")
    ] = "options-en",
    arranger: Annotated[
        str | None,
        typer.Option(help="What is rearranged: options, options-cyclic, ... (default: the set's own)."),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(help="How replies are scored: choice, text, judge:MODEL, ... (default: the set's own)."),
    ] = None,
    arrangements: Annotated[
        int | None, typer.Option(help="At most so many arrangements per item, drawn with a fixed seed.")
    ] = None,
    *,
    asking: AskingArrangements,
) -> None:
    """Ask the same items under every arrangement; then score how far the answers move."""
    chosen: dict[str, Any] = {
        "items": items,
        "arranger": arranger,
        "scorer": scorer,
        "arrangements": arrangements,
    }
    carry_out("structure", model, chosen, asking)


@asks
def people(
    model: Model = None,
    study: Annotated[
        list[str] | None, typer.Option(help="A study, by name or file; several times (default: all bundled).")
    ] = None,
    studies: Annotated[Path | None, typer.Option(help="A folder with studies of your own.")] = None,
    n: Annotated[
        int | None, typer.Option(help="Participants in each cell (default: as in the paper).")
    ] = None,
    design: Annotated[
        str, typer.Option(help="bare, participant, demographic, story, or the path of a template.")
    ] = "participant",
    plan_seed: Annotated[int, typer.Option(help="Seed of assignment, orders and profiles.")] = 0,
    memory: Annotated[
        bool, typer.Option("--memory", help="Ask afterwards whether the model recognises the studies.")
    ] = False,
    variant: Annotated[
        str | None, typer.Option(help="Hold this variant of the studies too, or all: another surface.")
    ] = None,
    *,
    asking: AskingPeople,
) -> None:
    """Let a model answer in place of the participants of studies; then score the replies."""
    chosen: dict[str, Any] = {
        "study": [] if study is None else study,
        "folder": studies,
        "n": n,
        "design": design,
        "plan_seed": plan_seed,
        "memory": memory,
        "variant": variant,
    }
    carry_out("people", model, chosen, asking)


@asks
def judge(
    model: Model = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="Pairs: prompt, answer_a, answer_b, human (JSON or a table) (default: bundled)."),
    ] = None,
    first: Annotated[Path | None, typer.Option(help="Instead: folder of a run, its replies are A.")] = None,
    second: Annotated[Path | None, typer.Option(help="Folder of another run, its replies are B.")] = None,
    *,
    asking: AskingVotes,
) -> None:
    """Let a model judge pairs of answers in both orders, several times; then score the verdicts."""
    carry_out("judge", model, {"pairs": pairs, "first": first, "second": second}, asking)
