"""The engine's prefetches are instructions: compilers drop calls of functions that do nothing else."""

from __future__ import annotations

import platform
import shutil
import subprocess

import pytest

from panparser import _engine

MNEMONICS = {"x86_64": "prefetcht0", "aarch64": "prfm"}
LEAST = 40  # when compilers dropped what they could, 10 were left


@pytest.mark.skipif(platform.machine() not in MNEMONICS, reason="no mnemonic for this processor")
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
def test_the_engine_asks_for_memory_before_it_reads_it():
    listing = subprocess.run(["objdump", "-d", _engine.__file__], capture_output=True, text=True, check=True).stdout
    assert listing.count(MNEMONICS[platform.machine()]) >= LEAST
