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
MAX_UNSEEN_SHARE = 0.5  # of the words: more are not parsed
MIN_WARNING_WORDS = 10  # unknown words, which say nothing about the tags of a corpus
MIN_WARNING_SHARE = 0.01  # of the words: fewer are not worth a warning
MAX_LISTED_TAGS = 5  # tags in a message


def tags_of(treebank: Treebank) -> Tags:
    """The distinct UPOS of the words of a treebank, sorted; `_` among them if words have none."""
    return tuple(sorted(_counts(treebank)))


def merge_tags(tag_sets: Iterable[Tags | None]) -> Tags | None:
    """The tags that any of several parsers learned from; None if one does not know."""
    found: set[str] = set()
    for tags in tag_sets:
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
    def from_treebank(cls, treebank: Treebank, training_tags: Collection[str]) -> UnseenTags:
        """The words of a treebank whose UPOS is none of the known ones."""
        counts = {tag: count for tag, count in _counts(treebank).items() if tag not in training_tags}
        return cls(treebank.words, Counter(counts))

    def add(self, other: UnseenTags) -> None:
        self.words += other.words
        self.counts.update(other.counts)

    @property
    def share(self) -> float:
        """Of all words, from 0 to 1."""
        return self.counts.total() / self.words if self.words else 0.0

    @property
    def should_warn(self) -> bool:
        return self.share > MAX_UNSEEN_SHARE or (
            self.share >= MIN_WARNING_SHARE and self.counts.total() >= MIN_WARNING_WORDS
        )

    @property
    def prevents_parsing(self) -> bool:
        return self.share > MAX_UNSEEN_SHARE and self.counts.total() >= MIN_WARNING_WORDS

    def check(self, path: str, training_tags: Collection[str]) -> None:
        """Raises TreebankError if the tags are not those of the model."""
        if self.prevents_parsing:
            raise TreebankError(
                f"{path}: expected UPOS tags of the training data ({_listed(training_tags)}), found {self} "
                "(--allow-unseen-tags, or allow_unseen_tags=True, parses the file anyway)"
            )

    def __str__(self) -> str:
        shown = _listed([tag for tag, _ in self.counts.most_common()])
        return f"others in {100 * self.share:.1f} % of {self.words:,} words: {shown}"


def check_tags(treebank: Treebank, training_tags: Collection[str]) -> None:
    """Warns of words whose UPOS is none of the known ones; raises TreebankError if most words have such a tag."""
    if not _counts(treebank).keys() - set(training_tags):
        return
    found = UnseenTags.from_treebank(treebank, training_tags)
    found.check(treebank.path, training_tags)
    if found.should_warn:
        warnings.warn(warning_text(treebank.path, found), TagWarning, stacklevel=3)


def warning_text(path: str, unseen: UnseenTags) -> str:
    """The text of a warning."""
    return f"{path}: expected UPOS tags of the training data, found {unseen}"


def _counts(treebank: Treebank) -> dict[str, int]:
    names = treebank.vocabulary("upos")
    counts = np.bincount(treebank.column("upos"), minlength=len(names)).tolist()
    return {name: count for name, count in zip(names, counts, strict=True) if count}


def _listed(tags: Collection[str]) -> str:
    some = [tag if tag != "_" else "none (_)" for tag in tags][:MAX_LISTED_TAGS]
    return ", ".join(some) + (", ..." if len(tags) > len(some) else "")
