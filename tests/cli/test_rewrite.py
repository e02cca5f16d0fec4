"""`panparser rewrite`."""

from __future__ import annotations

import pytest

import panparser as pp
from places import ENGLISH


def row(id, form, tag, head, label, feats="_"):
    return f"{id}\t{form}\t_\t{tag}\t_\t{feats}\t{head}\t{label}\t_\t_\n"


HUT = (
    row(1, "the", "DET", 3, "det", "Definite=Def") + row(2, "old", "ADJ", 3, "amod") + row(3, "hut", "NOUN", 0, "root")
)
FILES = {
    "empty.conllu": "",
    "cycle.conllu": row(1, "a", "DET", 2, "det") + row(2, "b", "NOUN", 1, "x") + "\n",
    "untagged.conllu": row(1, "a", "_", 2, "det") + row(2, "b", "_", 0, "root") + "\n",
    "treeless.conllu": row(1, "a", "DET", "_", "_") + row(2, "b", "NOUN", "_", "_") + "\n",
    "hut.conllu": f"{HUT}\n" * 40,
    "bad.toml": 'adposition = "before"\nadjective = "behind"\n',
    "mine.toml": 'adjective = "after"\n',
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_treebank_is_written_and_what_was_changed_is_told(run, files):
    code, out, _ = run("rewrite", ENGLISH, "--target-language", "tr", "-o", "out.conllu")
    assert code == 0
    rewritten, done = pp.transfer.rewrite_word_order(pp.read_conllu(ENGLISH), pp.transfer.Typology.from_language("tr"))
    assert (files / "out.conllu").read_bytes() == rewritten.to_bytes()
    assert "after: WALS 85A of Turkish (tur)" in out
    assert f"{done.changed:,} of {done.sentences:,} sentences changed" in out
    assert f"{done.nonprojective:,} with crossing arcs left as they are" in out
    moved = next(line for line in out.splitlines() if line.startswith("adposition")).split()[2]
    assert moved == f"{done.counts[0].moved:,}"


def test_standard_output_has_the_treebank_alone(run, files):
    code, out, err = run("rewrite", ENGLISH, "--target-language", "tr", "--strength", "cautious", "--seed", "3")
    expected = pp.transfer.rewrite_word_order(
        pp.read_conllu(ENGLISH), pp.transfer.Typology.from_language("tr"), strength="cautious", seed=3
    )[0]
    assert (code, out, err) == (0, expected.to_conllu(), "")


def test_sources_overrule_each_other(run, files):
    hut = pp.read_conllu("hut.conllu")
    french = pp.transfer.Typology.from_language("fr")
    mine = french | pp.transfer.Typology.from_values({"adjective": "after"})
    for arguments, target, source in (
        (("--target-language", "en", "--typology", "mine.toml"), pp.transfer.Typology.from_language("en") | mine, None),
        (("--typology", "mine.toml"), mine, None),
        (("--related-language", "fr"), french, None),
        (("--target-language", "fr", "--sample", "hut.conllu"), french | pp.transfer.Typology.from_treebank(hut), None),
        (("--target-language", "fr", "--source-language", "fr"), french, french),
    ):
        code, out, _ = run("rewrite", "hut.conllu", *arguments)
        assert (code, out) == (0, pp.transfer.rewrite_word_order(hut, target, source=source)[0].to_conllu())
    assert (
        run("rewrite", "hut.conllu", "--target-language", "fr")[1]
        != run("rewrite", "hut.conllu", "--target-language", "en")[1]
    )


def test_a_file_without_features_is_told_about(run, files):
    (files / "plain.conllu").write_text(FILES["hut.conllu"].replace("Definite=Def", "_"))
    code, out, _ = run("rewrite", "plain.conllu", "--target-language", "tr", "-o", "out.conllu")
    assert (code, "plain.conllu: no features (FEATS)" in out) == (0, True)
    assert run("-q", "rewrite", "plain.conllu", "--target-language", "tr", "-o", "out.conllu") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("hut.conllu", "--target-language", "Frensh"), "language Frensh: expected a code"),
        (("hut.conllu", "--target-language", "fr", "--source-language", "xx"), "language xx: expected a code"),
        (("hut.conllu", "--target-language", "fr", "--related-language", "xx"), "language xx: expected a code"),
        (("hut.conllu",), "expected --target-language"),
        (("empty.conllu", "--target-language", "fr"), "empty.conllu: expected sentences, found none"),
        (("cycle.conllu", "--target-language", "fr"), "cycle.conllu:"),
        (("untagged.conllu", "--target-language", "fr"), "untagged.conllu: expected words with UPOS"),
        (("treeless.conllu", "--target-language", "fr"), "treeless.conllu: expected trees"),
        (("none.conllu", "--target-language", "fr"), "none.conllu: cannot be read"),
        (("hut.conllu", "--typology", "bad.toml"), "bad.toml:2: adjective: expected"),
        (("hut.conllu", "--typology", "none.toml"), "none.toml: cannot be read"),
        (
            ("hut.conllu", "--target-language", "fr", "--sample", "empty.conllu"),
            "empty.conllu: expected sentences, found none",
        ),
        (
            ("hut.conllu", "--target-language", "fr", "-o", "hut.conllu"),
            "hut.conllu: is an input file; choose another output file",
        ),
        (("hut.conllu", "--typology", "mine.toml", "-o", "mine.toml"), "mine.toml: is an input"),
        (("hut.conllu", "--target-language", "fr", "-o", "none/out.conllu"), "none/out.conllu: cannot be written"),
    ],
)
def test_refusals_are_one_line(run, files, arguments, said):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    code, out, err = run("rewrite", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_words_in_the_order_of_tags(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    english = pp.read_conllu(ENGLISH)
    pp.write_conllu("first.conllu", english[:20])
    pp.write_conllu("tagged.conllu", english[20:60])
    code, out, _ = run(
        "rewrite", "first.conllu", "--tag-model", "tagged.conllu", "--keep-share", "0.5", "-o", "out.conllu"
    )
    model = pp.transfer.TagLanguageModel.from_treebank(english[20:60])
    chosen = pp.transfer.select_similar_sentences(english[:20], model, share=0.5)
    found, done = pp.transfer.reorder_words(chosen, model)
    assert (code, pp.read_conllu("out.conllu").to_bytes()) == (0, found.to_bytes())
    assert "10 of 20 sentences selected" in out
    assert f"{done.changed} of 10 sentences changed" in out
    assert (
        run("rewrite", "first.conllu", "--tag-model", "tagged.conllu", "--max-distortion", "0")[1]
        == (tmp_path / "first.conllu").read_text()
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tag-model", ENGLISH, "--target-language", "fr"), "--tag-model cannot be used with --target-language"),
        (("--keep-share", "0.5", "--target-language", "fr"), "--max-distortion and --keep-share require --tag-model"),
        (
            ("--tag-model", ENGLISH, "--keep-share", "2"),
            "--keep-share must be in (0, 1]; got 2",
        ),
        (("--tag-model", ENGLISH, "-o", ENGLISH), "is an input file; choose another output file"),
    ],
)
def test_what_a_model_of_tags_cannot_do(run, arguments, said):
    code, _, err = run("rewrite", ENGLISH, *arguments)
    assert (code, said in err) == (2, True), err
