"""What a model said, read by one reader for all questions: an answer, or an honest "cannot be read"."""

from concord.reading.read import read_reply
from concord.reading.records import HOWS, Reading, ReadOutcome
from concord.reading.stored import StoredReading, read_readings, stored_reading, trial_name, write_readings

__all__ = [
    "HOWS",
    "ReadOutcome",
    "Reading",
    "StoredReading",
    "read_readings",
    "read_reply",
    "stored_reading",
    "trial_name",
    "write_readings",
]
