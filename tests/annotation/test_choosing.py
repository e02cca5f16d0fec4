"""The next sentence: what is new in it, for the corrections that it takes."""

from __future__ import annotations

from panparser.annotation.choosing import Choice
from panparser.annotation.completion import Completion
from panparser.annotation.drafts import Draft, Word


def shown(text, confidence):
    words = tuple(Word(form, upos=form[0], head=0, label="x") for form in text.split())
    bare = tuple(Word(word.form, upos=word.upos) for word in words)
    return Draft(bare), Completion(words, (confidence,) * len(words), (confidence,) * len(words))


def test_new_words_are_worth_more_and_corrections_cost():
    choice = Choice()
    known, new = shown("a b c d", 0.9), shown("e f g h", 0.9)
    assert choice.value(*known) == choice.value(*new)
    choice.learn(known[1].words)
    assert choice.value(*known) < choice.value(*new)
    assert choice.value(*shown("e f g h", 0.5)) < choice.value(*new)
    choice.diversity = 0.0
    assert choice.value(*known) == choice.value(*new)
    choice.thrift = 0.0
    assert choice.value(*shown("e f g h", 0.5)) == choice.value(*new)


def test_what_is_decided_takes_no_corrections():
    draft, completion = shown("a b c d", 0.2)
    assert Choice().value(Draft(completion.words), completion) > Choice().value(draft, completion)


def test_lengths_are_bounded():
    assert [Choice(shortest=2, longest=3).is_allowed(words) for words in (1, 2, 3, 4)] == [False, True, True, False]
