"""Pieces of the page as HTML, every text escaped: what sections are made of."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as plain_escape

from concord.kinds import FilledTable
from concord.number_words import MINUS, interval_words, printed
from concord.records import Estimate
from concord.show.declared import grid_cells
from concord.show.page.values import figure_rows
from concord.show.svg import Picture, visible
from concord.words import sentence_of

LONGEST_BROKEN = 120
"""Letters of a name beyond which it breaks anywhere."""
LONG = 60
"""Letters of a cell from which it has a line of its own where numbers are set below their names."""
FOLDED_ROWS = 8
"""Rows from which a table of a section is folded."""


def fragment(*pieces: str) -> str:
    """Put pieces one after another."""
    from markupsafe import Markup

    return Markup("\n").join(pieces)


def breakable(text: str) -> str:
    """Return a name that may go on in the next line after each of its parts."""
    from markupsafe import Markup, escape

    shown = visible(text)
    parts = re.split(r"(?<=[/_:])(?=.)", shown) if len(shown) <= LONGEST_BROKEN else [shown]
    return Markup("<wbr>").join(parts) if len(parts) > 1 else escape(shown)


def paragraph(text: str, *, soft: bool = False) -> str:
    """Return a paragraph, a softer one for notes."""
    from markupsafe import Markup

    return Markup('<p class="soft">{}</p>' if soft else "<p>{}</p>").format(printed(visible(text)))


BROAD_FIGURE = 600.0
"""Units of a drawing beyond which it takes the whole width of the page."""


def figure(picture: Picture, key: str, caption: str = "", *, table: str = "") -> str:
    """Return a picture with its title above and its caption below, and where its table is, if it has one."""
    from markupsafe import Markup

    return Markup(
        '<figure{} data-figure="{}"{}><p class="figname">{}</p><div class="drawing">{}</div>'
        "<figcaption>{}{}</figcaption></figure>"
    ).format(
        Markup(' class="across"') if picture.width > BROAD_FIGURE else "",
        picture.name,
        Markup(' data-rows="{}"').format(rows) if (rows := figure_rows(picture)) else "",
        printed(visible(picture.title)),
        Markup(picture.inline(key)),  # noqa: S704  drawn by us, every text in it escaped
        printed(visible(caption)),
        Markup(' The numbers are in <a href="#{}">the table</a>.').format(table) if table else "",
    )


def panel_figures(
    drawn: Mapping[str, Picture], key: str, more: Mapping[str, str], tables: Mapping[str, str]
) -> dict[str, str]:
    """Return the pictures of a panel by name, with more in captions and the addresses of their tables."""
    return {
        name: figure(
            one, f"{key}-{name}", f"{one.caption} {more.get(name, '')}".strip(), table=tables.get(name, "")
        )
        for name, one in drawn.items()
    }


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


def note_list(told: Sequence[str]) -> list[str]:
    """Return notes below a result, a line each; one that warns begins as a sentence, not with a sign."""
    from markupsafe import Markup

    said = [sentence_of(line[2:]) if line.startswith("! ") else line.strip() for line in told if line]
    rows = Markup("").join(Markup("<li>{}</li>").format(printed(visible(one))) for one in said)
    return [Markup('<ul class="notes soft">{}</ul>').format(rows)] if said else []


def notes(told: Sequence[str]) -> list[str]:
    """Return what must be read with a table as one paragraph; nothing where there is nothing to say."""
    return [paragraph(" ".join(told), soft=True)] if told else []


WIDE = 8
"""Columns beyond which the heads of a table are broken into lines."""
FEW, WIDEST = 3, 110
"""Up to so many rows, heads of more letters in all are shown as a group of numbers per row."""


def table(
    name: str, caption: str, grid: FilledTable, *, whole: bool = False, told: Sequence[str] = ()
) -> str:
    """Return a table; the first cell of a row names it; a whole one can be searched and is not folded."""
    from markupsafe import Markup, escape

    heads = list(map(visible, grid.heads))
    sides = ["" if one.words or i == 0 else ' class="num"' for i, one in enumerate(grid.columns)]
    named = zip(sides, map(escape, heads), strict=True)
    head = "".join([f'<th scope="col"{side}>{said}</th>' for side, said in named])
    n = len(grid.rows)
    tiled = n <= FEW and sum(map(len, heads)) > WIDEST
    # the script names the cells of other tables, for narrow screens
    marks = [f' data-t="{plain_escape(said)}"' if tiled else "" for said in heads]
    # every text in it is escaped, cell by cell
    body = "\n".join(map(visible, _rows_html(grid, marks)))
    wide = len(grid.columns) > WIDE
    kind = f"data{' sortable' if n > 1 else ''}{' filterable' if whole and n > FOLDED_ROWS else ''}"
    kind = "data tiles" if tiled else f"{kind} crowded" if wide else kind
    title, tall = visible(escape(caption)), " tall" if n > 24 else ""
    made = (
        f'<div class="scroll{tall}" role="region" aria-label="{title}" tabindex="0">'
        f'<table class="{kind}" data-name="{escape(name)}"><caption>{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
    pieces = (Markup(made), *notes(told))  # noqa: S704  every text in it is escaped
    return folded(f"{caption} ({n} rows)", *pieces) if n > FOLDED_ROWS and not whole else fragment(*pieces)


def _rows_html(grid: FilledTable, marks: Sequence[str]) -> list[str]:
    """Return the rows of a table as HTML: what every surface shows, and what numbers are sorted by."""
    made = []
    for values, texts in zip(grid.values, grid_cells(grid), strict=True):
        cells: list[str] = []
        for column, mark, value, (text, beside) in zip(grid.columns, marks, values, texts, strict=True):
            bare = value.value if isinstance(value, Estimate) else value
            is_number = isinstance(bare, int | float) and not isinstance(bare, bool)
            shown = text.replace("-", MINUS) if is_number and not column.words else text
            if not cells:
                cells.append(f'<th scope="row"><bdi>{breakable(shown)}</bdi></th>')
                continue
            said = plain_escape(shown)
            if column.words:
                long = " long" if len(shown) > LONG else ""
                cells.append(f'<td class="words{long}"{mark}><bdi>{said}</bdi></td>')
            elif isinstance(value, Estimate):
                sort, why = "" if bare is None else bare, plain_escape(_behind(value))
                ends = plain_escape(" ".join(beside).replace("-", MINUS))
                ci = f'<span class="ci">{ends}</span>' if ends else ""
                place = f'<td class="num"{mark} data-v="{sort}" title="{why}">'
                cells.append(f'{place}<span class="v">{said}</span>{ci}</td>')
            else:
                sort = "" if value is None else value if is_number else plain_escape(text)
                cells.append(f'<td class="num"{mark} data-v="{sort}">{said}</td>')
        made.append(f"<tr>{''.join(cells)}</tr>")
    return made


def _behind(value: Estimate) -> str:
    """Return what a number rests on, for whoever points at it: n, what was left out, how it was made."""
    left = f", {value.n_left_out:,} left out" if value.n_left_out else ""
    said = [f"n = {value.n:,}{left}"] if value.n or left else []
    method = value.method if value.interval is None else value.interval.method
    unread = ""
    if value.bounds is not None:
        unread = f"{value.bounds.n_unread:,} unread, at most {interval_words(value.bounds.interval, 3)}"
    return "; ".join([*said, *filter(None, (method, value.note, unread))])


def marked_reply(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return a reply as HTML, escaped, the places of its answers marked; what is no place marks nothing."""
    parts, at = [], 0
    for start, end in sorted(set(places)):
        if at <= start < end <= len(text):
            parts += [plain_escape(text[at:start]), f"<mark>{plain_escape(text[start:end])}</mark>"]
            at = end
    return "".join([*parts, plain_escape(text[at:])])
