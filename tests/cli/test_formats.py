"""Treebanks of all kinds, with every command that reads some."""

from __future__ import annotations

from pathlib import Path

import pytest

import panparser as pp

ROWS = (
    (1, "the", "DET", "def", 2, "det"),
    (2, "cat", "NOUN", "sg|nom", 3, "nsubj"),
    (3, "sleeps", "VERB", "3|sg", 0, "root"),
)
CONLLX = (
    "".join(
        f"{id}\t{form}\t_\t{tag}\t{tag}\t{feats}\t{head}\t{label}\t_\t_\n" for id, form, tag, feats, head, label in ROWS
    )
    + "\n"
)
COMMANDS = [
    ("train", "-t", "x.conll", "-d", "y.conll", "-o", "new.panparser", "--epochs", "1"),
    ("info", "x.conll"),
    ("validate", "x.conll"),
    ("evaluate", "x.conll", "y.conll"),
    ("parse", "-m", "MODEL", "x.conll", "-o", "out.conll"),
    ("analyze", "x.conll", "y.conll", "--frequency-from", "x.conll"),
    ("explain", "-m", "MODEL", "x.conll"),
    ("propagation", "-m", "MODEL", "x.conll"),
    ("weights", "-m", "MODEL", "x.conll", "--class", "LEFT"),
    ("curves", "x.conll", "y.conll", "--sizes", "2,4", "--epochs", "1"),
    ("calibrate", "-m", "MODEL", "x.conll", "-o", "new.panparser"),
    ("combine", "x.conll", "y.conll", "-o", "out.conll"),
    ("combine", "MODEL", "MODEL", "--dev", "x.conll", "-o", "new.panparser"),
    ("rewrite", "x.conll", "--target-language", "fr", "-o", "out.conll"),
    ("languages", "--sample", "x.conll"),
]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("x", "y"):
        Path(f"{name}.conll").write_text(CONLLX * 40)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_conllx_is_read_by_every_command(run, files, model, command):
    arguments = [model if each == "MODEL" else each for each in command]
    code, _, err = run(*arguments)
    assert (code, "is this CoNLL-U or CoNLL-X?" in err) == (2, True)
    code, _, err = run(*arguments, "--input-format", "conllx")
    assert code == 0, err


BLEMISHES = {
    "a byte-order mark": lambda text: b"\xef\xbb\xbf" + text,
    "a blank line too many": lambda text: text + b"\n" + text,
    "the end of the file": lambda text: text.removesuffix(b"\n"),
}


@pytest.mark.parametrize("what", BLEMISHES)
def test_what_hurts_nothing_is_a_warning(run, data, model, what):
    whole = Path("train.conllu").read_bytes()
    Path("bad.conllu").write_bytes(BLEMISHES[what](whole))
    with pytest.warns(pp.errors.ConlluWarning, match=f"bad.conllu:.* found {what}"):
        read = pp.read_conllu("bad.conllu")
    assert [s.forms for s in pp.read_conllu("train.conllu")] == [s.forms for s in read][
        : len(pp.read_conllu("train.conllu"))
    ]
    for command in (
        ["info", "bad.conllu"],
        ["train", "-t", "bad.conllu", "-o", "new.panparser", "--epochs", "1"],
        ["parse", "-m", model, "bad.conllu", "-o", "out.conllu"],
        ["evaluate", "bad.conllu", "bad.conllu"],
    ):
        code, _, err = run(*command)
        assert (code, err.count("panparser: warning: bad.conllu:")) == (0, 1), err
        assert "panparser: warning" not in run("-q", *command)[2]
    assert run("validate", "bad.conllu")[0] == 1


def test_a_mark_within_joined_files_costs_no_sentence(run, data):
    whole = Path("train.conllu").read_bytes()
    Path("marked.conllu").write_bytes(b"\xef\xbb\xbf" + whole)
    with pytest.warns(pp.errors.ConlluWarning):
        both = pp.read_conllu("train.conllu") + pp.read_conllu("marked.conllu")
    assert len(both) == 2 * len(pp.read_conllu("train.conllu"))
    assert both.parse_problems == []


def test_an_empty_form_is_refused_by_the_reader(run, data, pipeline_file):
    Path("bad.conllu").write_text("1\t\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    code, _, err = run("parse", "-m", pipeline_file, "bad.conllu")
    assert (code, err) == (2, "panparser: bad.conllu:1: expected a value or _ in FORM, found nothing\n")


def test_a_malformed_text_is_refused_unless_lenient():
    with pytest.raises(pp.ConlluError, match="<text>:1: expected 10 columns separated by tabs, found one column"):
        pp.parse_conllu("1 cat\n\n")
    assert len(pp.parse_conllu("1 cat\n\n", lenient=True)) == 0


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("plaintext", "They ate.\nHe slept."),
        ("presegmented", "They ate.\nHe slept."),
        ("generic_tokenizer", "They ate. He slept."),
        ("horizontal", "They ate .\nHe slept ."),
        ("vertical", "They\nate\n.\n\nHe\nslept\n.\n"),
    ],
)
def test_formats_of_udpipe(run, tmp_path, format, text):
    (tmp_path / "in.txt").write_text(text, encoding="utf-8")
    arguments = ["parse", str(tmp_path / "in.txt"), "--input-format", format]
    assert run(*arguments, "--output-format", "horizontal")[1] == "They ate .\nHe slept .\n"
    assert run(*arguments, "--output-format", "vertical")[1] == "They\nate\n.\n\nHe\nslept\n.\n\n"
    assert run(*arguments, "--output-format", "matxin")[1].count("<SENTENCE ord=") == 2
