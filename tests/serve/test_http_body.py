"""Forms of all kinds; strictly UTF-8."""

from __future__ import annotations

import email.policy
from contextlib import suppress
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.mime.text import MIMEText
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panparser.serve.http_body import decode_text, parse_form, parse_query
from panparser.serve.limits import RequestError

URLENCODED = "application/x-www-form-urlencoded"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def multipart(fields: dict[str, str], line_end: str = "\r\n", boundary: str = "b0undary") -> bytes:
    """A form as browsers and curl write it."""
    parts = []
    for name, value in fields.items():
        parts += [f"--{boundary}", f'Content-Disposition: form-data; name="{name}"', "", value]
    return line_end.join([*parts, f"--{boundary}--", ""]).encode()


@given(st.dictionaries(st.text("abc", min_size=1), TEXTS, max_size=4), st.booleans())
def test_urlencoded_text_may_be_raw_or_encoded(fields, is_raw):
    keep = "".join(chr(point) for point in range(0x80, 0x250)) if is_raw else ""
    body = "&".join(f"{name}={quote_plus(value, safe=keep)}" for name, value in fields.items()).encode()
    assert parse_form(URLENCODED, body) == fields
    assert parse_query(body) == fields


@given(st.dictionaries(st.text("abc", min_size=1), TEXTS, max_size=4), st.sampled_from(["\r\n", "\n"]))
def test_parts_are_faithful_to_the_byte(fields, line_end):
    body = multipart(fields, line_end)
    assert parse_form("multipart/form-data; boundary=b0undary", body) == fields
    assert parse_form('multipart/form-data; charset=utf-8; boundary="b0undary"', b"preamble\n" + body) == fields


@pytest.mark.parametrize("value", ["", "\n", "\r\n\r\n", "a\rb\x0c\x85\u2028", " --b0undary", "x--b0undary--", " a "])
def test_values_keep_what_looks_like_structure(value):
    assert parse_form("multipart/form-data; boundary=b0undary", multipart({"data": value})) == {"data": value}


def client_form(fields: dict[str, str]) -> tuple[str, bytes]:
    """What UDPipe's client sends."""
    message = MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in fields.items():
        part = MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]  # after that, the header has the boundary
    return message["Content-Type"], body


def mime_form(fields: dict[str, str]) -> tuple[str, bytes]:
    """What other clients build with `email.mime`: lines that end with LF, base64."""
    message = MIMEMultipart("form-data")
    for name, value in fields.items():
        part = MIMEText(value, "plain", "utf-8")
        part.add_header("Content-Disposition", "form-data", name=name)
        message.attach(part)
    _, _, body = message.as_bytes().partition(b"\n\n")
    return message["Content-Type"], body


@pytest.mark.parametrize("form", [client_form, mime_form])
def test_forms_of_clients(form):
    fields = {"data": "Děti pojedou k babičce.", "tokenizer": "", "output": "conllu"}
    assert parse_form(*form(fields)) == fields


def test_quoted_printable_is_read():
    body = multipart({"data": "D=C4=9Bti"}).replace(b'"data"', b'"data"\r\nContent-Transfer-Encoding: quoted-printable')
    assert parse_form("multipart/form-data; boundary=b0undary", body) == {"data": "Děti"}


def test_files_are_fields_too():
    body = multipart({"data": "x"}).replace(b'name="data"', b'name="data"; filename="a.txt"')
    assert parse_form("multipart/form-data; boundary=b0undary", body) == {"data": "x"}


def test_the_last_of_a_name_counts_and_blank_values_do():
    assert parse_query(b"a=1&a=2&b&c=") == {"a": "2", "b": "", "c": ""}


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        (None, b"", "Unsupported payload Content-Type '<none>'."),
        ("text/html", b"", "Unsupported payload Content-Type 'text/html'."),
        (URLENCODED, b"data=\xff", "Cannot parse the application/x-www-form-urlencoded payload."),
        (URLENCODED, b"data=%FF", "Cannot parse the application/x-www-form-urlencoded payload."),
        (URLENCODED, b"data=%ED%A0%80", "Cannot parse the application/x-www-form-urlencoded payload."),
        (URLENCODED, b"&a=" * 100, "Cannot parse the application/x-www-form-urlencoded payload."),
        *(
            ("multipart/form-data; boundary=b", body, "Cannot parse the multipart/form-data payload.")
            for body in (
                b"",
                b"--b",
                b"--b\r\n\r\nx",
                b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\xff\r\n--b--",
                b"--b\r\nContent-Disposition: form-data; name=a",
                b"--b\r\nContent-Transfer-Encoding: base64\r\n\r\n!\r\n--b--",
                b"--b\r\nContent-Transfer-Encoding: rot13\r\n\r\n!\r\n--b--",
                b"--b\r\nA: " + b"x" * 9000 + b"\r\n\r\n!\r\n--b--",
                b"--bc\r\n\r\nx\r\n--b--",
                b"--b\r\n\r\n" * 200 + b"--b--",
            )
        ),
        ("multipart/form-data", b"--\r\n\r\nx\r\n----", "Cannot parse the multipart/form-data payload."),
    ],
)
def test_what_is_malformed_is_refused(kind, body, message):
    with pytest.raises(RequestError) as refused:
        parse_form(kind, body)
    assert (refused.value.message, refused.value.status) == (message, 400)


def test_urls_and_texts_are_utf8():
    with pytest.raises(RequestError, match=r"Cannot parse request URL\."):
        parse_query(b"data=%FF")
    with pytest.raises(RequestError, match=r"The payload is not in UTF-8 encoding\."):
        decode_text(b"\xff")


@given(st.sampled_from([URLENCODED, "multipart/form-data; boundary=b", "multipart/form-data"]), st.data())
def test_any_bytes_are_read_or_refused(kind, data):
    pieces = [b"--b", b"\r\n", b"\n", b"--", b'Content-Disposition: form-data; name="a"', b"=", b"&", b"%", b"\xff"]
    body = b"".join(data.draw(st.lists(st.one_of(st.sampled_from(pieces), st.binary(max_size=4)), max_size=12)))
    with suppress(RequestError):
        found = parse_form(kind, body)
        assert all(isinstance(each, str) for pair in found.items() for each in pair)
