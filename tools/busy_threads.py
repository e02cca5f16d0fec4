"""Threads at work, to be run under the thread sanitizer: `make sanitize-threads`.

The engine learns, parses, tags and reads with threads of its own, and one parser, one pipeline and one file are used by
eight threads of Python. What comes out is compared with what one thread makes.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import panparser as pp

TREEBANK = Path(__file__).parents[1] / "tests" / "data" / "english.conllu"
TEXT = "They ate the pizza with anchovies. Parsers read text, and nobody has to tag it first. " * 20
USERS = 8


def check_same(what: str, work: Callable[[int], bytes]) -> None:
    """Calls work(threads) in eight threads, and alone: raises RuntimeError if the results differ."""
    alone = work(1)
    with ThreadPoolExecutor(USERS) as pool:
        found = set(pool.map(work, [1, 2] * USERS))
    if found != {alone}:
        raise RuntimeError(f"{what}: threads made something else than one of them alone")
    print(f"{what}: the same in {USERS} threads", flush=True)


def main() -> None:
    treebank = pp.read_conllu(TREEBANK)
    train, dev = treebank[:60], treebank[60:90]
    for beam in (1, 4):
        spec = pp.ParserSpec(templates=pp.templates("fast"), beam=beam)
        parser = pp.train(spec, train, dev=dev, epochs=2)
        check_parser(parser, dev)
        for batch in (1, 4):
            check_training(spec, train[:20], dev[:10], batch)
    nlp = pp.load("en")
    check_same("text", lambda threads: nlp(TEXT, threads=threads).to_bytes())
    check_same("reading", lambda threads: pp.read_conllu(TREEBANK).to_bytes())


def check_training(spec: pp.ParserSpec, train: pp.Treebank, dev: pp.Treebank, batch: int) -> None:
    def learn(threads: int) -> bytes:
        return str(pp.train(spec, train, dev=dev, epochs=2, batch_size=batch, threads=threads).manifest()).encode()

    check_same(f"training, beam {spec.beam}, batches of {batch}", learn)


def check_parser(parser: pp.Parser, dev: pp.Treebank) -> None:
    name = f"beam {parser.spec.beam}"
    check_same(f"parsing, {name}", lambda threads: parser.parse(dev, threads=threads).to_bytes())
    check_same(f"confidence, {name}", lambda threads: parser.confidence(dev).head_confidence.tobytes())


if __name__ == "__main__":
    main()
