"""The engine's features are those of the naive reader: every atom, at every address, on states that training visits."""

from __future__ import annotations

from itertools import product

import pytest

import panparser as pp
from hashing import key_of
from learners import ENGLISH, learn, reference, short_sentences, treebank_of
from panparser.features.atoms import BASES, BASES_WITH_ARCS, PATHS
from panparser.inspection.naive_features import ABSENT, ROOT, Derivation, Reader, seen_by_labels
from panparser.learning.strategies import DYNAMIC, TrainingStrategy
from panparser.systems.terms import B0, S1, arc, is_unattached, is_word, pop
from variants import identify

SYSTEMS = [
    pp.system("arc-eager", root="first"),
    pp.system("arc-eager", root="last"),
    pp.system("arc-standard", root="first"),
    pp.system("non-monotonic-arc-eager", root="last"),
    pp.system("swap-standard", root="last"),
]


def key_reader(learned):
    """From features of the reference to keys of the engine."""
    run = learned.run
    numbers = {str(t): (number, t) for number, t in enumerate(run.spec.used_templates)}
    names = (run.spec.system.names, run.labels.names)
    return lambda feature: key_of(*numbers[feature[0]], feature[1], *names)


def every_atom():
    columns = "form lower lemma upos xpos feats feats[Number] misc misc[SpaceAfter] prefix[2] suffix[3] deps".split()
    arcs = "left_valency right_valency left_labels right_labels".split()
    for base, path in product(BASES, PATHS):
        address = f"{base}.{path}" if path else base
        if path and base not in BASES_WITH_ARCS:
            continue
        yield from (f"{address}.{name}" for name in columns)
        if base in BASES_WITH_ARCS:
            yield f"{address}.label"
            if "[" not in path:
                yield from (f"{address}.{name}" for name in arcs)
    yield from (f"history[{i}]" for i in range(4))
    for first, second in (("S0", "B0"), ("S1", "S0"), ("B2", "S3"), ("B0", "B1")):
        yield f"distance({first},{second})"
        yield f"between({first},{second},upos=NOUN)"
        yield f"between({first},{second},feats[Number]=Sing)"


ATOMS = list(every_atom())


@pytest.mark.parametrize("part", range(6))
@pytest.mark.parametrize("system", SYSTEMS, ids=identify)
def test_every_atom_is_read_as_by_the_naive_reader(system, part):
    """Weights lie under the same keys: so each feature of each state on an update's path is that of the reader."""
    templates = pp.Templates.parse("\n".join([*ATOMS[part::6], "S0.upos B0.upos B1.form"]))
    spec = pp.ParserSpec(system=system, templates=templates, beam=2, labeled=True)
    learned = learn(spec, short_sentences(4, 10), strategy=pp.STRATEGIES["max-violation-restart"], epochs=2)
    expected, key = reference(learned), key_reader(learned)
    names = system.names
    assert {k: weights for k, (weights, _) in learned.actions().items()} == {
        key(feature): tuple(row.get(name, 0) for name in names) for feature, row in expected.actions.weights.items()
    }


def test_the_front_of_the_buffer_may_have_a_head():
    """In no built-in system, but in a table where B0 takes the word below the top of the stack for its head."""
    table = pp.system("arc-eager-partial").adding(
        pp.Transition("OVER", (is_word(S1), is_word(B0), is_unattached(B0)), (arc(head=S1, dependent=B0), pop)),
    )
    texts = "B0.head.form B0.head.head.form B0.label B0.head.label B0.head.right_valency S0.upos B0.upos".split()
    spec = pp.ParserSpec(system=table, templates=pp.Templates.parse("\n".join(texts)), beam=8)
    everywhere = TrainingStrategy(update_at="end", restart="sample", temperature=1000.0, search_horizon=6)
    learned = learn(spec, short_sentences(20, 10), strategy=everywhere, epochs=3)
    expected, key = reference(learned), key_reader(learned)
    assert set(learned.actions()) == {key(feature) for feature in expected.actions.weights}
    for text in texts:
        assert len({feature for feature in expected.actions.weights if feature[0] == text}) > 1, text


@pytest.mark.parametrize("templates", [pp.templates("zn11"), pp.templates("rich")], ids=["ZN11", "RICH"])
def test_built_in_sets_are_read_as_by_the_naive_reader(templates):
    spec = pp.ParserSpec(templates=templates, beam=1)
    learned = learn(spec, short_sentences(12, 14), strategy=DYNAMIC, epochs=2)
    key = key_reader(learned)
    assert set(learned.actions()) == {key(feature) for feature in reference(learned).actions.weights}


def test_the_naive_reader_reads_a_state():
    """A state of arc-eager, worked out by hand: `The old baker` are attached, `opened` waits in front."""
    system = pp.system("arc-eager", root="last")
    at = Derivation(system.initial(9))
    for action, label in (("SHIFT", None), ("SHIFT", None), ("LEFT", "amod"), ("LEFT", "det"), ("SHIFT", None)):
        at = at.follow(action, label)
    texts = """
        S0.form S0.left[0].form S0.left[1].form S0.left[0].label S0.left_valency S0.left_labels S0.right_valency B0.form
        S0.head.form S1.form B1.feats[Case] B0.feats[Case] S0.suffix[2] S0.prefix[3] S0.left[0].lower history[0]
        history[2] distance(S0,B0) between(S0,B3,upos=PRON)
    """.split()
    reader = Reader.from_sentence(pp.Templates(), ENGLISH[1])
    read = {text: reader.value(at, pp.Template.parse(text).atoms[0]) for text in texts}
    assert read == {
        **{"S0.form": "baker", "S0.left[0].form": "The", "S0.left[1].form": "old", "S0.left[0].label": "det"},
        **{"S0.left_valency": 2, "S0.left_labels": {"det", "amod"}, "S0.right_valency": 0, "B0.form": "opened"},
        **{"S0.head.form": ABSENT, "S1.form": ABSENT, "B1.feats[Case]": "Gen", "B0.feats[Case]": ""},
        **{"S0.suffix[2]": "er", "S0.prefix[3]": "bak", "S0.left[0].lower": "the", "history[0]": "SHIFT"},
        **{"history[2]": "LEFT", "distance(S0,B0)": 1, "between(S0,B3,upos=PRON)": 1},
    }


def test_heads_on_the_stack_are_seen_with_their_labels():
    system = pp.system("arc-eager", root="first")
    at = Derivation(system.initial(4))
    for action, label in (("RIGHT", "root"), ("RIGHT", "obj"), ("RIGHT", "nmod")):
        at = at.follow(action, label)
    reader = Reader.from_sentence(pp.Templates(), treebank_of("a/A/0/root b/B/1/obj c/C/2/nmod d/D/3/x")[0])
    values = [
        reader.value(at, pp.Template.parse(text).atoms[0])
        for text in ("S0.head.form", "S0.label", "S0.head.label", "S0.head.head.upos", "S2.head.form", "B0.form")
    ]
    assert values == ["b", "nmod", "obj", "A", ROOT, "d"]


def test_text_is_cut_and_lowered_by_characters_as_python_does():
    words = "Äther ΑΒΓ Жук ŁÓDŹ Ὀδυσσεύς 𝒳yz ǅ é Ḃee ﬀ 漢字かな İzmir ẞ".split()
    words = [word for word in words if word.lower() == "".join(letter.lower() for letter in word)]
    plain = [word for word in words if word not in ("Ὀδυσσεύς", "ǅ", "İzmir", "ẞ")]  # letters that are left as they are
    sentence = " ".join(f"{word}/X/{0 if number == 1 else 1}/x" for number, word in enumerate(plain, start=1))
    text = "\n".join(f"{base}.{name}" for base in ("S0", "B0") for name in ("lower", "prefix[1]", "suffix[2]"))
    spec = pp.ParserSpec(templates=pp.Templates.parse(text), beam=1, labeled=False)
    learned = learn(spec, treebank_of(sentence), strategy=DYNAMIC, epochs=3)
    key = key_reader(learned)
    assert set(learned.actions()) == {key(feature) for feature in reference(learned).actions.weights}


@pytest.mark.parametrize(
    ("template", "seen", "seen_deeper"),
    [
        ("S0.form B0.upos", True, True),
        ("S0.form B0.upos B1.upos", False, False),
        ("B0.form distance(S0,B3)", False, False),
        ("S0.left[0].label S0.head.form S0.label B0.form", True, True),
        ("B0.left_labels S0.form", True, True),
        ("B0.left[0].form S0.left[0].form", False, False),
        ("S1.form S0.form", False, True),
        ("S1.form S0.left_valency", False, False),
        ("S2.form", False, False),
        ("S0.head.head.form", False, False),
        ("S0.head.label", False, False),
        ("history[0] S0.form", False, False),
        ("distance(S0,B0) between(S0,B0,upos=VERB)", True, True),
        ("actions: S0.form B0.upos", False, False),
    ],
)
def test_labels_see_the_two_words_and_what_is_around_them(template, seen, seen_deeper):
    value = pp.Template.parse(template)
    assert (seen_by_labels(value, False), seen_by_labels(value, True)) == (seen, seen_deeper)
