"""Errors of functions, as commands say them."""

from __future__ import annotations

import pytest

from panparser.cli.terminal import in_flags
from panparser.errors import SpecError, TreebankError


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("make: method must be x; got 'y'", "--method must be x; got 'y'"),
        ("make: self_training learns from text (raw)", "--self-training learns from text (--raw)"),
        ("make: least must be > 0", "--least-confidence must be > 0"),
        ("words of makers (really) of making", "words of makers (really) of making"),
    ],
)
@pytest.mark.parametrize("kind", [SpecError, TreebankError])
def test_arguments_are_called_as_their_flags(kind, said, shown):
    with pytest.raises(kind) as error, in_flags("make", raw="--raw", least="--least-confidence"):
        raise kind(said)
    assert str(error.value) == shown


def test_transfer_speaks_of_flags(run, tmp_path):
    from places import ENGLISH

    code, _, err = run("transfer", "--sources", ENGLISH, "--method", "sample", "-o", tmp_path / "x.panparser")
    assert (code, err) == (2, "panparser: --method='sample' requires a sample\n")
