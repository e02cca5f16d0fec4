"""Results in files: read, damaged, packed, indexed, exported."""

from __future__ import annotations

import json
import lzma
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from grids import made_outcome, made_results
from panparser.errors import ModelError, PanParserError, ResultWarning, SpecError
from panparser.lab import results as result_files
from panparser.lab import sql_index as index
from panparser.lab.outcomes import RunOutcome, pack_counts, unpack_counts
from panparser.lab.results import delete_outcomes, finished_outcomes, pack, packed_file, read_outcomes
from panparser.work.keys import digest


@given(st.lists(st.integers(0, 100_000), max_size=50))
def test_counts_come_back(numbers):
    assert unpack_counts(pack_counts(numbers)).tolist() == numbers


def test_counts_of_a_treebank_take_few_characters():
    rng = np.random.default_rng(1)
    wrong = rng.poisson(2, 1000)
    assert len(pack_counts(wrong)) < 700


@pytest.mark.parametrize(
    "text", ["", "X", "B", "Bxyz!", "Q" + pack_counts([1])[1:], "H" + pack_counts([1])[1:], "BAAAA"]
)
def test_damaged_counts(text):
    with pytest.raises(ModelError, match="expected counts"):
        unpack_counts(text)


def test_results_are_those_of_the_grid(results):
    found = pp.lab.GridResults.read(results)
    assert found.name == "small"
    assert found.axes == {"treebank": ("t1", "t2"), "seed": ("1", "2"), "setting": ("static", "dynamic")}
    assert len(found.finished_runs) == 8
    assert not found.failed_runs + found.missing_runs
    part = found.where(treebank="t2", seed=["1", "2"])
    assert len(part.rows) == 4
    next(results.glob("*.json")).unlink()
    assert len(pp.lab.GridResults.read(results).missing_runs) == 1


def test_without_a_grid_the_axes_are_what_differs(results):
    def figures(found):
        table = pp.lab.ResultTableLayout().table(found)
        return {
            (row[0].text, name): cell.text for row in table.rows for name, cell in zip(table.head, row, strict=True)
        }

    before = figures(pp.lab.GridResults.read(results))
    (results / "grids" / "small.json").unlink()
    found = pp.lab.GridResults.read(results)
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
        pp.lab.GridResults.read(results)
    with pytest.raises(SpecError, match="expected one of other, small, found 'x'"):
        pp.lab.GridResults.read(results, "x")
    with pytest.raises(SpecError, match="expected a folder of results, found none"):
        pp.lab.GridResults.read(tmp_path / "nowhere")


def test_packed_results_are_the_same(results):
    before = dict(read_outcomes(results))
    assert pack(results) == 8
    assert [path.name for path in results.iterdir() if path.is_file()] == ["runs.jsonl"]
    assert {key: outcome.values for key, outcome in read_outcomes(results)} == {
        key: outcome.values for key, outcome in before.items()
    }
    assert pack(results) == 8


def test_packed_results_may_be_compressed(results):
    before = {key: outcome.values for key, outcome in read_outcomes(results)}
    pack(results)
    plain, compressed = results / "runs.jsonl", results / "runs.jsonl.xz"
    compressed.write_bytes(lzma.compress(plain.read_bytes()))
    plain.unlink()
    assert {key: outcome.values for key, outcome in read_outcomes(results)} == before
    first, *rest = before
    delete_outcomes(results, {first})
    made_outcome("x", correct=[1]).write(results)
    assert pack(results) == 8
    assert [path.name for path in results.iterdir() if path.is_file()] == ["runs.jsonl.xz"]
    assert packed_file(results) == compressed
    assert {key for key, _ in read_outcomes(results)} > set(rest)
    compressed.write_bytes(compressed.read_bytes()[:-40])
    with pytest.raises(ModelError, match=r"runs\.jsonl\.xz: damaged: it cannot be decompressed"):
        pp.lab.GridResults.read(results)


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
        pp.lab.GridResults.read(results)


def test_a_file_under_another_name(results):
    first, second = sorted(results.glob("*.json"))[:2]
    first.write_bytes(second.read_bytes())
    with pytest.raises(ModelError, match="expected the outcome of run"):
        pp.lab.GridResults.read(results)


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
    for read in (pp.lab.GridResults.read, pack):
        with pytest.raises(ModelError, match=r"json: (expected JSON|cannot be read)"):
            read(results)
    for outcome in extra[:2]:
        (results / f"{outcome.key}.json").unlink()
    for read in (pp.lab.GridResults.read, pack):
        with pytest.raises(ModelError, match=r"runs\.jsonl:9: expected UTF-8, found the byte 0xff"):
            read(results)


def test_what_is_forgotten_is_gone_and_nothing_else(results):
    before = dict(read_outcomes(results))
    first, second, *_ = before
    pack(results)
    before[first].write(results)
    with open(results / "runs.jsonl", "ab") as stream:
        stream.write(b"\xff torn")
    delete_outcomes(results, {first, second})
    with pytest.warns(ResultWarning, match="runs.jsonl:7"):
        assert finished_outcomes(results).keys() == before.keys() - {first, second}
    assert (results / "runs.jsonl").read_bytes().endswith(b"\n\xff torn")


@pytest.mark.parametrize("data", ["x", 3, ["x"], {"train": 3}, {"train": [3]}])
def test_recipes_that_are_none(tmp_path, data):
    values = dict(made_outcome("a", correct=[1]).values)
    run = {**values["run"], "recipe": {"data": data}}
    values |= {"run": run, "key": digest(run)}
    (tmp_path / f"{values['key']}.json").write_text(json.dumps(values))
    with pytest.raises(ModelError, match=r"run\.recipe\.data.*: expected a "):
        pp.lab.GridResults.read(tmp_path)


@pytest.mark.parametrize("name", ["../../../x", "/tmp/x", "a/b", "a\\b", "..", "c:x", "", "a\0b", 3, "x" * 300])
def test_names_that_lead_outside(results, tmp_path, name):
    manifest = results / "grids" / "small.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"name": name}))
    with pytest.raises(ModelError, match=r"small\.json\.name: expected a name, without folders"):
        pp.lab.GridResults.read(results)
    with pytest.raises(SpecError, match="name of the grid: expected a name, without folders"):
        made_results([({"seed": "1"}, [1])], name).write(tmp_path / "deep" / "er")
    with pytest.raises(SpecError, match="grid: name: expected a name, without folders"):
        pp.lab.Grid.from_values({"name": name}, folder=tmp_path)


def test_an_outcome_comes_back(tmp_path):
    outcome = made_outcome("x", correct=[1, 2, 3])
    outcome.write(tmp_path)
    assert RunOutcome.read(tmp_path / f"{outcome.key}.json") == outcome
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
        for row in pp.lab.GridResults.read(results).finished_runs
    }
    assert {key: tuple(rest) for key, *rest in rows} == known
    _, rows = index.query(
        results, "SELECT key, list_sum(correct), list_sum(gold) FROM sentences WHERE split = 'dev' AND metric = 'UAS'"
    )
    for key, correct, gold in rows:
        assert 100 * correct / gold == pytest.approx(dict(read_outcomes(results))[key].score("dev", "UAS"), abs=1e-5)
    _, rows = index.query(
        results, "SELECT configuration, treebank, mean, stddev, runs FROM means WHERE split = 'test' AND metric = 'LAS'"
    )
    table = pp.lab.ResultTableLayout().table(pp.lab.GridResults.read(results))
    cells = {
        (row[0].text, name): cell for row in table.rows for name, cell in zip(table.head[1:], row[1:], strict=True)
    }
    for configuration, treebank, mean, stddev, runs in rows:
        cell = cells[configuration, treebank]
        assert (mean, stddev, runs) == (pytest.approx(cell.value), pytest.approx(cell.deviation), 2)
    _, rows = index.query(results, "SELECT treebank, configuration FROM best WHERE metric = 'LAS' ORDER BY treebank")
    dev = pp.lab.ResultTableLayout(split="dev").table(pp.lab.GridResults.read(results))
    for place, (_, configuration) in enumerate(rows):
        assert configuration in {
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
    assert pp.lab.ResultTableLayout().table(pp.lab.GridResults.read(results)).rows
    with pytest.raises(PanParserError, match=r"pip install panparser\[grid\]"):
        index.query(results, "SELECT 1")


# --- Somebody else is at the same folder ---


def test_runs_that_end_while_files_are_packed_are_kept(tmp_path, monkeypatch):
    """One ends just before lines are written; one that had failed ends well then."""
    folder = tmp_path / "results"
    folder.mkdir()
    first, second, late = (made_outcome(name, correct=[1]) for name in ("first", "second", "late"))
    first.write(folder)
    RunOutcome({**second.values, "status": "failed", "error": "why"}).write(folder)
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
    assert found[second.key].is_finished


def test_runs_that_are_packed_while_they_are_read_are_there(tmp_path, monkeypatch):
    made_outcome("one", correct=[1]).write(tmp_path)
    made_outcome("two", correct=[1]).write(tmp_path)
    read, packed = RunOutcome.read, []

    def packing(path):
        if not packed:
            packed.append(True)
            pack(tmp_path)
        return read(path)

    monkeypatch.setattr(RunOutcome, "read", packing)
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
