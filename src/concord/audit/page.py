"""A page with the sampled replies and a form; what is chosen is saved as a file of verdicts."""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from concord.audit.items import AuditItem, AuditKind
from concord.audit.verdicts import KIND
from concord.files.documents import heading

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "pre{white-space:pre-wrap;background:#8881;padding:.8rem;border-radius:4px}fieldset{border:0;padding:0}"
    "label{margin-right:1.2rem}article{border-top:1px solid #8886;margin-top:1.5rem}button{font:inherit}"
)
_SCRIPT = """
const head = JSON.parse(document.getElementById("head").textContent);
document.getElementById("save").addEventListener("click", () => {
  const verdicts = {};
  for (const one of document.querySelectorAll("input:checked")) verdicts[one.name] = one.value;
  const file = new Blob([JSON.stringify({...head, verdicts}, null, 2)], {type: "application/json"});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "verdicts.json";
  link.click();
});
"""


def write_page(path: Path, model: str, kind: AuditKind, items: Sequence[AuditItem]) -> None:
    """Write the page; everything from replies is escaped, and nothing is loaded from elsewhere."""
    head = json.dumps({**heading(KIND), "question": kind.question}).replace("<", "\\\\u003c")
    body = "".join(_article(number, kind, item) for number, item in enumerate(items, start=1))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Audit</title>'
        f"<style>{_STYLE}</style></head><body><h1>Audit of {escape(model)}, {escape(kind.question)}</h1>"
        "<p>Read each reply, then say what it answers. Save, and give the file to "
        f"<code>concord audit {escape(kind.question)} RUN --verdicts verdicts.json</code>.</p>{body}"
        '<p><button id="save" type="button">Save the verdicts</button></p>'
        f'<script type="application/json" id="head">{head}</script><script>{_SCRIPT}</script>'
        "</body></html>\n",
        encoding="utf-8",
    )


def _article(number: int, kind: AuditKind, item: AuditItem) -> str:
    choices = "".join(
        f'<label><input type="radio" name="{escape(item.key)}" value="{value}"> {escape(word)}</label>'
        for value, word in kind.choices
    )
    return (
        f"<article><h2>{number}. {escape(item.group)}</h2><pre>{escape(item.reply)}</pre>"
        f"<p>Read as: {escape(item.read)}</p>"
        f"<fieldset><legend>In truth the answer is</legend>{choices}</fieldset></article>"
    )
