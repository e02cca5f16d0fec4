"""train: selection, listeners, subsampling, warm starts, annotation that is partial or crosses, checkpoints, errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH, SMALL, examples, learn, reference, short_sentences, start, treebank_of
from panparser.errors import ModelError, SpecError, TreebankError
from panparser.learning.strategies import DYNAMIC_EXPLORE, TrainingStrategy
from panparser.training.parser_run import score
from panparser.training.training_constraints import _tags, kept_arcs
from trainings import DEV, SPEC, TRAIN, Diary, weights

CROSSING = "a/A/3/x b/B/4/y c/C/0/root d/D/3/x"


# --- Selection ---


@pytest.mark.parametrize("tolerance", [0, 0.5, 5, 100])
def test_the_last_epoch_within_the_tolerance_of_the_best_is_kept(tolerance, monkeypatch):
    monkeypatch.setattr("panparser.training.engine_parser_run.PerceptronRun.score_tolerance", tolerance)
    parser = pp.train(SPEC, TRAIN, dev=DEV, epochs=6, patience=None)
    history = parser.training["history"]
    scores = [report["las"] for report in history]
    assert len(set(scores)) > 2
    assert parser.training["best_epoch"] == max(
        e for e, score in enumerate(scores, 1) if score >= max(scores) - tolerance
    )
    again = pp.train(SPEC, TRAIN, epochs=parser.training["best_epoch"])
    assert weights(again) == weights(parser)
    best = history[parser.training["best_epoch"] - 1]
    assert score(parser, DEV) == (best["uas"], best["las"])


def test_an_unlabeled_parser_is_selected_by_uas():
    parser = pp.train(replace(SPEC, labeled=False), TRAIN, dev=DEV, epochs=3)
    assert all(report["las"] is None and report["uas"] is not None for report in parser.training["history"])


def test_without_a_development_set_the_last_epoch_is_kept():
    parser = pp.train(SPEC, TRAIN, epochs=3, patience=1)
    assert parser.training["best_epoch"] == len(parser.training["history"]) == 3


def test_patience_ends_training_after_so_many_epochs_that_are_no_better():
    parser = pp.train(SPEC, TRAIN, dev=DEV, epochs=40, patience=2)
    scores = [report["las"] for report in parser.training["history"]]
    assert len(scores) == scores.index(max(scores)) + 3 < 40


# --- Listeners ---


def test_events_come_in_order():
    diary = Diary()
    parser = pp.train(SPEC, TRAIN, dev=DEV, epochs=2, listeners=[diary], members=1, strategy=DYNAMIC_EXPLORE)
    open_events, sentences = [], []
    for event, what in diary.lines:
        when, _, kind = event.partition(" ")
        if when == "before":
            open_events.append((kind, what))
            sentences += [what] * (kind == "sentence")
        else:
            assert open_events.pop() == (kind, what)
        nested = [kind for kind, _ in open_events]
        assert nested in (
            [],
            ["epoch"],
            ["epoch", "sentence"],
            ["epoch", "sentence", "update"],
            ["epoch", "evaluation"],
        )
    assert not open_events
    for epoch in (0, 1):
        assert sorted(sentences[epoch * len(TRAIN) : (epoch + 1) * len(TRAIN)]) == list(range(len(TRAIN)))
    assert sentences[: len(TRAIN)] != sentences[len(TRAIN) :]  # shuffled anew
    updates = sum(event == "before update" for event, _ in diary.lines)
    assert updates == parser.training["history"][-1]["updates"]
    assert parser.training["history"][-1]["words"] == 2 * TRAIN.words


def test_progress_is_told_now_and_then():
    told = []

    class Progress(pp.Listener):
        def on_progress(self, epoch, words, updates):
            told.append((epoch, words))

    pp.train(SPEC, ENGLISH, epochs=1, members=1, listeners=[Progress()])
    assert [words for _, words in told] == sorted({words for _, words in told})
    assert len(told) == -(-len(ENGLISH) // 64)


def test_a_listener_that_raises_ends_training():
    class Broken(pp.Listener):
        def before_update(self, update):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pp.train(SPEC, TRAIN, epochs=1, listeners=[Broken()])


def test_ctrl_c_keeps_the_best_so_far_if_there_is_one():
    class Impatient(pp.Listener):
        def __init__(self, epoch):
            self.epoch = epoch

        def before_epoch(self, epoch):
            if epoch == self.epoch:
                raise KeyboardInterrupt

    parser = pp.train(SPEC, TRAIN, epochs=5, listeners=[Impatient(3)])
    assert parser.training["interrupted"]
    assert weights(parser) == weights(pp.train(SPEC, TRAIN, epochs=2))
    with pytest.raises(KeyboardInterrupt):
        pp.train(SPEC, TRAIN, epochs=5, listeners=[Impatient(1)])


# --- Strategies as functions ---


def test_a_strategy_may_be_a_function_of_epoch_and_sentence():
    asked = []

    def mine(epoch, sentence):
        asked.append((epoch, sentence))
        return (
            pp.learning.EARLY_UPDATE
            if epoch == 1
            else TrainingStrategy(update_at="max-violation", restart="pair", exploration=1.0)
        )

    learned = learn(SPEC, short_sentences(4), strategy=mine, epochs=2)
    assert asked == learned.order
    expected = reference(learned)
    assert learned.updates == expected.updates
    assert learned.parser.training["strategy"] == "function"


def test_a_function_must_give_a_strategy():
    with pytest.raises(SpecError, match="the function given as strategy must return a Strategy; got 'early-update'"):
        pp.train(SPEC, TRAIN, strategy=lambda epoch, sentence: "early-update")


# --- Subsampling ---


@pytest.mark.parametrize("by", ["share", "frequency"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 1.0])
def test_subsampling_keeps_its_share(by, share):
    sample = pp.Subsampling(share=share, criterion=by)
    kept = [kept_arcs(sample, ENGLISH, np.random.default_rng(seed)).mean() for seed in range(5)]
    assert np.mean(kept) == pytest.approx(share, abs=0.03)
    if share == 1:
        assert min(kept) == 1


def test_subsampling_by_frequency_keeps_what_is_rare():
    sample = pp.Subsampling(share=0.3, criterion="frequency")
    kept = np.mean([kept_arcs(sample, ENGLISH, np.random.default_rng(seed)) for seed in range(20)], axis=0)
    tags = np.array([tag for sentence in ENGLISH for tag in sentence.values("upos")])
    counts = {tag: int((tags == tag).sum()) for tag in set(tags)}
    rare, frequent = min(counts, key=counts.get), max(counts, key=counts.get)
    assert kept[tags == rare].mean() > 2 * kept[tags == frequent].mean()


def test_classes_of_arcs_do_not_depend_on_what_was_seen_before():
    options = {"dev": DEV, "epochs": 3, "subsample": pp.Subsampling(share=0.5, criterion="accuracy")}
    before = weights(pp.train(SPEC, TRAIN, **options))
    pp.train(
        SPEC, treebank_of("a/ZZ/0/root b/AA/1/x"), epochs=1, subsample=pp.Subsampling(share=0.5, criterion="frequency")
    )
    assert weights(pp.train(SPEC, TRAIN, **options)) == before
    tags = _tags(treebank_of("a/N/0/root b/D/1/x"), treebank_of("a/A/0/root b/D/1/x"))
    assert [tag for tag in tags if tag in "NDA"] == ["D", "N", "A"]
    assert list(tags.values()) == list(range(len(tags)))


def test_subsampling_by_accuracy_needs_a_development_set():
    with pytest.raises(SpecError, match="train: subsample by accuracy requires dev"):
        pp.train(SPEC, TRAIN, subsample=pp.Subsampling(share=0.5, criterion="accuracy"))
    parser = pp.train(SPEC, TRAIN, dev=DEV, epochs=3, subsample=pp.Subsampling(share=0.5, criterion="accuracy"))
    assert parser.training["subsample"] == {"share": 0.5, "by": "accuracy"}


def test_all_of_the_annotation_is_what_there_is_without_subsampling():
    assert weights(pp.train(SPEC, TRAIN, epochs=2, subsample=pp.Subsampling(share=1.0))) == weights(
        pp.train(SPEC, TRAIN, epochs=2)
    )


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"share": 0}, "share"),
        ({"share": 1.5}, "share"),
        ({"criterion": "x"}, "criterion"),
        ({"region": "DET"}, "region"),
        ({"share": -1, "region": {"upos": "DET"}}, "share"),
    ],
)
def test_bad_shares_are_refused(fields, word):
    with pytest.raises(SpecError, match=f"Subsampling: {word} must be"):
        pp.Subsampling(**{"share": 0.5, **fields})


# --- Warm starts ---


def test_training_goes_on_from_a_parser_with_new_labels_and_tags():
    first = pp.train(SPEC, TRAIN, epochs=3)
    new = treebank_of("alpha/XX/2/new1 beta/YY/0/root", "gamma/XX/2/new2 delta/ZZ/0/root")
    second = pp.train(SPEC, new, init=first, epochs=10)
    assert second.labels.names[: len(first.labels.names)] == first.labels.names
    assert {"new1", "new2"} < set(second.labels.names)
    assert len(second.layers) == 2
    assert second.parse(new)[0].labels == ["new1", "root"]
    forgotten = pp.evaluate(gold=TRAIN, predicted=second.parse(TRAIN)).uas
    untrained = pp.train(SPEC, new, epochs=3)
    assert forgotten > pp.evaluate(gold=TRAIN, predicted=untrained.parse(TRAIN, allow_unseen_tags=True)).uas


def test_nothing_to_correct_changes_nothing():
    """A parser that makes no mistakes on what it goes on with stays as it is."""
    treebank = short_sentences(3, 5)
    first = pp.train(SPEC, treebank, epochs=20)
    assert score(first, treebank) == (100, 100)
    again = pp.train(SPEC, treebank, init=first, epochs=1)
    assert [array.tolist() for array in again.predict(TRAIN)] == [array.tolist() for array in first.predict(TRAIN)]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"system": pp.system("arc-hybrid")}, "system"),
        ({"labeled": False, "templates": SMALL.unlabeled()}, "labeled"),
    ],
)
def test_a_warm_start_needs_the_same_kind_of_parser(change, what):
    first = pp.train(SPEC, TRAIN, epochs=1)
    with pytest.raises(SpecError, match=f"train: init must have the {what} of the new parser; they differ"):
        pp.train(replace(SPEC, **change), TRAIN, init=first)
    with pytest.raises(SpecError, match="train: init must have no templates but those of the new parser; got"):
        pp.train(replace(SPEC, templates=pp.templates("zn11")), TRAIN, init=first)


# --- Annotation that crosses, is partial, or is hardly there ---


def test_crossing_arcs_are_reduced_lifted_or_left_out():
    treebank = treebank_of(CROSSING, "a/A/2/x b/B/0/root")
    seen = {}
    for way in ("as-is", "reduce", "pseudo", "leave-out"):
        run = start(replace(SPEC, nonprojective=way), treebank, epochs=1)
        seen[way] = (run.corpus.heads[:4].tolist(), run.corpus.used.tolist())
    assert seen["as-is"] == ([3, 4, 0, 3], [True, True])
    assert seen["reduce"][0].count(-1) == 1
    assert set(seen["reduce"][0]) <= {3, 4, 0, -1}
    assert seen["pseudo"][0] == [3, 3, 0, 3]
    assert seen["leave-out"] == ([3, 4, 0, 3], [False, True])


def test_lifted_arcs_are_put_back_by_parsing():
    treebank = treebank_of(*[CROSSING] * 5)  # marks that are rarer are dropped
    parser = pp.train(replace(SPEC, nonprojective="pseudo"), treebank, epochs=10)
    parsed = parser.parse(treebank)[0]
    assert (parsed.heads.tolist(), parsed.labels) == ([3, 4, 0, 3], ["x", "y", "root", "x"])


def test_crossing_arcs_are_learned_with_actions_of_minimum_cost():
    learned = learn(SPEC, treebank_of(CROSSING), epochs=3)
    assert learned.updates == reference(learned).updates


def test_unknown_heads_teach_nothing():
    """A word without a head makes no action wrong; the others are learned."""
    partial = treebank_of("a/A/_/x b/B/0/root c/C/2/y", "d/D/_/x e/E/_/y")
    learned = learn(SPEC, partial, epochs=4)
    expected = reference(learned)
    assert learned.updates == expected.updates
    assert {letter for update in learned.updates for letter in update.positive}
    parsed = learned.parser.parse(partial)
    assert parsed[0].heads[1:].tolist() == [0, 2]
    (_, unknown) = examples(SPEC, partial)
    assert unknown.gold.heads == (None, None)


def test_short_sentences_are_learned_and_parsed():
    treebank = treebank_of("a/A/0/root", "a/A/2/x b/B/0/root")
    for system in ("arc-eager", "arc-hybrid", "arc-standard", "non-monotonic-arc-eager", "swap-standard"):
        for root in ("first", "last"):
            spec = replace(SPEC, system=pp.system(system, root=root, single_root=True))
            parser = pp.train(spec, treebank, epochs=5)
            assert [sentence.heads.tolist() for sentence in parser.parse(treebank)] == [[0], [2, 0]]


def test_a_single_word_alone_can_be_learned():
    parser = pp.train(SPEC, treebank_of("a/A/0/root"), epochs=1)
    (sentence,) = parser.parse(treebank_of("b/A/_/_"))
    assert (sentence.heads.tolist(), sentence.labels) == ([0], ["root"])


# --- Errors ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "train: epochs must be an integer between 1 and 100000; got 0"),
        ({"epochs": True}, "train: epochs must be an integer between 1 and 100000; got True"),
        ({"patience": 0}, "train: patience must be an integer >= 1; got 0"),
        ({"members": 0}, "train: members must be an integer between 1 and 256; got 0"),
        ({"seed": -1}, "train: seed must be an integer between 0 and 4294967295; got -1"),
        ({"prune_threshold": -1}, "train: prune_threshold must be a number >= 0; got -1"),
        ({"strategy": "early-update"}, "train: strategy must be a TrainingStrategy, or a function"),
        ({"init": "en.panparser"}, "train: init must be a Parser; got 'en.panparser'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(SpecError, match=message):
        pp.train(SPEC, TRAIN, **options)


def test_strategies_need_an_oracle_of_the_system():
    """Costs of a static oracle say nothing of states beside its derivation, from which dynamic strategies learn."""
    swap = replace(SPEC, system=pp.system("swap-standard"))
    parser = pp.train(swap, TRAIN[:5], epochs=1)
    default = replace(pp.learning.MAX_VIOLATION, oracle="static")
    assert parser.training["strategy"] == default.to_values()
    assert weights(pp.train(swap, TRAIN[:5], epochs=1, strategy=default)) == weights(parser)
    assert pp.train(swap, TRAIN[:5], epochs=1, strategy=pp.STRATEGIES["static"])
    for strategy in (pp.learning.MAX_VIOLATION, DYNAMIC_EXPLORE, lambda epoch, sentence: pp.learning.EARLY_UPDATE):
        with pytest.raises(
            pp.errors.StrategyError, match=r"swap-standard has no dynamic oracle, .*swap-lazy.*strategy static"
        ):
            pp.train(swap, TRAIN[:5], epochs=1, strategy=strategy)


def test_tables_without_losses_are_refused():
    hybrid = pp.system("arc-hybrid")
    bare = replace(hybrid, transitions=tuple(replace(row, loses=()) for row in hybrid.transitions))
    with pytest.raises(SpecError, match=r"arc-hybrid has neither losses nor a static oracle.*panparser derive"):
        pp.train(replace(SPEC, system=bare), TRAIN)


def test_bad_specs_are_refused():
    with pytest.raises(SpecError, match="train: spec must be a ParserSpec; got 'arc-eager'"):
        pp.train("arc-eager", TRAIN)
    for fields, message in (
        ({"beam": 0}, "ParserSpec: beam must be an integer between 1 and 16384; got 0"),
        ({"templates": pp.Templates()}, "ParserSpec: templates must be Templates, at least one"),
        ({"system": "arc-eager"}, "ParserSpec: system must be a TransitionSystem"),
        ({"nonprojective": "ignore"}, "ParserSpec: nonprojective must be one of as-is, reduce, pseudo, leave-out"),
        ({"nonprojective": "pseudo", "labeled": False}, "pseudo needs labels, and the parser has none"),
    ):
        with pytest.raises(SpecError, match=message):
            pp.ParserSpec(**fields)


def test_treebanks_without_anything_to_learn_are_refused():
    with pytest.raises(TreebankError, match="train: treebank must be a Treebank"):
        pp.train(SPEC, "train.conllu")
    with pytest.raises(TreebankError, match="train: dev must be a Treebank"):
        pp.train(SPEC, TRAIN, dev="dev.conllu")
    with pytest.raises(TreebankError, match="expected a treebank with heads to learn from, found none"):
        pp.train(SPEC, treebank_of("a/A/_/_ b/B/_/_"))
    with pytest.raises(TreebankError, match="expected a treebank with heads to learn from, found none"):
        pp.train(SPEC, pp.parse_conllu(""))
    with pytest.raises(TreebankError, match="expected labels to learn from, found none"):
        pp.train(SPEC, treebank_of("a/A/0/_"))
    with pytest.raises(TreebankError, match="no sentence is left to learn from"):
        pp.train(replace(SPEC, nonprojective="leave-out"), treebank_of(CROSSING))


# --- Checkpoints ---


@pytest.mark.parametrize("members", [1, 3])
def test_training_that_stopped_goes_on_as_if_it_had_not(tmp_path, members):
    options = {"dev": DEV, "strategy": DYNAMIC_EXPLORE, "patience": None, "members": members}
    whole = pp.train(SPEC, TRAIN, epochs=4, **options)
    path = tmp_path / "state"
    pp.train(SPEC, TRAIN, epochs=2, checkpoint=path, **options)
    resumed = pp.train(SPEC, TRAIN, epochs=4, checkpoint=path, resume=True, **options)
    assert weights(resumed) == weights(whole)
    assert resumed.training["history"] == whole.training["history"]


def test_a_checkpoint_belongs_to_its_run(tmp_path):
    path = tmp_path / "state"
    pp.train(SPEC, TRAIN, epochs=1, checkpoint=path)
    with pytest.raises(SpecError, match="belongs to another run: its data, parser or training differ"):
        pp.train(SPEC, TRAIN, epochs=2, checkpoint=path, resume=True, seed=2)
    pp.train(SPEC, TRAIN, epochs=1).save(path)
    with pytest.raises(ModelError, match="expected a checkpoint"):
        pp.train(SPEC, TRAIN, epochs=2, checkpoint=path, resume=True)
    parser = pp.train(SPEC, TRAIN, epochs=1, checkpoint=tmp_path / "new", resume=True)  # nothing was finished: begin
    assert weights(parser) == weights(pp.train(SPEC, TRAIN, epochs=1))


# --- Labels without subtypes ---

SUBTYPES = b"""1	the	_	DET	_	_	2	det:art	_	_
2	dog	_	NOUN	_	_	3	nsubj:pass	_	_
3	fed	_	VERB	_	_	0	root	_	_
4	now	_	ADV	_	_	3	advmod	_	_

1	a	_	DET	_	_	2	det	_	_
2	cat	_	NOUN	_	_	3	nsubj	_	_
3	sat	_	VERB	_	_	0	root	_	_

"""


def test_universal_labels_have_no_subtypes(tmp_path):
    treebank = pp.Treebank(SUBTYPES)
    spec = pp.ParserSpec(labels="universal", beam=1)
    parser = pp.train(spec, treebank, dev=treebank, epochs=4)
    assert set(parser.label_names) == {"det", "nsubj", "root", "advmod"}
    assert parser.training.best.las == 100  # of what it learns
    assert treebank.to_bytes() == SUBTYPES
    found = parser.parse(treebank)
    assert [token.label for token in found[0]] == ["det", "nsubj", "root", "advmod"]
    parser.save(tmp_path / "model")
    assert pp.load(tmp_path / "model").spec == spec
    full = pp.train(pp.ParserSpec(beam=1), treebank, epochs=1)
    assert "nsubj:pass" in full.label_names
    assert "labels" not in full.to_values()["spec"]  # as older versions write it


def test_universal_labels_of_lifted_arcs():
    crossing = SUBTYPES.replace(b"2\tdog\t_\tNOUN\t_\t_\t3", b"2\tdog\t_\tNOUN\t_\t_\t4").replace(
        b"\t2\tdet:art", b"\t3\tdet:art"
    )
    parser = pp.train(pp.ParserSpec(labels="universal", beam=1), pp.Treebank(crossing * 10), epochs=1)
    assert parser.spec.crossing == "pseudo"
    assert not any(":" in name for name in parser.labels.names)
    assert any(name != plain for name, plain in zip(parser.labels.names, parser.label_names, strict=False))


def test_universal_labels_that_cannot_be():
    with pytest.raises(pp.SpecError, match="ParserSpec: labels must be one of full, universal; got 'base'"):
        pp.ParserSpec(labels="base")
    with pytest.raises(pp.SpecError, match="universal ones are asked for, and the parser has none"):
        pp.ParserSpec(labels="universal", labeled=False)
    treebank = pp.Treebank(SUBTYPES)
    full = pp.train(pp.ParserSpec(beam=1), treebank, epochs=1)
    with pytest.raises(pp.SpecError, match="train: init has labels with subtypes"):
        pp.train(pp.ParserSpec(beam=1, labels="universal"), treebank, init=full)


def test_parsers_that_read_tags_alone_need_tags(english):
    spec = pp.ParserSpec(templates=pp.templates("lean").delexicalized(), beam=1)
    assert spec.used_templates.is_delexicalized
    assert not pp.templates("lean").is_delexicalized
    bare = english[0].copy()
    bare.column("upos")[:] = bare.id_of("upos", "_")
    with pytest.raises(pp.TreebankError, match=r"expected tags .UPOS."):
        pp.train(spec, bare, epochs=1)
