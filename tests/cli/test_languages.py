"""`panparser languages`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def write(name: str, *sentences: str) -> str:
    lines = []
    for text in sentences:
        lines += [f"{n}\tw\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, tag in enumerate(text.split(), start=1)]
        lines.append("\n")
    Path(name).write_text("".join(lines), encoding="utf-8")
    return name


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    target = write("target.conllu", "DET NOUN VERB", "NOUN VERB")
    return target, [
        write("far.conllu", "VERB NOUN DET"),
        write("near.conllu", "DET NOUN VERB", "NOUN VERB", "NOUN VERB"),
        write("middle.conllu", "DET NOUN VERB _", "VERB"),
    ]


def test_sources_are_ranked(run, files):
    target, sources = files
    code, out, err = run("languages", target, *sources)
    assert code == 0
    header, *rows = (line.split() for line in out.splitlines())
    assert header == ["rank", "source", "KL", "weight", "sentences"]
    assert [row[:2] for row in rows] == [["1", "near.conllu"], ["2", "middle.conllu"], ["3", "far.conllu"]]
    assert rows[0][4] == "3"
    assert err == "panparser: warning: middle.conllu: 1 of 5 words have no tag (UPOS), and are left out\n"
    assert len(run("languages", target, *sources, "--limit", "1")[1].splitlines()) == 2


def test_weights_have_as_many_digits_in_all_rows(run, files):
    for power in (1, 4, 40):
        _, out, _ = run("languages", files[0], *files[1], "--exponent", power)
        weights = [line.split()[3] for line in out.splitlines()[1:]]
        assert len({("e" in weight, len(weight.partition("e")[0].partition(".")[2])) for weight in weights}) == 1


def test_ranks_as_json(run, files):
    target, sources = files
    code, out, _ = run("languages", target, *sources, "--json", "--limit", "2", "--exponent", "4")
    found = json.loads(out)
    assert code == 0
    assert [each["path"] for each in found] == ["near.conllu", "middle.conllu"]
    assert [each["index"] for each in found] == [1, 2]
    assert found[0]["weight"] == pytest.approx(found[0]["divergence"] ** -4)


def test_what_cannot_be_ranked(run, files):
    target, sources = files
    write("bare.conllu", "_ _")
    code, out, err = run("languages", target, *sources, "bare.conllu")
    assert (code, out) == (2, "")
    assert err == "panparser: bare.conllu: expected words with tags (UPOS), found none\n"
    Path("empty.conllu").touch()
    assert "empty.conllu: expected sentences, found none" in run("languages", "empty.conllu", *sources)[2]
    Path("nothing").mkdir()
    assert "nothing: expected a folder with treebanks (.conllu), found none" in run("languages", target, "nothing")[2]
    assert run("languages", target, *sources, "--exponent", "-1")[0] == 2


def test_a_folder_stands_for_its_treebanks(run, files):
    target, sources = files
    Path("some").mkdir()
    for source in sources:
        Path(source).rename(Path("some") / source)
    code, out, _ = run("languages", target, "some")
    assert code == 0
    assert [Path(line.split()[1]).name for line in out.splitlines()[1:]] == [
        "near.conllu",
        "middle.conllu",
        "far.conllu",
    ]
