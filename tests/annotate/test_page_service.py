"""The page of a session: who may ask, what is refused, what is answered. Without a browser."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from annotating import Asker
from panparser.annotate.page_service import ROUTES
from panparser.annotate.page_support import Authenticator
from panparser.annotate.session import AnnotationSession

HEAD = {"edit": "head", "word": 1, "head": 2}
SEEN = {"key": "s1#", "layout_version": 0, "version": 0}  # of a view
READ = ["/", "/assets/annotate.js", "/api/summary", "/api/sentence/0", "/api/search?text=dog", "/api/events"]
CHANGED = ["/api/sentence/0/edit", "/api/undo", "/api/redo"]


@pytest.fixture
def session(file):
    with AnnotationSession(file) as opened:
        yield opened


@pytest.fixture
def ask(session):
    return Asker(session)


def edited(ask, **headers):
    return ask.post("/api/sentence/0/edit", SEEN | {"edit": HEAD}, **headers)


# --- Who may ask ---


def test_the_token_buys_a_cookie(ask):
    opened = ask.get(f"/?token={ask.authenticator.token}", cookie=None)
    assert opened.status == 200
    assert opened.headers["set-cookie"].startswith("panparser-8010=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(opened.headers["set-cookie"].split("; "))
    assert ask.authenticator.token not in opened.body.decode()
    cookie = opened.headers["set-cookie"].partition(";")[0]
    assert ask.get("/api/summary", cookie=f"theme=dark; {cookie}").status == 200
    assert ask.get("/", cookie=cookie).status == 200
    assert ask.get(f"/?token={ask.authenticator.token[:-1]}").status == 403
    assert ask.get("/?token=").status == 403


@pytest.mark.parametrize("path", READ)
@pytest.mark.parametrize("cookie", [None, "", "panparser-8010=x", "panparser-8011={}", "=;;=", "panparser-8010"])
def test_without_the_cookie_nothing_is_read(ask, path, cookie):
    given = cookie and cookie.format(ask.authenticator.cookie)
    assert ask.get(path, cookie=given).status == 401


@pytest.mark.parametrize("path", CHANGED)
def test_without_the_cookie_nothing_is_changed(ask, session, path):
    assert ask.post(path, {"version": 0, "edit": HEAD}, cookie=None).status == 401
    assert session.view(0)["version"] == 0


@pytest.mark.parametrize(
    "host",
    ["evil.com", "evil.com:8010", "127.0.0.1.evil.com", "localhost@evil.com", "", "[::1", "127.0.0.1 evil", "0.0.0.0"],
)
def test_other_names_are_refused(ask, host):
    assert ask.get("/api/summary", host=host).status == 403
    assert ask.get(f"/?token={ask.authenticator.token}", host=host).status == 403
    assert edited(ask, host=host).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8010", "localhost:8010", "[::1]:8010", "LOCALHOST", "localhost.:9000"])
def test_names_of_this_machine_are_accepted(ask, host):
    assert ask.get("/api/summary", host=host).status == 200


def test_more_names_can_be_allowed():
    authenticator = Authenticator.create("192.168.1.5", 8010, ["Lab.example.org"])
    for name in ("192.168.1.5:8010", "lab.example.org"):
        authenticator.check_host({"host": name})
    assert authenticator.hosts > {"localhost"}
    assert Authenticator.create("0.0.0.0", 8010).hosts == Authenticator.create("127.0.0.1", 8010).hosts


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "null"])
def test_pages_of_other_origins_neither_read_nor_change(ask, session, site):
    assert edited(ask, sec_fetch_site=site).status == 403
    for path in READ[1:]:
        assert ask.get(path, sec_fetch_site=site).status == 403
    assert session.view(0)["version"] == 0


def test_old_browsers_are_known_by_their_origin(ask):
    for origin in ("http://evil.com", "http://127.0.0.1:8011", "http://localhost:8010", "null"):
        assert edited(ask, sec_fetch_site=None, origin=origin).status == 403
    assert edited(ask, sec_fetch_site=None, origin="http://127.0.0.1:8010").status == 200


def test_secrets_differ_from_run_to_run():
    one, two = Authenticator(1), Authenticator(1)
    assert len({one.token, one.cookie, two.token, two.cookie}) == 4
    assert len(one.token) >= 32
    assert one.token not in repr(one)


# --- What is refused ---


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None, ""])
def test_changes_are_json(ask, session, kind):
    assert edited(ask, content_type=kind).status == 415
    assert session.view(0)["version"] == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"key": "", "layout_version": 0, "version": 0}',
        b'{"version": 0, "edit": {"edit": "head", "word": 1, "head": 2}}',
        b'{"key": "", "version": 0, "edit": {"edit": "head", "word": 1, "head": 2}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": []}',
        b'{"key": "", "layout_version": 0, "version": "0", "edit": {}}',
        b'{"key": "", "layout_version": 0, "version": true, "edit": {"edit": "head", "word": 1, "head": 2}}',
        b'{"key": "", "layout_version": 0, "version": NaN, "edit": {}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "undo"}, "path": "/etc/passwd"}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "rm"}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "head", "word": 1}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "head", "word": 99, "head": 2}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "head", "word": 1, "head": 1e400}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "label", "word": 1, "label": "\\ud800"}}',
        b'{"key": "", "layout_version": 0, "version": 0, "edit": {"edit": "label", "word": 1, "label": "a\\tb"}}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_bodies_that_are_wrong_change_nothing(ask, session, body):
    answer = ask("POST", "/api/sentence/0/edit", body)
    assert answer.status == 400, answer.body
    assert answer.value["error"]
    assert session.view(0)["version"] == 0


def test_bodies_have_limits(ask, session):
    assert "too large" in ask("POST", "/api/sentence/0/edit", b" " * ((1 << 20) + 1)).value["error"]
    for headers in ({"content_length": None}, {"content_encoding": "gzip"}, {"transfer_encoding": "chunked"}):
        assert edited(ask, **headers).status == 400
    assert session.view(0)["version"] == 0


@pytest.mark.parametrize(
    "path",
    [
        "/api/sentence/99",
        "/api/sentence/-1",
        "/api/sentence/0x1",
        "/api/sentence/٣",
        "/api/sentence/0/../../etc/passwd",
        "/assets/../service.py",
        "/assets/%2e%2e/service.py",
        "/assets/",
        "/etc/passwd",
        "//etc/passwd",
        "/api",
    ],
)
def test_paths_are_those_of_a_table(ask, path):
    assert ask.get(path).status in (400, 404)


def test_get_changes_nothing(ask, session):
    for path in CHANGED:
        assert ask.get(path).status == 405
    assert all(question.method == "POST" for question in ROUTES if question.body is not None)
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"):
        assert ask(method, "/api/sentence/0/edit").status == 405


def test_every_answer_is_protected(ask):
    answers = [ask.get(path) for path in READ[:-1]] + [
        edited(ask),
        edited(ask),
        ask.get("/nothing"),
        ask.get("/?token=x"),
    ]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert not [name for name in answer.headers if name.startswith("access-control")]


# --- What is answered ---


def test_an_edit_is_answered_with_the_new_view(ask, file):
    answer = edited(ask)
    assert answer.status == 200
    assert answer.value["version"] > 0
    assert answer.value["words"][0]["head"] == 2
    assert answer.value["words"][0]["decided"]["head"]
    assert '"edit":"head"' in file.with_name("work.conllu.journal").read_text()


def test_a_stale_version_is_refused_with_the_present_view(ask):
    now = edited(ask).value
    stale = edited(ask)
    assert stale.status == 409
    assert stale.value["view"]["version"] == now["version"]
    assert "look at it again" in stale.value["error"]


def test_an_edit_never_goes_to_another_sentence(ask, session):
    seen = ask.get("/api/sentence/2").value
    session.edit(0, 0, {"edit": "split_sentence", "word": 3})
    body = {name: seen[name] for name in SEEN} | {"edit": HEAD}
    refused = ask.post("/api/sentence/2/edit", body)
    assert refused.status == 409
    now = refused.value["view"]
    assert (now["sent_id"], now["index"], now["layout_version"]) == (seen["sent_id"], 3, 1)  # where it is now
    assert ask.get(f"/api/sentence/2?key={seen['key'].replace('#', '%23')}&layout_version=0").value == now
    assert ask.get(f"/api/sentence/2?key={seen['key'].replace('#', '%23')}&layout_version=1").value["index"] == 2
    assert ask.get("/api/sentence/2?key=unknown&layout_version=x").value["index"] == 2
    body = {name: now[name] for name in SEEN} | {"edit": HEAD}
    assert ask.post("/api/sentence/3/edit", body).value["sent_id"] == seen["sent_id"]


def test_undo_and_redo(ask):
    edited(ask)
    undone = ask.post("/api/undo", {}).value["view"]
    assert not undone["words"][0]["decided"]["head"]
    assert ask.post("/api/undo", {}).value["view"] is None
    assert ask.post("/api/redo", {}).value["view"]["words"][0]["head"] == 2


def test_the_summary_has_what_the_page_needs(ask):
    found = ask.get("/api/summary").value
    assert (found["sentences"], found["start"], found["file"]) == (4, 0, "work.conllu")
    assert found["shortcuts"]["s"] == {"DEP": "nsubj"}
    assert "nsubj" in found["labels"]
    assert "NOUN" in found["tags"]


def test_the_page_names_its_parts(ask):
    page = ask.get("/").body.decode()
    named = re.findall(r'(?:href|src)="(assets/[^"]+)"', page)
    assert {"assets/annotate.js", "assets/annotate.css", "assets/theme.css"} <= set(named)
    for name in named:
        assert ask.get(f"/{name}").status == 200
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]* src=)", page)
    assert not re.search(r'\son\w+="', page)


def test_texts_of_pages_are_never_markup(ask):
    found = ask.get("/").body.decode()
    for name in set(re.findall(r"assets/([\w.-]+\.js)", found)):
        code = ask.get(f"/assets/{name}").body.decode()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", code), (
            name
        )


def test_json_is_ascii(session, file):
    session.edit(0, 0, {"edit": "note", "text": "\u2028 ünï"})
    answer = Asker(session).get("/api/sentence/0")
    assert answer.body.isascii()
    assert json.loads(answer.body)["note"] == "ünï"


def test_a_page_that_leaves_at_once_leaves_its_place(ask):
    async def joined():
        async def send(message):
            raise asyncio.CancelledError

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        raw = [(name.encode(), value.encode()) for name, value in ask.own().items()]
        scope = {"type": "http", "method": "GET", "path": "/api/events", "headers": raw, "query_string": b""}
        with pytest.raises(asyncio.CancelledError):
            await ask.service({**scope, "http_version": "1.1", "scheme": "http"}, receive, send)

    for _ in range(3):
        asyncio.run(joined())
    assert not ask.service.events._subscribers
