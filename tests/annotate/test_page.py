"""The page of a session in a real browser: keys suffice, texts are texts, nothing is lost, nobody else gets in."""

from __future__ import annotations

import asyncio
import http.server
import os
import re
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import url2pathname

import pytest

import panparser as pp
from places import ROOT

pytest.importorskip("starlette", reason="the server needs starlette: pip install 'panparser[server]'")
pytest.importorskip("uvicorn", reason="the server needs uvicorn: pip install 'panparser[server]'")

from annotating import annotating, conllu, settle, visited
from browser import until
from panparser.annotate import page_process as running
from panparser.annotate.page_service import AnnotationService
from panparser.annotate.page_support import Authenticator

LONGEST = 6  # words of sentences that are annotated here
CONTRAST = (ROOT / "tests/support/contrast.js").read_text(encoding="utf-8")
HOSTILE = "\"><img src=x onerror=document.title='hacked'></script><script>document.title='hacked'</script>&amp;"


def move(page, start, stop):
    for _ in range(abs(stop - start)):
        page.keyboard.press("ArrowRight" if stop > start else "ArrowLeft")


# --- Work ---


def short_sentences(count):
    """Sentences with trees of their own, and the same without."""
    treebank = pp.read_conllu(ROOT / "tests/data/english.conllu")
    chosen = [sentence for sentence in treebank if 3 <= len(sentence) <= LONGEST][:count]
    assert len(chosen) == count
    bare = "".join(
        "".join(f"{t.id}\t{t.form}\t{t.lemma}\t{t.upos}\t_\t_\t_\t_\t_\t_\n" for t in sentence) + "\n"
        for sentence in chosen
    )
    return chosen, bare


def correct(page, session, index, word, gold):
    """Gives a word its head and its label, by keys; the cursor stays at it."""
    shown = session.view(index)["words"][word - 1]
    if shown["head"] != gold.head:
        if gold.head == 0:
            page.keyboard.press("r")
        else:
            page.keyboard.press("Space")
            move(page, word, gold.head)
            page.keyboard.press("Space")
        settle(page)
        shown = session.view(index)["words"][word - 1]
    if shown["label"] != gold.label:
        page.keyboard.press(";")
        page.keyboard.type(gold.label)
        page.keyboard.press("Enter")
        settle(page)


def test_twenty_sentences_by_keyboard_alone(context, tmp_path):
    gold, bare = short_sentences(20)
    file = tmp_path / "work.conllu"
    file.write_text(bare, encoding="utf-8")
    with annotating(file, train=False) as (address, session):
        page = visited(context, address)
        for index, sentence in enumerate(gold):
            assert page.input_value("#number") == str(index + 1)
            page.keyboard.press("Home")
            for token in sentence:
                correct(page, session, index, token.id, token)
                page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")  # right to the end
            page.keyboard.press("Control+Enter")
            settle(page)
        assert "All sentences are done" in page.inner_text("#told")
        assert page.complaints == []
    found = pp.read_conllu(file)
    assert [[(t.head, t.label) for t in s] for s in found] == [[(t.head, t.label) for t in s] for s in gold]


def test_a_relation_decides_the_arc_shown_and_follows_its_head(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address)

        def word(number):
            found = session.view(0)["words"][number - 1]
            return found["head"], found["label"], found["decided"]["head"], found["decided"]["label"]

        def press(*keys):
            for key in keys:
                page.keyboard.press(key)
                settle(page)

        press("Home", "ArrowRight", "s")
        assert word(2) == (1, "nsubj", True, True)
        press("Space", "ArrowRight", "Space")
        assert word(2)[0] == 3
        assert word(2)[2:] == (True, False)  # nsubj came with another head
        assert "head decided, relation predicted" in page.inner_text("#told")
        press("Control+z")
        assert word(2) == (1, "nsubj", True, True)
        press("Home", "ArrowRight", "r")
        assert word(2) == (0, "root", True, True)
        assert page.inner_text("#told").endswith("root, decided")
        press("Home", "ArrowRight", "Delete", "Home")
        assert word(1)[0] == 0
        assert not word(1)[2]
        press("s")  # who is nsubj is not the root
        assert word(1)[0] != 0
        assert word(1)[1] == "nsubj"
        assert page.complaints == []


def test_a_sentence_that_is_no_tree_is_not_done_without_a_word(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address)
        for key in ("Home", "r", "ArrowRight", "r"):
            page.keyboard.press(key)
            settle(page)
        page.keyboard.press("Control+Enter")
        settle(page)
        assert not session.view(0)["done"]
        assert "Not done yet: a sentence has one root" in page.inner_text("#told")
        page.keyboard.press("Control+Enter")
        settle(page)
        assert session.view(0)["done"]
        assert page.input_value("#number") == "2"
        assert "Sentence 1 is done with a problem: a sentence has one root" in page.inner_text("#told")
        assert page.complaints == []


def test_undo_redo_and_notes_by_keys(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address)
        page.keyboard.press("Home")
        page.keyboard.press("r")
        settle(page)
        page.keyboard.press("PageDown")
        settle(page)
        assert page.input_value("#number") == "2"
        page.keyboard.press("Control+z")
        settle(page)
        assert "sentence 1, which is shown now" in page.inner_text("#told")
        assert not session.view(0)["words"][0]["decided"]["head"]
        page.keyboard.press("Control+Shift+z")
        settle(page)
        assert session.view(0)["words"][0]["decided"]["head"]
        page.keyboard.press('"')
        page.keyboard.type("ask Ann: r s o")  # letters are no commands in a field
        page.keyboard.press("Escape")
        settle(page)
        assert session.view(0)["note"] == "ask Ann: r s o"
        page.keyboard.press("s")
        settle(page)
        assert session.view(0)["words"][0]["label"] == "nsubj"
        page.keyboard.press("?")
        assert page.locator("#keys-dialog kbd").count() > 40
        page.keyboard.press("Escape")
        assert page.complaints == []


def test_another_tree_is_taken_and_undone_in_one_step(context, tmp_path):
    _, bare = short_sentences(2)
    file = tmp_path / "work.conllu"
    file.write_text(bare, encoding="utf-8")
    model = pp.train(pp.ParserSpec(beam=4), pp.read_conllu(ROOT / "tests/data/english.conllu")[:40], epochs=1)
    with annotating(file, train=False, model=model) as (address, session):
        page = visited(context, address)
        before = session.view(0)
        page.keyboard.press("=")
        settle(page)
        page.keyboard.press("Enter")
        settle(page)
        taken = session.view(0)
        assert "Tree 1 taken" in page.inner_text("#told")
        assert taken["version"] == 1  # one edit
        page.keyboard.press("Control+z")
        settle(page)
        assert session.view(0)["words"] == before["words"] != taken["words"]
        assert page.complaints == []


def test_the_mouse_attaches_by_clicks_and_by_drawing_a_line(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address)
        cell = lambda word: page.locator(f'g[data-word="{word}"] .form')  # noqa: E731
        cell(2).click()
        cell(3).click()
        settle(page)
        assert session.view(0)["words"][1]["head"] == 3
        cell(3).click()
        cell(3).click()
        settle(page)
        assert session.view(0)["words"][2]["head"] == 0
        cell(3).drag_to(cell(5))
        settle(page)
        assert session.view(0)["words"][4]["head"] == 3
        page.locator('[data-arc="5"] .lab').click()
        assert "cat" in page.inner_text("#told")
        page.locator('[data-row="4"] .upos button').click()
        page.keyboard.type("DET")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        settle(page)
        assert session.view(0)["words"][3]["upos"] == "DET"
        assert page.complaints == []


def test_words_and_sentences_are_divided_and_joined(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address)
        page.keyboard.press("Home")
        page.keyboard.press(",")
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        page.keyboard.type(" ")
        page.keyboard.press("Enter")
        settle(page)
        assert [word["form"] for word in session.view(0)["words"]][:2] == ["Th", "e"]
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press(",")
        page.locator("#tokens-dialog button", has_text="multiword").click()
        page.keyboard.type("del")
        page.keyboard.press("Enter")
        settle(page)
        assert session.view(0)["multiword"][0]["form"] == "del"
        assert page.locator(".bracket text").text_content() == "del"
        page.keyboard.press("End")
        page.keyboard.press(",")
        page.locator("#tokens-dialog button", has_text="Begin a new sentence").click()
        page.locator("#of", has_text="of 5").wait_for()
        assert len(session) == 5
        assert page.complaints == []


def test_a_refused_split_can_be_mended(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address, may_complain=True)  # of an answer that refuses
        page.keyboard.press("Home")
        page.keyboard.press(",")
        page.keyboard.press("Enter")
        field = page.locator("#tokens-dialog input")
        field.fill("Th ee")
        field.press("Enter")
        page.locator("#tokens-dialog .trouble", has_text="must be written as it is").wait_for()
        assert field.input_value() == "Th ee"
        field.fill("The")
        field.press("Enter")
        page.locator("#tokens-dialog .trouble", has_text="at least one space").wait_for()
        field.fill("Th e")
        field.press("Enter")
        page.locator("#tokens-dialog").wait_for(state="hidden")
        assert [word["form"] for word in session.view(0)["words"]][:2] == ["Th", "e"]
        assert page.complaints == []


def test_a_tab_of_an_earlier_run_asks_no_more_until_the_new_run_is_opened(context, file):
    with annotating(file) as (address, _):
        page = visited(context, address, may_complain=True)
        port = int(re.findall(r":(\d+)/", address)[0])
    asked = []
    page.on("response", lambda answer: asked.append(answer.status))
    with annotating(file, port) as (address, session):
        page.locator("#banner", has_text="earlier run of panparser annotate").wait_for(timeout=20_000)
        page.wait_for_timeout(1500)  # what was on its way
        assert 401 in asked
        asked.clear()
        page.wait_for_timeout(3000)
        assert asked == []
        page.keyboard.press("r")
        page.locator("#told", has_text="nothing can be changed now").wait_for()
        visited(context, address).close()
        page.locator("#banner").wait_for(state="hidden", timeout=20_000)
        page.keyboard.press("Home")
        page.keyboard.press("r")
        settle(page)
        assert session.view(0)["words"][0]["decided"]["head"]


def test_a_sentence_that_is_no_conllu_is_announced_and_can_only_be_looked_at(context, file):
    with file.open("a", encoding="utf-8") as stream:
        stream.write("1\tbroken\t_\n\n")
    with annotating(file) as (address, _):
        page = visited(context, address)
        why = f"{file}:{len(file.read_text().splitlines()) - 1}: this sentence cannot be annotated: expected 10 columns"
        assert why in page.inner_text("#banner")
        page.keyboard.press("Escape")
        page.locator("#banner").wait_for(state="hidden")
        page.fill("#number", "5")
        page.press("#number", "Enter")
        page.locator("#tree pre", has_text="broken").wait_for()
        assert why in page.inner_text("#banner")
        assert page.inner_text("#told") == "This sentence can only be looked at."
        assert page.locator("#done").is_disabled()
        assert page.locator("#words tr").count() == page.locator("#notes-panel textarea").count() == 0
        page.press("#number", "Enter")
        page.keyboard.press("PageUp")
        settle(page)
        assert page.locator("#words tr[data-row]").count() == 2
        assert page.locator("#done").is_enabled()
        assert page.complaints == []


def test_two_tabs(context, file):
    with annotating(file) as (address, session):
        one = visited(context, address)
        two = visited(context, address.partition("?")[0])  # the cookie suffices
        deaf = context.new_page()
        deaf.route("**/api/events", lambda route: route.abort())
        deaf.goto(address.partition("?")[0])
        deaf.wait_for_selector('html[data-ready="yes"]', state="attached")
        one.keyboard.press("Home")
        one.keyboard.press("r")
        settle(one)
        two.locator("#told", has_text="another window").wait_for()
        assert two.locator('[data-arc="1"]').get_attribute("class").startswith("decided")
        deaf.locator('g[data-word="2"] .form').click()
        deaf.locator('g[data-word="3"] .form').click()
        deaf.locator("#told", has_text="Not done").wait_for()
        assert not session.view(0)["words"][1]["decided"]["head"]
        deaf.locator('g[data-word="2"] .form').click()  # now that it has seen it
        deaf.locator('g[data-word="3"] .form').click()
        settle(deaf)
        assert session.view(0)["words"][1]["decided"]["head"]
        assert one.complaints == two.complaints == []


def test_a_page_follows_its_sentence_when_others_move_it(context, file):
    with annotating(file) as (address, session):
        page = visited(context, address)
        page.keyboard.press("PageDown")
        settle(page)
        deaf = context.new_page()
        deaf.route("**/api/events", lambda route: route.abort())
        deaf.goto(address.partition("?")[0] + "#2")
        deaf.wait_for_selector('html[data-ready="yes"]', state="attached")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Space")  # picks a word
        body = {name: session.view(0)[name] for name in ("key", "layout_version", "version")}
        other = context.new_page()
        other.goto(address.partition("?")[0])
        other.evaluate(
            "body => fetch('api/sentence/0/edit', {method: 'POST', headers: {'Content-Type': 'application/json'},"
            " body: JSON.stringify(body)})",
            {**body, "edit": {"edit": "split_sentence", "word": 3}},
        )
        until(page, "document.getElementById('number').value === '3'")
        page.keyboard.press("Space")  # on the word that is still picked: the root
        settle(page)
        assert session.view(2)["sent_id"] == "s2"
        assert session.view(2)["words"][1]["decided"]["head"]
        assert not any(word["decided"]["head"] for word in session.view(1)["words"])
        deaf.keyboard.press("r")
        deaf.locator("#told", has_text="Not done").wait_for()
        assert deaf.input_value("#number") == "3"  # its sentence, where it is now
        assert not any(word["decided"]["head"] for word in session.view(1)["words"])
        assert page.complaints == []


# --- Texts ---


def test_a_hostile_treebank_is_shown_as_text(context, tmp_path):
    cells = [HOSTILE, "{{7*7}}", "a\u202eb", "\u200b", "שלום", "${1}`"]
    rest = "\t".join((HOSTILE.replace(" ", "_"), "<b>X</b>", "<i>", "<u>=x"))
    labels = ["root", *["<svg/onload=x>"] * 5]
    rows = "".join(
        f"{i}\t{form}\t{rest}\t{i - 1}\t{label}\t_\t<a>=1\n"
        for i, (form, label) in enumerate(zip(cells, labels, strict=True), start=1)
    )
    comments = f"# sent_id = {HOSTILE}\n# text = {HOSTILE}\n# note = {HOSTILE}\n# {HOSTILE}\n"
    file = tmp_path / "<img src=x onerror=alert(1)>.conllu"
    file.write_text(f"{comments}1-2\t{HOSTILE}" + "\t_" * 8 + f"\n{rows}\n" + conllu(), encoding="utf-8")
    with annotating(file) as (address, _):
        page = visited(context, address + "#1")
        assert page.title() == file.name
        forms = page.locator("#tree .form").all_text_contents()
        assert forms == [HOSTILE, "{{7*7}}", "a⟨202E⟩b", "⟨200B⟩", "שלום", "${1}`"]
        for key in ("ArrowRight", "ArrowRight", "?", "Escape", "/"):
            page.keyboard.press(key)
        page.keyboard.type("onerror")
        page.keyboard.press("Enter")
        page.locator("#search-dialog .choices button").first.click()
        page.keyboard.press("=")
        page.keyboard.press("&")
        page.keyboard.press("Escape")
        assert page.locator("img, b, i, u, main script, svg svg").count() == 0
        assert "hacked" not in page.title()
        assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_texts_can_be_read_in_both_themes(chromium, file, scheme):
    context = chromium.new_context(viewport={"width": 1300, "height": 900}, color_scheme=scheme)
    with annotating(file) as (address, session):
        for word, head in ((1, 2), (2, 1)):  # a circle
            session.edit(0, session.view(0)["version"], {"edit": "head", "word": word, "head": head})
        page = visited(context, f"{address}#1")
        assert page.locator("#tree .conflict").count() == 2
        assert "circle" in page.inner_text("#problems-panel")
        assert page.evaluate(CONTRAST) == []
        page.keyboard.press("?")
        assert page.evaluate(CONTRAST) == []
        assert page.complaints == []
    context.close()


def test_keys_reach_everything_and_leave_the_tree(context, file):
    with annotating(file) as (address, _):
        page = visited(context, address)
        focused = "document.activeElement.id || document.activeElement.tagName"
        assert page.evaluate(focused) == "tree"
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate(focused) != "tree"
        page.locator("#tree").focus()
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(focused) == "done"
        assert page.locator("button:not([aria-label])").evaluate_all("all => all.every((each) => each.textContent)")


def test_a_sentence_from_right_to_left_begins_at_the_right(context, tmp_path):
    file = tmp_path / "work.conllu"
    file.write_text(conllu(("הכלב רואה חתול", "שלום עולם")), encoding="utf-8")
    with annotating(file) as (address, _):
        page = visited(context, address)
        places = [page.locator(f'g[data-word="{word}"] .form').bounding_box()["x"] for word in (1, 2, 3)]
        assert places == sorted(places, reverse=True)
        page.keyboard.press("Home")
        page.keyboard.press("ArrowLeft")
        assert page.locator(".cell.cursor").get_attribute("data-word") == "2"
        assert page.locator(".point").first.text_content() == "ר U+05E8"
        assert page.complaints == []


def test_the_token_leaves_the_address(context, file):
    with annotating(file) as (address, _):
        page = visited(context, address)
        assert "token" not in page.evaluate("location.href")
        page.reload()
        page.wait_for_selector('html[data-ready="yes"]', state="attached")
        assert page.complaints == []


def test_the_browser_is_told_a_file_that_others_cannot_read(context, file, monkeypatch):
    told, is_open = [], threading.Event()

    class Opened(running.AnnotationServer):
        async def serve(self, sockets=None):
            self.install_signal_handlers = lambda: None
            serving = asyncio.ensure_future(self._serve(sockets))
            while not is_open.is_set():
                await asyncio.sleep(0.01)
            self.should_exit = True
            await serving

    monkeypatch.setattr(running, "AnnotationServer", Opened)
    monkeypatch.setattr(running.webbrowser, "open", told.append)
    with pp.annotate.AnnotationSession(file, train=False) as session, running.listen_near("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        authenticator = Authenticator.create("127.0.0.1", port)
        address = running.page_address("127.0.0.1", port, authenticator.token)
        service = AnnotationService(session, authenticator)
        thread = threading.Thread(target=running.run, args=(service, listening), kwargs={"browser_address": address})
        thread.start()
        try:
            for _ in range(1000):
                if not told:
                    time.sleep(0.01)
            place = Path(url2pathname(told[0].removeprefix("file://")))
            assert authenticator.token not in told[0]
            assert place.parent == file.parent
            assert os.name == "nt" or place.stat().st_mode & 0o777 == 0o600
            page = visited(context, told[0])
            assert page.url.startswith(f"http://127.0.0.1:{port}/")
            assert page.complaints == []
            page.close()
        finally:
            is_open.set()
            thread.join()
        assert not place.exists()


# --- Others ---

ATTACK = (ROOT / "tests/support/attack.html").read_text(encoding="utf-8")


@contextmanager
def elsewhere(page):
    """Another server of this machine, with a page of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_from_another_port_neither_reads_nor_writes(context, file, name):
    with annotating(file) as (address, session):
        visited(context, address)
        session.edit(0, 0, {"edit": "note", "text": "kept"})
        before = session.view(0)["version"]
        base = re.match("http://[^/]+", address)[0]
        with elsewhere(ATTACK.replace("BASE", base)) as port:
            page = context.new_page()
            page.goto(f"http://{name}:{port}/")
            page.wait_for_function("window.result", timeout=20_000)
            tried = page.evaluate("window.result")
        assert len(tried) == 10
        assert {outcome for _, outcome in tried} == {"refused"}, tried
        assert session.view(0)["version"] == before
        assert session.view(0)["note"] == "kept"


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_last_column_is_whole_beside_long_cells(context, tmp_path, width):
    long = "|".join(f"Gloss{number}=something-very-long" for number in range(9))
    rows = "".join(
        f"{i}\tinternationalization\tinternationalization\tNOUN\tNNPS\t{long}\t_\t_\t_\t{long}\n" for i in (1, 2)
    )
    file = tmp_path / "long.conllu"
    file.write_text(rows + "\n", encoding="utf-8")
    with annotating(file, train=False) as (address, _):
        page = visited(context, address)
        page.set_viewport_size({"width": width, "height": 900})
        box, sure = (page.locator(name).bounding_box() for name in (".table-box", "#words tr[data-row='1'] td.sure"))
        assert sure["x"] + sure["width"] <= box["x"] + box["width"] + 1
