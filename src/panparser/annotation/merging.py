"""Merging: what was annotated here is added to a file that others changed, sentence by sentence and cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from panparser.annotation.document import Document, JournalState
from panparser.annotation.drafts import SentenceDraft
from panparser.annotation.history import Part, key_in, part_of_cells, part_of_sentences, sides
from panparser.errors import AnnotationError


def aligned(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Where sentences went, by their keys: those that stayed in order, then others with the same key, in order."""
    found: list[int | None] = [None] * len(old)
    for at, to, size in SequenceMatcher(None, old, new).get_matching_blocks():
        found[at : at + size] = range(to, to + size)
    taken, free = set(found), dict[str, list[int]]()
    for to in reversed(range(len(new))):
        if to not in taken:
            free.setdefault(new[to], []).append(to)
    for at, key in enumerate(old):
        if found[at] is None and free.get(key):
            found[at] = free[key].pop()
    return found


class DocumentMerger:
    """A document as others left it, to which changes of another version of it are added.

    `places`: for each sentence of that version, in its order, where it is in the document, if it is there.
    """

    def __init__(self, document: Document, places: list[int | None]) -> None:
        self.document, self._places = document, places
        self.conflicts: list[str] = []  # changes that the file does not allow, in words

    def mark(self, marks: Mapping[int, JournalState]) -> None:
        for index, each in marks.items():
            place = self._places[index]
            if place is not None:
                self.document.mark(place, each)

    def take(self, parts: Sequence[Part], backwards: bool) -> None:
        """Adds what fits; tells of the rest."""
        for part in reversed(parts) if backwards else parts:
            try:
                if "cells" in part:
                    self._change(part, backwards)
                else:
                    self._replace(part, backwards)
            except AnnotationError as error:
                key = (
                    key_in(part, backwards)
                    if "cells" in part
                    else SentenceDraft.from_value(sides(part, backwards)[0][0]).key
                )
                self.conflicts.append(f"sentence {part['index'] + 1} ({key}): {error}")

    def _change(self, part: Part, backwards: bool) -> None:
        place = self._places[part["index"]]
        if place is None:
            raise AnnotationError("is no longer in the file, or has changed; the journal has what was annotated in it")
        draft, cells, lost = self.document.draft(place), [], []
        for number, name, *values in part["cells"]:
            old, new = reversed(values) if backwards else values
            found = draft.value(number, name) if number <= len(draft.words) else None
            if found == old:
                cells.append([number, name, old, new])
            elif found != new:
                where = f"{name} of word {number}" if number else name
                lost.append(f"{where}: the file has {found!r}, the journal {new!r}")
        if cells:
            self.document.put(place, 1, [draft.changed(cells)], 0)
        if lost:
            raise AnnotationError("; ".join(lost))

    def _replace(self, part: Part, backwards: bool) -> None:
        index, (old, new) = part["index"], sides(part, backwards)
        places, count = self._places[index : index + len(old)], len(new)
        self._places[index : index + len(old)] = [None] * count
        first = places[0]
        if first is None or places != [*range(first, first + len(old))]:
            raise AnnotationError("is no longer in the file, or not where it was; it is not split or joined")
        for place, value in enumerate(old, start=first):
            if not self.document.draft(place).has_lines_of(SentenceDraft.from_value(value)):
                raise AnnotationError("has changed in the file; it is not split or joined")
        self.document.put(first, len(old), [SentenceDraft.from_value(value) for value in new], 0)
        by = count - len(old)
        self._places = [at if at is None or at < first else at + by for at in self._places]
        self._places[index : index + count] = range(first, first + count)

    def difference(self, file: Document) -> list[Part]:
        """What makes the document of the file as it was read; each part is of other sentences, the last come first."""
        numbers = {place.start: number for number, place in enumerate(file.entries)}
        parts: list[Part] = []
        start, new = 0, list[SentenceDraft]()  # of sentences that were replaced
        for index, place in enumerate(self.document.entries):
            if place.start == place.stop:
                new.append(self.document.draft(index))
                continue
            number = numbers[place.start]
            parts += _replaced(file, start, number, new)
            start, new = number + 1, []
            if place.draft is not None or place.marks is not None:
                part = part_of_cells(number, file.draft(number), self.document.draft(index))
                parts += [part] if part else []
        return [*parts, *_replaced(file, start, len(file), new)][::-1]


def _replaced(file: Document, start: int, stop: int, new: list[SentenceDraft]) -> list[Part]:
    return [part_of_sentences(start, map(file.draft, range(start, stop)), new)] if new else []
