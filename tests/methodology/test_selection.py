"""What selects selects: the epoch, seed, weights, margin and threshold that are kept are the best of those tried."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from panparser.learning.epochs import EpochLoop
from panparser.learning.listeners import EpochReport, SequenceEpochReport
from panparser.training.parser_run import score as score_on
from places import ENGLISH
from spies import spy_on

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:40], TREEBANK[40:60]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=4)


def same(one, other) -> bool:
    """Do two models have the same weights?"""
    arrays, others = one.to_arrays(), other.to_arrays()
    return list(arrays) == list(others) and all((array == others[name]).all() for name, array in arrays.items())


def score(parser: pp.Parser, gold: pp.Treebank, **options) -> float:
    judged = pp.evaluate(gold, parser.parse(gold, **options), bootstrap_samples=0)
    return judged["FullLAS"].f1 if parser.spec.labeled else judged.uas


# --- Epochs ---


@dataclass(kw_only=True)
class Scripted(EpochLoop):
    """Epochs whose scores are given; the weights of an epoch are its number."""

    scores: tuple[float | None, ...]
    events: list[str] = field(default_factory=list)

    def train_epoch(self, epoch):
        self.events.append(f"learn {epoch}")

    def make_report(self, epoch):
        return EpochReport(epoch, 0, 0)

    def weights(self):
        return self.epoch

    def evaluate(self, report, weights):
        report.las = self.scores[report.epoch - 1]

    def finish(self, *, interrupted):
        return self.best_epoch()


def kept(scores, patience=None, tolerance=0.0) -> tuple[int, int]:
    """The epoch that is kept, and how many there were."""
    loop = Scripted(
        listeners=(), training=pp.TrainingConfig(epochs=len(scores), patience=patience), scores=tuple(scores)
    )
    loop.__class__ = type("Loop", (Scripted,), {"score_tolerance": tolerance})
    report, weights = loop.run()
    assert report.epoch == weights
    return weights, len(loop.history)


def expected(scores, patience, tolerance) -> tuple[int, int]:
    """By definition: stop `patience` epochs after the first of the best, and keep the last that is as good."""
    done = len(scores)
    for epoch in range(1, len(scores) + 1):
        so_far = scores[:epoch]
        if patience is not None and epoch - (so_far.index(max(so_far)) + 1) >= patience:
            done = epoch
            break
    best = max(scores[:done])
    return max(epoch for epoch in range(1, done + 1) if scores[epoch - 1] >= best - tolerance), done


def test_hooks_are_called_in_the_documented_order():
    rows = re.findall(r"^ *\| (\d) \| `(\w+)` \|", EpochLoop.__doc__, re.MULTILINE)
    assert [int(step) for step, _ in rows] == list(range(1, len(rows) + 1))
    calls: list[str] = []

    def noting(hook: str):
        def note(self, *values, **named):
            calls.append(hook)
            return getattr(Scripted, hook)(self, *values, **named)

        return note

    noted = type("Noted", (Scripted,), {hook: noting(hook) for _, hook in rows})
    noted(listeners=(), training=pp.TrainingConfig(epochs=2), scores=(50.0, 60.0)).run()
    assert calls == [hook for _, hook in rows] * 2
    assert all(getattr(EpochLoop, hook).__doc__.startswith(f"{step}. ") for step, hook in rows)


@pytest.mark.parametrize("patience", [None, 1, 2, 3])
@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_the_best_epoch_is_kept_whatever_the_scores(patience, tolerance):
    for scores in product((50.0, 50.4, 51.0, 53.0), repeat=5):
        assert kept(scores, patience, tolerance) == expected(list(scores), patience, tolerance), scores


def test_without_scores_the_last_epoch_is_kept_and_patience_says_nothing():
    assert kept([None] * 5, patience=1) == (5, 5)


def test_labeled_parsers_are_selected_by_las_unlabeled_ones_by_uas_sequences_by_accuracy():
    assert EpochReport(1, 0, 0, uas=90, las=40).score == 40
    assert EpochReport(1, 0, 0, uas=90).score == 90
    assert SequenceEpochReport(1, 0, 0, uas=90, las=40, accuracy=20).score == 20


@pytest.mark.parametrize("spec", [GREEDY, replace(GREEDY, labeled=False)], ids=["labeled", "unlabeled"])
def test_a_parser_is_that_of_the_last_epoch_within_half_a_point_of_the_best(spec):
    parser = pp.train(spec, TRAIN, dev=DEV, epochs=7, patience=None, members=1)
    scores = [report["las" if spec.labeled else "uas"] for report in parser.training["history"]]
    assert all((report["las"] is None) is not spec.labeled for report in parser.training["history"])
    best = parser.training["best_epoch"]
    assert best == max(epoch for epoch, found in enumerate(scores, 1) if found >= max(scores) - 0.5)
    assert score(parser, DEV) == pytest.approx(scores[best - 1])
    assert same(parser, pp.train(spec, TRAIN, epochs=best, members=1))


def test_a_parser_with_a_classifier_is_that_of_the_best_epoch():
    from linear import EXPLORE, Linear

    options = {"classifier": Linear(), "strategy": EXPLORE}
    parser = pp.train(GREEDY, TRAIN, dev=DEV, epochs=5, patience=None, **options)
    scores = [report["las"] for report in parser.training["history"]]
    best = parser.training["best_epoch"]
    assert scores[best - 1] == max(scores)
    assert score(parser, DEV) == pytest.approx(max(scores))
    assert same(parser, pp.train(GREEDY, TRAIN, epochs=best, **options))


@pytest.mark.parametrize(
    "learn",
    [
        lambda **options: pp.train_tagger(pp.TaggerSpec(columns=("upos", "feats")), TRAIN, members=1, **options),
        lambda **options: pp.train_lemmatizer(TRAIN, **options),
        lambda **options: pp.train_tokenizer(TRAIN, **options),
    ],
    ids=["tagger", "lemmatizer", "tokenizer"],
)
def test_sequences_are_those_of_the_last_of_the_best_epochs(learn):
    model = learn(dev=DEV, epochs=6)
    scores = [report["accuracy"] for report in model.training["history"]]
    best = model.training["best_epoch"]
    assert best == max(epoch for epoch, found in enumerate(scores, 1) if found == max(scores))
    if isinstance(model, pp.Tagger):
        assert model.accuracy(DEV)["all"] == pytest.approx(max(scores))
    assert same(model, learn(epochs=best))


def test_patience_counts_epochs_without_a_better_score():
    parser = pp.train(GREEDY, TRAIN, dev=DEV, epochs=30, patience=2, members=1)
    scores = [report["las"] for report in parser.training["history"]]
    assert len(scores) == scores.index(max(scores)) + 1 + 2 < 30


class Copying:
    """A task: copies a word letter by letter."""

    def initial(self, word):
        return word, ""

    def legal(self, state):
        return tuple("abc") if len(state[1]) < len(state[0]) else ()

    def apply(self, state, action):
        return state[0], state[1] + action

    def cost(self, state, action, gold):
        return int(gold[len(state[1])] != action)

    def features(self, state):
        return [f"letter {state[0][len(state[1])]} before {state[1][-1:]}", f"before {state[1][-1:]}"]


def test_a_task_is_that_of_the_last_of_the_best_epochs_on_its_development_set():
    words = ["".join(word) for word in np.random.default_rng(1).choice(list("abc"), (30, 4))]
    noisy = [(word, word[::-1] if number % 3 == 0 else word) for number, word in enumerate(words[:20])]
    dev = [(word, word) for word in words[20:]]
    model = pp.train_task(Copying(), noisy, dev=dev, epochs=8, patience=None)
    scores = [report["accuracy"] for report in model.training["history"]]
    assert len(set(scores)) > 1
    right = sum(a == b for word, _ in dev for a, b in zip(word, model.predict(word).actions, strict=True))
    assert 100 * right / (4 * len(dev)) == pytest.approx(max(scores))
    best = max(epoch for epoch, found in enumerate(scores, 1) if found == max(scores))
    assert model.weights == pp.train_task(Copying(), noisy, epochs=best).weights


# --- Seeds ---


def test_the_command_keeps_the_seed_that_is_best_on_the_development_set(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("train.conllu", TRAIN)
    pp.write_conllu("dev.conllu", DEV)
    seeds = [1, 2, 3, 4]
    spec = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
    parsers = pp.lab.train_seeds(spec, TRAIN, seeds, dev=DEV, epochs=1, members=1)
    scores = [score(parser, DEV) for parser in parsers]
    best = int(np.argmax(scores))
    assert max(scores) > min(scores)
    others = [seed for seed in seeds if seed != seeds[best]]
    ordered = [others[0], seeds[best], *others[1:]]  # neither the first nor the last
    (tmp_path / "mine.toml").write_text(
        '[data]\ntrain = ["train.conllu"]\ndev = "dev.conllu"\n[parser]\nbeam = 1\ntemplates = "fast"\n'
        f"[training]\nseeds = {ordered}\nepochs = 1\nmembers = 1\n"
    )
    code, _, errors = run("train", "--recipe", "mine.toml", "-o", "model")
    assert code == 0, errors
    found = pp.load("model")
    assert found.training["seed"] == seeds[best]
    assert same(found, parsers[best])


# --- Weights of a vote ---


@pytest.fixture(scope="module")
def good_and_bad():
    """A parser, and one that learned from trees without sense."""
    senseless = TRAIN.copy()
    for sentence in senseless:
        sentence.heads = [0, *range(1, len(sentence))]
        sentence.labels = ["root", *["obj"] * (len(sentence) - 1)]
    options = {"epochs": 4, "members": 1}
    return pp.train(BEAM, TRAIN, **options), pp.train(BEAM, senseless, **options)


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 1, 0), (1, 1, 0)])
def test_learned_weights_are_better_than_equal_ones_on_the_development_set(good_and_bad, order):
    parsers = [good_and_bad[which] for which in order]
    equal, learned = pp.make_voting_parser(parsers), pp.make_voting_parser(parsers, dev=DEV)
    assert score(good_and_bad[0], DEV) > score(equal, DEV) + 0.5  # there is something to learn
    assert score(learned, DEV) >= score(equal, DEV) + 0.1
    assert learned.training["dev_score"] == pytest.approx(score(learned, DEV), abs=2)  # the margin is fitted anew
    weights = dict.fromkeys(order, 0.0)
    for voter in learned.voters:
        which = 0 if voter.training["data"] == good_and_bad[0].training["data"] else 1
        weights[which] += voter.weight
    assert weights[0] > weights[1]


def test_weights_are_those_that_scored_best_of_all_that_were_tried(good_and_bad, monkeypatch):
    calls = spy_on(monkeypatch, score_on)
    learned = pp.make_voting_parser(good_and_bad, dev=DEV)
    tried = [las for _, las in (call.result for call in calls)]
    assert all(call.arguments[1] is DEV for call in calls)
    assert tried[0] < learned.training["dev_score"]  # equal weights come first
    assert learned.training["dev_score"] in tried
    assert learned.training["dev_score"] > max(tried) - 0.1  # what is closer is better by chance


def test_weights_that_bring_nothing_stay_equal(good_and_bad):
    """What is less than a tenth of a point better is better by chance."""
    learned = pp.make_voting_parser([good_and_bad[0]] * 2, dev=DEV)
    assert [voter.weight for voter in learned.voters] == [1, 1]


def test_a_learned_vote_is_calibrated_and_bounded_on_the_development_set(good_and_bad):
    learned = pp.make_voting_parser(good_and_bad, dev=DEV)
    calibration = learned.calibration
    assert calibration.words == int((DEV.heads >= 0).sum())
    assert pp.calibrate(learned, DEV).calibration == calibration


# --- Margin, pruning, rounding ---


def sentences_that_change(parser: pp.Parser, margin: int | None) -> float:
    """The share of the sentences whose tree is another one with a margin."""
    free, bounded = (replace(parser, pruning_margin=bound).predict(DEV)[0] for bound in (None, margin))
    return len(np.unique(DEV.sentence_of_word()[free != bounded])) / len(DEV)


def test_the_margin_is_the_least_that_keeps_the_trees_of_the_development_set():
    parsers = {share: pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=1, margin=share) for share in (0.05, 0.5)}
    assert 0 <= parsers[0.5].pruning_margin < parsers[0.05].pruning_margin
    for share, parser in parsers.items():
        assert sentences_that_change(parser, parser.pruning_margin) <= share
    assert sentences_that_change(parsers[0.05], 0) > 0.05
    assert pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=1, margin=0).pruning_margin is None
    default = pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=1)
    assert default.pruning_margin == pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=1, margin=0.01).pruning_margin
    assert pp.train(BEAM, TRAIN, epochs=2, members=1).pruning_margin is None


def test_pruning_is_judged_on_what_is_kept():
    parser = pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=1, prune_threshold=2.0)
    cost = parser.training["history"][parser.training["best_epoch"] - 1]["pruning"]
    whole = pp.train(BEAM, TRAIN, dev=DEV, epochs=2, members=1)
    assert cost["least"] == 2.0
    assert cost["size"] == parser.layers[0].size < cost["whole_size"] == whole.layers[0].size
    assert score(replace(parser, pruning_margin=None), DEV) == pytest.approx(cost["las"])
    assert parser.training["history"][1]["las"] == whole.training["history"][1]["las"]  # judged before it is pruned


@pytest.mark.parametrize("spec", [GREEDY, BEAM], ids=["greedy", "beam"])
def test_a_file_is_no_larger_than_it_may_be_and_nearly_as_large(spec, tmp_path):
    whole = pp.train(spec, TRAIN, dev=DEV, epochs=2, members=1)
    whole.save(tmp_path / "whole")
    room = (tmp_path / "whole").stat().st_size * 3 // 4
    pp.train(spec, TRAIN, dev=DEV, epochs=2, members=1, max_model_bytes=room).save(tmp_path / "small")
    assert 0.6 * room < (tmp_path / "small").stat().st_size <= room


def test_what_rounding_costs_is_measured_on_the_development_set():
    parser = pp.train(GREEDY, TRAIN, dev=DEV, epochs=3, members=1)
    rounding, last = parser.training["rounding"], parser.training["history"][-1]
    assert rounding["sentences"] == len(DEV)
    assert rounding["after"] == {"uas": last["uas"], "las": last["las"]}
    assert abs(rounding["before"]["las"] - last["las"]) < 3
    assert pp.train(GREEDY, TRAIN, epochs=3, members=1).training["rounding"] is None


# --- Confidence ---


def test_confidence_is_fitted_to_the_development_set():
    parser = pp.train(BEAM, TRAIN, dev=DEV, epochs=3, members=1)
    fitted = parser.calibration
    assert fitted.words == int((DEV.heads >= 0).sum())
    found = parser.confidence(DEV)
    right = found.heads == DEV.heads
    # A logistic model with an intercept is right on average where it was fitted, heads and labels alike.
    assert found.head_confidence.mean() == pytest.approx(right.mean(), abs=0.02)
    labels = np.array(parser.label_names)[found.labels] == [text for s in DEV for text in s.labels]
    assert found.label_confidence.mean() == pytest.approx((right & labels).mean(), abs=0.03)
    assert found.head_confidence[right].mean() > found.head_confidence[~right].mean() + 0.05
    assert pp.calibrate(parser, DEV).calibration == fitted
    assert pp.calibrate(parser, TRAIN).calibration != fitted
