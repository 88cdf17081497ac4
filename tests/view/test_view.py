"""The view: nothing without the token, nothing outside its folder, corrections in a file of their own."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.pace import allowed

from concord.asking.replies import (
    CORRECTIONS,
    Correction,
    corrected,
    packed,
    read_corrections,
    unpacked,
    write_correction,
)
from concord.errors import FileFormatError, OptionError
from concord.view.folders import LiveRuns
from concord.view.server import below

pytest.importorskip("starlette", reason="the extra `view` is not installed")
pytest.importorskip("httpx", reason="the test client needs httpx")
from starlette.testclient import TestClient

from concord.view.server import make_app

TOKEN, PORT = "a-token", 8765
BASE = f"http://127.0.0.1:{PORT}"


def _run(folder: Path, n: int = 3, *, reply: str = "A) <script>alert(1)</script>") -> None:
    folder.mkdir(parents=True)
    record = {"format_version": 1, "kind": "run", "suite": "reasoning", "model": "a/b"}
    (folder / "run.json").write_text(json.dumps(record), "utf-8")
    trials, replies = [], []
    for i in range(n):
        trial = {"key": f"k{i}", "id": f"v{i}", "mode": "cot", "repeat": 0}
        trials.append({**trial, "template": "t", "messages": [{"role": "user", "text": f"What is {i}?"}]})
        outcome = "filtered" if i == 1 else "ok"
        replies.append({**trial, "status": "ok", "outcome": outcome, "response": reply, "model": "a/b"})
    for name, rows in (("trials.jsonl", trials), ("replies.jsonl", replies[: n - 1])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    _run(tmp_path / "shown" / "one")
    _run(tmp_path / "hidden")
    return TestClient(make_app(tmp_path / "shown", TOKEN, PORT), base_url=BASE)


def test_a_request_without_the_token_gets_nothing(client: TestClient) -> None:
    for path in ("/", "/run?of=one", "/wrong/", "/wrong/run?of=one", f"/{TOKEN}x/"):
        assert client.get(path).status_code == 404
    assert client.get(f"/{TOKEN}/").status_code == 200


def test_a_long_first_look_does_not_keep_others_waiting(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, other_answered = threading.Event(), threading.Event()

    def slow(*asked: object, **how: object) -> None:
        begun.set()
        assert other_answered.wait(20), "another request was not answered meanwhile"
        raise FileFormatError("seen to its end")

    monkeypatch.setattr("concord.view.server.transcripts", slow)
    with client, ThreadPoolExecutor() as pool:
        first = pool.submit(client.get, f"/{TOKEN}/replies", params={"of": "one"})
        assert begun.wait(20)
        assert client.get(f"/{TOKEN}/page", params={"of": "nothing"}).status_code == 404
        other_answered.set()
        assert "seen to its end" in first.result().text


def test_another_host_gets_nothing(client: TestClient) -> None:
    assert client.get(f"/{TOKEN}/", headers={"host": f"evil.example:{PORT}"}).status_code == 404
    assert client.get(f"/{TOKEN}/", headers={"host": "127.0.0.1"}).status_code == 404


@pytest.mark.parametrize(
    "file", ["benchmark_summary.json", "result.json", "study_a_results.json", "judge.json"]
)
def test_results_of_every_kind_are_listed(client: TestClient, tmp_path: Path, file: str) -> None:
    (tmp_path / "shown" / "scored").mkdir()
    (tmp_path / "shown" / "scored" / file).write_text("{}", "utf-8")
    assert 'value="scored"' in client.get(f"/{TOKEN}/").text


@pytest.mark.parametrize("name", ["..", "../hidden", "one/../../hidden", "/etc", "one\x00", "x" * 5000])
def test_nothing_outside_the_folder_is_read(client: TestClient, name: str) -> None:
    for page in ("run", "feed", "replies", "page"):
        assert client.get(f"/{TOKEN}/{page}", params={"of": name}).status_code == 404


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    _run(tmp_path / "hidden")
    (tmp_path / "shown" / "link").symlink_to(tmp_path / "hidden")
    assert below(tmp_path / "shown", "link") is None


def test_replies_are_shown_with_their_prompts_and_stay_inert(client: TestClient) -> None:
    text = client.get(f"/{TOKEN}/replies", params={"of": "one"}).text
    assert "What is 0?" in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text
    found = client.get(f"/{TOKEN}/replies", params={"of": "one", "outcome": "filtered"}).text
    assert "What is 1?" in found
    assert "What is 0?" not in found


def test_the_feed_counts_only_what_was_added(client: TestClient, tmp_path: Path) -> None:
    first = client.get(f"/{TOKEN}/feed", params={"of": "one"}).json()
    assert (first["planned"], first["done"]) == (3, 2)
    assert "v1 · filtered" in first["latest"]
    row = {"key": "k2", "id": "v2", "mode": "cot", "repeat": 0, "outcome": "ok", "response": "C"}
    with (tmp_path / "shown" / "one" / "replies.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n" + '{"half a li')
    again = client.get(f"/{TOKEN}/feed", params={"of": "one"}).json()
    assert (again["planned"], again["done"]) == (3, 3)


def test_ticked_results_become_a_page_to_look_at_and_a_report_to_keep(tmp_path: Path) -> None:
    from concord import api

    for name in ("one", "two"):
        api.score_people(api.demo_table(), n_resamples=0, n_simulations=0).write(tmp_path / name)
    client = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE)
    front = client.get(f"/{TOKEN}/").text
    assert front.count('type="checkbox"') == 2
    assert "benchmark_summary.json" in front
    ticked = {"of": ["one", "two"], "title": "Mine <b>"}
    shown = client.get(f"/{TOKEN}/page", params=ticked)
    assert "<title>Mine &lt;b&gt;</title>" in shown.text
    assert "Differences between models" in shown.text
    assert "content-disposition" not in shown.headers
    kept = client.get(f"/{TOKEN}/page", params={**ticked, "save": "report"})
    assert kept.headers["content-disposition"] == 'attachment; filename="concord-report.html"'


def test_refused_and_unreadable_answers_are_shown_as_they_arrive(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    from concord import run

    done = run("people", "mockllm/model", out=tmp_path / "r", study=["framing"], n=1)
    feed = LiveRuns().feed("r", done.folder)
    assert "answers read" in feed["readings"]
    assert "unreadable" in feed["readings"]
    assert "Default output from mockllm/model" in feed["misread"]
    asked = run("reasoning", "mockllm/model", out=tmp_path / "s", limit=2)
    feed = LiveRuns().feed("s", asked.folder)
    assert feed["readings"].startswith("4 of 4 answers read")  # a few words alone name something, wrongly


def test_a_long_backlog_is_read_in_the_course_of_several_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from concord.view import folders
    from concord.view import replies as kept
    from concord.view.replies import LiveReading

    _run(tmp_path / "one", 12)
    monkeypatch.setattr(folders, "_READ_AT_ONCE", 4)
    monkeypatch.setattr(
        kept, "reader_of", lambda path: lambda row: iter([LiveReading(row["id"], "refused", "no")])
    )
    runs = LiveRuns()
    told = [runs.feed("one", tmp_path / "one")["readings"] for _ in range(3)]
    assert told == [
        "0 of 4 answers read (4 refused); 6 replies are still to be read",
        "0 of 8 answers read (8 refused); 2 replies are still to be read",
        "0 of 10 answers read (10 refused)",
    ]


def test_a_correction_is_kept_only_from_a_page_of_the_view(client: TestClient, tmp_path: Path) -> None:
    form = {"of": "one", "id": "v0", "mode": "cot", "repeat": "0", "read_as": "B"}
    path = tmp_path / "shown" / "one" / CORRECTIONS
    for headers in ({}, {"origin": "null"}, {"origin": "http://evil.example"}):
        assert client.post(f"/{TOKEN}/correct", data=form, headers=headers).status_code == 404
    assert not path.exists()
    done = client.post(f"/{TOKEN}/correct", data=form, headers={"origin": BASE}, follow_redirects=False)
    assert done.status_code == 303 and done.headers["location"].startswith(f"/{TOKEN}/replies?of=one#r")
    looked_at = {**form, "outcome": "ok", "words": "a b&c", "start": "50"}
    back = client.post(f"/{TOKEN}/correct", data=looked_at, headers={"origin": BASE}, follow_redirects=False)
    place, _, anchor = back.headers["location"].partition("#")
    assert place == f"/{TOKEN}/replies?of=one&outcome=ok&words=a+b%26c&start=50"
    assert f'<article id="{anchor}">' in client.get(f"/{TOKEN}/replies?of=one").text
    assert read_corrections(path) == {("v0", "cot", 0): Correction("v0", "cot", 0, "B")}
    outside = {**form, "of": "../hidden"}
    assert client.post(f"/{TOKEN}/correct", data=outside, headers={"origin": BASE}).status_code == 404


def test_the_last_correction_holds_and_an_empty_one_withdraws(tmp_path: Path) -> None:
    path = tmp_path / CORRECTIONS
    for text in ("A", "B"):
        write_correction(path, Correction("v1", "cot", 0, text))
    assert read_corrections(path)["v1", "cot", 0].read_as == "B"
    write_correction(path, Correction("v1", "cot", 0, ""))
    assert read_corrections(path) == {}
    path.write_text('{"id": 1}\n')
    with pytest.raises(
        FileFormatError, match="line 1: expected a JSON object with id, mode, repeat, read_as"
    ):
        read_corrections(path)


def test_turns_of_a_session_are_corrected_inside_their_response() -> None:
    rows = [{"id": "s/1", "mode": "gain", "repeat": 0, "response": packed({"s/1/1": "hm", "s/1/2": "A"})}]
    one = Correction("s/1/1", "gain", 1, "B")
    found, used = corrected(rows, {one.place: one})
    assert used == 1
    assert unpacked(str(found[0]["response"])) == {"s/1/1": "B", "s/1/2": "A"}


def test_scores_follow_corrections_and_replies_stay_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    from concord import run, score_run

    done = run("people", "mockllm/model", out=tmp_path / "r", study=["framing"], n=1)
    before = (done.folder / "replies.jsonl").read_bytes()
    turns = [json.loads(line) for line in (done.folder / "turns.jsonl").read_text().splitlines()]
    path = tmp_path / CORRECTIONS
    write_correction(path, Correction(turns[0]["id"], turns[0]["mode"], turns[0]["repeat"], "A"))
    plain, other = score_run(done.folder), score_run(done.folder, corrections=path)
    counts = [
        sum(
            n
            for outcomes in scored.to_dict()["answers"].values()
            for name, n in outcomes.items()
            if name == "ok"
        )
        for scored in (plain, other)
    ]
    assert counts == [0, 1]
    assert (done.folder / "replies.jsonl").read_bytes() == before
    write_correction(path, Correction("nobody/1", "x", 0, "A"))
    with pytest.raises(OptionError, match="1 of 2 corrections are of replies that .* does not hold"):
        score_run(done.folder, corrections=path)


@pytest.mark.long
def test_a_hundred_thousand_trials_stay_responsive(tmp_path: Path) -> None:
    import time

    _run(tmp_path / "many", 100_000, reply="A")
    runs = LiveRuns()
    runs.feed("many", tmp_path / "many")
    begin = time.process_time()
    assert runs.feed("many", tmp_path / "many")["done"] == 99_999
    first = time.process_time() - begin
    # looking again costs what was added, not what is there: reading all of it again would take seconds
    assert first < allowed(0.1)


DAMAGE = {
    "a record that is deep": ("run.json", b"[" * 100_000),
    "a plan without ids": ("trials.jsonl", b'{"key": "k0"}\n'),
    "messages that are none": (
        "trials.jsonl",
        b'{"key": "k0", "id": "v0", "messages": [1, {"x": 2}, null]}\n',
    ),
    "a plan of bytes": ("trials.jsonl", bytes(range(256))),
    "replies without fields": ("replies.jsonl", b'{"key": "k0"}\n'),
    "replies that are deep": ("replies.jsonl", b'{"key": ' + b"[" * 100_000 + b"\n"),
    "turns without fields": ("turns.jsonl", b'{"key": "k0", "outcome": "ok"}\n'),
    "corrections that are deep": ("corrections.jsonl", b"[" * 100_000),
    "corrections of bytes": ("corrections.jsonl", b"\xff\xfe\n"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_run_is_shown_with_its_fault_or_without_it(tmp_path: Path, what: str) -> None:
    name, data = DAMAGE[what]
    _run(tmp_path / "one")
    (tmp_path / "one" / name).write_bytes(data)
    client = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE)
    for path in ("/", "/run?of=one", "/feed?of=one", "/replies?of=one"):
        assert client.get(f"/{TOKEN}{path}").status_code == 200


def test_a_correction_with_a_number_of_thousands_of_digits_is_none(client: TestClient) -> None:
    form = {"of": "one", "id": "v0", "mode": "cot", "repeat": "9" * 5000, "read_as": "A"}
    sent = client.post(f"/{TOKEN}/correct", data=form, headers={"origin": BASE}, follow_redirects=False)
    assert sent.status_code == 404


def test_results_are_listed_with_their_model_and_their_headline_number(tmp_path: Path) -> None:
    from concord import api

    scored = api.score_people(api.demo_table(), n_resamples=20, n_simulations=0, model="lab/a <b>")
    scored.write(tmp_path / "one")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "benchmark_summary.json").write_text("{", "utf-8")
    front = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE).get(f"/{TOKEN}/").text
    assert "lab/a &lt;b&gt;" in front
    assert scored.pas.value is not None
    assert f"conclusions {100 * scored.pas.value:.0f} % of the time" in front
    assert 'value="broken"' in front


def test_replies_are_shown_with_how_they_were_read(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    from concord import run

    run("people", "mockllm/model", out=tmp_path / "r", study=["framing"], n=1)
    client = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE)
    text = client.get(f"/{TOKEN}/replies", params={"of": "r"}).text
    assert text.count("<h3>read as</h3><p>unreadable") == text.count("<article ") > 0
    strips = client.get(f"/{TOKEN}/feed", params={"of": "r"}).json()["strips"]
    assert {outcome for _, counts in strips for outcome, _ in counts} == {"unreadable"}


def test_the_list_of_runs_says_what_was_asked_how_it_ended_and_what_it_cost(tmp_path: Path) -> None:
    _run(tmp_path / "one")
    record = json.loads((tmp_path / "one" / "run.json").read_text("utf-8"))
    record |= {
        "status": "finished", "stopped": None, "prices": {"input": 2.0, "output": 8.0},
        "options": {"studies": "framing, anchoring"}, "sampling": {}, "templates": {}, "connection": {},
        "inputs": [], "n_trials": 3, "limits": {},
    }  # fmt: skip
    (tmp_path / "one" / "run.json").write_text(json.dumps(record), "utf-8")
    rows = [json.loads(line) for line in (tmp_path / "one" / "replies.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        row["usage"] = {"input_tokens": 100_000, "output_tokens": 50_000}
    (tmp_path / "one" / "replies.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    shown = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE).get(f"/{TOKEN}/").text
    assert "framing, anchoring</div>" in shown and '<span class="state done">finished</span>' in shown
    assert '<span class="whole">2 of 3</span>' in shown
    assert '<td class="n">1.20</td>' in shown  # 0.2 million read at 2, 0.1 million written at 8
    assert "1.20" in LiveRuns().feed("one", tmp_path / "one")["words"]


def test_further_results_and_comparisons_are_listed_with_what_they_found(tmp_path: Path) -> None:
    import concord
    from concord import api

    verdicts = [
        {"pair": i, "order": order, "verdict": "first", "judge": "lab/judge"}
        for i in range(12)
        for order in ("ab", "ba")
    ]
    api.score_judge(verdicts, n_permutations=99).write(tmp_path / "judged")
    rows = [[{"item": i, "score": int(i % 10 < k)} for i in range(60)] for k in (3, 9)]
    concord.compare(*rows, names=["one", "two"]).write(tmp_path / "compared")
    front = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE).get(f"/{TOKEN}/").text
    assert "lab/judge changes 100 % of its verdicts" in front
    assert "two is ahead of one in score" in front
    assert "comparison of models" in front
    page = TestClient(make_app(tmp_path, TOKEN, PORT), base_url=BASE).get(
        f"/{TOKEN}/page", params={"of": ["compared"]}
    )
    assert "two is ahead of one in score" in page.text
