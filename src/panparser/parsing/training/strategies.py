"""Strategies that fit a transition system: those whose oracle it has; and those that are the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from panparser.errors import SpecError, StrategyError
from panparser.learning.options import TrainingConfig, check_options
from panparser.learning.strategies import DYNAMIC, MAX_VIOLATION, STATIC, StrategyLike, TrainingStrategy
from panparser.networks.network import NetworkSpec
from panparser.parsing.spec import ParserSpec
from panparser.systems.table import TransitionSystem

_ARGUMENTS = (
    *("dev", "weights", "vectors", "classifier", "network", "init", "constraints", "listeners", "checkpoint"),
    "resume",
)


def parser_training(spec: ParserSpec, options: Mapping[str, Any], network: NetworkSpec | None = None) -> TrainingConfig:
    """The options of `train`, with the defaults of a network; the strategy must be one that fits the system."""
    if not isinstance(spec, ParserSpec):
        raise SpecError(f"train: spec must be a ParserSpec; got {spec!r}")
    check_options("train", options, [option.name for option in fields(TrainingConfig)], _ARGUMENTS)
    training = TrainingConfig(**{**default_options(spec, network), **options})
    return replace(training, strategy=fitting_strategy(spec.system, training.strategy))


def default_strategy(spec: ParserSpec, network: NetworkSpec | None = None) -> TrainingStrategy:
    """Max-violation; a network without a beam learns step by step. By the static oracle if the system has no other."""
    if network is not None and spec.beam == 1:
        return DYNAMIC if spec.system.has_dynamic_oracle else STATIC
    return MAX_VIOLATION if spec.system.has_dynamic_oracle else replace(MAX_VIOLATION, oracle="static")


def default_options(spec: ParserSpec, network: NetworkSpec | None = None) -> dict[str, Any]:
    """Options of `TrainingConfig` that differ from its own defaults."""
    options: dict[str, Any] = {"strategy": default_strategy(spec, network)}
    if network is not None:
        options |= {"epochs": network.learning.epochs, "patience": network.learning.patience}
    return options


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
    if isinstance(strategy, TrainingStrategy):
        return _checked(system, strategy)
    return lambda epoch, sentence: _checked(system, strategy(epoch, sentence))


def _checked(system: TransitionSystem, strategy: TrainingStrategy) -> TrainingStrategy:
    if isinstance(strategy, TrainingStrategy) and strategy.oracle == "dynamic":
        raise StrategyError(
            f"{system.name} has no dynamic oracle, only the static one {system.static_oracle}; got a strategy with "
            'oracle="dynamic". Use the strategy static, or any other with oracle="static", such as '
            'Strategy(update_at="max-violation", oracle="static"), the default of this system'
        )
    return strategy
