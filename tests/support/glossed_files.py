"""The same glossed sentences in all formats, and sentences at random."""

from __future__ import annotations

from xml.sax.saxutils import escape

from hypothesis import strategies as st

Word = list[tuple[str, str]]  # (morpheme, gloss), the first the stem
Sentences = list[tuple[list[Word], str]]  # words and their translation

DOGS: Sentences = [
    ([[("a", "the")], [("kutyá", "dog"), ("k", "PL")], [("lát", "see"), ("nak", "3PL.PRS")]], "The dogs see."),
    ([[("Péter", "Peter")], [("ház", "house"), ("at", "ACC")], [("vesz", "buy")]], "Peter buys a house."),
]

_FORMS = st.text("abçéŋʔβ", min_size=1, max_size=5)
_WORDS = st.lists(
    st.tuples(_FORMS, st.sampled_from(("dog", "see", "PL", "3SG.PST", "DEF", "old.man", "XYZ"))), min_size=1, max_size=3
)
SENTENCES = st.lists(
    st.tuples(st.lists(_WORDS, min_size=1, max_size=5), st.sampled_from(("", "The old man sees it.", "Dogs!"))),
    min_size=1,
    max_size=3,
)


def form(word: Word) -> str:
    return "".join(part for part, _ in word)


def leipzig(sentences: Sentences) -> str:
    blocks = []
    for words, translation in sentences:
        lines = [
            " ".join(form(word) for word in words),
            " ".join("-".join(part for part, _ in word) for word in words),
            " ".join("-".join(gloss for _, gloss in word) for word in words),
            *([f"'{translation}'"] if translation else []),
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def toolbox(sentences: Sentences, columns: str = "bytes") -> str:
    """With words above their first morpheme, by bytes or by characters; or with single spaces."""
    lines = []
    for number, (words, translation) in enumerate(sentences, start=1):
        rows = ["\\tx ", "\\mb ", "\\ge "]
        for word in words:
            for at, (part, gloss) in enumerate(word):
                sign = "-" if at else ""
                cells = ("" if at else form(word), sign + part, sign + gloss)
                rows = [row + cell for row, cell in zip(rows, cells, strict=True)]
                rows = _even(rows, columns)
        lines += [f"\\ref t.{number}", *(row.rstrip() for row in rows)]
        lines += [f"\\ft {translation}", ""] if translation else [""]
    return "\n".join(lines)


def _even(rows: list[str], columns: str) -> list[str]:
    if columns == "none":
        return [row if row.endswith(" ") else row + " " for row in rows]
    sizes = [len(row.encode() if columns == "bytes" else row) for row in rows]
    return [row + " " * (max(sizes) + 1 - size) for row, size in zip(rows, sizes, strict=True)]


def flextext(sentences: Sentences, title: str = "") -> str:
    phrases = []
    for number, (words, translation) in enumerate(sentences, start=1):
        inside = "".join(_flex_word(word) for word in words)
        gloss = _item("gls", translation, "en") if translation else ""
        phrases.append(f"<phrase>{_item('segnum', str(number), 'en')}<words>{inside}</words>{gloss}</phrase>")
    name = _item("title", title, "en") if title else ""
    text = f"{name}<paragraphs><paragraph><phrases>{''.join(phrases)}</phrases></paragraph></paragraphs>"
    return f'<?xml version="1.0" encoding="utf-8"?>\n<document><interlinear-text>{text}</interlinear-text></document>\n'


def _flex_word(word: Word) -> str:
    morphs = []
    for at, (part, gloss) in enumerate(word):
        kind = "suffix" if at else "stem"
        morphs.append(
            f'<morph type="{kind}">{_item("txt", "-" * bool(at) + part, "und")}{_item("gls", gloss, "en")}</morph>'
        )
    return f"<word>{_item('txt', form(word), 'und')}<morphemes>{''.join(morphs)}</morphemes></word>"


def _item(kind: str, text: str, language: str) -> str:
    return f'<item type="{kind}" lang="{language}">{escape(text)}</item>'
