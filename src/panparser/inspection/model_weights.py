"""The weights of a model by name: the strongest of a class, their course over the epochs, what two models share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from panparser.base.checks import NON_NEGATIVE, check_choice, check_count, check_number
from panparser.base.types import FloatArray, KeyArray, LongArray
from panparser.errors import SpecError
from panparser.features.templates import Template, Templates
from panparser.inspection.derivations import Derivations, binary_templates, inside, units
from panparser.inspection.naive_features import Reader
from panparser.inspection.named_features import TEMPLATE_MASK, Feature
from panparser.learning.listeners import Listener
from panparser.parsing.parser import Parser
from panparser.treebank.treebank import Treebank

_SENTENCES = 2000  # looked at together
GroupBy = Literal["template", "kind"]


# --- One feature ---


def weights_of(parser: Parser, feature: str, *, action: str | None = None) -> pd.Series:
    """The weights of a feature such as `S0.upos=ADJ B0.upos=NOUN` for each action, in updates.

    With an `action`: for each label of the arcs that this action makes.
    """
    engine, scales = inside(parser), units(parser)
    key = np.array([Feature.parse(feature, parser).key(parser)], dtype=np.uint64)
    if action is None:
        return pd.Series(engine.action_weights(key) / scales[0], parser.spec.system.names, name=feature)
    number = _index(parser.spec.system.names, action, "action")
    return pd.Series(engine.label_weights(key, number) / scales[1], parser.labels.names, name=feature)


def _index(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        near = get_close_matches(str(name), names, n=1, cutoff=0)
        hint = f"; the nearest is {near[0]}" if near else ""
        raise SpecError(f"the parser has no {what} {name!r}{hint}")
    return list(names).index(name)


class WeightCourse(Listener):
    """Listens to training and keeps the averaged weights of some features after each epoch, for each action.

    `action`: keep those for the labels of the arcs that this action makes instead.
    """

    def __init__(self, features: Sequence[str], *, action: str | None = None) -> None:
        if isinstance(features, str) or not features:
            raise SpecError(f"WeightCourse: features must be a list such as ['S0.upos=NOUN']; got {features!r}")
        self.features = tuple(features)
        self.action = action
        self.rows: list[dict[str, Any]] = []

    def after_training_pass(self, epoch: int, parser: Parser) -> None:
        for feature in self.features:
            weights = weights_of(parser, feature, action=self.action)
            self.rows += [
                {"epoch": epoch, "feature": feature, "class": name, "weight": weight}
                for name, weight in weights.items()
            ]

    def frame(self) -> pd.DataFrame:
        """Columns epoch, feature, class and weight (in updates); `pivot` makes lines to plot of them."""
        return pd.DataFrame(self.rows, columns=["epoch", "feature", "class", "weight"])


# --- The features that a treebank has ---


@dataclass(frozen=True)
class _Seen:
    """Distinct features of some states: keys, their counts, and a state that has each."""

    keys: KeyArray
    counts: npt.NDArray[np.int64]
    places: LongArray

    @classmethod
    def from_keys(cls, keys: KeyArray, at: LongArray) -> _Seen:
        """`keys[state, template]`; `at` is the place of each state."""
        found, first, counts = np.unique(keys.ravel(), return_index=True, return_counts=True)
        return cls(found, counts, at[first // max(1, keys.shape[1])])


def _states(derivations: Derivations) -> Iterator[tuple[KeyArray, LongArray]]:
    """The features of all states before an action, some sentences at a time, and where those actions are."""
    batch = derivations.batch()
    every = np.flatnonzero(np.diff(derivations.offsets) > 0)
    for start in range(0, len(every), _SENTENCES):
        chosen = every[start : start + _SENTENCES]
        batch.start(chosen)
        starts = derivations.offsets[chosen]
        keys, places = [], []
        for at in derivations.follow(batch, starts):
            keys.append(batch.keys().copy())
            places.append(at)
        yield np.concatenate(keys), np.concatenate(places)


def strongest(
    parser: Parser, treebank: Treebank, name: str, *, limit: int = 20, beam: int | None = None
) -> pd.DataFrame:
    """The features with the largest weights, for or against, of an action or a label, among those that a treebank has.

    The treebank's own annotation is not used: features are those of the states that the parser goes through. Weights
    are in updates; `count` is the number of states with the feature. Those of a label depend on the action that makes
    the arc, which is then a column.
    """
    check_count("strongest: limit", limit)
    inside(parser)  # refuses what has no such weights
    system = parser.spec.system
    is_action = name in system.names
    names = system.names if is_action else parser.labels.names
    if not is_action and name not in names:
        _index((*system.names, *parser.labels.names), name, "action or label")
    number = names.index(name)
    derivations = Derivations.from_treebank(parser, treebank, beam=beam)
    found: dict[tuple[int, int], list[int]] = {}  # (action or -1, key): weight, count, place
    for keys, places in _states(derivations):
        parts = [(-1, keys, places)] if is_action else list(_by_action(derivations, keys, places))
        for action, some, at in parts:
            seen = _Seen.from_keys(some, at)
            weights = _column(parser, seen.keys, number, action)
            least = _threshold(found, limit)
            for i in np.flatnonzero(np.abs(weights) >= max(least, _cut(weights, limit), 1)).tolist():
                entry = found.setdefault((action, int(seen.keys[i])), [int(weights[i]), 0, int(seen.places[i])])
                entry[1] += int(seen.counts[i])
    chosen = sorted(found.items(), key=lambda item: (-abs(item[1][0]), item[0]))[:limit]
    scale = units(parser)[0 if is_action else 1]
    rows = [
        (
            *((system.names[action],) if not is_action else ()),
            _named(derivations, place, key),
            weight / scale,
            count,
        )
        for (action, key), (weight, count, place) in chosen
    ]
    columns = [*(() if is_action else ("action",)), "feature", "weight", "count"]
    return pd.DataFrame(rows, columns=columns)


def _by_action(
    derivations: Derivations, keys: KeyArray, places: LongArray
) -> Iterator[tuple[int, KeyArray, LongArray]]:
    """The states where arcs with labels were made, by action; of the features only those that labels see."""
    seen = inside(derivations.parser).label_templates
    labeled = derivations.labels[places] >= 0
    actions = derivations.actions[places]
    for action in np.unique(actions[labeled]).tolist():
        chosen = labeled & (actions == action)
        yield action, keys[chosen][:, seen], places[chosen]


def _column(parser: Parser, keys: KeyArray, number: int, action: int) -> npt.NDArray[np.int32]:
    """The weights of one class."""
    engine = inside(parser)
    if action < 0:
        return engine.action_weights(keys).reshape(len(keys), -1)[:, number]
    return engine.label_weights(keys, action).reshape(len(keys), -1)[:, number]


def _cut(weights: npt.NDArray[np.int32], top: int) -> int:
    """The smallest weight among the `top` largest."""
    sizes = np.abs(weights)
    return 0 if len(sizes) <= top else int(np.partition(sizes, len(sizes) - top)[len(sizes) - top])


def _threshold(found: dict[tuple[int, int], list[int]], top: int) -> int:
    sizes = sorted((abs(entry[0]) for entry in found.values()), reverse=True)
    return sizes[top - 1] if len(sizes) >= top else 0


def _named(derivations: Derivations, place: int, key: int) -> str:
    """The text of a feature that is in the state before an action."""
    sentence, step = derivations.sentence_of(place)
    templates = binary_templates(derivations.parser)
    template = templates[key & TEMPLATE_MASK]
    values = Reader.from_sentence(templates, derivations.treebank[sentence]).feature(
        derivations.replay(sentence, step), template
    )
    return str(Feature(template, values[1]))


# --- Two models ---


def shared(
    first: Parser, second: Parser, treebank: Treebank, *, group_by: GroupBy = "template", min_weight: float = 1.0
) -> pd.DataFrame:
    """What two models have in common, template by template: weights of actions for the features that a treebank has.

    Both must have the same transition system; templates of only one of them are left out. Features are those of the
    states that the first parser goes through. `first`, `second` and `both` count features with a weight, and
    `first_significant` and `second_significant` those with one of at least `min_weight` updates; norms and the distance
    are Euclidean, in updates; the last row is over all templates. `kind` is "tags" for templates that read nothing of
    words but UPOS (they are delexicalized), else "words"; `group_by="kind"`: a row for each of the two.
    """
    if first.spec.system != second.spec.system:
        names = f"{first.spec.system.name} and {second.spec.system.name}"
        raise SpecError(f"models with different transition systems have no weights in common; got {names}")
    check_choice("shared: group_by", group_by, get_args(GroupBy))
    check_number("shared: min_weight", min_weight, NON_NEGATIVE)
    pairs = _common(first, second)
    if not pairs:
        raise SpecError("the two models have no template in common")
    derivations = Derivations.from_treebank(first, treebank)
    sums = np.zeros((len(pairs), 9))
    known: list[set[int]] = [set() for _ in pairs]
    for ones, others in _both_states(derivations, second):
        for row, (_, _, one, other) in enumerate(pairs):
            keys, at = np.unique(ones[:, one], return_index=True)
            new = np.array([key not in known[row] for key in keys.tolist()], dtype=bool)
            known[row].update(keys.tolist())
            same = others[at[new], other]
            a = _action_weights(first, keys[new])
            b = _action_weights(second, np.ascontiguousarray(same))
            sums[row] += _sums(a, b, min_weight)
    rows, kinds = [text for text, _, _, _ in pairs], [kind for _, kind, _, _ in pairs]
    if group_by == "kind":
        rows = list(dict.fromkeys(kinds))
        sums = np.array([sums[[kind == name for kind in kinds]].sum(axis=0) for name in rows])
        kinds = rows
    sums = np.concatenate([sums, sums.sum(axis=0, keepdims=True)])
    norms = np.sqrt(sums[:, 3] * sums[:, 4])
    columns = {
        "template": [*rows, "all"],
        "kind": [*kinds, "all"],
        "first": sums[:, 0].astype(int),
        "second": sums[:, 1].astype(int),
        "both": sums[:, 2].astype(int),
        "first_significant": sums[:, 7].astype(int),
        "second_significant": sums[:, 8].astype(int),
        "first_norm": np.sqrt(sums[:, 3]),
        "second_norm": np.sqrt(sums[:, 4]),
        "distance": np.sqrt(sums[:, 6]),
        "cosine": np.divide(sums[:, 5], norms, out=np.zeros(len(sums)), where=norms > 0),
    }
    if group_by == "kind":
        del columns["template"]
    return pd.DataFrame(columns)


def _common(first: Parser, second: Parser) -> list[tuple[str, str, int, int]]:
    """Templates that both have, whether they read words, and their numbers in each."""
    other = {frozenset(template.atoms): number for number, template in enumerate(binary_templates(second))}
    return [
        (" ".join(map(str, template.atoms)), _kind(template), number, other[frozenset(template.atoms)])
        for number, template in enumerate(binary_templates(first))
        if frozenset(template.atoms) in other
    ]


def _kind(template: Template) -> str:
    return "tags" if Templates((template,)).is_delexicalized else "words"


def _both_states(derivations: Derivations, second: Parser) -> Iterator[tuple[KeyArray, KeyArray]]:
    """Features of the same states, as each of two parsers sees them."""
    table = {name: number for number, name in enumerate(second.labels.names)}
    numbers = np.array([*(table.get(name, -1) for name in derivations.parser.labels.names), -1], dtype=np.int32)
    labels = np.ascontiguousarray(numbers[derivations.labels])
    other = Derivations(second, derivations.treebank, derivations.offsets, derivations.steps, labels)
    for (ones, _), (others, _) in zip(_states(derivations), _states(other), strict=True):
        yield ones, others


def _action_weights(parser: Parser, keys: KeyArray) -> FloatArray:
    scaled: FloatArray = inside(parser).action_weights(keys).reshape(len(keys), -1) / units(parser)[0]
    return scaled


def _sums(a: FloatArray, b: FloatArray, min_weight: float) -> FloatArray:
    has_a, has_b = a.any(axis=1), b.any(axis=1)
    counts = [has_a.sum(), has_b.sum(), (has_a & has_b).sum()]
    norms = [(a * a).sum(), (b * b).sum(), (a * b).sum(), ((a - b) ** 2).sum()]
    significant = [
        (has & (np.abs(weights).max(axis=1, initial=0) >= min_weight)).sum()
        for has, weights in ((has_a, a), (has_b, b))
    ]
    return np.array([*counts, *norms, *significant], dtype=np.float64)
