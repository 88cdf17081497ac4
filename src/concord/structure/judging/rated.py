"""Scores of single answers to numbers: with itself, with people, by length, system and group, corrected."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.files.cells import grade
from concord.files.declared import DeclaredTable, columns_of, flag
from concord.files.grids import names_of
from concord.files.text import vocabulary
from concord.records import Estimate, Interval
from concord.stats.compare import mean_estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import Scale, jackknife_t
from concord.stats.multiple import holm, p_by_interval, shown_of_several
from concord.stats.prediction_powered import (
    FEWEST_PEOPLE,
    SampleDesign,
    SampledRows,
    powered_deviations,
    powered_mean,
    units_count,
    units_variance,
)
from concord.structure.judging.rated_result import (
    CalibrationBin,
    RatedGroup,
    RatedPair,
    RatedResult,
    RatingJudge,
)
from concord.words import say

FAMILIES = tuple(tuple(names.split()) for names in vocabulary()["judges"]["makers"])
"""Names that one maker gives."""
_BINS = 10
NO_REPEATS = "no answer was scored twice"
NO_LABELS = "people scored none of these answers"
_TOO_FEW = Estimate(None, n=0, note=f"fewer than {FEWEST_PEOPLE} answers were scored by people")


COLUMNS = columns_of(
    "rated",
    {"score": grade, "human": grade, "length": flag, "place": flag},
    required=("score", "item"),
    what={"score": "the judge's scores"},
)
PAIRWISE = frozenset(
    {"pair", "winner", "verdict", "order", "preference", "model_a", "answer_a", "output_1", "g1_winner"}
)
"""Columns of tables whose rows are pairs of answers."""


def holds_scores(titles: Sequence[str]) -> bool:
    """Whether a table with these columns holds scores of single answers."""
    there = set(titles)
    named = names_of("rated")
    return bool(there & set(named["score"]) and there & set(named["item"]) and not there & PAIRWISE)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Rows of one judge, as columns; texts are codes where they only tell rows apart."""

    score: Floats
    item: NDArray[Any]
    system: NDArray[Any]
    human: Floats
    """NaN where people gave none."""
    length: Floats
    group: NDArray[Any]
    rubric: NDArray[Any]
    place: Floats
    cluster: NDArray[Any]
    stratum: NDArray[Any]
    text: NDArray[Any]
    """What was answered, where it is known: another text is another answer."""

    def at(self, where: NDArray[Any]) -> "Scores":
        """Return some rows."""
        return Scores(*(getattr(self, name)[where] for name in self.__slots__))

    @property
    def answer(self) -> NDArray[np.intp]:
        """A code for every answer that stands for a system on an item."""
        return _codes_of(self.item, self.system)

    def by_answer(self) -> "Scores":
        """Return one row an answer, with the mean of its scores."""
        codes = self.answer
        first = np.unique(codes, return_index=True)[1]
        one = self.at(first)
        mean = np.bincount(codes, self.score) / np.bincount(codes)
        known = np.isfinite(self.human)
        n = np.bincount(codes[known], minlength=first.size)
        with np.errstate(invalid="ignore", divide="ignore"):
            human = np.bincount(codes[known], self.human[known], first.size) / n
        return replace(one, score=mean, human=human)


def _codes_of(*parts: NDArray[Any]) -> NDArray[np.intp]:
    """Return one code per row for what several columns say together."""
    codes = np.zeros(parts[0].size, dtype=np.intp)
    for part in parts:
        _, own = np.unique(part, return_inverse=True)
        _, codes = np.unique(codes * (own.max() + 1) + own.ravel(), return_inverse=True)
    return np.asarray(codes.ravel(), dtype=np.intp)


def read_scores(
    tables: Sequence[DeclaredTable], judge: str | None
) -> tuple[dict[str, tuple[Scores, int]], list[str]]:
    """Read every judge's scores, and count rows without one."""
    columns: dict[str, list[Any]] = {one.name: [] for one in COLUMNS}
    told: list[str] = []
    for table in tables:
        for one in COLUMNS:
            held = table.values(one.name) if one.name in table.titles else [None] * table.n_rows
            if one.name == "judge" and one.name not in table.titles:
                held = [table.place if judge is None else judge] * table.n_rows
            columns[one.name] += held
        told += [*table.left_out()[1], *table.table.warnings]
    texts = {
        name: np.array(["" if v is None else str(v) for v in columns[name]], dtype=object)
        for name in ("item", "system", "judge", "group", "rubric", "cluster", "stratum", "answer")
    }
    texts["text"] = texts.pop("answer")
    texts["cluster"] = np.where(texts["cluster"] == "", texts["item"], texts["cluster"])
    numbers = {
        name: np.array([np.nan if v is None else v for v in columns[name]], dtype=np.float64)
        for name in ("score", "human", "length", "place")
    }
    words = np.array([np.nan if v is None else float(len(v)) for v in columns["answer"]])
    numbers["length"] = np.where(np.isnan(numbers["length"]), words, numbers["length"])
    whole = Scores(**{name: texts.get(name, numbers.get(name)) for name in Scores.__slots__})  # type: ignore[arg-type]
    found = {}
    for name in sorted(set(texts["judge"])):
        own = texts["judge"] == name
        there = own & np.isfinite(numbers["score"]) & (texts["item"] != "")
        found[name] = (whole.at(there), int(own.sum() - there.sum()))
    return found, told


def rate_judges(
    judges: dict[str, tuple[Scores, int]], *, margin: float, level: float
) -> tuple[
    tuple[RatingJudge, ...], tuple[RatedGroup, ...], tuple[RatedPair, ...], tuple[CalibrationBin, ...]
]:
    """Compute what is said of every judge and of the systems judged."""
    made, groups, pairs, curve = [], [], [], []
    tests: dict[str, list[float | None]] = {"bias": [], "length": []}
    for name, (rows, unread) in judges.items():
        if not rows.score.size:
            continue
        answers = rows.by_answer()
        groups += list(_rated_groups(name, rows, answers, margin, level))
        pairs += list(_system_pairs(name, answers, level))
        curve += list(_curve(name, answers, level))
        made.append(_judge(name, rows, answers, unread, level))
        labelled = rows.at(np.isfinite(rows.human))
        tests["bias"].append(p_by_interval(partial(_bias_of, labelled)))
        tests["length"].append(p_by_interval(partial(_for_length, rows, labelled)))
    shown = {what: shown_of_several(p) for what, p in tests.items()}
    differ = [
        pair
        for pair, is_shown in zip(pairs, shown_of_several([one.p_value for one in pairs]), strict=True)
        if is_shown
    ]
    told = [
        replace(
            one,
            sentence=_sentence(
                one,
                [group for group in groups if group.judge == one.judge],
                (
                    sum(pair.judge == one.judge for pair in differ),
                    sum(pair.judge == one.judge for pair in pairs),
                ),
                {what: own[i] for what, own in shown.items()},
                n=len(made),
            ),
        )
        for i, one in enumerate(made)
    ]
    return tuple(told), tuple(groups), tuple(pairs), tuple(curve)


def _judge(name: str, rows: Scores, answers: Scores, unread: int, level: float) -> RatingJudge:
    labelled = rows.at(np.isfinite(rows.human))
    n = len(np.unique(labelled.item))
    noise, sd = _repeat_noise(rows, level)
    return RatingJudge(
        name,
        rows.score.size,
        answers.score.size,
        len(np.unique(rows.item)),
        int(np.isfinite(answers.human).sum()),
        unread,
        mean_estimate(rows.score, rows.cluster, level=level),
        noise,
        sd,
        _over_clusters(
            _pair_sums(labelled.score, labelled.human), labelled.cluster, _concordance, level, "atanh"
        )
        if n
        else Estimate(None, n=0, note=NO_LABELS),
        _bias_of(labelled, level),
        _over_clusters(
            _pair_sums(labelled.score, labelled.human), labelled.cluster, _calibration_slope, level
        )
        if n
        else Estimate(None, n=0, note=NO_LABELS),
        _for_length(rows, labelled, level),
        _own_family(name, labelled, level),
        _slope_within(rows, rows.place, "no place in a batch is given", level),
    )


def _bias_of(labelled: Scores, level: float) -> Estimate:
    """Return the judge's scores minus people's."""
    if not labelled.score.size:
        return Estimate(None, n=0, note=NO_LABELS)
    return mean_estimate(labelled.score - labelled.human, labelled.cluster, level=level)


def _over_clusters(
    parts: Floats,
    clusters: NDArray[Any],
    statistic: Callable[[Floats], Floats],
    level: float,
    scale: Scale = "identity",
) -> Estimate:
    """Return a number made of sums over rows, with its jackknife-t interval over clusters."""
    n = parts.shape[0]
    _, codes = np.unique(clusters, return_inverse=True)
    sums = np.stack([np.bincount(codes.ravel(), column) for column in parts.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(sums.sum(axis=0)))
        without = statistic(sums.sum(axis=0) - sums)
    if not np.isfinite(value):
        return Estimate(None, n=n, note="scores do not vary")
    try:
        return Estimate(value, jackknife_t(value, without, level=level, scale=scale), n=n)
    except UndefinedError as fault:
        return Estimate(value, n=n, note=str(fault))


def _pair_sums(x: Floats, y: Floats) -> Floats:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def _central(sums: Floats) -> tuple[Floats, ...]:
    n, x, y, xx, xy, yy = np.moveaxis(sums, -1, 0)
    return x / n, y / n, xx / n - (x / n) ** 2, xy / n - x * y / n**2, yy / n - (y / n) ** 2


def _concordance(sums: Floats) -> Floats:
    """2 s_xy / (s_x² + s_y² + (x̄ - ȳ)²): Lin's, and κ with quadratic weights."""
    x, y, xx, xy, yy = _central(sums)
    return np.asarray(2 * xy / (xx + yy + (x - y) ** 2))


def _calibration_slope(sums: Floats) -> Floats:
    _, _, xx, xy, _ = _central(sums)
    return np.asarray(np.where(xx > 1e-12, xy / xx, np.nan))


def _repeat_noise(rows: Scores, level: float) -> tuple[Estimate, Estimate]:
    """One-way components over answers: the share of noise, and the standard deviation of repeats."""
    codes = _codes_of(rows.item, rows.system, rows.text)
    n = np.bincount(codes)
    if n.max() < 2:
        return Estimate(None, n=0, note=NO_REPEATS), Estimate(None, n=0, note=NO_REPEATS)
    total = np.bincount(codes, rows.score)
    mean = total / n
    inside = np.bincount(codes, (rows.score - mean[codes]) ** 2)
    first = np.unique(codes, return_index=True)[1]
    parts = np.stack([np.ones(n.size), n, n * n, inside, total, n * mean**2], axis=1).astype(np.float64)

    def within(sums: Floats) -> Floats:
        a, m, _, ss, _, _ = np.moveaxis(sums, -1, 0)
        return np.asarray(ss / (m - a))

    def noise(sums: Floats) -> Floats:
        a, m, mm, ss, t, between = np.moveaxis(sums, -1, 0)
        inner, outer = ss / (m - a), (between - t * t / m) / (a - 1)
        size = (m - mm / m) / (a - 1)
        return np.asarray(size * inner / (outer + (size - 1) * inner))

    clusters = rows.cluster[first]
    share = _over_clusters(parts, clusters, noise, level, "logit")
    if share.value is not None and not 0 <= share.value <= 1:
        share = Estimate(share.value, n=share.n, note="answers differ less than repeats of one answer")
    spread = _over_clusters(parts, clusters, lambda sums: np.sqrt(within(sums)), level)
    return share, spread


def _for_length(rows: Scores, labelled: Scores, level: float) -> Estimate:
    """Points for twice the length, at the same score of people where known, else within items."""
    known = labelled.at(np.isfinite(labelled.length) & (labelled.length > 0))
    if known.score.size and len(np.unique(known.length)) > 1:
        x = np.log2(known.length)
        return _over_clusters(
            _pair_sums(x, known.score - known.human), known.cluster, _calibration_slope, level
        )
    there = rows.at(np.isfinite(rows.length) & (rows.length > 0))
    return _slope_within(there, np.log2(there.length), "no length of the answers is given", level)


def _slope_within(rows: Scores, x: Floats, lacking: str, level: float) -> Estimate:
    """Slope of scores on something that differs within an item."""
    there = np.isfinite(x)
    if not there.any():
        return Estimate(None, n=0, note=lacking)
    rows, x = rows.at(there), x[there]
    _, codes = np.unique(rows.item, return_inverse=True)
    codes = codes.ravel()
    size = np.bincount(codes)
    centred = [v - (np.bincount(codes, v) / size)[codes] for v in (x, rows.score)]
    if not np.abs(centred[0]).max() > 1e-12:
        return Estimate(None, n=int(there.sum()), note="it does not differ between the answers to an item")
    parts = np.stack([centred[0] ** 2, centred[0] * centred[1]], axis=1)
    return _over_clusters(parts, rows.cluster, lambda sums: sums[..., 1] / sums[..., 0], level)


def family(name: str) -> int | None:
    """Which maker a model's name speaks of.

    >>> family("gpt-4o") == family("openai/o3"), family("claude-3-haiku") == family("gpt-4"), family("ours")
    (True, False, None)
    """
    parts = name.casefold().replace("_", "-").replace("/", "-").replace(".", "-").split("-")
    return next(
        (i for i, names in enumerate(FAMILIES) if any(p.startswith(n) for p in parts for n in names)), None
    )


def _own_family(judge: str, labelled: Scores, level: float) -> Estimate:
    """Bias for systems of the judge's own family minus that for others."""
    mine = family(judge)
    if mine is None or not labelled.score.size:
        return Estimate(None, n=0, note=NO_LABELS if mine is not None else "the judge's family is not known")
    own = np.array([family(str(name)) == mine for name in labelled.system])
    if own.all() or not own.any():
        return Estimate(None, n=labelled.score.size, note="no system of its own family beside others")
    bias = labelled.score - labelled.human
    parts = np.stack([own, own * bias, ~own, ~own * bias], axis=1).astype(np.float64)
    return _over_clusters(
        parts, labelled.cluster, lambda s: s[..., 1] / s[..., 0] - s[..., 3] / s[..., 2], level
    )


def _rated_groups(
    judge: str, rows: Scores, answers: Scores, margin: float, level: float
) -> Iterator[RatedGroup]:
    """Yield every system, group and order of the rubric."""
    for by, labels in (("system", answers.system), ("group", answers.group)):
        for name in sorted(set(labels) - {""}) or ([""] if by == "system" else []):
            one = answers.at(labels == name)
            known = np.isfinite(one.human)
            bias = (
                mean_estimate((one.score - one.human)[known], one.cluster[known], level=level)
                if known.any()
                else Estimate(None, n=0, note=NO_LABELS)
            )
            found = _correction(one)
            corrected = _TOO_FEW if found is None else found.estimate(level)
            sd = None if found is None else (found.labels * found.people_variance) ** 0.5
            r = None if found is None else found.correlation
            n = one.score.size
            needed = None if sd is None or r is None else labels_needed(sd, r, n, margin, level)
            yield RatedGroup(
                judge, by, name, n, int(known.sum()),
                mean_estimate(one.score, one.cluster, level=level), bias, corrected, needed, sd, r,
            )  # fmt: skip
    orders = sorted(set(rows.rubric) - {""})
    if len(orders) > 1:
        codes = rows.answer
        away = rows.score - (np.bincount(codes, rows.score) / np.bincount(codes))[codes]
        for name in orders:
            own = rows.rubric == name
            none = Estimate(None, n=0, note="of single orders nothing is corrected")
            yield RatedGroup(
                judge, "rubric", name, len(np.unique(codes[own])), 0,
                mean_estimate(rows.score[own], rows.cluster[own], level=level),
                mean_estimate(away[own], rows.cluster[own], level=level), none, None,
            )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class LabelCorrection:
    """A mean of people over all answers, and what each answer does to it."""

    value: float
    parts: tuple[SampledRows, ...]
    labels: int
    people_variance: float
    """Of the mean of labels alone."""
    correlation: float

    @property
    def df(self) -> int:
        """Degrees of freedom: of the labelled units, which decide."""
        return max(units_count(self.parts[:1]) - 1, 1)

    def estimate(self, level: float) -> Estimate:
        """Return it with its interval over clusters."""
        return _estimated(self.value, self.parts, self.labels, self.df, level)


def _estimated(value: float, parts: Sequence[SampledRows], n: int, df: int, level: float) -> Estimate:
    se = units_variance(parts) ** 0.5
    if se == 0:
        return Estimate(value, n=n, note="no interval: all are equal")
    reach = float(special.stdtrit(df, 0.5 + level / 2)) * se
    return Estimate(
        value, Interval(value - reach, value + reach, level, "prediction-powered, over clusters"), n=n
    )


def _correction(one: Scores) -> LabelCorrection | None:
    """Correct the judge's mean by the answers that people scored; None where these are too few."""
    known = np.isfinite(one.human)
    n = int(known.sum())
    if n < FEWEST_PEOPLE:
        return None
    design, y = _label_design(one, known), one.human[known]
    alone = design.people_part(y - y.mean(), np.ones(n))
    if known.all():
        return LabelCorrection(float(y.mean()), (alone,), n, units_variance([alone]), 0.0)
    given = (y, one.score[known], one.score[~known])
    found = powered_mean(*given, design=design)
    own, further = powered_deviations(*given, found.weight)
    parts = design.parts(own, further, np.ones(n), np.ones(further.size))
    r = found.correlation if np.isfinite(found.correlation) else 0.0
    return LabelCorrection(found.value, tuple(parts), n, found.people_se**2, max(r, 0.0))


def labels_needed(sd: float, correlation: float, answers: int, margin: float, level: float) -> int | None:
    """Return labels for a margin, from SE² = σ²(1 - ρ²)/n + σ²ρ²/M; None where all M answers are not enough.

    >>> labels_needed(0.5, 0.8, 2000, 0.05, 0.95)
    158
    """
    left = (margin / float(special.ndtri(0.5 + level / 2))) ** 2 - (sd * correlation) ** 2 / answers
    needed = sd**2 * (1 - correlation**2) / left if left > 0 else np.inf
    return max(int(np.ceil(needed)), FEWEST_PEOPLE) if needed <= answers else None


def _label_design(one: Scores, known: NDArray[np.bool_]) -> SampleDesign:
    strata = one.stratum if (one.stratum != "").any() else None
    return SampleDesign(
        one.cluster[known].astype(str),
        None if strata is None else strata[known].astype(str),
        one.cluster[~known].astype(str),
        None if strata is None else strata[~known].astype(str),
    )


def _system_pairs(judge: str, answers: Scores, level: float) -> Iterator[RatedPair]:
    """Yield every pair of systems, paired by item, as judged and corrected."""
    systems = sorted(set(answers.system) - {""})
    each = {name: answers.at(answers.system == name) for name in systems}
    corrections = {name: _correction(rows) for name, rows in each.items()}
    made: list[RatedPair] = []
    for a, b in combinations(systems, 2):
        one, two = each[a], each[b]
        items, i, j = np.intersect1d(one.item.astype(str), two.item.astype(str), return_indices=True)
        if items.size < 2:
            continue
        raw = partial(_judged_difference, one.score[i] - two.score[j], one.cluster[i])
        corrected = partial(_corrected_difference, corrections[a], corrections[b])
        as_judged, as_people = raw(level), corrected(level)
        no_labels = not (np.isfinite(one.human).any() or np.isfinite(two.human).any())
        p_value = None
        if as_people.interval is not None or no_labels:
            p_value = p_by_interval(raw if as_people.interval is None else corrected)
        made.append(RatedPair(judge, a, b, items.size, as_judged, as_people, p_value, None))
    p = holm([np.nan if one.p_value is None else one.p_value for one in made])
    for pair, adjusted in zip(made, p, strict=True):
        yield replace(pair, p_holm=float(adjusted) if np.isfinite(adjusted) else None)


def _judged_difference(gaps: Floats, clusters: NDArray[Any], level: float) -> Estimate:
    return mean_estimate(gaps, clusters, level=level)


def _corrected_difference(
    first: LabelCorrection | None, second: LabelCorrection | None, level: float
) -> Estimate:
    """Return the difference of two corrected means, or that there are too few labels."""
    if first is None or second is None:
        return _TOO_FEW
    parts = [*first.parts, *(replace(part, deviations=-part.deviations) for part in second.parts)]
    labels, df = first.labels + second.labels, min(first.df, second.df)
    return _estimated(first.value - second.value, parts, labels, df, level)


def _curve(judge: str, answers: Scores, level: float) -> Iterator[CalibrationBin]:
    """Yield what people say of answers with like scores: by level, or in ten parts."""
    known = answers.at(np.isfinite(answers.human))
    if known.score.size < _BINS:
        return
    levels = np.unique(known.score)
    edges = (
        levels if levels.size <= _BINS else np.unique(np.quantile(known.score, np.linspace(0, 1, _BINS + 1)))
    )
    part = (
        np.searchsorted(edges, known.score)
        if levels.size <= _BINS
        else np.clip(np.searchsorted(edges, known.score, "right") - 1, 0, edges.size - 2)
    )
    for k in np.unique(part):
        own = known.at(part == k)
        yield CalibrationBin(
            judge, float(own.score.min()), float(own.score.max()), own.score.size, float(own.score.mean()),
            mean_estimate(own.human, own.cluster, level=level),
        )  # fmt: skip


def _sentence(
    one: RatingJudge,
    groups: Sequence[RatedGroup],
    pairs: tuple[int, int],
    shown: Mapping[str, bool],
    *,
    n: int,
) -> str:
    """Say what was found of one of n judges: only what is shown, of several judges after Holm."""
    said = []
    if one.noise.value is not None:
        said.append(
            say("judges.rated.noise", noise=min(max(one.noise.value, 0.0), 1.0), sd=one.repeat_sd.value)
        )
    bias, length = one.bias, one.length
    if bias.interval is not None and bias.value is not None:
        ends = bias.interval
        if shown["bias"]:
            way = "higher" if bias.value > 0 else "lower"
            said.append(say(f"judges.rated.bias_{way}", bias=abs(bias.value), ends=ends))
        elif ends.low <= 0 <= ends.high:
            said.append(say("judges.rated.alike", bias=bias.value, ends=ends))
        else:
            said.append(say("judges.rated.alike_of_many", bias=bias.value, ends=ends, n=n))
    if length.value is not None and shown["length"]:
        said.append(say("judges.rated.length", points=abs(length.value), more=length.value > 0))
    systems = [
        g
        for g in groups
        if g.by == "system" and g.corrected.interval is not None and g.n_labels < g.n_answers
    ]
    if systems:
        best = max(systems, key=lambda g: -1e300 if g.corrected.value is None else g.corrected.value)
        name = best.name if best.name else say("judges.rated.answers")
        mean, n = best.mean.value, best.n_labels
        said.append(say("judges.rated.corrected", name=name, mean=mean, corrected=best.corrected, n=n))
    if pairs[1]:
        said.append(say("judges.rated.pairs", k=pairs[0], n=pairs[1]))
    if not said:
        said.append(say("judges.rated.bare", n=one.n_scores, mean=one.mean.value))
    return say("judges.rated.said", judge=one.judge, said="; ".join(said))


def rated_result(
    tables: Sequence[DeclaredTable], *, judge: str | None, margin: float | None, level: float
) -> RatedResult:
    """Read and rate: the wished margin is a twentieth of the scale where none is given."""
    judges, told = read_scores(tables, judge)
    every = np.concatenate([rows.score for rows, _ in judges.values()])
    scale = float(np.ptp(every)) if every.size else 1.0
    wished = margin if margin is not None else max(scale, 1e-9) / 20
    made = rate_judges(judges, margin=wished, level=level)
    inputs = tuple(item for table in tables for item in table.table.inputs)
    return RatedResult(*made, wished, level, inputs, tuple(told))
