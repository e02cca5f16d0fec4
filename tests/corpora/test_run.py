"""Many files and large ones: the bytes of one process, nothing done twice, nothing lost."""

from __future__ import annotations

import gzip
import json
import random
from concurrent.futures import Future
from pathlib import Path

import pytest

import panparser as pp
from panparser.corpora import corpus_run as run
from panparser.corpora import file_tasks as work
from panparser.corpora import sources
from panparser.corpora.file_pairs import pairs, single
from panparser.corpora.job import ParseJob, ParseJobOptions
from panparser.work.pool import ClusterLostError
from places import ENGLISH
from sharing import AtOnce

SENTENCES = [sentence.text for sentence in pp.read_conllu(ENGLISH)[:60]]


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """Files are divided into parts of some sentences."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sources, "BLOCK_BYTES", 700)
    monkeypatch.setattr(run, "PART_BYTES", 1500)
    monkeypatch.setattr(work, "_jobs", {})


def story(seed=1, end="\n\n", count=80):
    chosen = random.Random(seed)
    paragraphs = [" ".join(chosen.choices(SENTENCES, k=chosen.randint(1, 3))) for _ in range(count)]
    return "\ufeff  " + end.join(paragraphs) + "\n\ufeff\n\nIt ends"


def in_parts(options, path, output="parts.out", workers=None):
    """How many tasks it took."""
    workers = workers or AtOnce()
    totals = run.Run(ParseJob(options)).shared([single(str(path), output)], workers)
    assert not totals.failed, totals.failed
    assert not Path(f"{output}.parts").exists()
    return len(workers.given), totals


def as_one(options, path, output="one.out"):
    totals = run.Run(ParseJob(options)).alone([single(str(path), output)], 1)
    assert not totals.failed
    return totals


@pytest.mark.parametrize("shown", ["conllu", "tree", "horizontal", "plaintext", "jsonl", "json", "matxin"])
def test_text_in_parts_has_the_same_bytes(pipeline_file, shown):
    Path("story.txt").write_text(story(), encoding="utf-8")
    options = ParseJobOptions(str(pipeline_file), output_format=shown)
    tasks, totals = in_parts(options, "story.txt")
    alone = as_one(options, "story.txt")
    assert Path("parts.out").read_bytes() == Path("one.out").read_bytes()
    assert totals.outcome == alone.outcome
    assert tasks > 3 if shown not in ("jsonl", "json", "matxin") else tasks == 1


@pytest.mark.parametrize("kind", ["text", "lines", "paragraphs", "tokens", "vertical"])
@pytest.mark.parametrize("end", ["\n", "\r\n \r\n\n", "\u2029"])
def test_every_kind_of_text(pipeline_file, kind, end):
    Path("story.txt").write_bytes(story(2, end, 300 if end == "\n" else 80).encode())
    options = ParseJobOptions(str(pipeline_file), kind=kind, stop_after="tokens")
    tasks, _ = in_parts(options, "story.txt")
    as_one(options, "story.txt")
    assert Path("parts.out").read_bytes() == Path("one.out").read_bytes()
    assert tasks > 3 or (kind in ("text", "vertical") and end == "\n")  # where no sentence ends for certain


@pytest.mark.parametrize("shown", ["conllu", "jsonl", "html"])
def test_treebanks_in_parts_have_the_same_bytes(parser, tmp_path, shown):
    parser.save("model")
    options = ParseJobOptions("./model", output_format=shown, k_best=2)
    Path("a.conllu").write_bytes(ENGLISH.read_bytes()[:30_000].rpartition(b"\n\n")[0])
    tasks, totals = in_parts(options, "a.conllu", "parts.gz")
    alone = as_one(options, "a.conllu", "one.gz")
    assert Path("parts.gz").read_bytes() == Path("one.gz").read_bytes()
    assert totals.outcome == alone.outcome
    assert any("blank line" in message for message in totals.outcome.messages)
    assert tasks > 3 if shown != "html" else tasks == 1
    Path("packed.conllu").write_bytes(gzip.compress(Path("a.conllu").read_bytes()))
    assert in_parts(options, "packed.conllu", "packed.gz")[0] == 1
    assert Path("packed.gz").read_bytes() == Path("one.gz").read_bytes()


def test_what_gets_lost_is_done_again(pipeline_file):
    Path("story.txt").write_text(story(), encoding="utf-8")
    options = ParseJobOptions(str(pipeline_file), stop_after="tokens")
    as_one(options, "story.txt")
    in_parts(options, "story.txt", workers=AtOnce(lost=[1, 2, 4, 6]))
    assert Path("parts.out").read_bytes() == Path("one.out").read_bytes()
    totals = run.Run(ParseJob(options)).shared([single("story.txt", "none.out")], AtOnce(lost=range(2, 100)))
    (failed,) = totals.failed
    assert "story.txt: a worker died 3 times while it worked on it (killed by signal 9)" in failed.error
    assert not Path("none.out").exists()
    tasks, _ = in_parts(options, "story.txt", "none.out")
    assert Path("none.out").read_bytes() == Path("one.out").read_bytes()
    assert tasks == in_parts(options, "story.txt", "again.out")[0] - 1  # the first part was there


def test_what_gets_lost_is_done_again_alone_and_at_the_end(pipeline_file):
    """With no other worker in memory: perhaps there was too little of it for all."""
    Path("story.txt").write_text(story(), encoding="utf-8")
    options = ParseJobOptions(str(pipeline_file), stop_after="tokens")
    tasks, _ = in_parts(options, "story.txt")
    workers = AtOnce(lost=[1, 3])
    assert in_parts(options, "story.txt", workers=workers)[0] == tasks + 2
    assert workers.given[tasks:] == [workers.given[0], workers.given[2]]
    assert workers.stops == [tasks, tasks + 1]


def test_an_error_of_a_worker_ends_the_run(pipeline_file):
    Path("story.txt").write_text(story(), encoding="utf-8")
    with pytest.raises(RuntimeError, match="a mistake"):
        in_parts(ParseJobOptions(str(pipeline_file), stop_after="tokens"), "story.txt", workers=Failing())


def test_a_scheduler_that_is_gone_ends_the_run_with_a_message(pipeline_file):
    Path("story.txt").write_text(story(), encoding="utf-8")
    workers = Failing(ClusterLostError("the scheduler is gone"))
    with pytest.raises(ClusterLostError, match="--cluster: the scheduler is gone; run the same command again"):
        in_parts(ParseJobOptions(str(pipeline_file), stop_after="tokens"), "story.txt", workers=workers)


class Failing(AtOnce):
    """Its calls raise an error."""

    def __init__(self, error=None):
        super().__init__()
        self.error = error or RuntimeError("a mistake")

    def submit(self, work, *given, **options):
        future = Future()
        future.set_exception(self.error)
        return future


class Stopping(AtOnce):
    """Is stopped after a few parts."""

    def submit(self, work, *given, **options):
        if len(self.given) == 3:
            raise KeyboardInterrupt
        return super().submit(work, *given, **options)


def test_a_stopped_run_goes_on_with_what_is_new(pipeline_file):
    text = story()
    Path("story.txt").write_text(text, encoding="utf-8")
    options = ParseJobOptions(str(pipeline_file), stop_after="tokens")
    with pytest.raises(KeyboardInterrupt):
        in_parts(options, "story.txt", workers=Stopping())
    assert not Path("parts.out").exists()
    kept = [path for path in Path("parts.out.parts").iterdir() if not path.suffix]
    assert len(kept) == 3
    kept[0].write_bytes(b"damaged")  # and has another size now
    Path("story.txt").write_text(text.replace("It ends", "It ends otherwise."), encoding="utf-8")
    tasks, _ = in_parts(options, "story.txt")
    assert tasks == in_parts(options, "story.txt", "again.out")[0] - 2
    as_one(options, "story.txt")
    assert Path("parts.out").read_bytes() == Path("one.out").read_bytes() == Path("again.out").read_bytes()


@pytest.mark.parametrize("shares", [False, True])
def test_finished_files_are_left_alone(pipeline_file, shares):
    Path("texts/sub").mkdir(parents=True)
    Path("texts/large.txt").write_text(story(), encoding="utf-8")
    for name in ("texts/a.txt", "texts/sub/b.txt"):
        Path(name).write_text("The birds sing. They stop.")
    options = ParseJobOptions(str(pipeline_file), stop_after="tokens")

    def parsed(options=options, **more):
        files, _ = pairs(["texts"], "out", "conllu", any_ending=False)
        ran = run.Run(ParseJob(options), **more)
        totals = ran.shared(files, AtOnce()) if shares else ran.alone(files, 1)
        assert not totals.failed
        return totals.parsed, totals.finished

    assert parsed() == (3, 0)
    before = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*.conllu")}
    assert len(before) == 3
    assert parsed() == (0, 3)
    Path("texts/a.txt").touch()  # the same bytes
    assert parsed() == (0, 3)
    assert before == {path: path.stat().st_mtime_ns for path in Path("out").rglob("*.conllu")}
    Path("texts/a.txt").write_text("The birds sing. They stopped.")
    Path("out/sub/b.conllu").write_text("mine")
    Path("out/.panparser/large.conllu.json").write_text("{damaged")
    assert parsed() == (3, 0)
    assert "stopped" in Path("out/a.conllu").read_text()
    assert parsed(ParseJobOptions(str(pipeline_file), stop_after="tags")) == (3, 0)
    assert parsed(ParseJobOptions(str(pipeline_file), stop_after="tags"), force=True) == (3, 0)
    assert json.loads(Path("out/.panparser/a.conllu.json").read_bytes())["outcome"]["words"] == 7
    assert not list(Path("out").rglob("*.parts"))


@pytest.mark.parametrize("shares", [False, True])
def test_a_bad_file_does_not_hurt_the_others(pipeline_file, shares):
    Path("texts").mkdir()
    good = story()
    Path("texts/good.txt").write_text(good, encoding="utf-8")
    Path("texts/bad.txt").write_bytes(good.encode() + b"\n\ncaf\xe9 \n\n" + good.encode())
    Path("texts/small.txt").write_bytes(b"\xff")
    Path("texts/broken.conllu").write_bytes(ENGLISH.read_bytes()[:9000] + b"\n\n1\tx\n\n" + ENGLISH.read_bytes())
    files, _ = pairs(["texts"], "out", "conllu", any_ending=False)
    ran = run.Run(ParseJob(ParseJobOptions(str(pipeline_file), stop_after="tags")))
    totals = ran.shared(files, AtOnce()) if shares else ran.alone(files, 2)
    said = sorted(each.error for each in totals.failed)
    line = good.encode().count(b"\n") + 3
    assert said[0].startswith(f"texts/bad.txt:{line}: expected UTF-8, found the byte 0xe9")
    assert said[1].startswith("texts/broken.conllu:")
    assert said[2].startswith("texts/small.txt:1: expected UTF-8")
    assert [path.name for path in Path("out").glob("*") if path.is_file()] == ["good.conllu"]


def test_models_are_those_of_the_beginning(pipeline_file):
    Path("a.txt").write_text("The birds sing.")
    Path("model").write_bytes(pipeline_file.read_bytes())
    ran = run.Run(ParseJob(ParseJobOptions("./model")))
    Path("model").write_bytes(b"another")
    (failed,) = ran.shared([single("a.txt", "a.conllu")], AtOnce()).failed
    assert failed.error == "./model: expected the model with which the run started, found another"


# --- What goes wrong meanwhile ---


class Overwriting(AtOnce):
    """Somebody writes into the file after it was divided."""

    def __init__(self, path, data):
        super().__init__()
        self.path, self.data = path, data

    def submit(self, work, *given, **options):
        self.path.write_bytes(self.data)
        return super().submit(work, *given, **options)


@pytest.mark.parametrize("name", ["in.txt", "in.conllu"])
def test_parts_are_of_the_bytes_that_were_planned(pipeline_file, name):
    path, options = Path(name), ParseJobOptions(str(pipeline_file), stop_after="tags")
    good = story().encode() if name == "in.txt" else ENGLISH.read_bytes()[:20_000].rpartition(b"\n\n")[0] + b"\n\n"
    path.write_bytes(good)
    other = good.replace(b"the", b"xyz").replace(b"The", b"Xyz")
    assert other != good
    (failed,) = run.Run(ParseJob(options)).shared([single(name, "parts.out")], Overwriting(path, other)).failed
    assert failed.error == f"{name}: was changed while it was read: parse it again"
    path.write_bytes(good)
    in_parts(options, name)
    as_one(options, name)
    assert Path("parts.out").read_bytes() == Path("one.out").read_bytes()
    for changed in (good[:100], good[:-900] + b"x" * 5000):  # shorter and longer, too
        path.write_bytes(good)
        assert run.Run(ParseJob(options)).shared([single(name, "other.out")], Overwriting(path, changed)).failed


def test_unknown_tags_are_refused_in_parts_too(parser):
    parser.save("model")
    lines = [line.split("\t") for line in ENGLISH.read_text(encoding="utf-8")[:20_000].splitlines()]
    text = "\n".join("\t".join([*line[:3], "X" + line[3], *line[4:]]) if len(line) == 10 else "" for line in lines)
    Path("in.conllu").write_text(text.strip() + "\n\n", encoding="utf-8")
    job = ParseJob(ParseJobOptions("./model"))
    (alone,) = run.Run(job).alone([single("in.conllu", "one.out")], 1).failed
    shared = run.Run(job).shared([single("in.conllu", "parts.out")], AtOnce())
    assert [each.error for each in shared.failed] == [alone.error]
    assert not Path("parts.out").exists()


def test_another_build_does_it_again(pipeline_file, monkeypatch):
    Path("texts").mkdir()
    Path("texts/a.txt").write_text("The birds sing.")
    job = ParseJob(ParseJobOptions(str(pipeline_file), stop_after="tokens"))
    files, _ = pairs(["texts"], "out", "conllu", any_ending=False)
    assert run.Run(job).alone(files, 1).parsed == 1
    assert run.Run(job).alone(files, 1).finished == 1
    monkeypatch.setattr(run, "own_build", lambda: "another")
    assert run.Run(job).alone(files, 1).parsed == 1


@pytest.mark.parametrize("name", ["letter.txt", ".hidden"])
def test_a_folder_of_somebody_else_is_not_touched(pipeline_file, name):
    Path("story.txt").write_text(story(), encoding="utf-8")
    options = ParseJobOptions(str(pipeline_file), stop_after="tokens")
    Path("out.parts").mkdir()
    Path("out.parts", name).write_text("mine")
    (failed,) = run.Run(ParseJob(options)).shared([single("story.txt", "out")], AtOnce()).failed
    assert failed.error.startswith("out.parts: expected parts of the output, or no folder")
    assert [path.name for path in Path("out.parts").iterdir()] == [name]
    Path("out.parts", name).unlink()
    in_parts(options, "story.txt", "out")
    Path("out.parts").write_text("a file")
    (failed,) = run.Run(ParseJob(options)).shared([single("story.txt", "out")], AtOnce()).failed
    assert failed.error.startswith("out.parts: cannot be made: ")


@pytest.mark.parametrize(
    "change",
    [{"outcome": {"wrods": 1}}, {"outcome": 3}, {"outcome": {"messages": 7}}, {"outcome": {"error": "x"}}, {"more": 1}],
)
def test_odd_records_count_as_none(pipeline_file, change):
    Path("story.txt").write_text(story(), encoding="utf-8")
    options = ParseJobOptions(str(pipeline_file), stop_after="tokens")
    with pytest.raises(KeyboardInterrupt):
        in_parts(options, "story.txt", workers=Stopping())
    for path in Path("parts.out.parts").glob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    tasks, _ = in_parts(options, "story.txt")
    assert tasks == in_parts(options, "story.txt", "again.out")[0]


def test_a_record_that_does_not_fit_on_the_disk_ends_nothing_else(pipeline_file, monkeypatch):
    """The file is named at the end, and the next one is parsed."""
    Path("texts").mkdir()
    for name in ("a", "b"):
        Path(f"texts/{name}.txt").write_text("They ate.\n")
    write = work.OutputRecord.write

    def limited(record, path):
        if "a.conllu" in path:
            raise pp.ConlluError(f"{path}: cannot be written: No space left on device")
        write(record, path)

    monkeypatch.setattr(work.OutputRecord, "write", limited)
    made, _ = pairs(["texts"], "parsed", "conllu", any_ending=False)
    for totals in (
        run.Run(ParseJob(ParseJobOptions(str(pipeline_file)))).alone(made, 1),
        run.Run(ParseJob(ParseJobOptions(str(pipeline_file))), force=True).shared(made, AtOnce()),
    ):
        assert totals.parsed == 1
        assert [each.error for each in totals.failed] == [
            "parsed/.panparser/a.conllu.json: cannot be written: No space left on device"
        ]
