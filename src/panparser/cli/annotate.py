"""`panparser annotate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.progress import PATIENCE, progress
from panparser.cli.tables import print_table
from panparser.errors import SpecError
from panparser.storage.files import check_writable, write_whole


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
    text: Annotated[
        str | None,
        typer.Option(metavar="FILE.txt", help="Make FILE.conllu from a text; there must be no such file yet."),
    ] = None,
    active: Annotated[
        bool, typer.Option("--active", help="The next sentence is the one that saves most corrections.")
    ] = False,
    learn: Annotated[bool, typer.Option("--learn/--no-learn", help="Learn from each sentence that is done.")] = True,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who annotates, for the journal.  [default: you]")
    ] = None,
    shortcuts: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Keys for relations and tags, as ConlluEditor has them.")
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Instead: write every edit so far, with its time: a table, or lines (.jsonl) of JSON.",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(metavar="OTHER.conllu", help="Instead: how far two annotators agree, and where they do not."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0: all of this machine.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at, or one of the next that is free; 0: any.")
    ] = 8010,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Another name of this machine; may be repeated.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="Same seed and same edits, same models.")] = 1,
) -> None:
    """Annotate a treebank in a browser, with a parser that completes each sentence and learns from it.

    Choose a word and then its head: the rest of the sentence is parsed again around what you decided, which never
    moves. What is done teaches the parser. Every edit is in FILE.conllu.journal before it shows, so that nothing is
    lost, and undo has no end; FILE.conllu is replaced when a sentence is done, and is the same where nothing was
    changed. Heads that nobody decided are `_` in it.

    Without a --model, the parser begins with nothing, and learns from your first sentences; with --transfer, it begins
    with what other languages teach it, if the words have tags (UPOS). A --text is divided by the tokenizer of the
    model, or by rules that know no language.

    The page is for you alone: its address has a token that changes with every start. It needs: pip install
    'panparser[server]'

    Examples:

      panparser annotate village.conllu

      panparser annotate novel.conllu --text novel.txt -m en

      panparser annotate breton.conllu --transfer ud-treebanks/ --active

      panparser annotate work.conllu --shortcuts shortcuts.json --port 9000 --no-browser

      panparser annotate mine.conllu --compare yours.conllu

      panparser annotate mine.conllu --export edits.csv
    """
    if export is not None or compare is not None:
        _look(file, export, compare)
        return
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError("annotate needs starlette and uvicorn: pip install 'panparser[server]'") from None
    from panparser.server.annotating.shortcuts import read_shortcuts

    if model is not None and transfer:
        raise SpecError("--model and --transfer are both models to start with: choose one of them")
    hints: dict[str, Any] = {} if shortcuts is None else {"shortcuts": read_shortcuts(shortcuts)}
    path, started = Path(file), _loaded(model)
    if text is not None:
        from panparser.annotation.starting import tokenize_to_conllu

        _say(f"{path}: {tokenize_to_conllu(text, path, started):,} sentences of {text}")
    if transfer:
        started = _transferred(path, transfer, seed)
    from panparser.annotation.choosing import ActiveSelection

    options = {"user": user, "active": ActiveSelection() if active else None, "learn": learn, "seed": seed}
    _serve(path, {"model": started, **options}, hints, (host, port, allow_host or []), browser)


def _serve(
    path: Path, options: dict[str, Any], hints: dict[str, Any], place: tuple[str, int, list[str]], browser: bool
) -> None:
    from panparser.annotation.session import AnnotationSession
    from panparser.server.annotating.guarding import Authenticator
    from panparser.server.annotating.running import address_of, is_local, listen_near, run
    from panparser.server.annotating.service import AnnotationService

    host, port, names = place
    with AnnotationSession(path, **options) as session, listen_near(host, port) as listening:
        if not len(session):
            raise SpecError(f"{path}: expected sentences to annotate, found none (`--text` makes them from a text)")
        number = listening.getsockname()[1]
        authenticator = Authenticator.create(host, number, names)
        address = address_of(host, number, authenticator.token)
        session.set_address(address_of(host, number))
        for notice in session.summary()["notices"]:
            _say(notice)
        _say(f"annotating {path} at {address} (Ctrl-C stops)", always=not browser)
        if not is_local(host):
            _say("warning: whoever has this address can change the file", always=True)
        run(AnnotationService(session, authenticator, hints), listening, browse=address if browser else None)


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
    parser = found.parser if isinstance(found, Pipeline) else found
    if parser is not None and not isinstance(parser, Parser):
        kind = type(parser).__name__
        raise SpecError(f"{name}: expected a single parser, or a pipeline with one, to annotate with, found {kind}")
    return found


def _transferred(path: Path, sources: list[str], seed: int) -> Any:
    """A parser that learned from other languages, which is kept beside the file."""
    kept = path.with_suffix(".start.panparser")
    if kept.exists():
        _say(f"starting with {kept}, which was made before (remove it to have another made)")
        return _loaded(str(kept))
    from panparser.annotation.starting import train_initial_parser

    with progress(PATIENCE) as report:
        parser = train_initial_parser(path, sources, seed=seed, report=report)
    parser.save(str(kept))
    _say(f"{kept}: a parser that learned from other languages")
    return parser


# --- What came of it ---


def _look(file: str, export: str | None, compare: str | None) -> None:
    """Prints how two files agree, or writes the edits of a journal."""
    if export is not None:
        from panparser.annotation.progress import read_edits, to_csv, to_json_lines

        check_writable(Path(export), SpecError, file)
        rows = read_edits(file)
        if not rows:
            raise SpecError(f"{file}.journal: expected edits to export, found none")
        written = to_json_lines(rows) if export.endswith((".jsonl", ".ndjson")) else to_csv(rows)
        write_whole(Path(export), written.encode("utf-8", "surrogateescape"), SpecError)
        _say(f"{export}: {len(rows):,} edits")
    if compare is not None:
        from panparser.annotation.annotators import measure_agreement

        _print_agreement(measure_agreement(file, compare).to_value(), file, compare)


def _print_agreement(found: dict[str, Any], first: str, second: str) -> None:
    shown = {
        "sentences in both": f"{found['sentences']:,}",
        f"only in {first}": f"{found['only_first']:,}" if found["only_first"] else "",
        f"only in {second}": f"{found['only_second']:,}" if found["only_second"] else "",
        "words with heads in both": f"{found['words']:,}",
        "same head (UAS)": "" if found["uas"] is None else f"{found['uas']:.2f}",
        "same head and relation (LAS)": "" if found["las"] is None else f"{found['las']:.2f}",
        "kappa of relations": "" if found["kappa"] is None else f"{found['kappa']:.3f}",
    }
    print_table((), [(name, value) for name, value in shown.items() if value], "lr")
    if places := found["disagreements"]:
        print()
        names = ("sentence", "word", "form", "field", "first", "second")
        rows = [(str(each["sentence"] + 1), *(str(each[name]) for name in names[1:])) for each in places]
        print_table(names, rows, "rrllll")
