"""`concord audit`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from concord.cli.options import JsonAlone as JSON
from concord.cli.options import Level
from concord.cli.shared import note, print_json, show_result
from concord.errors import printable_lines

if TYPE_CHECKING:
    from concord.audit.estimate import AuditItem, AuditKind

RUN = Annotated[Path, typer.Argument(help="Folder that `concord run` wrote.")]
SIZE = Annotated[int, typer.Option(help="Replies to look at.")]
SEED = Annotated[int, typer.Option(help="Seed of the sample.")]
PAGE = Annotated[bool, typer.Option("--page", help="Write a page with a form instead of asking here.")]
GIVEN = Annotated[Path | None, typer.Option(help="Verdicts that the page saved; nothing is asked.")]


def reasoning(
    source: RUN,
    n: SIZE = 50,
    seed: SEED = 0,
    page: PAGE = False,
    verdicts: GIVEN = None,
    level: Level = 0.95,
    json: JSON = False,
) -> None:
    """Check by hand how answers were read: error rate by mode, and the gap corrected by it."""
    from concord.audit.items import REASONING

    _audit(REASONING, source, n, seed, page=page, given=verdicts, level=level, json=json)


def people(
    source: RUN,
    n: SIZE = 50,
    seed: SEED = 0,
    page: PAGE = False,
    verdicts: GIVEN = None,
    level: Level = 0.95,
    json: JSON = False,
) -> None:
    """Check by hand how participants' answers were read: error rate by condition."""
    from concord.audit.items import PEOPLE

    _audit(PEOPLE, source, n, seed, page=page, given=verdicts, level=level, json=json)


def hints(
    source: RUN,
    n: SIZE = 50,
    seed: SEED = 0,
    page: PAGE = False,
    verdicts: GIVEN = None,
    level: Level = 0.95,
    json: JSON = False,
) -> None:
    """Check by hand how verbalised hints were detected: error rate by detector and place."""
    from concord.audit.items import HINTS

    _audit(HINTS, source, n, seed, page=page, given=verdicts, level=level, json=json)


def _audit(
    kind: "AuditKind",
    source: Path,
    n: int,
    seed: int,
    *,
    page: bool,
    given: Path | None,
    level: float,
    json: bool,
) -> None:
    from concord.audit.estimate import audit_result
    from concord.audit.items import items_of, read_verdicts, sampled, write_page

    model, items = items_of(source, kind)
    drawn = sampled(items, n, seed)
    if page:
        target = source / "audit" / f"{kind.question}.html"
        write_page(target, model, kind, drawn)
        note(f"written to {target}")
        return
    path = source / "audit" / f"{kind.question}_verdicts.json"
    said = _asked(kind, drawn, path) if given is None else read_verdicts(given, kind.question)
    result = audit_result(model, kind, items, said, level=level)
    result.write(source / "audit")
    if json:
        print_json(result.to_dict())
    else:
        show_result(result)
    note(f"the audit is in {source / 'audit'}" + (f", verdicts in {path}" if given is None else ""))


def _asked(kind: "AuditKind", drawn: "Sequence[AuditItem]", path: Path) -> dict[str, str]:
    """Show each reply and ask; every verdict is stored at once, and a second call goes on."""
    from concord.audit.items import read_verdicts, write_verdicts

    said = read_verdicts(path, kind.question) if path.is_file() else {}
    words = {word[0]: value for value, word in kind.choices}
    shown = ", ".join(f"{word[0]} = {word}" for _, word in kind.choices)
    for number, item in enumerate(drawn, start=1):
        if item.key in said:
            continue
        typer.echo(
            printable_lines(f"\n{number} of {len(drawn)}, {item.group}\n{item.reply}\n\nRead as: {item.read}")
        )
        answer = typer.prompt(f"{shown}, s = skip, q = stop", default="s").strip().lower()[:1]
        if answer == "q":
            break
        if answer in words:
            said[item.key] = words[answer]
            write_verdicts(path, kind.question, said)
    return said
