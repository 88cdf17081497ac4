"""The server of the view: 127.0.0.1 only, a token in every address, nothing outside one folder."""

import hmac
import secrets
import threading
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from concord.asking.folder import RECORD
from concord.asking.replies import CORRECTIONS, LONGEST, Correction, read_corrections, write_correction
from concord.errors import InputError, MissingExtraError
from concord.view import pages
from concord.view.folders import LiveRuns, RunStates, found_folders, with_headlines
from concord.view.replies import KeptRuns, transcripts

LONGEST_PATH = 1000


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def own_host(host: str | None, port: int) -> bool:
    """Whether a request names this server, so that no page elsewhere can reach it by a name of its own."""
    return host in (f"127.0.0.1:{port}", f"localhost:{port}")


def own_origin(origin: str | None, port: int) -> bool:
    """Whether something is sent by a page of this server."""
    return origin in (f"http://127.0.0.1:{port}", f"http://localhost:{port}")


def below(root: Path, name: str) -> Path | None:
    """Return a path below a folder; None for one that leads out of it, by dots or by a link."""
    if len(name) > LONGEST_PATH or "\x00" in name:
        return None
    path = (root / name).resolve()
    return path if path.is_relative_to(root.resolve()) else None


if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    Handler = Callable[[Request], Awaitable[Response]]
    Look = Callable[[Request], Response]

HEADERS = {
    "Content-Security-Policy": pages.POLICY,
    "X-Content-Type-Options": "nosniff",
    # with no-referrer a browser sends the origin "null", and no correction would be kept
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
COUNT = 50
_LARGEST_FORM = 200_000
_LONGEST_TITLE = 200
_DIGITS = 9
"""Digits of a place in a list at most."""


def make_app(root: Path, token: str, port: int) -> "Starlette":
    """Return the application that shows a folder."""
    try:
        from starlette.applications import Starlette
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtraError("the view", "view") from error
    app = _App(root, token, port)
    shown = {
        "/": app.front,
        "/run": app.run_page,
        "/feed": app.feed,
        "/replies": app.replies,
    }
    looks = {path: app.beside(one) for path, one in shown.items()}
    routes = [Route(f"/{{token}}{path}", app.guarded(one), methods=["GET"]) for path, one in looks.items()]
    page = Route("/{token}/page", app.guarded(app.beside(app.report, alone=False)), methods=["GET"])
    correct = Route("/{token}/correct", app.guarded(app.correct), methods=["POST"])
    return Starlette(routes=[*routes, page, correct])


def _html(text: str) -> "Response":
    from starlette.responses import HTMLResponse

    return HTMLResponse(text, headers=HEADERS)


def _nothing() -> "Response":
    from starlette.responses import PlainTextResponse

    return PlainTextResponse("nothing here", 404, HEADERS)


@dataclass(frozen=True)
class _App:
    """What is shown at each address."""

    root: Path
    token: str
    port: int
    kept: KeptRuns = field(default_factory=KeptRuns)
    looking: threading.Lock = field(default_factory=threading.Lock)
    """Held while what is known of runs is read or added to."""

    @cached_property
    def live(self) -> LiveRuns:
        """Runs that are watched."""
        return LiveRuns(self.kept)

    @cached_property
    def states(self) -> RunStates:
        """How far all runs are."""
        return RunStates(self.kept)

    @property
    def base(self) -> str:
        """Where every address begins."""
        return f"/{self.token}"

    def guarded(self, show: "Handler") -> "Handler":
        """Answer only the holder of the token who names this host."""

        async def answer(request: "Request") -> "Response":
            host, given = request.headers.get("host"), str(request.path_params["token"])
            if not own_host(host, self.port) or not hmac.compare_digest(
                given.encode("utf-8", "replace"), self.token.encode()
            ):
                return _nothing()
            try:
                return await show(request)
            except (InputError, OSError, UnicodeError, RecursionError, MemoryError) as fault:
                said = str(fault) if str(fault) else type(fault).__name__
                return _html(pages.page("Not readable", f"<p>{escape(said)}</p>"))

        return answer

    def beside(self, show: "Look", *, alone: bool = True) -> "Handler":
        """Read in a thread: a first look at a long run takes seconds, and others are answered meanwhile."""

        async def answer(request: "Request") -> "Response":
            from starlette.concurrency import run_in_threadpool

            return await run_in_threadpool(self._look, show, request, alone)

        return answer

    def _look(self, show: "Look", request: "Request", alone: bool) -> "Response":
        with self.looking if alone else nullcontext():
            return show(request)

    def _folder(self, name: str) -> Path | None:
        path = below(self.root, name)
        return None if path is None or not (path / RECORD).is_file() else path

    def front(self, request: "Request") -> "Response":
        """Show runs and results."""
        from concord import reports

        runs, results = found_folders(self.root, reports.result_files(), self.states)
        panels = reports.PANELS
        known = with_headlines(self.root, results, panels, reports.SECTIONS)
        return _html(pages.front(self.base, str(self.root), runs, known))

    def run_page(self, request: "Request") -> "Response":
        """Show a run."""
        name = request.query_params.get("of", "")
        path = self._folder(name)
        return _nothing() if path is None else _html(pages.run_page(self.base, self.states.of(path, name)))

    def feed(self, request: "Request") -> "Response":
        """Return how far a run is."""
        from starlette.responses import JSONResponse

        name = request.query_params.get("of", "")
        path = self._folder(name)
        return _nothing() if path is None else JSONResponse(self.live.feed(name, path), headers=HEADERS)

    def replies(self, request: "Request") -> "Response":
        """Show replies with their prompts."""
        name, outcome, words, given = (
            request.query_params.get(key, "") for key in ("of", "outcome", "words", "start")
        )
        path = self._folder(name)
        if path is None:
            return _nothing()
        start = int(given) if given.isdecimal() and len(given) <= _DIGITS else 0
        run = self.kept.run(path)
        shown = transcripts(run, outcome=outcome, words=words, start=start, count=COUNT)
        kept = read_corrections(path / CORRECTIONS) if (path / CORRECTIONS).exists() else {}
        return _html(
            pages.replies_page(
                self.base, name, shown, kept, outcome=outcome, words=words, start=start, count=COUNT
            )
        )

    async def correct(self, request: "Request") -> "Response":
        """Keep what a person reads in a reply."""
        from starlette.responses import RedirectResponse

        if not own_origin(request.headers.get("origin"), self.port):
            return _nothing()
        body = await request.body()
        if len(body) > _LARGEST_FORM:
            return _nothing()
        sent = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        form = {key: values[0] for key, values in sent.items()}
        path, one = self._folder(form.get("of", "")), correction_of(form)
        if path is None or one is None:
            return _nothing()
        write_correction(path / CORRECTIONS, one)
        looked_at = {key: form[key] for key in ("of", "outcome", "words", "start") if form.get(key)}
        place = f"{urlencode(looked_at)}#{pages.anchor_of(*one.place)}"
        return RedirectResponse(f"{self.base}/replies?{place}", 303, HEADERS)

    def report(self, request: "Request") -> "Response":
        """Show results on one page."""
        from starlette.responses import HTMLResponse

        from concord import reports

        named = [below(self.root, name) for name in request.query_params.getlist("of")]
        folders = [path for path in named if path is not None and path.is_dir()]
        if not folders:
            return _nothing()
        title = request.query_params.get("title", "").strip()[:_LONGEST_TITLE] or "Concord report"
        made = reports.page(folders, title=title)
        # the page brings its own policy, by hashes, in its head
        headers = {key: value for key, value in HEADERS.items() if "Policy" not in key}
        if request.query_params.get("save"):
            headers["Content-Disposition"] = 'attachment; filename="concord-report.html"'
        return HTMLResponse(made.html, headers=headers)


def correction_of(form: dict[str, str]) -> Correction | None:
    """Return the correction that a form holds; None where it holds none."""
    repeat = form.get("repeat", "")
    if (
        not form.get("id")
        or not repeat.isdecimal()
        or len(repeat) > _DIGITS
        or any(len(text) > LONGEST for text in form.values())
    ):
        return None
    return Correction(form["id"], form.get("mode", ""), int(repeat), form.get("read_as", "").strip())


def serve(root: Path, *, port: int, token: str) -> None:
    """Serve until Ctrl-C."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("the view", "view") from error
    uvicorn.run(
        make_app(root, token, port), host="127.0.0.1", port=port, log_level="warning", access_log=False
    )
