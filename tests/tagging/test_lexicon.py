"""Lexicons: reading, lookup, endings; taggers that learn with one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from learners import ENGLISH
from panparser.treebank.universal import UPOS

SAMPLE, TEST = ENGLISH[:10], ENGLISH[200:]
WORDS = pp.tagging.Lexicon.from_treebank(ENGLISH[10:200])


def of_rows(*rows: str) -> pp.Treebank:
    lines = [f"{n}\t{row.split()[0]}\t_\t{row.split()[1]}\t_\t_\t_\t_\t_\t_" for n, row in enumerate(rows, start=1)]
    return pp.parse_conllu("\n".join(lines) + "\n\n")


def test_a_list_is_read(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("﻿# words\n\nrun\tVERB,NOUN\r\nrun\tNOUN\t12 times\n#\tSYM\nold town\tPROPN\n", encoding="utf-8")
    words = pp.tagging.Lexicon.read(path)
    assert words.tags == {"#": ("SYM",), "old town": ("PROPN",), "run": ("NOUN", "VERB")}
    assert words.get("Run") == ("NOUN", "VERB")
    assert words.get("ran") == ()


@pytest.mark.parametrize("line", ["run", "run\t", "run\tverb", "run\tVERB,", "\tVERB", "run VERB"])
def test_errors_name_the_line(tmp_path, line):
    path = tmp_path / "words.tsv"
    path.write_text(f"dog\tNOUN\n{line}\n", encoding="utf-8")
    with pytest.raises(pp.SpecError, match=r"words\.tsv:2: expected a word, a tab and its universal tags"):
        pp.tagging.Lexicon.read(path)


def test_files_without_words_are_refused(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(pp.SpecError, match="found no words"):
        pp.tagging.Lexicon.read(path)
    with pytest.raises(pp.SpecError, match="cannot be read"):
        pp.tagging.Lexicon.read(tmp_path / "none.tsv")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(pp.SpecError, match="UTF-8"):
        pp.tagging.Lexicon.read(path)


@pytest.mark.parametrize("tags", [{"a": "noun"}, {"": "NOUN"}, {"a": ()}, ["a"]])
def test_only_universal_tags_are_taken(tags):
    with pytest.raises(pp.SpecError, match="Lexicon: tags"):
        pp.tagging.Lexicon(tags)


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp", "Cf")), min_size=1)


@settings(max_examples=30)
@given(st.dictionaries(words, st.sets(st.sampled_from(sorted(UPOS)), min_size=1), min_size=1, max_size=5))
def test_files_and_values_hold_it(tmp_path_factory, tags):
    lexicon = pp.tagging.Lexicon(tags)
    path = Path(tmp_path_factory.mktemp("lexicon")) / "words.tsv"
    lexicon.write(path)
    assert pp.tagging.Lexicon.read(path) == lexicon
    assert pp.tagging.Lexicon.from_values(lexicon.to_values()) == lexicon
    assert lexicon | lexicon == lexicon


def test_treebanks_are_lists_too(tmp_path):
    treebank = of_rows("run NOUN", *["run VERB"] * 10, "dog NOUN", "x _")
    assert pp.tagging.Lexicon.from_treebank(treebank).tags == {"dog": ("NOUN",), "run": ("VERB",)}
    assert pp.tagging.Lexicon.from_treebank(treebank, min_share=0).tags["run"] == ("NOUN", "VERB")
    assert set(pp.tagging.Lexicon.from_treebank(treebank, min_count=2).tags) == {"run"}
    pp.write_conllu(tmp_path / "a.conllu", treebank)
    assert pp.tagging.Lexicon.read(tmp_path / "a.conllu") == pp.tagging.Lexicon.from_treebank(treebank)


def test_endings_are_those_of_other_words():
    lexicon = pp.tagging.Lexicon({"walked": "VERB", "talked": "VERB", "balked": "VERB", "bed": "NOUN", "red": "ADJ"})
    assert lexicon.predict_from_ending("Stalked") == ("VERB", True)
    assert lexicon.predict_from_ending("walked") == ("VERB", True)  # by the other two
    assert lexicon.predict_from_ending("shed") == ("VERB", False)  # three of five
    assert lexicon.predict_from_ending("bed") == ("VERB", False)  # three of four
    assert lexicon.predict_from_ending("cat") is None
    assert (
        pp.tagging.Lexicon({"bed": "NOUN", "red": "ADJ"}).predict_from_ending("bed") is None
    )  # one other word is not enough


def test_taggers_learn_with_it():
    spec = pp.TaggerSpec(columns="upos")
    plain = pp.train_tagger(spec, SAMPLE, members=1)
    tagger = pp.train_tagger(spec, SAMPLE, members=1, lexicon=WORDS)
    assert tagger.accuracy(TEST)["upos"] > plain.accuracy(TEST)["upos"] + 5
    assert plain.lexicon is None
    assert tagger.spec.window.columns == ("lexicon", "ending")


def test_words_get_only_their_tags(tmp_path):
    treebank = of_rows("the DET", "dog NOUN", "runs VERB")
    lexicon = pp.tagging.Lexicon({"blorp": "INTJ", "dog": "PROPN", "the": ("ADV", "PART")})
    tagger = pp.train_tagger(pp.TaggerSpec(), treebank, lexicon=lexicon, members=1)
    assert tagger.lexicon.tags == {"blorp": ("INTJ",), "dog": ("NOUN", "PROPN"), "the": ("ADV", "DET", "PART")}
    found = {word.form: word.upos for word in tagger.tag(of_rows("the _", "blorp _", "Blorp _", "dog _"))[0]}
    assert found["blorp"] == found["Blorp"] == "INTJ"  # of which there is no sentence
    assert found["dog"] in ("NOUN", "PROPN")
    assert found["the"] in ("ADV", "DET", "PART")
    tagger.save(tmp_path / "a.panparser")
    again = pp.load(tmp_path / "a.panparser")
    assert again.lexicon == tagger.lexicon
    assert again.tag(TEST).to_bytes() == tagger.tag(TEST).to_bytes()


def test_tags_of_several_columns():
    tagger = pp.train_tagger(
        pp.TaggerSpec(columns=("upos", "feats")),
        SAMPLE,
        lexicon=pp.tagging.Lexicon({"blorp": "INTJ"}) | WORDS,
        members=1,
    )
    assert ("INTJ", "_") in tagger.tags
    word = tagger.tag(of_rows("blorp _"))[0][0]
    assert (word.upos, word.feats) == ("INTJ", {}) or word.upos == "INTJ"


def test_threads_change_nothing():
    first, second = (
        pp.train_tagger(pp.TaggerSpec(), SAMPLE, lexicon=WORDS, members=2, threads=threads) for threads in (1, 2)
    )
    assert first.tag(TEST).to_bytes() == second.tag(TEST, threads=2).to_bytes()
    assert first.to_values() == second.to_values()


def test_what_does_not_fit_is_refused():
    with pytest.raises(pp.SpecError, match="requires the column upos"):
        pp.train_tagger(pp.TaggerSpec(columns="feats"), SAMPLE, lexicon=WORDS)
    with pytest.raises(pp.SpecError, match="must be a Lexicon"):
        pp.train_tagger(pp.TaggerSpec(), SAMPLE, lexicon={"a": "DET"})
    mine = pp.TaggerSpec(templates=pp.Templates.parse("W0.form\nW0.lexicon"))
    with pytest.raises(pp.SpecError, match="require a lexicon"):
        pp.train_tagger(mine, SAMPLE)
    assert pp.train_tagger(mine, SAMPLE, lexicon=WORDS, members=1).spec == mine
    with pytest.raises(pp.SpecError, match="a network or a lexicon"):
        pp.train_tagger(pp.BILSTM.as_tagger("upos"), SAMPLE, lexicon=WORDS)


def test_damaged_files_are_refused():
    tagger = pp.train_tagger(pp.TaggerSpec(), SAMPLE, lexicon=WORDS, members=1)
    arrays, values = tagger.to_arrays(), tagger.to_values()
    for damaged in (
        {key: value for key, value in values.items() if key != "lexicon"},
        values | {"lexicon": [[["INTJ"], ["x"]]], "tags": [tag for tag in values["tags"] if tag != ["INTJ"]]},
    ):
        with pytest.raises(ValueError, match="its"):
            pp.Tagger.from_parts(arrays, damaged, None)


def test_pipelines_learn_with_it():
    spec = pp.PipelineSpec(parts=("tagger",), columns=("upos",))
    pipeline = pp.train_pipeline(spec, SAMPLE, lexicon=WORDS)
    assert pipeline.columns == ("upos",)
    assert pipeline.taggers[0].lexicon is not None
    with pytest.raises(pp.SpecError, match="train_pipeline: lexicon"):
        pp.train_pipeline(pp.PipelineSpec(parts=("parser",)), SAMPLE, lexicon=WORDS)
    with pytest.raises(pp.SpecError, match="PipelineSpec: columns"):
        pp.PipelineSpec(columns=("lemma",))
