"""How many non-projective sentences come back exactly from pseudo-projective form, by encoding.

python benchmarks/pseudo_projective.py FOLDER    # every FOLDER/*/train.conllu; writes benchmarks/results/
"""

from __future__ import annotations

import sys
from pathlib import Path

from machine import heading, write_result

import panparser as pp
from panparser.trees.projectivity import ENCODINGS


def returned(treebank: pp.Treebank, encoding: str) -> tuple[int, int]:
    """Non-projective sentences, and how many of them come back with every head and label."""
    flags, _ = pp.trees.nonprojectivity_counts(treebank.heads, treebank.offsets)
    crossed = sorted(set(treebank.sentence_of_word()[flags].tolist()))
    same = 0
    for number in crossed:
        sentence = treebank[number]
        tree = (tuple(sentence.heads.tolist()), tuple(sentence.labels))
        same += pp.trees.deprojectivize(*pp.trees.projectivize(*tree, encoding), encoding) == tree
    return len(crossed), same


def main(folder: Path) -> None:
    lines = [heading(), "", f"{'treebank':14}{'non-projective':>15}" + "".join(f"{name:>12}" for name in ENCODINGS)]
    totals = {name: [0, 0] for name in ENCODINGS}
    for path in sorted(folder.glob("*/train.conllu")):
        treebank = pp.read_conllu(path)
        row = f"{path.parent.name:14}"
        for number, name in enumerate(ENCODINGS):
            crossed, same = returned(treebank, name)
            totals[name][0] += crossed
            totals[name][1] += same
            row += (f"{crossed:15}" if number == 0 else "") + f"{100 * same / max(1, crossed):10.1f} %"
        lines.append(row)
    row = f"{'all':14}{next(iter(totals.values()))[0]:15}"
    lines.append(row + "".join(f"{100 * same / max(1, crossed):10.1f} %" for crossed, same in totals.values()))
    write_result("pseudo_projective", "\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
