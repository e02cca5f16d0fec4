"""[[sources]] and [typology] of recipes; the recipe that `train_transfer` and `panparser transfer` leave."""

from __future__ import annotations

import pytest

import panparser as pp
from languages import language
from panparser.recipes.recipe import Recipe
from panparser.transfer.recipe_sections import recipe_typology
from panparser.transfer.source_files import blanked

TARGET = {"adjective_first": False, "verb_last": True}
NEAR = language("near", 40, adjective_first=True, verb_last=True)
FAR = language("far", 40, adjective_first=True, verb_last=False)
SAMPLE = language("own", 8, **TARGET)
TEST = language("own", 30, **TARGET, seed=2)
ORDER = pp.transfer.Typology.from_values({"adjective": "after", "object": 0.123456})
WORDS = pp.tagging.Lexicon.from_treebank(language("own", 30, **TARGET, seed=11))


@pytest.fixture
def files(tmp_path):
    for name, treebank in {"near": NEAR, "far": FAR, "own": SAMPLE, "dev": TEST[:10]}.items():
        pp.write_conllu(tmp_path / f"{name}.conllu", treebank)
    WORDS.write(tmp_path / "words.tsv")
    return tmp_path


def weights(parser):
    return {name: array.tobytes() for name, array in parser.to_arrays().items()}


@pytest.mark.parametrize("method", ["joint", "all", "pool", "sample"])
@pytest.mark.parametrize("has_dev", [False, True])
def test_a_recipe_makes_the_same_parser_again(files, method, has_dev):
    sources = pp.transfer.find_sources([files / "near.conllu", files / "far.conllu"])
    dev = pp.read_conllu(files / "dev.conllu") if has_dev else None
    sample = pp.read_conllu(files / "own.conllu")
    made = pp.transfer.train_transfer(
        sources, sample, dev=dev, typology=ORDER, method=method, max_source_sentences=30, max_sources=1, seed=3
    )
    recipe = pp.transfer.transfer_recipe(
        made, sample=files / "own.conllu", dev=files / "dev.conllu" if has_dev else None, typology=ORDER
    )
    assert len(recipe.sources) == {"joint": 2, "all": 2, "pool": 1, "sample": 0}[method]
    recipe.write(files / "xx.toml")
    assert Recipe.read(files / "xx.toml").to_values().get("typology") == (
        {"adjective": "after", "object": 0.123456} if recipe.sources else None
    )
    again = pp.run_recipe(files / "xx.toml", files / "xx.panparser").model
    assert weights(again) == weights(made.parser)
    assert again.parse(TEST).to_bytes() == made.parser.parse(TEST).to_bytes()
    assert again.training["data"] == made.parser.training["data"]
    assert again.training.treebank_weights == made.parser.training.treebank_weights


def test_a_pipeline_is_made_again_as_well(files):
    sources = pp.transfer.find_sources([files / "near.conllu", files / "far.conllu"])
    sample = pp.read_conllu(files / "own.conllu")
    made = pp.transfer.train_transfer(sources, sample, typology=ORDER, method="joint", lexicon=WORDS)
    recipe = pp.transfer.transfer_recipe(
        made, sample=files / "own.conllu", typology=ORDER, lexicon=[files / "words.tsv"]
    )
    recipe.write(files / "xx.toml")
    again = pp.run_recipe(files / "xx.toml").model
    assert weights(again.parser) == weights(made.parser)
    (tagger,) = again.taggers
    assert (tagger.spec, tagger.tags, tagger.lexicon) == (made.tagger.spec, made.tagger.tags, made.tagger.lexicon)
    assert weights(tagger) == weights(made.tagger)


def test_what_is_not_one_training_has_no_recipe(files):
    made = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, method="vote")
    assert pp.transfer.transfer_recipe(made, sample=files / "own.conllu") is None
    joint = pp.transfer.train_transfer([NEAR, FAR], SAMPLE, method="joint")
    with pytest.raises(pp.SpecError, match="transfer_recipe: sample"):
        pp.transfer.transfer_recipe(joint)


def test_sources_are_learned_from_before_the_data(files):
    (files / "mine.toml").write_text(
        """
[data]
train = ["own.conllu"]
weights = [5]
[[sources]]
path = "near.conllu"
weight = 2
[[sources]]
path = "far.conllu"
sentences = 10
blank = false
[typology]
adjective = "after"
[parser]
beam = 1
[training]
epochs = 2
members = 1
seed = 4
""",
        encoding="utf-8",
    )
    found = pp.run_recipe(files / "mine.toml").model
    order = pp.transfer.Typology.from_values({"adjective": "after"})
    near = blanked(pp.transfer.rewrite_word_order(pp.read_conllu(files / "near.conllu"), order, seed=4)[0])
    far = pp.transfer.rewrite_word_order(
        pp.sample_sentences(pp.read_conllu(files / "far.conllu"), 10, seed=4), order, seed=4
    )[0]
    spec = Recipe.read(files / "mine.toml").resolved().spec()
    options = {"epochs": 2, "members": 1, "seed": 4}
    own = pp.read_conllu(files / "own.conllu")
    expected = pp.train(spec, [near, far, own], treebank_weights=[2, 1, 5], **options)
    assert weights(found) == weights(expected)
    assert set(Recipe.read(files / "mine.toml").inputs()) == {
        str(files / name) for name in ("own.conllu", "near.conllu", "far.conllu")
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[sources]]\nweight = 1\n", r"\[\[sources\]\] number 1: path is missing"),
        ("[[sources]]\npath = 'a'\nweight = 0\n", "weight: expected a number > 0, found 0"),
        ("[[sources]]\npath = 'a'\nblanks = true\n", "did you mean blank"),
        ("[typology]\nadjective = 'after'\n", r"\[typology\]: expected \[\[sources\]\]"),
        ("[[sources]]\npath = 'a'\n[typology]\nadjectiv = 'after'\n", r"\[typology\]: adjectiv: is unknown"),
        ("[[sources]]\npath = 'a'\n[typology]\nlanguage = 3\n", "expected a language, found 3"),
        ("sources = 3\n", "expected tables of sources"),
    ],
)
def test_errors_name_the_place(tmp_path, text, message):
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(pp.SpecError, match=message):
        Recipe.read(tmp_path / "x.toml")


def test_typology_of_a_recipe_names_a_language_and_its_relative():
    related = pp.transfer.Typology.from_language("kmr", related_language="krd")
    assert recipe_typology({"language": "kmr", "like": "krd"}) == related
    assert recipe_typology({"like": "krd"}) == pp.transfer.Typology.from_language("krd")
