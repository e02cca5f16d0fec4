"""Sessions: a person, a page, threads."""

from __future__ import annotations

import errno
import json
import threading
import time

import pytest

import panparser as pp
from annotated import FILE, write
from disks import FaultyDisk
from panparser.annotate.document import Document
from panparser.annotate.edits import EDIT_TYPES
from panparser.annotate.next_sentence import ActiveSelection
from panparser.storage import atomic as files
from places import ENGLISH


@pytest.fixture
def path(tmp_path):
    return write(tmp_path)


@pytest.fixture
def session(path):
    with pp.annotate.AnnotationSession(path, annotator="me", train=False) as session:
        yield session


def test_a_view_is_json_with_all_that_a_page_needs(session):
    view = session.view(0)
    assert json.loads(json.dumps(view)) == view
    assert (view["sent_id"], view["text"], view["done"], view["version"]) == ("one", "Let's go home.", True, 0)
    assert view["multiword"] == [{"first": 1, "last": 2, "form": "Let's", "misc": "_"}]
    assert view["words"][1]["decided"] == {
        "head": True, "label": True, "upos": True, "xpos": False, "feats": False, "lemma": True,
    }  # fmt: skip
    view = session.view(1)
    assert [word["head"] for word in view["words"]] == [0, 1, 2]  # no parser yet: the word before
    assert view["words"][0]["confidence"] < 1
    assert view["least_certain"] == 1
    assert view["right_to"] == 0
    assert view["empty"] == [{"id": "2.1", "form": "ate", "deps": "0:root"}]
    with pytest.raises(pp.errors.AnnotationError, match=r"has sentences 0\.\.2; got 3"):
        session.view(3)


def test_edits_change_views_and_stale_ones_are_refused(session):
    view = session.edit(1, 0, {"edit": "head", "word": 1, "head": 2})
    assert view["words"][0]["head"] == 2
    assert view["words"][0]["decided"]["head"]
    assert view["version"] == 1
    with pytest.raises(pp.errors.StaleEditError, match="sentence 2 has changed"):
        session.edit(1, 0, {"edit": "head", "word": 1, "head": 3})
    with pytest.raises(pp.errors.AnnotationError):
        session.edit(1, 1, {"edit": "head", "word": 1, "head": 9})
    assert session.edit(1, 1, {"edit": "head", "word": 1, "head": 2})["version"] == 1  # nothing changes
    assert session.summary()["can_undo"]


def test_confirming_what_another_model_showed_is_refused(session):
    view = session.view(1)
    with pytest.raises(pp.errors.StaleEditError, match="newer model"):
        session.edit(1, 0, {"edit": "right", "word": 2, "model": view["model"] + 1})
    view = session.edit(1, 0, {"edit": "right", "word": 2, "model": view["model"]})
    assert view["right_to"] == 2


def test_undo_jumps_to_the_sentence_that_it_touches(session):
    session.edit(1, 0, {"edit": "head", "word": 1, "head": 2})
    session.edit(2, 0, {"edit": "split_sentence", "word": 3})
    assert len(session) == 4
    assert session.undo()["index"] == 2
    assert len(session) == 3
    assert session.undo()["index"] == 1
    assert session.undo() is None
    assert session.redo()["words"][0]["head"] == 2
    assert session.redo()["index"] == 2
    assert session.redo() is None


def test_every_edit_of_the_list_can_be_sent(session):
    values = {"head": 2, "word": 1, "label": "obj", "what": "both", "heads": [3], "first": 1, "last": 2}
    values |= {"column": "upos", "value": "X", "comments": ["# a"], "text": "note", "forms": ["T", "hey"]}
    values |= {"places": [[0, 2]], "words": [1], "labels": ["obj"]}
    for name, kind in EDIT_TYPES.items():
        edit = {"edit": name} | {key: values[key] for key in kind.schema.must if key != "edit"}
        if name in ("unspan", "unmultiword"):
            continue
        view = session.view(1)
        if name == "split_sentence":
            edit["word"] = 2
        session.edit(1, view["version"], edit)
        session.undo()


def test_problems_and_conflicts_are_told(session):
    view = session.edit(1, 0, {"edit": "cell", "word": 1, "column": "upos", "value": "WHAT"})
    assert any(problem["word"] == 1 and "WHAT" in problem["message"] for problem in view["problems"])
    view = session.edit(1, view["version"], {"edit": "head", "word": 1, "head": 2})
    view = session.edit(1, view["version"], {"edit": "head", "word": 2, "head": 1})
    assert view["conflict"]["words"] == [1, 2]
    assert "circle" in view["conflict"]["message"]


def test_next_search_and_consistency(session):
    assert session.next_sentence(0) == 1
    assert session.next_sentence(2) == 1
    assert [each["index"] for each in session.search("THEY ATE")] == [1]
    for index in (1, 2):
        session.edit(index, 0, {"edit": "done"})
    assert session.next_sentence(0) is None
    labels = session.consistency(0, 2)
    assert labels["label"] == "obj"
    assert labels["others"] == []
    with pytest.raises(pp.errors.AnnotationError):
        session.labels(1, 9)


def test_labels_of_a_pair_are_changed_everywhere_at_once(tmp_path):
    row = "1\tthe\tthe\tDET\t_\t_\t2\t{}\t_\t_\n2\tcat\tcat\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    path = write(tmp_path, "".join(row.format(label) for label in ("det", "amod", "amod", "det")))
    with pp.annotate.AnnotationSession(path, train=False) as session:
        found = session.consistency(0, 1)
        assert (found["lemma"], found["head_lemma"], found["label"]) == ("the", "cat", "det")
        (other,) = found["others"]
        assert other["label"] == "amod"
        assert [place["sentence"] for place in other["places"]] == [1, 2]
        assert session.consistency()["mixed"][0]["labels"] == {"det": 2, "amod": 2}
        places = [[place["sentence"], place["word"]] for place in other["places"]]
        session.edit(0, 0, {"edit": "relabel", "label": "det", "places": places})
        assert session.consistency(0, 1)["others"] == []
        assert session.view(2)["words"][0]["label"] == "det"
        session.undo()  # one edit
        assert [session.view(index)["words"][0]["label"] for index in range(4)] == ["det", "amod", "amod", "det"]
        assert len(session.consistency(0, 1)["others"][0]["places"]) == 2


def test_a_sentence_that_is_done_is_saved_and_learned_from(tmp_path):
    document = Document(ENGLISH.read_bytes())
    text = document.joined(range(12)).decode()
    path = write(tmp_path, text)
    events, changed = [], threading.Event()
    with pp.annotate.AnnotationSession(path) as session:
        session.listen(lambda event: (events.append(event), changed.set()))
        session.wait(60)
        first = session.summary()
        assert first["has_parser"]
        assert first["done"] == 12
        view = session.edit(3, 0, {"edit": "unset", "word": 1})
        session.edit(3, view["version"], {"edit": "done", "done": False})
        lemma = {
            "edit": "cell",
            "word": 1,
            "column": "lemma",
            "value": "another",
        }  # so that the file changes for certain
        session.edit(3, session.view(3)["version"], lemma)
        view = session.edit(3, session.view(3)["version"], {"edit": "done", "model": session.view(3)["model"]})
        assert view["done"]
        session.wait(60)
        assert session.summary()["model"] > first["model"]
        ranked = session.labels(3, 1)
        assert ranked[0]["score"] == 0
        assert len(ranked) > 3
        assert len(session.alternatives(3, 3)) >= 1
        end = time.monotonic() + 20  # a thread of its own saves
        while "saved" not in {event["event"] for event in events} and time.monotonic() < end:
            changed.wait(0.1)
            changed.clear()
    assert {"learning", "model", "saved"} <= {event["event"] for event in events}
    assert Document(path.read_bytes()).totals()["done"] == 12


def test_active_choice_takes_the_sentence_of_most_worth(tmp_path, parser):
    document = Document(ENGLISH.read_bytes())
    drafts = [document.draft(index) for index in range(80, 100)]
    lines = (f"{draft.to_text()}" for draft in drafts)
    text = "".join(
        "\t".join((*cells[:6], "_", "_", *cells[8:])) + "\n" if len(cells := line.split("\t")) == 10 else line + "\n"
        for piece in lines
        for line in piece.split("\n")[:-1]
    )
    path = write(tmp_path, text)
    choice = ActiveSelection(min_words=5)
    with pp.annotate.AnnotationSession(path, model=parser, active_learning=choice, train=False) as session:
        chosen = session.next_sentence(0)
        allowed = [index for index in range(len(session)) if len(session.view(index)["words"]) >= 5]
        worth = {at: choice.score(session._document.draft(at), session._completion(at)) for at in allowed}
        assert worth[chosen] == max(worth.values()) > min(worth.values())
        session.edit(chosen, 0, {"edit": "done"})
        assert session.next_sentence(chosen) != chosen


def test_a_full_disk_makes_the_session_read_only(session, monkeypatch):
    events = []
    session.listen(events.append)
    monkeypatch.setattr(files, "disk", FaultyDisk(1, errno.ENOSPC))
    with pytest.raises(pp.errors.JournalError, match="ENOSPC"):
        session.edit(1, 0, {"edit": "head", "word": 1, "head": 2})
    view = session.view(1)
    assert "ENOSPC" in view["read_only"]
    assert view["words"][0]["head"] == 0
    assert events[0]["event"] == "read-only"


def test_threads_take_turns(path):
    with pp.annotate.AnnotationSession(path, train=False) as session:
        refused = []

        def work(label):
            for _ in range(20):
                try:
                    session.edit(2, session.view(2)["version"], {"edit": "label", "word": 1, "label": label})
                except pp.errors.StaleEditError as error:
                    refused.append(error)

        threads = [threading.Thread(target=work, args=(label,)) for label in ("a", "b", "c")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        last = session.view(2)["words"][0]["label"]
    with pp.annotate.AnnotationSession(path, train=False) as session:
        assert session.view(2)["words"][0]["label"] == last


def test_sentences_that_cannot_be_read_are_shown_and_kept(tmp_path):
    path = write(tmp_path, "1\tb\t_\t_\n\n" + FILE)
    with pp.annotate.AnnotationSession(path, train=False) as session:
        first, second = session.summary()["notices"]
        assert "1 sentence is no CoNLL-U" in first
        assert second == f"{path}:1: this sentence cannot be annotated: expected 10 columns separated by tabs, found 4"
        view = session.view(0)
        assert view["unreadable"] == second
        assert view["words"] == []
        with pytest.raises(pp.errors.AnnotationError, match="cannot be annotated"):
            session.edit(0, 0, {"edit": "done"})
        assert session.next_sentence(3) == 2
        session.edit(2, 0, {"edit": "head", "word": 1, "head": 2})
    assert path.read_text().startswith("1\tb\t_\t_\n\n# sent_id = one\n")


def test_many_sentences_that_cannot_be_read_are_counted(tmp_path):
    path = write(tmp_path, FILE + "1\tb\t_\t_\n\n" * 7)
    with pp.annotate.AnnotationSession(path, train=False) as session:
        notices = session.summary()["notices"]
    assert len(notices) == 7
    assert "7 sentences are no CoNLL-U" in notices[0]
    assert notices[-1] == f"2 more (`panparser validate {path}` lists them)"


def test_a_protected_file_is_refused_at_the_start(path):
    before = sorted(path.parent.iterdir())
    path.chmod(0o444)
    with pytest.raises(pp.errors.AnnotationError, match=r"file\.conllu: cannot be written: it is write-protected"):
        pp.annotate.AnnotationSession(path, train=False)
    assert sorted(path.parent.iterdir()) == before


def test_a_circle_is_one_problem(session):
    view = session.view(1)
    view = session.edit(1, view["version"], {"edit": "head", "word": 1, "head": 2})
    view = session.edit(1, view["version"], {"edit": "head", "word": 2, "head": 1})
    assert "go round in a circle" in view["conflict"]["message"]
    assert "non-tree" not in {problem["rule"] for problem in view["problems"]}
    view = session.edit(1, view["version"], {"edit": "unset", "word": 1})
    for word in (1, 2):
        view = session.edit(1, view["version"], {"edit": "head", "word": word, "head": 0})
    assert "one root" in view["conflict"]["message"]
    assert "multiple-roots" not in {problem["rule"] for problem in view["problems"]}


def test_progress_and_edits_are_counted(path):
    now = iter(range(0, 10_000, 10))
    with pp.annotate.AnnotationSession(path, train=False, annotator="me", clock=lambda: float(next(now))) as session:
        session.edit(1, 0, {"edit": "head", "word": 1, "head": 2})
        session.edit(1, 1, {"edit": "head", "word": 2, "head": 0})
        view = session.undo()
        session.edit(1, view["version"], {"edit": "done"})
        progress = session.summary()["progress"]
        assert progress["corrections"] == 2
        assert progress["seconds"] == 30
        assert progress["per_100_words"] == pytest.approx(66.7)
        assert progress["hours_left"] == pytest.approx(5 / (3 * 3600 / 30), abs=0.1)
    rows = pp.annotate.read_edits(path)
    assert [row["edit"] for row in rows] == ["head", "head", "undo", "done"]
    assert rows[1]["undone_by"] == rows[2]["number"]
    assert rows[1]["seconds"] == 10
    assert rows[0]["user"] == "me"
    assert [rows[1][name] for name in ("time", "sentence", "sent_id", "word", "detail", "changed")] == [
        "1970-01-01T00:00:20.000Z", 2, "two", 2, {"head": 0}, 2,
    ]  # fmt: skip
    assert rows[2]["detail"] == {"undo": rows[1]["number"]}
    with pp.annotate.AnnotationSession(path, train=False) as session:
        assert session.summary()["progress"]["corrections"] == 2


def test_closing_twice_and_files_that_are_not_there(path, tmp_path):
    session = pp.annotate.AnnotationSession(path, train=False)
    session.close()
    with pytest.raises(pp.errors.AnnotationError, match="cannot be read"):
        pp.annotate.AnnotationSession(tmp_path / "nowhere")
    assert not list(tmp_path.glob("nowhere*"))


def test_sentences_of_the_same_words_are_told_apart(tmp_path):
    row = "1\tit\tit\t{}\t_\t_\t_\t_\t_\t_\n2\tis\tbe\tAUX\t_\t_\t_\t_\t_\t_\n\n"
    path = write(tmp_path, row.format("PRON") + row.format("_") + row.format("NOUN"))
    with pp.annotate.AnnotationSession(path, train=False) as session:
        assert [session.view(index)["words"][0]["upos"] for index in range(3)] == ["PRON", "_", "NOUN"]
        for index in range(3):
            session.edit(index, 0, {"edit": "done"})
    assert [line.split("\t")[3] for line in path.read_text().splitlines() if line.startswith("1")] == [
        "PRON",
        "_",
        "NOUN",
    ]


def test_unexpected_errors_in_the_background_are_told_and_the_work_goes_on(path, monkeypatch):
    events = []
    with pp.annotate.AnnotationSession(path, annotator="me") as session:
        session.listen(events.append)
        for name, owner in (("save", session._store), ("train", session._trainer._trainer)):
            real = getattr(owner, name)

            def fail(*_, owner=owner, name=name, real=real):
                setattr(owner, name, real)
                raise MemoryError

            monkeypatch.setattr(owner, name, fail)
        for index in (1, 2):
            session.edit(index, 0, {"edit": "done"})
            session.wait(20)
    messages = sorted(event["message"] for event in events if event["event"] == "notice")
    assert messages == ["the file could not be saved: MemoryError", "the parser could not learn: MemoryError"]
    assert {"event": "learning", "sentences": 0} in events
    assert [event["event"] for event in events].count("saved") >= 1
    assert any(event["event"] == "model" for event in events)


def test_an_edit_never_goes_to_another_sentence(session, path):
    seen = session.view(2)
    head = {"edit": "head", "word": 1, "head": 2}
    session.edit(1, 0, {"edit": "split_sentence", "word": 2})
    with pytest.raises(pp.errors.StaleEditError, match="sentence 3 may be another one now"):
        session.edit(2, seen["version"], head, layout_version=seen["layout_version"])
    now = session.view(2, seen["key"], seen["layout_version"])
    assert (now["index"], now["sent_id"], now["version"]) == (3, "three", 0)
    assert session.edit(3, 0, head, layout_version=now["layout_version"])["sent_id"] == "three"
    assert session.undo()["layout_version"] == now["layout_version"]  # all sentences are where they were
    assert session.undo()["layout_version"] != now["layout_version"]
    seen = session.view(2)
    path.write_text("1\tnew\t_\t_\t_\t_\t_\t_\t_\t_\n\n" + path.read_text())
    session.edit(1, session.view(1)["version"], head, layout_version=seen["layout_version"])
    session.save()  # which merges
    with pytest.raises(pp.errors.StaleEditError):
        session.edit(2, seen["version"], head, layout_version=seen["layout_version"])
    assert session.view(2, seen["key"], seen["layout_version"])["index"] == 3
    assert session.view(99, "unknown", -1)["index"] == 3  # what is there now


def test_words_to_relabel_are_of_an_order(session):
    found = session.consistency(0, 3)
    assert found["layout_version"] == session.view(0)["layout_version"]
    session.edit(1, 0, {"edit": "split_sentence", "word": 2})
    assert session.consistency(0, 3)["layout_version"] == found["layout_version"] + 1


def test_another_tree_is_one_step_of_undo(session):
    tree = {"edit": "tree", "words": [1, 3], "heads": [2, 2], "labels": ["nsubj", "obj"]}
    words = session.edit(1, 0, tree)["words"]
    assert [(word["head"], word["label"]) for word in (words[0], words[2])] == [(2, "nsubj"), (2, "obj")]
    assert not words[1]["decided"]["head"]
    assert not any(word["decided"]["head"] for word in session.undo()["words"])
    for wrong in ({"heads": [2]}, {"labels": ["a b", "obj"]}, {"heads": [2, 9]}, {"words": []}):
        with pytest.raises(pp.errors.AnnotationError):
            session.edit(1, session.view(1)["version"], tree | wrong)
