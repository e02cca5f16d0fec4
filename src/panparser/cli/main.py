"""The command line: its table of commands, errors as one message, exit codes."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple

from panparser.errors import ConlluError, ConlluWarning, PanParserError, ProofError, ResultWarning, TagWarning

INTERRUPTED = 130  # exit code after Ctrl-C
PRINTED_WARNINGS = (ConlluWarning, TagWarning, ResultWarning)  # others are shown as Python shows them
# Modules and models stay in memory: looking for garbage among them at the default rate takes a good part of the
# start-up time of a command.
GC_THRESHOLD = 100_000


class Command(NamedTuple):
    """The module that has the function of a command, and the first sentence of its docstring."""

    module: str
    summary: str


COMMANDS: dict[str, dict[str, Command]] = {
    "Parse": {
        "parse": Command("panparser.cli.parse", "Parse text or treebanks."),
        "evaluate": Command("panparser.cli.evaluate", "Score predictions with the CoNLL 2018 metrics."),
        "info": Command("panparser.cli.info", "Show what a model, a treebank or a transition system is."),
        "validate": Command("panparser.cli.validate", "List all errors in the format, trees and annotation of files."),
        "convert": Command(
            "panparser.cli.convert", "Write a treebank as raw text, drawings, JSON or in UDPipe's formats."
        ),
        "serve": Command("panparser.serve.serve_command", "Serve models over HTTP, compatible with UDPipe."),
    },
    "Train": {
        "train": Command("panparser.cli.train", "Train a parser, or a complete pipeline."),
        "calibrate": Command("panparser.cli.calibrate", "Calibrate the confidence of a model on a development set."),
        "combine": Command("panparser.cli.combine", "Combine models into one, or trees into the best tree."),
    },
    "Analyze errors": {
        "analyze": Command(
            "panparser.lab.analysis.analyze_command", "Break down errors by any criteria; compare parsers."
        ),
        "explain": Command("panparser.inspection.explain_command", "Show why a parser took a step."),
        "step": Command("panparser.inspection.step_command", "Write a page that steps through a derivation."),
        "weights": Command(
            "panparser.inspection.weights_command", "List the strongest weights, or compare two models."
        ),
        "propagation": Command(
            "panparser.inspection.propagation_command", "Trace wrong arcs back to the actions that caused them."
        ),
    },
    "Run experiments": {
        "grid": Command("panparser.lab.grid_command", "Run a recipe over axes: systems, treebanks, seeds."),
        "results": Command("panparser.lab.results_command", "Make tables of the results of a grid."),
        "curves": Command("panparser.lab.curves_command", "Plot learning curves; find the break-even point."),
    },
    "New languages": {
        "transfer": Command("panparser.transfer.transfer_command", "Train a parser from treebanks of other languages."),
        "languages": Command(
            "panparser.transfer.languages_command", "Rank languages by similarity; show their word order."
        ),
        "rewrite": Command("panparser.transfer.rewrite_command", "Reorder a treebank as another language would."),
        "align": Command("panparser.transfer.projection.project_command", "Align the words of translations."),
        "project": Command("panparser.transfer.projection.project_command", "Project trees to a translation."),
        "glossed": Command(
            "panparser.transfer.glossed.glossed_command", "Make a treebank from interlinear glossed text."
        ),
        "annotate": Command("panparser.annotate.annotate_command", "Annotate a treebank in the browser."),
    },
    "Transition systems": {
        "check": Command("panparser.proofs.proof_commands", "Prove a transition system, or find a counter-example."),
        "derive": Command("panparser.proofs.proof_commands", "Derive the exact costs of a transition system."),
    },
}
_MODULES = {name: command.module for section in COMMANDS.values() for name, command in section.items()}


def main() -> None:
    """Run the command line; errors are one message and exit code 2 (1 for a counter-example)."""
    gc.set_threshold(GC_THRESHOLD)
    _mend_streams()
    received_signals = _handle_end_signals()
    code = _exit_code(sys.argv[1:])
    if received_signals or code:
        sys.exit(128 + received_signals[0] if received_signals else code)


def make_application() -> Any:
    """Return all commands as one click command, which imports a command only when it is called."""
    from panparser.cli.help import make_group  # typer takes longer to import than to print a version

    summaries = {title: {name: c.summary for name, c in section.items()} for title, section in COMMANDS.items()}
    return make_group(summaries, load_command)


def load_command(name: str) -> Callable[..., None]:
    """Import the function of a command."""
    with _leaving_at_once(), _one_matrix_thread():
        import_module("numpy")
        function: Callable[..., None] = getattr(import_module(_MODULES[name]), name)
    return function


def _exit_code(arguments: list[str]) -> Any:
    try:
        _run(arguments)
    except ProofError as error:
        print(error)
        return 1
    except PanParserError as error:
        more = isinstance(error, ConlluError) and error.problems > 1
        print(f"panparser: {error}{'; `panparser validate` lists them all' if more else ''}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _discard_stdout()
        return 141
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"panparser: {place}cannot be written: {error.strerror}", file=sys.stderr)
        _discard_stdout()
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
    with _leaving_at_once():
        application = make_application()
    with warnings.catch_warnings():
        for category in PRINTED_WARNINGS:
            warnings.simplefilter("always", category)
        warnings.showwarning = partial(_show_warning, warnings.showwarning, set())
        application(_quiet_first(arguments), prog_name="panparser")


def _quiet_first(arguments: list[str]) -> list[str]:
    """Move --quiet, which may stand anywhere, to the front."""
    quiet = [argument for argument in arguments if argument in ("--quiet", "-q")]
    return [*quiet[:1], *(argument for argument in arguments if argument not in quiet)]


@contextmanager
def _one_matrix_thread() -> Iterator[None]:
    """Limit the threads of numpy, which reads the environment when it is imported, but not those of torch.

    Sentences are shared by threads already: a library that starts more of them for each product only delays these.
    """
    from panparser.base.threads import SINGLE_THREADED

    added = {name: value for name, value in SINGLE_THREADED.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _show_warning(
    show_other: Callable[..., None], printed: set[str], message: Warning, category: type[Warning], *place: Any
) -> None:
    """Print a warning of this package as commands print errors, once; others as Python does."""
    from panparser.cli.terminal import is_quiet

    if not issubclass(category, PRINTED_WARNINGS):
        show_other(message, category, *place)
    elif not is_quiet() and str(message) not in printed:
        printed.add(str(message))
        print(f"panparser: warning: {message}", file=sys.stderr)


# --- Signals ---


def _handle_end_signals() -> list[int]:
    """Make SIGTERM and SIGHUP end the process as Ctrl-C does: the best model is kept, temporary files are removed.

    Return a list that gets the signal that was received; further signals do not disturb the clean-up. Signals that are
    ignored, as by `nohup`, stay so.
    """
    received: list[int] = []
    names = ("SIGTERM", "SIGHUP")  # Windows has only the first
    numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
    handled = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for other in handled:
            signal.signal(other, signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    for number in handled:
        signal.signal(number, end)
    return received


@contextmanager
def _leaving_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process while modules are imported; an exception would come from inside an import."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


# --- Standard streams ---


class UnfailingStream:
    """Standard error that may be full or closed: text that cannot be written is dropped."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _mend_streams() -> None:
    """Replace closed streams; write ? for a character that a terminal cannot show."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if not isinstance(sys.stderr, UnfailingStream):
        sys.stderr = UnfailingStream(sys.stderr)


def _discard_stdout() -> None:
    """Send the rest of the output nowhere: its reader is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
