"""Why an action was taken in a state: what each feature added to the score of each action, and of each label.

Features of a perceptron have weights, which are looked up. Of a network, inputs are hidden one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser._arrays import IntArray, KeyArray
from panparser._caching import cached_property
from panparser._checks import check_range
from panparser.errors import SpecError
from panparser.features.reading import ABSENT, Derivation, Reader
from panparser.features.templates import Template
from panparser.parsing.inspection.contributions import Contributions, Rows
from panparser.parsing.inspection.derivations import Derivations, alone, binary_templates, inside, network, units
from panparser.parsing.inspection.features import Feature
from panparser.parsing.inspection.occlusion import Occlusions
from panparser.parsing.models.protocol import ParserLike
from panparser.treebank.sentence import Sentence

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Explanation:
    """The derivation of one sentence; steps count from 1."""

    derivations: Derivations

    @classmethod
    def of(cls, parser: ParserLike, sentence: Sentence, *, beam: int | None = None) -> Explanation:
        return cls(Derivations.of(parser, alone(sentence), beam=beam))

    @property
    def parser(self) -> ParserLike:
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
    def _seen(self) -> tuple[KeyArray, npt.NDArray[np.bool_], IntArray | None]:
        """(steps, templates) keys, (steps, actions) legal ones and, if there is a gold tree, costs."""
        has_gold = bool((self.sentence.heads >= 0).all())
        batch = self.derivations.batch(gold=has_gold)
        keys, legal, costs = [], [], []
        for _ in self.derivations.walk(batch):
            keys.append(batch.keys()[0].copy() if self._occlusions is None else ())
            legal.append(batch.legal()[0].copy())
            if has_gold:
                costs.append(batch.costs()[0].copy())
        return np.array(keys), np.array(legal), np.array(costs) if has_gold else None

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
        reader = Reader.of(binary_templates(self.parser), self.sentence)
        state = self.state(step)
        return [Feature(template, reader.feature(state, template)[1]) for template in reader.templates]

    def legal(self, step: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self._seen[1][self._checked(step)])]

    def costs(self, step: int) -> dict[str, int] | None:
        """What each legal action loses against the gold tree, if the sentence has one."""
        costs = self._seen[2]
        names = self.parser.spec.system.names
        return None if costs is None else {names[a]: int(costs[step - 1, a]) for a in self.legal(step)}

    def actions(self, step: int) -> Contributions:
        """Contributions to the scores of the legal actions."""
        at = self._checked(step)
        names, legal = self.parser.spec.system.names, self.legal(step)
        chosen = legal.index(int(self.derivations.actions[at]))
        columns = tuple(names[action] for action in legal)
        if self._occlusions is not None:
            inputs, contributions = self._occlusions.actions(at)
            return Contributions(inputs, columns, contributions[:, legal], chosen, 1.0)
        keys = self._seen[0][at]
        weights = self._engine.action_weights(keys).reshape(len(keys), len(names))
        texts = [str(feature) for feature in self.features(step)]
        more_texts, more = self._vectors(step, None)
        weights = np.concatenate([weights, more])[:, legal]
        return Contributions((*texts, *more_texts), columns, weights, chosen, self._units[0])

    def _scores(self, step: int) -> tuple[tuple[str, ...], npt.NDArray[Any], int]:
        """The legal actions, their scores in updates, and the number of the one that was chosen."""
        if self._occlusions is None:
            found = self.actions(step)
            return found.columns, found.scores / found.unit, found.chosen
        names, legal = self.parser.spec.system.names, self.legal(step)
        chosen = legal.index(int(self.derivations.actions[step - 1]))
        return tuple(names[action] for action in legal), self._occlusions.scores(step - 1)[legal], chosen

    def labels(self, step: int) -> Contributions | None:
        """Contributions to the scores of the labels that the arc of a step may have; None if it makes no arc."""
        at = self._checked(step)
        label = int(self.derivations.labels[at])
        if label < 0:
            return None
        action = int(self.derivations.actions[at])
        known = self.parser.labels
        state = self.state(step)
        made, proposed = state.arc_of(self.parser.spec.system.names[action])
        arc = made or proposed
        of_root = arc is not None and arc.head == state.root
        allowed = np.flatnonzero(known.of_root if of_root else known.of_words)
        names = tuple(known.names[i] for i in allowed)
        chosen = names.index(known.names[label])
        if self._occlusions is not None:
            inputs, contributions = self._occlusions.labels(at)
            return Contributions(inputs, names, contributions[:, allowed], chosen, 1.0)
        seen = self._engine.label_templates
        keys = np.ascontiguousarray(self._seen[0][at][seen])
        weights = self._engine.label_weights(keys, action).reshape(len(keys), len(known.names))
        features = self.features(step)
        texts = [str(features[number]) for number in seen]
        more_texts, more = self._vectors(step, action)
        weights = np.concatenate([weights, more])[:, allowed]
        return Contributions((*texts, *more_texts), names, weights, chosen, self._units[1])

    @property
    def _units(self) -> tuple[float, float]:
        return units(self.parser)

    def _vectors(self, step: int, action: int | None) -> tuple[list[str], IntArray]:
        """What vectors add to actions, or to the labels of an action: names and weights."""
        width = len(self.parser.labels.names) if action is not None else len(self.parser.spec.system.names)
        texts: list[str] = []
        weights: list[IntArray] = []
        state = self.state(step)
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
            state = self.state(step).state
            label = int(self.derivations.labels[step - 1])
            row: dict[str, Any] = {
                "step": step,
                "stack": " ".join(forms[token] for token in state.stack),
                "buffer": " ".join(forms[token] for token in state.buffer),
                "action": names[chosen],
                "label": self.parser.labels.names[label] if label >= 0 else "",
                "score": float(scores[chosen]),
                "lead": float(scores[chosen] - others.max()) if len(others) else float("nan"),
            }
            if (costs := self.costs(step)) is not None:
                row["cost"] = costs[row["action"]] - min(costs.values())
                row["right"] = " ".join(name for name, cost in costs.items() if cost == min(costs.values()))
            rows.append(row)
        return Rows.of(rows)


def explain(
    parser: ParserLike,
    sentence: Sentence,
    step: int | None = None,
    *,
    against: str | None = None,
    beam: int | None = None,
) -> pd.DataFrame:
    """How a parser derived the tree of a sentence: a row for each step; or why it took one step.

    For a step: for each legal action, the one taken first, and for each label that its arc may have, what every feature
    contributed to the score, largest first. Contributions are in updates of the perceptron, and sum to the scores; what
    an input of a network contributes is what the score loses if it is hidden, and `(all else)` is the rest. With
    `against`, the name of another legal action, or of a label: what each feature adds to the choice and to that one.
    """
    return explained(parser, sentence, step, against=against, beam=beam).frame()


def explained(
    parser: ParserLike,
    sentence: Sentence,
    step: int | None = None,
    *,
    against: str | None = None,
    beam: int | None = None,
) -> Rows:
    """What `explain` returns, without pandas."""
    found = Explanation.of(parser, sentence, beam=beam)
    if step is None:
        if against is not None:
            raise SpecError("against needs a step to explain")
        return found.rows()
    if against is not None:
        chosen = found.labels(step) if against in parser.labels.names else found.actions(step)
        return (chosen or found.actions(step)).compared(against)
    actions, labels = found.actions(step).rows().marked("of", "action"), found.labels(step)
    more = labels.rows().marked("of", "label").rows if labels is not None else []
    return Rows(actions.columns, actions.rows + more)
