"""Tables of glosses: what is shipped, and what users put in its place."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.transfer.glossed.gloss_table import shipped_table
from panparser.treebank.universal import UPOS

TABLE = shipped_table()


def test_what_is_shipped_says_what_the_leipzig_rules_mean():
    for gloss, features in (
        ("PST", "Tense=Past"),
        ("ACC", "Case=Acc"),
        ("DEF", "Definite=Def"),
        ("NEG", "Polarity=Neg"),
    ):
        assert TABLE.features[gloss] == features
    assert {gloss for names in TABLE.translations for gloss in names.split(".") if gloss.isupper()} <= {*TABLE.features}
    assert {*TABLE.words, *TABLE.derivations, *TABLE.layers} - {"PSR"} <= {*TABLE.features}
    assert {*TABLE.tags.values(), *TABLE.english.values()} <= UPOS
    assert all(word == word.lower() for word in (*TABLE.english, *TABLE.tags))


def test_glosses_that_are_written_together():
    assert TABLE.lookup("3SG") == ("3", "SG")
    assert TABLE.lookup("3SGF") == ("3", "SG", "F")
    assert TABLE.lookup("FSG") == ("F", "SG")
    assert TABLE.lookup("12PL") == ("12", "PL")
    assert TABLE.lookup("PST") == ("PST",)
    for unknown in ("XYZ", "3XYZ", "", "1" * 40):
        assert TABLE.lookup(unknown) is None


def test_parts_of_speech():
    found = {tag: TABLE.tag(tag) for tag in ("n", "N", "v.tr", "n:poss", "adv.", "Proper Noun", "VERB", "zzz", "", "-")}
    assert found == {
        **{"n": "NOUN", "N": "NOUN", "v.tr": "VERB", "n:poss": "NOUN", "adv.": "ADV", "Proper Noun": "PROPN"},
        **{"VERB": "VERB", "zzz": "", "": "", "-": ""},
    }


def test_a_file_adds_and_overrules(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[features]\nEVIT = "Mood=Adm"\nPST = "Tense=Past|VerbForm=Fin"\nREM = ""\n[tags]\nzzz = "ADV"\n'
        '[joined]\nparts = ["EVIT"]\n[words]\nPL = "DET"\n[markers]\nwords = ["orth"]\n',
        encoding="utf-8",
    )
    table = pp.transfer.glossed.GlossTable.read(path)
    assert table.features["EVIT"] == "Mood=Adm"
    assert table.features["PST"] == "Tense=Past|VerbForm=Fin"
    assert (table.features["REM"], table.features["ACC"]) == ("", "Case=Acc")
    assert table.tag("zzz") == "ADV"
    assert table.lookup("3EVIT") == ("3", "EVIT")
    assert next(iter(table.words)) == "PL"  # what users say comes first
    assert (table.markers["words"], table.markers["glosses"]) == (("orth",), TABLE.markers["glosses"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[features]\nPST = "past"\n',
            "features.PST: expected features such as Person=3|Number=Sing, or an empty text, found",
        ),
        ("[features]\nPST = 3\n", "features.PST: expected features"),
        ('[tags]\nn = "Noun"\n', "tags.n: expected one of ADJ, ADP"),
        ('[feature]\nPST = "Tense=Past"\n', "feature"),
        ('[markers]\nlines = ["a"]\n', "markers"),
        ('[markers]\nwords = "a"\n', "markers.words: expected a list"),
        ("[markers]\nwords = []\n", "markers.words: expected a list of 1 or more"),
        ('[layers]\nPOSS = "Psor"\n', "layers.POSS: expected a layer such as psor"),
        ("[features\n", "mine.toml"),
    ],
)
def test_a_file_that_is_no_table_is_refused(text, message, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pp.SpecError) as error:
        pp.transfer.glossed.GlossTable.read(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)
