"""A process whose threads work forks, as servers and `multiprocessing` do: the child can work, too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_SCRIPT = """
import itertools, os, signal, sys, threading, warnings
import panparser as pp
warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads: what this is about
nlp = pp.load("en")
numbers = itertools.count(0x4E00)

def work():
    while not done:
        new = "".join(chr(0x4E00 + next(numbers) % 0x5000) for _ in range(100))  # characters not yet looked up
        nlp(f"They ate {new}.", threads=2)

done = False
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        words = nlp("They ate 㐀 pizza.", threads=2).words
        os._exit(0 if words else 1)
    _, status = os.waitpid(child, 0)
    if status != 0:  # it failed, or waited in vain
        break
done = True
for thread in threads:
    thread.join()
sys.exit(status != 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("forks", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_the_child_of_a_process_with_busy_threads_parses(forks):
    done = subprocess.run([sys.executable, "-c", _SCRIPT, str(forks)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
