"""Tables of results: figures that were computed by hand, tests beside references."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from grids import made_outcome, made_results
from panparser.evaluation.significance import holm, mean_difference, sign_test
from panparser.lab.result_groups import PublishedResults, TreebankGroups
from panparser.lab.results import GridResult

SEEDS = [  # two treebanks of three sentences of ten words
    ({"treebank": "a", "setting": "x", "seed": "1"}, [10, 5, 0]),  # 50.00
    ({"treebank": "a", "setting": "x", "seed": "2"}, [10, 8, 3]),  # 70.00
    ({"treebank": "a", "setting": "y", "seed": "1"}, [10, 10, 10]),  # 100.00
    ({"treebank": "a", "setting": "y", "seed": "2"}, [9, 9, 9]),  # 90.00
    ({"treebank": "b", "setting": "x", "seed": "1"}, [3, 3, 3]),  # 30.00
    ({"treebank": "b", "setting": "x", "seed": "2"}, [3, 3, 3]),  # 30.00
    ({"treebank": "b", "setting": "y", "seed": "1"}, [0, 3, 3]),  # 20.00
    ({"treebank": "b", "setting": "y", "seed": "2"}, [3, 3, 0]),  # 20.00
]


def texts(table):
    return [list(table.head), *table.texts()]


def test_means_and_deviations():
    table = pp.lab.ResultTableLayout().table(made_results(SEEDS))
    assert table.title == "test LAS, mean of 2 seeds"
    assert texts(table) == [
        ["setting", "a", "b", "average"],
        ["x", "60.00 ± 14.14", "30.00 ± 0.00", "45.00 ± 7.07"],
        ["y", "95.00 ± 7.07", "20.00 ± 0.00", "57.50 ± 3.54"],
    ]
    assert table.rows[0][1].deviation == pytest.approx(math.sqrt(200))
    assert len(table.rows[0][1].keys) == 2
    assert len(table.rows[0][3].keys) == 4


def test_other_layouts():
    results = made_results(SEEDS)
    table = pp.lab.ResultTableLayout(rows=("treebank", "seed"), columns="setting", digits=1).table(results)
    assert texts(table)[:3] == [["treebank", "seed", "x", "y"], ["a", "1", "50.0", "100.0"], ["a", "2", "70.0", "90.0"]]
    table = pp.lab.ResultTableLayout(labels={"treebank": ["a"]}, std=False).table(results)
    assert texts(table) == [["setting", "a"], ["x", "60.00"], ["y", "95.00"]]
    table = pp.lab.ResultTableLayout(rows=(), columns="setting", metric="words").table(results)
    assert texts(table) == [["x", "y"], ["7.00 ± 0.00", "7.00 ± 0.00"]]
    assert table.title == "words, mean of 2 seeds and over treebank"


def test_what_is_missing_is_told_and_not_averaged():
    results = made_results(
        [(labels, None if number in (1, 6, 7) else correct) for number, (labels, correct) in enumerate(SEEDS)]
    )
    assert texts(pp.lab.ResultTableLayout().table(results))[1:] == [
        ["x", "50.00 [1 of 2]", "30.00 ± 0.00", "-"],
        ["y", "95.00 ± 7.07", "-", "-"],
    ]


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({"rows": ("beam",)}, "has no axis beam; there are treebank, setting, seed"),
        ({"rows": ("setting",), "columns": "setting"}, "expected it as rows or as columns, found it as both"),
        ({"metric": "NOPE"}, "no run has NOPE; there are "),
        ({"split": "train"}, "no run has scores of train; there are test"),
        ({"baseline": "z"}, "expected one of x; y to compare with, found 'z'"),
        ({"labels": {"seed": ["9"]}}, "seed: expected one of 1, 2, found 9"),
        ({"baseline": "x", "metric": "words"}, "expected a metric that is counted by sentence"),
    ],
)
def test_errors(layout, message):
    with pytest.raises(pp.errors.SpecError, match=message):
        pp.lab.ResultTableLayout(**layout).table(made_results(SEEDS))


def by_all_swaps(first, second):
    """The exact p of swapping sentences, in all ways."""
    gains = np.subtract(second, first)
    found = [abs(np.dot(signs, gains)) for signs in product((1, -1), repeat=len(gains))]
    return np.mean([each >= abs(gains.sum()) - 1e-9 for each in found])


def test_differences_are_paired_by_sentence_with_all_its_seeds():
    table = pp.lab.ResultTableLayout(baseline="x").table(made_results(SEEDS), permutations=20_000)
    assert table.head == ("setting", "treebank", "its own", "difference", "95 %", "p", "Holm", "p, seeds")
    a, b = table.rows
    assert [cell.text for cell in a[:4]] == ["y", "a", "95.00", "+35.00"]
    assert [cell.text for cell in b[:4]] == ["y", "b", "20.00", "-10.00"]
    chances = [by_all_swaps([20, 13, 3], [19, 19, 19]), by_all_swaps([6, 6, 6], [3, 6, 3])]
    assert [row[5].value for row in (a, b)] == pytest.approx(chances, abs=0.02)
    assert [row[6].value for row in (a, b)] == pytest.approx([min(1, 2 * min(chances)), 1], abs=0.04)
    assert [row[7].text for row in (a, b)] == ["0.5000", "0.5000"]
    assert table.notes[1] == (
        "y: +12.50 on average of 2 treebanks (p 1.0000 over them); better on 1, worse on 1; "
        "significantly, after Holm's correction, on 0 and 0"
    )


def test_effects_that_hold_are_counted():
    runs = []
    for number, treebank in enumerate("abc"):
        better = [10] * 60 if number < 2 else [0] * 60
        runs += [({"treebank": treebank, "setting": "x"}, [5] * 60), ({"treebank": treebank, "setting": "y"}, better)]
    note = pp.lab.ResultTableLayout(baseline="x").table(made_results(runs), permutations=2000).notes[1]
    assert note.startswith("y: +16.67 on average of 3 treebanks")
    assert note.endswith("better on 2, worse on 1; significantly, after Holm's correction, on 2 and 1")


def test_only_runs_that_both_have_are_compared():
    results = made_results(
        [(labels, None if number == 1 else correct) for number, (labels, correct) in enumerate(SEEDS)]
    )
    table = pp.lab.ResultTableLayout(baseline="x").table(results, permutations=100)
    assert [cell.text for cell in table.rows[0][2:4]] == ["100.00", "+50.00 [1 of 2]"]
    assert [cell.text for cell in table.rows[1][2:4]] == ["20.00", "-10.00"]
    assert table.notes[1].endswith("on 0 and 0; left out, for want of a partner: 1 run")


def test_treebanks_without_a_partner_are_told():
    results = made_results(
        [(labels, None if number in (3, 4, 5) else correct) for number, (labels, correct) in enumerate(SEEDS)]
    )
    table = pp.lab.ResultTableLayout(baseline="x").table(results, permutations=100)
    assert [cell.text for cell in table.rows[0][:4]] == ["y", "a", "100.00", "+50.00 [1 of 2]"]
    assert [cell.text for cell in table.rows[1]] == ["y", "b", *"-----", ""]
    assert table.notes[1].startswith("y: +50.00 on average of 1 treebank; ")
    assert table.notes[1].endswith("left out, for want of a partner: 3 runs, all those of 1 treebank among them")
    nothing = made_results([(labels, correct if labels["setting"] == "x" else None) for labels, correct in SEEDS])
    table = pp.lab.ResultTableLayout(baseline="x").table(nothing, permutations=100)
    assert table.notes[1].startswith("y: no runs to compare; left out, for want of a partner: 4 runs")
    assert len(table.rows) == 2


def test_sentences_of_treebanks_of_equal_length_are_not_added():
    """Two treebanks of two sentences are four that can be swapped."""

    def row(lengths):
        runs = [
            ({"treebank": name, "setting": setting, "seed": "1"}, [correct] * lengths[name])
            for name in lengths
            for setting, correct in (("x", 1), ("y", 6))
        ]
        layout = pp.lab.ResultTableLayout(baseline="x", rows=("setting",), columns="seed")
        (found,) = layout.table(made_results(runs), permutations=20_000).rows
        return found

    assert row({"a": 2, "b": 2})[5].value == pytest.approx(by_all_swaps([1] * 4, [6] * 4), abs=0.02)  # 0.125, not 0.5
    assert row({"a": 1, "b": 2})[5].value == pytest.approx(by_all_swaps([1] * 3, [6] * 3), abs=0.02)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_beside_its_definition(p):
    """Hypotheses are rejected one after the other, the smallest p first, until one is not."""
    corrected = holm(np.array(p))
    for level in (0.01, 0.05, 0.3):
        rejected = set()
        for step, place in enumerate(sorted(range(len(p)), key=lambda each: p[each])):
            if p[place] > level / (len(p) - step):
                break
            rejected.add(place)
        near = {place for place in range(len(p)) if abs(corrected[place] - level) < 1e-9}
        assert {place for place in range(len(p)) if corrected[place] <= level} - near == rejected - near


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=8))
def test_signs_beside_all_of_them(gains):
    found = [
        abs(sum(sign * gain for sign, gain in zip(signs, gains, strict=True)))
        for signs in product((1, -1), repeat=len(gains))
    ]
    expected = np.mean([each >= abs(sum(gains)) for each in found])
    assert sign_test(np.array(gains, dtype=float)) == pytest.approx(expected)


def test_signs_of_many_pairs():
    assert math.isnan(sign_test(np.array([])))
    assert sign_test(np.ones(30)) < 0.001
    assert sign_test(np.array([1.0, -1.0] * 15)) == 1.0


# --- Forms ---


def test_markdown_latex_csv_and_json():
    results = made_results([({"setting": "a_b|c", "seed": str(seed)}, [10, seed]) for seed in (1, 2)])
    table = pp.lab.ResultTableLayout(rows=("setting",)).table(results)
    assert table.to_markdown() == "| setting | LAS |\n| --- | ---: |\n| a_b\\|c | 57.50 ± 3.54 |\n"
    latex = table.to_latex().splitlines()
    assert latex[0].startswith("% made: 2 of 2 runs; panparser 0, build b; ")
    assert latex[1:] == [
        r"\begin{tabular}{lr}", r"\toprule", r"setting & LAS \\", r"\midrule", r"a\_b|c & 57.50 $\pm$ 3.54 \\",
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    assert table.to_csv() == "setting,LAS,LAS deviation\na_b|c,57.5,3.53553\n"
    values = table.to_values()
    assert values["rows"] == [["a_b|c", 57.5]]
    assert values["keys"] == [[[], [row.key for row in results.rows]]]


# --- Groups, summaries, published figures ---


def of_facts(runs, facts):
    """Results of runs with the number of sentences that their treebanks have to learn from."""
    found = []
    for labels, correct in runs:
        known = {"words": 7, **({"sentences": facts[labels["treebank"]]} if labels["treebank"] in facts else {})}
        found.append((labels, made_outcome(str(labels), correct=correct, facts=known)))
    return pp.lab.GridResults.from_outcomes("made", found)


def test_groups_of_treebanks():
    results = of_facts(SEEDS, {"a": 499, "b": 500})
    layout = pp.lab.ResultTableLayout(groups=TreebankGroups.parse("sentences:500"), std=False)
    assert texts(layout.table(results)) == [
        ["setting", "all (2)", "under 500 (1)", "500 or more (1)"],
        ["x", "45.00", "60.00", "30.00"],
        ["y", "57.50", "95.00", "20.00"],
    ]
    assert len(layout.table(results).rows[0][2].keys) == 2
    many = TreebankGroups.parse("sentences:10, 499.5,1000")
    assert many.names == ("under 10", "10 to 499.5", "499.5 to 1000", "1000 or more")
    assert many.group_treebanks(results, ("a", "b")) == {
        "all (2)": ("a", "b"),
        "10 to 499.5 (1)": ("a",),
        "499.5 to 1000 (1)": ("b",),
    }


def test_runs_that_are_not_shown_tell_of_treebanks():
    """Of treebank b, one setting has not been run; c has not at all."""
    runs = [(labels, c) for labels, c in SEEDS if (labels["treebank"], labels["setting"]) != ("b", "y")]
    results = of_facts(runs, {"a": 499, "b": 500})
    late = [GridResult({"treebank": t, "setting": s, "seed": "1"}, "0", None) for t, s in (("b", "y"), ("c", "y"))]
    axes = {**results.axes, "treebank": ("a", "b", "c")}
    results = pp.lab.GridResults("made", axes, (*results.rows, *late))
    layout = pp.lab.ResultTableLayout(
        groups=TreebankGroups.parse("sentences:500"), labels={"setting": ["y"]}, std=False
    )
    assert texts(layout.table(results)) == [["all (3)", "under 500 (1)", "500 or more (1)"], ["-", "95.00", "-"]]


def test_a_group_with_a_gap_has_no_mean():
    runs = [(labels, None if labels["treebank"] == "b" and labels["setting"] == "y" else c) for labels, c in SEEDS]
    results = made_results(runs)
    layout = pp.lab.ResultTableLayout(groups=TreebankGroups.parse("words:5"), std=False)
    assert layout.table(results).texts() == [["x", "45.00", "45.00"], ["y", "-", "-"]]


@pytest.mark.parametrize(
    "text", ["", "sentences", "sentences:", ":5", "sentences:a", "s:5,5", "s:6,5", "s:nan", "s:inf"]
)
def test_groups_that_are_none(text):
    with pytest.raises(pp.errors.SpecError, match="expected a fact and rising borders"):
        TreebankGroups.parse(text)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({"groups": TreebankGroups("nothing", (5,))}, "groups: no run has nothing"),
        ({"groups": TreebankGroups("words", (5,)), "columns": "setting"}, "expected them as columns, found setting"),
        ({"groups": TreebankGroups("words", (5,)), "baseline": "x"}, "expected a summary"),
        ({"summary": True}, "expected a row to compare with"),
    ],
)
def test_errors_of_groups_and_summaries(layout, message):
    with pytest.raises(pp.errors.SpecError, match=message):
        pp.lab.ResultTableLayout(**layout).table(of_facts(SEEDS, {"a": 1}))


def test_a_summary_has_a_line_for_each_row():
    results = of_facts(SEEDS, {"a": 1, "b": 9})
    layout = pp.lab.ResultTableLayout(baseline="x", summary=True)
    table = layout.table(results, permutations=100)
    assert texts(table) == [
        ["setting", "mean difference", "better (significantly)", "worse (significantly)", "p"],
        ["y", "+12.50", "1 (0)", "1 (0)", "1.0000"],
    ]
    assert len(table.rows[0][1].keys) == 8
    grouped = pp.lab.ResultTableLayout(baseline="x", summary=True, groups=TreebankGroups.parse("sentences:5"))
    assert texts(grouped.table(results, permutations=100))[0][1:4] == ["all (2)", "under 5 (1)", "5 or more (1)"]
    assert texts(grouped.table(results, permutations=100))[1][1:4] == ["+12.50", "+35.00", "-10.00"]


def test_a_summary_says_how_many_runs_it_stands_for():
    runs = [(labels, None if number == 7 else c) for number, (labels, c) in enumerate(SEEDS)]
    table = pp.lab.ResultTableLayout(baseline="x", summary=True).table(made_results(runs), permutations=100)
    assert table.rows[0][1].text == "+12.50 [3 of 4]"


def test_published_figures_stand_beside_ours(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("setting,metric,a,theirs\ny,LAS,1.5,+2\nz,LAS,2.5,\ny,UAS,9,9\n")
    table = pp.lab.ResultTableLayout(std=False).table(made_results(SEEDS))
    found = PublishedResults.read(path).select(metric="LAS", against=None).append_to(table)
    assert texts(found) == [
        ["setting", "a", "a, published", "b", "average", "theirs"],
        ["x", "60.00", "", "30.00", "45.00", ""],
        ["y", "95.00", "1.5", "20.00", "57.50", "+2"],
        ["z", "-", "2.5", "-", "-", ""],
    ]
    assert found.rows[1][1].keys
    assert not found.rows[1][2].keys


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "expected columns setting, found no setting"),
        (b"a,b\n1,2\n", "expected columns setting, found no setting"),
        (b"setting,a\nx\n", "row 2: expected 2 columns, found 1"),
        (b'setting,a\n"x\n', "cannot be read: "),
        (b"\xff", "cannot be read: "),
        (None, "cannot be read: No such file"),
    ],
)
def test_published_figures_that_are_none(text, message, tmp_path):
    path = tmp_path / "published.csv"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(pp.errors.SpecError, match=message):
        PublishedResults.read(path).append_to(pp.lab.ResultTableLayout().table(made_results(SEEDS)))


def test_several_metrics_are_columns():
    outcomes = [
        (labels, made_outcome(str(labels), correct=c, facts={"model_bytes": 1234567.0 * number}))
        for number, (labels, c) in enumerate(SEEDS)
    ]
    results = pp.lab.GridResults.from_outcomes("made", outcomes)
    table = pp.lab.ResultTableLayout(metric="LAS, model_bytes", rows=("treebank",), std=False).table(results)
    assert texts(table) == [
        ["treebank", "LAS", "model bytes"],
        ["a", "77.50", "1,851,850"],
        ["b", "25.00", "6,790,118"],
        ["average", "51.25", "4,320,984"],
    ]
    table = pp.lab.ResultTableLayout(metric="LAS,UAS", std=False).table(results)
    assert texts(table) == [["setting", "LAS", "UAS"], ["x", "45.00", "45.00"], ["y", "57.50", "57.50"]]
    assert len(table.rows[0][2].keys) == 4
    for more in ({"baseline": "x"}, {"groups": TreebankGroups("words", (5,))}):
        with pytest.raises(pp.errors.SpecError, match="several metrics: expected no groups, and no row"):
            pp.lab.ResultTableLayout(metric="LAS,UAS", **more).table(results)


def test_several_metrics_of_each_column_with_digits_of_their_own():
    outcomes = [
        (labels, made_outcome(str(labels), correct=c, facts={"model_bytes": 1234.5 * number}))
        for number, (labels, c) in enumerate(SEEDS)
    ]
    results = pp.lab.GridResults.from_outcomes("made", outcomes)
    layout = pp.lab.ResultTableLayout(
        metric="LAS,model_bytes", rows=("setting",), columns="treebank", std=False, digits=(1, 0)
    )
    table = layout.table(results)
    assert texts(table)[0] == [
        "setting", "a LAS", "a model bytes", "b LAS", "b model bytes", "average LAS", "average model bytes",
    ]  # fmt: skip
    plain = [replace(layout, metric=name, digits=d).table(results) for name, d in (("LAS", 1), ("model_bytes", 0))]
    for at, row in enumerate(table.rows):
        assert row[1:] == tuple(
            cell for pair in zip(*(each.rows[at][1:] for each in plain), strict=True) for cell in pair
        )
    assert texts(table)[1][1:3] == ["60.0", "617"]
    assert table.to_csv(rounded=True).splitlines()[1].startswith("x,60.0,617,")
    assert table.to_values(rounded=True)["rows"][0][1:3] == [60.0, 617.0]
    assert table.to_values()["rows"][0][2] == 617.25
    with pytest.raises(pp.errors.SpecError, match="digits: expected one number, or 2, one for each metric; found 3"):
        replace(layout, digits=(1, 2, 3)).table(results)
    with pytest.raises(pp.errors.SpecError, match="digits: expected one number"):
        replace(layout, metric="LAS", digits=(1, 2)).table(results)


def test_the_test_of_a_mean_over_treebanks():
    """Two treebanks of one sentence each: of four swaps, two have a mean as far from 0."""
    words = np.array([[5.0, 10.0, 10.0]])
    pairs = [(words, np.array([[right, 10.0, 10.0]])) for right in (9.0, 6.0)]
    (low, high), p = mean_difference(pairs)
    assert (low, high) == (25.0, 25.0)
    assert p == pytest.approx(0.5, abs=0.02)
    rng = np.random.default_rng(3)
    many = [np.stack([rng.integers(0, 11, 80), *np.full((2, 80), 10)], axis=1).astype(float) for _ in range(4)]
    (low, high), p = mean_difference([(many[0], many[1]), (many[2], many[3])])
    gain = np.mean([many[1][:, 0].sum() - many[0][:, 0].sum(), many[3][:, 0].sum() - many[2][:, 0].sum()]) / 8
    assert low < gain < high
    assert (p < 0.05) == (low > 0 or high < 0)


def test_a_difference_over_treebanks_lies_in_its_interval():
    table = pp.lab.ResultTableLayout(rows=("setting",), columns="seed", baseline="x").table(
        made_results(SEEDS), permutations=200
    )
    assert [row[3].text for row in table.rows] == ["+20.00", "+5.00"]
    for row in table.rows:
        low, high = (float(part) for part in row[4].text.split(" to "))
        assert low <= row[3].value <= high
    assert "over the seeds of a row" in table.notes[0]
