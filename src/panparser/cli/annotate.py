"""`panparser annotate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet


@app.command()
def annotate(
    file: Annotated[str, typer.Argument(metavar="FILE.conllu", help="What is annotated: words, or parts of trees.")],
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="To start with: what `panparser train` wrote, or en."),
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who annotates, for the journal.  [default: you]")
    ] = None,
    shortcuts: Annotated[
        str | None, typer.Option(metavar="FILE.json", help="Keys for labels and tags, as ConlluEditor has them.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at, or the next that is free.")] = 8010,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Another name of this machine; may be repeated.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Annotate a treebank in a browser, with a parser that completes and learns."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ImportError("annotate needs starlette and uvicorn: pip install 'panparser[server]'") from None
    from panparser.annotation.session import Session
    from panparser.pipeline.loading import load
    from panparser.server.annotating.guarding import Guard
    from panparser.server.annotating.running import address_of, is_local, listen_near, run
    from panparser.server.annotating.service import AnnotationService
    from panparser.server.annotating.shortcuts import read_shortcuts

    hints: dict[str, Any] = {} if shortcuts is None else {"shortcuts": read_shortcuts(shortcuts)}
    started: Any = None if model is None else load(model)
    with Session(Path(file), model=started, user=user) as session, listen_near(host, port) as listening:
        number = listening.getsockname()[1]
        guard = Guard.of(host, number, allow_host or ())
        address = address_of(host, number, guard.token)
        session.set_address(address_of(host, number))
        for notice in session.notices:
            print(f"panparser: {notice}", file=sys.stderr, flush=True)
        if not is_quiet():
            print(f"panparser: annotating {file} at {address} (Ctrl-C stops)", file=sys.stderr, flush=True)
            if not is_local(host):
                print("panparser: warning: whoever has this address can change the file", file=sys.stderr, flush=True)
        run(AnnotationService(session, guard, hints), listening, browse=address if browser else None)
