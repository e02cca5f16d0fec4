"""Recipes in full, those of the documentation and of all grids among them, and keys of grids are what they were."""

from __future__ import annotations

import tomllib

import pytest

import panparser as pp
from pages import PAGES, blocks, name_of
from panparser.storage.toml_text import to_toml
from places import ROOT
from snapshots import compare, digest, digest_of_values

GRIDS = sorted((ROOT / "benchmarks" / "grids").glob("*.toml"))
VARIANTS = {
    "empty": "",
    "greedy": "[parser]\nbeam = 1\n[training]\nstrategy = 'dynamic-explore'",
    "no patience": "[training]\npatience = 0\nepochs = 3",
    "patience": "[training]\npatience = 7\nseed = 9",
    "seeds": "[training]\nseeds = [3, 1]\nmembers = 2",
    "sizes": "[training]\nmodel_size = '8 MiB'\nprune = 0.5\nmargin = 0.02\nbatch = 16",
    "strategy": "[training.strategy]\nbase = 'max-violation'\nrestart = 'pair'\nexploration = [[1, 0.0], [2, 0.5]]",
    "subsample": "[training]\nsubsample = { share = 0.5, criterion = 'frequency', region = { upos = ['DET'] } }",
    "span": "[parser]\nsystem = { name = 'arc-eager-span', k = 4 }\nroot = 'first'\nlabels = 'universal'",
    "swap": "[parser]\nsystem = { name = 'swap-standard', oracle = 'static-dynamic' }\nsingle_root = false",
    "templates": "[parser]\ntemplates = ['S0.upos B0.upos', 'S0.form']\nlabeled = false\nnonprojective = 'reduce'",
    "delexicalized": "[parser]\ntemplates = 'rich'\ndelexicalized = 'feats'",
    "given": "[parser]\ngiven = true\n[constraints]\nshare = 0.3\nlabels = true",
    "vectors": "[parser]\nvectors = 'words.vec'\ntemplates = ['S0.vector', 'S0.form']",
    "weights": "[data]\ntrain = ['a.conllu', 'b.conllu']\nweights = [1, 2.5]\ndev = 'dev.conllu'\nformat = 'conllx'",
    "sources": "[[sources]]\npath = 'fr.conllu'\nweight = 2\nsentences = 10\n[typology]\nlanguage = 'br'",
    "folds": "[cross_validation]\ncount = 4\noutput = 'folds.conllu'",
    "network": "network = 'bilstm'",
    "feed-forward": "[parser]\nnetwork = 'feed-forward'\nbeam = 4",
    "stack-lstm": "[parser]\nnetwork = 'stack-lstm'\nsystem = 'arc-hybrid'",
    "learning": "[network]\nbase = 'bilstm'\nlayers = 1\ntraining = { patience = 4, updates = 300, rate = 0.01 }",
    "delexicalized network": "[parser]\nnetwork = 'bilstm'\ndelexicalized = true",
    "tags": "[network]\nbase = 'bilstm'\ninputs = [{ column = 'form' }]\ntags = ['upos']\ntag_layer = 1\n[pipeline]",
    "pipeline": "[pipeline]",
    "parts": "[pipeline]\nparts = ['tagger', 'parser']\ntags = 'one-by-one'\nfolds = 0\ntagger_beam = 3",
    "columns": "[pipeline]\ncolumns = ['upos']\ntagger_prune = 1.5\ntokenizer_epochs = 2\nlemmatizer_epochs = 3",
}
FLAGS = {
    "system": ({}, {"system": "arc-hybrid"}, {}),
    "network": ({}, {"network": "feed-forward"}, {"epochs": 3}),
    "seed": ({"train": ("c.conllu",)}, {"beam": 2, "root": "last"}, {"seed": 4, "patience": 0}),
}


def texts(values):
    """The recipe of plain values in full, as TOML; of a cascade, and those of its stages."""
    if "stages" in values:
        recipe = pp.recipes.CascadeRecipe.from_values(values)
        return [to_toml(recipe.to_values()), *(texts(each.to_values()) for each in recipe.recipes)]
    return pp.Recipe.from_values(values).resolved().to_toml()


def recipes_of_pages():
    """All recipes in blocks of the documentation by page and number; grids have tests of their own."""
    for page in PAGES:
        tables = [tomllib.loads(block.code) for block in blocks(page) if block.kind == "toml"]
        recipes = [each for each in tables if each.keys() & {"parser", "training", "network", "pipeline", "sources"}]
        for number, values in enumerate(recipes, start=1):
            yield f"{name_of(page)} {number}", values


def test_variants_of_recipes():
    found = {name: digest(texts(tomllib.loads(text))) for name, text in VARIANTS.items()}
    recipe = pp.Recipe.from_values(tomllib.loads("\n".join(VARIANTS[name] for name in ("span", "seeds", "weights"))))
    for name, flags in FLAGS.items():
        found[f"with flags, {name}"] = digest(recipe.with_flags(*flags).resolved().to_toml())
    compare("recipes", found)


def test_recipes_of_pages():
    found = {name: digest_of_values(texts(values)) for name, values in recipes_of_pages()}
    assert len(found) > 8
    compare("recipes_of_pages", found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where grids find what they read: treebanks of one sentence."""
    place = tmp_path_factory.mktemp("grids")
    line = "1\tword\tword\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    for name in ("t1", "t2", "hu", "fr_sequoia", "sv_lines", "got", "ta", "el", "tr", "en", "ga", "vi", "fr"):
        (place / name).mkdir()
        for part in ("train", "dev", "test"):
            (place / name / f"{part}.conllu").write_text(f"# {name} {part}\n{line}", encoding="utf-8")
    return place


def runs_of(values, folder):
    """The runs of a grid on a few of the treebanks."""
    names = values["axes"].get("treebank")
    only = names.get("only") if isinstance(names, dict) else None
    axes = {**values["axes"], "treebank": {"folder": str(folder), "only": only or ["t1", "t2"]}}
    return pp.lab.Grid.from_values({"name": "grid", **values, "axes": axes}, folder=folder).runs


def test_recipes_and_keys_of_grids(folder):
    """Of a run: its recipe in full, and the part of its key that does not depend on the build."""
    grids = {path.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in GRIDS}
    for page in PAGES:
        tables = [tomllib.loads(block.code) for block in blocks(page) if block.kind == "toml"]
        grids |= {f"{name_of(page)} {i}": table for i, table in enumerate(tables) if "axes" in table}
    assert len(grids) > len(GRIDS) > 5
    found = {}
    for name, values in grids.items():
        for number, run in enumerate(runs_of(values, folder), start=1):
            recipe = pp.Recipe.from_values(run.identity["recipe"])
            found[f"{name} {number}"] = [digest(recipe.to_toml()), run.content[:16]]
    compare("grids", found)
