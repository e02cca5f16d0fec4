"""Documents: bytes that stay, sentences that are read when they are looked at."""

from __future__ import annotations

import time

import pytest

import panparser as pp
from annotated import FILE
from panparser.annotate.document import Document
from panparser.annotate.edits import Head
from places import ENGLISH

ODD = (
    "\ufeff\n# a comment alone\n\n\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n\r\n"
    "1\tb\t_\t_\n\n# c\n1\tc\t_\t_\t_\t_\t_\t_\t_\t_"
)


@pytest.mark.parametrize("text", [FILE, ODD, FILE + "# after the last\n", FILE.rstrip("\n"), ""])
def test_what_is_not_changed_is_byte_for_byte_the_same(text):
    document = Document(text.encode())
    assert document.to_bytes() == text.encode()
    for index in document:
        try:
            draft = document.draft(index)
        except pp.errors.AnnotationError:
            continue
        document.put(index, 1, [draft], 1)
    written = document.to_bytes()
    if text.endswith("\n\n") or not text.endswith("\n"):
        assert written.startswith(text.rstrip("\n").encode())


def test_an_edit_changes_its_sentence_alone():
    data = ENGLISH.read_bytes()
    document = Document(data)
    index = 41
    draft = Head(2, 0).apply(document.draft(index), ())
    place = document.entries[index]
    document.put(index, 1, [draft], 1)
    assert document.to_bytes() == data[: place.start] + draft.to_bytes() + data[place.stop :]


def test_sentences_that_cannot_be_read_are_told_apart():
    document = Document(ODD.encode(), "odd")
    assert len(document) == 3
    assert [word.form for word in document.draft(0).words] == ["a"]
    with pytest.raises(
        pp.errors.AnnotationError, match="odd:8: this sentence cannot be annotated: expected 10 columns"
    ):
        document.draft(1)
    assert [document.is_done(index) for index in range(3)] == [True, False, False]
    assert document.totals()["words"] == 2  # of those that can be read


ROW = "{}\t{}\t_\t_\t_\t_\t{}\t_\t_\t_\n"


@pytest.mark.parametrize(
    ("faulty", "why"),
    [
        (ROW.format(2, "b", 7), "word 2: expected the number of another word in HEAD, found 7"),
        (ROW.format(2, "b", 2), "word 2: expected the number of another word in HEAD, found 2"),
        (ROW.format(2, "b", "x"), "word 2: expected a number in HEAD, found 'x'"),
        (ROW.format(2, "b", "01"), "this line is not in its usual place or form"),
        (ROW.format(3, "b", "_"), "expected words numbered 1, 2, 3, ..., found '3' after word 1"),
        (
            ROW.format("two", "b", "_"),
            "expected a line that begins with a digit or #, found 'two\tb" + "\t_" * 8 + "'",
        ),
        (ROW.format("2nd", "b", "_"), "expected an ID such as 3, 3-4 or 3.1, found '2nd'"),
        (
            ROW.format("1-2", "ab", "_") + ROW.format(2, "b", "_"),
            "expected a multiword token before its first word, found '1-2' after word 1",
        ),
        ("2\tb\n", "expected 10 columns separated by tabs, found 2"),
        (
            "# late\n" + ROW.format(2, "b", "_"),
            "expected comments before the first word of a sentence, found '# late'",
        ),
    ],
)
def test_sentences_that_cannot_be_annotated_are_known_by_the_line_of_their_fault(faulty, why):
    good = "# sent_id = s\n" + ROW.format(1, "a", "_") + "\n"
    document = Document((good + "# sent_id = t\n" + ROW.format(1, "a", "_") + faulty + "\n" + good).encode(), "odd")
    assert document.broken() == [f"odd:6: this sentence cannot be annotated: {why}"]


def test_a_file_without_faults_has_nothing_to_tell():
    assert Document(FILE.encode()).broken() == []


def test_a_mark_of_the_byte_order_hides_no_sentence():
    document = Document(("\ufeff" + ROW.format(1, "a", "_") + "\n" + ROW.format(1, "b", "_") + "\n").encode())
    assert [document.draft(index).words[0].form for index in document] == ["a", "b"]
    assert document.totals()["words"] == 2


@pytest.mark.parametrize("data", [b"\x1f\x8b123", b"\xff\xfea\0", b"just text\n"])
def test_what_is_no_conllu_is_refused(tmp_path, data):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(pp.errors.AnnotationError, match="file: "):
        Document.open(tmp_path / "file")


def test_totals_follow():
    document = Document(FILE.encode())
    assert document.totals() == {"sentences": 3, "done": 1, "words": 13, "words_done": 5}
    first, second = document.draft(0), document.draft(1)
    document.put(0, 2, [second, first, second], 1)
    fresh = Document(document.to_bytes())
    assert document.totals() == fresh.totals() == {"sentences": 4, "done": 1, "words": 16, "words_done": 5}


@pytest.mark.unmeasured
def test_fifty_thousand_sentences_are_open_at_once():
    data = ENGLISH.read_bytes()
    data *= 50_000 // len(Document(data)) + 1
    start = time.process_time()
    document = Document(data)
    spent = time.process_time() - start
    assert len(document) >= 50_000
    assert spent < 2  # a fifth of a second, on a machine with nothing else to do
