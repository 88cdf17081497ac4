"""Memory and time of scoring stored runs of 1,000 and of 100,000 replies: ``python benchmarks/scoring.py``.

Folders are made as a run leaves them, with scripted replies and without a model; each is scored, and its
results written, in a fresh process, as `concord run` does at its end. ``--old PATH`` is the `src` of another
checkout whose figures are printed beside, and whose files must be the same, byte for byte.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

KINDS = ("structure", "reasoning", "judge", "people", "probes", "hints")
DIAGNOSES = ("Major Depressive Disorder", "Panic Disorder", "Generalized Anxiety Disorder", "No diagnosis")
REPLY = "It has been going on for some days, and nothing else explains it as well as this does. " * 3
WANTED = 1.3
COMMIT = re.compile(rb'"commit": [^\n]+\n')


def draw(*parts: object) -> int:
    """Return a number that these parts decide."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=4).digest())


def said(item: str, cell: str, repeat: int) -> str:
    """Answer a trial of structure, of reasoning or of a judge."""
    k = draw(item, cell, repeat)
    if cell in ("cot", "direct", "bias"):
        answer = DIAGNOSES[k % 4 if k % 3 else draw(item) % 4]
        lead = "" if cell == "direct" else f"REASONING: {REPLY}It has lasted {k % 90} days.\n"
        return f"{lead}DIAGNOSIS: {answer}"
    return f"I think so, {REPLY}for reason {k % 1000}.\nANSWER: {'ABAC'[k % 4]}"


def said_to(session: Any, question: Any, number: int) -> str:
    """Answer a turn of a session."""
    k = draw(question.id, number)
    if hasattr(question, "probe"):
        if "ANSWER" in question.messages[-1].text or question.probe == "hint":
            return f"{REPLY}For {k % 90} days.\nANSWER: {'ABCD'[k % 4]}"
        lead = f"REASONING: {REPLY}It has lasted {k % 90} days.\n" if question.probe == "chain" else ""
        return f"{lead}DIAGNOSIS: {DIAGNOSES[k % 4]}"
    from concord.people.studies.describe import middle_reply

    answer = middle_reply(question)
    if answer == "A":
        answer = "AB"[k % 2]
    elif answer.isdigit():
        answer = str(max(0, int(answer) + k % 3 - 1))
    return answer if "\n" in answer else f"{REPLY}\nANSWER: {answer}"


def designed(kind: str, n: int) -> Any:
    """Lay out a run of about n replies."""
    from concord.asking.askable import askable

    if kind == "people":
        return askable(kind).design(study=["framing"], n=max(2, n // 11))
    if kind in ("probes", "hints"):
        probes = "hints" if kind == "hints" else "early,filler"
        few, more = (calls(askable("probes").design(probe=probes, repeats=repeats)) for repeats in (1, 3))
        return askable("probes").design(probe=probes, repeats=1 + max(0, round(2 * (n - few) / (more - few))))
    one = askable(kind).design(repeats=1)
    return askable(kind).design(repeats=max(1, round(n / len(one.trials))))


def calls(design: Any) -> int:
    return sum(len(replies) for replies in held(design).values())


def held(design: Any) -> dict[str, dict[str, str]]:
    """Hold every session of a design."""
    from concord.asking.askable import askable

    kind: Any = askable(design.suite).sessions
    openers = kind.openers(dict(design.files), dict(design.options))
    found: dict[str, dict[str, str]] = {}
    for trial in design.trials:
        session, replies = openers[trial.item].open(), dict[str, str]()
        while not session.done:
            for question in session.waiting():
                replies[question.id] = said_to(session, question, trial.repeat)
                if hasattr(session, "counted"):
                    session.counted(60)
                session.answer(question.id, replies[question.id])
        found[trial.item] = replies
    return found


def make(kind: str, n: int, folder: Path) -> None:
    """Make the folder of a run with scripted replies."""
    from concord.asking.askable import askable
    from concord.asking.folder import RunFolder, reply_row
    from concord.asking.job import Job, record_of
    from concord.asking.journal import line_bytes
    from concord.asking.replies import packed
    from concord.asking.requests import Sampling, requests_of
    from concord.records import Answer, AskOutcome, Usage

    design = designed(kind, n)
    job = Job(design, "bench/m", Sampling(temperature=0.0, max_tokens=512))
    requests = requests_of(design, job.model, job.sampling)
    opened = RunFolder(folder, record_of(job, {}), requests)
    opened.copy_inputs(design.files)
    opened.close()
    sessions = held(design) if askable(design.suite).sessions is not None else {}

    def lines() -> Iterator[bytes]:
        for one in requests:
            trial = one.trial
            text = packed(sessions[trial.item]) if sessions else said(trial.item, trial.cell, trial.repeat)
            given = Answer(AskOutcome.OK, text, usage=Usage(50, 60), seconds=0.1)
            row = reply_row(one, given, job.model)
            yield line_bytes({**row, "at": "2026-01-01T00:00:00.000+00:00"})

    with (folder / "replies.jsonl").open("wb") as file:
        file.writelines(lines())
    record = json.loads((folder / "run.json").read_bytes())
    record["replies"] = sum(map(len, sessions.values())) if sessions else len(requests)
    (folder / "run.json").write_text(json.dumps({**record, "status": "finished"}))


def score(folder: Path, out: Path) -> dict[str, Any]:
    """Score a folder as a run does at its end, and return what it took."""
    from concord.asking.folder import read_run
    from concord.asking.recorded import score_run, write_answers
    from concord.cli.run_show import show_scored

    begin = time.process_time()
    stored = read_run(folder)
    opened = time.process_time() - begin
    result = score_run(folder)
    result.write(out)
    write_answers(stored, out)
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    show_scored(result)
    sys.stdout = sys.__stdout__
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    files = {
        str(path.relative_to(out)): hashlib.sha256(COMMIT.sub(b"", path.read_bytes())).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }
    return {"opened": opened, "seconds": seconds, "peak": peak, "files": files}


def child(*words: str, path: str | None = None) -> dict[str, Any]:
    environment = {**os.environ, **({} if path is None else {"PYTHONPATH": path})}
    command = [sys.executable, __file__, "--child", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measured(kind: str, sizes: list[int], root: Path, old: str | None) -> None:
    first: dict[str, float] = {}
    for n in sizes:
        folder = root / f"{kind}-{n}"
        if not folder.exists():
            child("make", kind, str(n), str(folder))
        replies = json.loads((folder / "run.json").read_bytes())["replies"]
        found: dict[str, dict[str, Any]] = {}
        for name, path in (("now", None), *([("before", old)] if old else [])):
            with tempfile.TemporaryDirectory() as out:
                found[name] = child("score", str(folder), out, path=path)
            one = found[name]
            first.setdefault(name, one["peak"])
            ratio = one["peak"] / first[name]
            print(
                f"{kind:10}{replies:8,} replies, {name:6}: {one['peak']:5.0f} MB, {ratio:.2f} of the first "
                f"(wanted {WANTED}), {one['seconds']:6.2f} s of a processor, {one['opened']:.2f} s to open",
                flush=True,
            )
        if old:
            files = [one["files"] for one in found.values()]
            differ = sorted(
                k for k in files[0].keys() | files[1].keys() if files[0].get(k) != files[1].get(k)
            )
            print(f"{'':10}the same files" if not differ else f"{'':10}files that differ: {differ}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=[])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 100_000])
    parser.add_argument("--old", help="the `src` of another checkout")
    parser.add_argument("--folder", help="where folders of runs are kept for another time")
    parser.add_argument("--child", nargs="+")
    options = parser.parse_args()
    if options.child:
        what, *rest = options.child
        if what == "make":
            make(rest[0], int(rest[1]), Path(rest[2]))
            print("{}")
        else:
            print(json.dumps(score(Path(rest[0]), Path(rest[1]))))
        return
    with tempfile.TemporaryDirectory() as made:
        root = Path(made if options.folder is None else options.folder)
        for kind in options.kinds if options.kinds else KINDS:
            measured(kind, options.sizes, root, options.old)


if __name__ == "__main__":
    main()
