"""Speed, memory, resume and kills of `concord run`: ``python benchmarks/asking.py``.

One server on 127.0.0.1 answers every call after 5 ms. Every figure comes from a fresh process, and the kinds
take turns: a busy machine slows all of them. ``--old PATH`` measures another checkout too.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

PAUSE = 0.005
REPLY = "A. I think so, " + "for this reason " * 10
KINDS = ("inspect", "layer", "schema", "client", "run", "run2")
RATIOS = (("run", "layer", 0.8), ("run2", "run", 1.6))


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, log: int | None) -> None:
    """Serve one connection: read a request, wait, answer, and so on."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}
    usage = {"prompt_tokens": 50, "completion_tokens": 60, "total_tokens": 110}
    document = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    body = json.dumps({**document, "usage": usage}).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    while True:
        try:
            asked = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1])
                for line in asked.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            )
            prompt = await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError, StopIteration):
            writer.close()
            return
        await asyncio.sleep(PAUSE)
        writer.write(head + body)
        if log is not None:  # what the client may count on: the answer has left
            os.write(log, json.dumps(json.loads(prompt)["seed"]).encode() + b"\n")


async def serve(log: str | None) -> None:
    fd = None if log is None else os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    server = await asyncio.start_server(lambda r, w: answer(r, w, fd), "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def server(log: Path | None = None) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", *([] if log is None else [str(log)])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def design(n: int) -> Any:
    from concord.structure.design import design_structure

    whole = design_structure("options-en", repeats=n // 552 + 1)
    return replace(whole, trials=whole.trials[:n])


def job(n: int, url: str, width: int, processes: int = 1) -> Any:
    from concord.asking.connection import Connection
    from concord.asking.job import Job
    from concord.asking.requests import Sampling

    sampling = Sampling(temperature=0.0, max_tokens=512)
    connection = Connection(url, max_connections=width // processes)
    return Job(design(n), "openai-api/bench/m", sampling, connection, processes=processes)


def run(n: int, url: str, width: int, folder: Path, processes: int = 1) -> dict[str, float]:
    """Seconds of `concord run`: from plan to closed folder, and from the first reply to the last."""
    from concord.asking import runs

    of = job(n, url, width, processes)
    ended: list[float] = []
    busy: list[float] = []

    def heard(row: Any) -> None:
        ended.append(time.perf_counter())
        busy.append(time.process_time())

    begin, begun = time.perf_counter(), time.process_time()
    result = runs.run_job(of, folder / "run", on_answer=heard)
    seconds, all_busy = time.perf_counter() - begin, time.process_time() - begun
    assert result.outcomes == {"ok": n}, result.outcomes
    steady = {"steady": ended[-1] - ended[0], "busy": busy[-1] - busy[0], "all_busy": all_busy}
    return {"seconds": seconds, "first": ended[0] - begin, **steady}


def inspect(n: int, url: str, width: int, folder: Path) -> dict[str, float]:
    """Seconds of Inspect alone on the same prompts."""
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset, Sample

    os.environ["BENCH_API_KEY"] = "none-needed"
    samples = [Sample(id=i, input=t.messages[0].text) for i, t in enumerate(design(n).trials)]
    task = inspect_ai.Task(dataset=MemoryDataset(samples))
    options: dict[str, Any] = {"max_connections": width, "max_samples": width, "temperature": 0.0}
    begin = time.perf_counter()
    inspect_ai.eval(
        task, model="openai-api/bench/m", model_base_url=url, display="none", log_dir=str(folder), **options
    )
    return {"seconds": time.perf_counter() - begin}


async def bounded(n: int, width: int, one: Any) -> dict[str, float]:
    """Seconds of n calls, so many at a time, and of a processor."""
    left = iter(design(n).trials)

    async def work() -> None:
        for trial in left:
            await one(trial)

    await one(design(1).trials[0])
    begin, begun = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(width)))
    return {"seconds": time.perf_counter() - begin, "busy": time.process_time() - begun}


def layer(n: int, url: str, width: int, folder: Path) -> dict[str, float]:
    """Seconds of Inspect's model layer alone."""
    from inspect_ai.model import GenerateConfig, get_model

    config = GenerateConfig(max_connections=width, temperature=0.0, max_tokens=512)
    model = get_model("openai-api/bench/m", base_url=url, api_key="none-needed", config=config)
    return asyncio.run(bounded(n, width, lambda trial: model.generate(trial.messages[0].text)))


def schema(n: int, url: str, width: int, folder: Path) -> dict[str, float]:
    """Seconds of Inspect's model layer with the request that `concord run` sends: the schema too."""
    from inspect_ai.model import get_model

    from concord.asking.inspect.asker import _config, chat
    from concord.asking.requests import Sampling

    sampling = Sampling(temperature=0.0, max_tokens=512)
    model = get_model("openai-api/bench/m", base_url=url, api_key="none-needed")
    return asyncio.run(
        bounded(
            n,
            width,
            lambda trial: model.generate(
                chat(trial.messages), config=_config(sampling, trial.repeat, 600, trial.forms)
            ),
        )
    )


def client(n: int, url: str, width: int, folder: Path) -> dict[str, float]:
    """Seconds of the `openai` client alone."""
    from openai import AsyncOpenAI

    async def main() -> dict[str, float]:
        opened = AsyncOpenAI(base_url=url, api_key="none-needed")

        async def one(trial: Any) -> None:
            text = trial.messages[0].text
            await opened.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])

        return await bounded(n, width, one)

    return asyncio.run(main())


def resume(n: int, url: str, folder: Path) -> dict[str, float]:
    """Seconds from the plan to the first answer of a folder that lacks ten of n replies."""
    from concord.asking import runs
    from concord.asking.folder import RunFolder, reply_row
    from concord.asking.job import Listeners, record_of
    from concord.asking.journal import line_bytes
    from concord.asking.requests import requests_of
    from concord.records import Answer, AskOutcome, Usage

    of = job(n, url, 10)
    requests = requests_of(of.design, of.model, of.sampling)
    if not (folder / "run").exists():
        RunFolder(folder / "run", record_of(of, {}), requests).close()
        given = Answer(AskOutcome.OK, REPLY * 3, usage=Usage(50, 60), seconds=0.1)
        with (folder / "run" / "replies.jsonl").open("wb") as file:
            file.writelines(line_bytes(reply_row(one, given, of.model)) for one in requests[: n - 10])
        return {}
    first: list[float] = []
    runs.folder_of  # noqa: B018 - loaded before the clock starts
    import inspect_ai.model  # noqa: F401
    import openai  # noqa: F401

    begin, busy = time.perf_counter(), time.process_time()
    listeners = Listeners(on_answer=lambda row: first.append(time.perf_counter() - begin))
    result = runs.run_job(of, folder / "run", listeners=listeners)
    assert result.outcomes == {"ok": n}, result.outcomes
    return {"first": first[0], "all": time.perf_counter() - begin, "busy": time.process_time() - busy}


def tell(begun: int) -> None:
    os.set_blocking(begun, False)
    with suppress(BlockingIOError):
        os.write(begun, b"!")


def to_be_killed(n: int, url: str, width: int, folder: Path, begun: int) -> None:
    """Run until somebody kills the process; the seed of each call names it."""
    from concord.asking import runs
    from concord.asking.job import open_model
    from concord.asking.requests import Sampling

    of = replace(job(n, url, width), sampling=Sampling(temperature=0.0, max_tokens=512, seed=1))
    model = open_model(of.model, of.connection)
    plan = runs.plan_run(of, folder)
    runs.run_job(of, folder, plan=plan, model=model, on_answer=lambda row: tell(begun))


def child(options: argparse.Namespace) -> None:
    n, url, width = options.trials, options.url, options.width
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made if options.folder is None else options.folder)
        figures: dict[str, float] = {}
        if options.child == "resume":
            figures = resume(n, url, folder)
        elif options.child in ("run", "run2"):
            warm = folder / "warm"
            warm.mkdir()
            run(20, url, width, warm)
            figures = run(n, url, width, folder, 2 if options.child == "run2" else 1)
        else:
            kinds = {"inspect": inspect, "layer": layer, "schema": schema, "client": client}
            figures = kinds[options.child](n, url, width, folder)
    figures["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures))


def measured(kind: str, n: int, url: str, width: int, **more: Any) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", kind, "--trials", str(n), "--url", url]
    command += ["--width", str(width)]
    if more.get("folder"):
        command += ["--folder", str(more["folder"])]
    environment = {**os.environ, **({"PYTHONPATH": more["path"]} if more.get("path") else {})}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def speed(options: argparse.Namespace) -> None:
    """Print calls per second of every kind, in turns: of the whole, and from the first reply to the last."""
    n = options.trials
    with server() as url:
        for width in options.widths:
            whole: dict[str, list[float]] = {}
            steady: dict[str, list[float]] = {}
            first: dict[str, list[float]] = {}
            for _ in range(options.rounds):
                for kind in options.kinds:
                    found = measured(kind, n, url, width)
                    whole.setdefault(kind, []).append(n / found["seconds"])
                    # the layer and the client are measured after a first call, from there to the last
                    steady.setdefault(kind, []).append((n - 1) / found.get("steady", found["seconds"]))
                    if "first" in found:
                        first.setdefault(kind, []).append(found["first"])
                if options.old is not None:
                    before = measured("run", n, url, width, path=options.old)["seconds"]
                    whole.setdefault("run before", []).append(n / before)
            print(f"{width} connections, {n} trials")
            show_rates("whole", whole)
            show_rates("first reply to last", steady)
            told = ", ".join(f"{kind} {statistics.median(some):.2f} s" for kind, some in first.items())
            print(f"  until the first reply: {told}")


def cpu(options: argparse.Namespace) -> None:
    """Print seconds of a processor per 1,000 replies, first reply to last: a busy machine matters less."""
    n = options.trials
    with server() as url:
        for width in options.widths:
            found: dict[str, list[float]] = {}
            for _ in range(options.rounds):
                for kind in ("client", "layer", "schema", "run"):
                    figures = measured(kind, n, url, width)
                    found.setdefault(kind, []).append(1000 * figures["busy"] / n)
                    if kind == "run":
                        found.setdefault("whole run", []).append(1000 * figures["all_busy"] / n)
            least = {kind: min(some) for kind, some in found.items()}
            told = ", ".join(f"{kind} {seconds:.2f} s" for kind, seconds in least.items())
            ratio, same = (least[kind] / least["run"] for kind in ("layer", "schema"))
            print(
                f"{width} connections: {told}; layer / run {ratio:.2f}, with the same request {same:.2f} "
                "(wanted 0.85)"
            )


def show_rates(words: str, found: dict[str, list[float]]) -> None:
    """Print medians and the ratios that were wanted."""
    rates = {kind: statistics.median(some) for kind, some in found.items()}
    print(f"  {words}: " + ", ".join(f"{kind} {rate:.0f}/s" for kind, rate in rates.items()))
    for one, other, wanted in RATIOS:
        if one in rates and other in rates:
            print(f"    {one} / {other} {rates[one] / rates[other]:.2f} (wanted {wanted})")


def memory(options: argparse.Namespace) -> None:
    """Print the peak of memory by trials."""
    with server() as url:
        peaks = [measured("run", n, url, 50)["peak"] for n in options.memory]
    for n, peak in zip(options.memory, peaks, strict=True):
        print(f"{n} trials: {peak:.0f} MB, {peak / peaks[0]:.2f} of the first (wanted 1.3)")


def resuming(options: argparse.Namespace) -> None:
    """Print how long a long journal takes to go on."""
    with server() as url, tempfile.TemporaryDirectory() as folder:
        measured("resume", options.lines, url, 10, folder=folder)
        found = measured("resume", options.lines, url, 10, folder=folder)
    print(
        f"resume of {options.lines} lines: {found['first']:.1f} s to the first answer, {found['all']:.1f} s "
        f"in all (wanted 3), {found['busy']:.1f} s of a processor, {found['peak']:.0f} MB (wanted 300)"
    )


def kills(options: argparse.Namespace) -> None:
    """Kill runs at random moments, resume them, and count what was lost or asked twice."""
    import inspect_ai.model  # noqa: F401 - loaded once, before the processes are forked
    import openai  # noqa: F401

    import concord.asking.inspect.asker
    import concord.asking.runs  # noqa: F401

    rng = random.Random(options.seed)
    lost = twice = n_kills = 0
    unstored: list[int] = []
    width = 10
    with tempfile.TemporaryDirectory() as made:
        log = Path(made) / "answered"
        with server(log) as url:
            while n_kills < options.kills:
                folder = Path(made) / f"run-{n_kills}"
                log.write_bytes(b"")
                stored_before: set[str] = set()
                for _ in range(10):
                    answered = log.read_bytes().count(b"\n")
                    process = killed(url, folder, width, rng)
                    n_kills += process
                    held = stored(folder)
                    lost += len(stored_before - set(held))
                    twice += len(held) - len(set(held))
                    new = log.read_bytes().count(b"\n") - answered
                    unstored.append(new - (len(held) - len(stored_before)))
                    stored_before = set(held)
                    if not process:
                        break
    print(f"{n_kills} kills: {lost} stored replies lost, {twice} stored twice; answers that were given and "
          f"not stored per kill: mean {statistics.mean(unstored):.2f}, most {max(unstored)}, "
          f"window {width}")  # fmt: skip


def stored(folder: Path) -> list[str]:
    path = folder / "replies.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line)["key"] for line in lines]


def killed(url: str, folder: Path, width: int, rng: random.Random) -> int:
    """Start or resume a run and kill it at a random moment; return whether it was still running."""
    ready, begun = os.pipe()
    pid = os.fork()
    if pid == 0:
        to_be_killed(800, url, width, folder, begun)
        os._exit(0)
    os.read(ready, 1)  # it has stored something new
    time.sleep(rng.random() * 0.3)
    ended, _ = os.waitpid(pid, os.WNOHANG)
    if ended == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    os.close(ready)
    os.close(begun)
    return int(ended == 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["speed", "memory", "resume", "kills"])
    parser.add_argument("--serve", nargs="?", const="", default=None)
    parser.add_argument("--child", choices=[*KINDS, "resume"])
    parser.add_argument("--url", default="")
    parser.add_argument("--folder")
    parser.add_argument("--old", help="the `src` of another checkout")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--width", type=int, default=10)
    parser.add_argument("--widths", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", type=int, nargs="+", default=[1000, 20_000])
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve or None))
    elif options.child:
        child(options)
    else:
        for name in options.what:
            {"speed": speed, "cpu": cpu, "memory": memory, "resume": resuming, "kills": kills}[name](options)


if __name__ == "__main__":
    main()
