"""Blocks by the Leipzig glossing rules."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.transfer.glossed.leipzig import read_leipzig

BLOCK = """(3) A kutyák, látnak «engem»!
a kutyá-k lát-nak engem
the dog-PL see-3PL.PRS 1SG.ACC
‘The dogs, they see me!’ (overheard)
"""


def test_a_block_of_four_lines():
    (sentence,) = read_leipzig(BLOCK)
    assert (sentence.id, sentence.line, sentence.translation) == ("3", 1, "The dogs, they see me!")
    assert sentence.text == "A kutyák, látnak «engem»!"
    assert [word.form for word in sentence.words] == ["A", "kutyák", ",", "látnak", "«", "engem", "»", "!"]
    assert [word.is_punctuation for word in sentence.words] == [False, False, True, False, True, False, True, True]
    assert [(part.form, part.gloss, part.separator) for part in sentence.words[1].morphemes] == [
        ("kutyá", "dog", ""),
        ("k", "PL", "-"),
    ]


def test_a_block_of_three_lines_has_its_words_segmented():
    (sentence,) = read_leipzig(
        "ny-umba=ni ki-kubwa wa∼wa fahamu-∅\nN9-house=LOC C7-big RED∼go know-PRS\n'x'\n".replace("∼", "~")
    )
    assert [word.form for word in sentence.words] == ["nyumbani", "kikubwa", "wawa", "fahamu"]
    assert [part.separator for part in sentence.words[0].morphemes] == ["", "-", "="]
    assert sentence.words[3].segmented == "fahamu-∅"


def test_infixes_come_before_what_they_stand_in():
    (sentence,) = read_leipzig("b<um>ili\n<PFV>buy\n")
    (word,) = sentence.words
    assert (word.form, word.segmented, word.glossed) == ("bumili", "b<um>ili", "<PFV>buy")
    assert [(part.form, part.gloss) for part in word.morphemes] == [("um", "PFV"), ("bili", "buy")]


def test_a_word_that_is_not_segmented_may_have_several_glosses():
    (sentence,) = read_leipzig("insulārum\nisland-GEN-PL\n'of the islands'")
    (word,) = sentence.words
    assert (word.form, word.segmented, word.glossed) == ("insulārum", "", "island-GEN-PL")


def test_comments_numbers_and_missing_translations():
    text = "# sent_id = first\na\nb\n\n# nothing else\n\n\n2. a b\nc d\n'e'\n\na\nb\n"
    assert [(s.id, s.translation) for s in read_leipzig(text)] == [("first", ""), ("2", "e"), ("3", "")]


@pytest.mark.parametrize(
    "quoted", ["'It's me.'", "‘It's me.’", '"It\'s me."', "“It's me.”", "„It's me.“", "'It's me.' [KL]"]
)
def test_quotes_of_all_kinds(quoted):
    assert read_leipzig(f"a\nb\n{quoted}\n")[0].translation == "It's me."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a b\nc d\nthe free one\n",
            "t:3: expected as many glosses as words in line 1, 2; found 3 .a translation must",
        ),
        ("a b c\nd e\n'f'\n", "t:2: expected as many glosses as words in line 1, 3; found 2"),
        ("\na b\na-x\nc-d e\n'f'", "t:3: expected as many morphemes as words in line 2, 2; found 1"),
        ("a-b c\nd-e-f g\n", "t:2: word 1: expected as many glosses as morphemes in 'a-b', which has 2, found 3"),
        ("a\n", "t:1: expected a block of words, morphemes .*, glosses .* found 1 line$"),
        ("'only a translation'\n", "t:1: expected a block of words"),
        ("a\nb\nc\nd\n", "t:4: expected a translation in quotes as the last line of a block, found 'd'"),
        ("a\nb\nc\nd\n'e'\n", "t:1: expected a block of .* found 5 lines"),
    ],
)
def test_lines_that_do_not_match_are_named(text, message):
    with pytest.raises(pp.errors.TextError, match=message):
        read_leipzig(text, "t")
