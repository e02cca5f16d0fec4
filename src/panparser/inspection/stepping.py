"""Derivations as plain values and pages that step through them."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from panparser.errors import SpecError
from panparser.inspection.beams import Hypothesis, beams, continued
from panparser.inspection.contributions import Contributions
from panparser.inspection.derivations import alone
from panparser.inspection.explaining import Explanation
from panparser.inspection.naive_features import Derivation
from panparser.pages.page import Page
from panparser.parsing.parser import Parser
from panparser.storage.atomic import check_writable, write_whole
from panparser.systems.oracles import static_derivation
from panparser.systems.registry import system as as_system
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.sentences import Sentence
from panparser.trees.gold import GoldTree
from panparser.trees.projectivity import LIFTED

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


_ACTIONS = 12  # legal actions that are shown of a step; a free focus has two for each word
_REASONS = 8  # features that are shown of a step
_LABELS = 4
_HYPOTHESES = 16  # of a beam
_FRAME = "width:100%;height:860px;border:1px solid #8888;border-radius:8px"  # of a page in a notebook


@dataclass(frozen=True)
class TracedDerivation:
    """One derivation of the sentence: the states before each step, and the final one."""

    name: str
    system: str
    steps: tuple[DerivationStep, ...]
    beam: int = 0  # hypotheses; 0 without a model
    note: str = ""
    is_free: bool = False  # may any word be at S0? Then actions name it, and the stack is always empty
    is_lifted: bool = False  # may labels have marks of lifted arcs?

    @classmethod
    def from_parser(
        cls,
        parser: Parser,
        sentence: Sentence,
        *,
        beam: int | None = None,
        actions: Sequence[str] = (),
        name: str = "",
        progress: Callable[[int, int], None] | None = None,
    ) -> TracedDerivation:
        """The derivation that a parser finds, with scores, the features behind them, and the beam.

        It begins with `actions`, if there are some, and goes on as the parser finds best from there. `report` is told
        how many steps of how many have been explained.
        """
        width = parser.spec.beam if beam is None else beam
        found, traced = _searched(parser, sentence, width, actions)
        notes = [f"the first {len(actions)} actions were given"] if actions else []
        notes += [] if traced or width == 1 else ["its beam cannot be shown"]
        *before, last = found.states
        labels = _Labels(parser.labels.names, parser.labels.of_root)
        steps: list[DerivationStep] = []
        for step in _explained(found, before, labels):
            steps.append(replace(step, beam=tuple(_shown(traced[len(steps)])) if traced else ()))
            if progress is not None:
                progress(len(steps), len(before))
        system, is_lifted, final = parser.spec.system, parser.spec.crossing == "pseudo", _state(last, labels)
        steps.append(_put_back(final, parser) if is_lifted else final)
        if is_lifted and any(LIFTED in label for label in final.labels):
            notes.append(f"arcs that would cross are lifted, marked {LIFTED}, and put back in the end")
        is_free = system.focus == "free"
        return cls(name or system.name, system.name, tuple(steps), width, "; ".join(notes), is_free, is_lifted)

    @classmethod
    def from_oracle(
        cls,
        system: str | TransitionSystem,
        gold: GoldTree | Sequence[int],
        *,
        ties: Sequence[str] | None = None,
        name: str = "",
    ) -> TracedDerivation:
        """The derivation of a static oracle; it needs no model. `ties` as in `static_derivation`."""
        table = _table(system)
        return cls.from_actions(table, gold, static_derivation(table, gold, ties=ties), name=name)

    @classmethod
    def from_actions(
        cls, system: str | TransitionSystem, gold: GoldTree | Sequence[int], actions: Iterable[str], *, name: str = ""
    ) -> TracedDerivation:
        """A derivation action by action, and on with an action of minimum cost at every step. It needs no model."""
        table, gold = _table(system), GoldTree.from_heads(gold)
        here, given, steps = Derivation(table.initial(len(gold))), iter(actions), []
        labels = _Labels(tuple(label for label in gold.labels or () if label), ())
        order = {name: place for place, name in enumerate(table.ties)}
        while not here.is_final:
            costs = _least_taken(table.costs(here.state, gold))
            right = [name for name, cost in costs.items() if cost == 0]
            action = next(given, None) or min(right, key=lambda name: order[table[name].name])
            made, proposed = here.arc_of(action)
            arc = made or proposed
            label = _gold_label(here, gold, arc.head, arc.dependent) if arc else ""
            listed = sorted(costs, key=lambda name: (name != action, costs[name]))
            choices = [ActionChoice(name, None, costs[name] if table.has_oracle else None) for name in listed]
            steps.append(_with_action(_state(here, labels), here, choices, label))
            here = here.follow(action, label or None)
        steps.append(_state(here, labels))
        return cls(name or table.name, table.name, tuple(steps), is_free=table.focus == "free")

    @property
    def gold_left(self) -> int | None:
        """The first step (from 0) after which no derivation in the beam has all gold arcs in reach; None if none is."""
        for number, step in enumerate(self.steps):
            losses = [one.loss for one in step.beam if one.is_kept]
            if losses and None not in losses and 0 not in losses:
                return number
        return None

    @property
    def errors(self) -> list[int]:
        """The steps (from 0) whose actions cost more than others."""
        return [number for number, step in enumerate(self.steps) if step.is_error]

    def to_values(self) -> dict[str, Any]:
        """In plain values, as the page reads them."""
        return {
            "name": self.name,
            "system": self.system,
            "beam": self.beam,
            "note": self.note,
            "free": self.is_free,
            "lifted": self.is_lifted,
            "gold_left": self.gold_left,
            "has_list": any(step.aside for step in self.steps),
            **steps_values(self.steps),
        }


@dataclass(frozen=True)
class DerivationView:
    """Derivations of one sentence, side by side. In a notebook it shows itself."""

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    runs: tuple[TracedDerivation, ...]
    gold: GoldTree | None = None
    title: str = ""
    text: tuple[str, ...] = ()  # paragraphs above the derivations

    @classmethod
    def from_runs(cls, sentence: Sentence, runs: Iterable[TracedDerivation], title: str = "") -> DerivationView:
        """Runs of a sentence; its own tree, if it is complete, is the gold tree."""
        runs = tuple(runs)
        if not runs:
            raise SpecError("expected derivations to step through, of a parser or a system; found none")
        forms, tags = tuple(sentence.forms), tuple(sentence.values("upos"))
        return cls(forms, tags, runs, gold_of(sentence), title or sentence.text or " ".join(forms))

    @classmethod
    def from_oracle(cls, sentence: Sentence, *systems: str | TransitionSystem) -> DerivationView:
        """How systems derive the tree of a sentence by their static oracles, without a model."""
        gold = gold_of(sentence)
        if gold is None:
            raise SpecError("an oracle needs a tree to derive: expected a head for each word of the sentence")
        return cls.from_runs(sentence, [TracedDerivation.from_oracle(system, gold) for system in systems])

    def side_by_side(self, *others: DerivationView) -> DerivationView:
        """This, and others of the same sentence, side by side."""
        for other in others:
            if other.forms != self.forms:
                raise SpecError(f"expected derivations of {' '.join(self.forms)!r}; got {' '.join(other.forms)!r}")
        return replace(self, runs=tuple(run for each in (self, *others) for run in each.runs))

    def to_values(self) -> dict[str, Any]:
        """All that the page draws, in plain values."""
        gold = None
        if self.gold is not None:
            gold = {"heads": self.gold.heads, "labels": [label or "" for label in self.gold.labels or ()]}
        runs = [run.to_values() for run in self.runs]
        tags = ["" if tag == "_" else tag for tag in self.tags]
        return {"forms": self.forms, "tags": tags, "gold": gold, "runs": runs}

    def to_html(self) -> str:
        """One page, complete in itself."""
        text = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in self.text)
        body = f'<section class="lesson" aria-label="Lesson">{text}</section>\n' if text else ""
        return str(Page(self.title or " ".join(self.forms), "step", self.to_values(), body, ("step",)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        check_writable(Path(path), SpecError)
        write_whole(Path(path), self.to_html().encode("utf-8", "replace"), SpecError)

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe title="Derivation" sandbox="allow-scripts" style="{_FRAME}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        names = ", ".join(f"{run.name} ({len(run.steps) - 1} steps)" for run in self.runs)
        return f"<Stepping of {len(self.forms)} words: {names}>"


def step_through(
    parser: Parser, sentence: Sentence, *, beam: int | None = None, actions: Sequence[str] = ()
) -> DerivationView:
    """Return the derivation of a sentence, step by step, as a page: a notebook shows it, `save` writes it.

    If every word of the sentence has a head, that is the gold tree, and actions have their costs. `actions`, if any,
    come first; the parser continues from there.
    """
    return DerivationView.from_runs(
        sentence, [TracedDerivation.from_parser(parser, sentence, beam=beam, actions=actions)]
    )


def gold_of(sentence: Sentence) -> GoldTree | None:
    """The tree of a sentence, if each word has a head."""
    heads = alone(sentence).heads
    return GoldTree(heads.tolist(), sentence.labels) if len(heads) and bool((heads >= 0).all()) else None


def _searched(
    parser: Parser, sentence: Sentence, width: int, actions: Sequence[str]
) -> tuple[Explanation, list[list[Hypothesis]] | None]:
    """The derivation that is found, and its beams, if there are some that can be shown."""
    found = Explanation.from_sentence(parser, sentence, beam=width)
    if not actions:
        return found, beams(found.derivations, width) if width > 1 else None
    derivations, traced = continued(parser, found.derivations.treebank, width, actions)
    return Explanation(derivations), traced if width > 1 else None


# --- States ---


@dataclass(frozen=True)
class _Labels:
    names: tuple[str, ...]
    of_root: Sequence[bool]

    @property
    def rest(self) -> str:
        """The label of words that become children of Root at the end."""
        return self.names[list(self.of_root).index(True)] if any(self.of_root) else ""


def _state(here: Derivation, labels: _Labels) -> DerivationStep:
    state = here.state
    found = {arc.dependent: arc.label or "" for arc in here.arcs}
    heads = tuple(int(head) for head in state.heads[1:])
    names = (found.get(word, labels.rest if head == 0 else "") for word, head in enumerate(heads, start=1))
    return DerivationStep(state.stack, state.buffer, state.list_tokens, heads, tuple(names))


def _put_back(step: DerivationStep, parser: Parser) -> DerivationStep:
    """The final step with lifted arcs where they belong."""
    names = parser.labels.names
    numbers = [names.index(label) if label else -1 for label in step.labels]
    heads, labels = parser._label_encoding.put_back_one(step.heads, numbers)
    return replace(step, heads=tuple(map(int, heads)), labels=tuple("" if label == "_" else label for label in labels))


def _with_action(step: DerivationStep, here: Derivation, choices: Sequence[ActionChoice], label: str) -> DerivationStep:
    """The step of the first of the choices."""
    made, proposed = here.arc_of(choices[0].name)
    arc = made or proposed
    head, dependent = (0 if token == here.root else token for token in ((arc.head, arc.dependent) if arc else (0, 0)))
    return replace(
        step,
        choices=tuple(choices[:_ACTIONS]),
        more=max(0, len(choices) - _ACTIONS),
        arc=(head, dependent) if arc else None,
        is_proposed=made is None and proposed is not None,
        label=label,
    )


def _explained(found: Explanation, states: Sequence[Derivation], labels: _Labels) -> Iterator[DerivationStep]:
    """The steps of a parser."""
    for number, (here, why) in enumerate(zip(states, found.all_actions(), strict=True), start=1):
        costs = found.costs(number)
        if costs is not None:
            costs = _least_taken(costs)
        scores = (why.scores / why.unit).tolist()
        choices = [
            ActionChoice(why.columns[column], scores[column], None if costs is None else costs[why.columns[column]])
            for column in why.ranking
        ]
        label = int(found.derivations.labels[number - 1])
        step = _with_action(_state(here, labels), here, choices, labels.names[label] if label >= 0 else "")
        best = sorted(found.label_scores(number).items(), key=lambda pair: -pair[1])[:_LABELS]
        yield replace(step, label_scores=tuple(best), reasons=tuple(_reasons(why)))


def _reasons(why: Contributions) -> Iterator[FeatureContribution]:
    """The features that count most for the chosen action, compared with the next best."""
    ours = why.weights[:, why.chosen] / why.unit
    if len(why.columns) == 1:
        for row in why.largest(why.chosen)[:_REASONS]:
            yield FeatureContribution(why.features[row], float(ours[row]), None)
        return
    theirs = why.weights[:, why.ranking[1]] / why.unit
    for row in np.argsort(-np.abs(ours - theirs), kind="stable")[:_REASONS].tolist():
        if ours[row] != theirs[row]:
            yield FeatureContribution(why.features[row], float(ours[row]), float(theirs[row]))


def _shown(beam: Sequence[Hypothesis]) -> list[Hypothesis]:
    """The best of a beam, those that fell off, and the beginning of the derivation that was best in the end."""
    kept = [one for one in beam if one.is_kept]
    rest = [one for one in beam if not one.is_kept]
    return kept[:_HYPOTHESES] + [one for one in kept[_HYPOTHESES:] if one.is_final_path] + rest


def _least_taken(costs: dict[str, int]) -> dict[str, int]:
    """Costs beyond the least, which no action avoids."""
    least = min(costs.values(), default=0)
    return {name: cost - least for name, cost in costs.items()}


def _gold_label(here: Derivation, gold: GoldTree, head: int, dependent: int) -> str:
    """The label of the gold tree, if that has the arc."""
    if gold.labels is None or dependent == here.root:
        return ""
    is_gold = gold.heads[dependent - 1] == (0 if head == here.root else head)
    return (gold.labels[dependent - 1] or "") if is_gold else ""


def _table(system: str | TransitionSystem) -> TransitionSystem:
    found = as_system(system)
    if not isinstance(found, TransitionSystem):
        raise SpecError(f"only systems of tables can be stepped through; {found.name} is a system in Python")
    return found
