"""Built-in systems by name, with options, and from files."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.systems.registry import BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_names_are_case_and_hyphen_blind(name):
    camel = "".join(part.capitalize() for part in name.split("-"))
    assert pp.system(name) == pp.system(camel) == pp.system(name.replace("-", "_").upper())
    assert pp.system(name).name == name
    assert pp.system(name).root == "last"
    assert not pp.system(name, single_root=False).single_root


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("arc-egaer", {}, "no transition system is called 'arc-egaer'; did you mean arc-eager?"),
        ("xyz", {}, "no transition system is called 'xyz'; there are arc-eager, arc-hybrid"),
        ("arc-eager", {"root": "middle"}, "root must be one of first, last, none; got 'middle'"),
        ("arc-eager", {"k": 3}, "arc-eager takes root, single_root; got k"),
        (
            "arc-eager-partial",
            {"single_root": True},
            "arc-eager-partial may leave several words without a head, so it has no single-root",
        ),
        ("arc-eager-span", {"k": 0}, "arc-eager-span: k must be an integer >= 1; got 0"),
        ("arc-hybrid-span", {"k": True}, "arc-hybrid-span: k must be an integer >= 1; got True"),
        ("swap-standard", {"oracle": "late"}, "must be one of eager, lazy, dynamic, static-dynamic; got 'late'"),
        (pp.system("arc-eager"), {"root": "first"}, "arc-eager is complete as it is; got root"),
        ("nowhere.json", {}, "nowhere.json: cannot be read: No such file or directory"),
    ],
)
def test_what_is_not_there_is_refused(name, options, message):
    with pytest.raises((pp.errors.DeclarationError, pp.errors.UnknownSystemError)) as caught:
        pp.system(name, **options)
    assert message in str(caught.value)


def test_a_system_is_its_own_system():
    system = pp.system("arc-eager")
    assert pp.system(system) is system


def test_a_file_may_be_asked_for_what_it_says(tmp_path):
    path = tmp_path / "mine.JSON"
    path.write_text(pp.system("arc-eager").to_json())
    assert pp.system(path, root="last") == pp.system("arc-eager")
    with pytest.raises(pp.errors.DeclarationError, match="defines the whole system; got root=first"):
        pp.system(path, root="first")
    (tmp_path / "table.txt").write_text("")
    with pytest.raises(pp.errors.UnknownSystemError, match=r"a table's ends in .toml or .json"):
        pp.system(str(tmp_path / "table.txt"))


@pytest.mark.parametrize("value", [3, None, pp.PythonSystem])
def test_what_is_no_system_is_refused(value):
    with pytest.raises(pp.errors.DeclarationError, match="expected the name of a system, a file, or a system; got"):
        pp.system(value)
