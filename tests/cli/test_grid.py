"""`panparser grid` and `panparser results`."""

from __future__ import annotations

import json

import pytest

from grids import write_treebanks

GRID = """
[recipe.parser]
beam = 1
templates = "zn11"

[recipe.training]
epochs = 1
members = 1

[axes]
treebank = "treebanks"
training.seed = [1, 2]

[axes.setting]
static = { training.strategy = "static" }
dynamic = { training.strategy = "dynamic" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("grid")
    write_treebanks(place / "treebanks")
    (place / "grid.toml").write_text(GRID)
    return place


@pytest.fixture
def results(folder, run):
    run("grid", folder / "grid.toml", "-j", 2)
    return folder / "results"


def test_runs_are_listed_run_and_not_run_again(folder, run, tmp_path):
    out = tmp_path / "r"
    code, shown, _ = run("grid", folder / "grid.toml", "--dry-run", "-o", out)
    lines = shown.splitlines()
    assert code == 0
    assert lines[0].split() == ["key", "status", "treebank", "seed", "setting"]
    assert lines[1].split()[1:] == ["waiting", "t1", "1", "static"]
    assert lines[-1] == f"8 runs, 8 waiting; results: {out}"
    assert not out.exists()
    code, shown, errors = run("grid", folder / "grid.toml", "-j", 2, "-o", out)
    assert code == 0
    assert shown.startswith("test LAS, mean of 2 seeds\n\nsetting ")
    assert "grid: 8 of 8 runs; panparser " in shown
    assert "8 runs by 2 workers" in errors
    assert "[8/8] treebank t" in errors
    assert "left" in errors
    code, again, errors = run("grid", folder / "grid.toml", "-o", out)
    assert (again, errors) == (shown, "")
    assert "8 runs, 0 waiting" in run("grid", folder / "grid.toml", "--dry-run", "-o", out)[1]
    assert "8 runs, 0 waiting" in run("grid", folder / "grid.toml", "--dry-run", "--retry-failed", "-o", out)[1]
    shown = run("grid", folder / "grid.toml", "--dry-run", "--force", "-o", out)[1]
    assert "8 runs, 8 waiting" in shown
    assert "done, again" in shown
    assert run("-q", "grid", folder / "grid.toml", "-o", out)[1:] == ("", "")


def test_failures_are_told_and_the_exit_code_is_1(folder, run, tmp_path):
    (tmp_path / "t" / "bad").mkdir(parents=True)
    for part in ("train", "test"):
        (tmp_path / "t" / "bad" / f"{part}.conllu").write_text("1\tx\n\n")
    arguments = ("grid", folder / "grid.toml", "-o", tmp_path / "r", "--treebanks", tmp_path / "t", "-j", 2)
    code, shown, errors = run(*arguments)
    assert code == 1
    assert "failed: bad, 1, static: " in errors
    assert "0 of 4 runs, 4 failed" in shown
    code, shown, _ = run("results", tmp_path / "r", "--failed")
    assert code == 0
    assert len(shown.splitlines()) == 6
    code, _, errors = run("results", tmp_path / "r")
    assert (code, errors.count("\n")) == (2, 1)
    assert "no finished run of grid" in errors


def test_errors_name_file_and_key(folder, run):
    (folder / "bad.toml").write_text(GRID.replace("beam = 1", "beam = 0"))
    code, _, errors = run("grid", folder / "bad.toml")
    assert code == 2
    assert errors.startswith(
        f"panparser: {folder / 'bad.toml'}: treebank t1, seed 1, setting static: [parser] beam: expected"
    )
    (folder / "bad.toml").write_text("axes = [")
    assert run("grid", folder / "bad.toml")[0] == 2
    assert "cannot be read" in run("grid", folder / "none.toml")[2]


def test_tables_in_all_forms(results, run):
    code, shown, _ = run("results", results)
    assert code == 0
    lines = shown.splitlines()
    assert lines[2].split() == ["setting", "t1", "t2", "average"]
    code, shown, _ = run(
        "results", results, "--metric", "UAS", "-f", "markdown", "--rows", "setting", "--where", "seed=1"
    )
    assert shown.startswith("| setting | t1 | t2 | average |\n| --- | ---: | ---: | ---: |\n| static | ")
    assert run("results", results, "-f", "latex")[1].startswith("% grid: 8 of 8 runs")
    assert run("results", results, "-f", "csv")[1].startswith("setting,t1,t1 deviation,t2,t2 deviation,average,")
    found = json.loads(run("results", results, "-f", "json")[1])
    assert len(found["keys"][0][1]) == 2
    assert run("results", results, "-f", "csv", "--no-std")[1].startswith("setting,t1,t2,average\n")
    (_, first, *_), *_ = found["rows"]
    assert first != round(first, 1)
    assert json.loads(run("results", results, "-f", "json", "--digits", 1)[1])["rows"][0][1] == round(first, 1)
    shown = run("results", results, "-f", "csv", "--no-std", "--digits", 1)[1]
    assert shown.splitlines()[1].startswith(f"static,{first:.1f},")
    code, shown, _ = run("results", results, "--baseline", "static", "--permutations", 100)
    assert code == 0
    assert "significantly, after Holm's correction, on" in shown


def test_sql_exports_and_plots(results, run, tmp_path):
    pytest.importorskip("duckdb", reason="needs the extra grid")
    code, shown, _ = run("results", results, "--sql", "SELECT count(*) AS runs, sum(seconds) > 0 AS positive FROM runs")
    assert (code, shown.split()) == (0, ["runs", "positive", "8", "yes"])
    assert run("results", results, "--sql", "SELECT 1 AS x", "-f", "csv")[1] == "x\n1\n"
    assert json.loads(run("results", results, "--sql", "SELECT 1 AS x", "-f", "json")[1]) == [{"x": 1}]
    assert run("results", results, "--sql", "SELEC")[0] == 2
    assert "expected a query, found nothing" in run("results", results, "--sql", "")[2]
    for arguments, message in (
        (("--sql", "SELECT 1", "--where", "seed=1"), "--sql cannot be used with --where"),
        (("--sql", "SELECT 1", "-f", "latex"), "--sql: expected --format text or csv or json, found latex"),
        (("--failed", "--plot", "z.png"), "--failed cannot be used with --plot"),
        (("--failed", "-f", "csv"), "--failed: expected --format text, found csv"),
        (("--sql", "SELECT 1", "--grid", "grid"), "--sql cannot be used with --grid"),
        (("--failed", "--digits", 3), "--failed cannot be used with --digits"),
        (("--pack", "--baseline", "static"), "--pack cannot be used with --baseline"),
        (("--pack", "--failed"), "expected only one of --pack, --failed"),
        (("--check", "page.md", "--failed"), "expected only one of --check, --failed"),
    ):
        code, _, errors = run("results", results, *arguments)
        assert code == 2
        assert message in errors
    assert run("results", results, "--columns", "seed")[1].startswith("test LAS\n\n")  # no means
    pytest.importorskip("matplotlib", reason="needs the extra analysis")
    for name, more in (("a.png", ()), ("b.svg", ("--baseline", "static", "--permutations", 10))):
        assert run("results", results, "--plot", tmp_path / name, *more)[0] == 0
        assert (tmp_path / name).stat().st_size > 1000
    assert run("results", results, "--plot", tmp_path / "c.bmp")[0] == 2


def test_documents_are_checked_and_written(results, run):
    page = results.parent / "page.md"
    page.write_text("<!-- results results -->\n<!-- end -->\n")
    code, shown, _ = run("results", "--check", page)
    assert code == 1
    assert "page.md: 6 figures, 6 wrong" in shown  # two rows are missing, and the names of four columns
    assert run("results", "--update", page)[:2] == (0, f"{page}: written\n")
    assert run("results", "--update", page)[1] == f"{page}: is up to date\n"
    assert run("results", "--check", page)[:2] == (0, f"{page}: 6 figures, 0 wrong\n")
    windows = results.parent / "windows.md"
    windows.write_bytes(b"Text.\r\n<!-- results results -->\r\n<!-- end -->\r\nMore.\r\n")
    assert run("results", "--update", windows)[:2] == (0, f"{windows}: written\n")
    assert windows.read_bytes().count(b"\r\n") == windows.read_bytes().count(b"\n") > 6
    windows.write_text("No table.\n")
    assert run("results", "--check", windows)[1].endswith(
        "0 figures, 0 wrong; no table or figure of results is marked in it\n"
    )
    page.write_text(page.read_text().replace(" ± 0", " ± 1", 1).replace("| static |", "| statics |"))
    code, shown, _ = run("results", "--check", page)
    assert code == 1
    assert "page.md:4: static, setting: expected static, found statics" in shown
    assert run("results")[0] == 2
    assert "--check and --update cannot be used with a folder" in run("results", "--check", page, results)[2]
    assert run("results", "--update", results / "none.md")[0] == 2


def test_packing(results, run, tmp_path):
    for path in results.rglob("*.json"):
        target = tmp_path / path.relative_to(results)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
    shown = run("results", tmp_path)[1]
    assert run("results", tmp_path, "--pack")[1] == f"8 runs are in {tmp_path / 'runs.jsonl'}\n"
    assert run("results", tmp_path)[1] == shown
