"""Several trees for each sentence, best first."""

from __future__ import annotations

from panparser.errors import TreebankError
from panparser.parsing.confidence import clear_parse_metadata
from panparser.parsing.constraints.constraints import Constraints, DroppedConstraint
from panparser.parsing.parse_options import ScoredTree, TreeParser
from panparser.treebank.treebank import Treebank


def several_trees(
    parser: TreeParser,
    treebank: Treebank,
    count: int,
    beam: int | None,
    constraints: Constraints | None,
    relax: bool,
) -> tuple[list[list[ScoredTree]], list[DroppedConstraint]]:
    """At most `count` trees for each sentence, and the constraints that were dropped."""
    if treebank.format == "conllx":
        raise TreebankError(f"{treebank.path}: several trees need comments to tell them apart; CoNLL-X has none")
    trees: list[list[ScoredTree]] = []
    dropped: list[DroppedConstraint] = []
    for sentence in treebank:
        best = parser.search_best(sentence, count, beam=beam, constraints=constraints, relax=relax)
        trees.append(best.trees)
        dropped += best.dropped
    return trees, dropped


def repeated(treebank: Treebank, trees: list[list[ScoredTree]], *, labeled: bool) -> Treebank:
    """A treebank with each sentence as often as it has trees."""
    clear_parse_metadata(treebank)
    copies = treebank[[number for number, found in enumerate(trees) for _ in found]]
    position = 0
    for found in trees:
        for rank, tree in enumerate(found, start=1):
            sentence = copies[position]
            sentence.heads = tree.heads
            if labeled:
                sentence.labels = list(tree.labels)
            kept = [line for line in sentence.comments if rank == 1 or not line.startswith(("# newdoc", "# newpar"))]
            sentence.comments = [*kept, f"# tree = {rank}/{len(found)}", f"# score = {tree.score:.4f}"]
            position += 1
    return copies
