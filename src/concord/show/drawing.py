"""Results as pictures, for notebooks: the same that the page shows."""

from concord.comparing.metrics import MetricCompareResult, metric_name
from concord.comparing.result import CompareResult
from concord.errors import OptionError, UndefinedError
from concord.show.plot_standing import standing_picture
from concord.show.plots import WIDTH
from concord.show.svg import Picture


def _chosen(pictures: dict[str, Picture], kind: str) -> Picture:
    if kind not in pictures:
        raise OptionError(
            f"there is no picture {kind!r} of this result; expected one of {', '.join(pictures)}"
        )
    return pictures[kind]


def draw_comparison(result: CompareResult, kind: str = "ranking", *, units: float = WIDTH) -> Picture:
    """Draw the ranking of means, with lines next to models that cannot be distinguished."""
    means = {model.name: model.mean for model in result.models}
    ranked = [(name, value) for name in result.order if (value := means[name].value) is not None]
    if not ranked:
        raise UndefinedError("no ranking: there is no item that every model has a score for")
    title = f"{result.metric} of {len(result.models)} models"
    ends = {name: (one.interval.low, one.interval.high) for name, one in means.items() if one.interval}
    picture = standing_picture(
        "ranking", title, ranked, result.groups, label=result.metric, ends=ends, level=result.choices.level
    )
    return _chosen({"ranking": picture}, kind)


def draw_metrics(result: MetricCompareResult, kind: str = "ranking", *, units: float = WIDTH) -> Picture:
    """Draw the ranking by the headline metric, as `draw_comparison` does that of means."""
    standing = result.standing
    if not standing.values:
        raise UndefinedError(f"no ranking: there is no {result.words.unit} that every model has")
    label = metric_name(result.metric)
    title = f"{label} of {len(result.models)} models"
    ends = {one.name: (one.interval.low, one.interval.high) for one in result.models if one.interval}
    picture = standing_picture(
        "ranking", title, standing.values, standing.groups, label=label, ends=ends, level=result.level
    )
    return _chosen({"ranking": picture}, kind)
