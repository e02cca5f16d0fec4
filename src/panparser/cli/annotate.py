"""`panparser annotate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.progress import PATIENCE, progress
from panparser.errors import SpecError


@app.command()
def annotate(
    file: Annotated[
        str, typer.Argument(metavar="FILE.conllu", help="What is annotated: words, parts of trees, or whole ones.")
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="To start with: what `panparser train` wrote, or en."),
    ] = None,
    transfer: Annotated[
        list[str] | None,
        typer.Option(
            "--transfer",
            metavar="SOURCES",
            help="Start with a parser made from treebanks of other languages: a file or a folder; may be repeated.",
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="LANGUAGE", help="Of the text, for --transfer: a code or name in WALS.")
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="FILE.txt", help="Make FILE.conllu from a text, if there is no such file yet."),
    ] = None,
    active: Annotated[
        bool, typer.Option("--active", help="The next sentence is the one that saves most corrections.")
    ] = False,
    learn: Annotated[
        bool, typer.Option("--learn/--no-learn", help="Learn from each sentence that is done.")
    ] = True,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who annotates, for the journal.  [default: you]")
    ] = None,
    shortcuts: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Keys for relations and tags, as ConlluEditor has them.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0: all of this machine.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at, or one of the next that is free; 0: any.")
    ] = 8010,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Another name of this machine; may be repeated.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="Same seed and same gestures, same models.")] = 1,
) -> None:
    """Annotate a treebank in a browser, with a parser that completes each sentence and learns from it.

    Choose a word and then its head: the rest of the sentence is parsed again around what you decided, which never
    moves. What is done teaches the parser. Every gesture is in FILE.conllu.journal before it shows, so that nothing is
    lost, and undo has no end; FILE.conllu is replaced when a sentence is done, and is the same where nothing was
    changed. Heads that nobody decided are `_` in it.

    Without a --model, the parser begins with nothing, and learns from your first sentences. A --text is divided by the
    tokenizer of the model; without one, a line is a sentence, and words have spaces between them.

    The page is for you alone: its address has a token that changes with every start. It needs: pip install
    'panparser[server]'

    Examples:

      panparser annotate village.conllu

      panparser annotate novel.conllu --text novel.txt -m en

      panparser annotate breton.conllu --transfer ud-treebanks/ --language br --active

      panparser annotate work.conllu --shortcuts shortcuts.json --port 9000 --no-browser
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError("annotate needs starlette and uvicorn: pip install 'panparser[server]'") from None
    from panparser.server.annotating.shortcuts import read_shortcuts

    path = Path(file)
    if model is not None and transfer:
        raise SpecError("--model and --transfer are both models to start with: choose one of them")
    if language is not None and not transfer:
        raise SpecError("--language is for --transfer")
    hints: dict[str, Any] = {} if shortcuts is None else {"shortcuts": read_shortcuts(shortcuts)}
    started = _loaded(model)
    if text is not None:
        _divide(text, path, started)
    if transfer:
        started = _transferred(path, transfer, language, seed)
    options = {"model": started, "user": user, "active": active, "learn": learn, "seed": seed}
    _serve(path, options, hints, (host, port, allow_host or []), browser)


def _serve(
    path: Path, options: dict[str, Any], hints: dict[str, Any], place: tuple[str, int, list[str]], browser: bool
) -> None:
    from panparser.annotation.session import Session
    from panparser.server.annotating.guarding import Guard
    from panparser.server.annotating.running import address_of, is_local, listen_near, run
    from panparser.server.annotating.service import AnnotationService

    host, port, names = place
    with Session(path, **options) as session, listen_near(host, port) as listening:
        number = listening.getsockname()[1]
        guard = Guard.of(host, number, names)
        address = address_of(host, number, guard.token)
        session.set_address(address_of(host, number))
        for notice in session.notices:
            _say(notice)
        _say(f"annotating {path} at {address} (Ctrl-C stops)", always=not browser)
        if not is_local(host):
            _say("warning: whoever has this address can change the file", always=True)
        run(AnnotationService(session, guard, hints), listening, browse=address if browser else None)


def _say(text: str, always: bool = False) -> None:
    if always or not is_quiet():
        print(f"panparser: {text}", file=sys.stderr, flush=True)


# --- What there is to begin with ---


def _loaded(name: str | None) -> Any:
    """A parser or a pipeline."""
    if name is None:
        return None
    from panparser.parsing.parser import Parser
    from panparser.pipeline.loading import load
    from panparser.pipeline.pipeline import Pipeline

    found = load(name)
    if not isinstance(found, Parser | Pipeline):
        raise SpecError(f"{name}: expected a parser or a pipeline to annotate with, found {type(found).__name__}")
    return found


def _divide(text: str, path: Path, model: Any) -> None:
    """Makes the file from a text."""
    from panparser.pipeline.pipeline import Pipeline
    from panparser.text.reading import iter_text
    from panparser.text.tokenizer.tokenizer import divided
    from panparser.treebank.conllu import conllu_output

    if path.exists():
        _say(f"{path} is there already: {text} is not read")
        return
    if isinstance(model, Pipeline) and model.tokenizer is not None:
        treebanks = model.tokens(iter_text(text), path=text, ranges=False)
    else:
        treebanks = divided(iter_text(text), given="tokens", path=text, ranges=False)
    with conllu_output(path) as stream:
        sentences = 0
        for treebank in treebanks:
            stream.write(treebank.to_bytes())
            sentences += len(treebank)
        if not sentences:
            raise SpecError(f"{text}: expected a text to annotate, found none")
    _say(f"{path}: {sentences:,} sentences of {text}")


def _transferred(path: Path, sources: list[str], language: str | None, seed: int) -> Any:
    """A parser from treebanks of other languages, which is kept beside the file."""
    kept = path.with_suffix(".start.panparser")
    if kept.exists():
        _say(f"starting with {kept}, which was made before (remove it to have another made)")
        return _loaded(str(kept))
    from panparser.cli.typologies import known_typology
    from panparser.transfer.sources import find_sources
    from panparser.transfer.transferring import train_transfer
    from panparser.treebank.conllu import read_conllu

    raw = read_conllu(path)
    sample = raw[[i for i, sentence in enumerate(raw) if min(sentence.heads) >= 0]]
    typology = None if language is None else known_typology(language, None, None)
    with progress(PATIENCE) as report:
        made = train_transfer(
            find_sources(sources, but=(str(path),)),
            sample if len(sample) else None,
            raw=raw,
            typology=typology,
            language=language,
            method="joint" if len(sample) else "pool",
            seed=seed,
            report=report,
        )
    made.model.save(str(kept))
    _say(f"{kept}: a parser of {', '.join(each.name for each in made.report.sources[:6])}")
    return made.model
