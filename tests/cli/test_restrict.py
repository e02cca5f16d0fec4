"""`panparser restrict`."""

from __future__ import annotations

import pytest

import panparser as pp


def test_a_parser_without_words_is_where_one_with_words_begins(run, data, models):
    """Delex(X-Lex)+Lex, on the command line."""
    code, out, _ = run("restrict", "-m", models / "b.panparser", "--delexicalized", "-o", "tags.panparser")
    assert code == 0
    lexical, restricted = pp.load(models / "b.panparser"), pp.load("tags.panparser")
    kept = pp.templates("zn11").delexicalized()
    assert f"{len(kept)} of {len(pp.templates('zn11'))} templates" in out
    dev = pp.read_conllu("dev.conllu")
    assert restricted.parse(dev).to_bytes() == lexical.restricted_to(kept).parse(dev).to_bytes()
    assert restricted.parse(dev).to_bytes() != lexical.parse(dev).to_bytes()
    assert run("train", "-t", "train.conllu", "--init", "tags.panparser", "-o", "new.panparser", "--epochs", 1)[0] == 0
    new = pp.load("new.panparser")
    assert new.spec.templates == pp.templates("zn11")
    assert new.training["init"]["restricted"] == [str(template) for template in kept]


def test_a_parser_of_another_language_gets_words(run, data):
    """X-Delex+Lex, on the command line."""
    common = ("-t", "train.conllu", "--epochs", 1, "--beam", 1)
    assert run("train", *common, "--templates", "zn11", "--delexicalized", "-o", "x.panparser")[0] == 0
    assert run("train", *common, "--templates", "zn11", "--init", "x.panparser", "-o", "new.panparser")[0] == 0
    assert set(map(str, pp.load("new.panparser").spec.templates)) == set(map(str, pp.templates("zn11")))


def test_templates_by_name(run, models, tmp_path):
    out = tmp_path / "out.panparser"
    assert run("restrict", "-m", models / "b.panparser", "--templates", "fast", "-o", out)[0] == 0
    kept = [
        template
        for template in pp.templates("zn11")
        if template.atoms in [other.atoms for other in pp.templates("fast")]
    ]
    assert kept
    assert set(map(str, kept)) <= set(pp.load(out).training["restricted"]) < set(map(str, pp.templates("zn11")))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected one of --delexicalized, --delexicalized-feats and --templates"),
        (("--delexicalized", "--templates", "zn11"), "expected one of"),
        (("--templates", "nothing"), "or a file, found 'nothing'"),
    ],
)
def test_what_cannot_be_restricted(run, models, tmp_path, arguments, message):
    out = tmp_path / "out.panparser"
    code, _, err = run("restrict", "-m", models / "b.panparser", *arguments, "-o", out)
    assert (code, out.exists()) == (2, False)
    assert message in err


def test_no_output_replaces_the_model(run, models):
    code, _, err = run("restrict", "-m", models / "b.panparser", "--delexicalized", "-o", models / "b.panparser")
    assert (code, "b.panparser" in err) == (2, True)
