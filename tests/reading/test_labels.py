"""Names as answers: of a list under any of their names, or outside it; written before the reader saw them."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from concord.reading import Reading, ReadOutcome, read_reply
from tests.pace import allowed

LABELS = {
    "Major Depressive Disorder": ["MDD", "major depression"],
    "Persistent Depressive Disorder": ["dysthymia"],
    "Generalized Anxiety Disorder": ["GAD", "广泛性焦虑障碍"],
    "Social Anxiety Disorder": ["social phobia", "SAD"],
    "Post-Traumatic Stress Disorder": ["PTSD"],
    "Acute Stress Disorder": [],
    "Obsessive-Compulsive Disorder": ["OCD", "强迫症", "Zwangsstörung"],
    "Panic Disorder": ["trouble panique", "trastorno de pánico"],
    "Bipolar Disorder": ["bipolar"],
    "Bipolar II Disorder": ["bipolar ii"],
    "Borderline Personality Disorder": [],
    "Adjustment Disorder": [],
    "Schizophrenia": [],
    "Schizoaffective Disorder": [],
    "Brief Psychotic Disorder": [],
    "Cyclothymic Disorder": ["cyclothymia"],
    "Delirium": [],
    "Alcohol Use Disorder": [],
    "Illness Anxiety Disorder": [],
    "Attention-Deficit/Hyperactivity Disorder": ["ADHD"],
    "Autism Spectrum Disorder": ["autism", "ASD"],
    "Anorexia Nervosa": [],
    "Bulimia Nervosa": [],
    "Specific Phobia": [],
    "Prolonged Grief Disorder": [],
    "Major Neurocognitive Disorder": ["dementia"],
    "No Disorder": ["no diagnosis", "no mental disorder", "normal grief"],
}
ROWS = [json.loads(line) for line in (Path(__file__).parent / "labels.jsonl").read_text("utf-8").splitlines()]
OUTCOMES = ("refused", "several", "truncated")


def is_right(reading: Reading, expected: Any) -> bool:
    if isinstance(expected, dict):
        wanted = str(expected.get("other", expected.get("other_or"))).casefold()
        own = "other_or" in expected and reading.value == expected["other_or"]
        return reading.ok and (own or (reading.other and wanted in str(reading.value).casefold()))
    if expected == "none":
        return not reading.ok
    return str(reading.outcome) == expected if expected in OUTCOMES else reading.value in expected.split("|")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["reply"])[:40])
def test_replies_about_a_vignette_are_read_as_a_careful_person_reads_them(row: dict[str, Any]) -> None:
    assert is_right(read_reply(row["reply"], labels=LABELS), row["expected"])


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Diagnosis: generalised anxiety disorders", "Generalized Anxiety Disorder"),
        ("DIAGNOSIS: POSTTRAUMATIC STRESS DISORDER", "Post-Traumatic Stress Disorder"),
        ("Answer: it's anorexia nervosa and not bulimia nervosa.", "Anorexia Nervosa"),
        ("Diagnosis: not bipolar disorder but major depression", "Major Depressive Disorder"),
        (
            "**Diagnosis:** MDD\n\nHmm, a week without sleep.\n\n**Revised diagnosis:** bipolar",
            "Bipolar Disorder",
        ),
        ("Primary diagnosis: GAD\nSecondary diagnosis: Panic Disorder", "Generalized Anxiety Disorder"),
        ("Answer: SAD (social anxiety disorder)", "Social Anxiety Disorder"),
        ("| Diagnosis | Delirium |\n| Confidence | high |", "Delirium"),
        ('{"result": {"primary_diagnosis": {"name": "Delirium"}, "ruled_out": ["Dementia"]}}', "Delirium"),
        ("She meets the criteria for panic disorder.", "Panic Disorder"),
        ("DIAGNOSIS: None. Her grief is what anybody would feel.", "No Disorder"),
    ],
)
def test_a_name_is_found_in_every_dress(reply: str, value: str) -> None:
    assert read_reply(reply, labels=LABELS).value == value


@pytest.mark.parametrize(
    "reply",
    [
        "DIAGNOSIS: a misdiagnosis of panic disorder",
        "Diagnosis: rule out schizophrenia",
        "Possible diagnoses:\n- GAD\n- Panic disorder\n- Social anxiety disorder",
        "### Step-by-step reasoning and diagnosis\nPanic disorder needs attacks without a cue.",
        "Self-diagnosis: ADHD",
        "Diagnosis considerations: panic disorder, delirium",
        "DIAGNOSIS: undetermined",
        "Mood changes might suggest dementia, but they are also consistent with delirium.",
        "I doubt that this is panic disorder.",
        "His doctor said that the diagnosis is delirium.",
        "The previous diagnosis was delirium.",
        "The diagnosis is straightforward.",
        "The decision is yours.",
        "DIAGNOSIS: DIAGNOSIS:",
    ],
)
def test_what_is_no_answer_is_none(reply: str) -> None:
    assert not read_reply(reply, labels=LABELS).ok


def test_two_names_are_several_and_a_name_outside_the_list_alone_is_an_answer() -> None:
    assert read_reply("Diagnosis: MDD and GAD", labels=LABELS).outcome is ReadOutcome.SEVERAL
    assert read_reply("DIAGNOSIS: gout or pseudogout", labels=["Gout"]).outcome is ReadOutcome.SEVERAL
    reading = read_reply("Codependency", labels=LABELS)
    assert (reading.value, reading.other, reading.how) == ("Codependency", True, "bare")


def test_a_long_reply_of_blanks_after_a_mark_is_read_at_once() -> None:
    begun = time.process_time()
    assert not read_reply("DIAGNOSIS" + " \t" * 20_000, labels=LABELS).ok
    assert time.process_time() - begun < allowed(2)
