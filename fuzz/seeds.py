"""Writes sentences of the project's treebank, and a few odd ones, as seeds for the fuzz targets: seeds.py FOLDER."""

import sys
from pathlib import Path

OWN = Path(__file__).parents[1] / "tests" / "data" / "english.conllu"
ODD = (
    b"",
    b"\n",
    b"\xef\xbb\xbf# a\r\n1\ta" + b"\t_" * 8 + b"\r\n\r\n",
    b"1-2\tab" + b"\t_" * 8 + b"\n0.1\te" + b"\t_" * 8 + b"\n",
)

folder = Path(sys.argv[1])
for number, seed in enumerate([*ODD, *(block + b"\n\n" for block in OWN.read_bytes().split(b"\n\n")[:80])]):
    (folder / f"seed-{number}").write_bytes(seed)
