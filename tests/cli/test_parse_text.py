"""`panparser parse`: text."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import pytest

import panparser as pp
from panparser.corpora import sources
from places import ENGLISH

TEXT = "The birds sing. They stopped,\nand the road disappeared!"


@pytest.fixture
def feed(monkeypatch):
    """Puts bytes on standard input."""

    def put(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))

    return put


def raw(conllu):
    return pp.extract_raw_text(pp.parse_conllu(conllu)).text


def test_text_from_everywhere_is_the_same(run, pipeline_file, feed, tmp_path):
    def parse(*arguments):
        code, out, err = run("parse", "-m", pipeline_file, *arguments)
        assert (code, err) == (0, "")
        return out

    expected = parse("--text", TEXT)
    assert raw(expected) == TEXT
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "plain").write_text(TEXT)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    for name in ("a.txt", "plain", "a.txt.gz"):
        assert parse(tmp_path / name) == expected
    feed(TEXT.encode())
    assert parse() == expected
    feed(TEXT.encode())
    assert parse("-", "--input-format", "text") == expected
    feed(expected.encode())
    assert parse().splitlines()[4:] == expected.splitlines()[4:]
    parse("--text", TEXT, "-o", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text() == expected


def test_text_that_is_divided(run, pipeline_file):
    def forms(text, kind):
        _, out, _ = run("parse", "-m", pipeline_file, "--text", text, "--input-format", kind)
        return [sentence.forms for sentence in pp.parse_conllu(out)]

    assert forms("birds sing .\nthey stop .", "tokens") == [["birds", "sing", "."], ["they", "stop", "."]]
    assert forms("birds\nsing\n\nthey", "vertical") == [["birds", "sing"], ["they"]]
    assert len(forms("The birds sing. They stop.\nAnd?", "lines")) == 2


def test_conllu_keeps_tokens_and_what_is_asked_for(run, pipeline_file, english, tmp_path):
    gold = english[1]
    pp.write_conllu(tmp_path / "gold.conllu", gold)

    def parse(*arguments):
        code, out, err = run("parse", "-m", pipeline_file, tmp_path / "gold.conllu", *arguments)
        assert (code, err) == (0, "")
        return pp.parse_conllu(out)

    def same(found, name):
        return [s.values(name) for s in found] == [s.values(name) for s in gold]

    plain = parse()
    assert same(plain, "form")
    assert not same(plain, "upos")
    assert not same(plain, "lemma")
    kept = parse("--keep", "tokens,tags,lemmas")
    assert all(same(kept, name) for name in ("upos", "xpos", "feats"))
    lemmas = zip((t for s in kept for t in s), (t for s in gold for t in s), strict=True)
    assert all(found.lemma == own.lemma for found, own in lemmas if own.lemma != "_")
    assert kept.heads.tolist() != gold.heads.tolist()
    assert parse("--keep", "heads").heads.tolist() == gold.heads.tolist()


def test_parts_alone(run, pipeline_file, tmp_path):
    pipeline = pp.load(pipeline_file)
    pipeline.taggers[0].save(tmp_path / "tagger")
    pipeline.tokenizer.save(tmp_path / "tokenizer")
    code, out, _ = run("parse", "-m", tmp_path / "tokenizer", "--text", TEXT)
    assert code == 0
    assert raw(out) == TEXT
    pp.write_conllu(tmp_path / "in.conllu", pp.parse_conllu(out))
    code, out, _ = run("parse", "-m", tmp_path / "tagger", tmp_path / "in.conllu")
    assert code == 0
    assert pp.parse_conllu(out).column("upos").all()
    assert (pp.parse_conllu(out).heads == -1).all()
    code, _, err = run("parse", "-m", tmp_path / "tagger", "--text", TEXT)
    assert (code, "no tokenizer" in err) == (2, True)
    code, out, _ = run("info", tmp_path / "tokenizer")
    assert (code, "tokenizer" in out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--text", "x", "file.conllu"], "--text cannot be used with a file; got file.conllu"),
        (["--text", "x", "--input-format", "conllu"], "cannot be used with --input-format conllu or conllx"),
        (["--text", "x", "--keep", "tags"], "--keep requires a treebank; got text"),
        (["--text", "x", "--input-format", "conllx"], "cannot be used with --input-format conllu or conllx"),
        (["missing.txt"], "missing.txt: cannot be read"),
        (["missing"], "missing: cannot be read"),
        (["--text", "x", "--keep", "colours"], "expected some of tokens, tags"),
    ],
)
def test_parse_refuses(run, pipeline_file, arguments, said):
    code, out, err = run("parse", "-m", pipeline_file, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_parser_alone_needs_treebanks(run, parser, tmp_path):
    parser.save(tmp_path / "parser")
    code, _, err = run("parse", "-m", tmp_path / "parser", "--text", "x")
    assert code == 2
    assert "expected a pipeline to parse text" in err


def test_formats(run, pipeline_file, tmp_path):
    def parse(format, *arguments):
        code, out, err = run("parse", "-m", pipeline_file, "--text", TEXT, "--output-format", format, *arguments)
        assert (code, err) == (0, "")
        return out

    doc = pp.load(pipeline_file)(TEXT)
    assert parse("tree") == doc.draw() + "\n\n"
    first, second = json.loads(parse("json"))
    assert first["text"] == "The birds sing."
    token = second["tokens"][1]
    assert TEXT[token["start"] : token["end"]] == token["form"] == "stopped"
    assert token["head"] == doc[1][1].head
    assert ET.fromstring(parse("svg")).findall("{http://www.w3.org/2000/svg}svg")[1].get("y") != "0"
    assert parse("html").count("<figure>") == 2
    for suffix in ("json", "svg", "html"):
        path = tmp_path / f"x.{suffix}"
        assert run("parse", "-m", pipeline_file, "--text", TEXT, "-o", path)[0] == 0
        assert path.read_text() == parse(suffix)
    trees = json.loads(parse("json", "--k-best", "2"))
    assert [tree["comments"]["tree"] for tree in trees][:2] == ["1/2", "2/2"]
    assert float(trees[0]["comments"]["score"]) >= float(trees[1]["comments"]["score"])


def test_empty_output_is_well_formed(run, pipeline_file):
    for format, expected in (("conllu", ""), ("tree", ""), ("json", "[]\n")):
        assert run("parse", "-m", pipeline_file, "--text", " ", "--output-format", format) == (0, expected, "")
    for format in ("svg", "html"):
        code, out, _ = run("parse", "-m", pipeline_file, "--text", "", "--output-format", format)
        assert code == 0
        assert "figure>" not in out
    ET.fromstring(run("parse", "-m", pipeline_file, "--text", "", "--output-format", "svg")[1])


def test_pages_escape_text_and_ask_for_nothing_outside(run, pipeline_file):
    evil = "<script>alert(1)</script> & \"quotes\" <img src='http://x/y'> \x1b[31m \x00"
    _, page, _ = run("parse", "-m", pipeline_file, "--text", evil, "--output-format", "html")

    found = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.add(tag)
            assert not {"src", "href", "onload"} & {name for name, _ in attributes}

    Tags().feed(page)
    assert not found & {"script", "img", "link", "iframe"}
    assert "\x1b" not in page
    assert "\x00" not in page
    _, svg, _ = run("parse", "-m", pipeline_file, "--text", evil, "--output-format", "svg")
    assert "alert" in "".join(ET.fromstring(svg).itertext())
    _, tree, _ = run("parse", "-m", pipeline_file, "--text", evil, "--output-format", "tree")
    assert "\x1b" not in tree


STRANGE = {
    "one character": "x",
    "no spaces": "thebirdssingandtheroaddisappeared" * 20,
    "emoji": "Nice 👩‍👩‍👧‍👦 day 🇫🇷🇩🇪 👍🏽! And ☺️.",
    "combining marks": "e\u0301t\u0323\u0301e\u0301 a\u0308o\u0308 \u0301alone",
    "right to left": "שלום עולם. مرحبا بالعالم! \u202eabc\u202c",
    "NUL bytes": "The\x00birds \x00 sing.\x00",
    "controls": "a\x1b[31mb\x7f\x85c\u2028d\u2029e\ufefff",
    "odd white space": "\t a\u00a0b\u3000c\r\nd\re\n\n\n f \v\f",
    "like CoNLL-U": "# text = no\n1\tThe\tthe\tDET\n\n1-2\tdu\n",
    "no letters": "... --- !!! ??? ((( \\ | = _ _ ' \"",
    "scripts": "これは日本語です。สวัสดีชาวโลก สบายดีไหม 你好，世界！",
    "one long line": "The birds sing and they stopped. " * 2000,
}


@pytest.mark.unmeasured
@pytest.mark.unmeasured
@pytest.mark.parametrize("name", STRANGE)
def test_every_character_of_strange_text_is_accounted_for(run, pipeline_file, tmp_path, name):
    text = STRANGE[name]
    path = tmp_path / "strange.txt"
    path.write_bytes(text.encode())
    code, out, err = run("parse", "-m", pipeline_file, path)
    assert (code, err) == (0, "")
    read = pp.parse_conllu(out)
    assert not [problem for problem in read.parse_problems if problem.fatal]
    assert pp.extract_raw_text(read).text == text.removeprefix("\ufeff")
    assert (read.heads >= 0).all()
    for format in ("tree", "json", "svg", "html"):
        if len(text) < 10_000:
            assert run("parse", "-m", pipeline_file, path, "--output-format", format)[0] == 0
    if len(text) < 10_000:
        svg = run("parse", "-m", pipeline_file, path, "--output-format", "svg")[1]
        ET.fromstring(svg.encode())


@pytest.mark.slow
def test_a_line_of_a_megabyte(run, pipeline_file, tmp_path):
    for text in ("The birds sing, and " * 50_000, "x" * 1_000_000, "x." * 500_000):
        (tmp_path / "long.txt").write_text(text)
        code, out, err = run("parse", "-m", pipeline_file, tmp_path / "long.txt")
        assert (code, err) == (0, "")
        assert raw(out) == text


@pytest.mark.parametrize("data", [b"caf\xe9", b"\xff\xfea\x00", b"a\xed\xa0\x80b"])
def test_text_that_is_no_utf8_is_refused(run, pipeline_file, tmp_path, feed, data):
    (tmp_path / "bad.txt").write_bytes(data)
    code, out, err = run("parse", "-m", pipeline_file, tmp_path / "bad.txt")
    assert (code, out) == (2, "")
    assert "bad.txt:1: expected UTF-8, found " in err
    feed(data)
    code, _, err = run("parse", "-m", pipeline_file, "--input-format", "text")
    assert (code, "<stdin>:1: expected UTF-8" in err) == (2, True)


def test_output_that_failed_is_not_left_behind(run, pipeline_file, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"The birds sing.\n\n" * 10 + b"\xff")
    code, _, _ = run("parse", "-m", pipeline_file, tmp_path / "bad.txt", "-o", tmp_path / "out.json")
    assert code == 2
    assert not (tmp_path / "out.json").exists()


def test_long_files_come_in_pieces(run, pipeline_file, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 1 << 12)
    text = "The birds sing. They stopped.\n\n" * 1000
    (tmp_path / "long.txt").write_text(text)
    code, out, _ = run("parse", "-m", pipeline_file, tmp_path / "long.txt", "--threads", "2")
    assert code == 0
    assert raw(out) == text
    numbers = [line for line in out.splitlines() if line.startswith("# sent_id")]
    assert numbers == [f"# sent_id = {n + 1}" for n in range(2000)]


def test_a_treebank_in_a_pipe_is_recognized(run, pipeline_file, monkeypatch, tmp_path):
    """However few bytes come at first, and however long the comments are before the first word."""
    treebank = b"# sent_id = 1\n# text = " + b"They " * 2000 + b"\n1\tThey" + b"\t_" * 8 + b"\n\n"

    class Trickle(io.BytesIO):
        def read1(self, size=-1):
            return super().read1(10)

        def readinto(self, buffer):
            return super().readinto(memoryview(buffer)[:10])

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Trickle(treebank))))
    code, out, _ = run("parse", "-m", pipeline_file)
    assert code == 0
    assert out.startswith(treebank.decode()[:10_000])
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        pool.submit((tmp_path / "pipe").write_bytes, treebank)
        assert run("parse", "-m", pipeline_file, tmp_path / "pipe")[:2] == (0, out)


def test_a_folder_is_no_model(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").mkdir()
    assert run("parse", "--text", "They ate.")[0] == 0


@pytest.mark.parametrize("text", ["Hello.\n\n\n", "\n\nHello.", "\n\n\nHello.\n", "Hi.\r\n\r\n\r\n", "A.\n\nB.\n\n \n"])
def test_a_file_gives_what_its_text_gives(run, pipeline_file, feed, tmp_path, text):
    _, expected, _ = run("parse", "-m", pipeline_file, "--text", text)
    assert raw(expected) == text
    (tmp_path / "x.txt").write_bytes(text.encode())
    assert run("parse", "-m", pipeline_file, tmp_path / "x.txt")[1] == expected
    feed(gzip.compress(text.encode()))
    assert run("parse", "-m", pipeline_file)[1] == expected


def test_no_input_is_replaced(run, pipeline_file, tmp_path):
    own = tmp_path / "own"
    own.write_bytes(pipeline_file.read_bytes())
    code, _, err = run("parse", "-m", own, "--text", "They ate.", "-o", own)
    assert (code, err) == (2, f"panparser: {own}: is an input file; choose another output file\n")
    assert own.read_bytes() == pipeline_file.read_bytes()
    treebank = tmp_path / "train.conllu"
    treebank.write_bytes(ENGLISH.read_bytes())
    for more in [], ["--pipeline"], ["-d", treebank]:
        code, _, err = run("train", "-t", treebank if "-d" not in more else ENGLISH, *more, "-o", treebank)
        assert (code, "is an input" in err) == (2, True)
    assert treebank.read_bytes() == ENGLISH.read_bytes()


def test_the_model_in_the_box_has_a_name_everywhere(run, tmp_path):
    assert "en.md" in run("info", "en")[1]
    assert list(pp.Pipeline.load("en").parts) == list(pp.load("en").parts)
    code, _, err = run("calibrate", "-m", "en", ENGLISH, "-o", tmp_path / "calibrated")
    assert (code, err) == (0, "")
    assert isinstance(pp.load(tmp_path / "calibrated"), pp.Pipeline)
    code, _, err = run("combine", "en", "en", "-o", tmp_path / "vote")
    assert (code, "tokenizers and taggers are left out" in err) == (0, True)
    assert len(pp.load(tmp_path / "vote").voters) == 2


def test_an_empty_name_is_no_file(run, pipeline_file):
    code, _, err = run("parse", "-m", pipeline_file, "")
    assert (code, "cannot be read" in err) == (2, True)


def test_a_sentence_that_is_too_long_is_named(run, pipeline_file, tmp_path):
    (tmp_path / "x.txt").write_text("a b\nc d\n" + "a " * 16_001)
    code, _, err = run("parse", "-m", pipeline_file, tmp_path / "x.txt", "--input-format", "tokens")
    what = f"{tmp_path / 'x.txt'}:3: expected at most 16000 words in a sentence, found 16001"
    assert (code, err) == (2, f"panparser: {what}\n")
    code, out, err = run("parse", "-m", pipeline_file, tmp_path / "x.txt", "--input-format", "tokens", "--skip-errors")
    assert (code, err) == (0, f"panparser: {what}\npanparser: 1 problem; the rest was parsed (4 words)\n")
    assert [sentence.forms for sentence in pp.parse_conllu(out)] == [["a", "b"], ["c", "d"]]


def test_lenient_reads_bytes_that_are_not_utf8(run, pipeline_file, tmp_path):
    (tmp_path / "x.txt").write_bytes(b"The birds sing.\n\nThe caf\xe9 sings.\n")
    code, out, err = run("parse", "-m", pipeline_file, tmp_path / "x.txt")
    assert (code, out, "x.txt:3: expected UTF-8, found the byte 0xe9" in err) == (2, "", True)
    code, out, err = run("parse", "-m", pipeline_file, tmp_path / "x.txt", "--skip-errors")
    assert (code, "x.txt:3: expected UTF-8, found the byte 0xe9" in err) == (0, True)
    assert "caf\ufffd" in pp.parse_conllu(out)[-1].forms


def test_the_last_thing_to_predict(run, pipeline_file, tmp_path):
    nlp, text = pp.load(pipeline_file), "The birds sing. They stopped."
    for until in ("tokens", "tags", "trees"):
        code, out, _ = run("parse", "-m", pipeline_file, "--text", text, "--stop-after", until)
        assert (code, out) == (0, nlp(text, stop_after=until).to_conllu())
        (word, *_) = pp.parse_conllu(out)[0]
        assert (word.upos != "_", word.lemma != "_", word.head is not None) == (
            until != "tokens",
            until != "tokens",
            until == "trees",
        )
    for options, message in (
        (["--stop-after", "tags", "--k-best", "2"], "--k-best cannot be used with --stop-after tags"),
        (
            ["--stop-after", "tokens", "--input-format", "conllu", "-"],
            "has tokens (--input-format text reads it as text)",
        ),
    ):
        source = () if "--input-format" in options else ("--text", text)
        code, _, err = run("parse", "-m", pipeline_file, *source, *options)
        assert (code, message in err) == (2, True), err


def test_only_pipelines_stop_at_tags(run, model, data):
    code, _, err = run("parse", "-m", model, "dev.conllu", "--stop-after", "tags")
    assert (code, "has no tagger" in err) == (2, True)


def test_a_paragraph_a_line(run, pipeline_file, tmp_path):
    (tmp_path / "x.txt").write_text("The birds\nThe birds sing. They stopped.\n")
    code, out, _ = run("parse", "-m", pipeline_file, tmp_path / "x.txt", "--input-format", "paragraphs")
    assert (code, [s.text for s in pp.parse_conllu(out)]) == (0, ["The birds", "The birds sing.", "They stopped."])
    assert out.count("# newpar") == 2


def test_json_lines(run, pipeline_file, tmp_path):
    text = "The birds sing. They stopped."
    code, out, _ = run("parse", "-m", pipeline_file, "--text", text, "--output-format", "jsonl")
    assert (code, out) == (0, pp.load(pipeline_file)(text).to_json())
    assert [json.loads(line)["text"] for line in out.splitlines()] == ["The birds sing.", "They stopped."]
    assert run("parse", "-m", pipeline_file, "--text", text, "-o", tmp_path / "x.jsonl")[0] == 0
    assert (tmp_path / "x.jsonl").read_text() == out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs pseudo-terminals")
def test_parse_on_a_terminal_says_what_it_waits_for(pipeline_file):
    """Standard input is a terminal, in which somebody types a line and then Ctrl-D."""
    keys, terminal = os.openpty()
    command = [sys.executable, "-m", "panparser", "parse", "-m", str(pipeline_file), "--output-format", "tree"]
    with subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert "reading text from the terminal; Ctrl-D ends it" in process.stderr.readline()
        os.write(keys, b"They ate.\n\x04")
        out, err = process.communicate(timeout=60)
    os.close(keys)
    os.close(terminal)
    assert (process.returncode, err) == (0, "")
    assert "They" in out
