"""Toolbox: records of marked lines, and columns."""

from __future__ import annotations

import re

import pytest

import panparser as pp
from panparser.transfer.glossed.gloss_table import shipped_table
from panparser.transfer.glossed.toolbox import read_toolbox

TEXT = r"""\_sh v3.0  400  Text
\id Story

\ref Story.001
\tx A kutyák     éjjel     nagy   házat       látnak.
\mb a kutyá -k   éjjel     nagy   ház   -at   lát -nak
\ge the dog -PL  at night  big    house -ACC  see -3PL
\ps art n   -n   adv       adj    n     -n    v   -v
\ft The dogs see a big
house at night.
\nt not read

\ref Story.002
\tx Megint
\mb meg- int
\ge PFV- wave
\tx mennek.
\mb men -nek
\ge ***  -3PL
\ft They leave.
"""


def read(text):
    return read_toolbox(text, shipped_table().markers, "t")


def test_records():
    first, second = read(TEXT)
    assert (first.id, first.document, first.line) == ("Story.001", "Story", 4)
    assert first.text == "A kutyák éjjel nagy házat látnak."
    assert first.translation == "The dogs see a big house at night."
    assert [word.glossed for word in first.words] == ["the", "dog-PL", "at night", "big", "house-ACC", "see-3PL", ""]
    assert [part.tag for part in first.words[1].morphemes] == ["n", "n"]
    assert [part.is_stem for part in first.words[1].morphemes] == [None, False]
    assert (second.id, second.document, second.text) == ("Story.002", "", "Megint mennek.")
    assert [word.segmented for word in second.words] == ["meg-int", "men-nek", ""]
    assert [part.gloss for part in second.words[1].morphemes] == ["", "3PL"]


def test_morphemes_stand_below_their_word_even_without_hyphens():
    (sentence,) = read("\\tx blackbirds       they\n\\mb black  bird  -s  they\n\\ge black  bird  -PL 3PL\n")
    assert [word.form for word in sentence.words] == ["blackbirds", "they"]
    assert sentence.words[0].segmented == "black-bird-s"


def test_records_without_references_end_with_their_translation():
    found = read("\\tx a\n\\ge b\n\\ft c\n\\tx d\n\\ge e\n\\ft f\n")
    assert [(each.id, each.words[0].form, each.translation) for each in found] == [("1", "a", "c"), ("2", "d", "f")]


def test_words_without_a_line_of_morphemes():
    (sentence,) = read("\\tx lát-nak well-known x\n\\ge see-3PL known DEF\n")
    assert [(word.form, word.segmented) for word in sentence.words] == [
        ("látnak", "lát-nak"),
        ("well-known", ""),
        ("x", ""),
    ]
    (sentence,) = read("\\tx a b, c\n\\ft d\n")
    assert [word.form for word in sentence.words] == ["a", "b", ",", "c"]
    assert not any(word.morphemes for word in sentence.words)


def test_of_several_glosses_those_named_first_are_read():
    (sentence,) = read("\\t a\n\\gl b\n\\ge c\n\\f d\n\\ft e\n")
    assert (sentence.words[0].glossed, sentence.translation) == ("c", "e")


def test_records_that_nobody_has_filled_in_are_left_out():
    found = read("\\ref 1\n\\ft only this\n\\ref 2\n\\tx\n\\mb\n\\ge\n\\ref 3\n\\tx a\n\\ft b\n")
    assert [(sentence.id, sentence.translation) for sentence in found] == [("3", "b")]


def test_markers_can_be_others():
    markers = {**shipped_table().markers, "words": ("orth",), "glosses": ("en",)}
    (sentence,) = read_toolbox("\\orth a\n\\en b\n\\ge c\n", markers)
    assert sentence.words[0].glossed == "b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no marker\n", "t:1: expected a line that begins with a marker, found 'no marker'"),
        ("\\tx a b\nc d\n", "t:2: expected a line that begins with a marker (words and glosses are not wrapped)"),
        ("\\ref 1\n\\ge a\n", "t:2: expected a line of words (\\tx) before this one, found glosses without it"),
        ("\\tx a\n\\ge b\n\\ge c\n", "t:3: expected a line of words (\\tx) before this one"),
        ("\\ref 1\n\\ft a\n", "t:1: expected lines of words, which begin with \\tx or \\t, found none"),
        ("\\ref 1\n\\tx\n\\mb a\n", "t:2: expected words, found none"),
        ("\\tx a b\n\\mb a\n\\ge b\n", "t:2: expected morphemes below the 2 words of line 1"),
        ("\\tx a b\n\\mb\n", "t:2: expected morphemes below the 2 words of line 1"),
        ("\\tx a b\n\\mb a  b\n\\ge c\n", "t:3: expected glosses below the 2 morphemes of line 2, found 1"),
        ("\\tx a b c\n\\ge d e f g\n\\ps x\n", "t:3: expected tags below the 3 words of line 1, found 1"),
    ],
)
def test_lines_that_do_not_match_are_named(text, message):
    with pytest.raises(pp.errors.TextError, match=re.escape(message)):
        read(text)
