"""Address and Atom: a position in a state, and a value at that position."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from panparser.errors import TemplateError

FARTHEST, DEEPEST = 16, 4  # items around the current one; classes given before it
BASES = ("S0", "S1", "S2", "S3", "B0", "B1", "B2", "B3", "L0")
PATHS = ("", "left[0]", "left[1]", "right[0]", "right[1]", "head", "head.head")
ITEMS = tuple(f"W{offset}" for offset in range(-FARTHEST, FARTHEST + 1))  # of a sequence; W0 is the current one
CLASSES = tuple(f"T-{ago}" for ago in range(1, DEEPEST + 1))  # of the preceding items
BASES_WITH_ARCS = (*BASES[:5], "L0")  # tokens behind the front of the buffer have no arcs yet

COLUMN_ATTRIBUTES = ("form", "lower", "lemma", "upos", "xpos", "feats", "prefix", "suffix", "deps", "misc")
ITEM_ATTRIBUTES = (*COLUMN_ATTRIBUTES, "shape", "lower_prefix", "lower_suffix")  # of words; items may have others
ARC_ATTRIBUTES = ("label", "left_valency", "right_valency", "left_labels", "right_labels")
GIVEN_ATTRIBUTES = ("given_head", "given_label")  # what constraints give for the token
ATTRIBUTES = (*COLUMN_ATTRIBUTES, *ARC_ATTRIBUTES, *GIVEN_ATTRIBUTES, "vector")
FUNCTIONS = ("distance", "between", "given", "history", "call")
CALL = "call"  # a Python function of the state, by the name in brackets
CLASS = "class"  # a class as a whole
EXAMPLES = {
    **{
        "distance": "distance(S0,B0)",
        "between": "between(S0,B0,upos=VERB)",
        "given": "given(S0,B0)",
        "history": "history[0]",
        "call": "call[left_word]",
    },
    **{"feats": "feats[Case]", "misc": "misc[Gloss]"},
}
NUMBERED = {
    **{name: range(1, 11) for name in ("prefix", "suffix", "lower_prefix", "lower_suffix")},
    **{"history": range(4)},
}
KEYED = ("feats", "misc", "call")  # cells of the form Key=Value|Key=Value

# what other tools and the papers call them
_SYNONYMS = {
    **{"word": "form", "w": "form", "pos": "upos", "tag": "upos", "p": "upos", "cpos": "upos", "deprel": "label"},
    **{"l": "label", "morph": "feats", "lowercase": "lower", "embedding": "vector"},
    **{f"N{number}": f"B{number}" for number in range(4)},
}
_PLACE = re.compile(r"[WT][+-]?[0-9]+")
_STOPS_KEY = '=|"#'
STOPS_VALUE = ',()"#'


@dataclass(frozen=True, repr=False)
class Address:
    """A token of the state: on the stack (S0 is its top), in the buffer or on the list (B0, L0: front), or a relative.

    The path is empty, `left[0]` (the leftmost child), `left[1]` (the second leftmost), `right[0]` (the rightmost),
    `right[1]`, `head` or `head.head`. Templates over sequences have W0, the current item, and W-1, W1, ... around it.
    """

    base: str
    path: str = ""

    def __post_init__(self) -> None:
        check_base(self.base)
        if self.path not in PATHS:
            raise TemplateError(_bad_path(self.path))
        if self.path and self.is_of_sequence:
            raise TemplateError(f"{self.base} has no children and no head: it belongs to a sequence")
        if self.path and self.base not in BASES_WITH_ARCS:
            raise TemplateError(f"{self.base} has no children and no head; {_join(BASES_WITH_ARCS)} may have some")

    @property
    def is_of_sequence(self) -> bool:
        """Is it an item of a sequence, or the class of one?"""
        return self.base in ITEMS or self.base in CLASSES

    def __str__(self) -> str:
        return f"{self.base}.{self.path}" if self.path else self.base

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Atom:
    """A value that is read from a state: an attribute of a token, or a function of the state.

    `S0.form` is `Atom("form", (Address("S0"),))`. The key is in brackets: `Case` in `S0.feats[Case]`, 3 in
    `S0.suffix[3]`, 0 in `history[0]`. Only `between` has a column, whose key it then is, and a value. The class
    of the item before is `T-1`, with the name `class`; a part of it is read as in `T-1.upos`.
    """

    name: str
    addresses: tuple[Address, ...] = ()
    key: str | int | None = None
    column: str | None = None
    value: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.addresses, str | Address) or not isinstance(self.addresses, Sequence):
            raise TemplateError(f"{self.name}: addresses must be a tuple of Address; got {self.addresses!r}")
        object.__setattr__(self, "addresses", tuple(self.addresses))
        if self.name not in FUNCTIONS:
            base = self.addresses[0].base if self.addresses and isinstance(self.addresses[0], Address) else ""
            check_attribute(self.name, base)
        self._check_addresses()
        if self.name == "between":
            check_column(self.column)
            check_value(self.value)
        elif self.column is not None or self.value is not None:
            raise TemplateError(f"{self.name} takes no column and no value; between does")
        check_key(self.column or self.name, self.key)

    def _check_addresses(self) -> None:
        expected = {"distance": 2, "between": 2, "given": 2, "history": 0, "call": 0}.get(self.name, 1)
        if len(self.addresses) != expected or not all(isinstance(address, Address) for address in self.addresses):
            raise TemplateError(f"{self.name} takes {expected} of Address; got {self.addresses!r}")
        bases = [address.base for address in self.addresses]
        if self.key is not None and bases and bases[0] in CLASSES:
            raise TemplateError(f"{bases[0]}.{self.name} takes nothing in brackets; got {self.key}")
        if self.name in ARC_ATTRIBUTES and bases[0] not in BASES_WITH_ARCS:
            raise TemplateError(f"{bases[0]} has no {self.name}; {_join(BASES_WITH_ARCS)} may have one")
        if self.name in ARC_ATTRIBUTES[1:] and self.addresses[0].path.startswith(("left", "right")):
            raise TemplateError(f"{self.name} of a child is not known; that of {bases[0]} and of its head is")
        if self.name in FUNCTIONS and any(address.is_of_sequence for address in self.addresses):
            raise TemplateError(f"{self.name} takes tokens of stack and buffer; got {self.addresses!r}")
        if self.name in FUNCTIONS and any(address.path for address in self.addresses):
            raise TemplateError(f"{self.name} takes tokens of stack and buffer, without a path; got {self.addresses!r}")
        if self.name in FUNCTIONS and len(set(bases)) < len(bases):
            raise TemplateError(f"{self.name} takes two different tokens; got {bases[0]} twice")

    @property
    def is_of_sequence(self) -> bool:
        """Is it read from a sequence, and not from a parser's state?"""
        return any(address.is_of_sequence for address in self.addresses)

    @property
    def names(self) -> tuple[str, ...]:
        """The attribute or function by name, and for `between` the column that it counts in."""
        return (self.name, self.column) if self.column else (self.name,)

    def __str__(self) -> str:
        key = "" if self.key is None else f"[{self.key}]"
        places = ",".join(map(str, self.addresses))
        if self.name == "between":
            return f"between({places},{self.column}{key}={_quoted(self.value or '')})"
        if self.name in ("distance", "given"):
            return f"{self.name}({places})"
        if self.name == CLASS:
            return places
        return f"{places}.{self.name}{key}" if places else f"{self.name}{key}"

    __repr__ = __str__


# --- Checks, for the template parser as well ---


def check_base(word: str) -> None:
    """Raises TemplateError unless the word names a token of the state or a place in a sequence."""
    if word in BASES or word in ITEMS or word in CLASSES:
        return
    if word in ATTRIBUTES:
        raise TemplateError(f"{word} needs an address, as in S0.{word}")
    if word in FUNCTIONS:
        raise TemplateError(f"expected an address such as S0; got the function {word}")
    if _PLACE.fullmatch(str(word)):
        raise TemplateError(
            f"a sequence has W-{FARTHEST} to W{FARTHEST}, and the classes T-1 to T-{DEEPEST}; got {word}"
        )
    raise TemplateError(f"unknown address {word}{_hint(word, [*BASES, *FUNCTIONS])}")


def check_attribute(word: str, base: str = "") -> None:
    """Raises TemplateError unless the word names an attribute of the token at a base. Items may have any name."""
    if base in ITEMS or base in CLASSES:
        unknown = (*ARC_ATTRIBUTES, *FUNCTIONS, "vector", *((CLASS,) if base in ITEMS else ()))
        if word in unknown or not word.isidentifier():
            raise TemplateError(f"{base} has no {word}: it belongs to a sequence")
        return
    if word in ATTRIBUTES:
        return
    if word in FUNCTIONS:
        raise TemplateError(f"{word} is not an attribute of a token; it is written {EXAMPLES[word]}")
    if word in ("left", "right", "head"):
        path = word if word == "head" else f"{word}[0]"
        raise TemplateError(f"{path} is a token, not a value; add one of its attributes, as in S0.{path}.upos")
    raise TemplateError(f"unknown attribute {word}{_hint(word, ATTRIBUTES)}")


def check_column(word: str | None) -> None:
    """Raises TemplateError unless `between` can count it: an attribute that is a string from the treebank."""
    if word not in COLUMN_ATTRIBUTES:
        if word not in ATTRIBUTES:
            check_attribute(str(word))
        raise TemplateError(f"between counts tokens by {', '.join(COLUMN_ATTRIBUTES)}; got {word}")


def check_key(name: str, key: object) -> None:
    """Raises TemplateError if the key is invalid in brackets after an attribute or function."""
    if name in NUMBERED:
        numbers = NUMBERED[name]
        if isinstance(key, bool) or not isinstance(key, int) or key not in numbers:
            got = "none" if key is None else key
            raise TemplateError(f"{name} needs a number from {numbers[0]} to {numbers[-1]} in brackets; got {got}")
    elif name == CALL and not (isinstance(key, str) and key.isidentifier()):
        raise TemplateError(f"call needs the name of a function in brackets, as in {EXAMPLES[name]}; got {key!r}")
    elif key is not None and name not in KEYED:
        raise TemplateError(f"{name} takes nothing in brackets; got {key}")
    elif key is not None and not (isinstance(key, str) and _is_key(key)):
        raise TemplateError(
            f"{name} takes the name of one of its values in brackets, as in {EXAMPLES[name]}; got {key!r}"
        )


def check_value(value: object) -> None:
    """Raises TemplateError if no cell of a treebank can hold the value."""
    if not isinstance(value, str) or not value:
        raise TemplateError(f"between needs a value, as in {EXAMPLES['between']}; got {value!r}")
    if any(_is_control(letter) for letter in value):
        raise TemplateError(f"a value has no control characters and no ends of lines; got {value!r}")


def stops_key(letter: str) -> bool:
    """Can this character not be part of a key?"""
    return letter.isspace() or letter in _STOPS_KEY or _is_control(letter)


def _is_key(text: str) -> bool:
    depth = 0  # keys may contain paired brackets: feats[Number[psor]]
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if stops_key(letter) or depth < 0:
            return False
    return bool(text) and depth == 0


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")  # also ends of lines, and lone surrogates


def _quoted(value: str) -> str:
    if any(letter.isspace() or letter in STOPS_VALUE for letter in value):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return value


def _bad_path(path: str) -> str:
    if path in ("left", "right"):
        return f"{path} needs a number in brackets: {path}[0] or {path}[1]"
    return f"expected one path of {', '.join(filter(None, PATHS))}; got {path}"


def _hint(word: str, words: Iterable[str]) -> str:
    words = list(words)
    near = [known for known in words if known.lower() == str(word).lower()]
    near = near or [known for name, known in _SYNONYMS.items() if name.lower() == str(word).lower() and known in words]
    near = near or get_close_matches(str(word), words, 1)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(words)}"


def _join(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
