"""Forms of one disease that exclude each other: a bacterial meningitis is no viral one."""

from collections.abc import Mapping, Sequence

from concord.reasoning.names import Mention
from concord.reasoning.text import Words

FORMS: tuple[Mapping[str, str], ...] = (
    {"acute": "acute", "chronic": "chronic"},
    {word: word for word in ("bacterial", "viral", "fungal", "aseptic", "tuberculous", "cryptococcal")},
    {"ischemic": "ischemic", "hemorrhagic": "hemorrhagic"},
    {"community": "community", "hospital": "hospital", "nosocomial": "hospital", "aspiration": "aspiration",
     "ventilator": "ventilator"},
    {"left": "left", "right": "right"},
    {"benign": "benign", "malignant": "malignant"},
    {word: word for word in ("hypertrophic", "dilated", "restrictive")},
)  # fmt: skip
"""Words that tell forms of one disease apart, each with the form it means, as folded words."""
_BEFORE = 3
"""Words before a name that may say which form is meant: "acute on chronic pancreatitis"."""

Forms = dict[int, set[str]]


def forms_in(words: Sequence[str]) -> Forms:
    """Return which forms a run of folded words names, by the contrast that they belong to.

    Examples
    --------
    >>> forms_in(["acute", "ischemic", "stroke"])
    {0: {'acute'}, 2: {'ischemic'}}
    """
    found: Forms = {}
    for number, contrast in enumerate(FORMS):
        named = {contrast[word] for word in words if word in contrast}
        if named:
            found[number] = named
    return found


def is_another_form(found: Words, mention: Mention, gold: Forms) -> bool:
    """Whether a name is that of another form than the gold label: the same disease with an excluding word.

    A name without any such word is none: "stroke" may be an ischemic one.
    """
    if not gold:
        return False
    start, end = mention.start, mention.end
    while start > 0 and mention.start - start < _BEFORE and found.runs_on(start):
        start -= 1
    last = len(found.folded)
    if end < last and found.runs_on(end) and (end + 1 == last or not found.runs_on(end + 1)):
        end += 1  # "meningitis, viral"
    named = forms_in(found.folded[start:end])
    return any(number in named and not named[number] & wanted for number, wanted in gold.items())
