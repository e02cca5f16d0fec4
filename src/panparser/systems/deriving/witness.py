"""Why no table of losses is exact, as a readable drawing."""

from __future__ import annotations

from dataclasses import dataclass

from panparser.systems.deriving.candidates import MAX_GUARD
from panparser.systems.deriving.evidence import Case
from panparser.systems.deriving.fitting import LossMismatch
from panparser.systems.drawing import draw_state
from panparser.systems.table import TransitionSystem
from panparser.systems.terms import Loss
from panparser.trees.drawing import draw_tree
from panparser.trees.gold import GoldTree, Mark

_NUMBERS = {1: "one", 2: "two", 3: "three"}


@dataclass(frozen=True)
class Counterexample:
    """The smallest cases that no table of losses explains together. Its `str` draws them.

    `problem` is the reason:

    - "sum": the cost of the first case is not the sum of the others, which are its annotations one by one;
    - "alike": the first costs 1 and the second 0, and no loss or condition distinguishes them;
    - "wide": every loss that counts the first, with any guard, counts a case that costs 0: `loss`, the simplest,
      counts the second;
    - "unseen": no loss counts the first;
    - "cover": no choice of losses counts every case once, the first among them;
    - "potential": the potential leaves a cost that no loss has, below 0 or above 1.

    Costs are those that the potential, if there is one, leaves to losses.
    """

    system: TransitionSystem
    problem: str
    cases: tuple[Case, ...]
    loss: Loss | None = None

    @classmethod
    def of(cls, system: TransitionSystem, misfit: LossMismatch) -> Counterexample:
        return cls(system, misfit.problem, misfit.cases, misfit.loss)

    @property
    def summary(self) -> str:
        """One line: a transition, its cost, the state, and the gold."""
        case = self.cases[0]
        known = ", ".join(_annotations(case.gold))
        costs = f"{case.transition} costs {case.cost} in {case.state} for the gold {known}"
        if self.problem != "sum":
            return costs
        return f"{costs}, and {' + '.join(str(part.cost) for part in self.cases[1:])} for {_each(len(self.cases) - 1)}"

    def __str__(self) -> str:
        first, *others = self.cases
        directed = " for head directions" if first.gold.is_directed else ""
        lines = [
            f"{self.system.name}, Root {self.system.root}: no table of losses is exact{directed}",
            "",
            f"{first.transition} costs {first.cost} here:",
            "",
            self._drawing(first),
            "",
        ]
        if self.problem == "sum":
            lines += _sum(others)
        elif others:
            lines += [f"and {others[0].cost} here:", "", self._drawing(others[0]), "", *self._apart()]
        elif self.problem == "potential":
            lines += [f"That is what {self.system.potential} leaves to losses, and none is like that: it does not fit."]
        elif self.problem == "unseen":
            lines += ["No loss sees what is lost: losses look at S0, S1, S2, B0 and Root, and at what hangs from them."]
        else:
            lines += [f"{_with_guards()} count it, but no choice of them counts every case once."]
        return "\n".join(lines)

    def _apart(self) -> list[str]:
        if self.problem == "alike":
            return ["No loss, with any of the conditions that were tried, tells the two cases apart."]
        return [
            f"{_with_guards()} that count the first case also count cases that cost 0.",
            f"The simplest, {self.loss}, counts the second one.",
        ]

    def _drawing(self, case: Case) -> str:
        path = " ".join(case.state.derivation) or "(none: this is the initial state)"
        tree = draw_tree(case.gold.heads, self.system.root)
        return f"gold tree\n{tree}\n\nstate\n{draw_state(self.system, case.state)}\nafter   {path}"


def _with_guards() -> str:
    return f"Losses with up to {_NUMBERS[MAX_GUARD]} conditions"


def _sum(parts: list[Case]) -> list[str]:
    shown = [" and ".join(_annotations(part.gold)) for part in parts]
    width = max(map(len, shown))
    total = sum(part.cost for part in parts)
    return [
        "but if one thing alone is known of the gold:",
        "",
        *(f"{text:<{width}}   {part.transition} costs {part.cost}" for text, part in zip(shown, parts, strict=True)),
        "",
        f"A loss counts what is known of the gold one by one, so any sum of losses gives {total}.",
    ]


def _annotations(gold: GoldTree) -> list[str]:
    found = []
    for word, head in enumerate(gold.heads, start=1):
        if isinstance(head, Mark):
            found.append(f"{word}: {'headless' if head is Mark.EMPTY else f'head to the {head.name.lower()}'}")
        elif head is not None:
            found.append(f"{word} <- {head or 'ROOT'}")
    return found


def _each(count: int) -> str:
    return "each of the two alone" if count == 2 else f"each of the {count} alone"
