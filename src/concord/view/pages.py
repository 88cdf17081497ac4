"""The pages of the view: plain HTML, every text escaped, one script that asks for the state of a run."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from urllib.parse import quote

from concord.asking.replies import CORRECTIONS, Correction
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
