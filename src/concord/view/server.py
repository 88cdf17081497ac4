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
from concord.view.folders import LiveRuns, RunStates, found_folders, with_headlines
from concord.view.replies import KeptRuns, transcripts

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    Handler = Callable[[Request], Awaitable[Response]]
    Look = Callable[[Request], Response]
import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from urllib.parse import quote

from concord.reading.records import ReadOutcome
from concord.records import AskOutcome
from concord.show.page.fragments import marked_reply
from concord.show.svg import roots
from concord.view.folders import FoundResult, FoundRun, cost_words
from concord.view.replies import Transcript


def _asset(name: str) -> str:
    return resources.files("concord.view").joinpath("assets", name).read_text("utf-8")


_LIGHT, _DARK = roots()
STYLE = _asset("view.css").replace("LIGHT", _LIGHT).replace("DARK", _DARK)
"""In the colours of the page of results."""
SCRIPT = _asset("view.js")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)}; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def page(title: str, body: str, *, place: str = "") -> str:
    """Return a whole page; below its bar is where one is."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        '<body><header class="bar"><p class="brand">Concord</p>'
        f'<nav aria-label="place">{place}</nav></header>'
        f"<main><h1>{escape(title)}</h1>{body}</main><script>{SCRIPT}</script></body></html>"
    )


def front(base: str, root: str, runs: Sequence[FoundRun], results: Sequence[FoundResult]) -> str:
    """Return the table of runs, and the results to tick: side by side on one page, or as a report to keep."""
    rows = "".join(_run_row(base, one) for one in runs)
    ticks = "".join(
        f'<tr><td><input type="checkbox" name="of" id="r{i}" value="{escape(one.name)}"></td>'
        f'<td><label for="r{i}">{escape(one.name)}</label>{_model_below(one)}</td>'
        f'<td class="found">{escape(one.said)}</td>'
        f'<td class="small about" title="{escape(", ".join(one.files))}">{escape(one.about)}</td>'
        f'<td class="n">{escape(one.changed)}</td></tr>'
        for i, one in enumerate(results)
    )
    none = '<p class="soft">No run is here yet: <code>concord run</code> begins one.</p>' if not runs else ""
    return page(
        "Runs and results",
        f'<section><h2>Runs</h2>{none}<table class="list"><thead><tr><th>run</th><th>model</th>'
        '<th>trials</th><th>answers</th><th class="n">cost</th><th>status</th>'
        '<th class="n">last reply (UTC)</th>'
        f'</tr></thead><tbody id="runs">{rows}</tbody></table></section>'
        f'<section><h2>Results</h2><form action="{base}/page" method="get"><table class="list"><thead><tr>'
        f"<th>tick</th><th>folder, model</th><th>found</th><th>about</th><th>written (UTC)</th></tr></thead>"
        f'<tbody id="results">{ticks}</tbody></table>'
        '<p><label>title of the page <input name="title" value="Concord report"></label> '
        '<button type="submit">Compare the ticked ones on one page</button> '
        '<button type="submit" name="save" value="report">Save them as a report</button></p></form>'
        "</section>",
        place=f'<span class="soft">{escape(root)}</span>',
    )


def _run_row(base: str, one: FoundRun) -> str:
    """Return one run of the list: what and whom, how far, what was read, what it cost, how it ended."""
    link = f'<a href="{base}/run?of={quote(one.name)}">{escape(one.name)}</a>'
    asked = " · ".join(part for part in (one.suite, one.over) if part)
    bar = f'<progress max="{max(one.n_planned, 1)}" value="{one.done}" aria-label="trials asked"></progress>'
    word, _, reason = (one.problem or one.status).partition(": ")
    kind = {"finished": "done", "running": "on"}.get(word, "off") if not one.problem else "off"
    told = "".join(f'<div class="small">{escape(words)}</div>' for words in (reason, *one.warnings) if words)
    return (
        f'<tr><td>{link}<div class="small">{escape(asked)}</div></td><td>{escape(one.model)}</td>'
        f'<td>{bar} <span class="whole">{one.done:,} of {one.n_planned:,}</span>'
        f"{_small(_lost_words(one))}</td><td>{_read_words(one)}</td>"
        f'<td class="n">{escape(cost_words(one.tokens, one.cost).removeprefix("cost "))}</td>'
        f'<td><span class="state {kind}">{escape(word)}</span>{told}</td>'
        f'<td class="n">{escape(one.changed)}</td></tr>'
    )


def _small(words: str) -> str:
    return f'<div class="small">{escape(words)}</div>' if words else ""


def _lost_words(one: FoundRun) -> str:
    """Return the trials that did not end well, counted."""
    return ", ".join(f"{n:,} {name}" for name, n in one.outcomes.items() if name != AskOutcome.OK)


def _read_words(one: FoundRun) -> str:
    """Return how many answers were read, and below it why others were not."""
    if not one.answers:
        return "–"
    read, total = one.answers.get(str(ReadOutcome.OK), 0), sum(one.answers.values())
    parts = [f"{n:,} {name}" for name, n in one.answers.items() if name != ReadOutcome.OK and n]
    parts += [f"{one.n_again:,} asked again"] if one.n_again else []
    unread = f", <strong>{total - read:,} unread</strong>" if read < total else ""
    return f"{read:,} read{unread}{_small(', '.join(parts))}"


def _model_below(one: FoundResult) -> str:
    """Return the model below the folder, unless the folder is called by it."""
    named = one.model.replace("/", "_") == one.name.rsplit("/", 1)[-1]
    return "" if not one.model or named else f'<div class="small">{escape(one.model)}</div>'


def run_page(base: str, run: FoundRun) -> str:
    """Return the page of a run that refreshes itself."""
    of = quote(run.name)
    links = "".join(
        f'<li><a href="{base}/replies?of={of}&amp;outcome={quote(name)}">{escape(name)}: {n}</a></li>'
        for name, n in run.outcomes.items()
    )
    return page(
        f"{run.suite} · {run.model}",
        f'<section><div id="live" data-feed="{base}/feed?of={of}"><p>'
        '<progress id="bar" aria-label="trials asked"></progress> '
        '<span id="counts" aria-live="polite"></span></p><h2>By condition</h2>'
        '<table><tbody id="groups"></tbody></table><section id="failed" hidden>'
        '<h2>Calls without a usable reply, the latest first</h2><pre id="latest"></pre></section>'
        '<section id="reading" hidden><h2>Refused and unreadable answers, the latest first</h2>'
        '<p id="readings" aria-live="polite"></p><pre id="misread"></pre></section></div></section>'
        f'<section><h2>Replies</h2><ul><li><a href="{base}/replies?of={of}">all</a></li>{links}</ul>'
        "</section>",
        place=f'<a href="{base}/">all runs</a> <span class="soft">{escape(run.name)}</span>',
    )


def replies_page(
    base: str,
    name: str,
    shown: Sequence[Transcript],
    corrections: Mapping[tuple[str, str, int], Correction],
    *,
    outcome: str,
    words: str,
    start: int,
    count: int,
) -> str:
    """Return replies with their prompts, and a box for what a person reads in each."""
    cases = "".join(
        _reply_case(
            base,
            {"of": name, "outcome": outcome, "words": words, "start": start},
            one,
            corrections.get((one.id, one.mode, one.repeat)),
        )
        for one in shown
    )
    more = (
        f'<p><a href="{base}/replies?of={quote(name)}&amp;outcome={quote(outcome)}&amp;words={quote(words)}'
        f'&amp;start={start + count}">next {count}</a></p>'
        if len(shown) == count
        else ""
    )
    search = (
        f'<form action="{base}/replies" method="get"><input type="hidden" name="of" value="{escape(name)}">'
        f'<label>words <input name="words" value="{escape(words)}"></label> '
        f'<label>outcome <select name="outcome">{_outcome_options(outcome)}</select></label> '
        "<button>search</button></form>"
    )
    place = f'<a href="{base}/">all runs</a> <a href="{base}/run?of={quote(name)}">{escape(name)}</a>'
    told = ""
    if corrections:
        n = len(corrections)
        told = (
            f"<p>{n} {'reply is' if n == 1 else 'replies are'} read otherwise; the score with "
            f"{'it' if n == 1 else 'them'}: <code>concord score run {escape(name)} --corrections "
            f"{escape(name)}/{CORRECTIONS}</code></p>"
        )
    none = "<p>No reply is like that.</p>"
    return page(f"Replies of {name}", told + search + (cases or none) + more, place=place)


def anchor_of(id: str, mode: str, repeat: int) -> str:
    """Return what names a reply within its page."""
    return "r" + hashlib.sha256(f"{id}\n{mode}\n{repeat}".encode("utf-8", "replace")).hexdigest()[:12]


def _reply_case(
    base: str, looked_at: Mapping[str, object], one: Transcript, correction: Correction | None
) -> str:
    """Return one reply with its prompt and its reading; a correction leads back to it."""
    read = "" if correction is None else correction.read_as
    named = {**looked_at, "id": one.id, "mode": one.mode, "repeat": one.repeat}
    hidden = "".join(
        f'<input type="hidden" name="{key}" value="{escape(str(value))}">' for key, value in named.items()
    )
    own = "" if correction is None else f'<p class="own">you: {escape(read)}</p>'
    return (
        f'<article id="{anchor_of(one.id, one.mode, one.repeat)}">'
        f"<h2>{escape(one.id)} · {escape(one.mode)} · {escape(one.outcome)}</h2>"
        f'<div class="trio"><div><h3>prompt</h3>{_prompt_parts(one.prompt)}</div>'
        f"<div><h3>reply</h3><pre>{marked_reply(one.reply, one.places)}</pre></div>"
        f"<div><h3>read as</h3><p>{escape(one.read) if one.read else '–'}</p>{own}</div></div>"
        f'<form action="{base}/correct" method="post">{hidden}<label>read otherwise, as '
        f'<input name="read_as" value="{escape(read)}"></label> <button>keep</button></form></article>'
    )


def _prompt_parts(prompt: str) -> str:
    """Return the question as it was asked, and what was said before it folded."""
    before, found, asked = prompt.partition("\n\n[user]\n")
    if not found:
        return f"<pre>{escape(prompt.removeprefix('[user]' + chr(10)))}</pre>"
    said = before.removeprefix("[system]\n")
    return (
        f"<details><summary>before it</summary><pre>{escape(said)}</pre></details><pre>{escape(asked)}</pre>"
    )


def _outcome_options(chosen: str) -> str:
    known = [str(one) for one in AskOutcome if one != AskOutcome.NOT_ASKED]
    return "".join(
        f'<option value="{escape(one)}"{" selected" if one == chosen else ""}>{escape(one) or "all"}</option>'
        for one in dict.fromkeys(["", *known, chosen])
    )


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


HEADERS = {
    "Content-Security-Policy": POLICY,
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
                return _html(page("Not readable", f"<p>{escape(said)}</p>"))

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
        return _html(front(self.base, str(self.root), runs, known))

    def run_page(self, request: "Request") -> "Response":
        """Show a run."""
        name = request.query_params.get("of", "")
        path = self._folder(name)
        return _nothing() if path is None else _html(run_page(self.base, self.states.of(path, name)))

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
            replies_page(self.base, name, shown, kept, outcome=outcome, words=words, start=start, count=COUNT)
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
        place = f"{urlencode(looked_at)}#{anchor_of(*one.place)}"
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
