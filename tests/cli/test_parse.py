"""`panparser parse`: treebanks."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import panparser as pp
from panparser.corpora import sources
from places import ENGLISH


def test_threads_and_blocks_change_no_byte(run, data, model, monkeypatch):
    outputs = set()
    for block in (1 << 18, 5000, 1):
        monkeypatch.setattr(sources, "BLOCK_BYTES", block)
        for threads in (1, 2, 3):
            assert run("parse", "-m", model, ENGLISH, "-o", "out.conllu", "--threads", threads)[0] == 0
            outputs.add(Path("out.conllu").read_bytes())
    assert outputs == {pp.load(model).parse(pp.read_conllu(ENGLISH)).to_bytes()}


def test_standard_input_and_output(model, data):
    command = [sys.executable, "-m", "panparser", "parse", "-m", str(model)]
    done = subprocess.run(command, input=Path("dev.conllu").read_bytes(), capture_output=True, check=True)
    assert done.stdout == pp.load(model).parse(pp.read_conllu("dev.conllu")).to_bytes()
    assert done.stderr == b""


def test_compressed_output_and_beam(run, data, model):
    assert run("parse", "-m", model, "dev.conllu", "-o", "out.conllu.gz", "--beam", "1")[0] == 0
    expected = pp.load(model).parse(pp.read_conllu("dev.conllu"), beam=1).to_bytes()
    assert gzip.decompress(Path("out.conllu.gz").read_bytes()) == expected


def test_several_trees(run, data, model):
    assert run("parse", "-m", model, "dev.conllu", "-o", "out.conllu", "--k-best", "3")[0] == 0
    parser, dev, out = pp.load(model), pp.read_conllu("dev.conllu"), pp.read_conllu("out.conllu")
    position = 0
    for sentence in dev:
        trees = parser.k_best(sentence, 3)
        for rank, tree in enumerate(trees, start=1):
            written = out[position]
            assert written.metadata["tree"] == f"{rank}/{len(trees)}"
            assert float(written.metadata["score"]) == pytest.approx(tree.score, abs=1e-3)
            assert (tuple(written.heads), tuple(written.labels)) == (tree.heads, tree.labels)
            position += 1
    assert position == len(out) > len(dev)
    Path("x.conllx").write_text("1\ta\ta\tN\tN\t_\t0\troot\t_\t_\n\n")
    code, _, err = run("parse", "-m", model, "x.conllx", "--input-format", "conllx", "--k-best", "2")
    assert code == 2
    assert "CoNLL-X has no comments" in err


def test_odd_input(run, data, model):
    Path("empty.conllu").touch()
    assert run("parse", "-m", model, "empty.conllu", "-o", "out.conllu")[0] == 0
    assert Path("out.conllu").read_bytes() == b""
    words = [f"{i}\tword{i}\t_\tTAG{i % 7}\t_\t_\t_\t_\t_\t_" for i in range(1, 5001)]
    Path("long.conllu").write_text("\n".join(words) + "\n\n")
    code, _, err = run("parse", "-m", model, "long.conllu", "-o", "out.conllu")
    assert code == 2
    assert "long.conllu: expected UPOS tags of the training data" in err
    assert "found others in 100.0 % of 5,000 words: TAG1, TAG2" in err
    assert run("parse", "-m", model, "long.conllu", "-o", "out.conllu", "--allow-unseen-tags")[0] == 0
    (sentence,) = pp.read_conllu("out.conllu", single_root=True)
    assert len(sentence) == 5000
    code, _, err = run("parse", "-m", model, "long.conllu", "-o", "out.conllu", "--skip-errors")
    assert code == 0
    assert "warning: expected UPOS tags" in err
    Path("circle.conllu").write_text("1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n")
    code, _, err = run("parse", "-m", model, "circle.conllu", "-o", "out.conllu")
    assert code == 0
    assert f"panparser: warning: expected UPOS tags that {model} was trained on; got others in 100.0 %" in err
    assert run("-q", "parse", "-m", model, "circle.conllu", "-o", "out.conllu") == (0, "", "")
    assert not pp.read_conllu("out.conllu", single_root=True).parse_problems


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "none", "dev.conllu"], "none: expected a model file, or the name of a bundled model: en"),
        (["-m", "dev.conllu", "dev.conllu"], "dev.conllu: expected a panparser model"),
        (["-m", "checkpoint", "dev.conllu"], "tokenizer, lemmatizer), found 'checkpoint'"),
        (["-m", "MODEL", "dev.conllu", "-o", "none/x"], "none/x: cannot be written: No such file or directory"),
        (["-m", "MODEL", "dev.conllu", "-o", "/dev/full"], "/dev/full: cannot be written: No space left on device"),
        (["-m", "MODEL", "none.conllu", "-o", "x"], "none.conllu: cannot be read: No such file or directory"),
        (["-m", "MODEL", "bad.conllu", "-o", "x"], "bad.conllu:3: expected"),
    ],
)
def test_errors_of_parse_are_one_line(run, data, model, arguments, said):
    pp.train(pp.ParserSpec(beam=1), pp.read_conllu("dev.conllu"), epochs=1, checkpoint="checkpoint")
    Path("bad.conllu").write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\ta\n\n")
    before = sorted(os.listdir())
    code, out, err = run("parse", *(model if argument == "MODEL" else argument for argument in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert sorted(os.listdir()) == before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.memory
def test_memory_does_not_grow_with_the_input(data, model):
    # Not ru_maxrss: that survives exec, so it would be the peak of whoever started the process.
    program = "import re, sys; from panparser.cli import main\ntry: main()\n"
    program += "finally: print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"
    peaks = []
    for copies in (20, 160):
        Path("big.conllu").write_bytes(ENGLISH.read_bytes() * copies)
        arguments = ["parse", "-m", str(model), "big.conllu", "-o", "out.conllu", "--beam", "1", "--threads", "2"]
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
        peaks.append(int(done.stderr.split()[-1]))
    assert Path("out.conllu").stat().st_size > 20_000_000
    assert peaks[1] - peaks[0] < 12_000  # kilobytes; the larger file has 20,000 more


STALE = (
    "# sent_id = a\n# tree = 1/3\n# score = -2.5000\n# score of the game = 3\n"
    "1\tcats\t_\tNOUN\t_\t_\t0\troot\t_\tA=b|Confidence=0.10|LabelConfidence=0.10\n\n"
)


@pytest.mark.parametrize("options", [[], ["--k-best", "1"], ["--confidence"]])
def test_what_another_run_said_of_its_trees_does_not_stay(run, data, model, options):
    Path("old.conllu").write_text(STALE)
    assert run("parse", "-m", model, "old.conllu", "-o", "new.conllu", *options)[0] == 0
    (sentence,) = pp.read_conllu("new.conllu")
    assert "# score of the game = 3" in sentence.comments
    ranks = [line for line in sentence.comments if line.startswith("# tree")]
    assert ranks == (["# tree = 1/1"] if "--k-best" in options else [])
    assert "# score = -2.5000" not in sentence.comments
    values = sentence[0].misc_values
    assert values["A"] == "b"
    assert values.get("Confidence") != "0.10"
    assert ("Confidence" in values) == ("--confidence" in options)


def test_heads_that_are_not_sure_are_left_out(run, data, model):
    assert run("parse", "-m", model, "dev.conllu", "--confidence", "-o", "all.conllu")[0] == 0
    options = ("--confidence", "--min-confidence", 0.8)
    assert run("parse", "-m", model, "dev.conllu", *options, "-o", "sure.conllu")[0] == 0
    every, sure = pp.read_conllu("all.conllu"), pp.read_conllu("sure.conllu")
    counts = {True: 0, False: 0}
    for one, other in zip(every, sure, strict=True):
        for token, found in zip(one, other, strict=True):
            is_sure = float(token.misc_values["Confidence"]) >= 0.8
            counts[is_sure] += 1
            assert str(found) == str(token) if is_sure else found.head is None
            assert found.misc_values.keys() == (token.misc_values.keys() if is_sure else found.misc_values.keys())
            assert is_sure or not {"Confidence", "LabelConfidence"} & found.misc_values.keys()
    assert all(counts.values())
    code, _, err = run("parse", "-m", model, "dev.conllu", "--min-confidence", 0.8)
    assert (code, "--min-confidence requires --confidence" in err) == (2, True)


def test_combined_trees_have_no_confidence_of_their_parts(run, data):
    Path("old.conllu").write_text(STALE)
    code, out, _ = run("combine", "old.conllu", "old.conllu")
    assert (code, "Confidence" in out, "# tree" in out) == (0, False, False)


def test_lenient_skips_what_cannot_be_read_or_parsed(run, data, model, monkeypatch):
    whole = Path("dev.conllu").read_text()
    long = "".join(f"{word}\ta\t_\tX\t_\t_\t_\t_\t_\t_\n" for word in range(1, 16_002)) + "\n"
    bad = "1\ta\t_\tX\t_\t_\t9\tdep\t_\t_\n\n"
    first = whole.count("\n")
    Path("bad.conllu").write_text(whole + bad + long + whole)
    assert run("parse", "-m", model, "bad.conllu", "-o", "out.conllu")[0] == 2
    assert not Path("out.conllu").exists()
    for block in (1 << 18, 3000):
        monkeypatch.setattr(sources, "BLOCK_BYTES", block)
        code, _, err = run("parse", "-m", model, "bad.conllu", "-o", "out.conllu", "--skip-errors")
        assert (code, err.splitlines()[:2]) == (
            0,
            [
                f"panparser: bad.conllu:{first + 1}: expected a HEAD up to 1, found 9",
                f"panparser: bad.conllu:{first + 3}: expected at most 16000 words in a sentence, found 16001",
            ],
        )
        assert err.splitlines()[2].startswith("panparser: 2 problems; the rest was parsed (")
        run("parse", "-m", model, "dev.conllu", "-o", "good.conllu")
        assert Path("out.conllu").read_text() == 2 * Path("good.conllu").read_text()
    assert run("-q", "parse", "-m", model, "bad.conllu", "-o", "out.conllu", "--skip-errors")[2] == ""


def test_lenient_skips_sentences_whose_constraints_conflict(run, data, model):
    rows = "1\ta\t_\tX\t_\t_\t{}\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t{}\tdep\t_\t_\n\n"
    Path("x.conllu").write_text(rows.format(0, "_") + rows.format(0, 0) + rows.format("_", 0))
    code, _, err = run("parse", "-m", model, "x.conllu", "--keep", "heads", "-o", "out.conllu", "--skip-errors")
    assert (code, err.count("\n"), "x.conllu:4: " in err) == (0, 2, True), err
    assert [sentence.heads.tolist() for sentence in pp.read_conllu("out.conllu")] == [[0, 1], [2, 0]]
