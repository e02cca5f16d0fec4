"""The page of derivations in a real browser: no complaint, texts as texts, keys alone suffice, quick."""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from browser import until
from panparser.inspection.lessons import show_lesson
from panparser.inspection.stepping import DerivationView, TracedDerivation, gold_of

FORMS = [
    "</script><script>document.title='hacked'</script>",
    "<img/src=x/onerror=document.title='hacked'>",
    "\"'`&amp;${1}\\",
    "a\u202eb",
    "\u200b",
    "👩‍👩‍👧",
    "שלום",
]
TIMED = """() => {
  const times = [], next = document.getElementById("next"), first = document.getElementById("first");
  for (let i = 0; i < 41; i++) {
    const start = performance.now();
    (next.disabled ? first : next).click();
    document.body.offsetHeight;
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[20];
}"""


def treebank(words):
    """One sentence, of (form, head)."""
    lines = (
        f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n"
        for i, (form, head) in enumerate(words, 1)
    )
    return pp.parse_conllu("".join(lines) + "\n")


@pytest.fixture(scope="module")
def wrong():
    """A greedy parser's errors, and what a beam makes of them."""
    return show_lesson("beam").to_html()


def test_a_hostile_sentence_is_shown_as_text(visit):
    sentence = treebank([(form, 1 if i else 0) for i, form in enumerate(FORMS)])[0]
    run = TracedDerivation.from_oracle("arc-eager", gold_of(sentence), name="<i>n</i>")
    found = replace(DerivationView.from_runs(sentence, [run], "<b>t</b>"), text=("<u>u</u>",))
    page = visit(found.to_html())
    assert page.title() == "<b>t</b>"
    shown = page.locator(".tree .form").all_text_contents()
    assert shown == [*FORMS[:3], "a⟨202E⟩b", "⟨200B⟩", *FORMS[5:]]
    assert page.locator("img, b, i, u").count() == 0
    assert page.locator(".run h2").text_content() == "<i>n</i>"


def test_keys_alone_suffice(visit, wrong):
    page = visit(wrong)
    state = lambda: int(page.evaluate("document.documentElement.dataset.step"))  # noqa: E731
    last = int(page.get_attribute("#place", "max"))
    steps = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft", "e", "e"):
        page.keyboard.press(key)
        steps.append(state())
    assert steps == [1, 2, 1, last, last, 0, 0, 7, 7]
    until(page, "location.hash === '#step=8'")
    assert "costs 1" in page.locator(".taken").first.text_content()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.wait_for_selector('html:not([data-step="0"])', state="attached", timeout=5_000)
    assert page.get_attribute("#play", "aria-pressed") == "true"
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#play", "aria-pressed") == "false"
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"skip", "theme", "play", "next", "last", "error", "place", "tree"} <= reached


def test_the_page_shows_scores_costs_beam_and_what_fell_off(visit, wrong):
    page = visit(wrong, "#step=8")
    assert page.locator("#status").text_content() == "Step 8 of 16"
    greedy, beam = (page.locator(".run").nth(i) for i in (0, 1))
    assert greedy.locator("tr.chosen").first.text_content().startswith("RIGHT")
    assert "SHIFT" in beam.locator(".taken").text_content()
    assert beam.locator("tr.fallen").count() > 0
    assert beam.locator("tr.path").count() == 1
    page.keyboard.press("End")
    assert greedy.locator(".tree .head").count() == 1  # the object that is none
    assert beam.locator(".tree .head").count() == 0


def test_themes_and_right_to_left(visit):
    sentence = treebank([("הילד", 2), ("קרא", 0), ("ספר", 2)])[0]
    page = visit(
        DerivationView.from_runs(sentence, [TracedDerivation.from_oracle("arc-eager", gold_of(sentence))]).to_html(),
        color_scheme="dark",
    )
    places = [box["x"] for box in (one.bounding_box() for one in page.locator(".tree .form").all())]
    assert places == sorted(places, reverse=True)
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate(background) != dark


def test_forty_words_open_and_step_quickly(visit):
    words = [("w" * (1 + i % 7), 0 if i == 0 else i - i % 3) for i in range(40)]
    words = [(form, head if head != i + 1 and (head or i == 0) else 1) for i, (form, head) in enumerate(words)]
    sentence = treebank(words)[0]
    page = visit(
        DerivationView.from_runs(sentence, [TracedDerivation.from_oracle("arc-eager", gold_of(sentence))]).to_html()
    )
    assert (
        page.evaluate("performance.getEntriesByType('navigation')[0].duration") < 1500
    )  # 0.3 s where nothing else runs
    assert page.evaluate(TIMED) < 60  # 20 ms
