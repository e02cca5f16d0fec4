"""`panparser annotate` without its page: what it refuses, what it exports, how it compares."""

from __future__ import annotations

import csv
import json
import re

import pytest

import panparser as pp
from panparser.annotate.effort import FIELDS
from panparser.annotate.session import AnnotationSession
from places import DATA

ROWS = "# sent_id = 1\n1\tbig\t_\tADJ\t_\t_\t_\t_\t_\t_\n2\tdogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "work.conllu"
    path.write_text(ROWS, encoding="utf-8")
    return path


def annotated(path, *edits):
    """A file in which somebody did this."""
    path.write_text(ROWS, encoding="utf-8")
    with AnnotationSession(path, train=False, annotator="ann") as session:
        for edit in edits:
            session.edit(0, session.view(0)["version"], edit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.conllu"], "nothing.conllu: cannot be read"),
        (
            ["work.conllu", "-m", "en", "--source-treebanks", "x"],
            "--model cannot be used with --source-treebanks",
        ),
        (["work.conllu", "-m", "nothing.panparser"], "nothing.panparser"),
        (["work.conllu", "--text", "work.conllu"], "work.conllu: exists already"),
        (["new.conllu", "--text", "nothing.txt"], "nothing.txt"),
        (["work.conllu", "--source-treebanks", "nothing/"], "nothing"),
        (["work.conllu", "--shortcuts", "nothing.json"], "nothing.json"),
        (["work.conllu", "--export-edits", "edits.csv"], "work.conllu: has no journal"),
        (["work.conllu", "--export-edits", "work.conllu"], "is an input file; choose another output file"),
        (["work.conllu", "--agreement", "nothing.conllu"], "nothing.conllu"),
        (["empty.conllu"], "empty.conllu: no sentences to annotate"),
        (["work.conllu", "--host", "256.1.1.1"], "cannot listen on this address"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(run, file, monkeypatch, arguments, message):
    monkeypatch.chdir(file.parent)
    file.with_name("empty.conllu").touch()
    code, _, errors = run("annotate", *arguments, "--no-browser")
    assert code == 2
    assert message in errors
    assert len(errors.splitlines()) == 1
    assert file.read_text() == ROWS


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_a_combination_is_refused(run, file, in_pipeline):
    parser = pp.train(pp.ParserSpec(beam=1), pp.read_conllu(DATA / "english.conllu")[:5], epochs=1)
    model = pp.CombinedParser([parser, parser])
    (pp.Pipeline(parser=model) if in_pipeline else model).save(file.with_name("model"))
    code, _, errors = run("annotate", file, "-m", file.with_name("model"), "--no-browser")
    assert code == 2
    assert "expected a single parser, or a pipeline with one, to annotate with, found CombinedParser" in errors


def test_a_file_that_is_open_elsewhere_is_refused_with_its_address(run, file):
    with AnnotationSession(file, train=False, address="http://127.0.0.1:8010/"):
        code, _, errors = run("annotate", file, "--no-browser")
    assert code == 2
    assert "is being annotated at http://127.0.0.1:8010/" in errors


def test_edits_are_exported(run, file):
    annotated(file, {"edit": "head", "word": 1, "head": 2}, {"edit": "note", "text": "sic, \u201cé\u201d"})
    target = file.with_name("edits.csv")
    code, _, errors = run("annotate", file, "--export-edits", target)
    assert (code, errors) == (0, f"panparser: {target}: 2 edits\n")
    with target.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["user"], row["sentence"], row["sent_id"], row["word"]) for row in rows] == [
        ("ann", "1", "1", "1"),
        ("ann", "1", "1", ""),
    ]
    assert [json.loads(row["detail"]) for row in rows] == [{"head": 2}, {"text": "sic, \u201cé\u201d"}]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", rows[0]["time"])


def test_edits_are_exported_as_lines_of_json(run, file):
    split = {"edit": "split", "word": 2, "forms": ["do", "gs"]}
    annotated(file, split, {"edit": "relabel", "places": [[0, 1]], "label": "amod"})
    target = file.with_name("edits.jsonl")
    assert run("annotate", file, "--export-edits", target)[0] == 0
    first, *more = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert list(first) == list(FIELDS)
    assert (first["edit"], first["sent_id"], first["word"]) == ("split", "1", 2)
    assert first["detail"] == {"forms": ["do", "gs"]}
    assert [each["detail"] for each in more] == [{"label": "amod", "places": [[1, 1]], "reason": ""}]


def test_two_annotators_are_compared(run, tmp_path):
    arcs = [
        {"edit": "arc", "word": 1, "head": 2, "label": "amod"},
        {"edit": "arc", "word": 2, "head": 0, "label": "root"},
    ]
    one, two = tmp_path / "one.conllu", tmp_path / "two.conllu"
    annotated(one, *arcs)
    annotated(two, {**arcs[0], "label": "det"}, arcs[1])
    code, printed, _ = run("annotate", one, "--agreement", two)
    assert code == 0
    assert "same head (UAS)               100.00" in printed
    assert "same head and relation (LAS)   50.00" in printed
    assert printed.endswith("       1     1  big   label  amod   det\n")


# --- Shortcuts ---


def read(tmp_path, values):
    from panparser.annotate.page_support import read_shortcuts

    path = tmp_path / "keys.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    return read_shortcuts(path)


def test_both_formats_of_conllu_editor_are_read(tmp_path):
    second = {"version": 2, "shortcuts": {"s": {"DEP": "nsubj"}, "N": {"UPOS": "NOUN"}, ":p": {"FEATS": "Number=Plur"}}}
    assert read(tmp_path, second) == {"s": {"DEP": "nsubj"}, "N": {"UPOS": "NOUN"}, ":p": {"FEATS": ["Number=Plur"]}}
    first = {"comment": "", "deplabel": {"s": "nsubj"}, "upos": {"AV": "ADV"}, "xpos": {"k": ["verbnoun", "NOUN"]}}
    assert read(tmp_path, first) == {
        **{"s": {"DEP": "nsubj"}, "AV": {"UPOS": "ADV"}},
        "k": {"XPOS": "verbnoun", "UPOS": "NOUN"},
    }


@pytest.mark.parametrize(
    "values", [[], {}, {"shortcuts": []}, {"shortcuts": {"s": "nsubj"}}, {"shortcuts": {"s": {"DEP": 1}}}, {"upos": 3}]
)
def test_other_files_are_no_shortcuts(tmp_path, values):
    with pytest.raises(pp.SpecError, match=r"keys\.json"):
        read(tmp_path, values)


def test_own_shortcuts_are_all_known():
    from panparser.annotate.page_support import DEFAULT
    from panparser.treebank.universal import RELATIONS, UPOS

    assert {each["DEP"] for each in DEFAULT.values() if "DEP" in each} <= RELATIONS
    assert {each["UPOS"] for each in DEFAULT.values() if "UPOS" in each} == UPOS
    assert not set("rx.!=;,/&?[") & DEFAULT.keys()
