"""What to cite: Concord itself, the methods behind its numbers, and the studies, as BibTeX."""

import re
from collections.abc import Iterable, Mapping

from concord.version import __version__

Entry = tuple[str, str, Mapping[str, str]]
"""Kind, key and fields of an entry."""

CONCORD: Entry = (
    "software", "concord",
    {
        "author": "{The Concord maintainers}",
        "title": "Concord: does a language model agree with people, with itself, and with its own reasoning?",
        "version": __version__,
        "license": "MIT",
    },
)  # fmt: skip
METHODS: Mapping[str, Entry] = {
    "rouder2009": (
        "article", "rouder2009",
        {
            "author": "Rouder, Jeffrey N. and Speckman, Paul L. and Sun, Dongchu and Morey, Richard D. and "
                      "Iverson, Geoffrey",
            "title": "Bayesian t tests for accepting and rejecting the null hypothesis",
            "journal": "Psychonomic Bulletin \\& Review", "year": "2009", "volume": "16", "number": "2",
            "pages": "225--237", "doi": "10.3758/PBR.16.2.225",
        },
    ),
    "rubin1981": (
        "article", "rubin1981",
        {
            "author": "Rubin, Donald B.", "title": "The Bayesian bootstrap",
            "journal": "The Annals of Statistics", "year": "1981", "volume": "9", "number": "1",
            "pages": "130--134", "doi": "10.1214/aos/1176345338",
        },
    ),
    "lin1989": (
        "article", "lin1989",
        {
            "author": "Lin, Lawrence I-Kuei",
            "title": "A concordance correlation coefficient to evaluate reproducibility",
            "journal": "Biometrics", "year": "1989", "volume": "45", "number": "1", "pages": "255--268",
            "doi": "10.2307/2532051",
        },
    ),
    "holm1979": (
        "article", "holm1979",
        {
            "author": "Holm, Sture", "title": "A simple sequentially rejective multiple test procedure",
            "journal": "Scandinavian Journal of Statistics", "year": "1979", "volume": "6", "number": "2",
            "pages": "65--70",
        },
    ),
    "huynh1976": (
        "article", "huynh1976",
        {
            "author": "Huynh, Huynh and Feldt, Leonard S.",
            "title": "Estimation of the Box correction for degrees of freedom from sample data in randomized "
                     "block and split-plot designs",
            "journal": "Journal of Educational Statistics", "year": "1976", "volume": "1", "number": "1",
            "pages": "69--82", "doi": "10.3102/10769986001001069",
        },
    ),
    "mcnemar1947": (
        "article", "mcnemar1947",
        {
            "author": "McNemar, Quinn",
            "title": "Note on the sampling error of the difference between correlated proportions or "
                     "percentages",
            "journal": "Psychometrika", "year": "1947", "volume": "12", "pages": "153--157",
            "doi": "10.1007/BF02295996",
        },
    ),
    "bonett2012": (
        "article", "bonett2012",
        {
            "author": "Bonett, Douglas G. and Price, Robert M.",
            "title": "Adjusted Wald confidence interval for a difference of binomial proportions based on "
                     "paired data",
            "journal": "Journal of Educational and Behavioral Statistics", "year": "2012", "volume": "37",
            "number": "4", "pages": "479--488", "doi": "10.3102/1076998611411915",
        },
    ),
}  # fmt: skip
"""Sources of the methods, by their keys."""


def bibtex(entries: Iterable[Entry]) -> str:
    """Return entries as BibTeX.

    Examples
    --------
    >>> print(bibtex([("misc", "key", {"title": "A title", "year": "2020"})]))
    @misc{key,
      title = {A title},
      year = {2020},
    }
    """
    return "\n\n".join(_bibtex_entry(*one) for one in entries)


def _bibtex_entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{kind}{{{key},\n{lines}}}"


def study_entry(study: str, source: Mapping[str, str]) -> Entry:
    """Return the entry of a study from its source as a card has it."""
    authors = re.sub(r",? & ", " and ", source.get("authors", "")).replace("., ", ". and ")
    return (
        "article",
        re.sub(r"[^a-z0-9-]", "", study.lower()),
        {
            "author": _without_markup(authors),
            "title": _without_markup(source.get("title", "")),
            "year": source.get("year", ""),
            "note": _without_markup(source.get("published", "")),
            "doi": source.get("doi", ""),
        },
    )


def _without_markup(text: str) -> str:
    """Take the signs that mean something to LaTeX out of the way."""
    return re.sub(r"([&%$#_])", r"\\\1", text.replace("\\", "").replace("{", "").replace("}", ""))
