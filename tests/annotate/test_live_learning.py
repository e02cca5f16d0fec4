"""Learning: the same sentences make the same parser, and what nobody decided teaches nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from panparser.annotate.completion import Completer
from panparser.annotate.document import Document
from panparser.annotate.live_learning import CompleterTrainer, InitialPrediction, fit_calibration, treebank_of
from places import ENGLISH


@pytest.fixture(scope="module")
def drafts():
    document = Document(ENGLISH.read_bytes())
    return [document.draft(index) for index in range(40)]


def bare(draft):
    return replace(draft, done=False, words=tuple(replace(word, head=None, label=None) for word in draft.words))


def weights(completer):
    return [array.tobytes() for array in completer.parser.to_arrays().values()]


def test_the_same_sentences_and_seed_make_the_same_parser(drafts):
    made = [CompleterTrainer(seed=seed).train(treebank_of(drafts[:15])) for seed in (1, 1, 2)]
    assert weights(made[0]) == weights(made[1]) != weights(made[2])


def test_undecided_words_teach_nothing(drafts):
    learner = CompleterTrainer(epochs=2)
    some = [replace(d, words=(*d.words[:3], *bare(d).words[3:])) for d in drafts[:8]]
    unknown = [bare(draft) for draft in drafts[8:12]]
    with_more = learner.train(treebank_of([*some, *unknown]))
    labels = {word.label for draft in some for word in draft.words if word.label}
    assert set(with_more.parser.labels.names) <= labels
    assert learner.train(treebank_of(unknown)) is None  # nothing at all
    assert learner.train(treebank_of(drafts[:1])) is None


def test_sentences_that_are_no_trees_teach_nothing(drafts):
    learner = CompleterTrainer(epochs=2)
    roots = [replace(draft, words=tuple(replace(word, head=0) for word in draft.words)) for draft in drafts[10:12]]
    circle = replace(drafts[12], words=tuple(replace(w, head=2 - at % 2) for at, w in enumerate(drafts[12].words)))
    assert circle.words[0].head == 2
    assert circle.words[1].head == 1
    assert weights(learner.train(treebank_of([*drafts[:5], *roots, circle]))) == weights(
        learner.train(treebank_of(drafts[:5]))
    )
    assert learner.train(treebank_of([*roots, circle])) is None


def test_a_model_at_the_start_is_built_upon(drafts):
    start = pp.train(pp.ParserSpec(beam=2), treebank_of(drafts[20:40]), epochs=2, members=1, threads=1)
    made = CompleterTrainer(Completer(start)).train(treebank_of(drafts[:5]))
    assert len(made.parser.layers) == 2
    right = sum(
        found.head == word.head
        for draft in drafts[20:40]
        for found, word in zip(made.complete(bare(draft)).words, draft.words, strict=True)
    )
    assert right > 0.7 * sum(len(draft.words) for draft in drafts[20:40])


def test_a_transferred_start_that_reads_tags_alone_gets_words_on_top(drafts):
    spec = pp.ParserSpec(templates=pp.templates("lean").delexicalized(), beam=1, labels="universal")
    start = pp.train(spec, treebank_of(drafts[20:40]), epochs=2, members=1, threads=1)
    made = CompleterTrainer(Completer(start)).train(treebank_of(drafts[:5]))
    assert len(made.parser.spec.templates) > len(start.spec.templates)


def test_learning_pays_by_number_and_by_share():
    learner = CompleterTrainer(every=5, share=0.1)
    counts = ((4, 20), (5, 20), (9, 100), (10, 100), (1, 1))
    decisions = [learner.should_retrain(new, sentences) for new, sentences in counts]
    assert decisions == [False, True, False, True, False]


def test_confidence_is_calibrated_on_what_was_shown_at_first(drafts):
    completer = CompleterTrainer(epochs=2).train(treebank_of(drafts[:10]))
    seen = []
    for draft in drafts[10:40]:
        first = completer.complete(bare(draft))
        seen.append(InitialPrediction.from_completion(first.evidence, first, draft))
        assert InitialPrediction.from_completion(first.evidence, first, bare(draft)) is None
    assert fit_calibration(seen[:3], 4) is None
    calibration = fit_calibration(seen, 4)
    calibrated = replace(completer, calibration=calibration)
    found = [calibrated.complete(bare(draft)) for draft in drafts[10:40]]
    mean = np.mean([value for each in found for value in each.head_confidence])
    assert abs(mean - np.mean(np.concatenate([each.heads for each in seen]))) < 0.05


def test_confidence_still_tells_words_apart_after_the_first_learning(drafts):
    """A parser that learned on top of another has scores in other units, which the calibration must not see."""
    start = Completer.from_model(pp.load("en"))
    made = CompleterTrainer(start).train(treebank_of(drafts[:15]))
    assert made.parser.update_size > 10 * start.parser.update_size
    before, after = (
        np.concatenate([each.complete(bare(draft)).head_confidence for draft in drafts[20:35]])
        for each in (start, made)
    )
    assert np.std(after) > 0.05
    assert np.mean(after > 0.995) < np.mean(before > 0.995) + 0.1
    assert abs(np.mean(after) - np.mean(before)) < 0.1


def test_a_few_errors_calibrate_nothing(drafts):
    start = Completer.from_model(pp.load("en"))
    seen = []
    for draft in drafts[:25]:
        first = start.complete(bare(draft))
        seen.append(InitialPrediction.from_completion(first.evidence, first, replace(draft, words=first.words)))
        seen[-1].heads[:1] = seen[-1].labels[1:2] = False
    assert fit_calibration(seen[:19], 4) is None
    assert fit_calibration(seen, 4) is not None


def test_tags_are_learned_and_predicted_where_nobody_gave_them(drafts):
    made = CompleterTrainer(tags=True, epochs=2).train(treebank_of(drafts[:30]))
    right = words = 0
    for draft in drafts[30:]:
        untagged = [replace(word, upos="_", feats="_", lemma="_") for word in bare(draft).words]
        found = made.complete(replace(draft, words=(replace(untagged[0], upos="SYM"), *untagged[1:])))
        assert found.words[0].upos == "SYM"  # decided
        right += sum(a.upos == b.upos for a, b in zip(found.words[1:], draft.words[1:], strict=True))
        words += len(draft.words) - 1
    assert right > words / 2
