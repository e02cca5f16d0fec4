"""Stores, and edits in them as a session does them."""

from __future__ import annotations

import threading

from panparser.annotate import journal as history
from panparser.annotate.edits import apply_edit, parse_edit
from panparser.annotate.saving import AnnotationStore


def opened(path):
    return AnnotationStore(path, "me", "http://here", lambda: 1.0)


def do(store, index, **value):
    """An edit, as a session does it."""
    draft, edit = store.document.draft(index), parse_edit(value)
    following = store.document.draft(index + 1) if index + 1 < len(store.document) else None
    taken, drafts = apply_edit(edit, draft, draft.words, following)
    if taken == len(drafts) == 1:
        part = history.part_of_cells(index, draft, drafts[0])
    else:
        old = [each.to_value() for each in (draft, following)[:taken]]
        part = {"index": index, "old": old, "new": [each.to_value() for each in drafts]}
    if part:
        store.note({"user": "me", "edit": edit.to_value(), "parts": [part]})


def state(store):
    return [store.document.draft(index) for index in store.document]


def save(store):
    return store.save(threading.RLock())
