"""A verdict of a person on each of a sample: error rates by how and by group, and corrected numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

from concord.audit.estimate import (
    AuditItem,
    AuditKind,
    AuditResult,
    PeopleAudit,
    Stratum,
    StructureAudit,
    audit_result,
    is_error,
    stratified_rate,
)
from concord.audit.items import read_verdicts, sampled, write_page, write_verdicts
from concord.errors import FileFormatError, OptionError
from concord.show.page.declared import shown_results

HOWS = ("structured", "marked", "bare", "")
REASONING = AuditKind("reasoning", paired=("cot", "direct"))
PEOPLE = AuditKind("people", PeopleAudit)


def items(
    n: int, right_cot: int, right_direct: int, *, hows: tuple[str, ...] = ("marked",)
) -> list[AuditItem]:
    return [
        AuditItem(
            f"v{k}/{mode}/0",
            mode,
            f"v{k}/0",
            f"<b>{k}</b>",
            "ok",
            k < last,
            hows[k % len(hows)],
            "x" * bool(hows),
        )
        for k in range(n)
        for mode, last in (("cot", right_cot), ("direct", right_direct))
    ]


def numbers(found: AuditResult) -> dict[str, tuple[float | None, float | None]]:
    return {one.name: (one.read.value, one.corrected.value) for one in found.numbers}


def test_the_sample_is_seeded_and_even_over_the_groups() -> None:
    every = items(40, 20, 10)
    drawn = sampled(every, 11, seed=3)
    assert drawn == sampled(every, 11, seed=3) != sampled(every, 11, seed=4)
    assert sorted(sum(item.group == group for item in drawn) for group in ("cot", "direct")) == [5, 6]
    assert len(sampled(every, 500, seed=0)) == 80
    with pytest.raises(OptionError, match="n is 0; expected a whole number"):
        sampled(every, 0, seed=0)


def test_rare_ways_of_finding_an_answer_are_sampled_more_than_their_share() -> None:
    many = [AuditItem(f"m{k}", "g", str(k), "", "", None, "marked", "A") for k in range(900)]
    few = [AuditItem(f"b{k}", "g", str(k), "", "", None, "bare", "A") for k in range(90)]
    none = [AuditItem(f"n{k}", "g", str(k), "", "", None) for k in range(10)]
    drawn = sampled([*many, *few, *none], 60, 0)
    counts = [sum(item.stratum == how for item in drawn) for how in ("marked", "bare", "none")]
    assert counts == [43, 13, 4]  # like the roots of 900, 90 and 10: 30, 9.5, 3.2
    assert {item.stratum for item in sampled([*many, *few, *none], 6, 0)} == {"marked", "bare", "none"}


def test_error_rates_and_the_corrected_gap_by_hand() -> None:
    # 10 of 20 read right after reasoning, 5 of 20 early: the gap as read is 0.25. All replies are audited,
    # and two that were read as not right are right: the accuracy is 0.6, the gap 0.35.
    every = items(20, 10, 5)
    verdicts = {item.key: "same" for item in every} | {"v18/cot/0": "right", "v19/cot/0": "right"}
    found = audit_result("m", REASONING, every, verdicts)
    assert [(rate.group, rate.n_errors, rate.n_audited) for rate in found.rates] == [
        ("cot", 2, 20),
        ("direct", 0, 20),
    ]
    assert found.rates[0].rate.value == pytest.approx(0.1)
    assert found.overall.value == pytest.approx(0.05)
    assert numbers(found) == {
        "gap, cot minus direct": pytest.approx((0.25, 0.35)),
        "accuracy, cot": pytest.approx((0.5, 0.6)),
        "accuracy, direct": pytest.approx((0.25, 0.25)),
    }
    # every reply was looked at: nothing about the errors is uncertain
    assert found.overall.ends == pytest.approx((0.05, 0.05))


def test_strata_are_weighted_back_by_hand() -> None:
    # 90 marked replies, 10 audited, 1 wrong; 10 bare, 5 audited, 2 wrong: .9 * .1 + .1 * .4 = .13
    value, ends = stratified_rate([Stratum(90, 10, 1), Stratum(10, 5, 2)], 0.95)
    assert value == pytest.approx(0.13)
    # half an error is added to each: 1.5 / 11 and 2.5 / 6; what was looked at is known: 8/9 and 1/2 are left
    near = 0.9 * 1.5 / 11 + 0.1 * 2.5 / 6
    spread = 0.81 * (8 / 9) * (1.5 / 11) * (9.5 / 11) / 10 + 0.01 * 0.5 * (2.5 / 6) * (3.5 / 6) / 5
    trials = near * (1 - near) / spread
    assert 15 < trials < 16  # as many as were looked at
    # the ends of an exact interval: P(X >= hits | low) = .025 = P(X <= hits | high)
    from scipy.special import betainc

    hits = value * trials
    assert betainc(hits, trials - hits + 1, ends.low) == pytest.approx(0.025)
    assert betainc(hits + 1, trials - hits, ends.high) == pytest.approx(0.975)


def test_a_stratum_that_a_group_has_no_verdict_on_takes_the_rate_of_all_groups_and_says_so() -> None:
    every = items(40, 20, 10, hows=HOWS[:2])
    said = {item.key: "same" for item in every if item.group == "cot" or item.how == "marked"}
    found = audit_result("m", REASONING, every, said)
    assert found.rates[1].rate.value == 0
    assert "rate of all groups" in found.rates[1].rate.note
    gone = {
        key: verdict
        for key, verdict in said.items()
        if key.split("/")[0] in {f"v{k}" for k in range(1, 40, 2)}
    }
    bare = audit_result("m", REASONING, every, gone).overall
    assert (bare.value, bare.note) == (None, "no reply with a structured answer was audited")


def test_answers_alike_in_both_modes_do_not_make_the_gap_certain() -> None:
    # six pairs alike: one of each sign added, (1/8 + 1/8) / 8 is the variance
    every = items(6, 3, 3)
    gap = audit_result("m", REASONING, every, {item.key: "same" for item in every}).numbers[0].read
    assert gap.value == 0
    assert gap.ends[1] == pytest.approx(1.959964 * (0.25 / 8) ** 0.5, rel=1e-6)


def test_no_error_in_a_small_sample_does_not_make_the_reader_perfect() -> None:
    every = items(100, 60, 40)
    few = {item.key: "same" for item in every[:10]}
    many = {item.key: "same" for item in every[:100]}
    widths = []
    for verdicts in (few, many):
        found = audit_result("m", REASONING, every, verdicts).numbers[0].corrected
        assert found.value == pytest.approx(0.2) and found.interval is not None
        widths.append(found.interval.high - found.interval.low)
    assert widths[0] > widths[1]


def test_shares_of_answers_are_corrected_where_there_is_no_right_one() -> None:
    # 12 read as A, 6 as B, 2 unread; in truth one A is a B and both unread are A: 13 A
    read = ["A"] * 12 + ["B"] * 6 + [""] * 2
    every = [
        AuditItem(f"t{k}", "gain", f"t{k}", "", "", None, "bare" if said else "", said, "choice")
        for k, said in enumerate(read)
    ]
    said = {item.key: "same" for item in every} | {"t0": "other: b", "t18": "other: A", "t19": "other: A"}
    found = audit_result("m", PEOPLE, every, said)
    assert numbers(found) == {"choice = A, gain": pytest.approx((0.6, 0.65))}
    assert [(one.group, one.n_errors) for one in found.hows] == [("bare", 1), ("none", 2)]
    unsaid = audit_result("m", PEOPLE, every, said | {"t0": "misread"}).numbers[0].corrected
    assert unsaid.value is None and "not what it answers" in unsaid.note


def test_many_different_answers_have_no_shares() -> None:
    every = [AuditItem(f"t{k}", "g", f"t{k}", "", "", None, "bare", str(k)) for k in range(9)]
    assert audit_result("m", PEOPLE, every, {"t0": "same"}).numbers == ()


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (REASONING, AuditResult),
        (PEOPLE, PeopleAudit),
        (AuditKind("structure", StructureAudit), StructureAudit),
    ],
)
def test_an_audit_is_written_read_back_and_shown_at_its_level(
    kind: AuditKind, made: type[AuditResult], tmp_path: Path
) -> None:
    every = items(20, 10, 5)
    said = {item.key: "same" for item in every[:30]} | {"v3/cot/0": "wrong", "v4/cot/0": "wrong"}
    found = audit_result("m/1", kind, every, said, level=0.8)
    assert [path.name for path in found.write(tmp_path)] == [
        made.FILE,
        "audit_rates.csv",
        "audit_hows.csv",
        "audit_numbers.csv",
    ]
    assert made.read(tmp_path) == found
    page = shown_results([found])
    for shown in (repr(found), found._repr_html_(), page, found.table().to_markdown()):
        assert "80 %" in shown and "95 %" not in shown
        assert "0.133" in shown  # 2 of 15
    assert "Of 30 readings" in repr(found)
    assert "2 were wrong." in " ".join(repr(found).split())
    assert "a person judged 30 of 40 readings" in found.methods()


def test_what_was_not_audited_is_undefined() -> None:
    every = items(20, 10, 5, hows=HOWS)
    found = audit_result("m", REASONING, every, {"v1/cot/0": "same"})
    assert found.rates[1].rate.value is None
    assert found.overall.value is None
    assert all(one.corrected.value is None and one.corrected.note for one in found.numbers)


@pytest.mark.parametrize(
    ("right", "verdict", "error"),
    [(True, "same", False), (True, "right", False), (True, "wrong", True), (True, "none", True),
     (False, "right", True), (False, "wrong", False), (False, "none", False), (None, "misread", True),
     (None, "none", True), (None, "other: B", True), (None, "other:  a ", False)],
)  # fmt: skip
def test_an_error_is_a_verdict_that_changes_what_counts(
    right: bool | None, verdict: str, error: bool
) -> None:
    assert is_error(AuditItem("k", "g", "u", "", "", right, "bare", "A"), verdict) is error


RATES = {
    "rare": (0.0, 0.002, 0.01, 0.02),
    "even": (0.03, 0.03, 0.03, 0.03),
    "by how": (0.001, 0.02, 0.1, 0.2),
    "many": (0.01, 0.18, 0.05, 0.3),
}
SIZES = {"four alike": (300, 250, 250, 200), "few bare": (700, 600, 150, 50)}


def covered(sizes: tuple[int, ...], rates: tuple[float, ...], n: int, times: int) -> dict[str, float]:
    """Return how often 95 % intervals hold the truth: of all errors, of those of bare, accuracy and gap."""
    rng = np.random.default_rng(11)
    hits = dict.fromkeys(("overall", "bare", "accuracy", "gap"), 0)
    hows = np.repeat(HOWS, sizes)
    for k in range(times):
        hows = rng.permutation(hows)
        units = len(hows) // 2
        truth = np.concatenate([rng.random(units) < 0.7, rng.random(units) < 0.5])
        wrong = rng.random(len(hows)) < np.array([rates[HOWS.index(how)] for how in hows])
        read = truth ^ wrong
        every = [
            AuditItem(
                str(i),
                ("cot", "direct")[i >= units],
                str(i % units),
                "",
                "",
                bool(read[i]),
                str(hows[i]),
                "x",
            )
            for i in range(len(hows))
        ]
        verdicts = {item.key: "right" if truth[int(item.key)] else "wrong" for item in sampled(every, n, k)}
        found = audit_result("m", REASONING, every, verdicts)
        of_bare = next(one.rate for one in found.hows if one.group == "bare")
        corrected = {one.name: one.corrected for one in found.numbers}
        checked = {
            "overall": (found.overall, wrong.mean()),
            "bare": (of_bare, wrong[hows == "bare"].mean()),
            "accuracy": (corrected["accuracy, cot"], 0.7),
            "gap": (corrected["gap, cot minus direct"], 0.2),
        }
        for name, (one, true) in checked.items():
            hits[name] += one.ends[0] - 1e-9 <= true <= one.ends[1] + 1e-9  # type: ignore[operator]
    return {name: hit / times for name, hit in hits.items()}


@pytest.mark.parametrize("rates", RATES)
def test_intervals_cover_at_rare_and_at_frequent_errors(rates: str) -> None:
    found = covered((60, 60, 50, 30), RATES[rates], 60, 120)
    assert min(found.values()) >= 0.9, found  # 120 times: 93 % less two standard errors


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 150])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("rates", RATES)
def test_intervals_cover_in_full(rates: str, sizes: str, n: int) -> None:
    found = covered(SIZES[sizes], RATES[rates], n, 1000)
    assert min(found.values()) >= 0.93, found


def test_verdicts_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.json"
    write_verdicts(path, "reasoning", {"a": "same", "b": "none", "c": "other: B"})
    assert read_verdicts(path, "reasoning") == {"a": "same", "b": "none", "c": "other: B"}
    with pytest.raises(FileFormatError, match="verdicts on 'reasoning', expected 'people'"):
        read_verdicts(path, "people")
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**document, "verdicts": {"a": "maybe"}}), "utf-8")
    with pytest.raises(FileFormatError, match="expected one of same, right, wrong, none, misread"):
        read_verdicts(path, "reasoning")


def test_the_page_escapes_replies_and_loads_nothing(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "<i>m</i>", REASONING, items(2, 1, 1))
    text = (tmp_path / "a.html").read_text("utf-8")
    assert "&lt;b&gt;0&lt;/b&gt;" in text and "<b>0</b>" not in text and "<i>m" not in text
    assert "src=" not in text and "http" not in text
    assert text.count('type="radio"') == 4 * 4
    hostile = AuditItem('k"><script>', "g", "u", "<script>A</script>", "<b>", None, "bare", "A", place=(8, 9))
    write_page(tmp_path / "b.html", "m", PEOPLE, [hostile])
    text = (tmp_path / "b.html").read_text("utf-8")
    assert "&lt;script&gt;<mark>A</mark>&lt;/script&gt;" in text
    assert text.count("<script") == 2 and text.count('type="text"') == 1
