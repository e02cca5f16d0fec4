"""A transition system that tables cannot express, written in Python: Covington's, with two lists and any tree.

Words are taken from left to right; each looks back at the words before it, nearest first, and may take them as
children (LEFT) or one of them as head (RIGHT). The cost is that of Gómez-Rodríguez & Fernández-González (2015). Words
left headless go to Root.
"""

import panparser as pp
from panparser.testing import check_system


class Covington(pp.PythonSystem):
    transitions = ("SHIFT", "NO_ARC", "LEFT", "RIGHT")

    def initial(self, words: int) -> pp.StateView:
        state = pp.StateView(words, [], list(range(2, words + 1)))
        state.right, state.left = 1, 0  # the two words in focus; left is 0 when there is none
        return state

    def is_final(self, state: pp.StateView) -> bool:
        return state.right > state.words

    def legal(self, state: pp.StateView, transition: str) -> bool:
        left, right = state.left, state.right
        if transition in ("SHIFT", "NO_ARC"):
            return transition == "SHIFT" or left > 0
        head, dependent = (right, left) if transition == "LEFT" else (left, right)
        return left > 0 and state.heads[dependent] == -1 and not dominates(state.heads, dependent, head)

    def apply(self, state: pp.StateView, transition: str) -> None:
        if transition == "SHIFT":
            state.stack.append(state.right)
            state.buffer = state.buffer[1:]
            state.left, state.right = state.right, state.right + 1
            if self.is_final(state):
                for word in range(1, state.words + 1):
                    if state.heads[word] == -1:
                        state.attach(0, word)
            return
        if transition == "LEFT":
            state.attach(state.right, state.left)
        elif transition == "RIGHT":
            state.attach(state.left, state.right)
        state.left -= 1

    def cost(self, state: pp.StateView, transition: str, gold: pp.Gold) -> int:
        after = pp.system(self).apply(state, transition)
        return loss(after, gold) - loss(state, gold)


def dominates(heads: list[int], above: int, below: int) -> bool:
    while below > 0 and below != above:
        below = heads[below]
    return below == above


def loss(state: pp.StateView, gold: pp.Gold) -> int:
    """Gold arcs that are out of reach, and the cycles that those within reach would close."""
    lost, graph = 0, list(state.heads)
    for word, head in enumerate(gold.heads, start=1):
        if head is None or head == state.heads[word]:
            continue
        if head == 0:
            lost += state.heads[word] > 0
        elif state.heads[word] == -1 and alive(state, head, word):
            graph[word] = head
        else:
            lost += 1
    return lost + cycles(graph)


def alive(state: pp.StateView, head: int, word: int) -> bool:
    near, far = min(head, word), max(head, word)
    reached = far > state.right or (far == state.right and near <= state.left)
    return reached and not dominates(state.heads, word, head)


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
