"""Pipelines: what they keep, what they leave out, files, folds."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from panparser.errors import ConstraintError, ModelError, SpecError, TextError, TreebankError
from panparser.pipeline import pipeline_training
from panparser.pipeline.pipeline_training import missing
from panparser.storage.containers import read_arrays, write_arrays

PARSER = pp.ParserSpec(beam=1, templates=pp.templates("zn11"))
SPEC = pp.PipelineSpec(parser=PARSER, folds=2, tokenizer_epochs=2, tagger_epochs=2, lemmatizer_epochs=2)
TEXT = "The birds sing. They stopped,\nand the road disappeared!"


def train(treebank, spec=SPEC, **options):
    return pp.train_pipeline(spec, treebank, epochs=2, members=1, **options)


def without(treebank, *names):
    """A copy without some columns."""
    found = treebank.copy()
    for name in names:
        found.column(name)[:] = 0
    return found


@pytest.fixture(scope="module")
def data(english):
    return english[0][:80], english[1]


@pytest.fixture(scope="module")
def nlp(data):
    return train(data[0], dev=data[1])


def test_text_becomes_trees(nlp):
    doc = nlp(TEXT)
    assert pp.extract_raw_text(doc).text == TEXT
    assert [sentence.forms[-1] for sentence in doc] == [".", "!"]
    assert (doc.heads >= 0).all()
    for name in ("upos", "xpos", "feats", "lemma", "deprel"):
        assert doc.column(name).any(), name
    assert doc.draw() == "\n\n".join(sentence.draw() for sentence in doc)


def test_pieces_give_what_the_whole_gives(nlp):
    text = "The birds sing.\n\nThey stopped.\n\n"
    pieces = list(nlp.stream(["The birds sing.\n\n", "They stopped.\n\n"]))
    assert b"".join(piece.to_bytes() for piece in pieces) == nlp(text).to_bytes()


def test_threads_change_nothing(nlp, data):
    assert nlp(TEXT, threads=2).to_bytes() == nlp(TEXT).to_bytes()
    one, two = data[1].copy(), data[1].copy()
    nlp.annotate(one)
    nlp.annotate(two, threads=2)
    assert one.to_bytes() == two.to_bytes()


def test_the_same_seed_gives_the_same_bytes(data, tmp_path):
    for name, threads in (("a", 1), ("b", 2)):
        train(data[0], dev=data[1], threads=threads).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    train(data[0], dev=data[1], seed=2).save(tmp_path / "c")
    assert (tmp_path / "c").read_bytes() != (tmp_path / "a").read_bytes()


def test_files(nlp, tmp_path):
    nlp.save(tmp_path / "nlp")
    loaded = pp.load(tmp_path / "nlp")
    assert isinstance(loaded, pp.Pipeline)
    assert loaded(TEXT).to_bytes() == nlp(TEXT).to_bytes()
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "nlp").read_bytes()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda arrays, manifest: manifest.update(format=99), "newer panparser"),
        (lambda arrays, manifest: manifest.pop("taggers"), "not a valid pipeline"),
        (lambda arrays, manifest: manifest.update(taggers=3), "not a valid pipeline"),
        (lambda arrays, manifest: manifest.update(training=None), "not a valid pipeline"),
        (lambda arrays, manifest: manifest["parser"].pop("spec"), "not a valid parser"),
        (lambda arrays, manifest: manifest["tokenizer"].pop("model"), "not a valid tokenizer"),
        (lambda arrays, manifest: arrays.pop("lemmatizer.known"), "not a valid lemmatizer"),
        (
            lambda arrays, manifest: manifest.update(tokenizer=None, taggers=[], lemmatizer=None, parser=None),
            "one part",
        ),
    ],
)
def test_damaged_files_are_refused(nlp, tmp_path, change, said):
    nlp.save(tmp_path / "nlp")
    arrays, manifest = read_arrays(tmp_path / "nlp", "model")
    change(arrays, manifest)
    write_arrays(tmp_path / "bad", arrays, manifest)
    with pytest.raises(ModelError, match=said) as caught:
        pp.load(tmp_path / "bad")
    assert str(caught.value).startswith(str(tmp_path / "bad"))


def test_a_cascade_or_a_vote_in_place_of_the_parser(nlp, data, tmp_path):
    region = pp.ArcRegion(upos="DET")
    stages = [pp.CascadeStage(name="easy", regions=[region]), pp.CascadeStage(name="rest", spec=PARSER)]
    cascade = pp.train_cascade(stages, data[0], stage_constraints="none", epochs=1)
    for parser in (cascade, pp.make_voting_parser([nlp.parser, nlp.parser])):
        other = pp.Pipeline(tokenizer=nlp.tokenizer, taggers=nlp.taggers, parser=parser)
        other.save(tmp_path / "other")
        loaded = pp.load(tmp_path / "other")
        assert type(loaded.parser) is type(parser)
        assert loaded(TEXT).to_bytes() == other(TEXT).to_bytes()
        assert (loaded(TEXT).heads >= 0).all()


def test_what_is_kept_stays_and_the_rest_is_predicted(nlp, data):
    gold = data[1]
    found = without(gold, "lemma")
    found.heads[:] = -1
    nlp.annotate(found, keep={"tokens", "tags", "lemmas"})
    for name in ("upos", "xpos", "feats"):
        assert (found.column(name) == gold.column(name)).all()
    assert found.column("lemma").all()
    assert (found.heads >= 0).all()

    partly = gold.copy()
    partly.column("upos")[::2] = 0
    partly.column("xpos")[::2] = 0
    nlp.annotate(partly, keep=["tags", "heads"])
    assert (partly.column("upos")[1::2] == gold.column("upos")[1::2]).all()
    assert (partly.column("feats")[1::2] == gold.column("feats")[1::2]).all()
    assert partly.column("upos").all()
    assert (partly.heads == gold.heads).all()

    whole = gold.copy()
    nlp.annotate(whole)
    assert (whole.column("upos") != gold.column("upos")).any()
    with pytest.raises(ConstraintError, match="expected some of tokens, tags"):
        nlp.annotate(whole, keep=["colours"])


def test_trees_come_with_confidence(nlp, data):
    found = data[1].copy()
    assert nlp.annotate(found, confidence=True).dropped == ()
    alone = data[1].copy()
    nlp.annotate(alone)
    nlp.parser.annotate(alone, confidence=True)
    assert found.to_bytes() == alone.to_bytes()
    assert found.to_bytes().count(b"LabelConfidence=") == found.words
    with pytest.raises(SpecError, match="confidence requires a pipeline with a single parser"):
        pp.Pipeline(taggers=nlp.taggers).annotate(found, confidence=True)
    with pytest.raises(SpecError, match="requires confidence=True"):
        nlp.annotate(found, ensemble=[nlp.parser])


def test_a_parser_learns_from_tags_of_taggers_that_did_not_see_them(data, monkeypatch):
    seen = {}

    def spy(spec, treebank, **options):
        seen["treebank"] = treebank
        return pp.train(spec, treebank, **options)

    monkeypatch.setattr(pipeline_training, "train", spy)
    nlp = train(data[0], spec=pp.PipelineSpec(parser=PARSER, folds=2, tagger_epochs=6))
    learned, own = seen["treebank"], data[0].copy()
    nlp.annotate(own)
    gold, wrong = data[0].column("upos"), {}
    for name, treebank in (("folds", learned), ("itself", own)):
        ids = np.array([data[0].id_of("upos", text) for text in treebank.vocabulary("upos")])
        wrong[name] = int((ids[treebank.column("upos")] != gold).sum())
    assert wrong["folds"] > 2 * wrong["itself"]
    assert (learned.heads == data[0].heads).all()

    train(data[0], spec=pp.PipelineSpec(parser=PARSER, folds=0, tagger_epochs=1))
    assert seen["treebank"].to_bytes() == data[0].to_bytes()


@pytest.mark.parametrize(
    ("columns", "left_out", "parts"),
    [
        (("xpos",), {"xpos"}, ["tokenizer", "tagger upos+feats", "lemmatizer", "parser"]),
        (("xpos", "feats", "lemma"), {"xpos", "feats", "lemmatizer"}, ["tokenizer", "tagger upos", "parser"]),
        (("upos", "xpos", "feats"), {"upos", "xpos", "feats", "tagger"}, ["tokenizer", "lemmatizer", "parser"]),
    ],
)
def test_what_a_treebank_does_not_have_is_left_out(data, columns, left_out, parts):
    nlp = train(without(data[0], *columns))
    assert set(nlp.training["left_out"]) == left_out
    assert list(nlp.parts) == parts
    assert (nlp(TEXT).heads >= 0).all()


def test_without_spacing_there_is_no_tokenizer(data):
    bare = pp.parse_conllu(
        "".join(
            "".join(f"{t.id}\t{t.form}\t{t.lemma}\t{t.upos}\t_\t_\t{t.head}\t{t.label}\t_\t_\n" for t in sentence)
            + "\n"
            for sentence in data[0][:30]
        )
    )
    assert set(missing(bare)) == {"tokenizer", "xpos", "feats"}
    nlp = train(bare)
    assert nlp.tokenizer is None
    assert nlp("The birds sing .\nThey stop .", input_format="tokens")[1].forms == ["They", "stop", "."]
    assert nlp("The\nbirds\n\nsing", input_format="vertical")[0].forms == ["The", "birds"]
    with pytest.raises(TextError, match="no tokenizer"):
        nlp("The birds sing.")


def test_taggers_one_by_one(data):
    spec = pp.PipelineSpec(parts=("tagger",), joint_tagger=False, tagger_epochs=1)
    nlp = pp.train_pipeline(spec, data[0])
    assert list(nlp.parts) == ["tagger upos", "tagger xpos", "tagger feats"]
    found = without(data[1], "upos")
    heads = found.heads.copy()
    nlp.annotate(found)
    assert found.column("upos").all()
    assert (found.heads == heads).all()


def test_empty_treebanks_and_texts(nlp):
    assert len(nlp("")) == len(nlp(" \n ")) == 0
    nlp.annotate(pp.parse_conllu(""))


def test_refusals(nlp, data):
    with pytest.raises(TextError, match="expected a text, a list of tokens or a list of such lists; got bytes"):
        nlp(b"text")
    with pytest.raises(TreebankError, match="expected a Treebank"):
        nlp.annotate("text")
    with pytest.raises(SpecError, match="at least one part"):
        pp.Pipeline()
    with pytest.raises(SpecError, match="different columns"):
        pp.Pipeline(taggers=[*nlp.taggers, *nlp.taggers])
    wrong = [{"parts": ("cook",)}, {"folds": 1}, {"parser": 3}, {"tagger_epochs": 0}, {"tagger_beam": 0}]
    for each in *wrong, {"tagger_beam": "x"}, {"tagger_prune": -1}, {"joint_tagger": "no"}:
        with pytest.raises(SpecError):
            pp.PipelineSpec(**each)
    for options in {"threads": 0}, {"epochs": 0}, {"epochs": "x"}, {"seed": -1}:
        with pytest.raises(SpecError):
            pp.train_pipeline(SPEC, data[0], on_part_start=pytest.fail, **options)
    with pytest.raises(SpecError, match="train_pipeline: epochs requires a parser"):
        pp.train_pipeline(pp.PipelineSpec(parts=("tagger",)), data[0], epochs=3)
    with pytest.raises(TextError, match="pieces must be an iterable of texts"):
        list(nlp.tokens("Hi you."))
    with pytest.raises(SpecError, match="PipelineSpec"):
        pp.train_pipeline(PARSER, data[0])
    with pytest.raises(TreebankError, match="found none"):
        train(pp.parse_conllu(""))
    with pytest.raises(TreebankError, match="nothing to learn"):
        pp.train_pipeline(pp.PipelineSpec(parts=("lemmatizer",)), without(data[0], "lemma"))


def test_interrupted_training_gives_no_pipeline(data):
    """Ctrl-C in any one part, when it has a first model."""
    parts = []

    class Stop(pp.Listener):
        def after_epoch(self, report):
            if parts[-1] == self.part and report.epoch == 1:
                raise KeyboardInterrupt

    for part in ("tokenizer", "tagger upos+xpos+feats", "lemmatizer", "parser"):
        stop = Stop()
        stop.part = part
        with pytest.raises(KeyboardInterrupt):
            train(data[0], listeners=[stop], on_part_start=parts.append)
        assert parts[-1] == part


def test_only_what_is_predicted_has_scores(data):
    spec = pp.PipelineSpec(parts=("tagger",), tagger_epochs=1)
    bare = without(data[0], "lemma", "xpos")
    training = pp.train_pipeline(spec, bare, dev=data[1]).training
    assert list(training["dev"]["gold tokens"]) == ["UPOS", "UFeats"]
    assert list(training["left_out"]) == ["xpos"]


def test_many_texts_are_parsed_in_order(nlp):
    texts = ["The birds sing.", "They stopped. The road disappeared.", "", ["The", "birds", "sing", "."]] * 3
    expected = [nlp(text).to_conllu() for text in texts]
    for threads in (1, 3):
        assert [found.to_conllu() for found in nlp.pipe(texts, threads=threads)] == expected
    taken = []
    first = next(iter(nlp.pipe((taken.append(text) or text for text in texts), threads=2)))
    assert (first.to_conllu(), len(taken) < len(texts)) == (expected[0], True)
    with pytest.raises(TextError, match="expected texts; got one text"):
        nlp.pipe("text")


def test_lists_of_tokens_are_sentences(nlp):
    assert [s.forms for s in nlp(["The", "birds", "sing"])] == [["The", "birds", "sing"]]
    found = nlp([["The", "birds"], ["They", "New York"]])
    assert [(s.forms, s.text) for s in found] == [
        (["The", "birds"], "The birds"),
        (["They", "New York"], "They New York"),
    ]
    assert (found.heads >= 0).all()
    assert len(nlp([])) == 0
    for wrong in ([["a", ""]], [["a\tb"]], [[]], ["a", 3], [3]):
        with pytest.raises(TreebankError, match="token"):
            nlp(wrong)


def test_the_parser_learns_from_sources_as_well(data):
    own, other = data[0][:10], data[0][40:60]
    spec = pp.PipelineSpec(parser=PARSER, parts=("tagger", "parser"), columns=("upos",), folds=0, tagger_epochs=2)
    found = train(own, spec, sources=[other], treebank_weights=[0.5, 3])
    expected = pp.train(
        PARSER, [other, without(own, "lemma", "xpos", "feats")], treebank_weights=[0.5, 3], epochs=2, members=1
    )
    assert found.parser.parse(data[1]).to_bytes() == expected.parse(data[1]).to_bytes()
    assert found.taggers[0].training["sentences"] == 10
    with pytest.raises(SpecError, match="treebank_weights requires sources"):
        train(own, spec, treebank_weights=[1])
    with pytest.raises(TreebankError, match="train_pipeline: sources"):
        train(own, spec, sources=["x"])
    with pytest.raises(SpecError, match="require a parser among the parts"):
        pp.train_pipeline(pp.PipelineSpec(parts=("tagger",)), own, sources=[other])
