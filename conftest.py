"""What pytest leaves alone: modules that import Inspect, which may not be installed."""

collect_ignore_glob = ["src/concord/running/live/*.py"]
