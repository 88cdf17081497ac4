"""What pytest leaves alone: modules that import Inspect, which may not be installed, and live demos."""

import os

# Pages and tests that run `concord demo` get the bundled replies, whatever is installed.
os.environ.setdefault("CONCORD_RECORDED", "1")

collect_ignore_glob = ["src/concord/running/live/*.py"]
