"""The data files next to the code: names and phrases, bundled vignettes and bias cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from concord.files.contents import fingerprint_rows
from concord.reasoning.names import AliasTable
from concord.reasoning.read.word_lists import read_aliases, read_phrases
from concord.records import InputFile

DATA = Path(__file__).parent / "data"
SAMPLES = DATA / "study_a_test.json"
BIAS_CASES = DATA / "biased_vignettes.json"

Aliases = str | Path | Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names of diagnoses, phrases of refusal."""

    aliases: AliasTable
    refusals: tuple[str, ...]
    extra: InputFile | None = None
    """The user's own table of names, where one was given."""


def load_lexicon(extra: Aliases | None = None) -> Lexicon:
    """Load the bundled lists; names of the user's table are added to the bundled ones.

    Examples
    --------
    >>> lexicon = load_lexicon({"Gout": ["podagra"]})
    >>> lexicon.aliases.canonical("Podagra"), lexicon.aliases.canonical("PTSD")
    ('Gout', 'Post-Traumatic Stress Disorder')
    """
    tables = [read_aliases(DATA / name) for name in ("aliases.json", "aliases_languages.json")]
    file = None
    if extra is not None:
        tables.append(read_aliases(extra))
        name = Path(extra).name if isinstance(extra, str | Path) else "aliases (in memory)"
        file = fingerprint_rows(name, tables[-1])
    return Lexicon(AliasTable(*tables), read_phrases(DATA / "refusals.json"), file)
