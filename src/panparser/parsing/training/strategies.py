"""Strategies that fit a transition system: those whose oracle it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from panparser.errors import SpecError, StrategyError
from panparser.learning.options import Training, check_options
from panparser.learning.strategies import Strategy, StrategyLike
from panparser.networks.network import Network
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.networks import default_options
from panparser.systems.table import TransitionSystem

_ARGUMENTS = ("dev", "vectors", "classifier", "network", "init", "constraints", "listeners", "checkpoint", "resume")


def parser_training(spec: ParserSpec, options: Mapping[str, Any], network: Network | None = None) -> Training:
    """The options of `train`, with the defaults of a network; the strategy must be one that fits the system."""
    if not isinstance(spec, ParserSpec):
        raise SpecError(f"spec of train must be a ParserSpec; got {spec!r}")
    check_options("train", options, [option.name for option in fields(Training)], _ARGUMENTS)
    training = Training(**{**default_options(spec, network), **options})
    return replace(training, strategy=fitting_strategy(spec.system, training.strategy))


def fitting_strategy(system: TransitionSystem, strategy: StrategyLike) -> StrategyLike:
    """The same strategy; raises SpecError or StrategyError if the system has no oracle for it.

    A function is checked whenever it is called.
    """
    if not system.has_oracle:
        raise SpecError(
            f"{system.name} has neither losses nor a static oracle, so there is nothing to learn from: "
            "`panparser.derive` finds the losses of a table"
        )
    if system.has_dynamic_oracle:
        return strategy
    if isinstance(strategy, Strategy):
        return _checked(system, strategy)
    return lambda epoch, sentence: _checked(system, strategy(epoch, sentence))


def _checked(system: TransitionSystem, strategy: Strategy) -> Strategy:
    if isinstance(strategy, Strategy) and strategy.oracle == "dynamic":
        raise StrategyError(
            f"{system.name} has no dynamic oracle, only the static one {system.static_oracle}; got a strategy with "
            'oracle="dynamic". Use the strategy static, or any other with oracle="static", such as '
            'Strategy(update_at="max-violation", oracle="static"), the default of this system'
        )
    return strategy
