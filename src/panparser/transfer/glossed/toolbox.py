"""Toolbox and Shoebox (standard format, SFM): lines that begin with a marker, words and glosses one below the other."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from panparser.errors import TextError
from panparser.transfer.glossed.sentences import (
    GlossedSentence,
    GlossedWord,
    Morpheme,
    bare_gloss,
    join_morphemes,
    split_morphemes,
    split_punctuation,
    with_punctuation,
)

_NAME = re.compile(r"^\s*\\(\S+)", re.MULTILINE)
_MARKER = re.compile(r"\s*\\(\S+)\s?(.*)")
_ALIGNED = ("words", "morphemes", "glosses", "tags")  # one below the other
_TOKEN = re.compile(r"\S+")
_SIGNS = "-=~"  # at the side of a morpheme where it is attached


@dataclass
class _Line:
    number: int
    text: str


@dataclass
class _Record:
    """What is said of one sentence; long ones have several groups of lines that are read one below the other."""

    line: int
    id: str = ""
    document: str = ""
    groups: list[dict[str, _Line]] = field(default_factory=list)
    translation: list[str] = field(default_factory=list)


def read_toolbox(text: str, markers: Mapping[str, Sequence[str]], path: str = "<text>") -> list[GlossedSentence]:
    r"""The sentences of a file: words \tx, morphemes \mb, glosses \ge, parts of speech \ps, translation \ft.

    `markers`: what these lines are called in the file. Morphemes belong to the word below which they stand; where
    columns are not kept, hyphens tell. Raises TextError, with the line, if neither does.
    """
    records = list(_records(text, path, markers))
    if text.strip() and not records:
        names = " or ".join(f"\\{name}" for name in markers["words"])
        raise TextError(f"{path}:1: expected lines of words, which begin with {names}, found none")
    found = (_sentence(record, path, count) for count, record in enumerate(records, start=1))
    return [sentence for sentence in found if sentence is not None]


def _records(text: str, path: str, markers: Mapping[str, Sequence[str]]) -> Iterator[_Record]:
    used = set(_NAME.findall(text))
    present = {kind: [name for name in names if name in used] for kind, names in markers.items()}
    kinds = {names[0]: kind for kind, names in present.items() if names}  # of several glosses, those named first
    record, document = _Record(1), ""
    for number, kind, content in _marked(text, path, kinds):
        if kind in ("document", "sentence") or (kind == "words" and record.translation):
            if record.groups:
                yield record
            record = _Record(number)
        if kind == "document":
            document = content.strip()
        elif kind == "sentence":
            record.id, record.line = content.strip(), number
        elif kind == "translation":
            record.translation += content.split()
        elif kind == "words":
            if not record.groups and document:
                record.document, document = document, ""
            record.groups.append({kind: _Line(number, content)})
        elif kind:
            if not record.groups or kind in record.groups[-1]:
                raise TextError(
                    f"{path}:{number}: expected a line of words (\\{markers['words'][0]}) before this one, "
                    f"found {kind} without it"
                )
            record.groups[-1][kind] = _Line(number, content)
    if record.groups:
        yield record


def _marked(text: str, path: str, kinds: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    """(number, kind, text) of each line; one without a marker continues the one before."""
    current: tuple[int, str, str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        found = _MARKER.fullmatch(line)
        if found:
            if current:
                yield current
            indent = " " * found.start(2)  # columns are those of the whole line: markers have different lengths
            current = (number, kinds.get(found[1], ""), indent + found[2].rstrip())
        elif line.strip():
            if current is None:
                raise TextError(f"{path}:{number}: expected a line that begins with a marker, found {line[:60]!r}")
            if current[1] in _ALIGNED:
                raise TextError(
                    f"{path}:{number}: expected a line that begins with a marker (words and glosses are not wrapped), "
                    f"found {line[:60]!r}"
                )
            current = (*current[:2], f"{current[2]} {line.strip()}")
    if current:
        yield current


def _sentence(record: _Record, path: str, count: int) -> GlossedSentence | None:
    """The sentence of a record; None for one that nobody has filled in."""
    filled = [group for group in record.groups if any(line.text.strip() for line in group.values())]
    if not filled:
        return None
    words = [word for group in filled for word in _words(group, path)]
    return GlossedSentence(
        words=tuple(words),
        translation=" ".join(record.translation),
        id=record.id or str(count),
        document=record.document,
        path=path,
        line=record.line,
    )


# --- Words ---

Part = tuple[str, str, str]  # a token of the line of morphemes, its gloss and its part of speech


def _words(group: Mapping[str, _Line], path: str) -> Iterator[GlossedWord]:
    """The words of a group of lines."""
    for written, parts in _grouped(group, path):
        before, bare, after = split_punctuation(written)
        if not parts or not any(map(str.isalnum, bare)):
            yield from with_punctuation(GlossedWord(form=bare), before, after)
            continue
        morphemes = tuple(_morphemes(parts))
        several = len(morphemes) > 1
        segmented, glossed = (
            "".join(part.separator + text for part, text in zip(morphemes, texts, strict=True))
            for texts in ([part.form for part in morphemes], [part.gloss for part in morphemes])
        )
        word = GlossedWord(
            form=join_morphemes(bare) if several and "morphemes" not in group else bare,
            morphemes=morphemes,
            segmented=segmented if several else "",
            glossed=glossed,
        )
        yield from with_punctuation(word, before, after)


def _morphemes(parts: Sequence[Part]) -> Iterator[Morpheme]:
    """The morphemes of a word: a token for each, with a hyphen where it is attached, or several in one token."""
    before = ""  # a hyphen at the end of the token before
    for place, (token, gloss, tag) in enumerate(parts):
        forms, glosses, tags = (split_morphemes(text) for text in (split_punctuation(token)[1], bare_gloss(gloss), tag))
        if len(forms) != len(glosses):  # one morpheme, whatever hyphens its gloss has
            forms, glosses, tags = [("", join_morphemes(token))], [("", gloss)], [("", tag)]
        alone = len(forms) == 1
        affix = alone and len(parts) > 1 and (token[0] in _SIGNS or token[-1] in _SIGNS)
        for at, ((joint, form), (_, meaning)) in enumerate(zip(forms, glosses, strict=True)):
            own = tags[at][1] if len(tags) == len(forms) else ""
            joint = (joint or before or "-") if at == 0 else joint
            yield Morpheme(
                form=form,
                gloss=_known(meaning),
                separator=joint if place or at else "",
                tag=_known(own),
                is_stem=False if affix else None,
            )
        before = token[-1] if token[-1] in _SIGNS else ""


def _known(text: str) -> str:
    """Toolbox writes *** where it knows nothing."""
    return "" if set(text) <= {"*"} else text.strip(_SIGNS)


def _grouped(group: Mapping[str, _Line], path: str) -> Iterator[tuple[str, list[Part]]]:
    """Each word with its parts; without a line of morphemes, each word is one, if there are glosses."""
    words = _cells(group["words"].text)
    if not words:
        raise TextError(f"{path}:{group['words'].number}: expected words, found none")
    above = "morphemes" if "morphemes" in group else "words"
    cells = _cells(group[above].text)
    glosses, tags = (_below(cells, group, above, kind, path) for kind in ("glosses", "tags"))
    owned = _owned(words, cells, group, path) if above == "morphemes" else [[at] for at in range(len(words))]
    glossed = len(group) > 1
    for word, places in zip(words, owned, strict=True):
        yield word.text, [(cells[at].text, glosses[at], tags[at]) for at in places] if glossed else []


# --- Columns ---


class _Cell(NamedTuple):
    """A token and the column where it begins: Toolbox counts bytes, editors count characters."""

    bytes: int
    characters: int
    text: str


def _cells(line: str) -> list[_Cell]:
    cells: list[_Cell] = []
    size = end = 0
    for found in _TOKEN.finditer(line):
        size += len(line[end : found.start()].encode())
        cells.append(_Cell(size, found.start(), found[0]))
        size, end = size + len(found[0].encode()), found.end()
    return cells


def _below(cells: Sequence[_Cell], group: Mapping[str, _Line], above: str, kind: str, path: str) -> list[str]:
    """The tokens of a line, one for each of the line above; where there are more (glosses with spaces), by columns."""
    if kind not in group:
        return [""] * len(cells)
    below = _cells(group[kind].text)
    if len(below) == len(cells):
        return [cell.text for cell in below]
    for column in (0, 1) if len(below) > len(cells) else ():
        starts = [cell[column] for cell in cells]
        owners = [bisect_right(starts, cell[column]) - 1 for cell in below]
        if set(owners) == set(range(len(cells))):
            found: list[list[str]] = [[] for _ in cells]
            for owner, cell in zip(owners, below, strict=True):
                found[owner].append(cell.text)
            return [" ".join(texts) for texts in found]
    raise TextError(
        f"{path}:{group[kind].number}: expected {kind} below the {len(cells)} {above} of line {group[above].number}, "
        f"found {len(below)}, which columns do not assign to them either"
    )


def _owned(
    words: Sequence[_Cell], morphemes: Sequence[_Cell], group: Mapping[str, _Line], path: str
) -> list[list[int]]:
    """For each word, its morphemes: by columns if each word has one right below it, else by hyphens."""
    joints = (before.text[-1] in _SIGNS or cell.text[0] in _SIGNS for before, cell in pairwise(morphemes))
    attached = [False, *joints][: len(morphemes)]
    for column in (0, 1):
        starts, places = ([cell[column] for cell in cells] for cells in (words, morphemes))
        first = [place for place, is_attached in zip(places, attached, strict=True) if not is_attached]
        if set(starts) <= set(first) and starts[0] == first[0]:
            owned: list[list[int]] = [[] for _ in words]
            for at, place in enumerate(places):
                owned[bisect_right(starts, place) - 1].append(at)
            return owned
    groups: list[list[int]] = []
    for at, is_attached in enumerate(attached):
        if is_attached:
            groups[-1].append(at)
        else:
            groups.append([at])
    if len(groups) == len(words):
        return groups
    raise TextError(
        f"{path}:{group['morphemes'].number}: expected morphemes below the {len(words)} words of line "
        f"{group['words'].number}, by columns or by hyphens, found {len(morphemes)} morphemes of {len(groups)} words"
    )
