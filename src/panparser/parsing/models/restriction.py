"""Weights of some templates only: the layers of a parser without the others, and for more of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from panparser._arrays import BoolArray
from panparser.errors import SpecError
from panparser.features.atoms import Atom
from panparser.features.templates import Template, Templates
from panparser.learning.layers import Layer, VectorWeights
from panparser.parsing.spec import ParserSpec


def kept_layers(spec: ParserSpec, layers: Sequence[Layer], templates: Templates) -> list[Layer]:
    """The layers of a parser, without weights for all templates but these."""
    if not isinstance(templates, Templates) or not templates:
        raise SpecError(f"restricted: templates must be Templates, at least one; got {templates!r}")
    used = spec.used_templates
    for unknown in templates - used:
        raise SpecError(f"restricted: templates must be some of the parser's; got {unknown}, which it does not have")
    kept = _atoms_of(templates)
    plain, vectors = _by_kind(used)
    dropped = {number for number, template in enumerate(plain) if frozenset(template.atoms) not in kept}
    is_kept = np.array([frozenset(template.atoms) in kept for template in vectors])
    emptied = [layer.emptied(dropped) for layer in layers]
    return [replace(layer, vectors=layer.vectors and _kept_vectors(layer.vectors, is_kept)) for layer in emptied]


def templates_on_top(known: ParserSpec, new: ParserSpec) -> Templates:
    """The templates of a parser that starts from another's weights, which depend on their order: its own come first."""
    old, own = known.used_templates, new.used_templates
    for missing in old - own:
        raise SpecError(f"train: init must have no templates but those of the new parser; got {missing}")
    if _by_kind(old)[1] != _by_kind(own)[1]:
        raise SpecError("train: init must have the templates of vectors of the new parser; they differ")
    by_atoms = {frozenset(template.atoms): template for template in own}
    for template in old:
        if by_atoms[frozenset(template.atoms)].actions_only != template.actions_only:
            raise SpecError(f"train: init has the template {template}; the new parser must have it just so")
    return old + new.templates


def _by_kind(templates: Templates) -> tuple[list[Template], list[Template]]:
    """Those whose features have keys, and those of vectors."""
    return [each for each in templates if not each.is_vector], [each for each in templates if each.is_vector]


def _atoms_of(templates: Iterable[Template]) -> set[frozenset[Atom]]:
    return {frozenset(template.atoms) for template in templates}


def _kept_vectors(weights: VectorWeights, is_kept: BoolArray) -> VectorWeights:
    """Weights of vectors, by template in their order: 0 unless they are kept."""
    actions, labels = (
        (array.reshape(len(is_kept), -1) * is_kept[:, None]).astype(array.dtype).ravel()
        for array in (weights.actions, weights.labels)
    )
    return weights._replace(actions=actions, labels=labels)
