"""Which files are parsed, and what becomes of their names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import panparser as pp
from panparser.corpora.file_pairs import output_name, pairs


@pytest.mark.parametrize(
    ("name", "shown", "expected"),
    [
        ("a/b.txt", "conllu", "a/b.conllu"),
        ("a.b.TXT", "conllu", "a.b.conllu"),
        ("a.conllu.gz", "json", "a.json.gz"),
        ("a.dat", "conllu", "a.dat.conllu"),
        ("a", "tree", "a.tree"),
        ("a.txt.XZ", "matxin", "a.xml.XZ"),
    ],
)
def test_names_of_outputs(name, shown, expected):
    assert output_name(name, shown) == expected


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("texts/a.txt", "texts/sub/b.conllu", "texts/.hidden/c.txt", "texts/.d.txt", "texts/e.pdf", "f.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    Path("texts/circle").symlink_to("..", target_is_directory=True)
    return tmp_path


def test_folders_are_mirrored(texts):
    os.unlink("texts/circle")
    made, left_out = pairs(["texts/", "f.txt"], "out", "conllu", any_ending=False)
    assert {pair.input: pair.output for pair in made} == {
        "texts/a.txt": "out/a.conllu",
        "texts/sub/b.conllu": "out/sub/b.conllu",
        "f.txt": "out/f.conllu",
    }
    assert left_out == ["texts/e.pdf"]
    assert made[1].record == "out/.panparser/sub/b.conllu.json"
    made, left_out = pairs(["texts"], "out", "conllu", any_ending=True)
    assert [pair.output for pair in made] == ["out/a.conllu", "out/e.pdf.conllu", "out/sub/b.conllu"]
    assert not left_out


def test_links_in_circles_end(texts):
    made, _ = pairs(["texts"], "out", "conllu", any_ending=False)
    assert {Path(pair.input).name for pair in made} == {"a.txt", "b.conllu", "f.txt"}


def test_what_would_be_lost_is_refused(texts):
    os.unlink("texts/circle")
    Path("texts/a.conllu").touch()
    with pytest.raises(pp.SpecError, match=r"texts/a\.conllu and texts/a\.txt would both be written to a\.conllu"):
        pairs(["texts"], "out", "conllu", any_ending=False)
    for folder in ("texts", "texts/out", "../" + texts.name + "/texts/sub"):
        with pytest.raises(pp.SpecError, match=r"is in texts, which is read: choose a folder outside it"):
            pairs(["texts"], folder, "json", any_ending=False)
    with pytest.raises(pp.SpecError, match=r"texts/a\.conllu: is an input file; choose another output folder"):
        pairs(["texts/a.conllu"], "texts", "conllu", any_ending=False)
    pairs(["texts/sub"], "texts", "conllu", any_ending=False)  # beside what is read
