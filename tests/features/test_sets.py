"""Built-in sets of templates: those of the paper, and what the engine gets of them."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest

import panparser as pp
from panparser import Template, Templates, _engine, templates
from panparser.features import templates as sets
from panparser.features.atoms import ATTRIBUTES, BASES, COLUMN_ATTRIBUTES, FUNCTIONS, PATHS
from panparser.features.template_lowering import Column, LoweredTemplates, lower
from panparser.inspection.naive_features import seen_by_labels
from panparser.treebank.treebank import COLUMNS
from places import ROOT

FAST, LEAN, RICH, RICH_STACK, ZN11 = map(templates, ("fast", "lean", "rich", "rich-stack", "zn11"))

# --- Zhang & Nivre ---

# their Tables 1 and 2, in their notation
ZHANG_NIVRE = {
    "single words": "S0wp S0w S0p N0wp N0w N0p N1wp N1w N1p N2wp N2w N2p",
    "word pairs": "S0wpN0wp S0wpN0w S0wN0wp S0wpN0p S0pN0wp S0wN0w S0pN0p N0pN1p",
    "three words": "N0pN1pN2p S0pN0pN1p S0hpS0pN0p S0pS0lpN0p S0pS0rpN0p S0pN0pN0lp",
    "distance": "S0wd S0pd N0wd N0pd S0wN0wd S0pN0pd",
    "valency": "S0wvr S0pvr S0wvl S0pvl N0wvl N0pvl",
    "unigrams": "S0hw S0hp S0L S0lw S0lp S0lL S0rw S0rp S0rL N0lw N0lp N0lL",
    "third-order": "S0h2w S0h2p S0hL S0l2w S0l2p S0l2L S0r2w S0r2p S0r2L N0l2w N0l2p N0l2L "
    "S0pS0lpS0l2p S0pS0rpS0r2p S0pS0hpS0h2p N0pN0lpN0l2p",
    "label set": "S0wsr S0psr S0wsl S0psl N0wsl N0psl",
}
COUNTS = [12, 8, 6, 6, 6, 12, 16, 6]
PLACES = {"h2": "head.head", "l2": "left[1]", "r2": "right[1]", "h": "head", "l": "left[0]", "r": "right[0]"}
VALUES = {"w": "form", "p": "upos", "L": "label", "vl": "left_valency", "vr": "right_valency"} | {
    "sl": "left_labels",
    "sr": "right_labels",
}


def translated(notation: str) -> Template:
    """Their notation as a template; L is the label, which they write l like the leftmost child."""
    found, base, rest = [], "", notation
    while rest:
        if rest[0] in "SN" and rest[1].isdigit():
            base, rest = rest[:2].replace("N", "B"), rest[2:]
            place = next((place for place in PLACES if rest.startswith(place)), "")
            base, rest = f"{base}.{PLACES[place]}" if place else base, rest[len(place) :]
        elif rest[0] == "d":
            found, rest = [*found, "distance(S0,B0)"], rest[1:]
        else:
            value = next(value for value in VALUES if rest.startswith(value))
            found, rest = [*found, f"{base}.{VALUES[value]}"], rest[len(value) :]
    return Template.parse(" ".join(found))


def test_zn11_is_the_set_of_the_paper_and_the_history():
    start = 0
    for count, (group, notation) in zip(COUNTS, ZHANG_NIVRE.items(), strict=True):
        theirs = Templates(tuple(map(translated, notation.split())))
        assert len(theirs) == count, group
        assert ZN11[start : start + count] == theirs, group
        start += count
    assert start == 72 == len(ZN11.without("history"))
    assert str(ZN11[72:]) == "history[0]\nhistory[0] history[1]\nhistory[0] history[1] history[2]"


def test_rich_stack_is_rich_one_place_further_left():
    lines = str(RICH_STACK).splitlines()
    assert len(lines) == 133
    assert lines[:2] == ["S1.form", "S1.upos"]
    assert "distance(S1,S0) S1.upos S0.upos" in lines
    assert "S1.upos S0.upos B0.upos B1.upos" in lines
    assert not any("B3" in line for line in lines)
    further = {"S0": "S1", "S1": "S2", "S2": "S3", "B0": "S0", "B1": "B0", "B2": "B1", "B3": "B2"}
    moved = [re.sub(r"\b[SB]\d\b", lambda base: further[base[0]], line) for line in str(RICH).splitlines()]
    assert lines[: len(moved)] == moved
    assert all("S2" in line for line in lines[len(moved) :])


@pytest.mark.parametrize(("templates", "size", "for_labels"), [(LEAN, 101, 43), (FAST, 48, 25)], ids=["LEAN", "FAST"])
def test_smaller_sets_are_parts_of_rich_and_labels_use_fewer(templates, size, for_labels):
    """`actions:` marks only what labels of ArcEager would use, so that those of systems with deeper arcs see S1."""
    plain = Templates(tuple(replace(template, actions_only=False) for template in templates))
    assert len(templates) == size
    assert [template for template in RICH if template in plain] == list(plain)
    assert sum(seen_by_labels(template, False) for template in templates) == for_labels
    assert all(seen_by_labels(replace(t, actions_only=False), False) for t in templates if t.actions_only)


def test_sets_are_read_when_they_are_used():
    script = """
import panparser.recipes.recipe_run, panparser.pipeline.pipeline_training, panparser.ensembles.cascade_training
from panparser.features.templates import templates
assert templates.cache_info().misses == 0
import panparser
assert panparser.templates is templates
assert panparser.templates("fast") is templates("fast")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_there_are_no_other_sets():
    with pytest.raises(AttributeError, match="no attribute 'POOR'"):
        sets.POOR  # noqa: B018


def test_the_default_templates_fit_the_system():
    for name in ("arc-standard", "attardi", "swap-standard"):
        assert pp.ParserSpec(system=pp.system(name)).templates == RICH_STACK
    for name in ("arc-hybrid", "non-monotonic-arc-eager", "arc-hybrid-partial"):
        assert pp.ParserSpec(system=pp.system(name)).templates == RICH
    for name in ("arc-eager", "arc-eager-partial", "arc-eager-span"):
        assert pp.ParserSpec(system=pp.system(name)).templates == LEAN


def test_filtered_zn11():
    assert len(ZN11.unlabeled()) == 75 - 8 - 6
    assert len(ZN11.delexicalized()) == sum("form" not in line for line in str(ZN11).splitlines())
    assert len(ZN11.atomic()) == len(ZN11.atoms) == 42


# --- Lowering ---


def test_lowering():
    found = lower(
        Templates.parse("""
            S0.form B0.left[1].lower
            S0.vector
            actions: S1.feats[Case] S0.suffix[3] S0.prefix[3]
            B3.misc S0.form S0.head.head.label
            distance(S0,B1) S0.left_valency S0.right_valency S0.left_labels B0.right_labels
            between(S0,B0,feats[Case]=Acc) between(S0,B0,upos=VERB) between(S1,B0,upos=VERB) history[2]
            B0.right[1].vector
        """)
    )
    transform, kind = _engine.Transform, _engine.AtomKind
    assert found == LoweredTemplates(
        columns=[
            Column(0, transform.WHOLE),
            Column(0, transform.LOWER),
            Column(4, transform.KEY, key="Case"),
            Column(0, transform.SUFFIX, 3),
            Column(0, transform.PREFIX, 3),
            Column(7, transform.WHOLE),
            Column(2, transform.WHOLE),
        ],
        counters=[(2, "Acc"), (6, "VERB")],
        atoms=[
            *((kind.ATTRIBUTE, 0, 0, 0), (kind.ATTRIBUTE, 34, 0, 1)),
            *((kind.ATTRIBUTE, 8, 0, 2), (kind.ATTRIBUTE, 0, 0, 3), (kind.ATTRIBUTE, 0, 0, 4)),
            *((kind.ATTRIBUTE, 56, 0, 5), (kind.LABEL, 6, 0, 0)),
            *((kind.DISTANCE, 0, 40, 0), (kind.LEFT_VALENCY, 0, 0, 0), (kind.RIGHT_VALENCY, 0, 0, 0)),
            *((kind.LEFT_LABELS, 0, 0, 0), (kind.RIGHT_LABELS, 32, 0, 0)),
            *((kind.BETWEEN, 0, 32, 0), (kind.BETWEEN, 0, 32, 1), (kind.BETWEEN, 8, 32, 1), (kind.HISTORY, 0, 0, 2)),
        ],
        templates=[[0, 1], [2, 3, 4], [5, 0, 6], [7, 8, 9, 10, 11], [12, 13, 14, 15]],
        vectors=[0, 36],
        actions_only=[1],
    )


@pytest.mark.parametrize("name", sorted(set(COLUMN_ATTRIBUTES) & set(COLUMNS)))
def test_attributes_lower_to_the_column_of_their_name(name):
    assert lower(Templates.parse(f"S0.{name}")).columns == [Column(COLUMNS.index(name), _engine.Transform.WHOLE)]


def test_every_word_is_documented_in_the_guide():
    guide = (ROOT / "docs" / "reference" / "template-language.md").read_text(encoding="utf-8")
    for word in (*BASES, *PATHS, *ATTRIBUTES, *FUNCTIONS):
        assert f"`{word}" in guide or f".{word}" in guide, word
