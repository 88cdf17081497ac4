"""An OpenAI-compatible server on 127.0.0.1 whose replies are a function of what it is sent."""

import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.asking.faulty_server import completion
from tests.asking.serving import serving

Body = dict[str, Any]
Says = Callable[[Body], str | Body | tuple[int, str]]
"""A request to a reply, to a whole answer, or to a status and the words of an error."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "AnsweringServer"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
        said = self.server.says(body)
        status, document = 200, {}
        if isinstance(said, str | dict):
            document = completion(said) if isinstance(said, str) else said
        else:
            status, document = said[0], {"error": {"message": said[1], "type": "invalid_request_error"}}
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("x-request-id", f"req-{len(self.server.bodies)}")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class AnsweringServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, says: Says) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.says = threading.Lock(), says
        self.bodies: list[Body] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that was killed hangs up

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        """The last message of every call."""
        return [body["messages"][-1]["content"] for body in self.bodies]


def answering_server(says: Says) -> AbstractContextManager[AnsweringServer]:
    return serving(AnsweringServer(says))
