"""Without torch everything but training works, and imports none of it; training says what to install."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

import panparser as pp
from nets import KINDS, TREEBANK
from reference.networks import random_network_parser

SPEC = pp.ParserSpec(system=pp.system("arc-hybrid", root="last", single_root=True), beam=1)
EVERYTHING = """
import panparser as pp

parser = pp.load("network.panparser")
treebank = pp.read_conllu("test.conllu")
found = parser.parse(treebank)
assert (found.heads >= 0).all()
assert (parser.parse(treebank, threads=2).heads == found.heads).all()
assert (parser.parse(treebank, beam=4).heads >= 0).all()
assert len(parser.k_best(treebank[0], 3)) == 3
given = treebank.copy()
given.heads[1:] = -1
assert parser.parse(given, constraints=pp.Constraints.from_treebank(given, keep=["heads"])).heads[0] == given.heads[0]
parser.save("again.panparser")
parser = pp.calibrate(parser, treebank)
confidence = parser.confidence(treebank)
assert ((0 <= confidence.head_confidence) & (confidence.head_confidence <= 1)).all()
assert (pp.make_voting_parser([parser, pp.load("other.panparser")]).parse(treebank).heads >= 0).all()
tagger = pp.load("tags.panparser")
assert tagger.parse(treebank).column("upos").all()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Models of two networks and of a joint one; sentences; a recipe."""
    path = tmp_path_factory.mktemp("models")
    pp.write_conllu(path / "train.conllu", TREEBANK)
    pp.write_conllu(path / "test.conllu", TREEBANK[5:])
    joint = replace(KINDS["tags of the last layer"], precision="int8")
    for seed, (name, network) in enumerate(
        {"network": KINDS["three layers"], "other": KINDS["labels and history"], "tags": joint}.items()
    ):
        random_network_parser(SPEC, network, TREEBANK, seed=seed).save(path / f"{name}.panparser")
    (path / "recipe.toml").write_text('[data]\ntrain = ["train.conllu"]\n[network]\nbase = "bilstm"\nlayers = 1\n')
    return path


def python(folder, code, *, blocked):
    """Runs code in a Python where torch may not be there."""
    begin = "import sys\n" + "sys.modules['torch'] = None  # importing it says that there is none\n" * blocked
    end = "\nassert sys.modules.get('torch') is None, 'torch was imported'\n"
    return subprocess.run(
        [sys.executable, "-c", begin + code + end], cwd=folder, capture_output=True, text=True, check=False
    )


def command(folder, *arguments):
    """Runs a command where torch is not."""
    return python(
        folder, f"sys.argv = ['panparser', *{arguments!r}]\nfrom panparser import cli\ncli.main()", blocked=True
    )


@pytest.mark.parametrize("blocked", [True, False], ids=["no torch", "torch may be there"])
def test_all_that_parsers_do_needs_no_torch(folder, blocked):
    done = python(folder, EVERYTHING, blocked=blocked)
    assert done.returncode == 0, done.stderr
    assert (folder / "again.panparser").read_bytes() == (folder / "network.panparser").read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", "-m", "network.panparser", "test.conllu", "-o", "parsed.conllu"],
        ["parse", "-m", "network.panparser", "test.conllu", "-o", "parsed.conllu", "--k-best", "2"],
        ["info", "network.panparser"],
        ["explain", "-m", "network.panparser", "test.conllu", "--step", "1"],
        ["combine", "network.panparser", "other.panparser", "-o", "vote.panparser"],
    ],
    ids=" ".join,
)
def test_commands_that_do_not_train_need_no_torch(folder, arguments):
    done = command(folder, *arguments)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--network", "bilstm", "-t", "train.conllu"],
        ["--pipeline", "--network", "bilstm", "-t", "train.conllu"],
        ["--recipe", "recipe.toml"],
        ["--init", "network.panparser", "-t", "train.conllu"],
    ],
    ids=" ".join,
)
def test_training_says_what_to_install(folder, arguments):
    before = set(folder.iterdir())
    done = command(folder, "train", *arguments, "-o", "new.panparser")
    assert done.returncode == 2
    assert done.stderr == "panparser: training a network needs torch: pip install 'panparser[neural]'\n"
    assert set(folder.iterdir()) == before
