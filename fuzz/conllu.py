"""A fuzz target for the whole treebank layer, guided by the coverage of its Python part (atheris).

`conllu.cpp` is the one for the native reader. No bytes may crash it, and what it reads it must write back.

    python fuzz/conllu.py CORPUS_FOLDER -max_total_time=60
"""

import contextlib
import sys

import atheris

with atheris.instrument_imports():
    from panparser.errors import ConlluError
    from panparser.evaluation.metrics import evaluate
    from panparser.treebank.conllu import parse_conllu
    from panparser.treebank.treebank import COLUMNS


def check(data: bytes) -> None:
    for format in ("conllu", "conllx"):
        treebank = parse_conllu(data, format=format, lenient=True, single_root=True)
        problems = treebank.problems
        for name in COLUMNS:
            treebank.column(name)
        written = treebank.to_bytes()
        if len(treebank) and not any(problem.fatal for problem in problems):
            assert written == data, "a file that can be read must come back as it was"
        again = parse_conllu(written, format=format, lenient=True)
        assert len(again) == len(treebank)
        for sentence in treebank:
            assert len(sentence.forms) == len(sentence) > 0
            assert all(token.form for token in sentence.multiword_tokens + sentence.empty_nodes) or problems
            assert isinstance(sentence.metadata, dict)
        if len(treebank) and not any(problem.rule in ("cycle", "cell") for problem in problems):
            assert evaluate(treebank, again, samples=0)["Words"].f1 == 100
    with contextlib.suppress(ConlluError):
        parse_conllu(data, lenient=True)


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
