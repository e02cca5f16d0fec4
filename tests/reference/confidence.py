"""The signals of confidence from their definitions: a beam search that keeps everything, then each word in turn."""

from __future__ import annotations

from panparser.inspection.naive_features import Derivation
from reference.learning import Example, Hypothesis, ReferenceLearner
from reference.strategies import Beam

NO_RIVAL = 1 << 30


def beams(learner: ReferenceLearner, example: Example, width: int) -> list[Beam]:
    """The beam after each step, including the initial one."""
    found = [[learner.initial(example)]]
    while not all(c.is_final for c in found[-1]):
        successors = [successor for c in found[-1] for successor in learner.next(c, example)]
        found.append(learner.best(successors, width, example))
    return found


def signals(learner: ReferenceLearner, example: Example, width: int) -> list[dict[str, int]]:
    """For each word, the values of `panparser.parsing.confidence.SIGNALS` by name."""
    history = beams(learner, example, width)
    winner = history[-1][0]
    return [_of_word(learner, example, history, winner, word) for word in range(1, len(example.gold) + 1)]


def _of_word(
    learner: ReferenceLearner, example: Example, history: list[Beam], winner: Hypothesis, word: int
) -> dict[str, int]:
    steps = _steps(winner.at)
    making = [step for step in steps if step.made and step.made.dependent == word]
    if not making:
        return dict.fromkeys(("arc", "least", "label", "rival", "tree"), NO_RIVAL)
    last = making[-1]
    assert last.made is not None
    head = last.made.head
    waited = [step for step in steps if len(step.actions) < len(last.actions) and word in _looked_at(step)]
    return {
        "arc": _margin(learner, example, last),
        "least": min(_margin(learner, example, step) for step in (*waited, last)),
        "label": _label_margin(learner, example, last),
        "rival": min(_gaps(history, steps, word, head), default=NO_RIVAL),
        "tree": min(
            (winner.score - c.score for c in history[-1] if _head(c.at, word) != head),
            default=NO_RIVAL,
        ),
    }


def _steps(at: Derivation) -> list[Derivation]:
    """The prefixes of a derivation, one for each of its actions."""
    found = []
    while at.before:
        found.append(at)
        at = at.before
    return found[::-1]


def _looked_at(step: Derivation) -> list[int]:
    """S0 and B0 before the action."""
    assert step.before is not None
    state = step.before.state
    return [step.before.placed(token) for token in (*state.stack[-1:], *state.buffer[:1])]


def _margin(learner: ReferenceLearner, example: Example, step: Derivation) -> int:
    assert step.before is not None
    others = [name for name in learner.system.legal(step.before.state) if name != step.action]
    if not others:
        return NO_RIVAL
    rival = max(learner.score(step.before, name, example) for name in others)
    return learner.score(step.before, step.action, example) - rival


def _label_margin(learner: ReferenceLearner, example: Example, step: Derivation) -> int:
    assert step.before is not None
    assert step.made is not None
    allowed = learner.of_root if step.made.head == step.before.root else learner.of_words
    features = learner._label_features(step.before, step.action, example)
    others = [learner.labels.score(features, name) for name in allowed if name != step.made.label]
    return learner.labels.score(features, step.made.label or "") - max(others) if others else NO_RIVAL


def _gaps(history: list[Beam], steps: list[Derivation], word: int, head: int) -> list[int]:
    """How far hypotheses that gave the word another head were behind the winner when they entered a beam."""
    scores = {c.at.actions: c.score for beam in history for c in beam}
    winning = [0, *(scores[step.actions] for step in steps)]
    return [
        winning[min(number, len(steps))] - c.score
        for number, beam in enumerate(history)
        for c in beam
        if len(c.at.actions) == number  # not one that was final before
        and any(arc.dependent == word and arc.head != head for arc in c.at.arcs)
    ]


def _head(at: Derivation, word: int) -> int | None:
    return next((arc.head for arc in reversed(at.arcs) if arc.dependent == word), None)
