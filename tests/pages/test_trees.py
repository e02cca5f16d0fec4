"""Trees in every writing direction, long and short, and in every page: texts in their places, and readable."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.inspection.stepping import DerivationView
from places import ROOT

CONTRAST = (ROOT / "tests" / "support" / "contrast.js").read_text(encoding="utf-8")
LAYOUT = (ROOT / "tests" / "support" / "layout.js").read_text(encoding="utf-8")
JUDGE = f"""() => {{
  {LAYOUT}
  judge(document.querySelectorAll(".tree svg"));
  return document.documentElement.dataset.misplaced;
}}"""
PLACES = """() => [...document.querySelectorAll(".tree .form")].map((form) => {
  const box = form.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})"""
SCRIPTS = {
    "Latin": ["They", "ate", "the", "pizza", "."],
    "Hebrew": ["הילד", "קרא", "ספר", "טוב", "."],
    "Arabic": ["قرأ", "الولد", "كتابا", "جيدا", "."],
    "Adlam": ["𞤀𞤣𞤤𞤢𞤥", "𞤆𞤵𞤤𞤢𞤪", "𞤀", "𞤁", "."],
    "Mongolian": ["ᠮᠣᠩᠭᠣᠯ", "ᠬᠡᠯᠡ", "ᠪᠢᠴᠢᠭ", "ᠦᠨ", "."],
    "Chinese": ["他们", "吃", "了", "披萨", "。"],
}


def treebank(words):
    """One sentence, of (form, head)."""
    lines = (
        f"{i}\t{form}\t_\tNOUN\t_\t_\t{head}\t{'nmod:poss' if head else 'root'}\t_\t_\n"
        for i, (form, head) in enumerate(words, 1)
    )
    return pp.parse_conllu("".join(lines) + "\n")


def steps(gold):
    return DerivationView.from_oracle(gold[0], "arc-eager").to_html()


def report(gold):
    pytest.importorskip("pandas", reason="the report needs pandas: pip install 'panparser[analysis]'")
    wrong = gold.copy()
    wrong.heads[:] = [0, *([1] * (gold.words - 1))]
    return pp.lab.analysis.report(pp.lab.analysis.make_frame(gold, wrong), bootstrap_samples=0)


@pytest.mark.parametrize("page", [steps, report])
@pytest.mark.parametrize("script", SCRIPTS)
def test_words_run_as_they_are_written(visit, page, script):
    found = visit(page(treebank(zip(SCRIPTS[script], [2, 0, 4, 2, 2], strict=True))), "#step=9")
    places = found.evaluate(PLACES)
    along = [y if script == "Mongolian" else -x if script in ("Hebrew", "Arabic", "Adlam") else x for x, y in places]
    across = [x if script == "Mongolian" else y for x, y in places]
    assert along == sorted(along)
    assert max(across) - min(across) < 3
    assert found.evaluate(JUDGE) == ""


@pytest.mark.parametrize("page", [steps, report])
@pytest.mark.parametrize("forms", [["word"], ["שלום"]])
def test_a_hundred_words(visit, page, forms):
    heads = [0, *(i - 1 - i % 7 if i % 7 < i - 1 else 1 for i in range(2, 101))]
    found = visit(page(treebank((forms[0] + "x" * (i % 9), head) for i, head in enumerate(heads))), "#step=99")
    assert found.locator(".tree .form").count() == 100
    assert found.evaluate(JUDGE) == ""
    assert found.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("page", [steps, report])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_can_be_read(visit, page, scheme):
    gold = treebank(zip(SCRIPTS["Latin"], [2, 0, 4, 2, 2], strict=True))
    found = visit(page(gold), "#step=6", color_scheme=scheme)
    assert found.evaluate(CONTRAST) == []
    assert found.locator(".tree svg[role=img][aria-label]").count() == found.locator(".tree svg").count() > 0


def test_a_changed_drawing_is_as_one_drawn_anew(visit):
    """Only arcs that differ are drawn again, and nothing of a step is left when it is taken back."""
    gold = treebank(zip(SCRIPTS["Latin"], [2, 0, 4, 2, 2], strict=True))
    page = steps(gold)
    walked, last = visit(page), len(DerivationView.from_oracle(gold[0], "arc-eager").runs[0].steps) - 1
    drawing = "document.querySelector('.tree svg').outerHTML"
    forward = [walked.evaluate(drawing)]
    for _ in range(last):
        walked.keyboard.press("ArrowRight")
        forward.append(walked.evaluate(drawing))
    for step in range(last - 1, -1, -1):
        walked.keyboard.press("ArrowLeft")
        assert walked.evaluate(drawing) == forward[step]
    fresh = visit(page, f"#step={last + 1}").evaluate(drawing)
    assert fresh == forward[-1]
