"""Reads, validates and writes back every CoNLL-U file below a folder, and compares byte by byte.

python benchmarks/roundtrip.py FOLDER    # prints, and writes benchmarks/results/roundtrip.txt and roundtrip
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from machine import heading, write_result
from measured import keep, measured

from panparser.treebank.conllu import parse_conllu
from panparser.treebank.treebank import COLUMNS


def main(folder: Path) -> int:
    files = words = size = different = problems = 0
    reading = writing = 0.0
    for path in sorted(folder.rglob("*.conllu")):
        data = path.read_bytes()
        start = time.process_time()
        treebank = parse_conllu(data, path=str(path), single_root=True)
        middle = time.process_time()
        touched = [treebank.heads, *(treebank.column(name) for name in COLUMNS)]  # so that every cell is compared
        same = treebank.to_bytes() == data
        writing += time.process_time() - middle
        reading += middle - start
        assert all(len(column) == treebank.words for column in touched)
        files, words, size = files + 1, words + treebank.words, size + len(data)
        found = treebank.parse_problems
        problems += len(found)
        if not same or found:
            different += not same
            print(f"{path}: {'the same' if same else 'NOT THE SAME'}, {len(found)} problems", *found[:1], sep="\n  ")
    line = (
        f"{files} files, {words:,} words, {size / 1e6:.0f} MB: {files - different} came back byte for byte; "
        f"{problems} problems; {words / reading:,.0f} words/s read and checked, {words / writing:,.0f} written"
    )
    known = ", ".join(f"{len([*part.rglob('*.conllu')])} in {part.name}" for part in sorted(folder.iterdir()))
    write_result("roundtrip", f"{heading()}\n{known}\n\n{line}")
    figures = {"files": files, "words": words, "the same": files - different, "problems": problems}
    keep("roundtrip", [measured("roundtrip", {"below": folder.name}, figures)])
    return int(different > 0)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
