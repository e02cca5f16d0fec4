"""Random numbers of the engine's generator: the same seed gives the same numbers on every machine."""

from __future__ import annotations


class Random:
    """xorshift64*."""

    def __init__(self, seed: int) -> None:
        self.state = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % 2**64 or 1

    def bits(self) -> int:
        self.state ^= self.state >> 12
        self.state = (self.state ^ self.state << 25) % 2**64
        self.state ^= self.state >> 27
        return self.state * 0x2545F4914F6CDD1D % 2**64 >> 32

    def below(self, bound: int) -> int:
        return self.bits() * bound >> 32

    def uniform(self) -> float:
        return self.bits() / 2**32
