"""Edits: what they change, what they refuse; and that each can be undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from annotated import FILE, drafts, edits
from panparser.annotate.document import Document
from panparser.annotate.edits import EDIT_TYPES, apply_edit, parse_edit
from panparser.annotate.journal import part_of_cells
from panparser.annotate.sentence_draft import SentenceDraft, Word

SENTENCES = [SentenceDraft.read(f"{piece}\n\n") for piece in FILE.split("\n\n") if piece.strip()]


def done(draft, shown=(), following=None, **value):
    (found,) = apply_edit(parse_edit(value), draft, shown or draft.words, following)[1]
    return found


@given(drafts(), drafts(), st.lists(edits(), min_size=1, max_size=4))
def test_whatever_a_person_does_the_file_can_be_read_and_the_edit_undone(draft, following, values):
    for value in values:
        edit = parse_edit(value)
        assert parse_edit(edit.to_value()) == edit
        try:
            taken, found = apply_edit(edit, draft, draft.words, following)
        except pp.errors.AnnotationError:
            continue
        for each in found:
            assert SentenceDraft.from_value(each.to_value()) == each
            for number, word in enumerate(each.words, start=1):
                assert word.head is None or (0 <= word.head <= len(each.words) and word.head != number)
        if taken == len(found) == 1:
            part = part_of_cells(0, draft, found[0])
            if part is None:
                assert found[0] == draft
            elif "cells" in part:
                assert draft.changed(part["cells"]) == found[0]
                assert found[0].changed(part["cells"], backwards=True) == draft
            draft = found[0]
        else:
            draft = found[-1]


@pytest.mark.parametrize("name", sorted(EDIT_TYPES))
def test_json_of_the_wrong_form_is_refused(name):
    for value in (
        {"edit": name, "what": 3, "x": 1},
        {"edit": name, "word": "1"},
        {"edit": name, "word": -1, "places": 2},
    ):
        with pytest.raises(pp.errors.AnnotationError):
            parse_edit(value)
    for value in (None, [], {}, {"edit": "nothing"}, {"edit": 3}):
        with pytest.raises(pp.errors.AnnotationError):
            parse_edit(value)


def test_heads_and_labels():
    draft = SENTENCES[1]
    arc = done(draft, edit="arc", word=1, head=2, label="nsubj")
    assert (arc.words[0].head, arc.words[0].label) == (2, "nsubj")
    assert done(arc, edit="head", word=1, head=3).words[0].label is None  # it came with the other head
    assert done(arc, edit="head", word=1, head=2).words[0].label == "nsubj"
    assert done(arc, edit="unset", word=1, what="head").words[0].label == "nsubj"
    forbidden = done(arc, edit="forbid", word=1, heads=[3, 2])
    assert (forbidden.words[0].head, forbidden.words[0].forbidden) == (None, (2, 3))
    assert done(forbidden, edit="head", word=1, head=2).words[0].forbidden == (3,)
    for value in ({"head": 1}, {"head": 4}):
        with pytest.raises(pp.errors.AnnotationError, match=r"must be 0\.\.3 but 1"):
            done(draft, edit="head", word=1, **value)


def test_labels_follow_heads():
    draft = SENTENCES[1]
    root = done(draft, edit="head", word=1, head=0)
    assert (root.words[0].head, root.words[0].label) == (0, "root")
    assert done(root, edit="head", word=1, head=2).words[0].label is None
    other = done(root, edit="arc", word=1, head=0, label="head")  # a person may choose another
    assert done(other, edit="head", word=1, head=0).words[0].label == "head"
    labeled = done(draft, edit="label", word=1, label="nsubj:pass")  # for itself
    assert labeled.words[0].forbidden == (0,)
    assert done(labeled, edit="head", word=1, head=3).words[0].label == "nsubj:pass"
    assert done(labeled, edit="head", word=1, head=0).words[0].label == "root"
    assert done(labeled, edit="head", word=1, head=0).words[0].forbidden == ()
    assert done(done(draft, edit="label", word=1, label="root"), edit="head", word=1, head=2).words[0].label is None
    part = part_of_cells(0, labeled, done(labeled, edit="head", word=1, head=0))
    assert {cell[1] for cell in part["cells"]} == {"head", "label", "forbidden"}  # one edit, one undo


def test_what_is_shown_is_confirmed_and_what_was_decided_stays():
    draft = done(SENTENCES[1], edit="arc", word=1, head=3, label="obj")
    shown = tuple(Word(word.form, "lemma", "TAG", head=0, label="root") for word in draft.words)
    right = done(draft, shown, edit="right", word=2)
    assert [word.head for word in right.words] == [3, 0, None]
    assert [word.label for word in right.words] == ["obj", "root", None]
    assert right.words[1].lemma == "eat"
    finished = done(draft, shown, edit="done")
    assert finished.done
    assert [word.head for word in finished.words] == [3, 0, 0]
    partial = done(draft, shown, edit="done", accept=False)
    assert partial.done
    assert [word.head for word in partial.words] == [3, None, None]


def test_words_are_split_and_joined():
    draft = SENTENCES[0]
    split = done(draft, edit="split", word=4, forms=["ho", "me"])
    assert [word.form for word in split.words] == ["Let", "'s", "go", "ho", "me", "."]
    assert [word.head for word in split.words] == [0, 1, 1, 3, None, 1]
    assert split.comment("text") == "Let's go home."
    joined = done(split, edit="join", first=4, last=5)
    assert [word.form for word in joined.words] == [word.form for word in draft.words]
    assert [word.head for word in joined.words] == [word.head for word in draft.words]
    with pytest.raises(pp.errors.AnnotationError, match="written as it is"):
        done(draft, edit="split", word=4, forms=["to", "home"])
    inside = done(draft, edit="split", word=2, forms=["u", "s"])  # words of a multiword token may be written otherwise
    assert inside.multiword[0].last == 3
    with pytest.raises(pp.errors.AnnotationError, match="has only some of them"):
        done(draft, edit="join", first=2, last=3)


def test_multiword_tokens_come_and_go():
    draft = SENTENCES[0]
    apart = done(draft, edit="unmultiword", first=1)
    assert [word.misc for word in apart.words[:2]] == ["SpaceAfter=No", "_"]
    assert apart.comment("text") == "Let's go home."
    again = done(apart, edit="multiword", first=1, last=2)
    assert again.multiword == draft.multiword
    assert again.words == draft.words


def test_sentences_are_split_and_joined():
    draft = SENTENCES[0]
    with pytest.raises(pp.errors.AnnotationError, match="inside of multiword token 1-2"):
        apply_edit(parse_edit({"edit": "split_sentence", "word": 2}), draft, (), None)
    taken, (left, right) = apply_edit(parse_edit({"edit": "split_sentence", "word": 4}), draft, (), None)
    assert taken == 1
    assert [word.head for word in left.words] == [0, 1, 1]
    assert [word.head for word in right.words] == [None, None]
    assert (left.comment("text"), right.comment("text")) == ("Let's go", "home.")
    assert (left.comment("sent_id"), right.comment("sent_id")) == ("one", "one-2")
    taken, (joined,) = apply_edit(parse_edit({"edit": "join_sentence"}), left, (), right)
    assert taken == 2
    assert joined.comment("text") == "Let's go home."
    assert [word.form for word in joined.words] == [word.form for word in draft.words]


def test_empty_nodes_and_enhanced_heads_follow():
    split = done(SENTENCES[1], edit="split", word=1, forms=["Th", "ey"])
    assert (split.empty[0].first, split.words[3].deps) == (3, "3:obj|3.1:obj")
    _, (left, right) = apply_edit(parse_edit({"edit": "split_sentence", "word": 3}), SENTENCES[1], (), None)
    assert left.empty == SENTENCES[1].empty
    assert right.words[0].deps == "_"


def test_a_note_is_one_line():
    noted = done(SENTENCES[0], edit="note", text=" two\n lines ")
    assert noted.comment("note") == "two lines"
    assert done(noted, edit="note", text="").comments == SENTENCES[0].comments


def test_a_sentence_is_done_no_longer_if_a_label_goes_with_its_head():
    rows = enumerate(("0\troot", "1\tobj", "1\tobj"), start=1)
    lines = "".join(f"{number}\tw\t_\t_\t_\t_\t{cells}\t_\t_\n" for number, cells in rows)
    draft = replace(Document(f"{lines}\n".encode()).draft(0), done=True)
    _, (after,) = apply_edit(parse_edit({"edit": "head", "word": 3, "head": 2}), draft, draft.words, None)
    assert (after.words[2].head, after.words[2].label, after.done) == (2, None, False)
    _, (after,) = apply_edit(
        parse_edit({"edit": "arc", "word": 3, "head": 2, "label": "obl"}), draft, draft.words, None
    )
    assert (after.words[2].label, after.done) == ("obl", True)
