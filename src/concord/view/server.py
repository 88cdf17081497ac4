"""The server of the view: 127.0.0.1 only, a token in every address, nothing outside one folder."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from concord.asking.corrections import CORRECTIONS, LONGEST, Correction, read_corrections, write_correction
from concord.errors import InputError, MissingExtraError
from concord.view import pages
from concord.view.folders import found_folders, state_of, transcripts
from concord.view.guard import below, own_host, own_origin, same_token
from concord.view.live import LiveRuns

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HEADERS = {
    "Content-Security-Policy": pages.POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
COUNT = 50
_LARGEST_FORM = 200_000


def make_app(root: Path, token: str, port: int) -> "Starlette":
    """Return the application that shows a folder.

    Parameters
    ----------
    root
        The folder; nothing outside it is ever read or written.
    token
        The first part of every address.
    port
        Where the server listens: requests that name another host are refused.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtraError("the view", "view") from error

    base = f"/{token}"
    seen = LiveRuns()

    def nothing() -> "Response":
        return PlainTextResponse("nothing here", 404, HEADERS)

    def allowed(request: "Request") -> bool:
        return own_host(request.headers.get("host"), port) and same_token(request.path_params["token"], token)

    def folder(request: "Request") -> tuple[str, Path] | None:
        name = request.query_params.get("of", "")
        path = below(root, name)
        return None if path is None or not (path / "run.json").is_file() else (name, path)

    def guarded(show: Any) -> Any:
        async def answer(request: "Request") -> "Response":
            if not allowed(request):
                return nothing()
            try:
                found: Response = await show(request)
            except InputError as fault:
                return HTMLResponse(pages.page("Not readable", f"<p>{escape(str(fault))}</p>"), 200, HEADERS)
            return found

        return answer

    async def front(request: "Request") -> "Response":
        runs, results = found_folders(root)
        return HTMLResponse(pages.front(base, str(root), runs, results), headers=HEADERS)

    async def run(request: "Request") -> "Response":
        found = folder(request)
        if found is None:
            return nothing()
        return HTMLResponse(pages.run_page(base, state_of(found[1], found[0])), headers=HEADERS)

    async def feed(request: "Request") -> "Response":
        found = folder(request)
        return nothing() if found is None else JSONResponse(seen.feed(*found), headers=HEADERS)

    async def replies(request: "Request") -> "Response":
        found = folder(request)
        if found is None:
            return nothing()
        name, path = found
        outcome, words = (request.query_params.get(key, "") for key in ("outcome", "words"))
        given = request.query_params.get("start", "0")
        start = int(given) if given.isdecimal() and len(given) < 10 else 0  # noqa: PLR2004
        shown = transcripts(path, outcome=outcome, words=words, start=start, count=COUNT)
        kept = read_corrections(path / CORRECTIONS) if (path / CORRECTIONS).exists() else {}
        text = pages.replies_page(
            base, name, shown, kept, outcome=outcome, words=words, start=start, count=COUNT
        )
        return HTMLResponse(text, headers=HEADERS)

    async def correct(request: "Request") -> "Response":
        if not own_origin(request.headers.get("origin"), port):
            return nothing()
        body = await request.body()
        if len(body) > _LARGEST_FORM:
            return nothing()
        form = {key: values[0] for key, values in parse_qs(body.decode("utf-8", "replace"), True).items()}
        path = below(root, form.get("of", ""))
        one = correction_of(form)
        if path is None or not (path / "run.json").is_file() or one is None:
            return nothing()
        write_correction(path / CORRECTIONS, one)
        return RedirectResponse(f"{base}/replies?of={quote(form['of'])}", 303, HEADERS)

    async def report(request: "Request") -> "Response":
        from concord import questions

        named = [below(root, name) for name in request.query_params.getlist("of")]
        folders = [path for path in named if path is not None and path.is_dir()]
        if not folders:
            return nothing()
        made = questions.page(folders, title="Concord")
        # the page brings its own policy, by hashes, in its head
        return HTMLResponse(made.html, headers={k: v for k, v in HEADERS.items() if "Policy" not in k})

    shown = {"/": front, "/run": run, "/feed": feed, "/replies": replies, "/page": report}
    routes = [Route(f"/{{token}}{path}", guarded(one), methods=["GET"]) for path, one in shown.items()]
    return Starlette(routes=[*routes, Route("/{token}/correct", guarded(correct), methods=["POST"])])


def correction_of(form: dict[str, str]) -> Correction | None:
    """Return the correction that a form holds; None where it holds none."""
    repeat = form.get("repeat", "")
    if not form.get("id") or not repeat.isdecimal() or any(len(text) > LONGEST for text in form.values()):
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
