"""Results as pictures, for notebooks: the same that the page shows."""

from concord.comparing.metrics import MetricCompareResult, metric_name
from concord.comparing.result import CompareResult
from concord.errors import OptionError, UndefinedError
from concord.files.output import safe_cell
from concord.people import NAME as PEOPLE
from concord.people.files import DETAILED_COLUMNS, PeopleResult, detailed_rows, people_summary
from concord.people.studies.results import StudiesResult
from concord.show.page import people
from concord.show.page.people_tests import test_row
from concord.show.page.values import ResultFile
from concord.show.plot_standing import standing_picture
from concord.show.plots import WIDTH
from concord.show.svg import Picture


def _chosen(pictures: dict[str, Picture], kind: str) -> Picture:
    if kind not in pictures:
        raise OptionError(
            f"there is no picture {kind!r} of this result; expected one of {', '.join(pictures)}"
        )
    return pictures[kind]


def draw_people(
    result: PeopleResult, kind: str = "effects", *, labels: str = "full", units: float = WIDTH
) -> Picture:
    """Draw agreement with people."""
    source = ResultFile(PEOPLE, None, people_summary(result), _labelled(result.model, labels), "")
    names = list(DETAILED_COLUMNS)
    rows = [dict(zip(names, map(_drawn_text, row), strict=True)) for row in detailed_rows(result)]
    view = people.view_of(source, [test_row(row) for row in rows])
    if kind in {study.name for study in result.studies}:
        return people.forest(view, kind)
    return _chosen(people.pictures(view, width=units), kind)


def draw_studies(
    scored: StudiesResult, kind: str = "effects", *, labels: str = "full", units: float = WIDTH
) -> Picture:
    """Draw studies scored from replies, as `draw_people` does."""
    return draw_people(scored.result, kind, labels=labels, units=units)


def _labelled(model: str | None, labels: str) -> str:
    """Return what a model is called in a picture."""
    if labels not in ("full", "short"):
        raise OptionError(f"labels are {labels!r}, expected full or short")
    name = model if model else "the model"
    return name.rstrip("/").rsplit("/", 1)[-1] if labels == "short" else name


def _drawn_text(value: object) -> str:
    return value if isinstance(value, str) else str(safe_cell(value))


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
