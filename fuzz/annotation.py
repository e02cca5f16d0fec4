"""The readers of annotation: journals, edits, sentences that are edited."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from fuzz import seeds
from fuzz.mutation import changed, changes, dumped, mutated
from fuzz.running import Target, smaller_text
from panparser.annotate.document import Document
from panparser.annotate.edits import apply_edit, parse_edit
from panparser.annotate.journal import line_of, part_of_cells, record_of
from panparser.annotate.saving import AnnotationStore
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.errors import PanParserError

EDITS: tuple[dict[str, Any], ...] = (
    {"edit": "head", "word": 2, "head": 1},
    {"edit": "forbid", "word": 1, "heads": [2, 3]},
    {"edit": "span", "first": 1, "last": 2},
    {"edit": "comments", "comments": ["# sent_id = x"]},
    {"edit": "split", "word": 2, "forms": ["a", "b"]},
    {"edit": "join", "first": 1, "last": 2},
    {"edit": "split_sentence", "word": 2},
    {"edit": "join_sentence"},
    {"edit": "done", "accept": False},
    {"edit": "cell", "word": 1, "column": "feats", "value": "A=b"},
)


def _opened(journal: bytes | None) -> AnnotationStore:
    path = seeds.folder() / "annotated.conllu"
    path.write_bytes(seeds.conllu(3))
    for name in ("journal", "lock"):
        Path(f"{path}.{name}").unlink(missing_ok=True)
    if journal is not None:
        Path(f"{path}.journal").write_bytes(journal)
    return AnnotationStore(path, "me", "", lambda: 1.0)


@cache
def journal() -> bytes:
    """A journal with records of all kinds."""
    store = _opened(None)
    for value in EDITS:
        with suppress(PanParserError):
            _do(store, value)
    store.move_in_history("undo")
    store.move_in_history("redo")
    store.close()
    return Path(f"{store.path}.journal").read_bytes()


def _do(store: AnnotationStore, value: dict[str, Any]) -> None:
    draft, edit = store.document.draft(0), parse_edit(value)
    following = store.document.draft(1)
    taken, drafts = apply_edit(edit, draft, draft.words, following)
    part = part_of_cells(0, draft, drafts[0]) if taken == len(drafts) == 1 else None
    if part is None and (taken, drafts) != (1, [draft]):
        old = [each.to_value() for each in (draft, following)[:taken]]
        part = {"index": 0, "old": old, "new": [each.to_value() for each in drafts]}
    if part is not None:
        store.note({"user": "me", "edit": edit.to_value(), "parts": [part]})


def _changed_records(rng: Random) -> bytes:
    """Records that were changed, with checksums that fit."""
    records = [record_of(line) for line in journal().splitlines()]
    if rng.random() < 0.3:
        return mutated(rng, [journal()])
    values = changed(records, changes(rng, records))
    lines = values if isinstance(values, list) else [values]
    found = b""
    for value in lines:
        with suppress(ValueError, TypeError):
            found += line_of(value if isinstance(value, dict) else {"n": value})
    return found


def check_journal(data: bytes) -> None:
    """What can be replayed can be undone, written and read again."""
    store = _opened(data)
    try:
        for index in store.document:
            store.document.draft(index).to_bytes()
        while True:
            with suppress(PanParserError):
                if store.move_in_history("undo"):
                    continue
            break
        Document(store.document.to_bytes())
    finally:
        store.close()


def check_edit(data: bytes) -> None:
    """An edit that can be read is applied or refused, and its JSON is restored."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    edit = parse_edit(value)
    assert parse_edit(edit.to_value()) == edit
    document = Document(seeds.conllu(3))
    draft, following = document.draft(0), document.draft(1)
    for each in apply_edit(edit, draft, draft.words, following)[1]:
        assert SentenceDraft.from_value(each.to_value()) == each


def check_document(data: bytes) -> None:
    """What is not changed stays as it is; what can be read is written back."""
    document = Document(data)
    assert document.to_bytes() == data
    for index in document:
        with suppress(PanParserError):
            assert document.draft(index).to_bytes() == document.bytes_of(index)
    assert document.totals()["sentences"] == len(document)


def _random_edit(rng: Random) -> bytes:
    value = rng.choice(EDITS)
    return dumped(changed(value, changes(rng, value))).encode("utf-8", "surrogatepass")


ANNOTATION_TARGETS = (
    Target("journals", _changed_records, check_journal, smaller_text),
    Target("edits", _random_edit, check_edit, smaller_text),
    Target("documents", lambda rng: mutated(rng, (seeds.conllu(3), seeds.conllu())), check_document, smaller_text),
)
