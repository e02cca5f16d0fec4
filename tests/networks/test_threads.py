"""One network may be used by several threads at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import panparser as pp
from nets import KINDS
from places import ENGLISH
from reference.networks import random_network_parser

TREEBANK = pp.read_conllu(ENGLISH)
PARTS = [TREEBANK[start : start + 12] for start in range(0, 96, 12)]
SPEC = pp.ParserSpec(beam=1)
ONE, TAGS = (
    random_network_parser(SPEC, KINDS[kind], TREEBANK) for kind in ("labels and history", "tags of the last layer")
)
PARSERS = {"a network": ONE, "one that tags": TAGS, "a vote": pp.make_voting_parser([ONE, ONE])}
WAYS = {
    "greedy": lambda parser, part: parser.parse(part).to_bytes(),
    "with a beam": lambda parser, part: parser.parse(part, beam=3).to_bytes(),
    "the best": lambda parser, part: [tree.heads for tree in parser.k_best(part[0], 2)],
}


@pytest.mark.unmeasured
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PARSERS)
def test_parsers(name, way):
    parser, parse = PARSERS[name], WAYS[way]
    expected = [parse(parser, part) for part in PARTS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda part: parse(parser, part), PARTS)) == expected


def test_tags():
    expected = [TAGS.classifier.tag(part) for part in PARTS]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(TAGS.classifier.tag, PARTS))
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
