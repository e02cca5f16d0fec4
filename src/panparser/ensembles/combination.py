"""Combination: several parsers as one model, whose trees are combined (Sagae & Lavie 2006)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from panparser._arrays import FloatArray, IntArray
from panparser._checks import check_best, is_number
from panparser.ensembles.combining import best_heads, best_labels
from panparser.ensembles.several import SeveralParsers
from panparser.errors import SpecError
from panparser.learning.listeners import SearchListener
from panparser.learning.record import VOTE, TrainingRecord
from panparser.parsing.confidence import forget
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.options import SearchOptions
from panparser.parsing.parser import FORMAT, Parser, ScoredTree, check_parsed
from panparser.parsing.spec import ParserSpec
from panparser.storage.arrays import Arrays
from panparser.storage.models import Source, without_prefix
from panparser.storage.values import NUMBER, TABLE, TEXT, ListOf, Table
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN

MAX_MEMBERS = 256


class Combination(SeveralParsers, kind="combination", newest=FORMAT):
    """Parsers with weights; a tree is the best one over the weighted arcs of theirs, as in `combine`.

    Parses, saves and loads like a Parser. All parsers must have the same transition system; templates, labels, beams
    and vectors may differ. `names` tell what each of them learned from.
    """

    place = "member.{}."
    declared = Table(
        {
            "members": ListOf(Table({"name": TEXT, "weight": NUMBER, "parser": TABLE}), least=1),
            "training": TABLE,
        }
    )

    def __init__(
        self,
        parsers: Sequence[Parser],
        weights: Sequence[float] | None = None,
        names: Sequence[str] | None = None,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.parsers = _checked_parsers(parsers)
        self.weights = _checked_weights(weights, len(self.parsers))
        self.names = tuple(map(str, range(1, len(self.parsers) + 1)) if names is None else names)
        if len(self.names) != len(self.parsers):
            raise SpecError(f"names of Combination must be {len(self.parsers)}, one for each parser; got {names!r}")
        record = TrainingRecord(written=VOTE, weights="equal" if weights is None else "given")
        self.training = record if training is None else TrainingRecord.from_values(training)

    def __repr__(self) -> str:
        return f"<Combination of {len(self.parsers)} parsers: {', '.join(self.names)}>"

    @property
    def spec(self) -> ParserSpec:
        """The spec of the first parser."""
        return self.parsers[0].spec

    @property
    def plain_labels(self) -> tuple[str, ...]:
        """The labels that parsing writes: those of all parsers."""
        return tuple(dict.fromkeys(label for parser in self.parsers for label in parser.plain_labels))

    # --- Parsing ---

    def annotate(self, treebank: Treebank, **options: Unpack[SearchOptions]) -> None:
        """Writes heads and labels into a treebank; options as in `predict`."""
        heads, labels = self.predict(treebank, **options)
        forget(treebank)
        treebank.heads[:] = heads
        treebank.fill("deprel", ["_", *self.plain_labels], labels + 1)
        if (constraints := options.get("constraints")) is not None:
            constraints.write_labels(treebank)

    def predict(
        self,
        treebank: Treebank,
        *,
        beam: int | None = None,
        threads: int = 1,
        constraints: Constraints | None = None,
        relax: bool = False,
        listeners: Sequence[SearchListener] = (),
    ) -> tuple[IntArray, IntArray]:
        """Heads and labels as in `Parser.predict`, with the same options; there are no `listeners`.

        All parsers keep the constraints. Where these are more than heads and labels, the tree is that of one of the
        parsers, with the largest sum of weights.
        """
        if listeners:
            raise SpecError("listeners follow one search, and a combination makes several; expected none")
        check_parsed(treebank)
        options: dict[str, Any] = {"beam": beam, "threads": threads}
        first = self.parsers[0].predict(treebank, constraints=constraints, relax=relax, **options)
        known = None if constraints is None else _without_dropped(constraints)
        rest = [parser.predict(treebank, constraints=known, relax=True, **options) for parser in self.parsers[1:]]
        heads = np.stack([found for found, _ in (first, *rest)])
        labels = np.stack([self._ids(number)[own] for number, (_, own) in enumerate((first, *rest))])
        matrix = np.repeat(np.array(self.weights)[:, None], treebank.words, axis=1)
        given = None if known is None else known.heads
        single = self.spec.system.single_root
        best = best_heads(heads, matrix, treebank.offsets, projective=False, single_root=single, given=given)
        for sentence in known.more if known is not None else ():
            words = slice(*treebank.offsets[sentence : sentence + 2])
            best[words] = heads[self._most_agreed(heads[:, words]), words]
        return best, best_labels(labels, heads == best, matrix, UNKNOWN)

    def _ids(self, number: int) -> IntArray:
        """Indices into the common labels, by label of a parser; the last is that of none."""
        places = {label: place for place, label in enumerate(self.plain_labels)}
        return np.array([*(places[label] for label in self.parsers[number].plain_labels), UNKNOWN], dtype=np.int32)

    def _most_agreed(self, heads: IntArray) -> int:
        """The parser whose tree has the largest sum of weights."""
        return int(np.argmax([self._support(heads, own) for own in heads]))

    def _support(self, heads: IntArray, tree: npt.ArrayLike) -> float:
        """The sum of weights of the arcs of a tree."""
        weights: FloatArray = np.array(self.weights)
        return float(weights @ (heads == np.asarray(tree)).sum(axis=1))

    def best(
        self,
        sentence: Sentence,
        count: int,
        *,
        beam: int | None = None,
        constraints: Constraints | None = None,
        relax: bool = False,
    ) -> list[ScoredTree]:
        """The combined tree, then those of the parsers, by the sum of weights of their arcs; at most `count`."""
        check_best(count, beam)
        from panparser.ensembles.cascade import part_of  # only here

        part = sentence.treebank[[sentence.position]]
        given = None if constraints is None else part_of(constraints, part, [sentence.position])
        options: dict[str, Any] = {"beam": beam, "constraints": given, "relax": relax}
        found = [self.predict(part, **options), *(parser.predict(part, **options) for parser in self.parsers)]
        if constraints is not None and given is not None:
            constraints.dropped = given.dropped
        heads = np.stack([own for own, _ in found[1:]])
        names = [self.plain_labels, *(parser.plain_labels for parser in self.parsers)]
        trees: dict[tuple[int, ...], ScoredTree] = {}
        for (own, labels), texts in zip(found, names, strict=True):
            named = tuple(texts[label] if label >= 0 else "_" for label in labels)
            key = tuple(own.tolist())
            trees.setdefault(key, ScoredTree(key, named, self._support(heads, own)))
        first, *others = trees.values()
        return [first, *sorted(others, key=lambda tree: -tree.score)][:count]

    # --- Files ---

    def to_values(self) -> dict[str, Any]:
        """The rest of a model file, in plain values."""
        rows = zip(self.names, self.weights, self.parsers, strict=True)
        members = [{"name": name, "weight": weight, "parser": parser.manifest()} for name, weight, parser in rows]
        return {"members": members, "training": self.training.to_values()}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Combination:
        """The combination of a file; raises ModelError if the file is not a valid one."""
        return cls.read(path)

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: Source) -> Combination:
        members = values["members"]
        parsers = [
            Parser.from_manifest(
                without_prefix(cls.place.format(number), arrays), own["parser"], source.part(f"parser {number + 1}")
            )
            for number, own in enumerate(members)
        ]
        weights, names = ([own[key] for own in members] for key in ("weight", "name"))
        return cls(parsers, weights, names, values["training"])


def _checked_parsers(parsers: Sequence[Parser]) -> tuple[Parser, ...]:
    if not isinstance(parsers, Sequence) or not 1 <= len(parsers) <= MAX_MEMBERS:
        raise SpecError(f"parsers of Combination must be a list of 1 to {MAX_MEMBERS}; got {parsers!r}")
    for number, parser in enumerate(parsers, start=1):
        if not isinstance(parser, Parser):
            raise SpecError(f"parsers of Combination must be Parsers; got {parser!r}")
        system, other = parser.spec.system, parsers[0].spec.system
        if system != other:
            raise SpecError(
                f"parsers of Combination must have one transition system; the first has {other.name}, number {number} "
                f"{system.name}, or another place or number of roots"
            )
        if system.partial:
            raise SpecError(f"parsers of Combination must attach every word; {system.name} does not")
    return tuple(parsers)


def _checked_weights(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    given = [1.0] * count if weights is None else list(weights)
    if len(given) != count:
        raise SpecError(f"weights of Combination must be {count} numbers, one for each parser; got {len(given)}")
    if not all(is_number(weight) and 0 <= weight < 1e9 for weight in given) or not any(given):
        raise SpecError(f"weights of Combination must be numbers >= 0, not all 0; got {given}")
    return tuple(map(float, given))


def _without_dropped(constraints: Constraints) -> Constraints:
    """The constraints that the first tree keeps, so that all others can."""
    known = copy(constraints)
    known.heads, known.more, known.dropped = constraints.heads.copy(), dict(constraints.more), []
    for each in constraints.dropped:
        if each.constraint.fixes is not None:
            known.heads[constraints.words_of(each.sentence).start + each.constraint.word - 1] = UNKNOWN
        rest = tuple(one for one in known.more.get(each.sentence, ()) if one != each.constraint)
        if rest:
            known.more[each.sentence] = rest
        else:
            known.more.pop(each.sentence, None)
    return known
