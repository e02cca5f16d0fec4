"""Confidence: signals as they are defined, probabilities that are right as often as they say, and what files hold."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from learners import SMALL, examples, learn, reference, short_sentences, treebank_of
from panparser.errors import ModelError, SpecError, TreebankError
from panparser.parsing.confidence import SIGNALS, Logistic, fit, read_confidence, write_confidence
from panparser.parsing.model_protocol import Search
from places import ENGLISH, ROOT
from reference.confidence import NO_RIVAL, signals
from variants import identify

SYSTEMS = [
    pp.system("arc-eager", single_root=True),
    pp.system("arc-hybrid", root="first"),
    pp.system("arc-standard"),
    pp.system("attardi"),
    pp.system("swap-standard"),
    pp.system("non-monotonic-arc-eager"),
    pp.system("arc-eager-partial"),
]
TINY = treebank_of(
    "the/D/2/d dog/N/3/s runs/V/0/r",
    "she/P/2/s eats/V/0/r red/A/4/a figs/N/2/o",
    "a/D/2/d man/N/4/s who/P/2/o ran/V/0/r off/R/4/a",
    "go/V/0/r",
    "old/A/3/a red/A/3/a figs/N/4/s fall/V/0/r off/R/4/a trees/N/5/o",
)


@pytest.fixture(scope="module")
def treebanks():
    whole = pp.read_conllu(ENGLISH)
    return whole[:120], whole[120:190], whole[190:]


@pytest.fixture(scope="module")
def calibrated(treebanks):
    train, dev, _ = treebanks
    return pp.train(pp.ParserSpec(beam=4), train, dev=dev, epochs=3)


# --- Signals ---


def as_bytes(weights, scale):
    """Weights as a model has them: averaged, scaled, rounded."""
    averages = {
        (feature, name): total / weights.time for feature, row in weights.totals.items() for name, total in row.items()
    }
    weights.weights.clear()
    for (feature, name), average in averages.items():
        weights.change([feature], name, math.floor(average * scale + 0.5))


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
def test_signals_are_as_defined(system, beam):
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=2, nonprojective="as-is")
    learned = learn(spec, TINY, epochs=2, strategy=pp.learning.EARLY_UPDATE)
    slow, layer = reference(learned), learned.parser.layers[0]
    as_bytes(slow.actions, layer.action_scale)
    as_bytes(slow.labels, layer.label_scale)
    evidence = learned.parser.gather_evidence(TINY, beam=beam)
    heads, labels = learned.parser.predict(TINY, beam=beam)
    assert evidence.heads.tolist() == heads.tolist()
    assert evidence.labels.tolist() == labels.tolist()
    expected = [word for example in examples(spec, TINY) for word in signals(slow, example, beam)]
    for name in SIGNALS:
        assert evidence.values[name].tolist() == [word[name] for word in expected], name
    if beam > 1:
        assert any(word["rival"] < NO_RIVAL for word in expected)


def test_without_labels_there_is_no_confidence_of_them(treebanks):
    train, dev, test = treebanks
    parser = pp.train(pp.ParserSpec(beam=2, labeled=False), train[:40], dev=dev, epochs=1)
    found = parser.confidence(test)
    assert found.label_confidence is None
    parsed = parser.parse(test, confidence=True)
    assert "LabelConfidence" not in parsed.to_bytes().decode()
    assert not np.isnan(read_confidence(parsed)).any()


def test_words_without_a_head_have_no_confidence(treebanks):
    train, dev, test = treebanks
    known = train[:40]
    known.heads[::3] = -1
    parser = pp.train(pp.ParserSpec(system=pp.system("arc-eager-partial"), beam=2), known, dev=dev, epochs=2)
    found = parser.confidence(test)
    assert (found.heads < 0).any()
    assert (np.isnan(found.head_confidence) == (found.heads < 0)).all()
    assert (np.isnan(read_confidence(parser.parse(test, confidence=True))) == (found.heads < 0)).all()


# --- Calibration ---


@given(st.integers(0, 2**32 - 1), st.floats(-2, 2), st.floats(-3, 3))
def test_known_probabilities_are_recovered(seed, intercept, weight):
    random = np.random.default_rng(seed)
    columns = random.normal(size=(20_000, 2))
    truth = 1 / (1 + np.exp(-(intercept + weight * columns[:, 0])))
    model = fit(columns, random.random(len(columns)) < truth)
    assert np.abs(model(columns) - truth).mean() < 0.02


def test_a_line_that_bends_is_followed():
    random = np.random.default_rng(1)
    column = random.normal(size=(50_000, 1)) * 2
    truth = 1 / (1 + np.exp(-np.where(column[:, 0] > 0, 2 * column[:, 0], 0.2 * column[:, 0])))
    model = fit(column, random.random(len(column)) < truth)
    straight = replace(model, bend=Logistic((0.0,)).bend)
    bent, unbent = (np.abs(line(column) - truth).mean() for line in (model, straight))
    assert bent < 0.6 * unbent


@pytest.mark.parametrize("right", [True, False])
def test_what_was_always_right_is_not_certain(right):
    columns = np.random.default_rng(1).normal(size=(50, 3))
    found = fit(columns, np.full(50, right))(columns)
    assert ((found > 0) & (found < 1)).all()
    assert (found.mean() > 0.9) == right


def test_probabilities_rise_with_the_sum():
    model = Logistic((0.5, 2.0), (0.1, 0.5, 0.7, -1.0))
    values = model(np.linspace(-500, 500, 1001)[:, None])
    assert (np.diff(values) >= 0).all()
    assert ((values >= 0) & (values <= 1)).all()
    with pytest.raises(SpecError, match="a line that rises"):
        Logistic((0.5, 2.0), (0.1, 0.5, 0.7, -1.3))


def test_confidence_tells_right_from_wrong(calibrated, treebanks):
    test = treebanks[2]
    found = calibrated.confidence(test)
    right = found.heads == test.heads
    assert found.label_confidence is not None
    assert ((found.head_confidence >= 0) & (found.head_confidence <= 1)).all()
    assert (found.label_confidence <= found.head_confidence).all()
    lowest = np.argsort(found.head_confidence)[: len(right) // 5]
    assert (~right[lowest]).mean() > 1.5 * (~right).mean()
    assert abs(found.head_confidence.mean() - right.mean()) < 0.1


def test_trees_are_those_of_parsing(calibrated, treebanks):
    test = treebanks[2]
    found = calibrated.confidence(test)
    heads, labels = calibrated.predict(test)
    assert found.heads.tolist() == heads.tolist()
    assert found.labels.tolist() == labels.tolist()


def test_threads_do_not_matter(calibrated, treebanks):
    alone = calibrated.confidence(treebanks[2])
    for threads in (2, 5):
        together = calibrated.confidence(treebanks[2], threads=threads)
        for name in ("heads", "labels", "head_confidence", "label_confidence"):
            assert getattr(alone, name).tobytes() == getattr(together, name).tobytes()


def test_the_same_training_gives_the_same_calibration(calibrated, treebanks):
    train, dev, _ = treebanks
    again = pp.train(pp.ParserSpec(beam=4), train, dev=dev, epochs=3)
    assert again.calibration == calibrated.calibration
    assert pp.calibrate(again, dev).calibration == calibrated.calibration


def test_an_ensemble_is_evidence(calibrated, treebanks, tmp_path):
    train, dev, test = treebanks
    others = [pp.train(pp.ParserSpec(beam=1), train[:60], epochs=1, seed=seed) for seed in (2, 3)]
    calibrated.save(tmp_path / "alone")
    parser = pp.load(tmp_path / "alone")
    parser = pp.calibrate(parser, dev, ensemble=others)
    assert parser.calibration.ensemble == 2
    heads = parser.predict(test)[0]
    evidence = parser.gather_evidence(test, ensemble=others)
    same = sum((other.predict(test)[0] == heads).astype(int) for other in others)
    assert evidence.values["agree"].tolist() == (same / 2).tolist()
    found = parser.confidence(test, ensemble=others)
    assert found.head_confidence[same == 2].mean() > found.head_confidence[same == 0].mean()
    with pytest.raises(SpecError, match="calibrated with 2 other parsers; got 0"):
        parser.confidence(test)
    with pytest.raises(SpecError, match="ensemble must be parsers"):
        parser.confidence(test, ensemble=[1, 2])
    with pytest.raises(pp.SpecError, match="requires confidence=True"):
        parser.parse(test, ensemble=others)
    with pytest.raises(pp.TreebankError, match="expected a Treebank to parse; got 'x'"):
        parser.confidence("x", ensemble=others)


def test_lifted_arcs_that_are_put_back_keep_their_confidence():
    crossing = treebank_of(*["a/A/3/x b/B/4/y c/C/0/r d/D/3/x"] * 5)
    spec = pp.ParserSpec(templates=SMALL, beam=4, nonprojective="pseudo")
    parser = pp.train(spec, crossing, dev=crossing, epochs=10)
    found = parser.confidence(crossing)
    assert found.heads.tolist() == crossing.heads.tolist()
    assert (
        parser.model.find(crossing, Search(beam=4, margin=parser.pruning_margin)).heads.tolist() != found.heads.tolist()
    )
    assert not np.isnan(found.head_confidence).any()


# --- What cannot be ---


def test_a_parser_without_calibration_says_how_to_get_one(treebanks):
    parser = pp.train(pp.ParserSpec(beam=2), treebanks[0][:20], epochs=1)
    assert parser.calibration is None
    with pytest.raises(SpecError, match="train with a development set"):
        parser.confidence(treebanks[2])


def test_another_beam_needs_another_calibration(calibrated, treebanks):
    with pytest.raises(SpecError, match="calibrated for a beam of 4; got 1"):
        calibrated.confidence(treebanks[2], beam=1)


def test_a_treebank_that_tells_nothing_cannot_calibrate(calibrated):
    with pytest.raises(TreebankError, match="known heads"):
        pp.calibrate(calibrated, treebank_of("a/A/_ b/B/_"))
    with pytest.raises(TreebankError, match="must be a Treebank"):
        pp.calibrate(calibrated, "dev.conllu")


@pytest.mark.parametrize("sources", [[], ["arc", "luck"], ["agree"]])
def test_unknown_evidence_is_refused(calibrated, treebanks, sources):
    with pytest.raises(SpecError, match="calibrate: sources must be some of arc, least"):
        pp.calibrate(calibrated, treebanks[1], sources=sources)


# --- Files ---


def test_a_model_file_holds_the_calibration(calibrated, treebanks, tmp_path):
    calibrated.save(tmp_path / "model")
    loaded = pp.load(tmp_path / "model")
    assert loaded.calibration == calibrated.calibration
    found, expected = (parser.confidence(treebanks[2]) for parser in (loaded, calibrated))
    assert found.head_confidence.tobytes() == expected.head_confidence.tobytes()


@pytest.mark.parametrize(
    "change",
    [
        {"heads": [[1.0], [0, 1, 0, 0]]},
        {"heads": None},
        {"scales": {}},
        {"sources": ["nonsense"]},
        {"beam": -1},
        {"beam": 2.5},
        {"other": 1},
    ],
)
def test_a_broken_calibration_is_refused(calibrated, tmp_path, monkeypatch, change):
    manifest = calibrated.manifest()
    manifest["calibration"] |= change
    monkeypatch.setattr(pp.Parser, "manifest", lambda _: manifest)
    calibrated.save(tmp_path / "model")
    with pytest.raises(ModelError, match="not a valid parser"):
        pp.load(tmp_path / "model")


def test_misc_keeps_its_items_in_order():
    rows = [
        "_",
        "SpaceAfter=No",
        "Confidence=0.1|Note=x|LabelConfidence=1",
        "A=b|Confidence=nonsense",
        "LabelConfidence=0.5",
    ]
    text = "".join(f"{i}\tw\t_\t_\t_\t_\t0\t_\t_\t{misc}\n" for i, misc in enumerate(rows, start=1)) + "\n"
    treebank = pp.parse_conllu(text)
    heads = np.zeros(5, dtype=np.int32)
    head_confidence, label_confidence = (
        np.array([0.5, 0.999, 0.004, 0.335, np.nan]),
        np.array([0.25, 1.0, 0.0, 0.33, np.nan]),
    )
    write_confidence(treebank, pp.ConfidentParses(heads, heads, head_confidence, label_confidence))
    cells = [treebank.vocabulary("misc")[cell] for cell in treebank.column("misc")]
    assert cells == [
        "Confidence=0.50|LabelConfidence=0.25",
        "SpaceAfter=No|Confidence=0.99|LabelConfidence=0.99",
        "Confidence=0.01|Note=x|LabelConfidence=0.01",
        "A=b|Confidence=0.34|LabelConfidence=0.33",
        "_",
    ]
    assert read_confidence(treebank).tolist()[:4] == [0.5, 0.99, 0.01, 0.34]


def test_conllx_has_no_misc(calibrated):
    treebank = pp.parse_conllu("1\tgo\tgo\tVERB\tV\t_\t0\troot\t_\t_\n\n", format="conllx")
    with pytest.raises(TreebankError, match="CoNLL-X has none"):
        calibrated.parse(treebank, confidence=True)


def test_what_is_no_probability_is_refused():
    treebank = pp.parse_conllu("1\tw\t_\t_\t_\t_\t0\t_\t_\tConfidence=high\n\n")
    with pytest.raises(TreebankError, match=r"Confidence must be in \[0, 1\]; got 'high'"):
        read_confidence(treebank)


# --- The command line ---


@pytest.fixture
def files(calibrated, treebanks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calibrated.save("en.panparser")
    for name, treebank in zip(("train", "dev", "test"), treebanks, strict=True):
        pp.write_conllu(f"{name}.conllu", treebank)


@pytest.mark.usefixtures("files")
def test_parse_writes_confidence(run, calibrated, treebanks):
    assert run("parse", "-m", "en.panparser", "test.conllu", "--confidence", "-o", "out.conllu", "--threads", 2)[0] == 0
    parsed = pp.read_conllu("out.conllu")
    found = calibrated.confidence(treebanks[2])
    assert np.abs(read_confidence(parsed) - found.head_confidence).max() <= 0.01
    assert np.abs(read_confidence(parsed, "LabelConfidence") - found.label_confidence).max() <= 0.01
    assert parsed.heads.tolist() == found.heads.tolist()
    assert "confidence     calibrated on" in run("info", "en.panparser")[1]


@pytest.mark.usefixtures("files")
def test_a_model_is_calibrated_later(run):
    assert run("train", "-t", "train.conllu", "--epochs", 1, "--beam", 2, "-o", "bare.panparser")[0] == 0
    code, _, said = run("parse", "-m", "bare.panparser", "test.conllu", "--confidence")
    assert (code, said.count("\n")) == (2, 1)
    assert "panparser calibrate" in said
    arguments = (
        "calibrate",
        "-m",
        "bare.panparser",
        "dev.conllu",
        "--ensemble",
        "en.panparser",
        "-o",
        "both.panparser",
    )
    assert run(*arguments)[0] == 0
    with_other = ("parse", "-m", "both.panparser", "test.conllu", "--confidence", "--ensemble", "en.panparser")
    assert "Confidence=0." in run(*with_other)[1]
    assert run(*with_other[:-2])[0] == 2


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--confidence", "--k-best", 2), "--confidence cannot be used with --k-best"),
        (("--confidence", "--keep", "heads"), "--confidence cannot be used with --keep"),
        (("--confidence", "--beam", 2), "calibrated for a beam of 4; got 2"),
        (("--confidence", "--ensemble", "en.panparser"), "calibrated with 0 other parsers; got 1"),
        (("--ensemble", "en.panparser"), "--ensemble requires --confidence"),
    ],
)
def test_errors_are_one_line(run, arguments, said):
    code, out, errors = run("parse", "-m", "en.panparser", "test.conllu", *arguments)
    assert (code, out) == (2, "")
    assert errors.startswith("panparser: ")
    assert errors.count("\n") == 1
    assert said in errors


def test_short_and_empty_treebanks(calibrated):
    assert len(calibrated.confidence(pp.parse_conllu("")).heads) == 0
    found = calibrated.confidence(short_sentences(3, 2))
    assert not np.isnan(found.head_confidence).any()


def test_figures_in_the_guide_are_those_of_the_committed_benchmark():
    root = ROOT
    results = (root / "benchmarks" / "results" / "confidence.txt").read_text(encoding="utf-8")
    blocks = {block.split(":")[0]: block for block in re.split(r"\n(?=\w+: dev )", results)}
    rows = re.findall(
        r"^\| (\w+) \| (\d+) \| (.+) \|$", (root / "docs" / "guides" / "confidence.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(rows) >= 3
    for name, words, figures in rows:
        assert f"{name}: dev {words} words" in blocks[name]
        found = re.search(r"^the default: and facts +(.+)$", blocks[name], re.MULTILINE)
        auc, ten, _, ece, _, auc_labels, ten_labels, _, ece_labels, _ = found[1].split()
        assert figures.split(" | ") == [auc, ten, ece, auc_labels, ten_labels, ece_labels]


def test_new_trees_have_nothing_of_the_last_ones(parser, english):
    treebank = english[1].copy()
    treebank.annotate("Confidence", lambda token: "0.50")  # set, not read
    treebank[0].comments = [*treebank[0].comments, "# tree = 1/2"]
    parser.annotate(treebank)
    assert "Confidence" not in treebank.to_conllu()
    assert "# tree" not in treebank.to_conllu()
    assert treebank.contains_text("# sent_id")
    assert not treebank.contains_text("# nowhere")
