"""What a comparison calls its models and metrics, and refuses to guess."""

from collections.abc import Sequence

from concord.errors import OptionError


def known_metric(metric: str, known: Sequence[str]) -> str:
    """Return a metric that exists, or refuse it with those that do."""
    if metric not in known:
        raise OptionError(f"no metric {metric!r}; expected one of {', '.join(known)}")
    return metric


def check_names(names: Sequence[str] | None, n: int, what: str) -> None:
    """Refuse another number of names than there are models."""
    if names is not None and len(names) != n:
        raise OptionError(f"{len(names)} name(s) for {n} {what}; give one each")


def agent_name(folder: str, named: str) -> str:
    """Return what to call an agent: its name, or its folder where the table gave none."""
    return folder if named == "agent" else named


def distinct(names: Sequence[str]) -> list[str]:
    """Return names with a number behind those that occur more than once."""
    return [f"{name} [{i}]" if names.count(name) > 1 else name for i, name in enumerate(names, 1)]
