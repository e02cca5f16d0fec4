"""WALS, the World Atlas of Language Structures: the extract that comes with panparser, and how to find a language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from panparser.errors import SpecError
from panparser.transfer.dependents import CLASSES, Dependents, Value

FILE = Path(__file__).parents[1] / "wals" / "languages.tsv"
COLUMNS = ("code", "name", "ud", "iso", "glottocode", "genus", "family", *(each.feature for each in CLASSES))
_SCHEMES = ("ud", "wals", "iso", "glottolog", "name")
MIN_LANGUAGES, MIN_SHARE = 4, 0.75  # of a genus that agrees


@dataclass(frozen=True)
class Language:
    """A language of WALS, with the numbers of its values for the classes of `CLASSES`; 0 is none."""

    code: str
    name: str
    ud: tuple[str, ...]  # codes in Universal Dependencies; `zh/2` if another language goes before it
    iso: tuple[str, ...]
    glottocode: str
    genus: str
    family: str
    values: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"

    def value(self, of: Dependents) -> Value | None:
        """What WALS says of a class; None if it says nothing, or what is neither an order nor an absence."""
        return of.values.get(self.values[CLASSES.index(of)])


@cache
def languages() -> tuple[Language, ...]:
    """All languages of WALS."""
    lines = (line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    rows = (line.split("\t") for line in lines)
    if tuple(next(rows)) != COLUMNS:
        raise SpecError(f"{FILE}: expected the columns {', '.join(COLUMNS)}")
    return tuple(
        Language(code, name, tuple(ud.split()), tuple(iso.split()), glottocode, genus, family, _numbers(values))
        for code, name, ud, iso, glottocode, genus, family, *values in rows
    )


def _numbers(cells: list[str]) -> tuple[int, ...]:
    return tuple(int(cell) if cell else 0 for cell in cells)


def find_language(name: str) -> tuple[Language, ...]:
    """The languages that a code or a name stands for, the first to be asked first.

    It is a code of Universal Dependencies, WALS or ISO 639-3, a Glottocode, or a name as in WALS; `iso:isl` says which.
    Several dialects may share a code. Raises SpecError, with near matches, if there is none, and if a code means
    different languages in WALS and ISO 639-3.
    """
    if not isinstance(name, str) or not name.strip():
        raise SpecError(f"language: expected a code or a name; got {name!r}")
    scheme, sign, rest = name.strip().partition(":")
    if sign and scheme.lower() in _SCHEMES:
        found = _by(scheme.lower(), rest.strip())
        return found or _unknown(name)
    by_scheme = {scheme: found for scheme in _SCHEMES if (found := _by(scheme, name.strip()))}
    if "ud" in by_scheme or not by_scheme:
        return by_scheme["ud"] if by_scheme else _unknown(name)
    wals, iso = by_scheme.get("wals", ()), by_scheme.get("iso", ())
    if wals and iso and wals[0] not in iso:
        raise SpecError(
            f"language {name}: is {wals[0].name} in WALS and {iso[0].name} in ISO 639-3; "
            f"write wals:{name}, iso:{name}, or the name"
        )
    return next(iter(by_scheme.values()))


def _by(scheme: str, name: str) -> tuple[Language, ...]:
    return _index()[scheme].get(name.casefold(), ())


@cache
def _index() -> dict[str, dict[str, tuple[Language, ...]]]:
    """By scheme and name, the languages, those that WALS knows most of first."""
    index: dict[str, dict[str, tuple[Language, ...]]] = {scheme: {} for scheme in _SCHEMES}
    for language in sorted(languages(), key=lambda each: -sum(map(bool, each.values))):
        for scheme, name in _names(language):
            index[scheme][name] = (*index[scheme].get(name, ()), language)
    for code, alike in index["ud"].items():
        index["ud"][code] = tuple(sorted(alike, key=lambda each: _rank(code, each)))
    return index


def _rank(code: str, language: Language) -> int:
    """The place of a language among those of a code of Universal Dependencies."""
    ranks = (each.partition("/") for each in language.ud)
    return next(int(rank or 1) for name, _, rank in ranks if name == code)


def _names(language: Language) -> Iterator[tuple[str, str]]:
    yield from {("ud", code.partition("/")[0]) for code in language.ud}
    yield "wals", language.code
    yield from (("iso", code) for code in language.iso)
    if language.glottocode:
        yield "glottolog", language.glottocode
    yield "name", language.name.casefold()


def _unknown(name: str) -> tuple[Language, ...]:
    titles = {each.name.casefold(): str(each) for each in languages()}
    wanted = name.casefold()
    near = [title for key, title in titles.items() if key.startswith(wanted) and len(wanted) > 3]
    near += [titles[key] for key in get_close_matches(wanted, titles, 3, 0.75) if titles[key] not in near]
    hint = f"; did you mean {', '.join(near[:5])}?" if near else ""
    raise SpecError(
        f"language {name}: expected a code (Universal Dependencies, WALS, ISO 639-3, Glottolog), or a name as in WALS"
        f"{hint}"
    )


@cache
def majority(genus: str, of: Dependents) -> tuple[Value, int, int] | None:
    """What most languages of a genus have, how many of them, and of how many that WALS knows it of.

    None unless three of four agree, of four languages or more.
    """
    known = [value for each in languages() if each.genus == genus and (value := each.value(of)) is not None]
    if len(known) < MIN_LANGUAGES:
        return None
    value, count = Counter(known).most_common(1)[0]
    return (value, count, len(known)) if count >= MIN_SHARE * len(known) else None
