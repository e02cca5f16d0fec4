"""Strategies and schedules are values: they check themselves, compare, and round-trip."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from learners import PERCEPTRON_STRATEGIES
from panparser import _engine
from panparser.errors import StrategyError
from panparser.learning.strategies import (
    DYNAMIC_EXPLORE,
    MAX_VIOLATION,
    NEVER,
    STRATEGIES,
    EpochSchedule,
    Positive,
    Restart,
    TrainingStrategy,
    UpdateAt,
    after,
    constant,
    named,
)

rates = st.floats(0, 1)
schedules = st.dictionaries(st.integers(2, 50), rates, max_size=4).flatmap(
    lambda steps: rates.map(lambda first: EpochSchedule(((1, first), *sorted(steps.items()))))
)
exploring = st.builds(
    TrainingStrategy,
    update_at=st.sampled_from(get_args(UpdateAt)),
    positive=st.sampled_from(get_args(Positive)),
    restart=st.sampled_from(["pair", "random-correct"]),
    exploration=schedules,
    search_horizon=st.none() | st.integers(1, 99),
    focus=st.floats(0.1, 4),
)
plain = st.builds(
    TrainingStrategy,
    oracle=st.just("dynamic"),
    update_at=st.sampled_from(get_args(UpdateAt)),
    restart=st.sampled_from(get_args(Restart)),
    temperature=st.floats(0.1, 100),
)
of_engine = st.one_of(exploring, plain, st.sampled_from(list(PERCEPTRON_STRATEGIES.values())))
strategies = st.one_of(
    of_engine, st.builds(TrainingStrategy, competitor=st.just("beam"), restart=st.sampled_from(["none", "pair"]))
)


@given(strategies)
def test_strategies_come_back_from_plain_values(strategy):
    values = json.loads(json.dumps(strategy.to_values()))
    assert TrainingStrategy.from_values(values) == strategy
    assert hash(TrainingStrategy.from_values(values)) == hash(strategy)


@given(of_engine, st.integers(1, 60))
def test_the_engine_gets_the_exploration_of_the_epoch(strategy, epoch):
    lowered = strategy.lowered(epoch)
    assert lowered.static_oracle == (strategy.oracle == "static")
    assert lowered.exploration == strategy.exploration(epoch)
    names = (lowered.update_at.name, lowered.positive.name, lowered.restart.name)
    assert names == tuple(map(_constant, (strategy.update_at, strategy.positive, strategy.restart)))
    assert (lowered.temperature, lowered.focus) == (strategy.temperature, strategy.focus)
    assert lowered.horizon == (strategy.search_horizon or 0)


@pytest.mark.parametrize(
    ("words", "codes"),
    [(UpdateAt, _engine.UpdateAt), (Positive, _engine.Positive), (Restart, _engine.Restart)],
)
def test_every_code_of_the_engine_has_a_word(words, codes):
    assert [_constant(word) for word in get_args(words)] == [code.name for code in codes]


def test_the_engine_refuses_a_strategy_that_is_out_of_range():
    fine = {"exploration": 0.0, "temperature": 1.0, "horizon": 0, "focus": 1.0}
    codes = {"update_at": _engine.UpdateAt.END, "positive": _engine.Positive.BEST_SCORING}
    codes |= {"static_oracle": False, "restart": _engine.Restart.NONE}
    _engine.Strategy(**codes, **fine)
    for name, wrong in (("exploration", 1.5), ("temperature", 0.0), ("horizon", -1), ("focus", 5.0)):
        with pytest.raises(ValueError, match=f"{name} of a strategy"):
            _engine.Strategy(**codes, **fine | {name: wrong})
    with pytest.raises(TypeError):
        _engine.Strategy(**codes | {"restart": 7}, **fine)


def _constant(word):
    return word.upper().replace("-", "_")


def test_only_what_differs_is_written():
    assert TrainingStrategy().to_values() == {}
    assert MAX_VIOLATION.to_values() == {"update_at": "max-violation"}
    assert DYNAMIC_EXPLORE.to_values() == {"restart": "random-correct", "exploration": [[1, 0.0], [3, 0.9]]}


def test_values_stand_on_a_named_strategy():
    mine = TrainingStrategy.from_values({"base": "max-violation", "restart": "pair", "exploration": [[1, 0], [3, 0.5]]})
    assert mine == replace(MAX_VIOLATION, restart="pair", exploration=after(2, 0.5))
    assert TrainingStrategy.from_values("max-violation") == MAX_VIOLATION
    assert TrainingStrategy.from_values({}) == pp.learning.EARLY_UPDATE
    assert TrainingStrategy.from_values({"restart": "pair", "exploration": 0.5}).exploration == constant(0.5)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"oracle": "lazy"}, "TrainingStrategy: oracle must be one of static, dynamic; got 'lazy'"),
        ({"update_at": "middle"}, "TrainingStrategy: update_at must be one of first-violation, .*; got 'middle'"),
        ({"positive": "worst"}, "TrainingStrategy: positive must be one of best-scoring, most-similar; got 'worst'"),
        ({"restart": True}, "TrainingStrategy: restart must be one of none, pair, .*; got True"),
        (
            {"exploration": "often"},
            "TrainingStrategy: exploration must be a number in [0, 1], or an EpochSchedule of such numbers",
        ),
        (
            {"exploration": True},
            "TrainingStrategy: exploration must be a number in [0, 1], or an EpochSchedule of such numbers; got True",
        ),
        (
            {"exploration": 1.5, "restart": "pair"},
            "TrainingStrategy: exploration must be a number in [0, 1], or an EpochSchedule of such numbers; got 1.5",
        ),
        ({"exploration": float("nan"), "restart": "pair"}, "TrainingStrategy: exploration must be a number in [0, 1]"),
        ({"exploration": 0.5}, "exploration needs a restart from pair or random-correct; got 'none'"),
        ({"exploration": 0.5, "restart": "beam"}, "exploration needs a restart from pair or random-correct"),
        ({"exploration": 0.5, "restart": "pair", "oracle": "static"}, "a static oracle knows nothing of wrong states"),
        ({"restart": "sample", "oracle": "static"}, "a static oracle knows nothing of wrong states"),
        ({"temperature": 0}, "TrainingStrategy: temperature must be a number in (0, 1e+30); got 0"),
        ({"temperature": float("nan")}, "TrainingStrategy: temperature must be a number in (0, 1e+30)"),
        ({"search_horizon": 0}, "TrainingStrategy: search_horizon must be an integer between 1 and 2147483647; got 0"),
        (
            {"search_horizon": 2.5},
            "TrainingStrategy: search_horizon must be an integer between 1 and 2147483647; got 2.5",
        ),
        ({"focus": 0}, "TrainingStrategy: focus must be a number in (0, 4]; got 0"),
        ({"focus": 5}, "TrainingStrategy: focus must be a number in (0, 4]; got 5"),
    ],
)
def test_what_makes_no_sense_is_refused(fields, message):
    with pytest.raises(StrategyError, match=re.escape(message).replace(r"\.\*", ".*")):
        TrainingStrategy(**fields)


def test_unknown_names_get_a_hint():
    with pytest.raises(StrategyError, match=r"no strategy is called 'max-violatio'; did you mean max-violation\?"):
        named("max-violatio")
    with pytest.raises(StrategyError, match="no strategy is called 7"):
        named(7)
    with pytest.raises(StrategyError, match=r"strategy: explore is unknown; did you mean exploration\?"):
        TrainingStrategy.from_values({"explore": 0.5})
    with pytest.raises(StrategyError, match="strategy: zzz is unknown; there are base, oracle, update_at"):
        TrainingStrategy.from_values({"zzz": 1})


@given(schedules, st.integers(1, 60))
def test_a_schedule_is_that_of_the_last_step_that_has_begun(schedule, epoch):
    begun = [value for first, value in schedule.steps if first <= epoch]
    assert schedule(epoch) == begun[-1]


def test_schedules_have_short_forms():
    assert constant(0.3)(1) == constant(0.3)(99) == 0.3
    assert [after(2, 0.9)(epoch) for epoch in (1, 2, 3, 4)] == [0, 0, 0.9, 0.9]
    assert after(0, 0.9) == constant(0.9)
    assert NEVER(7) == 0
    assert TrainingStrategy(restart="pair", exploration=1) == TrainingStrategy(
        restart="pair", exploration=constant(1.0)
    )


@pytest.mark.parametrize("steps", [(), ((2, 0.5),), ((1, 0.5), (1, 0.6)), ((1, 0.0), (3, 0.1), (2, 0.2)), ((0, 1.0),)])
def test_steps_begin_with_the_first_epoch_and_rise(steps):
    with pytest.raises(StrategyError, match="EpochSchedule: steps must begin with epoch 1 and rise"):
        EpochSchedule(steps)


def test_names_are_those_of_the_public_constants():
    assert STRATEGIES["early-update"] is pp.learning.EARLY_UPDATE
    assert STRATEGIES["max-violation"] is pp.learning.MAX_VIOLATION
    assert len(set(STRATEGIES.values())) == len(STRATEGIES)
