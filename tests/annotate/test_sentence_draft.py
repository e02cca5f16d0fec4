"""Drafts: sentences as far as they are annotated."""

from __future__ import annotations

import io
import re
from random import Random

import pytest
from hypothesis import given

import panparser as pp
from annotated import FILE, drafts
from panparser.annotate.sentence_draft import LineError, SentenceDraft
from panparser.validation.rules import RULES
from panparser.validation.validator import Validator

SENTENCES = [f"{piece}\n\n" for piece in FILE.split("\n\n") if piece.strip()]


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_is_read_is_written(text, newline):
    text = text.replace("\n", newline)
    draft = SentenceDraft.read(text)
    assert draft.to_text() == text
    assert SentenceDraft.from_value(draft.to_value()) == draft


def test_blank_lines_and_a_missing_line_end_stay():
    text = "\ufeff\n\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_"
    assert SentenceDraft.read(text).to_text() == text


def test_bytes_that_are_not_utf8_stay():
    data = b"1\t\xff\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    assert SentenceDraft.read(data.decode("utf-8", "surrogateescape")).to_bytes() == data


@pytest.mark.parametrize(
    "row",
    [
        "1\ta\t_",
        "01\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        "2\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        "1\ta\t_\t_\t_\t_\t1\tx\t_\t_",
        "1\ta\t_\t_\t_\t_\t2\tx\t_\t_",
        "1\ta\t_\t_\t_\t_\tx\tx\t_\t_",
        "x",
        "# only a comment",
    ],
)
def test_what_could_not_be_written_back_is_refused(row):
    with pytest.raises(pp.ConlluError):
        SentenceDraft.read(f"{row}\n\n")


@pytest.mark.parametrize(
    ("token", "before_word", "message"),
    [
        ("2-1", 2, "expected a multiword token that does not end before it begins, found '2-1'"),
        ("2-4", 2, "expected a multiword token within the sentence, found '2-4' in a sentence of 3 words"),
        ("4-5", 4, "expected a multiword token within the sentence, found '4-5' in a sentence of 3 words"),
    ],
)
def test_multiword_tokens_end_in_their_sentence_and_after_they_begin(token, before_word, message):
    """Tokens that end before they begin were read, and the tokens of such a sentence had no end."""
    rows = [f"{number}\tword\t_\t_\t_\t_\t0\troot\t_\t_" for number in (1, 2, 3)]
    rows.insert(before_word - 1, token + "\tword" + "\t_" * 8)
    with pytest.raises(pp.ConlluError, match=re.escape(message)) as refused:
        SentenceDraft.read("\n".join(rows) + "\n\n")
    assert refused.value.line == before_word - 1


NESTED = (
    "# a\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\tADP\t_\t_\t2\tcase\t_\t_\n1.1\tx\t_\t_\t_\t_\t_\t_\t0:root\t_\n"
    "2\tle\t_\tDET\t_\t_\t0\troot\t_\t_\n3\tx\tx\tNOUN\t_\t_\t2\tx\t_\t_\n\n"
)
IDS = ["1", "2", "3", "0", "01", "1-2", "2-1", "1-9", "0.1", "1.1", "1.2", "2.1", "00.1", "x", "", "1-1", "1.0", "-"]
CELLS = ["_", "", " ", "a b", "99", "0", "-1", "x\u00a0", "\r"]


def damaged(rng, text):
    """Return a sentence with one or two damaged lines."""
    lines = text.rstrip("\n").split("\n")
    for _ in range(rng.choice((1, 1, 2))):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        cells = lines[i].split("\t")
        match rng.randrange(7):
            case 0:
                lines.insert(i, lines[j])
            case 1 if len(lines) > 1:
                lines.pop(i)
            case 2:
                lines[i] = "\t".join((rng.choice(IDS), *cells[1:]))
            case 3:
                lines[i], lines[j] = lines[j], lines[i]
            case 4:
                lines[i] = lines[i].replace("\t", rng.choice((" ", "\t\t", "")), 1)
            case 5:
                cells[rng.randrange(len(cells))] = rng.choice(CELLS)
                lines[i] = "\t".join(cells)
            case _:
                lines[i] = rng.choice(("# c", "#", "x", " ")) + lines[i]
    lines = [line for line in lines if line.strip()]  # a draft keeps blank lines before it
    return rng.choice(("\n", "\n", "\r\n")).join((*lines, "", ""))


def fatal_rules(text):
    """Return the fatal rules of level 1 that a text breaks."""
    counts = Validator(level=1).check(io.BytesIO(text.encode()), format="conllu").counts
    return [rule for rule in counts if RULES[rule].fatal]


@pytest.mark.parametrize("seed", range(4))
def test_drafts_refuse_what_validation_refuses_and_write_back_what_they_read(seed):
    rng = Random(seed)
    outcomes = {"refused by validation": 0, "refused by drafts": 0, "read": 0}
    for _ in range(1000):
        text = damaged(rng, rng.choice((*SENTENCES, NESTED)))
        try:
            draft = SentenceDraft.read(text)
        except LineError:
            outcomes["refused by validation" if fatal_rules(text) else "refused by drafts"] += 1
            continue
        assert draft.to_text() == text
        assert draft.tokens()[-1][1] == len(draft.words)
        assert not fatal_rules(text)
        outcomes["read"] += 1
    assert all(outcomes.values()), outcomes


def test_a_token_of_one_word_is_a_token():
    draft = SentenceDraft.read("1-1\tdu" + "\t_" * 8 + "\n1\tde\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert draft.tokens() == [(1, 1, "du", "_")]


def test_a_sentence_with_all_heads_and_labels_is_done():
    assert [SentenceDraft.read(text).done for text in SENTENCES] == [True, False, False]


@given(drafts(), drafts())
def test_changes_lead_from_one_draft_to_another_and_back(first, second):
    cells = first.changes_to(second)
    if cells is None:
        assert len(first.words) != len(second.words)
        return
    assert first.changed(cells) == second
    assert second.changed(cells, backwards=True) == first
    if cells:
        with pytest.raises(pp.PanParserError, match=r"was .* and is .* now"):
            second.changed(cells)


def test_the_key_is_of_sent_id_and_forms_alone():
    first = SentenceDraft.read(SENTENCES[0])
    other = first.changed([(1, "head", 0, None), (2, "lemma", "we", "us"), (0, "done", True, False)])
    assert other.key == first.key
    assert first.changed([(3, "form", "go", "come")]).key != first.key
    assert first.with_comment("sent_id", "1").key != first.key
    assert first.with_comment("note", "x").key == first.key
