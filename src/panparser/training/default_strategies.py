"""Training strategies that fit a transition system: defaults, and what a system without costs can be trained by."""

from __future__ import annotations

from dataclasses import replace

from panparser.errors import SpecError, StrategyError
from panparser.learning.strategies import DYNAMIC, MAX_VIOLATION, STATIC, StrategyLike, TrainingStrategy
from panparser.networks.network import NetworkSpec
from panparser.parsing.spec import ParserSpec
from panparser.systems.transition_system import TransitionSystem


def default_strategy(spec: ParserSpec, network: NetworkSpec | None = None) -> TrainingStrategy:
    """Max-violation; a network without a beam learns step by step. By the static oracle if the system has no other."""
    if network is not None and spec.beam == 1:
        return DYNAMIC if spec.system.has_dynamic_oracle else STATIC
    return MAX_VIOLATION if spec.system.has_dynamic_oracle else replace(MAX_VIOLATION, oracle="static")


def fitting_strategy(system: TransitionSystem, strategy: StrategyLike) -> StrategyLike:
    """The same strategy; raises SpecError or StrategyError if the system has no oracle for it.

    A function is checked whenever it is called.
    """
    if not system.has_oracle:
        raise SpecError(
            f"{system.name} has neither losses nor a static oracle, so there is nothing to learn from: "
            "`panparser derive` finds the losses of a table"
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
