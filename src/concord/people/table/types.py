"""The names people give to tests, and the test types they stand for."""

import difflib
import functools
import re
import unicodedata

from concord.files.cells import BadCellError
from concord.records import TEST_TYPES

_ALIASES = {
    "t-independent": """
        t; t-test; independent t; independent t-test; independent samples t; independent samples t-test;
        independent sample t-test; t-test independent; t-test (independent); two-sample t; two-sample t-test;
        two-samples t-test; t two-sample; 2-sample t; 2-sample t-test; student t; student-t; student t-test;
        student's t; student's t-test; unpaired t; unpaired t-test; welch; welch t; welch t-test; welch's t;
        welch's t-test; t-welch; between-subjects t-test; ttest_ind
        """,
    "t-paired": """
        paired; paired t; paired t-test; t-test paired; paired samples t; paired samples t-test;
        paired sample t-test; dependent t; dependent t-test; dependent samples t-test; matched t-test;
        matched pairs t; matched pairs t-test; t dependent; within-subjects t-test; repeated measures t-test;
        related t-test; ttest_rel
        """,
    "t-one-sample": """
        one-sample t; one-sample t-test; t-test one-sample; 1-sample t; 1-sample t-test; t 1-sample;
        single-sample t; single-sample t-test; ttest_1samp; one sample
        """,
    "anova": """
        f; f-test; f (anova); anova f; one-way; one-way anova; oneway; two-way anova; factorial anova; ancova;
        between; between-subjects; between-groups; between anova; between-subjects anova;
        between-groups anova; anova between; anova (between); f between;
        f (between); analysis of variance; one-way f
        """,
    "anova-within": """
        within; within-subjects; within anova; within-subjects anova; anova (within); repeated measures;
        repeated-measures anova; anova repeated measures; rm-anova; anova rm; f within; f (within);
        repeated measures f
        """,
    "regression": """
        linear regression; multiple regression; simple regression; ols; ols regression; regression f;
        f regression; f (regression); linear model; lm; regression slope; regression slope t; regression t;
        slope; regression coefficient
        """,
    "correlation": """
        pearson; pearson r; pearson's r; pearson correlation; pearson's correlation; r; corr; cor;
        product-moment correlation; spearman; spearman r; spearman rho; spearman's rho; spearman correlation;
        spearman's correlation; rank correlation; rho; rs; pearsonr; spearmanr
        """,
    "chi-square": """
        chi2; chi²; chisq; chi-sq; chi-squared; χ²; χ2; x2; x²; χ² test; χ2 test; chi2 test; chi-square test;
        chi-squared test; chi-square test of independence; pearson chi-square; contingency; contingency table;
        chi2_contingency; crosstab; chi2 contingency table; test of independence
        """,
    "binomial": """
        binomial test; binom; binom test; exact binomial; exact binomial test; sign; sign test; proportion;
        proportion test; one proportion; one-sample proportion; single proportion; binomial (sign)
        """,
    "mann-whitney": """
        mann-whitney u; mann-whitney test; mann-whitney u test; mann-whitney-wilcoxon; u; u-test; mwu;
        wilcoxon rank-sum; wilcoxon rank-sum test; rank-sum; rank-sum test; wilcoxon-mann-whitney;
        wilcoxon-mann-whitney test; mannwhitneyu
        """,
    "variance-ratio": """
        variance ratio f; f variance ratio; f (variance ratio); variance ratio test; variance-ratio f-test;
        f-test of variances; f-test of equality of variances; var.test
        """,
    "p-value": "p; p only; p-value only; p-value bound; p val",
}

_FLAGS = {
    "welch": "Welch's t is scored as Student's t",
    "spearman": "a rank correlation is scored as a product-moment correlation",
    "rank correlation": "a rank correlation is scored as a product-moment correlation",
}


@functools.lru_cache(maxsize=1024)
def _fold(text: str) -> str:
    """Reduce a name to its letters and digits: case, spaces, hyphens and typography do not matter."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[^0-9a-zχ]", "", plain)


_TYPES = {_fold(name): name for name in TEST_TYPES} | {
    _fold(alias): canonical for canonical, aliases in _ALIASES.items() for alias in aliases.split(";")
}


def canonical_type(cell: object) -> str:
    """Return the canonical test type of a name.

    Parameters
    ----------
    cell
        The cell as it was found; upper and lower case, spaces, hyphens and underscores do not matter.

    Returns
    -------
    str
        One of `concord.records.TEST_TYPES`.

    Raises
    ------
    BadCellError
        The name is not known; the message lists the canonical types and the closest.

    Examples
    --------
    >>> canonical_type("Welch t-test"), canonical_type("χ²"), canonical_type("RM_ANOVA")
    ('t-independent', 'chi-square', 'anova-within')
    """
    text = _fold(cell) if isinstance(cell, str) else ""
    known = _TYPES.get(text)
    if known is not None:
        return known
    close = difflib.get_close_matches(text, _TYPES, n=1, cutoff=0.6)
    hint = f" (the closest is {_TYPES[close[0]]})" if close else ""
    raise BadCellError(f"one of {', '.join(TEST_TYPES)}{hint}")


def type_flags(cell: object) -> tuple[str, ...]:
    """Say what is assumed when a test of this name is scored as its canonical type.

    Examples
    --------
    >>> type_flags("Spearman's rho"), type_flags("t-test")
    (('a rank correlation is scored as a product-moment correlation',), ())
    """
    text = _fold(cell) if isinstance(cell, str) else ""
    if text in ("rho", "rs"):
        text = "spearman"
    return tuple(dict.fromkeys(flag for word, flag in _FLAGS.items() if _fold(word) in text))
