"""A study in words: what its participants read."""

from tests.people.studies.small import STUDY

from concord.people.studies.describe import prompts
from concord.people.studies.load import read_study


def test_what_a_participant_reads_is_written_once_with_answers_in_the_middle() -> None:
    said = prompts(read_study(STUDY.encode(), name="coins.yaml"))
    cells = said.split("\n\n=== ")
    assert [cell.removeprefix("=== ").partition("\n")[0] for cell in cells] == ["toss, gold", "toss, iron"]
    for cell, word in zip(cells, ("golden", "rusty"), strict=True):
        assert cell.count(f"You see a {word} coin.") == cell.count("You said heads.") == 1
        assert [line for line in cell.splitlines() if line.startswith("[reply]")] == [
            "[reply] A",
            "[reply] 50",
        ]
        assert cell.count("[system]") <= 1
