"""Pages: complete in themselves, and strict about what may run in them."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode

from panparser.pages.page import Page, data_text

HOSTILE = ["</script><script>alert(1)</script>", "<!--", "&amp;", "\u2028", "\ud800"]
VALUES = {"forms": ["a"], "tags": [""], "gold": None, "runs": []}


def hashes(page, element):
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
    return b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_data_cannot_end_its_element():
    text = data_text(HOSTILE)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == [*HOSTILE[:-1], "?"]


def test_only_the_page_s_own_script_and_style_may_run():
    page = str(Page("t", "step", VALUES))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert f"style-src 'sha256-{hashes(page, 'style')}'" in policy
    assert f"script-src 'sha256-{hashes(page, 'script')}'" in policy
    assert "unsafe" not in policy


def test_a_page_asks_nobody_for_anything():
    page = str(Page("t", "step", VALUES))
    assert re.findall(r'(?:src|href|action)="(?!#)[^"]*"|@import|url\(|<link|<iframe|\bimport\(|fetch\(', page) == []
    assert set(re.findall(r"https?://[^\"' ]*", page)) == {"http://www.w3.org/2000/svg"}
    assert "innerHTML" not in page


def test_titles_are_text():
    page = str(Page("<b>t</b>", "step", VALUES, skip_targets=("step",)))
    assert "<b>" not in page
    assert page.count("&lt;b&gt;t&lt;/b&gt;") == 2
    assert 'href="#step"' in page
