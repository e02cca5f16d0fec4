"""The checker of wordings: each rule hits and spares what it should; budgets only fall."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import import_module

import pytest

from places import ROOT

sys.path.append(str(ROOT / "tools"))
check_voice = import_module("check_voice")
RULES = check_voice.RULES


def python_rules(source, path="src/module.py"):
    """Return the rules that a Python module breaks."""
    return {hit.rule for hit in check_voice.file_hits(source, path)}


def function(docstring):
    return f'def read_links():\n    """{docstring}"""\n'


HITS = {
    "doc-question-word": function("What was read."),
    "doc-yes-no": function("Is a step enabled?"),
    "doc-third-person": function("Returns the links."),
    "came-of": function("Return what came of the run."),
    "tell": function("Return a text that tells the user of it."),
    "say": "# the file says so\n",
    "hear": "# listeners hear of an epoch\n",
    "want": "# the caller wants a copy\n",
    "persons": function("Close the file that nobody reads."),
    "whatever": "# whatever the order\n",
    "so-many": "# reads so many words\n",
    "goes-on": "# training goes\n",  # replaced below: the phrase spans two lines
    "anew": "# draws the sample anew\n",
    "those-of": function("Return the heads and those of the gold tree."),
    "of-it": function("Read the file, or half of it."),
    "there-is-none": function("Return the model, None if there is none."),
    "what-is": function("Return what is left."),
    "negated-generality": function("Return nothing but the heads."),
    "or-else": function("Read the cache, or else the file."),
    "is-to-be": function("Return the file that is to be read."),
    "beside": function("Write a file beside the model."),
    "ours": "# not ours\n",
    "house-words": "# the rooms of the package\n",
    "is-for": 'raise ValueError("--lexicon is for the tagger")\n',
    "known-are": 'raise ValueError(f"unknown option; known are {names}")\n',
    "argument-of": 'raise ValueError(f"{name} of train must be a number; got {value}")\n',
    "bounds": 'raise ValueError("train: rate must be above 0")\n',
    "help-opening": 'Option(help="Where it lies.")\n',
    "help-length": f'Option(help="{"A file. " * 12}")\n',
    "name-participle": "found = 1\n",
    "name-telling": "def tell_page(): pass\n",
    "name-pronoun": "for each in words: pass\n",
    "name-preposition": "def of_words(): pass\n",
    "name-one-word": "def _links(): pass\n",
    "name-predicate": "def legal() -> bool: pass\n",
    "name-class": "class Asked: pass\n",
    "name-number": "_FEW = 10\n",
    "name-test-length": f"def test_{'long_' * 20}name(): pass\n",
}
HITS["goes-on"] = function("Continue where training goes\n    on.")
MISSES = {
    "doc-question-word": function("Return what."),
    "doc-yes-no": function("Return whether a step is enabled."),
    "doc-third-person": 'class A:\n    @cached_property\n    def scores(self):\n        """Scores of all words."""\n',
    "came-of": function("Return the outcome, which becomes the result."),
    "tell": function("Return a text for the user."),
    "say": "# the file states it\n",
    "hear": "# listeners receive events of an epoch by heart\n",
    "want": "# the caller needs a copy\n",
    "persons": function("Close the file that no thread reads."),
    "whatever": "# any order, however long\n",
    "so-many": "# reads as many words as the other, as well as many sentences\n",
    "goes-on": "# training continues; it goes once\n",
    "anew": "# draws the sample again\n",
    "those-of": function("Return the heads, which those."),
    "of-it": function("Read half of the file."),
    "there-is-none": function("Return the model, None if no file exists."),
    "what-is": function("Return the remaining words, whatis."),
    "negated-generality": function("Return only the heads."),
    "or-else": function("Read the cache or the file."),
    "is-to-be": function("Return the file to read."),
    "beside": function("Write a file next to the model."),
    "ours": "# not of panparser; hours\n",
    "house-words": "# the packages; room for one more; recommend\n",
    "is-for": 'raise ValueError("--lexicon requires a tagger")\n',
    "known-are": 'raise ValueError(f"unknown option; expected one of {names}")\n',
    "argument-of": 'raise ValueError(f"train: {name} must be a number; got {value}")\n',
    "bounds": 'raise ValueError("train: rate must be > 0")\n',
    "help-opening": 'Option(help="Folder of the models.")\n',
    "help-length": f'Option(help="{"A file. " * 10}")\n',
    "name-participle": "gold = expected = self.labeled = seed = 1\n",
    "name-telling": "def report_page(): task = 1\n",
    "name-pronoun": "for word in words: pass\n",
    "name-preposition": "def from_words(): pass\ndef on_epoch(): pass\ndef at_least(): pass\n",
    "name-one-word": "def _read_links(): pass\ndef _main(): pass\n",
    "name-predicate": "def is_legal() -> bool: pass\ndef matches() -> bool: pass\ndef __eq__() -> bool: pass\n",
    "name-class": "class Request: pass\n",
    "name-number": 'MIN_WORDS = 10\n_TICK_SECONDS = 0.5\nNAME = "ten"\nPAIR = (1, 2)\nI = 1\n',
    "name-test-length": "def test_a_short_name(): pass\n",
}


def test_every_rule_has_cases():
    assert set(HITS) == set(MISSES) == set(RULES)
    assert all(rule.instead for rule in RULES.values())


@pytest.mark.parametrize("rule", RULES)
def test_rule_hits_and_spares(rule):
    assert rule in python_rules(HITS[rule])
    assert rule not in python_rules(MISSES[rule])


def test_strings_that_are_not_messages_are_not_read():
    assert "say" in python_rules('print(f"the file {name} says so")\n')
    assert "say" not in python_rules('print("says")\n')  # a name or a key
    assert "say" not in python_rules('print("the file says so")\n', "tests/test_module.py")
    assert "say" not in python_rules('text = "# the file says so"  # a comment\n', "tests/test_module.py")


def test_names_of_tests_are_read_as_words():
    assert python_rules("def test_nobody_reads(): pass\n") == {"persons"}


@pytest.mark.parametrize("path", ["engine/a.hpp", "engine/a.cpp", "src/a.js"])
def test_comments_strings_and_names_of_code(path):
    declaration = "const each = 1;" if path.endswith("js") else "const auto each = 1;"
    lines = [
        "// whoever reads",
        "/* nobody */",
        " * that tells",
        declaration,
        'text("nobody");',
        'text("that nobody reads");',
    ]
    hits = list(check_voice.file_hits("\n".join(lines), path))
    assert [(hit.rule, hit.line) for hit in hits] == [
        ("persons", 1),
        ("whatever", 1),
        ("persons", 2),
        ("tell", 3),
        ("name-pronoun", 4),
        ("persons", 6),
    ]


def test_pages_are_read_without_code_and_addresses():
    page = "It says so.\n`it says so` [page](says.md) <!-- says -->\n```sh\nsays\n```\nsaid\n"
    assert [hit.line for hit in check_voice.file_hits(page, "docs/page.md")] == [1, 6]


def test_excuse_needs_a_reason():
    assert not python_rules("found = 1  # voice: ok (the key of a file format)\n")
    assert python_rules("found = 1  # voice: ok\n") == {"name-participle"}
    doc = '"""Links.\n\nThe file says so.\n"""'
    assert [hit.line for hit in check_voice.file_hits(doc, "src/a.py")] == [3]
    assert not python_rules(doc + "  # voice: ok (quoted)\n")
    assert not list(check_voice.file_hits("It says so. <!-- voice: ok (quoted) -->", "docs/a.md"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one module and a budget of two hits, committed."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tools").mkdir()
    (tmp_path / "src" / "module.py").write_text("found = 1\nkept = 2\n")
    monkeypatch.setattr(check_voice, "ROOT", tmp_path)
    monkeypatch.setattr(check_voice, "BUDGETS", tmp_path / "tools" / "voice_budgets.json")
    check_voice.main(["--lower"])
    return tmp_path


def budget():
    return json.loads(check_voice.BUDGETS.read_text())["name-participle"]


def test_equal_counts_pass_and_lower_ones_ask_for_a_lower_budget(project, capsys):
    assert budget() == 2
    assert check_voice.main([]) == 0
    (project / "src" / "module.py").write_text("found = 1\n")
    assert check_voice.main([]) == 1
    assert "name-participle 2 -> 1; run `python tools/check_voice.py --lower`" in capsys.readouterr().out
    assert check_voice.main(["--lower"]) == 0
    assert budget() == 1


def test_budgets_never_rise(project, capsys):
    (project / "src" / "module.py").write_text("found = 1\nkept = 2\ngiven = 3\n")
    assert check_voice.main(["--lower"]) == 1
    assert budget() == 2
    assert "name-participle: 3 hits, budget 2; write instead: a noun" in capsys.readouterr().out


def test_list_prints_all_hits_of_a_rule(project, capsys):
    capsys.readouterr()
    assert check_voice.main(["--list", "name-participle"]) == 0
    assert capsys.readouterr().out == "src/module.py:1: found = 1\nsrc/module.py:2: kept = 2\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_new_lines_are_listed(project, capsys):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "start"]):
        subprocess.run(["git", *arguments], cwd=project, check=True)
    capsys.readouterr()
    (project / "src" / "module.py").write_text("found = 1\nmodel = 0\nkept = 2\ngiven = 3\n")
    (project / "src" / "new.py").write_text("chosen = 1\n")
    assert check_voice.main([]) == 1
    report = capsys.readouterr().out.splitlines()
    assert report[1:3] == ["  src/module.py:4: given = 3", "  src/new.py:1: chosen = 1"]
    assert "--list" in report[3]
