"""`concord audit`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from concord.cli.options import JsonAlone as JSON
from concord.cli.options import Level
from concord.cli.shared import note, print_json, say, show_result

if TYPE_CHECKING:
    from concord.audit.estimate import AuditItem, AuditKind


def audit(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder of results that come from replies, or of a run.", show_default=False),
    ],
    n: Annotated[int, typer.Option(help="Replies to look at.")] = 50,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
    replies: Annotated[
        list[Path] | None, typer.Option(help="File that holds the replies, where the folder does not.")
    ] = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Audit how verbalised hints were detected, in a run with hints.")
    ] = False,
    page: Annotated[
        bool, typer.Option("--page", help="Write a page with a form instead of asking here.")
    ] = False,
    verdicts: Annotated[
        Path | None, typer.Option(help="Verdicts that the page saved; nothing is asked.")
    ] = None,
    level: Level = 0.95,
    json: JSON = False,
) -> None:
    """Check by hand how replies were read: error rates by how and by group, and corrected numbers."""
    from concord.audit.estimate import audit_result
    from concord.audit.items import (
        HINTS,
        detected_hints,
        open_folder,
        read_verdicts,
        sampled,
        store_audit,
        write_page,
    )
    from concord.files.output import below
    from concord.numeric import LEVEL

    LEVEL.check("level", level)
    if hints:
        model, every = detected_hints(folder)
        kind, place, drawn = HINTS, folder, sampled(every, n, seed)
    else:
        opened = open_folder(folder)
        model, every, kind, place = opened.model, list(opened.items), opened.kind, opened.place
        drawn = sampled(every, n, seed)
        if verdicts is None:
            drawn = opened.with_replies(drawn, replies or ())
    if page:
        target = below(place, "audit") / f"{kind.question}.html"
        write_page(target, model, kind, drawn)
        note(f"written to {target}")
        return
    kept = below(place, "audit")
    path = kept / f"{kind.question}_verdicts.json"
    said = _asked(kind, drawn, path) if verdicts is None else read_verdicts(verdicts, kind.question)
    result = audit_result(model, kind, every, said, level=level)
    result.write(kept)
    store_audit(place, result)
    if json:
        print_json(result.to_dict())
    else:
        show_result(result)
    note(f"the audit is in {kept}" + (f", verdicts in {path}" if verdicts is None else ""))


def _asked(kind: "AuditKind", drawn: "Sequence[AuditItem]", path: Path) -> dict[str, str]:
    """Show each reply and ask; every verdict is stored at once, and a second call goes on."""
    from concord.audit.estimate import OTHER
    from concord.audit.items import read_verdicts, write_verdicts

    said = read_verdicts(path, kind.question) if path.is_file() else {}
    for number, item in enumerate(drawn, start=1):
        if item.key in said:
            continue
        words = {word[0]: value for value, word in kind.choices_of(item)}
        shown = ", ".join(f"{word[0]} = {word}" for _, word in kind.choices_of(item))
        say(f"\n{number} of {len(drawn)}, {item.group}\n{item.reply}\n\nRead as: {item.read}")
        answer = typer.prompt(f"{shown}, s = skip, q = stop", default="s").strip().lower()[:1]
        if answer == "q":
            break
        if answer in words:
            verdict = words[answer]
            said[item.key] = verdict + typer.prompt("The answer").strip() if verdict == OTHER else verdict
            write_verdicts(path, kind.question, said)
    return said
