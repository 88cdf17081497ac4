"""The version of Concord and of the files it writes, in one place."""

__version__ = "0.1.0"
RESULT_FORMAT = 2
"""Version of the files of a result."""
