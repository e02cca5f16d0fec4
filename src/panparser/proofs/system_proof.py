"""`check_system`: every state of every short sentence, compared with the true costs of all gold trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeGuard, get_args

import numpy as np
import numpy.typing as npt

from panparser.base.checks import MAX_PROVEN_WORDS, check_choice, check_range
from panparser.base.types import IntArray
from panparser.errors import DeclarationError, IllegalTransitionError, ProofError
from panparser.systems.oracles import static_derivation
from panparser.systems.registry import system as as_system
from panparser.systems.state import draw_state
from panparser.systems.system_protocol import System
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.drawing import draw_tree
from panparser.trees.enumeration import (
    all_trees,
    direction_golds,
    partial_golds,
    projective_trees,
    tree_subsets,
    with_empties,
)
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, NO_HEAD, UNKNOWN, GoldTree, Head, reference_heads

Golds = Literal["partial", "projective", "all", "any", "derivable", "directions"]
GOLD_NOUNS: dict[str, str] = {
    "partial": "subset of a projective tree",
    "projective": "projective tree",
    "all": "tree",
    "any": "subset of a tree",
    "derivable": "gold that it can build",
    "directions": "choice of head directions",
}

WHOLE_TREES = ("projective", "all", "derivable")  # the golds of static oracles
_MIXED_WORDS = 4  # up to this length, unknown and headless words are mixed in every way


def is_static_dynamic(system: System) -> TypeGuard[TransitionSystem]:
    """Does a static oracle choose between transitions of its loss that make no arc?"""
    return isinstance(system, TransitionSystem) and system.is_static_dynamic


def default_golds(system: System) -> Golds:
    """The golds that costs must be exact for: all parts of its possible trees; or those that its oracle reproduces."""
    crosses = isinstance(system, TransitionSystem) and system.crosses
    if system.static_oracle is not None and not is_static_dynamic(system):
        return "all" if crosses else "projective"
    counted = isinstance(system, TransitionSystem) and system.potential == "crossing-arcs"  # for golds that cross, too
    return "any" if crosses or counted else "partial"


def gold_trees(system: System, words: int, kind: Golds) -> Iterator[tuple[Head, ...]]:
    """All golds of a kind, for sentences of a length."""
    root, single = system.root, system.single_root
    if kind == "all":
        yield from all_trees(words, single)
    elif kind == "any":
        yield from tree_subsets(all_trees(words, single))
    elif kind == "projective":
        yield from projective_trees(words, root, single)
    elif kind == "directions":
        yield from direction_golds(words)
    elif kind == "derivable":  # those of them that it can build
        whole = system.static_oracle is not None and not is_static_dynamic(system)
        yield from gold_trees(system, words, "all" if whole else "partial" if system.partial else "any")
    elif system.partial:
        span = getattr(system, "max_span", None)
        for heads in partial_golds(words, root):
            if not span or NO_HEAD not in reference_heads(GoldTree(heads), root, span):
                yield from with_empties(heads, mixed=words <= _MIXED_WORDS)
    else:
        yield from partial_golds(words, root, single)


Progress = Callable[[str, int, int], None]
_COLUMNS = {"words": 5, "states": 9, "derivations": 13, "outputs": 9, "golds": 8, "costs compared": 16}  # widths
_MAX_CELLS = 32_000_000  # states times golds held at once


@dataclass(frozen=True)
class CheckRow:
    """What was proven for sentences of one length."""

    words: int
    states: int
    derivations: int
    outputs: int
    golds: int
    costs: int  # compared
    relaxed: int  # pairs of state and gold whose costs are all too high by the same number

    @property
    def work(self) -> int:
        """What the time grows with."""
        return self.costs

    def __str__(self) -> str:
        values = (self.words, self.states, self.derivations, self.outputs, self.golds, self.costs)
        return "".join(f"{value:>{width}}" for value, width in zip(values, _COLUMNS.values(), strict=True))


@dataclass(frozen=True)
class CheckReport:
    """What `check_system` proved; a failure raises instead."""

    system: str
    golds: str | None  # the kind; None if costs were not compared
    rows: tuple[CheckRow, ...] = field(default=())

    @staticmethod
    def header() -> str:
        return "".join(f"{name:>{width}}" for name, width in _COLUMNS.items())

    def __str__(self) -> str:
        return "\n".join([self.header(), *map(str, self.rows)])


@dataclass
class _Node:
    state: Any
    names: tuple[str, ...] = ()
    after: tuple[int, ...] = ()


def check_system(
    system: Any,
    max_words: int = 4,
    *,
    golds: Golds | None = None,
    exact_cost: bool = True,
    progress: Progress | None = None,
    proven: Callable[[CheckRow], None] | None = None,
) -> CheckReport:
    """Proves a transition system on all sentences up to a number of words, or raises `ProofError` with a drawing.

    It always ends, is never stuck, gives every word one head (unless partial) without cycles, with a single root and
    bounded arcs if declared; and the cost of every legal transition in every reachable state equals the definition
    for every gold: all subsets of projective trees ("partial", the default), whole "projective" trees, "all" trees,
    "any" subset of any tree (the default if arcs may cross), "derivable": those of them that some derivation builds,
    or head "directions" (without `exact_cost`, the structure alone is proven). A cost that is too high by the same
    number in every transition of a state is accepted and counted.
    If leftover words are headless (`final`, `partial`), golds are those that the system can build.
    A static oracle must reproduce every tree ("all" if arcs may cross, else "projective" ones); beside a potential, it
    may raise the cost of a transition without an arc from 0 to 1, if another one costs 0. `progress` is called during
    the work, and `proven` after each length.
    """
    system = as_system(system)
    check_range("max_words", max_words, 1, MAX_PROVEN_WORDS)
    if golds is not None:
        check_choice("golds", golds, get_args(Golds), ValueError)
    if golds is not None and not exact_cost:
        raise ValueError(f"golds are for costs, which are not compared without exact_cost; got {golds!r}")
    has_static = system.static_oracle is not None and not is_static_dynamic(system)
    kind = golds or default_golds(system)
    if has_static and kind not in WHOLE_TREES:
        raise DeclarationError(
            f"{system.name} has a static oracle: golds must be {' or '.join(WHOLE_TREES)}; got {kind}"
        )
    report = progress or (lambda *_: None)
    rows = []
    for words in range(1, max_words + 1):
        nodes = _explore(system, words, report)
        outputs = _check_outputs(system, nodes)
        references = list(gold_trees(system, words, kind)) if exact_cost else []
        leaves_some = isinstance(system, TransitionSystem) and bool(system.final) and system.partial
        if references and (kind == "derivable" or leaves_some):
            references = _derivable(system, nodes, references)
        if has_static:
            compared, relaxed = _check_static(system, references, report), 0
        else:
            compared, relaxed = _check_costs(system, nodes, references, report)
        rows.append(CheckRow(words, len(nodes), _count(nodes), outputs, len(references), compared, relaxed))
        if proven:
            proven(rows[-1])
    return CheckReport(f"{system.name}, Root {system.root}", kind if exact_cost else None, tuple(rows))


# --- It ends, is never stuck, and every output is a tree ---


def _explore(system: System, words: int, report: Progress) -> list[_Node]:
    """All reachable states, each after all its successors."""
    found: dict[Any, int] = {}  # key: index in `nodes`, or -1 while its successors are being explored
    nodes: list[_Node] = []
    start = system.initial(words)
    path: list[tuple[Any, Any, tuple[str, ...], list[int]]] = [(start, start.key(), _legal(system, start), [])]
    found[path[0][1]] = -1
    limit = 2 * (words + 2) ** 2  # no sound system takes more steps
    while path:
        state, key, names, after = path[-1]
        if len(after) == len(names):
            path.pop()
            found[key] = len(nodes)
            nodes.append(_Node(state, names, tuple(after)))
            if len(nodes) % 1000 == 0:
                report(f"{words} words: states", len(nodes), 0)
            if path:
                path[-1][3].append(found[key])
            continue
        if len(path) > limit:
            raise ProofError(
                _failure(system, state, f"more than {limit} transitions for {words} words: it need never end")
            )
        name = names[len(after)]
        successor = system.apply(state, name)
        _check_step(system, state, name, successor)
        next_key = successor.key()
        index = found.get(next_key)
        if index is None:
            found[next_key] = -1
            path.append((successor, next_key, _legal(system, successor), []))
        elif index < 0:
            raise ProofError(_failure(system, state, f"{name} leads back to an earlier state: it need never end"))
        else:
            after.append(index)
    return nodes


def _legal(system: System, state: Any) -> tuple[str, ...]:
    names = system.legal(state)
    if not names and not system.is_final(state):
        raise ProofError(_failure(system, state, "stuck: no transition is legal, and the state is not final"))
    return names


def _check_step(system: System, before: Any, name: str, after: Any) -> None:
    for word, (old, new) in enumerate(zip(before.heads, after.heads, strict=True)):
        if old != new and (old >= 0 or word == 0):
            what = "Root gets a head" if word == 0 else f"word {word} gets a second head"
            raise ProofError(_failure(system, before, f"{name} is legal, and {what} by it"))


def _check_outputs(system: System, nodes: list[_Node]) -> int:
    outputs = set()
    for node in nodes:
        if node.names:
            continue
        heads = tuple(int(head) for head in node.state.heads[1:])
        if heads in outputs:
            continue
        outputs.add(heads)
        problem = None
        if -1 in heads and not system.partial:
            problem = f"final, and word {heads.index(-1) + 1} has no head"
        elif system.single_root and heads.count(0) != 1:
            problem = f"final, with {heads.count(0)} words under Root instead of one"
        elif _longest(system, heads) > (getattr(system, "max_span", None) or len(heads) + 1):
            problem = f"final, with an arc longer than max_span, {system.max_span}"  # type: ignore[attr-defined]
        elif any(_climbs_for_ever(heads, word) for word in range(1, len(heads) + 1)):
            problem = "final, with a cycle"
        if problem:
            raise ProofError(_failure(system, node.state, problem))
    return len(outputs)


def _longest(system: System, heads: Sequence[int]) -> int:
    root = len(heads) + 1 if system.root == "last" else 0
    return max((abs(word - (head or root)) for word, head in enumerate(heads, start=1) if head >= 0), default=0)


def _climbs_for_ever(heads: Sequence[int], word: int) -> bool:
    for _ in heads:
        if word <= 0:
            return False
        word = heads[word - 1]
    return word > 0


def _count(nodes: list[_Node]) -> int:
    """Derivations: paths from the initial state, the last node, to final ones."""
    paths: list[int] = []
    for node in nodes:
        paths.append(sum(paths[index] for index in node.after) if node.names else 1)
    return paths[-1]


# --- Costs ---


def _check_static(system: System, trees: list[tuple[Head, ...]], report: Progress) -> int:
    steps = 0
    for number, tree in enumerate(trees):
        if number % 100 == 0:
            report(f"{len(tree)} words: trees", number, len(trees))
        state = system.initial(len(tree))
        try:
            derivation = static_derivation(system, tree)
        except IllegalTransitionError as error:
            problem = f"the static oracle does not reproduce this tree:\n{draw_tree(tree, system.root)}\n{error}"
            raise ProofError(f"{system.name}, Root {system.root}: {problem}") from None
        for name in derivation:
            state = system.apply(state, name)
            steps += 1
        if tuple(state.heads[1:]) != tree:
            drawing = draw_tree(tree, system.root)
            raise ProofError(
                _failure(system, state, f"the static oracle does not reproduce this tree:\n{drawing}\nbut")
            )
    return steps


def _derivable(system: System, nodes: list[_Node], golds: list[tuple[Head, ...]]) -> list[tuple[Head, ...]]:
    """The golds that some derivation builds: a headless word that stays on the stack blocks arcs over it."""
    kept = []
    size = max(1, _MAX_CELLS // len(nodes))
    for start in range(0, len(golds), size):
        chunk = golds[start : start + size]
        found = _reachable(system, nodes, [GoldTree(heads) for heads in chunk])[-1]
        known = [sum(head is not None for head in heads) for heads in chunk]
        kept += [heads for heads, correct, all_of in zip(chunk, found, known, strict=True) if correct == all_of]
    return kept


def _check_costs(
    system: System, nodes: list[_Node], golds: list[tuple[Head, ...]], report: Progress
) -> tuple[int, int]:
    compared = relaxed = 0
    words = nodes[-1].state.words
    size = max(1, _MAX_CELLS // len(nodes))
    for start in range(0, len(golds), size):
        chunk = [GoldTree(heads) for heads in golds[start : start + size]]
        reachable = _reachable(system, nodes, chunk)
        costs = _Costs(system, chunk)
        smallest: tuple[tuple[int, int], _Node, GoldTree, IntArray, IntArray] | None = None
        for index, node in enumerate(nodes):
            if index % 256 == 0:
                report(f"{words} words: costs", start * len(nodes) + index * len(chunk), len(golds) * len(nodes))
            if not node.names:
                continue
            declared = costs.costs(node.state, node.names)
            true = reachable[index][:, None] - np.stack([reachable[i] for i in node.after], axis=1)
            excess = declared.min(axis=1, keepdims=True)
            wrong = ((declared - excess) != true) | (excess < 0)
            if is_static_dynamic(system):
                arcless = np.array([not system[name].labeled for name in node.names])
                wrong &= ~((true == 0) & (declared == 1) & arcless & (excess == 0))
            compared += declared.size
            relaxed += int(np.count_nonzero(excess))
            for row in np.flatnonzero(wrong.any(axis=1)):
                known = sum(head is not None for head in chunk[row].heads)
                rank = (len(node.state.derivation), known)
                if smallest is None or rank < smallest[0]:
                    smallest = (rank, node, chunk[row], true[row], declared[row])
        if smallest:
            raise ProofError(_wrong_cost(system, *smallest[1:]))
    return compared, relaxed


def _reachable(system: System, nodes: list[_Node], golds: list[GoldTree]) -> list[npt.NDArray[np.int8]]:
    """For each node, for each gold: number of words that can still agree with the gold."""
    span = getattr(system, "max_span", None)
    wanted = np.array([reference_heads(gold, system.root, span) for gold in golds], dtype=np.int8)
    words = wanted.shape[1]
    root = words + 1 if system.root == "last" else 0
    lowest = 1 if system.root == "none" else 0  # head that has a direction
    places = np.arange(1, words + 1)
    reachable: list[npt.NDArray[np.int8]] = []
    for node in nodes:
        if node.names:
            reachable.append(np.max([reachable[index] for index in node.after], axis=0))
            continue
        heads = np.array(node.state.heads[1:], dtype=np.int8)
        found = np.where(heads == 0, root, heads)
        correct = (wanted == found) & (wanted != UNKNOWN)
        correct |= (wanted == int(NO_HEAD)) & (heads < 0)
        correct |= (wanted == int(HEAD_LEFT)) & (heads >= lowest) & (found < places)
        correct |= (wanted == int(HEAD_RIGHT)) & (heads >= lowest) & (found > places)
        reachable.append(correct.sum(axis=1, dtype=np.int8))
    return reachable


class _Costs:
    """Declared costs against many golds at once; natively if the system is a table."""

    def __init__(self, system: System, golds: list[GoldTree]) -> None:
        self.system, self.golds = system, golds
        if isinstance(system, TransitionSystem):
            self.references = [system.reference(gold) for gold in golds]

    def costs(self, state: Any, names: tuple[str, ...]) -> IntArray:
        if isinstance(self.system, TransitionSystem):
            costs: IntArray = state.engine_states.costs(state.index, self.references)
            return costs
        rows = (self.system.costs(state, gold) for gold in self.golds)
        return np.array([[row[name] for name in names] for row in rows], dtype=np.int32)


# --- Drawings ---

_CROSSING = (
    "\n\n(No projective tree has all these arcs. Losses then count some of them twice: see docs/concepts/oracles.md.)"
)


def _failure(system: System, state: Any, problem: str) -> str:
    path = " ".join(state.derivation) or "(none: this is the initial state)"
    return f"{system.name}, Root {system.root}: {problem}\n\n{draw_state(system, state)}\nafter   {path}"


def _wrong_cost(system: System, node: _Node, gold: GoldTree, true: IntArray, declared: IntArray) -> str:
    relaxed = declared - declared.min()
    suspects = [i for i in range(len(true)) if true[i] not in (declared[i], relaxed[i])]
    column = suspects[0] if suspects else int(np.argmax(true != declared))
    costs = "  ".join(f"{name} {cost}" for name, cost in zip(node.names, true, strict=True))
    path = " ".join(node.state.derivation) or "(none: this is the initial state)"
    crossing = (
        ""
        if gold.is_directed or gold.has_projective_completion(root=system.root, single_root=system.single_root)
        else _CROSSING
    )
    return (
        f"{system.name}, Root {system.root}: {node.names[column]} costs {true[column]}, but the table says "
        f"{declared[column]}\n\ngold tree\n{draw_tree(gold.heads, system.root)}\n\n"
        f"state\n{draw_state(system, node.state, gold)}\ntrue    {costs}\nafter   {path}{crossing}"
    )


MEASURABLE = 0.02  # seconds: shorter times are too noisy to estimate growth
_CENTURY = 36_525 * 86_400  # seconds
_FIRST_FACTOR = 8.0  # from one length to the next, before it has been measured


@dataclass
class Growth:
    """Work and seconds by number of words; each word multiplies the work by a growing factor."""

    work: dict[int, float] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)

    def add(self, words: int, seconds: float, work: float) -> None:
        """Adds the time, and the work (costs compared, say), of sentences of this length."""
        self.work[words] = max(1.0, float(work))
        self.seconds[words] = seconds

    @property
    def is_measured(self) -> bool:
        """Is the time of one length long enough to estimate that of others?"""
        return max(self.seconds.values(), default=0.0) >= MEASURABLE

    def expected(self, words: int) -> float:
        """Expected seconds for sentences of a length that has not been proven yet."""
        known = sorted(self.work)
        factors = [self.work[n] / self.work[n - 1] for n in known if n - 1 in self.work]
        factor = factors[-1] if factors else _FIRST_FACTOR
        rise = max(1.0, factors[-1] / factors[-2]) if len(factors) > 1 else 1.0
        time = max(self.seconds[known[-1]], MEASURABLE)
        for _ in range(known[-1], words):
            factor *= rise
            time *= factor
        return time


def format_seconds(seconds: float) -> str:
    """A readable time, such as 40 seconds, 3 minutes, 5 hours."""
    if seconds >= _CENTURY:
        return "more than a century"
    for name, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} seconds"
