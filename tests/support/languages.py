"""Small languages: sentences of a toy grammar with words and a word order of their own."""

from __future__ import annotations

import random

import panparser as pp

_WORDS = {"DET": 2, "ADJ": 5, "NOUN": 8, "VERB": 6, "ADV": 3}


def language(
    name: str, sentences: int, *, adjective_first: bool = True, verb_last: bool = False, seed: int = 1
) -> pp.Treebank:
    """Sentences of a subject, a verb and perhaps an object and an adverb; forms begin with the name."""
    rng = random.Random(f"{name} {seed}")
    return pp.parse_conllu("".join(_sentence(name, rng, adjective_first, verb_last) for _ in range(sentences)))


def _sentence(name, rng, adjective_first, verb_last):
    words = []  # tag, label, number of its head among them

    def noun_phrase(label):
        adjectives = ["ADJ"] * (rng.random() < 0.5)
        tags = ["DET", *adjectives, "NOUN"] if adjective_first else ["DET", "NOUN", *adjectives]
        at = len(words) + tags.index("NOUN")
        for tag in tags:
            own = {"DET": "det", "ADJ": "amod", "NOUN": label}[tag]
            words.append([tag, own, at if tag != "NOUN" else None])
        return at

    subject = noun_phrase("nsubj")
    parts = [lambda: noun_phrase("obj")] * (rng.random() < 0.7)
    verb = None
    if not verb_last:
        verb = len(words)
        words.append(["VERB", "root", -1])
    dependents = [subject, *(part() for part in parts)]
    if rng.random() < 0.4:
        dependents.append(len(words))
        words.append(["ADV", "advmod:x", None])
    if verb is None:
        verb = len(words)
        words.append(["VERB", "root", -1])
    for dependent in dependents:
        words[dependent][2] = verb
    lines = []
    for number, (tag, label, head) in enumerate(words, start=1):
        form = f"{name}{tag.lower()}{rng.randrange(_WORDS[tag])}"
        lines.append(f"{number}\t{form}\t{form}\t{tag}\t_\t_\t{head + 1}\t{label}\t_\t_\n")
    return "".join(lines) + "\n"
