"""What a model said, read by one reader for all questions: an answer, or an honest "cannot be read"."""

from concord.reading.read import read_reply
from concord.reading.records import HOWS, Reading, ReadOutcome, StoredReading
from concord.reading.several import named_parts, read_replies
from concord.reading.stored import read_readings, stored_reading, trial_name, write_readings
from concord.reading.text import split_thinking

__all__ = [
    "HOWS",
    "ReadOutcome",
    "Reading",
    "StoredReading",
    "named_parts",
    "read_readings",
    "read_replies",
    "read_reply",
    "split_thinking",
    "stored_reading",
    "trial_name",
    "write_readings",
]
