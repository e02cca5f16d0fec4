"""The readers of text: treebanks, raw text, recipes, tables, templates, embeddings, constraints, conditions."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import panparser as pp
from fuzz import seeds
from fuzz.annotation import ANNOTATION_TARGETS
from fuzz.models import MODEL_TARGETS
from fuzz.mutation import as_toml, changed, changes, dumped, mutated
from fuzz.running import Target, smaller_text
from panparser.errors import ConlluError, PanParserError
from panparser.lab.analysis.criteria_text import key
from panparser.lab.analysis.frame import Frame, make_frame
from panparser.storage.toml_text import to_toml
from panparser.treebank.treebank import COLUMNS


def _text(name: str, given: Callable[[], Sequence[bytes]], check: Callable[[bytes], None]) -> Target:
    return Target(name, lambda rng: mutated(rng, given()), check, smaller_text)


def _values(name: str, given: Sequence[dict[str, Any]], check: Callable[[bytes], None], form: str = "toml") -> Target:
    """Inputs are values that were changed, or their text."""
    write: Callable[[Any], str] = as_toml if form == "toml" else dumped

    def make(rng: Random) -> bytes:
        value = rng.choice(given)
        if rng.random() < 0.3:
            texts = [(to_toml(each) if form == "toml" else json.dumps(each, indent=1)).encode() for each in given]
            return mutated(rng, texts)
        value = changed(value, changes(rng, value))
        if form == "toml" and not isinstance(value, dict):
            value = {"x": value}
        return write(value).encode("utf-8", "surrogatepass")

    return Target(name, make, check, smaller_text)


# --- Treebanks ---


def check_treebank(data: bytes) -> None:
    """No bytes may crash it, and what it reads it must write back."""
    for format in ("conllu", "conllx"):
        treebank = pp.parse_conllu(data, format=format, lenient=True, single_root=True)  # type: ignore[arg-type]
        problems = treebank.parse_problems
        for name in COLUMNS:
            treebank.column(name)
        written = treebank.to_bytes()
        if len(treebank) and not any(problem.fatal for problem in problems):
            assert written == data, "a file that can be read must come back as it was"
        again = pp.parse_conllu(written, format=format, lenient=True)  # type: ignore[arg-type]
        assert len(again) == len(treebank)
        for sentence in treebank:
            assert len(sentence.forms) == len(sentence) > 0
            assert all(token.form for token in sentence.multiword_tokens + sentence.empty_nodes) or problems
            assert isinstance(sentence.metadata, dict)
        if len(treebank) and not any(problem.rule in ("cycle", "cell") for problem in problems):
            assert pp.evaluate(treebank, again, bootstrap_samples=0)["Words"].f1 == 100
    with suppress(ConlluError):
        pp.parse_conllu(data)
    _annotated(data)


def _annotated(data: bytes) -> None:
    """Tags, lemmas and trees for what a strict reader accepts."""
    path = _file("treebank.conllu", data)
    treebank = pp.read_conllu(path, format="conllu" if b"=" in data else "conllx")
    if treebank.words < 2000:
        with suppress(PanParserError):
            _pipeline().annotate(treebank)


def check_validation(data: bytes) -> None:
    """What is valid can be read, and has the sentences and words that the reader finds."""
    (result,) = pp.validate(_file("valid.conllu", data), format="conllu", max_problems=3)
    treebank = pp.parse_conllu(data, format="conllu", lenient=True)
    if result.is_valid:
        assert treebank.parse_problems == []
        assert (result.sentences, result.words) == (len(treebank), treebank.words)


def check_constraints(data: bytes) -> None:
    """Parses under the constraints of a file; what it drops is what the trees lack."""
    treebank = pp.read_conllu(_file("constraints.conllu", data))
    given = pp.Constraints.from_treebank(treebank, keep=("heads", "labels", "constraints"))
    if max((len(sentence) for sentence in treebank), default=0) > 40:
        return
    _pipeline().parser.parse(treebank, constraints=given, relax=True)
    with suppress(PanParserError):
        _pipeline().parser.parse(treebank, constraints=given)


def check_text(data: bytes) -> None:
    pieces = list(pp.iter_text(_file("text.txt", data), block=4096))
    text = "".join(pieces)
    for given in ("text", "paragraphs", "lines", "tokens", "vertical"):
        with suppress(PanParserError):
            treebanks = list(_pipeline().stream(pieces, input_format=given))  # type: ignore[arg-type]
            assert not any(pp.parse_conllu(each.to_bytes(), lenient=True).parse_problems for each in treebanks)
    for piece in pp.iter_text(_file("text.txt", data), block=4096, report=str.strip):
        piece.encode()
    with suppress(PanParserError):
        _pipeline()(text[:1000])


def check_glossed(data: bytes) -> None:
    """Glossed text that can be read is a treebank that can be read."""
    sentences = pp.transfer.glossed.read_igt(_file("glossed.txt", data))
    written = pp.transfer.glossed.convert_glosses(sentences).treebank
    assert (len(written), written.parse_problems) == (len(sentences), [])
    assert pp.parse_conllu(written.to_bytes()).words == sum(len(sentence.words) for sentence in sentences)


def check_links(data: bytes) -> None:
    """Links that can be read can be written and read again, and their probabilities are few digits away."""
    links = pp.transfer.projection.read_alignments(_file("links.txt", data), possible=True)
    again = _file("again.txt", links.to_text().encode())
    assert pp.transfer.projection.read_alignments(again).pairs == links.pairs
    again = _file("again.txt", links.to_text(probabilities=True).encode())
    assert pp.transfer.projection.read_alignments(again).pairs == links.pairs
    assert links.reversed().reversed() == links
    assert links.one_to_one() & links == links.one_to_one()


@cache
def _pipeline() -> Any:
    return pp.load(seeds.model_file("pipeline"))


def _file(name: str, data: bytes) -> str:
    path = seeds.folder() / name
    path.write_bytes(data)
    return str(path)


# --- What is written by hand ---


def check_recipe(data: bytes) -> None:
    recipe = pp.recipes.read_recipe(_file("recipe.toml", data))
    if isinstance(recipe, pp.Recipe):
        pp.Recipe.from_values(recipe.resolved().to_values())
    elif not any(stage.estimate for stage in recipe.stages):  # estimating takes as long as the recipe says
        recipe.build(seeds.treebank())
    to_toml(recipe.to_values())


def check_gloss_table(data: bytes) -> None:
    """With any table, glosses can be looked up."""
    table = pp.transfer.glossed.GlossTable.read(_file("glosses.toml", data))
    for text in seeds.glossed():
        pp.transfer.glossed.convert_glosses(
            pp.transfer.glossed.read_igt(_file("glossed.txt", text), table=table), table=table
        )


def check_table(data: bytes) -> None:
    """A table that can be read can also be shown, walked through, and learned with."""
    is_json = data.lstrip()[:1] == b"{"
    table = pp.TransitionSystem.load(_file("table.json" if is_json else "table.toml", data))
    str(table)
    assert pp.TransitionSystem.from_json(table.to_json()) == table
    state, rng = table.initial(4), Random(len(data))
    for _ in range(100):
        if not (legal := table.legal(state)):
            break
        with suppress(PanParserError):
            table.costs(state, [0, 1, 1, 3])
        state = table.apply(state, rng.choice(legal))
    with suppress(PanParserError):
        spec = pp.ParserSpec(system=table, templates=pp.Templates.parse("S0.form\nB0.upos"), beam=2)
        pp.train(spec, seeds.treebank()[:2], epochs=1, members=1).parse(seeds.treebank()[2:3])


def check_templates(data: bytes) -> None:
    templates = pp.Templates.read(_file("templates.txt", data))
    assert pp.Templates.parse("\n".join(map(str, templates))) == templates
    if len(templates) < 200:
        spec = pp.ParserSpec(templates=templates, beam=1)
        pp.train(spec, seeds.treebank()[:2], epochs=1, members=1).parse(seeds.treebank()[2:3])


def check_vectors(data: bytes) -> None:
    vectors = pp.read_vectors(_file("vectors", data))
    vectors.words[0].encode()


def check_condition(data: bytes) -> None:
    _frame().where(data.decode("utf-8", "surrogateescape"))


def check_criterion(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    key(text)
    _frame().classes(text)


@cache
def _frame() -> Frame:
    return make_frame(seeds.treebank(), _pipeline().parser.parse(seeds.treebank()))


def check_strategy(data: bytes) -> None:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):  # recipes hold strategies, and refuse such text themselves
        return
    strategy = pp.TrainingStrategy.from_values(values)
    assert pp.TrainingStrategy.from_values(strategy.to_values()) == strategy
    for epoch in (1, 7):
        strategy.lowered(epoch)


def check_grid(data: bytes) -> None:
    """What can be read has runs with keys."""
    seeds.grid_treebank()
    grid = pp.lab.Grid.read(_file("grid.toml", data))
    assert all(len(run.key) == 64 and run.splits for run in grid.runs)


def check_outcome(data: bytes) -> None:
    """What can be read has figures, or says that it has none."""
    outcome = pp.lab.RunOutcome.read(Path(_file("outcome.json", data)))
    for split in outcome.values["sentences"]:
        outcome.counts(split, "UAS")
    assert pp.lab.RunOutcome.parse(outcome.to_json_line(), "outcome").values == outcome.values


def check_weights(data: bytes) -> None:
    weights = pp.ensembles.ArcWeights.read(_file("weights.toml", data))
    pp.combine_trees([seeds.treebank(), seeds.treebank()], weights=weights)


def check_typology(data: bytes) -> None:
    typology = pp.transfer.Typology.read(_file("typology.toml", data))
    again = pp.transfer.Typology.read(_file("typology.toml", typology.to_toml().encode()))
    assert [trait.name for trait in again] == [trait.name for trait in typology]
    pp.transfer.rewrite_word_order(seeds.treebank(), typology)


def check_rewriting(data: bytes) -> None:
    """What can be read can be rewritten, and is as well-formed as it was."""
    treebank = pp.parse_conllu(data, format="conllu")
    rewritten, _ = pp.transfer.rewrite_word_order(treebank, pp.transfer.Typology.from_values(seeds.TYPOLOGIES[0]))
    assert not any(problem.fatal for problem in rewritten.parse_problems)
    assert len(rewritten) == len(treebank)
    crossing = [not pp.trees.is_projective(sentence.heads) for sentence in treebank]
    assert crossing == [not pp.trees.is_projective(sentence.heads) for sentence in rewritten]


def _templates() -> tuple[bytes, ...]:
    sets = (pp.templates("zn11"), pp.templates("lean"), pp.templates("rich-stack"), pp.templates("given"))
    return tuple("\n".join(map(str, templates)).encode() for templates in sets)


TARGETS = {
    target.name: target
    for target in (
        _text("conllu", lambda: (seeds.conllu(3), seeds.conllu(), b"", b"\n"), check_treebank),
        _text("conllx", lambda: (seeds.conllx(),), check_treebank),
        _text("validation", lambda: (seeds.conllu(3), seeds.conllu()), check_validation),
        _text("constraints", lambda: (seeds.constrained(),), check_constraints),
        _text("text", seeds.texts, check_text),
        _text("glossed", seeds.glossed, check_glossed),
        _values("gloss-tables", seeds.GLOSS_TABLES, check_gloss_table),
        _text("links", lambda: seeds.LINKS, check_links),
        *MODEL_TARGETS,
        *ANNOTATION_TARGETS,
        _values("recipes", seeds.RECIPES, check_recipe),
        _values("tables-toml", seeds.TABLES, check_table),
        _values("tables-json", seeds.TABLES, check_table, "json"),
        _text("templates", _templates, check_templates),
        _text("vectors", seeds.vectors, check_vectors),
        _text("conditions", lambda: seeds.CONDITIONS, check_condition),
        _text("criteria", lambda: seeds.CRITERIA, check_criterion),
        _values("strategies", seeds.STRATEGIES, check_strategy, "json"),
        _values("grids", seeds.GRIDS, check_grid),
        _values("outcomes", seeds.OUTCOMES, check_outcome, "json"),
        _values("weights", seeds.WEIGHTS, check_weights),
        _values("typologies", seeds.TYPOLOGIES, check_typology),
        _text("rewriting", lambda: (seeds.conllu(3), seeds.conllu()), check_rewriting),
    )
}
