"""Where treebanks to learn from are, what they are called, and under which license."""

from __future__ import annotations

import pytest

from panparser.errors import SpecError
from panparser.transfer.source_files import find_license, find_sources


def write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(*paths, **options):
    return [source.name for source in find_sources(paths, **options)]


def test_training_files_of_folders(tmp_path):
    for name in ("fr/train", "fr/dev", "UD_Irish/ga_idt-ud-train", "UD_Irish/ga_idt-ud-test", "br/test"):
        write(tmp_path / f"{name}.conllu")
    assert names(tmp_path) == ["ga_idt", "fr"]
    assert names(tmp_path / "fr", tmp_path) == ["fr", "ga_idt"]
    assert names(tmp_path, exclude=[str(tmp_path / "fr" / "train.conllu"), None]) == ["ga_idt"]
    assert names(tmp_path / "br" / "test.conllu") == ["br"]


def test_a_folder_without_training_files_has_all(tmp_path):
    for name in ("constrained", "fr", "ga", "more/cy"):
        write(tmp_path / f"{name}.conllu")
    assert names(tmp_path) == ["constrained", "fr", "ga"]


def test_there_must_be_some(tmp_path):
    with pytest.raises(SpecError, match="expected a folder with treebanks"):
        find_sources([tmp_path])
    with pytest.raises(SpecError, match="expected treebanks of other languages"):
        find_sources([])


@pytest.mark.parametrize(
    ("files", "license"),
    [
        ({}, "unknown"),
        ({"README.md": "# A\nLicense: CC BY-SA 4.0\nGenre: news\n"}, "CC BY-SA 4.0"),
        ({"README.txt": "license:  LGPLLR \r\n", "LICENSE.txt": "other"}, "LGPLLR"),
        ({"README.md": "no word of it", "LICENSE": "\n\nMIT License\n\ntext"}, "MIT License"),
        ({"LICENSE.txt": "at http://creativecommons.org/licenses/by-nc-sa/3.0/legalcode"}, "CC BY-NC-SA 3.0"),
        ({"LICENSE.txt": "x" * 1000}, "x" * 80),
        ({"LICENSE.txt": "", "licensed.conllu": "License: x"}, "unknown"),
    ],
)
def test_licenses(tmp_path, files, license):
    for name, text in files.items():
        write(tmp_path / name, text)
    assert find_license(write(tmp_path / "train.conllu")) == license
    assert find_sources([tmp_path / "train.conllu"])[0].license == license
