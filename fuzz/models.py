"""Model files and checkpoints: raw bytes, the header, and content whose checksum is right."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import panparser as pp
from fuzz import seeds
from fuzz.mutation import changed, changes, dumped, mutated
from fuzz.running import Target, smaller_changes, smaller_text
from panparser.cli.model_info import show_model
from panparser.errors import PanParserError

_CHECKPOINT = "checkpoint"
_OPTIONS: dict[str, Any] = {"epochs": 2, "members": 1, "patience": None}


@dataclass(frozen=True)
class Parts:
    """A file taken apart: the entries of its header, its manifest, the bytes of its arrays."""

    header: dict[str, Any]
    manifest: dict[str, Any]
    data: bytes

    @classmethod
    def of(cls, path: Path) -> Parts:
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        return cls(header, json.loads(header["__metadata__"]["panparser"]), data[8 + length :])

    def with_manifest(self, manifest: Any, data: bytes) -> bytes:
        """The file with another manifest and other arrays, and the right checksum."""
        text = dumped(manifest)
        checksum = zlib.crc32(data, zlib.crc32(text.encode("utf-8", "surrogatepass")))
        own = {"panparser": text, "crc32": f"{checksum:08x}"}
        return _file_of(self.header | {"__metadata__": own}, data)

    def with_header(self, header: Any) -> bytes:
        return _file_of(header, self.data)


def _file_of(header: Any, data: bytes) -> bytes:
    text = dumped(header).encode("utf-8", "surrogatepass")
    text += b" " * (-(len(text) + 8) % 64)
    return len(text).to_bytes(8, "little") + text + data


@cache
def _parts(name: str) -> Parts:
    return Parts.of(_checkpoint() if name == _CHECKPOINT else seeds.model_file(name))


@cache
def _checkpoint() -> Path:
    """The checkpoint after the first of two epochs."""
    path, kept = seeds.folder() / "run.checkpoint", seeds.folder() / "kept.checkpoint"

    class Keeper(pp.Listener):
        def after_epoch(self, report: pp.EpochReport) -> None:
            if path.exists():
                kept.write_bytes(path.read_bytes())

    _resumed(path, resume=False, listeners=[Keeper()])
    return kept


def _resumed(path: Path, *, resume: bool, listeners: Any = ()) -> None:
    spec = pp.ParserSpec(beam=1, templates=pp.Templates.parse("S0.form\nB0.upos S0.upos"))
    small = seeds.treebank()[:3]
    pp.train(spec, small, dev=small, checkpoint=path, resume=resume, listeners=listeners, threads=1, **_OPTIONS)


# --- How inputs are made: the name of a seed, and changes of it ---


def _with_changes(names: tuple[str, ...], part: Callable[[Parts], Any]) -> Callable[[Random], bytes]:
    def make(rng: Random) -> bytes:
        name = rng.choice(names)
        return json.dumps({"seed": name, "changes": changes(rng, part(_parts(name)))}).encode()

    return make


def _with_arrays(names: tuple[str, ...]) -> Callable[[Random], bytes]:
    """Changes are numbers of bytes and their new values."""

    def make(rng: Random) -> bytes:
        name = rng.choice(names)
        size = len(_parts(name).data)
        made = [[rng.randrange(size), rng.choice((0, 1, 127, 128, 255))] for _ in range(rng.choice((1, 4, 30, 300)))]
        return json.dumps({"seed": name, "changes": made}).encode()

    return make


def _content(values: dict[str, Any]) -> bytes:
    parts = _parts(values["seed"])
    return parts.with_manifest(changed(parts.manifest, values["changes"]), parts.data)


def _header(values: dict[str, Any]) -> bytes:
    parts = _parts(values["seed"])
    return parts.with_header(changed(parts.header, values["changes"]))


def _numbers(values: dict[str, Any]) -> bytes:
    parts = _parts(values["seed"])
    data = bytearray(parts.data)
    for at, value in values["changes"]:
        data[at % len(data)] = value
    return parts.with_manifest(parts.manifest, bytes(data))


# --- What is done with them ---


def check_model(data: bytes) -> None:
    """A model that can be read can be shown, saved and used."""
    path = seeds.folder() / "damaged.panparser"
    path.unlink(missing_ok=True)  # one that is still mapped must not change
    path.write_bytes(data)
    model = pp.load(path)
    repr(model)
    with suppress(PanParserError):
        model.save(seeds.folder() / "again.panparser")
    sentence = seeds.treebank()[1:2]
    pipeline = pp.Pipeline.from_model(model)  # type: ignore[arg-type]
    if pipeline.tokenizer is not None:
        sentence = pipeline.tokenizer.tokenize("The old dogs saw Tom. Don't!")
    pipeline.annotate(sentence)
    sentence.to_bytes()
    show_model(str(path), as_json=False)


def check_checkpoint(data: bytes) -> None:
    path = seeds.folder() / "damaged.checkpoint"
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    _resumed(path, resume=True)


def _of_json(build: Callable[[dict[str, Any]], bytes], check: Callable[[bytes], None]) -> Callable[[bytes], None]:
    return lambda data: check(build(json.loads(data)))


def _raw(rng: Random) -> bytes:
    return mutated(rng, [seeds.model_file(name).read_bytes() for name in ("parser", "tagger")])


def _targets(name: str, models: tuple[str, ...]) -> tuple[Target, ...]:
    """Damage of headers, of manifests and of arrays."""
    of_header, of_manifest = (_with_changes(models, part) for part in (lambda p: p.header, lambda p: p.manifest))
    return (
        Target(f"{name}-header", of_header, _of_json(_header, check_model), smaller_changes),
        Target(f"{name}-content", of_manifest, _of_json(_content, check_model), smaller_changes),
        Target(f"{name}-arrays", _with_arrays(models), _of_json(_numbers, check_model), smaller_changes),
    )


MODEL_TARGETS = (
    Target("models", _raw, check_model, smaller_text),
    *_targets("models", seeds.MODELS),
    *_targets("networks", seeds.NETWORKS),
    Target(
        "checkpoints",
        _with_changes((_CHECKPOINT,), lambda parts: parts.manifest),
        _of_json(_content, check_checkpoint),
        smaller_changes,
    ),
    Target("checkpoints-arrays", _with_arrays((_CHECKPOINT,)), _of_json(_numbers, check_checkpoint), smaller_changes),
)
