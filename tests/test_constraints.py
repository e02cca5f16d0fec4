"""Constraints: what they say, whether trees can keep them, and that parsing does."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser._satisfying import Solver
from panparser.constraints import Constraint, parse_constraint
from panparser.testing import check, check_constraints, projective_trees
from panparser.testing.constraints import completable_sets, engine_filters

SYSTEMS = {
    "arc-eager": {},
    "arc-hybrid": {},
    "arc-standard": {},
    "non-monotonic-arc-eager": {},
}
EVERY = [
    *(
        pp.system(name, root=root, single_root=single)
        for name in SYSTEMS
        for root in ("first", "last")
        for single in (False, True)
    ),
    *(pp.system(name, root=root) for name in ("arc-eager-partial", "arc-hybrid-partial") for root in ("first", "last")),
    *(
        pp.system(name, root=root, k=k)
        for name in ("arc-eager-span", "arc-hybrid-span")
        for root in ("first", "last")
        for k in (1, 2)
    ),
    *(pp.system("attardi", root=root, single_root=single) for root in ("first", "last") for single in (False, True)),
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


# --- What constraints say ---


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("left", "the head of word 2 is on the left"),
        ("right", "the head of word 2 is on the right"),
        ("0", "the head of word 2 is 0 (Root)"),
        ("3,1", "the head of word 2 is one of 1, 3"),
        (" 4, 0 ", "the head of word 2 is one of 0 (Root), 4"),
        ("subtree:2-4", "words 2-4 are a subtree"),
        ("closed:1-1", "no arc leaves or enters words 1-1"),
    ],
)
def test_constraints_are_read_and_told(text, said):
    assert str(parse_constraint(text, 2, 4)) == said


@pytest.mark.parametrize(
    "text",
    ["", "up", "2", "5", "1,2", "1,,3", "-1", "subtree:0-3", "subtree:3-2", "closed:2-5", "closed:2", "x:1-2", "²"],
)
def test_malformed_constraints(text):
    with pytest.raises(pp.ConstraintError, match="Constraint: expected left, right"):
        parse_constraint(text, 2, 4)


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
    return pp.parse_conllu(text)


def test_a_treebank_as_constraints():
    treebank = treebank_of(
        [2, None, None], [None, None], misc={(2, 1): "A=b|Constraint=right;subtree:1-2"}, labels={(1, 1): "x"}
    )
    everything = pp.Constraints.of(treebank, keep={"heads", "labels", "constraints"})
    assert list(map(str, everything.of_sentence(0))) == ["the head of word 1 is 2"]
    assert list(map(str, everything.of_sentence(1))) == [
        "the head of word 1 is on the right",
        "words 1-2 are a subtree",
    ]
    assert len(everything) == 4
    assert len(pp.Constraints.of(treebank, keep=())) == 0
    golds = [None, pp.Gold([pp.RIGHT, {0, 1}], spans=[pp.Span(1, 2)])]
    given = pp.Constraints.of(treebank, golds=golds)
    assert list(map(str, given.of_sentence(1))) == [
        "the head of word 1 is on the right",
        "the head of word 2 is one of 0 (Root), 1",
        "words 1-2 are a subtree",
    ]


def test_no_constraint_in_misc_is_overlooked():
    twice = treebank_of([None] * 3, misc={(1, 2): "Constraint=right|SpaceAfter=No|Constraint=left"})
    found = pp.Constraints.of(twice, keep=["constraints"])
    assert [c.wanted for c in found.of_sentence(0)] == [pp.RIGHT, pp.LEFT]
    bare = treebank_of([None] * 3, misc={(1, 2): "Constraint"})
    with pytest.raises(pp.ConstraintError, match="word 2: Constraint: expected left, right"):
        pp.Constraints.of(bare, keep=["constraints"])


def test_what_cannot_be_constraints():
    treebank = treebank_of([2, None], misc={(1, 2): "Constraint=3"})
    for options, message in [
        ({"keep": ["tags"]}, "keep: expected some of heads, labels, constraints; got 'tags'"),
        ({}, "takes what to keep or golds"),
        ({"golds": []}, "golds: expected 1"),
        ({"golds": [pp.Gold([None])]}, "expected a Gold of 2 words"),
        ({"golds": [pp.Gold([pp.EMPTY, None])]}, "EMPTY is no constraint"),
        ({"keep": ["constraints"]}, r"<text>:1 \(sent_id s1\), word 2: Constraint: expected"),
    ]:
        with pytest.raises(pp.ConstraintError, match=message):
            pp.Constraints.of(treebank, **options)


# --- Whether a tree keeps them: against all trees ---


def constraints_over(words):
    """Any constraint on a sentence."""
    spans = st.tuples(st.integers(1, words), st.integers(1, words), st.sampled_from(("subtree", "closed")))
    word = st.integers(1, words)
    others = st.sets(st.integers(0, words), min_size=1, max_size=2)
    return st.one_of(
        st.tuples(word, others).filter(lambda pair: pair[0] not in pair[1]).map(lambda pair: made(*pair)),
        st.tuples(word, st.sampled_from((pp.LEFT, pp.RIGHT))).map(lambda pair: Constraint(*pair)),
        spans.map(lambda s: Constraint(0, pp.Span(min(s[:2]), max(s[:2]), s[2]))),
    )


def made(word, heads):
    return Constraint(word, frozenset(heads) if len(heads) > 1 else next(iter(heads)))


def keep_all(solver, constraints, words):
    """Every projective tree that keeps all constraints."""
    trees = projective_trees(words, solver.system.root, solver.system.single_root)
    return [tree for tree in trees if all(solver.is_kept(constraint, tree) for constraint in constraints)]


SOLVED = [
    pp.system("arc-eager", root="first"),
    pp.system("arc-eager", root="last", single_root=True),
    pp.system("arc-hybrid-span", root="first", k=1),
    pp.system("arc-hybrid-span", root="last", k=2),
]


@pytest.mark.parametrize("system", SOLVED, ids=name_of)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_satisfiability_is_that_of_all_trees(system, data):
    words = data.draw(st.integers(1, 5))
    constraints = data.draw(st.lists(constraints_over(words), max_size=5, unique=True))
    solver = Solver(system, words)
    trees = keep_all(solver, constraints, words)
    scores = np.array(
        data.draw(st.lists(st.integers(-5, 5), min_size=(words + 1) ** 2, max_size=(words + 1) ** 2)), float
    )
    scores = scores.reshape(words + 1, words + 1)
    found = solver.tree(constraints, scores)
    assert solver.keeps(constraints) == bool(trees) == (found is not None)
    if found is not None:
        assert tuple(found) in trees
        assert score_of(scores, found) == max(score_of(scores, tree) for tree in trees)
        assert solver.largest(constraints) == constraints
        return
    conflict = solver.conflict(constraints)
    assert not keep_all(solver, conflict, words)
    for constraint in conflict:
        assert keep_all(solver, [other for other in conflict if other != constraint], words)
    kept = solver.largest(constraints)
    assert keep_all(solver, kept, words)
    every = projective_trees(words, system.root, system.single_root)
    assert len(kept) == max(sum(solver.is_kept(c, tree) for c in constraints) for tree in every)


def score_of(scores, tree):
    return sum(scores[head, word] for word, head in enumerate(tree, start=1))


def test_conflicts_are_as_small_as_can_be():
    solver = Solver(pp.system("arc-eager", root="last", single_root=True), 4)

    def conflict(*constraints):
        return "; ".join(
            map(
                str,
                solver.conflict(
                    [made(*pair) if isinstance(pair[1], set) else Constraint(*pair) for pair in constraints]
                ),
            )
        )

    assert conflict((1, 0), (2, 0), (3, 4)) == "the head of word 1 is 0 (Root); the head of word 2 is 0 (Root)"
    assert conflict((1, 3), (2, 4)) == "the head of word 1 is 3; the head of word 2 is 4"
    assert conflict((1, 2), (2, 3), (3, 1)) in (
        "the head of word 1 is 2; the head of word 3 is 1",
        "the head of word 2 is 3; the head of word 3 is 1",
    )
    assert conflict((2, 2), (1, 0)) == "the head of word 2 is 2"
    assert (
        conflict((2, pp.LEFT), (2, {3, 4}), (1, 0))
        == "the head of word 2 is on the left; the head of word 2 is one of 3, 4"
    )
    assert conflict((0, pp.Span(1, 2)), (0, pp.Span(2, 3))) == "words 1-2 are a subtree; words 2-3 are a subtree"
    assert conflict((0, pp.Span(1, 2, "closed"))) == "no arc leaves or enters words 1-2"


# --- The filter: against all derivations ---


@pytest.mark.parametrize("system", EVERY, ids=name_of)
def test_least_cost_keeps_all_given_heads(system):
    rows = check_constraints(system, 4).rows
    assert rows[-1].outputs >= rows[-1].sets > 30


@pytest.mark.parametrize(("system", "words"), [*some_and_all(EVERY, 4, 5)])
def test_the_filter_is_least_cost(system, words):
    """The filter lets through the transitions of least cost, and no others.

    Arc-standard's has its own way to tell, and makes given arcs to the left at once.
    """
    golds = [pp.Gold(heads) for heads in completable_sets(system, words)]
    filters, costs = engine_filters(system, golds), check._Costs(system, golds)
    nodes = check._explore(system, words, lambda *_: None)
    reached = np.zeros((len(nodes), len(golds)), dtype=bool)
    reached[-1] = True
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        if not node.names:
            continue
        masks = node.state.engine_states.filtered(node.state.index, filters)
        declared = costs.of(node.state, node.names)
        least = declared == declared.min(axis=1, keepdims=True)
        for column, (name, successor) in enumerate(zip(node.names, node.after, strict=True)):
            passes = (masks >> system.names.index(name) & 1).astype(bool)
            at_once = left_arcs(system, node, least, golds)
            expected = np.where(at_once >= 0, at_once == column, least[:, column])
            assert (passes == expected)[reached[number]].all(), (node.state, name)
            reached[successor] |= reached[number] & passes


def left_arcs(system, node, least, golds):
    """For each gold the transition that makes a given arc to the left, where that is done at once; else -1."""
    found = np.full(len(golds), -1)
    if system.name not in ("arc-standard", "attardi"):
        return found
    for column, name in reversed(list(enumerate(node.names))):
        arc = system.arc(node.state, name)
        if arc and arc[1] and name.startswith("LEFT"):
            given = np.array([gold.heads[arc[1] - 1] == arc[0] for gold in golds])
            found[given & least[:, column]] = column
    return found


def test_a_table_that_loses_heads_is_found_out():
    eager = pp.system("arc-eager", root="first")
    with pytest.raises(pp.CheckFailed, match="ends without all given heads"):
        check_constraints(replace(eager, potential=None), 3)
    with pytest.raises(pp.ConstraintError, match="swap-standard keeps no constraints"):
        check_constraints("swap-standard", 3)


# --- Parsing ---


def some_heads(treebank, system, share, seed=0):
    """Some of the heads of each sentence, such that a tree of the system has all of them."""
    draw = np.random.default_rng(seed)
    golds = []
    for sentence in treebank:
        heads = pp.projective_subset(sentence.heads, root=system.root, single_root=system.single_root)
        root = 0 if system.root == "first" else len(heads) + 1
        golds.append(
            pp.Gold(
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
        constraints = pp.Constraints.of(treebank, golds=some_heads(treebank, system, 0.4))
        parsed = parser.parse(treebank, beam=beam, constraints=constraints)
        given = constraints.heads >= 0
        assert given.any()
        assert (parsed.heads[given] == constraints.heads[given]).all()
        assert (parsed.heads != parser.parse(treebank, beam=beam).heads).any()
        assert parser.parse(treebank, beam=beam, threads=3, constraints=constraints).to_bytes() == parsed.to_bytes()


def test_nothing_given_changes_nothing(parser, english):
    nothing = pp.Constraints.of(english[1], keep=())
    assert parser.parse(english[1], constraints=nothing).to_bytes() == parser.parse(english[1]).to_bytes()
    everything = pp.Constraints.of(english[1], golds=some_heads(english[1], parser.spec.system, 1))
    whole = parser.parse(english[1], constraints=everything)
    assert (whole.heads[everything.heads >= 0] == english[1].heads[everything.heads >= 0]).all()


def test_given_labels_are_kept(parser, english):
    treebank = english[1][:8]
    kept = np.zeros(treebank.words, dtype=bool)
    kept[::3] = True
    labels = treebank.column("deprel")
    labels[~kept] = treebank.id_of("deprel", "_")
    labels[0] = treebank.id_of("deprel", "unheard-of")
    constraints = pp.Constraints.of(treebank, keep=["labels"])
    parsed = parser.parse(treebank, constraints=constraints)
    names = np.array(parsed.vocabulary("deprel"), dtype=object)[parsed.labels]
    before = np.array(treebank.vocabulary("deprel"), dtype=object)[treebank.labels]
    assert (names[kept] == before[kept]).all()
    assert names[0] == "unheard-of"
    assert not (names[~kept] == "_").any()
    for tree in parser.best(treebank[0], 3, constraints=constraints):
        assert all(label == old for label, old in zip(tree.labels, before, strict=False) if old != "_")


def test_k_best_trees_keep_constraints(parser, english):
    treebank = english[1][:6]
    constraints = pp.Constraints.of(treebank, golds=some_heads(treebank, parser.spec.system, 0.3))
    for number, sentence in enumerate(treebank):
        trees = parser.best(sentence, 4, constraints=constraints)
        given = constraints.heads[constraints.words_of(number)]
        assert trees
        assert len({(tree.heads, tree.labels) for tree in trees}) == len(trees)
        for tree in trees:
            assert (np.array(tree.heads)[given >= 0] == given[given >= 0]).all()
    greedy = parser.parse(treebank, beam=1, constraints=constraints)
    for sentence, found in zip(treebank, greedy, strict=True):
        (tree,) = parser.best(sentence, 1, beam=1, constraints=constraints)
        assert (tree.heads, tree.labels) == (tuple(found.heads), tuple(found.labels))


def test_what_cannot_be_kept_is_refused_or_relaxed(parser):
    treebank = treebank_of([None], [2, 0, 0, None], [2, 3, 1, 0])
    constraints = pp.Constraints.of(treebank, keep=["heads"])
    with pytest.raises(pp.ConstraintError) as refused:
        parser.parse(treebank, constraints=constraints)
    assert str(refused.value) == (
        "<text>:4 (sent_id s2): no tree keeps all constraints; arc-eager builds a projective tree with one "
        "child of Root, which excludes: the head of word 2 is 0 (Root); the head of word 3 is 0 (Root)"
    )
    parsed = parser.parse(treebank, constraints=constraints, relax=True)
    lost = [
        (s, w + 1)
        for s in range(3)
        for w, (old, new) in enumerate(zip(treebank[s].heads, parsed[s].heads, strict=True))
        if old not in (-1, new)
    ]
    assert [(d.sentence, d.constraint.word) for d in constraints.dropped] == lost
    assert len(lost) == 2
    assert str(constraints.dropped[0]).startswith("<text>:4 (sent_id s2): the head of word ")


def test_parsers_that_keep_no_constraints(english):
    treebank = english[0][:5]
    spec = pp.ParserSpec(system=pp.system("swap-standard"), templates=pp.Templates.parse("S0.upos"), beam=1)
    parser = pp.train(spec, treebank, epochs=1, strategy=pp.STRATEGIES["static"])
    with pytest.raises(pp.ConstraintError, match="swap-standard has a static oracle only"):
        parser.parse(treebank, constraints=pp.Constraints.of(treebank, keep=["heads"]))


def test_columns_that_were_changed_by_hand_are_checked(parser):
    treebank = treebank_of([2, 0, None], labels={(1, 1): "det"})

    def refused(message, **changes):
        constraints = pp.Constraints.of(treebank, keep=["heads", "labels"])
        for name, change in changes.items():
            setattr(constraints, name, change(getattr(constraints, name)))
        with pytest.raises(pp.ConstraintError, match=message):
            parser.parse(treebank, constraints=constraints)

    refused("labels of Constraints must be indices of its 2 texts; got -2", labels=lambda column: column * 0 - 2)
    refused("labels of Constraints must be indices of its 2 texts; got 7", labels=lambda column: column * 0 + 7)
    refused(r"heads of Constraints must be 3 numbers \(int32\)", heads=lambda column: column[:2])
    refused(r"heads of Constraints must be 3 numbers \(int32\)", heads=lambda column: column.astype(np.int64))
    refused("the head of word 1 is 99", heads=lambda column: column * 0 + 99)


def test_conllx_holds_no_constraints_but_columns():
    treebank = pp.parse_conllu("1\tw\tw\tX\tX\t_\t0\troot\t_\t_\n\n", format="conllx")
    assert len(pp.Constraints.of(treebank, keep=["heads", "labels"])) == 2
    with pytest.raises(pp.ConstraintError, match="constraints stand in MISC, and CoNLL-X has none"):
        pp.Constraints.of(treebank, keep=["constraints"])


def test_constraints_of_another_treebank(parser, english):
    constraints = pp.Constraints.of(english[1], keep=["heads"])
    with pytest.raises(pp.ConstraintError, match="for another treebank"):
        parser.parse(english[0], constraints=constraints)
    with pytest.raises(pp.ConstraintError, match="must be Constraints; got 'heads'"):
        parser.parse(english[0], constraints="heads")


PROJECTIVE = [system for system in EVERY if not system.crosses]


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
            st.lists(constraints_over(len(sentence)), max_size=4, unique_by=lambda c: c.word or c.wanted)
        )
        kept = solver.largest(constraints)
        wanted = {c.word: c.wanted for c in kept if c.word}
        golds.append(
            pp.Gold(
                (wanted.get(word) for word in range(1, len(sentence) + 1)),
                spans=[c.wanted for c in kept if not c.word],
            )
        )
    constraints = pp.Constraints.of(treebank, golds=golds)
    for beam in (1, 3):
        parsed = parser.parse(treebank, beam=beam, constraints=constraints)
        assert not constraints.dropped
        for number, sentence in enumerate(parsed):
            for constraint in constraints.of_sentence(number):
                assert constraint.is_kept(sentence.heads, system.root, system.partial), str(constraint)
        assert parser.parse(treebank, beam=beam, constraints=constraints, threads=2).to_bytes() == parsed.to_bytes()


def short_sentences(treebank):
    return treebank[[s.position for s in treebank if len(s) <= 8][:3]]


# --- On the command line ---


@pytest.fixture(scope="session")
def model(parser, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "en.panparser"
    parser.save(path)
    return path


def test_the_annotator_corrects_and_parses_again(run, model, english, tmp_path):
    treebank = english[1][:5]
    for sentence in treebank:
        sentence.heads[1:-1] = -1  # two heads a sentence are kept
    pp.write_conllu(tmp_path / "in.conllu", treebank)
    written = set()
    for threads in (1, 3):
        code, out, err = run(
            "parse", "-m", model, tmp_path / "in.conllu", "--keep", "heads, labels", "--threads", threads
        )
        assert (code, err) == (0, "")
        written.add(out)
    (text,) = written
    parsed = pp.parse_conllu(text)
    kept = treebank.heads >= 0
    assert (parsed.heads[kept] == treebank.heads[kept]).all()
    assert (parsed.heads >= 0).all()
    texts = [[token.label for token in sentence] for sentence in treebank]
    assert [[token.label for token in sentence] for sentence in parsed] == texts
    code, out, err = run("parse", "-m", model, tmp_path / "in.conllu", "--keep", "heads", "--k-best", 2)
    for found in pp.parse_conllu(out):
        (sentence,) = [s for s in treebank if s.text == found.text]
        assert (found.heads[[0, -1]] == sentence.heads[[0, -1]]).all()


def test_conflicts_on_the_command_line(run, model, tmp_path):
    source = tmp_path / "in.conllu"
    misc = {(1, 1): "Constraint=right;subtree:1-2", (2, 4): "Constraint=subtree:2-3;subtree:3-4"}
    pp.write_conllu(source, treebank_of([None] * 4, [3, 4, None, None], misc=misc))
    asked = ["parse", "-m", model, source, "--keep", "heads,constraints"]
    code, _, err = run(*asked)
    assert code == 2
    assert err.startswith(
        f"panparser: {source}:7 (sent_id s2): no tree keeps all constraints; arc-eager builds a projective tree"
    )
    assert err.endswith("excludes: the head of word 1 is 3; the head of word 2 is 4\n")
    code, out, err = run(*asked, "--relax-constraints")
    assert code == 0
    *lines, last = err.splitlines()
    assert last == f"{len(lines)} constraints dropped" == "2 constraints dropped"
    assert all(
        line.startswith(f"{source}:7 (sent_id s2): ") and line.endswith(": conflicts with others") for line in lines
    )
    first = pp.parse_conllu(out)[0]
    assert first.heads[0] > 1 or first.heads[0] == 0
    assert sum(head not in (1, 2) for head in first.heads[:2]) == 1
    assert run(*asked, "--relax-constraints", "--k-best", 2)[2] == err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keep", "trees"], "keep: expected some of tokens, tags, lemmas, heads, labels, constraints; got 'trees'"),
        (["--keep", ""], "keep: expected some of tokens, tags, lemmas, heads, labels, constraints; got ''"),
        (["--relax-constraints"], "--relax-constraints goes with --keep"),
    ],
)
def test_bad_options(run, model, tmp_path, options, message):
    code, out, err = run("parse", "-m", model, tmp_path / "none.conllu", *options)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("head", "message"),
    [(7, "expected a HEAD up to 2, found 7"), (2, "the head of word 1 is 2; the head of word 2 is 1")],
)
def test_files_that_hold_no_tree(run, model, tmp_path, head, message):
    (tmp_path / "in.conllu").write_text(f"1\ta\t_\tX\t_\t_\t{head}\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n")
    code, _, err = run("parse", "-m", model, tmp_path / "in.conllu", "--keep", "heads")
    assert code == 2
    assert message in err


def test_check_constraints_on_the_command_line(run):
    code, out, _ = run("check", "arc-eager", "--root", "first", "--constraints", "--max-words", 3)
    assert code == 0
    assert out.endswith("proven up to 3 words: no search is stuck, and all given heads are kept\n")
    code, _, err = run("check", "swap-standard", "--constraints")
    assert (code, "keeps no constraints" in err) == (2, True)
    code, _, err = run("check", "arc-eager", "--constraints", "--golds", "all")
    assert (code, "--golds are for costs" in err) == (2, True)


# --- Every kind of constraint on short sentences, whatever the scores ---


def every_demand(words):
    """All constraints that a word of its own can have; None: nothing."""
    options = []
    for word in range(1, words + 1):
        heads = [head for head in range(words + 1) if head != word]
        sets = [frozenset(pair) for pair in combinations(heads, 2)]
        options.append([None, *heads, pp.LEFT, pp.RIGHT, *sets])
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
            golds.append(pp.Gold(heads, spans=spans))
            chosen = draw.choices(known, k=words)
            text += (
                "".join(f"{w}\t{t.form}\t_\t{t.upos}\t_\t_\t_\t_\t_\t_\n" for w, t in enumerate(chosen, start=1)) + "\n"
            )
    treebank = pp.parse_conllu(text)
    assert len(golds) > (20, 150)[longest - 2]
    constraints = pp.Constraints.of(treebank, golds=golds)
    for beam in (1, 3):
        parsed = parser.parse(treebank, beam=beam, constraints=constraints)
        for number, sentence in enumerate(parsed):
            for constraint in constraints.of_sentence(number):
                assert constraint.is_kept(sentence.heads, system.root, system.partial), (golds[number], sentence.heads)


def has_cycle(heads):
    try:
        pp.Gold(heads)
    except pp.GoldError:
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
    constraints = pp.Constraints.of(treebank, golds=[pp.Gold(heads) for heads in sets])
    parsed = parser.parse(treebank, beam=1, constraints=constraints, relax=True)
    lost = np.flatnonzero((constraints.heads >= 0) & (constraints.heads != parsed.heads)).tolist()
    assert lost
    assert [4 * d.sentence + d.constraint.word - 1 for d in constraints.dropped] == lost
    assert {d.reason for d in constraints.dropped} == {"not kept by the search"}
    with pytest.raises(pp.ConstraintError, match=r"arc-eager did not keep: the head of word \d is"):
        parser.parse(treebank, beam=1, constraints=constraints)
