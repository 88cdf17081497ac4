"""A kind of result is declared once: everything that stores or shows it follows, and nothing is forgotten."""

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from concord.errors import FileFormatError, OptionError
from concord.kinds import FILE, SCREENS, Column, Kind, PictureOf, Table, asked_words
from concord.records import Estimate, Interval, Provenance
from concord.show import plots
from concord.show.declared import report_of
from concord.show.page.declared import all_pictures, script_tables, shown_result, shown_results
from concord.show.svg import Picture
from concord.show.terminal import drawn, fitting


@dataclass(frozen=True, slots=True)
class Tone:
    """How warm one model sounds."""

    model: str
    warmth: Estimate
    n_words: int
    p: float | None = None


TONES = Table(
    "tones",
    rows=lambda result: result.tones,
    title="How warm each model sounds",
    file="tones.csv",
    columns=(
        Column("model", words=True),
        Column("warmth", spread={"warmth": "value", "low": "low", "high": "high", "n": "n"}),
        Column("n_words", title="words", count=True),
        Column("p", p=True),
        Column("twice", lambda one: one.n_words * 2, on=(FILE,)),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class ToneResult(Kind):
    """A small kind of its own."""

    FORMAT, FILE, KEY = "tone result", "tone.json", "tones"
    QUESTION, SECTION, HEADING = "people", "tone", "Tone"
    TABLES = (TONES,)

    tones: tuple[Tone, ...]

    def who(self) -> Sequence[str]:
        """Return the models."""
        return [one.model for one in self.tones]

    def sentences(self) -> Sequence[str]:
        """Return what was found."""
        return [f"{len(self.tones)} models were listened to."]

    def paragraph(self, concord: str) -> str:
        """Return how it was made."""
        return f"Tone was scored with {concord}."


def _tones(level: float = 0.8) -> ToneResult:
    warm = Estimate(0.4321, Interval(0.3012, 0.5598, level, "t"), n=17)
    cold = Estimate(None, n=0, note="no readable answer")
    return ToneResult((Tone("a", warm, 1234, 0.0004), Tone("b<i>", cold, 7)))


def _terminal(result: Kind) -> str:
    return drawn(fitting(report_of(result)), width=160)


def _paper(result: Kind) -> str:
    names = [one.name for one in result.TABLES if one.shown("paper")]
    return "\n".join(result.table(name).to_markdown() for name in names)


def test_a_new_kind_is_written_and_read_back(tmp_path: Path) -> None:
    result = _tones()
    assert [path.name for path in result.write(tmp_path)] == ["tone.json", "tones.csv"]
    assert ToneResult.read(tmp_path) == result
    rows = (tmp_path / "tones.csv").read_text("utf-8").splitlines()
    assert rows[:2] == [
        "model,warmth,low,high,n,n_words,p,twice",
        "a,0.4321,0.3012,0.5598,17,1234,0.0004,2468",
    ]
    assert result.to_frame().shape == (2, 8)
    assert json.loads((tmp_path / "tone.json").read_text("utf-8"))["format"] == "concord tone result"


def test_every_screen_has_the_numbers_their_level_and_the_reason_of_a_dash() -> None:
    result = _tones()
    page = str(shown_results([result])).replace("−", "-")
    for shown in (_terminal(result), result._repr_html_(), repr(result), page, _paper(result)):
        for said in ("0.43", "[0.30, 0.56]", "1,234", "< .001", "80 %", "no readable answer"):
            assert said in shown.replace("&lt;", "<").replace("\\", ""), (said, shown)
        assert "95 %" not in shown
        assert "2,468" not in shown
    assert "<i>" not in page
    assert result.methods().startswith("Tone was scored with Concord")


def test_what_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is no picture of a ToneResult"):
        _tones().plot()
    with pytest.raises(OptionError, match="no table 'x' of a ToneResult; expected headline or one of tones"):
        _tones().table("x")
    with pytest.raises(FileFormatError, match=r"tone\.json"):
        ToneResult.read(tmp_path)


def test_a_result_without_rows_shows_no_empty_table() -> None:
    assert "How warm" not in _terminal(ToneResult(()))
    assert "<table" not in shown_results([ToneResult(())])


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Return every field of a record that holds a number, by the names that lead to it."""
    if is_dataclass(value) and not isinstance(value, type):
        for one in dataclasses.fields(value):
            yield from _leaves(getattr(value, one.name), f"{path}.{one.name}".strip("."))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _leaves(one, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _columns_of(kind: type[Kind], surface: str) -> set[str]:
    return {column.name for table in kind.TABLES if table.shown(surface) for column in table.columns}


@pytest.mark.parametrize("surface", SCREENS)
def test_a_number_of_a_row_that_no_column_shows_is_found(surface: str) -> None:
    fields = {path.split(".")[1] for path, _ in _leaves(_tones()) if "." in path}
    assert fields - {"model"} <= _columns_of(ToneResult, surface)


def test_a_section_counts_its_results() -> None:
    assert shown_result(_tones(), 3).count("tone-tones-3") == 1


def test_counts_and_p_values_on_the_page_can_be_sorted_as_numbers() -> None:
    page = shown_results([_tones()])
    assert 'data-v="1234">1,234<' in page
    assert 'data-v="0.0004">&lt; .001<' in page


def test_a_number_without_an_interval_says_why() -> None:
    bare = ToneResult((Tone("a", Estimate(0.4, n=2, note="no interval: 2 texts"), 7),))
    for shown in (_terminal(bare), _paper(bare), shown_result(bare, 0)):
        assert "Without an interval: warmth (2 texts)." in shown


def test_only_a_few_of_many_reasons_are_said() -> None:
    tones = tuple(Tone(f"m{i}", Estimate(None, note=f"reason {i}"), 7) for i in range(9))
    assert "warmth (reason 5); and 3 more reasons." in _terminal(ToneResult(tones))


def _bar_of(result: ToneResult, *, agent: str | None = None) -> Picture:
    return plots.intervals(
        "tone", f"Tone of {agent}", [plots.Mark("x", 0.4, Interval(0.3, 0.5, 0.8, ""))], label="w"
    )


def test_pictures_of_each_agent_are_drawn_of_each_and_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "tone_bar", _bar_of, raising=False)
    drawn_of = PictureOf("bar", "plots.tone_bar", each=lambda result: result.who())
    monkeypatch.setattr(ToneResult, "PICTURES", (drawn_of,))
    page = shown_result(_tones(), 0)
    assert page.count("<details>") == 2
    assert "Tone of a" in page and "Tone of b&lt;i&gt;" in page
    assert "Lines are 80 % intervals." in page and "95 %" not in page
    assert [one.name for one in all_pictures([_tones()])] == ["tone", "tone-2"]


def test_details_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToneResult, "TABLES", (dataclasses.replace(TONES, folded=True),))
    assert "<summary>How warm each model sounds</summary>" in shown_result(_tones(), 0)


def test_a_column_has_a_sign_in_the_rows_that_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    column = Column("warmth", signed=lambda row: row.model == "a")
    monkeypatch.setattr(ToneResult, "TABLES", (Table("t", lambda result: result.tones, (column,)),))
    both = ToneResult((Tone("a", Estimate(0.4), 7), Tone("b", Estimate(0.3), 7)))
    for shown in (_terminal(both), _paper(both)):
        assert "+0.40" in shown and "0.30" in shown and "+0.30" not in shown


def test_rows_decide_further_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    def words_of(name: str, row: Tone) -> int | None:
        return row.n_words if row.model == name else None

    def by_model(rows: Sequence[Tone]) -> list[Column]:
        return [Column(f"of {one.model}", partial(words_of, one.model)) for one in rows]

    monkeypatch.setattr(ToneResult, "TABLES", (dataclasses.replace(TONES, further=by_model),))
    for shown in (_terminal(_tones()), _paper(_tones()), shown_result(_tones(), 0)):
        assert "of a" in shown
    assert _tones().to_frame().columns[-2:] == ["of a", "of b<i>"]


def test_the_script_shows_every_row_of_a_long_table(monkeypatch: pytest.MonkeyPatch) -> None:
    many = ToneResult(tuple(Tone(f"m{i}", Estimate(i / 100, Interval(0, 1, 0.9, "")), i) for i in range(60)))
    monkeypatch.setattr(ToneResult, "TABLES", (dataclasses.replace(TONES, scripted=True),))
    made = script_tables(many, 0)["tone-tones-0"]
    kinds = {column["key"]: column["kind"] for column in made["columns"]}
    assert made["n"] == 60
    assert kinds == {
        "model": "text", "warmth": "number", "warmth_low": "number", "warmth_high": "number",
        "n_words": "count", "p": "p",
    }  # fmt: skip
    page = shown_result(many, 0)
    assert 'data-table="tone-tones-0"' in page and "m59" not in page and "Intervals: 90 %." in page
    assert script_tables(_tones(), 0) == {} and "<bdi>a</bdi>" in shown_result(_tones(), 0)


def _bar_of_all(results: ToneResult | Sequence[ToneResult]) -> Picture:
    several = [results] if isinstance(results, ToneResult) else results
    return plots.intervals("tone", f"Tone of {len(several)}", [plots.Mark("x", 0.4)], label="w")


def test_several_results_share_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "tone_all", _bar_of_all, raising=False)
    monkeypatch.setattr(ToneResult, "PICTURES", (PictureOf("all", "plots.tone_all", shared=True),))
    assert "Tone of 1" in shown_results([_tones()])
    page = shown_results([_tones(), _tones()])
    assert page.count("Tone of 2</p>") == 1 and "Tone of 1" not in page
    assert [one.title for one in all_pictures([_tones(), _tones()])] == ["Tone of 2"]


def test_a_table_is_taken_by_its_name_and_the_first_file_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Table("words", lambda result: result.tones, (Column("model"), Column("n_words")))
    monkeypatch.setattr(ToneResult, "TABLES", (words, TONES))
    result = _tones()
    assert result.to_frame("words").rows() == [("a", 1234), ("b<i>", 7)]
    assert result.to_frame("tones").columns[:2] == ["model", "warmth"]
    assert result.to_frame().equals(result.to_frame("tones"))  # the other has no file
    with pytest.raises(
        OptionError, match="there is no table 'x' of a ToneResult; expected one of words, tones"
    ):
        result.to_frame("x")


def test_an_optional_table_leaves_no_file_of_an_earlier_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ToneResult, "TABLES", (dataclasses.replace(TONES, optional=True),))
    assert [path.name for path in _tones().write(tmp_path)] == ["tone.json", "tones.csv"]
    assert [path.name for path in ToneResult(()).write(tmp_path)] == ["tone.json"]
    assert not (tmp_path / "tones.csv").exists()


def test_settings_that_are_numbers_are_said_with_the_model() -> None:
    made = Provenance(model_settings={"temperature": 0.5, "max_tokens": 20, "stream": True, "stop": "x"})
    assert asked_words("gpt", made) == " gpt was asked with temperature 0.5, max tokens 20."
    assert asked_words(None, made).startswith(" The model was asked with")
    assert asked_words("gpt", None) == ""
    assert asked_words("gpt", Provenance(model_settings={"stream": True})) == ""


def _every_kind(kind: type[Kind] = Kind) -> Iterator[type[Kind]]:
    for one in kind.__subclasses__():
        yield one
        yield from _every_kind(one)


def test_a_level_that_nobody_names_is_the_usual_one() -> None:
    import concord.reports  # noqa: F401 - declares the kinds

    kinds: list[Any] = [kind for kind in _every_kind() if is_dataclass(kind)]
    held = (one for kind in kinds for one in dataclasses.fields(kind))
    defaults = [one.default for one in held if one.name == "level" and one.default is not dataclasses.MISSING]
    assert len(defaults) > 5 and set(defaults) == {0.95}


def test_screens_show_no_more_digits_than_numbers_carry() -> None:
    """Two or three; tenths of degrees of freedom; four of standard errors and in structure."""
    import concord.reports  # noqa: F401 - declares the kinds

    for kind in _every_kind():
        fine = kind.__module__.startswith("concord.structure")
        for column in (column for table in kind.TABLES for column in table.columns):
            most = 4 if fine or column.name.startswith("se_") else 3
            assert column.digits <= most, (kind, column.name)
            assert column.ends is None or column.ends < column.digits, (kind, column.name)
            assert (column.digits == 1) == (column.name == "df"), (kind, column.name)
            assert column.digits > 0 or column.name in ("effective_people", "worth"), (kind, column.name)
