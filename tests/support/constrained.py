"""What the tests of constraints share: the systems that keep them, small treebanks, and constraints to draw."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import panparser as pp
from panparser.parsing.constraints import Constraint
from panparser.trees.gold import ROOTS

EVERY = [
    *(
        pp.system(name, root=root, single_root=single)
        for name in ("arc-eager", "arc-hybrid", "arc-standard", "non-monotonic-arc-eager")
        for root in ROOTS
        for single in (False, True)
    ),
    *(pp.system(name, root=root) for name in ("arc-eager-partial", "arc-hybrid-partial") for root in ("first", "last")),
    *(
        pp.system(name, root=root, k=k)
        for name in ("arc-eager-span", "arc-hybrid-span")
        for root in ("first", "last")
        for k in (1, 2)
    ),
    *(pp.system("attardi", root=root, single_root=single) for root in ROOTS for single in (False, True)),
]


def name_of(system):
    return f"{system.name}-{system.root}{'-single' if system.single_root else ''}{system.max_span or ''}"


def some_and_all(systems, length, longest):
    """Each system with a length; the longest ones, but for a few systems, are slow tests."""
    few = ("arc-eager-last-single", "arc-hybrid-span-first2")
    for system in systems:
        yield pytest.param(system, longest if name_of(system) in few else length, id=name_of(system))
        if name_of(system) not in few:
            yield pytest.param(system, longest, id=f"{name_of(system)}-{longest}", marks=pytest.mark.slow)


def treebank_of(*sentences, misc=None, labels=None):
    """A treebank of words a b c ...; heads are numbers or None."""
    text = ""
    for number, heads in enumerate(sentences, start=1):
        text += f"# sent_id = s{number}\n"
        for word, head in enumerate(heads, start=1):
            cell = (misc or {}).get((number, word), "_")
            label = (labels or {}).get((number, word), "_")
            text += f"{word}\tw{word}\t_\tX\t_\t_\t{'_' if head is None else head}\t{label}\t_\t{cell}\n"
        text += "\n"
    return pp.parse_conllu(text, lenient=True)


def constraints_over(words):
    """Any constraint on a sentence."""
    spans = st.tuples(st.integers(1, words), st.integers(1, words), st.sampled_from(("subtree", "closed")))
    word = st.integers(1, words)
    others = st.sets(st.integers(0, words), min_size=1, max_size=2)
    return st.one_of(
        st.tuples(word, others).filter(lambda pair: pair[0] not in pair[1]).map(lambda pair: made(*pair)),
        st.tuples(word, st.sampled_from((pp.HEAD_LEFT, pp.HEAD_RIGHT))).map(lambda pair: Constraint(*pair)),
        spans.map(lambda s: Constraint(0, pp.Span(min(s[:2]), max(s[:2]), s[2]))),
    )


def made(word, heads):
    return Constraint(word, frozenset(heads) if len(heads) > 1 else next(iter(heads)))
