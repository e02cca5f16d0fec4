"""Clients of all kinds at a loopback port: those of UDPipe, others, and bad ones."""

from __future__ import annotations

import email.policy
import itertools
import json
import socket
import time
import urllib.request
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.mime.text import MIMEText
from urllib.parse import quote_plus

import pytest

import panparser as pp

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from asking import serving
from conllu_lines import line
from panparser.treebank.conllu import parse_conllu
from udpipe import Client, RefusedError, form

TEXT = "Děti ate the pizza.\n\nHe slept.\n"
WORDS = line(1, "They", upos="PRON") + line(2, "ate", upos="VERB") + line(3, "pizza", upos="NOUN") + "\n"
URLENCODED = "application/x-www-form-urlencoded"
HEAD = "POST /process?input=horizontal&output=vertical HTTP/1.1\r\nHost: x\r\nContent-Type: {}\r\n"


@pytest.fixture(scope="module")
def place(models):
    with serving(models, timeout_seconds=30) as address:
        yield address


@pytest.fixture(scope="module", params=["", "/", "/api", "/services/udpipe/api/"])
def client(request, place):
    return Client(f"http://{place[0]}:{place[1]}{request.param}")


def posted(place: tuple[str, int], kind: str, body: bytes, query: str = "") -> str:
    address = f"http://{place[0]}:{place[1]}/process?{query}"
    with urllib.request.urlopen(urllib.request.Request(address, body, {"Content-Type": kind})) as answer:
        return json.loads(answer.read())["result"]


def is_alive(place: tuple[str, int]) -> bool:
    return posted(place, URLENCODED, b"data=a", "input=horizontal&output=vertical") == "a\n\n"


def received(connection: socket.socket) -> bytes:
    found = b""
    while piece := connection.recv(1 << 16):
        found += piece
    return found


# --- UDPipe's own ---


def test_the_form_is_what_udpipe_s_client_builds():
    fields = {"data": "Děti\r\n\n pojedou", "tokenizer": ""}
    message = MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in fields.items():
        part = MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    boundary = message.get_boundary()
    kind, own = form(fields, boundary)
    assert own == body
    assert kind == message["Content-Type"]


def test_models_are_listed(client):
    assert client.models() == ["en", "default en"]


def test_text_to_trees(client):
    model, result = client.process(TEXT, model="english", tokenizer="", tagger="", parser="", output="conllu")
    assert model == "en"
    expected = pp.load("en")(TEXT)
    found = parse_conllu(result)
    assert found.heads.tolist() == expected.heads.tolist()
    assert [each.sent_id for each in found] == ["1", "2"]


@pytest.mark.parametrize(
    ("flags", "data"),
    [
        ({"input": "conllu"}, WORDS),
        ({"input": "horizontal"}, "They ate pizza\n"),
        ({"input": "vertical"}, "They\nate\npizza\n\n"),
        ({"input": "generic_tokenizer"}, "They ate pizza"),
        ({"tokenizer": "presegmented"}, "They ate pizza\n"),
        ({"tokenizer": "ranges", "input": "vertical"}, "They ate pizza"),
        ({"tokenizer": "normalized_spaces"}, "They  ate\npizza"),
    ],
)
def test_every_flag(place, flags, data):
    client = Client(f"http://{place[0]}:{place[1]}/")
    steps = {"tagger": "", "parser": ""}
    for count, output in itertools.product(range(3), ("conllu", "horizontal", "vertical", "plaintext", "matxin")):
        some = dict(list(steps.items())[:count])
        model, result = client.process(data, **flags, **some, output=output)
        assert model == "en"
        if output != "matxin" or "parser" in some:  # which has nothing but trees
            assert [word in result for word in ("They", "ate", "pizza")] == [True] * 3
        if output == "conllu":
            parsed = parse_conllu(result)
            assert (parsed.heads.tolist() == [2, 0, 2]) == ("parser" in some)
        if output == "horizontal":
            assert result == "They ate pizza\n"


def test_a_file_of_four_megabytes(place):
    client = Client(f"http://{place[0]}:{place[1]}")
    sentence = "Děti pojedou k babičce . " * 10 + "\n"
    data = sentence * (int(3.9 * (1 << 20)) // len(sentence.encode()))
    assert 3.89 * (1 << 20) < len(data.encode()) < 4 << 20
    assert client.process(data, input="horizontal", output="horizontal")[1] == data.replace(" \n", "\n")
    with pytest.raises(RefusedError, match=r"^The payload size is too large\.$"):
        client.process(data * 2, input="horizontal", output="horizontal")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"model": "klingon"}, "The requested model 'klingon' does not exist."),
        ({"input": "conllu"}, "Cannot parse the input in 'conllu' format.\nline 1: expected 10 columns"),
        ({"input": "epe"}, "Cannot parse the input in 'epe' format."),
        ({"tokenizer": "", "output": "epe"}, "Unknown output format 'epe'."),
        ({"tokenizer": "joint_with_parsing"}, "Unknown tokenizer option 'joint_with_parsing'"),
    ],
)
def test_what_is_wrong_is_told(client, flags, message):
    with pytest.raises(RefusedError) as refused:
        client.process("no conllu", **flags)
    assert str(refused.value).startswith(message)


# --- Others ---


def test_a_form_of_email_mime(place):
    message = MIMEMultipart("form-data")
    for name, value in {"data": "Děti spí", "input": "horizontal", "output": "vertical"}.items():
        part = MIMEText(value, "plain", "utf-8")
        part.add_header("Content-Disposition", "form-data", name=name)
        message.attach(part)
    _, _, body = message.as_bytes().partition(b"\n\n")
    assert posted(place, message["Content-Type"].replace("\n", ""), body) == "Děti\nspí\n\n"


@pytest.mark.parametrize("body", ["data=Děti spí", f"data={quote_plus('Děti spí')}", "data=D%C4%9bti+spí"])
def test_urlencoded_text_is_raw_or_encoded(place, body):
    assert posted(place, URLENCODED, body.encode(), "input=horizontal&output=vertical") == "Děti\nspí\n\n"


def test_files_of_curl(place):
    body = (
        b'--b\r\nContent-Disposition: form-data; name="data"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
        b"\xef\xbb\xbfa b\n\r\n--b--\r\n"
    )
    query = "input=horizontal&output=vertical"
    assert posted(place, "multipart/form-data; boundary=b", body, query) == "a\nb\n\n"


# --- Bad ones ---


def test_a_sentence_of_a_megabyte(place):
    client = Client(f"http://{place[0]}:{place[1]}")
    with pytest.raises(RefusedError, match="sentence longer than 16000 words"):
        client.process("word " * 200_000, tokenizer="presegmented")
    with pytest.raises(RefusedError, match="Sentence longer than 16000 words"):
        client.process("word " * 200_000, input="horizontal", parser="")
    word = "w" * 1_000_000
    assert client.process(word, input="horizontal", output="vertical")[1] == f"{word}\n\n"
    assert client.process(word, tokenizer="", tagger="", parser="", output="vertical")[1].replace("\n", "") == word


@pytest.mark.parametrize("body", [b"data=\xff\xfe", b"data=%FF", b"data=\xed\xa0\x80"])
def test_invalid_utf8(place, body):
    with pytest.raises(urllib.error.HTTPError) as refused:
        posted(place, URLENCODED, body)
    assert (refused.value.code, refused.value.read()) == (400, f"Cannot parse the {URLENCODED} payload.".encode())


@pytest.mark.parametrize("length", ["Content-Length: 1000000000", "Transfer-Encoding: chunked"])
def test_an_endless_body_is_answered(models, length):
    chunk = b"data=" if "Length" in length else b"5\r\ndata=\r\n"
    with serving(models, timeout_seconds=1) as place, socket.create_connection(place, timeout=30) as endless:
        endless.sendall(HEAD.format(URLENCODED).encode() + f"{length}\r\n\r\n".encode())
        for _ in range(200):
            endless.sendall(chunk * 100)
        assert received(endless).startswith(b"HTTP/1.1 400")
        assert is_alive(place)


def test_clients_that_leave_harm_nobody(place):
    data = b"data=" + b"They ate the pizza .\n" * 2000
    head = HEAD.format(URLENCODED).replace("output=vertical", "parser=") + f"Content-Length: {len(data)}\r\n\r\n"
    whole = head.encode() + data
    for sent in (10, len(head) - 2, len(head) + 100, len(whole)):
        for _ in range(5):
            with socket.create_connection(place, timeout=30) as leaving:
                leaving.sendall(whole[:sent])
                time.sleep(0.01)
    assert is_alive(place)


@pytest.mark.parametrize(
    "path", ["/../etc/passwd", "/assets/../../page.py", "/%2e%2e%2fetc%2fpasswd", "/assets/\\..", "/.git"]
)
def test_paths_lead_nowhere(place, path):
    with socket.create_connection(place, timeout=30) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert received(connection).startswith(b"HTTP/1.1 404")
