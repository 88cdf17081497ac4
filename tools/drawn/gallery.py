"""The gallery: what a result draws, each picture with the line of Python that draws it."""

from collections.abc import Iterator
from typing import Any

from drawn.shared import Drawn, agent, classics, published_hints, recorded, scripted


def shown() -> Iterator[Drawn]:
    """Return pictures and the lines that draw them."""
    import concord

    one, order, steps = agent(), recorded("structure"), scripted()
    yield Drawn(one.plot("effects"), 'result.plot("effects")')
    yield Drawn(one.plot("conclusions"), 'result.plot("conclusions")')
    yield Drawn(one.plot("losses"), 'result.plot("losses")')
    yield Drawn(one.plot("pas"), 'result.plot("pas")')
    yield Drawn(classics().plot("calibration"), 'result.plot("calibration")')
    yield Drawn(classics().plot("asch-1946"), 'result.plot("asch-1946")')
    yield Drawn(order.plot("order"), 'structure.plot("order")')
    yield Drawn(order.plot("heat"), 'structure.plot("heat")')
    yield Drawn(order.plot("shares"), 'structure.plot("shares")')
    yield Drawn(steps[1].plot("early"), 'reasoning.plot("early")')
    yield Drawn(steps[1].plot("flow"), 'reasoning.plot("flow")')
    yield Drawn(concord.plot_models([*steps]), "concord.plot_models([first, second, ...])")
    hints: Any = published_hints()
    yield Drawn(hints.plot("models"), 'concord.score_hints("published").plot("models")')
