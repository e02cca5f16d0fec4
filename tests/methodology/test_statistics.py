"""Intervals cover, tests of nothing find nothing, corrections are those of the textbook."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from panparser.evaluation.significance import holm
from panparser.lab.analysis.reliability import expected_calibration_error

LENGTH = 8  # words of a sentence


def treebank(sentences: int) -> pp.Treebank:
    """Sentences of equal length; all words hang on the first."""
    lines = []
    for number in range(sentences):
        rows = [f"{i}\tw{i}\t_\tX\t_\t_\t{min(1, i - 1)}\tx\t_\t_\n" for i in range(1, LENGTH + 1)]
        lines.append(f"# sent_id = {number}\n{''.join(rows)}\n")
    return pp.parse_conllu("".join(lines))


def predicted(gold: pp.Treebank, right) -> pp.Treebank:
    found = gold.copy()
    found.heads[~right] = 2
    return found


def clustered(rng, sentences: int, mean: float = 0.8):
    """Which words are right: sentences are easy or hard, so that words of a sentence go together."""
    easy = rng.beta(mean, 1 - mean, size=sentences)
    return (rng.random((sentences, LENGTH)) < easy[:, None]).ravel()


def test_intervals_cover_the_truth_about_95_times_in_a_hundred():
    """The mean accuracy of sentences is 80; each sample has an interval of its own."""
    rng = np.random.default_rng(1)
    gold = treebank(80)
    inside, repeats = 0, 150
    for number in range(repeats):
        judged = pp.evaluate(gold, predicted(gold, clustered(rng, 80)), bootstrap_samples=300, seed=number)
        low, high = judged["UAS"].interval
        inside += low <= 80 <= high
    assert 0.90 <= inside / repeats <= 0.985


@pytest.mark.parametrize("mean", [0.3, 0.8])
def test_an_interval_is_as_wide_as_sentences_vary(mean):
    """Two standard errors of the mean over sentences to each side, far more than words alone would give."""
    gold = treebank(400)
    right = clustered(np.random.default_rng(2), 400, mean)
    low, high = pp.evaluate(gold, predicted(gold, right), bootstrap_samples=3000)["UAS"].interval
    by_sentence = 100 * right.reshape(400, LENGTH).mean(axis=1)
    error = by_sentence.std(ddof=1) / np.sqrt(400)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.06)
    assert (low + high) / 2 == pytest.approx(by_sentence.mean(), abs=0.3)
    by_word = 100 * right.std() / np.sqrt(right.size)
    assert error > 1.8 * by_word


def compared(rng, sentences: int, gain: float = 0.0, samples: int = 300, shuffles: int = 300):
    """Two predictions with errors of their own on the same easy and hard sentences; the second may be better."""
    gold = treebank(sentences)
    easy = rng.beta(2, 1, size=sentences)[:, None]
    sides = []
    for more in (0.0, gain):
        right = (rng.random((sentences, LENGTH)) < np.clip(easy + more, 0, 1)).ravel()
        sides.append(pp.evaluate(gold, predicted(gold, right), bootstrap_samples=0))
    return sides, pp.compare_evaluations(
        *sides, bootstrap_samples=samples, permutations=shuffles, seed=int(rng.integers(1 << 30))
    )["UAS"]


def test_where_nothing_differs_p_values_are_small_as_often_as_they_say():
    rng = np.random.default_rng(3)
    found = [compared(rng, 60)[1] for _ in range(150)]
    for name in ("p_randomization", "p_bootstrap"):
        p = np.array([getattr(each, name) for each in found])
        assert 0.01 <= np.mean(p < 0.05) <= 0.10, name
        assert np.mean(p < 0.5) == pytest.approx(0.5, abs=0.12), name
    covered = np.mean([each.interval[0] <= 0 <= each.interval[1] for each in found])
    assert 0.90 <= covered <= 0.99


def test_a_gain_is_found_and_has_its_sign():
    rng = np.random.default_rng(4)
    found = [compared(rng, 100, 0.08)[1] for _ in range(12)]
    assert all(each.difference > 0 for each in found)
    assert np.mean([each.p_randomization < 0.05 for each in found]) > 0.7
    assert np.mean([each.interval[0] > 0 for each in found]) > 0.7


def test_sentences_are_paired():
    """A small gain in every sentence is certain, however much the sentences differ from each other."""
    gold = treebank(60)
    easy = np.repeat(np.arange(60) % 7, LENGTH)
    word = np.tile(np.arange(LENGTH), 60)
    one, two = (pp.evaluate(gold, predicted(gold, word <= easy + more), bootstrap_samples=0) for more in (0, 1))
    found = pp.compare_evaluations(one, two, bootstrap_samples=300, permutations=300)["UAS"]
    assert found.interval[0] == pytest.approx(found.interval[1], abs=1e-9)
    assert found.difference == pytest.approx(100 / LENGTH)
    assert found.p_randomization == pytest.approx(1 / 301)
    back = pp.compare_evaluations(two, one, bootstrap_samples=300, permutations=300)["UAS"]
    assert back.difference == -found.difference


def test_randomization_is_that_of_all_swaps():
    """Few sentences: p is the share of the 2^n swaps that differ as much (Noreen 1989)."""
    gold = treebank(8)
    rng = np.random.default_rng(5)
    right = rng.random((2, 8, LENGTH)) < np.array([0.5, 0.75])[:, None, None]
    sides = [pp.evaluate(gold, predicted(gold, each.ravel()), bootstrap_samples=0) for each in right]
    change = (right[1].sum(axis=1) - right[0].sum(axis=1)).astype(int)
    swaps = np.array([[1 if number >> bit & 1 else -1 for bit in range(8)] for number in range(256)])
    exact = np.mean(np.abs(swaps @ change) >= abs(change.sum()))
    assert pp.compare_evaluations(*sides, permutations=20_000)["UAS"].p_randomization == pytest.approx(exact, abs=0.01)


def test_holm_by_the_book():
    """Steps of 0.01 and 0.02 times how many are left, never below the step before, never above 1."""
    p = np.array([0.04, 0.001, 0.02, 0.021, 0.7])
    assert holm(p).tolist() == pytest.approx([0.08, 0.005, 0.08, 0.08, 0.7])
    assert holm(np.array([0.5, 0.6])).tolist() == [1, 1]
    rng = np.random.default_rng(6)
    for count in (1, 3, 20):
        p = rng.random(count) ** 3
        corrected = holm(p)
        assert (corrected >= p).all()
        assert (np.argsort(p, kind="stable") == np.lexsort((p, corrected))).all()
        assert corrected.min() == pytest.approx(min(1, count * p.min()))
        assert corrected.max() <= 1


def test_holm_keeps_false_alarms_rare():
    """Of families of ten tests of nothing, one in twenty has a corrected p below 0.05; uncorrected, two in five."""
    p = np.random.default_rng(7).random((400, 10))
    alarms = np.mean([(holm(row) < 0.05).any() for row in p])
    assert 0.02 <= alarms <= 0.08
    assert np.mean((p < 0.05).any(axis=1)) > 0.3


def test_comparisons_by_class_are_those_of_the_words_of_the_class():
    """Each class by itself: as if all other words did not count."""
    gold = treebank(40)
    rng = np.random.default_rng(8)
    first = np.tile(np.arange(LENGTH), 40) < 4
    gold.column("upos")[:] = np.where(first, gold.id_of("upos", "A"), gold.id_of("upos", "B"))
    sides = []
    for shares in ((0.5, 0.8), (0.9, 0.8)):  # better in A, the same in B
        right = rng.random(gold.words) < np.where(first, *shares)
        sides.append(predicted(gold, right))
    frame = pp.lab.analysis.make_frame(gold, *sides, names=["one", "two"], ignore=())
    table = pp.lab.analysis.compare(frame, "upos", bootstrap_samples=300, permutations=500)
    assert table.loc["A", "p_holm"] < 0.05 < table.loc["B", "p_holm"]
    assert table.loc["A", "ci_low"] > 0
    assert table["p_holm"].tolist() == holm(table["p"].to_numpy()).tolist()
    for tag in "AB":
        words = gold.column("upos") == gold.id_of("upos", tag)
        accuracy = [100 * np.mean((side.heads == gold.heads)[words]) for side in sides]
        assert table.loc[tag, ["one", "two"]].tolist() == pytest.approx(accuracy)
        assert table.loc[tag, "difference"] == pytest.approx(accuracy[1] - accuracy[0])


def test_expected_calibration_error_is_the_mean_gap():
    """Ten words of confidence 0.9, of which six are right; ten of 0.5, of which five are."""
    rows = []
    for number in range(20):
        confidence, right = (0.9, number < 6) if number < 10 else (0.5, number < 15)
        rows.append((confidence, right))
    text = "".join(f"1\tw\t_\tX\t_\t_\t0\tx\t_\tConfidence={c:.2f}\n2\tv\t_\tX\t_\t_\t1\tx\t_\t_\n\n" for c, _ in rows)
    guess = pp.parse_conllu(text)
    gold = guess.copy()
    gold.heads[:] = [head for _, right in rows for head in ((0, 1) if right else (2, 0))]
    error = expected_calibration_error(gold, guess, 10)
    assert error == pytest.approx((10 * 0.3 + 10 * 0.0) / 20)
