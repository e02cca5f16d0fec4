"""The template language is read word by word where it can be: the same atoms, and the same errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.features.template_syntax import _Reader, read_line

ODD = (
    *("", "   ", "# a comment", "S0.form # a comment", "S0.form#", "\tS0.form \x1f S0.upos ", "S0.form S0.form"),
    *("distance(S0, B0) S0.upos", "between( S0,B0,upos = VERB )", 'between(S0,B0,form="a b") S0.form'),
    *('between(S0,B0,form="a # b")', "S0.feats[Case] B0.misc[a[b]c]", "S0.misc[a b]", "S0.misc[a [b] c]"),
    *("actions: S0.form", "actions:S0.form S0.upos # a comment", "  actions: S0.form", "actions:", "actions: # none"),
    *("actions : S0.form", "S0.form actions: S0.upos", "actions: actions: S0.form", "labels: S0.form"),
    *(
        "W-1.lower T-1 W0.upos",
        "W- 1.lower",
        "T-1.upos T-2",
        "S0. form",
        "S0 .form",
        "S0.formB0.form",
        "S0.form,B0.form",
    ),
    *(
        "S0.left[0].upos S0.left [0].upos",
        "history[0] S0.form",
        "history [0]",
        "S9.form",
        "S0.colour",
        "distance(S0,S0)",
    ),
)


def read(line):
    """As by the reader of whole lines."""
    reader = _Reader(line, "line 1")
    atoms = tuple(reader.template())
    return atoms, reader.line[: reader.at].rstrip()


def outcome(function, line):
    try:
        return function(line)
    except pp.errors.TemplateError as error:
        return str(error)


def agree(line):
    assert outcome(lambda text: read_line(text, "line 1"), line) == outcome(read, line)


@pytest.mark.parametrize("line", ODD)
def test_odd_lines(line):
    agree(line)


@pytest.mark.parametrize(
    "templates",
    [
        pp.templates("zn11"),
        pp.templates("rich"),
        pp.templates("rich-stack"),
        pp.templates("lean"),
        pp.templates("easy"),
        pp.templates("fast"),
        pp.templates("given"),
        pp.features.tagging_templates(),
    ],
    ids=len,
)
def test_lines_of_the_built_in_sets(templates):
    for template in templates:
        agree(str(template))


@given(st.text('SBWT01-.,()[]="\\# \t_aformupsl', max_size=24))
def test_any_line(line):
    agree(line)


@given(st.lists(st.sampled_from([word for line in ODD for word in (*line.split(), " ", "\t")]), max_size=6))
def test_any_words(words):
    agree("".join(words))
    agree(" ".join(words))
