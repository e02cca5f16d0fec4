"""Feeds every reader damaged inputs: only the project's own errors may come out, in 5 s and 1 GB at most a case.

    python -m fuzz                          100,000 inputs for each reader
    python -m fuzz recipes --count 1000     one reader
    python -m fuzz recipes --input FILE     an input that failed, once more
    python -m fuzz recipes --write FOLDER   the inputs, for other programs

The same seed gives the same inputs. Inputs that once failed are in fuzz/corpus/READER and always come first; what
fails is made as small as possible and written to build/fuzz.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from shutil import rmtree

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # each thread reserves address space

from fuzz import seeds
from fuzz.running import Result, Target, outcome, run_inputs, shrunk
from fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
FAILED = Path("build/fuzz")


def inputs(target: Target, seed: int) -> tuple[int, Callable[[int], bytes]]:
    """The number of inputs in the corpus; and the inputs by number, those of the corpus first."""
    known = [path.read_bytes() for path in sorted((CORPUS / target.name).glob("*"))]

    def input_of(number: int) -> bytes:
        if number < len(known):
            return known[number]
        return target.make(Random(f"{seed} {target.name} {number - len(known)}"))

    return len(known), input_of


def fuzz(target: Target, count: int, seed: int) -> Result:
    """Runs the inputs of the corpus, then as many new ones."""
    known, input_of = inputs(target, seed)
    target.make(Random(0))  # models are made once, here
    return run_inputs(target, known + count, input_of)


def write(target: Target, count: int, seed: int, folder: Path) -> None:
    known, input_of = inputs(target, seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(known + count):
        (folder / f"{target.name}-{number}").write_bytes(input_of(number))


def report(target: Target, result: Result, seconds: float) -> None:
    failed = sum(result.counts.values())
    numbers = f"{result.accepted:,} accepted, {result.refused:,} refused, {failed:,} failed"
    print(f"{target.name:<20} {numbers} in {seconds:.0f} s", flush=True)
    for number, (kind, data) in enumerate(result.failures.items(), start=1):
        small = shrunk(target, data, kind)
        FAILED.mkdir(parents=True, exist_ok=True)
        path = FAILED / f"{target.name}-{number}"
        path.write_bytes(small)
        shown = repr(small[:300]) + (f" and {len(small) - 300:,} more bytes" if len(small) > 300 else "")
        print(f"  {kind} ({result.counts[kind]:,} times): {shown}")
        print("".join(f"    {line}\n" for line in result.details[kind].splitlines()[-5:]), end="")
        print(f"    once more: python -m fuzz {target.name} --input {path}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="READER", help=f"all, or some of {', '.join(TARGETS)}")
    parser.add_argument("--count", type=int, default=100_000, help="inputs for each reader (100,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", type=Path, help="a file to be read instead")
    parser.add_argument("--write", type=Path, help="a folder for the inputs, which are not read then")
    options = parser.parse_args()
    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"no reader is called {unknown[0]}; there are {', '.join(sorted(TARGETS))}")
    chosen = [TARGETS[name] for name in options.targets or TARGETS]
    try:
        if options.input:
            with redirect_stdout(sys.stderr):
                found = [outcome(target, options.input.read_bytes()) for target in chosen]
            print("\n".join("accepted" if each is None else each[1] or "refused" for each in found))
            return int(any(each and each[0] for each in found))
        failed = False
        for target in chosen:
            if options.write:
                write(target, options.count, options.seed, options.write)
                continue
            start = time.monotonic()
            result = fuzz(target, options.count, options.seed)
            report(target, result, time.monotonic() - start)
            failed = failed or bool(result.failures)
        return int(failed)
    finally:
        rmtree(seeds.folder(), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
