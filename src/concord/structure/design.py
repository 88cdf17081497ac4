"""What is asked about structure: every item under every arrangement, each as often as samples are wanted."""

from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

from concord.errors import OptionError, quoted_path
from concord.files.contents import is_file, read_bytes
from concord.files.gate import check_trials
from concord.files.templates import fill
from concord.numeric import gated
from concord.records import AnswerForm, Design, Message, Template, Trial
from concord.structure.arrangers import Arranger, get_arranger
from concord.structure.items import ITEMS, ArrangedItem, ItemSet, parse_items, template_of
from concord.structure.words.scorers import Asked, check_items, get_scorer, named_options, resolved

SETS = ("idioms-zh-hans", "idioms-zh-hant", "idioms-ja", "idioms-ko", "proverbs-en", "options-en")
"""Sets that come with Concord."""


@gated()
def design_structure(
    items: str | Path = "options-en",
    *,
    arranger: str | None = None,
    scorer: str | None = None,
    arrangements: int | None = None,
    limit: int | None = None,
    repeats: int = 1,
) -> Design:
    """Lay out every trial of the structure question."""
    data, name = _items_file(items)
    asked = parse_items(data, name)
    chosen = asked.arranger if arranger is None else arranger
    scored_by = resolved(asked.scorer if scorer is None else scorer)
    get_scorer(scored_by)
    template = template_of(asked)
    asks = _asks(chosen, scored_by)
    trials = tuple(
        _trials(asked, (chosen, get_arranger(chosen)), template, (limit, arrangements, repeats), asks)
    )
    if not trials:
        raise OptionError(f"{name}: the arranger {chosen!r} gives no arrangement for these items")
    check_items(scored_by, asked.items, chosen)
    options = (("items", name), ("arranger", chosen), ("scorer", scored_by), ("arrangements", arrangements))
    return Design("structure", trials, (template,), ((ITEMS, data),), options)


def _items_file(items: str | Path) -> tuple[bytes, str]:
    if str(items) in SETS:
        file = resources.files("concord").joinpath("structure", "data", f"{items}.json")
        return file.read_bytes(), f"{items}.json"
    path = Path(items)
    if not is_file(path):
        raise OptionError(
            f"--items {quoted_path(items)} is neither a file nor a bundled set ({', '.join(SETS)})"
        )
    return read_bytes(path), path.name


def _trials(
    asked: ItemSet,
    arranger: tuple[str, Arranger],
    template: Template,
    counts: tuple[int | None, int | None, int],
    asks: Callable[[ArrangedItem, str], tuple[AnswerForm, ...]],
) -> Iterator[Trial]:
    limit, arrangements, repeats = counts
    # Repeats share their words: a long run holds each prompt once.
    laid_out = [
        (
            *(item.id, name, (Message("user", fill(template, text=text)),)),
            *(_about(item, arranger[0]), asks(item, name)),
        )
        for item in asked.items[:limit]
        for name, text in arranger[1](item, asked, arrangements)
    ]
    check_trials(len(laid_out) * repeats, "--repeats")
    for repeat in range(repeats):
        for item_id, name, messages, about, forms in laid_out:
            yield Trial("structure", item_id, name, messages, repeat, template.name, about, forms)


def _asks(arranger: str, scorer: str) -> Callable[[ArrangedItem, str], tuple[AnswerForm, ...]]:
    """Return what answer an arrangement asks for: one of its options, where replies are scored by choice."""
    if scorer != "choice":
        return lambda item, name: ()

    return lambda item, name: (
        AnswerForm("choice", tuple(named_options(Asked(item, arranger, name)).items())),
    )


def _about(item: ArrangedItem, arranger: str) -> tuple[tuple[str, str], ...]:
    return (("arranger", arranger), ("answer", item.answer), ("reference", item.reference))
