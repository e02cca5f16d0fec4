"""train_transfer: parsers for languages with little data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import panparser as pp
from languages import language
from panparser.errors import ConlluWarning, SpecError, TreebankError
from panparser.inspection.model_weights import weights_of
from panparser.transfer.candidates import COMBINED, METHODS, PLANS, AttachmentCounts, MethodRunner, SourceTreebank
from panparser.transfer.source_files import BLANKED, annotated_templates, blanked
from panparser.transfer.transfer_report import GAIN_SENTENCES

TARGET = {"adjective_first": False, "verb_last": True}
NEAR = language("near", 60, adjective_first=True, verb_last=True)
FAR = language("far", 60, adjective_first=True, verb_last=False)
SAMPLE = language("own", 12, **TARGET)
TEST = language("own", 60, **TARGET, seed=2)
ORDER = pp.transfer.Typology.from_values({"adjective": "after", "object": "before"})
MADE = pp.transfer.train_transfer([FAR, NEAR], SAMPLE, typology=ORDER, language="xx")


def score(parser, gold=TEST):
    return AttachmentCounts.from_treebanks(gold, parser.parse(gold))


def test_the_nearest_source_comes_first():
    assert [source.path for source in MADE.report.sources] == [NEAR.path, FAR.path]
    first, second = (source.divergence for source in MADE.report.sources)
    assert first == pp.transfer.measure_similarity(SAMPLE, NEAR) < second == pp.transfer.measure_similarity(SAMPLE, FAR)


def test_what_scores_best_is_kept():
    assert {method for method, _ in MADE.report.scores} == set(METHODS)
    heads = [tally.heads for _, tally in MADE.report.scores]
    assert heads == sorted(heads, reverse=True)
    best, tally = MADE.report.scores[0]
    own = dict(MADE.report.scores)[MADE.report.method]
    assert MADE.report.method in (best, "combined-joint")
    assert (MADE.report.method == best) or not tally.is_significantly_better(own)
    assert score(MADE.parser).uas > 90


def test_a_difference_must_be_more_than_chance():
    def tally(heads, words=600, tagged=None):
        return AttachmentCounts(words, heads, 0, tagged)

    assert tally(410).is_significantly_better(tally(400))  # one standard error is 9.5 words
    assert not tally(409).is_significantly_better(tally(400))
    assert not tally(400).is_significantly_better(tally(410))
    assert tally(0, tagged=tally(410)).is_significantly_better(tally(500, tagged=tally(400)))


def test_the_sample_alone_is_kept_where_it_is_clearly_better():
    other = language("other", 60, adjective_first=True, verb_last=False)
    wrong = other.copy()
    for sentence in wrong:  # words hang on the one before them, and the first is the root
        sentence.heads = list(range(len(sentence)))
    made = pp.transfer.train_transfer([wrong], language("own", 40, **TARGET), method=None)
    assert made.report.method == made.report.scores[0][0]
    assert dict(made.report.scores)["all"].uas < 50


@pytest.mark.parametrize("method", METHODS)
def test_a_method_can_be_asked_for(method):
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, typology=ORDER, method=method)
    assert made.report.method == method
    assert [name for name, _ in made.report.scores] == [method]
    templates = made.parser.spec.templates
    assert (
        templates.delexicalized() == templates
        if method in ("combined", "pool", "all", "vote")
        else templates.delexicalized() != templates
    )


def test_scores_are_those_of_parsers_that_did_not_see_the_sentence():
    candidates = MethodRunner(
        sources=[SourceTreebank("n", NEAR, 1.0)], max_sources=1, sample=SAMPLE, dev=None, seed=1, threads=1
    )
    expected = pp.lab.jackknife(candidates.learn("sample", SAMPLE).spec, SAMPLE, 3)
    ((found, parser), (other, complete)) = candidates.compare(["sample", "all"], 3)
    assert found == AttachmentCounts.from_treebanks(SAMPLE, expected)
    assert parser is None
    assert other == AttachmentCounts.from_treebanks(SAMPLE, complete.parse(SAMPLE))


def test_ctrl_c_leaves_no_parser():
    class Stop(pp.Listener):
        def after_epoch(self, report):
            raise KeyboardInterrupt

    candidates = MethodRunner(
        sources=[SourceTreebank("n", NEAR, 1.0)], max_sources=1, sample=SAMPLE, dev=None, seed=1, threads=1
    )
    for method in METHODS:
        with pytest.raises(KeyboardInterrupt):
            candidates.make(method, SAMPLE, Stop())


def test_the_typology_helps_where_nothing_else_is_known():
    with_order = pp.transfer.train_transfer([FAR], typology=ORDER).parser
    without = pp.transfer.train_transfer([FAR]).parser
    assert score(with_order).heads > score(without).heads
    report = pp.transfer.train_transfer([FAR], typology=ORDER).report
    rules = {rule.name: rule.moved for rule in report.rules}
    assert rules["adjective"] > 0
    assert rules["object"] > 0


def test_without_a_sample_only_tags_are_read():
    made = pp.transfer.train_transfer([NEAR, FAR], tagged_text=SAMPLE, typology=ORDER)
    assert made.report.method == "combined"
    assert made.report.scores == ()
    assert made.report.sources[0].divergence is not None
    assert {atom.name for atom in made.parser.spec.templates.atoms}.isdisjoint({"form", "lemma", "xpos", "feats"})
    assert [source.divergence for source in pp.transfer.train_transfer([NEAR, FAR]).report.sources] == [None, None]


def test_words_of_sources_are_not_learned():
    parser = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, typology=ORDER, method="joint").parser
    own, others = SAMPLE.vocabulary("form"), [*NEAR.vocabulary("form"), *FAR.vocabulary("form")]
    assert any(weights_of(parser, f"S0.form={form}").any() for form in own)
    assert not any(weights_of(parser, f"S0.form={form}").any() for form in others if form != "_")


def test_trees_of_sources_and_sample_are_combined():
    candidates = MethodRunner(
        sources=[SourceTreebank("near", NEAR, 1.0), SourceTreebank("far", FAR, 4.0)],
        max_sources=1,
        sample=SAMPLE,
        dev=None,
        seed=1,
        threads=1,
    )
    alone, both = candidates.make("combined", SAMPLE), candidates.make("combined-joint", SAMPLE)
    assert alone.names == ("all", "pool", "all, with a beam", "near", "far")
    assert alone.weights == pytest.approx((0.4 / 3, 0.4 / 3, 0.4 / 3, 0.8, 0.2))
    assert both.names == ("joint", "sample", "pool and sample, with a beam", "near", "far")
    assert both.weights == pytest.approx((1, 1, 1, 0.8, 0.2))
    assert both.parsers[0] is candidates.learn("joint", SAMPLE)  # it is trained once
    assert alone.parsers[3] is both.parsers[3]
    with pytest.raises(SpecError, match="combined is several parsers"):
        candidates.learn("combined", SAMPLE)


def test_a_sample_is_known_by_itself_not_by_its_place():
    candidates = MethodRunner(
        sources=[SourceTreebank("n", NEAR, 1.0)], max_sources=1, sample=SAMPLE, dev=None, seed=1, threads=1
    )
    made = {size: candidates.learn("sample", SAMPLE[:size]) for size in (4, 5, 6, 7)}  # no other name keeps the parts
    for size, parser in made.items():
        assert parser.training.sentences == size


def test_self_training_is_of_one_parser():
    for method in (*COMBINED, "region-wise"):
        with pytest.raises(SpecError, match=f"cannot be combined with method='{method}'"):
            pp.transfer.train_transfer([NEAR], SAMPLE, tagged_text=TEST, self_training=1, method=method)
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, tagged_text=TEST, typology=ORDER, self_training=1)
    assert made.report.method not in COMBINED


def test_labels_have_no_subtypes():
    assert "advmod:x" in SAMPLE.vocabulary("deprel")
    for method in METHODS:
        parser = pp.transfer.train_transfer([NEAR], SAMPLE, method=method).parser
        assert "advmod" in parser.label_names
        assert not any(":" in label for label in parser.label_names)


def test_same_seed_same_bytes(tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path, threads, seed in zip(paths, (1, 2, 1), (1, 1, 2), strict=True):
        pp.transfer.train_transfer(
            [NEAR, FAR], SAMPLE, typology=ORDER, threads=threads, seed=seed, max_source_sentences=30
        ).parser.save(path)
    first, second, third = (path.read_bytes() for path in paths)
    assert first == second != third


def test_the_parser_remembers_what_was_done(tmp_path):
    MADE.parser.save(tmp_path / "xx.panparser")
    record = pp.load(tmp_path / "xx.panparser").training.transfer
    assert record == json.loads(json.dumps(MADE.report.record()))
    assert record["language"] == "xx"
    assert [source["license"] for source in record["sources"]] == ["unknown", "unknown"]
    assert "path" not in record["sources"][0]
    assert MADE.report.to_values()["sources"][0]["path"] == NEAR.path


def test_the_report_in_words():
    text = str(MADE.report)
    assert f"KL {MADE.report.sources[0].divergence:.2f}" in text
    assert "adjective: after" in text
    best, tally = MADE.report.scores[0]
    assert f"{tally.uas:.1f} ({tally.heads:,})" in text
    assert f"in 5 folds, {tally.words:,} words" in text
    assert f"{GAIN_SENTENCES} more sentences" in text
    assert "Licenses" in text or best == "sample"


def test_the_gain_is_what_the_logarithm_of_sentences_gains():
    gain = MADE.report.projected_gain
    assert (gain.fewer, gain.more) == (6, 10)
    slope = (gain.more_uas - gain.fewer_uas) / np.log(10 / 6)
    assert gain.points == pytest.approx(max(0, slope * np.log((12 + GAIN_SENTENCES) / 12)))
    assert pp.transfer.train_transfer([NEAR], SAMPLE[:5], method="joint").report.projected_gain is None


def test_a_single_sentence_cannot_be_compared_by():
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE[:1], typology=ORDER)
    assert (made.report.method, made.report.scores) == ("combined-joint", ())


def test_a_development_set_is_compared_by():
    dev = language("own", 10, **TARGET, seed=3)
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, dev=dev, typology=ORDER)
    assert made.report.scored_on == "the development set (10 sentences)"
    assert all(tally.words == AttachmentCounts.from_treebanks(dev, dev).words for _, tally in made.report.scores)
    assert score(made.parser, dev) == made.report.scores[0][1]
    assert pp.transfer.train_transfer([NEAR], SAMPLE, dev=dev, method="joint").parser.calibration is not None


def test_sources_are_cut_and_only_the_nearest_pooled():
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, max_sources=1, max_source_sentences=20, method="pool")
    assert [(source.used, source.is_near) for source in made.report.sources] == [(20, True)]
    assert made.parser.training.sentences == 20
    everything = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, max_sources=1, max_source_sentences=20, method="all")
    near, far = everything.report.sources
    weights = [each["weight"] for each in everything.parser.training.treebank_weights]
    assert weights == pytest.approx([1, (near.divergence / far.divergence) ** 2])


def test_the_sample_counts_as_much_as_a_source():
    parser = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, max_source_sentences=30, method="joint").parser
    weights = [each["weight"] for each in parser.training.treebank_weights]
    assert (weights[0], weights[2]) == (1, 30 / len(SAMPLE))
    assert weights[1] < 1


def test_punctuation_does_not_count():
    gold = pp.parse_conllu("1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n")
    found = gold.copy()
    found.heads[:] = [2, 0]
    assert AttachmentCounts.from_treebanks(gold, gold) == AttachmentCounts(1, 1, 1)
    assert AttachmentCounts.from_treebanks(gold, found) == AttachmentCounts(1, 0, 0)


def test_blanking_leaves_tags_and_trees():
    found = blanked(NEAR)
    for name in BLANKED:
        assert {found.vocabulary(name)[number] for number in found.column(name)} == {"_"}
    assert (found.heads == NEAR.heads).all()
    for name in ("upos", "deprel"):
        assert [found.vocabulary(name)[n] for n in found.column(name)] == [
            NEAR.vocabulary(name)[n] for n in NEAR.column(name)
        ]
    assert "_" not in {NEAR.vocabulary("form")[number] for number in NEAR.column("form")}


def test_templates_of_columns_that_are_left_out():
    found = annotated_templates(pp.templates("lean"), SAMPLE)
    names = {atom.name for atom in found.atoms}
    assert "lemma" in names
    assert names.isdisjoint({"xpos", "feats"})
    tagged = SAMPLE.copy()
    tagged.column("xpos")[0] = tagged.id_of("xpos", "N")
    assert "xpos" in {atom.name for atom in annotated_templates(pp.templates("lean"), tagged).atoms}


BARE = pp.parse_conllu(SAMPLE.to_bytes().decode())
BARE.heads[:] = -1
UNTAGGED = pp.parse_conllu(NEAR.to_bytes().decode())
UNTAGGED.column("upos")[:] = UNTAGGED.id_of("upos", "_")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([],), {}, SpecError, "train_transfer: sources must be a list of treebanks"),
        ((NEAR,), {}, SpecError, "train_transfer: sources must be a list of treebanks"),
        (([UNTAGGED], SAMPLE), {}, TreebankError, "expected words with tags"),
        (([BARE], SAMPLE), {}, TreebankError, "expected a treebank with heads"),
        (([NEAR], pp.parse_conllu("")), {}, TreebankError, "expected sentences, found none"),
        (([NEAR], BARE), {}, TreebankError, "expected sentences with trees"),
        (([NEAR], "x"), {}, TreebankError, "train_transfer: sample must be a Treebank"),
        (([NEAR], SAMPLE), {"method": "best"}, SpecError, "train_transfer: method must be one of"),
        (([NEAR],), {"method": "joint"}, SpecError, "method='joint' requires a sample"),
        (([NEAR], SAMPLE), {"max_sources": 0}, SpecError, "train_transfer: max_sources"),
    ],
)
def test_what_cannot_be_transferred(arguments, options, error, message):
    with pytest.raises(error, match=message):
        pp.transfer.train_transfer(*arguments, **options)


# --- Plans, and self-training ---

RAW = language("own", 30, **TARGET, seed=5)
RAW.heads[:] = -1


def candidates_of(sample=SAMPLE, **options):
    sources = [SourceTreebank("near", NEAR, 1.0), SourceTreebank("far", FAR, 2.0)]
    text = pp.transfer.TagTrigramCounts.from_treebank(RAW)
    return MethodRunner(
        sources=sources, max_sources=2, sample=sample, dev=None, seed=1, threads=1, text=text, **options
    )


@pytest.mark.parametrize(
    ("plan", "first", "last"), [("target-first", "sample", "all"), ("transfer-first", "all", "sample")]
)
def test_a_plan_keeps_what_a_parser_is_the_best_at(plan, first, last):
    """The same, step by step."""
    candidates = candidates_of()
    cascade = candidates.make(plan, SAMPLE)
    own = pp.lab.jackknife(candidates.learn("sample", SAMPLE).spec, SAMPLE, 5, seed=1)
    sources = candidates.learn("all", None)
    found = pp.transfer.competent_regions(SAMPLE, [own, sources.parse(SAMPLE)], divergences=[None, 1.0])
    regions = found[0 if first == "sample" else 1].regions
    assert [stage.keep_regions for stage in cascade.stages] == [regions, ()]
    expected = [candidates.learn(method, SAMPLE).parse(TEST).to_bytes() for method in (first, last)]
    assert [parser.parse(TEST).to_bytes() for parser in cascade.parsers] == expected


def test_in_regions_the_best_parser_comes_before_the_joint_one():
    candidates = candidates_of()
    made = candidates.make("region-wise", SAMPLE)
    joint = candidates.learn("joint", SAMPLE)
    last = made.parsers[-1] if isinstance(made, pp.Cascade) else made
    assert last.parse(TEST).to_bytes() == joint.parse(TEST).to_bytes()
    assert score(made).uas > 80


def test_sources_of_the_same_name_are_told_apart():
    sources = [SourceTreebank("x", NEAR, 1.0), SourceTreebank("x", FAR, 2.0)]
    candidates = MethodRunner(sources=sources, max_sources=2, sample=SAMPLE, dev=None, seed=1, threads=1)
    first, second = (candidates._of_sources(source, None) for source in sources)
    assert first.parse(TEST).to_bytes() != second.parse(TEST).to_bytes()
    assert candidates._of_sources(sources[0], None) is first


def test_without_a_sample_similarity_tells_where_a_source_is_the_best():
    candidates = candidates_of(None)
    cascade = candidates.make("region-wise", None)
    known = pp.transfer.similar_regions(RAW, [NEAR, FAR])
    assert {stage.name: stage.keep_regions for stage in cascade.stages[:-1]} == {
        name: own.regions for name, own in zip(("near", "far"), known, strict=True) if own.regions
    }
    assert cascade.stages[-1].name == "sources"


def test_a_parser_that_is_the_best_everywhere_is_no_cascade():
    sources = [SourceTreebank("own", language("own", 60, **TARGET, seed=9), 0.1)]
    candidates = MethodRunner(sources=sources, max_sources=1, sample=SAMPLE, dev=None, seed=1, threads=1)
    made = candidates.make("target-first", SAMPLE)
    assert isinstance(made, pp.Parser) or made.stages[0].keep


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_can_be_asked_for(plan, tmp_path):
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE[:3], typology=ORDER, method=plan, max_source_sentences=20)
    assert made.report.method == plan
    ((name, tally),) = made.report.scores
    assert (name, tally.words) == (plan, AttachmentCounts.from_treebanks(SAMPLE[:3], SAMPLE[:3]).words)
    assert len(made.report.used) == 2
    made.parser.save(tmp_path / "xx.panparser")
    loaded = pp.load(tmp_path / "xx.panparser")
    assert loaded.training["transfer"]["method"] == plan
    assert loaded.parse(TEST).to_bytes() == made.parser.parse(TEST).to_bytes()


def test_self_training_follows_the_best_method():
    made = pp.transfer.train_transfer(
        [NEAR, FAR], SAMPLE, tagged_text=RAW, typology=ORDER, self_training=2, min_confidence=0.8
    )
    told = made.report.self_training
    assert len(told["rounds"]) == 3
    first = made.report.scores[0][1]
    assert told["rounds"][0]["uas"] == first.uas
    assert max(each["uas"] for each in told["rounds"]) == told["rounds"][told["chosen"]]["uas"]
    assert made.parser.training["self_training"] == told
    text = str(made.report)
    assert f"Self-training on {RAW.words:,} words of text, heads of a confidence of at least 0.8:" in text
    assert "(kept)" in text or "left out" in text


@pytest.mark.parametrize("method", [each for each in METHODS if each not in COMBINED])
def test_a_method_learns_from_text_beside_what_it_learns_from(method):
    text = language("own", 20, **TARGET, seed=7)
    parser = candidates_of().learn(method, SAMPLE, None, text)
    if method == "vote":
        assert [voter.training["sentences"] for voter in parser.voters] == [80, 80]
        return
    sizes = [each["sentences"] for each in parser.training["treebank_weights"]]
    expected = {"sample": [12, 20], "joint": [60, 60, 12, 20], "all": [60, 60, 20], "pool": [60, 60, 20]}
    assert sizes == expected[method]
    words = [form for form in text.vocabulary("form") if form != "_"]
    assert any(weights_of(parser, f"S0.form={form}").any() for form in words)


def test_self_training_may_be_calibrated_on_a_development_set():
    made = pp.transfer.train_transfer([NEAR], tagged_text=RAW, dev=TEST, typology=ORDER, self_training=1)
    assert made.report.method in ("all", "pool")
    assert len(made.report.self_training["rounds"]) == 2


@pytest.mark.parametrize(
    ("sample", "options", "message"),
    [
        (SAMPLE, {"self_training": 1}, "self_training requires tagged text"),
        (
            None,
            {"self_training": 1, "tagged_text": RAW},
            "requires at least two sentences with trees, or a development set",
        ),
        (
            SAMPLE,
            {"self_training": 1, "tagged_text": RAW, "method": "region-wise"},
            "cannot be combined with method='region-wise'",
        ),
        (SAMPLE, {"self_training": -1}, "train_transfer: self_training must be"),
        (SAMPLE, {"min_confidence": 2}, r"train_transfer: min_confidence must be in \(0, 1\]"),
        (None, {"method": "target-first"}, "method='target-first' requires a sample"),
        (None, {"method": "region-wise"}, "method='region-wise' requires a sample or tagged text"),
        (SAMPLE[:2], {"method": "transfer-first"}, "requires a sample of at least 3 sentences; got 2"),
    ],
)
def test_what_does_not_go_together_is_refused(sample, options, message):
    with pytest.raises(SpecError, match=message):
        pp.transfer.train_transfer([NEAR], sample, **options)


# --- The command ---


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, treebank in (("near", NEAR), ("far", FAR)):
        Path(f"ud/{name}").mkdir(parents=True)
        pp.write_conllu(f"ud/{name}/train.conllu", treebank)
    Path("ud/near/README.md").write_text("# Summary\n\nLicense: CC BY-SA 4.0\n", encoding="utf-8")
    pp.write_conllu("sample.conllu", SAMPLE)
    Path("mine.toml").write_text('adjective = "after"\nobject = "before"\n', encoding="utf-8")
    return tmp_path


def test_the_command(run, folder):
    command = [
        "transfer",
        "--sample",
        "sample.conllu",
        "--sources",
        "ud",
        "--typology",
        "mine.toml",
        "-o",
        "own.panparser",
    ]
    code, out, err = run(*command, "--report", "report.json", "--method", "joint")
    assert (code, err) == (0, "")
    assert "near: KL" in out
    assert "CC BY-SA 4.0, unknown" in out
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert [source["name"] for source in report["sources"]] == ["near", "far"]
    code, out, _ = run("info", "own.panparser")
    assert code == 0
    assert "license CC BY-SA 4.0" in out
    assert "joint: all sources, the nearer the more, and the sample together" in out
    first = Path("own.panparser").read_bytes()
    assert run("-q", *command, "--method", "joint") == (0, "", "")
    assert Path("own.panparser").read_bytes() == first
    pp.write_conllu("test.conllu", TEST)
    assert run("parse", "-m", "own.panparser", "test.conllu", "-o", "parsed.conllu")[0] == 0
    assert pp.evaluate(TEST, pp.read_conllu("parsed.conllu")).uas > 90


def test_the_command_trains_itself_and_makes_cascades(run, folder):
    pp.write_conllu("raw.conllu", RAW)
    pp.write_conllu("sample.conllu", SAMPLE[:3])
    common = ("--max-source-sentences", 20, "--sample", "sample.conllu", "--sources", "ud", "--typology", "mine.toml")
    code, out, _ = run(
        "transfer", *common, "--tagged-text", "raw.conllu", "--self-training", 1, "-o", "a", "--method", "sample"
    )
    assert (code, "Self-training on" in out) == (0, True)
    assert "self training" in run("info", "a")[1]
    code, out, _ = run("transfer", *common, "--method", "target-first", "-o", "b")
    assert (code, "The parser learned from the sample, for what it is the best at" in out) == (0, True)
    assert "transfer" in run("info", "b")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sample", "sample.conllu", "-o", "m"], "expected treebanks of other languages"),
        (["--sample", "sample.conllu", "-s", "ud"], "expected an output file"),
        (["--sample", "sample.conllu", "-s", "empty", "-o", "m"], "expected a folder with treebanks"),
        (["--sample", "sample.conllu", "-s", "sample.conllu", "-o", "m"], "expected treebanks of other languages"),
        (["--sample", "none.conllu", "-s", "ud", "-o", "m"], "none.conllu"),
        (["--sample", "empty.conllu", "-s", "ud", "-o", "m"], "empty.conllu: expected sentences, found none"),
        (["--sample", "sample.conllu", "-s", "ud", "-l", "no such language", "-o", "m"], "--typology mine.toml"),
        (
            ["--sample", "sample.conllu", "-s", "ud", "-o", "sample.conllu"],
            "is an input file; choose another output file",
        ),
        (
            ["--sample", "sample.conllu", "-s", "ud", "-o", "m", "--report", "./m"],
            "expected another file than --output",
        ),
        (
            ["--sample", "sample.conllu", "-s", "ud", "-o", "m", "--report", "mine.toml", "--typology", "mine.toml"],
            "is an input file",
        ),
    ],
)
def test_errors_of_the_command(run, folder, arguments, message):
    Path("empty").mkdir()
    Path("empty.conllu").write_text("", encoding="utf-8")
    code, out, err = run("transfer", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert not Path("m").exists()


# --- Votes ---


def test_a_vote_is_that_of_parsers_of_single_sources():
    candidates = candidates_of()
    made = candidates.learn("vote", SAMPLE)
    alone = [
        MethodRunner(sources=[each], max_sources=1, sample=None, dev=None, seed=1, threads=1)
        for each in candidates.sources
    ]
    expected = pp.make_voting_parser([each.learn("all", None) for each in alone], weights=candidates.source_weights())
    assert made.parse(TEST).to_bytes() == expected.parse(TEST).to_bytes()
    assert [voter.weight for voter in made.voters] == [1, 0.25]


# --- Tags ---

WORDS = pp.tagging.Lexicon.from_treebank(language("own", 60, **TARGET, seed=11))


def test_a_tagger_comes_before_the_parser(tmp_path):
    sample, test = SAMPLE[:6], TEST.copy()
    made = pp.transfer.train_transfer([NEAR, FAR], sample, typology=ORDER, lexicon=WORDS)
    assert (
        made.tagger.tag(test).to_bytes() == pp.train_tagger(pp.TaggerSpec(), sample, lexicon=WORDS).tag(test).to_bytes()
    )
    made.model.save(tmp_path / "xx.panparser")
    test.column("upos")[:] = test.id_of("upos", "_")
    pipeline = pp.load(tmp_path / "xx.panparser")
    pipeline.annotate(test)
    assert AttachmentCounts.from_treebanks(TEST, test).uas > 80
    assert {atom.name for atom in made.parser.spec.templates.atoms}.isdisjoint({"lemma", "xpos", "feats"})
    assert made.report.tags.lexicon == len(WORDS)


def test_scores_with_tags_of_taggers_that_did_not_see_the_sentence():
    sample = SAMPLE[:6]
    made = pp.transfer.train_transfer([NEAR], sample, tagger=True, method="all", seed=3)
    ((_, tally),) = made.report.scores
    tagged = sample.copy()
    for fold in range(5):
        rest = [n for n in range(6) if n % 5 != fold]
        tagger = pp.train_tagger(pp.TaggerSpec(), sample[rest], seed=3)
        for number in range(fold, 6, 5):
            own = tagger.tag(sample[[number]])
            ids = tagged.ids_of("upos", [word.upos for word in own[0]])
            tagged.column("upos")[tagged.offsets[number] : tagged.offsets[number + 1]] = ids
    parsed = tagged.copy()
    made.parser.annotate(parsed)
    assert tally.tagged == AttachmentCounts.from_treebanks(sample, parsed)
    assert made.report.tags.words == sample.words
    pairs = zip(sample, tagged, strict=True)
    right = sum(a == b for x, y in pairs for a, b in zip(x.values("upos"), y.values("upos"), strict=True))
    assert made.report.tags.correct == right
    text = str(made.report)
    assert f"{made.report.tags.accuracy:.1f} % of {sample.words} words are right" in text
    assert f"with the tagger's tags {tally.tagged.uas:.1f}, {tally.tagged.las:.1f}" in text
    assert made.report.record()["scores"][0]["tagged"]["heads"] == tally.tagged.heads


def test_the_best_is_that_with_the_tags_of_the_tagger():
    dev = language("own", 10, **TARGET, seed=3)
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE[:4], dev=dev, tagger=True)
    ranks = [tally.tagged.heads for _, tally in made.report.scores]
    assert ranks == sorted(ranks, reverse=True)
    assert pp.transfer.train_transfer([NEAR, FAR], SAMPLE[:4]).report.tags is None


def test_a_tagger_needs_tags():
    with pytest.raises(SpecError, match="tagger requires a sample"):
        pp.transfer.train_transfer([NEAR], tagged_text=SAMPLE, tagger=True)
    bare = SAMPLE.copy()
    bare.column("upos")[:] = bare.id_of("upos", "_")
    with pytest.raises(TreebankError, match="expected words with tags"):
        pp.transfer.train_transfer([NEAR], bare, tagger=True)
    with pytest.raises(SpecError, match="must be a Lexicon"):
        pp.transfer.train_transfer([NEAR], SAMPLE, lexicon="words.tsv")


def test_forests_are_told_of():
    forest = NEAR[:5].copy()
    forest.heads[:] = 0
    for options in ({"sources": [forest, NEAR], "sample": SAMPLE}, {"sources": [NEAR], "sample": forest}):
        with pytest.warns(ConlluWarning, match="5 of 5 sentences have several roots"):
            pp.transfer.train_transfer(**options, method="pool")
