"""Marked tables and figures of documents: found, written, and compared with the runs that they stand for."""

from __future__ import annotations

import pytest

import panparser as pp
from grids import made_outcome
from panparser.errors import SpecError
from panparser.lab.figures import check_document, with_results

PAGE = """# Page

<!-- results results -->
<!-- end -->

Text, and a table of something else:

<!-- table other -->
| 1 |
<!-- end -->

```text
<!-- results nowhere -->
<!-- end -->
```

<!-- results results --metric UAS --where "setting=static,seed=1" --no-std --digits 1 -->
<!-- end -->
"""


@pytest.fixture
def page(results):
    """A document beside the folder `results`."""
    return results.parent / "page.md"


def refused(page, text, message):
    page.write_text(text)
    with pytest.raises(SpecError, match=message):
        check_document(page)


def test_figures_of_documents_are_traced_to_runs(page, results):
    page.write_text(PAGE)
    assert check_document(page).mismatches
    page.write_text(with_results(PAGE, page))
    found = check_document(page)
    assert (found.figures, found.mismatches, found.others) == (6 + 3, (), ("other",))
    assert with_results(page.read_text(), page) == page.read_text()
    table = pp.lab.ResultTableLayout().table(pp.lab.GridResults.read(results))
    right = table.rows[1][2].text
    wrong = ("9" if right[0] != "9" else "8") + right[1:]
    page.write_text(page.read_text().replace(f"| {right} |", f"| {wrong} |", 1))
    (mismatch,) = check_document(page).mismatches
    assert (mismatch.line, mismatch.found, mismatch.expected) == (7, wrong, right)
    assert set(mismatch.keys) == set(table.rows[1][2].keys)
    assert f"page.md:7: dynamic, t2: expected {right} (runs " in str(mismatch)


def test_figures_in_the_text_are_those_of_cells(page, results):
    """Of the table above or of one that is not shown: with the digits and the sign that the text has."""
    table = pp.lab.ResultTableLayout().table(pp.lab.GridResults.read(results))
    value = table.rows[1][2].value
    uas = pp.lab.ResultTableLayout(metric="UAS").table(pp.lab.GridResults.read(results)).rows[1][2].value
    gain = pp.lab.ResultTableLayout(baseline="static", summary=True).table(pp.lab.GridResults.read(results)).rows[0]
    hidden = "<!-- figures results --baseline static --summary -->"
    text = f"""<!-- results results --no-std -->
<!-- end -->

It has <!-- figure dynamic t2 -->0.0<!-- end --> points, <!-- figure dynamic t2 --><!-- end --> or
so <!-- figure --less dynamic t2 -->+.0<!-- end -->;{hidden} the gain is
of <!-- figure dynamic "mean difference" -->+0.000<!-- end -->,
on <!-- figure dynamic "better (significantly)" -->7<!-- end --> treebanks,
in <!-- figures results --rows treebank,setting --><!-- figure "t2, dynamic" UAS -->0.000<!-- end --> UAS.
"""
    page.write_text(text)
    whole = with_results(text, page)
    assert f"t2 -->{value:.1f}<!-- end --> points, <!-- figure dynamic t2 -->{value:.2f}<!-- end -->" in whole
    assert f"so <!-- figure --less dynamic t2 -->{-value:+.1f}<" in whole
    assert f'"mean difference" -->{gain[1].value:+.3f}<' in whole
    assert f'"better (significantly)" -->{gain[2].text.split()[0]}<!-- end --> treebanks' in whole
    assert f'dynamic" UAS -->{uas:.3f}<' in whole
    page.write_text(whole)
    found = check_document(page)
    assert (found.figures, found.mismatches) == (6 + 6, ())
    assert with_results(whole, page) == whole
    page.write_text(whole.replace(f"-->{value:.1f}<", f"-->{value + 0.1:.1f}<"))
    (mismatch,) = check_document(page).mismatches
    assert (mismatch.line, mismatch.found, mismatch.expected) == (8, f"{value + 0.1:.1f}", f"{value:.1f}")
    assert set(mismatch.keys) == set(table.rows[1][2].keys)


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ("<!-- figure dynamic t2 -->high<!-- end -->", "expected a number between .* found high"),
        ("<!-- figure dynamic t9 -->1<!-- end -->", "page.md:4: expected one of t1; t2; average, found t9"),
        ("<!-- figure none t1 -->1<!-- end -->", "expected one of static; dynamic, found none"),
        ("<!-- figure dynamic -->1<!-- end -->", "expected the names of a row and a column, found dynamic"),
        ("<!-- figure --less -->1<!-- end -->", "expected the names of a row and a column, found nothing"),
        ("<!-- figure dynamic t1 nowhere -->1<!-- end -->", "names of a row and a column, found dynamic t1 nowhere"),
        ("<!-- figures nowhere --><!-- figure dynamic UAS -->1<!-- end -->", "page.md:4: .*nowhere: expected a folder"),
        ("<!-- figures --><!-- figure dynamic UAS -->1<!-- end -->", "page.md:4: expected <!-- figures FOLDER OPTIONS"),
        ("<!-- figures results --metrics UAS --> points", "page.md:4: expected one of .*, found --metrics"),
        ("<!-- figures results --><!-- figure dynamic t1 -->1<!-- end -->", "no run has t1; there are .*UAS"),
        ("<!-- figures results --columns seed --><!-- figure dynamic UAS -->1<!-- end -->", "columns 1 UAS; 2 UAS"),
        ("<!-- figure dynamic t1 -->1", "expected <!-- figure ROW COLUMN -->, a number, and <!-- end --> on one line"),
        ("<!-- figure 'dynamic t1 -->1<!-- end -->", "expected quotation marks in pairs"),
        ("<!-- figures dynamic t1 -->1<!-- end -->", "page.md:4: expected a folder of results, found dynamic t1"),
        ("<!-- Figure dynamic t1 -->1<!-- end -->", "expected <!-- figure ROW COLUMN -->"),
        ("`dynamic`<!-- figure dynamic t9 -->1<!-- end -->", "found t9"),
        ("<!-- figure dynamic t1 -->+<!-- end -->", "expected a number"),
        ("<!-- figures results --metric UAS --metric LAS -->", "expected --metric once, with a value, found it twice"),
        ("<!-- figures results --metric -->", "expected --metric once, with a value, found it last"),
    ],
)
def test_figures_that_are_marked_wrongly(page, figure, message):
    refused(page, f"<!-- results results -->\n<!-- end -->\n\nIt has {figure}.\n", message)


def test_where_figures_stand(page):
    """Markdown takes a line that a comment begins for HTML; and a figure needs a table."""
    refused(
        page,
        "<!-- results results -->\n<!-- end -->\n\n<!-- figure dynamic t1 -->1<!-- end --> points.\n",
        r"page\.md:4: a figure begins the line",
    )
    refused(
        page,
        "It has <!-- figure dynamic t1 -->1<!-- end --> points.\n",
        r"page\.md:1: expected a marked table, or <!-- figures FOLDER -->",
    )


@pytest.mark.parametrize("before", ["", "- ", "> ", "1. ", "<!-- figures results --rows setting -->"])
def test_a_figure_does_not_begin_a_line(page, before):
    refused(
        page,
        f"<!-- results results -->\n<!-- end -->\n\n{before}<!-- figure dynamic t1 -->1<!-- end -->\n",
        r"page\.md:4: a figure begins the line",
    )


@pytest.mark.parametrize(
    "code",
    [
        "```text\n{}\n```\n",
        "````text\n```\n{}\n```\n````\n",
        "1. a list\n\n   ~~~\n   {}\n   ~~~\n",
        "> ```\n> {}\n> ```\n",
        "It is `` `{}` ``.\n",
        "It is `{}`.\n",
        "```\n{}\n",
    ],
)
def test_code_is_left_alone(page, code):
    text = "```x``` is no fence.\n\n" + code.format("<!-- figure dynamic t1 -->99.9<!-- end -->")
    page.write_text(text)
    assert check_document(page).figures == 0
    assert with_results(text, page) == text


def test_an_empty_figure_is_written_as_a_number(page, results):
    text = "<!-- results results -->\n<!-- end -->\n\nIt has <!-- figure dynamic t2 --><!-- end -->.\n"
    whole = with_results(text, page)
    page.write_text(whole)
    value = pp.lab.ResultTableLayout().table(pp.lab.GridResults.read(results)).rows[1][2].value
    assert f"-->{value:.2f}<!-- end -->." in whole
    assert not check_document(page).mismatches


def test_a_table_is_as_it_is_written(page):
    """Whatever stands in its rule, or outside its cells."""
    whole = with_results("<!-- results results -->\n<!-- end -->\n", page)
    rule = whole.splitlines()[2]
    for changed in (whole.replace(rule, "| 99 | 99 | 99 | 99 |"), whole.replace(" |\n<", " | 99\n<")):
        page.write_text(changed)
        assert check_document(page).mismatches
        assert with_results(changed, page) == whole
    for lost in ("Some words.\n", "  | indented |\n", "> | quoted |\n", "9 | 8 |\n"):
        page.write_text(whole.replace("<!-- end -->", f"{lost}<!-- end -->"))
        with pytest.raises(SpecError, match=r"page\.md:1: expected <!-- results FOLDER OPTIONS --> on a line, a table"):
            with_results(page.read_text(), page)


def test_figures_of_hidden_tables_are_of_all_runs(page, results):
    """A table that is shown says so itself."""
    (path, *_) = (path for path in results.glob("*.json"))
    path.unlink()
    page.write_text("<!-- figures results --rows setting -->\n\nIt has <!-- figure dynamic UAS -->1<!-- end -->,\n"
                    "and the other <!-- figure static UAS -->1<!-- end -->.\n")  # fmt: skip
    with pytest.raises(SpecError, match=r"expected a figure of all runs, found .* \[\d of \d\]"):
        check_document(page)


def test_documents_that_are_no_text(page):
    page.write_bytes(b"\xd0\x00")
    with pytest.raises(SpecError, match=r"page\.md: expected UTF-8, found the byte 0xd0"):
        check_document(page)
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        check_document(page.parent / "nowhere.md")


def test_measurements_name_their_metrics_if_none_is_asked_for(page):
    clocks = [({"parser": name}, pp.lab.external_outcome({"clock": name}, {}, facts={"words/s": 3.0})) for name in "ab"]
    pp.lab.GridResults.from_outcomes("m", clocks).write(page.parent / "m")
    refused(page, "<!-- results m -->\n<!-- end -->\n", "no run has UAS; there are seconds, words/s")


def test_a_row_that_is_missing_or_too_many_leaves_the_others_alone(page):
    page.write_text("<!-- results results --rows treebank,setting -->\n<!-- end -->\n")
    whole = with_results(page.read_text(), page)
    lines = whole.splitlines(keepends=True)
    page.write_text("".join([*lines[:4], *lines[5:]]))
    (mismatch,) = check_document(page).mismatches
    assert (mismatch.line, mismatch.found) == (5, "")
    assert "| " + mismatch.expected.removeprefix("a row: ") + " |\n" == lines[4]
    assert len(mismatch.keys) == 2
    page.write_text("".join([*lines[:4], "| t9 | static | 12.34 |\n", *lines[4:]]))
    (mismatch,) = check_document(page).mismatches
    assert (mismatch.line, mismatch.found, mismatch.expected) == (5, "a row: t9 | static | 12.34", "")
    page.write_text("".join(lines[:2] + lines[-1:]))
    assert len(check_document(page).mismatches) == len(lines) - 4  # markers, head and rule
    page.write_text(whole)
    assert not check_document(page).mismatches


def test_documents_with_other_results_and_published_figures(page, results):
    """Paths count from the document; names may have commas; figures of others are compared, too."""
    outcome = made_outcome("other", correct=[1] * 12)
    pp.lab.GridResults.from_outcomes("peer", [({"treebank": "t1", "setting": "peer, old"}, outcome)]).write(
        results.parent / "peers"
    )
    published = results.parent / "published.csv"
    published.write_text('setting,t1\n"peer, old",12.34\n')
    where = '--where "setting=static,setting=peer, old,treebank=t1"'
    marker = f"results --merge peers --metric UAS {where} --published published.csv"
    page.write_text(f"<!-- results {marker} -->\n<!-- end -->\n")
    page.write_text(with_results(page.read_text(), page))
    assert "| peer, old | 10.00 | 12.34 |" in page.read_text()
    assert not check_document(page).mismatches
    published.write_text('setting,t1\n"peer, old",12.35\n')
    (mismatch,) = check_document(page).mismatches
    assert (mismatch.expected, mismatch.found, mismatch.keys) == ("12.35", "12.34", ())
    for text in ("high", "n/a", "+"):
        published.write_text(f'setting,t1\n"peer, old",{text}\n')
        with pytest.raises(SpecError, match=r"published.csv: peer, old: t1: expected a figure, found '"):
            check_document(page)
    for text in ("", "-", ".35", "+0.2 (-0.1 to +0.3)", "< 0.1"):
        published.write_text(f'setting,t1\n"peer, old",{text}\n')
        check_document(page)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- results results -->\n| 99.99 |\n",
        "<!-- results results -->\n| 1 |\nA page of prose.\n\n<!-- results results -->\n<!-- end -->\n",
        "<!-- results results -->\n| 1 |\n<!-- table other -->\n<!-- end -->\n",
        "<!--results results-->\n<!-- end -->\n",
        "<!-- result results -->\n<!-- end -->\n",
        "<!-- results\nresults -->\n<!-- end -->\n",
    ],
)
def test_markers_without_an_end_are_refused_and_nothing_is_overwritten(page, text):
    page.write_text(f"A line.\n{text}")
    for use in (lambda: check_document(page), lambda: with_results(page.read_text(), page)):
        with pytest.raises(SpecError, match=r"page.md:2: expected <!-- results FOLDER OPTIONS --> on a line, a table"):
            use()
    page.write_text(f"Markers are `<!-- results FOLDER -->`.\n```markdown\n{text}```\n")
    assert check_document(page).tables == 0


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ('results --metric "UAS', "page.md:1: expected quotation marks in pairs"),
        ("results --groups words", "expected a fact and rising borders"),
        ("results --published nowhere.csv", "page.md:1: .*nowhere.csv: cannot be read"),
        ("results --merge nowhere", "page.md:1: .*nowhere: expected a folder of results, found none"),
        ("results --metrik UAS", "page.md:1: expected one of --grid, .*, found --metrik"),
        ("--metric UAS", "page.md:1: expected a folder of results, found none"),
        ("nowhere", "page.md:1: .*nowhere: expected a folder of results, found none"),
        ("results --where seed", "--where: expected axis=name"),
        ("results --digits x", "--digits: expected an integer"),
    ],
)
def test_markers_that_are_wrong(page, marker, message):
    refused(page, f"<!-- results {marker} -->\n<!-- end -->\n", message)
