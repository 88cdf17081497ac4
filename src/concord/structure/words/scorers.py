"""Scorers: a reply and its item to a score in [0, 1], and the answer it gives, for counting flips.

Static embeddings (a text is the mean of its tokens' vectors) need no network: vectors come with `wordllama`
(32,000 tokens of mostly European languages), or from a folder with one `*.safetensors` and one
`tokenizer*.json`.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from concord.errors import FileFormatError, MissingExtraError, ModelError, OptionError, quoted
from concord.files.text import normal_form
from concord.reading import Reading, ReadOutcome, named_parts, read_reply, split_thinking
from concord.reading.second import rules_alone
from concord.structure.arrangers import FORMATS, IDS, LETTERS
from concord.structure.items import ArrangedItem

PACKAGE, WEIGHTS, TOKENIZER = "wordllama", "weights/l2_supercat_256.safetensors", "tokenizers/*.json"
Similarity = Callable[[str, str], float | None]


def has_bundled() -> bool:
    """Whether the embedding that needs no download is installed."""
    return all(find_spec(name) is not None for name in (PACKAGE, "tokenizers", "safetensors"))


@lru_cache(maxsize=1)
def bundled_embedding() -> Similarity:
    """Return the similarity by the vectors that come with `wordllama`."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError("the scorer meaning", "meaning")
    root = Path(next(iter(found.submodule_search_locations)))
    tokenizers = sorted(root.glob(TOKENIZER))
    if not (root / WEIGHTS).is_file() or not tokenizers:
        raise ModelError(
            f"the package {PACKAGE} in {root} holds no vectors; install the extra `meaning` anew"
        )
    return _similarity(root / WEIGHTS, tokenizers[0])


@lru_cache(maxsize=2)
def folder_embedding(folder: str) -> Similarity:
    """Return the similarity by vectors in a folder."""
    root = Path(folder)
    weights, tokenizers = sorted(root.glob("*.safetensors")), sorted(root.glob("tokenizer*.json"))
    named = [path for path in tokenizers if path.name == "tokenizer.json"]
    tokenizers = named if named else tokenizers
    if len(weights) != 1 or not tokenizers:
        raise ModelError(
            f"static:{folder}: found {len(weights)} files *.safetensors and {len(tokenizers)} "
            "tokenizer*.json; expected a folder that holds one of each, such as model2vec writes"
        )
    return _similarity(weights[0], tokenizers[0])


def _similarity(weights: Path, tokenizer: Path) -> Similarity:
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as fault:
        raise MissingExtraError("static embeddings", "meaning") from fault
    try:
        tables = [table for table in load_file(str(weights)).values() if table.ndim == 2]
        encoder: Any = Tokenizer.from_file(str(tokenizer))
    except Exception as fault:  # noqa: BLE001 - both libraries raise bare exceptions of their own
        raise ModelError(f"{weights.parent}: vectors or tokenizer cannot be read: {fault}") from fault
    if len(tables) != 1:
        raise ModelError(f"{weights.name}: found {len(tables)} matrices, expected one row per token")
    vectors = np.asarray(tables[0], dtype=np.float32)

    @lru_cache(maxsize=4096)
    def embedded(text: str) -> Any:
        ids = encoder.encode(text, add_special_tokens=False).ids
        return None if not ids else vectors[ids].mean(axis=0)

    def similar(reply: str, reference: str) -> float | None:
        first, second = embedded(reply.strip()), embedded(reference.strip())
        if first is None or second is None:
            return None
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return None if size == 0 else float(np.clip(first @ second / size, 0.0, 1.0))

    return similar


ENTRY_POINTS = "concord.scorers"
CHRF_ORDER = 6
CHRF_BETA = 2.0


class Scored(NamedTuple):
    """What a reply is worth; ``score`` is ``None`` where no answer can be read from it."""

    score: float | None
    answer: str | None = None
    recovered: bool | None = None
    """Whether the canonical order was found, where that is asked."""
    reading: Reading | None = None
    """How the answer was read, where one is; of a reply that says nothing also where none is."""


class Asked(NamedTuple):
    """What a scorer knows of a trial."""

    item: ArrangedItem
    arranger: str
    arrangement: str


Scorer = Callable[[str, Asked], Scored]


def folded(text: str) -> str:
    """Fold a text for comparison: compatibility forms, case, whitespace."""
    return " ".join(normal_form("NFKC", text).casefold().split())


def chrf(reply: str, reference: str, *, order: int = CHRF_ORDER, beta: float = CHRF_BETA) -> float | None:
    r"""Character n-gram F-score, whitespace left out: works for any script, needs no weights.

    .. math:: F_\beta = (1+\beta^2)\,\frac{P\,R}{\beta^2 P + R}

    with precision and recall averaged over the n-gram orders that both texts have. ``None`` where the
    reference or the reply has no character.

    References
    ----------
    Popović (2015), WMT 2015, 392-395.

    Examples
    --------
    >>> chrf("abc", "abc"), chrf("xyz", "abc")
    (1.0, 0.0)
    """
    hypothesis, truth = ("".join(folded(text).split()) for text in (reply, reference))
    precisions, recalls = [], []
    for n in range(1, order + 1):
        said, wanted = _grams(hypothesis, n), _grams(truth, n)
        if not said or not wanted:
            break
        shared = (said & wanted).total()
        precisions.append(shared / said.total())
        recalls.append(shared / wanted.total())
    if not precisions:
        return None
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    if precision + recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _grams(text: str, n: int) -> Counter[str]:
    return Counter(text[start : start + n] for start in range(len(text) - n + 1))


def token_f1(reply: str, reference: str) -> float | None:
    """F1 of the bags of words; ``None`` where either has none."""
    said, wanted = (Counter(re.findall(r"\w+", folded(text))) for text in (reply, reference))
    if not said or not wanted:
        return None
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total())


def explanation(reply: str, asked: Asked) -> tuple[str, str | None, bool | None]:
    """Return the part that explains, the idiom named, and whether it is the canonical one."""
    parts = named_parts(reply, ("IDIOM", "MEANING"))
    explained = parts.get("MEANING", reply)
    if asked.arranger != "characters":
        return explained, None, None
    if "IDIOM" in parts:
        named = parts["IDIOM"].partition("\n")[0]
        answer = "".join(folded(named).split()).strip("「」『』“”\"'《》.。*")
    else:
        answer = asked.item.text if asked.item.text in reply else ""
    return explained, answer or None, answer == "".join(folded(asked.item.text).split())


def score_exact(reply: str, asked: Asked) -> Scored:
    """Score 1 where the reply (or the idiom it names) is the canonical text or the answer, 0 otherwise."""
    said = said_of(reply)
    if isinstance(said, Scored):
        return said
    explained, answer, recovered = explanation(said, asked)
    if recovered is not None:
        return Scored(float(recovered), answer, recovered)
    wanted = asked.item.answer or asked.item.reference or asked.item.text
    if not wanted:
        raise FileFormatError(f"item {asked.item.id!r} has no 'answer' to compare with")
    found = folded(said).strip(" .!")
    if found == folded(wanted).strip(" .!"):
        return Scored(1.0, found)
    reading = read_reply(reply, labels=[wanted])
    if not reading.ok:
        return Scored(None, reading=reading)
    return Scored(float(not reading.other), folded(str(reading.value)), None, reading)


def said_of(reply: str) -> "str | Scored":
    """Return what a reply says without its thinking, or the score of one that says nothing."""
    said = split_thinking(reply)[1]
    if said is not None and said.strip():
        return said
    outcome = ReadOutcome.TRUNCATED if said is None else ReadOutcome.EMPTY
    return Scored(None, reading=Reading(None, outcome))


def score_choice(reply: str, asked: Asked) -> Scored:
    """Score 1 where the right option was chosen; the answer is the option itself, wherever it was."""
    # An answer that is none of the options is wrong; a reply without an answer has no score.
    item = asked.item
    _need(item, "options")
    _need(item, "answer")
    named = named_options(asked)
    reading = read_reply(reply, choices=named)
    if reading.outcome is ReadOutcome.UNREADABLE:
        reading = _outside(reply, named) or reading
    if not reading.ok:
        return Scored(None, reading=reading)
    chosen = str(reading.value) if reading.other else named[str(reading.value)]
    return Scored(float(folded(chosen) == folded(item.answer)), chosen, None, reading)


def _outside(reply: str, named: Mapping[str, str]) -> Reading | None:
    """Read an answer that is none of the options: a letter that none has, or words that are called it."""
    with rules_alone():
        letter = read_reply(reply, choices=dict.fromkeys(LETTERS, ()))
        words = read_reply(reply, labels=list(named.values()))
    if letter.ok and letter.value not in named:
        return replace(letter, other=True)
    return words if words.other and words.how != "bare" else None


def named_options(asked: Asked) -> dict[str, str]:
    """Return the options by the names under which this arrangement showed them."""
    names: Sequence[str] = LETTERS
    if asked.arranger == "option-ids" and asked.arrangement in IDS:
        names = IDS[asked.arrangement]
    elif asked.arranger == "formats" and asked.arrangement in FORMATS and FORMATS[asked.arrangement][2]:
        names = LETTERS.lower()
    return dict(zip(names, shown_options(asked), strict=False))


def shown_options(asked: Asked) -> list[str]:
    """Options in the order in which this arrangement showed them."""
    choices = asked.item.options
    if asked.arranger not in ("options", "options-cyclic"):
        return list(choices)
    places = [LETTERS.find(letter) for letter in asked.arrangement]
    if not all(0 <= place < len(choices) for place in places):
        raise FileFormatError(
            f"item {asked.item.id!r}: its {len(choices)} options have no arrangement "
            f"{quoted(asked.arrangement)}"
        )
    return [choices[place] for place in places]


@lru_cache(maxsize=1)
def _encoder(name: str) -> Callable[[str], Any]:
    """Load an embedding model; references come again with every arrangement and are embedded once."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as fault:
        raise MissingExtraError(f"the scorer embedding:{name}", "embedding") from fault
    try:
        model = SentenceTransformer(name)
    except (OSError, ValueError) as fault:
        reason = str(fault).strip().partition("\n")[0]
        raise ModelError(
            f"the embedding model {name!r} cannot be loaded: {reason}; give embedding:MODEL the name of a "
            "model that sentence-transformers can fetch, or the folder that holds one"
        ) from fault
    return lru_cache(maxsize=4096)(lambda text: model.encode(text, normalize_embeddings=True))


def score_judged(reply: str, asked: Asked) -> Scored:
    """Read the answer alone: the score comes from the judge's own run."""
    said = said_of(reply)
    if isinstance(said, Scored):
        return said
    _, answer, recovered = explanation(said, asked)
    return Scored(None, answer, recovered)


def by_similarity(similar: Similarity) -> Scorer:
    """Make a scorer of explanations from a similarity of two texts."""

    def score(reply: str, asked: Asked) -> Scored:
        _need(asked.item, "reference")
        said = said_of(reply)
        if isinstance(said, Scored):
            return said
        explained, answer, recovered = explanation(said, asked)
        return Scored(similar(explained, asked.item.reference), answer, recovered)

    return score


SCORERS: dict[str, Scorer] = {
    "chrf2": by_similarity(chrf),
    "token-f1": by_similarity(token_f1),
    "exact": score_exact,
    "choice": score_choice,
}


TEXT = "text"
"""The scorer of a set whose answers are texts: the best one by the calibration sets that is installed."""


def resolved(name: str) -> str:
    """Name the scorer that ``text`` stands for here: ``meaning`` where it is installed, else ``chrf2``."""
    if name != TEXT:
        return name
    return "meaning" if has_bundled() else "chrf2"


def similarity_of(name: str) -> Similarity | None:
    """Return what a scorer of texts does with a reply and a reference; none for scorers of other kinds."""
    if name == "meaning":
        return bundled_embedding()
    if name.startswith("static:"):
        return folder_embedding(name.removeprefix("static:"))
    if name.startswith("embedding:"):
        encode = _encoder(name.removeprefix("embedding:"))
        return lambda reply, reference: float(encode(reply) @ encode(reference))
    plain: dict[str, Similarity] = {"chrf2": chrf, "token-f1": token_f1}
    return plain.get(name)


def embedding(name: str) -> Scorer:
    """Make a scorer by cosine of embeddings, negative ones taken as 0; the user installs the model."""
    # The model is loaded here, so that a wrong name is found before anything is asked.
    encode = _encoder(name)

    def cosine(reply: str, reference: str) -> float | None:
        return min(max(float(encode(reply) @ encode(reference)), 0.0), 1.0) if reply.strip() else None

    return by_similarity(cosine)


def get_scorer(name: str) -> Scorer:
    """Return a scorer by name: a bundled one, ``embedding:MODEL``, or an entry point of `concord.scorers`."""
    name = resolved(name)
    if name in SCORERS:
        return SCORERS[name]
    if name == "meaning":
        return by_similarity(bundled_embedding())
    if name.startswith("static:"):
        return by_similarity(folder_embedding(name.removeprefix("static:")))
    if name.startswith(("judge:", "nli:")):
        return score_judged
    if name.startswith("embedding:"):
        return embedding(name.removeprefix("embedding:"))
    found = list(entry_points(group=ENTRY_POINTS, name=name))
    if not found:
        raise OptionError(
            f"scorer {name!r} is not known; choose one of {', '.join(SCORERS)}, text, meaning, "
            "static:FOLDER, embedding:MODEL, judge:MODEL, nli:MODEL, or register your own under the entry "
            f"points {ENTRY_POINTS!r}"
        )
    loaded: Scorer = found[0].load()
    return loaded


def check_items(name: str, items: Sequence[ArrangedItem], arranger: str) -> None:
    """Refuse items that lack what a scorer of Concord compares with, before anything is asked."""
    if name in SCORERS or name == "meaning" or name.startswith(("embedding:", "static:")):
        scorer = get_scorer(name)
        for item in items:
            order = LETTERS[: len(item.options)] if arranger in ("options", "options-cyclic") else ""
            scorer("", Asked(item, arranger, order))


def _need(item: ArrangedItem, field: str) -> None:
    if not getattr(item, field):
        raise FileFormatError(f"item {item.id!r} has no {field!r}, which this scorer needs")
