"""Words of a translation that glosses match."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from panparser.transfer.glossed.gloss_table import meaning, shipped_table
from panparser.transfer.glossed.gloss_trees import TranslationWords, in_order, match
from panparser.transfer.glossed.sentences import written_word

TABLE = shipped_table()
LEMMAS = {"went": "go", "dogs": "dog", "saw": "see"}


def links(glosses: str, translation: str, lemmas: str = "", depths: tuple[int, ...] = ()) -> list[tuple[int, int]]:
    said = [meaning(written_word("x", "x", gloss), TABLE) for gloss in glosses.split()]
    forms = tuple(translation.split())
    return match(
        said,
        LEMMAS,
        TranslationWords(forms, tuple((lemmas or translation).split()), depths or (0,) * len(forms)),
        TABLE,
    )


def test_forms_then_lemmas():
    assert links("dog see", "dogs saw", "dog see") == [(0, 0), (1, 1)]
    assert links("dogs went", "go dog") == [(0, 1), (1, 0)]
    assert links("see saw", "saw see", "see see") == [(0, 1), (1, 0)]  # the same form is the surest
    assert links("cat", "dog") == []


def test_repeated_words_are_linked_in_order():
    assert links("man see man", "man sees man", "man see man") == [(0, 0), (1, 1), (2, 2)]
    assert links("big man", "man man big") == [(0, 2), (1, 1)]  # the nearer of two
    assert links("a man man man b", "x x man") == [(3, 2)]


def test_a_gloss_of_several_words_is_linked_with_the_highest():
    assert links("old.woman", "the old woman", depths=(2, 2, 1)) == [(0, 2)]
    assert links("go_up up", "up go", depths=(1, 0)) == [(0, 1), (1, 0)]
    assert links("old.woman", "the young girl") == []


def test_words_without_a_stem_are_linked_by_the_table():
    assert links("1SG DEF dog-DEF NEG see", "i do not see the dog") == [(0, 0), (1, 4), (2, 5), (3, 2), (4, 3)]
    assert links("3PL see", "they see") == [(0, 0), (1, 1)]
    assert links("cat-DEF", "the dog") == []  # a stem is no article
    assert links("one house", "a house") == [(0, 0), (1, 1)]


@settings(max_examples=80)
@given(st.lists(st.integers(0, 9), unique=True, max_size=5), st.lists(st.integers(0, 9), unique=True, max_size=5))
def test_pairs_in_order_have_the_least_distance(first, second):
    first, second = sorted(first), sorted(second)

    def distance(a: int, b: int) -> float:
        return abs(a - b)

    found = in_order(first, second, distance)
    size = min(len(first), len(second))
    assert len(found) == size
    assert found == list(zip([a for a, _ in found], [b for _, b in found], strict=True))
    assert sorted(a for a, _ in found) == [a for a, _ in found]
    assert sorted(b for _, b in found) == [b for _, b in found]
    sums = [
        sum(map(distance, some, others)) for some in combinations(first, size) for others in combinations(second, size)
    ]
    assert sum(distance(a, b) for a, b in found) == min(sums)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(("dog", "see", "dogs", "DEF", "1SG", "old.dog")), max_size=6),
    st.lists(st.sampled_from(("dog", "sees", "the", "i", "old", "me")), min_size=1, max_size=6),
)
def test_no_word_has_two_links(glosses, translation):
    found = links(" ".join(glosses), " ".join(translation))
    assert len({word for word, _ in found}) == len({other for _, other in found}) == len(found)
