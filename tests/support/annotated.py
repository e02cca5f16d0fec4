"""Files to annotate, and edits of people who do all kinds of things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from panparser.annotate.edits import COLUMNS
from panparser.annotate.sentence_draft import SentenceDraft, Word

FILE = """\
# sent_id = one
# text = Let's go home.
1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\t_
1\tLet\tlet\tVERB\t_\t_\t0\troot\t_\t_
2\t's\twe\tPRON\t_\t_\t1\tobj\t_\t_
3\tgo\tgo\tVERB\t_\t_\t1\txcomp\t_\t_
4\thome\thome\tADV\t_\t_\t3\tadvmod\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

# sent_id = two
# text = They ate it
1\tThey\tthey\tPRON\t_\tNumber=Plur\t_\t_\t_\t_
2\tate\teat\tVERB\t_\t_\t_\t_\t_\t_
2.1\tate\teat\tVERB\t_\t_\t_\t_\t0:root\t_
3\tit\tit\tPRON\t_\t_\t_\t_\t2:obj|2.1:obj\t_

# sent_id = three
# text = a b c d e
1\ta\ta\tX\t_\t_\t_\t_\t_\t_
2\tb\tb\tX\t_\t_\t_\t_\t_\t_
3\tc\tc\tX\t_\t_\t_\t_\t_\t_
4\td\td\tX\t_\t_\t_\t_\t_\t_
5\te\te\tX\t_\t_\t_\t_\t_\t_

"""


def write(folder: Path, text: str = FILE) -> Path:
    path = folder / "file.conllu"
    path.write_bytes(text.encode())
    return path


@st.composite
def drafts(draw: Any, most: int = 7) -> SentenceDraft:
    """Sentences of a few words, of which some have heads and labels."""
    count = draw(st.integers(1, most))
    words = []
    for number in range(1, count + 1):
        heads = [head for head in range(count + 1) if head != number]
        words.append(
            Word(
                draw(st.sampled_from(["a", "b", "cd", "é"])),
                upos=draw(st.sampled_from(["NOUN", "VERB", "_"])),
                head=draw(st.none() | st.sampled_from(heads)),
                label=draw(st.none() | st.sampled_from(["obj", "root", "nsubj"])),
                misc=draw(st.sampled_from(["_", "SpaceAfter=No"])),
            )
        )
    comments = ("# sent_id = s", "# text = " + "".join(_written(word) for word in words).rstrip())
    return SentenceDraft(tuple(words), comments if draw(st.booleans()) else ())


def _written(word: Word) -> str:
    return word.form + ("" if word.misc == "SpaceAfter=No" else " ")


NUMBER = st.integers(1, 8)
EDIT_FIELDS: dict[str, Any] = {
    "head": {"word": NUMBER, "head": st.integers(0, 8)},
    "label": {"word": NUMBER, "label": st.sampled_from(["obj", "nmod:poss", "a b", ""])},
    "arc": {"word": NUMBER, "head": st.integers(0, 8), "label": st.just("obl")},
    "tree": {
        "words": st.lists(NUMBER, min_size=1, max_size=2),
        "heads": st.lists(st.integers(0, 8), max_size=2),
        "labels": st.lists(st.just("obl"), max_size=2),
    },
    "unset": {"word": NUMBER, "what": st.sampled_from(["head", "label", "both"])},
    "forbid": {"word": NUMBER, "heads": st.lists(st.integers(0, 8), max_size=3)},
    "span": {"first": NUMBER, "last": NUMBER},
    "unspan": {"first": NUMBER, "last": NUMBER},
    "confirm": {"word": NUMBER},
    "right": {"word": NUMBER},
    "done": {"done": st.booleans(), "accept": st.booleans()},
    "cell": {"word": NUMBER, "column": st.sampled_from(COLUMNS), "value": st.sampled_from(["x", "B=1|a=2", "_", "\t"])},
    "comments": {"comments": st.lists(st.sampled_from(["# a = b", "# sent_id = new", "no"]), max_size=2)},
    "note": {"text": st.sampled_from(["", "look at this", "two\nlines"])},
    "split": {"word": NUMBER, "forms": st.sampled_from([["c", "d"], ["a", "b"], ["x", "y", "z"]])},
    "join": {"first": NUMBER, "last": NUMBER},
    "multiword": {"first": NUMBER, "last": NUMBER, "form": st.sampled_from(["ab", "zum"])},
    "unmultiword": {"first": NUMBER},
    "split_sentence": {"word": NUMBER},
    "join_sentence": {},
}


@st.composite
def edits(draw: Any) -> dict[str, Any]:
    """JSON of edits; some of them no sentence allows."""
    name = draw(st.sampled_from(sorted(EDIT_FIELDS)))
    return {"edit": name} | {key: draw(values) for key, values in EDIT_FIELDS[name].items()}
