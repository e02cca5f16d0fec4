"""Draws: shares are what they say, drawn anew in each epoch, and reproducible; subsampling prefers what it says."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from panparser.training.training_constraints import drawn, kept_arcs
from places import ENGLISH
from spies import put_in_place, spy_on

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:40], TREEBANK[40:60]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
QUICK = {"epochs": 3, "members": 1, "patience": None}


def weights(parser: pp.Parser) -> bytes:
    return b"".join(array.tobytes() for array in parser.to_arrays().values())


def tags(treebank: pp.Treebank):
    return np.array([tag for sentence in treebank for tag in sentence.values("upos")])


# --- Subsampling ---


@pytest.mark.parametrize("by", ["share", "frequency", "accuracy", "accuracy-once"])
def test_arcs_are_drawn_anew_in_each_epoch_and_reproducibly(by, monkeypatch):
    calls = spy_on(monkeypatch, kept_arcs)
    options = {"dev": DEV, "subsample": pp.Subsampling(share=0.4, criterion=by), **QUICK}
    one, again, other = (pp.train(GREEDY, TRAIN, seed=seed, **options) for seed in (1, 1, 2))
    masks = [call.result.tobytes() for call in calls]
    assert len(masks) == 3 * 3
    assert len(set(masks[:3])) == 3
    assert masks[:3] == masks[3:6]
    assert not set(masks[:3]) & set(masks[6:])
    assert weights(one) == weights(again) != weights(other)
    for call in calls:
        assert np.mean(call.result) == pytest.approx(0.4, abs=0.06)


def test_only_what_was_drawn_is_learned_from(monkeypatch):
    """Nothing drawn in the second half of the words: the parser is that of the first half."""
    half = np.arange(TRAIN.words) < TRAIN.offsets[20]
    put_in_place(monkeypatch, kept_arcs, lambda *arguments: half)
    partial = TRAIN.copy()
    partial.heads[~half] = -1
    plain = pp.ParserSpec(templates=SMALL, beam=1, labeled=False)
    assert weights(pp.train(plain, TRAIN, subsample=pp.Subsampling(share=0.5), **QUICK)) == weights(
        pp.train(plain, partial, **QUICK)
    )


def test_accuracy_is_that_of_the_parser_so_far_on_the_development_set(monkeypatch):
    """Not of the best epoch, nor of what pruning leaves of it."""
    calls, found = spy_on(monkeypatch, kept_arcs), {}

    class Keep(pp.Listener):
        def after_training_pass(self, epoch, parser):
            found[epoch] = parser.predict(DEV)[0]

    options = {"subsample": pp.Subsampling(share=0.4, criterion="accuracy"), "prune_threshold": 3.0, **QUICK}
    pp.train(GREEDY, TRAIN, dev=DEV, listeners=[Keep()], **options)
    predicted = [call.arguments[4] for call in calls]
    assert predicted[0] is None
    for epoch in (1, 2):
        assert (predicted[epoch] == found[epoch]).all()
        assert calls[epoch].arguments[3] is DEV


@pytest.mark.parametrize("classifier", [None, pp.Perceptron])
def test_accuracy_once_is_that_of_a_parser_that_learned_from_all(monkeypatch, classifier):
    """It is trained before, in the same way, with the seed and the options that the other one has."""
    options = {"dev": DEV, "seed": 4, **({**QUICK, "classifier": classifier()} if classifier else QUICK)}
    expected = pp.train(GREEDY, TRAIN, **options).predict(DEV)[0]
    calls, heard = spy_on(monkeypatch, kept_arcs), []

    class Hear(pp.Listener):
        def before_epoch(self, epoch):
            heard.append(epoch)

    subsample = pp.Subsampling(share=0.4, criterion="accuracy-once")
    parser = pp.train(GREEDY, TRAIN, subsample=subsample, listeners=[Hear()], **options)
    assert len(calls) == 3
    assert all((call.arguments[4] == expected).all() for call in calls)
    assert heard == [1, 2, 3]
    assert parser.training["subsample"] == {"share": 0.4, "by": "accuracy-once"}


def test_a_resumed_run_knows_the_accuracy_of_the_first_parser(tmp_path):
    options = {"dev": DEV, "subsample": pp.Subsampling(share=0.4, criterion="accuracy-once"), **QUICK}
    whole = pp.train(GREEDY, TRAIN, **options)
    kept = {"checkpoint": tmp_path / "state"}

    class Crash(pp.Listener):
        def before_epoch(self, epoch):
            if epoch == 2:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        pp.train(GREEDY, TRAIN, **options, **kept, listeners=[Crash()])
    assert weights(pp.train(GREEDY, TRAIN, **options, **kept, resume=True)) == weights(whole)


@pytest.mark.parametrize(("share", "by"), [(0, "share"), (0.3, "share"), (0.3, "frequency")])
def test_only_arcs_of_a_region_are_left_out(share, by):
    region = pp.ArcRegion(upos=("DET", "NOUN"), direction="right")
    subsample = pp.Subsampling(share=share, criterion=by, region=region)
    kept = np.mean([kept_arcs(subsample, TREEBANK, np.random.default_rng(seed)) for seed in range(20)], axis=0)
    positions = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in TREEBANK])
    inside = np.isin(tags(TREEBANK), ["DET", "NOUN"]) & (TREEBANK.heads > positions)
    assert (kept[~inside] == 1).all()
    assert kept[inside].mean() == pytest.approx(share, abs=0.02)


def test_a_class_that_is_left_out_is_as_if_it_had_no_heads():
    region = pp.ArcRegion(upos="DET", direction="right")
    bare, positions = TRAIN.copy(), np.concatenate([np.arange(1, len(sentence) + 1) for sentence in TRAIN])
    bare.heads[(tags(TRAIN) == "DET") & (TRAIN.heads > positions)] = -1
    plain = pp.ParserSpec(templates=SMALL, beam=1, labeled=False)
    without = pp.train(plain, TRAIN, subsample=pp.Subsampling(share=0, region=region), **QUICK)
    assert weights(without) == weights(pp.train(plain, bare, **QUICK)) != weights(pp.train(plain, TRAIN, **QUICK))
    assert without.training["subsample"]["where"] == {"upos": ["DET"], "direction": "right"}


def rates(subsample: pp.Subsampling, predicted=None) -> dict[str, float]:
    """How often arcs are kept, by tag."""
    kept = np.mean(
        [kept_arcs(subsample, TREEBANK, np.random.default_rng(seed), TREEBANK, predicted) for seed in range(30)], axis=0
    )
    return {tag: float(kept[tags(TREEBANK) == tag].mean()) for tag in ("NOUN", "VERB", "DET", "PUNCT")}


def test_accuracy_keeps_what_is_wrong_most():
    predicted = TREEBANK.heads.copy()
    wrong = tags(TREEBANK) == "VERB"
    predicted[wrong] += 1
    half = (tags(TREEBANK) == "NOUN") & (np.arange(TREEBANK.words) % 2 == 0)
    predicted[half] += 1
    found = rates(pp.Subsampling(share=0.15, criterion="accuracy"), predicted)
    assert found["VERB"] > 1.5 * found["NOUN"] > 0
    assert found["DET"] == found["PUNCT"] == 0


def test_accuracy_keeps_classes_that_the_development_set_lacks():
    predicted = DEV.heads.copy()  # all right
    predicted[tags(DEV) == "NOUN"] += 1
    kept = kept_arcs(
        pp.Subsampling(share=0.2, criterion="accuracy"), TREEBANK, np.random.default_rng(1), DEV, predicted
    )
    missing = np.isin(tags(TREEBANK), sorted(set(tags(TREEBANK)) - set(tags(DEV))))
    assert missing.any()
    assert kept[missing].mean() > 0.5 * kept[tags(TREEBANK) == "NOUN"].mean() > 0


def test_frequency_cuts_down_frequent_classes_to_one_size():
    """Classes are tags and directions: all of the small ones is kept, and of the others the same number of arcs."""
    subsample = pp.Subsampling(share=0.3, criterion="frequency")
    kept = np.mean([kept_arcs(subsample, TREEBANK, np.random.default_rng(seed)) for seed in range(100)], axis=0)
    positions = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in TREEBANK])
    classes = {(tag, right) for tag, right in zip(tags(TREEBANK), TREEBANK.heads > positions, strict=True)}
    sizes = {}
    for tag, right in classes:
        chosen = (tags(TREEBANK) == tag) & ((TREEBANK.heads > positions) == right)
        sizes[int(chosen.sum())] = kept[chosen].sum()
    size = np.median([kept_of for total, kept_of in sizes.items() if kept_of < 0.9 * total])
    for total, kept_of in sizes.items():
        assert kept_of == pytest.approx(min(total, size), rel=0.12)
    assert min(sizes) < size < max(sizes) / 3


def test_a_share_keeps_every_class_alike():
    assert all(rate == pytest.approx(0.3, abs=0.12) for rate in rates(pp.Subsampling(share=0.3)).values())


# --- Shares of given heads ---


def test_a_share_of_the_heads_is_drawn_anew_in_each_epoch_and_once_for_the_development_set(monkeypatch):
    calls = spy_on(monkeypatch, drawn)
    one, again, other = (pp.train(GREEDY, TRAIN, dev=DEV, constraints=0.3, seed=seed, **QUICK) for seed in (1, 1, 2))
    assert weights(one) == weights(again) != weights(other)
    for treebank, times in ((TRAIN, 3), (DEV, 1)):
        found = [call.result.heads for call in calls if call.arguments[0] is treebank]
        assert len(found) == 3 * times
        masks = [heads.tobytes() for heads in found]
        assert masks[:times] == masks[times : 2 * times]
        assert len(set(masks)) == 2 * times  # each epoch, each seed
        for heads in found:
            given = heads >= 0
            assert given.mean() == pytest.approx(0.3, abs=0.07)
            assert (heads[given] == treebank.heads[given]).all()


def test_what_was_drawn_for_an_epoch_is_what_it_learns_under(monkeypatch):
    calls = spy_on(monkeypatch, drawn)
    shares = [pp.train(GREEDY, TRAIN, constraints=0.5, epochs=epochs, members=1) for epochs in (1, 2)]
    first = calls[0].result
    fixed = [pp.train(GREEDY, TRAIN, constraints=first, epochs=epochs, members=1) for epochs in (1, 2)]
    assert weights(shares[0]) == weights(fixed[0])
    assert weights(shares[1]) != weights(fixed[1])


# --- Order ---


@pytest.mark.parametrize(
    "learn",
    [
        lambda **options: pp.train(GREEDY, TRAIN, members=2, **options),
        lambda **options: pp.train_tagger(pp.TaggerSpec(), TRAIN, members=2, **options),
    ],
    ids=["parser", "tagger"],
)
def test_every_member_goes_through_all_sentences_in_an_order_of_its_own_in_each_epoch(learn):
    orders = []

    class Note(pp.Listener):
        def before_sentence(self, epoch, sentence):
            orders.append(sentence)

    learn(epochs=3, seed=1, listeners=[Note()])
    first = [tuple(orders[start : start + len(TRAIN)]) for start in range(0, len(orders), len(TRAIN))]
    assert len(first) == 3 * 2
    assert all(sorted(order) == list(range(len(TRAIN))) for order in first)
    assert len(set(first)) == len(first)
    orders.clear()
    learn(epochs=1, seed=2, listeners=[Note()])
    assert tuple(orders[: len(TRAIN)]) not in first


@pytest.mark.parametrize(("members", "heard"), [(1, 1), (3, 3), (None, 4)])
def test_as_many_members_learn_as_are_asked_for(members, heard):
    assert TRAIN.words < 10_000  # so few: four, if nothing is said
    parser = pp.train(GREEDY, TRAIN, epochs=1, members=members)
    assert parser.training["members"] == heard
    assert parser.training["history"][0]["words"] == heard * TRAIN.words
    tagger = pp.train_tagger(pp.TaggerSpec(), TRAIN, epochs=1, **({} if members is None else {"members": members}))
    assert tagger.training["members"] == heard
    assert tagger.training["history"][0]["words"] == heard * TRAIN.words


def test_exploration_begins_with_the_epoch_that_a_schedule_says():
    """Goldberg & Nivre's strategy is that without exploration for two epochs, and another one from the third."""
    strategies = [pp.STRATEGIES[name] for name in ("dynamic-ambiguity", "dynamic-explore")]
    for epochs, alike in ((1, True), (2, True), (3, False)):
        one, two = (pp.train(GREEDY, TRAIN, strategy=each, epochs=epochs, members=1) for each in strategies)
        assert (weights(one) == weights(two)) is alike, epochs


def test_a_function_gives_the_strategy_of_an_epoch_and_a_sentence():
    asked = []

    def choose(epoch, sentence):
        asked.append((epoch, sentence))
        return pp.STRATEGIES["dynamic"]

    pp.train(GREEDY, TRAIN, strategy=choose, epochs=2, members=1)
    assert sorted(asked) == [(epoch, sentence) for epoch in (1, 2) for sentence in range(len(TRAIN))]
