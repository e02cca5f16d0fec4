"""Files here and elsewhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

import panparser as pp
from panparser.errors import ConlluError
from panparser.storage import locations as places


@pytest.fixture(params=["here", "memory"])
def folder(request, tmp_path):
    """A folder of this machine, and one of a store that is only in memory."""
    if request.param == "here":
        return str(tmp_path)
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'panparser[remote]')")
    store = fsspec.filesystem("memory")
    store.store.clear()
    store.pseudo_dirs[:] = [""]
    return "memory://texts"


def write(name, data):
    places.make_folder(name.rpartition("/")[0])
    with places.whole(name) as stream:
        stream.write(data)


def test_files_are_written_found_and_read(folder):
    name = places.inside(folder, "a/b.txt")
    assert places.stamp(name) is None
    write(name, b"some bytes")
    write(places.inside(folder, ".hidden/c.txt"), b"")
    write(places.inside(folder, "d.txt"), b"")
    with places.opened(name) as stream:
        assert stream.read() == b"some bytes"
    assert places.size_of(name) == 10
    assert places.is_folder(folder)
    assert not places.is_folder(name)
    assert places.files_in(folder) == ["a/b.txt", "d.txt"]
    first = places.stamp(name)
    assert first == places.stamp(name) is not None
    write(name, b"other bytes")
    assert places.stamp(name) != first
    places.remove_folder(places.inside(folder, "a"))
    places.remove_folder(places.inside(folder, "a"))
    assert places.files_in(folder) == ["d.txt"]
    with pytest.raises(OSError, match=r".*"):
        places.opened(name)


def test_half_a_file_is_none(folder):
    name = places.inside(folder, "a.txt")
    write(name, b"before")

    def write_half():
        with places.whole(name) as stream:
            stream.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    with places.opened(name) as stream:
        assert stream.read() == b"before"
    assert places.files_in(folder) == ["a.txt"]


def test_the_rest_of_a_file(folder):
    name = places.inside(folder, "a.txt")
    write(name, b"0123456789")
    with places.FileRange(name, 3) as stream:
        assert stream.read(2) == b"34"
        assert stream.read(20) == b"56789"
        assert stream.read() == b""


def test_treebanks_are_read_and_written_elsewhere(folder, english):
    name = places.inside(folder, "a.conllu.gz")
    pp.write_conllu(name, english[1])
    assert pp.read_conllu(name).to_bytes() == english[1].to_bytes()


def test_what_cannot_be_reached_is_told(monkeypatch):
    pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'panparser[remote]')")
    with pytest.raises(ConlluError, match=r"nowhere://a: Protocol not known: nowhere"):
        places.opened("nowhere://a")
    with pytest.raises(pp.ConlluError, match=r"memory://none/a\.conllu: cannot be read"):
        pp.read_conllu("memory://none/a.conllu")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match=r"s3://a/b: needs a package: pip install 'panparser\[remote\]'"):
        places.opened("s3://a/b")


def test_files_of_this_machine_do_not_need_it(tmp_path):
    program = "import sys, panparser as pp; pp.write_conllu('a', pp.parse_conllu('')); pp.read_conllu('a')\n"
    program += "assert 'fsspec' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)
