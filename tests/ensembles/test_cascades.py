"""Cascades: what each stage finds stays, the last completes it; one file, the same bytes, the same trees."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH
from panparser.ensembles.cascade_training import within
from panparser.storage.containers import read_arrays, write_arrays
from panparser.treebank.arc_regions import Arcs, in_regions

TRAIN, DEV = ENGLISH[:80], ENGLISH[80:110]
EASY = (pp.ArcRegion(upos=("DET", "ADP", "AUX"), direction="right"), pp.ArcRegion(upos="PUNCT"))
NOUNS = (pp.ArcRegion(head_upos="NOUN", max_length=2),)
GREEDY = pp.ParserSpec(system=pp.system("arc-eager-partial"), templates=pp.templates("zn11"), beam=1)
LAST = pp.ParserSpec(templates=pp.templates("zn11"), beam=2)
STAGES = (
    pp.CascadeStage(name="easy", regions=EASY, spec=GREEDY),
    pp.CascadeStage(name="nouns", regions=NOUNS, spec=replace(GREEDY, system=pp.system("arc-hybrid-partial"), beam=2)),
    pp.CascadeStage(name="rest", spec=LAST),
)
OPTIONS = {"epochs": 2, "folds": 2, "members": 1}


@pytest.fixture(scope="module")
def cascade():
    return pp.train_cascade(STAGES, TRAIN, dev=DEV, **OPTIONS)


def test_what_a_stage_finds_stays_and_is_in_its_region(cascade):
    parsed = cascade.parse(DEV)
    assert (parsed.heads >= 0).all()
    first, both = cascade.predict_constraints(DEV, 1), cascade.predict_constraints(DEV)
    given = first.heads >= 0
    assert 0.15 < given.mean() < (both.heads >= 0).mean() < 1
    assert (both.heads[given] == first.heads[given]).all()
    kept = both.heads >= 0
    assert (parsed.heads[kept] == both.heads[kept]).all()
    texts = np.array([*both.texts, "_"])
    labels = np.array(parsed.vocabulary("deprel"))[parsed.column("deprel")]
    labeled = both.labels >= 0
    assert labeled.any()
    assert (labels[labeled] == texts[both.labels][labeled]).all()
    assert in_regions(EASY, Arcs(DEV, first.heads, first.labels, first.texts))[given].all()


def test_the_easy_stage_is_precise(cascade):
    """Determiners and prepositions, that is; punctuation is not easy."""
    first = cascade.predict_constraints(DEV, 1)
    given = EASY[0].matches(Arcs(DEV, first.heads, first.labels, first.texts))
    plain = pp.train(LAST, TRAIN, dev=DEV, epochs=2, members=1)
    assert given.sum() > 20
    assert (first.heads == DEV.heads)[given].mean() > (plain.predict(DEV)[0] == DEV.heads).mean() + 0.05


def test_later_stages_read_constraints_and_learned_under_predicted_ones(cascade):
    reads = [any(template.reads_constraints for template in parser.spec.templates) for parser in cascade.parsers]
    assert reads == [False, True, True]
    assert ["constraints" in parser.training for parser in cascade.parsers] == [False, True, True]
    assert cascade.training["given"] == "predicted"


@pytest.mark.parametrize("given", ["gold", "none"])
def test_stages_may_learn_under_gold_constraints_or_none(given):
    two = (STAGES[0], STAGES[2])
    cascade = pp.train_cascade(two, TRAIN[:40], stage_constraints=given, epochs=1, members=1)
    assert ("constraints" in cascade.parsers[1].training) == (given == "gold")
    assert (cascade.predict(DEV)[0] >= 0).all()


def test_one_file_the_same_bytes_the_same_trees(cascade, tmp_path):
    cascade.save(tmp_path / "a")
    loaded = pp.load(tmp_path / "a")
    assert isinstance(loaded, pp.Cascade)
    loaded.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert loaded.parse(DEV).to_bytes() == cascade.parse(DEV).to_bytes()
    assert loaded.stages == cascade.stages
    again = pp.train_cascade(STAGES, TRAIN, dev=DEV, threads=2, **OPTIONS)
    again.save(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "c").read_bytes()


def test_threads_beams_and_best_trees(cascade):
    assert cascade.parse(DEV, threads=3).to_bytes() == cascade.parse(DEV).to_bytes()
    assert cascade.parse(DEV, beam=1).to_bytes() != cascade.parse(DEV).to_bytes()
    trees = cascade.k_best(DEV[3], 3)
    assert list(trees[0].heads) == cascade.parse(DEV)[3].heads.tolist()
    assert len({tree.heads for tree in trees} | {tree.labels for tree in trees}) >= len(trees) > 1


def test_what_a_user_gives_is_kept_through_all_stages(cascade):
    """Also where the stages, left alone, would do otherwise."""
    rng = np.random.default_rng(1)
    constraints = pp.Constraints.from_treebank(DEV, keep={"heads", "labels"})
    unknown = rng.random(DEV.words) < 0.6
    constraints.heads[unknown] = constraints.labels[unknown] = -1
    parsed = DEV.copy()
    dropped = cascade.annotate(parsed, constraints=constraints, relax=True).dropped
    lost = {(one.sentence, one.constraint.word) for one in dropped}
    free = cascade.parse(DEV)
    differs = 0
    for position in np.flatnonzero(constraints.heads >= 0).tolist():
        sentence = int(np.searchsorted(DEV.offsets, position, side="right")) - 1
        word = position - int(DEV.offsets[sentence]) + 1
        if (sentence, word) not in lost:
            assert parsed.heads[position] == constraints.heads[position]
            differs += free.heads[position] != parsed.heads[position]
    assert differs


def _of_nouns(*sentences):
    rows = ("\n".join(f"{i}\tw\tw\tNOUN\t_\t_\t{h}\t_\t_\t_" for i, h in enumerate(s, 1)) for s in sentences)
    return pp.parse_conllu("".join(f"{text}\n\n" for text in rows))


def test_only_the_last_stage_refuses_what_a_user_gives():
    """A stage whose arcs are too short for it leaves it to the next."""
    short = replace(GREEDY, system=pp.system("arc-eager-span", k=2))
    stages = (pp.CascadeStage(name="short", regions=EASY, spec=short), STAGES[-1])
    cascade = pp.train_cascade(stages, TRAIN, **OPTIONS)
    treebank = _of_nouns([6, "_", "_", "_", "_", "_"])
    constraints = pp.Constraints.from_treebank(treebank, keep=["heads"])
    assert cascade.parse(treebank, constraints=constraints).heads[0] == 6
    crossing = _of_nouns([3, 4, "_", "_"])
    with pytest.raises(pp.ConstraintError, match="arc-eager builds a projective tree"):
        cascade.parse(crossing, constraints=pp.Constraints.from_treebank(crossing, keep=["heads"]))


def test_best_trees_tell_what_was_dropped(cascade):
    treebank = _of_nouns(["_"], [3, 4, "_", "_"])
    constraints = pp.Constraints.from_treebank(treebank, keep=["heads"])
    expected = cascade.annotate(treebank.copy(), constraints=constraints, relax=True).dropped
    assert len(expected) == 1
    best = cascade.search_best(treebank[1], 2, constraints=constraints, relax=True)
    assert best.dropped == expected
    assert [dropped.sentence for dropped in best.dropped] == [1]
    assert best.trees == cascade.k_best(treebank[1], 2, constraints=constraints, relax=True)
    with pytest.raises(pp.ConstraintError, match="<text>:3: no tree keeps all constraints"):
        cascade.k_best(treebank[1], 2, constraints=constraints)
    assert not cascade.search_best(treebank[0], 2, constraints=constraints, relax=True).dropped
    with pytest.raises(pp.ConstraintError, match="for another treebank"):
        cascade.k_best(treebank[0], 2, constraints=pp.Constraints.from_treebank(DEV, keep=["heads"]))
    with pytest.raises(pp.ConstraintError, match="must be Constraints; got 5"):
        cascade.k_best(treebank[0], 2, constraints=5)
    with pytest.raises(pp.SpecError, match="found: stages must be an integer between 0 and 2; got 3"):
        cascade.predict_constraints(treebank, 3)
    with pytest.raises(pp.SpecError, match="calibrate: parser must be a Parser; got <Cascade"):
        pp.calibrate(cascade, DEV)


def test_arcs_of_stages_that_exclude_each_other_are_given_up():
    from panparser.ensembles.cascade import without_conflicts

    treebank = pp.parse_conllu("".join(f"{i}\tw\tw\tX\t_\t_\t_\t_\t_\t_\n" for i in range(1, 5)) + "\n")
    found = pp.Constraints.from_treebank(treebank, golds=[pp.GoldTree([0, None, 0, 3])])
    system = pp.system("arc-eager", single_root=True)
    assert without_conflicts(found, None, system).heads.tolist() == [0, -1, -1, 3]
    given = pp.Constraints.from_treebank(treebank, golds=[pp.GoldTree([None, None, 0, None])])
    assert without_conflicts(found, given, system).heads.tolist() == [-1, -1, 0, 3]
    crossing = pp.Constraints.from_treebank(treebank, golds=[pp.GoldTree([3, 4, None, None])])
    assert without_conflicts(crossing, None, system).heads.tolist() == [-1, -1, -1, -1]


def test_only_arcs_of_regions_are_left():
    part = within(TRAIN, EASY)
    inside = in_regions(EASY, Arcs.from_treebank(TRAIN))
    assert (part.heads[inside] == TRAIN.heads[inside]).all()
    assert (part.heads[~inside] == -1).all()
    assert (np.array(part.labels)[~inside] == part.id_of("deprel", "_")).all()


def test_damaged_and_strange_files_are_refused(cascade, tmp_path):
    path = tmp_path / "cascade"
    cascade.save(path)
    with pytest.raises(pp.ModelError, match="expected a panparser model of kind 'parser', found 'cascade'"):
        pp.Parser.load(path)
    arrays, manifest = read_arrays(path, "model")

    def refused(change, message):
        values = json.loads(json.dumps(manifest))
        change(values)
        write_arrays(tmp_path / "other", {name: np.array(array) for name, array in arrays.items()}, values)
        with pytest.raises(pp.ModelError, match=message):
            pp.load(tmp_path / "other")

    refused(lambda values: values.update(format=99), "written by a newer panparser")
    refused(lambda values: values.pop("stages"), "stages: expected a list, found nothing")
    refused(lambda values: values["stages"].pop(), "stage 2 .nouns.: the last stage is complete")
    refused(lambda values: values["stages"][0].pop("regions"), r"stages\[0\].regions: expected a list, found nothing")
    refused(lambda values: values["stages"][0]["regions"].append({"tag": "X"}), "ArcRegion: expected a table")
    refused(lambda values: values["stages"][1]["parser"].pop("labels"), "stage 2: not a valid parser")
    refused(lambda values: values.update(training=3), "training: expected a table, found 3")
    refused(lambda values: values.update(stages=[3, 4]), r"stages\[0\]: expected a table, found 3")
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    with pytest.raises(pp.ModelError, match="damaged"):
        pp.load(path)


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        (STAGES[2:], "a cascade has at least two stages; got 1"),
        (STAGES[:2], "stage 2 (nouns): the last stage is complete"),
        ((STAGES[2], STAGES[2]), "stage 1 (rest): expected regions and a system that leaves words headless"),
        (
            (
                pp.CascadeStage(name="x", regions=[pp.ArcRegion(label="det")], spec=replace(GREEDY, labeled=False)),
                STAGES[2],
            ),
            "stage 1 (x): regions by label need a labeled parser",
        ),
        ((replace(STAGES[0], regions=()), STAGES[2]), "found 0 regions and arc-eager-partial"),
        (
            (STAGES[0], pp.CascadeStage(name="x", spec=pp.ParserSpec(system=pp.system("swap-standard")))),
            "stage 2 (x): swap-standard has a static oracle only",
        ),
    ],
)
def test_stages_that_cannot_follow_each_other_are_refused(stages, message):
    with pytest.raises(pp.SpecError) as caught:
        pp.train_cascade(stages, TRAIN)
    assert message in str(caught.value)


def test_info_of_a_cascade_that_ends_with_a_vote(cascade, run, tmp_path):
    voting = pp.Cascade(
        cascade.stages, [*cascade.parsers[:-1], pp.make_voting_parser([cascade.parsers[-1]] * 2)], cascade.training
    )
    voting.save(tmp_path / "voting")
    code, out, _ = run("info", tmp_path / "voting")
    assert (code, "every arc" in out) == (0, True)
    assert pp.load(tmp_path / "voting").parse(DEV).to_bytes() == cascade.parse(DEV).to_bytes()


# --- Stages with data and models of their own ---

KEPT = pp.CascadeStage(name="kept", keep_regions=EASY, spec=LAST)


def test_of_what_a_complete_parser_finds_its_regions_are_kept():
    """Both stages learn from the treebank: the second under what jackknifed parsers of the first found there."""
    cascade = pp.train_cascade((KEPT, STAGES[2]), TRAIN, **OPTIONS)
    plain = pp.train(LAST, TRAIN, epochs=2, members=1)
    assert cascade.parsers[0].parse(DEV).to_bytes() == plain.parse(DEV).to_bytes()
    found, heads = cascade.predict_constraints(DEV), plain.predict(DEV)[0]
    inside = in_regions(EASY, Arcs.from_treebank(plain.parse(DEV)))
    assert (found.heads == np.where(inside, heads, -1)).all()
    assert 0 < inside.mean() < 1
    assert "constraints" in cascade.parsers[1].training
    parsed = cascade.parse(DEV)
    assert (parsed.heads[inside] == heads[inside]).all()


def test_a_cascade_of_parsers_that_are_trained_already(tmp_path):
    first, last = (pp.train(replace(LAST, beam=1), part, epochs=1, members=1) for part in (TRAIN[:40], TRAIN[40:]))
    first.save(tmp_path / "first.panparser")
    stages = [
        pp.CascadeStage(name="a", keep_regions=EASY, model=tmp_path / "first.panparser"),
        pp.CascadeStage(name="b", model=last),
    ]
    cascade = pp.train_cascade(stages)
    assert (cascade.training["given"], cascade.training["sentences"]) == ("none", 0)
    inside = in_regions(EASY, Arcs.from_treebank(first.parse(DEV)))
    parsed = cascade.parse(DEV)
    assert (parsed.heads[inside] == first.predict(DEV)[0][inside]).all()
    found = cascade.predict_constraints(DEV)
    assert (found.heads == np.where(inside, first.predict(DEV)[0], -1)).all()
    assert (parsed.heads == last.predict(DEV, constraints=found, relax=True)[0]).all()
    cascade.save(tmp_path / "cascade")
    loaded = pp.load(tmp_path / "cascade")
    assert loaded.stages == cascade.stages
    assert loaded.parse(DEV).to_bytes() == parsed.to_bytes()


def test_a_stage_learns_from_treebanks_of_its_own():
    """And the next one under what it finds in the treebank, which it did not learn from."""
    other = TRAIN[40:]
    options = {"epochs": 1, "members": 1}
    own = pp.CascadeStage(name="other", keep_regions=EASY, spec=LAST, train=other, options={"treebank_weights": [2.0]})
    cascade = pp.train_cascade((own, STAGES[2]), TRAIN[:40], **options)
    alone = pp.train(LAST, [other], treebank_weights=[2.0], **options)
    assert cascade.parsers[0].parse(DEV).to_bytes() == alone.parse(DEV).to_bytes()
    known = pp.Cascade((own, pp.CascadeStage(name="rest", spec=LAST)), [alone, alone], {}).predict_constraints(
        TRAIN[:40]
    )
    guided = replace(LAST, templates=LAST.templates + pp.templates("given"))
    last = pp.train(
        guided, TRAIN[:40], constraints=pp.Constraints(TRAIN[:40], known.heads, known.labels, known.texts), **options
    )
    assert cascade.parsers[1].to_arrays().keys() == last.to_arrays().keys()
    assert all((cascade.parsers[1].to_arrays()[name] == array).all() for name, array in last.to_arrays().items())


def test_what_a_stage_learned_from_beside_others_is_parsed_in_folds():
    """Else the next stage would learn under arcs that are better than those it is to be given."""
    treebank, other = TRAIN[:30], TRAIN[30:]
    own = pp.CascadeStage(name="both", keep_regions=EASY, spec=LAST, train=[other, treebank])
    options = {"epochs": 1, "members": 1, "folds": 2}
    cascade = pp.train_cascade((own, STAGES[2]), treebank, **options)
    leaky = pp.CascadeStage(
        name="both", keep_regions=EASY, spec=LAST, train=[other, pp.parse_conllu(treebank.to_bytes().decode())]
    )
    seen = pp.train_cascade((leaky, STAGES[2]), treebank, **options)
    assert cascade.parsers[0].to_arrays().keys() == seen.parsers[0].to_arrays().keys()
    assert cascade.parsers[0].parse(DEV).to_bytes() == seen.parsers[0].parse(DEV).to_bytes()
    digests = [each.parsers[1].training["constraints"] for each in (cascade, seen)]
    assert digests[0] != digests[1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pp.CascadeStage(regions=EASY, keep_regions=EASY), "expected regions, or keep_regions; got both"),
        (lambda: pp.CascadeStage(keep_regions=["DET"]), "CascadeStage: keep_regions must be ArcRegions"),
        (lambda: pp.CascadeStage(keep_regions=EASY, train=[]), "CascadeStage: train must be a Treebank, or several"),
        (
            lambda: pp.CascadeStage(keep_regions=EASY, model=3),
            "CascadeStage: model must be a Parser, or the file of one; got 3",
        ),
        (lambda: pp.train_cascade((KEPT, STAGES[2])), "stage 1 (kept): expected a treebank to learn from, or a model"),
    ],
)
def test_stages_that_cannot_be_are_refused(make, message):
    with pytest.raises(pp.SpecError) as caught:
        make()
    assert message in str(caught.value)


def test_a_model_is_not_trained_again(cascade):
    model = cascade.parsers[-1]
    with pytest.raises(pp.SpecError, match="a model is trained already"):
        pp.CascadeStage(model=model, train=TRAIN)
    with pytest.raises(pp.SpecError, match="the spec is that of the model"):
        pp.CascadeStage(model=model, spec=LAST)
    with pytest.raises(pp.ModelError, match="nowhere"):
        pp.CascadeStage(model="nowhere")


# --- Recipes and commands ---

OF_LANGUAGES = """
[data]
train = ["train.conllu"]

[parser]
templates = "zn11"
beam = 1

[training]
epochs = 1
members = 1

[cascade]
folds = 2

[[stages]]
name = "another model"
model = "other.panparser"
keep_regions = { upos = ["DET", "ADP"] }

[[stages]]
name = "another language"
train = ["dev.conllu", "train.conllu"]
weights = [1, 2]
delexicalized = true
keep_regions = { upos = "NOUN", direction = "right" }

[[stages]]
name = "rest"
"""

RECIPE = """
[data]
train = ["train.conllu"]
dev = "dev.conllu"

[parser]
templates = "zn11"
beam = 2

[training]
epochs = 2
members = 1

[cascade]
folds = 2

[[stages]]
name = "easy"
regions = [{ upos = ["DET", "ADP"], direction = "right" }, { upos = "PUNCT" }]
parser = { beam = 1 }

[[stages]]
estimate = { precision = 0.8, by = ["upos", "direction"], folds = 2, epochs = 1 }
training = { epochs = 1 }

[[stages]]
name = "rest"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.conllu").write_bytes(TRAIN.to_bytes())
    (tmp_path / "dev.conllu").write_bytes(DEV.to_bytes())
    (tmp_path / "cascade.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


def test_a_recipe_with_stages_trains_a_cascade(run, folder):
    model = folder / "en.panparser"
    code, out, err = run("train", "--recipe", folder / "cascade.toml", "-o", model, "--seed", 3)
    assert code == 0, err
    assert "stage 2 of 3 (stage 2), epoch 1" in err
    assert "arc-eager-partial" in out
    cascade = pp.load(model)
    assert [stage.name for stage in cascade.stages] == ["easy", "stage 2", "rest"]
    assert [parser.spec.beam for parser in cascade.parsers] == [1, 2, 2]
    assert cascade.training["seed"] == 3
    first = model.read_bytes()
    assert run("train", "--recipe", folder / "en.panparser.toml", "-o", folder / "again")[0] == 0
    assert (folder / "again").read_bytes() == first
    parsed = folder / "parsed.conllu"
    assert run("parse", "-m", model, folder / "dev.conllu", "-o", parsed, "--threads", 2)[0] == 0
    assert parsed.read_bytes() == cascade.parse(DEV).to_bytes()
    assert "# tree = 1/2" in run("parse", "-m", model, folder / "dev.conllu", "--k-best", 2)[1]
    assert run("parse", "-m", model, folder / "dev.conllu", "--keep", "heads", "--relax-constraints")[0] == 0
    code, out, _ = run("info", model)
    assert code == 0
    assert "upos=DET|ADP direction=right; upos=PUNCT" in out
    assert "predicted arcs of the stages before" in out
    assert json.loads(run("info", model, "--json")[1])["kind"] == "cascade"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "rest"', 'regions = { upos = "X" }', "[[stages]] 3: the last stage finds all arcs"),
        ("regions = [{", "estimate = {}\nregions = [{", "[[stages]] 1: expected regions or what to estimate"),
        ('upos = "PUNCT"', 'pos = "PUNCT"', "[[stages]] 1: regions: ArcRegion: expected a table with some of upos"),
        ("beam = 1", "beem = 1", "beem is unknown; did you mean beam?"),
        ("precision = 0.8", "precission = 0.8", "precission is unknown; did you mean precision?"),
        ("precision = 0.8", "precision = 8", "estimate_regions: precision must be in (0, 1]; got 8"),
        ("precision = 0.8", "precision = 1.0", "no class of arcs is precise enough"),
        (
            "[cascade]\nfolds = 2",
            '[cascade]\nstage_constraints = "no"',
            "[cascade] stage_constraints: expected one of predicted, gold, none",
        ),
        ("members = 1", "seeds = [1, 2]", "seeds, init, vectors and weights are for single parsers"),
        ("[cascade]", "[cascades]", "cascades is unknown; did you mean cascade?"),
        ("[[stages]]", "[[stage]]", "stage is unknown; did you mean stages?"),
        ('upos = "PUNCT"', "min_length = 3, max_length = 2", "ArcRegion: max_length must be >= min_length"),
        ("precision = 0.8", 'precision = 0.8, least = "x"', "estimate_regions: min_count must be an integer >= 1"),
        ('by = ["upos", "direction"]', "by = 3", "estimate_regions: group_by must be some of upos"),
    ],
)
def test_recipes_that_cannot_be_are_refused(run, folder, old, new, message):
    assert old in RECIPE
    (folder / "cascade.toml").write_text(RECIPE.replace(old, new), encoding="utf-8")
    code, _, err = run("train", "--recipe", folder / "cascade.toml", "-o", folder / "model")
    assert code == 2
    assert message in err
    assert not (folder / "model").exists()


def test_a_recipe_may_name_models_and_treebanks_of_stages(run, folder):
    pp.train(LAST, TRAIN[:20], epochs=1, members=1).save(folder / "other.panparser")
    (folder / "languages.toml").write_text(OF_LANGUAGES, encoding="utf-8")
    model = folder / "out" / "xx.panparser"
    model.parent.mkdir()
    code, out, err = run("train", "--recipe", folder / "languages.toml", "-o", model)
    assert code == 0, err
    assert "upos=NOUN direction=right" in out
    cascade = pp.load(model)
    assert cascade.parsers[0].to_values() == pp.load(folder / "other.panparser").to_values()
    second = cascade.parsers[1]
    assert second.spec.templates == pp.templates("zn11").delexicalized()
    assert [each["weight"] for each in second.training["treebank_weights"]] == [1, 2]
    assert ["constraints" in parser.training for parser in cascade.parsers] == [False, False, True]
    assert run("train", "--recipe", folder / "out" / "xx.panparser.toml", "-o", folder / "again")[0] == 0
    assert (folder / "again").read_bytes() == model.read_bytes()


def test_a_recipe_of_models_needs_no_data(run, folder):
    pp.train(LAST, TRAIN[:20], epochs=1, members=1).save(folder / "other.panparser")
    stages = ('keep_regions = { upos = "DET" }\n', "")
    text = "".join(f'[[stages]]\nmodel = "other.panparser"\n{keep}' for keep in stages)
    (folder / "models.toml").write_text(text, encoding="utf-8")
    assert run("train", "--recipe", folder / "models.toml", "-o", folder / "model")[0] == 0
    assert pp.load(folder / "model").parse(DEV).to_bytes() == pp.load(folder / "other.panparser").parse(DEV).to_bytes()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('model = "other.panparser"', 'model = "none.panparser"', "none.panparser"),
        ('model = "other.panparser"', 'model = "train.conllu"', "stage 1: model:"),
        (
            'model = "other.panparser"',
            'model = "other.panparser"\ndelexicalized = true',
            "the model is trained already",
        ),
        ("weights = [1, 2]", "weights = [1]", "weights: expected one for each of 2 files under train, found 1"),
        ("delexicalized = true", "parser = { delexicalized = true }\ndelexicalized = true", "here or in parser"),
        (
            'keep_regions = { upos = "NOUN", direction = "right" }',
            "",
            "[[stages]] 2: expected regions or what to estimate",
        ),
        (
            'keep_regions = { upos = "NOUN"',
            'keep_regions = { tag = "NOUN"',
            "[[stages]] 2: keep_regions: ArcRegion: expected a table",
        ),
        ('name = "rest"', 'keep_regions = { upos = "X" }', "[[stages]] 3: the last stage finds all arcs"),
        ('train = ["train.conllu"]', 'train = ["train.conllu", "x.conllu"]', "one of several files of [data]"),
    ],
)
def test_recipes_of_models_that_cannot_be_are_refused(run, folder, old, new, message):
    assert old in OF_LANGUAGES
    pp.train(LAST, TRAIN[:5], epochs=1, members=1).save(folder / "other.panparser")
    (folder / "x.conllu").write_bytes(TRAIN[:5].to_bytes())
    (folder / "cascade.toml").write_text(OF_LANGUAGES.replace(old, new, 1), encoding="utf-8")
    code, _, err = run("train", "--recipe", folder / "cascade.toml", "-o", folder / "model")
    assert code == 2
    assert message in err
    assert not (folder / "model").exists()


def test_a_stage_without_arcs_is_refused(run, folder):
    regions = RECIPE.replace('"DET", "ADP"', '"DETT"').replace('upos = "PUNCT"', 'label = "punkt"')
    (folder / "cascade.toml").write_text(regions, encoding="utf-8")
    code, _, err = run("train", "--recipe", folder / "cascade.toml", "-o", folder / "model")
    assert code == 2
    assert "has no arc of its regions: upos=DETT direction=right; label=punkt" in err


def test_flags_for_one_parser_are_refused(run, folder):
    code, _, err = run("train", "--recipe", folder / "cascade.toml", "-o", folder / "model", "--beam", 4)
    assert (code, "--beam cannot be used with a cascade; set it in the recipe" in err) == (2, True)


def test_a_recipe_says_what_a_parser_is_given_while_it_learns(run, folder):
    recipe = folder / "given.toml"
    text = (
        '[data]\ntrain = ["train.conllu"]\ndev = "dev.conllu"\n[parser]\ntemplates = "zn11"\nbeam = 1\ngiven = true\n'
    )
    text += "[training]\nepochs = 1\nmembers = 1\n[constraints]\n"
    recipe.write_text(text + "share = 0.5\n")
    assert run("train", "--recipe", recipe, "-o", folder / "share")[0] == 0
    parser = pp.load(folder / "share")
    assert parser.training["constraints"] == {"share": 0.5}
    assert "0.5 of the heads" in run("info", folder / "share")[1]
    assert parser.spec.templates == pp.templates("zn11") + pp.templates("given")
    assert run("train", "--recipe", folder / "share.toml", "-o", folder / "again")[0] == 0
    assert (folder / "again").read_bytes() == (folder / "share").read_bytes()
    for part, treebank in (("train", TRAIN), ("dev", DEV)):
        (folder / f"{part}-given.conllu").write_bytes(within(treebank, EASY).to_bytes())
    files = 'train = ["train-given.conllu"]\ndev = "dev-given.conllu"\nlabels = true\n'
    recipe.write_text(text + files)
    assert run("train", "--recipe", recipe, "-o", folder / "files")[0] == 0
    assert set(pp.load(folder / "files").training["constraints"]) == {"train", "dev"}
    for bad, message in (
        (files + "share = 0.5\n", "a share is of the gold heads"),
        ('train = ["train-given.conllu"]\n', "dev: expected a file with what is given of the development set"),
        ('train = ["dev-given.conllu"]\n', "expected the sentences of"),
        ("share = 2\n", "share: expected a number in (0, 1], found 2"),
        ("labels = true\n", "expected a share, or files under train"),
    ):
        recipe.write_text(text + bad)
        code, _, err = run("train", "--recipe", recipe, "-o", folder / "bad")
        assert code == 2
        assert message in err
