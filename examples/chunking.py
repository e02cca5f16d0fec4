"""A task of one's own in forty lines: chunks of nouns (B begins one, I goes on, O is outside), with what is legal.

    python examples/chunking.py [TREEBANK.conllu]

The data is made from a treebank: a chunk is a noun with the determiners, adjectives and other nouns that depend on it
and stand right before it.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import panparser as pp

SMALL = Path(__file__).parents[1] / "tests" / "data" / "english.conllu"
Words = tuple[tuple[str, str], ...]  # forms with their tags


class State(NamedTuple):
    words: Words
    chunks: tuple[str, ...] = ()  # B, I or O, of the words so far


class Chunking:
    def initial(self, words: Words) -> State:
        return State(words)

    def legal(self, state: State) -> tuple[str, ...]:
        if len(state.chunks) == len(state.words):
            return ()
        return ("B", "I", "O") if state.chunks[-1:] not in ((), ("O",)) else ("B", "O")  # nothing goes on from outside

    def apply(self, state: State, action: str) -> State:
        return state._replace(chunks=(*state.chunks, action))

    def cost(self, state: State, action: str, gold: tuple[str, ...]) -> int:
        return int(action != gold[len(state.chunks)])

    def features(self, state: State) -> list[str]:
        at, before = len(state.chunks), "".join(state.chunks[-2:])
        window = {offset: state.words[at + offset] for offset in (-1, 0, 1) if 0 <= at + offset < len(state.words)}
        tags = "/".join(window[offset][1] if offset in window else "-" for offset in (-1, 0, 1))
        forms = [f"form {offset} {form.lower()}" for offset, (form, _) in window.items()]
        return ["any", f"tags {tags}", f"before {before} {window[0][1]}", f"tag {window[0][1]}", *forms]


def chunks_of(sentence: pp.Sentence) -> tuple[str, ...]:
    """The chunks of a sentence with a tree."""
    tags, heads = sentence.values("upos"), sentence.heads.tolist()
    chunks = ["O"] * len(sentence)
    for noun in range(len(sentence)):
        inside = {noun}
        while (first := min(inside)) > 0 and tags[first - 1] in ("DET", "ADJ", "NOUN", "PROPN", "NUM"):
            if heads[first - 1] - 1 not in inside:
                break
            inside.add(first - 1)
        if tags[noun] in ("NOUN", "PROPN"):
            chunks[min(inside) : noun + 1] = ["B", *["I"] * (noun - min(inside))]
    return tuple(chunks)


def main() -> None:
    treebank = pp.read_conllu(Path(sys.argv[1]) if len(sys.argv) > 1 else SMALL)
    pairs = [
        (tuple(zip(sentence.forms, sentence.values("upos"), strict=True)), chunks_of(sentence)) for sentence in treebank
    ]
    cut = len(pairs) * 4 // 5
    for beam in (1, 4):
        model = pp.train_task(Chunking(), pairs[:cut], dev=pairs[cut:], beam=beam, epochs=4, seed=1)
        print(f"beam {beam}: {model.training['history'][-1]['accuracy']:.1f} % of the words right")
    words, _ = pairs[cut]
    for (form, tag), chunk in zip(words, model.predict(words).state.chunks, strict=True):
        print(f"{chunk} {tag:6} {form}")


if __name__ == "__main__":
    main()
