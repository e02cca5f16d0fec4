"""Statistics, against what is counted by hand."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.treebank.conllu import parse_conllu as parse
from places import ENGLISH


def words(*heads: object) -> str:
    rows = (f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, start=1))
    return "\n".join([*rows, "", ""])


def test_counts_by_hand():
    """1 <- 2 <- Root, 3 <- 2; and a crossing: 1 <- Root, 2 <- 4, 3 <- 1, 4 <- 1."""
    found = pp.treebank_statistics(parse(words(2, 0, 2) + words(0, 4, 1, 1)))
    assert (found["sentences"], found["words"], found["types"]) == (2, 7, 4)
    assert found["length"] == {"mean": 3.5, "median": 3.5, "max": 4}
    assert found["depth"] == {"mean": pytest.approx((2 + 1 + 2 + 1 + 3 + 2 + 2) / 7), "median": 2, "max": 3}
    assert found["dependency length"]["mean"] == pytest.approx((1 + 1 + 2 + 2 + 3) / 5)
    assert found["head to the right"] == pytest.approx(100 * 2 / 5)
    assert found["non-projective sentences"] == 50
    assert found["annotated"] == 100
    assert found["upos"] == {"X": 7}
    assert found["labels"] == {"dep": 7}
    assert found["roots"]["max"] == 1


def test_partial_trees():
    found = pp.treebank_statistics(parse(words("_", 1, 0)))
    assert found["annotated"] == pytest.approx(200 / 3)
    assert found["depth"] == {"mean": 1, "median": 1, "max": 1}


def test_an_empty_treebank():
    found = pp.treebank_statistics(parse(""))
    assert (found["sentences"], found["annotated"], found["length"]["max"]) == (0, 0, 0)


def test_our_own_treebank_has_what_it_promises():
    found = pp.treebank_statistics(pp.read_conllu(ENGLISH))
    assert found["sentences"] >= 150
    assert found["multiword tokens"] >= 10
    assert found["empty nodes"] >= 2
    assert 2 < found["non-projective sentences"] < 10
    assert len(found["upos"]) == 17
    assert {"nsubj:pass", "acl:relcl", "orphan", "goeswith", "vocative", "csubj"} <= set(found["labels"])


def test_a_cycle_is_named_by_its_line():
    rows = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n1\tb\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tc\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    with pytest.raises(pp.TreebankError, match=r"^x\.conllu:3: .*cycle"):
        pp.treebank_statistics(pp.parse_conllu(rows, path="x.conllu", lenient=True))
