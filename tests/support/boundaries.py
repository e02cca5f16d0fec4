"""What a tokenizer sees of the places of a text, found the slow way: place by place, from the text itself."""

from __future__ import annotations

from panparser.text.characters import KINDS, WHITE_SPACE, _gluing, _lower, kind

LETTERS = ("lower", "upper", "letter", "mark")
BASE = 0x9E3779B97F4A7C15
BREAK, SPACE = "\n", " "


def squeezed(text):
    """Characters and where they stand: runs of white space are one space, or one line end."""
    found, at = [], 0
    while at < len(text):
        if ord(text[at]) not in WHITE_SPACE:
            found.append((text[at], at))
            at += 1
            continue
        end = at
        while end < len(text) and ord(text[end]) in WHITE_SPACE:
            end += 1
        gap = text[at:end].replace("\r\n", "\n").replace("\u2029", "\n\n").replace("\r", "\n")
        if found:
            found.append((BREAK if gap.count("\n") > 1 or end == len(text) else SPACE, at))
        at = end
    if found and found[-1][0] not in (BREAK, SPACE):
        found.append((BREAK, len(text)))
    return found


def number(piece):
    """The number that a column has for a piece of text, or for any numbers."""
    points = [ord(c) if isinstance(c, str) else c for c in piece]
    code = sum((point + 1) * BASE**i for i, point in enumerate(points)) % 2**64
    return ((code ^ code >> 32) * 0xD6E8FEB86659FD93 % 2**64) >> 33


def hash_of(piece):
    return sum((ord(c) + 1) * BASE**i for i, c in enumerate(piece)) % 2**64


def lowered(piece):
    return "".join(chr(_lower(c)) for c in piece)


def kind_name(character):
    return KINDS[kind(character)]


def split_runs(characters):
    """(start, end) of letters, digits and repeated signs, without white space."""

    def group(c):
        name = kind_name(c)
        return "letter" if name in LETTERS else "digit" if name == "digit" else c

    runs = []
    for i, c in enumerate(characters):
        if c in (BREAK, SPACE):
            continue
        if runs and runs[-1][1] == i and group(c) == group(characters[i - 1]) and kind_name(c) != "ideograph":
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def shape(piece):
    has = [any(kind_name(c) == name for c in piece[1:]) for name in ("upper", "lower")]
    return ((kind(piece[0]) * 2 + has[0]) * 2 + has[1]) * 8 + min(len(piece), 5)


def is_held(characters, at):
    """Must a token not end after this character?"""
    if characters[at + 1] in (BREAK, SPACE):
        return False
    glue, following = _gluing(characters[at]), _gluing(characters[at + 1])
    flags = 0
    while flags <= at and _gluing(characters[at - flags]) == 3:
        flags += 1
    return following in (1, 2) or glue == 2 or (following == 3 and flags % 2 == 1)


def rows(text, whole, lexicon):
    """The places of a text and what is seen of each, by column; `lexicon` maps hashes of words to classes."""
    laid = squeezed(text)
    characters = "".join(c for c, _ in laid)
    runs = split_runs(characters)
    words = [lowered(characters[a:b]) for a, b in runs]
    seen = [
        {"": number(word), "s": shape(characters[a:b]), "l": lexicon.get(hash_of(word), 0), "g": 2 * (i == 0)}
        for i, (word, (a, b)) in enumerate(zip(words, runs, strict=True))
    ]
    for at, c in enumerate(characters):
        if c in (BREAK, SPACE) or is_held(characters, at):
            continue
        following = characters[at + 1]
        gap = {SPACE: 1, BREAK: 2}.get(following, 0)
        if not gap and whole[kind(c) * len(KINDS) + kind(following)]:
            continue
        yield (
            at,
            {
                "gap": gap,
                **_of_runs(characters, at, runs, seen),
                **_of_chunks(characters, at),
                **_signs(characters, at),
            },
        )


def _of_runs(characters, at, runs, seen):
    run = next(i for i, (a, b) in enumerate(runs) if a <= at < b)
    after = run if at + 1 < runs[run][1] else run + 1
    nothing = {"": 0, "s": -1, "l": -1, "g": 2}
    found = {}
    for name, index in (
        ("b0", run),
        ("b1", run - 1),
        ("b2", run - 2),
        ("f0", after),
        ("f1", after + 1),
        ("f2", after + 2),
    ):
        for part, value in (seen[index] if 0 <= index < len(runs) else nothing).items():
            found[name + part] = value
    found["b0"] = number(lowered(characters[runs[run][0] : at + 1]))
    return found


def _of_chunks(characters, at):
    paragraph = characters.rfind(BREAK, 0, at) + 1
    stop = characters.index(BREAK, at)
    start = max(paragraph, characters.rfind(SPACE, 0, at) + 1)
    end = min(stop, i) if (i := characters.find(SPACE, at)) >= 0 else stop
    chunk = characters[start:end]
    before, after = characters[paragraph:start].split(SPACE), characters[end:stop].split(SPACE)
    kinds = {kind_name(c) for c in chunk}
    traits = [sign in chunk for sign in "@/:._"] + ["digit" in kinds, bool(kinds & set(LETTERS))]
    return {
        "left": number(lowered(characters[start : at + 1])),
        "right": number(lowered(characters[at + 1 : end])),
        "chunk": number(chunk),
        "next": number(lowered(after[1])) if len(after) > 1 else -1,
        "previous": number(lowered(before[-2])) if len(before) > 1 else -1,
        "traits": sum(has << bit for bit, has in enumerate(traits)),
        "shape": number([kind(c) for c in chunk]),
        "rest": min(len(after) - 1, 7),
        "far": min(len(before) - 1, 7),
    }


def _signs(characters, at):
    paragraph = characters[characters.rfind(BREAK, 0, at) + 1 : at + 1]
    opened = sum(paragraph.count(c) for c in "([{«‹“„「『【《〈（［｛") - sum(
        paragraph.count(c) for c in ")]}»›”」』】》〉）］｝"
    )
    found = {f"c{n}": ord(characters[at + n]) if at + n < len(characters) else 0 for n in range(3)}
    found |= {f"d{n}": ord(characters[at - n]) if at >= n else 0 for n in (1, 2)}
    return found | {"depth": max(-1, min(opened, 2)), "quotes": paragraph.count('"') % 2}
