"""The pages of the server in a real browser: no complaint, texts as texts, keys alone suffice."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

import pytest

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from browser import until
from conllu_lines import line
from panparser.serve.service import WEBSITE
from places import ROOT

CONTRAST = (ROOT / "tests" / "support" / "contrast.js").read_text(encoding="utf-8")
LAYOUT = (ROOT / "tests" / "support" / "layout.js").read_text(encoding="utf-8")
HOSTILE = [
    "</script><script>document.title='hacked'</script>",
    "<img/src=x/onerror=document.title='hacked'>",
    "\"'`&amp;${1}\\",
    "a\u202eb",
    "\u200b",
    "👩‍👩‍👧",
    "שלום",
]
SHOWN = [*HOSTILE[:3], "a⟨202E⟩b", "⟨200B⟩", *HOSTILE[5:]]
GIVEN = line(1, "They", head=3, deprel="zzz") + line(2, "ate") + line(3, "it") + "\n"
PIZZA = "They ate the pizza with anchovies."


@pytest.fixture(scope="module")
def home(address):
    return f"http://{address[0]}:{address[1]}"


def judged(page) -> str:
    page.evaluate(f"() => {{ {LAYOUT} judge(document.querySelectorAll('.tree svg')); }}")
    return page.evaluate("document.documentElement.dataset.misplaced")


def state(page, name: str) -> str:
    return page.evaluate(f"document.documentElement.dataset.{name}")


# --- Without a browser ---


def test_pages_have_a_strict_policy_and_other_sites_may_not_read_them(ask):
    for path in WEBSITE:
        answer = ask.get(path)
        assert (answer.status, answer.text) == (200, WEBSITE[path].text)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; ")
        assert "access-control-allow-origin" not in answer.headers
        assert ask("GET", path, headers={"if-none-match": answer.headers["etag"]}).status == 304
    assert ask.get("/api/").text == ask.get("//").text == WEBSITE["/"].text


def test_scripts_make_no_markup_of_texts():
    for path, resource in WEBSITE.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function", resource.text)
        assert not re.search(r"<script>|<style| style=| on\w+=", resource.text) or not path.endswith(".html")


# --- The page that parses ---


def test_a_text_is_parsed_and_drawn(visit, home):
    page = visit(home)
    assert page.locator(".sentence").count() == 2
    assert page.locator(".tree .form").all_text_contents()[:3] == ["They", "ate", "the"]
    assert page.locator(".sentence").first.locator(".tree .lab").all_text_contents()[:2] == ["nsubj", "root"]
    assert page.locator("#state").text_content().startswith("2 sentences, 15 words")
    assert page.locator(".tree .c3").count() > 5  # sure
    assert page.locator(".tree .c1").count() >= 1  # where a preposition belongs is not
    assert judged(page) == ""
    assert all(url.startswith((home, "data:", "blob:")) for url in page.asked)


def test_keys_alone_suffice(visit, home):
    page = visit(home)
    page.keyboard.press("Control+A")  # the text has the focus
    page.keyboard.type("The dog slept. He barked.")
    page.keyboard.press("Control+Enter")
    until(page, "document.getElementById('state').textContent.startsWith('2 sentences, 7 words')")
    reached = []
    while not reached or reached[-1] != "tree":
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
        assert len(reached) < 15, reached
    assert {"model", "input", "go", "save"} <= set(reached)
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".word").first.text_content().startswith("2 dog · dog · NOUN")
    assert page.locator(".tree .picked .form").all_text_contents() == ["dog"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")  # the link to the derivation
    page.wait_for_selector("html[data-step]", state="attached")
    assert page.locator("h2").all_text_contents() == ["en"]
    assert page.title() == "The dog slept."


def test_views_and_addresses(visit, home):
    page = visit(home, f"/#text={quote('Gonna go.')}&view=table&model=en")
    rows = [row.locator("td").all_text_contents() for row in page.locator("tbody tr").all()]
    assert [row[:2] for row in rows] == [["1-2", "Gonna"], ["1", "Gon"], ["2", "na"], ["3", "go"], ["4", "."]]
    assert rows[1][8].endswith("%")
    page.locator("input[value=conllu]").check()
    assert page.locator("pre").text_content().count("\n") == 11
    assert "view=conllu" in page.evaluate("location.hash")
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename == "panparser.conllu"
    assert download.value.path().read_text().endswith("\n\n")


@pytest.mark.parametrize("view", ["tree", "table", "conllu"])
def test_a_hostile_sentence_is_shown_as_text(visit, home, view):
    words = "".join(line(i, form, head=min(i - 1, 1)) for i, form in enumerate(HOSTILE, 1))
    given = {"input": "conllu", "text": f"# sent_id = <b>\n# text = <img src=x>\n{words}\n", "view": view}
    page = visit(home, f"/#{urlencode(given)}")
    assert page.title() == "panparser"
    assert page.locator("#sentences img, #sentences b, #sentences script").count() == 0
    assert page.locator("h2 bdi").text_content() == "<img src=x>"
    shown = {
        "tree": lambda: page.locator(".tree .form").all_text_contents(),
        "table": lambda: page.locator("td:nth-child(2)").all_text_contents(),
        "conllu": lambda: [each.split("\t")[1] for each in page.locator("code").text_content().splitlines()[-7:]],
    }
    assert shown[view]() == SHOWN


def test_given_heads_are_kept(visit, home):
    page = visit(home, f"/#input=conllu&text={quote(GIVEN)}&view=table")
    assert page.locator("tbody tr").first.locator("td").all_text_contents()[6:8] == ["3 it", "zzz"]


def test_what_went_wrong_is_told(visit, home):
    page = visit(home, "/#input=conllu&text=<b>")
    assert page.locator("#state").text_content().startswith("Cannot parse the input in 'conllu' format.\nline 1:")
    (complaint,) = page.complaints  # the browser's, about code 400
    assert "400" in complaint
    page.complaints.clear()
    page.select_option("#input", "text")
    page.click("#go")
    page.wait_for_selector(".tree .form")
    assert "".join(page.locator(".tree .form").all_text_contents()) == "<b>"


def test_many_sentences_come_in_parts(visit, home):
    page = visit(home, f"/#input=lines&text={quote(chr(10).join(['It is.'] * 50))}")
    assert page.locator(".sentence").count() == 20
    assert page.locator("#more").text_content() == "20 more of 30"
    page.click("#more")
    page.click("#more")
    assert page.locator(".sentence").count() == 50
    assert page.locator("#more").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read_light_and_dark(visit, home, scheme):
    for path in ("/", f"/#view=table&text={quote(PIZZA)}", f"/step#text={quote(PIZZA)}&step=5"):
        assert visit(home, path, color_scheme=scheme).evaluate(CONTRAST) == []


def test_a_narrow_page_does_not_scroll_sideways(visit, home):
    for path in ("/", f"/#view=table&text={quote(PIZZA)}", f"/step#text={quote(PIZZA)}&step=5"):
        page = visit(home, path, viewport={"width": 380, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 380


# --- The page of derivations ---


def test_another_action_is_taken_and_the_parser_goes_on(visit, home):
    page = visit(home, f"/step#text={quote(PIZZA)}&step=5")
    assert page.locator(".run").count() == 1
    usual = page.locator("tr.chosen td").first.text_content()
    button = page.locator("button.other").first
    other = button.text_content()
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-changed='5']", state="attached")
    chosen = [run.locator("tr.chosen td").first.text_content() for run in page.locator(".run").all()]
    assert chosen == [usual, other]
    assert page.evaluate("document.activeElement.className") == "tree"
    page.keyboard.press("End")
    trees = [run.locator(".tree .lab").all_text_contents() for run in page.locator(".run").all()]
    assert trees[0] != trees[1]
    until(page, "location.hash.includes('step=1')")
    link = page.evaluate("location.hash")
    assert page.locator("button.other").count() == 0  # nothing is left to do
    page.click("#own")
    page.wait_for_selector("html[data-changed='0']", state="attached")
    assert page.locator(".run").count() == 1
    again = visit(home, f"/step{link}")
    assert [run.locator(".tree .lab").all_text_contents() for run in again.locator(".run").all()] == trees
    again.click("#undo")
    again.wait_for_selector("html[data-changed='0']", state="attached")


def test_a_sentence_is_typed_and_errors_are_told(visit, home):
    page = visit(home, "/step")
    page.fill("#text", "<b>Go</b> 'on'\"!")
    page.press("#text", "Enter")
    until(page, "document.title.startsWith('<b>Go')")
    assert page.locator("#step b").count() == 0
    assert "".join(page.locator(".tree .form").all_text_contents()) == "<b>Go</b>'on'\"!"
    page.fill("#text", "w " * 300)
    page.press("#text", "Enter")
    until(page, "document.getElementById('state').textContent.includes('at most 200 words')")
    assert len(page.complaints) == 1
    page.complaints.clear()


def test_a_gold_tree_gives_costs(visit, home):
    gold = line(1, "They", upos="PRON", head=2, deprel="nsubj") + line(2, "ate", upos="VERB", head=0, deprel="root")
    page = visit(home, f"/step#conllu={quote(gold)}")
    assert "✓" in page.locator("tbody td").all_text_contents()[3]
