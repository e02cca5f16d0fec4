"""The command line: a module for each command, under its name, and a few that commands share."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from panparser.cli.signals import INTERRUPTED, end_as_by_ctrl_c, leaving_at_once
from panparser.cli.streams import forget_stdout, mend_streams
from panparser.errors import CheckFailed, ConlluError, ConlluWarning, PanParserError, ResultWarning, TagWarning

__all__ = ["COMMANDS", "import_commands", "main"]

_SHARED = frozenset(
    "app choices corpora descriptions flags frames help inputs named_systems progress signals streams tables "
    "typologies".split()
)
COMMANDS = tuple(sorted({path.stem for path in Path(__file__).parent.glob("[a-z]*.py")} - _SHARED))
_SHOWN = (ConlluWarning, TagWarning, ResultWarning)  # warnings that are printed as errors are
# Modules and models stay in memory: looking for garbage among them at the default rate takes a good part of the
# start-up time of a command.
_GC_THRESHOLD = 100_000


def import_commands(arguments: list[str]) -> None:
    """Imports the module of the command that is called; all of them, for help and hints, if there is none."""
    called = next((argument for argument in arguments if not argument.startswith("-")), "")
    for command in (called,) if called in COMMANDS else COMMANDS:
        import_module(f"panparser.cli.{command}")


def _quiet_first(arguments: list[str]) -> list[str]:
    """Moves --quiet, which may stand anywhere, to the front."""
    quiet = [argument for argument in arguments if argument in ("--quiet", "-q")]
    return [*quiet[:1], *(argument for argument in arguments if argument not in quiet)]


def main() -> None:
    """Runs the command line; errors are one message and exit code 2 (1 for a counter-example)."""
    gc.set_threshold(_GC_THRESHOLD)
    mend_streams()
    received = end_as_by_ctrl_c()
    code = _exit_code(sys.argv[1:])
    if received or code:
        sys.exit(128 + received[0] if received else code)


def _exit_code(arguments: list[str]) -> Any:
    try:
        _run(arguments)
    except CheckFailed as error:
        print(error)
        return 1
    except PanParserError as error:
        more = isinstance(error, ConlluError) and error.problems > 1
        print(f"panparser: {error}{'; `panparser validate` lists them all' if more else ''}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        forget_stdout()
        return 141
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"panparser: {place}cannot be written: {error.strerror}", file=sys.stderr)
        forget_stdout()
        return 2
    except ImportError as error:
        if error.name is not None:  # not one of ours, which say what to install
            raise
        print(f"panparser: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as exit:
        return exit.code
    return 0


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        from panparser import __version__

        print(f"panparser {__version__}")
        return
    with leaving_at_once(), _one_matrix_thread():
        import_module("numpy")
        from panparser.cli.app import app  # typer takes longer to import than to print a version

        import_commands(_completed_words() or arguments)
    with warnings.catch_warnings():
        for category in _SHOWN:
            warnings.simplefilter("always", category)
        warnings.showwarning = partial(_show_warning, warnings.showwarning, set())
        app(_quiet_first(arguments), prog_name="panparser")


@contextmanager
def _one_matrix_thread() -> Iterator[None]:
    """Limit the threads of numpy, which reads the environment when it is imported, but not those of torch.

    Sentences are shared by threads already: a library that starts more of them for each product only delays these.
    """
    from panparser.work.pool import SINGLE_THREADED

    added = {name: value for name, value in SINGLE_THREADED.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _completed_words() -> list[str]:
    """What stands on the line that a shell asks to complete."""
    if "_PANPARSER_COMPLETE" not in os.environ:
        return []
    return os.environ.get("COMP_WORDS", os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]


def _show_warning(
    others: Callable[..., None], shown: set[str], message: Warning, category: type[Warning], *place: Any
) -> None:
    """Prints a warning of ours as commands print errors, once; others as Python does."""
    from panparser.cli.app import is_quiet

    if not issubclass(category, _SHOWN):
        others(message, category, *place)
    elif not is_quiet() and str(message) not in shown:
        shown.add(str(message))
        print(f"panparser: warning: {message}", file=sys.stderr)
