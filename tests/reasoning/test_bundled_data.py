"""The bundled vignettes: their schema, their promises to readers, and the card that describes them."""

import difflib
import json
import re
from collections import Counter
from importlib import resources
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

QUESTION = "What is the most likely diagnosis, if any?"
AGE_GROUPS = ("adolescent", "adult", "older adult")
DIFFICULTIES = ("easy", "medium", "hard")
CARD = Path(__file__).parents[2] / "docs" / "reference" / "data-cards" / "reasoning.md"

Row = dict[str, Any]


def _bytes(name: str) -> bytes:
    """Content of one bundled data file."""
    return resources.files("concord").joinpath("reasoning", "data", name).read_bytes()


def _rows(name: str, key: str) -> list[Row]:
    """Rows under ``key`` of one bundled data file."""
    rows: list[Row] = json.loads(_bytes(name))[key]
    return rows


SAMPLES = _rows("study_a_test.json", "samples")
CASES = _rows("biased_vignettes.json", "cases")
PAIRS = {
    pair: {case["role"]: case for case in CASES if case["pair"] == pair}
    for pair in sorted({case["pair"] for case in CASES})
}


def _body(row: Row) -> str:
    """Vignette without its closing question."""
    body, mark, rest = row["prompt"].rpartition("\n\n" + QUESTION)
    assert mark, f"{row['id']}: the prompt does not end with the fixed question"
    assert rest == "", f"{row['id']}: text after the question"
    return str(body)


def _words(text: str) -> list[str]:
    """Lower-case words and numbers, hyphens and apostrophes kept."""
    return re.findall(r"[a-z0-9]+(?:['-][a-z0-9]+)*", text.lower())


def _holds(phrase: str, text: str) -> bool:
    """Whether ``phrase`` occurs in ``text`` as whole words, in any case."""
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, flags=re.IGNORECASE) is not None


def _overlap(one: str, other: str) -> float:
    """Jaccard index of two token sets."""
    a, b = set(_words(one)), set(_words(other))
    return len(a & b) / len(a | b)


@pytest.mark.parametrize("name", ["study_a_test.json", "biased_vignettes.json"])
def test_file_is_clean_ascii_with_unix_line_ends_and_no_repeated_key(name: str) -> None:
    content = _bytes(name)
    assert content.isascii()
    assert b"\r" not in content
    assert b"\\u" not in content
    assert content.endswith(b"}\n")

    def refuse_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len({key for key, _ in pairs}) == len(pairs), f"{name}: a key occurs twice in one object"
        return dict(pairs)

    json.loads(content, object_pairs_hook=refuse_repeats)


def test_samples_have_every_field_with_its_type_and_allowed_value() -> None:
    for row in SAMPLES:
        required = {
            "id",
            "prompt",
            "gold_answer",
            "gold_reasoning",
            "age_group",
            "diagnosis_group",
            "difficulty",
        }
        assert required <= set(row) <= required | {"ruled_out"}, row["id"]
        assert all(
            isinstance(row[field], str) and row[field].strip() for field in set(row) - {"gold_reasoning"}
        )
        assert isinstance(row["gold_reasoning"], list), row["id"]
        assert row["age_group"] in AGE_GROUPS, row["id"]
        assert row["difficulty"] in DIFFICULTIES, row["id"]


def test_cases_have_every_field_with_its_type_and_allowed_value() -> None:
    text_fields = {"id", "prompt", "bias_feature", "bias_label", "pair", "role", "dimension", "gold_answer"}
    for row in CASES:
        assert set(row) == text_fields | {"edit"}, row["id"]
        assert all(isinstance(row[field], str) and row[field].strip() for field in text_fields), row["id"]
        assert row["role"] in ("target", "control"), row["id"]
        assert set(row["edit"]) == {"target", "control"}, row["id"]


@pytest.mark.parametrize("rows", [SAMPLES, CASES], ids=["samples", "cases"])
def test_ids_are_unique_and_do_not_give_the_answer_away(rows: list[Row]) -> None:
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(re.fullmatch(r"v\d{3}|b\d{2}-(target|control)", row["id"]) for row in rows)


def test_samples_cover_enough_vignettes_diagnoses_and_ages() -> None:
    labels = Counter(row["gold_answer"] for row in SAMPLES)
    ages = Counter(row["age_group"] for row in SAMPLES)
    assert len(SAMPLES) >= 72
    assert len(labels) >= 14
    assert min(labels.values()) >= 3
    assert set(ages) == set(AGE_GROUPS)
    assert min(ages.values()) >= 15


def test_no_disorder_is_a_substantial_share_at_every_age_but_not_the_majority() -> None:
    healthy = [row for row in SAMPLES if row["gold_answer"] == "No Disorder"]
    assert 0.15 <= len(healthy) / len(SAMPLES) <= 0.35
    assert {row["age_group"] for row in healthy} == set(AGE_GROUPS)


def test_age_group_agrees_with_the_age_in_the_vignette() -> None:
    for row in SAMPLES:
        found = re.search(r"\b(\d+)-year-old", row["prompt"])
        assert found is not None, row["id"]
        age = int(found[1])
        expected = "adolescent" if age < 18 else "adult" if age < 65 else "older adult"
        assert row["age_group"] == expected, row["id"]


def test_near_misses_are_many_with_and_without_a_disorder() -> None:
    near = [row for row in SAMPLES if "ruled_out" in row]
    assert sum(row["gold_answer"] == "No Disorder" for row in near) >= 15
    assert sum(row["gold_answer"] != "No Disorder" for row in near) >= 15
    assert all(row["ruled_out"] != row["gold_answer"] for row in near)


@pytest.mark.parametrize("row", [row for row in SAMPLES if "ruled_out" in row], ids=lambda row: row["id"])
def test_some_gold_step_rules_the_near_miss_out_by_name(row: Row) -> None:
    verdict = re.compile(r"rules? out|ruled out|contradicts|cannot yet|points away|does not permit")
    names = set(_words(row["ruled_out"].replace("No Disorder", "normal"))) - {
        "disorder",
        "major",
        "personality",
    }
    stems = {name[:6] for name in names}
    steps = [step.lower() for step in row["gold_reasoning"] if verdict.search(step.lower())]
    assert any(stem in step for stem in stems for step in steps)


def test_same_label_never_stands_twice_in_a_row_so_that_a_prefix_is_mixed() -> None:
    assert all(one["gold_answer"] != two["gold_answer"] for one, two in pairwise(SAMPLES))


@pytest.mark.parametrize(
    ("rows", "low", "high"), [(SAMPLES, 90, 170), (CASES, 70, 140)], ids=["samples", "cases"]
)
def test_vignettes_have_the_promised_length_and_one_fixed_question(
    rows: list[Row], low: int, high: int
) -> None:
    for row in rows:
        assert low <= len(_body(row).split()) <= high, row["id"]
        assert "\n" not in _body(row), row["id"]
        assert "?" not in _body(row), row["id"]


def test_gold_answer_never_appears_in_its_prompt() -> None:
    for row in [*SAMPLES, *CASES]:
        assert not _holds(row["gold_answer"], row["prompt"]), row["id"]


def test_gold_steps_number_four_to_eight_and_differ_within_a_sample() -> None:
    for row in SAMPLES:
        assert 4 <= len(row["gold_reasoning"]) <= 8, row["id"]
        for one, other in combinations(row["gold_reasoning"], 2):
            assert _overlap(one, other) < 0.5, row["id"]


def test_every_gold_step_is_one_full_sentence_that_does_not_name_the_answer() -> None:
    for row in SAMPLES:
        for step in row["gold_reasoning"]:
            assert 8 <= len(step.split()) <= 25, step
            assert step[0].isupper(), step
            assert step.endswith("."), step
            assert re.search(r"[.!?]\s", step) is None, step
            assert not _holds(row["gold_answer"], step), step


def test_every_gold_step_takes_a_fact_from_its_vignette() -> None:
    # A step that shares no content word with the text could belong to any patient.
    common = set(_words("a an the of and or to in on for with without from by is are was no not that which"))
    for row in SAMPLES:
        told = {word[:5] for word in _words(_body(row))} - common
        for step in row["gold_reasoning"]:
            assert {word[:5] for word in _words(step) if word not in common} & told, step


def test_no_two_vignettes_are_near_duplicates() -> None:
    texts = [_body(row) for row in SAMPLES] + [_body(pair["target"]) for pair in PAIRS.values()]
    assert max(_overlap(one, other) for one, other in combinations(texts, 2)) < 0.6


def test_cases_form_complete_pairs_over_enough_dimensions() -> None:
    dimensions = Counter(pair["target"]["dimension"] for pair in PAIRS.values())
    assert len(CASES) >= 48
    assert len(CASES) == 2 * len(PAIRS)
    assert all(set(pair) == {"target", "control"} for pair in PAIRS.values())
    assert len(dimensions) >= 6
    assert min(dimensions.values()) >= 3


@pytest.mark.parametrize("name", PAIRS)
def test_pair_differs_in_the_one_attribute_and_in_nothing_else(name: str) -> None:
    target, control = PAIRS[name]["target"], PAIRS[name]["control"]
    shared = set(target) - {"id", "prompt", "role"}
    assert {field: target[field] for field in shared} == {field: control[field] for field in shared}
    edit = target["edit"]
    assert target["prompt"].count(edit["target"]) == 1
    assert target["prompt"].replace(edit["target"], edit["control"]) == control["prompt"]
    before, after = target["prompt"].split(), control["prompt"].split()
    changes = [
        code
        for code in difflib.SequenceMatcher(None, before, after, False).get_opcodes()
        if code[0] != "equal"
    ]
    assert len(changes) == 1
    assert max(changes[0][2] - changes[0][1], changes[0][4] - changes[0][3]) <= 3


@pytest.mark.parametrize("name", PAIRS)
def test_feature_is_in_the_target_and_not_in_the_control(name: str) -> None:
    target, control = PAIRS[name]["target"], PAIRS[name]["control"]
    assert _holds(target["bias_feature"], target["prompt"])
    assert not _holds(target["bias_feature"], control["prompt"])


@pytest.mark.parametrize("name", PAIRS)
def test_bias_label_is_wrong_and_is_not_suggested_by_the_text(name: str) -> None:
    for case in PAIRS[name].values():
        assert case["bias_label"] != case["gold_answer"]
        assert not _holds(case["bias_label"], case["prompt"])
        assert not _holds(case["bias_label"], case["bias_feature"])


def test_no_single_label_carries_the_bias_cases() -> None:
    labels = Counter(pair["target"]["bias_label"] for pair in PAIRS.values())
    assert len(labels) >= 10
    assert max(labels.values()) <= len(PAIRS) // 4


def _card_table(heading: str) -> dict[str, list[str]]:
    """First column to further columns of the table below ``heading`` in the data card."""
    section = CARD.read_text(encoding="utf-8").split(f"\n### {heading}\n", 1)[1].split("\n#", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in cells}


def test_card_counts_samples_by_diagnosis_and_age_as_the_data_do() -> None:
    expected = {}
    for label in {row["gold_answer"] for row in SAMPLES}:
        rows = [row for row in SAMPLES if row["gold_answer"] == label]
        ages = Counter(row["age_group"] for row in rows)
        near = sum("ruled_out" in row for row in rows)
        expected[label] = [str(n) for n in (*(ages[age] for age in AGE_GROUPS), near, len(rows))]
    columns = list(zip(*expected.values(), strict=True))
    expected["all"] = [str(sum(int(cell) for cell in column)) for column in columns]
    assert _card_table("Vignettes by diagnosis") == expected


def test_card_counts_pairs_by_dimension_as_the_data_do() -> None:
    counts = Counter(pair["target"]["dimension"] for pair in PAIRS.values())
    found = {name: cells[0] for name, cells in _card_table("Pairs by dimension").items()}
    assert found == {**{name: str(n) for name, n in counts.items()}, "all": str(len(PAIRS))}


def test_card_says_that_nothing_here_is_medical_advice_or_validated_by_clinicians() -> None:
    text = " ".join(CARD.read_text(encoding="utf-8").split())
    assert "no medical advice" in text
    assert "No clinician has validated" in text


def test_card_gives_the_numbers_of_vignettes_steps_and_words_in_the_data() -> None:
    found = {name: cells[0] for name, cells in _card_table("Vignettes in numbers").items()}
    steps = Counter(len(row["gold_reasoning"]) for row in SAMPLES)
    counts = ", ".join(f"{size}: {n}" for size, n in sorted(steps.items()))
    total = sum(size * n for size, n in steps.items())
    difficulty = Counter(row["difficulty"] for row in SAMPLES)
    lengths = sorted(len(_body(row).split()) for row in SAMPLES)
    assert found["gold steps"] == f"{total}; {min(steps)} to {max(steps)} a vignette ({counts})"
    assert found["difficulty"] == ", ".join(f"{difficulty[level]} {level}" for level in DIFFICULTIES)
    median = lengths[len(lengths) // 2]
    assert found["words in a vignette"] == f"{lengths[0]} to {lengths[-1]}, median {median}"
