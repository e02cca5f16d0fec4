"""Options declared once: the fields of a class, their checks, and how model files and recipes write them.

A class of options is a frozen dataclass whose fields are declared by `option`:

    class Search(Options, owner="search"):
        '''How trees are searched.'''

        beam: int = option(integer(1), default=8, help="Hypotheses that are kept.")

Its constructor checks all values; `to_values` and `restore` write and read what a model file holds. Sections of
recipes and reference pages read the same from `declarations`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Literal, Self, dataclass_transform

from panparser.base.kinds import Kind, Nullable, Table, check, short_repr
from panparser.errors import PanParserError, SpecError

FormName = Literal["stored", "recipe"]
_METADATA_KEY = "option"


def check_names(
    names: Iterable[str], known: Collection[str], place: str, error: type[PanParserError] = SpecError
) -> None:
    """Raise an error for an unknown name, and suggest the closest known one."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise error(f"{place}: {short_repr(name)[1:-1]} is unknown; {hint}")


def unchanged(value: Any) -> Any:
    """Return the value."""
    return value


@dataclass(frozen=True)
class Form:
    """A way to write an option: its key, the kind of its plain value, and conversions in both directions.

    An empty key stands for the name of the option, and no kind for that of its value.
    """

    key: str = ""
    kind: Kind | None = None
    encode: Callable[[Any], Any] = unchanged
    decode: Callable[[Any], Any] = unchanged


AS_STORED = Form("as stored")


@dataclass(frozen=True, kw_only=True)
class Option:
    """The declaration of an option.

    `kind`: of its value in Python; `convert`: applied to a value before it is checked. `stored`: its form in model
    files; `omits_default`: they have it only if it is not the default, as for options that older files do not have.
    `recipe`: its form in recipes, by default that of model files. None: files, or recipes, do not have it. `usual`: the
    default in words, if a value does not show it.
    """

    name: str = ""
    kind: Kind
    help: str = ""
    default: Any = None
    factory: Callable[[], Any] | None = None  # makes the default when it is needed
    is_required: bool = False
    usual: str = ""
    convert: Callable[[Any], Any] = unchanged
    stored: Form | None = Form()
    omits_default: bool = False
    recipe: Form | None = AS_STORED

    def default_value(self) -> Any:
        """Return the default."""
        return self.default if self.factory is None else self.factory()

    def named(self, name: str) -> Option:
        """Return the option with its name, and forms that have all that they leave open."""
        stored = self.stored and _completed(self.stored, name, self.kind)
        recipe = stored if self.recipe is AS_STORED else self.recipe
        recipe = recipe and _completed(recipe, name, self.kind)
        recipe = recipe and replace(recipe, kind=_without_null(recipe.kind or self.kind))
        return replace(self, name=name, stored=stored, recipe=recipe)

    def of_field(self, own: Field[Any]) -> Option:
        """Return the option with the name and the default of its field."""
        named = self.named(own.name)
        if own.default_factory is not MISSING:
            return replace(named, factory=own.default_factory)
        return replace(named, is_required=True) if own.default is MISSING else replace(named, default=own.default)


def _completed(form: Form, name: str, kind: Kind) -> Form:
    return replace(form, key=form.key or name, kind=form.kind or kind)


def _without_null(kind: Kind) -> Kind:
    return kind.inside if isinstance(kind, Nullable) else kind


def option(kind: Kind, *, default: Any = MISSING, factory: Any = MISSING, **declared: Any) -> Any:
    """Declare an option as a field of a class of options; other arguments are the fields of `Option`."""
    metadata = {_METADATA_KEY: Option(kind=kind, **declared)}
    return (
        field(default=default, metadata=metadata)
        if factory is MISSING
        else field(default_factory=factory, metadata=metadata)
    )


def instance_of(kind: type, expected: str = "") -> Kind:
    """Return the kind of the instances of a class."""
    return Kind(expected or f"a {kind.__name__}", lambda value: isinstance(value, kind))


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option, field))
class Options:
    """A frozen class of options.

    `owner` is what messages name, by default the class; `error` their class; with `omits_defaults` no option with its
    default is in plain values. Fields that are declared otherwise than by `option` are not checked and not written.
    """

    declarations: ClassVar[Mapping[str, Option]] = {}
    _owner: ClassVar[str]
    _error: ClassVar[type[PanParserError]]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(
        cls, owner: str = "", error: type[PanParserError] = SpecError, omits_defaults: bool = False
    ) -> None:
        cls._owner, cls._error = owner or cls.__name__, error
        dataclass(frozen=True, kw_only=True)(cls)
        declared = [own for own in fields(cls) if _METADATA_KEY in own.metadata]
        cls.declarations = {own.name: own.metadata[_METADATA_KEY].of_field(own) for own in declared}
        if omits_defaults:
            cls.declarations = {name: replace(option, omits_default=True) for name, option in cls.declarations.items()}
        lines = [f"`{name}`: {option.help}" for name, option in cls.declarations.items() if option.help]
        cls.__doc__ = "\n\n".join([cls.__doc__ or "", *lines])

    def __post_init__(self) -> None:
        for name, option in self.declarations.items():
            value = option.convert(getattr(self, name))
            object.__setattr__(self, name, value)
            if not option.kind.test(value):
                raise self._invalid(name, f"must be {_without_null(option.kind).expected}; got {short_repr(value)}")
        self.check()

    def check(self) -> None:
        """Raise an error if options do not go together."""

    def _invalid(self, name: str, problem: str) -> PanParserError:
        return self._error(f"{self._owner}: {name} {problem}")

    # --- Plain values, as in model files or in recipes ---

    @classmethod
    def _forms(cls, form: FormName) -> Iterator[tuple[Option, Form]]:
        for declared in cls.declarations.values():
            written = declared.stored if form == "stored" else declared.recipe
            if written is not None:
                yield declared, written

    def to_values(self, form: FormName = "stored") -> dict[str, Any]:
        """Return plain values."""
        values = {}
        for declared, written in self._forms(form):
            value = getattr(self, declared.name)
            if not (declared.omits_default and value == declared.default_value()):
                values[written.key] = written.encode(value)
        return values

    @classmethod
    def restore(cls, values: Mapping[str, Any], place: str = "", form: FormName = "stored") -> Self:
        """Return the options of plain values. Raise an error that names the key of the first that does not fit."""
        check(values, cls.table(form), place, cls._error)
        return cls(**cls.arguments(values, form))

    @classmethod
    def arguments(cls, values: Mapping[str, Any], form: FormName = "stored") -> dict[str, Any]:
        """Return the arguments of the class for plain values, which may be those of some options only."""
        forms = [(declared.name, written) for declared, written in cls._forms(form) if written.key in values]
        return {name: written.decode(values[written.key]) for name, written in forms}

    @classmethod
    def key_names(cls, form: FormName = "stored") -> list[str]:
        """Return the keys of plain values."""
        return [written.key for _, written in cls._forms(form)]

    @classmethod
    def table(cls, form: FormName = "stored", *, is_complete: bool = False, is_closed: bool = True) -> Table:
        """Return the kind of plain values. If it is complete, all that are always written must be there."""
        must: dict[str, Kind] = {}
        may: dict[str, Kind] = {}
        for declared, written in cls._forms(form):
            is_needed = declared.is_required or (is_complete and not declared.omits_default)
            (must if is_needed else may)[written.key] = written.kind or declared.kind
        return Table(must, may, closed=is_closed)
