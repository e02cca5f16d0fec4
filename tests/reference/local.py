"""Local training as Goldberg & Nivre 2012 write it: one action at a time. No beams, no derivations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from panparser.inspection.naive_features import Derivation
from panparser.systems.oracles import static_derivation
from panparser.systems.transition_system import TransitionSystem
from reference.learning import Example, Perceptron, Random

ChooseNext = Callable[[int, str, list[str]], str]  # of the iteration, the prediction and ZERO_COST


@dataclass
class LocalLearner:
    """A perceptron over the actions of a system; ties go to the first action in the table."""

    system: TransitionSystem
    actions: Perceptron = field(default_factory=Perceptron)
    trace: list[tuple[str, str, bool, str]] = field(default_factory=list)  # (t_p, t_o, updated?, t_n) at each step

    def best(self, c: Derivation, names: Sequence[str], example: Example) -> str:
        return max(names, key=lambda t: self.score(c, t, example))

    def score(self, c: Derivation, t: str, example: Example) -> int:
        return self.actions.score(example.reader.features(c.seen_by(t)), self.system[t].name)

    def update(self, c: Derivation, wanted: str, found: str, example: Example) -> None:
        for t, by in ((wanted, +1), (found, -1)):
            self.actions.change(example.reader.features(c.seen_by(t)), self.system[t].name, by)

    def train_static(self, corpus: Sequence[Example], iterations: int) -> None:
        """Algorithm 2."""
        for _ in range(iterations):
            for x in corpus:
                oracle = static_derivation(self.system, x.gold)
                c = Derivation(self.system.initial(len(x.gold)))
                while not self.system.is_final(c.state):
                    t_p = self.best(c, self.system.legal(c.state), x)
                    t_o = oracle[len(c.actions)]
                    if t_p != t_o:
                        self.update(c, t_o, t_p, x)
                    self.trace.append((t_p, t_o, t_p != t_o, t_o))
                    c = c.follow(t_o)
                self.actions.tick()

    def train_dynamic(self, corpus: Sequence[Example], iterations: Sequence[int], choose_next: ChooseNext) -> None:
        """Algorithm 3. An action of minimum cost stands for one of zero cost: the minimum need not be zero."""
        for iteration in iterations:
            for x in corpus:
                c = Derivation(self.system.initial(len(x.gold)))
                while not self.system.is_final(c.state):
                    t_p = self.best(c, self.system.legal(c.state), x)
                    costs = self.system.costs(c.state, x.gold)
                    zero_cost = [t for t, cost in costs.items() if cost == min(costs.values())]
                    zero_cost.sort(key=lambda t: -self.score(c, t, x))  # for random elements
                    t_o = self.best(c, zero_cost, x)
                    if t_p not in zero_cost:
                        self.update(c, t_o, t_p, x)
                    t_n = choose_next(iteration, t_p, zero_cost)
                    self.trace.append((t_p, t_o, t_p not in zero_cost, t_n))
                    c = c.follow(t_n)
                self.actions.tick()


def choose_next_amb(random: Random) -> ChooseNext:
    """CHOOSE_NEXT_AMB: the prediction if it is correct, else any correct action."""

    def choose(iteration: int, t: str, zero_cost: list[str]) -> str:
        return t if t in zero_cost else zero_cost[random.below(len(zero_cost))]

    return choose


def choose_next_exp(random: Random, k: int, p: float) -> ChooseNext:
    """CHOOSE_NEXT_EXP: after k iterations, the prediction, right or wrong, with the probability 1 - p.

    A number is drawn only for wrong predictions, also in the first iterations, as in the engine: a correct one is
    always followed.
    """
    ambiguous = choose_next_amb(random)

    def choose(iteration: int, t: str, zero_cost: list[str]) -> str:
        if t in zero_cost:
            return t
        explores = random.uniform() < 1 - p
        return t if iteration > k and explores else ambiguous(iteration, t, zero_cost)

    return choose
