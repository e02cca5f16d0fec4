"""Completion: the rest of a sentence parsed around annotated words, labels ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from panparser.annotate.decisions import Conflict, consistent, decisions, is_tree, tree_of
from panparser.annotate.sentence_draft import ROOT, SentenceDraft, Word, is_root
from panparser.base.types import FloatArray
from panparser.errors import PanParserError
from panparser.inspection.beams import continued
from panparser.inspection.explaining import Explanation
from panparser.parsing.confidence import Calibration, ConfidenceSignals, calibration_in_units, evidence_in_units
from panparser.parsing.constraints import Constraint, Constraints
from panparser.parsing.parse_options import ScoredTree
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.systems.oracles import static_derivation
from panparser.tagging.tagger import Tagger
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN


def label_scores(parser: Parser, treebank: Treebank, heads: Sequence[int], word: int) -> dict[str, float]:
    """The scores of the labels of a word in the tree with these heads; empty if the system does not make its arc.

    `treebank` has the sentence alone, without heads.
    """
    try:
        actions = static_derivation(parser.spec.system, list(heads))
        derivations, _ = continued(parser, treebank, 1, actions)
    except PanParserError:  # a parser that cannot be looked into
        return {}
    found = Explanation(derivations)
    for step, here in enumerate(found.states[:-1], start=1):
        made, _ = here.arc_of(actions[step - 1])
        if made is not None and made.dependent == word:
            head = 0 if made.head == here.root else made.head
            return found.label_scores(step) if head == heads[word - 1] else {}
    return {}


MAX_VOTING_TREES = 8  # trees that vote where decisions cross
CONSTRAINED_BEAM = 16  # the beam, if decisions are ahead
FALLBACK_CONFIDENCE = 0.3  # confidence of arcs that no parser chose
_TAGS = ("upos", "xpos", "feats", "lemma")


@dataclass(frozen=True)
class Completion:
    """The words of a draft as they are shown, and what is known about them. Decided words have a confidence of 1."""

    words: tuple[Word, ...]
    head_confidence: tuple[float, ...]
    label_confidence: tuple[float, ...]
    conflict: Conflict | None = None
    evidence: ConfidenceSignals | None = None  # of a parse without decisions, for calibration; margins in updates
    model: int = 0

    def least_certain(self, draft: SentenceDraft) -> int | None:
        """The undecided word of least confidence, in its head or its label; None if all are decided."""
        worst, least = None, 2.0
        for number, word in enumerate(draft.words, start=1):
            confidence = self.head_confidence[number - 1] if word.head is None else 1.0
            confidence = min(confidence, self.label_confidence[number - 1]) if word.label is None else confidence
            if (word.head is None or word.label is None) and confidence < least:
                worst, least = number, confidence
        return worst


@dataclass(frozen=True)
class Completer:
    """A model for completion: a parser and what comes before it, each of which may be missing.

    `calibration`: of margins in updates, so that it also fits parsers that learned more, whose scores have other units.
    """

    parser: Parser | None = None
    taggers: tuple[Tagger, ...] = ()
    lemmatizer: Any = None
    calibration: Calibration | None = None
    number: int = 0  # increases with every model of a session
    labels: dict[tuple[str, str, bool], str] = field(default_factory=dict)  # for a start without a parser

    @classmethod
    def from_model(cls, model: Parser | Pipeline | None) -> Completer:
        """Return a completer with the parts of a model; one without a parser if there is none."""
        if isinstance(model, Pipeline):
            parser = model.parser if isinstance(model.parser, Parser) else None
            taggers = tuple(tagger for tagger in model.taggers if isinstance(tagger, Tagger))
            return cls(parser, taggers, model.lemmatizer, _calibration_of(parser))
        return cls(model, calibration=_calibration_of(model))

    # --- One sentence ---

    def complete(self, draft: SentenceDraft) -> Completion:
        """Predict everything the draft leaves undecided."""
        asked = decisions(draft)
        kept, conflict = consistent(len(draft.words), asked)
        treebank, tagged = self._tagged(draft)
        if self.parser is None:
            return self._without_parser(draft, tagged, kept, conflict)
        constraints = _constraints(treebank, draft, kept)
        found = self.parser.gather_evidence(treebank, beam=self._beam(draft), constraints=constraints, relax=True)
        evidence = evidence_in_units(found, self.parser.update_size)
        heads, labels = evidence.heads.tolist(), evidence.labels.tolist()
        head_confidence, label_confidence = self._confidence(evidence)
        if evidence.dropped or not is_tree(heads):
            heads, changed = self._around(treebank, draft, kept)
            head_confidence[changed] = label_confidence[changed] = FALLBACK_CONFIDENCE
            labels = [
                -1 if other and not head else label for other, head, label in zip(changed, heads, labels, strict=True)
            ]
        names = self.parser.label_names
        words = []
        for number, (word, head) in enumerate(zip(draft.words, heads, strict=True)):
            label = names[labels[number]] if labels[number] >= 0 else None
            words.append(_shown(tagged[number], word, head, label))
        free = [word.head is None for word in draft.words]
        head_confidence = np.where(free, head_confidence, 1.0)
        label_confidence = np.where([word.label is None for word in draft.words], label_confidence, 1.0)
        is_first = not asked and all(word.label is None for word in draft.words)
        return Completion(
            tuple(words),
            tuple(np.round(head_confidence, 4).tolist()),
            tuple(np.round(label_confidence, 4).tolist()),
            conflict,
            evidence if is_first else None,
            self.number,
        )

    def alternatives(self, draft: SentenceDraft, count: int) -> list[dict[str, Any]]:
        """Trees that keep the decisions, best first: heads, labels, score (in updates, of the best 0).

        Where the parser's tree does not keep them, as those that cross, the tree that is nearest to it and does.
        """
        words = len(draft.words)
        kept, conflict = consistent(words, decisions(draft))
        if self.parser is None or conflict is not None:
            return []
        treebank, _ = self._tagged(draft)
        constraints = _constraints(treebank, draft, kept)
        trees = self.parser.k_best(treebank[0], count, constraints=constraints, relax=True)
        found: dict[tuple[tuple[int, ...], tuple[str, ...]], float] = {}
        for tree in trees:
            scores = np.zeros((words + 1, words + 1))
            scores[np.maximum(tree.heads, 0), np.arange(1, words + 1)] = 1.0
            heads = tree_of(words, kept, scores)
            if heads is not None:
                found.setdefault((tuple(heads), _labels(draft, heads, tree)), round(tree.score - trees[0].score, 3))
        return [
            {"heads": list(heads), "labels": list(labels), "score": score} for (heads, labels), score in found.items()
        ]

    def ranked_labels(self, draft: SentenceDraft, word: int, head: int | None) -> list[tuple[str, float]]:
        """The labels of a word with a head (None: the one that is shown), best first; the score of the best is 0.

        Where the parser tells none (a vote; an arc that crosses others), all are the same, and that shown is the first.
        """
        if self.parser is None or not self.parser.spec.labeled:
            return []
        if head is not None:
            fixed = replace(draft.words[word - 1], head=head, label=None)
            draft = replace(draft, words=(*draft.words[: word - 1], fixed, *draft.words[word:]))
        shown = self.complete(draft).words
        treebank, _ = self._tagged(draft)
        heads, labels = [each.head or 0 for each in shown], [each.label or "_" for each in shown]
        plain = set(self.parser.label_names)
        found = label_scores(self.parser, treebank, heads, word) or dict.fromkeys(self.parser.label_names, 0.0)
        scored = {name: score for name, score in found.items() if name in plain}
        best = max(scored.values(), default=0.0)
        ranked = sorted(scored.items(), key=lambda item: (-item[1], item[0] != labels[word - 1], item[0]))
        return [(name, round(score - best, 3)) for name, score in ranked]

    # --- Parts ---

    def _beam(self, draft: SentenceDraft) -> int | None:
        """A search from left to right is wider if it must meet decisions that are still ahead."""
        assert self.parser is not None
        is_decided = [word.head is not None for word in draft.words]
        is_ahead = False in is_decided and True in is_decided[is_decided.index(False) :]
        return max(CONSTRAINED_BEAM, self.parser.spec.beam) if is_ahead or draft.spans else None

    def _tagged(self, draft: SentenceDraft) -> tuple[Treebank, list[Word]]:
        """The sentence as a treebank, and its words, with tags and lemmas that nobody decided."""
        treebank = _bare(draft)
        parts = [part for part in (*self.taggers, self.lemmatizer) if part is not None]
        lacking = [name for name in _TAGS if any(getattr(word, name) == "_" for word in draft.words)]
        if not parts or not lacking:
            return treebank, list(draft.words)
        for part in parts:
            part.annotate(treebank)
        found = {name: treebank[0].values(name) for name in _TAGS}
        words = []
        for number, word in enumerate(draft.words):
            values: dict[str, Any] = {name: found[name][number] for name in lacking if getattr(word, name) == "_"}
            words.append(replace(word, **values))
        for name in _TAGS:  # what was decided is not predicted
            treebank[0].set_values(name, [getattr(word, name) for word in words])
        return treebank, words

    def _confidence(self, evidence: ConfidenceSignals) -> tuple[FloatArray, FloatArray]:
        """Probabilities if there is a calibration, else numbers that order words by how sure their margins are."""
        fitting = self.calibration
        if fitting is not None and fitting.ensemble == 0:
            columns = fitting.columns(evidence)
            head_confidence = fitting.heads(columns)
            label_confidence = (
                head_confidence * fitting.labels(columns) if fitting.labels is not None else head_confidence
            )
            return head_confidence, label_confidence
        margins, label_confidence = (np.minimum(evidence.values[name], 50) for name in ("least", "label"))
        squashed = [
            0.5 + 0.49 * margin / (1 + np.abs(margin)) for margin in (margins, np.minimum(margins, label_confidence))
        ]
        return squashed[0], squashed[1]

    def _around(self, treebank: Treebank, draft: SentenceDraft, kept: list[Constraint]) -> tuple[list[int], Any]:
        """Heads around decisions that cross: of the tree that keeps them all and that the parser's trees vote for."""
        assert self.parser is not None
        words = len(draft.words)
        constraints = _constraints(treebank, draft, kept)
        trees = self.parser.k_best(treebank[0], MAX_VOTING_TREES, constraints=constraints, relax=True)
        votes = np.zeros((words + 1, words + 1))
        for rank, tree in enumerate(trees, start=1):
            for dependent, head in enumerate(tree.heads, start=1):
                if head >= 0:
                    votes[head, dependent] += 1 / rank
        dependents = np.arange(words + 1)
        votes -= 1e-3 * np.abs(dependents[:, None] - dependents[None, :]) / (words + 1)  # else a near head
        heads = tree_of(words, kept, votes) or [0] * words
        first = trees[0].heads if trees else [-1] * words
        return heads, np.array([head != other for head, other in zip(heads, first, strict=True)], dtype=bool)

    def _without_parser(
        self, draft: SentenceDraft, tagged: list[Word], kept: list[Constraint], conflict: Conflict | None
    ) -> Completion:
        """Words depend on the word before, the first on Root, where decisions allow it."""
        words = len(draft.words)
        scores = np.zeros((words + 1, words + 1))
        scores[np.arange(words), np.arange(1, words + 1)] = 1.0
        heads = tree_of(words, kept, scores) or [0] * words
        shown = []
        for word, seen, head in zip(draft.words, tagged, heads, strict=True):
            upos = tagged[head - 1].upos if head else "ROOT"
            shown.append(_shown(seen, word, head, self.labels.get((seen.upos, upos, bool(head)))))
        head_confidence = tuple(FALLBACK_CONFIDENCE if word.head is None else 1.0 for word in draft.words)
        label_confidence = tuple(FALLBACK_CONFIDENCE if word.label is None else 1.0 for word in draft.words)
        return Completion(tuple(shown), head_confidence, label_confidence, conflict, None, self.number)


def _labels(draft: SentenceDraft, heads: Sequence[int], tree: ScoredTree) -> tuple[str, ...]:
    """Labels of the tree that is nearest to the parser's: decided ones, or the parser's, but for a new root."""
    found = zip(draft.words, heads, tree.heads, tree.labels, strict=True)
    return tuple(word.label or ("root" if head == 0 != other else label or "dep") for word, head, other, label in found)


def _calibration_of(parser: Parser | None) -> Calibration | None:
    if parser is None or parser.calibration is None:
        return None
    return calibration_in_units(parser.calibration, parser.update_size)


def _bare(draft: SentenceDraft) -> Treebank:
    """The words, their tags and features: all that parsers read."""
    rows = (f"{number}\t{_cells(word)}\n" for number, word in enumerate(draft.words, start=1))
    return Treebank(("".join(rows) + "\n").encode("utf-8", "replace"))


def _cells(word: Word) -> str:
    return "\t".join((word.form, word.lemma, word.upos, word.xpos, word.feats, "_", "_", "_", word.misc))


def _shown(seen: Word, decided: Word, head: int, label: str | None) -> Word:
    """A word with what was predicted, and above all what was decided."""
    head = head if decided.head is None else decided.head
    fits = label is not None and (head == 0 or not is_root(label))
    return replace(seen, head=head, label=decided.label or (label if fits else "dep" if head else ROOT))


def _constraints(treebank: Treebank, draft: SentenceDraft, kept: Sequence[Constraint]) -> Constraints:
    """Decisions as the parser takes them."""
    size = len(draft.words)
    heads, labels = np.full(size, UNKNOWN, dtype=np.int32), np.full(size, UNKNOWN, dtype=np.int32)
    texts: dict[str, int] = {}
    for number, word in enumerate(draft.words, start=1):
        if word.label is not None:
            labels[number - 1] = texts.setdefault(word.label, len(texts))
    others = []
    for constraint in kept:
        if constraint.fixed_head is not None:
            heads[constraint.word - 1] = constraint.fixed_head
        else:
            others.append(constraint)
    return Constraints(treebank, heads, labels, tuple(texts), {0: tuple(others)} if others else {})
