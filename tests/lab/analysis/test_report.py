"""The report: complete in itself, safe whatever the files hold, and alive in a real browser."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest

import panparser as pp
from browser import attribute
from panparser.lab import analysis
from panparser.lab.analysis.charts import Series, bar_chart, heat_map, line_chart

HOSTILE = [
    "</script><script>document.title='hacked'</script>",
    "<img/src=x/onerror=document.title='hacked'>",
    "\"'`&amp;${1}\\",
    "שלום",
    "العربية",
    "👩‍👩‍👧",
    "\u2028",
    "<!--",
    "]]>",
]


def conllu(sentences):
    """Sentences of (form, tag, head, label)."""
    blocks = []
    for number, words in enumerate(sentences, start=1):
        lines = [f"# sent_id = <b>{number}</b>"]
        for place, (form, tag, head, label) in enumerate(words, start=1):
            lines.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
        blocks.append("\n".join(lines) + "\n\n")
    return pp.parse_conllu("".join(blocks))


@pytest.fixture(scope="module")
def hostile():
    """Words that would be markup, and a sentence of 300 words; in the prediction every tenth head is wrong."""
    words = [(form, "X", 1 if place else 0, "dep" if place else "root") for place, form in enumerate(HOSTILE)]
    long = [(f"w{i}", "NOUN", 0 if i == 0 else i, "root" if i == 0 else "a<b>") for i in range(300)]
    gold = conllu([words, long])
    predicted = conllu([words, long])
    predicted.heads[len(words) + 10 :: 10] = 1
    predicted.heads[2] = 2
    return gold, predicted


def embedded(page):
    """The data for the page's script."""
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


# --- The page as text ---


def test_a_page_needs_nothing_from_elsewhere(two):
    gold, first, second = two
    page = analysis.report(analysis.make_frame(gold, first, second, names=["beam", "greedy"]))
    assert re.findall(r'(?:src|href|action)="(?!#)[^"]*"|@import|url\(|<link|<iframe', page) == []
    assert set(re.findall(r"https?://[^\"' ]*", page)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


def test_the_summary_has_the_scores_of_the_tables(two):
    gold, first, _ = two
    frame = analysis.make_frame(gold, first)
    row = analysis.scores(frame).iloc[0]
    page = analysis.report(frame)
    for measure in ("uas", "las", "label"):
        low, high = re.findall(rf"<td>{row[measure]:.2f} \(([\d.]+)–([\d.]+)\)</td>", page)[0]
        assert float(low) <= row[measure] <= float(high)
    assert "(" not in analysis.report(frame, bootstrap_samples=0).partition("<tbody>")[2].partition("</tbody>")[0]


def test_the_comparison_has_the_numbers_of_the_tables(two):
    gold, first, second = two
    frame = analysis.make_frame(gold, first, second, names=["one", "two"])
    row = analysis.compare(frame, None, "las").iloc[0]
    page = analysis.report(frame)
    assert f"<td>{row['difference']:+.2f}</td><td>{row['ci_low']:+.2f} to {row['ci_high']:+.2f}</td>" in page
    assert "Comparison" not in analysis.report(analysis.make_frame(gold, first))


def test_plots_by_frequency_need_a_training_file(two, english):
    gold, first, _ = two
    assert "By frequency" not in analysis.report(analysis.make_frame(gold, first))
    assert "By frequency" in analysis.report(analysis.make_frame(gold, first, train=english[0]))


def test_confidence_is_drawn_where_predictions_have_it(two):
    gold, first, second = two
    assert "Confidence" not in analysis.report(analysis.make_frame(gold, first))
    lines = second.to_bytes().decode().splitlines()
    for place, line in enumerate(lines):
        if "\t" in line:
            lines[place] = "\t".join([*line.split("\t")[:-1], f"Confidence=0.{place % 10}5"])
    sure = pp.parse_conllu("\n".join(lines) + "\n\n")
    page = analysis.report(analysis.make_frame(gold, first, sure, names=["one", "two"]))
    assert page.count("calibration error") == 2  # in the title and for who cannot see the chart
    assert "Confidence in heads: two" in page
    assert "Confidence in heads: one" not in page


def test_what_files_hold_is_never_markup(hostile):
    gold, predicted = hostile
    page = analysis.report(analysis.make_frame(gold, predicted, names=["<i>p</i>"]), title="<b>title</b>")
    assert page.count("<script") == page.count("</script>") == 2
    for text in ("<img", "<b>", "<i>p", "a<b>", "<!--"):
        assert text not in page, text
    data = embedded(page)
    assert data["sentences"][0][2] == HOSTILE
    assert data["sentences"][0][1] == "<b>1</b>"
    assert data["names"] == ["<i>p</i>"]


def test_data_of_the_page_is_that_of_the_files(two):
    gold, first, second = two
    data = embedded(analysis.report(analysis.make_frame(gold, first, second)))
    assert len(data["sentences"]) == len(gold)
    for number, (sentence, *trees) in enumerate(zip(gold, first, second, strict=True)):
        place, _, forms, tags, heads, labels, left, predictions = data["sentences"][number]
        assert (place, forms, heads) == (number + 1, sentence.forms, sentence.heads.tolist())
        assert [data["tags"][tag] for tag in tags] == sentence.values("upos")
        assert [data["labels"][label] for label in labels] == sentence.labels
        assert left == [i for i, tag in enumerate(sentence.values("upos")) if tag == "PUNCT"]
        for tree, (found, named) in zip(trees, predictions, strict=True):
            assert found == tree.heads.tolist()
            assert [data["labels"][label] for label in named] == tree.labels


def test_a_page_of_few_sentences_has_those_with_most_errors(two):
    gold, first, _ = two
    frame = analysis.make_frame(gold, first)
    wrong = ~frame.is_correct("las")
    errors = np.bincount(frame.gold.sentence[frame.rows][wrong], minlength=len(gold))
    page = analysis.report(frame, sentences=5)
    kept = [sentence[0] - 1 for sentence in embedded(page)["sentences"]]
    assert kept == sorted(kept)
    assert len(kept) == 5
    assert errors[kept].min() >= np.sort(errors)[-5]
    assert "The page has the 5 with most errors, of 30." in page


def test_a_perfect_prediction_and_a_single_word(english):
    gold = english[1][:3]
    assert ">100.00 (100.00–100.00)<" in analysis.report(analysis.make_frame(gold, gold))
    one = conllu([[("yes", "INTJ", 0, "root")]])
    assert "Summary" in analysis.report(analysis.make_frame(one, one))


def test_charts_with_gaps_and_without_classes():
    nan = np.array([80.0, np.nan, 20.0])
    one = Series("LAS", nan, nan - 5, nan + 5)
    drawn = line_chart("a", ["x", "<y>", "z"], [5, 0, 7], [one])
    assert drawn.count("<circle") == 2
    assert "<y>" not in drawn
    assert drawn.count("M") >= 3
    assert bar_chart("a", ["x", "y", "z"], [5, 0, 7], [one]).count('class="bar"') == 2
    assert line_chart("a", [], [], [Series("LAS", *([np.zeros(0)] * 3))]).startswith("<svg")
    assert heat_map("a", ["x", "y"], np.array([[3, 1], [0, 0]])).count('class="cell') == 2


def test_plots_are_files(two, tmp_path):
    gold, first, _ = two
    written = analysis.write_plots(analysis.make_frame(gold, first), tmp_path / "new" / "plots")
    names = {path.name for path in written}
    assert {"length.png", "length.svg", "confusion-base-label.png", "depth.svg"} <= names
    assert all(path.stat().st_size > 1000 for path in written)
    (tmp_path / "file").write_text("")
    with pytest.raises(pp.errors.AnalysisError, match="expected a folder for plots"):
        analysis.write_plots(analysis.make_frame(gold, first), tmp_path / "file")


def test_the_command(run, two, tmp_path):
    names = ["gold", "one", "two"]
    for name, treebank in zip(names, two, strict=True):
        pp.write_conllu(tmp_path / f"{name}.conllu", treebank)
    files = [tmp_path / f"{name}.conllu" for name in names]
    page = tmp_path / "out.html"
    code, out, _ = run("analyze", *files, "--by", "upos", "--report", page)
    assert code == 0
    assert "NOUN" in out
    assert "<title>one and two on gold.conllu</title>" in page.read_text(encoding="utf-8")
    code, _, err = run("analyze", files[0], "--report", page)
    assert (code, err) == (2, "panparser: expected a prediction to score, found the gold alone\n")
    code, _, err = run("analyze", *files[:2], "--report", tmp_path / "no" / "out.html")
    assert code == 2
    assert "cannot be written" in err


# --- The page in a browser ---


def test_the_script_filters_as_python_would(two, browse):
    gold, first, second = two
    frame = analysis.make_frame(gold, first, second, names=["beam", "greedy"])
    page = analysis.report(frame)
    dom = browse(page, "#label=nsubj&of=1&sort=position")
    wrong = ~frame.is_correct("las", "greedy")
    has = frame.by_class("base-label", "nsubj".__eq__)
    expected = np.unique(frame.gold.sentence[frame.rows][wrong & has]) + 1
    assert len(expected) > 1
    assert attribute(dom, "data-ready") == "yes"
    assert int(attribute(dom, "data-shown")) == len(expected)
    assert [int(n) for n in re.findall(r'<li role="option" id="s(\d+)"', dom)] == expected.tolist()
    assert f"{len(expected)} of 30 sentences" in dom
    assert attribute(dom, "data-sentence") == str(expected[0])


def test_links_lead_to_the_sentences_of_a_confusion(two, browse):
    gold, first, second = two
    frame = analysis.make_frame(gold, first, second)
    (one, other), row = next(analysis.confusions(frame, prediction="predicted2").iterrows())
    page = analysis.report(frame)
    address = f"#label={one}&found={other}&kind=all&of=1"
    assert page.count(f'<a href="{html.escape(address)}">') == 2  # in the map and in the list
    has = frame.by_class("base-label", one.__eq__) & frame.by_class("predicted2.base-label", other.__eq__)
    assert has.sum() == row["words"]
    dom = browse(page, "", f"location.hash = {address!r}")
    assert int(attribute(dom, "data-shown")) == len(np.unique(frame.gold.sentence[frame.rows][has]))


def test_views_of_two_predictions(two, browse):
    gold, first, second = two
    frame = analysis.make_frame(gold, first, second)
    differs = (first.heads != second.heads) | [
        a.partition(":")[0] != b.partition(":")[0]
        for x, y in zip(first, second, strict=True)
        for a, b in zip(x.labels, y.labels, strict=True)
    ]
    expected = np.unique(frame.gold.sentence[frame.rows][differs[frame.rows]])
    dom = browse(analysis.report(frame), "#kind=differ")
    assert int(attribute(dom, "data-shown")) == len(expected)
    assert dom.count('class="form"') == len(gold[int(attribute(dom, "data-sentence")) - 1])


def test_errors_are_drawn_by_more_than_colour(two, browse):
    gold, first, _ = two
    frame = analysis.make_frame(gold, first)
    wrong = ~frame.is_correct("uas")
    sentence = int(np.bincount(frame.gold.sentence[frame.rows][wrong]).argmax())
    dom = browse(analysis.report(frame), f"#sentence={sentence + 1}")
    words = frame.rows[frame.gold.sentence[frame.rows] == sentence]
    heads = int((first.heads[words] != gold.heads[words]).sum())
    assert heads > 0
    assert dom.count(">✗ ") - 1 == 2 * heads  # in the tree and in the table; the legend has one
    assert {dom.count(f' class="{kind}"') for kind in ("head", "lost", "bad")} == {heads}


def test_hostile_texts_stay_texts(hostile, browse):
    gold, predicted = hostile
    dom = browse(analysis.report(analysis.make_frame(gold, predicted), title="fine"), "#kind=all&sentence=1")
    assert "<title>fine</title>" in dom
    assert int(attribute(dom, "data-shown")) == 2
    for form in HOSTILE[:2]:
        assert f">{html.escape(form, quote=False)}</text>" in dom
    assert "<img" not in dom
    assert "שלום</text>" in dom


def test_a_sentence_of_300_words(hostile, browse):
    gold, predicted = hostile
    dom = browse(analysis.report(analysis.make_frame(gold, predicted)), "#sentence=2")
    assert dom.count('class="form"') == 300
    assert dom.count(' class="head"') == int((gold.heads[9:] != predicted.heads[9:]).sum())


def test_keys_and_theme(two, browse):
    gold, first, _ = two
    then = """
      const list = document.getElementById("list");
      document.documentElement.dataset.scrolled = list.scrollTop;
      for (const key of ["j", "ArrowDown", "k"]) list.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
      document.getElementById("theme").click(); document.getElementById("theme").click();
      document.documentElement.dataset.paper = getComputedStyle(document.body).backgroundColor;
    """
    dom = browse(analysis.report(analysis.make_frame(gold, first)), "#kind=all&sort=position&label=nothing", then)
    assert attribute(dom, "data-scrolled") == "0"
    assert attribute(dom, "data-sentence") == "2"
    assert 'aria-activedescendant="s2"' in dom
    assert attribute(dom, "data-theme") == "dark"
    assert attribute(dom, "data-paper") == "rgb(20, 23, 27)"
