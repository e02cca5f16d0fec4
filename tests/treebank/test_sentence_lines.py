"""Sentence lines: IDs, what surrounds a sentence, and where sentences are divided."""

from __future__ import annotations

import pytest

from panparser.treebank.sentence_lines import NodeId, SentenceLines, iter_sentence_texts

TOKEN = "1-2\tdu" + "\t_" * 8
WORDS = [f"{id}\tword" + "\t_" * 8 for id in (1, 2)]
SENTENCE = "\n".join(("# text = du", TOKEN, *WORDS))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("3", ("word", 3, 3)),
        ("123456789012345678", ("word", 123456789012345678, 123456789012345678)),
        ("3-4", ("range", 3, 4)),
        ("4-3", ("range", 4, 3)),
        ("3.1", ("empty", 3, 1)),
        ("0.1", ("empty", 0, 1)),
        *((text, None) for text in ("", "0", "01", "-1", "3-", "3.", "3.0", "0-1", "x", "3 ", "\u0663", "1" * 19)),
    ],
)
def test_ids(text, node):
    assert NodeId.parse(text) == (node and NodeId(*node))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff", "\n\n", "# only a comment\n\n"])
@pytest.mark.parametrize("after", ["", "\n", "\n\n", "\n\n\n\n"])
def test_a_sentence_is_restored_with_its_surroundings(newline, before, after):
    text = (before + SENTENCE + after).replace("\n", newline)
    sentence = SentenceLines.read_surrounded(text, 7, no_problem)
    assert (sentence.to_text(), sentence.newline) == (text, newline)
    assert (sentence.comments, [row[0] for row in sentence.rows]) == (["# text = du"], ["1-2", "1", "2"])
    assert sentence.line(0) == 8 + before.count("\n")


def no_problem(rule, line, found):
    raise AssertionError(f"{line}: {rule}: {found}")


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("x\n" + WORDS[0], "invalid-line", 5),
        (WORDS[0] + "\n# late", "misplaced-comment", 6),
        ("# only a comment", "empty-sentence", 6),
        ("", "empty-sentence", 5),
        ("1\tword", "number-of-columns", 5),
        (WORDS[1], "word-id-sequence", 5),
        (TOKEN + "\n" + WORDS[0], "word-interval-out", 5),
    ],
)
def test_fatal_problems_leave_no_sentence(text, rule, line):
    problems = []
    assert SentenceLines.read(text, 5, lambda *problem: problems.append(problem[:2])) is None
    assert problems == [(rule, line)]


def test_harmless_problems_are_reported_and_kept():
    problems = []
    row = "1\ta b\t\tN N" + "\t_" * 6
    sentence = SentenceLines.read(row, 1, lambda *problem: problems.append(problem))
    assert sentence.rows == [row.split("\t")]
    assert problems == [("empty-column", 1, "nothing in LEMMA"), ("invalid-whitespace", 1, "'N N' in UPOS")]


@pytest.mark.parametrize(
    ("text", "sentences", "problems"),
    [
        ("", [], []),
        ("\n", [(3, "", True)], []),
        ("a\nb\n\nc\n\n", [(3, "a\nb", True), (6, "c", True)], []),
        ("a\n\n\nb\n\n", [(3, "a", True), (5, "", True), (6, "b", True)], []),
        ("a\n \t\u3000\nb\n\n", [(3, "a", True), (5, "b", True)], [("pseudo-empty-line", 4)]),
        ("a\n\nb\nc", [(3, "a", True), (5, "b\nc", False)], [("missing-empty-line", 6)]),
        ("a\n\nb\nc\n", [(3, "a", True), (5, "b\nc", False)], [("missing-empty-line", 6)]),
        ("a\n ", [(3, "a", True)], [("pseudo-empty-line", 4)]),
    ],
)
def test_blank_lines_divide_sentences(text, sentences, problems):
    reported = []
    texts = iter_sentence_texts(text, 3, lambda rule, line, found: reported.append((rule, line)))
    assert list(texts) == sentences
    assert reported == problems
