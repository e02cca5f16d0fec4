"""Valid inputs to mutate, all made by code: a treebank of random trees, text, models, recipes, tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

import numpy as np

import panparser as pp
from panparser.lab.outcomes import sentence_counts
from panparser.parsing.parser import classifier_model
from panparser.trees.enumeration import random_projective_tree, random_tree
from panparser.work.keys import digest
from reference.networks import random_network_parser, random_network_tagger

_WORDS = "the a old dogs cat Tom runs saw in of and slowly 12 , . naïve çok don't 'll COVID-19".split()
_TAGS = "DET DET ADJ NOUN NOUN PROPN VERB VERB ADP ADP CCONJ ADV NUM PUNCT PUNCT ADJ ADV AUX AUX X".split()
_LEMMAS = "the a old dog cat Tom run see in of and slow 12 , . naïve çok do will covid".split()
_LABELS = ("nsubj", "obj", "det", "advmod", "obl:tmod")


@cache
def folder() -> Path:
    """Where files for readers are written."""
    return Path(mkdtemp(prefix="panparser-fuzz-"))


@cache
def conllu(sentences: int = 12) -> bytes:
    """A treebank with comments, features, a multiword token, an empty node, crossing arcs and MISC."""
    rng = Random(1)
    lines = []
    for number in range(sentences):
        length = rng.randint(3, 8)
        tree = (random_tree if number % 5 == 4 else random_projective_tree)(length, rng)
        chosen = [rng.randrange(len(_WORDS)) for _ in range(length)]
        lines += [f"# sent_id = s{number}", "# text = " + " ".join(_WORDS[i] for i in chosen)]
        for word, (at, head) in enumerate(zip(chosen, tree, strict=True), start=1):
            if number % 3 == 0 and word == 2:
                lines.append(f"2-3\t{_WORDS[at]}{_WORDS[chosen[2]]}" + "\t_" * 8)
            label = "root" if head == 0 else rng.choice(_LABELS)
            feats = "Number=Sing|Person=3" if _TAGS[at] in ("NOUN", "VERB") else "_"
            misc = rng.choice(("_", "SpaceAfter=No", "Gloss=x|SpaceAfter=No", "SpacesAfter=\\n"))
            cells = (word, _WORDS[at], _LEMMAS[at], _TAGS[at], _TAGS[at][:2], feats, head, label)
            lines.append("\t".join(map(str, (*cells, f"{head}:{label}", misc))))
        if number % 4 == 1:
            lines.append(f"{length}.1\tsaw\tsee\tVERB\tVB\t_\t_\t_\t0:root\t_")
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


@cache
def conllx() -> bytes:
    """The same in CoNLL-X."""
    rows = [line.split("\t") for line in conllu().decode().splitlines()]
    kept = [row for row in rows if row[0].isdigit() or row == [""]]
    lines = ["\t".join((*row[:5], "f1|f2", row[6], row[7], "_", "_")) if row != [""] else "" for row in kept]
    return ("\n".join(lines) + "\n").encode()


@cache
def constrained() -> bytes:
    """A treebank with constraints in MISC and some heads unknown."""
    rng, lines = Random(2), []
    for line in conllu().decode().splitlines():
        cells = line.split("\t")
        if cells[0].isdigit():
            word = int(cells[0])
            cells[9] = rng.choice(
                ("_", "Constraint=left", "Constraint=right", f"Constraint=0,{word + 1}", "Constraint=subtree:1-2")
            )
            cells[6] = rng.choice((cells[6], "_", "_", "0"))
        lines.append("\t".join(cells))
    return ("\n".join(lines) + "\n").encode()


@cache
def treebank() -> pp.Treebank:
    return pp.parse_conllu(conllu())


def texts() -> tuple[bytes, ...]:
    """Running text, a sentence a line, a token a line, scripts without spaces."""
    words = " ".join(_WORDS).encode()
    return (
        b"The dog saw a cat. It ran!\n\nTom's 12 cats don't (always) run...\n",
        b"one two\nthree four five\n\nsix\n",
        b"a\nb\n\nc\nd\n",
        "\u6211\u559c\u6b22\u732b\u3002\u0e41\u0e21\u0e27 na\u00efve \u05d7\u05ea\u05d5\u05dc.\r\n".encode(),
        words * 3,
    )


LINKS = (b"0-0 1-2 2-1\n\n3-0\n", b"0-0:0.8 1p2 2-1:1e-3\r\n10-7:1.0\n")


def glossed() -> tuple[bytes, ...]:
    """Interlinear glossed text: Leipzig blocks, Toolbox, FLEx."""
    morph = '<morph type="{}"><item type="txt" lang="x">{}</item><item type="gls" lang="en">{}</item></morph>'
    morphs = morph.format("stem", "koira", "dog") + morph.format("suffix", "-t", "PL")
    words = (
        f'<word><item type="txt" lang="x">koirat</item><morphemes>{morphs}</morphemes></word>'
        '<word><item type="punct" lang="x">.</item></word>'
    )
    phrase = f'<phrase><words>{words}</words><item type="gls" lang="en">Dogs.</item></phrase>'
    return (
        "(1) Koirat näkevät, sinut!\nkoira-t näke-vät sinu-t\ndog-PL see-3PL 2SG-ACC\n'The dogs see you!'\n"
        "\nb<um>ili =e\n<PFV>buy =Q\n".encode(),
        "\\id x\n\\ref x.1\n\\tx Koirat    näkevät\n\\mb koira -t  näke -vät\n\\ge dog   -PL see  -3PL\n"
        "\\ps n     -n  v    -v\n\\ft Dogs\nsee.\n".encode(),
        f"<document><interlinear-text>{phrase}</interlinear-text></document>\n".encode(),
    )


# --- Models ---

_SPEC = {"beam": 2, "templates": pp.templates("zn11")}
_BRIEF: dict[str, Any] = {"epochs": 1, "members": 1}


def _vectors() -> pp.WordVectors:
    rng = np.random.default_rng(1)
    return pp.WordVectors.from_dict(dict(zip(_WORDS, rng.normal(size=(len(_WORDS), 4)).tolist(), strict=True)))


def _parser(**options: Any) -> pp.Parser:
    spec = pp.ParserSpec(**{**_SPEC, **options})
    return pp.train(spec, treebank(), dev=treebank(), **_BRIEF)


def _cascade() -> Any:
    regions = (pp.ArcRegion(upos="NOUN", direction="left"),)
    partial = pp.ParserSpec(system=pp.system("arc-eager-partial"), **_SPEC)
    stages = (
        pp.CascadeStage(name="first", regions=regions, spec=partial, options=_BRIEF),
        pp.CascadeStage(name="last", spec=pp.ParserSpec(**_SPEC), options=_BRIEF),
    )
    return pp.train_cascade(stages, treebank(), stage_constraints="gold")


def _pipeline() -> Any:
    epochs = {"tagger_epochs": 1, "tokenizer_epochs": 1, "lemmatizer_epochs": 1, "folds": 0}
    return pp.train_pipeline(pp.PipelineSpec(parser=pp.ParserSpec(**_SPEC), **epochs), treebank(), **_BRIEF)


def _with_vectors() -> pp.Parser:
    templates = pp.Templates.parse("S0.form\nB0.form\nS0.upos B0.upos\nS0.vector\nB0.vector")
    return pp.train(pp.ParserSpec(beam=1, templates=templates), treebank(), vectors=_vectors(), **_BRIEF)


def _classified(classifier: pp.Classifier) -> pp.Parser:
    templates = pp.Templates.parse("S0.form\nB0.form\nS0.lemma B0.lemma")
    spec = pp.ParserSpec(beam=1, templates=templates)
    if isinstance(classifier, pp.batches.VotingClassifier):
        labels = _classified(pp.Perceptron()).labels
        return pp.Parser(model=classifier_model(spec, labels, classifier))
    return pp.train(spec, treebank(), classifier=classifier, epochs=1)


def _network(*columns: str, **more: Any) -> pp.Parser:
    inputs = tuple(pp.NetworkInput(column=column, size=4) for column in columns)
    network = pp.NetworkSpec(inputs=inputs, **{"positions": ("S1", "S0", "B0"), "hidden": 5, **more})
    vectors = _vectors() if "vector" in columns else None
    return random_network_parser(pp.ParserSpec(beam=2), network, treebank(), vectors=vectors)


def _network_tagger(*columns: str) -> pp.tagging.NetworkTagger:
    inputs = tuple(pp.NetworkInput(column=column, size=4) for column in columns)
    network = pp.NetworkSpec(inputs=inputs, num_layers=1, hidden_size=3, tags=("upos", "feats"), tag_hidden=4)
    return random_network_tagger(network, treebank(), vectors=_vectors())


_MODELS = {
    "parser": _parser,
    "unlabeled": lambda: _parser(labeled=False, beam=1, system=pp.system("swap-standard")),
    "vote": lambda: pp.make_voting_parser([_parser(), _parser(beam=1)]),
    "vectors": _with_vectors,
    "classifier": lambda: _classified(pp.Perceptron()),
    "joint": lambda: _classified(pp.batches.JointClassifier(pp.Perceptron(), outputs=("label", "tag"))),
    "several": lambda: _classified(pp.batches.VotingClassifier([_classified(pp.Perceptron()).classifier] * 2)),
    "tagger": lambda: pp.train_tagger(pp.TaggerSpec(), treebank(), **_BRIEF),
    "tokenizer": lambda: pp.train_tokenizer(treebank(), epochs=1),
    "lemmatizer": lambda: pp.train_lemmatizer(treebank(), epochs=1),
    "cascade": _cascade,
    "pipeline": _pipeline,
}
_NETWORKS = {
    "network": lambda: _network("form", "feats", label_inputs=("S0", "B0.left[0]"), action_history=2, stack_lstm=2),
    "network-bilstm": lambda: _network("form", "characters", "vector", num_layers=2, hidden_size=3, arcs=2, labels=2),
    "network-tags": lambda: _network(
        *("lower", "given_head"), num_layers=1, hidden_size=3, tags=("upos", "lemma"), tag_hidden=3, precision="int8"
    ),
    "network-half": lambda: _network("lemma", "upos", "xpos", arcs=3, precision="float16"),
    "network-tagger": lambda: _network_tagger("form", "characters", "vector"),
    "network-vote": lambda: _classified(
        pp.batches.VotingClassifier([_network("form").classifier, _network("upos", arcs=2).classifier])
    ),
}
MODELS, NETWORKS = tuple(_MODELS), tuple(_NETWORKS)


@cache
def model_file(name: str) -> Path:
    """The file of a small model."""
    path = folder() / f"{name}.panparser"
    (_MODELS | _NETWORKS)[name]().save(path)
    return path


# --- Recipes, tables, and others ---

_SYSTEMS = ("arc-eager", "arc-hybrid", "swap-standard", "arc-eager-span")
TABLES: tuple[dict[str, Any], ...] = tuple(
    {key: list(value) if isinstance(value, tuple) else value for key, value in table.items() if value is not None}
    for table in (pp.system(name).to_values() for name in _SYSTEMS)
)
GRIDS: tuple[dict[str, Any], ...] = (
    {
        "name": "g",
        "results": "results",
        "recipe": {"parser": {"beam": 2}, "training": {"epochs": 2}},
        "axes": {
            "treebank": {"folder": ".", "only": ["grid"]},
            "parser": {"system": ["arc-eager", "arc-hybrid"]},
            "training": {"seed": [1, 2]},
            "setting": {"a": {"training": {"strategy": "static"}}, "b": {"parser": {"beam": 1}}},
        },
        "exclude": [{"seed": 1, "system": ["arc-eager"]}],
        "when": [{"axes": {"setting": "b"}, "recipe": {"training": {"epochs": 1}}}],
        "evaluation": {"input": "tokens"},
        "limits": {"seconds": 10, "retries": 1},
    },
)


def grid_treebank() -> None:
    """The treebank that these grids name, in the folder of files."""
    place = folder() / "grid"
    place.mkdir(exist_ok=True)
    for part in ("train", "dev", "test"):
        if not (place / f"{part}.conllu").exists():
            (place / f"{part}.conllu").write_bytes(conllu(3))


_RUN = {"recipe": {"training": {"seed": 1}}, "splits": {"test": "sha256:0"}, "panparser": "0", "build": "b"}
OUTCOMES: tuple[dict[str, Any], ...] = (
    {
        **{"format": 1, "key": digest(_RUN), "content": "c", "status": "done", "error": None, "run": _RUN},
        **{"data": {"0": "t/test.conllu"}, "started": "2026-01-02T03:04:05+00:00", "seconds": 1.5, "cpu_seconds": 1.0},
        **{"machine": {"python": "3"}, "facts": {"words": 7}, "scores": {"test": {"UAS": 50.0}}},
        "sentences": {"test": sentence_counts({"UAS": [1, 2]}, [2, 4], [2, 4])},
    },
)
RECIPES: tuple[dict[str, Any], ...] = (
    {
        "data": {"train": ["train.conllu"], "dev": "dev.conllu", "format": "auto"},
        "parser": {"system": "arc-eager", "root": "last", "single_root": True, "beam": 4, "templates": "zn11"},
        "training": {
            **{"strategy": {"base": "dynamic", "exploration": [[1, 0.0], [3, 0.9]]}, "epochs": 3, "patience": 2},
            **{"seeds": [1, 2], "members": 2, "prune": 1.5, "margin": 0.01, "batch": 2, "model_size": "8 MB"},
            "subsample": {"share": 0.5, "criterion": "frequency"},
        },
        "constraints": {"share": 0.3},
        "cross_validation": {"count": 3, "output": "folds.conllu"},
    },
    {
        "data": {"train": ["train.conllu"]},
        "parser": {"system": {"name": "arc-eager-span", "k": 3}, "templates": ["S0.form", "S0.upos B0.upos"]},
        "pipeline": {"parts": ["tagger", "parser"], "tags": "jointly", "folds": 2, "tagger_epochs": 2},
    },
    {
        "data": {"train": ["train.conllu"]},
        "cascade": {"stage_constraints": "predicted", "folds": 2},
        "stages": [
            {
                "name": "a",
                "regions": [{"upos": "NOUN", "direction": "left", "max_length": 3}],
                "training": {"epochs": 2},
            },
            {
                "name": "b",
                "estimate": {"precision": 0.1, "least": 1, "folds": 2, "epochs": 1, "by": ["upos"]},
                "parser": {"beam": 2},
            },
            {"name": "c", "parser": {"system": "arc-hybrid"}},
        ],
    },
    {"parser": {"system": TABLES[1], "beam": 1}},
)
STRATEGIES: tuple[dict[str, Any], ...] = (
    *({"base": name} for name in pp.STRATEGIES),
    {"oracle": "dynamic", "update_at": "end", "positive": "most-similar", "restart": "pair", "exploration": 0.5},
    {"restart": "sample", "temperature": 2.0, "horizon": 10, "focus": 0.5},
    {"base": "dynamic", "exploration": [[1, 0.0], [2, 0.5], [4, 1]]},
)
WEIGHTS: tuple[dict[str, Any], ...] = (
    {"format": 1, "weights": [1.0, 0.5]},
    {"format": 1, "weights": [1, 2], "by": "upos", "tags": {"NOUN": [0.1, 3.0], "VERB": [1, 1]}},
)
TYPOLOGIES: tuple[dict[str, Any], ...] = (
    {"adposition": "after", "adjective": 0.3, "subject": "after", "object": "before", "definite_article": False},
    {"language": "kmr", "like": "krd", "demonstrative": False, "numeral": "both", "indefinite_article": True},
)
GLOSS_TABLES: tuple[dict[str, Any], ...] = (
    {"features": {"PL": "Number=Plur", "QQ": ""}, "words": {"PL": "PART"}, "joined": {"parts": ["1", "SG"]}},
    {"tags": {"n": "NOUN"}, "english": {"dog": "NOUN"}, "layers": {"POSS": "psor"}, "kinds": {"Case": "NOUN"}},
    {
        "translations": {"2.SG": ["you"]},
        "markers": {"words": ["tx"], "glosses": ["ge", "g"]},
        "derivations": {"PL": ""},
    },
)
CONDITIONS = (
    b"label=nsubj and direction=right",
    b"upos in (NOUN, PROPN) or not (length > 5)",
    b"form ~ '^un' and predicted.label != obj",
    b"root-distance >= 3 and (depth<2 or children = 0)",
    b'not not label !~ "x+" and upos not in (A,\'B\',"C")',
)
CRITERIA = (b"upos", b"predicted.label", b"length:1/3/6", b"head-upos", b"depth:4", b"feats.Number", b"error", b"label")


def vectors() -> tuple[bytes, ...]:
    """Embeddings as text, with and without a first line, and binary."""
    numbers = np.random.default_rng(1).normal(size=(len(_WORDS), 3)).astype("<f4")
    plain = "".join(f"{w} {' '.join(f'{x:.4f}' for x in row)}\n" for w, row in zip(_WORDS, numbers, strict=True))
    first = f"{len(_WORDS)} 3\n"
    binary = b"".join(w.encode() + b" " + row.tobytes() + b"\n" for w, row in zip(_WORDS, numbers, strict=True))
    return plain.encode(), (first + plain).encode(), first.encode() + binary
