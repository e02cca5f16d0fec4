"""Derivations in plain values: what a page shows is what the parser did."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from panparser.errors import SpecError
from panparser.inspection.explaining import Explanation
from panparser.inspection.stepping import DerivationView, TracedDerivation, gold_of
from panparser.systems.oracles import static_derivation
from panparser.systems.registry import BUILT_IN

CROSSING = [2, 3, 0, 3, 6, 2]


@pytest.fixture(scope="module")
def sentence(english):
    return english[1][4]


@pytest.fixture(scope="module")
def run(parser, sentence):
    return TracedDerivation.from_parser(parser, sentence, beam=4)


def test_a_run_has_the_steps_scores_and_costs_of_the_explanation(run, parser, sentence):
    table = Explanation.from_sentence(parser, sentence, beam=4).rows()
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert len(run.steps) == len(rows) + 1
    for step, row in zip(run.steps, rows, strict=False):
        chosen = step.choices[0]
        assert (chosen.name, step.label, chosen.cost) == (row["action"], row["label"], row["cost"])
        assert chosen.score == pytest.approx(row["score"])
        assert " ".join(sorted(one.name for one in step.choices if one.cost == 0)) == " ".join(
            sorted(row["correct"].split())
        )
        assert step.is_error == (row["cost"] > 0)
        if step.label:
            assert step.label_scores[0][0] == step.label


def test_progress_is_told_step_by_step(parser, sentence):
    told = []
    run = TracedDerivation.from_parser(parser, sentence, beam=1, progress=lambda *numbers: told.append(numbers))
    assert told == [(number, len(run.steps) - 1) for number in range(1, len(run.steps))]


def test_the_last_state_has_the_tree_of_the_parser(run, parser, sentence):
    parsed = parser.parse(sentence.treebank[sentence.position : sentence.position + 1], beam=4)
    assert list(run.steps[-1].heads) == parsed.heads.tolist()
    assert list(run.steps[-1].labels) == parsed[0].labels
    assert run.steps[-1].choices == ()


def test_reasons_are_differences_between_the_action_and_the_next_best(run, parser, sentence):
    why = Explanation.from_sentence(parser, sentence, beam=4).actions(3)
    rival = why.comparison_rows(why.columns[why.ranking[1]])
    found = [(one.feature, one.chosen, one.rival) for one in run.steps[2].reasons]
    assert found == [tuple(row[:3]) for row in rival.rows[: len(found)]]
    assert found


def test_the_gold_derivation_leaves_the_beam_once(parser, english):
    left = {}
    for number in range(10):
        run = TracedDerivation.from_parser(parser, english[1][number], beam=4)
        left[number] = run.gold_left
        for place, step in enumerate(run.steps[:-1]):
            has_gold = 0 in [one.loss for one in step.beam if one.is_kept]
            assert has_gold == (run.gold_left is None or place < run.gold_left)
    assert len(set(left.values())) > 1  # of some it leaves, and not always at the same step


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_an_oracle_derives_a_tree_without_a_model(name):
    run = TracedDerivation.from_oracle(name, CROSSING)
    assert [step.choices[0].name for step in run.steps[:-1]] == list(static_derivation(name, CROSSING))
    assert run.errors == []
    assert {one.score for step in run.steps for one in step.choices} == {None}
    wrong = sum(a != b for a, b in zip(run.steps[-1].heads, CROSSING, strict=True))
    assert (wrong == 0) == (name in ("attardi", "covington", "swap-standard"))  # whose arcs may cross
    json.dumps(run.to_values())


def test_a_given_mistake_is_followed_by_the_best_of_what_is_left():
    run = TracedDerivation.from_actions(
        "arc-eager", [2, 0, 2, 5, 2], ["SHIFT", "LEFT", "SHIFT", "RIGHT", "SHIFT", "LEFT", "RIGHT"]
    )
    assert run.errors == [6]
    assert run.steps[-1].heads == (2, 0, 2, 5, 3)


def test_values_give_back_the_trees(run):
    values = run.to_values()
    heads, labels = [-1] * len(run.steps[0].heads), [""] * len(run.steps[0].heads)
    for shown, step in zip(values["steps"], run.steps, strict=True):
        for word, head, label in shown.get("arcs", ()):
            heads[word - 1], labels[word - 1] = head, values["texts"][label]
        assert (tuple(heads), tuple(labels)) == (step.heads, step.labels)
        assert [values["texts"][one[0]] for one in shown.get("choices", ())] == [one.name for one in step.choices]


def test_lifted_arcs_are_put_back_in_the_end():
    lines = [f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tl{i}\t_\t_\n" for i, head in enumerate(CROSSING, start=1)]
    treebank = pp.parse_conllu(("".join(lines) + "\n") * 6)
    parser = pp.train(pp.ParserSpec(beam=1, templates=pp.templates("fast")), treebank, epochs=3, members=1)
    run = TracedDerivation.from_parser(parser, treebank[0])
    assert run.is_lifted
    assert list(run.steps[-1].heads) == parser.parse(treebank[:1]).heads.tolist() == CROSSING
    assert run.steps[-1].labels == tuple(f"l{i}" for i in range(1, 7))
    assert "lifted" in run.note


def test_a_network_is_stepped_through_as_well():
    pipeline = pp.load("en-neural")
    (treebank,) = pipeline.tokens(["They ate it."])
    pipeline.annotate_words(treebank)
    stepping = pp.inspection.step_through(pipeline.parser, treebank[0], beam=2)
    (run,) = stepping.runs
    explanation = Explanation.from_sentence(pipeline.parser, treebank[0], beam=2)
    for number, step in enumerate(run.steps[:3], start=1):
        alone = explanation.actions(number)
        assert [one.name for one in step.choices] == [alone.columns[i] for i in alone.ranking]
        assert step.choices[0].score == pytest.approx(alone.scores[alone.chosen], abs=1e-5)
        assert step.beam
        assert step.reasons or len(step.choices) == 1
    assert stepping.gold is None
    assert {one.cost for step in run.steps for one in step.choices} == {None}


def test_notebooks_get_a_frame_and_files_a_page(parser, sentence, tmp_path):
    stepping = pp.inspection.step_through(parser, sentence, beam=2)
    frame = stepping._repr_html_()
    assert frame.count("<") == 2  # the element and its end: the page in it is escaped
    assert 'sandbox="allow-scripts"' in frame
    stepping.save(tmp_path / "step.html")
    assert (tmp_path / "step.html").read_text(encoding="utf-8") == stepping.to_html()
    assert repr(stepping).startswith(f"<Stepping of {len(sentence)} words: ")
    assert stepping.to_html() == pp.inspection.step_through(parser, sentence, beam=2).to_html()


def test_pages_are_small(parser, english):
    longest = max(english[1], key=len)
    assert len(pp.inspection.step_through(parser, longest, beam=8).to_html().encode()) < 3000 * len(longest) + 60_000


def test_what_cannot_be_stepped_through_is_refused(sentence):
    with pytest.raises(SpecError, match="expected derivations to step through"):
        DerivationView.from_runs(sentence, [])
    assert gold_of(sentence) is not None


def test_runs_of_one_sentence_stand_side_by_side(parser, sentence, english):
    both = pp.inspection.step_through(parser, sentence, beam=1).side_by_side(
        pp.inspection.step_through(parser, sentence, beam=3),
        DerivationView.from_oracle(sentence, "arc-standard", pp.system("covington")),
    )
    assert [run.beam for run in both.runs] == [1, 3, 0, 0]
    assert [run["system"] for run in both.to_values()["runs"]] == [
        "arc-eager",
        "arc-eager",
        "arc-standard",
        "covington",
    ]
    with pytest.raises(SpecError, match="expected derivations of"):
        both.side_by_side(pp.inspection.step_through(parser, english[1][5]))


def test_an_oracle_needs_a_tree(sentence):
    treebank = pp.parse_conllu(sentence.treebank[:1].to_bytes().decode())
    treebank.heads[0] = -1
    with pytest.raises(SpecError, match="an oracle needs a tree to derive"):
        DerivationView.from_oracle(treebank[0], "arc-eager")
