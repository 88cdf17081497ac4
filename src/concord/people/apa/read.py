"""Reported statistics, such as ``F(1, 312) = 49.1, p < .001``: read, found in a text, checked."""

from concord.people.apa.check import check_apa
from concord.people.apa.parse import ApaScan, find_apa, parse_apa, scan_apa
from concord.people.apa.records import ApaCheck, ApaResult

__all__ = ["ApaCheck", "ApaResult", "ApaScan", "check_apa", "find_apa", "parse_apa", "scan_apa"]
