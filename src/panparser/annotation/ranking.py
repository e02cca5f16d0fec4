"""Labels of an arc, ranked: by the parser's own label scores, where its system makes the arc on the way to the tree."""

from __future__ import annotations

from collections.abc import Sequence

from panparser.errors import PanParserError
from panparser.parsing.inspection.beams import continued
from panparser.parsing.inspection.explaining import Explanation
from panparser.parsing.parser import Parser
from panparser.systems.oracles import static_derivation
from panparser.treebank.treebank import Treebank


def label_scores(parser: Parser, treebank: Treebank, heads: Sequence[int], word: int) -> dict[str, float]:
    """The scores of the labels of a word in the tree with these heads; empty if the system does not make its arc.

    `treebank` has the sentence alone, without heads.
    """
    try:
        actions = static_derivation(parser.spec.system, list(heads))
        derivations, _ = continued(parser, treebank, 1, actions)
    except PanParserError:  # a parser that cannot be looked into
        return {}
    found = Explanation(derivations)
    for step, here in enumerate(found.states[:-1], start=1):
        made, _ = here.arc_of(actions[step - 1])
        if made is not None and made.dependent == word:
            head = 0 if made.head == here.root else made.head
            return found.label_scores(step) if head == heads[word - 1] else {}
    return {}
