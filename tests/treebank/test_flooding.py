"""Forms chosen to collide take no longer to read than others."""

from __future__ import annotations

import time

import panparser as pp
from reference.flooding import as_conllu, colliding_forms, ordinary_forms

FORMS = 60_000


def _seconds(data):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        treebank = pp.parse_conllu(data)
        best = min(best, time.process_time() - start)
    assert treebank.words == FORMS
    return best


def test_forms_that_collide_in_a_known_hash_are_read_as_fast_as_others():
    assert _seconds(as_conllu(colliding_forms(FORMS))) < 5 * _seconds(as_conllu(ordinary_forms(FORMS)))
