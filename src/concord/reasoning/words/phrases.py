"""Words that mark an answer, and words that take a diagnosis back, in the languages of the bundled sets.

They are patterns in lower case, kept in `phrases.json` with what each is for, as pieces that joined make one
pattern. English, German, Spanish, French, Chinese, Japanese, Korean, in this order.
"""

import json
import re
from importlib import resources

_FILE = resources.files("concord").joinpath("reasoning", "data", "phrases.json")
_PIECES: dict[str, list[str]] = {
    name: entry["pieces"] for name, entry in json.loads(_FILE.read_text("utf-8")).items()
}


def _together(name: str) -> str:
    return "".join(_PIECES[name])


def _pattern(name: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(_together(name), flags)


# where an answer is
NOUNS, NOUNS_CJK, NOUNS_START = _together("nouns"), _together("nouns_cjk"), _together("nouns_start")
KEY_NAMES, NAME_KEYS = _together("key_names"), tuple(_PIECES["name_keys"])
COPULAS, COPULAS_CJK, LEADS = _together("copulas"), _together("copulas_cjk"), _together("leads")
NOT_BEFORE, NOT_AFTER = _pattern("not_before"), _pattern("not_after")
PLACEHOLDER, REASONING = _pattern("placeholder"), _pattern("reasoning")
LIKELIEST, NO_NAME, UNFINISHED = _pattern("likeliest"), _pattern("no_name"), _pattern("unfinished")
REFUSAL = _pattern("refusal")

# what a mention of a diagnosis is worth
BEFORE = re.compile(
    rf"(?<!\w)(?:{_together('before_words')})(?!\w)|{_together('before_cjk')}|{_together('just_before')}",
    re.IGNORECASE,
)
"""A mention after one of these, in its clause, is no answer."""
AFTER = re.compile(
    rf"^\W*(?:{_together('after_words')})(?!\w)|^\W{{0,3}}(?:{_together('after_cjk')})|^[\s*_\"'”’)»]*[?？]",
    re.IGNORECASE,
)
"""A mention before one of these is no answer either."""
CERTAIN, RESET, CAUSE = _pattern("certain"), _pattern("reset"), _pattern("cause")
JOINED, JOINED_BY_WORD = _pattern("joined"), _pattern("joined_by_word")
BOUNDARY, ET_CETERA = _pattern("boundary", re.NOFLAG), _pattern("et_cetera", re.NOFLAG)
