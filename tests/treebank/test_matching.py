"""Treebanks that must be parallel: as many sentences, and the same names where both have them."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.errors import TreebankError
from panparser.treebank.matching import check_parallel


def named(path, *names):
    """A sentence of one word for each name; None is no name."""
    blocks = [("" if name is None else f"# sent_id = {name}\n") + "1\tw" + "\t_" * 8 + "\n\n" for name in names]
    return pp.parse_conllu("".join(blocks), path=path)


@pytest.mark.parametrize(
    ("source", "target"),
    [((), ()), (("a", "b"), ("a", "b")), ((None, "b"), ("a", "b")), (("a", None), (None, "b"))],
)
def test_parallel_treebanks(source, target):
    check_parallel(named("s", *source), named("t", *target))


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        (("a", "b"), ("a", "c"), "t:4: expected sentence 2 (sent_id b) as in s:4, found sentence 2 (sent_id c)"),
        (("a", "b"), ("b",), "t:1: expected sentence 1 (sent_id a) as in s:1, found sentence 1 (sent_id b) (2 and 1 "),
        (
            ("a", "b"),
            ("a",),
            "t: expected sentence 2 (sent_id b) as in s:4, found no more sentences (2 and 1 sentences)",
        ),
        ((None,), (None, None), "t:3: expected no more sentences as in s, found sentence 2 (1 and 2 sentences)"),
    ],
)
def test_the_first_difference_is_told(source, target, said):
    with pytest.raises(TreebankError) as error:
        check_parallel(named("s", *source), named("t", *target))
    assert said in str(error.value)


def test_names_do_not_matter_if_they_are_not_asked_for():
    check_parallel(named("s", "a"), named("t", "b"), ids=False)
    with pytest.raises(TreebankError, match="1 and 2 sentences"):
        check_parallel(named("s", "a"), named("t", "b", "c"), ids=False)


def test_only_treebanks_are_compared():
    with pytest.raises(TreebankError, match="expected a Treebank"):
        check_parallel(named("s", "a"), [])  # type: ignore[arg-type]
