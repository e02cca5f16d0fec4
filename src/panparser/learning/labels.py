"""Labels: the labels of a parser."""

from __future__ import annotations

from dataclasses import dataclass

from panparser.errors import SpecError
from panparser.storage.values import BOOLEAN, TEXT, ListOf, Row

LABELS = ListOf(Row(TEXT, BOOLEAN, BOOLEAN))  # of a manifest: name, of Root's children, of other words


@dataclass(frozen=True)
class Labels:
    """The labels of a parser, and which of them Root's children have, and the other words."""

    names: tuple[str, ...] = ()
    of_root: tuple[bool, ...] = ()
    of_words: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if not all(isinstance(name, str) and name for name in self.names) or len(set(self.names)) < len(self.names):
            raise SpecError(f"Labels: names must be different texts; got {self.names!r}")
        if not len(self.names) == len(self.of_root) == len(self.of_words):
            raise SpecError(
                f"Labels: of_root and of_words must have a value for each of {len(self.names)} labels; got {self!r}"
            )

    @classmethod
    def anywhere(cls, names: tuple[str, ...]) -> Labels:
        """Labels that every arc may have."""
        return cls(names, (True,) * len(names), (True,) * len(names))
