"""Estimates how long a proof will take from the times of its shorter sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

MEASURABLE = 0.02  # seconds: shorter times are too noisy to estimate growth
_FIRST_FACTOR = 8.0  # from one length to the next, before it has been measured


@dataclass
class Growth:
    """Seconds by number of words, and extrapolation: each word multiplies the time by a growing factor."""

    seconds: dict[int, float] = field(default_factory=dict)

    def add(self, words: int, seconds: float) -> None:
        """Adds the time of sentences of this length."""
        self.seconds[words] = seconds

    @property
    def is_measured(self) -> bool:
        """Is the growth of the time known?"""
        return bool(self._factors())

    def _factors(self) -> list[float]:
        times = self.seconds
        return [times[n] / times[n - 1] for n in sorted(times) if times.get(n - 1, 0.0) >= MEASURABLE]

    def expected(self, words: int) -> float:
        """Expected seconds for sentences of a length that has not been proven yet."""
        last, factors = max(self.seconds), self._factors()
        factor = factors[-1] if factors else _FIRST_FACTOR
        rise = max(1.0, factors[-1] / factors[-2]) if len(factors) > 1 else 1.0
        time = max(self.seconds[last], MEASURABLE)
        for _ in range(last, words):
            factor *= rise
            time *= factor
        return time


def spelled(seconds: float) -> str:
    """A readable time, such as 40 seconds, 3 minutes, 5 hours."""
    for name, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} seconds"
