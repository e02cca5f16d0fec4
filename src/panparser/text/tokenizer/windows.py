"""What the classifiers of the tokenizer see."""

from __future__ import annotations

from functools import lru_cache

from panparser.sequences.model import Window
from panparser.text.tokenizer.boundaries import NAMES
from panparser.text.windows import window

# At a place where a token may end; `boundaries` says what the columns are.
_TOKENIZER = """
gap b0 | gap f0 | gap b1 b0 | gap b0 f0 | gap b0 f0 f1 | gap b1 b0 f0 | gap b2 b1 b0 | gap f0 f1 | gap b1 f0
b0 f0 f0s | gap b0s f0s | gap b0 f0s | gap b0s f0 | gap b1s b0s f0s | gap b1s b0 f0s | gap b0s f0s f1s
gap b0 f0s f1s | gap b1 b0 f0s | gap b1s b0 f0s f1s | gap b2s b1s b0s f0s | gap b1s b0s f0s f1s f2s
gap b1s b0 f0 | gap b0 f0l f0s | gap b1l b0 f0l | gap b1l b0 f0s f0l | gap b0l f0l | gap b1s b0 f0l f0s
gap b0 f0 f1l f1s | gap b1 b0 f0l f0s | gap b1g b0 f0s | gap b0g b1s b0 f0s f1g | gap b0g b1g b1 b0 f1g
b0g b0 gap f1g f0 | left gap | left gap f0s | left gap f0 | right gap | left right | chunk left | chunk gap f0s
next gap b0 | next gap left | previous left gap | previous left next | gap b0 depth f0s | gap b0 quotes f0s
gap b0 f0 quotes | gap b0 f0 depth | gap b0s rest f0s | gap b0 rest far | gap b0s far f0s | d2 d1 c0 c1 c2
d1 c0 c1 | c0 c1 c2 | d1 c0 c1 c2 | T-1 gap b0 f0s | T-1 gap b0s f0s | traits gap b0 f0s | traits gap b0s f0
traits T-1 gap b0 f0s | traits T-1 c0 c1 | traits gap b0s f0s f1s | traits gap b0 f1 | T-1 T-2 traits gap c0 c1
shape gap b0 | shape gap b0s f0s | shape left gap | T-1 T-2 gap b0s f0s | T-1 b0 gap b0g
gap c0 | gap c0 f0s | gap d1 c0 | gap d1 c0 f0s | gap d2 d1 c0 | gap d1 c0 f0 | gap c0 f0 | gap d1 c0 f0l
"""
# At a token that may be one word or several: p2 p1 before it, n1 n2 after it; s2, s3 are ends, k kinds of characters.
_SPLITTER = """
form | form last | form p1 | form n1 | form p1 n1 | form p2 p1 | form n1 n2 | form n1s2 | form n1s3 | form p1s2
form p1s3 | form p1s2 n1s2 | form p1s3 n1s3 | form p1s2 n1s3 | form p1 n1s2 | form p1s3 n1 | form p1k n1k
form n1k n1s2 | form p2s3 p1s3 | form n1s3 n2s3 | form n1s2 n2s2 | p1 n1 | p1s3 n1s3 | p2k p1k n1k n2k form
form p1k n1s2 | form n2 | form p2 | form capital p1k
form e2 | form e3 | form e4 | form e5 | form e6 | form e7 | form e8 | form b2 | form b3 | form b4 | form length e3
form e3 b2 | form e4 b3 | form e3 n1s2 | form e3 n1k | form e3 p1s2 | form e4 n1s2 | form e4 last | form e5 n1k
"""
ENDS, STARTS = range(2, 9), range(2, 5)  # lengths of what is seen of a token's ends
SPLITTER_COLUMNS = (
    *("form", "capital", "last", "length", *(f"e{n}" for n in ENDS), *(f"b{n}" for n in STARTS)),
    *(f"{word}{part}" for word in ("p2", "p1", "n1", "n2") for part in ("", "s2", "s3", "k")),
)


@lru_cache
def tokenizer_window() -> Window:
    return window(_TOKENIZER, tuple(NAMES))


@lru_cache
def splitter_window() -> Window:
    return window(_SPLITTER, SPLITTER_COLUMNS)
