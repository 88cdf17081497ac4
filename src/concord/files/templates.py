"""Prompt templates: versioned text files beside the code of their question."""

import hashlib
from importlib import resources

from concord.records import Template


def read_template(question: str, name: str) -> Template:
    """Read a bundled template such as ``("reasoning", "cot.v1")``, with its hash.

    The file's last line feed is not part of the prompt.
    """
    data = resources.files("concord").joinpath(question, "prompts", f"{name}.txt").read_bytes()
    text = data.decode("utf-8").removesuffix("\n")
    return Template(f"{question}/{name}", text, hashlib.sha256(data).hexdigest())


def fill(template: Template, **parts: str) -> str:
    """Put parts into a template; a part's own braces stay as they are.

    Examples
    --------
    >>> fill(Template("t", "Explain {what}.", ""), what="{x}")
    'Explain {x}.'
    """
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
