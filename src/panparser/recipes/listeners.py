"""Listeners that follow a run of a recipe, step by step."""

from __future__ import annotations

from dataclasses import dataclass

from panparser.learning.listeners import Listener


@dataclass(frozen=True)
class RunStep:
    """A step of a run: reading, folds, a seed, a part of a pipeline, a stage of a cascade.

    `name` is empty for the only parser of a run. `epochs` is the most that there can be, and `words` how many the
    learner sees in each; both are 0 where they are not known.
    """

    name: str
    epochs: int = 0
    words: int = 0


class RunListener(Listener):
    """A listener that is also notified of the steps of a run."""

    def before_step(self, step: RunStep) -> None:
        """A step begins."""
