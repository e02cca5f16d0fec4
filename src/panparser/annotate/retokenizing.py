"""Changes of tokens and sentences: split, joined, written as one; heads, spans and DEPS follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from panparser.annotate.sentence_draft import NonWordLine, SentenceDraft, Word
from panparser.errors import AnnotationError
from panparser.treebank.treebank import with_value

_NOTHING = ("_",) * 9
Renumbering = Callable[[int], int | None]  # the new number of a word; None: it is not there


# --- Words ---


def split_word(draft: SentenceDraft, number: int, forms: Sequence[str]) -> SentenceDraft:
    """With some words in place of one; the first has its head, label and dependents."""
    word, more = draft.words[number - 1], len(forms) - 1
    if more < 1:
        raise AnnotationError(f"word {number} must become two or more words; got {list(forms)}")
    covering = [each for each in draft.multiword if each.first <= number <= each.last]
    if not covering and "".join(forms) != word.form.replace(" ", ""):
        raise AnnotationError(
            f"the parts of {word.form!r} must be written as it is; got {' + '.join(forms)} "
            "(make it a multiword token to have words that are written otherwise)"
        )
    first = Word(forms[0], head=word.head, label=word.label, forbidden=word.forbidden)
    parts = [first, *map(Word, forms[1:])]
    if not covering:
        apart = with_value("_", "SpaceAfter", "No")
        parts = [replace(part, misc=apart) for part in parts[:-1]] + [replace(parts[-1], misc=word.misc)]
    words = (*draft.words[: number - 1], *parts, *draft.words[number:])
    moved = _renumbered(replace(draft, words=()), words, lambda old: old if old <= number else old + more, number)
    ranges = (_stretched(each, number, more) for each in draft.multiword)
    spans = ((a if a <= number else a + more, b if b < number else b + more) for a, b in draft.spans)
    return _with_text(draft, replace(moved, multiword=tuple(ranges), spans=tuple(spans), done=False))


def _stretched(each: NonWordLine, number: int, more: int) -> NonWordLine:
    first = each.first if each.first <= number else each.first + more
    return NonWordLine(first, each.last if each.last < number else each.last + more, each.cells)


def join_words(draft: SentenceDraft, first: int, last: int, form: str | None) -> SentenceDraft:
    """With one word in place of several; it has the head of the one whose head is outside."""
    if any(first <= node.first < last for node in draft.empty):
        raise AnnotationError(f"words {first}-{last}: an empty node stands between them")
    for each in draft.multiword:
        inside, around = first <= each.first and each.last <= last, each.first <= first and last <= each.last
        if not (inside or around or each.last < first or last < each.first):
            raise AnnotationError(
                f"words {first}-{last}: multiword token {each.first}-{each.last} has only some of them"
            )
    taken = draft.words[first - 1 : last]
    tokens = [token for token in draft.tokens() if first <= token[0] and token[1] <= last]
    written = _joined_text(tokens) if tokens else "".join(word.form for word in taken)
    tops = [word for word in taken if word.head is not None and not first <= word.head <= last]
    head, label = (tops[0].head, tops[0].label) if len(tops) == 1 else (None, None)
    whole = next((each for each in draft.multiword if (each.first, each.last) == (first, last)), None)
    misc = whole.cells[8] if whole else taken[-1].misc
    joined = Word(form or written, head=head, label=label, misc=misc)
    words = (*draft.words[: first - 1], joined, *draft.words[last:])
    less = last - first

    def new(old: int) -> int:
        return old if old < first else first if old <= last else old - less

    moved = _renumbered(replace(draft, words=()), words, new, None)
    kept = [each for each in draft.multiword if not (first <= each.first and each.last <= last)]
    ranges = tuple(NonWordLine(new(each.first), new(each.last), each.cells) for each in kept)
    spans = tuple(dict.fromkeys((new(a), new(b)) for a, b in draft.spans if new(a) < new(b)))
    return _with_text(draft, replace(moved, multiword=ranges, spans=spans, done=False))


def make_multiword(draft: SentenceDraft, first: int, last: int, form: str | None) -> SentenceDraft:
    """With words that are written as one token."""
    if first >= last:
        raise AnnotationError(f"a multiword token has two words or more; got {first}-{last}")
    for each in draft.multiword:
        if each.first <= last and first <= each.last:
            raise AnnotationError(f"words {first}-{last}: {each.first}-{each.last} is a multiword token already")
    taken = draft.words[first - 1 : last]
    space = "SpaceAfter=No" in taken[-1].misc.split("|")
    misc = "SpaceAfter=No" if space else "_"
    written = form or "".join(word.form for word in taken)
    inside = [replace(word, misc=with_value(word.misc, "SpaceAfter", None)) for word in taken]
    added = NonWordLine(first, last, (written, *_NOTHING[1:8], misc))
    ranges = tuple(sorted((*draft.multiword, added), key=lambda each: each.first))
    words = (*draft.words[: first - 1], *inside, *draft.words[last:])
    return _with_text(draft, replace(draft, words=words, multiword=ranges, done=False))


def unmake_multiword(draft: SentenceDraft, first: int) -> SentenceDraft:
    """With the words of a multiword token as tokens of their own."""
    found = next((each for each in draft.multiword if each.first == first), None)
    if found is None:
        raise AnnotationError(f"no multiword token begins at word {first}")
    space = next((item for item in found.cells[8].split("|") if item.startswith("SpaceAfter=")), None)
    words = list(draft.words)
    for number in range(found.first, found.last):
        words[number - 1] = replace(words[number - 1], misc=with_value(words[number - 1].misc, "SpaceAfter", "No"))
    if space:
        last = words[found.last - 1]
        words[found.last - 1] = replace(last, misc=with_value(last.misc, "SpaceAfter", space.partition("=")[2]))
    ranges = tuple(each for each in draft.multiword if each is not found)
    return _with_text(draft, replace(draft, words=tuple(words), multiword=ranges, done=False))


# --- Sentences ---


def split_sentence(draft: SentenceDraft, number: int) -> list[SentenceDraft]:
    """Two sentences, the second of which begins with a word."""
    if not 2 <= number <= len(draft.words):
        raise AnnotationError(f"the second sentence must begin with one of words 2..{len(draft.words)}; got {number}")
    for each in draft.multiword:
        if each.first < number <= each.last:
            raise AnnotationError(f"word {number} is inside of multiword token {each.first}-{each.last}")
    blank, before = draft.newline * 2, number - 1
    left = _part(draft, 1, before, lambda old: old if old <= before else None)
    right = _part(draft, number, len(draft.words), lambda old: old - before if old > before else None)
    left = replace(left, comments=draft.comments, before=draft.before, after=blank)
    name = draft.comment("sent_id")
    right = replace(right, comments=(f"# sent_id = {name}-2",) if name else (), before="", after=draft.after)
    if draft.comment("text") is not None:
        left = left.with_comment("text", _joined_text(left.tokens()).rstrip())
        right = right.with_comment("text", _joined_text(right.tokens()).rstrip())
    return [left, right]


def _part(draft: SentenceDraft, first: int, last: int, new: Renumbering) -> SentenceDraft:
    words = draft.words[first - 1 : last]
    empty = tuple(node for node in draft.empty if first - (first == 1) <= node.first <= last)
    part = _renumbered(replace(draft, words=(), empty=empty), words, new, None)
    ranges = [(new(each.first), new(each.last), each.cells) for each in draft.multiword]
    spans = [(new(a), new(b)) for a, b in draft.spans]
    return replace(
        part,
        multiword=tuple(NonWordLine(a, b, cells) for a, b, cells in ranges if a and b),
        spans=tuple((a, b) for a, b in spans if a and b),
        done=False,
    )


def join_sentences(draft: SentenceDraft, following: SentenceDraft) -> SentenceDraft:
    """One sentence of two; the second's root is undecided."""
    by = len(draft.words)
    free = [replace(word, head=None, label=None) if word.head == 0 else word for word in following.words]
    moved = _renumbered(replace(following, words=()), tuple(free), lambda old: old + by, None)
    comments = list(draft.comments)
    comments += (line for line in following.comments if line[1:].partition("=")[0].strip() not in ("sent_id", "text"))
    joined = replace(
        draft,
        words=draft.words + moved.words,
        comments=tuple(comments),
        multiword=draft.multiword + tuple(NonWordLine(e.first + by, e.last + by, e.cells) for e in following.multiword),
        empty=draft.empty + moved.empty,
        spans=draft.spans + tuple((a + by, b + by) for a, b in following.spans),
        done=False,
        after=following.after,
    )
    if draft.comment("text") is not None:
        joined = joined.with_comment("text", _joined_text(joined.tokens()).rstrip())
    return joined


# --- What all share ---


def _renumbered(draft: SentenceDraft, words: Iterable[Word], new: Renumbering, kept: int | None) -> SentenceDraft:
    """The words with their heads renumbered, in a draft with its empty nodes renumbered.

    After a split, `kept` is the word whose parts stand together: empty nodes after it follow its last part.
    """

    def head(old: int | None) -> int | None:
        return old if not old else new(old)

    moved = []
    for number, word in enumerate(words, start=1):
        at = head(word.head)
        at = None if at == number else at
        forbidden = tuple(f for f in (head(old) for old in word.forbidden) if f is not None and f != number)
        label = word.label if at is not None or word.head is None else None
        moved.append(replace(word, head=at, label=label, deps=_deps(word.deps, new), forbidden=forbidden))
    last = (lambda old: new(old + 1) - 1) if kept is not None else head  # type: ignore[operator]
    nodes = (
        NonWordLine(last(node.first) or 0, node.last, (*node.cells[:7], _deps(node.cells[7], new), node.cells[8]))
        for node in draft.empty
    )
    return replace(draft, words=tuple(moved), empty=tuple(nodes))


def _deps(deps: str, new: Renumbering) -> str:
    """DEPS with heads renumbered; without those that are not there."""
    if deps == "_":
        return deps
    arcs = []
    for item in deps.split("|"):
        head, colon, label = item.partition(":")
        number, dot, minor = head.partition(".")
        if number.isdigit() and colon:
            at = new(int(number)) if int(number) else 0
            if at is not None:
                arcs.append(f"{at}{dot}{minor}:{label}")
    return "|".join(arcs) or "_"


def _joined_text(tokens: Sequence[tuple[int, int, str, str]]) -> str:
    """Tokens as they are written."""
    pieces = (form + ("" if "SpaceAfter=No" in misc.split("|") else " ") for _, _, form, misc in tokens)
    return "".join(pieces).rstrip(" ")


def _with_text(old: SentenceDraft, new: SentenceDraft) -> SentenceDraft:
    """With the comment `text` as the tokens are written, if it was so before."""
    text = old.comment("text")
    if text is None or text != _joined_text(old.tokens()):
        return new
    return new.with_comment("text", _joined_text(new.tokens()))


def with_form(draft: SentenceDraft, number: int, form: str) -> SentenceDraft:
    """With another form of a word."""
    words = list(draft.words)
    words[number - 1] = replace(words[number - 1], form=form)
    return _with_text(draft, replace(draft, words=tuple(words)))
