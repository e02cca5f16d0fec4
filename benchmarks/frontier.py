"""Speed against accuracy: sets of templates, beams and pruning, beside other parsers. A table and a plot.

    python benchmarks/frontier.py TREEBANK...    # folders with train.conllu, dev.conllu, test.conllu
    python benchmarks/frontier.py ud/hu ud/en --sentences 4000 --peers build/peers

Prints, and writes benchmarks/results/frontier.txt and docs/images/frontier.svg (needs `panparser[analysis]`).

Every parser gets gold tokens and tags, and runs in one thread. Speed is from file to file, in words a CPU second,
without starting and loading: it is measured as `peers.py` does, on the test set repeated up to --tokens words, the best
of --repeats runs. LAS is that of the test set, with subtypes. A star marks what no other setting beats: nothing else is
at least as fast and at least as accurate. A beam of 1 learns from the dynamic oracle.

Models stay in --cache, and are used again by the same build of panparser. Peers take part if `peers.py` has trained
them on the same data before (its --cache is --peers here, its --iterations are given in the same way).
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from machine import heading
from peers import HERE, MODULES, PYTHON, Contender, FailureError, Race, fewer_iterations, installed, peer
from tasks import build

import panparser as pp

SETS = ("fast", "lean", "zn11", "rich")
BEAMS = (1, 2, 4, 8, 16)
PRUNED = ((1, 0.5), (1, 3.0), (8, 0.5), (8, 3.0))  # beam, smallest weight that stays; of `lean`
QUICK = {"fast": (1, 8), "lean": (1, 8)}
COLORS = {
    "fast": "#d55e00",
    "lean": "#0072b2",
    "zn11": "#009e73",
    "rich": "#e69f00",
    "udpipe": "#444444",
    "spacy": "#aa4499",
}
COLUMNS = f"{'':28}{'words/s':>12}{'LAS':>8}"


@dataclass(frozen=True, kw_only=True)
class Point:
    """What a setting came to: words in a CPU second, and LAS. `prune` is None where it is the default."""

    name: str
    family: str  # a set of templates, or a peer
    beam: int | None = None
    prune: float | None = None
    speed: float
    las: float

    def __str__(self) -> str:
        return f"{self.name:28}{self.speed:12,.0f}{self.las:8.2f}"


def settings(quick: bool) -> list[tuple[str, int, float | None]]:
    """Templates, beam, and pruning (None: the default)."""
    if quick:
        return [(name, beam, None) for name, beams in QUICK.items() for beam in beams]
    usual = [(name, beam, None) for name in SETS for beam in BEAMS]
    return [*usual, *(("lean", beam, prune) for beam, prune in PRUNED)]


def recipe(templates: str, beam: int, prune: float | None) -> str:
    lines = ["[parser]", f'templates = "{templates}"', f"beam = {beam}", "[training]", "seed = 1"]
    if beam == 1:
        lines.append('strategy = "dynamic"')
    if prune is not None:
        lines.append(f"prune = {prune}")
    return "\n".join(lines) + "\n"


def ours(templates: str, beam: int, prune: float | None, work: Path) -> Contender:
    name = f"{templates}, beam {beam}" + (f", prune {prune:g}" if prune is not None else "")
    text = recipe(templates, beam, prune)
    path = work / f"{name.replace(', ', '-').replace(' ', '-')}.toml"
    path.write_text(text, encoding="utf-8")
    command = f"{PYTHON} -m panparser --quiet"
    return Contender(
        name=path.stem,
        train=f"{command} train --recipe {shlex.quote(str(path))} -t {{train}} -d {{dev}} -o {{model}}",
        parse={name: f"{command} parse -m {{model}} {{test}} -o {{output}} --threads 1"},
        key=f"{build()}\n{text}",
    )


def shortened(folder: Path, sentences: int | None, work: Path) -> Path:
    """The folder, or a copy with so many sentences to train on."""
    treebank = pp.read_conllu(folder / "train.conllu")
    if sentences is None or len(treebank) <= sentences:
        return folder
    copy = work / f"{folder.name}-{sentences}"
    copy.mkdir()
    pp.write_conllu(copy / "train.conllu", treebank[:sentences])
    for part in ("dev.conllu", "test.conllu"):
        copy.joinpath(part).write_bytes((folder / part).read_bytes())
    return copy


def measured(race: Race, contender: Contender, **what: Any) -> list[Point]:
    found = race.run(contender, anew=False)
    return [
        Point(name=line.name, speed=line.rates[0], las=line.scores["FullLAS"].f1, **what)
        for line in found
        if line.rates is not None
    ]


def peers(race: Race, folder: Path, options: argparse.Namespace) -> Iterable[Point]:
    """Those that are installed and that `peers.py` has trained on this data."""
    if options.peers is None:
        return
    for name, module in MODULES.items():
        if not all(map(installed, module.PACKAGES)):
            print(f"{name} is left out: not installed", file=sys.stderr)
            continue
        contender = peer(name, folder.name, options.iterations.get(folder.name))
        race.cache = options.peers / folder.name
        if race.earlier(contender):
            yield from measured(race, contender, family=name)
        else:
            print(f"{name} is left out on {folder.name}: {options.peers} has no such model", file=sys.stderr)


def stars(points: Sequence[Point]) -> list[bool]:
    """Is a point one that no other beats?"""
    return [
        not any(other.speed >= one.speed and other.las >= one.las and other is not one for other in points)
        for one in points
    ]


def table(title: str, points: Sequence[Point]) -> list[str]:
    rows = (f"{point}{'  *' if best else ''}" for point, best in zip(points, stars(points), strict=True))
    return ["", title, COLUMNS, *rows]


def means(by_treebank: dict[str, list[Point]]) -> list[Point]:
    """Mean LAS, and the geometric mean of the speeds, of the settings that all treebanks have."""
    groups: dict[str, list[Point]] = {}
    for points in by_treebank.values():
        for point in points:
            groups.setdefault(point.name, []).append(point)
    return [
        replace(
            group[0],
            speed=math.exp(sum(math.log(point.speed) for point in group) / len(group)),
            las=sum(point.las for point in group) / len(group),
        )
        for group in groups.values()
        if len(group) == len(by_treebank)
    ]


# --- The plot ---


def draw_treebank(axes: Any, title: str, points: Sequence[Point]) -> None:
    for family in dict.fromkeys(point.family for point in points):
        line = [point for point in points if point.family == family and point.prune is None]
        pruned = [point for point in points if point.family == family and point.prune is not None]
        color = COLORS.get(family)
        style = {"marker": "o", "linestyle": "-"} if family in SETS else {"marker": "D", "linestyle": ":"}
        axes.plot([p.speed for p in line], [p.las for p in line], color=color, label=family, markersize=5, **style)
        for point in line:
            text = str(point.beam) if point.beam else point.name.removeprefix(f"{family}, ")
            axes.annotate(
                text, (point.speed, point.las), (0, 6), textcoords="offset points", ha="center", fontsize=9, color=color
            )
        if pruned:
            places = [p.speed for p in pruned], [p.las for p in pruned]
            axes.plot(*places, "o", markerfacecolor="white", color=color, label=f"{family}, other pruning")
        for point in pruned:
            axes.annotate(
                f"{point.beam}, prune {point.prune:g}",
                (point.speed, point.las),
                (5, 2),
                textcoords="offset points",
                ha="left",
                fontsize=8,
                color=color,
            )
    axes.set_title(title)


def keep_inside(figure: Any, axes: Any) -> None:
    """Puts what would be written under the legend to the left of its point."""
    figure.draw_without_rendering()
    end = axes.get_window_extent().x1
    for text in axes.texts:
        if text.get_window_extent().x1 > end:
            text.set(ha="right", position=(-abs(text.get_position()[0]), text.get_position()[1]))


def draw(by_treebank: dict[str, list[Point]], path: Path) -> None:
    """A panel for each treebank: words/s (logarithmic) against LAS; numbers beside points are beams."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    mpl.rcParams["svg.fonttype"] = "none"  # text stays text
    mpl.rcParams["svg.hashsalt"] = "frontier"  # the same file for the same numbers
    figure = Figure(figsize=(9.5, 5 * len(by_treebank)), layout="constrained")
    panels = figure.subplots(len(by_treebank), 1, squeeze=False)[:, 0]
    for axes, (title, points) in zip(panels, by_treebank.items(), strict=True):
        draw_treebank(axes, title, points)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda rate, _: f"{rate / 1000:,g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("thousand words a CPU second, file to file, one thread")
        axes.set_ylabel("LAS on the test set")
        axes.margins(0.08, 0.1)
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), title="templates, or peer", fontsize=9)
    for axes in panels:
        keep_inside(figure, axes)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def points_of(folder: Path, options: argparse.Namespace, work: Path) -> list[Point]:
    race = Race(folder, options.cache, work, options.tokens, options.repeats)
    points: list[Point] = []
    for templates, beam, prune in settings(options.quick):
        contender = ours(templates, beam, prune, work)
        points += measured(race, contender, family=templates, beam=beam, prune=prune)
        print(points[-1], file=sys.stderr, flush=True)
    points += peers(race, folder, options)
    return points


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="+", type=Path, metavar="TREEBANK")
    parser.add_argument("--peers", type=Path, metavar="CACHE", help="where peers.py keeps the models of peers")
    parser.add_argument("--iterations", action="append", type=fewer_iterations, default=[], metavar="TREEBANK=NUMBER")
    parser.add_argument("--sentences", type=int, help="train on so many at most")
    parser.add_argument("--quick", action="store_true", help="two sets, two beams, one run; print only")
    parser.add_argument("--tokens", type=int, default=100_000, help="words to time parsing on, at least")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=HERE.parent / "build" / "frontier", help="where models stay")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "frontier.txt")
    parser.add_argument(
        "--plot", type=Path, default=HERE.parent / "docs" / "images" / "frontier.svg", help=".svg or .png"
    )
    options = parser.parse_args()
    options.iterations = dict(options.iterations)
    if options.quick:
        options.repeats = 1
    for path in (folder / f"{part}.conllu" for folder in options.treebanks for part in ("train", "dev", "test")):
        if not path.is_file():
            parser.error(f"no file {path}")
    return options


def main() -> None:
    options = arguments()
    by_treebank: dict[str, list[Point]] = {}
    for folder in options.treebanks:
        with tempfile.TemporaryDirectory() as work:
            try:
                used = shortened(folder.resolve(), options.sentences, Path(work))
                by_treebank[used.name] = points_of(used, options, Path(work))
            except FailureError as error:
                sys.exit(f"{folder.name}: {error}")
    lines = [
        heading(),
        "Words a CPU second, file to file, without the start; * nothing else is as fast and as accurate",
    ]
    for name, points in by_treebank.items():
        lines += table(name, points)
    if len(by_treebank) > 1:
        lines += table(f"mean of {len(by_treebank)} treebanks (speed: geometric)", means(by_treebank))
    text = "\n".join(lines)
    print(text)
    if not options.quick:
        options.output.write_text(text + "\n", encoding="utf-8")
        draw(by_treebank, options.plot)


if __name__ == "__main__":
    main()
