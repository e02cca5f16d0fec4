"""Made-up parallel sentences: a small language with trees, and one that has the same words in another order."""

from __future__ import annotations

import numpy as np

import panparser as pp

NOUNS = {"dog": "ulu", "cat": "mika", "bird": "teto", "fish": "sassi", "man": "oro", "child": "pilu"}
VERBS = {"sees": "vantor", "likes": "kemtor", "hears": "rutor", "finds": "bostor"}
ADJECTIVES = {"old": "gramen", "small": "pitten", "red": "ruben", "quick": "swiften"}


def parallel(count, *, tags=True, seed=1):
    """Sentences `the (ADJ) NOUN VERB a NOUN .`, translations `NOUN (ADJ) NOUN VERB .`, and the links of each."""
    rng = np.random.default_rng(seed)

    def some(words):
        return str(rng.choice(sorted(words)))

    sources, targets, links = [], [], []
    for _ in range(count):
        subject, verb, thing, adjective = some(NOUNS), some(VERBS), some(NOUNS), some(ADJECTIVES)
        with_adjective = bool(rng.integers(2))
        source = [("the", "DET", "subject", "det")]
        source += [(adjective, "ADJ", "subject", "amod")] if with_adjective else []
        source += [(subject, "NOUN", "verb", "nsubj"), (verb, "VERB", "root", "root"), ("a", "DET", "thing", "det")]
        source += [(thing, "NOUN", "verb", "obj:direct"), (".", "PUNCT", "verb", "punct")]
        at = {"subject": 2 + with_adjective, "verb": 3 + with_adjective, "thing": 5 + with_adjective, "root": 0}
        sources.append([(form, tag, at[head], label) for form, tag, head, label in source])
        targets.append([(NOUNS[subject], "NOUN", 3 + with_adjective, "nsubj")])
        targets[-1] += [(ADJECTIVES[adjective], "ADJ", 1, "amod")] if with_adjective else []
        targets[-1] += [(NOUNS[thing], "NOUN", 3 + with_adjective, "obj"), (VERBS[verb], "VERB", 0, "root")]
        targets[-1] += [(".", "PUNCT", 3 + with_adjective, "punct")]
        first = [(1, 1), (2, 0), (3, 3), (5, 2), (6, 4)] if with_adjective else [(1, 0), (2, 2), (4, 1), (5, 3)]
        links.append(tuple(first))
    return treebank_of(sources, tags), treebank_of(targets, tags), pp.transfer.projection.WordAlignments(tuple(links))


def treebank_of(sentences, tags=True, name="s"):
    """A treebank of (form, tag, head, label); None is no head."""
    blocks = []
    for number, words in enumerate(sentences, start=1):
        lines = [f"# sent_id = {name}{number}"]
        for place, (form, tag, head, label) in enumerate(words, start=1):
            cells = (place, form, "_", tag if tags else "_", "_", "_", "_" if head is None else head, label, "_", "_")
            lines.append("\t".join(map(str, cells)))
        blocks.append("\n".join(lines) + "\n\n")
    return pp.parse_conllu("".join(blocks), lenient=True)
