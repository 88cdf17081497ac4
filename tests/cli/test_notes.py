"""Notes on the terminal: one cause once, colour only where the terminal has it."""

import io

import pytest

from concord.cli.shared import _coloured, one_cause_once


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_that_nobody_asked_to_be_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = "warning: row 3 has no n"
    shown = _coloured(text, _Terminal())
    assert shown == "\x1b[33mwarning:\x1b[0m row 3 has no n"
    assert _coloured(text, io.StringIO()) == text
    monkeypatch.setenv("TERM", "dumb")
    assert _coloured(text, _Terminal()) == text
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert _coloured(text, _Terminal()) == text


def test_a_cause_that_names_what_it_hit_is_one_cause() -> None:
    some = [
        f"framing, F{i}, a bet: no agent side: no readable answer to {q} from 3 asked"
        for i, q in enumerate("abc")
    ]
    assert one_cause_once(some) == [f"{some[0]} (and 2 more like it)"]


def test_two_warnings_of_a_cause_are_told_and_more_are_counted() -> None:
    some = [f"t.csv, row {i}, column 'n': got '{i}x', expected a number" for i in range(1, 18)]
    assert one_cause_once(some[:2]) == some[:2]
    assert one_cause_once([*some, "another"]) == [
        f"{some[0]} (and 16 more like it: row 2, row 3, row 4, …)",
        "another",
    ]
