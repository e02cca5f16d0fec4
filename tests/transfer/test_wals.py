"""The extract of WALS: it is there, it is what WALS says, and its languages are found."""

from __future__ import annotations

import time

import pytest

from panparser.errors import SpecError
from panparser.transfer.dependents import ABSENT, CLASSES, NAMES, PRESENT
from panparser.transfer.wals import FILE, find_language, languages, majority


def of(name):
    return CLASSES[NAMES.index(name)]


def test_it_comes_with_the_package_and_says_whose_it_is():
    assert FILE.stat().st_size < 200_000
    assert "CC BY 4.0" in FILE.read_text(encoding="utf-8").splitlines()[0]
    assert {path.name for path in FILE.parent.iterdir()} == {"languages.tsv", "README.md", "LICENSE.CC-BY-4.0"}
    assert len(languages()) == 2662
    assert sum(any(each.values) for each in languages()) == 1628
    assert sum(bool(value) for each in languages() for value in each.values) == 12311


def test_it_is_read_once_and_quickly():
    languages.cache_clear()
    start = time.process_time()
    first = languages()
    assert time.process_time() - start < 0.5
    assert languages() is first


@pytest.mark.parametrize(
    ("language", "name", "value"),
    [
        ("fr", "adjective", 0.0),
        ("fr", "adposition", 1.0),
        ("tr", "adposition", 0.0),
        ("tr", "definite_article", ABSENT),
        ("en", "genitive", 0.5),
        ("ga", "subject", 0.0),
        ("de", "object", 0.5),
        ("ja", "relative_clause", 1.0),
        ("hu", "definite_article", PRESENT),
        ("fo", "adjective", None),
    ],
)
def test_what_wals_says(language, name, value):
    assert find_language(language)[0].value(of(name)) == value


def test_every_value_of_the_file_is_one_of_wals():
    most = {"37A": 5, "38A": 5, "85A": 5, "88A": 6, "90A": 7, "94A": 5, "87A": 4, "89A": 4}
    for each in languages():
        for declared, value in zip(CLASSES, each.values, strict=True):
            assert 0 <= value <= most.get(declared.feature, 3)


@pytest.mark.parametrize("name", ["fr", "FR", "fre", "fra", "stan1290", "French", "french", " fr ", "iso:fra", "ud:fr"])
def test_ways_to_name_a_language(name):
    assert [each.code for each in find_language(name)] == ["fre"]


def test_of_several_languages_with_a_code_the_best_known_is_asked_first():
    assert [each.code for each in find_language("zh")] == ["mnd", "kug"]
    assert [each.code for each in find_language("ga")] == ["iri", "ird", "irm"]
    assert find_language("yi")[0].values.count(0) <= min(each.values.count(0) for each in find_language("yi"))
    assert find_language("hr") == find_language("sr")


def test_no_code_of_universal_dependencies_is_without_its_first_language():
    codes = {code for each in languages() for code in each.ud}
    assert {code.partition("/")[0] for code in codes} == {code for code in codes if "/" not in code}
    assert len({code for code in codes if "/" not in code}) > 150


def test_a_code_that_means_two_languages_is_refused():
    with pytest.raises(
        SpecError, match="isl: is International Sign in WALS and Icelandic in ISO 639-3; write wals:isl"
    ):
        find_language("isl")
    assert find_language("iso:isl")[0].name == "Icelandic"
    assert find_language("wals:isl")[0].name == "International Sign"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Kurdish", "did you mean Kurdish (Central) (krd)"),
        ("Frensh", "did you mean French (fre)"),
        ("xx", "or a name as in WALS"),
        ("iso:french", "iso:french: expected a code"),
        ("", "expected a code or a name"),
        (None, "got None"),
    ],
)
def test_unknown_languages(name, said):
    with pytest.raises(SpecError) as error:
        find_language(name)
    assert said in str(error.value)


def test_the_majority_of_a_genus():
    assert majority("Germanic", of("adjective")) == (1.0, 8, 8)
    assert majority("Germanic", of("object")) is None  # five of eight
    assert majority("Iranian", of("adposition")) is None
    assert majority("Armenian", of("adjective")) is None  # too few
    assert majority("no such genus", of("adjective")) is None
