"""`panparser annotate`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser.cli.terminal import PROGRESS_DELAY_SECONDS, SeedOption, is_quiet, print_table, progress
from panparser.errors import SpecError
from panparser.storage.atomic import check_writable, write_whole

if TYPE_CHECKING:
    from panparser.annotate.session import AnnotationSession


def annotate(
    file: Annotated[str, typer.Argument(metavar="FILE.conllu", help="Treebank to annotate: words, or trees.")],
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="MODEL", help="Initial model: a file, or en.")
    ] = None,
    transfer: Annotated[
        list[str] | None,
        typer.Option(
            "--source-treebanks",
            metavar="SOURCES",
            help="Treebanks of other languages for the initial model: file or folder; repeatable.",
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="FILE.txt", help="Text to make FILE.conllu from, which must not exist yet.")
    ] = None,
    active: Annotated[
        bool, typer.Option("--active-learning", help="Suggest the sentence that saves most corrections next.")
    ] = False,
    learn: Annotated[bool, typer.Option("--train/--no-train", help="Train on finished sentences.")] = True,
    annotator: Annotated[
        str | None, typer.Option(metavar="NAME", help="Annotator named in the journal.  [default: you]")
    ] = None,
    shortcuts: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Keys for relations and tags, in ConlluEditor's format.")
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            "--export-edits",
            metavar="FILE",
            help="Export the edit history with timestamps (.csv or .jsonl) and exit.",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--agreement", metavar="OTHER.conllu", help="Print the agreement with another annotator and exit."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 is every interface.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on, or the next free one; 0 is any.")
    ] = 8010,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Additional host name of this machine; repeatable.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    seed: SeedOption = 1,
) -> None:
    """Annotate a treebank in the browser.

    The parser completes each sentence and is trained on finished ones. Choose a word and then its head: the rest of the
    sentence is parsed again around your decisions, which are never changed. Every edit is written to
    FILE.conllu.journal before it is shown, so nothing is lost and undo is unlimited; FILE.conllu is replaced when a
    sentence is finished, and keeps all bytes that were not edited. Undecided heads are `_` in it.

    Without --model, the parser is trained from your first sentences; with --source-treebanks, it is first trained on
    other languages, if the words have tags (UPOS). A --text is tokenized by the model, or by general rules.

    Only you can open the page: its address contains a token that changes with every start. Requires
    `pip install 'panparser[server]'`.
    """
    if export is not None or compare is not None:
        _look(file, export, compare)
        return
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError("annotate requires starlette and uvicorn: pip install 'panparser[server]'") from None
    from panparser.annotate.page_support import read_shortcuts

    if model is not None and transfer:
        raise SpecError("--model cannot be used with --source-treebanks")
    hints: dict[str, Any] = {} if shortcuts is None else {"shortcuts": read_shortcuts(shortcuts)}
    path, started = Path(file), _loaded(model)
    if text is not None:
        from panparser.annotate.start import tokenize_to_conllu

        _say(f"{path}: {tokenize_to_conllu(text, path, started):,} sentences of {text}")
    if transfer:
        started = _transferred(path, transfer, seed)
    from panparser.annotate.next_sentence import ActiveSelection
    from panparser.annotate.session import AnnotationSession

    start = partial(
        AnnotationSession,
        path,
        model=started,
        annotator=annotator,
        active_learning=ActiveSelection() if active else None,
        train=learn,
        seed=seed,
    )
    _serve(path, start, hints, (host, port, allow_host or []), browser)


def _serve(
    path: Path,
    start: Callable[[], AnnotationSession],
    hints: dict[str, Any],
    place: tuple[str, int, list[str]],
    browser: bool,
) -> None:
    from panparser.annotate.page_process import is_local, listen_near, page_address, run
    from panparser.annotate.page_service import AnnotationService
    from panparser.annotate.page_support import Authenticator

    host, port, names = place
    with start() as session, listen_near(host, port) as listening:
        if not len(session):
            raise SpecError(f"{path}: no sentences to annotate; --text makes them from a text")
        number = listening.getsockname()[1]
        authenticator = Authenticator.create(host, number, names)
        address = page_address(host, number, authenticator.token)
        session.set_address(page_address(host, number))
        for notice in session.summary()["notices"]:
            _say(notice)
        _say(f"annotating {path} at {address} (Ctrl-C stops)", always=not browser)
        if not is_local(host):
            _say("warning: anyone who has this address can change the file", always=True)
        run(AnnotationService(session, authenticator, hints), listening, browser_address=address if browser else None)


def _say(text: str, always: bool = False) -> None:
    if always or not is_quiet():
        print(f"panparser: {text}", file=sys.stderr, flush=True)


# --- Initial models ---


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
        _say(f"starting with {kept} of an earlier call; delete it to train another")
        return _loaded(str(kept))
    from panparser.annotate.start import train_initial_parser

    with progress(PROGRESS_DELAY_SECONDS) as report:
        parser = train_initial_parser(path, sources, seed=seed, progress=report)
    parser.save(str(kept))
    _say(f"{kept}: a parser trained on other languages")
    return parser


# --- Agreement and export ---


def _look(file: str, export: str | None, compare: str | None) -> None:
    """Print the agreement of two files, or write the edits of a journal."""
    if export is not None:
        from panparser.annotate.effort import read_edits, to_csv, to_json_lines

        check_writable(Path(export), SpecError, file)
        rows = read_edits(file)
        if not rows:
            raise SpecError(f"{file}.journal: expected edits to export; got none")
        written = to_json_lines(rows) if export.endswith((".jsonl", ".ndjson")) else to_csv(rows)
        write_whole(Path(export), written.encode("utf-8", "surrogateescape"), SpecError)
        _say(f"{export}: {len(rows):,} edits")
    if compare is not None:
        from panparser.annotate.effort import measure_agreement

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
