"""Prompt templates: versioned text files next to the code of their question."""

import hashlib
import re
from importlib import resources

from concord.errors import OptionError, quoted
from concord.records import Template

_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
"""A name of a bundled template: nothing that leads to another folder."""


def template_names(question: str) -> tuple[str, ...]:
    """Return the names of a question's bundled templates."""
    folder = resources.files("concord").joinpath(question, "prompts")
    return tuple(sorted(file.name.removesuffix(".txt") for file in folder.iterdir()
                        if file.name.endswith(".txt")))  # fmt: skip


def read_template(question: str, name: str) -> Template:
    """Read a bundled template such as ``("reasoning", "cot.v1")``, with its hash."""
    # The file's last line feed is not part of the prompt.
    if not _NAME.fullmatch(name) or name not in template_names(question):
        raise OptionError(
            f"template {quoted(name)} is not known; expected one of {', '.join(template_names(question))}"
        )
    data = resources.files("concord").joinpath(question, "prompts", f"{name}.txt").read_bytes()
    text = data.decode("utf-8").removesuffix("\n")
    return Template(f"{question}/{name}", text, hashlib.sha256(data).hexdigest())


def fill(template: Template, **parts: str) -> str:
    """Put parts into a template; a part's own braces stay as they are."""
    pieces, rest = [], template.text
    while rest:
        places = {name: rest.find(f"{{{name}}}") for name in parts}
        found = {name: place for name, place in places.items() if place >= 0}
        if not found:
            break
        name = min(found, key=lambda one: found[one])
        pieces += [rest[: found[name]], parts[name]]
        rest = rest[found[name] + len(name) + 2 :]
    return "".join([*pieces, rest])
