"""`panparser project`."""

from __future__ import annotations

import pytest

import panparser as pp
from parallel import parallel

SOURCE, TARGET, LINKS = parallel(30)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """a.conllu, b.conllu and their links in the current folder."""
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("a.conllu", SOURCE)
    pp.write_conllu("b.conllu", TARGET)
    pp.transfer.projection.write_alignments("links.txt", LINKS)
    pp.transfer.projection.write_alignments(
        "few.txt", pp.transfer.projection.WordAlignments(tuple(pairs[1:] for pairs in LINKS))
    )
    return tmp_path


def test_project(run, files):
    code, out, _ = run("project", "a.conllu", "b.conllu", "--alignments", "links.txt")
    assert (code, out) == (0, TARGET.to_conllu())
    code, out, _ = run("project", "a.conllu", "b.conllu")
    assert (code, out) == (0, pp.transfer.projection.project_trees(SOURCE, TARGET).to_conllu())
    code, out, _ = run("project", "a.conllu", "b.conllu", "--alignments", "links.txt", "-o", "out.conllu")
    words = TARGET.words
    assert out == f"30 of 30 sentences, 30 of them complete; {words} of {words} words have a head (100.0 %)\n"
    assert (files / "out.conllu").read_bytes() == TARGET.to_bytes()


def test_options(run, files):
    both = pp.transfer.projection.project_trees(
        SOURCE, TARGET, pp.transfer.projection.read_alignments("few.txt"), same_tag=False, min_attached_share=0.9
    )
    arguments = ("--alignments", "links.txt", "--alignments", "few.txt", "--any-tag", "--min-attached-share", "0.9")
    assert run("project", "a.conllu", "b.conllu", *arguments)[:2] == (0, both.to_conllu())
    tagged = pp.transfer.projection.project_trees(SOURCE, TARGET, LINKS, tags=True)
    assert (
        run("project", "a.conllu", "b.conllu", "--alignments", "links.txt", "--project-tags")[1] == tagged.to_conllu()
    )
    voted = pp.transfer.projection.project_trees(
        [SOURCE, SOURCE], TARGET, [LINKS, pp.transfer.projection.read_alignments("few.txt")], min_sources=2
    )
    arguments = ("--alignments", "links.txt", "--alignments", "few.txt", "--min-sources", "2")
    assert run("project", "a.conllu", "a.conllu", "b.conllu", *arguments)[1] == voted.to_conllu()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.conllu",), "expected at least two files, SOURCE... TARGET; got only a.conllu"),
        (("a.conllu", "b.conllu", "-o", "links.txt", "--alignments", "links.txt"), "is an input"),
        (("a.conllu", "b.conllu", "--alignments", "none.txt"), "none.txt: cannot be read"),
        (("a.conllu", "b.conllu", "--alignments", "a.conllu"), "a.conllu:1: expected links such as"),
        (
            ("a.conllu", "a.conllu", "b.conllu", "--alignments", "links.txt"),
            "a file for each of the 2 sources; got 1",
        ),
        (
            ("a.conllu", "b.conllu", "--min-sources", "2"),
            "--min-sources must be <= 1, the number of sources; got 2",
        ),
        (
            ("a.conllu", "b.conllu", "--project-tags", "--same-tag"),
            "--project-tags cannot be used with --same-tag",
        ),
        (("a.conllu", "other.conllu"), "other.conllu:1: expected sentence 1 (sent_id s1) as in a.conllu:1"),
    ],
)
def test_project_refuses_in_one_line(run, files, arguments, said):
    pp.write_conllu("other.conllu", TARGET[list(reversed(range(30)))])
    code, out, err = run("project", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
