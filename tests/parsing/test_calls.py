"""Templates that call functions of the state, in Python."""

from __future__ import annotations

import pytest

import panparser as pp
from covington import Covington
from learners import short_sentences

TRAIN = short_sentences(20, 9)
SEEN = []


def gap(state, sentence):
    """Words between the two that a transition would join."""
    SEEN.append((type(state).__name__, len(sentence)))
    return state.buffer[0] - state.stack[-1] if state.stack and state.buffer else None


def front(state, sentence):
    word = state.buffer[0] if state.buffer else 0
    return sentence.values("form")[word - 1] if word else "root"


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", [pp.system("arc-hybrid"), Covington()], ids=["table", "Python"])
@pytest.mark.parametrize("beam", [1, 2])
def test_functions_are_features(system, beam, tmp_path):
    SEEN.clear()
    templates = pp.Templates.parse("S0.upos B0.upos call[gap]\nS0.form B0.form\ncall[front]\nS0.upos")
    spec = pp.ParserSpec(system=system, templates=templates, beam=beam, functions={"gap": gap, "front": front})
    parser = pp.train(spec, TRAIN, epochs=4)
    assert {kind for kind, _ in SEEN} == {"MutableState" if isinstance(system, Covington) else "State"}
    parsed = parser.parse(TRAIN)
    assert pp.evaluate(TRAIN, parsed, bootstrap_samples=0).uas > 70
    parser.save(tmp_path / "model")
    code = {"functions": spec.functions} | ({"system": system} if isinstance(system, Covington) else {})
    assert pp.load(tmp_path / "model", **code).parse(TRAIN).to_bytes() == parsed.to_bytes()
    with pytest.raises(pp.ModelError, match="ParserSpec: functions must have gap"):
        pp.load(tmp_path / "model", **({"system": system} if isinstance(system, Covington) else {}))


def test_a_function_that_reads_a_form_is_as_good_as_the_atom():
    """The same features under other keys: the same updates, so the same trees."""
    system = pp.system("arc-eager")
    named = pp.ParserSpec(system=system, templates=pp.Templates.parse("B0.form S0.upos\nS0.upos B0.upos"), beam=1)
    called = pp.ParserSpec(
        system=system,
        templates=pp.Templates.parse("call[front] S0.upos\nS0.upos B0.upos"),
        beam=1,
        functions={"front": front},
    )
    trees = [
        pp.train(spec, TRAIN, classifier=pp.Perceptron(), epochs=3, strategy=pp.STRATEGIES["dynamic"]).parse(TRAIN)
        for spec in (named, called)
    ]
    assert trees[0].heads.tolist() == trees[1].heads.tolist()


@pytest.mark.parametrize("system", [pp.system("arc-eager"), Covington()], ids=["table", "Python"])
def test_labels_use_no_template_for_actions_alone(system):
    """Labels that see nothing are all the same."""
    lines = ("S0.upos B0.upos call[front]", "S0.upos B0.upos", "call[front]", "B0.form")
    called = pp.Templates.parse("\n".join(f"actions: {line}" for line in lines))
    plain = pp.Templates.parse("\n".join(f"actions: {line}" for line in lines if "call" not in line))
    for templates, functions in ((called, {"front": front}), (plain, {})):
        spec = pp.ParserSpec(system=system, templates=templates, beam=1, functions=functions)
        parsed = pp.train(spec, TRAIN, classifier=pp.Perceptron(), epochs=2).parse(TRAIN)
        arcs = [arc for each in parsed for arc in zip(each.labels, each.heads.tolist(), strict=True)]
        assert len({label for label, head in arcs if head > 0}) == 1


def test_what_is_refused():
    for text, message in (
        ("call", "call needs the name of a function in brackets"),
        ("call[3]", "call needs the name of a function"),
    ):
        with pytest.raises(pp.errors.TemplateError, match=message):
            pp.Templates.parse(text)
    with pytest.raises(pp.SpecError, match="ParserSpec: functions must have gap, which templates call"):
        pp.ParserSpec(templates=pp.Templates.parse("call[gap] S0.form"))
    assert str(pp.Templates.parse("call[gap] S0.form")[0]) == "call[gap] S0.form"
