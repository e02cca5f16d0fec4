"""Estimates how long a proof will take from the times of its shorter sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

MEASURABLE = 0.02  # seconds: shorter times are too noisy to estimate growth
_CENTURY = 36_525 * 86_400  # seconds
_FIRST_FACTOR = 8.0  # from one length to the next, before it has been measured


@dataclass
class Growth:
    """Work and seconds by number of words; each word multiplies the work by a growing factor."""

    work: dict[int, float] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)

    def add(self, words: int, seconds: float, work: float) -> None:
        """Adds the time, and the work (costs compared, say), of sentences of this length."""
        self.work[words] = max(1.0, float(work))
        self.seconds[words] = seconds

    @property
    def is_measured(self) -> bool:
        """Is the time of one length long enough to estimate that of others?"""
        return max(self.seconds.values(), default=0.0) >= MEASURABLE

    def expected(self, words: int) -> float:
        """Expected seconds for sentences of a length that has not been proven yet."""
        known = sorted(self.work)
        factors = [self.work[n] / self.work[n - 1] for n in known if n - 1 in self.work]
        factor = factors[-1] if factors else _FIRST_FACTOR
        rise = max(1.0, factors[-1] / factors[-2]) if len(factors) > 1 else 1.0
        time = max(self.seconds[known[-1]], MEASURABLE)
        for _ in range(known[-1], words):
            factor *= rise
            time *= factor
        return time


def spelled(seconds: float) -> str:
    """A readable time, such as 40 seconds, 3 minutes, 5 hours."""
    if seconds >= _CENTURY:
        return "more than a century"
    for name, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} seconds"
