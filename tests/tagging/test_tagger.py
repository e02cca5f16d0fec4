"""Taggers: what they learn, write, save; the dictionary; what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH, Recorder
from panparser.tagging.tag_dictionary import TagDictionary

TRAIN, DEV = ENGLISH[:200], ENGLISH[200:]


@pytest.fixture(scope="module")
def tagger() -> pp.Tagger:
    spec = pp.TaggerSpec(columns=("upos", "feats"), dictionary=pp.tagging.TagDictionaryThresholds(5, 0.1))
    return pp.train_tagger(spec, TRAIN, dev=DEV, epochs=3, members=2)


def test_a_tagger_learns(tagger):
    found = tagger.accuracy(DEV)
    assert set(found) == {"upos", "feats", "all"}
    assert found["upos"] > 85
    assert found["all"] <= min(found["upos"], found["feats"])
    assert tagger.training["best_epoch"] in (1, 2, 3)
    assert found["all"] == pytest.approx(max(report["accuracy"] for report in tagger.training["history"]), abs=1)


@pytest.mark.parametrize("column", ["upos", "xpos", "feats"])
@pytest.mark.parametrize("beam", [1, 3])
def test_columns_are_tagged_one_by_one(column, beam):
    tagger = pp.train_tagger(pp.TaggerSpec(columns=column, beam=beam), TRAIN, epochs=2, members=1)
    before = {name: DEV.column(name).copy() for name in ("upos", "xpos", "feats")}
    tagged = tagger.tag(DEV)
    for name, ids in before.items():
        assert (DEV.column(name) == ids).all()
        same = [sentence.values(name) for sentence in tagged] == [sentence.values(name) for sentence in DEV]
        assert same == (name != column)
    assert tagger.accuracy(tagged) == {column: 100, "all": 100}


def test_tags_are_written_into_the_columns(tagger):
    tagged = tagger.tag(DEV, threads=2)
    assert tagged.to_bytes() == tagger.tag(DEV).to_bytes()
    right = sum(
        a.upos == b.upos for ours, gold in zip(tagged, DEV, strict=True) for a, b in zip(ours, gold, strict=True)
    )
    assert 100 * right / DEV.words == pytest.approx(tagger.accuracy(DEV)["upos"])
    scores = pp.evaluate(gold=DEV, predicted=tagged)
    assert scores["UPOS"].f1 == pytest.approx(tagger.accuracy(DEV)["upos"], abs=1e-9)


def test_files_hold_the_tagger(tagger, tmp_path):
    tagger.save(tmp_path / "a.panparser")
    again = pp.load(tmp_path / "a.panparser")
    assert isinstance(again, pp.Tagger)
    assert again.spec == tagger.spec
    assert again.tag(DEV).to_bytes() == tagger.tag(DEV).to_bytes()
    again.save(tmp_path / "b.panparser")
    assert (tmp_path / "a.panparser").read_bytes() == (tmp_path / "b.panparser").read_bytes()
    with pytest.raises(pp.ModelError, match="tagger"):
        pp.Parser.load(tmp_path / "a.panparser")


def test_a_parser_is_no_tagger(tmp_path):
    pp.train(pp.ParserSpec(beam=1), TRAIN[:20], epochs=1).save(tmp_path / "parser.panparser")
    with pytest.raises(pp.ModelError, match="parser"):
        pp.Tagger.load(tmp_path / "parser.panparser")


BROKEN = {
    "tags": lambda values: values["tags"].pop(),
    "width": lambda values: values["tags"].__setitem__(0, ["X"]),
    "dictionary": lambda values: values["dictionary"].append([10**6, ["word"]]),
    "training": lambda values: values.update(training=None),
    "spec": lambda values: values["spec"].update(columns=["head"]),
    "missing": lambda values: values.pop("model"),
}


@pytest.mark.parametrize("breaks", BROKEN.values(), ids=BROKEN)
def test_broken_files_are_refused(tagger, breaks):
    values = tagger.to_values() | {"dictionary": tagger.dictionary.to_values(), "spec": tagger.spec.to_values()}
    breaks(values)
    with pytest.raises(pp.ModelError, match="not a valid tagger"):
        pp.Tagger.from_file(tagger.to_arrays(), values)


def test_the_dictionary_has_frequent_words_of_one_tag():
    rows = ["the/DET", *["run/NOUN"] * 2, *["run/VERB"] * 2, *["dog/NOUN"] * 4, *["cat/NOUN"] * 9, "cat/VERB"]
    lines = [f"1\t{row.split('/')[0]}\t_\t{row.split('/')[1]}" + "\t_" * 6 + "\n\n" for row in rows]
    treebank = pp.parse_conllu("".join(lines))
    right = np.array(treebank.column("upos")) - 1
    noun = treebank.vocabulary("upos").index("NOUN") - 1

    def words(least, rare):
        return pp.tagging.TagDictionary.from_treebank(
            treebank, right, pp.tagging.TagDictionaryThresholds(least, rare)
        ).class_of

    assert words(4, 0.0) == {"dog": noun}
    assert words(4, 0.1) == {"dog": noun, "cat": noun}
    assert set(words(1, 0.0)) == {"the", "dog"}
    assert words(11, 0.4) == {}
    dictionary = pp.tagging.TagDictionary(words(4, 0.1))
    assert pp.tagging.TagDictionary.from_values(dictionary.to_values()).class_of == dictionary.class_of
    allowed = dictionary.allowed(treebank)
    sets = [list(allowed.sets[s]) if s >= 0 else None for s in allowed.sets_of_items.tolist()]
    assert sets[:5] == [None] * 5
    assert sets[5] == [noun]


def test_words_of_the_dictionary_get_their_tag(tagger):
    found = tagger.predict(DEV)
    strings = DEV.vocabulary("form")
    forced = [
        (int(found[i]), tagger.dictionary.class_of[strings[form]])
        for i, form in enumerate(DEV.column("form").tolist())
        if strings[form] in tagger.dictionary.class_of
    ]
    assert len(forced) > 50
    assert all(a == b for a, b in forced)


def test_unknown_tags_are_not_learned_and_new_ones_count_as_wrong():
    text = TRAIN.to_bytes().decode().replace("\tNOUN\t", "\t_\t")
    tagger = pp.train_tagger(pp.TaggerSpec(), pp.parse_conllu(text), dev=DEV, epochs=1, members=1)
    assert ("NOUN",) not in tagger.tags
    assert ("_",) not in tagger.tags
    nouns = sum(token.upos == "NOUN" for sentence in DEV for token in sentence)
    assert tagger.accuracy(DEV)["upos"] <= 100 * (1 - nouns / DEV.words)


def test_empty_sentences_and_treebanks_are_tagged(tagger):
    empty = pp.parse_conllu("")
    tagger.annotate(empty)
    assert len(empty) == 0
    assert tagger.accuracy(empty)["all"] == 0


def test_listeners_hear_of_tags():
    recorder = Recorder()
    pp.train_tagger(pp.TaggerSpec(), TRAIN[:30], epochs=1, members=1, listeners=[recorder])
    assert len(recorder.order) == 30
    assert recorder.updates
    assert all(set(update.positive) <= set(ENGLISH.vocabulary("upos")) for update in recorder.updates)


BAD = {
    "no column": lambda: pp.TaggerSpec(columns=()),
    "another column": lambda: pp.TaggerSpec(columns=("deprel",)),
    "twice": lambda: pp.TaggerSpec(columns=("upos", "upos")),
    "reads what it tags": lambda: pp.TaggerSpec(templates=pp.Templates.parse("W-1.upos")),
    "beam": lambda: pp.TaggerSpec(beam=0),
    "dictionary": lambda: pp.TaggerSpec(dictionary=5),
    "rule": lambda: pp.tagging.TagDictionaryThresholds(0),
    "rare": lambda: pp.tagging.TagDictionaryThresholds(1, 0.5),
    "spec": lambda: pp.train_tagger(pp.ParserSpec(), TRAIN),
    "treebank": lambda: pp.train_tagger(pp.TaggerSpec(), "file"),
    "nothing to learn": lambda: pp.train_tagger(pp.TaggerSpec(), pp.parse_conllu("1\ta" + "\t_" * 8 + "\n\n")),
    "not a treebank": lambda: pp.train_tagger(pp.TaggerSpec(), TRAIN[:5], epochs=1).tag("text"),
    "option": lambda: pp.train_tagger(pp.TaggerSpec(), TRAIN[:5], beams=3),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_what_cannot_be_is_refused(bad):
    with pytest.raises((pp.SpecError, pp.TreebankError)) as error:
        bad()
    assert "\n" not in str(error.value)


def test_the_command_line_tells_taggers_from_parsers(tagger, tmp_path):
    path = tmp_path / "tags.panparser"
    tagger.save(path)

    def run(*arguments):
        command = [Path(sys.executable).parent / "panparser", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, input="")

    shown = run("info", path)
    assert shown.returncode == 0, shown.stderr
    assert "upos+feats" in shown.stdout
    assert "accuracy" in shown.stdout
    refused = run("parse", "-m", path, "--k-best", "2")
    assert refused.returncode == 2
    assert "the model has no parser" in refused.stderr


def test_a_dictionary_has_frequent_words_of_nearly_one_tag():
    """What is kept is the most frequent class, and only if hardly any occurrence has another."""
    lines = [f"sure/N/0/root\nmixed/{'V' if i < 6 else 'N'}/0/root" for i in range(20)]
    words = [cell for pair in lines for cell in pair.split("\n")]
    treebank = pp.parse_conllu(
        "".join(
            f"1\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n\n"
            for form, tag, head, label in (word.split("/") for word in words)
        )
    )
    tags = ["N", "V"]
    right = np.array([tags.index(sentence.values("upos")[0]) for sentence in treebank], dtype=np.int32)
    strict = TagDictionary.from_treebank(
        treebank, right, pp.tagging.TagDictionaryThresholds(min_count=5, max_other_share=0.02)
    )
    assert strict.class_of == {"sure": 0}
    lax = TagDictionary.from_treebank(
        treebank, right, pp.tagging.TagDictionaryThresholds(min_count=5, max_other_share=0.4)
    )
    assert lax.class_of == {"sure": 0, "mixed": 0}
    assert not TagDictionary.from_treebank(
        treebank, right, pp.tagging.TagDictionaryThresholds(min_count=21, max_other_share=0.4)
    ).class_of
