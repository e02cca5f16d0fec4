"""Tags that a parser learned from, and words of a treebank that have others."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np

from panparser.errors import TagWarning, TreebankError
from panparser.treebank.treebank import Treebank

Tags = tuple[str, ...]
MOST_UNKNOWN = 0.5  # of the words: more are not parsed
_FEW = 10  # unknown words, which say nothing about the tags of a corpus
_TOLD = 0.01  # of the words: fewer are not worth a warning
_SHOWN = 5  # tags in a message


def tags_of(treebank: Treebank) -> Tags:
    """The distinct UPOS of the words of a treebank, sorted; `_` among them if words have none."""
    return tuple(sorted(_counts(treebank)))


def joined(known: Iterable[Tags | None]) -> Tags | None:
    """The tags that any of several parsers learned from; None if one does not know."""
    found: set[str] = set()
    for tags in known:
        if tags is None:
            return None
        found.update(tags)
    return tuple(sorted(found))


@dataclass
class UnseenTags:
    """Words whose UPOS a model never saw in training, by tag, among so many words."""

    words: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, treebank: Treebank, known: Collection[str]) -> UnseenTags:
        """The words of a treebank whose UPOS is none of the known ones."""
        counts = {tag: count for tag, count in _counts(treebank).items() if tag not in known}
        return cls(treebank.words, Counter(counts))

    def add(self, other: UnseenTags) -> None:
        self.words += other.words
        self.counts.update(other.counts)

    @property
    def share(self) -> float:
        """Of all words, from 0 to 1."""
        return self.counts.total() / self.words if self.words else 0.0

    @property
    def deserves_warning(self) -> bool:
        return self.share > MOST_UNKNOWN or (self.share >= _TOLD and self.counts.total() >= _FEW)

    @property
    def excludes_parsing(self) -> bool:
        return self.share > MOST_UNKNOWN and self.counts.total() >= _FEW

    def check(self, path: str, known: Collection[str]) -> None:
        """Raises TreebankError if the tags are not those of the model."""
        if self.excludes_parsing:
            raise TreebankError(
                f"{path}: expected tags (UPOS) that the model has learned from ({_listed(known)}), found {self} "
                "(--allow-unseen-tags, or any_tags=True, parses it anyway)"
            )

    def __str__(self) -> str:
        shown = _listed([tag for tag, _ in self.counts.most_common()])
        return f"others in {100 * self.share:.1f} % of {self.words:,} words: {shown}"


def check_tags(treebank: Treebank, known: Collection[str]) -> None:
    """Warns of words whose UPOS is none of the known ones; raises TreebankError if most words have such a tag."""
    if not _counts(treebank).keys() - set(known):
        return
    found = UnseenTags.of(treebank, known)
    found.check(treebank.path, known)
    if found.deserves_warning:
        warnings.warn(told(treebank.path, found), TagWarning, stacklevel=3)


def told(path: str, found: UnseenTags) -> str:
    """The text of a warning."""
    return f"{path}: expected tags (UPOS) that the model has learned from, found {found}"


def _counts(treebank: Treebank) -> dict[str, int]:
    names = treebank.vocabulary("upos")
    counts = np.bincount(treebank.column("upos"), minlength=len(names)).tolist()
    return {name: count for name, count in zip(names, counts, strict=True) if count}


def _listed(tags: Collection[str]) -> str:
    some = [tag if tag != "_" else "none (_)" for tag in tags][:_SHOWN]
    return ", ".join(some) + (", ..." if len(tags) > len(some) else "")
