"""A server on 127.0.0.1 with OpenAI's endpoints of files and batches, which can cut its caller off."""

import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.asking.faulty_server import completion
from tests.asking.serving import serving

Replies = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]
STEPS = ("upload", "create", "created", "look", "read", "end")
"""Where a caller may be killed: before a file is kept, before and after a batch is made of it, when it is
looked at, before and after its results are read."""


def usual(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Answer every request with the same diagnosis."""
    return 200, completion("REASONING: It fits.\nDIAGNOSIS: Panic Disorder")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "BatchServer"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _send(self, document: Any, status: int = 200) -> None:
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/files"):
            self.server.reach("upload")
            name = self.server.name("file")
            self.server.files[name] = re.search(rb"\r\n\r\n(\{.*\}\n)\r\n--", data, re.DOTALL)[1]  # type: ignore[index]
            self._send({"id": name, "object": "file", "bytes": 1, "created_at": 0, "filename": "f"})
        elif self.path.endswith("/batches"):
            self.server.reach("create")
            made = self.server.make(json.loads(data))
            self.server.reach("created")
            self._send(made)
        else:
            self.server.direct += 1
            self._send(completion("asked one by one"))

    def do_GET(self) -> None:
        parts = self.path.split("?")[0].split("/")
        if parts[-1] == "batches":
            held = list(reversed(self.server.batches.values()))
            self._send({"object": "list", "data": held, "has_more": False})
        elif parts[-2] == "batches":
            self.server.reach("look")
            found = self.server.look(parts[-1])
            self._send(
                found if found is not None else {"error": {"message": "none such"}}, 200 if found else 404
            )
        else:
            self.server.reach("read")
            self._send(self.server.files[parts[-2]])
            self.server.reach("end")


class BatchServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, replies: Replies, looks: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies, self.looks = replies, looks
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.looked: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        """How often each request was paid for."""
        self.direct = 0
        self.reached: Counter[str] = Counter()
        self.at: dict[str, Callable[[], None]] = {}
        """What happens when a step is first reached."""
        self._kill: tuple[int, Callable[[], None]] | None = None
        self._numbers, self._lock = itertools.count(1), threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that was killed hangs up

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def name(self, kind: str) -> str:
        return f"{kind}-{next(self._numbers)}"

    def reach(self, step: str) -> None:
        with self._lock:
            self.reached[step] += 1
            act = self.at.pop(step, None)
            if self._kill is not None and self.reached.total() >= self._kill[0]:
                act, self._kill = self._kill[1], None
        if act is not None:
            act()

    def kill_after(self, events: int, kill: Callable[[], None]) -> None:
        """Kill a caller when so many steps were reached in all."""
        with self._lock:
            self._kill = events, kill

    def make(self, body: dict[str, Any]) -> dict[str, Any]:
        batch = {
            "id": self.name("batch"),
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "status": "in_progress",
            "created_at": int(time.time()),
            "metadata": body["metadata"],
        }
        self.batches[batch["id"]] = batch
        return batch

    def look(self, name: str) -> dict[str, Any] | None:
        with self._lock:
            batch = self.batches.get(name)
            self.looked[name] += 1
            if batch is not None and self.looked[name] == self.looks:
                self._answer(batch)
            return batch

    def _answer(self, batch: dict[str, Any]) -> None:
        lines = []
        for line in self.files[batch["input_file_id"]].splitlines():
            row = json.loads(line)
            self.asked[row["custom_id"]] += 1
            status, body = self.replies(row["body"])
            response = {"status_code": status, "request_id": f"req-{row['custom_id'][:6]}", "body": body}
            lines.append(json.dumps({"custom_id": row["custom_id"], "response": response, "error": None}))
        output = self.name("file")
        self.files[output] = "\n".join(lines).encode()
        batch.update(status="completed", output_file_id=output)


def batch_server(replies: Replies = usual, looks: int = 2) -> AbstractContextManager[BatchServer]:
    return serving(BatchServer(replies, looks))
