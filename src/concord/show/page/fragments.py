"""Pieces of the page as HTML, every text escaped: what sections are made of."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape as plain_escape

from concord.number_words import bounds_text, interval, interval_words, number, typeset
from concord.records import Estimate
from concord.show.page.values import figure_rows
from concord.show.svg import Picture, visible

LONGEST_BROKEN = 120
"""Letters of a name beyond which it breaks anywhere."""
FOLDED_ROWS = 8
"""Rows from which a table of a section is folded."""
Cell = str | float | Estimate | None
"""A text, a number, a number with its interval, or nothing, which is shown as a dash."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a column."""

    title: str
    is_number: bool = True
    digits: int = 2
    ends: int = 2
    """Digits of the ends of intervals."""
    sign: bool = False
    form: Callable[[float], str] | None = None
    """How its numbers are written, where not with so many digits: counts, p-values."""


def fragment(*pieces: str) -> str:
    """Put pieces one after another."""
    from markupsafe import Markup

    return Markup("\n").join(pieces)


def breakable(text: str) -> str:
    """Return a name that may go on in the next line after each of its parts.

    >>> str(breakable("lab/model_a<b>"))
    'lab/<wbr>model_<wbr>a&lt;b&gt;'
    """
    from markupsafe import Markup, escape

    shown = visible(text)
    parts = re.split(r"(?<=[/_:])(?=.)", shown) if len(shown) <= LONGEST_BROKEN else [shown]
    return Markup("<wbr>").join(escape(part) for part in parts)


def paragraph(text: str, *, soft: bool = False) -> str:
    """Return a paragraph, a softer one for notes.

    >>> str(paragraph("a < b"))
    '<p>a &lt; b</p>'
    """
    from markupsafe import Markup

    return Markup('<p class="soft">{}</p>' if soft else "<p>{}</p>").format(visible(text))


BROAD_FIGURE = 600.0
"""Units of a drawing beyond which it takes the whole width of the page."""


def figure(picture: Picture, key: str, caption: str = "", *, wide: bool = False) -> str:
    """Return a picture with its title above and a caption below."""
    from markupsafe import Markup

    return Markup(
        '<figure{} data-figure="{}"{}><h5>{}</h5><div class="drawing">{}</div>'
        "<figcaption>{}</figcaption></figure>"
    ).format(
        Markup(' class="across"') if wide or picture.width > BROAD_FIGURE else "",
        picture.name,
        Markup(' data-rows="{}"').format(rows) if (rows := figure_rows(picture)) else "",
        visible(picture.title),
        Markup(picture.inline(key)),  # noqa: S704  drawn by us, every text in it escaped
        visible(caption),
    )


def figures(*made: str) -> str:
    """Put figures side by side where there is room."""
    from markupsafe import Markup

    return Markup('<div class="figures">{}</div>').format(Markup("").join(made))


def folded(summary: str, *pieces: str) -> str:
    """Return pieces that a reader unfolds."""
    from markupsafe import Markup

    return Markup("<details><summary>{}</summary>{}</details>").format(visible(summary), fragment(*pieces))


def scripted(name: str, caption: str, n: int) -> str:
    """Return the place of a table that the page's script shows when it is unfolded."""
    from markupsafe import Markup

    return Markup(
        '<details class="lazy" id="{0}"><summary>{1} ({2:,} rows)</summary><div class="dynamic" '
        'data-table="{0}" data-title="{1}"><p class="soft needs-script">This table is shown by the page\'s '
        "own script, which is not running.</p></div></details>"
    ).format(name, visible(caption), n)


def table(
    name: str, caption: str, columns: Sequence[Heading | str], rows: Iterable[Sequence[Cell]], *,
    sortable: bool = True,
) -> str:  # fmt: skip
    """Return a table; the first cell of a row names it."""
    from markupsafe import Markup

    heads = [Heading(one, is_number=False) if isinstance(one, str) else one for one in columns]
    listed = [list(row) for row in rows]
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(_num_class(one), visible(one.title)) for one in heads
    )
    body = Markup("\n").join(_table_row(heads, row) for row in listed)
    kind = "data sortable" if sortable and len(listed) > 1 else "data"
    tall = " tall" if len(listed) > 24 else ""
    made = Markup(
        '<div class="scroll{}" role="region" aria-label="{}" tabindex="0"><table class="{}" data-name="{}">'
        "<caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(tall, visible(caption), kind, name, visible(caption), head, body)
    return folded(f"{caption} ({len(listed)} rows)", made) if len(listed) > FOLDED_ROWS else made


def _num_class(head: Heading) -> str:
    from markupsafe import Markup

    return Markup(' class="num"') if head.is_number else Markup("")


def _table_row(heads: Sequence[Heading], row: Sequence[Cell]) -> str:
    from markupsafe import Markup

    first = Markup('<th scope="row"><bdi>{}</bdi></th>').format(_cell_text(row[0], heads[0]))
    rest = (_table_cell(value, head) for value, head in zip(row[1:], heads[1:], strict=True))
    return Markup("<tr>{}{}</tr>").format(first, Markup("").join(rest))


def _table_cell(value: Cell, head: Heading) -> str:
    from markupsafe import Markup

    if not head.is_number:
        return Markup("<td><bdi>{}</bdi></td>").format(_cell_text(value, head))
    if isinstance(value, Estimate):
        ends = "" if value.interval is None else interval(value.interval, head.ends, sign=head.sign)
        if value.bounds is not None:
            ends = f"{ends} {bounds_text(value.bounds, head.ends, sign=head.sign)}".strip()
        shown = Markup('<span class="ci">{}</span>').format(typeset(ends)) if ends else Markup("")
        return Markup('<td class="num" data-v="{}" title="{}"><span class="v">{}</span>{}</td>').format(
            "" if value.value is None else value.value, _behind(value), _cell_text(value.value, head), shown
        )
    return Markup('<td class="num" data-v="{}">{}</td>').format(
        "" if value is None else value, _cell_text(value, head)
    )


def _behind(value: Estimate) -> str:
    """Return what a number rests on, for whoever points at it: n, what was left out, how it was made."""
    left = f", {value.n_left_out:,} left out" if value.n_left_out else ""
    said = [f"n = {value.n:,}{left}"] if value.n or left else []
    method = value.method if value.interval is None else value.interval.method
    unread = ""
    if value.bounds is not None:
        unread = f"{value.bounds.n_unread:,} unread, at most {interval_words(value.bounds.interval, 3)}"
    return visible("; ".join([*said, *filter(None, (method, value.note, unread))]))


def _cell_text(value: Cell, head: Heading) -> str:
    if isinstance(value, Estimate):
        value = value.value
    if isinstance(value, str):
        return visible(value)
    if value is not None and head.form is not None:
        return typeset(head.form(value))
    return typeset(number(value, head.digits, sign=head.sign))


def marked_reply(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return a reply as HTML, escaped, with the places of its answers marked; what is no place marks nothing.

    >>> marked_reply("<b> A", [(4, 5), (9, 12)])
    '&lt;b&gt; <mark>A</mark>'
    """
    parts, at = [], 0
    for start, end in sorted(set(places)):
        if at <= start < end <= len(text):
            parts += [plain_escape(text[at:start]), f"<mark>{plain_escape(text[start:end])}</mark>"]
            at = end
    return "".join([*parts, plain_escape(text[at:])])
