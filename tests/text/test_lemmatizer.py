"""Lemmatizer: edit scripts chosen from form, tags and neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from panparser.text.lemma_dictionary import LemmaDictionary
from places import ENGLISH


@pytest.fixture(scope="module")
def lemmatizer():
    return pp.train_lemmatizer(pp.read_conllu(ENGLISH)[:200], epochs=3)


def sentence(*words):
    """A sentence of forms with UPOS, or UPOS, XPOS and FEATS."""
    cells = [(form, "_", *tags, *"_" * (9 - 2 - len(tags))) for form, *tags in words]
    rows = ["\t".join((str(i), *row)) for i, row in enumerate(cells, start=1)]
    return pp.parse_conllu("\n".join(rows) + "\n\n")


def lemmas(lemmatizer, *words):
    treebank = sentence(*words)
    lemmatizer.annotate(treebank)
    return treebank[0].values("lemma")


def test_it_finds_lemmas_of_unseen_sentences(lemmatizer):
    gold = pp.read_conllu(ENGLISH)[200:]
    assert lemmatizer.accuracy(gold) > 90
    found = gold[:]
    found.column("lemma")[:] = 0
    lemmatizer.annotate(found)
    scores = pp.evaluate(gold, found, bootstrap_samples=0)
    assert scores["Lemmas"].f1 == pytest.approx(lemmatizer.accuracy(gold))
    assert found[0].forms == gold[0].forms


def test_unseen_words_follow_words_that_end_alike(lemmatizer):
    plural, past = ("NOUN", "NNS", "Number=Plur"), ("VERB", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin")
    assert lemmas(lemmatizer, ("Gardeners", *plural), ("walked", *past)) == ["gardener", "walk"]


def test_words_that_were_seen_keep_their_scripts(lemmatizer):
    dictionary = lemmatizer.dictionary
    for key, choice in list(dictionary.known.items())[:50]:
        assert dictionary.possible(key) == choice
    assert lemmas(lemmatizer, ("was", "AUX")) == ["be"]


def test_only_scripts_that_apply_are_possible(lemmatizer):
    for form in ("x", "É", "漢", "\u0301", "1", "a" * 1000, "İ"):
        assert lemmatizer.dictionary.possible((form, "NOUN"))
        assert lemmas(lemmatizer, (form, "NOUN"))[0]


def test_the_dictionary_of_a_treebank():
    rows = ["1\tdogs\tdog\tNOUN", "2\tcats\tcat\tNOUN", "3\thens\then\tNOUN", "4\tsaw\tsaw\tNOUN", "5\tsaw\tsee\tVERB"]
    treebank = pp.parse_conllu("\n".join(row + "\t_" * 6 for row in rows) + "\n\n")
    dictionary = LemmaDictionary.learn(treebank)
    plural = dictionary.scripts.numbers["l0,1,0:"]
    assert dictionary.possible(("dogs", "NOUN")) == (plural,)
    assert dictionary.possible(("cows", "NOUN")) == (plural,)
    assert dictionary.scripts[dictionary.possible(("saw", "VERB"))[0]] == "l0,2,0:ee"
    assert dictionary.gold_rows(treebank).min() >= 0
    other = pp.parse_conllu("1\twent\tgo\tVERB" + "\t_" * 6 + "\n\n")
    assert dictionary.gold_rows(other).tolist() == [-2]


def test_threads_and_files_change_nothing(lemmatizer, tmp_path):
    treebank = pp.read_conllu(ENGLISH)[200:]
    expected = lemmatizer.predict(treebank)
    assert (lemmatizer.predict(treebank, threads=2) == expected).all()
    lemmatizer.save(tmp_path / "a")
    loaded = pp.Lemmatizer.load(tmp_path / "a")
    assert loaded.dictionary == lemmatizer.dictionary
    assert (loaded.predict(treebank) == expected).all()
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_broken_values_are_refused(lemmatizer):
    arrays, values = lemmatizer.to_arrays(), lemmatizer.to_values()
    broken = [
        (arrays, values | {"scripts": values["scripts"][:-1]}),
        (arrays, values | {"scripts": ["x", *values["scripts"][1:]]}),
        (arrays, values | {"ends": [["s", 10_000]]}),
        (arrays, values | {"training": None}),
        (arrays | {"known": np.frombuffer(b"NOUN", dtype=np.uint8)}, values),
        ({}, values),
    ]
    for bad_arrays, bad_values in broken:
        with pytest.raises(pp.ModelError, match="not a valid lemmatizer"):
            pp.Lemmatizer.from_file(bad_arrays, bad_values)


def test_training_needs_lemmas():
    for treebank in pp.parse_conllu(""), sentence(("a", "X")):
        with pytest.raises(pp.TreebankError, match="expected words with lemmas for training, found none"):
            pp.train_lemmatizer(treebank)
    with pytest.raises(pp.TreebankError, match="train_lemmatizer: treebank must be a Treebank"):
        pp.train_lemmatizer("english.conllu")
    assert len(pp.train_lemmatizer(pp.read_conllu(ENGLISH)[:30], epochs=1).predict(pp.parse_conllu(""))) == 0


def test_a_development_set_selects_the_epoch(tmp_path):
    treebank = pp.read_conllu(ENGLISH)
    chosen = pp.train_lemmatizer(treebank[:100], dev=treebank[100:150], epochs=3)
    assert chosen.training["data"]["dev"]
    assert chosen.accuracy(treebank[100:150]) > 80


def test_an_unknown_lemma_teaches_nothing():
    rows = ["1\tdogs\tdog\tNOUN", "2\tcats\tcat\tNOUN", "3\thens\then\tNOUN", "4\twalks\t_\tVERB", "5\t_\t_\tSYM"]
    treebank = pp.parse_conllu("\n".join(row + "\t_" * 6 for row in rows) + "\n\n")
    dictionary = LemmaDictionary.learn(treebank)
    right = dictionary.gold_rows(treebank).tolist()
    assert right[3] == -1
    assert -1 not in right[:3] + right[4:]  # the word `_` has the lemma `_`
    assert ("walks", "VERB") not in dictionary.known
    found = pp.train_lemmatizer(treebank, epochs=2)
    assert lemmas(found, ("walks", "VERB"), ("talks", "VERB")) == ["walk", "talk"]
