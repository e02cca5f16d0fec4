"""Trees in the output formats of UDPipe: horizontal and vertical words, plain text, and Matxin's XML."""

from __future__ import annotations

from html import escape
from typing import Literal, get_args

from panparser.errors import SpecError
from panparser.text.raw_text import Spacing, spacing_of
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

TextOutput = Literal["horizontal", "vertical", "plaintext", "matxin"]
OPTIONS = {"horizontal": "paragraphs", "vertical": "paragraphs", "plaintext": "normalized_spaces", "matxin": None}


def render_text(treebank: Treebank, format: TextOutput, option: str | None = None) -> list[str]:
    """The sentences of a treebank, each as text; `Joined` makes a document of them.

    `option`: with "paragraphs", horizontal and vertical text has a blank line more before each paragraph; with
    "normalized_spaces", plain text has a line for each sentence, a space between tokens where there is any, and a
    blank line before each paragraph.
    """
    if format not in get_args(TextOutput):
        raise SpecError(f"expected one of {', '.join(get_args(TextOutput))}; got {format!r}")
    if option not in (None, OPTIONS[format]):
        raise SpecError(f"{format}: expected {OPTIONS[format] or 'no option'}; got {option!r}")
    plain = _plain if option is None else _normalized
    draw = {"horizontal": _horizontal, "vertical": _vertical, "plaintext": plain, "matxin": _matxin}[format]
    if option is None:
        return [draw(sentence) for sentence in treebank]
    return [("\n" if _begins_paragraph(sentence) else "") + draw(sentence) for sentence in treebank]


class DocumentWriter:
    """A document of rendered sentences, piece by piece."""

    def __init__(self, format: TextOutput) -> None:
        self._is_xml = format == "matxin"
        self._written = 0  # sentences

    def add(self, sentences: list[str]) -> str:
        """The next sentences."""
        first = self._written + 1
        self._written += len(sentences)
        if self._is_xml:
            start = "<corpus>" if first == 1 and sentences else ""
            heads = (f'\n<SENTENCE ord="{number}" alloc="0">\n' for number in range(first, self._written + 1))
            return start + "".join(map(str.__add__, heads, sentences))
        if first == 1 and sentences:  # nothing stands before the first paragraph
            return sentences[0].removeprefix("\n") + "".join(sentences[1:])
        return "".join(sentences)

    def end(self) -> str:
        """What stands after the last sentence."""
        if not self._is_xml:
            return ""
        return "</corpus>\n" if self._written else "<corpus></corpus>\n"


def _begins_paragraph(sentence: Sentence) -> bool:
    names = (line[1:].partition("=")[0].split() for line in sentence.comments)
    return any(name[:1] in (["newdoc"], ["newpar"]) for name in names)


def _horizontal(sentence: Sentence) -> str:
    return " ".join(form.replace(" ", "\xa0") for form in sentence.forms) + "\n"


def _vertical(sentence: Sentence) -> str:
    return "".join(f"{form}\n" for form in sentence.forms) + "\n"


def _tokens(sentence: Sentence) -> list[tuple[str, Spacing]]:
    """What is written: words, or the multiword tokens that they are parts of."""
    words = list(zip(sentence.forms, map(spacing_of, sentence.values("misc")), strict=True))
    for token in reversed(sentence.multiword_tokens):
        words[token.first - 1 : token.last] = [(token.form, spacing_of(token.misc))]
    return words


def _plain(sentence: Sentence) -> str:
    return "".join(_spaced(form, spacing) for form, spacing in _tokens(sentence))


def _spaced(form: str, spacing: Spacing) -> str:
    after = ("" if spacing.tight else " ") if spacing.after is None else spacing.after
    return f"{spacing.before}{spacing.form or form}{after}"


def _normalized(sentence: Sentence) -> str:
    return "".join(f"{form}{'' if spacing.tight else ' '}" for form, spacing in _tokens(sentence)).rstrip(" ") + "\n"


def _matxin(sentence: Sentence) -> str:
    """Nested nodes; words that no path leads to from Root are left out, as no node contains them."""
    children: list[list[int]] = [[] for _ in range(len(sentence) + 1)]
    for word, head in enumerate(sentence.heads.tolist(), start=1):
        if head >= 0:
            children[head].append(word)
    columns = [sentence.values(name) for name in ("form", "lemma", "feats", "deprel")]
    cells = [columns[0], columns[1], *(["" if cell == "_" else cell for cell in column] for column in columns[2:])]
    lines: list[str] = []
    waiting = [(word, 1) for word in reversed(children[0])]  # words to begin, or, if negative, to end; and their depths
    while waiting:
        word, depth = waiting.pop()
        pad = " " * depth
        if word < 0:
            lines.append(f"{pad}</NODE>\n")
            continue
        shown = " ".join(
            f'{name}="{_quoted(cell[word - 1])}"' for name, cell in zip(("form", "lem", "mi", "si"), cells, strict=True)
        )
        lines.append(f'{pad}<NODE ord="{word}" alloc="0" {shown}{">" if children[word] else "/>"}\n')
        if children[word]:
            waiting += [(-word, depth), *((child, depth + 1) for child in reversed(children[word]))]
    return "".join(lines) + "</SENTENCE>\n"


def _quoted(text: str) -> str:
    return escape(text, quote=False).replace('"', "&quot;")
