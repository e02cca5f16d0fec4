"""Votes: several parsers as one, which takes the action and the label with the most support."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from panparser.base.checks import is_number
from panparser.batches.combined_classifiers import JointClassifier, VotingClassifier
from panparser.errors import SpecError
from panparser.features.atoms import Atom
from panparser.features.templates import Template, Templates
from panparser.learning.epochs import digest
from panparser.learning.layers import Labels, Layer, as_multiplied
from panparser.learning.training_record import LEARNED_VOTE, VOTE, TrainingRecord
from panparser.networks.network_classifier import NetworkClassifier
from panparser.parsing.calibrating import calibration_from_evidence
from panparser.parsing.engine_model import UNIT, PerceptronModel
from panparser.parsing.known_tags import merge_tags
from panparser.parsing.parser import Parser, classifier_model
from panparser.parsing.spec import ParserSpec
from panparser.parsing.voters import Voter
from panparser.training.engine_parser_run import fitting_margin
from panparser.training.parser_run import score
from panparser.treebank.treebank import Treebank

MAX_VOTERS = 32
_FACTORS = (0.0, 0.5, 2.0)  # that a weight is multiplied by in the search
MAX_SEARCH_ROUNDS = 2  # of the search
MIN_GAIN_POINTS = 0.1  # points that a change of a weight must gain on the development set; less is noise

Progress = Callable[[int, int], None]


def make_voting_parser(
    parsers: Sequence[Parser],
    *,
    weights: Sequence[float] | None = None,
    dev: Treebank | None = None,
    beam: int | None = None,
    progress: Progress | None = None,
    method: str = "scores",
) -> Parser:
    """A parser whose scores of actions and of labels are the weighted sums of those of others, at the engine's speed.

    All must have the same transition system; templates, labels and beams may differ (`beam` defaults to the widest). A
    parser without labels votes on actions only. Vectors must be the same, with the same templates and labels. Scores
    are comparable as they are: an update is an update. `weights` scale them; 0 leaves a parser out. With `dev` the
    weights are chosen on it, and how far behind a hypothesis may fall before it leaves the beam; `progress` is called
    with the number of parses of it done so far, and at most to do. The result is saved and loaded like any parser.

    `method="choices"`: each parser votes for the action, and the label, that it scores best; ties go to the choice of
    the earliest parser. In this case, and if a parser has a classifier other than the engine's perceptron, the vote is
    counted in Python; templates (but for networks, which read none) and labels must then be the same, and weights are
    not learned. Tags are those of the first parser that predicts any.
    """
    if dev is not None and weights is not None:
        raise SpecError("make_voting_parser: expected either weights or dev; got both")
    given = _checked_weights(weights, parsers)
    if method != "scores" or any(isinstance(parser, Parser) and parser.classifier is not None for parser in parsers):
        if dev is not None:
            raise SpecError('make_voting_parser: dev requires perceptrons of the engine and method="scores"')
        return _counted_in_python(parsers, given, beam, method)
    _check(parsers)
    ballot = VoterSet(parsers, beam)
    record = TrainingRecord(written=VOTE, weights="equal" if weights is None else "given")
    if dev is None:
        return ballot.count(given, record)
    if not isinstance(dev, Treebank) or not (dev.heads >= 0).any():
        raise SpecError(f"make_voting_parser: dev must be a Treebank with known heads; got {dev!r}")
    learned, points = ballot.learn_weights(given, dev, progress)
    data: dict[str, str | None] = {"dev": digest(dev)}
    record = TrainingRecord(written=LEARNED_VOTE, weights="learned", data=data, dev_score=points)
    parser = ballot.count(learned, record)
    parser = replace(parser, pruning_margin=fitting_margin(parser, dev))
    return replace(parser, calibration=calibration_from_evidence(parser, parser.gather_evidence(dev), dev))


def _counted_in_python(parsers: Sequence[Parser], weights: Sequence[float], beam: int | None, method: str) -> Parser:
    """A parser whose classifier is the vote of others."""
    if wrong := [parser for parser in parsers if not isinstance(parser, Parser)]:
        raise SpecError(f"make_voting_parser: parsers must be Parsers; got {wrong[0]!r}")
    first = next((parser for parser in parsers if _reads_templates(parser)), parsers[0])
    vectors = next((parser.vectors for parser in parsers if parser.vectors), None)
    for number, parser in enumerate(parsers, start=1):
        templates = parser.spec.used_templates if _reads_templates(parser) else first.spec.used_templates
        for name, one, other in (
            ("transition system", parsers[0].spec.system, parser.spec.system),
            ("templates", first.spec.used_templates, templates),
            ("labels", parsers[0].labels, parser.labels),
            ("vectors", vectors, parser.vectors or vectors),
        ):
            if one != other:
                raise SpecError(f"make_voting_parser: parsers must see the same; the {name} of number {number} differ")
    for parser in parsers:
        if isinstance(parser.classifier, JointClassifier):
            raise SpecError("make_voting_parser: parsers must score transitions alone; got a JointClassifier")
    chosen = [(parser, weight) for parser, weight in zip(parsers, weights, strict=True) if weight]
    members = [parser.model.as_classifier() for parser, _ in chosen]
    width = max(parser.spec.beam for parser, _ in chosen) if beam is None else beam
    ballot = VotingClassifier(members, [weight for _, weight in chosen], method)
    record = TrainingRecord.from_values({"weights": "equal" if len(set(weights)) == 1 else "given"})
    model = classifier_model(replace(first.spec, beam=width), first.labels, ballot, vectors)
    tags = merge_tags(parser.training_tags for parser, _ in chosen)
    return Parser(model=model, training=record, training_tags=tags)


def _reads_templates(parser: Parser) -> bool:
    return not isinstance(parser.classifier, NetworkClassifier)


class VoterSet:
    """The parsers of a vote, without their weights."""

    def __init__(self, parsers: Sequence[Parser], beam: int | None) -> None:
        self.parsers = parsers
        first = parsers[0].spec
        labeled = [parser for parser in parsers if parser.spec.labeled]
        templates: dict[
            frozenset[Atom], Template
        ] = {}  # by atoms: templates that differ only in their order are the same
        for template in (template for parser in parsers for template in parser.spec.used_templates):
            known = templates.setdefault(frozenset(template.atoms), template)
            if known.actions_only and not template.actions_only:
                templates[frozenset(template.atoms)] = template
        self.spec = ParserSpec(
            system=first.system,
            templates=Templates(tuple(templates.values())),
            beam=max(parser.spec.beam for parser in parsers) if beam is None else beam,
            labeled=bool(labeled),
            nonprojective=(labeled[0] if labeled else parsers[0]).spec.crossing,
        )
        flags: dict[str, tuple[bool, bool]] = {}
        for parser in labeled:
            for name, *of in zip(parser.labels.names, parser.labels.of_root, parser.labels.of_words, strict=True):
                old = flags.get(name, (False, False))
                flags[name] = (old[0] or of[0], old[1] or of[1])
        self.labels = Labels(tuple(flags), tuple(r for r, _ in flags.values()), tuple(w for _, w in flags.values()))

    def count(self, weights: Sequence[float], record: TrainingRecord) -> Parser:
        """The parser that combines them."""
        voters: list[Voter] = []
        layers: list[Layer] = []
        margin = 0.0
        for parser, weight in zip(self.parsers, weights, strict=True):
            if not weight:
                continue
            layers += parser.layers if parser.voters else as_multiplied(list(parser.layers), UNIT)
            voters += [replace(voter, weight=voter.weight * weight) for voter in as_voters(parser)]
            # The margin of the vote is the sum of the voters' margins.
            margin += (
                float("inf") if parser.pruning_margin is None else parser.pruning_margin / parser.update_size * weight
            )
        model = PerceptronModel(self.spec, self.labels, layers, self.parsers[0].vectors, tuple(voters))
        return Parser(
            model=model,
            training=record,
            pruning_margin=round(margin * model.unit) if margin < float("inf") else None,
            training_tags=merge_tags(parser.training_tags for parser in self.parsers),
        )

    def learn_weights(
        self, weights: Sequence[float], dev: Treebank, progress: Progress | None
    ) -> tuple[list[float], float]:
        """Weights by coordinate search, starting from those given, and their score on the development set."""

        def points(tried: Sequence[float]) -> float:
            uas, las = score(self.count(tried, TrainingRecord()), dev)  # with whole beams: a margin fits one vote alone
            return uas if las is None else las

        best = list(weights)
        most = points(best)
        done = 0
        for _ in range(MAX_SEARCH_ROUNDS):
            before = list(best)
            for number in range(len(best)):
                for tried in [best[number] * factor for factor in _FACTORS]:
                    candidate = [*best[:number], tried, *best[number + 1 :]]
                    if any(candidate) and candidate != best and (found := points(candidate)) >= most + MIN_GAIN_POINTS:
                        best, most = candidate, found
                    done += 1
                    if progress:
                        progress(done, MAX_SEARCH_ROUNDS * len(best) * len(_FACTORS))
            if best == before:
                break
        return best, most


def as_voters(parser: Parser) -> tuple[Voter, ...]:
    """A parser as a voter, or the voters of a vote."""
    if parser.voters:
        return parser.voters
    used = parser.spec.used_templates
    return (Voter(used, parser.labels.names, len(parser.layers), 1.0, parser.training),)


def _checked_weights(weights: Sequence[float] | None, parsers: Sequence[Parser]) -> list[float]:
    if not isinstance(parsers, Sequence) or not 1 <= len(parsers) <= MAX_VOTERS:
        raise SpecError(f"make_voting_parser: parsers must be a list of 1 to {MAX_VOTERS}; got {parsers!r}")
    if weights is not None and not isinstance(weights, Sequence | np.ndarray):
        raise SpecError(
            f"make_voting_parser: weights must be {len(parsers)} numbers, one for each parser; got {weights!r}"
        )
    numbers = [1.0] * len(parsers) if weights is None else weights
    given = [number.item() if isinstance(number, np.generic) else number for number in numbers]
    if len(given) != len(parsers):
        raise SpecError(
            f"make_voting_parser: weights must be {len(parsers)} numbers, one for each parser; got {len(given)}"
        )
    if not all(is_number(weight) and 0 <= weight < 1e9 for weight in given) or not any(given):
        raise SpecError(f"make_voting_parser: weights must be numbers >= 0, not all 0; got {given}")
    return [float(weight) for weight in given]


def _check(parsers: Sequence[Parser]) -> None:
    """Raises SpecError if the parsers cannot vote together."""
    for parser in parsers:
        if not isinstance(parser, Parser):
            raise SpecError(f"make_voting_parser: parsers must be Parsers; got {parser!r}")
        if parser.classifier is not None:
            raise SpecError(
                f"make_voting_parser: parsers must be perceptrons; got a classifier, {parser.classifier.name}"
            )
    if sum(len(as_voters(parser)) for parser in parsers) > MAX_VOTERS:
        raise SpecError(f"at most {MAX_VOTERS} parsers can vote, those of other votes counted one by one")
    first = parsers[0]
    marking = {parser.spec.crossing == "pseudo" for parser in parsers if parser.spec.labeled}
    if len(marking) > 1:
        raise SpecError(
            "make_voting_parser: parsers must all lift crossing arcs and mark their labels "
            "(nonprojective: pseudo), or none must"
        )
    for number, parser in enumerate(parsers[1:], start=2):
        if parser.spec.system != first.spec.system:
            raise SpecError(
                f"make_voting_parser: parsers must have one transition system; the first has {_named(first)}, "
                f"number {number} {_named(parser)}"
            )
        _check_vectors(first, parser, number)


def _check_vectors(first: Parser, parser: Parser, number: int) -> None:
    digests = [other.vectors.digest if other.vectors else None for other in (first, parser)]
    if digests[0] != digests[1]:
        raise SpecError(
            f"make_voting_parser: parsers must all have the same vectors, or none; those of number {number} differ"
        )
    if digests[0] is None:
        return
    if parser.spec.used_templates != first.spec.used_templates or parser.labels != first.labels:
        raise SpecError(
            "make_voting_parser: parsers with vectors must have the same templates and labels; "
            f"those of number {number} differ"
        )


def _named(parser: Parser) -> str:
    system = parser.spec.system
    return f"{system.name}, Root {system.root}{', single root' if system.single_root else ''}"
