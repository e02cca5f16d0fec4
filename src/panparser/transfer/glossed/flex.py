"""FLEx (FieldWorks) texts: the XML of .flextext files, also as ELAN and SayMore export it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from xml.parsers import expat

from panparser.errors import TextError
from panparser.text.raw_text import gaps
from panparser.transfer.glossed.sentences import OPENING, GlossedSentence, GlossedWord, Morpheme, plain_words

_MAX_DEPTH = 64
_MAX_ELEMENTS = 1 << 22
_AFFIXES = frozenset("prefix suffix infix circumfix simulfix suprafix prefixing_interfix suffixing_interfix".split())
_CLITICS = frozenset(("enclitic", "proclitic"))
_SIGNS = "-=~<>*"


@dataclass
class _Element:
    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    parts: list[_Element] = field(default_factory=list)

    def all(self, name: str) -> Iterator[_Element]:
        """The elements of a name inside, at any depth, in order; not those inside one of them."""
        for part in self.parts:
            if part.name == name:
                yield part
            else:
                yield from part.all(name)

    def item(self, kind: str) -> str:
        """The text of the first item of this element itself that has one."""
        return next((text for _, text in self._items(kind)), "")

    def item_in(self, kind: str, language: str) -> str:
        """The same in a language; an item that names none is in any."""
        return next((text for code, text in self._items(kind) if code in (None, "", language)), "")

    def _items(self, kind: str) -> Iterator[tuple[str | None, str]]:
        """Languages and texts."""
        for part in self.parts:
            if part.name == "item" and part.attributes.get("type") == kind and (text := " ".join(part.text.split())):
                yield part.attributes.get("lang"), text


def read_flextext(data: bytes, path: str = "<text>", language: str | None = None) -> list[GlossedSentence]:
    """The phrases of a file as sentences; of glosses in several languages, those in `language` (default: English, or
    else the first).

    Raises TextError, with the line, for XML that is not well-formed, has a DOCTYPE, or holds no interlinear text.
    """
    root = _parsed(data, path)
    texts = [root] if root.name == "interlinear-text" else list(root.all("interlinear-text"))
    if not texts:
        raise TextError(f"{path}:{root.line}: expected an element <interlinear-text>, found <{root.name}> without one")
    chosen = _language(texts, language, path)
    sentences: list[GlossedSentence] = []
    for number, text in enumerate(texts, start=1):
        name = text.item("title-abbreviation") or text.item("title") or (str(number) if len(texts) > 1 else "")
        divided = ((phrase, _words(phrase, chosen, path)) for phrase in text.all("phrase"))
        filled = [(phrase, words) for phrase, words in divided if words]
        for count, (phrase, words) in enumerate(filled, start=1):
            own = phrase.item("segnum") or str(count)
            sentences.append(
                GlossedSentence(
                    words=tuple(words),
                    translation=phrase.item_in("gls", chosen),
                    id=f"{name}-{own}" if name else own,
                    document=name if count == 1 else "",
                    language=chosen,
                    path=path,
                    line=phrase.line,
                )
            )
    return sentences


def _language(texts: list[_Element], asked: str | None, path: str) -> str:
    """English if anything is glossed or translated into it, else the first language that something is."""
    codes = (
        item.attributes["lang"]
        for text in texts
        for item in text.all("item")
        if item.attributes.get("type") == "gls" and item.attributes.get("lang")
    )
    found = list(dict.fromkeys(codes))
    if asked is not None:
        if found and asked not in found:
            raise TextError(f"{path}: expected glosses and translations in {asked!r}, found {', '.join(found)}")
        return asked
    return next((code for code in found if code.partition("-")[0] == "en"), found[0] if found else "en")


# --- XML ---


def _parsed(data: bytes, path: str) -> _Element:
    """The elements of a file. There are no external entities and no declarations of any: a DOCTYPE is refused."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    root = _Element("", {}, 1)
    stack, count = [root], 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(stack) > _MAX_DEPTH:
            raise TextError(f"{_here()}: expected elements nested at most {_MAX_DEPTH} deep, found <{name}>")
        if count > _MAX_ELEMENTS:
            raise TextError(f"{_here()}: expected at most {_MAX_ELEMENTS:,} elements, found more: divide the file")
        element = _Element(name.rpartition(" ")[2], attributes, parser.CurrentLineNumber)
        stack[-1].parts.append(element)
        stack.append(element)

    def end(name: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        if stack[-1].name == "item":
            stack[-1].text += text

    def doctype(*_: object) -> None:
        raise TextError(f"{_here()}: expected XML without a DOCTYPE, found one")

    def _here() -> str:
        return f"{path}:{parser.CurrentLineNumber}"

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise TextError(f"{path}:{error.lineno}: expected well-formed XML, found: {reason}") from None
    except TextError:  # ours, a ValueError too
        raise
    except (ValueError, LookupError) as error:  # an encoding that is unknown, or that the text does not have
        raise TextError(f"{path}: expected XML in UTF-8 or UTF-16, found: {error}") from None
    return root.parts[0]


# --- Words ---


def _words(phrase: _Element, language: str, path: str) -> list[GlossedWord]:
    """The words of a phrase; of one that nobody has divided, those between spaces."""
    elements = list(phrase.all("word"))
    if not elements:
        return plain_words(phrase.item("txt"))
    words = [word for element in elements if (word := _word(element, language, path))]
    return _spaced(words, phrase.item("txt"))


def _word(element: _Element, language: str, path: str) -> GlossedWord | None:
    """A word, or a punctuation mark; None for an element that says nothing."""
    if mark := element.item("punct"):
        return GlossedWord(form=mark)
    morphs = list(element.all("morph"))
    morphemes = tuple(
        _morpheme(morph, before, language) for before, morph in zip([None, *morphs], morphs, strict=False)
    )
    form = element.item("txt") or "".join(part.form for part in morphemes)
    gloss, tag = element.item_in("gls", language), element.item("pos")
    if not form:
        if gloss or tag or morphemes:
            raise TextError(f"{path}:{element.line}: expected an item txt or punct in <word>, found none")
        return None
    glossed = (
        "".join(part.separator + part.gloss for part in morphemes) if any(part.gloss for part in morphemes) else ""
    )
    whole = len(morphemes) > 1 and all(part.form for part in morphemes)
    segmented = "".join(part.separator + part.form for part in morphemes) if whole else ""
    return GlossedWord(form=form, morphemes=morphemes, gloss=gloss, tag=tag, segmented=segmented, glossed=glossed)


def _morpheme(morph: _Element, before: _Element | None, language: str) -> Morpheme:
    kind, gloss = morph.attributes.get("type", ""), morph.item_in("gls", language)
    clitic = _is_clitic(morph, "enclitic") or (before is not None and _is_clitic(before, "proclitic"))
    return Morpheme(
        form=morph.item("txt").strip(_SIGNS),
        gloss=gloss.strip("-=~") or gloss,
        separator="" if before is None else "=" if clitic else "-",
        lemma=morph.item("cf").strip(_SIGNS),
        tag=morph.item("msa"),
        is_stem=None if not kind else kind not in _AFFIXES | _CLITICS,
    )


def _is_clitic(morph: _Element, kind: str) -> bool:
    """Is it a clitic of this kind, by its type or by the side of its sign?"""
    written = morph.item("txt")
    return morph.attributes.get("type") == kind or (written[:1] if kind == "enclitic" else written[-1:]) == "="


def _spaced(words: list[GlossedWord], text: str) -> list[GlossedWord]:
    """Words with the spaces that the text has between them; without a text, as punctuation marks are usually set."""
    found = gaps([word.form for word in words], text)
    usual = [*(_usual(word, following) for word, following in pairwise(words)), True]
    after = usual if found is None else [bool(gap) for gap in found[:-1]] + [True]
    return [replace(word, space_after=space) for word, space in zip(words, after, strict=True)]


def _usual(word: GlossedWord, following: GlossedWord) -> bool:
    if word.is_punctuation and word.form[-1] in OPENING.replace('"', ""):
        return False
    return not (following.is_punctuation and following.form[0] not in OPENING)
