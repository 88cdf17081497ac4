"""An OpenAI-compatible server on 127.0.0.1 whose replies are a function of the prompt."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.asking.faulty_server import completion
from tests.asking.serving import serving


class ScriptedServer(ThreadingHTTPServer):
    """Counts its calls."""

    daemon_threads = True
    n_calls = 0

    def __init__(self, script: Callable[[str], str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.n_calls += 1
        data = json.dumps(completion(self.server.script(str(body["messages"][-1]["content"])))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def scripted_server(script: Callable[[str], str]) -> AbstractContextManager[ScriptedServer]:
    """Serve until the block ends."""
    return serving(ScriptedServer(script))
