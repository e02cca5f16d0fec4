"""Parsing under constraints: what is given is kept, or what is not is told."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panparser as pp
from constrained import EVERY, constraints_over, name_of, some_and_all, treebank_of
from panparser.parsing.constraint_solver import Solver
from panparser.parsing.constraints import Constraint
from panparser.proofs.constraint_proof import completable_sets


@pytest.fixture(scope="session")
def parsers(english):
    """A small parser for each system."""
    made = {}

    def parser(system, beam=4):
        key = (system, beam)
        if key not in made:
            spec = pp.ParserSpec(
                system=system, templates=pp.Templates.parse("S0.upos B0.upos\nS1.upos S0.upos\nB0.form"), beam=beam
            )
            made[key] = pp.train(spec, english[0][:40], epochs=1, members=1)
        return made[key]

    return parser


def some_heads(treebank, system, share, seed=0):
    """Some of the heads of each sentence, such that a tree of the system has all of them."""
    draw = np.random.default_rng(seed)
    golds = []
    for sentence in treebank:
        heads = pp.trees.projective_subset(sentence.heads, root=system.root, single_root=system.single_root)
        root = 0 if system.root == "first" else len(heads) + 1
        golds.append(
            pp.GoldTree(
                head
                if head is not None and draw.random() < share and abs((head or root) - word) <= (system.max_span or 999)
                else None
                for word, head in enumerate(heads, start=1)
            )
        )
    return golds


@pytest.mark.parametrize("system", EVERY, ids=name_of)
def test_given_heads_are_kept(parsers, english, system):
    parser, treebank = parsers(system), english[1][:12]
    for beam in (1, 4):
        constraints = pp.Constraints.from_treebank(treebank, golds=some_heads(treebank, system, 0.4))
        parsed = parser.parse(treebank, beam=beam, constraints=constraints)
        given = constraints.heads >= 0
        assert given.any()
        assert (parsed.heads[given] == constraints.heads[given]).all()
        assert (parsed.heads != parser.parse(treebank, beam=beam).heads).any()
        assert parser.parse(treebank, beam=beam, threads=3, constraints=constraints).to_bytes() == parsed.to_bytes()


def test_nothing_given_changes_nothing(parser, english):
    nothing = pp.Constraints.from_treebank(english[1], keep=())
    assert parser.parse(english[1], constraints=nothing).to_bytes() == parser.parse(english[1]).to_bytes()
    everything = pp.Constraints.from_treebank(english[1], golds=some_heads(english[1], parser.spec.system, 1))
    whole = parser.parse(english[1], constraints=everything)
    assert (whole.heads[everything.heads >= 0] == english[1].heads[everything.heads >= 0]).all()


def test_given_labels_are_kept(parser, english):
    treebank = english[1][:8]
    kept = np.zeros(treebank.words, dtype=bool)
    kept[::3] = True
    labels = treebank.column("deprel")
    labels[~kept] = treebank.id_of("deprel", "_")
    labels[0] = treebank.id_of("deprel", "unheard-of")
    constraints = pp.Constraints.from_treebank(treebank, keep=["labels"])
    parsed = parser.parse(treebank, constraints=constraints)
    names = np.array(parsed.vocabulary("deprel"), dtype=object)[parsed.labels]
    before = np.array(treebank.vocabulary("deprel"), dtype=object)[treebank.labels]
    assert (names[kept] == before[kept]).all()
    assert names[0] == "unheard-of"
    assert not (names[~kept] == "_").any()
    for tree in parser.k_best(treebank[0], 3, constraints=constraints):
        assert all(label == old for label, old in zip(tree.labels, before, strict=False) if old != "_")


def test_k_best_trees_keep_constraints(parser, english):
    treebank = english[1][:6]
    constraints = pp.Constraints.from_treebank(treebank, golds=some_heads(treebank, parser.spec.system, 0.3))
    for number, sentence in enumerate(treebank):
        trees = parser.k_best(sentence, 4, constraints=constraints)
        given = constraints.heads[constraints.word_slice(number)]
        assert trees
        assert len({(tree.heads, tree.labels) for tree in trees}) == len(trees)
        for tree in trees:
            assert (np.array(tree.heads)[given >= 0] == given[given >= 0]).all()
    greedy = parser.parse(treebank, beam=1, constraints=constraints)
    for sentence, found in zip(treebank, greedy, strict=True):
        (tree,) = parser.k_best(sentence, 1, beam=1, constraints=constraints)
        assert (tree.heads, tree.labels) == (tuple(found.heads), tuple(found.labels))


def test_what_cannot_be_kept_is_refused_or_relaxed(parser):
    treebank = treebank_of([None], [2, 0, 0, None], [2, 3, 1, 0])
    constraints = pp.Constraints.from_treebank(treebank, keep=["heads"])
    with pytest.raises(pp.ConstraintError) as refused:
        parser.parse(treebank, constraints=constraints)
    assert str(refused.value) == (
        "<text>:4 (sent_id s2): no tree keeps all constraints; arc-eager builds a projective tree with one "
        "child of Root, which excludes: the head of word 2 is 0 (Root); the head of word 3 is 0 (Root)"
    )
    parsed = treebank.copy()
    dropped = parser.annotate(parsed, constraints=constraints, relax=True).dropped
    lost = [
        (s, w + 1)
        for s in range(3)
        for w, (old, new) in enumerate(zip(treebank[s].heads, parsed[s].heads, strict=True))
        if old not in (-1, new)
    ]
    assert [(d.sentence, d.constraint.word) for d in dropped] == lost
    assert len(lost) == 2
    assert str(dropped[0]).startswith("<text>:4 (sent_id s2): the head of word ")


def test_parsers_that_keep_no_constraints(english):
    treebank = english[0][:5]
    spec = pp.ParserSpec(system=pp.system("swap-standard"), templates=pp.Templates.parse("S0.upos"), beam=1)
    parser = pp.train(spec, treebank, epochs=1, strategy=pp.STRATEGIES["static"])
    with pytest.raises(pp.ConstraintError, match="swap-standard has a static oracle only"):
        parser.parse(treebank, constraints=pp.Constraints.from_treebank(treebank, keep=["heads"]))


def test_columns_that_were_changed_by_hand_are_checked(parser):
    treebank = treebank_of([2, 0, None], labels={(1, 1): "det"})

    def refused(message, **changes):
        constraints = pp.Constraints.from_treebank(treebank, keep=["heads", "labels"])
        for name, change in changes.items():
            setattr(constraints, name, change(getattr(constraints, name)))
        with pytest.raises(pp.ConstraintError, match=message):
            parser.parse(treebank, constraints=constraints)

    refused("Constraints: labels must be indices of its 2 texts; got -2", labels=lambda column: column * 0 - 2)
    refused("Constraints: labels must be indices of its 2 texts; got 7", labels=lambda column: column * 0 + 7)
    refused(r"Constraints: heads must be 3 numbers \(int32\)", heads=lambda column: column[:2])
    refused(r"Constraints: heads must be 3 numbers \(int32\)", heads=lambda column: column.astype(np.int64))
    refused("the head of word 1 is 99", heads=lambda column: column * 0 + 99)


def test_conllx_holds_no_constraints_but_columns():
    treebank = pp.parse_conllu("1\tw\tw\tX\tX\t_\t0\troot\t_\t_\n\n", format="conllx")
    assert len(pp.Constraints.from_treebank(treebank, keep=["heads", "labels"])) == 2
    with pytest.raises(pp.ConstraintError, match="constraints are in MISC, which CoNLL-X does not have"):
        pp.Constraints.from_treebank(treebank, keep=["constraints"])


def test_constraints_of_another_treebank(parser, english):
    constraints = pp.Constraints.from_treebank(english[1], keep=["heads"])
    with pytest.raises(pp.ConstraintError, match="for another treebank"):
        parser.parse(english[0], constraints=constraints)
    with pytest.raises(pp.ConstraintError, match="must be Constraints; got 'heads'"):
        parser.parse(english[0], constraints="heads")


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", EVERY, ids=name_of)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_kind_of_constraint_is_kept(parsers, english, system, data):
    parser = parsers(system)
    treebank = short_sentences(english[1])
    golds = []
    for sentence in treebank:
        solver = Solver(system, len(sentence))
        constraints = data.draw(
            st.lists(constraints_over(len(sentence)), max_size=4, unique_by=lambda c: c.word or c.allowed)
        )
        kept = solver.largest(constraints)
        wanted = {c.word: c.allowed for c in kept if c.word}
        golds.append(
            pp.GoldTree(
                (wanted.get(word) for word in range(1, len(sentence) + 1)),
                spans=[c.allowed for c in kept if not c.word],
            )
        )
    constraints = pp.Constraints.from_treebank(treebank, golds=golds)
    for beam in (1, 3):
        parsed = treebank.copy()
        assert not parser.annotate(parsed, beam=beam, constraints=constraints).dropped
        for number, sentence in enumerate(parsed):
            for constraint in constraints.for_sentence(number):
                assert constraint.is_satisfied(sentence.heads, system.root, system.partial), str(constraint)
        assert parser.parse(treebank, beam=beam, constraints=constraints, threads=2).to_bytes() == parsed.to_bytes()


def short_sentences(treebank):
    return treebank[[s.position for s in treebank if len(s) <= 8][:3]]


# --- Every kind of constraint on short sentences, whatever the scores ---


def every_demand(words):
    """All constraints that a word of its own can have; None: nothing."""
    options = []
    for word in range(1, words + 1):
        heads = [head for head in range(words + 1) if head != word]
        sets = [frozenset(pair) for pair in combinations(heads, 2)]
        options.append([None, *heads, pp.HEAD_LEFT, pp.HEAD_RIGHT, *sets])
    return product(*options)


def every_span(words):
    """No span, or one of each kind."""
    ends = combinations_with_replacement(range(1, words + 1), 2)
    return [(), *((pp.Span(first, last, kind),) for first, last in ends for kind in ("subtree", "closed"))]


def golds_to_try(system, words, draw):
    """All that words can be asked for, without spans; with each span (and with two of them), some of it."""
    asked = list(every_demand(words))
    spans = every_span(words)
    yield from ((heads, ()) for heads in asked)
    for span in [*spans[1:], *(a + b for a, b in combinations(spans[1:], 2))]:
        yield from ((draw.choice(asked), span) for _ in range(3))


@pytest.mark.unmeasured
@pytest.mark.parametrize(("system", "longest"), [*some_and_all(EVERY, 2, 3)])
def test_all_constraints_on_short_sentences_are_kept(parsers, english, system, longest):
    draw = random.Random(name_of(system))
    parser, known = parsers(system), [token for sentence in english[0] for token in sentence]
    golds, text = [], ""
    for words in range(1, longest + 1):
        solver = Solver(system, words)
        for heads, spans in golds_to_try(system, words, draw):
            asked = [Constraint(word, head) for word, head in enumerate(heads, start=1) if head is not None]
            if has_cycle(heads) or not solver.keeps([*asked, *(Constraint(0, span) for span in spans)]):
                continue
            golds.append(pp.GoldTree(heads, spans=spans))
            chosen = draw.choices(known, k=words)
            text += (
                "".join(f"{w}\t{t.form}\t_\t{t.upos}\t_\t_\t_\t_\t_\t_\n" for w, t in enumerate(chosen, start=1)) + "\n"
            )
    treebank = pp.parse_conllu(text)
    assert len(golds) > (20, 150)[longest - 2]
    constraints = pp.Constraints.from_treebank(treebank, golds=golds)
    for beam in (1, 3):
        parsed = parser.parse(treebank, beam=beam, constraints=constraints)
        for number, sentence in enumerate(parsed):
            for constraint in constraints.for_sentence(number):
                assert constraint.is_satisfied(sentence.heads, system.root, system.partial), (
                    golds[number],
                    sentence.heads,
                )


def has_cycle(heads):
    try:
        pp.GoldTree(heads)
    except pp.errors.GoldError:
        return True
    return False


def test_what_an_unsound_table_does_not_keep_is_told(parsers, english):
    table = replace(pp.system("arc-eager", root="first"), potential=None)
    parser, known = parsers(table), [token for sentence in english[0] for token in sentence]
    draw = random.Random(1)
    sets = [heads for heads in completable_sets(table, 4) if heads[3] is not None]
    text = ""
    for _ in sets:
        chosen = draw.choices(known, k=4)
        text += "".join(f"{w}\t{t.form}\t_\t{t.upos}\t_\t_\t_\t_\t_\t_\n" for w, t in enumerate(chosen, start=1)) + "\n"
    treebank = pp.parse_conllu(text)
    constraints = pp.Constraints.from_treebank(treebank, golds=[pp.GoldTree(heads) for heads in sets])
    parsed = treebank.copy()
    dropped = parser.annotate(parsed, beam=1, constraints=constraints, relax=True).dropped
    lost = np.flatnonzero((constraints.heads >= 0) & (constraints.heads != parsed.heads)).tolist()
    assert lost
    assert [4 * d.sentence + d.constraint.word - 1 for d in dropped] == lost
    assert {d.reason for d in dropped} == {"not kept by the search"}
    with pytest.raises(pp.ConstraintError, match=r"arc-eager did not keep: the head of word \d is"):
        parser.parse(treebank, beam=1, constraints=constraints)
