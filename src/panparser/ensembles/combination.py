"""Several parsers as one model, whose trees are combined (Sagae & Lavie 2006)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from panparser.base.checks import check_best, is_number
from panparser.base.kinds import NUMBER, TABLE, TEXT, ListOf, Table
from panparser.base.types import FloatArray, IntArray
from panparser.ensembles.combining import best_heads, best_labels
from panparser.ensembles.multi_parser import MultiParserModel
from panparser.errors import SpecError
from panparser.learning.training_record import VOTE, TrainingRecord
from panparser.parsing.constraints import Constraints, DroppedConstraint
from panparser.parsing.parse_options import BestKeywords, BestTrees, Parsed, ParseOptions, ScoredTree, check_treebank
from panparser.parsing.parser import FORMAT, Parser
from panparser.parsing.spec import ParserSpec
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, without_prefix
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN

MAX_MEMBERS = 256


class CombinedParser(MultiParserModel, kind="combination", newest=FORMAT):
    """Parsers with weights; a tree is the best one over the weighted arcs of theirs, as in `combine`.

    Parses, saves and loads like a Parser. All parsers must have the same transition system; templates, labels, beams
    and vectors may differ. `names` tell what each of them learned from.
    """

    array_prefix = "member.{}."
    declared = Table(
        {
            "members": ListOf(Table({"name": TEXT, "weight": NUMBER, "parser": TABLE}), minimum=1),
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
            raise SpecError(f"CombinedParser: names must be {len(self.parsers)}, one for each parser; got {names!r}")
        record = TrainingRecord(written=VOTE, weights="equal" if weights is None else "given")
        self.training = record if training is None else TrainingRecord.from_values(training)

    def __repr__(self) -> str:
        return f"<Combination of {len(self.parsers)} parsers: {', '.join(self.names)}>"

    @property
    def spec(self) -> ParserSpec:
        """The spec of the first parser."""
        return self.parsers[0].spec

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels that parsing writes: those of all parsers."""
        return tuple(dict.fromkeys(label for parser in self.parsers for label in parser.label_names))

    # --- Parsing ---

    def search(self, treebank: Treebank, options: ParseOptions) -> Parsed:
        """Parse with all parsers, and combine their trees.

        All parsers keep the constraints. Where these are more than heads and labels, the tree is that of one of the
        parsers, with the largest sum of weights.
        """
        self.check_options(options)
        if options.listeners:
            raise SpecError("listeners follow one search, and a combination makes several; expected none")
        constraints = options.constraints
        first = self.parsers[0].search(treebank, options)
        known = None if constraints is None else _without_dropped(constraints, first.dropped)
        options = replace(options, constraints=known, relax=True)
        rest = [parser.search(treebank, options) for parser in self.parsers[1:]]
        heads = np.stack([parsed.heads for parsed in (first, *rest)])
        labels = np.stack([self._ids(number)[parsed.labels] for number, parsed in enumerate((first, *rest))])
        matrix = np.repeat(np.array(self.weights)[:, None], treebank.words, axis=1)
        given = None if known is None else known.heads
        single = self.spec.system.single_root
        best = best_heads(heads, matrix, treebank.offsets, projective=False, single_root=single, fixed_heads=given)
        for sentence in known.other_constraints if known is not None else ():
            words = slice(*treebank.offsets[sentence : sentence + 2])
            best[words] = heads[self._most_agreed(heads[:, words]), words]
        found_labels = best_labels(labels, heads == best, matrix, UNKNOWN)
        return Parsed(best, found_labels, self.label_names, dropped=first.dropped, constraints=constraints)

    def _ids(self, number: int) -> IntArray:
        """Indices into the common labels, by label of a parser; the last is that of none."""
        places = {label: place for place, label in enumerate(self.label_names)}
        return np.array([*(places[label] for label in self.parsers[number].label_names), UNKNOWN], dtype=np.int32)

    def _most_agreed(self, heads: IntArray) -> int:
        """The parser whose tree has the largest sum of weights."""
        return int(np.argmax([self._support(heads, own) for own in heads]))

    def _support(self, heads: IntArray, tree: npt.ArrayLike) -> float:
        """The sum of weights of the arcs of a tree."""
        weights: FloatArray = np.array(self.weights)
        return float(weights @ (heads == np.asarray(tree)).sum(axis=1))

    def search_best(self, sentence: Sentence, k: int, **options: Unpack[BestKeywords]) -> BestTrees:
        """Return the combined tree, then those of the parsers, by the sum of weights of their arcs."""
        beam, constraints = options.get("beam"), options.get("constraints")
        check_best(k, beam, "k_best: k")
        from panparser.ensembles.cascade import part_of  # only here

        part = sentence.treebank[[sentence.position]]
        check_treebank(part)
        given = None if constraints is None else part_of(constraints, part, [sentence.position])
        search = ParseOptions(beam=beam, constraints=given, relax=options.get("relax", False))
        combined, *others = (model.search(part, search) for model in (self, *self.parsers))
        heads = np.stack([parsed.heads for parsed in others])
        trees: dict[tuple[int, ...], ScoredTree] = {}
        for parsed in (combined, *others):
            names = tuple(parsed.label_names[label] if label >= 0 else "_" for label in parsed.labels)
            key = tuple(parsed.heads.tolist())
            trees.setdefault(key, ScoredTree(key, names, self._support(heads, parsed.heads)))
        first, *rest = trees.values()
        return BestTrees([first, *sorted(rest, key=lambda tree: -tree.score)][:k], combined.dropped)

    # --- Files ---

    def with_training(self, training: TrainingRecord) -> CombinedParser:
        return CombinedParser(self.parsers, self.weights, self.names, training)

    def to_values(self) -> dict[str, Any]:
        """The rest of a model file, in plain values."""
        rows = zip(self.names, self.weights, self.parsers, strict=True)
        members = [{"name": name, "weight": weight, "parser": parser.manifest()} for name, weight, parser in rows]
        return {"members": members, "training": self.training.to_values()}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CombinedParser:
        """The combination of a file; raises ModelError if the file is not a valid one."""
        return cls.read(path)

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> CombinedParser:
        members = values["members"]
        parsers = [
            Parser.from_manifest(
                without_prefix(cls.array_prefix.format(number), arrays),
                own["parser"],
                source.part(f"parser {number + 1}"),
            )
            for number, own in enumerate(members)
        ]
        weights, names = ([own[key] for own in members] for key in ("weight", "name"))
        return cls(parsers, weights, names, values["training"])


def _checked_parsers(parsers: Sequence[Parser]) -> tuple[Parser, ...]:
    if not isinstance(parsers, Sequence) or not 1 <= len(parsers) <= MAX_MEMBERS:
        raise SpecError(f"CombinedParser: parsers must be a list of 1 to {MAX_MEMBERS}; got {parsers!r}")
    for number, parser in enumerate(parsers, start=1):
        if not isinstance(parser, Parser):
            raise SpecError(f"CombinedParser: parsers must be Parsers; got {parser!r}")
        system, other = parser.spec.system, parsers[0].spec.system
        if system != other:
            raise SpecError(
                f"CombinedParser: parsers must have one transition system; the first has {other.name}, number {number} "
                f"{system.name}, or another place or number of roots"
            )
        if system.partial:
            raise SpecError(f"CombinedParser: parsers must attach every word; {system.name} does not")
    return tuple(parsers)


def _checked_weights(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    given = [1.0] * count if weights is None else list(weights)
    if len(given) != count:
        raise SpecError(f"CombinedParser: weights must be {count} numbers, one for each parser; got {len(given)}")
    if not all(is_number(weight) and 0 <= weight < 1e9 for weight in given) or not any(given):
        raise SpecError(f"CombinedParser: weights must be numbers >= 0, not all 0; got {given}")
    return tuple(map(float, given))


def _without_dropped(constraints: Constraints, dropped: Iterable[DroppedConstraint]) -> Constraints:
    """Return the constraints that the first tree keeps, so that all others can."""
    known = replace(constraints, heads=constraints.heads.copy(), other_constraints=dict(constraints.other_constraints))
    for each in dropped:
        if each.constraint.fixed_head is not None:
            known.heads[constraints.word_slice(each.sentence).start + each.constraint.word - 1] = UNKNOWN
        rest = tuple(one for one in known.other_constraints.get(each.sentence, ()) if one != each.constraint)
        if rest:
            known.other_constraints[each.sentence] = rest
        else:
            known.other_constraints.pop(each.sentence, None)
    return known
