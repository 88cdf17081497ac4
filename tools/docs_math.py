"""Formulas of docstrings in the documentation site: LaTeX in reStructuredText to MathML, without any script.

`Formulas` is an extension of griffe: it writes the roles and directives of docstrings as Markdown.
`on_page_content` is a hook of mkdocs: it writes every formula of a page as MathML, which browsers show by
themselves, so that the site needs neither network nor JavaScript for it.
"""

import html
import re
from typing import Any

import griffe
from latex2mathml.converter import convert

_BLOCK = re.compile(
    r"^([ \t]*)\.\. math::[ \t]*(.*(?:\n\1[ \t]+\S.*|\n[ \t]*(?=\n\1[ \t]+\S))*)", re.MULTILINE
)
_ROLE = re.compile(r":math:`([^`]+)`")
_NAME = re.compile(r":(?:func|class|meth):`~?([^`]+)`")
_SHOWN = re.compile(r'<(div|span) class="arithmatex">\\([\[(])(.*?)\\[\])]</\1>', re.DOTALL)


class Formulas(griffe.Extension):
    """Write ``.. math::`` and ``:math:`` of docstrings as Markdown formulas."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of every object that griffe finds."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    r"""Write the formulas of a docstring as Markdown.

    Examples
    --------
    >>> as_markdown(":math:`n - 1` or\n\n.. math:: a\n    + b\n\nand so on")
    '\\(n - 1\\) or\n\n\\[a + b\\]\n\nand so on'
    """
    text = _BLOCK.sub(lambda found: f"{found[1]}\\[{' '.join(found[2].split())}\\]", text)
    text = _ROLE.sub(lambda found: f"\\({' '.join(found[1].split())}\\)", text)
    return _NAME.sub(r"`\1`", text)


def on_page_content(content: str, **_: Any) -> str:
    """Write the formulas of a page as MathML."""
    return _SHOWN.sub(_mathml, content)


def _mathml(found: re.Match[str]) -> str:
    """One formula, with its LaTeX beside it."""
    latex = html.unescape(found[3])
    shown = convert(latex, display="block" if found[2] == "[" else "inline")
    return shown.replace("<math ", f'<math alttext="{html.escape(latex)}" ', 1)
