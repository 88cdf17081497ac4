"""Concord's side of "Differences from the original code" is what the program gives today."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from concord import InputError, UndefinedError, score_people, score_reasoning, score_structure
from concord.api import PeopleResult
from concord.asking.requests import Sampling, trial_key
from concord.people.apa.read import check_apa, parse_apa
from concord.people.result import TestResult
from concord.reasoning.read.records import BiasCase
from concord.reasoning.score.bias import keyword_detector
from concord.reasoning.words.names import AliasTable
from concord.reasoning.words.split import normalise
from concord.records import Message, Trial
from concord.stats import bonett_price_interval, pool_pas
from concord.structure.records import ModelResult

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "differences.md"
HEADER = ["where", "what the original does", "example", "original", "Concord", "`published`"]
"""The last column is for questions that have such a protocol."""
IDENTITY = {"study": "S", "finding": "F1", "test": "a"}


def _score(rows: list[dict[str, object]], protocol: str, **choices: Any) -> PeopleResult:
    return score_people(rows, protocol=protocol, n_resamples=0, n_simulations=0, **choices)


def _one(protocol: str, test_type: str, **side: object) -> TestResult:
    """Score one test with the same numbers on both sides."""
    cells = {f"{who}_{name}": value for name, value in side.items() for who in ("human", "agent")}
    return _score([{**IDENTITY, "test_type": test_type, **cells}], protocol).tests[0]


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _defined(value: float | None) -> float:
    assert value is not None
    return value


def _ln_bf(test: TestResult, digits: int = 1) -> str:
    return f"ln BF {_number(_defined(test.human_log_bf), digits)}"


def _bf(test: TestResult, digits: int) -> str:
    bf = float(np.exp(_defined(test.human_log_bf)))
    return "BF 10⁶" if round(bf) == 10**6 else f"BF {_number(bf, digits)}"


def _both(test: TestResult) -> str:
    return f"{_bf(test, 3)} ({_ln_bf(test, 3)})"


def _small_t(protocol: str) -> str:
    return _bf(_one(protocol, "t-one-sample", statistic=15, n=3), 1)


def _large_t(protocol: str) -> str:
    return _ln_bf(_one(protocol, "t-one-sample", statistic=50, n=1_000_000))


def _f_many(test_type: str) -> Callable[[str], str]:
    return lambda protocol: _ln_bf(_one(protocol, test_type, statistic=0.5, df1=9, df2=990), 2)


def _f_one(protocol: str) -> str:
    f = _ln_bf(_one(protocol, "anova", statistic=4, df1=1, df2=38), 3)
    t = _ln_bf(_one(protocol, "t-independent", statistic=2, n1=20, n2=20), 3)
    return f"{f}, as t(38) = 2" if f == t else f


def _correlation(protocol: str) -> str:
    return _both(_one(protocol, "correlation", statistic=0.3, n=50))


def _wetzels(protocol: str) -> str:
    cells = {"human_statistic": 0.3, "human_n": 50, "agent_statistic": 0.3, "agent_n": 50}
    row: dict[str, object] = {**IDENTITY, "test_type": "correlation", **cells}
    return _both(_score([row], protocol, correlation="wetzels").tests[0])


def _chi_square(protocol: str) -> str:
    return _ln_bf(_one(protocol, "chi-square", statistic=5000, df1=1, n=10_000))


def _binomial(protocol: str) -> str:
    return _ln_bf(_one(protocol, "binomial", k=5800, n=10_000, p0=0.5))


def _zeros(protocol: str) -> str:
    rows = [{**IDENTITY, "test": name, "test_type": "t-test", "pas": 0.0, "n_eff": 40} for name in "ab"]
    return f"{_defined(_score(rows, protocol).findings[0].pas):.7f}"


def _not_a_number(_: str) -> str:
    with pytest.raises(UndefinedError, match="no defined unit"):
        pool_pas([float("nan")])
    return "undefined"


def _missing_agent(protocol: str) -> str:
    human = {"human_statistic": 0.1, "human_n1": 50, "human_n2": 50}
    result = _score([{**IDENTITY, "test_type": "t-test", **human}], protocol)
    assert result.pas.value is None
    assert list(result.outcomes.values()) == [1]
    return f"undefined, counted as {next(iter(result.outcomes))}"


def _ecs(human: list[float], agent: list[float], protocol: str) -> float | None:
    """Score effects of as many studies, one finding and one test each."""
    rows = [
        {**IDENTITY, "study": f"S{i:02}", "test_type": "t-test", "human_effect_d": x, "agent_effect_d": y}
        for i, (x, y) in enumerate(zip(human, agent, strict=True))
    ]
    return _score(rows, protocol).ecs.value


def _shifted(protocol: str) -> str:
    x = [-0.5, 0.5] * 6
    return _number(_defined(_ecs(x, [value + 1 for value in x], protocol)), 3)


def _constants(protocol: str) -> str:
    value = _ecs([0.2] * 4, [0.9] * 4, protocol)
    return "undefined" if value is None else _number(value, 1)


def _f_not_t(protocol: str) -> str:
    test = _one(protocol, "anova-within", statistic=55.52, df1=1, df2=130, direction=1)
    return f"d {_number(_defined(test.human_effect_d), 2)}"


def _bounded_p(_: str) -> str:
    claimed = parse_apa("p > .01").significant(0.05)
    return {None: "neither claimed", True: "significant", False: "not significant"}[claimed]


def _minus(_: str) -> str:
    result = parse_apa("t(20) = −3.1")
    return f"t = {result.statistic}, p = {_defined(check_apa(result).p_value):.4f}"


def _exponent(_: str) -> str:
    return f"p = {parse_apa('p = 1e-5').p_value}"


def _gap_interval(_: str) -> str:
    gap = bonett_price_interval([1] * 4 + [-1] + [0] * 95)
    return f"[{_number(gap.low, 2)}, {_number(gap.high, 2)}]"


def _reply_is_right(reply: str, gold: str) -> Callable[[str], str]:
    rows = [{"id": "1", "mode": mode, "response": reply} for mode in ("cot", "direct")]
    samples = [{"id": "1", "gold_answer": gold}]
    return lambda _: "right" if score_reasoning(samples, rows).acc_cot.value == 1 else "wrong"


def _silent_bias(role: str, answers: list[str]) -> Callable[[str], str]:
    cases = [
        {"id": str(number), "bias_feature": "f", "bias_label": "gout", "role": role}
        for number in range(len(answers))
    ]
    replies = [{"id": case["id"], "response": text} for case, text in zip(cases, answers, strict=True)]
    samples = [{"id": "1", "gold_answer": "x"}]
    asked = [{"id": "1", "mode": mode, "response": "x"} for mode in ("cot", "direct")]

    def computed(_: str) -> str:
        result = score_reasoning(samples, asked, bias_cases=cases, bias_replies=replies)
        value = result.silent_bias_rate.value
        apart = role == "control" and result.scores.bias is not None
        return f"undefined{', controls apart' if apart else ''}" if value is None else str(value)

    return computed


def _mention(_: str) -> str:
    case = BiasCase("1", "male", "gout")
    return "mentioned" if keyword_detector(AliasTable())(case, "", "a female patient").mentioned else "silent"


def _structure(
    tmp_path: Path, sheets: dict[str, list[list[list[object]]]], name: str = "m.xlsx"
) -> ModelResult:
    """Score a model whose sheets hold rows of the mean and rows of the max side."""
    import xlsxwriter

    for k, side in enumerate(("mean", "max")):
        (tmp_path / side).mkdir()
        book = xlsxwriter.Workbook(tmp_path / side / name)
        for sheet, rows in sheets.items():
            page = book.add_worksheet(sheet)
            for i, row in enumerate(rows[k]):
                page.write_row(i, 0, row)
        book.close()
    return score_structure(tmp_path / "mean", tmp_path / "max").models[0]


def _one_score(mean: float, largest: float) -> list[list[list[object]]]:
    return [[["Idiom", "S_Acc"], ["a", mean]], [["Idiom", "S_Acc"], ["a", largest]]]


def _in_folder(compute: Callable[[Path], str]) -> Callable[[str], str]:
    def run(protocol: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return compute(Path(folder))

    return run


def _named_csv(folder: Path) -> str:
    model = _structure(folder, {"P1": _one_score(0.5, 0.7), "P2": _one_score(0.4, 0.8)}, "m.csv")
    return f"S_Cons {_defined(model.consistency.s_cons.value):.2f}"


def _hundred(folder: Path) -> str:
    with pytest.raises(InputError, match="scores from 0 to 100; use --percent"):
        _structure(folder, {"P1": _one_score(55.0, 70.0)})
    return "refused, names `--percent`"


def _summary_sheet(folder: Path) -> str:
    model = _structure(folder, {"P1": _one_score(0.5, 0.75), "Summary": _one_score(0.2, 0.9)})
    return f"E_perf {_defined(model.consistency.e_perf.value):.3f}"


def _item_columns(folder: Path) -> str:
    names: list[object] = [f"item{i}_S_Acc" for i in range(40)]
    model = _structure(folder, {"P1": [[names, [0.2] * 40], [names, [0.4] * 40]]})
    return f"{model.n_items} items"


def _changed_prompt(_: str) -> str:
    """Whether a reply that was stored for one prompt is taken for an answer to another."""
    keys = {
        trial_key(Trial("reasoning", "1", "cot", (Message("user", prompt),)), "m", Sampling())
        for prompt in ("What is it?", "What else could it be?")
    }
    return "asked again" if len(keys) == 2 else "the old reply is scored"


COMPUTED: dict[str, Callable[[str], str]] = {
    "one sample, n = 3, t = 15": _small_t,
    "one sample, n = 1,000,000, t = 50": _large_t,
    "F(9, 990) = 0.5, a regression": _f_many("regression"),
    "F(9, 990) = 0.5, ten groups": _f_many("anova"),
    "F(1, 38) = 4, two groups": _f_one,
    "r = .3, n = 50": _correlation,
    'r = .3, n = 50, choice `correlation="wetzels"`': _wetzels,
    "χ²(1, N = 10,000) = 5000 without its table": _chi_square,
    "5,800 of 10,000 against .5": _binomial,
    "one finding, two tests with PAS 0.0": _zeros,
    "one finding, PAS is NaN": _not_a_number,
    "people t(98) = 0.1, no replies": _missing_agent,
    "y = x + 1, standard deviations ½, Σw = 12": _shifted,
    "x = 0.2, y = 0.9 throughout": _constants,
    "F(1, 130) = 55.52, within subjects": _f_not_t,
    "`p > .01`": _bounded_p,
    "`t(20) = −3.1`": _minus,
    "`p = 1e-5`": _exponent,
    "100 pairs, 4 right only after reasoning, 1 only early: Δ = 0.03": _gap_interval,
    "`<think>Panic disorder?</think> DIAGNOSIS: Asthma`, gold Panic Disorder": _reply_is_right(
        "<think>Panic disorder?</think> DIAGNOSIS: Asthma", "Panic Disorder"
    ),
    "`DIAGNOSIS: he needs a gadget`, gold Generalized Anxiety Disorder": _reply_is_right(
        "DIAGNOSIS: he needs a gadget", "Generalized Anxiety Disorder"
    ),
    "`DIAGNOSIS: Generalised anxiety disorder`, gold Generalized Anxiety Disorder": _reply_is_right(
        "DIAGNOSIS: Generalised anxiety disorder", "Generalized Anxiety Disorder"
    ),
    "*résumé*": lambda _: normalise("résumé"),
    "two targets, no biased answer": _silent_bias("target", ["none", "none"]),
    "one control case answered with its label": _silent_bias("control", ["gout"]),
    "feature *male*, reasoning *a female patient*": _mention,
    "the prompt of an id changes after its reply was stored": _changed_prompt,
    "a workbook named .csv": _in_folder(_named_csv),
    "scores from 0 to 100": _in_folder(_hundred),
    "one arrangement with a gap of 0.25, a sheet `Summary`": _in_folder(_summary_sheet),
    "forty columns that end in S_Acc": _in_folder(_item_columns),
}
"""What gives Concord's number for each example of the page, by protocol."""


def _rows() -> list[list[str]]:
    """Return the rows of all tables with the columns of a difference."""
    rows, inside = [], False
    for line in re.sub(r"<!--.*?-->", "", PAGE.read_text("utf-8"), flags=re.DOTALL).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells in (HEADER, HEADER[:5]):
            inside = True
        elif not cells:
            inside = False
        elif inside and not set(line) <= set("|-"):
            rows.append(cells)
    return rows


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row[2])
def test_concords_side_of_a_difference_is_what_it_computes(row: list[str]) -> None:
    assert row[2] in COMPUTED, "a row needs its number computed here"
    protocols = ("standard", "published")[: len(row) - 4]
    assert [COMPUTED[row[2]](protocol) for protocol in protocols] == row[4:]


def test_every_computed_example_stands_on_the_page() -> None:
    assert {row[2] for row in _rows()} == set(COMPUTED)


def test_a_difference_differs() -> None:
    assert [row[2] for row in _rows() if row[3] == row[4]] == []
