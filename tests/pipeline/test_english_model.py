"""The English models that come with panparser."""

from __future__ import annotations

import re

import pytest

import panparser as pp
from panparser.pipeline import bundled_models as bundled
from places import ENGLISH


@pytest.fixture(scope="module")
def nlp():
    return pp.load("en")


@pytest.mark.parametrize("name", bundled.bundled())
def test_it_knows_english(name):
    """Weights that do not fit the features that the engine sees would be no better than chance."""
    nlp = pp.load(name)
    gold = pp.read_conllu(ENGLISH)
    found = gold.copy()
    nlp.annotate(found)
    scores = pp.evaluate(gold, found, bootstrap_samples=0)
    assert scores["UPOS"].f1 > 93
    assert scores["Lemmas"].f1 > 93
    assert scores["UAS"].f1 > 84
    raw = pp.evaluate(gold, nlp(pp.extract_raw_text(gold).text), bootstrap_samples=0)
    assert raw["Tokens"].f1 > 97


def test_the_first_example(nlp):
    doc = nlp("They ate the pizza with anchovies.")
    assert [token.lemma for token in doc[0]] == ["they", "eat", "the", "pizza", "with", "anchovy", "."]
    assert doc[0].heads.tolist()[:4] == [2, 0, 4, 2]
    assert doc.draw().splitlines()[-3].split()[:2] == ["They", "ate"]


def test_commands_take_it_where_no_model_is_named(run, nlp, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("parse", "--text", "They ate.")
    assert (code, err) == (0, "")
    assert out == nlp("They ate.").to_bytes().decode()
    assert run("parse", "-m", "en", "--text", "They ate.") == (code, out, err)
    code, out, _ = run("info", "en")
    assert code == 0
    assert "lemmatizer" in out


@pytest.mark.parametrize("name", bundled.bundled())
def test_the_card_tells_of_the_file(name):
    nlp = pp.load(name)
    path = bundled.MODELS / f"{name}.panparser"
    card = (bundled.MODELS / f"{name}.md").read_text(encoding="utf-8")
    assert card.startswith(f"# {name}: ")
    assert re.search(rf"\| file \| {path.stat().st_size / 1e6:.1f} MB \|", card)
    assert f"{nlp.training['words']:,} words" in card
    assert "CC BY-SA 4.0" in card
    assert (bundled.MODELS / "LICENSE.CC-BY-SA-4.0").exists()


def test_they_are_small():
    assert sum(path.stat().st_size for path in bundled.MODELS.glob("*.panparser")) <= 26_000_000


def test_they_divide_text_in_the_same_way(nlp):
    expected = nlp.tokenizer.to_arrays()
    for name in bundled.bundled():
        found = pp.load(name).tokenizer.to_arrays()
        assert {key: array.tobytes() for key, array in found.items()} == {
            key: array.tobytes() for key, array in expected.items()
        }
