"""What is asked about reasoning: each vignette with and without reasoning, each bias case once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from concord.errors import FileFormatError, OptionError
from concord.files.gate import check_trials
from concord.files.templates import fill, read_template
from concord.numeric import gated
from concord.reasoning.read.records import BiasCase, Sample
from concord.reasoning.read.replies import read_bias_cases, read_samples
from concord.records import AnswerForm, Design, Message, Template, Trial

SAMPLES = "study_a_test.json"
CASES = "biased_vignettes.json"
MODES = ("cot", "direct")
BIAS = "bias"
"""Cell of the bias cases, which are asked with reasoning."""
VERSION = "v1"
MARK = "DIAGNOSIS"
"""What begins the line of the answer."""


class _Entry(NamedTuple):
    """One entry of a question file."""

    name: str
    prompt: str
    about: tuple[tuple[str, str], ...]


@gated()
def design_reasoning(
    samples: str | Path | None = None,
    bias_cases: str | Path | None = None,
    *,
    limit: int | None = None,
    repeats: int = 1,
) -> Design:
    """Lay out every trial of the reasoning question."""
    if samples is None and bias_cases is not None:
        raise OptionError("--bias-cases without --samples: give both, or neither to use the bundled files")
    if samples is None:
        samples, bias_cases = bundled(SAMPLES), bundled(CASES)
    asked, biased = Path(samples), None if bias_cases is None else Path(bias_cases)
    vignettes = _entries(read_samples(asked).rows[:limit], asked)
    cases = [] if biased is None else _entries(_pairs(read_bias_cases(biased).rows, limit), biased)
    templates = {cell: read_template("reasoning", f"{cell}.{VERSION}") for cell in (*MODES, BIAS)}
    trials = tuple(_trials(vignettes, cases, templates, repeats))
    files = [(SAMPLES, asked.read_bytes())]
    if biased is not None:
        files.append((CASES, biased.read_bytes()))
    return Design("reasoning", trials, tuple(templates.values()), tuple(files))


def bundled(name: str) -> Path:
    """Return the path of a bundled question file."""
    path = resources.files("concord").joinpath("reasoning", "data", name)
    return Path(str(path))


def _pairs(cases: Sequence[BiasCase], limit: int | None) -> list[BiasCase]:
    """Return the cases of the first pairs, whole; a case without a pair counts as one."""
    pairs = list(dict.fromkeys(case.id if case.pair is None else case.pair for case in cases))
    kept = set(pairs[:limit])
    return [case for case in cases if (case.id if case.pair is None else case.pair) in kept]


def _entries(rows: Sequence[Sample] | Sequence[BiasCase], path: Path) -> list[_Entry]:
    """Return every entry with its prompt; scoring needs no prompt, asking does."""
    for row in rows:
        if not row.prompt.strip():
            raise FileFormatError(f"{path.name}: {row.id!r} has no 'prompt', so it cannot be asked; add one")
    return [_Entry(row.id, row.prompt, _about(row)) for row in rows]


def _about(row: Sample | BiasCase) -> tuple[tuple[str, str], ...]:
    """Return what a scorer needs to know."""
    if isinstance(row, Sample):
        return (("gold_answer", row.gold_answer),)
    return (("bias_feature", row.bias_feature), ("bias_label", row.bias_label), ("role", str(row.role)))


def _trials(
    vignettes: list[_Entry], cases: list[_Entry], templates: dict[str, Template], repeats: int
) -> Iterator[Trial]:
    """Both modes of a vignette are next to each other, so that an interrupted run holds whole pairs."""
    check_trials((len(MODES) * len(vignettes) + len(cases)) * repeats, "--repeats")
    asked = [(entry, mode) for entry in vignettes for mode in MODES] + [(entry, BIAS) for entry in cases]
    # Repeats share their words: a long run holds each prompt once.
    laid_out = [_trial(entry, cell, templates[cell]) for entry, cell in asked]
    for repeat in range(repeats):
        for one in laid_out:
            yield one if repeat == 0 else _repeated(one, repeat)


def _trial(entry: _Entry, cell: str, template: Template) -> Trial:
    messages = (Message("user", fill(template, prompt=entry.prompt)),)
    form = AnswerForm("label", mark=MARK, reasoning=cell != "direct")
    return Trial("reasoning", entry.name, cell, messages, 0, template.name, entry.about, (form,))


def _repeated(one: Trial, repeat: int) -> Trial:
    return replace(one, repeat=repeat)
