"""
The native engine of panparser. Its interface is private and may change at any time.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Stuck(RuntimeError):
    pass

def keep_memory() -> None:
    """Freed memory is kept for what comes next."""

def align(start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], other_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], other_multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')]:
    """Pairs (word, other word) of two analyses of one text."""

def distinct(numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """The distinct numbers, rising, and which of them each number is."""

class TreebankStore:
    """A treebank's columns, over the bytes that it was read from."""

    def __init__(self, text: bytes, conllx: bool, single_root: bool, first_line: int) -> None: ...

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

    def intern_all(self, column: int, texts: Sequence[str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ranges(self) -> list[tuple[int, int, int, str]]: ...

    def empty_nodes(self) -> list[tuple[int, int, int, str]]: ...

    def line(self, sentence: int) -> int: ...

    def comments(self, sentence: int) -> list[str]: ...

    def any_cell_has(self, column: int, part: str) -> bool:
        """Does a cell that was ever read or set contain this?"""

    def any_comment_has(self, part: str) -> bool:
        """Might a comment contain this?"""

    def set_comments(self, sentence: int, lines: Sequence[str]) -> None: ...

    def problems(self) -> list[tuple[int, str, str, str, str, bool]]: ...

    @property
    def dropped(self) -> int: ...

    def write(self, sentences: Sequence[int]) -> bytes:
        """Sentences as CoNLL-U, in the order given."""

class Layout:
    """
    A text with each run of white space as one character, and one break at its end.
    """

    def __init__(self, points: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], characters: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def points(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def origin(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Where each character stands in the text."""

    def kinds(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def runs(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
        """Where runs start, and the hashes of their lower-cased texts."""

    def places(self, whole: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The characters after which a token may end."""

    def table(self, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lexicon: WordClasses) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """What is seen of places: [place][name]."""

class WordClasses:
    """Classes of words, by their hashes."""

    def __init__(self, words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def boundary_columns() -> list[str]: ...

def glued(points: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], characters: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """After which characters a token must not end."""

def marked_tokens(points: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], characters: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    The tokens between marks: where they start and end, and which are the last of their sentences.
    """

def number_pieces(points: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """A number for each piece of a text, the same for equal pieces."""

def distinct_forms(text: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[list[str], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """The distinct forms of tokens, and the number of each token's form."""

def write_tokens(text: bytes, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], splits: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Sequence[Sequence[str]], sentence: int, offset: int, ranges: bool, document: str | None, paragraph: bool, lines: bool) -> bytes:
    """Tokens of a text (UTF-8) as CoNLL-U."""

ILLEGAL_COST: int = 1048576

MAX_WORDS: int = 16000

MAX_LITERALS: int = 64

MAX_ROWS: int = 32

class Position(enum.IntEnum):
    S0 = 0

    S1 = 1

    S2 = 2

    B0 = 3

    L0 = 4

    ROOT = 5

    LIST = 6

class Fact(enum.IntEnum):
    STACK_SIZE = 0

    BUFFER_SIZE = 1

    LIST_SIZE = 2

    OPEN_WORDS = 3

    OPEN_ASIDE = 4

    ROOT_CHILDREN = 5

    IS_WORD_S0 = 6

    IS_ATTACHED_S0 = 11

    TREE_WORDS_S0 = 23

    TREE_OPEN_S0 = 28

    IS_WORD_S1 = 7

    IS_ATTACHED_S1 = 12

    TREE_WORDS_S1 = 24

    TREE_OPEN_S1 = 29

    IS_WORD_S2 = 8

    IS_ATTACHED_S2 = 13

    TREE_WORDS_S2 = 25

    TREE_OPEN_S2 = 30

    IS_WORD_B0 = 9

    IS_ATTACHED_B0 = 14

    TREE_WORDS_B0 = 26

    TREE_OPEN_B0 = 31

    IS_WORD_L0 = 10

    IS_ATTACHED_L0 = 15

    TREE_WORDS_L0 = 27

    TREE_OPEN_L0 = 32

    DISTANCE_S0_B0 = 16

    DISTANCE_S1_S0 = 17

    DISTANCE_S2_S0 = 18

    DOMINATES_S0_B0 = 19

    DOMINATES_B0_S0 = 20

    DOMINATES_S1_S0 = 21

    DOMINATES_S0_S1 = 22

class EffectKind(enum.Enum):
    SHIFT = 0

    POP = 1

    DROP = 2

    BACK = 3

    ASIDE = 4

    RESTORE = 5

    CLEAR = 6

    ARC = 7

    PROPOSE = 8

class ProbeKind(enum.Enum):
    HEAD = 0

    CHILDREN = 1

    HEADLESS = 2

    WANTS = 3

    WANTING = 4

class Potential(enum.Enum):
    ZERO = 0

    BLOCKED_CHAIN = 1

    CROSSING_ARCS = 2

    ARC_STANDARD = 3

    ATTARDI = 4

    CYCLES = 5

    SWAP = 6

class StaticOracle(enum.Enum):
    ABSENT = 0

    SWAP_EAGER = 1

    SWAP_LAZY = 2

class Place(enum.IntEnum):
    S0 = 0

    S1 = 1

    S2 = 2

    DEEPER = 3

    B0 = 4

    BEHIND = 5

    L0 = 6

    ON_LIST = 7

class Literal:
    """low <= fact <= high"""

    def __init__(self, *, fact: int, low: int, high: int) -> None: ...

class Effect:
    """What a transition does."""

    def __init__(self, *, kind: EffectKind, first: int = 0, second: int = 0) -> None:
        """Positions: of POP the token, of arcs head and dependent."""

class Probe:
    """A number that costs are made of."""

    def __init__(self, *, kind: ProbeKind, position: int, region: int, flag: bool, direction: int) -> None: ...

class Term:
    """Counts a probe where all literals of the guard, a bit for each, hold."""

    def __init__(self, *, probe: int, guard: int) -> None: ...

class Row:
    """A transition. Sets of literals are bits."""

    def __init__(self, *, all: int, clauses: Sequence[int], effects: Sequence[Effect], terms: Sequence[Term], directed_terms: Sequence[Term]) -> None:
        """
        Literals that must all hold; sets of which one must hold; costs; costs of references with directions.
        """

class Final:
    """
    When a derivation ends: as in Row; without conditions, when all but Root are gone.
    """

    def __init__(self, *, all: int = 0, clauses: Sequence[int] = [], rest_to_root: bool = False) -> None:
        """
        `rest_to_root`: words that are left without a head become children of Root.
        """

class System:
    """A transition table."""

    def __init__(self, *, has_root: bool, root_first: bool, starts_on_stack: bool, ends_on_stack: bool, free_focus: bool, single_root: bool, potential: Potential, limit: int, static_oracle: StaticOracle, literals: Sequence[Literal], probes: Sequence[Probe], rows: Sequence[Row], final: Final) -> None: ...

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

class States:
    """States of one sentence."""

    @property
    def words(self) -> int: ...

    def legal(self, state: int) -> list[int]:
        """
        The legal steps; none in a final state. A step is an action; with a free focus, + MAX_ROWS times the token at S0.
        """

    def is_final(self, state: int) -> bool: ...

    def apply(self, state: int, step: int, label: int) -> int:
        """The next state."""

    def tokens(self, state: int) -> tuple[list[int], list[int], list[int]]:
        """Stack (from the bottom), buffer and list (from the front)."""

    def arcs(self, state: int) -> list[tuple[int, int, int]]:
        """(head, dependent, label), by dependent."""

    def record(self, state: int, position: int) -> dict[str, Any]:
        """What the state knows of the token at S0, S1, S2 or B0."""

    def made_arc(self, state: int, step: int, proposed: bool) -> tuple[int, int]:
        """(head, dependent) that the step makes, or proposes; -1 where none."""

    def costs(self, state: int, references: Sequence[Reference]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """(references, legal steps)"""

class LinkedStates(States):
    """Immutable states that share structure; state 0 is initial."""

    def __init__(self, system: System, words: int) -> None: ...

    def derivation(self, state: int) -> list[int]: ...

    def filtered(self, state: int, constraints: Constraints) -> Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C')]:
        """
        (sentences of the constraints, legal steps) Does the step go on? All are as long as the states'.
        """

class MutableStates(States):
    """One state that changes in place, under any index."""

    def __init__(self, system: System, words: int) -> None: ...

def walk(system: System, references: Sequence[Reference], seed: int, transitions: int, linked: bool, with_costs: bool) -> tuple[int, int, int, list[int], int]:
    """
    Random derivations: (transitions, states, digest of the costs, heads of the last tree, states with approximate costs).
    """

TEMPLATE_MASK: int = 511

ROOT_VALUE: int = 6709598062849421327

ABSENT_VALUE: int = 12084814529364301443

def hash_text(text: str) -> int:
    """The value of an atom that is a string."""

def hash_number(number: int) -> int:
    """... a number: -1 is none."""

def hash_set(bits: int) -> int:
    """... a set of labels, with the bit label % 64 for each."""

def feature_key(template: int, values: Sequence[int]) -> int:
    """
    The key of a feature, by the number of its template and the values of its atoms.
    """

def label_key(key: int, action: int) -> int:
    """The key under which labels of an action's arcs have weights."""

class Base(enum.Enum):
    S0 = 0

    S1 = 1

    S2 = 2

    S3 = 3

    B0 = 4

    B1 = 5

    B2 = 6

    B3 = 7

    L0 = 8

class Path(enum.Enum):
    HERE = 0

    LEFT_0 = 1

    LEFT_1 = 2

    RIGHT_0 = 3

    RIGHT_1 = 4

    HEAD = 5

    HEAD_HEAD = 6

def address(base: Base, path: Path) -> int:
    """An address as one number."""

class Transform(enum.Enum):
    WHOLE = 0

    LOWER = 1

    PREFIX = 2

    SUFFIX = 3

    KEY = 4

    GIVEN_HEAD = 5

    GIVEN_LABEL = 6

    SHAPE = 7

    LOWER_PREFIX = 8

    LOWER_SUFFIX = 9

class AtomKind(enum.Enum):
    ATTRIBUTE = 0

    LABEL = 1

    LEFT_VALENCY = 2

    RIGHT_VALENCY = 3

    LEFT_LABELS = 4

    RIGHT_LABELS = 5

    DISTANCE = 6

    HISTORY = 7

    BETWEEN = 8

    GIVEN = 9

class Attribute:
    """What features see of a column of a treebank."""

    def __init__(self, *, column: int, transform: Transform, number: int = 0, key: str = '') -> None: ...

class Counter:
    """Counts tokens whose attribute has a value."""

    def __init__(self, *, attribute: int, value: str) -> None: ...

class Atom:
    """
    A value that features see of a state; addresses are `address(base, path)`.
    """

    def __init__(self, *, kind: AtomKind, first: int = 0, second: int = 0, parameter: int = 0) -> None: ...

class Program:
    """Feature templates over states."""

    def __init__(self, *, attributes: Sequence[Attribute], counters: Sequence[Counter], atoms: Sequence[Atom], templates: Sequence[Sequence[int]], vectors: Sequence[int], actions_only: Sequence[int] = [], own_labels: Sequence[int] = []) -> None: ...

    @property
    def templates(self) -> int: ...

class SequenceAtom:
    """A value that features see of an item, or of a class given before."""

    def __init__(self, *, is_class: bool, offset: int, parameter: int) -> None: ...

class SequenceProgram:
    """Feature templates over a window of items."""

    def __init__(self, *, attributes: Sequence[Attribute], columns: int, parts: int, atoms: Sequence[SequenceAtom], templates: Sequence[Sequence[int]]) -> None: ...

    @property
    def templates(self) -> int: ...

class UpdateAt(enum.Enum):
    FIRST_VIOLATION = 0

    MAX_VIOLATION = 1

    LATEST_VIOLATION = 2

    LONGEST_PREFIX = 3

    END = 4

class Positive(enum.Enum):
    BEST_SCORING = 0

    MOST_SIMILAR = 1

class Restart(enum.Enum):
    NONE = 0

    PAIR = 1

    RANDOM_CORRECT = 2

    BEAM = 3

    SAMPLE = 4

class Strategy:
    """How one sentence is learned from."""

    def __init__(self, *, static_oracle: bool, update_at: UpdateAt, positive: Positive, restart: Restart, exploration: float, temperature: float, horizon: int, focus: float) -> None: ...

    @property
    def static_oracle(self) -> bool: ...

    @property
    def update_at(self) -> UpdateAt: ...

    @property
    def positive(self) -> Positive: ...

    @property
    def restart(self) -> Restart: ...

    @property
    def exploration(self) -> float: ...

    @property
    def temperature(self) -> float: ...

    @property
    def horizon(self) -> int:
        """Actions; 0: none."""

    @property
    def focus(self) -> float: ...

class Update:
    """A pair of derivations that the weights are updated by."""

    @property
    def positive(self) -> list[int]:
        """Actions from the initial state."""

    @property
    def negative(self) -> list[int]: ...

    @property
    def positive_score(self) -> int:
        """Since the search last started."""

    @property
    def negative_score(self) -> int: ...

    @property
    def started(self) -> int:
        """Length of the derivation that the search started from."""

class Progress:
    """How far a learner is, over all epochs."""

    def __init__(self, *, sentences: int, words: int, updates: int, transitions: int, valued: int, approximated: int) -> None: ...

    @property
    def sentences(self) -> int: ...

    @property
    def words(self) -> int:
        """Of sequences: items."""

    @property
    def updates(self) -> int: ...

    @property
    def transitions(self) -> int: ...

    @property
    def valued(self) -> int:
        """States whose costs come from a loss."""

    @property
    def approximated(self) -> int:
        """Those of them where the loss was approximate."""

class ActionRows:
    """Weights of actions while they are learned, by key."""

    def __init__(self, *, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dated: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """[row][action]"""

    @property
    def dated(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Sums from which averages are computed, as weights."""

class LabelRows:
    """
    Weights of labels, or of classes, while they are learned, by key and label.
    """

    def __init__(self, *, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dated: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def counts(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """How many labels each key has."""

    @property
    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def weights(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """As labels."""

    @property
    def dated(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Sums from which averages are computed, as labels."""

class LayerArrays:
    """The arrays of a Layer."""

    @property
    def lines(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def label_lines(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def tables(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    @property
    def label_rows(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    @property
    def action_scale(self) -> float:
        """What an update became in the weights of actions."""

    @property
    def label_scale(self) -> float:
        """... and of labels."""

    @property
    def labels(self) -> int:
        """Number of labels; of few classes of a sequence, 0."""

class Signal(enum.IntEnum):
    ARC = 0

    LEAST = 1

    LABEL = 2

    RIVAL = 3

    TREE = 4

NO_RIVAL: int = 1073741824

class Vectors:
    """
    Embeddings as bytes, a row for each word; the unknown word's comes first.
    """

    def __init__(self, matrix: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], bits: int) -> None: ...

class VectorLayer:
    """Weights of vectors, in 16 bits and shifted, for a Layer."""

    def __init__(self, *, actions: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], action_shift: int, label_shift: int) -> None: ...

class Layer:
    """Weights for parsing; the arrays are those of LayerArrays."""

    def __init__(self, *, classes: int, labels: int, lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label_lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], vectors: VectorLayer | None = None) -> None: ...

class ScaledLayer:
    """A Layer, and what its scores of actions and labels are multiplied by."""

    def __init__(self, *, layer: Layer, actions: int = 1, labels: int = 1, program: int = 0, common_labels: Sequence[int] = []) -> None:
        """
        In a vote, `program` has its features, and `common_labels` are the parser's numbers of its labels.
        """

class Corpus:
    """
    Sentences to learn from, or to parse if there are no heads, prepared for one system and program.
    """

    def __init__(self, program: Program, system: System, store: TreebankStore, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def __len__(self) -> int: ...

    def constrain(self, constraints: Constraints) -> None:
        """Search keeps to these constraints, and features read them."""

    def replace(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Trees:
    """Trees of a treebank."""

    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """By word; Root is 0, -1 is none."""

    @property
    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """By word; -1 is none."""

    @property
    def behind(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """By sentence: how far its tree was ever behind the best of its beam."""

    @property
    def signals(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        (words, signals), if they were asked for: what the confidence of an arc is computed from.
        """

class Tree:
    """A tree of one sentence."""

    @property
    def heads(self) -> list[int]: ...

    @property
    def labels(self) -> list[int]: ...

    @property
    def score(self) -> int: ...

class Derived:
    """Derivations of the sentences of a treebank."""

    @property
    def lengths(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """By sentence: number of actions."""

    @property
    def actions(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Of the arcs that actions make; -1 is none."""

class Model:
    """A finished parser."""

    def __init__(self, *, system: System, program: Program, of_root: Sequence[bool], of_words: Sequence[bool], layers: Sequence[ScaledLayer], vectors: Vectors | None = None, further: Sequence[Program] = []) -> None: ...

    def parse(self, store: TreebankStore, beam: int, threads: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, margin: int | None = None, constraints: Constraints | None = None, confidence: bool = False) -> Trees: ...

    def best(self, store: TreebankStore, sentence: int, beam: int, count: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, constraints: Constraints | None = None) -> list[Tree]:
        """Different trees of one sentence, best first."""

    def derivations(self, store: TreebankStore, beam: int, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, margin: int | None = None) -> Derived:
        """How `parse` came to its trees."""

class Inside:
    """The weights of a finished parser; matrices come as flat arrays."""

    def __init__(self, model: Model) -> None: ...

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

class CompactVectors:
    """Weights of vectors as a VectorLayer has them."""

    @property
    def actions(self) -> Annotated[NDArray[numpy.int16], dict(shape=(None,))]: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.int16], dict(shape=(None,))]: ...

    @property
    def action_shift(self) -> int: ...

    @property
    def label_shift(self) -> int: ...

class VectorRows:
    """Weights of vectors while they are learned, [class][dimension]."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def dated(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def load(self, *, weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dated: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Averages:
    """
    The averaged weights of learners, which stay as they are when those go on.
    """

    def compact(self, least: float, threads: int) -> LayerArrays:
        """The mean, without weights smaller than `least` updates."""

class Learner:
    """An averaged perceptron that learns by a strategy."""

    def __init__(self, *, system: System, program: Program, of_root: Sequence[bool], of_words: Sequence[bool], base: Sequence[ScaledLayer], unit: int, beam: int, ties: Sequence[int], seed: int, vectors: Vectors | None = None) -> None: ...

    def train(self, corpus: Corpus, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strategy: Strategy, listener: Callable[[Update, bool], None] | None = None, threads: int = 1, batch: int = 1) -> None: ...

    @property
    def progress(self) -> Progress: ...

    @property
    def time(self) -> int:
        """Sentences that the average is over."""

    @property
    def random(self) -> int:
        """The state of the random numbers."""

    def actions(self) -> ActionRows:
        """A copy of the weights of actions."""

    def labels(self) -> LabelRows:
        """A copy of the weights of labels."""

    def load(self, *, actions: ActionRows, labels: LabelRows, time: int, random: int, progress: Progress) -> None: ...

    @property
    def vector_actions(self) -> VectorRows: ...

    @property
    def vector_labels(self) -> VectorRows: ...

    def compact_vectors(self, *, action_scale: float, label_scale: float) -> CompactVectors:
        """Where an update becomes the scales of a LayerArrays."""

def average(learners: Sequence[Learner], threads: int) -> Averages:
    """What the learners have learned so far."""

def parse_averaged(learners: Sequence[Learner], store: TreebankStore, beam: int, threads: int) -> Trees:
    """Trees by weights that have not become bytes yet."""

class KeyedPerceptron:
    """
    Weights by the keys of features, for states that live outside the engine.
    """

    def __init__(self, actions: int, labels: int) -> None: ...

    def score(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def score_labels(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def reward(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], by: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], time: int) -> None: ...

    def reward_labels(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], by: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], time: int) -> None: ...

    def actions(self) -> ActionRows: ...

    def labels(self) -> LabelRows: ...

    def load(self, actions: ActionRows, labels: LabelRows) -> None: ...

class DescribedStates:
    """States that live outside the engine, as templates see them."""

    def __init__(self, program: Program, store: TreebankStore, root_first: bool, given: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None: ...

    def keys(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stack: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffer: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], history: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def positions(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], stack: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], buffer: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], history: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], addresses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def label_templates(system: System, program: Program) -> list[int]:
    """Numbers of the templates that labels of arcs see."""

class Batch:
    """States of many sentences; arrays are filled in place."""

    def __init__(self, system: System, program: Program, corpus: Corpus, ties: Sequence[int]) -> None: ...

    def start(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def select(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], focus: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    def __len__(self) -> int: ...

    @property
    def states(self) -> int:
        """How many there are, from number 0 on."""

    def list_states(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_parents(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_sentences(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_actions(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_focus(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def list_violations(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def last_arcs(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def derivation(self, state: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    def legal(self, out: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def costs(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def oracle(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def positions(self, addresses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def places(self, addresses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], none: int, out: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def arc_places(self, width: int, out: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def labels(self, addresses: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def history(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    @property
    def deepest(self) -> int:
        """How many words the largest stack of a row has."""

    def stacks(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def keys(self, out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def arcs(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def apply(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def start_beams(self, width: int, restarts: bool) -> None:
        """
        A beam for each sentence, to learn from. A beam that loses what is correct may begin again there.
        """

    def choose_steps(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """Rows and actions that the beams go on with."""

    def take_steps(self, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None: ...

    @property
    def wrong_searches(self) -> int:
        """
        How many have ended with another derivation on top than the best correct one.
        """

    def contested_steps(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
        """
        Derivations that searches ended with, where some were wrong: the states that steps are taken in; of each step its place among them, action and derivation; of each derivation its search, and whether it is correct.
        """

    def correct_steps(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
        """The same of the best correct one of each search."""

    def is_final(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def latest(self, out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def trees(self, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

class Sequences:
    """Items of many sequences, prepared for one program."""

    def __init__(self, program: SequenceProgram, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], store: TreebankStore | None, columns: list[Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]]) -> None: ...

    def allow(self, sets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], known: int) -> None:
        """
        The classes that items may have: the number of a set for each item (-1: all), and the sets.
        """

class SequenceLearner:
    """An averaged perceptron that learns classes by a strategy."""

    def __init__(self, *, program: SequenceProgram, classes: int, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: int, beam: int, seed: int) -> None: ...

    def train(self, sequences: Sequences, right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strategy: Strategy, listener: Callable[[Update, bool], None] | None = None, threads: int = 1, batch: int = 1) -> None: ...

    @property
    def progress(self) -> Progress: ...

    @property
    def time(self) -> int:
        """Sequences that the average is over."""

    def weights(self) -> LabelRows:
        """A copy of the weights of classes."""

def average_sequences(learners: Sequence[SequenceLearner], threads: int) -> Averages:
    """What the learners have learned so far."""

class SequenceModel:
    """Finished weights for classes of items; they are those of LayerArrays."""

    def __init__(self, *, program: SequenceProgram, classes: int, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], label_lines: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_rows: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: int, action_scale: float, label_scale: float) -> None: ...

    def predict(self, sequences: Sequences, beam: int, threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def best(self, sequences: Sequences, sequence: int, beam: int, count: int) -> list[tuple[list[int], float]]:
        """[(classes, score in updates), ...], best first."""

UNKNOWN_HEAD: int = -1

EMPTY_HEAD: int = -2

LEFTWARD_HEAD: int = -3

RIGHTWARD_HEAD: int = -4

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
