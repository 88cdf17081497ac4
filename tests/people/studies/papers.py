"""Six papers in journal layouts, made up, with what they report: tables, footnotes, two columns.

The truth of each was written before a reader was run on it. The first three were used while the reader was
written; the other three were not looked at with it before it was done.
"""

from dataclasses import dataclass, field

Rows = list[list[str]]


@dataclass(frozen=True)
class Paper:
    """A document, and the statistics and means that it reports."""

    name: str
    ending: str
    parts: tuple[str | Rows, ...]
    """Texts, and of Word documents tables as rows of cells."""
    statistics: tuple[str, ...]
    means: tuple[tuple[float, float | None], ...] = field(default=())


_ONE = """\
Results

Owners asked for more than the others did, t(118) = 6.20, p < .001. Table 1 has all measures; degrees
of freedom differ because some people left questions open.

Table 1
Ratings of owners against others

Measure                     t        df      p         d
Lowest price                6.20     118     < .001    1.13
Attachment(a)               2.31*    116     .023      0.42
Wish to trade              -1.02     117     .310     -0.19
Mood                        0.44     118     .661      0.08

Note. (a) Two people were left out. * p < .05.

A reminder changed nothing, F(1, 312) = 0.85, p = .357 (see Footnote 2).

2 Without the reminder the shares differed, chi2(1, N = 152) = 12.40, p < .001.
"""
_TWO = (
    "Experiment 2 varied the frame. The interaction was not reliable, F(1, 236) = 1.92, p = .167.",
    [
        ["Measure", "Gain M", "SD", "Loss M", "SD", "t", "df", "p"],
        ["Risk taken", "3.42", "1.11", "4.05", "1.20", "−4.21", "238", "< .001"],
        ["Confidence", "5.10", "0.98", "5.02", "1.05", "0.61", "238", ".542"],
        ["Regret expected", "2.75", "1.40", "3.33", "1.52", "−3.07", "238", ".002"],
    ],
    "Note. Welch's tests gave the same decisions. Age went with regret, r(238) = .18, p = .005.",
)
_THREE = """\
                          THE PRICE OF A PROMISE

   In the first study 90 students were asked     of the game. Those who had promised gave
to keep a promise that had become dear. Most     more than the others, t(88) = 3.15,
of them did: 61 of 90 kept it (binomial test,    p = .002. What they expected of others did
p < .001), which is more than chance would       not differ, t(88) = 0.47, p = .640, and nei-
give. Men and women did not differ in this,      ther did their mood, F(2, 87) = 1.10, p =
chi2(1, N = 90) = 0.42, p = .517. We asked       .337. The longer somebody had known the
them how bad they would feel, from one to        partner, the more was given, r(88) = .29,
seven; those who broke it felt worse,            p = .006. These results hold when two peo-
t(88) = 2.66, p = .009. In the second part       ple who guessed our purpose are left out.
every student divided ten coins with a part-     A third study is reported in the supple-
ner whom they would not meet again, and all      ment, where nothing of importance differs
knew that nobody would hear of it. We told       from what is said here about both of the
half of them to promise a share at the start     others, and where all materials are given.

Table 1. All tests of Study 3

Outcome          F       df       p
Coins given      9.80    1, 142   .002
Trust            0.31    1, 142   .579
"""
_FOUR = """\
Study 4: Sounds and sizes
People heard 24 made-up names and rated how large each thing would be.1
Table 3. Effects on rated size
Effect F df p
Vowel 18.31 1, 94 < .001
Consonant 4.02 1, 94 .048
Vowel by consonant 0.77 1, 94 .382
Note. N = 96.
Large things were named with back vowels more often, z = 3.40, p < .001.
1 Ratings of a second sample agreed with these, r(22) = .81, p < .001.
2 The order of names had no effect, t(95) = 0.85, p = .398.
"""
_FIVE = (
    "Analysis of variance of the amounts given (N = 124).",
    [
        ["Source", "SS", "df", "MS", "F", "p"],
        ["Norm shown", "48.20", "1", "48.20", "7.95", ".006"],
        ["Anonymity", "12.11", "1", "12.11", "2.00", ".160"],
        ["Norm × anonymity", "3.42", "1", "3.42", "0.56", ".455"],
        ["Error", "727.60", "120", "6.06", "", ""],
    ],
    "People gave more when the norm was shown (M = 5.31, SD = 2.44, n = 62) than when it was not "
    "(M = 4.06, SD = 2.51, n = 62).",
    [
        ["Predictor", "b", "SE", "p"],
        ["Age", "0.04", "0.02", ".048"],
        ["Income", "0.31", "0.09", "< .001"],
    ],
)
_SIX = """\
WHO IS THOUGHT TO MEAN WELL                                                    417

   Two hundred and four adults read one of       Table 2. Blame, by role
two stories in which a helper did harm by
accident. We expected that a person who was      Item        t       df     p
described as warm would be blamed less, and      Blame      -5.02    202    < .001
they were, as Table 2 shows. How much harm       Anger      -2.44    202    .016
was done did not matter for this difference,     Pity        0.90    202    .369
F(1, 200) = 0.31, p = .578, nor did it mat-
ter who was harmed, F(1, 200) = 1.44, p =        In the other group of items, which we had
.232. Half of the readers knew a case of         added late, praise was given more often to
the same kind. They blamed less, t(202) =        the warm helper: 71 of 102 would thank the
2.10, p = .037. We asked all of them what        person (sign test, p < .001). Readers who
should be done, in their own words, and two      had themselves been helped were no kinder,
coders who did not know the story agreed on      t(202) = 0.52, p = .604. Blame went with
nearly all of the answers (kappa = .88).         anger, r(202) = .63, p < .001.1

                                                 1 Spearman's coefficient was the same.
"""
_SEVEN = """\
418                                                        SLOW TALK AND FAST TALK

  Sixty pairs of strangers talked for ten         and the judges' ratings of warmth did not
minutes. In half of them one had been told        move, t(58) = 1.31, p = .195. Pauses were
to speak slowly.3 The other one then spoke        longer in slow talks, t(58) = 4.77, p <
more slowly, too, F(1, 58) = 11.62, p = .001,     .001, and 41 of 60 pairs said that they
and liked the talk less, F(1, 58) = 4.88, p =     would meet again (binomial test, p = .006).
.031. Nobody guessed the purpose. Judges who      Older people spoke more slowly in both of
did not know the condition rated all of the       the conditions, r(118) = -.24, p = .008,
talks for warmth on seven points.                 which changes nothing in what is reported.
                                                  Table 4 has what was said about the other.
Table 4. Words about the other person

Kind of word        t        df     p
  about warmth      2.02     58     .048
  about skill      -0.35     58     .728
  about power       1.66 a   58     .102

Note. a With unequal variances p = .110.
3 The instruction had no effect on women and men apart, F(1, 56) = 0.12, p = .730.
"""
_EIGHT = (
    "Study 2 repeated the first one on line.1 Table 1 has the tests by item.",
    [
        ["Item", "n", "χ2", "df", "p", "V"],
        ["Bought", "310", "6.71", "1", ".010", ".15"],
        ["Returned", "142", "0.29", "1", ".590", ".05"],
        ["Recommended", "310", "15.02", "1", "< .001", ".22"],
    ],
    "Prices that ended in nine were remembered as lower, t(308) = 2.95, p = .003.2",
    [
        ["", "M", "SD", "n"],
        ["Nine", "18.42", "3.10", "155"],
        ["Round", "19.51", "3.38", "155"],
    ],
    "2 The medians differed as well, z = 2.71, p = .007.",
)
OPEN = (
    Paper(
        "one", "txt", (_ONE,),
        ("t(118) = 6.20, p < .001", "t(118) = 6.20, p < .001", "t(116) = 2.31, p = .023",
         "t(117) = -1.02, p = .310", "t(118) = 0.44, p = .661", "F(1, 312) = 0.85, p = .357",
         "chi2(1, N = 152) = 12.40, p < .001"),
    ),
    Paper(
        "two", "docx", _TWO,
        ("F(1, 236) = 1.92, p = .167", "t(238) = −4.21, p < .001", "t(238) = 0.61, p = .542",
         "t(238) = −3.07, p = .002", "r(238) = .18, p = .005"),
        ((3.42, 1.11), (4.05, 1.20), (5.10, 0.98), (5.02, 1.05), (2.75, 1.40), (3.33, 1.52)),
    ),
    Paper(
        "three", "txt", (_THREE,),
        ("61 of 90 kept it (binomial test, p < .001", "chi2(1, N = 90) = 0.42, p = .517",
         "t(88) = 2.66, p = .009", "t(88) = 3.15, p = .002", "t(88) = 0.47, p = .640",
         "F(2, 87) = 1.10, p = .337", "r(88) = .29, p = .006", "F(1, 142) = 9.80, p = .002",
         "F(1, 142) = 0.31, p = .579"),
    ),
)  # fmt: skip
CLOSED = (
    Paper(
        "four", "pdf", (_FOUR,),
        ("F(1, 94) = 18.31, p < .001", "F(1, 94) = 4.02, p = .048", "F(1, 94) = 0.77, p = .382",
         "z = 3.40, p < .001", "r(22) = .81, p < .001", "t(95) = 0.85, p = .398"),
    ),
    Paper(
        "five", "docx", _FIVE,
        ("F(1, 120) = 7.95, p = .006", "F(1, 120) = 2.00, p = .160", "F(1, 120) = 0.56, p = .455",
         "b = 0.04, SE = 0.02, p = .048", "b = 0.31, SE = 0.09, p < .001"),
        ((5.31, 2.44), (4.06, 2.51)),
    ),
    Paper(
        "six", "txt", (_SIX,),
        ("F(1, 200) = 0.31, p = .578", "F(1, 200) = 1.44, p = .232", "t(202) = 2.10, p = .037",
         "t(202) = -5.02, p < .001", "t(202) = -2.44, p = .016", "t(202) = 0.90, p = .369",
         "71 of 102 would thank the person (sign test, p < .001", "t(202) = 0.52, p = .604",
         "r(202) = .63, p < .001"),
    ),
    Paper(
        "seven", "txt", (_SEVEN,),
        ("F(1, 58) = 11.62, p = .001", "F(1, 58) = 4.88, p = .031", "t(58) = 1.31, p = .195",
         "t(58) = 4.77, p < .001", "41 of 60 pairs said that they would meet again (binomial test, p = .006",
         "r(118) = -.24, p = .008", "t(58) = 2.02, p = .048", "t(58) = -0.35, p = .728",
         "t(58) = 1.66, p = .102", "F(1, 56) = 0.12, p = .730"),
    ),
    Paper(
        "eight", "docx", _EIGHT,
        ("χ2(1, N = 310) = 6.71, p = .010", "χ2(1, N = 142) = 0.29, p = .590",
         "χ2(1, N = 310) = 15.02, p < .001", "t(308) = 2.95, p = .003", "z = 2.71, p = .007"),
        ((18.42, 3.10), (19.51, 3.38)),
    ),
)  # fmt: skip
