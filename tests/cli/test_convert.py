"""`panparser convert`."""

from __future__ import annotations

from pathlib import Path

import pytest

import panparser as pp


def test_the_raw_text_of_a_treebank(run, data):
    text = pp.extract_raw_text(pp.read_conllu("dev.conllu")).text
    assert run("convert", "dev.conllu")[:2] == (0, text)
    assert run("convert", "dev.conllu", "-o", "dev.txt")[:2] == (0, "")
    assert Path("dev.txt").read_text() == text
    code, _, err = run("convert", "dev.conllu", "-o", "dev.conllu")
    assert (code, Path("dev.conllu").stat().st_size > 0, "dev.conllu" in err) == (2, True, True)


@pytest.mark.parametrize(
    ("name", "start"), [("a.html", "<!doctype html>"), ("a.svg", "<svg "), ("a.json", "[\n"), ("a.conllu", "# ")]
)
def test_the_suffix_decides_the_format(run, data, name, start):
    assert run("convert", "dev.conllu", "-o", name)[:2] == (0, "")
    assert Path(name).read_text(encoding="utf-8").startswith(start)


@pytest.mark.parametrize("format", ["tree", "horizontal", "vertical", "plaintext", "matxin", "jsonl"])
def test_a_format_by_name(run, data, format):
    code, out, _ = run("convert", "dev.conllu", "--output-format", format)
    assert (code, "The" in out or "the" in out) == (0, True)


@pytest.mark.parametrize("command", ["convert", "parse"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "x.pdf"], "x.pdf: unknown suffix .pdf"),
        (["-o", "x.json", "--output-format", "svg"], "--output-format svg does not match the suffix .json"),
    ],
)
def test_an_output_whose_suffix_does_not_fit_is_refused(run, data, command, arguments, message):
    code, _, err = run(command, "dev.conllu", *arguments)
    assert (code, message in err, Path(arguments[1]).exists()) == (2, True, False)


def test_models_and_trees_have_options_of_their_own(run, parsed):
    for arguments, message in (
        (["a.panparser", "b.panparser", "--projective"], "--projective is only supported for trees"),
        (["a.conllu", "b.conllu", "--beam", "2"], "--beam is only supported for models"),
        (["a.panparser", "b.panparser"], "expected an output file: -o MODEL"),
    ):
        files = [str(parsed / name) if "." in name else name for name in arguments]
        code, _, err = run("combine", *files)
        assert (code, message in err) == (2, True), err
