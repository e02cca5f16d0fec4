"""Counts of what the server has done, in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter

from panparser.server.limits import AdmissionController

_HELP = {
    "requests_total": ("counter", "Requests that were answered, by path and code."),
    "words_total": ("counter", "Words that were processed."),
    "received_bytes_total": ("counter", "Bytes of bodies that were received."),
    "seconds_total": ("counter", "Seconds from the first to the last byte of requests, all together."),
    "left_total": ("counter", "Clients that left before their answer was complete."),
    "requests": ("gauge", "Requests that are in."),
    "working": ("gauge", "Requests that are processed."),
    "held_bytes": ("gauge", "Bytes of bodies that are in memory."),
}


class Metrics:
    """Counted in the thread of the event loop, so without a lock."""

    def __init__(self, house: AdmissionController) -> None:
        self._house = house
        self.answers: Counter[tuple[str, int]] = Counter()
        self.words = self.received = self.left = 0
        self.seconds = 0.0

    def __str__(self) -> str:
        values = {
            "words_total": self.words,
            "received_bytes_total": self.received,
            "seconds_total": round(self.seconds, 6),
            "left_total": self.left,
            "requests": self._house.requests,
            "working": self._house.working,
            "held_bytes": self._house.held,
        }
        lines = []
        for name, (kind, text) in _HELP.items():
            lines += [f"# HELP panparser_{name} {text}", f"# TYPE panparser_{name} {kind}"]
            if name == "requests_total":
                answers = sorted(self.answers.items())
                lines += (f'panparser_{name}{{path="{path}",code="{code}"}} {n}' for (path, code), n in answers)
            else:
                lines.append(f"panparser_{name} {values[name]}")
        return "\n".join(lines) + "\n"
