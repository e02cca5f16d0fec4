"""Links between the words of sentences and of their translations: read and written as lines such as `0-0 1-2`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from os import PathLike

from panparser.errors import AlignmentError, ConlluError
from panparser.treebank.conllu import conllu_output, open_source, source_name
from panparser.treebank.treebank import Treebank

Pair = tuple[int, int]  # words of source and target, which count from 0
_LINK = re.compile(r"(\d{1,9})([-p])(\d{1,9})(?::(\d{0,9}\.?\d{1,20}(?:[eE][+-]?\d{1,3})?))?")
_FORM = "links such as 0-0 1-2 (words count from 0), also 0-0:0.8 and 0p1"
_DIGITS = 4  # of a probability that is written
_SHOWN = 40  # characters of a line in a message


@dataclass(frozen=True)
class WordAlignments:
    """Links of parallel sentences: for each, pairs of a source word and a target word, which count from 0.

    `pairs[i]` are those of sentence i, in order, each once; `probabilities[i]`, if an aligner said so, how sure it is
    of each. Words are those of CoNLL-U: multiword tokens and empty nodes are none.
    """

    pairs: tuple[tuple[Pair, ...], ...]
    probabilities: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        if not all(_is_sorted(sentence) for sentence in self.pairs):
            raise AlignmentError("WordAlignments: pairs must be (source, target), integers >= 0, in order, each once")
        if self.probabilities is None:
            return
        if [len(each) for each in self.probabilities] != [len(each) for each in self.pairs]:
            raise AlignmentError("WordAlignments: probabilities must be as many as its pairs, in every sentence")
        if not all(0 <= value <= 1 for each in self.probabilities for value in each):
            raise AlignmentError("WordAlignments: probabilities must be in [0, 1]")

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.pairs)

    def __getitem__(self, sentence: int) -> tuple[Pair, ...]:
        return self.pairs[sentence]

    def __iter__(self) -> Iterator[tuple[Pair, ...]]:
        return iter(self.pairs)

    @property
    def count(self) -> int:
        """The number of links."""
        return sum(map(len, self.pairs))

    def __and__(self, other: WordAlignments) -> WordAlignments:
        """The links that both have, with the probabilities of the first."""
        if not isinstance(other, WordAlignments):
            return NotImplemented
        if len(self) != len(other):
            raise AlignmentError(f"links of as many sentences can be intersected; got {len(self)} and {len(other)}")
        shared = [set(each) for each in other.pairs]
        return self._keeping([[pair in shared[i] for pair in pairs] for i, pairs in enumerate(self.pairs)])

    def one_to_one(self) -> WordAlignments:
        """The links whose two words have no other link."""
        kept = []
        for pairs in self.pairs:
            sources, targets = Counter(source for source, _ in pairs), Counter(target for _, target in pairs)
            kept.append([sources[source] == targets[target] == 1 for source, target in pairs])
        return self._keeping(kept)

    def at_least(self, probability: float) -> WordAlignments:
        """The links that are at least so probable; those of unknown probability are certain."""
        if self.probabilities is None:
            return self
        return self._keeping([[value >= probability for value in each] for each in self.probabilities])

    def reversed(self) -> WordAlignments:
        """The same links, from target to source."""
        if self.probabilities is None:
            return WordAlignments(tuple(tuple(sorted(_turned(pair) for pair in pairs)) for pairs in self.pairs))
        both = zip(self.pairs, self.probabilities, strict=True)
        found = [dict(sorted(zip(map(_turned, pairs), values, strict=True))) for pairs, values in both]
        return WordAlignments(tuple(tuple(each) for each in found), tuple(tuple(each.values()) for each in found))

    def _keeping(self, kept: Sequence[Sequence[bool]]) -> WordAlignments:
        pairs = tuple(tuple(compress(each, keep)) for each, keep in zip(self.pairs, kept, strict=True))
        if self.probabilities is None:
            return WordAlignments(pairs)
        values = tuple(tuple(compress(each, keep)) for each, keep in zip(self.probabilities, kept, strict=True))
        return WordAlignments(pairs, values)

    def check(self, source: Treebank, target: Treebank, name: str = "links") -> None:
        """Raises LinksError, with the first line that is wrong, unless all links join words of these treebanks."""
        if not len(self) == len(source) == len(target):
            raise AlignmentError(
                f"{name}: expected a line for each of the {len(source)} sentences of {source.path}, found {len(self)}"
            )
        for number, pairs in enumerate(self.pairs):
            words = len(source[number]), len(target[number])
            for pair in pairs:
                for side, treebank in enumerate((source, target)):
                    if pair[side] >= words[side]:
                        raise AlignmentError(
                            f"{name}:{number + 1}: expected words 0..{words[side] - 1} of sentence {number + 1} of "
                            f"{treebank.path}, found {pair[side]} in {pair[0]}-{pair[1]}"
                        )

    def to_text(self, *, probabilities: bool = False) -> str:
        """A line for each sentence: `0-0 1-2`, or `0-0:0.8312 1-2:0.5` with probabilities where they are known."""
        lines = [[f"{source}-{target}" for source, target in pairs] for pairs in self.pairs]
        if probabilities and self.probabilities is not None:
            values = [[f":{round(value, _DIGITS)}" for value in each] for each in self.probabilities]
            lines = [[a + b for a, b in zip(*both, strict=True)] for both in zip(lines, values, strict=True)]
        return "".join(f"{' '.join(line)}\n" for line in lines)


def read_alignments(
    path: str | PathLike[str],
    source: Treebank | None = None,
    target: Treebank | None = None,
    *,
    possible: bool = False,
) -> WordAlignments:
    """The links of a file in the format of Pharaoh, as most aligners write it: a line `0-0 1-2` for each sentence.

    A link may have a probability, as in `0-0:0.8`. Links that are only possible, as in `0p1`, are left out, unless
    `possible`. Raises LinksError, with file and line, what was expected and what was found, if a line is malformed or,
    where both treebanks are given, joins words that their sentences lack.
    """
    name = source_name(path)
    try:
        with open_source(path) as stream:
            text = stream.read().decode()
    except ConlluError as error:
        raise AlignmentError(str(error)) from None
    except UnicodeDecodeError as error:
        raise AlignmentError(f"{name}: expected UTF-8, found the byte {error.object[error.start]:#04x}") from None
    lines = text.removesuffix("\n").split("\n") if text else []
    found = [_read_line(line, f"{name}:{number}", possible) for number, line in enumerate(lines, start=1)]
    pairs = tuple(tuple(each) for each in found)
    if any(value is not None for each in found for value in each.values()):
        links = WordAlignments(pairs, tuple(tuple(1.0 if v is None else v for v in each.values()) for each in found))
    else:
        links = WordAlignments(pairs)
    if source is not None and target is not None:
        links.check(source, target, name)
    return links


def write_alignments(path: str | PathLike[str], links: WordAlignments, *, probabilities: bool = False) -> None:
    """Writes links as `read_links` reads them; `-` is standard output; .gz, .bz2, .xz and .zst compress.

    The file appears under its name only when it is complete.
    """
    if not isinstance(links, WordAlignments):
        raise AlignmentError(f"expected Links to write; got {links!r}")
    try:
        with conllu_output(path) as stream:
            stream.write(links.to_text(probabilities=probabilities).encode())
    except ConlluError as error:
        raise AlignmentError(str(error)) from None


def _read_line(line: str, place: str, possible: bool) -> dict[Pair, float | None]:
    """The links of a line, in order, with their probabilities."""
    found: dict[Pair, float | None] = {}
    for item in line.split():
        match = _LINK.fullmatch(item)
        probability = float(match[4]) if match and match[4] else None
        if match is None or (probability is not None and not (math.isfinite(probability) and probability <= 1)):
            shown = item if len(item) <= _SHOWN else f"{item[:_SHOWN]}..."
            raise AlignmentError(f"{place}: expected {_FORM}, found {shown!r}")
        pair = int(match[1]), int(match[3])
        if pair in found:
            raise AlignmentError(f"{place}: expected each link once, found {pair[0]}-{pair[1]} twice")
        if match[2] == "-" or possible:
            found[pair] = probability
    return dict(sorted(found.items()))


def _turned(pair: Pair) -> Pair:
    return pair[1], pair[0]


def _is_sorted(pairs: Sequence[Pair]) -> bool:
    try:
        return all(len(pair) == 2 and min(pair) >= 0 for pair in pairs) and all(
            first < second for first, second in pairwise(pairs)
        )
    except TypeError:
        return False
