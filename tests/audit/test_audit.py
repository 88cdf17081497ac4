"""A person's verdicts on a sample: error rates by group, and a gap that is corrected by them."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import concord
from concord.audit.estimate import AuditItem, AuditKind, AuditResult, PeopleAudit, audit_result, is_error
from concord.audit.items import (
    PEOPLE,
    REASONING,
    items_of,
    read_verdicts,
    sampled,
    write_page,
    write_verdicts,
)
from concord.cli.app import app
from concord.errors import FileFormatError, OptionError, RunFolderError
from concord.show.page.declared import section_of


def items(n: int, right_cot: int, right_direct: int) -> list[AuditItem]:
    return [
        AuditItem(f"v{k}/0/{mode}", mode, f"v{k}/0", f"<b>{k}</b>", "ok", k < last)
        for k in range(n)
        for mode, last in (("cot", right_cot), ("direct", right_direct))
    ]


def test_the_sample_is_seeded_and_even_over_the_groups() -> None:
    every = items(40, 20, 10)
    drawn = sampled(every, 11, seed=3)
    assert drawn == sampled(every, 11, seed=3) != sampled(every, 11, seed=4)
    assert sorted(sum(item.group == group for item in drawn) for group in ("cot", "direct")) == [5, 6]
    assert len(sampled(every, 500, seed=0)) == 80
    with pytest.raises(OptionError, match="--n 0: expected a whole number"):
        sampled(every, 0, seed=0)


def test_error_rates_and_the_corrected_gap_by_hand() -> None:
    # 10 of 20 read right after reasoning, 5 of 20 early: the gap as read is 0.25. All replies are audited,
    # and two that were read as not right are right: the accuracy is 0.6, the gap 0.35.
    every = items(20, 10, 5)
    verdicts = {item.key: "same" for item in every} | {"v18/0/cot": "right", "v19/0/cot": "right"}
    found = audit_result("m", REASONING, every, verdicts)
    assert [(rate.group, rate.n_errors, rate.n_audited) for rate in found.rates] == [
        ("cot", 2, 20),
        ("direct", 0, 20),
    ]
    assert found.rates[0].rate.value == pytest.approx(0.1)
    assert found.overall.value == pytest.approx(0.05)
    assert found.gap is not None and found.gap.value == pytest.approx(0.25)
    assert found.corrected is not None and found.corrected.value == pytest.approx(0.35)


def test_answers_alike_in_both_modes_do_not_make_the_gap_certain() -> None:
    # six pairs alike: one of each sign added, (1/8 + 1/8) / 8 is the variance
    every = items(6, 3, 3)
    found = audit_result("m", REASONING, every, {item.key: "same" for item in every})
    assert found.gap is not None and found.gap.value == 0
    assert found.gap.interval is not None
    assert found.gap.interval.high == pytest.approx(1.959964 * (0.25 / 8) ** 0.5, rel=1e-6)


def test_no_error_in_a_small_sample_does_not_make_the_reader_perfect() -> None:
    every = items(100, 60, 40)
    few = {item.key: "same" for item in every[:10]}
    many = {item.key: "same" for item in every[:100]}
    widths = []
    for verdicts in (few, many):
        found = audit_result("m", REASONING, every, verdicts).corrected
        assert found is not None and found.interval is not None
        assert found.value == pytest.approx(0.2)
        widths.append(found.interval.high - found.interval.low)
    assert widths[0] > widths[1]


@pytest.mark.parametrize(("kind", "made"), [(REASONING, AuditResult), (PEOPLE, PeopleAudit)])
def test_an_audit_is_written_read_back_and_shown_at_its_level(
    kind: AuditKind, made: type[AuditResult], tmp_path: Path
) -> None:
    every = items(20, 10, 5)
    said = {item.key: "same" for item in every[:30]} | {"v3/0/cot": "misread", "v4/0/cot": "misread"}
    found = audit_result("m/1", kind, every, said, level=0.8)
    assert [path.name for path in found.write(tmp_path)] == [made.FILE, "audit_rates.csv"]
    assert made.read(tmp_path) == found
    page = section_of(made).show([found])
    for shown in (repr(found), found._repr_html_(), page, found.table().to_markdown()):
        assert "80 %" in shown and "95 %" not in shown
        assert "0.133" in shown  # 2 of 15
    assert "2 of 30 readings wrong" in repr(found)
    assert "a person judged 30 of 40 readings" in found.methods()


def test_what_was_not_audited_is_undefined() -> None:
    every = items(20, 10, 5)
    found = audit_result("m", REASONING, every, {"v1/0/cot": "same"})
    assert found.rates[1].rate.value is None
    assert found.overall.value is None
    assert found.corrected is not None and found.corrected.value is None


@pytest.mark.parametrize(
    ("right", "verdict", "error"),
    [(True, "same", False), (True, "right", False), (True, "wrong", True), (True, "none", True),
     (False, "right", True), (False, "wrong", False), (False, "none", False), (None, "misread", True)],
)  # fmt: skip
def test_an_error_is_a_verdict_that_changes_what_counts(
    right: bool | None, verdict: str, error: bool
) -> None:
    assert is_error(AuditItem("k", "g", "u", "", "", right), verdict) is error


def test_the_corrected_gap_covers_the_true_one() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(300):
        truth = {mode: rng.random(120) < rate for mode, rate in (("cot", 0.7), ("direct", 0.5))}
        # the reader misses a fifth of the right answers after reasoning and none of the early ones
        read = {"cot": truth["cot"] & (rng.random(120) > 0.2), "direct": truth["direct"]}
        every = [
            AuditItem(f"{k}/{mode}", mode, str(k), "", "", bool(read[mode][k]))
            for k in range(120)
            for mode in ("cot", "direct")
        ]
        verdicts = {
            item.key: "right" if truth[item.group][int(item.unit)] else "wrong"
            for item in sampled(every, 80, 1)
        }
        found = audit_result("m", REASONING, every, verdicts).corrected
        assert found is not None and found.interval is not None
        hits += found.interval.low <= 0.2 <= found.interval.high
    assert hits / 300 >= 0.92


def test_verdicts_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.json"
    write_verdicts(path, "reasoning", {"a": "same", "b": "none"})
    assert read_verdicts(path, "reasoning") == {"a": "same", "b": "none"}
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


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    folder = tmp_path_factory.mktemp("audit") / "run"
    concord.run("reasoning", "mockllm/model", limit=3, out=folder)
    return folder


@pytest.mark.filterwarnings("ignore")
def test_every_reply_of_a_run_can_be_audited(run: Path) -> None:
    model, found = items_of(run, REASONING)
    assert model == "mockllm/model"
    assert sorted(item.group for item in found) == ["cot"] * 3 + ["direct"] * 3
    with pytest.raises(RunFolderError, match="holds a run of 'reasoning', not of 'people'"):
        items_of(run, PEOPLE)


@pytest.mark.filterwarnings("ignore")
def test_verdicts_are_asked_one_at_a_time_and_a_second_call_goes_on(run: Path) -> None:
    first = CliRunner().invoke(app, ["audit", "reasoning", str(run), "--n", "4"], input="a\nr\nq\n")
    assert first.exit_code == 0, first.output
    stored = read_verdicts(run / "audit" / "reasoning_verdicts.json", "reasoning")
    assert sorted(stored.values()) == ["right", "same"]
    second = CliRunner().invoke(app, ["audit", "reasoning", str(run), "--n", "4", "--json"], input="a\na\n")
    assert second.exit_code == 0, second.output
    assert len(read_verdicts(run / "audit" / "reasoning_verdicts.json", "reasoning")) == 4
    assert '"n_errors": 1' in second.output


@pytest.mark.filterwarnings("ignore")
def test_the_page_and_its_verdicts_give_the_same_result(run: Path, tmp_path: Path) -> None:
    made = CliRunner().invoke(app, ["audit", "reasoning", str(run), "--n", "2", "--page"])
    assert made.exit_code == 0, made.output
    assert (run / "audit" / "reasoning.html").is_file()
    keys = [item.key for item in sampled(items_of(run, REASONING)[1], 2, 0)]
    write_verdicts(tmp_path / "v.json", "reasoning", dict.fromkeys(keys, "same"))
    told = CliRunner().invoke(app, ["audit", "reasoning", str(run), "--verdicts", str(tmp_path / "v.json")])
    assert told.exit_code == 0, told.output
    assert "0 of 2 readings wrong" in told.output
    assert "corrected by the audit" in told.output
    assert AuditResult.read(run / "audit").of_all().n_audited == 2
    page = concord.report([run], out=tmp_path / "page.html", title="Audited")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert not page.problems
    assert "0 of 2 readings wrong" in text and "corrected by the audit" in text


@pytest.mark.filterwarnings("ignore")
def test_answers_of_a_run_with_people_are_audited_by_condition(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    folder = tmp_path / "run"
    concord.run("people", "mockllm/model", study=["framing"], n=2, out=folder)
    _, found = items_of(folder, PEOPLE)
    assert found and all(item.right is None and item.group.startswith("framing") for item in found)
    result = audit_result("m", PEOPLE, found, {found[0].key: "misread"})
    assert result.corrected is None
    assert sum(rate.n_errors for rate in result.rates) == 1
