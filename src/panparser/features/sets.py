"""The built-in sets of feature templates."""

import re

from panparser.features.templates import Templates

# Zhang & Nivre 2011, "Transition-based Dependency Parsing with Rich Non-local Features", Tables 1 and 2: 72 templates.
# Their N0 is our B0, w is form, p upos, d distance(S0,B0), v valency, s the set of labels; sub-scripts l and l2 are
# left[0] and left[1], r and r2 right[0] and right[1], h and h2 head and head.head.
_ZN11 = """
    # single words
    S0.form S0.upos
    S0.form
    S0.upos
    B0.form B0.upos
    B0.form
    B0.upos
    B1.form B1.upos
    B1.form
    B1.upos
    B2.form B2.upos
    B2.form
    B2.upos

    # pairs of words
    S0.form S0.upos B0.form B0.upos
    S0.form S0.upos B0.form
    S0.form B0.form B0.upos
    S0.form S0.upos B0.upos
    S0.upos B0.form B0.upos
    S0.form B0.form
    S0.upos B0.upos
    B0.upos B1.upos

    # three words
    B0.upos B1.upos B2.upos
    S0.upos B0.upos B1.upos
    S0.head.upos S0.upos B0.upos
    S0.upos S0.left[0].upos B0.upos
    S0.upos S0.right[0].upos B0.upos
    S0.upos B0.upos B0.left[0].upos

    # distance
    S0.form distance(S0,B0)
    S0.upos distance(S0,B0)
    B0.form distance(S0,B0)
    B0.upos distance(S0,B0)
    S0.form B0.form distance(S0,B0)
    S0.upos B0.upos distance(S0,B0)

    # valency
    S0.form S0.right_valency
    S0.upos S0.right_valency
    S0.form S0.left_valency
    S0.upos S0.left_valency
    B0.form B0.left_valency
    B0.upos B0.left_valency

    # unigrams
    S0.head.form
    S0.head.upos
    S0.label
    S0.left[0].form
    S0.left[0].upos
    S0.left[0].label
    S0.right[0].form
    S0.right[0].upos
    S0.right[0].label
    B0.left[0].form
    B0.left[0].upos
    B0.left[0].label

    # third order
    S0.head.head.form
    S0.head.head.upos
    S0.head.label
    S0.left[1].form
    S0.left[1].upos
    S0.left[1].label
    S0.right[1].form
    S0.right[1].upos
    S0.right[1].label
    B0.left[1].form
    B0.left[1].upos
    B0.left[1].label
    S0.upos S0.left[0].upos S0.left[1].upos
    S0.upos S0.right[0].upos S0.right[1].upos
    S0.upos S0.head.upos S0.head.head.upos
    B0.upos B0.left[0].upos B0.left[1].upos

    # label sets
    S0.form S0.right_labels
    S0.upos S0.right_labels
    S0.form S0.left_labels
    S0.upos S0.left_labels
    B0.form B0.left_labels
    B0.upos B0.left_labels
"""
# Not in the paper's tables: what was done last. ZN11.without("history") is the paper's set.
_HISTORY = """
    history[0]
    history[0] history[1]
    history[0] history[1] history[2]
"""
ZN11 = Templates.parse(_ZN11 + _HISTORY)

# Chosen on the development sets of seven treebanks of Universal Dependencies: what ZN11 lacks is morphology, lemmas and
# the words around S0 and B0; what was left out (valency, heads, second children, longer histories) did not help.
_RICH = """
    # single words: form, lemma, tags, morphology, suffix
    S0.form
    S0.upos
    S0.xpos
    S0.lemma
    S0.upos S0.feats
    S0.suffix[3]
    B0.form
    B0.upos
    B0.xpos
    B0.lemma
    B0.upos B0.feats
    B0.suffix[3]
    B1.form
    B1.upos
    B1.xpos
    B1.lemma
    B1.feats
    B2.form
    B2.upos
    B2.xpos
    B3.upos
    S1.form
    S1.upos
    S1.lemma
    S1.feats
    S2.upos

    # S0-B0 pairs: lexical, tags, suffixes
    S0.form B0.form
    S0.form B0.upos
    S0.upos B0.form
    S0.upos B0.upos
    S0.xpos B0.xpos
    S0.lemma B0.lemma
    S0.lemma B0.upos
    S0.upos B0.lemma
    S0.suffix[3] B0.upos
    S0.upos B0.suffix[3]
    S0.suffix[2] B0.suffix[2]
    S0.xpos B0.form
    S0.form B0.xpos
    S0.upos S0.xpos B0.upos B0.xpos

    # S0-B0 morphology: agreement, government (case, verb form)
    S0.feats B0.feats
    S0.upos S0.feats B0.upos B0.feats
    S0.upos B0.upos B0.feats
    S0.upos S0.feats B0.upos
    S0.lemma B0.feats
    S0.feats B0.lemma
    S0.upos S0.feats[Case] B0.upos B0.feats[Case]
    S0.upos S0.feats[VerbForm] B0.upos B0.feats[VerbForm]
    S0.lemma B0.upos B0.feats[Case]
    B0.lemma S0.upos S0.feats[Case]

    # lookahead: B1, B2 with B0 and S0
    B0.form B1.form
    B0.lemma B1.lemma
    B0.upos B1.lemma
    B0.lemma B1.upos
    B0.upos B1.upos
    B0.upos B1.upos B2.upos
    S0.upos B1.upos
    S0.upos B0.upos B1.upos
    S0.upos B0.upos B1.upos B2.upos
    S0.lemma B0.upos B1.upos
    S0.upos B0.lemma B1.upos
    S0.upos B0.upos B1.lemma
    S0.lemma B1.lemma
    B0.xpos B1.xpos
    S0.xpos B0.xpos B1.xpos

    # deeper stack: S1, S2 tags
    S1.upos S0.upos
    S1.upos B0.upos
    S1.upos S0.upos B0.upos
    S1.xpos S0.xpos B0.xpos
    S2.upos S1.upos S0.upos
    S1.xpos S0.xpos
    S1.xpos B0.xpos

    # distance and what lies between S0 and B0
    distance(S0,B0) S0.upos B0.upos
    distance(S0,B0) S0.lemma B0.upos
    distance(S0,B0) S0.upos B0.lemma
    between(S0,B0,upos=VERB) S0.upos B0.upos
    between(S0,B0,upos=PUNCT) S0.upos B0.upos
    between(S0,B0,upos=CCONJ) S0.upos B0.upos

    # children of S0, S1 and B0: words and tags
    S0.upos B0.upos S0.left[0].upos
    S0.upos B0.upos S0.right[0].upos
    S0.upos B0.upos B0.left[0].upos
    S0.upos B0.upos S0.left[0].lemma
    S0.upos B0.upos S0.right[0].lemma
    S0.upos B0.upos B0.left[0].lemma
    S0.left[0].form
    S0.right[0].form
    B0.left[0].form
    S0.upos S0.right[0].lemma B0.lemma
    S0.lemma B0.left[0].lemma B0.upos
    S1.upos S1.right[0].upos S0.upos
    S0.xpos S0.right[0].xpos B0.xpos
    S0.xpos B0.xpos B0.left[0].xpos

    # labels built so far: of the words, of their children (sets)
    S0.label
    S1.label
    S0.label S0.upos B0.upos
    S0.label B0.form
    S0.lemma S0.label B0.upos
    S0.upos S0.left_labels
    S0.upos S0.right_labels
    B0.upos B0.left_labels
    S0.form S0.left_labels
    S0.form S0.right_labels
    B0.form B0.left_labels
    S0.upos B0.upos S0.left_labels
    S0.upos B0.upos S0.right_labels
    S0.upos B0.upos B0.left_labels
    S0.left_labels S0.right_labels S0.upos B0.upos
    S0.label S0.upos B0.upos B0.feats
    S0.label S0.right_labels B0.upos
    S0.right_labels S0.upos B0.lemma
    B0.left_labels B0.upos S0.lemma
    S1.label S0.label B0.upos
    B0.left_labels S0.right_labels S0.upos B0.upos
    S0.right[0].label S0.upos B0.upos
    B0.left[0].label S0.upos B0.upos

    # the last transition
    history[0] S0.upos B0.upos
    history[0] S0.label B0.lemma
"""
RICH = Templates.parse(_RICH)

# For systems whose arcs join words of the stack: what RICH sees of S0 and B0, this sees of S1 and S0, and so on; and of
# S2 with S0, where an arc may pass over S1.
_FURTHER = {"S0": "S1", "S1": "S2", "S2": "S3", "B0": "S0", "B1": "B0", "B2": "B1", "B3": "B2"}
_OVER_S1 = """
    S2.xpos
    S2.upos S2.feats
    S2.form S0.form
    S2.form S0.upos
    S2.upos S0.form
    S2.lemma S0.lemma
    S2.lemma S0.upos
    S2.upos S0.lemma
    S2.lemma S0.feats
    S2.feats S0.lemma
    S2.feats S0.feats
    S2.upos S2.feats S0.upos S0.feats
    S2.upos S1.upos S0.upos B0.upos
    S2.upos S1.lemma S0.upos
    S2.lemma S1.upos S0.upos
    S2.upos S1.upos S0.lemma
"""
RICH_STACK = Templates.parse(re.sub(r"\b[SB]\d\b", lambda base: _FURTHER[base[0]], _RICH) + _OVER_S1)

# Half of RICH, for corpora so large that speed counts.
_FAST = """
    S0.form
    S0.lemma
    S0.upos S0.feats
    S0.xpos
    B0.form
    B0.lemma
    B0.upos B0.feats
    B0.xpos
    B1.lemma
    B1.upos
    B1.xpos
    B2.upos
    S1.upos
    S0.form B0.form
    S0.form B0.upos
    S0.upos B0.form
    S0.upos B0.upos
    S0.xpos B0.xpos
    S0.lemma B0.lemma
    S0.lemma B0.upos B1.upos
    S0.upos B0.lemma B1.upos
    S0.upos B0.upos B1.lemma
    S0.upos S0.feats B0.upos B0.feats
    S0.lemma B0.feats
    S0.feats B0.lemma
    S0.suffix[3] B0.upos
    S0.upos B0.suffix[3]
    B0.upos B1.upos B2.upos
    B0.lemma B1.lemma
    S0.upos B0.upos B1.upos B2.upos
    S0.xpos B0.xpos B1.xpos
    S1.upos S0.upos B0.upos
    S1.xpos S0.xpos B0.xpos
    distance(S0,B0) S0.upos B0.upos
    distance(S0,B0) S0.lemma B0.upos
    between(S0,B0,upos=VERB) between(S0,B0,upos=PUNCT) S0.upos B0.upos
    S0.upos B0.upos S0.right[0].upos
    S0.upos B0.upos B0.left[0].upos
    S0.upos B0.upos S0.left[0].lemma
    S0.upos B0.upos S0.right[0].lemma
    S0.upos B0.upos B0.left[0].lemma
    S0.label S0.upos B0.upos
    S0.label B0.form
    S0.lemma S0.label B0.upos
    S0.form S0.right_labels
    S0.upos B0.upos S0.left_labels
    S0.upos B0.upos S0.right_labels
    S0.upos B0.upos B0.left_labels
    S0.upos B0.upos S0.left[0].upos
    S0.xpos S0.right[0].xpos B0.xpos
    S0.xpos B0.xpos B0.left[0].xpos
    S0.right_labels S0.upos B0.lemma
    B0.left_labels B0.upos S0.lemma
    B0.form B0.left_labels
    S0.form S0.left_labels
    S1.label S0.label B0.upos
    S0.upos S0.right[0].lemma B0.lemma
    S0.label S0.right_labels B0.upos
    history[0] S0.upos B0.upos
"""
FAST = Templates.parse(_FAST)

# What constraints tell of the words that actions join; to be added to one of the sets above.
_GIVEN = """
    given(S0,B0)
    given(S0,B0) S0.upos B0.upos
    given(S1,S0) S1.upos S0.upos
    S0.given_head
    B0.given_head
    S0.given_head S0.upos
    B0.given_head B0.upos
    S0.given_head B0.given_head
    S0.given_head B0.given_head S0.upos B0.upos
    S0.given_head S0.upos B0.upos
    B0.given_head S0.upos B0.upos
    S1.given_head S0.given_head S0.upos
    B0.given_head B1.given_head B0.upos B1.upos
    S0.given_label S0.upos B0.upos
    B0.given_label S0.upos B0.upos
"""
GIVEN = Templates.parse(_GIVEN)
