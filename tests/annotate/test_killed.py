"""Sessions that are killed at any moment: what was answered is there, once."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from annotated import FILE, write
from panparser.annotate.saving import AnnotationStore

_ANNOTATOR = """
import sys, threading
from panparser.annotate.saving import AnnotationStore
from panparser.annotate.journal import part_of_cells
from panparser.annotate.edits import Label
store = AnnotationStore(__import__("pathlib").Path(sys.argv[1]), "me", "", lambda: 1.0)
lock = threading.RLock()
for number in range(10_000):
    draft = store.document.draft(2)
    after = Label(number % 5 + 1, f"l{number}").apply(draft, ())
    store.note({"user": "me", "edit": {"edit": "label"}, "parts": [part_of_cells(2, draft, after)]})
    print(number, flush=True)
    if number % 7 == 6:
        store.save(lock)
"""


@pytest.mark.parametrize("run", range(4))
def test_a_process_that_is_killed_loses_nothing_that_it_answered_for(tmp_path, run):
    path = write(tmp_path)
    heard = -1
    stop = random.Random(run).randrange(1, 60)
    with subprocess.Popen([sys.executable, "-c", _ANNOTATOR, path], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            heard = int(line)
            if heard >= stop:
                process.kill()
                break
        heard = max([heard, *(int(line) for line in process.stdout.read().split())])  # answered, not yet heard
    assert heard >= stop
    store = AnnotationStore(path, "me", "", lambda: 1.0)
    done = len(store.history.done)
    assert done in (heard + 1, heard + 2)  # the last may have been written, and not answered any more
    labels = [word.label for word in store.document.draft(2).words]
    latest = {(number % 5): f"l{number}" for number in range(done)}
    assert labels == [latest.get(at) for at in range(5)]
    while store.move_in_history("undo"):
        pass
    assert store.document.to_bytes().decode() == FILE
    store.close()
