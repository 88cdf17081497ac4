"""What is kept of runs between two looks: always what reading everything anew would give."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from concord.asking.folder import planned_prompts, read_run
from concord.asking.journal import FAILURES, REPLIES, stored_lines
from concord.errors import FileFormatError
from concord.reading import read_reply, stored_reading, trial_name, write_readings
from concord.view import replies as kept
from concord.view.folders import RunStates
from concord.view.replies import KeptRun, KeptRuns, transcripts
from concord.view.server import replies_page

RECORD = {
    "format_version": 1, "kind": "run", "suite": "structure", "model": "a/b", "options": {}, "sampling": {},
    "templates": {},
}  # fmt: skip
TEXTS = ("Yes, of course", "No\nnever", "Straße \u2028 “so”", "K\u212a and ſ", 'tab\tquote" back\\slash')


def _row(i: int, **more: Any) -> dict[str, Any]:
    mode = ("cot", "direct")[i % 2]
    return {"key": f"k{i}", "id": f"v{i // 2}", "mode": mode, "repeat": 0, **more}


def _reply(i: int, outcome: str = "ok") -> dict[str, Any]:
    tokens = {"input_tokens": i, "output_tokens": None if i % 5 == 4 else 2}
    text = TEXTS[i % len(TEXTS)]
    return _row(i, status="ok", outcome=outcome, response=text, usage=tokens)


def _lines(rows: list[dict[str, Any]], *, ascii_only: bool = False) -> str:
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows)


def _write(folder: Path, n: int = 40, done: int = 30) -> Path:
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(RECORD), "utf-8")
    asked = [_row(i, messages=[{"role": "user", "text": f"Item {i}: {TEXTS[i % 3]}?"}]) for i in range(n)]
    (folder / "trials.jsonl").write_text(_lines(asked), "utf-8")
    replies = [_reply(i, "truncated" if i % 7 == 3 else "ok") for i in range(done)]
    (folder / REPLIES).write_text(_lines(replies), "utf-8")
    (folder / FAILURES).write_text(_lines([_reply(done, "failed")]), "utf-8")
    return folder


def _append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text)


def _as_read_anew(run: KeptRun) -> None:
    fresh, known = read_run(run.path), run.tally()
    assert (known, len(run.plan().by_key)) == (fresh.tally, fresh.n_planned)


def test_lines_that_are_added_are_counted_and_the_others_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = KeptRun(_write(tmp_path / "one"))
    _as_read_anew(run)
    checked = []
    monkeypatch.setattr(kept, "check_row", lambda path, line: checked.append(line.number))
    _append(run.path / REPLIES, _lines([_reply(30), _reply(31, "empty")]))
    _as_read_anew(run)
    assert checked == [31, 32]
    (run.path / "replies-1.jsonl").write_text(_lines([_reply(33)]), "utf-8")
    _as_read_anew(run)
    assert checked == [31, 32, 1]


@pytest.mark.parametrize("how", ["shorter", "another file", "the same size", "longer"])
def test_a_journal_that_was_written_anew_is_read_anew(tmp_path: Path, how: str) -> None:
    run = KeptRun(_write(tmp_path / "one"))
    _as_read_anew(run)
    file = run.path / REPLIES
    rows = [json.loads(line) for line in file.read_bytes().splitlines()]
    if how == "shorter":
        rows = rows[:5]
    elif how == "longer":
        rows = [_reply(i, "empty") for i in range(40)]
    else:
        rows[-1], rows[3] = {**rows[3], "key": "k29"}, {**rows[-1], "key": "k3"}
    if how == "another file":
        file.unlink()
    file.write_text(_lines(rows), "utf-8")
    _as_read_anew(run)


def test_a_last_line_without_line_feed_counts_and_may_still_be_completed(tmp_path: Path) -> None:
    run = KeptRun(_write(tmp_path / "one"))
    line = _lines([_reply(30)])
    _append(run.path / REPLIES, line[:20])
    _as_read_anew(run)
    _append(run.path / REPLIES, line[20:-1])
    _as_read_anew(run)
    _as_read_anew(run)
    _append(run.path / REPLIES, "\n" + _lines([_reply(31)]))
    _as_read_anew(run)


def test_a_damaged_line_is_named_at_every_look_until_it_is_mended(tmp_path: Path) -> None:
    run = KeptRun(_write(tmp_path / "one"))
    whole = (run.path / REPLIES).read_bytes()
    _append(run.path / REPLIES, '{"key": "k3"}\n')
    for _ in range(2):
        with pytest.raises(FileFormatError, match="line 31"):
            run.tally()
    (run.path / REPLIES).write_bytes(whole)
    _as_read_anew(run)
    _append(run.path / "trials.jsonl", "no line\n")
    with pytest.raises(FileFormatError, match=r"trials\.jsonl, line 41"):
        run.tally()


def _plain_search(path: Path, outcome: str, words: str) -> list[str]:
    """Find replies by reading everything, line by line."""
    asked = {row["key"]: row for row in planned_prompts(path)}
    rows = [line.row for name in (REPLIES, FAILURES) for _, line in stored_lines(path, name)]

    def text(row: Mapping[str, Any]) -> str:
        prompt = "\n\n".join(f"[{one['role']}]\n{one['text']}" for one in asked[row["key"]]["messages"])
        return f"{row['id']} {row['mode']} {prompt} {row['response']}".casefold()

    return [
        f"{row['id']} {row['mode']}"
        for row in rows
        if (not outcome or row["outcome"] == outcome) and words.casefold() in text(row)
    ]


WORDS = (
    "", "yes", "NEVER", "strasse", "k and s", "“", "item 12", "v3 direct", "[user]", "\n", "\\", '"', "no\nn",
    "zz",
)  # fmt: skip


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("words", WORDS)
def test_a_search_finds_what_reading_everything_finds(tmp_path: Path, words: str, ascii_only: bool) -> None:
    path = _write(tmp_path / "one")
    if ascii_only:
        replies = [_reply(i) for i in range(30)]
        (path / REPLIES).write_text(_lines(replies, ascii_only=True), "utf-8")
    run = KeptRun(path)
    for outcome in ("", "ok", "failed", "filtered"):
        expected = _plain_search(path, outcome, words)
        for start, count in ((0, 100), (3, 4), (200, 5)):
            found = transcripts(run, outcome=outcome, words=words, start=start, count=count)
            assert [f"{one.id} {one.mode}" for one in found] == expected[start : start + count]


def test_each_way_of_asking_an_item_is_shown_with_its_own_prompt(tmp_path: Path) -> None:
    shown = transcripts(KeptRun(_write(tmp_path / "one")), count=4)
    assert [one.prompt.split("\n")[1].split(":")[0] for one in shown] == [f"Item {i}" for i in range(4)]


def test_what_is_known_of_runs_is_let_go_where_it_grows_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_LINES", 100)
    runs = KeptRuns()
    paths = [_write(tmp_path / name) for name in "abc"]
    for path in paths:
        runs.run(path).tally()
    assert runs.run(paths[2]).n_lines == 71
    assert runs.run(paths[0]).n_lines == 0


def test_a_run_that_has_ended_is_listed_by_its_own_count_until_something_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path / "one", n=30, done=30)
    (path / FAILURES).write_text("", "utf-8")
    before = RunStates().of(path, "one")
    tally = read_run(path).tally
    counted = {
        "outcomes": dict(tally.outcomes),
        "tokens": {"input": tally.input_tokens, "output": tally.output_tokens},
    }
    size = (path / "trials.jsonl").stat().st_size
    ended = {**RECORD, "status": "finished", "n_trials": 30, "plan_size": size, **counted}
    (path / "run.json").write_text(json.dumps(ended), "utf-8")
    states = RunStates()
    with monkeypatch.context() as patch:
        patch.setattr(KeptRun, "tally", lambda self: pytest.fail("it was read"))
        found = states.of(path, "one")
    assert (found.n_planned, found.outcomes, found.tokens) == (30, before.outcomes, before.tokens)
    later = (path / "run.json").stat().st_mtime_ns + 10**9
    _append(path / FAILURES, _lines([_reply(31, "failed")]))
    os.utime(path / FAILURES, ns=(later, later))
    with monkeypatch.context() as patch:
        patch.setattr(KeptRun, "tally", lambda self: pytest.fail("it was read"))
        with pytest.raises(pytest.fail.Exception, match="it was read"):
            states.of(path, "one")


def _with_readings(path: Path, text: str, *rows: Any) -> list[kept.Transcript]:
    (path / REPLIES).write_text(_lines([{**_reply(0), "response": text}]), "utf-8")
    write_readings(path / "results" / "deep", rows)
    return transcripts(KeptRun(path), outcome="ok")


def test_the_answer_is_marked_in_the_reply_with_how_and_outcome(tmp_path: Path) -> None:
    text = "<script>x</script>\nANSWER: A"
    row = stored_reading(trial_name("v0", "cot", 0), text, read_reply(text, choices=["x", "y"]))
    path = _write(tmp_path / "one")
    (shown,) = _with_readings(path, text, row)
    assert (shown.read, shown.places) == ("A (marked)", ((27, 28),))
    page = replies_page("", "one", [shown], {}, outcome="", words="", start=0, count=5)
    assert "&lt;script&gt;x&lt;/script&gt;\nANSWER: <mark>A</mark></pre>" in page and "<script>x" not in page
    # readings of another text under the same name are not those of this reply
    (other,) = _with_readings(path, "ANSWER: B", row)
    assert (other.read, other.places) == ("", ())
    unread = stored_reading("v0/cot/0", "Perhaps.", read_reply("Perhaps.", choices=["x", "y"]), question="c")
    (unsaid,) = _with_readings(path, "Perhaps.", unread)
    assert (unsaid.read, unsaid.places) == ("c: unreadable", ())


def test_readings_that_cannot_be_read_leave_replies_as_they_are(tmp_path: Path) -> None:
    path = _write(tmp_path / "one")
    _with_readings(path, "A")
    (path / "results" / "deep" / "readings.csv").write_bytes(b"trial,\x00\xff\n")
    assert transcripts(KeptRun(path), outcome="ok")[0].read == ""
