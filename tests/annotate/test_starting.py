"""What annotation starts from."""

from __future__ import annotations

import pytest

import panparser as pp
from annotated import FILE, write
from places import ENGLISH


def test_a_text_becomes_a_file(tmp_path):
    (tmp_path / "text.txt").write_text("They ate it. We didn't!\n\nA new one")
    path = tmp_path / "new.conllu"
    assert pp.annotate.tokenize_to_conllu(tmp_path / "text.txt", path) == 3
    with pp.annotate.AnnotationSession(path, train=False) as session:
        assert [session.view(index)["text"] for index in range(3)] == ["They ate it.", "We didn't!", "A new one"]
        assert session.summary()["done"] == 0
    with pytest.raises(pp.errors.AnnotationError, match="exists already"):
        pp.annotate.tokenize_to_conllu(tmp_path / "text.txt", path)
    (tmp_path / "empty.txt").write_text(" \n")
    with pytest.raises(pp.errors.AnnotationError, match="found no words"):
        pp.annotate.tokenize_to_conllu(tmp_path / "empty.txt", tmp_path / "other")


def test_a_start_from_other_languages_needs_tags(tmp_path):
    parser = pp.annotate.train_initial_parser(write(tmp_path), [ENGLISH])
    with pp.annotate.AnnotationSession(tmp_path / "file.conllu", model=parser, train=False) as session:
        assert session.summary()["has_parser"]
        assert session.view(1)["words"][0]["label"] == "nsubj"
    (tmp_path / "bare.conllu").write_text(FILE.replace("\tX\t", "\t_\t").split("\n\n")[2] + "\n\n")
    with pytest.raises(pp.errors.AnnotationError, match="has no tags"):
        pp.annotate.train_initial_parser(tmp_path / "bare.conllu", [ENGLISH])
