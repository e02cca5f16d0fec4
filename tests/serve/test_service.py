"""The application, without a network: UDPipe's contract point by point, and what goes beyond it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import panparser as pp

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from conllu_lines import line
from panparser.serve.limits import INTERNAL_ERROR
from panparser.serve.openapi import openapi
from panparser.serve.processing import RequestProcessor
from panparser.serve.served_models import ModelRegistry
from panparser.serve.service import _PATHS, WEBSITE
from panparser.treebank.conllu import parse_conllu

ALL = {"tokenizer": "", "tagger": "", "parser": ""}
WORDS = line(1, "They", upos="PRON") + line(2, "ate", upos="VERB") + line(3, "pizza", upos="NOUN") + "\n"
HEADER = "# generator = panparser {}\n# udpipe_model = en\n# udpipe_model_licence = CC BY-SA 4.0\n"


def columns(result: str, *names: str) -> list[list[str]]:
    treebank = parse_conllu(result)
    return [[cell for sentence in treebank for cell in sentence.values(name)] for name in names]


# --- Paths ---


def test_models(ask):
    answer = ask.get("/models")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert json.loads(answer.body) == {"models": {"en": ["tokenizer", "tagger", "parser"]}, "default_model": "en"}


@pytest.mark.parametrize(
    "path", ["//models", "/api/models", "/services/udpipe/api/models", "//services//udpipe/api//models", "/api//models"]
)
def test_paths_may_have_prefixes_and_doubled_slashes(ask, path):
    assert ask.get(path).body == ask.get("/models").body
    assert ask("POST", path, b"x", kind=None).body == ask.get("/models").body


@pytest.mark.parametrize(
    "path",
    [
        *("/x", "/api", "/process/", "/../etc/passwd", "/models/%2e%2e", "/api/api/models", "/assets", "/assets/"),
        *("/assets/../page.py", "/assets/%2e%2e/page.py", "/assets/step.html", "/assets/tree.js/", "/step/"),
    ],
)
def test_other_paths_have_no_handler(ask, path):
    answer = ask.get(path)
    assert answer.status == 404
    assert answer.text.startswith("No handler for the given URL '/")


def test_every_answer_may_be_read_by_pages_of_other_sites(ask):
    for answer in (ask.get("/models"), ask.get("/x"), ask.get("/process"), ask.post(data="", input="conllu")):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["connection"] == "close"
        assert answer.headers["x-content-type-options"] == "nosniff"
    answer = ask("OPTIONS", "/process")
    assert (answer.status, answer.headers["access-control-allow-methods"]) == (204, "GET, POST, OPTIONS")


def test_other_methods_are_refused(ask):
    assert ask("DELETE", "/models").status == 405


def test_health_and_metrics(ask):
    assert ask.get("/healthz").text == "alive\n"
    assert ask.get("/readyz").text == "ready\n"
    requests = [
        ("POST", "/process", b"data=They+ate.&tokenizer=", {}),
        ("GET", "/x", b"", {}),
        ("GET", "/metrics", b"", {}),
    ]
    ask.all(requests[:2])
    counts = dict(each.rsplit(" ", 1) for each in str(ask.service.metrics).splitlines() if not each.startswith("#"))
    assert counts['panparser_requests_total{path="/process",code="200"}'] == "1"
    assert counts['panparser_requests_total{path="other",code="404"}'] == "1"
    assert (counts["panparser_words_total"], counts["panparser_requests"]) == ("3", "0")
    assert "# TYPE panparser_requests gauge" in ask.get("/metrics").text


def test_the_description_is_that_of_the_handlers(ask):
    described = json.loads(ask.get("/openapi.json").body)
    assert described == openapi()
    assert set(described["paths"]) == _PATHS - {"/openapi.json"} - set(WEBSITE)
    example = {**ALL, "data": "It is.", "model": "en", "output": "conllu", "input": "conllu"}
    steps = {"sentence": "1", "beam": "2", "actions": "SHIFT"}
    examples = {"/process": example, "/derivation": {**example, **steps}}
    for path, given in (("/process", set(example)), ("/derivation", {*example, *steps} - {"output", "parser"})):
        assert {each["name"] for each in described["paths"][path]["get"]["parameters"]} == given
    for path, methods in described["paths"].items():
        for method in methods:
            parameters = examples.get(path, {})
            body = WORDS.encode() if path.startswith("/weblicht") else b""
            kind = next(iter(methods[method]["responses"]["200"]["content"]))
            if method == "post" and not body:
                answer = ask.post(path, **parameters)
            else:
                query = "&".join(f"{name}={value.replace(' ', '+')}" for name, value in parameters.items())
                answer = ask(method.upper(), f"{path}?{query}", body)
            assert answer.status == 200, (path, answer.text)
            assert answer.headers["content-type"].startswith(kind)


# --- Processing ---


def test_text_to_trees_by_get_and_post(ask):
    posted = ask.post(**ALL, data="Děti ate the pizza. He slept.")
    assert ask.get("/process", **ALL, data="Děti ate the pizza. He slept.").body == posted.body
    values = json.loads(posted.body)
    assert list(values) == ["model", "acknowledgements", "result"]
    assert values["model"] == "en"
    assert "Děti" in posted.text
    assert posted.result.startswith(HEADER.format(pp.__version__) + "# newdoc\n# newpar\n# sent_id = 1\n# text = Děti")
    assert posted.headers["x-billing-input-nfc-len"] == str(len("Dětiatethepizza.Heslept."))
    expected = pp.load("en")("Děti ate the pizza. He slept.")
    assert columns(posted.result, "upos", "lemma", "deprel") == columns(expected.to_conllu(), "upos", "lemma", "deprel")


def test_query_and_body_are_merged_and_the_body_wins(ask):
    answer = ask("POST", "/process?tokenizer=&output=vertical&data=no", b"data=Yes&model=english")
    assert answer.result == "Yes\n\n"
    assert json.loads(answer.body)["model"] == "en"


def test_text_is_normalized(ask):
    answer = ask.post(tokenizer="", output="vertical", data="\ufeffcafe\u0301")
    assert answer.result == "café\n\n"
    assert answer.headers["x-billing-input-nfc-len"] == "4"


def test_steps_are_done_as_far_as_asked_for(ask):
    (upos, heads) = columns(ask.post(tokenizer="", data="They ate.").result, "upos", "deprel")
    assert set(upos) == set(heads) == {"_"}
    (upos, labels) = columns(ask.post(data=WORDS, tagger="").result, "upos", "deprel")
    assert "_" not in upos
    assert set(labels) == {"_"}
    (upos, xpos, labels) = columns(ask.post(data=WORDS, parser="").result, "upos", "xpos", "deprel")
    assert (upos, set(xpos)) == (["PRON", "VERB", "NOUN"], {"_"})  # those of the input
    assert labels == ["nsubj", "root", "obj"]


def test_tokenizer_options(ask):
    text = "They  ate.\nHe\nslept."
    plain = ask.post(tokenizer="", data=text).result
    assert ("TokenRange" in plain, "SpacesAfter=" in plain) == (False, True)
    assert "TokenRange=6:9" in ask.post(tokenizer="ranges", data=text).result
    assert "SpacesAfter=" not in ask.post(tokenizer="normalized_spaces", data=text).result
    assert "SpaceAfter=No" in ask.post(tokenizer="normalized_spaces", data=text).result
    assert ask.post(tokenizer="presegmented", data=text, output="horizontal").result == "They ate .\nHe\nslept .\n"


@pytest.mark.parametrize(
    ("input", "data"),
    [
        ("horizontal", "a b.\nc"),
        ("vertical", "a\nb.\n\nc\n"),
        ("conllu", line(1, "a") + line(2, "b.") + "\n" + line(1, "c")),
    ],
)
def test_input_formats_become_output_formats(ask, input, data):
    assert ask.post(input=input, data=data, output="horizontal").result == "a b.\nc\n"
    assert ask.post(input=input, data=data, output="vertical").result == "a\nb.\n\nc\n\n"
    assert "a b. c" in ask.post(input=input, data=data, output="plaintext").result
    assert ask.post(input=input, data=data, output="matxin", parser="").result.count("<NODE") == 3


def test_line_ends_of_conllu_do_not_matter(ask):
    assert ask.post(data=WORDS.replace("\n", "\r\n"), parser="").result == ask.post(data=WORDS, parser="").result


def test_nothing_gives_nothing(ask):
    assert ask.post(data="").result == HEADER.format(pp.__version__)
    assert ask.post(data=" \n ", tokenizer="", output="horizontal").result == ""


def test_what_is_given_is_kept_and_completed(ask):
    given = (
        line(1, "They", upos="NOUN")
        + line(2, "ate", head=0, deprel="root")
        + line(3, "it", head=2, deprel="zzz")
        + "\n"
    )
    result = ask.post(data=given, parser="keep").result
    treebank = parse_conllu(result)
    assert treebank.heads.tolist()[1:] == [0, 2]
    assert treebank[0].labels[2] == "zzz"
    assert treebank[0].values("upos")[0] == "NOUN"
    assert "_" not in treebank[0].values("upos")
    assert "zzz" not in ask.post(data=given, parser="keep=heads").result


def test_what_no_tree_keeps_is_told_before_anything_is_sent(ask):
    cycle = line(1, "a", head=2, deprel="x") + line(2, "b", head=1, deprel="x") + "\n"
    answer = ask.post(data=WORDS * 9000 + cycle, parser="keep=heads")
    assert answer.status == 400
    assert "line 36001" in answer.text
    assert ask.post(data=cycle, parser="keep=heads;relax").status == 200
    long = "".join(line(word, "x") for word in range(1, 1002)) + "\n"
    assert ask.post(data=long, parser="keep").text == "With 'keep', sentences must have at most 1000 words."


def test_confidence_and_several_trees(ask):
    assert ask.post(**{**ALL, "parser": "confidence"}, data="They ate.").result.count("LabelConfidence=") == 3
    result = ask.post(**{**ALL, "parser": "k_best=3;beam=4"}, data="They ate it.").result
    assert result.count("# tree = ") == 3
    assert result.count("# newdoc") == 1
    assert set(columns(ask.post(data=WORDS, parser="k_best=2").result, "xpos")[0]) == {"_"}


def test_weblicht(ask):
    tokens = ask("POST", "/weblicht/tokenize?model=en&output=matxin", b"They ate.", kind="text/plain")
    assert tokens.headers["content-type"] == "application/conllu; charset=utf-8"
    assert "\tate\t" in tokens.text
    tagged = ask("POST", "/weblicht/tag", tokens.body, kind=None)
    parsed = ask("POST", "/weblicht/parse", tagged.body, kind=None)
    assert columns(parsed.text, "upos", "deprel") == [["PRON", "VERB", "PUNCT"], ["nsubj", "root", "punct"]]
    assert ask("POST", "/weblicht/tag", b"\xff").text == "The payload is not in UTF-8 encoding."


# --- Errors ---


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "The parameter 'data' is required."),
        ({"data": "x", "model": "nix"}, "The requested model 'nix' does not exist."),
        ({"data": "x"}, "Cannot parse the input in 'conllu' format.\nline 1: expected 10 columns"),
        ({"data": WORDS + "1\tx\n"}, "Cannot parse the input in 'conllu' format.\nline 5: expected 10 columns"),
        ({"data": "x", "output": "epe"}, "Unknown output format 'epe'."),
        (
            {"data": "w " * 16001, "input": "horizontal"},
            "Sentence longer than 16000 words was found on input, aborting.\n",
        ),
        ({"data": "w " * 16001, "tokenizer": "presegmented"}, "During tokenization, sentence longer than 16000 words"),
    ],
)
def test_errors_are_sentences(ask, parameters, message):
    answer = ask.post(**parameters)
    assert (answer.status, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert answer.text.startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": None}, "Unsupported payload Content-Type '<none>'."),
        ({"kind": "text/html"}, "Unsupported payload Content-Type 'text/html'."),
        ({"headers": {"content-length": None}}, "The Content-Length of payload is required."),
        ({"headers": {"content-length": "9" * 30}}, "The payload size is too large."),
        ({"headers": {"content-length": "5000000"}}, "The payload size is too large."),
        (
            {"headers": {"transfer-encoding": "chunked"}},
            "Only 'identity' Transfer-Encoding of payload is supported for now.",
        ),
        ({"headers": {"content-encoding": "gzip"}}, "Unsupported payload Content-Encoding 'gzip'."),
    ],
)
def test_bodies_are_refused_with_udpipes_sentences(ask, options, message):
    answer = ask("POST", "/process", b"data=x", **options)
    assert (answer.status, answer.text) == (400, message)


def test_invalid_utf8(ask):
    assert ask("POST", "/process", b"data=\xff").text.startswith("Cannot parse the application/x-www-form-urlencoded")
    assert ask("GET", "/process?data=%FF").text == "Cannot parse request URL."


def test_a_model_does_what_it_can(ask, models):
    english = models.served[0]
    parser = replace(english, names=("p",), pipeline=pp.Pipeline(parser=english.pipeline.parser))
    only = type(ask)(ModelRegistry([parser]))
    assert only.post(data="x", tokenizer="").text == "The required model does not contain a tokenizer!"
    assert only.post(data=WORDS, tagger="").text == "The required model does not contain a tagger!"
    assert columns(only.post(data=WORDS, parser="").result, "deprel") == [["nsubj", "root", "obj"]]


def test_internal_errors_are_told_without_details(ask, monkeypatch, caplog):
    monkeypatch.setattr(RequestProcessor, "read", lambda self: iter([1 / 0]))
    assert ask.post(data="").text == INTERNAL_ERROR
    assert "ZeroDivisionError" in caplog.text


def test_an_error_in_the_middle_makes_the_json_invalid(ask, monkeypatch, caplog):
    write, calls = RequestProcessor.write, []

    def fails(self, treebank):
        calls.append(treebank)
        return write(self, treebank) if len(calls) < 2 else 1 / 0

    monkeypatch.setattr(RequestProcessor, "write", fails)
    answer = type(ask)(ask.models, parser_threads=1).post(data=WORDS * 9000)
    assert (answer.status, answer.is_complete) == (200, True)
    assert answer.text.endswith(f"\n!error: {INTERNAL_ERROR}\n")
    with pytest.raises(json.JSONDecodeError):
        json.loads(answer.body)
    assert "ZeroDivisionError" in caplog.text


# --- Limits ---


def test_large_requests_come_in_pieces(ask):
    answer = ask.post(data=WORDS * 9000, parser="")
    assert answer.pieces > 2
    assert len(parse_conllu(answer.result)) == 9000


def test_limits_of_words_and_bodies(ask):
    small = type(ask)(ask.models, max_words=2, max_body_bytes=1000)
    assert small.post(data=WORDS).text == "The input has more than 2 words."
    assert small.post(data="x" * 1000).text == "The payload size is too large."
    assert small("POST", "/process", b"", pieces=[b"x" * 20], headers={"content-length": "10"}).status == 400


def test_an_endless_body_gets_its_answer(ask):
    small = type(ask)(ask.models, max_body_bytes=1000)
    answer = small("POST", "/process", b"", pieces=[b"x" * 100] * 1000, headers={"content-length": "100000"})
    assert answer.text == "The payload size is too large."


def test_busy_server_sends_retry_after(ask):
    narrow = type(ask)(ask.models, max_requests=2, max_active_requests=1)
    slow = {"pieces": [b"data=", b"x", b""], "pause": 0.01}
    answers = narrow.all([("POST", "/process?input=horizontal", b"", slow)] * 5)
    assert sorted(answer.status for answer in answers) == [200, 200, 503, 503, 503]
    assert all(answer.headers["retry-after"] == "2" for answer in answers if answer.status == 503)
    heavy = type(ask)(ask.models, max_body_bytes=10)
    body = {"pieces": [b"data=", b"xxxxx"], "pause": 0.01}
    answers = heavy.all([("POST", "/process?input=horizontal", b"", body)] * 70)
    assert [answer.status for answer in answers].count(503) == 6  # 64 bodies of the greatest size are held
    assert (
        heavy.service.admission.pending_bytes,
        heavy.service.admission.request_count,
        heavy.service.admission.active_count,
    ) == (0, 0, 0)


def test_a_body_that_does_not_come_in_time(ask):
    hasty = type(ask)(ask.models, timeout_seconds=0.05)
    answer = hasty("POST", "/process", b"", pieces=[b"data=", b"x"], pause=0.2)
    assert (answer.status, answer.text) == (408, "The payload took longer than 0.05 seconds.")


def test_work_that_takes_too_long(ask, monkeypatch):
    import time

    monkeypatch.setattr(RequestProcessor, "write", lambda self, treebank: time.sleep(0.2) or [])
    hasty = type(ask)(ask.models, timeout_seconds=0.1)
    answer = hasty.post(data=WORDS)
    assert (answer.status, answer.text.partition(";")[0]) == (400, "The processing took longer than 0.1 seconds")


def test_a_client_that_leaves_is_not_worked_for(ask, monkeypatch):
    monkeypatch.setattr(RequestProcessor, "write", lambda self, treebank: pytest.fail("somebody works for nobody"))
    body = f"data={'a+' * 10}".encode()
    answer = ask("POST", "/process?input=horizontal", body, leaves=True)
    assert answer.status == 0
    assert ask.service.metrics.disconnected == 1
    assert ask.service.admission.request_count == 0


def test_many_at_a_time_are_not_mixed_up(ask):
    texts = [f"Number {number} ate the pizza." for number in range(100)]
    requests = [("POST", "/process?tokenizer=&parser=&output=plaintext", f"data={text}".encode(), {}) for text in texts]
    answers = type(ask)(ask.models, max_active_requests=3).all(requests)
    assert [answer.result for answer in answers] == texts
