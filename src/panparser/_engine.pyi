"""
The native engine of panparser. Its interface is private and may change at any time.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Stuck(RuntimeError):
    pass

ILLEGAL_COST: int = 1048576

MAX_WORDS: int = 16000

MAX_LITERALS: int = 64

MAX_ROWS: int = 32

def align(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], other_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], other_multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')]:
    """Pairs (word, other word) of two analyses of one text."""

class TreebankStore:
    """A treebank's columns, over the bytes that it was read from."""

    def __init__(self, text: bytes, conllx: bool, single_root: bool, thorough: bool, first_line: int) -> None: ...

    @property
    def sentences(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', writable=False)]:
        """Read-only: the engine relies on them."""

    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def column(self, column: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def strings(self, column: int, start: int) -> list[str]:
        """The strings of a column from an id on."""

    def vocabulary_size(self, column: int) -> int: ...

    def intern(self, column: int, text: str) -> int: ...

    def ranges(self) -> list[tuple[int, int, int, str]]: ...

    def empty_nodes(self) -> list[tuple[int, int, int, str]]: ...

    def line(self, sentence: int) -> int: ...

    def comments(self, sentence: int) -> list[str]: ...

    def set_comments(self, sentence: int, lines: Sequence[str]) -> None: ...

    def problems(self) -> list[tuple[int, str, str, str, str, bool]]: ...

    @property
    def dropped(self) -> int: ...

    def write(self, sentences: Sequence[int]) -> bytes:
        """Sentences as CoNLL-U, in the order given."""

def write_tokens(text: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], splits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Sequence[Sequence[str]], sentence: int, offset: int, ranges: bool, document: str | None, paragraph: bool) -> bytes:
    """Tokens of a text (UTF-8) as CoNLL-U."""

class System:
    """A transition table, lowered by panparser._compile."""

    def __init__(self, shape: Sequence[bool], single_root: bool, potential: int, limit: int, static_oracle: int, literals: Sequence[tuple[int, int, int]], probes: Sequence[tuple[int, int, int, bool, int]], rows: Sequence[tuple[int, Sequence[int], Sequence[tuple[int, int, int]], Sequence[tuple[int, int]], Sequence[tuple[int, int]]]], final: tuple[int, Sequence[int]] = (0, []), rest_to_root: bool = False) -> None: ...

class Reference:
    """
    A reference prepared for one system: heads of words 1..n, Root at its position.
    """

    def __init__(self, system: System, heads: Sequence[int]) -> None: ...

    @property
    def lost(self) -> int | None:
        """
        How many heads no derivation gives; None where the system's costs do not tell.
        """

ANY_LABEL: int = -1

STAYING_LABEL: int = -2

class Constraints:
    """What is asked of the trees of a treebank, prepared for one system."""

    def __init__(self, system: System, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], moving: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def allow(self, sentence: int, arcs: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Only these arcs: (n+1) x (n+1) flags, by head; Root is 0."""

def find_conflicts(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root_first: bool, single_root: bool, max_span: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    (sentences) Does no projective tree have all given heads, none longer than max_span (0: any length)?
    """

class States:
    """States of one sentence."""

    @property
    def words(self) -> int: ...

    def legal(self, state: int) -> int:
        """A bit for each legal action; 0 in a final state."""

    def is_final(self, state: int) -> bool: ...

    def apply(self, state: int, action: int, label: int) -> int:
        """The next state."""

    def tokens(self, state: int) -> tuple[list[int], list[int]]:
        """Stack (from the bottom) and buffer (from the front)."""

    def arcs(self, state: int) -> list[tuple[int, int, int]]:
        """(head, dependent, label), by dependent."""

    def record(self, state: int, position: int) -> dict[str, Any]:
        """What the state knows of the token at S0, S1, S2 or B0."""

    def made_arc(self, state: int, action: int, proposed: bool) -> tuple[int, int]:
        """(head, dependent) that the action makes, or proposes; -1 where none."""

    def costs(self, state: int, references: Sequence[Reference]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """(references, actions); ILLEGAL_COST where illegal."""

class LinkedStates(States):
    """Immutable states that share structure; state 0 is initial."""

    def __init__(self, system: System, words: int) -> None: ...

    def derivation(self, state: int) -> list[int]: ...

    def filtered(self, state: int, constraints: Constraints) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        For each sentence of the constraints, all as long as the states', a bit for each legal action that goes on.
        """

class MutableStates(States):
    """One state that changes in place, under any index."""

    def __init__(self, system: System, words: int) -> None: ...

class Vectors:
    """
    Embeddings as bytes, a row for each word; the unknown word's comes first.
    """

    def __init__(self, matrix: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], bits: int) -> None: ...

class Program:
    """Feature templates, lowered by panparser._compile_templates."""

    def __init__(self, attributes: Sequence[tuple[int, int, int, str]], counters: Sequence[tuple[int, str]], atoms: Sequence[tuple[int, int, int, int]], templates: Sequence[Sequence[int]], vectors: Sequence[int], own_labels: Sequence[int] = []) -> None: ...

    @property
    def templates(self) -> int: ...

class Corpus:
    """
    Sentences to learn from, or to parse if there are no heads, prepared for one system and program.
    """

    def __init__(self, program: Program, system: System, store: TreebankStore, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def __len__(self) -> int: ...

    def constrain(self, constraints: Constraints) -> None:
        """Search keeps to these constraints, and features read them."""

    def replace(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Layer:
    """Weights for parsing; `compact` of a Learner makes the arrays."""

    def __init__(self, classes: int, labels: int, lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label_lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], vectors: tuple[Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], int, int] | None = None) -> None: ...

class Learner:
    """An averaged perceptron that learns by a strategy."""

    def __init__(self, system: System, program: Program, of_root: Sequence[bool], of_words: Sequence[bool], base: Sequence[tuple[Layer, int, int]], unit: int, beam: int, ties: Sequence[int], seed: int, vectors: Vectors | None = None) -> None: ...

    def train(self, corpus: Corpus, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strategy: tuple[bool, int, int, int, float, float, int, float], listener: Callable[[tuple[Sequence[int], Sequence[int], int, int, int], bool], None] | None = None) -> None: ...

    @property
    def progress(self) -> list[int]:
        """
        [sentences, words, updates, transitions, states with a loss, those where it was approximate]
        """

    @property
    def time(self) -> int:
        """Sentences that the average is over."""

    @property
    def random(self) -> int:
        """The state of the random numbers."""

    def actions(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(keys, weights, dated sums), by key."""

    def labels(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(keys, counts, labels, weights, dated sums), by key and label."""

    def load(self, actions: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], labels: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], time: int, random: int, progress: Sequence[int]) -> None: ...

    def compact_vectors(self, action_scale: float, label_scale: float) -> tuple[Annotated[NDArray[numpy.int16], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], int, int]: ...

    def vectors(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(weights, dated sums) of actions, then of labels."""

    def load_vectors(self, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dated_actions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dated_labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def compact(learners: Sequence[Learner], least: float) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float, float]:
    """
    (lines, label_lines, tables, label_rows) of a Layer, the mean of the learners, and what an update became in each of its two scales.
    """

def parse_averaged(learners: Sequence[Learner], store: TreebankStore, beam: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    (heads, labels) of every word, by weights that have not become bytes yet.
    """

class Model:
    """A finished parser."""

    def __init__(self, system: System, program: Program, of_root: Sequence[bool], of_words: Sequence[bool], layers: Sequence[tuple[Layer, int, int]], vectors: Vectors | None = None, further: Sequence[Program] = [], places: Sequence[tuple[int, Sequence[int]]] = []) -> None: ...

    def parse(self, store: TreebankStore, beam: int, threads: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, margin: int | None = None, constraints: Constraints | None = None, confidence: bool = False) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        (heads, labels) of every word, by how much the tree of each sentence was ever behind in its beam, and, if asked for, the signals of every word.
        """

    def best(self, store: TreebankStore, sentence: int, beam: int, count: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, constraints: Constraints | None = None) -> list[tuple[list[int], list[int], int]]:
        """[(heads, labels, score), ...]"""

class Inside:
    """
    What a finished parser does, and by which weights; matrices come as flat arrays.
    """

    def __init__(self, system: System, program: Program, of_root: Sequence[bool], of_words: Sequence[bool], layers: Sequence[tuple[Layer, int, int]], vectors: Vectors | None = None) -> None: ...

    def derivations(self, store: TreebankStore, beam: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, margin: int | None = None) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """(numbers of actions by sentence, actions, labels)"""

    def action_weights(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """[key][action]"""

    def label_weights(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], action: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """[key][label]"""

    def vector_action_weights(self, address: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """[row][action]"""

    def vector_label_weights(self, address: int, action: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """[row][label]"""

    @property
    def label_templates(self) -> list[int]:
        """Numbers of the templates that labels see."""

    @property
    def label_vectors(self) -> list[bool]:
        """For each address with a vector: do labels see it?"""

class Batch:
    """States of many sentences; arrays are filled in place."""

    def __init__(self, system: System, program: Program, corpus: Corpus, ties: Sequence[int]) -> None: ...

    def start(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def select(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def states(self) -> int:
        """How many there are, from number 0 on."""

    def list_states(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_parents(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_sentences(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_actions(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_violations(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def last_arcs(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def derivation(self, state: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    def legal(self, out: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def costs(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def oracle(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def positions(self, addresses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def keys(self, out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def arcs(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def apply(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def is_final(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def latest(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def trees(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class KeyedPerceptron:
    """
    Weights by the keys of features, for states that live outside the engine.
    """

    def __init__(self, actions: int, labels: int) -> None: ...

    def score(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def score_labels(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def reward(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], by: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], time: int) -> None: ...

    def reward_labels(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], by: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], time: int) -> None: ...

    def actions(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(keys, weights, dated sums), by key."""

    def labels(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(keys, counts, labels, weights, dated sums), by key and label."""

    def load(self, actions: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], labels: tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

class DescribedStates:
    """States that live outside the engine, as templates see them."""

    def __init__(self, program: Program, store: TreebankStore, root_first: bool, given: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None: ...

    def keys(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stack: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffer: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], history: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def positions(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stack: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffer: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], history: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], addresses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def label_templates(system: System, program: Program) -> list[int]:
    """Numbers of the templates that labels of arcs see."""

class SequenceProgram:
    """Templates over a window of items, as lower_window makes them."""

    def __init__(self, attributes: Sequence[tuple[int, int, int, str]], columns: int, parts: int, atoms: Sequence[tuple[bool, int, int]], templates: Sequence[Sequence[int]]) -> None: ...

    @property
    def templates(self) -> int: ...

class Sequences:
    """Items of many sequences, prepared for one program."""

    def __init__(self, program: SequenceProgram, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], store: TreebankStore | None, columns: list[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def allow(self, sets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], known: int) -> None:
        """
        The classes that items may have: the number of a set for each item (-1: all), and the sets.
        """

class SequenceLearner:
    """An averaged perceptron that learns classes by a strategy."""

    def __init__(self, program: SequenceProgram, classes: int, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: int, beam: int, seed: int) -> None: ...

    def train(self, sequences: Sequences, right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strategy: tuple[bool, int, int, int, float, float, int, float], listener: Callable[[tuple[Sequence[int], Sequence[int], int, int, int], bool], None] | None = None) -> None: ...

    @property
    def progress(self) -> list[int]:
        """[sequences, items, updates, steps, 0, 0]"""

    @property
    def time(self) -> int:
        """Sequences that the average is over."""

    def weights(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """(keys, counts, classes, weights, dated sums), by key."""

def layer_shape(classes: int) -> tuple[int, int]:
    """(classes, labels) of the Layer of a SequenceModel."""

def compact_sequences(learners: Sequence[SequenceLearner], least: float) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float, float]:
    """
    (lines, label_lines, tables, label_rows) of a Layer, the mean of the learners, and what an update became in each of its two scales.
    """

class SequenceModel:
    """Finished weights for classes of items."""

    def __init__(self, program: SequenceProgram, classes: int, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layer: Layer) -> None: ...

    def predict(self, sequences: Sequences, beam: int, threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def best(self, sequences: Sequences, sequence: int, beam: int, count: int) -> list[tuple[list[int], int]]:
        """[(classes, score), ...]"""

def walk(system: System, references: Sequence[Reference], seed: int, transitions: int, linked: bool, with_costs: bool) -> tuple[int, int, int, list[int]]:
    """
    Random derivations: (transitions, states, digest of the costs, heads of the last tree).
    """

def check_heads(heads: Sequence[int]) -> None:
    """
    Raises ValueError unless the heads of words 1..n (Root is 0) are in range and without cycles.
    """

def projective_subset(heads: Sequence[int], root_first: bool, single_root: bool) -> list[int]:
    """
    The largest subset of arcs that a projective tree contains; -1 elsewhere.
    """

def conflict(heads: Sequence[int], root_first: bool, single_root: bool) -> list[int]:
    """
    Two words whose arcs no projective tree has both; empty if some projective tree has all arcs.
    """

def nonprojectivity(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    (words) is the arc not projective, (sentences) gap degree; of trees one after the other, Root as 0.
    """

def maximum_spanning_tree(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], single_root: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Heads of the best tree, by token."""

def projective_tree(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], single_root: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Heads of the best projective tree, by token."""
