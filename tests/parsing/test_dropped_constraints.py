"""With `relax`, what is listed as dropped is what the trees lack."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.parsing.constraints import Constraint
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, Span

WORDS = 5
SYSTEMS = ("arc-eager", "arc-standard", "arc-hybrid-span", "arc-eager-partial", "attardi")
LINES = "".join(f"{i}\t{'abcde'[i - 1]}\t_\tX\t_\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, WORDS + 1))
TREEBANK = pp.parse_conllu(f"{LINES}\n{LINES}\n".encode())


@pytest.fixture(scope="module")
def parsers():
    specs = {name: pp.ParserSpec(system=pp.system(name), beam=4, templates=pp.templates("zn11")) for name in SYSTEMS}
    return {name: pp.train(spec, TREEBANK, epochs=1, members=1) for name, spec in specs.items()}


def others(word):
    return st.sampled_from([head for head in range(WORDS + 1) if head != word])


def one(word):
    return st.one_of(
        st.sampled_from([Constraint(word, HEAD_LEFT), Constraint(word, HEAD_RIGHT)]),
        st.frozensets(others(word), min_size=1, max_size=3).map(lambda heads: Constraint(word, heads)),
        st.builds(
            lambda ends, kind: Constraint(0, Span(min(ends), max(ends), kind)),
            st.tuples(st.integers(1, WORDS), st.integers(1, WORDS)),
            st.sampled_from(["subtree", "closed"]),
        ),
    )


SETS = st.tuples(
    st.tuples(*(st.one_of(st.just(-1), others(word)) for word in range(1, WORDS + 1))),
    st.lists(st.integers(1, WORDS).flatmap(one), max_size=4),
)


def constraints_of(*sets):
    found = pp.Constraints.from_treebank(TREEBANK, keep=())
    found.heads[:] = np.concatenate([heads for heads, _ in sets])
    found.other_constraints |= {number: tuple(more) for number, (_, more) in enumerate(sets) if more}
    return found


def lacking(parser, constraints, heads):
    system = parser.spec.system
    return [
        (sentence, constraint)
        for sentence in range(len(TREEBANK))
        for constraint in constraints.for_sentence(sentence)
        if not constraint.is_satisfied(heads[constraints.word_slice(sentence)], system.root, system.partial)
    ]


@pytest.mark.unmeasured
@settings(max_examples=150)
@given(st.sampled_from(SYSTEMS), SETS, SETS)
def test_what_is_dropped_is_what_the_trees_lack(parsers, name, first, second):
    parser, constraints = parsers[name], constraints_of(first, second)
    parsed = parser.annotate(TREEBANK.copy(), constraints=constraints, relax=True)
    dropped = [(one.sentence, one.constraint) for one in parsed.dropped]
    assert Counter(dropped) == Counter(lacking(parser, constraints, parsed.heads))


def test_a_constraint_that_is_given_twice_frees_no_other_word(parsers):
    twice = [Constraint(0, Span(2, 2, "closed"))] * 2
    first, second = ((-1, -1, -1, -1, 1), []), ((-1, -1, 2, 2, 2), twice)
    constraints = constraints_of(first, second)
    parsed = parsers["arc-standard"].annotate(TREEBANK.copy(), constraints=constraints, relax=True)
    assert parsed.heads[WORDS - 1] == 1  # of the first sentence
    assert [one.constraint for one in parsed.dropped] == twice
