"""`panparser align`."""

from __future__ import annotations

import pytest

import panparser as pp
from parallel import parallel


@pytest.fixture
def files(tmp_path, monkeypatch):
    """a.conllu and b.conllu in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, treebank in zip("ab", parallel(30), strict=False):
        pp.write_conllu(f"{name}.conllu", treebank)
    return tmp_path


def test_align(run, files):
    code, out, _ = run("align", "a.conllu", "b.conllu")
    sides = pp.read_conllu("a.conllu"), pp.read_conllu("b.conllu")
    assert (code, out) == (0, pp.transfer.projection.align_words(*sides).to_text())
    code, said, _ = run("align", "a.conllu", "b.conllu", "-o", "links.txt")
    assert code == 0
    assert "links in 30 sentences; words with a link: " in said
    assert (files / "links.txt").read_text(encoding="utf-8") == out
    strict = pp.transfer.projection.align_words(
        *sides, aligner=pp.transfer.projection.AlignerConfig(min_probability=0.9, tags=False)
    )
    code, out, _ = run("align", "a.conllu", "b.conllu", "--min-probability", "0.9", "--no-tags", "--probabilities")
    assert (code, out) == (0, strict.to_text(probabilities=True))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.conllu", "none.conllu"), "none.conllu"),
        (("a.conllu", "b.conllu", "-o", "b.conllu"), "is an input"),
        (
            ("a.conllu", "b.conllu", "--min-probability", "2"),
            "--min-probability must be in (0, 1]; got 2",
        ),
        (("a.conllu", "short.conllu"), "short.conllu: expected sentence 30 (sent_id s30) as in a.conllu:"),
    ],
)
def test_align_refuses_in_one_line(run, files, arguments, said):
    pp.write_conllu("short.conllu", pp.read_conllu("b.conllu")[:29])
    before = (files / "b.conllu").read_bytes()
    code, out, err = run("align", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert (files / "b.conllu").read_bytes() == before
