"""Steps of a derivation: a state, what could be done there, and why one thing was; and all steps in plain values.

The values are small, since most of a state is that of the one before: numbers are rounded; texts stand in a list, and
their places there where they are used; what is empty is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from panparser.parsing.inspection.beams import Hypothesis

_ALWAYS = ("stack", "buffer", "label")


@dataclass(frozen=True)
class ActionChoice:
    """A legal action; its score is None without a model, its cost None without a gold tree."""

    name: str
    score: float | None = None
    cost: int | None = None


@dataclass(frozen=True)
class FeatureContribution:
    """What a feature adds to the score of the chosen action, and to that of the next best, if there is one."""

    feature: str
    chosen: float
    rival: float | None


@dataclass(frozen=True)
class DerivationStep:
    """A state, and what was done there: nothing, if it is final. Tokens are words 1..n; Root is 0."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    aside: tuple[int, ...]
    heads: tuple[int, ...]  # of words 1..n; -1 is none
    labels: tuple[str, ...]
    choices: tuple[ActionChoice, ...] = ()  # the one that was taken first, then by score, then by cost
    more: int = 0  # choices that are not listed
    arc: tuple[int, int] | None = None  # head and dependent of the arc that is made or proposed
    is_proposed: bool = False
    label: str = ""
    label_scores: tuple[tuple[str, float], ...] = ()  # the best ones
    reasons: tuple[FeatureContribution, ...] = ()
    beam: tuple[Hypothesis, ...] = ()  # after the step

    @property
    def is_error(self) -> bool:
        """Does the action cost more than another?"""
        return bool(self.choices and self.choices[0].cost)


# --- Plain values ---


def steps_values(steps: Sequence[DerivationStep]) -> dict[str, Any]:
    """Steps and their texts; of the arcs of a step, those that the one before does not have."""
    texts = StepTexts()
    words = len(steps[0].heads)
    before, listed = [(-1, "")] * words, []
    for step in steps:
        arcs = list(zip(step.heads, step.labels, strict=True))
        fresh = [word for word in range(words) if arcs[word] != before[word]]
        changed = [(word + 1, arcs[word][0], texts.place(arcs[word][1])) for word in fresh]
        values = {"arcs": changed, **_step_values(step, texts)}
        listed.append({name: value for name, value in values.items() if name in _ALWAYS or value})
        before = arcs
    return {"texts": texts.listed, "steps": listed}


class StepTexts:
    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        return self._places.setdefault(text, len(self._places))

    @property
    def listed(self) -> list[str]:
        return list(self._places)


def _step_values(step: DerivationStep, texts: StepTexts) -> dict[str, Any]:
    place = texts.place
    return {
        "stack": step.stack,
        "buffer": step.buffer,
        "aside": step.aside,
        "choices": [(place(one.name), _rounded(one.score), one.cost) for one in step.choices],
        "more": step.more,
        "arc": step.arc,
        "proposed": step.is_proposed,
        "label": place(step.label),
        "labels_ranked": [(place(name), _rounded(score)) for name, score in step.label_scores],
        "reasons": [(place(one.feature), _rounded(one.chosen), _rounded(one.rival)) for one in step.reasons],
        "beam": [
            (
                *(one.rank, one.source, -1 if one.action is None else place(one.action)),
                *(_rounded(one.score), one.loss, int(one.is_final_path)),
            )
            for one in step.beam
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
