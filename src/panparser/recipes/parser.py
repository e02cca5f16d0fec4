"""[parser] of a recipe: what a parser is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from panparser._checks import MAX_BEAM
from panparser.errors import DeclarationError, SpecError
from panparser.features.sets import templates
from panparser.features.templates import Templates
from panparser.networks.network import NETWORKS, NetworkSpec, is_named
from panparser.parsing.spec import LabelSet, Nonprojective, ParserSpec, fitting_templates
from panparser.recipes.tables import (
    Part,
    boolean,
    integer,
    is_lines,
    one_of,
    text,
    that,
    within,
)
from panparser.storage.values import is_there
from panparser.systems.registry import BUILT_IN, has_single_root
from panparser.systems.registry import system as named_system
from panparser.systems.table import TransitionSystem
from panparser.trees.gold import ROOTS

NAMED_TEMPLATES = ("rich", "rich-stack", "lean", "easy", "zn11", "fast")


@dataclass(frozen=True, kw_only=True)
class ParserPart(Part):
    """[parser]: what the parser is made of.

    `system`: a built-in name, a file, or a table: that of a transition system, or name and options of a built-in one
    (`{ name = "arc-eager-span", k = 3 }`). `templates`: rich, rich-stack, lean, easy, zn11, fast, a file, or a list of
    lines. `delexicalized`: without those that read anything but UPOS (true), or UPOS and universal features ("feats").
    `given`: with those that read constraints. `vectors`: a file, for templates such as `S0.vector`. `network`:
    the name of one, which learns instead of a perceptron over templates; [network] describes one.
    """

    system: str | Mapping[str, Any] | None = that(
        "a name, a file or a table", lambda value: isinstance(value, str | Mapping) and len(value) > 0
    )
    root: str | None = one_of(*ROOTS)
    single_root: bool | None = boolean()
    beam: int | None = integer(1, MAX_BEAM)
    templates: str | tuple[str, ...] | None = that(
        "rich, rich-stack, lean, easy, zn11, fast, a file or a list of lines",
        lambda value: (isinstance(value, str) and value != "") or is_lines(value),
    )
    labeled: bool | None = boolean()
    delexicalized: bool | str | None = that(
        'true, false or "feats"', lambda value: isinstance(value, bool) or value == "feats"
    )
    labels: str | None = one_of(*get_args(LabelSet))
    given: bool | None = boolean()
    nonprojective: str | None = one_of(*get_args(Nonprojective))
    vectors: str | None = text("a file")
    network: str | None = that(
        f"one of {', '.join(NETWORKS)}", lambda value: isinstance(value, str) and is_named(value)
    )

    def spec(self, network: NetworkSpec | None = None) -> ParserSpec:
        """The parser that the table describes. With a network it is arc-hybrid and greedy, unless it is told."""
        if network is not None and self.templates is not None:
            raise SpecError("templates are for a perceptron; a network reads its inputs and positions")
        values = {key: getattr(self, key) for key in ("beam", "labeled", "labels", "nonprojective")}
        if network is not None and self.beam is None:
            values["beam"] = 1
        system = within("system", lambda: self._find_system("arc-eager" if network is None else "arc-hybrid"))
        return ParserSpec(
            system=system,
            templates=within("templates", lambda: self._find_templates(system)),
            **{key: value for key, value in values.items() if value is not None},
        )

    def changed(self, network: NetworkSpec) -> NetworkSpec:
        """A network that reads UPOS alone, or with given heads, if the table says so."""
        if self.delexicalized:
            if self.delexicalized == "feats":
                raise SpecError(
                    "delexicalized: feats is for templates; a network reads all features of a word, or none"
                )
            network = within("delexicalized", network.delexicalized)
        return network.with_given_head() if self.given else network

    def _find_system(self, default: str) -> TransitionSystem:
        options = {key: getattr(self, key) for key in ("root", "single_root") if getattr(self, key) is not None}
        chosen = default if self.system is None else self.system
        if isinstance(chosen, Mapping):
            if "transitions" in chosen:
                return _same(TransitionSystem.from_values(dict(chosen)), options)
            options = {key: value for key, value in chosen.items() if key != "name"} | options
            chosen = chosen.get("name", "")
        is_file = Path(chosen).suffix.lower() in (".json", ".toml")
        if not is_file and "single_root" not in options and has_single_root(chosen):
            options["single_root"] = True  # one root, as in Universal Dependencies, wherever words must have heads
        return named_system(chosen, **options)

    def _find_templates(self, system: TransitionSystem) -> Templates:
        if self.templates is None:
            result = fitting_templates(system)
        elif isinstance(self.templates, tuple):
            result = Templates.parse("\n".join(self.templates))
        else:
            is_named = self.templates in NAMED_TEMPLATES
            result = templates(self.templates) if is_named else _read_templates(self.templates)
        if self.delexicalized:
            result = result.delexicalized(feats=self.delexicalized == "feats")
        return result + templates("given") if self.given else result

    @classmethod
    def of(cls, spec: ParserSpec, network: NetworkSpec | None = None) -> ParserPart:
        """The table that describes a parser, without mention of files; templates are of no use to a network."""
        system = spec.system
        table: dict[str, Any] = {"system": _described(system), "root": system.root, "single_root": system.single_root}
        table |= {key: getattr(spec, key) for key in ("beam", "labeled", "nonprojective")}
        table["labels"] = spec.labels if spec.labeled else None
        if network is not None:
            return cls(**table)
        constraints = templates("given")
        bare = spec.templates - constraints
        given = bare != spec.templates and bare + constraints == spec.templates
        bare = bare if given else spec.templates
        stated: str | tuple[str, ...] = tuple(map(str, bare))
        delexicalized: bool | str = False
        for key in NAMED_TEMPLATES:
            known = templates(key)
            ways = (known, known.delexicalized(), known.delexicalized(feats=True))
            if bare in ways:
                stated, delexicalized = key, (False, True, "feats")[ways.index(bare)]
        return cls(**table, templates=stated, delexicalized=delexicalized, given=given or None)


def _same(table: TransitionSystem, options: Mapping[str, Any]) -> TransitionSystem:
    for key, value in options.items():
        if getattr(table, key) != value:
            raise SpecError(f"the table has {key} = {getattr(table, key)!r}; found {value!r} beside it")
    return table


def _described(system: TransitionSystem) -> str | dict[str, Any]:
    """Name and options of a built-in system, or the table of another."""
    options: dict[str, Any] = {} if system.max_span is None else {"k": system.max_span}
    if system.potential == "swap-loss":
        options["oracle"] = "static-dynamic" if system.static_oracle else "dynamic"
    elif system.static_oracle == "swap-eager":
        options["oracle"] = "eager"
    if system.name in BUILT_IN:
        try:
            found = named_system(system.name, root=system.root, single_root=system.single_root, **options)
        except DeclarationError:  # a table of that name with options that the built-in system does not have
            found = None
        if found == system:
            return {"name": system.name, **options} if options else system.name
    values = {key: value for key, value in system.to_values().items() if value is not None}
    return values | {"ties": list(values["ties"])}


def _read_templates(path: str) -> Templates:
    if not is_there(path):
        raise SpecError(f"expected {', '.join(NAMED_TEMPLATES)} or a file, found {path!r}")
    return Templates.read(path)
