"""`panparser glossed`."""

from __future__ import annotations

from pathlib import Path

import pytest

import panparser as pp
from glossed_files import DOGS, flextext, leipzig, toolbox


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("dogs.flextext", flextext(DOGS)), ("dogs.sfm", toolbox(DOGS)), ("dogs.txt", leipzig(DOGS))):
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def test_all_formats(run, files):
    for name in ("dogs.flextext", "dogs.sfm", "dogs.txt"):
        code, out, err = run("glossed", name)
        assert code == 0
        assert [sentence.forms for sentence in pp.parse_conllu(out)] == [
            ["a", "kutyák", "látnak"],
            ["Péter", "házat", "vesz"],
        ]
        shown = [" ".join(line.split()) for line in err.splitlines()]
        assert shown == ["sentences 2", "words 6", "tagged 83.3%", "with a head 0.0%", "glosses unknown 0"]


def test_trees(run, files):
    code, out, err = run("glossed", "dogs.flextext", "--project-trees", "-o", "dogs.conllu")
    assert (code, out) == (0, "")
    assert "with a head      100.0%" in err
    assert pp.read_conllu("dogs.conllu")[0].heads.tolist() == [2, 3, 0]
    assert run("glossed", "dogs.flextext", "--project-trees", "-m", "en")[1] == Path("dogs.conllu").read_text(
        encoding="utf-8"
    )
    assert run("--quiet", "glossed", "dogs.flextext", "--predict-tags", "-o", "dogs.conllu") == (0, "", "")
    assert run("validate", "dogs.conllu", "--level", "1")[0] == 0


def test_a_table_of_ones_own(run, files):
    Path("dogs.txt").write_text("a-b c\nsee-EVIT QQ\n", encoding="utf-8")
    assert "glosses unknown" in run("glossed", "dogs.txt")[2]
    assert run("glossed", "dogs.txt")[2].split("\n")[-3:-1] == ["  EVIT  1", "  QQ  1"]
    Path("mine.toml").write_text('[features]\nEVIT = "Mood=Adm"\n', encoding="utf-8")
    code, out, err = run("glossed", "dogs.txt", "--gloss-table", "mine.toml")
    assert (code, pp.parse_conllu(out)[0][0].feats, "EVIT" in err) == (0, "Mood=Adm", False)


def test_what_cannot_be_done_is_said_in_a_line(run, files):
    before = Path("dogs.txt").read_bytes()
    Path("bad.txt").write_text("a b\nc\n", encoding="utf-8")
    Path("es.flextext").write_text(flextext(DOGS).replace('lang="en"', 'lang="es"'), encoding="utf-8")
    Path("mine.toml").write_text("[features]\nPST = 1\n", encoding="utf-8")
    for arguments, message in (
        (("dogs.txt", "-o", "dogs.txt"), "dogs.txt: is an input file; choose another output file"),
        (("bad.txt",), "bad.txt:2: expected as many glosses as words in line 1, 2; found 1"),
        (("bad.txt", "--input-format", "flextext"), "bad.txt:1: expected well-formed XML"),
        (("nowhere.txt",), "nowhere.txt: cannot be read"),
        (("dogs.txt", "-m", "en"), "--model requires --predict-tags or --project-trees"),
        (("dogs.txt", "--gloss-table", "mine.toml"), "mine.toml: features.PST: expected features"),
        (("es.flextext", "--project-trees"), "--model: expected a pipeline for translations in 'es'"),
    ):
        code, out, err = run("glossed", *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert "Traceback" not in err
    assert Path("dogs.txt").read_bytes() == before
