"""Combined analyses: the best tree over weighted arcs, labels by vote, learned weights; what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import SpecError, TreebankError
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)
LABELS = ("a", "b", "c")


def with_errors(treebank, share, seed):
    """The trees, some words without children moved elsewhere, with another label."""
    rng = np.random.default_rng(seed)
    changed = treebank[:]
    for sentence in changed:
        heads, labels = sentence.heads.tolist(), list(sentence.labels)
        inner = set(heads) - {0}
        for word in set(range(1, len(heads) + 1)) - inner:
            others = sorted(inner - {heads[word - 1]})
            if heads[word - 1] and others and rng.random() < share:
                heads[word - 1], labels[word - 1] = int(rng.choice(others)), "dep"
        sentence.heads, sentence.labels = heads, labels
    return changed


PREDICTED = with_errors(TREEBANK, 0.3, seed=1)


def treebank_of(*trees):
    """A sentence for each (heads, labels); None is no head."""
    sentences = []
    for heads, labels in trees:
        rows = [
            (number, f"w{number}", "_", "AB"[number % 2], "_", "_", "_" if head is None else head, label, "_", "_")
            for number, (head, label) in enumerate(zip(heads, labels, strict=True), start=1)
        ]
        sentences.append("\n".join("\t".join(map(str, row)) for row in rows))
    return pp.parse_conllu("\n\n".join(sentences) + "\n\n", lenient=True)


def is_tree(heads, single_root=True):
    reached = {0}
    for _ in heads:
        reached |= {word for word, head in enumerate(heads, start=1) if head in reached}
    return len(reached) == len(heads) + 1 and (not single_root or list(heads).count(0) == 1)


def trees(words, projective, single_root):
    for heads in itertools.product(range(words + 1), repeat=words):
        if is_tree(heads, single_root) and (not projective or pp.trees.is_projective(heads)):
            yield heads


@st.composite
def analyses(draw):
    """Up to four analyses of a sentence of up to four words: any heads, some none; weights."""
    words, count = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    head = st.one_of(st.none(), st.integers(0, words))
    rows = []
    for _ in range(count):
        heads = [draw(head) for _ in range(words)]
        heads = [None if h == d else h for d, h in enumerate(heads, start=1)]
        rows.append((heads, draw(st.lists(st.sampled_from((*LABELS, "_")), min_size=words, max_size=words))))
    weights = draw(st.lists(st.sampled_from((0.0, 0.5, 1.0, 1.7, 3.0)), min_size=count, max_size=count))
    return rows, weights if any(weights) else [1.0] * count


def votes_for(rows, weights, word, head):
    return sum(weight for (heads, _), weight in zip(rows, weights, strict=True) if heads[word - 1] == head)


@pytest.mark.unmeasured
@settings(max_examples=150)
@given(analyses(), st.booleans(), st.booleans())
def test_the_tree_has_the_largest_sum_of_weights(given_, projective, single_root):
    rows, weights = given_
    combined = pp.combine_trees(
        [treebank_of(row) for row in rows], weights=weights, projective=projective, single_root=single_root
    )
    found = tuple(combined.heads.tolist())
    words = len(found)

    def value(heads):
        return sum(votes_for(rows, weights, word, head) for word, head in enumerate(heads, start=1))

    assert is_tree(found, single_root)
    assert not projective or pp.trees.is_projective(found)
    assert value(found) == pytest.approx(max(map(value, trees(words, projective, single_root))))
    for word, label in enumerate(combined[0].labels, start=1):
        assert label == expected_label(rows, weights, word, found[word - 1])


def expected_label(rows, weights, word, head):
    """By the words of the documentation."""
    having = [
        (labels[word - 1], weight, heads[word - 1] == head)
        for (heads, labels), weight in zip(rows, weights, strict=True)
        if labels[word - 1] != "_"
    ]
    chosen = [vote for vote in having if vote[2]] or having
    sums = {}
    for label, weight, _ in chosen:
        sums[label] = sums.get(label, 0) + weight
    return max(sums, key=lambda label: round(sums[label], 6)) if sums else "_"


def is_part_of_a_tree(heads):
    """No cycles, and one child of Root at most."""
    for word in range(1, len(heads) + 1):
        seen = set()
        while word > 0 and word not in seen:
            seen.add(word)
            word = -1 if heads[word - 1] is None else heads[word - 1]
        if word > 0:
            return False
    return heads.count(0) <= 1


@pytest.mark.unmeasured
@settings(max_examples=60)
@given(analyses(), st.sampled_from((0.5, 1, 2, 3.0)))
def test_partial_trees_have_the_largest_sum_of_arcs_with_enough_votes(given_, least):
    rows, weights = given_
    combined = pp.combine_trees([treebank_of(row) for row in rows], weights=weights, min_votes=least)
    found = [None if head < 0 else head for head in combined.heads.tolist()]
    choices = [
        [None, *(head for head in range(len(found) + 1) if votes_for(rows, weights, word, head) >= least)]
        for word in range(1, len(found) + 1)
    ]

    def value(heads):
        return sum(votes_for(rows, weights, word, head) for word, head in enumerate(heads, start=1) if head is not None)

    assert is_part_of_a_tree(found)
    assert all(head in choice for head, choice in zip(found, choices, strict=True))
    forests = (heads for heads in itertools.product(*choices) if is_part_of_a_tree(heads))
    assert value(found) == pytest.approx(max(map(value, forests)))
    for word, (head, label) in enumerate(zip(found, combined[0].labels, strict=True), start=1):
        assert label == ("_" if head is None else expected_label(rows, weights, word, head))


@pytest.mark.parametrize("partial", [0, -1, True, float("inf"), "2"])
def test_a_number_of_votes_that_is_refused(partial):
    with pytest.raises(SpecError, match=r"combine_trees: min_votes must be (a number )?> 0"):
        pp.combine_trees([TREEBANK], min_votes=partial)


@given(analyses())
def test_the_same_analyses_give_the_same_tree(given_):
    rows, weights = given_
    treebanks = [treebank_of(row) for row in rows]
    assert (
        pp.combine_trees(treebanks, weights=weights).to_bytes()
        == pp.combine_trees(treebanks, weights=[2 * w for w in weights]).to_bytes()
    )


def test_a_treebank_combined_with_itself_is_itself():
    for count in (1, 2, 5):
        assert pp.combine_trees([TREEBANK] * count).to_bytes() == TREEBANK.to_bytes()


def test_with_equal_weights_the_first_of_two_wins():
    assert pp.combine_trees([TREEBANK, PREDICTED]).to_bytes() == TREEBANK.to_bytes()
    second = pp.combine_trees([PREDICTED, TREEBANK])
    assert second.heads.tolist() == PREDICTED.heads.tolist()


def test_a_weight_of_zero_is_no_vote():
    assert pp.combine_trees([TREEBANK, PREDICTED, PREDICTED], weights=[1, 0, 0]).to_bytes() == TREEBANK.to_bytes()
    combined = pp.combine_trees([PREDICTED, TREEBANK], weights=[0, 1])
    assert combined.heads.tolist() == TREEBANK.heads.tolist()
    assert [sentence.labels for sentence in combined] == [sentence.labels for sentence in TREEBANK]


def test_two_outvote_one():
    combined = pp.combine_trees([PREDICTED, TREEBANK, TREEBANK])
    assert combined.heads.tolist() == TREEBANK.heads.tolist()


def test_everything_else_is_as_in_the_first_file():
    changed = PREDICTED.to_bytes().decode().replace("\tNOUN\t", "\tX\t")
    combined = pp.combine_trees([pp.parse_conllu(changed), TREEBANK], weights=[1, 2])
    expected = pp.parse_conllu(changed)
    expected.heads[:] = TREEBANK.heads
    for sentence, other in zip(expected, TREEBANK, strict=True):
        sentence.labels = other.labels
    assert combined.to_bytes() == expected.to_bytes()


def test_projective_trees():
    crossing = treebank_of(([3, 4, 0, 3], "abca"))
    assert pp.combine_trees([crossing]).heads.tolist() == [3, 4, 0, 3]
    assert pp.trees.is_projective(pp.combine_trees([crossing], projective=True).heads.tolist())


def test_several_roots_stay_if_they_may():
    rooted = treebank_of(([0, 0, 2], "aab"))
    assert pp.combine_trees([rooted], single_root=False).heads.tolist() == [0, 0, 2]
    assert pp.combine_trees([rooted]).heads.tolist().count(0) == 1


def test_a_text_without_words():
    assert len(pp.combine_trees([TREEBANK[:0], TREEBANK[:0]])) == 0


def test_it_reports_what_is_done():
    heard = []
    pp.combine_trees([TREEBANK, PREDICTED], progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (TREEBANK.words, TREEBANK.words)


# --- Weights ---


def test_weights_by_tag():
    one, two = treebank_of(([0, 1], "ab")), treebank_of(([2, 0], "cd"))
    weights = pp.ensembles.ArcWeights((1, 2), "upos", {"B": (3, 1)})  # word 1 is a B, word 2 an A
    assert weights.matrix(one).T.tolist() == [[3, 1], [1, 2]]
    assert pp.combine_trees([one, two], weights=weights).heads.tolist() == [0, 1]
    assert pp.combine_trees([one, two], weights=(1, 2)).heads.tolist() == [2, 0]


@pytest.mark.parametrize("by", [None, "upos", "xpos"])
def test_learned_weights_follow_accuracy_and_round_trip(by, tmp_path):
    worse = with_errors(TREEBANK, 0.6, seed=2)
    weights = pp.ensembles.estimate_arc_weights(TREEBANK, [PREDICTED, worse], column=by)
    assert weights.default[0] > weights.default[1] > 0
    assert bool(weights.tags) == (by is not None)
    weights.write(tmp_path / "weights.toml")
    assert pp.ensembles.ArcWeights.read(tmp_path / "weights.toml") == weights
    combined = pp.combine_trees([worse, PREDICTED], weights=weights.default[::-1])
    assert pp.evaluate(TREEBANK, combined).uas >= pp.evaluate(TREEBANK, worse).uas


def test_weights_of_a_perfect_analysis_are_finite():
    weights = pp.ensembles.estimate_arc_weights(TREEBANK, [TREEBANK, PREDICTED], column="upos")
    assert np.isfinite(list(weights.tags.values())).all()
    assert (
        pp.combine_trees([PREDICTED, TREEBANK], weights=weights.default[::-1]).heads.tolist() == TREEBANK.heads.tolist()
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("weights = [1", "expected TOML"),
        ("weights = [1]", "format: expected 1, found nothing"),
        ("format = 1", "weights: expected a list of 1 or more, found nothing"),
        ("format = 1\nweights = []", "weights: expected a list of 1 or more"),
        ("format = 1\nweights = [0, 0]", "not all 0"),
        ("format = 1\nweights = [1, -1]", ">= 0"),
        ("format = 1\nweights = [nan]", ">= 0"),
        ("format = 1\nweights = [true]", ">= 0"),
        ('format = 1\nweights = [1]\nby = "form"', "by: expected one of upos, xpos"),
        ("format = 1\nweights = [1]\n[tags]\nA = [1]", "`column` must name"),
        ('format = 1\nweights = [1, 1]\nby = "upos"\n[tags]\nA = [1]', "A: weights must be 2"),
        ("format = 1\nweights = [1]\nwhat = 1", "what: unknown"),
    ],
)
def test_bad_files_of_weights_are_refused(text, said, tmp_path):
    (tmp_path / "w.toml").write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match="w.toml:(1:)? .*" + said):
        pp.ensembles.ArcWeights.read(tmp_path / "w.toml")
    with pytest.raises(SpecError, match="cannot be read"):
        pp.ensembles.ArcWeights.read(tmp_path / "none.toml")


# --- What is refused ---


def test_words_that_differ_are_refused_with_their_place(tmp_path):
    text = TREEBANK.to_bytes().decode()
    sentence = TREEBANK[3]
    form = sentence.forms[2]
    lines = text.split("\n")
    line = next(n for n, row in enumerate(lines, 1) if n >= sentence.line and row.startswith("3\t"))
    lines[line - 1] = lines[line - 1].replace(form, "other", 1)
    (tmp_path / "b.conllu").write_text("\n".join(lines), encoding="utf-8")
    other = pp.read_conllu(tmp_path / "b.conllu")
    place = rf"b.conllu:{line}: expected '{form}' \(word 3 of sentence 4\) as in .*{ENGLISH.name}:{line}, found 'other'"
    with pytest.raises(TreebankError, match=place):
        pp.combine_trees([TREEBANK, other])
    with pytest.raises(TreebankError, match=place):
        pp.ensembles.estimate_arc_weights(TREEBANK, [PREDICTED, other])


def test_texts_of_different_length_are_refused():
    with pytest.raises(TreebankError, match="found no more words"):
        pp.combine_trees([TREEBANK, TREEBANK[:-1]])
    with pytest.raises(TreebankError, match="expected no more words"):
        pp.combine_trees([TREEBANK[:-1], TREEBANK])
    one, two = treebank_of(([0, 1, 2], "abc")), treebank_of(([0, 1], "ab"), ([0], "a"))
    with pytest.raises(TreebankError, match="word 3 of sentence 1"):
        pp.combine_trees([one, two])


def test_what_are_no_analyses_is_refused():
    for wrong in ([], None, [1], [TREEBANK, "x"]):
        with pytest.raises(TreebankError, match="expected a"):
            pp.combine_trees(wrong)
    for weights in ([1], [1, 2, 3]):
        with pytest.raises(SpecError, match="must be 2"):
            pp.combine_trees([TREEBANK, PREDICTED], weights=weights)
    for weights in ([1, -1], [0, 0], "12", [1, "2"]):
        with pytest.raises(SpecError, match="not all 0"):
            pp.combine_trees([TREEBANK, PREDICTED], weights=weights)
    with pytest.raises(SpecError, match="got none"):
        pp.ensembles.estimate_arc_weights(TREEBANK, [])
    with pytest.raises(SpecError, match="upos or xpos"):
        pp.ensembles.estimate_arc_weights(TREEBANK, [PREDICTED], column="form")
    with pytest.raises(SpecError, match="words with heads"):
        pp.ensembles.estimate_arc_weights(treebank_of(([None], "a")), [treebank_of(([0], "a"))])
