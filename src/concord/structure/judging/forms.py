"""The forms in which verdicts are recorded, recognised by a file's columns."""

from concord.errors import FileFormatError, listed
from concord.files.grids import plain_title
from concord.structure.judging.alpaca import alpaca_eval, alpaca_notes
from concord.structure.judging.ballots import Ballot, RowReader, VerdictForm
from concord.structure.judging.plain import fits_plain, fits_wide, plain_notes, plain_reader, wide_reader
from concord.structure.judging.published import (
    arena_choice,
    arena_hard,
    arena_hard_notes,
    fastchat_pair,
    fastchat_vote,
    judge_bench,
    judge_bench_notes,
    vote_notes,
)
from concord.structure.named_rows import NamedRows

FORMS = (
    VerdictForm(lambda keys: {"g1_winner", "g2_winner"} <= keys, lambda rows: fastchat_pair),
    VerdictForm(
        lambda keys: {"preference", "output_1", "output_2"} <= keys, lambda rows: alpaca_eval, alpaca_notes
    ),
    VerdictForm(lambda keys: {"games", "model"} <= keys, lambda rows: arena_hard, arena_hard_notes),
    VerdictForm(lambda keys: {"judgments", "pair_id"} <= keys, lambda rows: judge_bench, judge_bench_notes),
    VerdictForm(
        lambda keys: {"winner_model_a", "winner_model_b", "winner_tie", "id"} <= keys,
        lambda rows: arena_choice,
    ),
    VerdictForm(
        lambda keys: {"winner", "model_a", "model_b", "question_id"} <= keys and "order" not in keys,
        lambda rows: fastchat_vote,
        vote_notes,
    ),
    VerdictForm(fits_wide, wide_reader),
    VerdictForm(fits_plain, plain_reader, plain_notes),
)


def read_ballots(source: NamedRows, judge: str) -> tuple[list[Ballot], list[str]]:
    """Return the verdicts of a file, and what a user should know about how they were read."""
    form = _form_of(source)
    reader: RowReader = form.reader(source)
    rows = zip(source.rows, source.places, strict=True)
    ballots = [ballot for row, place in rows for ballot in reader(row, place, judge)]
    return ballots, [f"{source.name}: {told}" for told in form.notes(source.rows)]


def _form_of(source: NamedRows) -> VerdictForm:
    """Recognise the form of a file by its first row."""
    keys = frozenset(plain_title(str(key)) for key in source.rows[0])
    found = next((form for form in FORMS if form.fits(keys)), None)
    if found is None:
        raise FileFormatError(
            f"{source.places[0]}: found the columns {listed(sorted(keys))}; expected pair, order and "
            "verdict (first, second, tie) or winner (a, b, tie), or verdicts as FastChat, AlpacaEval, "
            "Arena-Hard or JudgeBench write them"
        )
    return found
