"""What a referee asks, in a few lines of the terminal."""

from collections.abc import Iterator

from concord.people.referee import AgentMinusHuman, Referee
from concord.show.numbers import interval, number


def referee_lines(found: Referee) -> Iterator[str]:
    """Yield one line per question of a referee."""
    inside, level = found.inside, found.level
    yield "\nFor the referee"
    if inside.n:
        yield (
            f"  inside the {level:.0%} replication interval: {inside.inside} of {inside.n} tests "
            f"({number(inside.share.value, 2)} {interval(inside.share.interval)}; {level:.0%} expected)"
        )
    yield f"  agent - human d, as coded: {_meta(found.difference)}"
    yield f"  agent - human d, human effects positive: {_meta(found.difference_sized)}"
    replications = found.replications
    if replications.n:
        yield (
            f"  replication Bayes factor of {replications.n} human effects: above 3 for "
            f"{replications.n_supported}, below 1/3 for {replications.n_opposed}; "
            f"{replications.n_too_small} too small for the human study to have seen"
        )
    kept = found.equivalence
    if kept.n_kept:
        yield f"  kept nulls equivalent to 0 within d = {kept.margin:g}: {kept.n_equivalent} of {kept.n_kept}"
    yield from _selection(found)
    known = [cell.pas for cell in found.priors if cell.pas is not None]
    if known:
        yield (
            f"  PAS over priors (scales × ½ to 2, odds 1/3 to 3): {number(min(known), 2)} to "
            f"{number(max(known), 2)}"
        )
    g, precise = number(found.ecs_hedges), number(found.ecs_precision)
    yield f"  ECS: of Hedges' g {g}, weighted by precision {precise}"


def _meta(one: AgentMinusHuman) -> str:
    if one.meta is None:
        return f"undefined ({one.note})"
    meta = one.meta
    spread = "" if meta.prediction is None else f"; another such test {interval(meta.prediction)}"
    return (
        f"{number(meta.mean.value, 2)} {interval(meta.mean.interval)}, tau = {number(meta.tau2**0.5, 2)}, "
        f"I² = {meta.i2:.0%}{spread}"
    )


def _selection(found: Referee) -> Iterator[str]:
    selection = found.selection
    if not selection.n_adjusted:
        return
    ceiling = selection.ceiling_pas
    yield (
        f"  selection undone: mean human |d| {number(selection.mean_published, 2)} becomes "
        f"{number(selection.mean_adjusted, 2)}, size ratio {number(selection.size_ratio.value, 2)} "
        f"{interval(selection.size_ratio.interval)}, ECS {number(selection.ecs, 2)}"
        + ("" if ceiling is None else f", ceiling of PAS {number(ceiling.value, 2)}")
    )
