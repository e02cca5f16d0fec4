"""Other parsers beside Table 2: MaltParser's files and command line, with a program in place of Java."""

from __future__ import annotations

import importlib
import os
import sys

import pytest

import panparser as pp
from grids import write_treebanks
from places import ROOT

JAVA = """#!{python}
import sys
arguments = sys.argv[1:]
options = dict(zip(arguments[3::2], arguments[4::2]))
assert arguments[0].startswith("-Xmx") and arguments[1] == "-jar" and arguments[2].endswith("malt-9.jar"), arguments
assert options["-c"] == "model", arguments
with open({log!r}, "a") as log:
    print(*arguments, file=log)
lines = open(options["-i"], encoding="utf-8").read().split("\\n")
words = [line.split("\\t") for line in lines]
assert all(len(word) in (1, 10) and " " not in "".join(word) for word in words), "not CoNLL-X"
if options["-m"] == "learn":
    assert options["-a"] == "nivreeager" and options["-l"] == "liblinear"
    assert any(word[6] not in ("_", "0") for word in words if len(word) > 1)
    open("model.mco", "w").close()
else:
    open("model.mco").close()
    assert all(word[6] == "_" for word in words if len(word) > 1), "trees of the test set"
    with open(options["-o"], "w", encoding="utf-8") as output:
        for word in words[:-1]:
            if len(word) > 1:
                word[6:8] = [str(int(word[0]) - 1), "ROOT" if word[0] == "1" else "dep"]
            print(*word, sep="\\t", file=output)
"""
TEXT = """# sent_id = 1
1-2\tdu monde\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t2\tcase\t_\t_
2\tle monde\tle monde\tNOUN\tN N\tGender=Masc\t0\troot\t_\tX=1
2.1\tempty\t_\t_\t_\t_\t_\t_\t_\t_

"""
X = """1\tde\tde\tADP\tADP\t_\t2\tcase\t_\t_
2\tle_monde\tle_monde\tNOUN\tN_N\tGender=Masc\t0\troot\t_\t_

"""


@pytest.fixture
def malt(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("peer_malt")


def lines(text):
    return iter(text.splitlines(keepends=True))


def test_conllx_has_words_alone(malt):
    assert "".join(malt.conllx(lines(TEXT))) == X


def test_trees_come_back_word_by_word(malt):
    found = "".join(
        malt.with_trees(
            lines(TEXT), lines(X.replace("2\tcase", "0\troot").replace("0\troot\t_\t_\n\n", "1\tx\t_\t_\n\n"))
        )
    )
    assert found == TEXT.replace("2\tcase", "0\troot").replace("0\troot\t_\tX", "1\tx\t_\tX")
    with pytest.raises(ValueError, match="expected word 2, found none"):
        "".join(malt.with_trees(lines(TEXT), lines(X.splitlines(keepends=True)[0])))
    with pytest.raises(ValueError, match="expected no more words"):
        "".join(malt.with_trees(lines(TEXT), lines(X + X)))


@pytest.mark.skipif(os.name == "nt", reason="a script in place of Java")
def test_maltparser_stands_beside_table2(malt, tmp_path, monkeypatch, capfd):
    treebanks, log = write_treebanks(tmp_path / "treebanks"), tmp_path / "log"
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(JAVA.format(python=sys.executable, log=str(log)))
    java.chmod(0o755)
    (tmp_path / "malt-9.jar").touch()
    monkeypatch.setenv("PATH", f"{java.parent}{os.pathsep}{os.environ['PATH']}")
    script = importlib.import_module("table2_peers")
    results = tmp_path / "results"
    words = [str(treebanks), "--no-udpipe", "--malt", str(tmp_path / "malt-9.jar"), "--results", str(results)]
    monkeypatch.setattr(sys, "argv", ["table2_peers.py", *words, "--treebanks", "t1"])
    script.main()
    monkeypatch.setattr(sys, "argv", ["table2_peers.py", *words])
    script.main()  # what is there is not made again
    assert len(log.read_text().splitlines()) == 4
    assert capfd.readouterr().out.count("MaltParser, t1: UAS ") == 1
    found = pp.lab.GridResults.read(results)
    assert found.axes["system"] == ("MaltParser",)
    gold = pp.read_conllu(treebanks / "t2" / "test.conllu")
    starts = gold.offsets[:-1].repeat(gold.offsets[1:] - gold.offsets[:-1])
    chain = 100 * float((gold.heads == range(gold.words) - starts).mean())
    row = next(row for row in found.finished_runs if row.labels["treebank"] == "t2")
    assert row.outcome.score("test", "UAS") == pytest.approx(chain, abs=1e-4)
    assert row.outcome.facts["sentences"] == 15


def test_without_java_it_says_so(malt, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="MaltParser needs Java"):
        malt.run(tmp_path / "malt.jar", tmp_path, "parse")
