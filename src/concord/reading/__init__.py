"""What a model said, read by one reader for all questions: an answer, or an honest "cannot be read"."""

from concord.reading.read import read_reply
from concord.reading.records import HOWS, Reading, ReadOutcome

__all__ = ["HOWS", "ReadOutcome", "Reading", "read_reply"]
