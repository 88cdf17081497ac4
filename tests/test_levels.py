"""Every surface of every kind says the level that was asked for, and nowhere another one."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import concord
from concord import api
from concord.kinds import Kind
from tests import test_relations as small
from tests.reasoning.test_level import _surfaces
from tests.structure.judging import scripted as judged
from tests.structure.scores import samples

FEW: Any = {"n_resamples": 20, "n_simulations": 40}
Make = Callable[[float], Any]


def demo(agents: tuple[str, ...], n: int = 400) -> pl.DataFrame:
    rows = pl.read_csv(api.demo_table()).head(n)
    factors = [1.0, 0.4, 0.7]
    return pl.concat(
        [
            rows.with_columns(agent=pl.lit(name), agent_statistic=pl.col("agent_statistic") * factor)
            for name, factor in zip(agents, factors, strict=False)
        ]
    )


def rated() -> list[dict[str, Any]]:
    return [
        {"item": i, "system": s, "judge": "j", "score": (i * 7 + k) % 9, "human": (i * 5 + k) % 9}
        for i in range(40)
        for k, s in enumerate("ab")
    ]


def _compared(level: float) -> Any:
    rows = small.score_table()
    return concord.compare([r | {"score": 1 - r["score"] / 2} for r in rows], rows, level=level)


SCALE: Any = {"scale_min": -9.0, "scale_max": 9.0}
PEOPLE = [{"person": i, "answer": i % 5 - 2.0, "prediction": i % 3 + 0.5 * (i % 5)} for i in range(60)]
MORE = [{"prediction": 0.7 * (i % 4)} for i in range(90)]
MAKE: dict[str, Make] = {
    "people": lambda level: concord.score_people(demo(("m",)), level=level, **FEW),
    "people, few studies": lambda level: concord.score_people(demo(("m",), 9), level=level, **FEW),
    "several agents": lambda level: concord.score_people(demo(("a", "b", "c")), level=level, **FEW),
    "answers": lambda level: concord.score_answers(small.answer_table(), level=level, n_resamples=20),
    "predictions": lambda level: concord.score_predictions(small.effect_table(), level=level),
    "predictions of two": lambda level: concord.score_predictions(
        small.effect_table(("a", "b")), level=level
    ),
    "combine": lambda level: concord.combine(PEOPLE, MORE, level=level),
    "sequential": lambda level: concord.combine_sequential(PEOPLE, MORE, level=level, **SCALE),
    "structure": lambda level: concord.score_structure(scores=samples("m", n=24), level=level, resamples=200),
    "judge": lambda level: concord.score_judge(
        judged.rows(judged.length_lover, n=40), level=level, n_permutations=99
    ),
    "rated": lambda level: concord.score_judge(rated(), level=level),
    "options": lambda level: concord.score_options(small.option_table(), level=level, n_permutations=99),
    "hints": lambda level: concord.score_hints(small.hint_table(), level=level),
    "compare": _compared,
    "plan": lambda level: concord.plan("items", means=(0.7, 0.6), items=90, level=level),
    "plan of structure": lambda level: concord.plan("structure", accuracy=0.7, width=0.1, level=level),
    "plan looked at": lambda level: concord.plan(
        "mixed",
        correlation=0.6,
        sd=1.0,
        se=0.1,
        person_cost=5.0,
        reply_cost=0.01,
        sequential=True,
        level=level,
    ),
}
SAID = re.compile(r"(?<![\d.,])(?<!\bto )95 ?%|not 95\b")


def surfaces(result: Any) -> Iterator[str]:
    yield str(result)
    yield from (note for note in getattr(result, "notes", tuple)())
    if isinstance(result, Kind):
        yield from result.sentences()
        yield from (str(one) for one in _surfaces(result))


def spelt(text: str) -> list[str]:
    """Return where a text spells the usual level."""
    words = " ".join(re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", text, flags=re.S).split())
    return [words[max(0, one.start() - 60) : one.end() + 40] for one in SAID.finditer(words)]


@pytest.mark.parametrize("level", [0.8, 0.99])
@pytest.mark.parametrize("kind", MAKE)
def test_no_surface_says_another_level(kind: str, level: float) -> None:
    said = list(surfaces(MAKE[kind](level)))
    assert any(f"{level:.0%}".replace("%", " %") in one for one in said)
    assert [place for one in said for place in spelt(one)] == []


PAGED = (
    "people",
    "several agents",
    "answers",
    "predictions",
    "combine",
    "structure",
    "judge",
    "options",
    "hints",
)


def test_a_page_of_every_kind_says_its_level(tmp_path: Path) -> None:
    for kind in PAGED:
        MAKE[kind](0.8).write(tmp_path / kind.replace(" ", "_"))
    page = concord.report([tmp_path], out=tmp_path / "page.html")
    assert not page.problems
    text = page.path.read_text("utf-8")
    assert "80 %" in text
    assert spelt(text) == []
