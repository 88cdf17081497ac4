"""The cards of the bundled studies and the JSON Schema, for the documentation site."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

CARDS = "reference/studies"


def pages() -> Iterator[tuple[str, str]]:
    """Return the address of every page in the site's sources, with its text."""
    from concord import studies

    files = studies.find_studies(studies.bundled_names())
    yield f"{CARDS}/index.md", _index(files)
    for file in files:
        yield f"{CARDS}/{file.name}.md", _card(file)
    yield "reference/study.schema.json", json.dumps(studies.json_schema(), indent=1) + "\n"


INDEX = """\
# Bundled studies

Materials are in our own words and keep the manipulation; human statistics are those of the published record, each with
its page or table, what is printed there, and how the place is known: *seen* in the paper, *quoted* by a source that the
card names, or *page not verified*, where only the pages of the whole article are known. Of all tests: {known}. If you
have a paper at hand, a look at its pages is welcome. What could not be traced is left out, and each card says so.

**Two sets.** Twelve classics, which are asked where no study is named; and eighteen effects of Many Labs 2 (`--study
many-labs-2`), whose human side is about 7,000 people who repeated the original; seven of these are placebos (`--placebo`):
the literature reports the effect, people do not show it.

**Contamination.** All are well known. A model has very likely read about them, and agreement may be memory.
Read a score here as an upper limit, and write [a study of your own](../../how-to/from-a-paper-to-a-study.md) for what it
has not read.

| study | domain | source | tests | participants in the paper |
|---|---|---|---|---|
{rows}

{tests} tests in all. `concord studies` lists them; the files are in `src/concord/people/studies/`.
"""  # noqa: E501 - lines of a page
CARD = """\
# `{study.study}`: {study.title}

{source.authors} ({source.year}). {source.title}. *{source.published}*.{doi}

Domain: {study.domain}. Population: {study.population.describes}.

## Design

{study.about.design}

{experiments}

## What was simplified

{simplified}

## Threats

{threats}

## What was left out

{left_out}

## Tests

{tests}

## Effects of people

{effects}

## How the human numbers were traced

{traced}

## Expected cost

At the sizes of the paper: {takes.questions:,} questions, about {takes.input_tokens:,} tokens in and
{takes.output_tokens:,} out (four characters a token, the design `participant`, answers as short as asked for; reasoning
models write many times more).
"""  # noqa: E501


def _index(files: tuple[Any, ...]) -> str:
    from concord import studies

    rows = [studies.summary(file) for file in files]
    lines = [
        f"| [`{row['study']}`]({row['study']}.md) | {row['domain']} | {row['source']} | {row['tests']} | "
        f"{row['participants_in_paper']} |"
        for row in rows
    ]
    return INDEX.format(rows="\n".join(lines), tests=sum(row["tests"] for row in rows), known=_known(files))


def _known(files: tuple[Any, ...]) -> str:
    """Count how the places of all human numbers are known."""
    from concord import studies

    known = Counter(side["located"]["known"] for file in files for side in studies.human_sides(file))
    return ", ".join(f"{known[how]} {how}" for how in ("seen", "quoted", "unverified"))


def _card(file: Any) -> str:
    from concord.people.studies.describe import expected_of

    study = file.study
    return CARD.format(
        study=study,
        source=study.source,
        doi=f" doi: {study.source.doi}" if study.source.doi else "",
        experiments="\n".join(_experiments(study)),
        simplified=_bullets(study.about.simplified),
        threats=_bullets(study.about.threats),
        left_out=_bullets(study.about.left_out),
        tests="\n".join(_tests(study)),
        effects="\n".join(_effects(file)),
        traced=_bullets(study.about.traced),
        takes=expected_of(file),
    )


def _bullets(texts: list[str]) -> str:
    return "\n".join(f"- {text}" for text in texts) if texts else "Nothing."


def _experiments(study: Any) -> Iterator[str]:
    yield "| experiment | in the paper | varied | asked |"
    yield "|---|---|---|---|"
    for name, experiment in study.experiments.items():
        people = experiment.participants
        given = people.n if people.sessions is None else people.sessions
        size = sum(given.values()) if isinstance(given, dict) else given
        unit = (
            "participants"
            if people.sessions is None
            else "groups"
            if experiment.group.roles is None
            else "pairs"
        )
        factors = "; ".join(
            f"{f} ({spec.vary}: {', '.join(spec.names)})" for f, spec in experiment.factors.items()
        )
        items = ", ".join(f"{item} ({spec.type})" for item, spec in experiment.items.items())
        yield f"| {name} | {size} {unit} | {factors or 'nothing'} | {items} |"


def _effects(file: Any) -> Iterator[str]:
    """Return people's effect of each test with its interval, beside the original's."""
    from concord import studies

    def shown(found: Any) -> str:
        if found is None or found.value is None:
            return "–"
        ends = found.interval
        return f"{found.value:+.2f}" + ("" if ends is None else f" [{ends.low:+.2f}, {ends.high:+.2f}]")

    yield "| test | people: d, 95 % interval | original study: d, 95 % interval |"
    yield "|---|---|---|"
    for test, sides in studies.published_effects(file).items():
        yield f"| {test} | {shown(sides.get('people'))} | {shown(sides.get('original'))} |"


def _tests(study: Any) -> Iterator[str]:
    yield "| finding | test | kind | human side | page or table | source |"
    yield "|---|---|---|---|---|---|"
    for finding, spec in study.findings.items():
        for test in spec.tests:
            sides = {key.removeprefix("human_"): value for key, value in test.human.columns().items()}
            numbers = ", ".join(f"{key} {value}" for key, value in sides.items())
            place, source = test.human.located, test.human.source
            yield f"| {finding} | {test.name} | {test.test} | {numbers} | {place} | {source} |"
    yield ""
    yield from (f"- {finding}: {spec.says}" for finding, spec in study.findings.items())
