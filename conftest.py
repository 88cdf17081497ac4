"""What pytest leaves alone: modules that import Inspect, which may not be installed, and live demos."""

import os

from hypothesis import settings

# Machines are busy: how long an example takes says nothing about the code.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

# Pages and tests that run `concord demo` get the bundled replies, whatever is installed.
os.environ.setdefault("CONCORD_RECORDED", "1")

collect_ignore_glob = ["src/concord/asking/inspect/*.py"]
