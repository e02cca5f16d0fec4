"""What a server sends of pages: a fixed table, with types, tags and a policy."""

from __future__ import annotations

import re

import pytest

from panparser.pages.page import ASSETS, LivePage, modules, read, site

STEP = LivePage("<b>t</b>", "step")
SITE = site({"/": STEP})


def test_a_site_has_the_page_and_all_that_it_is_made_of():
    names = {path.removeprefix("/assets/") for path in SITE} - {"/"}
    assert {"theme.css", "tree.css", "step.css", "step.js", "derivation.js", "tree.js", "elements.js"} <= names
    html = SITE["/"].text
    named = re.findall(r'(?:src|href)="(?!#)(?!data:)([^"]*)"', html)
    assert set(named) == {f"assets/{name}" for name in names}
    imported = {name for each in names for name in re.findall(r'from "\./([^"]*)"', SITE[f"/assets/{each}"].text)}
    assert imported <= names
    assert "<b>" not in html


def test_modules_come_after_what_they_import():
    found = modules("step.js", ASSETS)
    assert found[-1] == "step.js"
    assert len(set(found)) == len(found)
    for place, name in enumerate(found):
        assert set(re.findall(r'"\./([\w-]+\.js)"', read(name, ASSETS))) <= set(found[:place])


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "text/html"), ("/assets/tree.js", "text/javascript"), ("/assets/tree.css", "text/css")]
)
def test_answers_have_types_tags_and_a_policy(path, kind):
    status, headers, content = SITE[path].respond()
    assert (status, headers["Content-Type"]) == (200, f"{kind}; charset=utf-8")
    assert content == SITE[path].content
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers


def test_who_has_it_already_gets_nothing_again():
    tag = SITE["/"].respond()[1]["ETag"]
    for known in (tag, f"W/{tag}", f'"x", {tag}'):
        status, headers, content = SITE["/"].respond(known)
        assert (status, content, headers["ETag"]) == (304, b"", tag)
    assert SITE["/"].respond('"x"')[0] == 200
    assert len({resource.etag for resource in SITE.values()}) == len(SITE)
