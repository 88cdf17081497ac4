"""The shell of the documentation: runs every line of a block of commands, or says why it does not.

`concord` and `inspect` run in this process, a cluster in processes of its own.
Addresses that the pages name (`127.0.0.1:8000` for a server of a model, `127.0.0.1:8786` for a scheduler) are
exchanged for free ports of this machine, so that nothing depends on what else runs here.
"""

import gc
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from click.testing import CliRunner as ClickRunner
from typer.testing import CliRunner

from concord.cli.app import app

NOT_RUN = {
    r"pip install( -e)? .*": "is installed already; .ci/run does it in a fresh environment",
    r"python -m venv .*|\. \.venv/bin/activate": "is there already; .ci/run makes a fresh one",
    r"pytest|tools/check": "these are the tests",
    r"export \w+_API_KEY=.*": "a key that only a reader has; the tests set one of their own",
    r"(vllm|ollama|llama-server) .*": "a server of a model with its weights; the tests' own server stands in",
    r"sbatch .*|srun .*": "needs a Slurm cluster",
    "concord view runs": "serves until it is stopped",
    "concord audit my-run --n 50": "asks a person",
    "concord audit results/m --replies replies.jsonl": "asks a person",
    "concord audit my-run --hints --n 60": "asks a person",
    "concord audit my-run --n 50 --page": "needs a run of yours",
    "concord audit my-run --verdicts verdicts.json": "needs the verdicts of a person",
    "concord score reasoning --samples samples.json --replies replies.jsonl --reader "
    "judge:openai/gpt-4o-mini": "asks a model",
    "inspect eval concord/structure --model mockllm/model --limit 4": "Inspect downloads an encoding to "
    "count the tokens of its mock",
}
"""Lines that are not run, each with the reason."""

_STEP = re.compile(r"^(?P<command>[^#]*?)\s*(?:#\s*exit (?P<code>\d).*|#.*)?$")


@contextmanager
def swept() -> Iterator[None]:
    """What a model's client leaves for the garbage collector, or warns of, is no affair of a page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
        gc.collect()
        gc.freeze()


class Reader(BaseHTTPRequestHandler):
    """An OpenAI-compatible server that answers as the prompt asks, and always alike."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": _reply(body["messages"][-1]["content"])}
        document = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _reply(prompt: Any) -> str:
    """What the server says: a diagnosis to a vignette, letters and numbers where they are asked for."""
    text = prompt if isinstance(prompt, str) else prompt[-1]["text"]
    if "DIAGNOSIS" in text:
        return "REASONING: It fits.\nDIAGNOSIS: Panic Disorder"
    asked = re.findall(r"^\((one letter|a (?:whole )?number)", text, re.MULTILINE)
    answers = ["A" if kind == "one letter" else str(3 + len(text) % 3) for kind in asked]
    numbered = [f"{i}. {answer}" for i, answer in enumerate(answers, 1)]
    return "\n".join(numbered) if len(answers) > 1 else "".join(answers) if answers else "A"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Shell:
    """What the commands of one page share: servers, processes in the background, addresses."""

    def __init__(self, folder: Path, shared: Path) -> None:
        self.folder = folder
        self.shared = shared
        self.background: list[subprocess.Popen[bytes]] = []
        self.server: ThreadingHTTPServer | None = None
        self.addresses: dict[str, str] = {}

    def __enter__(self) -> "Shell":
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.background):
            process.terminate()
            process.wait(timeout=30)
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def run(self, text: str) -> str:
        """Run a block; what it prints on standard output, and on both where a command should fail."""
        lines = text.replace("\\\n", " ").splitlines()
        return "".join(self._line(line) for line in lines if line.strip())

    def _line(self, line: str) -> str:
        step = _STEP.match(line.strip())
        assert step is not None, f"cannot read {line!r}"
        expected = int(step["code"] or 0)
        return "".join(self._command(part.strip(), expected) for part in step["command"].split("&&") if part)

    def _command(self, command: str, expected: int) -> str:
        """Run one command in the way that fits it."""
        if any(re.fullmatch(known, command) for known in NOT_RUN):
            return ""
        words = [found for word in shlex.split(self._here(command)) for found in _expanded(word)]
        if words[0] == "dask" and words[-1] == "&":
            self._start(words[:-1])
            return ""
        assert words[0] in ("concord", "inspect"), f"nothing runs {command!r}; NOT_RUN needs a reason"
        if words[:2] == ["concord", "demo"]:
            return self._demo(words[2:])
        result = self._invoke(words)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == expected, f"{command!r} exits with {result.exit_code}\n{result.output}"
        return str(result.output if expected else result.stdout)

    def _demo(self, words: list[str]) -> str:
        """Run the demo once for all pages that show it; each finds its files where it says."""
        out = Path(words[words.index("--out") + 1]) if "--out" in words else Path("concord-demo")
        options = [word for word in words if word == "--json"]
        assert set(words) <= {*options, "--recorded", "--out", str(out)}, f"a demo of another kind: {words}"
        kept, printed = (self.shared / f"demo{''.join(options)}{end}" for end in ("", ".txt"))
        if not printed.exists():
            result = CliRunner().invoke(app, ["demo", *options, "--out", str(kept)], prog_name="concord")
            assert result.exit_code == 0, result.output
            printed.write_text(result.stdout, "utf-8")
        shutil.copytree(kept, out)
        return printed.read_text("utf-8")

    def _here(self, command: str) -> str:
        """Exchange the addresses of the pages for those of this machine."""
        if "8786" in command and not self.addresses:
            port = _free_port()
            self.addresses |= {"127.0.0.1:8786": f"127.0.0.1:{port}", "--port 8786": f"--port {port}"}
        for written, real in self.addresses.items():
            command = command.replace(written, real)
        return command.replace("127.0.0.1:8000", self._server()) if "127.0.0.1:8000" in command else command

    def _server(self) -> str:
        """Return the address of a model's server, which is started when it is first needed."""
        if self.server is None:
            self.server = ThreadingHTTPServer(("127.0.0.1", 0), Reader)
            threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"127.0.0.1:{self.server.server_address[1]}"

    def _environment(self) -> dict[str, str]:
        asked = {"OPENAI_API_KEY": "of-the-tests", "OPENAI_BASE_URL": f"http://{self._server()}/v1"}
        home = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / ".data")}
        return {**os.environ, **home, **asked, "NO_COLOR": "1", "INSPECT_DISPLAY": "none"}

    def _invoke(self, words: list[str]) -> Any:
        """Run a command of Concord or Inspect in this process."""
        if words[0] == "concord" and (words[1] != "run" or {"--dry-run", "--help"} & set(words)):
            return CliRunner().invoke(app, words[1:], prog_name="concord")
        with swept():
            if words[0] == "concord":
                return CliRunner().invoke(app, words[1:], prog_name="concord", env=self._environment())
            from inspect_ai._cli.main import inspect
            from inspect_ai.model._model import _models

            _models.clear()  # of an earlier page, whose server is gone: asked for ever
            return ClickRunner().invoke(inspect, words[1:], env=self._environment())

    def _start(self, words: list[str]) -> None:
        log = (self.folder / "background.log").open("ab")
        program = [sys.executable, "-m", "dask", *words[1:]]
        with log:
            process = subprocess.Popen(program, env=self._environment(), stdout=log, stderr=log)
        self.background.append(process)


def _expanded(word: str) -> Iterator[str]:
    """Return the files that a pattern names."""
    found = sorted(map(str, Path().glob(word))) if "*" in word else [word]
    assert found, f"no file fits {word!r}"
    yield from found
