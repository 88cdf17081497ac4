"""Files of agreement with its own reasoning, checked: replies, vignettes and bias cases."""

from pathlib import Path

from concord.errors import LinesError
from concord.files.checked import FileCheck, FileKind


def check_reply_file(path: Path) -> FileCheck:
    """Check a file of replies."""
    from concord.reasoning.read.reply_files import check_replies

    try:
        found = check_replies(path)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="recorded replies")
    return FileCheck(str(path), tuple(map(str, found.problems)), found.warnings, found.counts, found.kind)


def check_samples(path: Path) -> FileCheck:
    """Check a file of vignettes."""
    from concord.reasoning.read.vignettes import read_samples

    try:
        found = read_samples(path)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="vignettes")
    without = sum(not row.gold_steps for row in found.rows)
    counts = {"vignettes": len(found.rows), "without gold steps": without}
    return FileCheck(str(path), (), (), counts, kind="vignettes")


def check_cases(path: Path) -> FileCheck:
    """Check a file of bias cases."""
    from concord.reasoning.read.vignettes import read_bias_cases

    try:
        found = read_bias_cases(path)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="bias cases")
    pairs = len({row.pair for row in found.rows if row.pair is not None})
    return FileCheck(str(path), (), (), {"cases": len(found.rows), "pairs": pairs}, kind="bias cases")


FILES = (
    FileKind(check_reply_file, suffixes=(".jsonl", ".ndjson"), field="response"),
    FileKind(check_samples, key="samples", field="gold_answer"),
    FileKind(check_cases, key="cases", field="bias_feature"),
)
