"""The next sentence: what is new in it, for the corrections that it takes."""

from __future__ import annotations

from panparser.annotate.completion import Completion
from panparser.annotate.next_sentence import ActiveSelection
from panparser.annotate.sentence_draft import SentenceDraft, Word


def shown(text, confidence):
    words = tuple(Word(form, upos=form[0], head=0, label="x") for form in text.split())
    bare = tuple(Word(word.form, upos=word.upos) for word in words)
    return SentenceDraft(bare), Completion(words, (confidence,) * len(words), (confidence,) * len(words))


def test_new_words_are_worth_more_and_corrections_cost():
    choice = ActiveSelection()
    known, new = shown("a b c d", 0.9), shown("e f g h", 0.9)
    assert choice.score(*known) == choice.score(*new)
    choice.add_finished(known[1].words)
    assert choice.score(*known) < choice.score(*new)
    assert choice.score(*shown("e f g h", 0.5)) < choice.score(*new)
    choice.diversity = 0.0
    assert choice.score(*known) == choice.score(*new)
    choice.cost_weight = 0.0
    assert choice.score(*shown("e f g h", 0.5)) == choice.score(*new)


def test_what_is_decided_takes_no_corrections():
    draft, completion = shown("a b c d", 0.2)
    assert ActiveSelection().score(SentenceDraft(completion.words), completion) > ActiveSelection().score(
        draft, completion
    )


def test_lengths_are_bounded():
    assert [ActiveSelection(min_words=2, max_words=3).is_allowed(words) for words in (1, 2, 3, 4)] == [
        False,
        True,
        True,
        False,
    ]
