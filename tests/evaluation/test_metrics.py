"""Evaluation: the shared task's numbers, digit by digit, and what goes beyond them."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.evaluation.metrics import EXTRA, OFFICIAL, compare_evaluations, evaluate
from panparser.treebank.conllu import parse_conllu as parse
from places import DATA, GOLDEN


def analysis(*tokens: str, heads: list[int] | None = None) -> pp.Treebank:
    """Sentences of one token each or more: "ab" is a word, "ab a b" a multiword token; "|" ends a sentence."""
    lines, count = [], 0
    for token in [*tokens, "|"]:
        if token == "|":
            lines.append("")
            count = 0
            continue
        surface, *words = token.split(" ")
        if words:
            lines.append(f"{count + 1}-{count + len(words)}\t{surface}" + "\t_" * 8)
        for word in words or [surface]:
            count += 1
            head = heads[count - 1] if heads else int(count > 1)
            lines.append(f"{count}\t{word}\t{word}\tX\tx\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_")
    return parse("\n".join([*lines, ""]), format="conllu")


def test_every_digit_of_the_shared_task():
    """The file has split and multiword tokens, merged sentences, other tags, lemmas, features, heads and labels; the
    expected numbers are those of the official script (version 1.2)."""
    gold, predicted = (pp.read_conllu(DATA / name) for name in ("english.conllu", "english-predicted.conllu"))
    found = evaluate(gold, predicted, bootstrap_samples=0).to_values()["metrics"]
    for metric, expected in json.loads((GOLDEN / "conll18.json").read_text()).items():
        assert {name: found[metric][name] for name in expected} == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "aligned"),
    [
        (["ab"], ["ab"], 1),
        (["abcd"], ["a", "b", "c", "d"], 0),
        (["abc", "d"], ["a", "b", "c", "d"], 1),
        (["abc a b c"], ["a", "b", "c"], 3),
        (["a", "bc b c", "d"], ["a", "b", "c", "d"], 4),
        (["a", "bc b c", "d"], ["a", "b", "cd"], 2),
        (["abcd a b c d"], ["ab a b", "cd c d"], 4),
        (["abc a BX c", "def d EX f"], ["ab a b", "cd c d", "ef e f"], 4),
        (["ab a b", "cd bc d"], ["a", "bc", "d"], 2),
        (["a", "bc b c", "d"], ["ab AX BX", "cd CX a"], 1),
        (["ab A B"], ["ab a b"], 2),  # forms are compared without case
        (
            ["abcd", "ef b f"],
            ["a", "b", "c", "d", "e", "f"],
            2,
        ),  # only one word before a multiword token is passed over
        (["xy X Y", "z"], ["x", "yz y z"], 3),
    ],
)
def test_words_are_aligned_through_the_text(gold, predicted, aligned):
    for a, b in ((gold, predicted), (predicted, gold)) if aligned != 2 or len(predicted) < 6 else ((gold, predicted),):
        score = evaluate(analysis(*a), analysis(*b), bootstrap_samples=0)["Words"]
        words = [sum(max(1, len(token.split()) - 1) for token in side) for side in (a, b)]
        assert (score.correct, score.gold, score.predicted) == (aligned, *words)


def test_tokens_and_sentences_are_spans():
    gold, predicted = analysis("ab", "c", "|", "d"), analysis("ab", "c", "d")
    scores = evaluate(gold, predicted, bootstrap_samples=0)
    assert (scores["Tokens"].correct, scores["Tokens"].gold, scores["Tokens"].predicted) == (3, 3, 3)
    assert (scores["Sentences"].correct, scores["Sentences"].gold, scores["Sentences"].predicted) == (0, 2, 1)


def table(*rows: str) -> pp.Treebank:
    """form lemma upos feats head label for each word."""
    lines = []
    for number, row in enumerate(rows, start=1):
        form, lemma, upos, feats, head, label = row.split()
        lines.append("\t".join([str(number), form, lemma, upos, "_", feats, head, label, "_", "_"]))
    return parse("\n".join([*lines, "", ""]), format="conllu")


GOLD = table(
    "the the DET Definite=Def|PronType=Art 2 det",
    "dog dog NOUN Number=Sing|Foo=Bar 4 nsubj",
    "was be AUX Tense=Past 4 aux:pass",
    "seen _ VERB Tense=Past 0 root",
    ". . PUNCT _ 4 punct",
)


def scored(**changes: str) -> pp.Evaluation:
    """The gold with some rows replaced: w2="dog dog NOUN ...\""""
    rows = [" ".join([t.form, t.lemma, t.upos, t.feats, str(t.head), t.label]) for t in GOLD[0]]
    for word, row in changes.items():
        rows[int(word[1:]) - 1] = row
    return evaluate(GOLD, table(*rows), bootstrap_samples=0)


def counts(evaluation: pp.Evaluation, *metrics: str) -> list[int]:
    return [evaluation[metric].correct for metric in metrics]


def test_subtypes_of_labels_count_in_full_las_alone():
    assert counts(scored(w3="was be AUX Tense=Past 4 aux"), "LAS", "FullLAS", "CLAS", "MLAS") == [5, 4, 2, 2]


def test_features_that_are_not_universal_do_not_count():
    result = scored(w2="dog dog NOUN Number=Sing 4 nsubj", w1="the the DET PronType=Art|Definite=Def 2 det")
    assert counts(result, "UFeats", "AllTags", "MLAS") == [5, 5, 2]


def test_a_lemma_that_the_gold_leaves_open_is_right():
    assert counts(scored(w4="seen see VERB Tense=Past 0 root"), "Lemmas", "BLEX") == [5, 2]
    assert counts(scored(w2="dog dogs NOUN Number=Sing 4 nsubj"), "Lemmas", "BLEX") == [4, 1]


@pytest.mark.parametrize(
    "row",
    [
        "was be VERB Tense=Past 4 aux:pass",  # tag
        "was be AUX Tense=Pres 4 aux:pass",  # features
        "was be AUX Tense=Past 4 cop",  # label
        "was be AUX Tense=Past 2 aux",  # head: both words lose
        "was be AUX Tense=Past 4 advmod",  # no function word any more
    ],
)
def test_mlas_asks_for_the_same_function_words(row):
    result = scored(w3=row)
    assert result["MLAS"].correct == (0 if row.split()[4] == "2" else 1)
    assert result["CLAS"].correct == 2


def test_punctuation_can_be_left_out():
    result = scored(w5=". . PUNCT _ 2 punct")
    assert (result["UAS"].correct, result["UAS"].gold) == (4, 5)
    assert (result["UAS-punct"].correct, result["UAS-punct"].gold, result["UAS-punct"].predicted) == (4, 4, 4)
    retagged = scored(w5=". . SYM _ 4 punct")
    assert (retagged["LAS-punct"].gold, retagged["LAS-punct"].predicted) == (4, 4)


def test_headless_words_lower_recall_and_coverage_but_not_precision():
    result = scored(w1="the the DET _ _ _", w2="dog dog NOUN Number=Sing 3 nsubj")
    uas = result["UAS"]
    assert (uas.correct, uas.gold, uas.predicted) == (3, 5, 4)
    assert uas.precision == 75
    assert result.coverage == 80
    unknown = table(*["a a X _ _ _"], *["b b X _ 0 root"])
    against = evaluate(unknown, table("a a X _ 2 dep", "b b X _ 0 root"), bootstrap_samples=0)
    assert (against["UAS"].correct, against["UAS"].gold, against["UAS"].predicted) == (1, 1, 1)
    assert against["Exact-UAS"].correct == 1
    open_gold = table("the the DET _ _ _", "dog dog NOUN _ 0 root")
    full = evaluate(open_gold, table("the the DET _ 2 det", "dog dog NOUN _ 0 root"), bootstrap_samples=0)
    assert (full["LAS"].correct, full["MLAS"].correct, full["MLAS"].gold) == (1, 1, 1)
    bare = evaluate(table("a a X _ _ _"), table("a a X _ 0 root"), bootstrap_samples=0)
    assert (bare["Exact-UAS"].correct, bare["Exact-UAS"].gold) == (0, 0)


def test_exact_matches_count_sentences():
    gold = pp.read_conllu(DATA / "english.conllu")
    predicted = pp.read_conllu(DATA / "english.conllu")
    predicted[0][0].label = "dep"
    predicted[1].heads = [0, *[1] * (len(predicted[1]) - 1)]
    result = evaluate(gold, predicted, bootstrap_samples=0)
    assert result["Exact-UAS"].gold == len(gold)
    assert result["Exact-LAS"].correct == len(gold) - 2
    assert result["Exact-UAS"].correct == len(gold) - 1


@pytest.mark.unmeasured
@given(st.integers(0, 10**6))
def test_scores_are_sums_over_sentences_and_symmetric(seed):
    rng = random.Random(seed)
    gold = pp.read_conllu(DATA / "english.conllu")[:30]
    predicted = gold[:]
    for sentence in predicted:
        for token in sentence:
            if rng.random() < 0.2:
                token.head = rng.choice([0, *(i for i in range(1, len(sentence) + 1) if i != token.id)])
                token.upos = rng.choice(["NOUN", "VERB", "PUNCT"])
                token.label = rng.choice(["nsubj", "case", "root"])
    forward, backward = (evaluate(a, b, bootstrap_samples=0) for a, b in ((gold, predicted), (predicted, gold)))
    for metric in OFFICIAL[:11]:
        assert forward[metric].correct == backward[metric].correct or metric == "CLAS"
        assert forward[metric].precision == backward[metric].recall or metric == "CLAS"
    parts = [evaluate(gold[i : i + 1], predicted[i : i + 1], bootstrap_samples=0) for i in range(30)]
    for metric in OFFICIAL + EXTRA:
        assert forward[metric].correct == sum(part[metric].correct for part in parts)
        assert forward[metric].gold == sum(part[metric].gold for part in parts)
    assert forward.uas == pytest.approx(100 * np.mean(gold.heads == predicted.heads))


def test_intervals_contain_the_score_and_repeat():
    gold, predicted = (pp.read_conllu(DATA / name) for name in ("english.conllu", "english-predicted.conllu"))
    one, two, other = (evaluate(gold, predicted, seed=seed) for seed in (1, 1, 2))
    for metric in OFFICIAL:
        low, high = one[metric].interval
        assert low < one[metric].f1 < high
    assert one["LAS"].interval == two["LAS"].interval != other["LAS"].interval
    assert evaluate(gold, predicted, bootstrap_samples=0)["LAS"].interval is None


def test_a_clear_difference_is_significant_and_none_is_not():
    gold = pp.read_conllu(DATA / "english.conllu")
    worse, better = gold[:], gold[:]
    rng = np.random.default_rng(1)
    worse.heads[rng.random(gold.words) < 0.3] = 0
    better.heads[rng.random(gold.words) < 0.1] = 0
    results = [evaluate(gold, treebank, bootstrap_samples=0) for treebank in (worse, better, worse)]
    found = compare_evaluations(results[0], results[1])["UAS"]
    assert found.difference == pytest.approx(results[1].uas - results[0].uas)
    assert found.interval[0] > 0
    assert max(found.p_bootstrap, found.p_randomization) < 0.01
    same = compare_evaluations(results[0], results[2])["UAS"]
    assert (same.difference, same.p_bootstrap, same.p_randomization) == (0, 1, 1)
    assert found.p_bootstrap > 0
    assert compare_evaluations(results[0], results[1])["LAS"] == compare_evaluations(results[0], results[1])["LAS"]
    with pytest.raises(
        pp.TreebankError, match=r"expected evaluations against the same gold treebank \(243, 5 sentences\)"
    ):
        compare_evaluations(results[0], evaluate(gold[:5], gold[:5], bootstrap_samples=0))
    with pytest.raises(pp.TreebankError, match="expected evaluations against the same gold treebank"):
        compare_evaluations(results[0], evaluate(gold[::-1], gold[::-1], bootstrap_samples=0))
    with pytest.raises(
        pp.TreebankError, match="expected sentences, bootstrap_samples and permutations >= 1; got 243, 0, 10000"
    ):
        compare_evaluations(results[0], results[1], bootstrap_samples=0)


@pytest.mark.unmeasured
def test_chance_gives_no_small_p_values_too_often():
    """Two predictions that differ by chance: p-values below 0.05 about one time in twenty."""
    gold = pp.read_conllu(DATA / "english.conllu")
    rng = np.random.default_rng(3)
    small = 0
    for _ in range(60):
        pair = [gold[:], gold[:]]
        for treebank in pair:
            treebank.heads[rng.random(gold.words) < 0.2] = 0
        results = [evaluate(gold, treebank, bootstrap_samples=0) for treebank in pair]
        small += compare_evaluations(*results, bootstrap_samples=200, permutations=500)["UAS"].p_randomization < 0.05
    assert small <= 9


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["a", "bc"], ["a", "bd"], "<text> has 'c' (sentence 1, line 1), <text> has 'd' (sentence 1, line 1)"),
        (["a", "|", "b"], ["a"], "<text> has 'b' (sentence 2, line 3), <text> has the end (sentence 1, line 1)"),
    ],
)
def test_other_texts_are_refused_with_the_first_difference(gold, predicted, message):
    with pytest.raises(pp.TreebankError) as caught:
        evaluate(analysis(*gold), analysis(*predicted))
    assert message in str(caught.value)


def test_empty_files():
    empty = parse("")
    assert (evaluate(empty, empty).las, evaluate(empty, empty).coverage) == (0, 100)
    with pytest.raises(pp.TreebankError, match="expected the words of the other file, found none"):
        evaluate(empty, analysis("a"))


def test_words_of_spaces_alone_are_refused():
    spaces = parse("1\t\u00a0\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for pair in ((parse(""), spaces), (spaces, spaces)):
        with pytest.raises(pp.TreebankError, match="found one of spaces alone"):
            evaluate(*pair)


def test_spaces_within_words_do_not_matter():
    gold = parse("1\ta b\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    predicted = parse("1\ta\u00a0b\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert evaluate(gold, predicted, bootstrap_samples=0)["Words"].correct == 1
