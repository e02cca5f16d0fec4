"""CallingStates: states whose templates also call Python functions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._arrays import IntArray, KeyArray
from panparser.features.atoms import CALL, Atom
from panparser.features.templates import Template, Templates
from panparser.learning.states import hashed
from panparser.learning.task_states import text_key
from panparser.systems.python import PythonSteps
from panparser.treebank.sentence import Sentence

_TEMPLATE_BITS = np.uint64(511)
_ODD = np.uint64(0x9E3779B97F4A7C15)


def without_calls(templates: Templates) -> Templates:
    """The templates that the engine can read: without atoms that call functions, and without duplicates."""
    bare: dict[tuple[Atom, ...], bool] = {}  # are all templates with these atoms for actions alone?
    for template in templates:
        atoms = tuple(atom for atom in template.atoms if atom.name != CALL)
        if atoms:
            bare[atoms] = bare.get(atoms, True) and template.actions_only
    return Templates(tuple(Template(atoms, actions_only) for atoms, actions_only in bare.items()))


class PythonFeatureStates:
    """The states of a parser. A function gets a state and its sentence, and returns anything that has a `repr`."""

    def __init__(
        self, states: Any, templates: Templates, functions: Mapping[str, Callable[[Any, Sentence], Hashable]]
    ) -> None:
        self.base = states
        self.all_templates = templates
        self.functions = functions
        native = {template.atoms: column for column, template in enumerate(states.templates)}
        self._native = [
            native.get(tuple(atom for atom in template.atoms if atom.name != CALL), -1) for template in templates
        ]
        self._calls = [
            [(place, str(atom.key)) for place, atom in enumerate(template.atoms) if atom.name == CALL]
            for template in templates
        ]
        self._known: dict[int, Any] = {}  # states as functions see them, by number

    def __getattr__(self, name: str) -> Any:
        if name == "base":
            raise AttributeError(name)
        return getattr(self.base, name)

    def __len__(self) -> int:
        return len(self.base)

    def start(self, sentences: Any = None) -> None:
        self.base.start(sentences)
        self._known = {}

    @property
    def label_templates(self) -> Sequence[int]:
        """Those of the wrapped states, and all templates that call functions; none that are for actions alone."""
        native = set(self.base.label_templates)
        return [
            i
            for i, (column, template) in enumerate(zip(self._native, self.all_templates, strict=True))
            if (column in native or self._calls[i]) and not template.actions_only
        ]

    def state(self, number: int) -> Any:
        """A state as functions see it: a State of a table, a StateView of a Python system."""
        if isinstance(self.base.system, PythonSteps):
            return self.base.nodes[number].state
        if number not in self._known:
            before, actions = self.base.derivation(number)
            if not len(before):
                self._known[number] = self.base.system.initial(int(self.base.lengths[number]))
            else:
                parent = self.state(int(before[-1]))
                self._known[number] = self.base.system.apply(parent, self.base.names[actions[-1]])
        return self._known[number]

    def keys(self, out: KeyArray | None = None) -> KeyArray:
        """(rows, templates) The features, as 64-bit keys that are almost surely unique."""
        native = self.base.keys() if self._native and max(self._native) >= 0 else np.zeros((len(self), 0), np.uint64)
        found = np.zeros((len(self), len(self._native)), dtype=np.uint64)
        values = {name: self._values(name) for name in sorted({name for calls in self._calls for _, name in calls})}
        for number, (column, calls) in enumerate(zip(self._native, self._calls, strict=True)):
            key = native[:, column].copy() if column >= 0 else np.full(len(self), number + 1, dtype=np.uint64) * _ODD
            for place, name in calls:
                key = _mixed(key + values[name] * np.uint64(2 * place + 1))
            found[:, number] = key & ~_TEMPLATE_BITS | np.uint64(number) if calls else key
        found[found == 0] = _TEMPLATE_BITS + np.uint64(1)
        if out is not None:
            out[...] = found
        return found

    def features(self, bits: int = 20) -> IntArray:
        return hashed(self.keys(), bits)

    def _values(self, name: str) -> npt.NDArray[np.uint64]:
        """A hash of the function's value for each row."""
        function, sentences = self.functions[name], self.base.sentences
        owners = self.base.started[self.base.sentence_index].tolist()
        pairs = zip(self.base.ids.tolist(), owners, strict=True)
        texts = [repr(function(self.state(state), sentences[owner])) for state, owner in pairs]
        return np.array([text_key(text) for text in texts], dtype=np.uint64)


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finalizer of splitmix64."""
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)
