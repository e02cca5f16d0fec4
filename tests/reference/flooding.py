"""Forms chosen to collide: what somebody would put into a file to make reading it slow."""

from __future__ import annotations

import numpy as np

_FACTOR, _LENGTH = 0xD6E8FEB86659FD93, 0x9E3779B97F4A7C15  # of a hash that anybody can compute
_BITS = 20  # of the hash that all forms have in common
_LETTERS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", dtype=np.uint8)


def colliding_forms(count: int, seed: int = 1) -> list[str]:
    """Distinct forms of eight letters with `_BITS` equal bits under x = (bytes + 8 L) F, x ^ x >> 32.

    The high half of the product is known as soon as the first four letters are, but for a multiple of the last four: so
    the low bits of those can be computed.
    """
    random = np.random.default_rng(seed)
    mask = (1 << _BITS) - 1
    inverse = pow(_FACTOR, -1, 1 << _BITS)
    ends = np.arange(1 << 32 - _BITS, dtype=np.uint64) << np.uint64(_BITS)  # what the last four letters may add
    is_letter = np.isin(np.arange(256), _LETTERS)
    forms: set[str] = set()
    while len(forms) < count:
        start = int.from_bytes(random.choice(_LETTERS, 4).tobytes(), "little")
        product = (start + 8 * _LENGTH) * _FACTOR & (1 << 64) - 1
        low = ((product & mask) - (product >> 32)) * inverse & mask
        words = np.uint64(start) | (ends | np.uint64(low)) << np.uint64(32)
        letters = words.astype("<u8").view(np.uint8).reshape(-1, 8)
        forms.update(row.tobytes().decode() for row in letters[is_letter[letters].all(axis=1)])
    return sorted(forms)[:count]


def ordinary_forms(count: int, seed: int = 1) -> list[str]:
    """As many distinct forms of the same letters, by chance."""
    random = np.random.default_rng(seed)
    forms: set[str] = set()
    while len(forms) < count:
        forms.update(row.tobytes().decode() for row in random.choice(_LETTERS, (count, 8)))
    return sorted(forms)[:count]


def as_conllu(forms: list[str], words: int = 20) -> bytes:
    """A treebank of these forms, with that many to a sentence: chains."""
    lines = []
    for place, form in enumerate(forms):
        if place and place % words == 0:
            lines.append("")
        number = place % words + 1
        lines.append(f"{number}\t{form}\t_\tX\t_\t_\t{number - 1}\tdep\t_\t_")
    return ("\n".join(lines) + "\n\n").encode()
