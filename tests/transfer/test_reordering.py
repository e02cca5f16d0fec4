"""Reordering by tags: against all permutations; trees stay the same, and projective."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.transfer.reordering import best_order
from panparser.trees.enumeration import is_projective, random_projective_tree
from places import ENGLISH

TAGS = "ABC"


def random_model(random: Random) -> pp.transfer.TagLanguageModel:
    lines = []
    for _ in range(6):
        words = random.choices(TAGS, k=random.randint(1, 6))
        lines += [f"{n}\tw\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, tag in enumerate(words, start=1)] + ["\n"]
    return pp.transfer.TagLanguageModel.from_treebank(pp.parse_conllu("".join(lines)))


def moved(heads: list[int], order: tuple[int, ...]) -> list[int]:
    """The heads of a tree whose words have another order."""
    place = {word: at for at, word in enumerate(order, start=1)} | {0: 0}
    return [place[heads[word - 1]] for word in order]


def score(model: pp.transfer.TagLanguageModel, tags: list[int]) -> float:
    codes = [0, 0, *tags, 0]
    return sum(model.logs[tuple(codes[i - 2 : i + 1])] for i in range(2, len(codes)))


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(0, 3))
def test_the_best_of_all_projective_orders_is_found(seed, words, distortion):
    random = Random(seed)
    model, heads = random_model(random), random_projective_tree(words, random)
    tags = [random.randint(1, len(model.tags) + 1) for _ in range(words)]
    found = tuple(best_order(heads, tags, model.logs.tolist(), distortion, 1000))
    own = tuple(range(1, words + 1))

    def is_allowed(order: tuple[int, ...]) -> bool:
        overtaking = [sum(other > word for other in order[:at]) for at, word in enumerate(order)]
        windows = [word - min(set(own) - set(order[:at])) for at, word in enumerate(order)]
        assert (max(windows) <= distortion) <= (max(overtaking) <= distortion)
        return max(windows) <= distortion and is_projective(moved(heads, order))

    scores = {order: score(model, [tags[word - 1] for word in order]) for order in permutations(own)}
    best = max(scores[order] for order in permutations(own) if is_allowed(order))
    assert found == own or is_allowed(found)
    assert scores[found] == pytest.approx(best)


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_narrow_beam_never_makes_it_worse(seed, beam):
    random = Random(seed)
    model, heads = random_model(random), random_projective_tree(8, random)
    tags = [random.randint(1, 3) for _ in range(8)]
    order = tuple(best_order(heads, tags, model.logs.tolist(), 3, beam))
    assert is_projective(moved(heads, order))
    assert score(model, [tags[word - 1] for word in order]) >= score(model, tags) - 1e-9


def test_words_keep_their_heads_and_labels():
    english = pp.read_conllu(ENGLISH)
    model = pp.transfer.TagLanguageModel.from_treebank(
        pp.parse_conllu("1\tw\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tw\t_\tDET\t_\t_\t_\t_\t_\t_\n\n")
    )
    found, done = pp.transfer.reorder_words(english, model, progress=lambda *numbers: None)
    assert (done.sentences, done.nonprojective) == (len(english), 10)
    assert done.after < done.before
    assert done.changed == sum(any("# reordered" in line for line in each.comments) for each in found) > 100
    for old, new in zip(english, found, strict=True):
        arcs = [
            sorted((token.form, token.label, each[token.head - 1].form if token.head else "") for token in each)
            for each in (old, new)
        ]
        assert arcs[0] == arcs[1]
        assert is_projective(new.heads.tolist()) == is_projective(old.heads.tolist())
    assert pp.transfer.reorder_words(english, model, max_distortion=0)[0].to_bytes() == english.to_bytes()


@pytest.mark.parametrize(
    ("given_", "options", "said"),
    [
        ("x", {}, "reorder_words: treebank must be a Treebank"),
        (pp.parse_conllu("1\tw\t_\t_\t_\t_\t0\troot\t_\t_\n\n"), {}, "expected words with tags"),
        (pp.parse_conllu("1\tw\t_\tA\t_\t_\t_\t_\t_\t_\n\n"), {}, "expected trees"),
        (
            pp.parse_conllu("1\tw\t_\tA\t_\t_\t0\troot\t_\t_\n\n"),
            {"model": 3},
            "reorder_words: model must be a TagModel",
        ),
        (
            pp.parse_conllu("1\tw\t_\tA\t_\t_\t0\troot\t_\t_\n\n"),
            {"max_distortion": 21},
            "reorder_words: max_distortion",
        ),
        (pp.parse_conllu("1\tw\t_\tA\t_\t_\t0\troot\t_\t_\n\n"), {"beam": 0}, "reorder_words: beam"),
    ],
)
def test_what_cannot_be(given_, options, said):
    with pytest.raises(pp.PanParserError, match=said):
        pp.transfer.reorder_words(given_, **{"model": random_model(Random(1)), **options})
