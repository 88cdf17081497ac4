"""An OpenAI-compatible server on 127.0.0.1 that misbehaves on purpose, as the prompt asks it to."""

import gzip
import json
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.asking.serving import serving


def completion(text: Any, finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def refused(words: str) -> dict[str, Any]:
    document = completion(None)
    document["choices"][0]["message"]["refusal"] = words
    return document


@cache
def bomb() -> bytes:
    """A few kilobytes that are 16 MiB unpacked, and some more."""
    return gzip.compress(b'{"choices": "' + b"x" * (16 * 2**20))


TEXT = "REASONING: It fits.\nDIAGNOSIS: Panic Disorder"
GOOD = completion(TEXT)


class Handler(BaseHTTPRequestHandler):
    """Reads `fault=NAME` in the prompt and does that; counts calls by prompt."""

    protocol_version = "HTTP/1.1"
    server: "FaultyServer"
    max_tokens = 0

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with self.server.lock:
            self.server.calls[prompt] += 1
            nth = self.server.calls[prompt]
        self.max_tokens = int(body.get("max_tokens") or 0)
        found = re.search(r"fault=([\w-]+)", prompt)
        fault = found.group(1) if found else self.server.every
        self.server.faults[fault] += 1
        if self.server.dies_after is not None and sum(self.server.calls.values()) > self.server.dies_after:
            self.drop()
            return
        FAULTS[fault](self, nth)

    def answer(self, document: Any, status: int = 200, **headers: str) -> None:
        self.raw(json.dumps(document).encode(), status, **headers)

    def raw(self, data: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def error(self, status: int, code: str, message: str = "no", **headers: str) -> None:
        error = {"message": message, "type": "invalid_request_error", "code": code}
        self.answer({"error": error}, status, **headers)

    def drop(self) -> None:
        self.close_connection = True
        self.connection.close()

    def slow(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        data = json.dumps(GOOD).encode()
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:10])
        self.wfile.flush()
        time.sleep(8)
        self.drop()

    def echo_key(self) -> None:
        self.error(500, "server_error", f"I do not like {self.headers['Authorization']}")


def once(fault: Callable[[Handler], None]) -> Callable[[Handler, int], None]:
    return lambda handler, nth: fault(handler) if nth == 1 else handler.answer(GOOD)


def thought(reply: str, **message: Any) -> dict[str, Any]:
    document = completion(reply)
    document["choices"][0]["message"].update(message)
    return document


def with_logprobs(held: Any) -> bytes:
    document = completion(TEXT)
    document["choices"][0]["logprobs"] = held
    return json.dumps(document).encode()


def cut_short(handler: "Handler") -> None:
    """An answer of HTTP/1.0 without a length, of which the end is missing."""
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n")
    handler.wfile.write(json.dumps(GOOD).encode()[:90])
    handler.drop()


ODD: dict[str, Any] = {
    "content": [{"token": "A", "logprob": float("-inf"), "bytes": None, "top_logprobs": []}],
    "refusal": None,
}
FAULTS: dict[str, Callable[[Handler, int], None]] = {
    "none": lambda h, n: h.answer(GOOD),
    "429-once": once(lambda h: h.error(429, "rate_limit_exceeded")),
    "429-once-retry-after": once(lambda h: h.error(429, "rate_limit_exceeded", Retry_After="1")),
    "429-always": lambda h, n: h.error(429, "rate_limit_exceeded"),
    "500-once": once(lambda h: h.error(500, "server_error")),
    "503-always": lambda h, n: h.error(503, "server_error"),
    "slow": lambda h, n: h.slow(),
    "dropped-once": once(lambda h: h.drop()),
    "dropped-always": lambda h, n: h.drop(),
    "malformed": lambda h, n: h.raw(b'{"choices": [{"mess'),
    "not-an-object": lambda h, n: h.answer("hello"),
    "wrong-type": lambda h, n: h.raw(b"<html>Welcome to the hotel WLAN</html>", kind="text/html"),
    "empty-choices": lambda h, n: h.answer({**GOOD, "choices": []}),
    "no-text": lambda h, n: h.answer(completion(None)),
    "filter": lambda h, n: h.answer(completion("", "content_filter")),
    "filter-400": lambda h, n: h.error(400, "content_filter", "content management policy"),
    "overflow": lambda h, n: h.error(400, "context_length_exceeded", "maximum context length is 10 tokens"),
    "length-below-99": lambda h, n: h.answer(
        completion("REASONING: It is", "length") if h.max_tokens < 99 else GOOD
    ),
    "length": lambda h, n: h.answer(completion("REASONING: It is", "length")),
    "echo-key": lambda h, n: h.echo_key(),
    "filter-echo-key": lambda h, n: h.error(400, "content_filter", f"filtered {h.headers['Authorization']}"),
    "vllm-overflow": lambda h, n: h.error(
        400, "400", "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
    ),
    "llama-overflow": lambda h, n: h.error(
        400, "400", "the request exceeds the available context size, try increasing it"
    ),
    "payload-413": lambda h, n: h.error(413, "too_large", "the prompt is too long for this model"),
    "bad-request": lambda h, n: h.error(400, "bad", "the field foo is not what we like"),
    "unprocessable": lambda h, n: h.error(422, "bad", "the temperature is not ours"),
    "forbidden": lambda h, n: h.error(403, "forbidden", "your region may not"),
    "fastapi-422": lambda h, n: h.answer(
        {"detail": [{"loc": ["body", "seed"], "msg": "field not permitted", "type": "value_error"}]}, 422
    ),
    "tgi-422": lambda h, n: h.answer({"error": "the model is not loaded", "error_type": "overloaded"}, 422),
    "tgi-overflow": lambda h, n: h.answer(
        {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048"}, 422
    ),
    "kv-overflow": lambda h, n: h.error(
        500, "500", "Input prompt is too big compared to KV size. Please try increasing KV size."
    ),
    "model-length-overflow": lambda h, n: h.error(
        400, "400", "The decoder prompt (length 9000) is longer than the maximum model length of 4096."
    ),
    "usage-details": lambda h, n: h.answer(
        {
            **GOOD,
            "usage": {
                **GOOD["usage"],
                "prompt_tokens_details": "x",
                "completion_tokens_details": {"reasoning_tokens": "y"},
            },
        }
    ),
    "usage-null": lambda h, n: h.answer({**GOOD, "usage": None}),
    "usage-text": lambda h, n: h.answer({**GOOD, "usage": {**GOOD["usage"], "prompt_tokens": "seven"}}),
    "usage-float": lambda h, n: h.answer({**GOOD, "usage": {**GOOD["usage"], "completion_tokens": 3.5}}),
    "usage-negative": lambda h, n: h.answer({**GOOD, "usage": {**GOOD["usage"], "completion_tokens": -3}}),
    "content-parts": lambda h, n: h.answer(completion([{"type": "text", "text": TEXT}])),
    "refusal-field": lambda h, n: h.answer(refused("I cannot help with that.")),
    "long": lambda h, n: h.answer(completion("x" * 1_000_001)),
    "gzip-bomb": lambda h, n: h.raw(bomb(), Content_Encoding="gzip"),
    "redirect": lambda h, n: h.raw(b"", 307, Location="http://localhost:9/v1/chat/completions"),
    "no-such-model": lambda h, n: h.error(404, "model_not_found", "the model does not exist"),
    "echo-header": lambda h, n: h.answer(
        GOOD, x_request_id=h.headers["Authorization"].removeprefix("Bearer ")
    ),
    "echo-reply": lambda h, n: h.answer(completion(f"{TEXT}. You are {h.headers['Authorization']}!")),
    "hang": lambda h, n: time.sleep(90),
    "five-silent": lambda h, n: h.answer({**completion("ANSWER: 5"), "usage": None}),
    "five": lambda h, n: h.answer(completion("ANSWER: 5")),
    "error-in-200": lambda h, n: h.answer({"error": {"message": "no such thing", "code": 400}}),
    "busy-in-200-once": once(lambda h: h.answer({"error": {"message": "slow down", "code": 429}})),
    "finish-error": lambda h, n: h.answer(completion("ANSW", "error")),
    "finish-abort-once": once(lambda h: h.answer(completion("ANSW", "abort"))),
    "finish-MAX_TOKENS": lambda h, n: h.answer(completion("REASONING: It is", "MAX_TOKENS")),
    "thinking-alone": lambda h, n: h.answer(thought("", reasoning_content="It may be panic.")),
    "thinking-unclosed": lambda h, n: h.answer(completion("<think>DIAGNOSIS: Panic Disorder, or")),
    "thinking-in-tags-alone": lambda h, n: h.answer(completion("<think>Panic.</think>")),
    "model-null": lambda h, n: h.answer({**GOOD, "model": None}),
    "model-absent": lambda h, n: h.answer({key: held for key, held in GOOD.items() if key != "model"}),
    "logprobs-infinite": lambda h, n: h.raw(with_logprobs(ODD)),
    "logprobs-odd": lambda h, n: h.raw(with_logprobs("none of that")),
    "409-once": once(lambda h: h.error(409, "conflict")),
    "202-once": once(lambda h: h.raw(b"", 202)),
    "cut-short-once": once(cut_short),
    "gemini-overflow": lambda h, n: h.error(
        400, "400", "The input token count (9000) exceeds the maximum number of tokens allowed (8192)."
    ),
    "tgi-short-overflow": lambda h, n: h.answer(
        {"error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"}, 422
    ),
    "no-money": lambda h, n: h.error(402, "payment", "pay first"),
    "no-quota": lambda h, n: h.error(429, "insufficient_quota", "You exceeded your current quota"),
    "wrong-key": lambda h, n: h.error(401, "invalid_api_key", f"bad key {h.headers['Authorization']}"),
}


STATUSES = (
    *(400, 403, 404, 405, 406, 408, 409, 410, 411, 413, 415, 418, 422, 423, 424, 425, 429, 431, 451),
    *(500, 501, 502, 503, 504, 507, 508, 520, 522, 524, 529),
)
BODIES = {
    "object": b'{"error": {"message": "not today", "type": "some", "code": "c"}}',
    "text": b"not today",
    "page": b"<html><body><h1>not today</h1></body></html>",
    "nothing": b"",
}
ODD_ANSWERS: dict[str, bytes] = {
    "null": b"null",
    "list": b"[]",
    "number": b"0",
    "text": b'"no"',
    "empty object": b"{}",
    "blank": b"  \n",
    "nothing": b"",
    "choices null": json.dumps({**GOOD, "choices": None}).encode(),
    "choices of null": json.dumps({**GOOD, "choices": [None]}).encode(),
    "choices of nothing": json.dumps({**GOOD, "choices": [{}]}).encode(),
    "choices as object": json.dumps({**GOOD, "choices": GOOD["choices"][0]}).encode(),
    "message null": json.dumps({**GOOD, "choices": [{**GOOD["choices"][0], "message": None}]}).encode(),
    "message empty": json.dumps({**GOOD, "choices": [{**GOOD["choices"][0], "message": {}}]}).encode(),
    "content number": json.dumps(completion(7)).encode(),
    "content object": json.dumps(completion({"text": TEXT})).encode(),
    "content list of null": json.dumps(completion([None])).encode(),
    "content empty list": json.dumps(completion([])).encode(),
    "content blank": json.dumps(completion(" \n ")).encode(),
    "finish null": json.dumps(completion(TEXT, None)).encode(),  # type: ignore[arg-type]
    "finish number": json.dumps(completion(TEXT, 3)).encode(),  # type: ignore[arg-type]
    "finish unknown": json.dumps(completion(TEXT, "eos")).encode(),
    "id absent": json.dumps({key: held for key, held in GOOD.items() if key != "id"}).encode(),
    "created text": json.dumps({**GOOD, "created": "now"}).encode(),
    "object other": json.dumps({**GOOD, "object": "thing"}).encode(),
    "more fields": json.dumps({**GOOD, "extra": [{"deep": [1]}]}).encode(),
    "several choices": json.dumps({**GOOD, "choices": GOOD["choices"] * 3}).encode(),
    "usage list": json.dumps({**GOOD, "usage": [1]}).encode(),
    "usage empty": json.dumps({**GOOD, "usage": {}}).encode(),
    "usage huge": json.dumps({**GOOD, "usage": {**GOOD["usage"], "prompt_tokens": 10**30}}).encode(),
    "usage NaN": json.dumps({**GOOD, "usage": {**GOOD["usage"], "total_tokens": math.nan}}).encode(),
    "byte mark": b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
    "latin-1": json.dumps(completion(f"{TEXT} é"), ensure_ascii=False).encode("latin-1"),
    "utf-16": json.dumps(GOOD).encode("utf-16"),
    "two documents": json.dumps(GOOD).encode() * 2,
    "rubbish behind": json.dumps(GOOD).encode() + b"\n<!-- ok -->",
    "deep": b"[" * 5000 + b"]" * 5000,
    "lone surrogate": json.dumps(completion(f"{TEXT} \ud800")).encode(),
    "zero bytes": json.dumps(completion(f"{TEXT} \x00")).encode(),
    "stream": b"data: " + json.dumps(GOOD).encode() + b"\n\ndata: [DONE]\n\n",
    "error null": json.dumps({**GOOD, "error": None}).encode(),
    "error beside a reply": json.dumps({**GOOD, "error": {"message": "slow"}}).encode(),
    "error as text": b'{"error": "no such thing"}',
    "error as list": b'{"error": ["no", "such"]}',
    "detail alone": b'{"detail": "not found"}',
}


def _answers(status: int, body: bytes) -> Callable[[Handler, int], None]:
    return lambda handler, nth: handler.raw(body, status)


GRID = {
    **{
        f"http-{status}-{name}": _answers(status, body)
        for status in STATUSES
        for name, body in BODIES.items()
    },
    **{f"odd-{name.replace(' ', '-')}": _answers(200, body) for name, body in ODD_ANSWERS.items()},
}
"""More faults, in a grid: every status with every kind of body, and odd answers that call themselves good."""
FAULTS |= GRID


class FaultyServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, dies_after: int | None = None, every: str = "none") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.calls: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.dies_after, self.every = dies_after, every

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that hangs up is what is being tested

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


def faulty_server(dies_after: int | None = None, every: str = "none") -> AbstractContextManager[FaultyServer]:
    return serving(FaultyServer(dies_after, every))
