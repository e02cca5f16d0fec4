"""What a network reads of the characters of words."""

from __future__ import annotations

from itertools import pairwise

from panparser.networks.network_inputs import END, LETTERS, LONGEST, START, STRANGE, Vocabulary


def read(vocabulary: Vocabulary, *forms: str) -> list[list[int]]:
    bags = vocabulary.letters(forms)
    starts = bags.starts.tolist()
    return [bags.numbers[one:two].tolist() for one, two in pairwise(starts)]


def test_characters_are_numbered_as_the_vocabulary_has_them():
    known = ["b", "a", "\U0001f355", "é"]
    vocabulary = Vocabulary({"characters": known})
    found = read(vocabulary, "ab", "\U0001f355?é", "")
    a, b, pizza, accent = (LETTERS + known.index(letter) for letter in ("a", "b", "\U0001f355", "é"))
    assert found == [[START, END], [START, a, b, END], [START, pizza, STRANGE, accent, END], [START, END]]


def test_of_long_words_beginning_and_end_are_read():
    vocabulary = Vocabulary({"characters": ["a", "b", "c"]})
    half = LONGEST // 2
    root, found, whole = read(vocabulary, "a" * half + "b" * 7 + "c" * half, "a" * LONGEST)
    assert root == [START, END]
    assert found == [START, *[LETTERS] * half, *[LETTERS + 2] * half, END]
    assert whole == [START, *[LETTERS] * LONGEST, END]


def test_no_character_is_known():
    assert read(Vocabulary({"characters": []}), "ab") == [[START, END], [START, STRANGE, STRANGE, END]]
