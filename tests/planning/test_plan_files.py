"""Plans are written and read back whole, and the document is the one that is printed."""

import json
from pathlib import Path
from typing import Any

import pytest

import concord

MIXED: dict[str, Any] = {"correlation": 0.6, "sd": 1, "se": 0.05, "person_cost": 5, "reply_cost": 0.01}


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("items", {"means": (0.7, 0.65), "calls": 4000, "cost_per_call": (0.001, 0.002)}),
        (
            "items",
            {"sd_between": 0.4, "effect": 0.1, "items": 90, "cluster_size": 5, "cluster_correlation": 0.2},
        ),
        ("structure", {"accuracy": 0.7}),
        ("participants", {"d": 0.4}),
        ("mixed", MIXED),
    ],
)
def test_a_plan_is_read_back_as_it_was_written(tmp_path: Path, kind: str, options: dict[str, Any]) -> None:
    plan = concord.plan(kind, **options)
    (path,) = plan.write(tmp_path)
    assert type(plan).read(tmp_path) == plan
    held = json.loads(path.read_text("utf-8"))
    printed = json.loads(json.dumps(plan.to_dict()))
    assert {key: held[key] for key in printed} == printed
