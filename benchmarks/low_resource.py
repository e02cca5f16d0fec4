"""How well is a language parsed that has ten, twenty, fifty or a hundred trees? The sample, other languages, and both.

    python benchmarks/low_resource.py FOLDER --real FOLDER2    # FOLDER/LANGUAGE[_NAME]/{train,test}.conllu

Eight targets, of whose training sets so many sentences are drawn by the seed; the sources are all other treebanks of
the folder with at least 100 sentences, except those of the same language. Compared are the methods of `train_transfer`:
the sample alone, the nearest four sources and all sources (by tags alone, rewritten by what WALS says of the target),
and both together, with and without rewriting; the last two methods combine trees, of parsers of single sources and
others, without and with the sample. Gold tags; UAS of at most 300 sentences of the test set, without punctuation.
The same with predicted tags: those of a tagger that learns from the sample alone, and of one that also has a lexicon of
1,000 words, the most frequent ones of the training set with the tags that they have there. Parsers then learn from the
sample's own tags, and read neither lemmas nor XPOS and FEATS; both methods are rewritten ones.
With --real, what `panparser transfer` makes for languages that are that small: the treebanks of FOLDER2 that have a
test set and at most 50 sentences to learn from. Those without any are ranked and rewritten by the tags of the test set.
There, UAS and LAS are of all words of the whole test set; beside them the UAS of the method "all".
Finished tasks are kept in benchmarks/results/low_resource.jsonl, the tables in low_resource.txt, and that of --real in
little.txt; with --only-real, the others are not made.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
from tasks import Scored, arguments, build, finish, number, publish

import panparser as pp
from panparser.transfer.candidates import Method, MethodRunner, SourceTreebank
from panparser.transfer.transferring import tags_alone

TARGETS = ("hu", "fr_sequoia", "el", "lv", "et", "sv_lines", "id", "pt")
SIZES = (10, 20, 50, 100)
LEAST, SENTENCES, TESTED, SMALL = 100, 1000, 300, 50
RELATIVES = {"fo": "ice", "kmr": "krd"}  # WALS knows next to nothing of these: Icelandic, Central Kurdish
ROWS: dict[str, tuple[Method, bool]] = {  # method, and whether sources are rewritten
    "sample alone": ("sample", True),
    "nearest four": ("pool", True),
    "all sources": ("all", True),
    "joint, as they are": ("joint", False),
    "joint, rewritten": ("joint", True),
    "combined sources": ("combined", True),
    "combined with sample": ("combined-joint", True),
}
WORDS = 1000  # of the lexicon
TAGGERS = {"sample": False, "lexicon": True}  # whether there is a lexicon
TAG_ROWS = {  # names in results, and in the table
    "tags, sample": "UPOS, of the sample",
    "tags, lexicon": "UPOS, and of the lexicon",
    "sample, gold tags": "sample alone, gold tags",
    "sample, sample": "sample alone, tags of the sample",
    "sample, lexicon": "sample alone, and of the lexicon",
    "joint, gold tags": "joint, gold tags",
    "joint, sample": "joint, tags of the sample",
    "joint, lexicon": "joint, and of the lexicon",
}


def language(treebank: str) -> str:
    return treebank.partition("_")[0]


def typology(target: str) -> pp.transfer.Typology:
    return pp.transfer.Typology.from_language(language(target), related_language=RELATIVES.get(language(target)))


def sources(folder: Path, target: str) -> list[pp.transfer.SourceFile]:
    """All treebanks to learn from, except those of the target's language."""
    found = pp.transfer.find_sources([path for path in sorted(folder.glob("*/train.conllu")) if path.stat().st_size])
    others = [each for each in found if language(each.name) != language(target)]
    return [each for each in others if len(pp.read_conllu(each.path)) >= LEAST]


@dataclass(frozen=True)
class Task:
    """One target, with a sample of so many sentences; all that there are, of a treebank that is small (size 0)."""

    target: str
    size: int
    seed: int
    real: str = ""  # the folder of the target, from that of the sources
    is_tagged: bool = False  # with predicted tags

    @property
    def key(self) -> str:
        values = {"target": self.target, "size": self.size, "seed": self.seed, "real": self.real}
        return json.dumps(values | ({"is_tagged": True} if self.is_tagged else {}))

    def __str__(self) -> str:
        return f"{self.target}, {self.size or 'all'} sentences, seed {self.seed}{', tagged' * self.is_tagged}"

    def effort(self, folder: Path) -> float:
        """What is first: the command, then methods, then predicted tags; one seed after the other."""
        return 100.0 * (2 * bool(self.real) + (not self.is_tagged)) - self.seed

    def run(self, folder: Path) -> Scored:
        start = time.process_time()
        work = self._command if self.real else self._tagged if self.is_tagged else self._methods
        scores = work(folder)
        return Scored(scores, time.process_time() - start, build())

    def _methods(self, folder: Path) -> dict[str, float]:
        sample = pp.sample_sentences(pp.read_conllu(folder / self.target / "train.conllu"), self.size, seed=self.seed)
        test = pp.sample_sentences(pp.read_conllu(folder / self.target / "test.conllu"), TESTED)
        treebanks = [pp.read_conllu(each.path) for each in sources(folder, self.target)]
        ranked = [(treebanks[each.index], each.divergence) for each in pp.transfer.rank_sources(sample, treebanks)]
        drawn = [(pp.sample_sentences(treebank, SENTENCES, seed=self.seed), far) for treebank, far in ranked]
        order = typology(self.target)
        rewritten = [
            (pp.transfer.rewrite_word_order(treebank, order, seed=self.seed)[0], far) for treebank, far in drawn
        ]
        ways = {}
        for is_rewritten, known in ((True, rewritten), (False, drawn)):
            chosen = [SourceTreebank(each.path, each, far) for each, far in known]
            ways[is_rewritten] = MethodRunner(
                sources=chosen, max_sources=4, sample=sample, dev=None, seed=self.seed, threads=1
            )
        return {
            row: ways[is_rewritten].count_attachments(ways[is_rewritten].make(method, sample), test).uas
            for row, (method, is_rewritten) in ROWS.items()
        }

    def _tagged(self, folder: Path) -> dict[str, float]:
        train = pp.read_conllu(folder / self.target / "train.conllu")
        sample = tags_alone(pp.sample_sentences(train, self.size, seed=self.seed))
        test = tags_alone(pp.sample_sentences(pp.read_conllu(folder / self.target / "test.conllu"), TESTED))
        treebanks = [pp.read_conllu(each.path) for each in sources(folder, self.target)]
        order, chosen = typology(self.target), []
        for each in pp.transfer.rank_sources(sample, treebanks):
            drawn = pp.sample_sentences(treebanks[each.index], SENTENCES, seed=self.seed)
            chosen.append(
                SourceTreebank(
                    drawn.path, pp.transfer.rewrite_word_order(drawn, order, seed=self.seed)[0], each.divergence
                )
            )
        candidates = MethodRunner(sources=chosen, max_sources=4, sample=sample, dev=None, seed=self.seed, threads=1)
        words = frequent(train)
        found, tagged = {}, {}
        for name, has_lexicon in TAGGERS.items():
            lexicon = words if has_lexicon else None
            tagger = pp.train_tagger(pp.TaggerSpec(), sample, lexicon=lexicon, seed=self.seed, threads=1)
            found[f"tags, {name}"] = tagger.accuracy(test)["upos"]
            tagged[name] = tagger.tag(test)
        for method in ("sample", "joint"):
            parser = candidates.learn(method, sample)
            found[f"{method}, gold tags"] = candidates.count_attachments(parser, test).uas
            for name, treebank in tagged.items():
                tally = candidates.count_attachments(parser, test, treebank).tagged
                assert tally is not None
                found[f"{method}, {name}"] = tally.uas
        return found

    def _command(self, folder: Path) -> dict[str, float]:
        own = folder / self.real / self.target
        test, train = (
            pp.read_conllu(own / f"{part}.conllu") if (own / f"{part}.conllu").exists() else None
            for part in ("test", "train")
        )
        assert test is not None
        sample = None if train is None or not train.words else train
        scores, methods = {}, []
        for method in (None, "all"):
            made = pp.transfer.train_transfer(
                sources(folder, self.target),
                sample,
                tagged_text=test if sample is None else None,
                typology=typology(self.target),
                method=method,
                seed=self.seed,
                threads=1,
            )
            scores[method] = pp.evaluate(test, made.parser.parse(test, allow_unseen_tags=True))
            methods.append(made.report.method)
        of_command = {methods[0]: scores[None].uas, "LAS": scores[None].las}
        return of_command | {"sentences": 0 if sample is None else len(sample), "by all": scores["all"].uas}


def frequent(treebank: pp.Treebank) -> pp.tagging.Lexicon:
    """The most frequent words of a treebank, with their tags."""
    forms, counts = treebank.vocabulary("form"), np.bincount(treebank.column("form"))
    first = sorted(range(len(counts)), key=lambda form: (-counts[form], forms[form]))[:WORDS]
    tags = pp.tagging.Lexicon.from_treebank(treebank).tags
    return pp.tagging.Lexicon({forms[form]: tags[forms[form]] for form in first if forms[form] in tags})


def of_sizes(results: Mapping[str, Scored], targets: list[str], seeds: list[int]) -> list[str]:
    """Mean over targets and seeds, by size; then each target."""
    lines = [f"{'UAS, ' + str(len(targets)) + ' targets':24}" + "".join(f"{size:>8}" for size in SIZES)]
    for names in (targets, *([target] for target in targets)):
        if len(names) == 1:
            lines += ["", f"{names[0]:24}" + "".join(f"{size:>8}" for size in SIZES)]
        for row in ROWS:
            cells = []
            for size in SIZES:
                tasks = [Task(name, size, seed) for name in names for seed in seeds]
                known = [results[task.key].scores[row] for task in tasks if task.key in results]
                cells.append(number(mean(known) if len(known) == len(tasks) else float("nan"), 8, 1))
            lines.append(f"{row:24}" + "".join(cells))
    return [*lines, ""]


def of_tags(results: Mapping[str, Scored], targets: list[str], seeds: list[int]) -> list[str]:
    """Accuracy of tags, and UAS with them: mean over targets and seeds, by size."""
    lines = [f"{'predicted tags':36}" + "".join(f"{size:>8}" for size in SIZES)]
    for row, shown in TAG_ROWS.items():
        cells = []
        for size in SIZES:
            tasks = [Task(name, size, seed, is_tagged=True) for name in targets for seed in seeds]
            known = [results[task.key].scores[row] for task in tasks if task.key in results]
            cells.append(number(mean(known) if len(known) == len(tasks) else float("nan"), 8, 1))
        lines.append(f"{shown:36}" + "".join(cells))
    return [*lines, ""]


def of_real(results: Mapping[str, Scored], tasks: list[Task]) -> list[str]:
    """Mean over seeds of what the command makes; in each, it chooses for itself."""
    lines = [f"{'panparser transfer':24}{'sentences':>10}{'UAS':>8}{'LAS':>8}{'by all':>9}  methods"]
    for target in dict.fromkeys(task.target for task in tasks):
        found = [results[task.key].scores for task in tasks if task.target == target and task.key in results]
        if len(found) < sum(task.target == target for task in tasks):
            lines.append(f"{target:24}{'-':>10}")
            continue
        names = [next(iter(scores)) for scores in found]
        uas, las, sentences, other = (mean(list(scores.values())[place] for scores in found) for place in range(4))
        cells = f"{number(uas, 8, 1)}{number(las, 8, 1)}{number(other, 9, 1)}"
        lines.append(f"{target:24}{sentences:>10.0f}{cells}  {'/'.join(dict.fromkeys(names))}")
    return lines


def small(folder: Path, others: Path) -> list[str]:
    """Treebanks with a test set and next to nothing to learn from, of languages that the other folder has not."""
    known = {language(path.parent.name) for path in others.glob("*/train.conllu")}
    found = []
    for path in sorted(folder.glob("*/test.conllu")):
        train = path.with_name("train.conllu")
        is_small = not train.exists() or len(pp.read_conllu(train)) <= SMALL
        if is_small and language(path.parent.name) not in known:
            found.append(path.parent.name)
    return found


def main() -> None:
    parser = arguments(__doc__, "low_resource", "1,2,3")
    parser.add_argument("--real", type=Path, help="folder of treebanks of languages with next to nothing")
    parser.add_argument("--only-real", action="store_true", help="nothing but what --real asks for")
    options = parser.parse_args()
    names = options.treebanks.split(",") if options.treebanks else list(TARGETS)
    missing = [name for name in names if not (options.folder / name / "train.conllu").exists()]
    if missing:
        parser.error(f"{options.folder}: expected treebanks with train.conllu: {', '.join(missing)}")
    seeds = [int(seed) for seed in options.seeds.split(",")]
    tasks = [
        Task(name, size, seed, is_tagged=is_tagged)
        for is_tagged in (False, True)
        for name in names
        for size in SIZES
        for seed in seeds
        if not options.only_real
    ]
    real = []
    if options.real:
        place = os.path.relpath(options.real, options.folder)
        real = [Task(name, 0, seed, place) for name in small(options.real, options.folder) for seed in seeds]
    results = finish(options, [*tasks, *real], Scored)
    if tasks:
        publish(options, [title(tasks, results), "", *of_sizes(results, names, seeds), *of_tags(results, names, seeds)])
    if real:
        options.results = options.results.with_name("little.jsonl")  # beside which the table is written
        publish(options, [title(real, results), "", *of_real(results, real)])


def title(tasks: list[Task], results: Mapping[str, Scored]) -> str:
    cpu = sum(results[task.key].cpu for task in tasks if task.key in results)
    seeds = ",".join(map(str, sorted({task.seed for task in tasks})))
    return f"mean over seeds {seeds}; {cpu / 60:.0f} minutes of CPU"


if __name__ == "__main__":
    main()
