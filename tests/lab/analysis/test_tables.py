"""Frames and tables: equal to a slow reference, to `evaluate`, and to what is counted by hand."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from analysed import GUESS, SMALL
from panparser.trees.enumeration import random_tree
from reference.analysis import slow_criteria, slow_scores

pytest.importorskip("pandas")

from panparser.lab import analysis


@pytest.fixture
def small():
    return analysis.make_frame(pp.parse_conllu(SMALL), pp.parse_conllu(GUESS))


def random_pair(seed):
    """A treebank of random trees and labels, some heads unknown in either file, and a prediction with cycles."""
    rng = random.Random(seed)

    def text(heads):
        rows = [
            f"{i}\tw{rng.randrange(4)}\t_\t{rng.choice(('A', 'B', 'PUNCT'))}\t_\t{rng.choice(('_', 'Number=Sing'))}\t"
            f"{'_' if head is None else head}\t{rng.choice(('x', 'x:y', 'z'))}\t_\t{rng.choice(('_', 'SpaceAfter=No'))}"
            for i, head in enumerate(heads, start=1)
        ]
        return "\n".join(rows) + "\n\n"

    trees = [random_tree(rng.randint(1, 9), rng, single_root=False) for _ in range(rng.randint(1, 5))]
    gold = "".join(text([None if rng.random() < 0.1 else head for head in tree]) for tree in trees)
    forms = iter([line.split("\t")[1] for line in gold.splitlines() if line])
    guesses = "".join(text([rng.choice((head, head, None, 0)) for head in tree]) for tree in trees)
    guesses = "\n".join(
        "\t".join([line.split("\t")[0], next(forms), *line.split("\t")[2:]]) if line else line
        for line in guesses.split("\n")
    )
    return pp.parse_conllu(gold), pp.parse_conllu(guesses)


# --- Frames ---


def test_words_that_count(small):
    assert len(small) == 6
    assert len(analysis.make_frame(pp.parse_conllu(SMALL), ignore=())) == 7
    data = small.data("form,length")
    assert list(data.columns) == ["sentence", "id", "form", "length", "uas", "las"]
    assert data["form"].tolist() == ["The", "dog", "sees", "cats", "Run", "home"]
    assert data["length"].tolist() == ["1", "1", "root", "1", "root", "1"]
    assert data["uas"].tolist() == [True, False, True, True, True, True]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("cats", "rats"), "expected 'cats' (word 4 of sentence 1, which starts at <text>:1), found 'rats' (word 4"),
        (("1\tRun", "\n1\tRun"), None),
        (("\n1\tRun", "\n1\tDo\t_\tAUX\t_\t_\t0\troot\t_\t_\n\n1\tRun"), "'Run' (word 1 of sentence 2"),
        (("2\thome\thome\tADV\t_\t_\t1\tadvmod:loc\t_\t_\n", ""), "found the end of <text> (after 2 sentences)"),
    ],
)
def test_other_words_are_refused_at_the_first_difference(change, said):
    other = pp.parse_conllu(SMALL.replace(*change))
    if said is None:
        assert len(analysis.make_frame(pp.parse_conllu(SMALL), other)) == 6
        return
    with pytest.raises(pp.TreebankError) as caught:
        analysis.make_frame(pp.parse_conllu(SMALL), other)
    assert said in str(caught.value)


def test_other_sentences_are_refused():
    rows = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n", "2\ta\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    one, two = pp.parse_conllu(rows[0] + rows[1] + "\n"), pp.parse_conllu((rows[0] + "\n") * 2)
    with pytest.raises(
        pp.TreebankError, match=r"expected 'a' \(word 2 of sentence 1.*found 'a' \(word 1 of sentence 2"
    ):
        analysis.make_frame(one, two)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda f: analysis.scores(f, "uposs"), "did you mean upos"),
        (lambda f: analysis.scores(f, "head-uposs"), "did you mean upos"),
        (lambda f: analysis.scores(f, "frequency"), "expected a training treebank"),
        (lambda f: analysis.scores(f, "predicted2.upos"), "expected one of gold, predicted, found predicted2"),
        (lambda f: analysis.scores(f, "upos", ["usa"]), "did you mean uas"),
        (lambda f: analysis.scores(f, "upos:3"), "expected a criterion of numbers"),
        (lambda f: analysis.scores(f, "depth:x"), "expected a number (depth:4)"),
        (lambda f: analysis.scores(f, "depth:0"), "must be an integer between 1 and 10000; got 0"),
        (lambda f: analysis.scores(f, "depth:3000000000"), "must be an integer between 1 and 10000"),
        (lambda f: analysis.scores(f, "depth:" + "9" * 5000), "expected a number (depth:4)"),
        (lambda f: analysis.confusion(f, "upos,label"), "expected one criterion (+ joins several), found 2"),
        (lambda f: analysis.make_frame(f.gold.treebank, f.gold.treebank, names=["p"]), "found p"),
        (lambda f: analysis.scores(f, "depth:4/2"), "expected rising numbers, found 4/2"),
        (lambda f: analysis.scores(f, 3), "got 3"),
        (lambda f: analysis.worst(f, "upos", prediction="ours"), "unknown prediction 'ours'"),
        (analysis.compare, "expected two predictions or more, found 1"),
        (lambda f: analysis.correlation(f, over="words"), "must be sentences or predictions"),
        (lambda f: analysis.scores(analysis.make_frame(f.gold.treebank)), "found the gold alone"),
        (lambda f: analysis.scores(f, analysis.criterion("error").on("gold")), "found the gold alone"),
        (lambda f: analysis.make_frame(f.gold.treebank, names=["a"]), "expected 0 different ones, found a"),
        (lambda f: analysis.make_frame("gold.conllu"), "expected a Treebank"),
        (lambda f: analysis.make_frame(f.gold.treebank, ignore="PUNCT"), "expected a list of tags"),
        (lambda f: analysis.scores(f, analysis.Criterion("x", "", lambda words: np.zeros(3))), "each of 7 words"),
        (lambda f: analysis.confusion(f, "upos", max_classes=0), "max_classes must be >= 1"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(small, work, said):
    with pytest.raises(pp.errors.AnalysisError) as caught:
        work(small)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# --- Criteria ---


@pytest.mark.unmeasured
@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_criteria_equal_the_slow_reference(seed):
    gold, predicted = random_pair(seed)
    frame = analysis.make_frame(gold, predicted, train=predicted, ignore=())
    slow = slow_criteria(predicted)
    for side, treebank in (("gold", gold), ("predicted", predicted)):
        for name, function in slow.items():
            criterion = analysis.criterion(name)
            criterion = (criterion.exact() if criterion.is_numeric else criterion).on(side)
            column = frame.classes(criterion)
            assert [column.names[code] for code in column.codes.tolist()] == [
                function(token) for sentence in treebank for token in sentence
            ], (side, name)


def test_the_reference_has_every_criterion():
    other = {"crossing", "error", "tagging", "confidence"}  # the engine's own, tested elsewhere; of two files
    keyed = {"feats.Number", "misc.SpaceAfter"}
    assert set(slow_criteria(pp.parse_conllu(SMALL))) == set(analysis.CRITERIA) - other | keyed


def test_crossing_arcs_errors_and_tags(gold, frame, small):
    crossing = [word for sentence in gold for word in [len(pp.trees.crossing_arcs(sentence.heads.tolist()))]]
    assert int(analysis.counts(analysis.make_frame(gold, ignore=()), "crossing").loc["crossing", "words"]) == sum(
        crossing
    )
    assert small.data("error,tagging")[["predicted.error", "predicted.tagging"]].to_numpy().tolist() == [
        ["correct", "correct"],
        ["head and label", "correct"],
        ["correct", "correct"],
        ["label", "correct"],
        ["correct", "correct"],
        ["correct", "incorrect"],
    ]


def test_confidence():
    cells = ("Confidence=0.97", "_", "SpaceAfter=No|Confidence=1.00", "Confidence=0.29")
    rows = [f"{i}\tw\t_\tX\t_\t_\t0\tx\t_\t{cell}\n" for i, cell in enumerate(cells, start=1)]
    treebank = pp.parse_conllu("".join(rows) + "\n")
    frame = analysis.make_frame(treebank, treebank)
    assert frame.numbers("confidence").tolist() == [97, -1, 100, 29]
    assert analysis.scores(frame, "confidence")["words"].to_dict() == {"0-49": 1, "95-98": 1, "99+": 1, "none": 1}
    assert len(frame.where("confidence >= 90")) == 2


def classes(numbers, criterion):
    function = analysis.Criterion("x", "", lambda words: np.array(numbers), True, zero=criterion.zero)
    words = analysis.Words(
        pp.parse_conllu("".join(f"{i}\tw\t_\tX\t_\t_\t0\tx\t_\t_\n" for i in range(1, len(numbers) + 1)))
    )
    column = (function.exact() if criterion.bins is None else function.binned(*criterion.bins)).classes(words)
    return [column.names[code] for code in column.codes.tolist()]


def test_numbers_are_capped_and_binned():
    length = analysis.criterion("length")
    assert classes([-1, 0, 1, 3, 4, 9], length.capped(4)) == ["none", "root", "1", "3", "4+", "4+"]
    assert classes([0, 1, 2, 3, 5, 6], length.binned(3, 6)) == ["root", "1-2", "1-2", "3-5", "3-5", "6+"]
    assert classes([0, 1, 2, 3], analysis.criterion("children").binned(2)) == ["0-1", "0-1", "2+", "2+"]
    assert classes([0, 12, 7], analysis.criterion("frequency").exact()) == ["unknown", "12", "7"]
    assert str(analysis.criterion("predicted.length:1/3")) == "predicted.length:1/3"


def test_heads_of_heads_joined_keys_and_functions_of_ones_own(small):
    assert list(analysis.counts(small, "head-head-upos").index) == ["ROOT", "VERB"]
    assert analysis.counts(small, "head-depth:1")["words"].to_dict() == {"1+": 4, "ROOT": 2}
    form, upos = analysis.criterion("form"), analysis.criterion("upos")
    assert str(form + upos + upos) == "form+upos+upos"
    assert list(analysis.counts(small, form + upos).index)[:2] == ["Run-VERB", "The-DET"]
    verbal = analysis.by_token("verbal", lambda token: token.upos in {"VERB", "AUX"})
    assert analysis.counts(small, verbal)["words"].to_dict() == {"False": 4, "True": 2}
    assert analysis.counts(small, [verbal, "direction"]).loc[("True", "root"), "words"] == 2
    capital = analysis.Criterion("capital", "", lambda words: words.text("form", lambda form: str(form.istitle())))
    assert analysis.counts(small, capital)["words"].to_dict() == {"False": 4, "True": 2}


# --- Scores ---


def test_scores_by_hand(small):
    table = analysis.scores(small, "upos")
    assert table.loc["NOUN"].tolist() == [2, 50, 0, 0]
    assert table.loc["VERB"].tolist() == [2, 100, 100, 100]
    assert analysis.scores(small, None, ["uas", "las", "full-las", "upos"]).iloc[0].tolist() == pytest.approx(
        [6, 500 / 6, 400 / 6, 300 / 6, 500 / 6]
    )
    worst = analysis.worst(small, "upos")
    assert worst.index[0] == "NOUN"
    assert worst.loc["NOUN"].tolist() == [2, 2, 0, 100]


@pytest.mark.unmeasured
@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_scores_equal_the_slow_reference(seed):
    gold, predicted = random_pair(seed)
    frame = analysis.make_frame(gold, predicted).where("direction != none")
    for name, function in slow_criteria().items():
        criterion = analysis.criterion(name)
        found = analysis.scores(frame, criterion.exact() if criterion.is_numeric else criterion)
        slow = slow_scores(gold, predicted, function)
        assert set(found.index) == set(slow)
        for index, (words, heads, both) in slow.items():
            assert found.loc[index, ["words", "uas", "las"]].tolist() == pytest.approx(
                [words, 100 * heads / words, 100 * both / words]
            )


def test_the_whole_is_what_evaluate_says(gold, parsed):
    predicted = pp.parse_conllu(parsed[0].to_bytes())
    tags = predicted.column("upos")
    tags[::7] = predicted.id_of("upos", "X")
    predicted.column("lemma")[::5] = 0
    predicted.column("feats")[::3] = predicted.id_of("feats", "Case=Nom|Odd=Yes")
    scores = pp.evaluate(gold, predicted, bootstrap_samples=0)
    names = {
        "uas": "UAS",
        "las": "LAS",
        "full-las": "FullLAS",
        "upos": "UPOS",
        "xpos": "XPOS",
        "feats": "UFeats",
        "lemma": "Lemmas",
    }
    found = analysis.scores(analysis.make_frame(gold, predicted, ignore=()), None, list(names)).iloc[0]
    for ours, theirs in names.items():
        assert found[ours] == pytest.approx(scores[theirs].f1), ours
    without = analysis.scores(analysis.make_frame(gold, predicted)).iloc[0]
    assert without[["uas", "las"]].tolist() == pytest.approx([scores["UAS-punct"].f1, scores["LAS-punct"].f1])


def test_the_parts_of_any_partition_sum_to_the_whole(frame):
    whole = analysis.scores(frame, None).iloc[0]
    partitions = [
        *analysis.CRITERIA,
        "feats.Case",
        "form+upos",
        "upos,head-upos",
        "predicted.label",
        "predicted2.length",
    ]
    for by in partitions:
        table = analysis.scores(frame, by)
        words = table["", "words"]
        assert words.sum() == len(frame), by
        for column in table.columns[1:]:
            assert (table[column] * words).sum() / words.sum() == pytest.approx(whole[column]), (by, column)
        assert analysis.counts(frame, by)["percent_of_words"].sum() == pytest.approx(100)
        assert analysis.worst(frame, by, prediction="beam")["percent_of_errors"].sum() == pytest.approx(100)


def test_more_combinations_than_a_number_can_tell_apart(frame):
    """Columns of up to hundreds of classes each: the classes are those of one by one, counted in Python."""
    names = ["form", "lemma", "head-form", "head-head-form", "head-lemma", "xpos", "feats", "label", "predicted2.label"]
    columns = [frame.classes(name) for name in names]
    assert math.prod(len(column.names) for column in columns) > 2**63
    rows = zip(*([column.names[i] for i in column.codes] for column in columns), strict=True)
    counted = Counter(rows)
    table = analysis.counts(frame, names)
    assert dict(zip(table.index, table["words"], strict=True)) == counted
    joined = analysis.counts(frame, "+".join(names))
    assert sorted(joined["words"]) == sorted(counted.values())


def test_words_without_gold_head_count_for_tags_alone():
    text = "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    found = analysis.scores(analysis.make_frame(pp.parse_conllu(text), pp.parse_conllu(text)), "form", ["uas", "upos"])
    assert np.isnan(found.loc["a", "uas"])
    assert found.loc["b"].tolist() == [1, 100, 100]
    assert found["upos"].tolist() == [100, 100]


def test_precision_and_recall_by_hand(small):
    """obj: predicted once, for dog, wrongly; nsubj once, for cats, with the right head but the wrong label."""
    table = analysis.precision_recall(small, "label", "las")
    assert table.loc["obj"].tolist() == [1, 1, 0, 0, 0]
    assert table.loc["advmod:loc", ["gold", "predicted", "recall"]].tolist() == [1, 0, 100]
    assert np.isnan(table.loc["advmod:loc", "precision"])
    assert table.loc["advmod", ["gold", "predicted", "precision"]].tolist() == [0, 1, 100]
    by_length = analysis.precision_recall(small, "length:all", "uas")
    assert by_length.loc["2"].tolist()[:3] == [0, 1, 0]
    assert by_length.loc["1"].tolist()[:4] == [4, 3, 100, 75]


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_precision_and_recall_of_the_whole_are_those_of_evaluate(seed):
    gold, predicted = random_pair(seed)
    scores = pp.evaluate(gold, predicted, bootstrap_samples=0)
    frame = analysis.make_frame(gold, predicted, ignore=())
    for ours, theirs in (("uas", "UAS"), ("las", "LAS"), ("full-las", "FullLAS")):
        table = analysis.precision_recall(frame, "direction", ours)
        assert table["gold"].sum() == scores[theirs].gold
        assert table["predicted"].sum() == scores[theirs].predicted
        assert (table["recall"].fillna(0) * table["gold"]).sum() / 100 == pytest.approx(scores[theirs].correct)
        assert (table["precision"].fillna(0) * table["predicted"]).sum() / 100 == pytest.approx(scores[theirs].correct)


def test_two_way_tables(small):
    table = analysis.two_way(small, "upos", "head-upos")
    assert table.loc["NOUN", "VERB"] == 50
    assert np.isnan(table.loc["DET", "VERB"])
    assert analysis.two_way(small, "upos", "direction", metric="words").to_numpy().sum() == 6


def test_confusions(small, frame):
    matrix = analysis.confusion(small, "label")
    assert matrix.loc["nsubj", "obj"] == matrix.loc["obj", "nsubj"] == 1
    assert matrix.to_numpy().sum() == 6
    pairs = analysis.confusions(small, "label")
    assert pairs["words"].tolist() == [1, 1, 1]
    assert pairs.loc[("nsubj", "obj"), "percent_of_gold"] == 100
    whole, folded = (analysis.confusion(frame, "label", prediction="beam", max_classes=most) for most in (None, 5))
    assert folded.shape == (6, 6)
    assert folded.to_numpy().sum() == whole.to_numpy().sum() == len(frame)
    assert (folded.iloc[:5, :5].to_numpy() == whole.iloc[:5, :5].to_numpy()).all()
    assert list(analysis.confusion(frame, "direction").index) == ["left", "right", "root"]


def test_confusions_of_very_many_classes():
    lines = [f"1\tw{i}\t{{}}{i}\tX\t_\t_\t0\troot\t_\t_\n\n" for i in range(6000)]
    gold, predicted = (pp.parse_conllu("".join(line.format(side) for line in lines)) for side in ("a", "b"))
    many = analysis.make_frame(gold, predicted)
    assert len(analysis.confusions(many, "lemma")) == 6000
    assert analysis.confusion(many, "lemma", max_classes=3).to_numpy().sum() == 6000
    with pytest.raises(pp.errors.AnalysisError, match="expected up to 25,000,000 cells, found 12,000 x 12,000 classes"):
        analysis.confusion(many, "lemma")
    with pytest.raises(pp.errors.AnalysisError, match="expected up to 25,000,000 cells, found 6,000 x 6,000 classes"):
        analysis.two_way(many, "form", "lemma")


def test_statistics_of_a_file_alone():
    frame = analysis.make_frame(pp.parse_conllu(SMALL))
    table = analysis.counts(frame, "upos,direction")
    assert table.loc[("NOUN", "left")].tolist() == [1, pytest.approx(100 / 6), 50, 1]
    assert analysis.counts(frame, "upos").loc["NOUN", "forms"] == 2
