"""Tags where glosses, features and a model disagree."""

from __future__ import annotations

import pytest

from panparser.transfer.glossed.gloss_table import better_tag, meaning, shipped_table, stems, tag_of
from panparser.transfer.glossed.sentences import Morpheme, written_word

TABLE = shipped_table()


@pytest.mark.parametrize(
    ("gloss", "linked", "alone", "expected"),
    [
        ("old-PL", "ADJ", "", "ADJ"),  # adjectives have number, too
        ("old-PL", "", "ADJ", "ADJ"),
        ("walk-PL", "VERB", "NOUN", "NOUN"),  # but verbs without a person do not
        ("walk-PST", "NOUN", "NOUN", "VERB"),  # features say otherwise
        ("have-PST", "AUX", "VERB", "AUX"),
        ("that", "SCONJ", "PRON", "SCONJ"),  # as in the translation
        ("that", "", "PRON", "DET"),  # by the table
        ("he.3SG", "", "X", "PRON"),
        ("DEF", "PRON", "", "DET"),  # the table is sure
        ("see-NMLZ", "VERB", "VERB", "NOUN"),
        ("cupboard", "", "", ""),
        ("cupboard", "NOUN", "VERB", "NOUN"),
    ],
)
def test_a_model_helps_where_glosses_only_suggest(gloss, linked, alone, expected):
    word = written_word("x-y" if "-" in gloss else "x", "x-y" if "-" in gloss else "x", gloss)
    said = meaning(word, TABLE)
    assert better_tag(word, said, TABLE, linked, alone) == expected
    assert better_tag(word, said, TABLE, "", "") == tag_of(word, said, TABLE)


def test_stems():
    word = written_word("", "ki-kubwa-ni", "C7-big-LOC")
    assert [part.form for part in stems(word)] == ["kubwa"]
    assert [part.form for part in stems(written_word("", "black-bird-s", "black-bird-PL"))] == ["black", "bird"]
    assert [part.form for part in stems(written_word("", "a-b", "DEF-PL"))] == ["a"]
    assert stems(written_word("x", "x", "I")) == [Morpheme(form="x", gloss="I")]
