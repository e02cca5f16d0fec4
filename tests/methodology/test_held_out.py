"""What is held out is held out: who learns from which sentences, and who annotates which."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from places import ENGLISH
from spies import sentence_ids, spy_on, watch

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:24], TREEBANK[24:34]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
QUICK = {"epochs": 2, "members": 1}
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=pp.ParserSpec(
        system=pp.system("arc-eager-partial", root="last"), templates=SMALL, beam=1)),
    pp.CascadeStage(name="nouns", regions=(pp.ArcRegion(upos="NOUN"),), spec=pp.ParserSpec(
        system=pp.system("arc-eager-partial", root="last"), templates=SMALL, beam=1)),
    pp.CascadeStage(name="rest", spec=GREEDY),
)  # fmt: skip
PIPELINE = pp.PipelineSpec(
    parts=("tagger", "lemmatizer", "parser"), parser=GREEDY, folds=3, tagger_epochs=2, lemmatizer_epochs=2
)
THREADS = pytest.mark.parametrize("threads", [1, 2])


def texts(treebank: pp.Treebank, column: str) -> list[str]:
    return [text for sentence in treebank for text in sentence.values(column)]


def folds_of(witness, kind: str, count: int) -> list[list[str]]:
    """What models of folds annotated, of those that learned from a part of TRAIN; each must have had all the rest."""
    whole = sentence_ids(TRAIN)
    found = [(learned, seen) for who, learned, seen in witness.predicted if who == kind and set(seen) <= set(whole)]
    assert len(found) == count
    for learned, seen in found:
        assert sorted(learned + seen) == sorted(whole)
    assert sorted(name for _, seen in found for name in seen) == sorted(whole)
    return [seen for _, seen in found]


# --- Folds of parsers ---


@THREADS
@pytest.mark.parametrize("driver", [pp.lab.jackknife, pp.lab.cross_validate])
def test_each_fold_is_parsed_by_a_parser_of_all_the_others(driver, threads, monkeypatch):
    witness = watch(monkeypatch)
    driver(GREEDY, TRAIN, 3, threads=threads, **QUICK)
    witness.check()
    names = sentence_ids(TRAIN)
    assert sorted(folds_of(witness, "parser", 3)) == sorted(names[fold::3] for fold in range(3))


@THREADS
def test_labels_that_only_a_fold_has_are_never_found_in_it(threads):
    """A parser that saw them would know them: nothing is spied on here."""
    marked = TRAIN.copy()
    for number, sentence in enumerate(marked):
        sentence.labels = [f"{label}:fold{number % 3}" for label in sentence.labels]
    found = pp.lab.jackknife(GREEDY, marked, 3, threads=threads, **QUICK)
    for number, sentence in enumerate(found):
        assert not any(label.endswith(f":fold{number % 3}") for label in sentence.labels)


def test_scores_of_a_fold_are_those_of_its_parser_on_it(monkeypatch):
    witness = watch(monkeypatch)
    found = pp.lab.cross_validate(GREEDY, TRAIN, 3, threads=1, **QUICK)  # so that they come in order
    for number, (score, call) in enumerate(zip(found, witness.of("parser"), strict=True)):
        held_out = TRAIN[number::3]
        judged = pp.evaluate(held_out, call.result.parse(held_out), bootstrap_samples=0)
        assert (score.uas, score.las) == pytest.approx((judged.uas, judged["FullLAS"].f1))
        assert (score.fold, score.sentences, score.words) == (number + 1, len(held_out), held_out.words)


def test_regions_are_estimated_on_sentences_that_the_parser_did_not_see(monkeypatch):
    witness = watch(monkeypatch)
    pp.ensembles.estimate_regions(TRAIN, folds=3, epochs=1, min_count=3, precision=0.5)
    witness.check()
    folds_of(witness, "parser", 3)


def test_regions_are_all_classes_that_are_precise_enough():
    options = {"folds": 3, "epochs": 2, "members": 1, "seed": 1}
    parsed = pp.lab.jackknife(pp.ParserSpec(templates=pp.templates("fast"), beam=1, labeled=False), TREEBANK, **options)
    counts: dict[tuple[str, str], list[bool]] = {}
    for sentence, gold in zip(parsed, TREEBANK, strict=True):
        for token, right in zip(sentence, gold.heads, strict=True):
            head = int(sentence.heads[token.id - 1])
            direction = "root" if head == 0 else "right" if head > token.id else "left"
            counts.setdefault((token.upos, direction), []).append(head == right)
    wanted = {name for name, right in counts.items() if len(right) >= 15 and np.mean(right) >= 0.8}
    found = pp.ensembles.estimate_regions(
        TREEBANK, precision=0.8, group_by=("upos", "direction"), min_count=15, folds=3, epochs=2
    )
    assert {(region.upos[0], region.direction) for region in found} == wanted
    assert 2 < len(wanted) < len(counts)


# --- Cascades ---


@THREADS
def test_a_stage_learns_under_what_parsers_find_that_did_not_see_the_sentence(threads, monkeypatch):
    witness = watch(monkeypatch)
    pp.train_cascade(STAGES, TRAIN, dev=DEV, folds=3, threads=threads, **QUICK)
    witness.check()
    whole = sentence_ids(TRAIN)
    trainings = [learned for kind, learned, _ in witness.trained]
    assert sum(learned == whole for learned in trainings) == 3  # the stages themselves
    assert len(trainings) == 3 + 2 * 3  # and the folds of all but the last
    annotated = [seen for _, learned, seen in witness.predicted if set(seen) <= set(whole)]
    assert sorted(name for seen in annotated for name in seen) == sorted(2 * whole)
    for _, learned, seen in witness.predicted:
        if set(seen) <= set(whole):
            assert sorted(learned + seen) == sorted(whole)


def test_what_a_stage_is_given_is_what_the_fold_parsers_found(monkeypatch):
    """Arcs of the first stage's region, from the parser of the other folds; the dev set's are those of the stage."""
    witness = watch(monkeypatch)
    cascade = pp.train_cascade((STAGES[0], STAGES[2]), TRAIN, dev=DEV, folds=3, threads=1, **QUICK)  # in this order
    stage, *folds, last = witness.of("parser")
    given = last.options["constraints"]
    for number, fold in enumerate(folds):
        held_out = TRAIN[number::3]
        heads, _ = fold.result.predict(held_out)
        position = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in held_out])
        near = (heads > 0) & (np.abs(heads - position) == 1)
        own = given.heads[np.isin(TRAIN.sentence_of_word(), range(number, len(TRAIN), 3))]
        assert (own[own >= 0] == heads[own >= 0]).all()  # nothing but what it found, in the region
        assert near[own >= 0].all()
        assert (own >= 0).sum() > 0.9 * near.sum()  # what excludes each other is given up
        assert fold.options["epochs"] == stage.result.training["best_epoch"]
    of_dev = last.options["dev_constraints"]
    assert of_dev.heads.tolist() == cascade.predict_constraints(DEV).heads.tolist()
    assert (of_dev.heads != DEV.heads).any()


def test_a_stage_before_the_last_sees_its_regions_and_those_before_alone(monkeypatch):
    witness = watch(monkeypatch)
    pp.train_cascade(STAGES, TRAIN, dev=DEV, stage_constraints="none", **QUICK)
    for number, (call, expected) in enumerate(zip(witness.of("parser"), ("near", "near or noun", "all"), strict=True)):
        for seen, gold in zip(call.arguments, (TRAIN, DEV), strict=True):
            position = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in gold])
            near = (gold.heads > 0) & (np.abs(gold.heads - position) == 1)
            noun = np.array(texts(gold, "upos")) == "NOUN"
            kept = (near, near | noun, np.ones(gold.words, dtype=bool))[number]
            assert (seen.heads == np.where(kept, gold.heads, -1)).all(), expected


@pytest.mark.parametrize("given", ["gold", "none"])
def test_gold_arcs_are_given_only_where_they_are_asked_for(given, monkeypatch):
    witness = watch(monkeypatch)
    pp.train_cascade(STAGES, TRAIN, dev=DEV, stage_constraints=given, **QUICK)
    witness.check()
    assert len(witness.trained) == 3
    for call in witness.of("parser")[1:]:
        if given == "none":
            assert "constraints" not in call.options
        else:
            known = call.options["constraints"].heads
            assert (known[known >= 0] == TRAIN.heads[known >= 0]).all()
            found = call.options["dev_constraints"].heads
            assert (found[found >= 0] != DEV.heads[found >= 0]).any()


# --- Pipelines ---


@pytest.fixture(scope="module")
def pipeline():
    """A pipeline, and who learned from what meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        witness = watch(patch)
        before = TRAIN.to_bytes(), DEV.to_bytes()
        nlp = pp.train_pipeline(PIPELINE, TRAIN, dev=DEV, threads=2, **QUICK)
        assert (TRAIN.to_bytes(), DEV.to_bytes()) == before
    return nlp, witness


def test_tags_and_lemmas_for_the_parser_come_from_who_did_not_see_them(pipeline):
    _, witness = pipeline
    witness.check()
    for kind in ("tagger", "lemmatizer"):
        folds_of(witness, kind, 3)


def test_the_parser_learns_from_what_was_predicted(pipeline):
    _, witness = pipeline
    (parser,) = witness.of("parser")
    seen, _ = parser.arguments
    for fold in range(3):
        held_out = TRAIN[fold::3]
        others = sentence_ids(TRAIN[[i for i in range(len(TRAIN)) if i % 3 != fold]])
        models = [
            next(call.result for call in witness.of(kind) if sentence_ids(call.arguments[0]) == others)
            for kind in ("tagger", "lemmatizer")
        ]
        tagged = held_out.copy()
        for model in models:
            model.annotate(tagged)
        for column in ("upos", "xpos", "feats", "lemma"):
            assert texts(seen[fold::3], column) == texts(tagged, column), column
    assert texts(seen, "upos") != texts(TRAIN, "upos")
    assert (seen.heads == TRAIN.heads).all()
    assert texts(seen, "deprel") == texts(TRAIN, "deprel")


def test_the_parser_is_selected_on_predicted_tags_and_lemmas(pipeline):
    nlp, witness = pipeline
    (parser,) = witness.of("parser")
    _, dev = parser.arguments
    tagged = DEV.copy()
    nlp.taggers[0].annotate(tagged)
    nlp.lemmatizer.annotate(tagged)
    for column in ("upos", "xpos", "feats", "lemma"):
        assert texts(dev, column) == texts(tagged, column)
    assert texts(dev, "upos") != texts(DEV, "upos")
    assert texts(dev, "lemma") != texts(DEV, "lemma")
    assert (dev.heads == DEV.heads).all()
    best = nlp.parser.training["history"][nlp.parser.training["best_epoch"] - 1]
    assert best["uas"] == pytest.approx(pp.evaluate(DEV, nlp.parser.parse(tagged), bootstrap_samples=0).uas)
    calibration = nlp.parser.calibration
    assert pp.calibrate(nlp.parser, tagged).calibration == calibration


def test_the_lemmatizer_learns_from_predicted_tags_and_gold_lemmas(pipeline):
    nlp, witness = pipeline
    seen, dev = next(call.arguments for call in witness.of("lemmatizer") if len(call.arguments[0]) == len(TRAIN))
    parsed, _ = witness.of("parser")[0].arguments
    assert texts(seen, "lemma") == texts(TRAIN, "lemma")
    assert texts(seen, "upos") == texts(parsed, "upos") != texts(TRAIN, "upos")
    assert texts(dev, "upos") == texts(nlp.taggers[0].tag(DEV), "upos") != texts(DEV, "upos")


def test_taggers_of_folds_learn_as_long_as_the_tagger_did(pipeline):
    nlp, witness = pipeline
    main, *folds = witness.of("tagger")
    assert len(main.arguments[0]) == len(TRAIN)
    for call in folds:
        assert call.options["epochs"] == nlp.taggers[0].training["best_epoch"]
        assert call.arguments[1] is None


def test_scores_of_a_pipeline_are_those_of_what_it_predicts(pipeline):
    nlp, _ = pipeline
    bare = DEV.copy()
    for name in ("upos", "xpos", "feats", "lemma", "deprel"):
        bare.column(name)[:] = 0
    bare.heads[:] = -1
    nlp.annotate(bare)
    judged = pp.evaluate(DEV, bare, bootstrap_samples=0)
    told = nlp.training["dev"]["gold tokens"]
    assert set(told) == {"UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"}
    assert told == {name: judged[name].f1 for name in told}


def test_without_folds_the_parser_sees_what_the_treebank_has(monkeypatch):
    witness = watch(monkeypatch)
    pp.train_pipeline(replace(PIPELINE, folds=0), TRAIN, dev=DEV, **QUICK)
    seen, dev = witness.of("parser")[0].arguments
    assert (seen.to_bytes(), dev.to_bytes()) == (TRAIN.to_bytes(), DEV.to_bytes())


def test_columns_that_no_part_predicts_are_hidden_from_the_parser(monkeypatch):
    witness = watch(monkeypatch)
    pp.train_pipeline(replace(PIPELINE, parts=("tagger", "parser")), TRAIN, dev=DEV, **QUICK)
    for seen in witness.of("parser")[0].arguments:
        assert set(texts(seen, "lemma")) == {"_"}


def test_scores_from_raw_text_are_those_of_the_text_alone(monkeypatch):
    nlp = pp.train_pipeline(replace(PIPELINE, parts=("tokenizer", "tagger"), tokenizer_epochs=1), TRAIN, dev=DEV)
    judged = pp.evaluate(DEV, nlp(pp.extract_raw_text(DEV).text), bootstrap_samples=0)
    told = nlp.training["dev"]["raw text"]
    assert told == {name: judged[name].f1 for name in ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats")}


# --- The development set teaches nothing ---


def strange(treebank: pp.Treebank) -> pp.Treebank:
    """A copy with other trees, labels, tags, lemmas and words."""
    found = treebank.copy()
    for sentence in found:
        sentence.labels = ["odd"] * len(sentence)
    found.heads[:] = 0
    for column, text in (("upos", "ODD"), ("lemma", "odd"), ("xpos", "ODD"), ("form", "odd")):
        found.column(column)[::2] = found.id_of(column, text)
    return found


@pytest.mark.parametrize(
    "learn",
    [
        lambda dev: pp.train(GREEDY, TRAIN, dev=dev, epochs=1),
        lambda dev: pp.train(GREEDY, TRAIN, dev=dev, epochs=1, subsample=pp.Subsampling(share=0.5)),
        lambda dev: pp.train(GREEDY, TRAIN, dev=dev, epochs=1, constraints=0.3),
        lambda dev: pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=dev, epochs=1),
        lambda dev: pp.train_lemmatizer(TRAIN, dev=dev, epochs=1),
        lambda dev: pp.train_tokenizer(TRAIN, dev=dev, epochs=1),
        lambda dev: pp.lab.train_seeds(GREEDY, TRAIN, [3], dev=dev, epochs=1)[0],
        lambda dev: pp.train_cascade((STAGES[0], STAGES[2]), TRAIN, dev=dev, epochs=1, folds=2),
    ],
    ids=["parser", "subsample", "constraints", "tagger", "lemmatizer", "tokenizer", "seeds", "cascade"],
)
def test_what_is_learned_does_not_depend_on_the_development_set(learn):
    """There is one epoch, so that nothing is selected either."""
    arrays = [learn(dev).to_arrays() for dev in (DEV, strange(DEV), None)]
    for other in arrays[1:]:
        assert list(other) == list(arrays[0])
        assert all((array == other[name]).all() for name, array in arrays[0].items())


def test_labels_are_those_of_the_training_set():
    assert "odd" not in pp.train(GREEDY, TRAIN, dev=strange(DEV), epochs=1).labels.names
    assert not any("ODD" in tag for tag in pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=strange(DEV), epochs=1).tags)


def test_models_say_what_they_learned_from_and_were_selected_by():
    wanted = {
        "train": hashlib.sha256(TRAIN.to_bytes()).hexdigest(),
        "dev": hashlib.sha256(DEV.to_bytes()).hexdigest(),
    }
    for model in (
        pp.train(GREEDY, TRAIN, dev=DEV, epochs=1),
        pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=DEV, epochs=1),
        pp.train_lemmatizer(TRAIN, dev=DEV, epochs=1),
        pp.train_tokenizer(TRAIN, dev=DEV, epochs=1),
        pp.train_cascade((STAGES[0], STAGES[2]), TRAIN, dev=DEV, epochs=1, folds=2),
        pp.train_pipeline(replace(PIPELINE, parts=("tagger",)), TRAIN, dev=DEV),
    ):
        assert {name: model.training["data"][name] for name in wanted} == wanted
        assert (model.training["sentences"], model.training["words"]) == (len(TRAIN), TRAIN.words)


def test_words_of_the_treebank_are_lemmatized_as_if_they_were_new(monkeypatch):
    """Else a lemmatizer would learn to ask its dictionary, which knows nothing of new words."""
    calls = spy_on(monkeypatch, pp.tagging.train_sequence_model)
    lemmatizer = pp.train_lemmatizer(TRAIN, epochs=1)
    (_, items, *_) = calls[0].arguments
    known, new = lemmatizer.dictionary.items(TRAIN), lemmatizer.dictionary.items(TRAIN, as_new=True)
    columns = [{name: column.tolist() for name, column in each.columns.items()} for each in (items, new, known)]
    assert columns[0] == columns[1] != columns[2]
    treebank = pp.parse_conllu("".join(
        f"1\t{form}\t{form[:-1]}\tNOUN\t_\t_\t0\troot\t_\t_\n\n" for form in ("cats", "dogs", "birds", "trees") * 3
    ))  # fmt: skip
    new = pp.parse_conllu("1\tcars\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    pp.train_lemmatizer(treebank, epochs=2).annotate(new)
    assert texts(new, "lemma") == ["car"]


def test_every_epoch_is_scored_on_the_development_set(monkeypatch):
    """By the parser of that epoch, labels in full, all words."""
    parsers = {}

    class Keep(pp.Listener):
        def after_training_pass(self, epoch, parser):
            parsers[epoch] = parser

    parser = pp.train(GREEDY, TRAIN, dev=DEV, listeners=[Keep()], epochs=3, patience=None)
    for report in parser.training["history"]:
        judged = pp.evaluate(DEV, parsers[report["epoch"]].parse(DEV), bootstrap_samples=0)
        assert (report["uas"], report["las"]) == pytest.approx((judged.uas, judged["FullLAS"].f1))


def test_lemmatizers_and_tokenizers_are_selected_on_the_development_set(monkeypatch):
    calls = spy_on(monkeypatch, pp.tagging.train_sequence_model)
    pp.train_lemmatizer(TRAIN, dev=DEV, epochs=1)
    assert (calls[0].arguments[1].size, calls[0].options["dev"][0].size) == (TRAIN.words, DEV.words)
    pp.train_tokenizer(TRAIN, dev=DEV, epochs=1)
    assert calls[1].options["dev"][0].size < calls[1].arguments[1].size / 2
