"""`panparser languages`."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from places import ENGLISH


def test_a_language(run):
    code, out, _ = run("languages", "fr")
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 13
    assert lines[3].split(maxsplit=2) == ["adjective", "after", "WALS 87A of French (fre)"]
    assert "known from" in lines[0]


def test_what_is_not_known_is_left_empty(run):
    lines = run("languages", "kmr")[1].splitlines()
    assert lines[1] == "adposition"
    assert "a relative" in run("languages", "kmr", "--related-language", "krd")[1].splitlines()[1]


def test_json(run):
    values = json.loads(run("languages", "fr", "--json")[1])
    assert values["adjective"] == {"value": 0.0, "source": "WALS 87A of French (fre)"}
    assert values["definite_article"]["value"] == "present"


def test_a_file_to_correct(run, tmp_path):
    code, out, _ = run("languages", "--sample", ENGLISH, "--toml")
    assert code == 0
    path = tmp_path / "en.toml"
    path.write_text(out)
    measured, read = pp.transfer.Typology.from_treebank(pp.read_conllu(ENGLISH)), pp.transfer.Typology.read(path)
    assert [trait.name for trait in read] == [trait.name for trait in measured]
    assert read.get("adposition") == pytest.approx(measured.get("adposition"), abs=1e-4)
    assert run("languages", "--typology", path, "--toml")[1] == out
    assert run("languages", "fr", "--typology", path)[1].count("en.toml") == len(measured)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "expected a language, --related-language, --typology or --sample"),
        (("Frensh",), "did you mean French (fre)"),
        (("isl",), "is International Sign in WALS and Icelandic in ISO 639-3"),
        (("fr", "--toml", "--json"), "--toml cannot be used with --json"),
        (("--sample", "none.conllu"), "none.conllu: cannot be read"),
    ],
)
def test_refusals_are_one_line(run, arguments, said):
    code, out, err = run("languages", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
