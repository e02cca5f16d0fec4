"""`panparser convert`."""

from __future__ import annotations

from pathlib import Path

import panparser as pp


def test_the_raw_text_of_a_treebank(run, data):
    text = pp.extract_raw_text(pp.read_conllu("dev.conllu")).text
    assert run("convert", "dev.conllu")[:2] == (0, text)
    assert run("convert", "dev.conllu", "-o", "dev.txt")[:2] == (0, "")
    assert Path("dev.txt").read_text() == text
    code, _, err = run("convert", "dev.conllu", "-o", "dev.conllu")
    assert (code, Path("dev.conllu").stat().st_size > 0, "dev.conllu" in err) == (2, True, True)
