"""Recipes: read, checked, written, and the same after a round trip."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.learning.strategies import STRATEGIES
from panparser.recipes.recipe import Recipe
from panparser.recipes.sections import ParserSection, TrainingSection
from panparser.storage.toml_text import to_toml
from places import ENGLISH
from variants import identify, variants


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_says_everything(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.conllu").write_bytes(ENGLISH.read_bytes())
    path = write(
        tmp_path / "en.toml",
        """
        [data]
        train = ["data/train.conllu", "data/train.conllu"]
        dev = "data/train.conllu"
        [parser]
        system = { name = "arc-eager-span", k = 4 }
        root = "first"
        beam = 2
        templates = ["S0.upos B0.upos", "S0.form"]
        nonprojective = "reduce"
        [training]
        strategy = { base = "max-violation", restart = "pair", exploration = [[1, 0.0], [2, 0.5]] }
        epochs = 3
        patience = 0
        seeds = [3, 4]
        prune = 0.5
        model_size = "8 MiB"
        subsample = { share = 0.5, criterion = "frequency", region = { upos = ["DET"] } }
        """,
    )
    recipe = Recipe.read(path)
    spec = recipe.parser.spec()
    assert spec.system == pp.system("arc-eager-span", root="first", k=4)
    assert (spec.beam, len(spec.templates), spec.nonprojective) == (2, 2, "reduce")
    options = recipe.training.arguments()
    assert options["strategy"] == pp.TrainingStrategy(
        update_at="max-violation", restart="pair", exploration=pp.EpochSchedule(((1, 0.0), (2, 0.5)))
    )
    assert (options["epochs"], options["patience"], options["max_model_bytes"]) == (3, None, 8 << 20)
    assert options["subsample"] == pp.Subsampling(share=0.5, criterion="frequency", region=pp.ArcRegion(upos="DET"))
    pp.TrainingConfig(**options)
    treebank, dev = recipe.treebanks()
    assert (len(treebank), len(dev)) == (486, 243)


def test_what_is_not_said_is_the_default():
    recipe = Recipe().resolved()
    assert recipe.parser.spec() == pp.ParserSpec()
    assert pp.TrainingConfig(**recipe.training.arguments()) == pp.TrainingConfig()
    assert recipe.resolved() == recipe


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", variants(), ids=identify)
def test_specs_survive_a_recipe(system, tmp_path):
    for spec in (
        pp.ParserSpec(system=system),
        pp.ParserSpec(system=system, templates=pp.templates("zn11").delexicalized(), beam=1, labeled=False),
        pp.ParserSpec(system=system, templates=pp.Templates.parse("S0.upos B0.upos")),
    ):
        recipe = Recipe(parser=ParserSection.of(spec))
        recipe.write(tmp_path / "r.toml")
        again = Recipe.read(tmp_path / "r.toml")
        assert again == recipe
        assert again.parser.spec() == spec


def test_an_own_system_and_own_templates_are_written_out(tmp_path):
    table = pp.system("arc-hybrid-partial").adding(pp.Transition("LEAVE", when=(), then=("pop",)))
    (tmp_path / "mine.json").write_text(table.to_json())
    write(tmp_path / "mine.txt", "S0.upos  # the top\nB0.upos\n")
    path = write(tmp_path / "r.toml", '[parser]\nsystem = "mine.json"\ntemplates = "mine.txt"\n')
    recipe = Recipe.read(path).resolved()
    assert recipe.parser.spec().system == table
    assert recipe.parser.templates == ("S0.upos", "B0.upos")
    recipe.write(tmp_path / "whole.toml")
    (tmp_path / "mine.json").unlink()
    assert Recipe.read(tmp_path / "whole.toml").resolved() == recipe


def test_paths_count_from_the_folder_of_the_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    recipe = Recipe.from_values({"data": {"train": ["train.conllu", "/data/a.conllu", "-"]}})
    recipe.write("models/en.toml")
    assert '"../train.conllu", "/data/a.conllu", "-"' in (tmp_path / "models" / "en.toml").read_text()
    assert Recipe.read("models/en.toml").data.train == ("models/../train.conllu", "/data/a.conllu", "-")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[training]\nepoch = 3", "r.toml: [training]: epoch is unknown; did you mean epochs?"),
        ("[trainig]\nepochs = 3", "r.toml: trainig is unknown; did you mean training?"),
        ("[training]\nzzz = 3", "zzz is unknown; there are strategy, epochs"),
        ("training = 3", "r.toml: [training]: expected a table, found 3"),
        (
            "[training]\nepochs = 'ten'",
            "r.toml: [training] epochs: expected an integer between 1 and 100000",
        ),
        ("[training]\nepochs = true", "[training] epochs: expected an integer between 1 and 100000, found True"),
        ("[training]\nseeds = [1, 1]", "[training] seeds: expected a list of at most 1000 different integers"),
        ("[training]\nmodel_size = '8 parsecs'", "[training] model_size: expected a size such as"),
        ("[training]\nprune = -1", "[training] prune: expected a number >= 0, found -1"),
        ("[training]\nstrategy = 'max'", "[training]: strategy: no strategy is called 'max'"),
        ("[training]\nstrategy = { bas = 'x' }", "strategy: bas is unknown; did you mean base?"),
        ("[training]\nstrategy = { exploration = 'x' }", "TrainingStrategy: exploration must be"),
        (
            "[training]\nstrategy = { focus = 'x' }",
            "[training]: strategy: TrainingStrategy: focus must be a number in (0, 4]; got 'x'",
        ),
        ("[training]\nsubsample = { criterion = 'share' }", "[training]: subsample: share is missing"),
        ("[training]\nsubsample = { shar = 1 }", "shar is unknown; did you mean share?"),
        ("[training]\nsubsample = { share = 'all' }", "Subsampling: share"),
        ("[data]\ntrain = 'a.conllu'", "[data] train: expected a list of files, found 'a.conllu'"),
        ("[parser]\nroot = 'middle'", "[parser] root: expected one of first, last, none, found 'middle'"),
        ("[parser]\nlabeled = 1", "[parser] labeled: expected true or false, found 1"),
        (
            "[parser]\ntemplates = []",
            "[parser] templates: expected rich, rich-stack, lean, easy, zn11, fast, a file or a list of lines",
        ),
        ("[parser", "r.toml:1: expected TOML; "),
        ("[cross_validation]\ncount = 1", "[cross_validation] count: expected an integer >= 2, found 1"),
    ],
)
def test_errors_name_file_table_and_key(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pp.SpecError) as error:
        Recipe.read(write(tmp_path / "r.toml", text).name)
    assert said in str(error.value)
    assert "r.toml" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"system": "arc-eage"}, "did you mean arc-eager?"),
        ({"system": {"k": 3}}, "system: "),
        ({"system": "os:system"}, "no transition system is called 'os:system'"),
        ({"system": "module.py:Class"}, "no transition system is called"),
        (
            {"system": pp.system("arc-hybrid").to_values() | {"ties": []}, "root": "first"},
            "the table has root = 'last'",
        ),
        ({"templates": "poor"}, "templates: expected rich, rich-stack, lean, easy, zn11, fast or a file, found 'poor'"),
        ({"templates": ["S9.form"]}, "templates: "),
        ({"labeled": False, "nonprojective": "pseudo"}, "pseudo needs labels"),
    ],
)
def test_parsers_that_cannot_be(values, said):
    with pytest.raises(pp.PanParserError) as error:
        Recipe.from_values({"parser": values}).resolved()
    assert said in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(pp.SpecError, match="cannot be read: No such file"):
        Recipe.read(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(pp.SpecError, match="cannot be read"):
        Recipe.read(tmp_path / "binary.toml")
    with pytest.raises(pp.SpecError, match="expected files to learn from"):
        Recipe().treebanks()
    with pytest.raises(pp.SpecError, match="cannot be written"):
        Recipe().write(tmp_path / "none" / "r.toml")


def test_every_strategy_can_be_named_or_spelled_out():
    for name, strategy in STRATEGIES.items():
        assert TrainingSection(strategy=name).arguments()["strategy"] == strategy
        assert TrainingSection(strategy=strategy.to_values()).arguments()["strategy"] == strategy


def test_warm_start_takes_the_spec_of_the_model(parser, tmp_path):
    parser.save(tmp_path / "m")
    recipe = Recipe.from_values({"parser": {"beam": 2}, "training": {"init": str(tmp_path / "m")}}).resolved()
    assert recipe.parser.spec() == pp.ParserSpec(beam=2)
    other = Recipe.from_values({"parser": {"system": "arc-hybrid"}, "training": {"init": str(tmp_path / "m")}})
    assert other.resolved().parser.spec().system == pp.system("arc-hybrid", single_root=True)


_text = st.text(st.characters(codec="utf-8"))
_plain = st.recursive(
    st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | _text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_text, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.unmeasured
@given(st.dictionaries(_text, _plain, max_size=5))
def test_toml_is_read_back(values):
    assert tomllib.loads(to_toml(values)) == values


def test_delexicalized_recipes(tmp_path):
    for value, feats in (("true", False), ('"feats"', True)):
        path = write(
            tmp_path / "r.toml", f'[parser]\ntemplates = "rich"\ndelexicalized = {value}\nlabels = "universal"\n'
        )
        recipe = Recipe.read(path)
        assert recipe.spec() == pp.ParserSpec(
            templates=pp.templates("rich").delexicalized(feats=feats), labels="universal"
        )
        recipe.resolved().write(tmp_path / "whole.toml")
        assert f'templates = "rich"\nlabeled = true\ndelexicalized = {value}' in (tmp_path / "whole.toml").read_text()
        assert Recipe.read(tmp_path / "whole.toml").spec() == recipe.spec()
    with pytest.raises(pp.SpecError, match=r'\[parser\] delexicalized: expected true, false or "feats", found 1'):
        Recipe.from_values({"parser": {"delexicalized": 1}})


def test_delexicalized_networks():
    network = Recipe.from_values({"parser": {"network": "bilstm", "delexicalized": True}}).chosen_network()
    assert network.columns == ("upos",)
    with pytest.raises(pp.SpecError, match="feats is for templates; a network reads all features of a word, or none"):
        Recipe.from_values({"parser": {"network": "bilstm", "delexicalized": "feats"}}).chosen_network()
