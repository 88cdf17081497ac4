"""From folders to one HTML file."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, InputError, OptionError, UndefinedError, printable
from concord.files.kept_replies import KeptReply
from concord.files.output import distinct_names
from concord.kinds import Kind
from concord.number_words import p_words, printed
from concord.show import plots
from concord.show.page.content import Compare, Content, fill_sections
from concord.show.page.context import context, read_compared, said_levels
from concord.show.page.data import (
    BUDGET,
    Texts,
    by_columns,
    data_block,
    data_blocks,
    packed,
    plain_document,
    policy,
)
from concord.show.page.declared import all_pictures, script_tables
from concord.show.page.find import REPLY_COLUMNS, find_replies, find_results
from concord.show.page.fragments import breakable
from concord.show.page.panel import PageData, Panel, ShownModel
from concord.show.page.values import COMPARISON, FoundResults, Problem, ReplyTable, ResultFile
from concord.show.plot_effects import FOREST
from concord.show.plot_standing import ranking_picture
from concord.show.svg import COLOURS, HATCH, Picture, roots, style, visible
from concord.version import __version__
from concord.words import say

if TYPE_CHECKING:
    from collections.abc import Callable


MOST_OPEN = 4
"""Models of a question up to which all of their panels are in the page as they are."""
WAITING = "This model is shown by the page's own script, which is not running."


@dataclass(slots=True)
class Shelf:
    """Markup of panels under numbers.

    A page of 57 models has 711 figures and tables of which 20 are seen at once; the rest would be parsed
    before anything can be used, and is nine tenths of the file. What lies here was made by the same templates
    as the rest of the page, every text in it escaped.
    """

    kept: list[str] = field(default_factory=list)
    _packed: tuple[str, str] | None = None

    def inside(self, i: int, n: int, caller: "Callable[[], str]") -> str:
        """Return what a panel holds, or where there are many panels and it is not the first, its number."""
        from markupsafe import Markup

        made = caller()
        if i == 0 or n <= MOST_OPEN:
            return made
        self.kept.append(str(made))
        return Markup('<p class="soft" data-stored="{}">{}</p>').format(len(self.kept) - 1, WAITING)

    @property
    def block(self) -> str:
        """Content of the page's element that holds the panels; to be asked for after all of them."""
        return self._blocks()[0]

    @property
    def encoding(self) -> str:
        """How the block is written."""
        return self._blocks()[1]

    def _blocks(self) -> tuple[str, str]:
        if self._packed is None:
            self._packed = data_block({"panels": self.kept})
        return self._packed


MOST_WORK = 1_000_000
"""Pairs of models times tests up to which they are compared for the page: about a second."""


def read_content(
    folders: Sequence[Path],
    panels: Sequence[Panel],
    *,
    compare: Compare,
    names: Mapping[Path, str] = MappingProxyType({}),
    sections: Sequence[type[Kind]] = (),
) -> Content:
    """Read everything below the folders."""
    known = {panel.name: panel.kind for panel in panels} | {one.SECTION: one for one in sections}
    found = find_results(folders, known, names)
    refuse_mixed(found, panels)
    problems = list(found.problems)
    views: dict[str, tuple[Any, ...]] = {}
    for panel in panels:
        read = [panel.read(source) for source in found.of(panel.name)]
        views[panel.name] = tuple(sorted((view for some, _ in read for view in some), key=panel.order))
        problems += [problem for _, faults in read for problem in faults]
    beside = {panel.name for panel in panels if panel.has_replies}
    replies = find_replies(folders, [source for source in found.sources if source.kind in beside])
    comparisons, unread = _read_comparisons(found.of(COMPARISON))
    problems += unread
    kinds = {source.result.kind for source in comparisons}
    for panel in panels:
        made, told = ([], []) if panel.name in kinds else compare_views(views[panel.name], panel, compare)
        comparisons += made
        problems += told
    filled, faults = fill_sections(sections, found)
    return Content(
        tuple(panels),
        views,
        tuple(comparisons),
        replies,
        found.sources,
        (*problems, *replies.problems, *faults),
        tuple(filled),
    )


def compare_views(
    views: Sequence[ShownModel], panel: Panel, compare: Compare
) -> tuple[list[ResultFile], list[Problem]]:
    """Compare models on the studies, items or vignettes they share, where that takes seconds at most."""
    # At the level of their own intervals, the highest where results differ in it.
    kept = {
        view.label: view.source.file.parent for view in views if view.source.file is not None and view.n_units
    }
    folders = list(dict.fromkeys(kept.values()))
    labels = [view.label for view in views]
    work = len(kept) * (len(kept) - 1) // 2 * max((view.n_units for view in views), default=0)
    if len(kept) < 2 or len(set(labels)) < len(labels) or work > MOST_WORK:
        return [], []  # the leaderboard says how to make a comparison
    # A result about structure may hold several models: it names them itself.
    names = list(kept) if len(folders) == len(kept) else None
    found = (view.numbers[key].interval for view in views for key in panel.metrics)
    level = max((one.level for one in found if one is not None), default=None)
    try:
        result = compare(*folders, names=names, **({} if level is None else {"level": level}))
    except (InputError, UndefinedError) as fault:
        return [], [Problem("comparison of models", str(fault))]
    made = ResultFile(COMPARISON, None, result.to_dict(), "", "made with this page", result=result)
    return [made], []


def _read_comparisons(sources: Sequence[ResultFile]) -> tuple[list[ResultFile], list[Problem]]:
    """Read comparisons by their own readers; one that cannot be read is listed."""
    found, problems = [], []
    for source in sources:
        try:
            assert source.file is not None  # noqa: S101 - what was found lies in a folder
            found.append(replace(source, result=read_compared(source.file.parent, source.document)))
        except FileFormatError as fault:
            problems.append(Problem(source.shown, str(fault)))
    return found, problems


def refuse_mixed(found: FoundResults, panels: Sequence[Panel]) -> None:
    """Stop where numbers on one table would not mean the same."""
    for panel in panels:
        used: dict[str, list[str]] = {}
        for source in found.of(panel.name):
            made_under = source.facts.choices[panel.choice]
            used.setdefault(made_under if made_under else "not said", []).append(source.shown)
        if len(used) > 1:
            listed = "; ".join(f"{name}: {', '.join(files[:3])}" for name, files in used.items())
            raise OptionError(
                f"results were made under more than one {panel.choice}: {listed}. "
                f"They cannot be in one table; "
                f"score them again under one ({panel.again}), or make a page of each"
            )


TITLE = "Concord report"
BARE = (
    "article.panel[hidden]{display:block!important}"
    "main>section:not(#answer){content-visibility:visible!important}"
)
"""Style where scripts are switched off: every model is shown, since none can be chosen, and laid out."""


@dataclass(frozen=True, slots=True)
class Page:
    """A finished page, and what could not go into it."""

    html: str
    content: Content

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Files that could not be used, or only in part."""
        return self.content.problems

    def pictures(self, width: float = plots.WIDTH) -> Iterator[tuple[Path, Picture]]:
        """Return every picture with the folder it belongs in: question, model."""
        for panel in self.content.panels:
            views = self.content.of(panel.name)
            for view, folder in zip(views, distinct_names([view.label for view in views]), strict=True):
                for inside, picture in panel.pictures(view, width):
                    yield Path(panel.name) / folder / inside, picture
            for inside, picture in panel.pictures_together(views, width):
                yield Path(panel.name) / inside, picture
        for filled in self.content.sections:
            for picture in all_pictures(filled.records):
                yield Path(filled.kind.QUESTION) / filled.kind.SECTION, picture
        for i, compared in enumerate(self.content.compared, 1):
            ranking = ranking_picture(compared)
            if ranking is not None:
                yield Path("comparison") / f"ranking-{i}", ranking


def make_page(
    folders: Sequence[Path],
    panels: Sequence[Panel],
    *,
    compare: Compare,
    title: str = TITLE,
    notes: Sequence[str] = (),
    names: Mapping[Path, str] = MappingProxyType({}),
    sections: Sequence[type[Kind]] = (),
) -> Page:
    """Read the results in folders and make the page."""
    content = read_content(folders, panels, compare=compare, names=names, sections=sections)
    return Page(_render(content, title, notes), content)


def _asset(name: str) -> str:
    return resources.files("concord.show.page").joinpath("assets", name).read_text("utf-8")


def _render(content: Content, title: str, notes: Sequence[str]) -> str:
    """Make the page: everything but long texts first, then as much of those as the budget leaves room for."""
    from markupsafe import Markup, escape

    script, css, texts = page_script(), page_style(title), Texts()
    block, encoding = data_block(data(content, texts))
    documents = document_blocks(content)
    # A mark that no file can hold by chance or on purpose: it depends on all of them.
    mark = f"@{hashlib.sha256(block.encode('ascii', 'replace')).hexdigest()}@"
    given = {
        "bare": BARE,
        "hatch": HATCH,
        "shelf": Shelf(),
        "notes": [printable(line) for line in notes],
        "script": script,
        "css": css,
        "policy": policy(script, css, BARE),
        "data": block,
        "encoding": encoding,
        "documents": documents,
        "texts": Markup(f"{mark}texts"),
        "texts_encoding": Markup(f"{mark}encoding"),
        "said_of_texts": Markup(f"{mark}said"),
    }
    template = _environment().get_template("page.html")
    page = str(template.render(**context(content, title), **given, version=__version__))
    held, how, cap = texts.fitted(BUDGET - len(page.encode("utf-8")))
    said = str(escape(said_of_texts(content.replies, cap)))
    for name, text in (("texts", held), ("encoding", how), ("said", said)):
        page = page.replace(f"{mark}{name}", text)
    return page


SCRIPTS = (
    *("core", "data", "saving", "tables", "forest", "drawer"),
    *("studies", "figures", "search", "terms", "router", "start"),
)
"""Parts of the page's script, in the order they are put together."""


def page_script() -> str:
    """Return the one script of the page."""
    return "'use strict';\n(() => {\n" + "".join(_asset(f"{name}.js") for name in SCRIPTS) + "})();\n"


def page_style(title: str) -> str:
    """Return the style of the page: colours light and dark, and the running title of its print."""
    light, dark = roots()
    # every sign of the title but letters and digits is written as its number: none can end the string
    running = "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):06x}" for c in visible(title)[:120])
    css = _asset("page.css").replace("LIGHT", light).replace("DARK", dark)
    return css.replace("TITLE", f'"{running}"') + style()


def said_of_texts(found: ReplyTable, cap: int | None) -> str:
    """Say what of the replies is on the page, to how many characters each, and where the rest is."""
    named = found.files[:8] if found.n_left_out or cap is not None else ()
    many = found.n_found > len(found.rows) if found.n_left_out else False
    return say(
        "page.replies.shown",
        all=not many,
        k=len(found.rows),
        n=found.n_found,
        cut=None if cap is None else sum(reply.length > cap for _, reply in found.rows),
        cap=cap,
        files=", ".join(named) + (" …" if named and len(found.files) > 8 else ""),
    )


def _final(value: object) -> object:
    """Return what a template puts into the page."""
    if type(value) is str:
        return value if value.isprintable() else visible(value)
    return "" if value is None else value


@cache  # compiling the templates takes longer than filling them
def _environment() -> Any:
    """Templates that escape everything, and fail on a name they do not know."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FunctionLoader(_asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_final,
    )  # fmt: skip
    made.filters["breakable"] = breakable
    made.filters["short"] = plots.short
    made.filters["p_words"] = p_words
    made.filters["prose"] = printed
    made.filters["raw"] = Markup
    return made


def _reply_row(result: str, reply: KeptReply, texts: Texts) -> dict[str, Any]:
    """Return a reply as a row of the script's table, its long texts by their numbers."""
    held = {field.name: getattr(reply, field.name) for field in fields(reply)}
    for key in ("text", "prompt", "told"):
        held[key] = None if held[key] is None else texts.add(held[key])
    return {**held, "result": result}


def data(content: Content, texts: Texts) -> dict[str, Any]:
    """Return what the script works on: tables by name, and the number of result documents."""
    made = PageData(texts, content.sources, {}, {})
    for panel in content.panels:
        for i, view in enumerate(content.of(panel.name)):
            panel.fill(made, view, i)
    tables = made.tables
    for i, compared in enumerate(content.compared):
        tables |= script_tables(compared, i)
    if content.replies.rows:
        rows = [_reply_row(*row, texts) for row in content.replies.rows]
        tables["replies"] = {**packed(REPLY_COLUMNS, rows), "found": content.replies.of}
    return {
        "format": "concord page",
        "format_version": 3,
        "studies": made.studies,
        "style": style(COLOURS),
        "geometry": asdict(FOREST),
        "level": said_levels(content),
        "tables": tables,
        "documents": len(content.sources),
    }


def document_blocks(content: Content) -> list[tuple[str, str]]:
    """Return each result document for an element of its own: few of them are read before the download."""
    return data_blocks([
        {"file": source.shown, "model": source.model, "question": source.kind,
         "document": by_columns(plain_document(source.document))}
        for source in content.sources
    ])  # fmt: skip
