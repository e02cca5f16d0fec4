"""Request parameters, from the URL or a form (urlencoded or multipart), in strict UTF-8.

Parsers of frameworks are not used: they guess encodings, or limit the length of a field.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from email.message import Message
from email.parser import BytesHeaderParser
from urllib.parse import parse_qsl

from panparser.serve.limits import RequestError

MAX_FIELDS = 64
MAX_HEADER_BYTES = 1 << 13  # bytes of the headers of a part
_MULTIPART, _URLENCODED = "multipart/form-data", "application/x-www-form-urlencoded"
_END_OF_HEADERS = re.compile(rb"(?:^|\r?\n)\r?\n")


def parse_query(query: bytes) -> dict[str, str]:
    """The parameters of a URL; the last of a name counts, and blank ones do."""
    try:
        return _pairs(query)
    except ValueError:
        raise RequestError("Cannot parse request URL.") from None


def parse_form(content_type: str | None, body: bytes) -> dict[str, str]:
    """The parameters of a form."""
    kind = "" if content_type is None else content_type.partition(";")[0].strip().lower()
    if kind not in (_MULTIPART, _URLENCODED):
        shown = "<none>" if content_type is None else content_type
        raise RequestError(f"Unsupported payload Content-Type '{shown}'.")
    try:
        return _pairs(body) if kind == _URLENCODED else _parts(content_type or "", body)
    except ValueError:
        raise RequestError(f"Cannot parse the {kind} payload.") from None


def decode_text(body: bytes) -> str:
    """A body that is a text."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise RequestError("The payload is not in UTF-8 encoding.") from None


def _pairs(text: bytes) -> dict[str, str]:
    """Raises ValueError if it is not UTF-8, be it raw or %-encoded, or has too many fields."""
    found = parse_qsl(text.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    return dict(found)


def _parts(content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a form in parts. Raises ValueError if it is malformed.

    Lines end as the first one does; the line end before a boundary belongs to the boundary.
    """
    boundary = _boundary(content_type)
    first = body.find(b"--" + boundary)
    if first < 0 or (first > 0 and body[first - 1 : first] != b"\n"):
        raise ValueError("no boundary at the beginning of a line")
    line_end = b"\r\n" if body[first + 2 + len(boundary) :].lstrip(b" \t").startswith(b"\r\n") else b"\n"
    pieces = (line_end + body[first:]).split(line_end + b"--" + boundary, MAX_FIELDS + 2)[1:]
    if len(pieces) > MAX_FIELDS + 1:
        raise ValueError("too many parts")
    fields: dict[str, str] = {}
    for piece in pieces:
        if piece.startswith(b"--"):
            return fields
        padding, begun, part = piece.partition(line_end)
        if padding.strip(b" \t") or not begun:
            raise ValueError("something else in the line of a boundary")
        name, value = _field(part)
        if name is not None:
            fields[name] = value.decode()
    raise ValueError("no last boundary")


def _boundary(content_type: str) -> bytes:
    message = Message()
    message["Content-Type"] = content_type
    boundary = message.get_boundary()
    if not boundary or len(boundary) > 200:
        raise ValueError("no boundary")
    return boundary.encode("latin-1")  # as headers are decoded


def _field(part: bytes) -> tuple[str | None, bytes]:
    """The name and the value of a part."""
    end = _END_OF_HEADERS.search(part, 0, MAX_HEADER_BYTES)
    if end is None:
        raise ValueError("headers without an end")
    headers = BytesHeaderParser().parsebytes(part[: end.start()] + b"\n\n")
    name = headers.get_param("name", header="content-disposition")
    value = part[end.end() :]
    encoding = str(headers.get("content-transfer-encoding", "8bit")).strip().lower()
    if encoding == "base64":
        try:
            value = base64.b64decode(re.sub(rb"\s", b"", value), validate=True)
        except binascii.Error as error:
            raise ValueError(str(error)) from None
    elif encoding == "quoted-printable":
        value = quopri.decodestring(value)
    elif encoding not in ("7bit", "8bit", "binary"):
        raise ValueError(f"unknown encoding {encoding}")
    return (name[2] if isinstance(name, tuple) else name), value
