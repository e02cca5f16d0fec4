"""Results in files: read, damaged, packed, indexed, exported; figures of documents traced to them."""

from __future__ import annotations

import json
import os
import struct
import threading
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from grids import made_outcome, made_results, small_grid, write_treebanks
from panparser.errors import ModelError, PanParserError, ResultWarning, SpecError
from panparser.grid import index
from panparser.grid import results as result_files
from panparser.grid.checking import check_document
from panparser.grid.counts import packed, unpacked
from panparser.grid.exporting import to_mlflow, to_wandb
from panparser.grid.keys import digest_of
from panparser.grid.markers import with_results
from panparser.grid.records import Outcome
from panparser.grid.results import finished_outcomes, forget, pack, read_outcomes


@given(st.lists(st.integers(0, 100_000), max_size=50))
def test_counts_come_back(numbers):
    assert unpacked(packed(numbers)).tolist() == numbers


def test_counts_of_a_treebank_take_few_characters():
    rng = np.random.default_rng(1)
    wrong = rng.poisson(2, 1000)
    assert len(packed(wrong)) < 700


@pytest.mark.parametrize("text", ["", "X", "B", "Bxyz!", "Q" + packed([1])[1:], "H" + packed([1])[1:], "BAAAA"])
def test_damaged_counts(text):
    with pytest.raises(ModelError, match="expected counts"):
        unpacked(text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A grid with its results."""
    place = tmp_path_factory.mktemp("grid")
    write_treebanks(place / "treebanks")
    pp.run_grid(small_grid(place), jobs=2)
    return place


@pytest.fixture
def results(folder, tmp_path):
    """A copy of its results."""
    for path in sorted((folder / "results").rglob("*.json")):
        target = tmp_path / "results" / path.relative_to(folder / "results")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return tmp_path / "results"


def test_results_are_those_of_the_grid(results):
    found = pp.Results.read(results)
    assert found.name == "small"
    assert found.axes == {"treebank": ("t1", "t2"), "seed": ("1", "2"), "setting": ("static", "dynamic")}
    assert len(found.done) == 8
    assert not found.failed + found.missing
    part = found.where(treebank="t2", seed=["1", "2"])
    assert len(part.rows) == 4
    next(results.glob("*.json")).unlink()
    assert len(pp.Results.read(results).missing) == 1


def test_without_a_grid_the_axes_are_what_differs(results):
    def figures(found):
        table = pp.ResultLayout().table(found)
        return {
            (row[0].text, name): cell.text for row in table.rows for name, cell in zip(table.head, row, strict=True)
        }

    before = figures(pp.Results.read(results))
    (results / "grids" / "small.json").unlink()
    found = pp.Results.read(results)
    assert {name: set(labels) for name, labels in found.axes.items()} == {
        "treebank": {"t1", "t2"}, "seed": {"1", "2"}, "training.strategy": {"static", "dynamic"},
    }  # fmt: skip
    after = figures(found)
    assert {place: text for place, text in after.items() if place[1] in ("t1", "t2", "average")} == {
        place: text for place, text in before.items() if place[1] != "setting"
    }


def test_which_grid(results, tmp_path):
    (results / "grids" / "other.json").write_bytes((results / "grids" / "small.json").read_bytes())
    with pytest.raises(SpecError, match="several grids; choose one \\(--grid NAME\\): other, small"):
        pp.Results.read(results)
    with pytest.raises(SpecError, match="expected one of other, small, found 'x'"):
        pp.Results.read(results, "x")
    with pytest.raises(SpecError, match="expected a folder of results, found none"):
        pp.Results.read(tmp_path / "nowhere")


def test_packed_results_are_the_same(results):
    before = dict(read_outcomes(results))
    assert pack(results) == 8
    assert [path.name for path in results.iterdir() if path.is_file()] == ["runs.jsonl"]
    assert {key: outcome.values for key, outcome in read_outcomes(results)} == {
        key: outcome.values for key, outcome in before.items()
    }
    assert pack(results) == 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": "x"}, "its key is not that of its run"),
        ({"format": 2}, "written by a newer panparser"),
        ({"status": "well"}, "status: expected one of done, failed, found 'well'"),
        ({"scores": {"test": {"LAS": "high"}}}, "scores.test.LAS: expected a number, found 'high'"),
        ({"run": {}}, "run.recipe: expected a table, found nothing"),
    ],
)
def test_damaged_files_are_told(results, change, message):
    path = next(results.glob("*.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ModelError, match=message):
        pp.Results.read(results)


def test_a_file_under_another_name(results):
    first, second = sorted(results.glob("*.json"))[:2]
    first.write_bytes(second.read_bytes())
    with pytest.raises(ModelError, match="expected the outcome of run"):
        pp.Results.read(results)


def test_only_what_is_damaged_counts_as_not_there(results):
    pack(results)
    extra = [made_outcome(name, correct=[1]) for name in "xyz"]
    for outcome in extra:
        outcome.write(results)
    (results / f"{extra[0].key}.json").write_text("{torn")
    (results / f"{extra[1].key}.json").write_bytes(b"\xff")
    with open(results / "runs.jsonl", "ab") as stream:
        stream.write(b"\xff\xfe\n\n{torn\n")
    with pytest.warns(ResultWarning) as warned:
        found = finished_outcomes(results)
    assert len(found) == 8 + 1
    told = sorted(str(each.message).partition(": ")[0].rpartition("/")[2] for each in warned)
    assert told == sorted([*(f"{each.key}.json" for each in extra[:2]), "runs.jsonl:11", "runs.jsonl:9"])
    for read in (pp.Results.read, pack):
        with pytest.raises(ModelError, match=r"json: (expected JSON|cannot be read)"):
            read(results)
    for outcome in extra[:2]:
        (results / f"{outcome.key}.json").unlink()
    for read in (pp.Results.read, pack):
        with pytest.raises(ModelError, match=r"runs\.jsonl:9: expected UTF-8, found the byte 0xff"):
            read(results)


def test_what_is_forgotten_is_gone_and_nothing_else(results):
    before = dict(read_outcomes(results))
    first, second, *_ = before
    pack(results)
    before[first].write(results)
    with open(results / "runs.jsonl", "ab") as stream:
        stream.write(b"\xff torn")
    forget(results, {first, second})
    with pytest.warns(ResultWarning, match="runs.jsonl:7"):
        assert finished_outcomes(results).keys() == before.keys() - {first, second}
    assert (results / "runs.jsonl").read_bytes().endswith(b"\n\xff torn")


@pytest.mark.parametrize("data", ["x", 3, ["x"], {"train": 3}, {"train": [3]}])
def test_recipes_that_are_none(tmp_path, data):
    values = dict(made_outcome("a", correct=[1]).values)
    run = {**values["run"], "recipe": {"data": data}}
    values |= {"run": run, "key": digest_of(run)}
    (tmp_path / f"{values['key']}.json").write_text(json.dumps(values))
    with pytest.raises(ModelError, match=r"run\.recipe\.data.*: expected a "):
        pp.Results.read(tmp_path)


@pytest.mark.parametrize("name", ["../../../x", "/tmp/x", "a/b", "a\\b", "..", "c:x", "", "a\0b", 3, "x" * 300])
def test_names_that_lead_outside(results, tmp_path, name):
    manifest = results / "grids" / "small.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"name": name}))
    with pytest.raises(ModelError, match=r"small\.json\.name: expected a name, without folders"):
        pp.Results.read(results)
    with pytest.raises(SpecError, match="name of the grid: expected a name, without folders"):
        made_results([({"seed": "1"}, [1])], name).write(tmp_path / "deep" / "er")
    with pytest.raises(SpecError, match="grid: name: expected a name, without folders"):
        pp.Grid.from_values({"name": name}, folder=tmp_path)


def test_an_outcome_comes_back(tmp_path):
    outcome = made_outcome("x", correct=[1, 2, 3])
    outcome.write(tmp_path)
    assert Outcome.read(tmp_path / f"{outcome.key}.json") == outcome
    assert outcome.counts("test", "UAS").tolist() == [[1, 10, 10], [2, 10, 10], [3, 10, 10]]
    assert outcome.counts("dev", "UAS") is outcome.counts("test", "CLAS") is outcome.score("dev", "UAS") is None


# --- SQL ---


def test_the_index_has_what_the_files_have(results):
    pytest.importorskip("duckdb", reason="needs the extra grid")
    names, rows = index.query(
        results,
        "SELECT key, treebank, seed, value FROM points JOIN scores USING (key) WHERE split = 'test' AND metric = 'LAS'",
    )
    assert names == ["key", "treebank", "seed", "value"]
    known = {
        row.key: (row.labels["treebank"], row.labels["seed"], row.outcome.score("test", "LAS"))
        for row in pp.Results.read(results).done
    }
    assert {key: tuple(rest) for key, *rest in rows} == known
    _, rows = index.query(
        results, "SELECT key, list_sum(correct), list_sum(gold) FROM sentences WHERE split = 'dev' AND metric = 'UAS'"
    )
    for key, correct, gold in rows:
        assert 100 * correct / gold == pytest.approx(dict(read_outcomes(results))[key].score("dev", "UAS"), abs=1e-5)
    _, rows = index.query(
        results, "SELECT setting, treebank, mean, deviation, runs FROM means WHERE split = 'test' AND metric = 'LAS'"
    )
    table = pp.ResultLayout().table(pp.Results.read(results))
    cells = {
        (row[0].text, name): cell for row in table.rows for name, cell in zip(table.head[1:], row[1:], strict=True)
    }
    for setting, treebank, mean, deviation, runs in rows:
        cell = cells[setting, treebank]
        assert (mean, deviation, runs) == (pytest.approx(cell.value), pytest.approx(cell.deviation), 2)
    _, rows = index.query(results, "SELECT treebank, setting FROM best WHERE metric = 'LAS' ORDER BY treebank")
    dev = pp.ResultLayout(split="dev").table(pp.Results.read(results))
    for place, (_, setting) in enumerate(rows):
        assert setting in {
            row[0].text for row in dev.rows if row[place + 1].value == max(each[place + 1].value for each in dev.rows)
        }


def test_the_index_is_made_again_when_files_change(results):
    pytest.importorskip("duckdb", reason="needs the extra grid")
    count = "SELECT count(*) FROM runs"
    assert index.query(results, count)[1] == [(8,)]
    made = (results / index.INDEX).stat().st_mtime_ns
    assert index.query(results, count)[1] == [(8,)]
    assert (results / index.INDEX).stat().st_mtime_ns == made
    next(results.glob("*.json")).unlink()
    assert index.query(results, count)[1] == [(7,)]
    (results / index.INDEX).write_bytes(b"no database")
    assert index.query(results, count)[1] == [(7,)]
    assert [path.name for path in results.iterdir() if path.name.startswith(".")] == []


def test_queries_that_are_wrong_or_reach_outside(results):
    pytest.importorskip("duckdb", reason="needs the extra grid")
    with pytest.raises(SpecError, match=r"--sql: .*run"):
        index.query(results, "SELECT * FROM run")
    with pytest.raises(SpecError, match="--sql: "):
        index.query(results, "SELECT * FROM read_text('/etc/hostname')")
    with pytest.raises(SpecError, match="read-only"):
        index.query(results, "DELETE FROM runs")


def test_without_duckdb_only_sql_is_missing(results, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert pp.ResultLayout().table(pp.Results.read(results)).rows
    with pytest.raises(PanParserError, match=r"pip install panparser\[grid\]"):
        index.query(results, "SELECT 1")


# --- Other tools ---


def test_mlflow_finds_its_files(results, tmp_path):
    found = pp.Results.read(results)
    assert to_mlflow(found, tmp_path / "mlruns") == 8
    (experiment,) = (tmp_path / "mlruns").iterdir()
    assert 'name: "small"' in (experiment / "meta.yaml").read_text()
    row = found.rows[0]
    own = experiment / row.key[:32]
    assert "status: 3" in (own / "meta.yaml").read_text()
    stamp, value, step = (own / "metrics" / "test" / "LAS").read_text().split()
    assert float(value) == row.outcome.score("test", "LAS")
    assert (int(stamp) > 10**12, step) == (True, "0")
    assert (own / "params" / "axis.setting").read_text() == "static"
    assert (own / "tags" / "panparser.key").read_text() == row.key


def test_names_of_scores_and_axes_stay_in_the_folder(tmp_path):
    labels = {"/../../../../up": "x"}
    outcome = made_outcome("a", correct=[1])
    scores = {name: {"LAS": 1.0} for name in ("..", "../..", "", "/", "../../../../up", str(tmp_path / "up"))}
    outcome = Outcome({**outcome.values, "scores": scores})
    to_mlflow(pp.Results.made("made", [(labels, outcome)]), tmp_path / "deep" / "mlruns")
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["mlruns"]
    (experiment,) = (tmp_path / "deep" / "mlruns").iterdir()
    assert sorted(path.name for path in experiment.iterdir()) == sorted([outcome.key[:32], "meta.yaml"])
    parts = sorted(path.name for path in (experiment / outcome.key[:32]).iterdir())
    assert parts == ["artifacts", "meta.yaml", "metrics", "params", "tags"]


def read_log(data):
    """The records of a log of W&B, by a reader of its own."""
    assert data[:7] == b":W&B\xe1\xbe\x00"
    at, whole, records = 7, b"", []
    while at < len(data):
        room = 32768 - at % 32768
        if room < 7:
            assert not any(data[at : at + room])
            at += room
            continue
        check, length, kind = struct.unpack("<IHB", data[at : at + 7])
        piece = data[at + 7 : at + 7 + length]
        assert zlib.crc32(piece, zlib.crc32(bytes([kind]))) == check
        at += 7 + length
        assert length <= room - 7
        whole += piece
        if kind in (1, 4):
            records.append(whole)
            whole = b""
    return records


def test_weights_and_biases_finds_its_files(results, tmp_path):
    found = pp.Results.read(results)
    assert to_wandb(found, tmp_path / "wandb") == 8
    paths = sorted((tmp_path / "wandb").glob("offline-run-*/run-*.wandb"))
    assert len(paths) == 8
    records = read_log(paths[0].read_bytes())
    assert [record[0:2] for record in records] == [b"\x08\x01", b"\x08\x02", b"\x08\x03", b"\x08\x04", b"\x08\x05"]
    assert b"test/LAS" in records[2]
    assert b"axis.setting" in records[1]


def test_long_records_are_split_into_blocks(tmp_path):
    labels = {f"axis{number}": "x" * 3000 for number in range(40)}
    to_wandb(made_results([(labels, [1])]), tmp_path)
    records = read_log(next(tmp_path.rglob("*.wandb")).read_bytes())
    assert len(records) == 5
    assert len(records[1]) > 3 * 32768


# --- Somebody else is at the same folder ---


def test_runs_that_end_while_files_are_packed_are_kept(tmp_path, monkeypatch):
    """One ends just before lines are written; one that had failed ends well then."""
    folder = tmp_path / "results"
    folder.mkdir()
    first, second, late = (made_outcome(name, correct=[1]) for name in ("first", "second", "late"))
    first.write(folder)
    Outcome({**second.values, "status": "failed", "error": "why"}).write(folder)
    write = result_files.write_whole

    def slow(path, data, error):
        late.write(folder)
        second.write(folder)
        write(path, data, error)

    monkeypatch.setattr(result_files, "write_whole", slow)
    assert pack(folder) == 2
    assert {path.stem for path in folder.glob("*.json")} == {second.key, late.key}
    found = dict(read_outcomes(folder))
    assert found.keys() == {first.key, second.key, late.key}
    assert found[second.key].is_done


def test_runs_that_are_packed_while_they_are_read_are_there(tmp_path, monkeypatch):
    made_outcome("one", correct=[1]).write(tmp_path)
    made_outcome("two", correct=[1]).write(tmp_path)
    read, packed = Outcome.read, []

    def packing(path):
        if not packed:
            packed.append(True)
            pack(tmp_path)
        return read(path)

    monkeypatch.setattr(Outcome, "read", packing)
    assert len(dict(read_outcomes(tmp_path))) == 2


def test_packing_waits_for_packing(tmp_path):
    fcntl = pytest.importorskip("fcntl")

    made_outcome("one", correct=[1]).write(tmp_path)
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    thread = threading.Thread(target=pack, args=(tmp_path,))
    thread.start()
    thread.join(0.3)
    assert thread.is_alive()
    assert not (tmp_path / "runs.jsonl").exists()
    os.close(handle)
    thread.join()
    assert (tmp_path / "runs.jsonl").exists()


def test_other_files_in_the_folder_are_no_concern(tmp_path):
    made_outcome("one", correct=[1]).write(tmp_path)
    (tmp_path / "package.json").write_text("{}")
    assert len(dict(read_outcomes(tmp_path))) == 1
    assert pack(tmp_path) == 1
    assert (tmp_path / "package.json").exists()


def test_a_file_in_place_of_the_folder_of_grids(tmp_path):
    (tmp_path / "grids").touch()
    with pytest.raises(SpecError, match="grids: cannot be made"):
        made_results([({"treebank": "a"}, [1])]).write(tmp_path)


def test_an_axis_may_have_any_name():
    assert len(made_results([({"self": "a"}, [1]), ({"self": "b"}, [1])]).where(self="a").rows) == 1


# --- Documents ---

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

<!-- results results --metric UAS --where "setting=static,seed=1" --no-deviations --digits 1 -->
<!-- end -->
"""


def test_figures_of_documents_are_traced_to_runs(results):
    page = results.parent / "page.md"
    page.write_text(PAGE)
    assert check_document(page).mismatches
    page.write_text(with_results(PAGE, page))
    found = check_document(page)
    assert (found.figures, found.mismatches, found.others) == (6 + 3, (), ("other",))
    assert with_results(page.read_text(), page) == page.read_text()
    table = pp.ResultLayout().table(pp.Results.read(results))
    right = table.rows[1][2].text
    wrong = ("9" if right[0] != "9" else "8") + right[1:]
    page.write_text(page.read_text().replace(f"| {right} |", f"| {wrong} |", 1))
    (mismatch,) = check_document(page).mismatches
    assert (mismatch.line, mismatch.found, mismatch.expected) == (7, wrong, right)
    assert set(mismatch.keys) == set(table.rows[1][2].keys)
    assert f"page.md:7: dynamic, t2: expected {right} (runs " in str(mismatch)


def test_figures_in_the_text_are_those_of_cells(results):
    """Of the table above or of one that is not shown: with the digits and the sign that the text has."""
    page = results.parent / "page.md"
    table = pp.ResultLayout().table(pp.Results.read(results))
    value = table.rows[1][2].value
    uas = pp.ResultLayout(metric="UAS").table(pp.Results.read(results)).rows[1][2].value
    gain = pp.ResultLayout(against="static", summary=True).table(pp.Results.read(results)).rows[0]
    hidden = "<!-- figures results --against static --summary -->"
    text = f"""<!-- results results --no-deviations -->
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
def test_figures_that_are_marked_wrongly(results, figure, message):
    page = results.parent / "page.md"
    page.write_text(f"<!-- results results -->\n<!-- end -->\n\nIt has {figure}.\n")
    with pytest.raises(SpecError, match=message):
        check_document(page)


def test_where_figures_stand(results):
    """Markdown takes a line that a comment begins for HTML; and a figure needs a table."""
    page = results.parent / "page.md"
    page.write_text("<!-- results results -->\n<!-- end -->\n\n<!-- figure dynamic t1 -->1<!-- end --> points.\n")
    with pytest.raises(SpecError, match=r"page\.md:4: a figure begins the line"):
        check_document(page)
    page.write_text("It has <!-- figure dynamic t1 -->1<!-- end --> points.\n")
    with pytest.raises(SpecError, match=r"page\.md:1: expected a marked table, or <!-- figures FOLDER -->"):
        check_document(page)


@pytest.mark.parametrize("before", ["", "- ", "> ", "1. ", "<!-- figures results --rows setting -->"])
def test_a_figure_does_not_begin_a_line(results, before):
    page = results.parent / "page.md"
    page.write_text(f"<!-- results results -->\n<!-- end -->\n\n{before}<!-- figure dynamic t1 -->1<!-- end -->\n")
    with pytest.raises(SpecError, match=r"page\.md:4: a figure begins the line"):
        check_document(page)


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
def test_code_is_left_alone(results, code):
    page = results.parent / "page.md"
    text = "```x``` is no fence.\n\n" + code.format("<!-- figure dynamic t1 -->99.9<!-- end -->")
    page.write_text(text)
    assert check_document(page).figures == 0
    assert with_results(text, page) == text


def test_an_empty_figure_is_written_as_a_number(results):
    page = results.parent / "page.md"
    text = "<!-- results results -->\n<!-- end -->\n\nIt has <!-- figure dynamic t2 --><!-- end -->.\n"
    whole = with_results(text, page)
    page.write_text(whole)
    value = pp.ResultLayout().table(pp.Results.read(results)).rows[1][2].value
    assert f"-->{value:.2f}<!-- end -->." in whole
    assert not check_document(page).mismatches


def test_a_table_is_as_it_is_written(results):
    """Whatever stands in its rule, or outside its cells."""
    page = results.parent / "page.md"
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


def test_figures_of_hidden_tables_are_of_all_runs(results):
    """A table that is shown says so itself."""
    (path, *_) = (path for path in results.glob("*.json"))
    path.unlink()
    page = results.parent / "page.md"
    page.write_text("<!-- figures results --rows setting -->\n\nIt has <!-- figure dynamic UAS -->1<!-- end -->,\n"
                    "and the other <!-- figure static UAS -->1<!-- end -->.\n")  # fmt: skip
    with pytest.raises(SpecError, match=r"expected a figure of all runs, found .* \[\d of \d\]"):
        check_document(page)


def test_a_row_that_is_missing_or_too_many_leaves_the_others_alone(results):
    page = results.parent / "page.md"
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


def test_documents_with_other_results_and_published_figures(results):
    """Paths count from the document; names may have commas; figures of others are compared, too."""
    outcome = made_outcome("other", correct=[1] * 12)
    pp.Results.made("peer", [({"treebank": "t1", "setting": "peer, old"}, outcome)]).write(results.parent / "peers")
    published = results.parent / "published.csv"
    published.write_text('setting,t1\n"peer, old",12.34\n')
    page = results.parent / "page.md"
    where = '--where "setting=static,setting=peer, old,treebank=t1"'
    marker = f"results --with peers --metric UAS {where} --beside published.csv"
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
def test_markers_without_an_end_are_refused_and_nothing_is_overwritten(results, text):
    page = results.parent / "page.md"
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
        ("results --beside nowhere.csv", "page.md:1: .*nowhere.csv: cannot be read"),
        ("results --with nowhere", "page.md:1: .*nowhere: expected a folder of results, found none"),
        ("results --metrik UAS", "page.md:1: expected one of --grid, .*, found --metrik"),
        ("--metric UAS", "page.md:1: expected a folder of results, found none"),
        ("nowhere", "page.md:1: .*nowhere: expected a folder of results, found none"),
        ("results --where seed", "--where: expected axis=name"),
        ("results --digits x", "--digits: expected a number"),
    ],
)
def test_markers_that_are_wrong(results, marker, message):
    page = results.parent / "page.md"
    page.write_text(f"<!-- results {marker} -->\n<!-- end -->\n")
    with pytest.raises(SpecError, match=message):
        check_document(page)
