"""Twelve papers in journal layouts, made up, with what they report: tables, footnotes, two columns.

The truth of each was written before a reader was run on it. The first three were used while the reader was
written; the others were not looked at with it before it was done.
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
    placed: tuple[tuple[tuple[int, int, str], ...], ...] = ()
    """Of PDF files set by hand: pages of texts with their places, in points from the left and the bottom."""
    notes: tuple[str, ...] = ()
    """Footnotes of a Word document, which its file holds apart."""


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


def _set(x: int, top: int, text: str) -> tuple[tuple[int, int, str], ...]:
    """Return lines below each other, as a column of a page is set."""
    return tuple((x, top - 13 * i, line) for i, line in enumerate(text.strip().splitlines()))


def _row(y: int, *cells: str) -> tuple[tuple[int, int, str], ...]:
    """Return the cells of a table's row, each set by itself."""
    return tuple((50 + 130 * (i > 0) + 60 * i, y, cell) for i, cell in enumerate(cells))


_NINE = (
    (
        (50, 760, "JOURNAL OF WAITING, 12, 33-34"),
        *_set(50, 730, """
We asked 140 people how long a queue
would take. Those who stood in it judged
it longer, t(138) = 3.41, p < .001, than
those who watched. Age did not mat-
ter, F(1, 136) = 0.22, p = .640, and nei-
ther did sex, F(1, 136) = 1.87, p =
.174. A second group of 96 people heard
that the queue was short. 61 of 96 of
them stayed (binomial test, p = .010).
They said so in their own words, too.1
"""),
        *_set(320, 730, """
The time of day had no effect, F(3,
134) = 1.05, p = .373. Estimates went
with annoyance, r(138) = .34, p < .001,
and with nothing else. In 2008, 12 of the
queues were filmed (see pp. 33-34), at
4.2 m each; coders agreed, kappa = .83.
1 Of the words, 31 % were friendly.
"""),
        (300, 40, "33"),
    ),
    (
        *_set(50, 730, """
Table 1
All measures of Study 2 (N = 96)
"""),
        *_row(690, "Measure", "t", "df", "p"),
        *_row(676, "Anger", "2.77", "94", ".007"),
        *_row(662, "Hope", "-0.45", "94", ".654"),
        *_set(50, 640, """
Note. Anger was measured on nine points.
Medians differed as well, z = 2.02, p = .043.
"""),
        (300, 40, "34"),
    ),
)  # fmt: skip
_TEN = (
    "Participants (N = 88) rated a candidate from one to nine. Warm ones were chosen more often, "
    "χ²(1, N = 88) = 7.33, p = .007, and were trusted more, F(1, 84) = 6.05, p = .016, ηp² = .07.",
    "In the cold group trust was lower (M = 4.82, SD = 1.61, n = 44) than in the warm group "
    "(M = 5.64, SD = 1.52, n = 44).",
    [
        ["Candidate", "t(86)", "p", "d"],
        ["First", "2.46", ".016", "0.52"],
        ["Second", "−0.18", ".857", "−0.04"],
    ],
)
_TEN_NOTES = (
    "The same holds without two people who knew the candidate, F(1, 82) = 5.71, p = .019.",
    "We thank two readers for this suggestion (see also p. 12, and Figure 3).",
)
_ELEVEN = (
    (
        (50, 760, "SMALL GIFTS"),
        *_set(50, 720, """
Study 1. People who were given a pen tipped more (M = 2.31, SD = 0.84) than others (M = 1.95,
SD = 0.80), t(212) = 3.21, p = .002. The size of the pen did not matter, t(212) = 0.60, p = .549.
Study 2. A repeated-measures analysis showed an effect of week, F(2, 158) = 5.12, p = .007, and none
of weekday, F(4, 316) = 0.94, p = .441. The share who came back rose from 41% to 55%, chi2(1, N =
160) = 3.15, p = .076. Tips and visits were related, r(78) = .27, p = .015. The slope of visits was
b = 0.21, SE = 0.08, p = .009.
"""),
        *_row(560, "Week", "M", "SD", "F", "p"),
        (50, 520, "2 Numbers of visits are those of the till, not of people."),
    ),
)  # fmt: skip
_TWELVE = """\
4. Results

We first look at offers. In the treatment with names the mean offer was 4.12 euros, without 3.55
(t = 2.31, df = 58, p = .024). Offers did not depend on order (F(2,87)=1.10, p=.337), and men and
women offered alike (Mann-Whitney U = 512.5, p = .310). Rejections were rarer with names:
9 of 60 against 21 of 60, χ²(1) = 6.40, N = 120, p = .011. A rank test over the three sessions gives
H(2) = 7.90, p = .019; a sign test of changes z = −2.40, p = .016.

The 95% interval of the difference is [0.12, 1.02]; R2 is .31 and Cronbach's alpha .81. Power was
.80 for d = 0.4 (footnote 7, and p. 44 of the appendix). Figure 2 (a) shows all 120 offers.

    Table 5: Offers, by session

    Session    N     M      SD
    Monday     40    3.91   1.02
    Friday     80    4.01   1.13

    Notes: amounts in euros. The two do not differ, t(118) = 0.47, p = .638.
"""
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
    Paper(
        "nine", "pdf", (),
        ("t(138) = 3.41, p < .001", "F(1, 136) = 0.22, p = .640", "F(1, 136) = 1.87, p = .174",
         "61 of 96 of them stayed (binomial test, p = .010", "F(3, 134) = 1.05, p = .373",
         "r(138) = .34, p < .001", "t(94) = 2.77, p = .007", "t(94) = -0.45, p = .654", "z = 2.02, p = .043"),
        placed=_NINE,
    ),
    Paper(
        "ten", "docx", _TEN,
        ("χ²(1, N = 88) = 7.33, p = .007", "F(1, 84) = 6.05, p = .016", "t(86) = 2.46, p = .016",
         "t(86) = −0.18, p = .857", "F(1, 82) = 5.71, p = .019"),
        ((4.82, 1.61), (5.64, 1.52)),
        notes=_TEN_NOTES,
    ),
    Paper(
        "eleven", "pdf", (),
        ("t(212) = 3.21, p = .002", "t(212) = 0.60, p = .549", "F(2, 158) = 5.12, p = .007",
         "F(4, 316) = 0.94, p = .441", "chi2(1, N = 160) = 3.15, p = .076", "r(78) = .27, p = .015",
         "b = 0.21, SE = 0.08, p = .009"),
        ((2.31, 0.84), (1.95, 0.80)),
        placed=_ELEVEN,
    ),
    Paper(
        "twelve", "txt", (_TWELVE,),
        ("t = 2.31, df = 58, p = .024", "F(2,87)=1.10, p=.337", "U = 512.5, p = .310",
         "χ²(1) = 6.40, N = 120, p = .011", "H(2) = 7.90, p = .019", "z = −2.40, p = .016",
         "t(118) = 0.47, p = .638"),
        ((3.91, 1.02), (4.01, 1.13)),
    ),
)  # fmt: skip
