"""spaCy 3 as a peer of `peers.py`: its parser alone, on gold tokens and gold tags, without pretrained vectors.

    python benchmarks/peer_spacy.py train TRAIN DEV MODEL
    python benchmarks/peer_spacy.py parse MODEL INPUT OUTPUT

Needs `spacy`; downloads nothing. The network is that of spaCy's quickstart for CPU, which embeds NORM, PREFIX, SUFFIX
and SHAPE of a word, and here its gold TAG, POS and MORPH too. The parser is spaCy's own: ArcEager, dynamic oracle,
pseudo-projective. Optimizer, batches, dropout and patience are the defaults of `spacy train`. Documents are sentences,
which the parser may not split. Training ends when LAS on dev stops improving, or after CPU_SECONDS.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import panparser as pp

PACKAGES = ("spacy",)
CPU_SECONDS, EVERY, PATIENCE, DROPOUT = 600, 200, 1600, 0.1  # EVERY (dev is scored) and PATIENCE in steps
BATCH = {"start": 100, "stop": 1000, "compound": 1.001}  # words
WIDTH = 96
MODEL: dict[str, Any] = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "parser",
    "extra_state_tokens": False,
    "hidden_width": 128,
    "maxout_pieces": 3,
    "use_upper": True,
    "nO": None,
    "tok2vec": {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": WIDTH,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "TAG", "POS", "MORPH"],
            "rows": [5000, 1000, 2500, 2500, 1000, 100, 2500],
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": WIDTH,
            "depth": 4,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    },
}
PARSER: dict[str, Any] = {"model": MODEL, "min_action_freq": 5}  # spaCy's 30 would leave small treebanks few labels


def settings(treebank: str) -> str:
    """What a trained model depends on, the same for every treebank."""
    return json.dumps([PARSER, CPU_SECONDS, EVERY, PATIENCE, DROPOUT, BATCH])


def documents(nlp: Any, treebank: pp.Treebank, *, gold: bool) -> Iterator[Any]:
    """A document for each sentence, with its tags; with its tree if asked for."""
    from spacy.tokens import Doc

    for sentence in treebank:
        upos, xpos, feats = (sentence.values(name) for name in ("upos", "xpos", "feats"))
        tree: dict[str, Any] = {}
        if gold:
            heads = enumerate(sentence.heads.tolist())
            tree["heads"] = [head - 1 if head > 0 else word for word, head in heads]
            tree["deps"] = ["ROOT" if label == "root" else label for label in sentence.labels]
        else:
            tree["sent_starts"] = [word == 0 for word in range(len(sentence))]
        yield Doc(
            nlp.vocab,
            words=sentence.forms,
            tags=[own if own != "_" else tag for own, tag in zip(xpos, upos, strict=True)],
            pos=["" if tag == "_" else tag for tag in upos],
            morphs=["" if cell == "_" else cell for cell in feats],
            **tree,
        )


def predict(nlp: Any, treebank: pp.Treebank) -> Iterator[tuple[list[int], list[str]]]:
    """Heads and labels of each sentence."""
    for doc in nlp.pipe(documents(nlp, treebank, gold=False), batch_size=256):
        heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
        yield heads, ["root" if token.dep_ == "ROOT" else token.dep_ or "dep" for token in doc]


def attached(nlp: Any, dev: pp.Treebank) -> float:
    """LAS on dev, in percent, with whole labels."""
    right = 0
    for sentence, (heads, labels) in zip(dev, predict(nlp, dev), strict=True):
        gold = zip(sentence.heads.tolist(), sentence.labels, strict=True)
        right += sum(pair == other for pair, other in zip(gold, zip(heads, labels, strict=True), strict=True))
    return 100 * right / dev.words


def batches(examples: list[Any], rng: random.Random) -> Iterator[list[Any]]:
    """Batches of examples by number of words, for ever."""
    size = float(BATCH["start"])
    while True:
        rng.shuffle(examples)
        batch: list[Any] = []
        words = 0
        for example in examples:
            batch.append(example)
            words += len(example.reference)
            if words >= size:
                yield batch
                batch, words, size = [], 0, min(size * BATCH["compound"], BATCH["stop"])
        if batch:
            yield batch


def fit(nlp: Any, steps: Iterable[list[Any]], dev: pp.Treebank) -> bytes:
    """The parser that was best on dev."""
    optimizer, best, best_step, kept = nlp.create_optimizer(), -1.0, 0, b""
    for step, batch in enumerate(steps, start=1):
        nlp.update(batch, drop=DROPOUT, sgd=optimizer)
        late = time.process_time() > CPU_SECONDS
        if step % EVERY == 0 or late:
            las = attached(nlp, dev)
            if las > best:
                best, best_step, kept = las, step, nlp.to_bytes()
            print(f"step {step}: {las:.2f} on dev, best {best:.2f}, {time.process_time():.0f} s", flush=True)
        if late or step - best_step >= PATIENCE:
            break
    return kept


def trained(treebank: pp.Treebank, dev: pp.Treebank, seed: int = 1) -> Any:
    """A pipeline of spaCy with the parser that was best on dev."""
    import spacy
    from spacy.training import Example

    spacy.util.fix_random_seed(seed)
    nlp = spacy.blank("xx")
    nlp.add_pipe("parser", config=PARSER)
    sides = (documents(nlp, treebank, gold=gold) for gold in (False, True))
    examples = [Example(tagged, gold) for tagged, gold in zip(*sides, strict=True)]
    nlp.initialize(lambda: examples)
    return nlp.from_bytes(fit(nlp, batches(examples, random.Random(seed)), dev))


class Peer:
    """A pipeline of spaCy that parses treebanks."""

    def __init__(self, nlp: Any) -> None:
        self.nlp = nlp

    def parse(self, treebank: pp.Treebank) -> pp.Treebank:
        """A copy of the treebank with the parser's heads and labels."""
        parsed = treebank.copy()
        for sentence, (heads, labels) in zip(parsed, predict(self.nlp, treebank), strict=True):
            sentence.heads, sentence.labels = heads, labels
        return parsed


def train(train_path: Path, dev_path: Path, model: Path) -> None:
    trained(pp.read_conllu(train_path), pp.read_conllu(dev_path)).to_disk(model)


def parse(model: Path, source: Path, output: Path) -> None:
    import spacy

    pp.write_conllu(output, Peer(spacy.load(model)).parse(pp.read_conllu(source)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("train", "parse"))
    parser.add_argument("paths", nargs=3, type=Path)
    arguments = parser.parse_args()
    (train if arguments.action == "train" else parse)(*arguments.paths)


if __name__ == "__main__":
    main()
