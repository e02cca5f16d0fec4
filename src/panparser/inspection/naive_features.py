"""Features of a state, read naively from words and arcs: a reference that the engine must agree with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from panparser.base.caching import cached_property
from panparser.features.atoms import Address, Atom
from panparser.features.templates import Template, Templates
from panparser.systems.state import State
from panparser.treebank.sentences import Sentence
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, GoldTree, Head, Mark

Feature = tuple[str, tuple[Hashable, ...]]  # a template and the values of its atoms
ROOT, ABSENT = "<root>", "<absent>"
MAX_CHILDREN, MAX_BETWEEN = 7, 3
_DEPTH = 4  # positions of the stack and the buffer that templates can name


@dataclass(frozen=True)
class Arc:
    """Tokens are positions: words 1..n, Root 0 or n+1."""

    head: int
    dependent: int
    label: str | None = None


@dataclass(frozen=True)
class Derivation:
    """Actions from the initial state, the state that they lead to, and the arcs that they made or proposed."""

    state: State
    before: Derivation | None = None
    action: str = ""
    made: Arc | None = None
    proposed: Arc | None = None
    focus: int | None = None  # if it is free: the token at S0 from where the state is seen; None: as it is in between

    def seen_by(self, action: str) -> Derivation:
        """The same, as an action sees it."""
        if self.state.system.focus == "fixed":
            return self
        return replace(self, focus=self.placed(int(action.partition("@")[2])))

    @cached_property
    def actions(self) -> tuple[str, ...]:
        return (*self.before.actions, self.action) if self.before else ()

    @cached_property
    def arcs(self) -> tuple[Arc, ...]:
        earlier = self.before.arcs if self.before else ()
        return (*earlier, self.made) if self.made else earlier

    @cached_property
    def proposals(self) -> dict[int, Arc]:
        """Proposed arcs by dependent; the last one counts."""
        earlier = self.before.proposals if self.before else {}
        return {**earlier, self.proposed.dependent: self.proposed} if self.proposed else earlier

    @property
    def is_final(self) -> bool:
        return bool(self.state.system.is_final(self.state))

    @property
    def root(self) -> int:
        return self.state.words + 1 if self.state.system.root == "last" else 0

    def placed(self, token: int) -> int:
        """The position of a token, given its number in the API, where Root is 0."""
        return self.root if token == 0 else token

    def arc_of(self, action: str) -> tuple[Arc | None, Arc | None]:
        """The arc that an action would make, and the one that it would propose, without labels."""
        system = self.state.system
        found = [system.arc(self.state, action, proposed=proposed) for proposed in (False, True)]
        made, proposed = (None if arc is None else Arc(self.placed(arc[0]), self.placed(arc[1])) for arc in found)
        return made, proposed

    def follow(self, action: str, label: str | None = None) -> Derivation:
        made, proposed = self.arc_of(action)
        if made:
            made = Arc(made.head, made.dependent, label)
        elif proposed:
            proposed = Arc(proposed.head, proposed.dependent, label)
        after = self.state.after(self.state.system.step_number(action), None)
        return Derivation(after, replace(self, focus=None), action, made, proposed)

    # --- The places that templates name ---

    @cached_property
    def stack(self) -> list[int]:
        """The stack, from the top."""
        return self._parts[0][::-1]

    @cached_property
    def buffer(self) -> list[int]:
        return self._parts[1]

    @cached_property
    def _parts(self) -> tuple[list[int], list[int]]:
        stack, buffer = ([self.placed(token) for token in tokens] for tokens in (self.state.stack, self.state.buffer))
        if self.focus is None:
            return stack, buffer
        tokens = stack + buffer
        end = tokens.index(self.focus) + 1
        return tokens[:end], tokens[end:]

    @cached_property
    def aside(self) -> list[int]:
        return [self.placed(token) for token in self.state.list_tokens]

    def head_arc(self, token: int | None) -> Arc | None:
        """The last arc to a token from a head, else from a provisional one."""
        for arc in reversed(self.arcs):
            if arc.dependent == token:
                return arc
        return self.proposals.get(token) if token is not None else None

    def children(self, token: int | None, side: str) -> list[Arc]:
        """Arcs to the children on one side, the outermost first."""
        if token is None:
            return []
        if side == "left":
            return sorted((a for a in self.arcs if a.head == token > a.dependent), key=lambda a: a.dependent)
        return sorted((a for a in self.arcs if a.head == token < a.dependent), key=lambda a: -a.dependent)

    def is_known(self, token: int | None) -> bool:
        """Head and children are looked up only for the tokens that S0 to S3, B0 and L0 name."""
        return token is not None and token in (*self.stack[:_DEPTH], *self.buffer[:1], *self.aside[:1])

    def find(self, address: Address) -> int | None:
        """The token at an address."""
        tokens = {"S": self.stack, "B": self.buffer, "L": self.aside}[address.base[0]]
        depth = int(address.base[1])
        token = tokens[depth] if depth < len(tokens) else None
        if not address.path:
            return token
        if address.path.startswith("head"):
            for step in range(1 + address.path.count(".")):
                arc = self.head_arc(token) if step == 0 or self.is_known(token) else None
                token = arc.head if arc else None
            return token
        arcs = self.children(token, address.path.partition("[")[0])
        number = int(address.path[-2])
        return arcs[number].dependent if number < len(arcs) else None


@dataclass(frozen=True)
class Reader:
    """Reads the features of the states of one sentence."""

    templates: Templates
    columns: dict[str, Sequence[str]]
    given: Sequence[Head] = ()  # heads of words 1..n that constraints give
    given_labels: Sequence[str | None] = ()
    _kept: dict[tuple[Any, ...], list[Feature]] = field(default_factory=dict)

    @classmethod
    def from_sentence(cls, templates: Templates, sentence: Sentence, given: GoldTree | None = None) -> Reader:
        names = ("form", "lemma", "upos", "xpos", "feats", "deps", "misc")
        known = (given.heads, given.labels or ()) if given else ((), ())
        return cls(templates, {name: sentence.values(name) for name in names}, *known)

    def features(self, at: Derivation) -> list[Feature]:
        key = (at.actions, at.arcs, tuple(at.proposals.values()), at.focus)
        if key not in self._kept:
            self._kept[key] = [self.feature(at, template) for template in self.templates]
        return self._kept[key]

    def feature(self, at: Derivation, template: Template) -> Feature:
        return str(template), tuple(self.value(at, atom) for atom in template.atoms)

    def value(self, at: Derivation, atom: Atom) -> Hashable:
        tokens = [at.find(address) for address in atom.addresses]
        if atom.name == "history":
            back = int(atom.key or 0)
            return at.state.system[at.actions[-1 - back]].name if back < len(at.actions) else None
        if atom.name == "label":
            return self._label(at, tokens[0], atom.addresses[0].path)
        if atom.name in ("left_valency", "right_valency", "left_labels", "right_labels"):
            side, _, what = atom.name.partition("_")
            arcs = at.children(tokens[0], side) if at.is_known(tokens[0]) else []
            labels = frozenset(arc.label for arc in arcs if arc.label is not None)
            return min(len(arcs), MAX_CHILDREN) if what == "valency" else labels
        if atom.name == "given":
            return self._relation(at, *tokens)
        if atom.name in ("given_head", "given_label"):
            return self._given(at, tokens[0], atom.name)
        if atom.name not in ("distance", "between"):
            return self.text(at, tokens[0], atom.name, atom.key)
        first, second = tokens
        if first is None or second is None:
            return ABSENT
        if atom.name == "distance":
            return distance_bin(abs(first - second))
        inside = range(min(first, second) + 1, max(first, second))
        texts = [self.text(at, token, atom.column or "", atom.key) for token in inside]
        return min(texts.count(atom.value or ""), MAX_BETWEEN)

    def _given(self, at: Derivation, token: int | None, name: str) -> Hashable:
        """What a constraint gives for a token: its label; or its head as Root, a side, or a side and a distance."""
        if token is None or token == at.root:
            return ABSENT if token is None else ROOT
        if name == "given_label":
            return self.given_labels[token - 1] if self.given_labels else None
        head = self.given[token - 1] if self.given else None
        if not isinstance(head, int) or isinstance(head, Mark):
            return head if head in (HEAD_LEFT, HEAD_RIGHT) else None
        return "root" if head == 0 else (head < token, distance_bin(abs(head - token)))

    def _relation(self, at: Derivation, first: int | None, second: int | None) -> int:
        """1: the second is given as the head of the first; 2: the other way round."""
        for number, (word, head) in enumerate(((first, second), (second, first)), start=1):
            if word is not None and head is not None and word != at.root and self.given:
                given = self.given[word - 1]
                if given is not None and given == (0 if head == at.root else head):
                    return number
        return 0

    @staticmethod
    def _label(at: Derivation, token: int | None, path: str) -> str | None:
        is_child = path.startswith(("left", "right"))  # whose label is stored with the child
        arc = at.head_arc(token) if is_child or at.is_known(token) else None
        return arc.label if arc else None

    def text(self, at: Derivation, token: int | None, name: str, key: str | int | None) -> str:
        """An attribute that comes from the treebank."""
        if token is None or token == at.root:
            return ABSENT if token is None else ROOT
        column = self.columns["form" if name in ("lower", "prefix", "suffix") else name]
        text = column[token - 1]
        if name == "lower":
            return text.lower()
        if name in ("prefix", "suffix"):
            number = int(key or 0)
            return text[:number] if name == "prefix" else text[-number:]
        if key is None:
            return text
        pairs = (item.partition("=") for item in text.split("|"))
        return next((value for found, sign, value in pairs if sign and found == key), "")


def distance_bin(distance: int) -> int:
    """Distances up to 5 as they are, then 6 to 10, then more."""
    if distance <= 5:
        return distance
    return 6 if distance <= 10 else 7


def seen_by_labels(template: Template, attaches_deeper: bool) -> bool:
    """Do the labels of arcs use a template? It must read B0, S0 and what is known about one of them.

    If arcs touch S1 it may read the word S1 instead of what is known about them. No label uses it if it is for actions
    alone.
    """
    if template.actions_only:
        return False
    looks = {sight for atom in template.atoms for sight in _sights(atom)}
    allowed = [{"B0", "S0", "around S0"}, {"B0", "S0", "around B0"}]
    if attaches_deeper:
        allowed.append({"B0", "S0", "S1"})
    return any(looks <= names for names in allowed)


def _sights(atom: Atom) -> set[str]:
    if atom.name == "history":
        return {"history"}
    sights = set()
    for address in atom.addresses:
        is_child = address.path.startswith(("left", "right"))
        of_arcs = atom.name in ("left_valency", "right_valency", "left_labels", "right_labels")
        if of_arcs or (atom.name == "label" and not is_child) or address.path == "head.head":
            sights.add(f"around {address}")
        elif address.path:
            sights.add(f"around {address.base}")
        else:
            sights.add(address.base)
    return sights
