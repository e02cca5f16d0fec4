"""Explanations: the contribution of each feature to the scores of the actions and labels of a state.

Features of a perceptron have weights, which are looked up. Of a network, inputs are hidden one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import check_range
from panparser.base.types import IntArray, KeyArray
from panparser.errors import SpecError
from panparser.features.templates import Template
from panparser.inspection.contributions import Contributions, Occlusions, Rows
from panparser.inspection.derivations import Derivations, alone, binary_templates, inside, network, units
from panparser.inspection.naive_features import ABSENT, Derivation, Reader
from panparser.inspection.named_features import Feature
from panparser.parsing.parser import Parser
from panparser.treebank.sentences import Sentence

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StateFeatures:
    """What is known of a state: a row for each place of the focus, one where it is fixed."""

    focus: IntArray  # (places) the token at S0; 0 where it is fixed
    keys: KeyArray | None  # (places, templates)
    legal: npt.NDArray[np.bool_]  # (places, actions)
    costs: IntArray | None

    @property
    def steps(self) -> list[int]:
        """The numbers of the legal steps."""
        places, actions = np.nonzero(self.legal)
        steps: list[int] = (self.focus[places] * _engine.MAX_ROWS + actions).tolist()
        return steps


@dataclass(frozen=True)
class Explanation:
    """The derivation of one sentence; steps count from 1."""

    derivations: Derivations

    @classmethod
    def from_sentence(cls, parser: Parser, sentence: Sentence, *, beam: int | None = None) -> Explanation:
        return cls(Derivations.from_treebank(parser, alone(sentence), beam=beam))

    @property
    def parser(self) -> Parser:
        return self.derivations.parser

    @property
    def sentence(self) -> Sentence:
        return self.derivations.treebank[0]

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.derivations.actions)

    @cached_property
    def _occlusions(self) -> Occlusions | None:
        return Occlusions(self.derivations) if network(self.parser) else None

    @cached_property
    def _engine(self) -> _engine.Inside:
        return inside(self.parser)

    @cached_property
    def _seen(self) -> list[StateFeatures]:
        """What is known before each step."""
        has_gold = bool((self.sentence.heads >= 0).all())
        batch = self.derivations.batch(gold=has_gold)
        found = []
        for _ in self.derivations.walk(batch):
            chosen = batch.focus
            batch.select(batch.ids)
            keys = batch.keys().copy() if self._occlusions is None else None
            costs = batch.costs().copy() if has_gold else None
            found.append(StateFeatures(np.maximum(batch.focus, 0), keys, batch.legal().copy(), costs))
            batch.select(batch.ids[:1], chosen)
        return found

    @cached_property
    def states(self) -> list[Derivation]:
        """The states before each step, and the final one."""
        found = [self.derivations.replay(0)]
        while found[-1].before is not None:
            found.append(found[-1].before)
        return found[::-1]

    def state(self, step: int) -> Derivation:
        return self.states[self._checked(step)]

    def _checked(self, step: int) -> int:
        check_range("step", step, 1, len(self))
        return step - 1

    def features(self, step: int) -> list[Feature]:
        """The features of the state before a step, one for each template that is not of vectors."""
        return self._features(self._view(step, int(self.derivations.steps[self._checked(step)])))

    def _view(self, step: int, number: int) -> Derivation:
        """The state before a step, as the step of a number sees it."""
        return self.state(step).seen_by(self.parser.spec.system.step_name(number))

    @cached_property
    def _reader(self) -> Reader:
        return Reader.from_sentence(binary_templates(self.parser), self.sentence)

    def _features(self, state: Derivation) -> list[Feature]:
        reader = self._reader
        return [
            Feature(template, tuple(reader.value(state, atom) for atom in template.atoms))
            for template in reader.templates
        ]

    def legal(self, step: int) -> list[int]:
        """The numbers of the steps that are legal."""
        return self._seen[self._checked(step)].steps

    def costs(self, step: int) -> dict[str, int] | None:
        """What each legal action loses against the gold tree, if the sentence has one."""
        seen = self._seen[self._checked(step)]
        if seen.costs is None:
            return None
        names = map(self.parser.spec.system.step_name, seen.steps)
        return dict(zip(names, seen.costs[seen.legal].tolist(), strict=True))

    def _columns(self, step: int) -> tuple[tuple[str, ...], int]:
        """The names of the legal steps, and which was taken."""
        legal = self.legal(step)
        chosen = legal.index(int(self.derivations.steps[self._checked(step)]))
        return tuple(map(self.parser.spec.system.step_name, legal)), chosen

    def actions(self, step: int) -> Contributions:
        """Contributions to the scores of the legal actions."""
        at = self._checked(step)
        columns, chosen = self._columns(step)
        if self._occlusions is not None:
            inputs, contributions = self._occlusions.actions(at)
            return Contributions(inputs, columns, contributions[:, self.legal(step)], chosen, 1.0)
        seen = self._seen[at]
        assert seen.keys is not None
        found: dict[str, IntArray] = {}  # by feature, what it adds to each column: 0 where another place is looked at
        for place, (focus, keys) in enumerate(zip(seen.focus.tolist(), seen.keys, strict=True)):
            view = self._view(step, focus * _engine.MAX_ROWS)
            weights = self._engine.action_weights(keys).reshape(len(keys), -1)
            more_texts, more = self._vectors(view, None)
            texts = [*map(str, self._features(view)), *more_texts]
            here = np.nonzero(seen.legal)[0] == place
            for text, row in zip(texts, np.concatenate([weights, more]), strict=True):
                found.setdefault(text, np.zeros(len(columns), dtype=np.int32))[here] += row[seen.legal[place]]
        return Contributions(tuple(found), columns, np.array([*found.values()]), chosen, self._units[0])

    def all_actions(self) -> Iterator[Contributions]:
        """What `actions` returns for each step; of a network, much faster than one by one."""
        if self._occlusions is None:
            yield from map(self.actions, range(1, len(self) + 1))
            return
        for step, (inputs, contributions) in enumerate(self._occlusions.all_actions(), start=1):
            columns, chosen = self._columns(step)
            yield Contributions(inputs, columns, contributions[:, self.legal(step)], chosen, 1.0)

    def label_scores(self, step: int) -> dict[str, float]:
        """The scores of the labels that the arc of a step may have; empty if it makes none."""
        if self._occlusions is None:
            found = self.labels(step)
            return {} if found is None else dict(zip(found.columns, (found.scores / found.unit).tolist(), strict=True))
        scores = self._occlusions.label_scores(self._checked(step))
        if scores is None:
            return {}
        names = self.parser.labels.names
        return {names[number]: float(scores[number]) for number in self._labels_of(step).tolist()}

    def _scores(self, step: int) -> tuple[tuple[str, ...], npt.NDArray[Any], int]:
        """The legal actions, their scores in updates, and the number of the one that was chosen."""
        if self._occlusions is None:
            found = self.actions(step)
            return found.columns, found.scores / found.unit, found.chosen
        columns, chosen = self._columns(step)
        return columns, self._occlusions.scores(step - 1)[self.legal(step)], chosen

    def labels(self, step: int) -> Contributions | None:
        """Contributions to the scores of the labels that the arc of a step may have; None if it makes no arc."""
        at = self._checked(step)
        label = int(self.derivations.labels[at])
        if label < 0:
            return None
        action = int(self.derivations.actions[at])
        known = self.parser.labels
        number = int(self.derivations.steps[at])
        state = self._view(step, number)
        allowed = self._labels_of(step)
        names = tuple(known.names[i] for i in allowed)
        chosen = names.index(known.names[label])
        if self._occlusions is not None:
            inputs, contributions = self._occlusions.labels(at)
            return Contributions(inputs, names, contributions[:, allowed], chosen, 1.0)
        seen = self._engine.label_templates
        known_keys = self._seen[at]
        assert known_keys.keys is not None
        place = int(np.flatnonzero(known_keys.focus == number // _engine.MAX_ROWS)[0])
        keys = np.ascontiguousarray(known_keys.keys[place][seen])
        weights = self._engine.label_weights(keys, action).reshape(len(keys), len(known.names))
        features = self.features(step)
        texts = [str(features[number]) for number in seen]
        more_texts, more = self._vectors(state, action)
        weights = np.concatenate([weights, more])[:, allowed]
        return Contributions((*texts, *more_texts), names, weights, chosen, self._units[1])

    def _labels_of(self, step: int) -> npt.NDArray[np.intp]:
        """The numbers of the labels that the arc of a step may have."""
        number = int(self.derivations.steps[self._checked(step)])
        state, known = self._view(step, number), self.parser.labels
        made, proposed = state.arc_of(self.parser.spec.system.step_name(number))
        arc = made or proposed
        of_root = arc is not None and arc.head == state.root
        return np.flatnonzero(known.of_root if of_root else known.of_words)

    @property
    def _units(self) -> tuple[float, float]:
        return units(self.parser)

    def _vectors(self, state: Derivation, action: int | None) -> tuple[list[str], IntArray]:
        """What vectors add to actions, or to the labels of an action: names and weights."""
        width = len(self.parser.labels.names) if action is not None else len(self.parser.spec.system.names)
        texts: list[str] = []
        weights: list[IntArray] = []
        templates = [template for template in self.parser.spec.used_templates if template.is_vector]
        for number, template in enumerate(templates):
            if action is not None and not self._engine.label_vectors[number]:
                continue
            word, row = self._vector_row(state, template)
            if row is None:
                continue
            rows = np.array([row], dtype=np.int32)
            if action is None:
                weights.append(self._engine.vector_action_weights(number, rows))
            else:
                weights.append(self._engine.vector_label_weights(number, action, rows))
            texts.append(str(Feature(template, (word,))))
        return texts, np.array(weights, dtype=np.int32).reshape(len(texts), width)

    def _vector_row(self, state: Derivation, template: Template) -> tuple[str, int | None]:
        token = state.find(template.atoms[0].addresses[0])
        if token is None or token == state.root or self.parser.vectors is None:
            return ABSENT, None
        treebank = self.derivations.treebank
        rows = self.parser.vectors.rows(treebank)
        return self.sentence.forms[token - 1], int(rows[treebank.column("form")[token - 1]])

    # --- Tables ---

    def frame(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        return self.rows().frame()

    def rows(self) -> Rows:
        """A row for each step: state, action, label, their margins, and the cost if there is a gold tree."""
        rows: list[dict[str, Any]] = []
        forms = ["ROOT", *self.sentence.forms]
        for step in range(1, len(self) + 1):
            names, scores, chosen = self._scores(step)
            others = np.delete(scores, chosen)
            state = self._view(step, int(self.derivations.steps[step - 1]))

            def shown(tokens: Iterable[int], root: int = state.root) -> str:
                return " ".join(forms[0 if token == root else token] for token in tokens)

            label = int(self.derivations.labels[step - 1])
            row: dict[str, Any] = {
                "step": step,
                "stack": shown(reversed(state.stack)),
                **({"list": shown(state.aside)} if self.parser.spec.system.has_list else {}),
                "buffer": shown(state.buffer),
                "action": names[chosen],
                "label": self.parser.labels.names[label] if label >= 0 else "",
                "score": float(scores[chosen]),
                "lead": float(scores[chosen] - others.max()) if len(others) else float("nan"),
            }
            if (costs := self.costs(step)) is not None:
                row["cost"] = costs[row["action"]] - min(costs.values())
                row["correct"] = " ".join(name for name, cost in costs.items() if cost == min(costs.values()))
            rows.append(row)
        return Rows.from_records(rows)


def explain(
    parser: Parser,
    sentence: Sentence,
    step: int | None = None,
    *,
    compare_with: str | None = None,
    beam: int | None = None,
) -> pd.DataFrame:
    """How a parser derived the tree of a sentence: a row for each step; or why it took one step.

    For a step: for each legal action, the one taken first, and for each label that its arc may have, what every feature
    contributed to the score, largest first. Contributions are in updates of the perceptron, and sum to the scores; what
    an input of a network contributes is what the score loses if it is hidden, and `(all else)` is the rest. With
    `compare_with`, the name of another legal action, or of a label: what each feature adds to the choice and to that
    one.
    """
    return explained(parser, sentence, step, compare_with=compare_with, beam=beam).frame()


def explained(
    parser: Parser,
    sentence: Sentence,
    step: int | None = None,
    *,
    compare_with: str | None = None,
    beam: int | None = None,
) -> Rows:
    """What `explain` returns, without pandas."""
    found = Explanation.from_sentence(parser, sentence, beam=beam)
    if step is None:
        if compare_with is not None:
            raise SpecError("explain: compare_with requires a step")
        return found.rows()
    if compare_with is not None:
        chosen = found.labels(step) if compare_with in parser.labels.names else found.actions(step)
        return (chosen or found.actions(step)).comparison_rows(compare_with)
    actions, labels = found.actions(step).rows().marked("of", "action"), found.labels(step)
    more = labels.rows().marked("of", "label").rows if labels is not None else []
    return Rows(actions.columns, actions.rows + more)
