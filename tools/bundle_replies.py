"""Bundle the replies of a finished run of the embedded model: ``python tools/bundle_replies.py FOLDER``.

What the run was laid out with, apart from defaults, follows as JSON, so that it can be laid out again:
``python tools/bundle_replies.py runs/structure '{"arrangements": 6, "repeats": 2}'``.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.asking.folder import StoredRun, read_run
from concord.asking.journal import line_bytes
from concord.asking.recorded import BUNDLED

ROOMS = Path(__file__).resolve().parents[1] / "src" / "concord"
KEPT = ("key", "id", "mode", "repeat", "status", "outcome", "response", "stop_reason", "error", "usage")


def bundle(stored: StoredRun, design: Mapping[str, Any], folder: Path) -> None:
    """Write the record of a run and its replies in the compact form that `bundled_run` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {**stored.record, "design": dict(design)}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    folder.joinpath(f"{BUNDLED}.run.json").write_text(text + "\n", encoding="utf-8")
    rows = ({name: row[name] for name in KEPT if row.get(name) is not None} for row in stored.rows)
    folder.joinpath(f"{BUNDLED}.jsonl").write_bytes(b"".join(map(line_bytes, rows)))


def main() -> None:
    """Put the run of the first argument in its package."""
    stored = read_run(Path(sys.argv[1]))
    design = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    bundle(stored, design, ROOMS / stored.record["suite"] / "data" / "recorded")


if __name__ == "__main__":
    main()
