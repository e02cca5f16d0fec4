"""Learning from trees of which only a part is known: what is unknown costs nothing, and the rest is learned."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import panparser as pp
from learners import (
    ENGLISH,
    PERCEPTRON_STRATEGIES,
    SMALL,
    assert_same,
    learn,
    reference,
    short_sentences,
    treebank_of,
    without_heads,
)
from panparser.systems.registry import BUILT_IN, has_single_root
from variants import identify

WHOLE = [name for name in BUILT_IN if not name.endswith(("partial", "span"))]
SYSTEMS = [
    pp.system(name, root=root, single_root=root == "last" and has_single_root(name))
    for name in WHOLE
    for root in ("first", "last")
]
SPEC = pp.ParserSpec(templates=SMALL, beam=2)


HALF = without_heads(short_sentences(40, 12), 0.5)
NOTHING = without_heads(short_sentences(8), 1.0)


def fits(system, strategy):
    return system.has_dynamic_oracle or pp.STRATEGIES[strategy].oracle == "static"


each_that_fits = pytest.mark.parametrize(
    ("system", "strategy"),
    [pair for pair in product(SYSTEMS, PERCEPTRON_STRATEGIES) if fits(*pair)],
    ids=lambda part: part if isinstance(part, str) else identify(part),
)


@pytest.mark.unmeasured
@each_that_fits
def test_every_system_learns_from_half_the_annotations_by_every_strategy(system, strategy):
    """What is known is learned by heart; the clock of the average aside, nothing else could teach it."""
    spec = pp.ParserSpec(system=system, beam=1 if strategy in ("static", "dynamic") else 2)
    some = HALF[:12]
    parser = pp.train(spec, some, strategy=pp.STRATEGIES[strategy], epochs=15, members=1)
    heads, _ = parser.predict(some)
    known = some.heads >= 0
    assert (heads[known] == some.heads[known]).mean() > 0.85
    assert (heads >= 0).all()


@each_that_fits
def test_sentences_without_annotation_cause_no_update(system, strategy):
    """One sentence has a known head, so that there is something to learn at all."""
    treebank = treebank_of("a/A/0/root") + NOTHING
    heard = []

    class Hear(pp.Listener):
        def before_update(self, update):
            heard.append(update.sentence)

    # A static derivation is found greedily; where derivations differ in length, a beam soon prefers another one.
    for beam in (1,) if system.has_list and strategy == "static" else (1, 4):
        spec = replace(SPEC, system=system, beam=beam)
        pp.train(spec, treebank, strategy=pp.STRATEGIES[strategy], epochs=2, members=1, listeners=[Hear()])
    assert set(heard) <= {0}


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
def test_static_oracles_of_unknown_heads_do_as_the_reference(system):
    learned = learn(replace(SPEC, system=system, beam=1), HALF[:10], strategy=pp.STRATEGIES["static"], epochs=2)
    assert learned.updates
    assert_same(learned, reference(learned))


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in WHOLE])
def test_systems_that_leave_words_headless_learn_to_leave_them_so(name):
    treebank = HALF[:12]
    system = pp.system(name, k=3) if name.endswith("span") else pp.system(name)
    parser = pp.train(replace(SPEC, system=system, templates=pp.templates("zn11")), treebank, epochs=8, members=1)
    parsed = parser.parse(treebank)
    headless = parsed.heads < 0
    assert (headless == (treebank.heads < 0))[treebank.heads < 0].mean() > 0.85
    assert 0 < headless.sum() < treebank.words
    labels = np.array(parsed.labels)
    assert (labels[headless] == parsed.id_of("deprel", "_")).all()
    assert not (labels[~headless] == parsed.id_of("deprel", "_")).any()


def test_crossing_arcs_of_partial_trees_are_lifted_where_they_can_be():
    """Word 2 hangs on word 4, across word 1's arc; the head of word 4 is known, that of word 3 is not."""
    treebank = treebank_of(*["a/A/3/x b/B/4/y c/C/_/_ d/D/3/z"] * 5, "c/C/0/root")
    spec = replace(SPEC, nonprojective="pseudo", beam=4)
    learned = learn(spec, treebank, epochs=8)
    assert any(name.startswith("y^z") for name in learned.run.labels.names)
    parsed = learned.parser.parse(treebank)[0]
    assert parsed.heads.tolist()[:2] == [3, 4]


def test_a_label_counts_where_its_head_is_known():
    """Words without a head may have labels in the file; whose head they would go with is not known."""
    labels = [sentence.replace("/_/_", "/_/x") for sentence in ("a/A/_/_ b/B/0/root c/C/2/y",)]
    found = [learn(SPEC, treebank_of(*text), epochs=3) for text in (["a/A/_/_ b/B/0/root c/C/2/y"], labels)]
    assert found[0].run.labels == found[1].run.labels
    assert found[0].labels() == found[1].labels()


def test_a_development_set_may_be_partial():
    """Only words with a head are scored."""
    dev = without_heads(ENGLISH[80:90], 0.5)
    parser = pp.train(SPEC, ENGLISH[:40], dev=dev, epochs=1)
    heads, _ = parser.predict(dev)
    known = dev.heads >= 0
    assert parser.training["history"][0]["uas"] == pytest.approx(100 * (heads == dev.heads)[known].mean())
