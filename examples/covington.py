"""A transition system written in Python: Covington's, with two lists and any tree. The built-in table is much faster.

    python examples/covington.py [TRAIN.conllu DEV.conllu]

Words are taken from left to right; each looks back at the words before it, nearest first, and may take them as
children (LEFT) or one of them as head (RIGHT). The stack is the list of words that the first word of the buffer has
not looked at yet. The cost is that of Gómez-Rodríguez & Fernández-González (2015). Words left headless go to Root.
"""

import sys
from pathlib import Path

import panparser as pp
from panparser.proofs.system_proof import check_system

SMALL = Path(__file__).parents[1] / "tests" / "data" / "english.conllu"


class Covington(pp.PythonSystem):
    transitions = ("SHIFT", "NO_ARC", "LEFT", "RIGHT")

    def initial(self, words: int) -> pp.MutableState:
        state = pp.MutableState(words, [], list(range(1, words + 1)))
        state.passed = []  # words between the two in focus, nearest to the right one first
        return state

    def is_final(self, state: pp.MutableState) -> bool:
        return not state.buffer

    def legal(self, state: pp.MutableState, transition: str) -> bool:
        if transition == "SHIFT" or not state.stack:
            return transition == "SHIFT"
        if transition == "NO_ARC":
            return True
        left, right = state.stack[-1], state.buffer[0]
        head, dependent = (right, left) if transition == "LEFT" else (left, right)
        return state.heads[dependent] == -1 and not dominates(state.heads, dependent, head)

    def apply(self, state: pp.MutableState, transition: str) -> None:
        if transition == "SHIFT":
            state.stack = [*state.stack, *reversed(state.passed), state.buffer[0]]
            state.passed, state.buffer = [], state.buffer[1:]
            if not state.buffer:
                for word in range(1, state.words + 1):
                    if state.heads[word] == -1:
                        state.attach(0, word)
            return
        left, right = state.stack[-1], state.buffer[0]
        if transition == "LEFT":
            state.attach(right, left)
        elif transition == "RIGHT":
            state.attach(left, right)
        state.passed.append(state.stack.pop())

    def cost(self, state: pp.MutableState, transition: str, gold: pp.GoldTree) -> int:
        after = state.copy()
        self.apply(after, transition)
        return loss(after, gold) - loss(state, gold)


def dominates(heads: list[int], above: int, below: int) -> bool:
    while below > 0 and below != above:
        below = heads[below]
    return below == above


def loss(state: pp.MutableState, gold: pp.GoldTree) -> int:
    """Gold arcs that are out of reach, and the cycles that those within reach would close."""
    right = state.buffer[0] if state.buffer else state.words + 1
    left = state.stack[-1] if state.stack else 0
    lost, graph = 0, list(state.heads)
    for word, head in enumerate(gold.heads, start=1):
        if not isinstance(head, int) or head < 0 or head == state.heads[word]:
            continue
        if head == 0:
            lost += state.heads[word] > 0
            continue
        near, far = min(head, word), max(head, word)
        is_reached = far > right or (far == right and near <= left)
        if state.heads[word] == -1 and is_reached and not dominates(state.heads, word, head):
            graph[word] = head
        else:
            lost += 1
    return lost + cycles(graph)


def cycles(heads: list[int]) -> int:
    count, done = 0, set()
    for start in range(1, len(heads)):
        path, word = [], start
        while word > 0 and word not in done and word not in path:
            path.append(word)
            word = heads[word]
        count += word in path
        done.update(path)
    return count


if __name__ == "__main__":
    print(check_system(Covington(), max_words=3, golds="all"))
    tree = (3, 0, 2, 1)  # 4 <- 1 crosses 2 <- Root
    print(*pp.static_derivation(Covington(), tree))
    files = sys.argv[1:]
    train_set, dev = (pp.read_conllu(file) for file in files) if files else (pp.read_conllu(SMALL)[:40], None)
    dev = dev or pp.read_conllu(SMALL)[40:60]
    spec = pp.ParserSpec(system=Covington(), templates=pp.templates("rich"), beam=1)
    parser = pp.train(spec, train_set, strategy=pp.STRATEGIES["dynamic"], epochs=3)
    scores = pp.evaluate(dev, parser.parse(dev))
    print(parser, f"UAS {scores.uas:.1f}  LAS {scores.las:.1f}")
