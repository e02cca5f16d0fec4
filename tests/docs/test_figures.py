"""Figures on pages are those of the committed benchmarks."""

from __future__ import annotations

import re

from places import ROOT

RESULTS = ROOT / "benchmarks" / "results"
DOCS = ROOT / "docs"


def _read(path):
    return path.read_text(encoding="utf-8")


def test_batches_are_as_fast_as_the_page_says():
    assert "more than a million transitions a second" in _read(DOCS / "guides" / "classifiers.md")
    rates = re.findall(r"^.*, single root +(\d+) +\d+ +\d+$", _read(RESULTS / "batch.txt"), re.MULTILINE)
    assert len(rates) == 10
    assert all(int(rate) > 1000 for rate in rates)


def test_the_readme_compares_with_udpipe_as_the_results_do():
    rows = re.findall(
        r"^(\w+) +raw text +(panparser|UDPipe 1) {2,}(.+)$", _read(RESULTS / "pipeline.txt"), re.MULTILINE
    )
    figures = {(name, system): [float(figure) for figure in text.split()] for name, system, text in rows}
    names = {name for name, _ in figures} - {"average"}
    las = {key: row[8] for key, row in figures.items()}
    speed = {key: row[9] for key, row in figures.items() if key[0] in names}
    ratios = sorted(speed[name, "panparser"] / speed[name, "UDPipe 1"] for name in names)
    assert len(names) == 6
    assert all(las[name, "panparser"] > las[name, "UDPipe 1"] for name in names)
    assert f"on all six treebanks tried, and {ratios[0]:.1f} to {ratios[-1]:.1f} times as fast" in _read(
        ROOT / "README.md"
    )


def _numbers(text):
    return [float(found.replace(",", "")) for found in re.findall(r"(?<![\w.])\d[\d,]*\.?\d*", text)]


def _claims():
    """What the page about the thesis says that we measured, with the script that did."""
    for line in _read(DOCS / "results" / "thesis.md").splitlines():
        if line.startswith("| ") and (script := re.search(r"benchmarks/(\w+)\.py\) \|$", line)):
            yield script[1], line.strip("|").split("|")[2]


def test_figures_beside_the_thesis_are_in_the_results():
    """Scores and counts; differences, which have a sign or come after "by", are not printed there."""
    checked = 0
    for script, here in _claims():
        known = _numbers(_read(RESULTS / f"{script}.txt"))
        for figure in re.findall(r"(?<![-+\w.])\.?\d[\d.]*(?<!\.)", re.sub(r"by [\d.]+ to [\d.]+.*", "", here)):
            digits = len(figure.partition(".")[2])
            assert any(round(value, digits) == float(figure) for value in known), f"{script}: {figure} in {here}"
            checked += 1
    assert checked > 20


def test_speeds_in_words_are_those_of_the_results():
    page = _read(DOCS / "results" / "speed.md")
    treebank, roundtrip = (_read(RESULTS / f"{name}.txt") for name in ("treebank", "roundtrip"))
    words = re.search(r"sentences, ([\d,]+) words", treebank)[1]
    assert f"Reading and writing CoNLL-U, {words} words" in page
    files, all_words = re.search(r"^(\d+) files, ([\d,]+) words, .*: \1 came back", roundtrip, re.MULTILINE).groups()
    assert f"{files} files of Universal Dependencies, {all_words} words, come back" in page


def test_annotation_in_words_is_that_of_the_results():
    rows = re.findall(r"^(\w+) +((?:[\d.]+ [\d.]+x *)+)$", _read(RESULTS / "annotation.txt"), re.MULTILINE)
    times = {name: re.findall(r"([\d.]+)x", text)[3] for name, text in rows if name != "average"}
    least, most = (pick(times, key=lambda name: float(times[name])) for pick in (min, max))
    names = {"got": "Gothic", "fr_sequoia": "French", "tr": "Turkish"}
    text = f"from {times[least]} ({names[least]}) to {times[most]} ({names[most]}) for *right so far*"
    assert text in _read(DOCS / "results" / "accuracy.md")


def test_the_english_models_are_as_good_as_the_pages_say():
    cards = {name: _read(ROOT / "src" / "panparser" / "models" / f"{name}.md") for name in ("en", "en-neural")}
    las = {
        (name, way): float(re.search(rf"^\| {way} \|.* ([\d.]+) \|$", card, re.MULTILINE)[1])
        for name, card in cards.items()
        for way in ("raw text", "gold tokens")
    }
    raw, gold = (tuple(round(las[name, way] + 1e-9, 1) for name in cards) for way in ("raw text", "gold tokens"))
    assert f"LAS {raw[1]} from raw text, where `en` has {raw[0]}" in _read(ROOT / "README.md")
    guide = _read(DOCS / "guides" / "neural.md")
    assert f"its LAS from raw text is {raw[1]}, that of the perceptrons of `en` {raw[0]}" in guide
    assert f"(from gold tokens {gold[1]} and {gold[0]})" in guide


def test_speeds_of_networks_are_those_of_the_results():
    def figures(line):
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        return [cells[0], *(number for cell in cells[1:] for number in re.findall(r"[\d,.]+", cell))]

    known = {}
    for line in _read(RESULTS / "neural_speed.md").splitlines():
        if line.startswith("| ") and "---" not in line:
            name, *numbers = figures(line)
            known[name] = numbers
    names = {"perceptron, beam 8": "perceptron", "spaCy's parser": "spaCy", "`bilstm`": "BILSTM"}
    names["`smaller`"] = "smaller BILSTM"
    page = _read(DOCS / "guides" / "neural.md").split("## Fast parsing")[1]
    rows = [figures(line) for line in page.splitlines() if line.startswith("| ")]
    assert [row[0] for row in rows[-len(names) :]] == [*names]
    for name, uas, las, rate, start, memory in rows[-len(names) :]:
        own = known[names[name]]
        assert [f"{float(own[0]) + 1e-9:.1f}", f"{float(own[1]) + 1e-9:.1f}"] == [uas, las]
        assert [own[2], own[4], own[5]] == [rate, start, memory]
