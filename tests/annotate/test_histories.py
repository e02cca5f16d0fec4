"""Random histories: edits, saves, kills, undo, others who change the file; a simple model knows what is right."""

from __future__ import annotations

import os
import random

import pytest

import panparser as pp
from stores import do, opened, save, state


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch):
    """Processes are killed here, and power is never lost."""
    monkeypatch.setattr(os, "fsync", lambda number: None)


def _lines(name, forms, note=""):
    comments = (f"# sent_id = {name}\n" if name else "") + (f"# note = {note}\n" if note else "")
    return comments + "".join(f"{n}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n" for n, form in enumerate(forms, 1)) + "\n"


def _kept(drafts):
    """Sentences without the blank lines around them, which saving may complete."""
    return [{**draft.to_value(), "text": draft.to_text().strip("\r\n\ufeff")} for draft in drafts]


def _random_edit(rng, words):
    word = rng.randint(1, words)
    return rng.choice(
        [
            {"edit": "head", "word": word, "head": rng.randint(0, words)},
            {"edit": "label", "word": word, "label": rng.choice("xy")},
            {"edit": "unset", "word": word},
            {"edit": "forbid", "word": word, "heads": [rng.randint(0, words)]},
            {"edit": "span", "first": 1, "last": word},
            {"edit": "done", "done": rng.random() < 0.7, "accept": False},
            {"edit": "cell", "word": word, "column": "form", "value": rng.choice("abc")},
            {"edit": "split", "word": word, "forms": ["p", "q"]},
            {"edit": "split_sentence", "word": word},
            {"edit": "join_sentence"},
        ]
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_history_without_others_is_replayed(tmp_path, seed):
    rng, path = random.Random(seed), tmp_path / "file.conllu"
    text = "".join(_lines("", rng.choices("ab", k=rng.randint(1, 3))) for _ in range(4))
    text = rng.choice(["", "\n\n", "\ufeff"]) + rng.choice([text, text[:-1], text[:-2], text + "# tail\n"])
    path.write_bytes(text.replace("\n", rng.choice(["\n", "\r\n"])).encode())
    store = opened(path)
    for _ in range(25):
        step = rng.choice(["edit"] * 5 + ["undo", "redo", "save", "kill"])
        if step == "edit":
            index = rng.randrange(len(store.document))
            try:
                do(store, index, **_random_edit(rng, len(store.document.draft(index).words)))
            except pp.errors.AnnotationError:
                continue
        elif step == "save":
            save(store)
        elif step == "kill":
            known = _kept(state(store))
            store.close()
            store = opened(path)
            assert _kept(state(store)) == known
            assert not store.notices
        else:
            store.move_in_history(step)
    store.close()


class _Model:
    """Sentences by their names: what was decided here, whatever others do; a file that they change."""

    def __init__(self, rng, path):
        self.rng, self.path, self.new = rng, path, 0
        self.labels, self.done, self.removed = {}, {}, set()
        path.write_text("".join(_lines(f"s{n}", rng.choices("ab", k=rng.randint(1, 3))) for n in range(4)))

    def outside(self):
        """Others insert, move or comment sentences, and remove those that nobody annotated."""
        sentences = [each + "\n\n" for each in self.path.read_text().split("\n\n") if each]
        at, self.new = self.rng.randrange(len(sentences)), self.new + 1
        match self.rng.choice(["insert", "comment", "remove", "move"]):
            case "insert":
                sentences.insert(at, _lines(f"o{self.new}", ["n"]))
            case "comment":
                sentences[at] = f"# c = {self.new}\n{sentences[at]}"
            case "move":
                sentences.append(sentences.pop(at))
            case "remove":
                name = sentences[at].partition("sent_id = ")[2].partition("\n")[0]
                if len(sentences) > 2 and name not in {key[0] for key in self.labels} | self.done.keys():
                    del sentences[at]
                    self.removed.add(name)
        self.path.write_text("".join(sentences))

    def edit(self, store):
        index = self.rng.randrange(len(store.document))
        draft = store.document.draft(index)
        name, word = draft.comment("sent_id"), self.rng.randint(1, len(draft.words))
        if name in self.removed:
            return
        if self.rng.random() < 0.7:
            label = self.rng.choice("xyz")
            do(store, index, edit="label", word=word, label=label)
            self.labels[name, word] = label
        else:
            done = self.rng.random() < 0.7
            do(store, index, edit="done", done=done, accept=False)
            self.done[name] = done

    def check(self, store):
        drafts = {draft.comment("sent_id"): draft for draft in state(store)}
        labels = {(n, at): w.label for n, d in drafts.items() for at, w in enumerate(d.words, 1) if w.label is not None}
        assert labels == self.labels
        assert {name for name, draft in drafts.items() if draft.done} == {n for n, done in self.done.items() if done}


@pytest.mark.parametrize("seed", range(60))
def test_no_decision_is_lost_or_moved_when_others_change_the_file(tmp_path, seed):
    rng = random.Random(seed)
    model = _Model(rng, tmp_path / "file.conllu")
    store = opened(model.path)
    for _ in range(25):
        step = rng.choice(["edit"] * 4 + ["undo", "save", "outside", "kill", "kill"])
        if step == "edit":
            model.edit(store)
        elif step == "outside":
            model.outside()
        elif step == "save":
            save(store)
        elif step == "kill":
            store.close()
            store = opened(model.path)
        elif store.history.done:  # an edit, and its undo
            known = dict(model.labels), dict(model.done)
            before = len(store.history.done)
            model.edit(store)
            if len(store.history.done) > before:
                store.move_in_history("undo")
            model.labels, model.done = known
        model.check(store)
        assert not any(": the file has " in notice or "no longer in the file" in notice for notice in store.notices)
    store.close()


def test_of_sentences_that_are_the_same_the_right_one_is_found(tmp_path):
    path = tmp_path / "file.conllu"
    path.write_text(_lines("", ["yes", "sir"]) * 3)
    store = opened(path)
    do(store, 2, edit="label", word=1, label="a")
    do(store, 2, edit="done", done=True, accept=False)
    save(store)
    do(store, 1, edit="span", first=1, last=2)
    store.close()
    path.write_text(_lines("", ["new"]) + path.read_text())
    for _ in range(2):
        store = opened(path)
        drafts = state(store)
        assert [(draft.words[0].label, draft.done, len(draft.spans)) for draft in drafts] == [
            (None, False, 0), (None, False, 0), (None, False, 1), ("a", True, 0),
        ]  # fmt: skip
        store.close()
