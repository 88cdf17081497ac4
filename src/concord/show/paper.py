"""A table for a paper: LaTeX, Markdown and Word."""

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from concord.errors import OptionError
from concord.files.output import write_bytes
from concord.show.svg import visible

_DATE = (1980, 1, 1, 0, 0, 0)
"""Of every file inside a Word document, so that the same numbers give the same bytes."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table with its caption and the note below it."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def to_markdown(self) -> str:
        """Return the table in Markdown, numbers at the right."""
        head = "| " + " | ".join(marked(one) for one in self.columns) + " |"
        line = "|" + "|".join([" --- ", *([" ---: "] * (len(self.columns) - 1))]) + "|"
        body = ["| " + " | ".join(marked(cell) for cell in row) + " |" for row in self.rows]
        note = ["", f"*Note.* {marked(self.note)}"] if self.note else []
        return "\n".join([f"**{marked(self.caption)}**", "", head, line, *body, *note]) + "\n"

    def to_latex(self) -> str:
        """Return the table in LaTeX, with the rules of the package `booktabs`."""
        kinds = "l" + "r" * (len(self.columns) - 1)
        end = r" \\"
        note = rf"\par\smallskip\footnotesize\textit{{Note.}} {_tex(self.note)}"
        lines = [
            r"\begin{table}", r"\centering", rf"\caption{{{_tex(self.caption)}}}",
            rf"\begin{{tabular}}{{{kinds}}}", r"\toprule",
            " & ".join(map(_tex, self.columns)) + end, r"\midrule",
            *(" & ".join(map(_tex, row)) + end for row in self.rows),
            r"\bottomrule", r"\end{tabular}", *([note] if self.note else []), r"\end{table}",
        ]  # fmt: skip
        return "\n".join(lines) + "\n"

    def to_docx(self, path: str | Path) -> Path:
        """Write the table as a Word document, in the form of APA: lines above, below and under the heads."""
        file = Path(path)
        if file.suffix != ".docx":
            raise OptionError(f"{file.name!r} does not end in .docx")
        write_bytes(file, _docx(_word_table_part(self)))
        return file

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def __str__(self) -> str:
        return self.to_markdown()


def marked(text: str) -> str:
    """Take what means something to Markdown out of the way."""
    return re.sub(r"([\\|*_`<>])", r"\\\1", _with_minus(text))


def _with_minus(text: str) -> str:
    """Put text into one line, a minus for a hyphen before a number."""
    return re.sub(r"(?<![\w.])-(?=\d)", "−", " ".join(visible(text).split()))


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "Δ": r"$\Delta$", "τ": r"$\tau$", "–": "--", "−": "$-$", "±": r"$\pm$",
}  # fmt: skip


def _tex(text: str) -> str:
    """Take what means something to LaTeX out of the way."""
    return "".join(_TEX.get(c, c) for c in _with_minus(text))


def write_word(path: Path, parts: Sequence["str | PaperTable"]) -> None:
    """Write paragraphs, headings that begin with ``#``, and tables as a Word document."""
    write_bytes(path, _docx("".join(_word_part(one) for one in parts)))


def _word_part(one: "str | PaperTable") -> str:
    """Return a part of a document; words between double stars before a paragraph are bold there."""
    if isinstance(one, PaperTable):
        return _word_table_part(one)
    if one.startswith("# "):
        return _paragraph(one[2:], look='<w:b/><w:sz w:val="28"/>')
    first, _, rest = one.removeprefix("**").partition("** ")
    return _paragraph(rest, before=first, bold=True) if one.startswith("**") else _paragraph(one)


def _word_table_part(table: PaperTable) -> str:
    note = _paragraph(f" {table.note}", before="Note.") if table.note else ""
    return _paragraph(table.caption, look="<w:i/>") + _word_table(table) + note


def _docx(body: str) -> bytes:
    """Make the smallest document that Word opens."""
    space = "http://schemas.openxmlformats.org"
    types = (
        f'<Types xmlns="{space}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.document.main+xml"/></Types>'
    )
    links = (
        f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{space}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
        "</Relationships>"
    )
    text = (
        f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body>{body}<w:sectPr/></w:body>'
        "</w:document>"
    )
    parts = {"[Content_Types].xml": types, "_rels/.rels": links, "word/document.xml": text}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            whole = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' + part
            archive.writestr(zipfile.ZipInfo(name, _DATE), whole)
    return made.getvalue()


def _paragraph(
    text: str, *, look: str = "", right: bool = False, before: str = "", bold: bool = False
) -> str:
    """Return a paragraph of Word; what is before it is in italics, or bold."""
    place = '<w:pPr><w:jc w:val="right"/></w:pPr>' if right else ""
    shown = f" {_with_minus(text)}" if before else _with_minus(text)
    inside = f'<w:t xml:space="preserve">{escape(shown)}</w:t>'
    first = (
        f"<w:r><w:rPr><w:{'b' if bold else 'i'}/></w:rPr><w:t>{escape(before)}</w:t></w:r>" if before else ""
    )
    return f"<w:p>{place}{first}<w:r><w:rPr>{look}</w:rPr>{inside}</w:r></w:p>"


TEXT_WIDTH = 9026
"""Room between the margins of a page of A4, in twentieths of a point."""
_CHARACTER, _MARGINS = 145, 230
"""Room for a character of 11 points in a broad font, and what a cell keeps free at its sides."""


def _column_widths(table: PaperTable) -> list[int]:
    """Return the room of each column: numbers and their heads in one line, the rest for the names of rows."""
    columns = list(zip(table.columns, *table.rows, strict=True))
    longest = [max(len(_with_minus(text)) for text in column) for column in columns]
    needed = [_CHARACTER * one + _MARGINS for one in longest]
    rest = TEXT_WIDTH - sum(needed[1:])
    if rest >= min(needed[0], TEXT_WIDTH // 4):
        return [min(needed[0], rest), *needed[1:]]
    return [TEXT_WIDTH * one // sum(needed) for one in needed]


def _word_table(table: PaperTable) -> str:
    edge = 'w:val="single" w:sz="8" w:space="0" w:color="000000"'
    borders = f"<w:tblBorders><w:top {edge}/><w:bottom {edge}/></w:tblBorders>"
    under = f"<w:tcBorders><w:bottom {edge}/></w:tcBorders>"
    wide = _column_widths(table)
    grid = "".join(f'<w:gridCol w:w="{one}"/>' for one in wide)
    rows = _word_row(table.columns, wide, under, "<w:b/>", head=True)
    rows += "".join(_word_row(row, wide, "", "") for row in table.rows)
    size = f'<w:tblW w:w="{sum(wide)}" w:type="dxa"/>'
    fixed = '<w:tblLayout w:type="fixed"/>'
    return f"<w:tbl><w:tblPr>{size}{borders}{fixed}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>"


def _word_row(cells: Sequence[str], wide: Sequence[int], edge: str, look: str, *, head: bool = False) -> str:
    """Return a row; that of the heads is repeated on every page."""
    made = (
        f'<w:tc><w:tcPr><w:tcW w:w="{wide[j]}" w:type="dxa"/>{edge}</w:tcPr>'
        f"{_paragraph(cell, look=look, right=j > 0)}</w:tc>"
        for j, cell in enumerate(cells)
    )
    kept = "<w:trPr><w:cantSplit/>" + ("<w:tblHeader/>" if head else "") + "</w:trPr>"
    return f"<w:tr>{kept}{''.join(made)}</w:tr>"
