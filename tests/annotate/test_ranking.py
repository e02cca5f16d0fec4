"""Labels are ranked by the parser's own scores for the arc."""

from __future__ import annotations

from panparser.annotate.completion import label_scores


def bare(sentence):
    """The sentence alone, without its tree."""
    found = sentence.treebank[[sentence.position]].copy()
    found.heads[:] = -1
    found.column("deprel")[:] = found.id_of("deprel", "_")
    return found


def test_the_first_label_is_that_of_the_parser(parser, english):
    same = words = 0
    for sentence in parser.parse(english[1][:15]):
        for token in sentence:
            scores = label_scores(parser, bare(sentence), sentence.heads.tolist(), token.id)
            same += max(scores, key=scores.get) == token.label
            words += 1
    assert same >= 0.95 * words  # another derivation of the same tree may see something else


def test_an_arc_that_the_system_does_not_make_has_no_scores(parser, english):
    sentence = next(each for each in english[0] if len(each) == 4)
    crossing = [3, 4, 0, 3]
    scores = [label_scores(parser, bare(sentence), crossing, word) for word in range(1, 5)]
    assert {} in scores[:2]  # which cross
    assert {} not in scores[2:]
